"""Write grades: a table that grows while a class is graded, then what each platform takes, pages and a class report."""

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

from . import clean, exports, policy, report, roster, similar
from .author import POINTS
from .examiner import NOT_GRADED
from .model import CourseError, Result

LONGEST = 8000  # characters of the remarks in the table; all are on the student's page
WRITTEN = ".written"  # names of the pages that an earlier run wrote: no other file is ever removed
FIRST = "Look at these first: who is whose is not certain"


class Grades:
    """The grades of one class, written below `folder` as they arrive.

    Whatever goes wrong while something is written for one student costs that student only, and is named in `errors`.
    """

    def __init__(self, assignment, download, folder, decisions=None, people=None):
        self.assignment, self.submissions, self.folder = assignment, dict(download.submissions), Path(folder)
        self.platform, self.people, self.unused, self.errors = download.platform, people, list(download.unused), []
        self.claims = list(download.claims)
        self.matched, self.unmatched, absent = {}, {}, []
        if people:
            self.matched, absent, self.unmatched, claims = roster.match(people, self.submissions)
            self.claims += claims
        self.absent = {}
        for person in absent:
            label = clean.line(roster.label(person))
            while label in self.submissions or label in self.absent:
                label += f" (line {person['row'] + 2} of the roster)"
            self.absent[label] = person
        self.unknown = []
        self.policy = policy.renamed(decisions or {}, self._resolve)
        members = {student: group for group in self.policy["groups"] for student in group}
        self.groups = {}  # student without a file: the member whose file counts
        for student, group in members.items():
            first = next((member for member in group if member in self.submissions), None)
            if student not in self.submissions and first is not None:
                self.groups[student] = first
        self.pages = clean.page_names(sorted({*self.submissions, *self.groups, *self.absent}))
        self.results, self.out = {}, None
        (self.folder / "feedback").mkdir(parents=True, exist_ok=True)
        self.old = self._old_pages()
        self.attempt("grades.csv", self._begin)

    def _resolve(self, name):
        """Return the student in the table whom a name means; a name that fits nobody, or several, is reported."""
        if name in self.submissions or name in self.absent:
            return name
        plain = roster.normalized(name)
        fits = []
        for student, handed in self.submissions.items():
            if plain in map(roster.normalized, (student, handed.user, handed.login, handed.name)):
                fits.append(student)
        for student, person in [*self.matched.items(), *self.absent.items()]:
            if plain in roster.called(person) | roster.names(person) and student not in fits:
                fits.append(student)
        if len(fits) != 1:
            self.unknown.append(name)
            return name
        return fits[0]

    def student(self, name):
        """Return the student whom a name means; CourseError if there is no submission."""
        student, known = self._resolve(name), len(self.unknown)
        if student not in self.submissions:
            del self.unknown[known - 1 :]
            raise CourseError(f"There is no submission of {name!r}.")
        return student

    def attempt(self, what, task, *arguments):
        """Run a task and return its value; an error is recorded and costs only what the task was for."""
        try:
            return task(*arguments)
        except OSError as error:
            self.errors.append(f"{clean.line(error.filename or what)} could not be written: {error.strerror}.")
        except Exception as error:
            self.errors.append(f"{clean.line(what)} could not be written: {type(error).__name__}: {error}")
        return None

    def _begin(self):
        self.out = (self.folder / "grades.csv").open("wb")
        self.out.write(clean.table([self._header()]))
        self.out.flush()

    def _header(self):
        names = [question.name for question in self.assignment.questions]
        return ["student", "name", "score", "out of", *names, "days late", "python", "comments", "remarks"]

    def _row(self, student):
        result, final = self.result(student), self.final(student)
        graded = final.score is not None
        parts = [clean.number(final.parts[q.name] if graded else None) for q in self.assignment.questions]
        texts = [result.python, " ".join(final.comments), " ".join(result.remarks)[:LONGEST]]
        return [clean.cell(student), clean.cell(self.name(student)), clean.number(final.score), POINTS, *parts,
                clean.number(final.late), *map(clean.cell, texts)]  # fmt: skip

    def name(self, student):
        """Return a student's name, from the roster or the platform."""
        person, handed = self.person(student), self.submissions.get(student)
        return person.get("name") or (handed.name if handed else "") or ""

    def person(self, student):
        """Return the line of the roster that is a student's, {} without one."""
        return self.matched.get(student) or self.absent.get(student) or {}

    def result(self, student):
        """Return the result of a student, or of the member of a group whose file counts."""
        return self.results.get(self.groups.get(student, student)) or Result(None, remarks=["Nothing was handed in."])

    def final(self, student):
        """Return the result of a student with the instructor's decisions in it."""
        owner = self.groups.get(student, student)
        handed = self.submissions.get(owner)
        return policy.apply(self.policy, self.assignment, student, self.result(student), handed, owner)

    def add(self, student, result):
        """Take a result, and write its row and its pages."""
        shared = [replace(mark, test=sys.intern(mark.test), why=sys.intern(mark.why)) for mark in result.marks]
        self.results[student] = replace(result, marks=shared)  # most texts are the same for the whole class
        try:
            self.final(student)
        except Exception as error:
            self.results[student] = Result(None, remarks=[NOT_GRADED], fault=f"{type(error).__name__}: {error}")
        for member in [student, *(other for other, first in self.groups.items() if first == student)]:
            self.attempt(f"the row of {member}", self._write_row, member)
            self.attempt(f"the page of {member}", self._page, member)

    def store(self, path, result):
        """Store a result for the next run."""
        self.attempt(path.name, lambda: clean.write(path, json.dumps(asdict(result)).encode()))

    def _write_row(self, student):
        if self.out is not None:
            self.out.write(clean.table([self._row(student)])[3:])
            self.out.flush()

    def page(self, student):
        """Return the bytes of a student's page."""
        result, final = self.result(student), self.final(student)
        return report.feedback(self.assignment, student, result, final, self.name(student)).encode("utf-8", "replace")

    def _page(self, student):
        clean.write(self.folder / "feedback" / self.pages[student], self.page(student))

    def _old_pages(self):
        try:
            return set(json.loads((self.folder / "feedback" / WRITTEN).read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return set()

    def everyone(self):
        """Return all students, with those who handed in nothing, sorted."""
        return sorted({*self.results, *self.groups, *self.absent})

    def finish(self):
        """Write the files that need the whole class, or what there is of it."""
        if self.out is not None:
            self.attempt("grades.csv", self.out.close)
            self.out = None
        students = self.everyone()
        rows = [row for student in students if (row := self.attempt(f"the row of {student}", self._row, student))]
        self._write("grades.csv", lambda: clean.table([self._header(), *rows]))
        self._write("hidden.csv", lambda: clean.table(self._hidden()))
        pages = {self.pages[student] for student in students if student not in self.absent or student in self.groups}
        for name in self.old - pages:
            path = self.folder / "feedback" / Path(name).name
            if path.is_file() and not path.is_symlink():
                self.attempt(path.name, path.unlink)
        self._write(f"feedback/{WRITTEN}", lambda: json.dumps(sorted(pages)).encode())
        wanted = {self.platform, self.people.platform if self.people else ""}
        for platform, rows_of in exports.TABLES.items():
            name = f"{platform.lower()}.csv"
            if platform in wanted:
                self._write(name, lambda rows_of=rows_of: clean.table(rows_of(self)))
            else:
                self.attempt(name, (self.folder / name).unlink, True)  # of an earlier run
        self._write("feedback.zip", lambda: exports.pages(self))
        self._write("report.html", self._report)

    def _write(self, name, make):
        self.attempt(name, lambda: clean.write(self.folder / name, make()))

    def _report(self):
        finals = {student: self.final(student) for student in self.everyone()}
        lists = self.lists()
        first = {FIRST: lists.pop(FIRST)} if FIRST in lists else {}
        alike = similar.compare(self.assignment, {student: result.tokens for student, result in self.results.items()})
        page = report.class_page(self.assignment, self.results, finals, first, lists, alike, sorted(self.results))
        return page.encode("utf-8", "replace")

    def _hidden(self):
        """Return a row for each hidden test that a student failed: why, for the instructor alone."""
        yield ["student", "question", "test", "points", "why"]
        for student in sorted(self.results):
            for mark in self.results[student].marks:
                if mark.hidden and not mark.passed:
                    yield [*map(clean.cell, (student, mark.question, mark.test)), mark.points, clean.cell(mark.why)]

    def lists(self):
        """Return what an instructor must know beside the grades, {title: lines}; what is uncertain comes first."""
        results = sorted(self.results.items())
        finals = {student: self.final(student) for student, _ in results}
        waiting = [
            f"{s}: {name}" for s, final in finals.items() for name, points in final.parts.items() if points is None
        ]
        lists = {
            FIRST: self.claims,
            "No points because of the file, not because of an answer": [
                f"{s}: {r.problem}" for s, r in results if r.problem
            ],
            "A time limit was reached": [student for student, result in results if result.slow],
            "Could not be graded": [f"{s}: {r.fault or ' '.join(r.remarks)}" for s, r in results if r.score is None],
            "Written answers that are not graded yet, without points so far": waiting,
            "On the roster, and nothing handed in": [
                f"{s}{f' ({self.name(s)})' * (self.name(s) not in (s, ''))}"
                for s in sorted(self.absent)
                if s not in self.groups
            ],
            "Not found on the roster": [f"{student} {why}" for student, why in sorted(self.unmatched.items())],
            "Named in the policy, and not found": sorted(set(self.unknown)),
            "Late, in days": [f"{s}: {self.final(s).late:g}" for s in [*finals, *self.groups] if self.final(s).late],
            "Before you import": [*exports.before_import(self)],
            "Files that were not graded": [f"{name}: {why}" for name, why in self.unused]
            + [f"{student}: {line}" for student, result in results for line in result.unused],
            "Could not be written": self.errors,
        }
        return {title: lines for title, lines in lists.items() if lines}
