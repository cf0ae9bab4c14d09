"""Write grades: a table that grows while a class is graded, then what each platform takes, pages and a class report."""

import csv
import hashlib
import io
import json
import os
import re
import unicodedata
import zipfile
from pathlib import Path, PurePosixPath

from . import author, policy, reading, report, roster, similar

# A spreadsheet runs a cell that begins with one of these. Opened with another separator than the one it was written
# with, a text is cut at `;` or a tab or a comma, so that a cell may begin there too.
FORMULA = re.compile(r"(?:^|(?<=[,;\t|\r\n]))([\s\"']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
WRITTEN = ".written"  # names of the pages that an earlier run wrote: no other file is ever removed


def safe(text):
    """Text in one line that no spreadsheet takes for a formula; a number and a lone hyphen are none."""
    if re.fullmatch(r"[+-]?[0-9]*[.]?[0-9]*", str(text)):
        return str(text)
    return report.harmless(FORMULA.sub(r"\1'", str(text)))


def number(value):
    """A number as a cell; None is empty."""
    return "" if value is None else f"{value:g}"


def table(rows):
    """The bytes of a CSV file: UTF-8 with the mark by which Excel knows it."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return b"\xef\xbb\xbf" + out.getvalue().encode("utf-8", "replace")


def write(path, data):
    """Write a file whole or not at all."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def page_name(student):
    """The file name of a student's page; a name as long as a file system allows leaves no room for an ending."""
    name = student.replace("/", "_").replace("\\", "_")
    if len(os.fsencode(name)) <= 200 and name == student:
        return f"{name}.html"
    return f"{name[:40]}-{hashlib.sha256(os.fsencode(student)).hexdigest()[:16]}.html"


class Grades:
    """The grades of one class, written below `folder` as they arrive. A file that cannot be written loses no other."""

    def __init__(self, bundle, found, folder, decisions=None, people=None, platform="plain", aside=()):
        self.bundle, self.found, self.folder, self.platform = bundle, dict(found), Path(folder), platform
        self.people, self.aside, self.trouble = people, list(aside), []
        self.matched, absent, self.strangers = roster.match(people, found) if people else ({}, [], {})
        for student, why in list(self.strangers.items()):
            if why.startswith("is an older file"):
                self.aside.append((self.found.pop(student).file, f"the file of {student} {why}"))
                del self.strangers[student]
        self.absent = {}
        for person in absent:
            label = roster.label(person)
            while label in self.found or label in self.absent:
                label += f" (line {person['row'] + 2} of the roster)"
            self.absent[label] = person
        self.unknown = []
        self.policy = policy.renamed(decisions or {}, self._who)
        members = {student: group for group in self.policy["groups"] for student in group}
        self.groups = {}  # student without a file: the member whose file counts
        for student, group in members.items():
            first = next((member for member in group if member in self.found), None)
            if student not in self.found and first is not None:
                self.groups[student] = first
        self.results, self.out = {}, None
        (self.folder / "feedback").mkdir(parents=True, exist_ok=True)
        self.old = self._old_pages()
        self._try(self._begin)

    def _who(self, name):
        """The student that a name means, as it stands in the table; names that mean nobody are kept and told."""
        if name in self.found or name in self.absent:
            return name
        plain = roster.plainly(name)
        fits = [s for s, h in self.found.items() if plain in {roster.plainly(x) for x in (s, h.user, h.login, h.name)}]
        for student, person in [*self.matched.items(), *self.absent.items()]:
            if plain in roster.called(person) | roster.names(person) and student not in fits:
                fits.append(student)
        if len(fits) != 1:
            self.unknown.append(name)
            return name
        return fits[0]

    def who(self, name):
        """Like `_who`, and a name that means nobody is an error."""
        student, known = self._who(name), len(self.unknown)
        if student not in self.found:
            del self.unknown[known - 1 :]
            raise author.CourseError(f"There is no submission of {name!r}.")
        return student

    def _try(self, task, *given):
        try:
            return task(*given)
        except OSError as error:
            self.trouble.append(f"{error.filename or 'A file'} could not be written: {error.strerror}.")

    def _begin(self):
        self.out = (self.folder / "grades.csv").open("wb")
        self.out.write(table([self._header()]))
        self.out.flush()

    def _header(self):
        exercises = [exercise["name"] for exercise in self.bundle["exercises"]]
        return ["student", "name", "score", "out of", *exercises, "days late", "comments", "remarks"]

    def _row(self, student):
        result = self.final(student)
        graded = result["score"] is not None
        parts = [number(result["parts"][e["name"]] if graded else None) for e in self.bundle["exercises"]]
        words = [" ".join(result["comments"]), " ".join(result["remarks"])]
        return [safe(student), safe(self.name(student)), number(result["score"]), author.POINTS, *parts,
                number(result["late"]), *map(safe, words)]  # fmt: skip

    def name(self, student):
        """A student's name, from the roster or the file."""
        person = self.matched.get(student) or self.absent.get(student) or {}
        handed = self.found.get(student)
        return person.get("name") or (handed.name if handed else "") or ""

    def final(self, student):
        """The result of a student with the instructor's decisions in it."""
        result = self.results.get(self.groups.get(student, student))
        if result is None:
            result = {"score": None, "marks": [], "remarks": ["Nothing was handed in."]}
        handed = self.found.get(self.groups.get(student, student))
        return policy.apply(self.policy, self.bundle, student, result, handed)

    def add(self, student, result):
        """Take a result, and write its row and its pages."""
        self.results[student] = result
        members = [student, *(other for other, first in self.groups.items() if first == student)]
        for member in members:
            self._try(self._row_now, member)
            self._try(self._page, member)

    def keep(self, path, result):
        """Store a result for the next run."""
        self._try(write, path, json.dumps(result).encode())

    def _row_now(self, student):
        if self.out is not None:
            self.out.write(table([self._row(student)])[3:])
            self.out.flush()

    def _page(self, student):
        text = report.feedback(self.bundle, student, self.final(student), self.name(student))
        write(self.folder / "feedback" / page_name(student), text.encode("utf-8", "replace"))

    def _old_pages(self):
        try:
            return set(json.loads((self.folder / "feedback" / WRITTEN).read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return set()

    def everyone(self):
        """All students, with those who handed in nothing, sorted."""
        return sorted({*self.results, *self.groups, *self.absent})

    def finish(self):
        """Write what needs the whole class, whatever of it is there."""
        if self.out is not None:
            self._try(self.out.close)
            self.out = None
        students = self.everyone()
        self._try(write, self.folder / "grades.csv", table([self._header(), *map(self._row, students)]))
        pages = {page_name(student) for student in students if student not in self.absent or student in self.groups}
        for name in self.old - pages:
            path = self.folder / "feedback" / Path(name).name
            if path.is_file() and not path.is_symlink():
                self._try(path.unlink)
        names = json.dumps(sorted(pages)).encode()
        self._try(write, self.folder / "feedback" / WRITTEN, names)
        for platform in {self.platform, self.people.platform if self.people else "plain"} - {"plain"}:
            rows = {"canvas": self._canvas, "moodle": self._moodle, "blackboard": self._blackboard}[platform]()
            self._try(write, self.folder / f"{platform}.csv", table(rows))
        self._try(self._zip)
        text = report.class_page(self.bundle, self._finals(), self.lists(), self._alike())
        self._try(write, self.folder / "report.html", text.encode("utf-8", "replace"))

    def _finals(self):
        return {student: self.final(student) for student in self.everyone()}

    def lists(self):
        """What an instructor must know beside the grades: {title: lines}."""
        zeros = [f"{student}: {result['file']}" for student, result in sorted(self.results.items()) if "file" in result]
        slow = [student for student, result in sorted(self.results.items()) if result.get("slow")]
        failed = [f"{s}: {' '.join(r['remarks'])}" for s, r in sorted(self.results.items()) if r["score"] is None]
        late = [f"{s}: {d:g}" for s, d in ((s, self.final(s)["late"]) for s in sorted(self.results)) if d]
        lists = {
            "No points because of the file, not because of an answer": zeros,
            "A time limit was reached, also when tried alone": slow,
            "Could not be graded": failed,
            "On the roster, and nothing handed in": sorted(s for s in self.absent if s not in self.groups),
            "Not found on the roster": [f"{student} {why}" for student, why in sorted(self.strangers.items())],
            "Named in the policy, and not found": sorted(set(self.unknown)),
            "Late, in days": late,
            "Files set aside": [f"{name}: {why}" for name, why in self.aside],
            "Could not be written": self.trouble,
        }
        return {title: lines for title, lines in lists.items() if lines}

    def _alike(self):
        cells = {}
        for student in self.results:
            try:
                data = self.found[student].read()
                cells[student] = reading.notebook(data)[0] if isinstance(data, bytes) else []
            except reading.NotGradable:
                cells[student] = []
        return similar.compare(self.bundle, cells)

    def _filled(self, column, extra=None):
        """The roster's own table with the grades in a column that is there already, or in a new one."""
        header, rows = list(self.people.header), [list(row) for row in self.people.rows]
        places = [n for n, name in enumerate(header) if _same_column(name, column)]
        place = places[0] if len(places) == 1 else len(header)
        header += [column] * (place == len(header))
        by_row = {person["row"]: student for student, person in [*self.matched.items(), *self.absent.items()]}
        for index, row in enumerate(rows):
            row += [""] * (len(header) - len(row))
            student = by_row.get(index)
            result = self.final(student) if student is not None else None
            if result is not None and result["score"] is not None:
                row[place] = number(result["score"])
                for name, words in (extra or (lambda r: {}))(result).items():
                    if name in header:
                        row[header.index(name)] = words
        return [header, *([safe(cell) for cell in row] for row in rows)]

    def _canvas(self):
        """Canvas's gradebook: the columns that its import asks for, and one assignment."""
        column = self.policy.get("column") or self.bundle["title"]
        if self.people and self.people.platform == "canvas":
            header, *rows = self._filled(column)
            keep = [n for n, name in enumerate(header) if name.strip() in
                    ("Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Integration ID", "Root Account")
                    or _same_column(name, column)]  # fmt: skip
            return [[row[n] if n < len(row) else "" for n in keep] for row in [header, *rows]]
        rows = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", column],
                ["    Points Possible", "", "", "", "", author.POINTS]]  # fmt: skip
        for student in self._graded():
            handed, person = self.found.get(student), self.matched.get(student) or self.absent.get(student) or {}
            user = handed.user if handed else person.get("user", "")
            rows.append([safe(self.name(student)), safe(user), safe(person.get("number", "")),
                         safe(person.get("login", "")), "", number(self.final(student)["score"])])  # fmt: skip
        return rows

    def _moodle(self):
        """Moodle's grading worksheet; it must have the three columns Identifier, Grade and Last modified (grade)."""
        if self.people and self.people.platform == "moodle":
            return self._filled("Grade", lambda result: {"Feedback comments": " ".join(result["comments"])})
        rows = [["Identifier", "Full name", "Grade", "Maximum Grade", "Last modified (grade)", "Feedback comments"]]
        for student in self._graded():
            handed, result = self.found.get(student), self.final(student)
            if handed and handed.user:
                rows.append([f"Participant {handed.user}", safe(self.name(student)), number(result["score"]),
                             author.POINTS, "-", safe(" ".join(result["comments"]))])  # fmt: skip
        return rows

    def _blackboard(self):
        """Blackboard's grade centre knows a student by the username and a column by its whole heading."""
        column = self.policy.get("column") or self.bundle["title"]
        if self.people and self.people.platform == "blackboard":
            return self._filled(column)
        rows = [["Username", column]]
        for student in self._graded():
            handed, person = self.found.get(student), self.matched.get(student) or self.absent.get(student) or {}
            login = (handed.login if handed else "") or person.get("login", "")
            rows.append([safe(login or student), number(self.final(student)["score"])])
        return rows

    def _graded(self):
        return [student for student in self.everyone() if self.final(student)["score"] is not None]

    def _zip(self):
        """Every page under the name by which its platform finds the student; a plain zip where none takes one back."""
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as pages:
            for student in sorted({*self.results, *self.groups}):
                handed = self.found.get(student)
                text = report.feedback(self.bundle, student, self.final(student), self.name(student))
                name = page_name(student)
                if handed is not None and handed.platform == "moodle":
                    top = PurePosixPath(handed.file).parts[0]
                    name = top[: top.index("_assignsubmission_")] + "_assignsubmission_file_/feedback.html"
                elif handed is not None and handed.platform == "canvas" and handed.order[0]:
                    name = PurePosixPath(handed.file.split("/")[0]).stem + ".html"  # its numbers name the attachment
                info = zipfile.ZipInfo(unicodedata.normalize("NFC", name), (1980, 1, 1, 0, 0, 0))
                pages.writestr(info, text.encode("utf-8", "replace"), zipfile.ZIP_DEFLATED)
        write(self.folder / "feedback.zip", data.getvalue())


def _same_column(name, column):
    """Whether a heading is the column, but for what platforms add: ` (4711)`, ` [Total Pts: …] |4711`."""
    short = re.sub(r"\s*(\(\d+\)|\[Total Pts:.*)\s*$", "", name.strip())
    return column.strip() in (name.strip(), short)
