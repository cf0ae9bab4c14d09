"""Put together what is known of a class: whose each result is, what the instructor decides, and what changed.

`finish` writes all of it at the end of a run, as `together` does: a run that is interrupted, or finds no room, leaves
what was there, and one that is killed while files are put in place leaves that to the next.
"""

import errno
import json
import sys
from collections import defaultdict
from dataclasses import asdict, replace
from pathlib import Path

from . import (
    clean,
    exports,
    history,
    items,
    lists,
    marking,
    marks,
    oral,
    policy,
    report,
    roster,
    similar,
    together,
    whose,
)
from .author import POINTS
from .model import CourseError, Result, plain_login

LONGEST = 8000  # characters of the remarks in the table; all are on the student's page
LOGINS = ("login", "email", "number", "user", "github")  # what a student may call a login; the first one decides
NOTHING = Result(None, remarks=["Nothing was handed in."])
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


def earlier(path):
    """Return where a table of an earlier run is kept, so that nobody takes it for a new one."""
    return path.with_name(f"{path.stem}.of-an-earlier-run{path.suffix}")


class Grades:
    """The grades of one class; `finish` writes them below `folder`, where only what a killed run left is done before.

    Whatever goes wrong while something is written for one student costs that student only, and is named in `errors`.
    """

    def __init__(self, assignment, download, folder, decisions=None, people=None, site=""):
        self.assignment, self.folder, self.people = assignment, Path(folder), people
        self.site = site  # where the book is published, if it is
        self.submissions, self.platform = dict(download.submissions), download.platform
        self.claims, self.helped, self.unused = list(download.claims), list(download.helped), list(download.unused)
        self.errors: list = []
        self.matching = whose.match(people, self.submissions) if people else whose.Matching()
        self.matched, self.unmatched = self.matching.matched, self.matching.unmatched
        self.claims += self.matching.claims
        self.absent = self._absent()
        self.unknown: list = []  # names in the policy that mean nobody here
        self.ambiguous: dict = {}  # and those that mean several: {name: students}
        self.policy = policy.renamed(policy.of_class(decisions or {}, self.folder.name), self._resolve)
        self.groups = self._groups()
        self.column, self.places = self._column()
        self.kept = self._kept()
        members = [member for group in self.groups.values() for member in group]
        self.pages = clean.page_names(sorted({*self.submissions, *members, *self.absent}))
        self.tests = {
            (question.name, test.name): f"{question.name}: {test.name}"
            for question in assignment.questions
            for test in question.hidden
        }
        self.results: dict = {}
        self.handed: dict = {}  # student: a fingerprint of what was handed in
        self.about: dict = {}  # what else results depend on: a fingerprint of each, by its name
        self.marks = marking.Marks(assignment, self.folder)
        together.complete(self.folder)
        self.before = history.last(self.folder)
        self.first = history.first_round(self.folder, self.before, self.policy)
        self.own_values: dict = {}  # {login: given values of an assignment with numbers of one's own}
        self.written = False  # whether the files are those of this run
        self.lacking = False  # whether they are not because the new ones would lack students
        self.aside: dict = {}  # {table of an earlier run that this one could not write: how it is called now}
        self.full = False  # whether there was no room for something

    def _absent(self):
        """Return {label: person} of those on the roster who handed in nothing, under a label that nobody else has."""
        absent: dict = {}
        for person in self.matching.absent:
            label = clean.line(roster.label(person))
            while label in self.submissions or label in absent:
                label += f" (line {person['rows'][0] + 2} of the roster)"
            absent[label] = person
        return absent

    def _groups(self):
        """Return {student: everyone with whom that one handed in, in the order in which the instructor names them}."""
        teams = defaultdict(list)
        for student, handed in self.submissions.items():
            if handed.team:
                teams[handed.team].append(student)
        groups: dict = {}
        known = {*self.submissions, *self.absent}
        named = [[member for member in group if member in known] for group in self.policy["groups"]]
        for group in [*named, *teams.values()]:
            joined = list(dict.fromkeys([*group, *(other for member in group for other in groups.get(member, []))]))
            if len(joined) > 1 and any(member in self.submissions for member in joined):
                groups |= dict.fromkeys(joined, joined)
        return groups

    def _column(self):
        """Return the name of the platform's column for the grades, and where in its table columns of that name are."""
        names = self.policy.get("column") or self.assignment.title
        names = [names] if isinstance(names, str) else names
        if not self.people or not self.people.platform:
            return names[0], []
        places = exports.places(self.people, names)
        if self.people.platform == "Moodle" or not places:
            return names[0], places
        return next(name for name in names if exports.places(self.people, [name])), places

    def _kept(self):
        """Return {student: cell} of the platform's cells that are no grade and stay as they are, such as EX."""
        decided = self.policy.get("students", {})
        kept = {}
        for student, cell in exports.standing(self).items():
            word = cell and not exports.is_nothing(cell) and not exports.numbers(cell)
            if word and decided.get(student, {}).get("excused") is not False:
                kept[student] = cell
        excused = [student for student, about in decided.items() if about.get("excused")]
        return dict.fromkeys(excused, "EX") | kept

    def _resolve(self, name):
        """Return the student in the table whom the policy means; a name that fits nobody, or several, is reported."""
        fits = self._meant(name)
        if len(fits) == 1:
            return fits[0]
        if fits:
            self.ambiguous[name] = fits
        else:
            self.unknown.append(name)
        return name

    def _meant(self, name):
        """Return the students whom a name can mean."""
        if name in self.submissions or name in self.absent:
            return [name]
        return self._fitting(roster.normalized(name))

    def _fitting(self, plain):
        """Return the students of whom a normalized text is an identifier, else those whose name it is.

        A student may choose the identifier of another one as a name.
        """
        named: list = []
        fits: list = []
        for student, handed in self.submissions.items():
            if plain in map(roster.normalized, (student, handed.user, handed.login)):
                fits.append(student)
            elif handed.name and plain == roster.normalized(handed.name):
                named.append(student)
        for student, person in [*self.matched.items(), *self.absent.items()]:
            if plain in roster.called(person):
                fits.append(student)
            elif plain in roster.names(person):
                named.append(student)
        return list(dict.fromkeys(fits or named))

    def student(self, name):
        """Return the student whom a name means; CourseError if there is no submission."""
        fits = [student for student in self._meant(name) if student in self.submissions]
        if len(fits) > 1:
            raise CourseError(f"{name!r} can be {', '.join(fits)}: name one of them.")
        if not fits:
            raise CourseError(f"There is no submission of {name!r}.")
        return fits[0]

    def attempt(self, what, task, *arguments):
        """Run a task and return its value; an error is recorded and costs only what the task was for."""
        try:
            return task(*arguments)
        except OSError as error:
            where = clean.line(Path(error.filename).name if error.filename else what)
            self.errors.append(f"{where} could not be written: {error.strerror}.")
            self.full = self.full or error.errno in NO_ROOM
        except Exception as error:
            self.errors.append(f"{clean.line(what)} could not be written: {type(error).__name__}: {error}")
        return None

    def to_grade(self):
        """Return {student: Submission}, of each team one: the others have the same files."""
        seen, own = set(), {}
        for student, handed in self.submissions.items():
            if not handed.team or handed.team not in seen:
                own[student] = handed
            seen.add(handed.team)
        return own

    def claimed(self, student):
        """Return whether it is uncertain who this is, so that no table for a platform may name the student.

        Whose name fits several lines of a roster, or is that of another one too, still has the platform's own number.
        """
        if self.withheld(student):
            return True
        handed = self.submissions.get(student)
        if handed is None:
            return False
        if handed.claim:
            return True
        if student not in self.unmatched:
            return False
        return not (student in self.matching.contested and whose.numbered(self.people, handed))

    def perhaps(self, student):
        """Return the submissions that are claimed and may be a student's."""
        handed, person = self.submissions.get(student), self.person(student)
        own = {handed.identity} if handed else set()
        own |= {person.get(kind) for kind in roster.IDS} - {None, ""}
        own = {*map(str.casefold, own)}
        return [name for name, other in self.submissions.items() if own & {*map(str.casefold, other.maybe)}]

    def withheld(self, student):
        """Return whether a student has no points for what is certain, and may have handed in what is claimed.

        A zero would then be wrong. Who has points keeps them: what another one calls a file takes none away.
        """
        group = self.groups.get(student, [student])
        return self.final(student).score == 0 and any(map(self.perhaps, group))

    def name(self, student):
        """Return a student's name, from the roster or the platform."""
        person, handed = self.person(student), self.submissions.get(student)
        return person.get("name") or (handed.name if handed else "") or ""

    def person(self, student):
        """Return the line of the roster that is a student's, {} without one."""
        return self.matched.get(student) or self.absent.get(student) or {}

    def logins(self, student):
        """Return the logins that the roster has of a student and of those with whom that one handed in.

        They decide what numbers of one's own are, and where an assignment has none, there are none here.
        """
        people = map(self.person, self.groups.get(student, [student])) if self.assignment.personal else []
        said = [plain_login(person[kind]) for person in people for kind in LOGINS if person.get(kind)]
        return list(dict.fromkeys(filter(None, said)))

    def owner(self, student):
        """Return the member of a student's group whose submission counts for the student.

        It is the one that leaves the student most points after all decisions, its own lateness deducted.
        """
        there = [member for member in self.groups.get(student, [student]) if member in self.results]
        if len(there) < 2:
            return next(iter(there), student)
        return max(there, key=lambda member: self._if_counts(student, member).score or 0)

    def speaks(self, student):
        """Return whether a student stands for a whole group where each group is to appear once."""
        first = self.groups.get(student, [student])[0]
        return self.owner(first) == student

    def result(self, student):
        """Return the result of a student's group, or of the student."""
        return self.results.get(self.owner(student)) or NOTHING

    def final(self, student):
        """Return the result of a student with the instructor's decisions in it."""
        final = self._if_counts(student, self.owner(student))
        if student in self.kept:
            return replace(final, score=None, comments=[*final.comments, f"Not graded: {self.kept[student]}."])
        return final

    def _if_counts(self, student, owner):
        """Return the result of a student if the submission of `owner`, a member of the group, counts."""
        handed = self.submissions.get(owner)
        said = self.said_late(owner) if handed else None
        result = self.results.get(owner) or NOTHING
        own, first = student in self.results, history.again(self, student, owner)
        about = handed, owner, said, own, first, self.marks.verdicts(self.in_words(owner))
        return policy.apply(self.policy, self.assignment, student, result, *about)

    def said_late(self, student):
        """Return how many days late Moodle's worksheet says that a student was, None where it does not say."""
        return roster.days_late(roster.status(self.people, self.person(student))) if self.people else None

    def add(self, student, result):
        """Take a result."""
        shared = [replace(mark, test=sys.intern(mark.test), why=sys.intern(mark.why)) for mark in result.marks]
        self.results[student] = replace(result, marks=shared)  # most texts are the same for the whole class
        try:
            self.final(student)
        except Exception as error:
            self.results[student] = Result.failed(error)

    def store(self, path, result):
        """Store a result for the next run."""
        self.attempt(path.name, lambda: clean.write(path, json.dumps(asdict(result)).encode()))

    def with_results(self):
        """Return all students who have a result, their own or that of their group, sorted."""
        members = [member for group in self.groups.values() for member in group]
        return sorted(s for s in {*self.submissions, *members} if self.owner(s) in self.results)

    def everyone(self):
        """Return all students, with those who handed in nothing, sorted."""
        return sorted({*self.with_results(), *self.absent})

    def left(self):
        """Return the students who handed in and have no result yet, because the run was interrupted."""
        return sorted({*self.submissions} - {*self.with_results()})

    def finish(self):
        """Write all files; return whether they are those of this run.

        They are not if the run was interrupted before it came to a student whom the last one had graded, or if there
        was no room for them. Then nothing that is there changes.
        """
        known = self.before["students"]
        together.discard(self.folder)  # what a run that was killed left
        self.lacking = any(student in known and known[student]["score"] is not None for student in self.left())
        if self.lacking:
            return False
        try:
            written = self._stage()
            if not self.full:
                with together.deferred():  # so that `written` says whose the files are
                    self.attempt("the files", self._put_in_place, written)
        finally:
            together.discard(self.folder)
        return self.written

    def _stage(self):
        """Write every file, not yet in its place, and return their names; the report comes last, with all errors."""
        written: list = []

        def write(name, make):
            def task():
                data = make()
                if data is not None:
                    together.write(self.folder, name, data)
                    written.append(name)

            self.attempt(name, task)

        students = self.everyone()
        rows = [row for student in students if (row := self.attempt(f"the row of {student}", self._row, student))]
        write("grades.csv", lambda: clean.table([self._header(), *rows]))
        write("hidden.csv", lambda: clean.table(lists.hidden(self)))
        for student in self.with_results():
            write(f"feedback/{self.pages[student]}", lambda student=student: self.page(student))
        for platform, rows_of in exports.TABLES.items():
            if platform in self._platforms() and len(self.places) < 2:
                write(f"{platform.lower()}.csv", lambda rows_of=rows_of: clean.table(rows_of(self)))
        write("feedback.zip", lambda: exports.pages(self))
        tables = ["grades.csv", "hidden.csv", "feedback.zip"]
        tables += [f"{title.lower()}.csv" for title in self._platforms() if title]
        stale = [self.folder / name for name in tables if name not in written]
        self.aside = {path.name: earlier(path).name for path in stale if path.is_file()}
        if "resubmission" in self.policy:
            write(history.FIRST, lambda: json.dumps(history.of_first_round(self)).encode())
        write(marking.PAGE, self._marking)
        write(oral.PAGE, self._oral)
        write(history.LAST, lambda: json.dumps(history.of_this_run(self)).encode())
        write(report.FOR_THE_CLASS, self._for_the_class)
        write("report.html", self._report)
        return written

    def _platforms(self):
        """Return the platforms that take grades of this class back."""
        return {self.platform, self.people.platform if self.people else ""}

    def _put_in_place(self, written):
        """Put new files in the place of old ones, and remove what no student and no platform has any more."""
        pages = [f"feedback/{name}" for name in self.before["pages"]]
        mine = {f"feedback/{self.pages[student]}" for student in (*self.submissions, *self.with_results())}
        tables = [f"{title.lower()}.csv" for title in exports.TABLES if title not in self._platforms()]
        old = [name for name in pages if name not in mine] + tables
        together.commit(self.folder, self.aside, old)
        self.written = True
        together.complete(self.folder)

    def _header(self):
        names = [question.name for question in self.assignment.questions]
        rounds = ["first round", "second round"] if "resubmission" in self.policy else []
        about = ["days late", "python", "slips", "comments", "remarks"]
        return ["student", "name", "score", "out of", *names, *about, *rounds]

    def _row(self, student):
        result, final = self.result(student), self.final(student)
        graded = final.score is not None
        parts = [clean.number(final.parts[q.name] if graded else None) for q in self.assignment.questions]
        slips = "; ".join(f"{found.question}: {', '.join(found.slips)}" for found in final.slips)
        texts = [result.python, slips, " ".join(final.comments), " ".join(result.remarks)[:LONGEST]]
        score = clean.cell(self.kept.get(student, clean.number(final.score)))
        about = [clean.cell(student), clean.cell(self.name(student)), score, POINTS]
        rounds = map(clean.number, final.rounds or (None, None)) if "resubmission" in self.policy else []
        return [*about, *parts, clean.number(final.late), *map(clean.cell, texts), *rounds]

    def page(self, student):
        """Return the bytes of a student's page."""
        result, final = self.result(student), self.final(student)
        about = self.name(student), policy.hints(self.policy), self.site
        return report.feedback(self.assignment, student, result, final, *about).encode("utf-8", "replace")

    def answers(self):
        """Return (question, text) for every written answer that the rubric of an exercise is for."""
        read = [self.in_words(student) for student in sorted(self.results)]
        return [(name, text) for words in read for name, text in words.items() if text]

    def in_words(self, student):
        """Return {question: an answer in words, as a marker reads it} of who handed in."""
        result = self.results.get(student) or NOTHING
        if not (result.written and self.assignment.personal):
            return result.written or {}
        login = self._numbers_of(student, result)
        if login not in self.own_values:
            self.own_values[login] = marks.data(self.assignment.of(login))
        return marking.as_read(self.assignment, result.written, self.own_values[login])

    def _marking(self):
        """Return the bytes of the page on which written answers are marked, None where nothing is to be marked."""
        if not self.marks.questions:
            return None
        return marking.page(self.assignment, self.folder, self.answers(), self.marks).encode("utf-8", "replace")

    def _oral(self):
        """Return the bytes of the page of questions to ask aloud."""
        students = sorted(self.with_results(), key=lambda student: (self.name(student) or student).casefold())
        blocks = [(s, self.name(s) or s, self.result(s), self._numbers_of(s, self.result(s))) for s in students]
        return oral.page(self.assignment, blocks).encode("utf-8", "replace")

    def _numbers_of(self, student, result):
        """Return the login whose numbers a student's work, with this result, was marked with."""
        logins, said = self.logins(student), plain_login(result.login)
        return said if said in logins or not logins else logins[0]

    def lists(self):
        """Return what an instructor must know beside the grades, {title: lines}; what is uncertain comes first."""
        return lists.all_of(self)

    def _pages_beside(self):
        """Return (file, text) of each page that is written beside the report."""
        yield report.FOR_THE_CLASS, "To show in class: distribution, tests and slips, without names"
        yield oral.PAGE, "Three questions to ask each student aloud"
        if self.marks.questions:
            left = len(lists.to_mark(self))
            yield (
                marking.PAGE,
                f"Mark the written answers: {left} to mark" if left else "Written answers: all are marked",
            )

    def _report(self):
        finals = {student: self.final(student) for student in self.everyone()}
        listed = self.lists()
        first = {lists.FIRST: listed.pop(lists.FIRST)} if lists.FIRST in listed else {}
        alike = similar.compare(self.assignment, {student: self.results[student] for student in lists.compared(self)})
        about = self.assignment, self.results, finals, first, listed, alike
        page = report.class_page(*about, lists.untried(self), self._among(), self._pages_beside())
        return page.encode("utf-8", "replace")

    def _among(self):
        """Return {question: students who tried it}."""
        return items.tried(self.assignment, {student: self.result(student) for student in self.with_results()})

    def _for_the_class(self):
        finals = {student: self.final(student) for student in self.everyone()}
        about = finals, lists.untried(self), self._among(), policy.hints(self.policy), self.site
        return report.without_names(self.assignment, *about).encode("utf-8", "replace")
