"""Write grades: a table that grows while a class is graded, then what each platform takes, pages and a class report."""

import json
import sys
from pathlib import Path

from . import author, exports, policy, reading, report, roster, similar
from .tables import number, page_name, safe, table, write

WRITTEN = ".written"  # names of the pages that an earlier run wrote: no other file is ever removed


def _sharing_texts(mark):
    """Return a mark whose texts are held once: most of them are the same for the whole class."""
    return {key: sys.intern(value) if type(value) is str else value for key, value in mark.items()}


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
        """Return the student that a name means, as it stands in the table; names that mean nobody are kept and told."""
        if name in self.found or name in self.absent:
            return name
        plain = roster.normalized(name)
        fits = [
            s for s, h in self.found.items() if plain in {roster.normalized(x) for x in (s, h.user, h.login, h.name)}
        ]
        for student, person in [*self.matched.items(), *self.absent.items()]:
            if plain in roster.called(person) | roster.names(person) and student not in fits:
                fits.append(student)
        if len(fits) != 1:
            self.unknown.append(name)
            return name
        return fits[0]

    def who(self, name):
        """Find the student that a name means; a name that means nobody is an error."""
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
        """Return a student's name, from the roster or the file."""
        person = self.matched.get(student) or self.absent.get(student) or {}
        handed = self.found.get(student)
        return person.get("name") or (handed.name if handed else "") or ""

    def final(self, student):
        """Return the result of a student with the instructor's decisions in it."""
        result = self.results.get(self.groups.get(student, student))
        if result is None:
            result = {"score": None, "marks": [], "remarks": ["Nothing was handed in."]}
        owner = self.groups.get(student, student)
        return policy.apply(self.policy, self.bundle, student, result, self.found.get(owner), owner)

    def add(self, student, result):
        """Take a result, and write its row and its pages."""
        self.results[student] = result | {"marks": [*map(_sharing_texts, result["marks"])]}
        members = [student, *(other for other, first in self.groups.items() if first == student)]
        for member in members:
            self._try(self._row_now, member)
            self._try(self._page, member)

    def store(self, path, result):
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
        """Return all students, with those who handed in nothing, sorted."""
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
            rows = exports.TABLES[platform](self)
            self._try(write, self.folder / f"{platform}.csv", table(rows))
        self._try(write, self.folder / "feedback.zip", exports.pages(self))
        text = report.class_page(self.bundle, self._finals(), self.lists(), self._alike(), sorted(self.results))
        self._try(write, self.folder / "report.html", text.encode("utf-8", "replace"))

    def _finals(self):
        return {student: self.final(student) for student in self.everyone()}

    def lists(self):
        """List what an instructor must know beside the grades: {title: lines}."""
        zeros = [f"{student}: {result['file']}" for student, result in sorted(self.results.items()) if "file" in result]
        slow = [student for student, result in sorted(self.results.items()) if result.get("slow")]
        failed = [f"{s}: {' '.join(r['remarks'])}" for s, r in sorted(self.results.items()) if r["score"] is None]
        late = [f"{s}: {d:g}" for s, d in ((s, self.final(s)["late"]) for s in sorted(self.results)) if d]
        parts = {s: self.final(s)["parts"] for s in sorted(self.results)}
        waiting = [f"{s}: {name}" for s, points in parts.items() for name in points if points[name] is None]
        lists = {
            "No points because of the file, not because of an answer": zeros,
            "A time limit was reached, also when tried alone": slow,
            "Could not be graded": failed,
            "Written answers that are not graded yet, without points so far": waiting,
            "On the roster, and nothing handed in": [
                f"{s}{f' ({self.name(s)})' * (self.name(s) != s)}" for s in sorted(self.absent) if s not in self.groups
            ],
            "Not found on the roster": [f"{student} {why}" for student, why in sorted(self.strangers.items())],
            "Named in the policy, and not found": sorted(set(self.unknown)),
            "Late, in days": late,
            "Before you import": [*filter(None, [exports.new_column(self)])],
            "Files set aside": [f"{name}: {why}" for name, why in self.aside],
            "Could not be written": self.trouble,
        }
        return {title: lines for title, lines in lists.items() if lines}

    def _alike(self):
        texts = {}  # and not the notebooks: a class of them may not fit into memory
        for student in self.results:
            try:
                data = self.found[student].read()
                cells = reading.notebook(data)[0] if isinstance(data, bytes) else []
            except reading.NotGradable:
                cells = []
            texts[student] = similar.answers(self.bundle, cells)
        return similar.compare(self.bundle, texts)
