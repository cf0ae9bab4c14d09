"""Write what is known of a class, at the end of a run and all of it together.

A run that is interrupted, or finds no room, changes nothing. If a run is killed while it puts files in place, the next
one goes on with that.
"""

import errno
import json
from dataclasses import asdict
from functools import partial
from pathlib import Path

from . import (
    clean,
    exports,
    first_round,
    hidden_tests,
    history,
    items,
    lists,
    marking,
    oral,
    policy,
    report,
    similar,
    together,
)
from .author import POINTS

LONGEST = 8000  # characters of the remarks in the table; all are on the student's page
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
EVERYWHERE = ("grades.csv", "hidden.csv", "feedback.zip")  # what every class has, whatever its platform


def earlier(path):
    """Return where a table of an earlier run is kept, so that nobody takes it for a new one."""
    return path.with_name(f"{path.stem}.of-an-earlier-run{path.suffix}")


class GradeFiles:
    """The files of a `gradebook.Grades`, and what became of them.

    Whatever goes wrong while something is written for one student costs that student only, and is named in `errors`.
    """

    def __init__(self, grades, site=""):
        self.grades = grades
        self.folder = grades.folder
        self.site = site  # where the book is published, if it is
        self.errors: list = []
        self.set_aside: dict = {}  # {table of an earlier run that this one could not write: its name now}
        self.written = False  # whether the files are those of this run
        self.lacks_students = False  # whether the old files were kept because new ones would lack students
        self.no_room = False  # whether there was no room for something

    def attempt(self, what, task, *arguments):
        """Run a task and return its value; an error is recorded and costs only what the task was for."""
        try:
            return task(*arguments)
        except OSError as error:
            where = clean.line(Path(error.filename).name if error.filename else what)
            self.errors.append(f"{where} could not be written: {error.strerror}.")
            self.no_room = self.no_room or error.errno in NO_ROOM
        except Exception as error:
            self.errors.append(f"{clean.line(what)} could not be written: {type(error).__name__}: {error}")
        return None

    def store(self, path, result):
        """Store a result for the next run."""
        self.attempt(path.name, lambda: clean.write(path, json.dumps(asdict(result)).encode()))

    def finish(self):
        """Write all files; return whether they are those of this run.

        They are not if the run was interrupted before it came to a student whom the last one had graded, or if there
        was no room for them. Then nothing that is there changes.
        """
        together.discard(self.folder)  # what a run that was killed left
        self.lacks_students = any(map(self._was_graded, self.grades.not_graded_yet()))
        if self.lacks_students:
            return False
        try:
            self._stage()
            if not self.no_room:
                with together.deferred_signals():  # a signal in between must not leave `written` wrong
                    self.attempt("the files", self._put_in_place)
        finally:
            together.discard(self.folder)
        return self.written

    def _was_graded(self, student):
        """Return whether the last run had a grade of a student."""
        known = self.grades.last_run.students
        return student in known and known[student].score is not None

    def _stage(self):
        """Write every file into the staging folder; the report comes last, since it names all errors."""
        staged = [name for name, content in self._of_students() if self._stage_file(name, content)]
        self.set_aside = self._stale(staged)  # the report names them
        for name, content in self._of_the_class():
            self._stage_file(name, content)

    def _stage_file(self, name, content):
        """Write a file into the staging folder, as `_stage_content` does; an error is recorded instead of raised."""
        return self.attempt(name, self._stage_content, name, content)

    def _stage_content(self, name, content):
        """Write a file into the staging folder; return False if there is nothing to write."""
        data = content()
        if data is None:
            return False
        together.write(self.folder, name, data)
        return True

    def _of_students(self):
        """Yield (name, function that returns the bytes) of each file that students and platforms get."""
        yield "grades.csv", lambda: clean.table(self._table())
        yield "hidden.csv", lambda: clean.table(hidden_tests.table(self.grades))
        for student in self.grades.with_results():
            yield self._place(student), partial(self.page, student)
        for platform, make_rows in exports.TABLES.items():
            if platform in self.grades.classlist.platforms() and len(self.grades.column.places) < 2:
                yield exports.table_name(platform), partial(self._export, make_rows)
        yield "feedback.zip", lambda: exports.pages(self.grades, self._page_or_none)

    def _of_the_class(self):
        """Yield (name, function that returns the bytes) of each file for the instructor and for the next run."""
        if "resubmission" in self.grades.policy:
            yield first_round.FIRST, lambda: first_round.as_json(self.grades)
        yield marking.PAGE, self._marking
        yield oral.PAGE, self._oral
        yield history.LAST, lambda: history.last_as_json(self.grades)
        yield report.FOR_THE_CLASS, self._for_the_class
        yield "report.html", self._report

    def _stale(self, staged):
        """Return {name: the name it gets} of each table of an earlier run that this one could not write."""
        tables = [*EVERYWHERE, *map(exports.table_name, filter(None, self.grades.classlist.platforms()))]
        stale = [self.folder / name for name in tables if name not in staged]
        return {path.name: earlier(path).name for path in stale if path.is_file()}

    def _put_in_place(self):
        """Put new files in the place of old ones, and remove the files of students and platforms that are gone."""
        classlist = self.grades.classlist
        before = [f"feedback/{name}" for name in self.grades.last_run.pages]
        now = {self._place(student) for student in (*classlist.submissions, *self.grades.with_results())}
        tables = [exports.table_name(platform) for platform in exports.TABLES if platform not in classlist.platforms()]
        old = [name for name in before if name not in now] + tables
        together.commit(self.folder, self.set_aside, old)
        self.written = True
        together.complete(self.folder)

    def _place(self, student):
        """Return where a student's page is, below the folder."""
        return f"feedback/{self.grades.classlist.page_names[student]}"

    def _export(self, make_rows):
        """Return the bytes of the table whose rows `make_rows(grades)` returns."""
        return clean.table(make_rows(self.grades))

    def _table(self):
        """Return the rows of the table of grades; a student whose row fails has none."""
        rows = [self.attempt(f"the row of {student}", self._row, student) for student in self.grades.everyone()]
        return [self._header(), *filter(None, rows)]

    def _header(self):
        """Return the headings of the table of grades."""
        names = [question.name for question in self.grades.assignment.questions]
        texts = ["days late", "python", "slips", "comments", "remarks"]
        rounds = ["first round", "second round"] if "resubmission" in self.grades.policy else []
        return ["student", "name", "score", "out of", *names, *texts, *rounds]

    def _row(self, student):
        """Return the row of a student, below `_header`."""
        grades, result, final = self.grades, self.grades.result(student), self.grades.final(student)
        score = clean.cell(grades.kept_cells.get(student, clean.number(final.score)))
        who = [clean.cell(student), clean.cell(grades.classlist.name(student)), score, POINTS]
        graded = final.score is not None
        parts = [clean.number(final.parts[q.name] if graded else None) for q in grades.assignment.questions]
        slips = "; ".join(f"{found.question}: {', '.join(found.slips)}" for found in final.slips)
        texts = [result.python, slips, " ".join(final.comments), " ".join(result.remarks)[:LONGEST]]
        rounds = map(clean.number, final.rounds or (None, None)) if "resubmission" in grades.policy else []
        return [*who, *parts, clean.number(final.late), *map(clean.cell, texts), *rounds]

    def page(self, student):
        """Return the bytes of a student's page."""
        grades = self.grades
        text = report.feedback(
            grades.assignment,
            student,
            grades.result(student),
            grades.final(student),
            name=grades.classlist.name(student),
            hints=policy.shows_hints(grades.policy),
            site=self.site,
        )
        return text.encode("utf-8", "replace")

    def _page_or_none(self, student):
        """Return the bytes of a student's page, None where that fails."""
        return self.attempt(f"the page of {student}", self.page, student)

    def _marking(self):
        """Return the bytes of the page on which written answers are marked, None where nothing is to be marked."""
        grades = self.grades
        if not grades.written_marks.questions:
            return None
        page = marking.page(grades.assignment, self.folder, grades.answers(), grades.written_marks)
        return page.encode("utf-8", "replace")

    def _oral(self):
        """Return the bytes of the page of questions to ask aloud."""
        grades = self.grades
        names = {student: grades.classlist.name(student) or student for student in grades.with_results()}
        students = []
        for student, name in sorted(names.items(), key=lambda entry: entry[1].casefold()):
            result = grades.result(student)
            students.append((student, name, result, grades.login_of_numbers(student, result)))
        return oral.page(grades.assignment, students).encode("utf-8", "replace")

    def _for_the_class(self):
        """Return the bytes of the page to show in class."""
        grades = self.grades
        text = report.page_without_names(
            grades.assignment,
            self._finals(),
            untried=lists.who_tried_nothing(grades),
            among=self._tried(),
            hints=policy.shows_hints(grades.policy),
            site=self.site,
        )
        return text.encode("utf-8", "replace")

    def _report(self):
        """Return the bytes of the instructor's report."""
        grades = self.grades
        listed = lists.all_of(grades, self)
        text = report.class_page(
            grades.assignment,
            grades.results,
            self._finals(),
            first={lists.FIRST: listed.pop(lists.FIRST)} if lists.FIRST in listed else {},
            lists=listed,
            alike=similar.compare(grades.assignment, similar.to_compare(grades)),
            untried=lists.who_tried_nothing(grades),
            among=self._tried(),
            pages=self._pages_beside(),
        )
        return text.encode("utf-8", "replace")

    def _finals(self):
        """Return {student: result with the instructor's decisions in it} of everyone."""
        return {student: self.grades.final(student) for student in self.grades.everyone()}

    def _tried(self):
        """Return {question: students who tried it}."""
        grades = self.grades
        return items.who_tried(
            grades.assignment, {student: grades.result(student) for student in grades.with_results()}
        )

    def _pages_beside(self):
        """Yield (file, text) of each page that is written beside the report."""
        yield report.FOR_THE_CLASS, "To show in class: distribution, tests and slips, without names"
        yield oral.PAGE, "Three questions to ask each student aloud"
        if self.grades.written_marks.questions:
            waiting = len(lists.to_mark(self.grades))
            done = "Written answers: all are marked"
            yield marking.PAGE, f"Mark the written answers: {waiting} to mark" if waiting else done
