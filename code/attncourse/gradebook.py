"""Put together what is known of a class: whose each result is, what the instructor decides, and what counts."""

import sys
from dataclasses import replace
from pathlib import Path

from . import cells, exports, first_round, history, marking, marks, policy
from .classlist import ClassList
from .model import Assignment, Result, login_of_numbers, plain_login
from .roster import Roster
from .submissions import Download

LOGINS = ("login", "email", "number", "user", "github")  # what a student may call a login; the first one decides
NOTHING = Result(None, remarks=["Nothing was handed in."])


class Grades:
    """The grades of one class: what counts for each student, with the instructor's decisions in it.

    `add` takes each result as it arrives, `note_handed` and `note_dependencies` what is known before; nothing else here
    changes. `classlist` says who is who. What the last run left is read from `folder`, where nothing is written: call
    `together.complete` before, since a killed run may have left files that are not in their place yet.
    """

    def __init__(
        self,
        assignment: Assignment,
        download: Download,
        folder: Path | str,
        decisions: dict | None = None,  # as `policy.read` returns them
        roster: Roster | None = None,
    ):
        self.assignment = assignment
        self.folder = Path(folder)
        self.classlist = ClassList(download, roster)
        self.policy = policy.with_students_resolved(
            policy.for_class(decisions or {}, self.folder.name), self.classlist.resolve
        )
        self.groups = self.classlist.groups(self.policy["groups"])  # {student: everyone in the same group}
        self.column = exports.column_of(roster, self.policy.get("column") or assignment.title)
        self.kept_cells = self._kept_cells()  # {student: cell}
        self.written_marks = marking.Marks(assignment, self.folder)  # what markers say of written answers
        last_run = history.read_last_run(self.folder)
        self.first_round = first_round.read(self.folder, last_run, self.policy)
        self.last_run = last_run or history.NO_RUN  # if it cannot be read, grades are compared with nothing
        self.results: dict = {}  # {student: Result}
        self.handed: dict = {}  # {student: a fingerprint of what was handed in}
        self.fingerprints: dict = {}  # {what else results depend on: a fingerprint of it}
        self._own_values: dict = {}  # {login: given values of an assignment with numbers of one's own}
        self._changes: dict | None = None  # what `changes` has found, until something new is known

    def _kept_cells(self):
        """Return {student: cell} of the platform's cells that are no grade and stay as they are, such as EX."""
        decisions = self.policy["students"]
        kept = {student: "EX" for student, decided in decisions.items() if decided.get("excused")}
        for student, cell in exports.current_cells(self.classlist, self.column).items():
            if cells.is_word(cell) and decisions.get(student, {}).get("excused") is not False:
                kept[student] = cell
        return kept

    def note_dependencies(self, fingerprints):
        """Take {what else results depend on: a fingerprint of it}."""
        self.fingerprints = fingerprints
        self._changes = None

    def note_handed(self, student, fingerprint):
        """Take a fingerprint of what a student handed in; it may not be graded yet."""
        self.handed[student] = fingerprint
        self._changes = None

    def add(self, student, result, handed=None):
        """Take a result, which replaces an earlier one; and a fingerprint of what was handed in, unless it is known.

        A result to which the policy cannot be applied counts as failed, and costs this student only.
        """
        # Most texts are the same for the whole class: interned, each is kept once.
        shared = [replace(mark, test=sys.intern(mark.test), why=sys.intern(mark.why)) for mark in result.marks]
        self.results[student] = replace(result, marks=shared)
        self.note_handed(student, self.handed.get(student, "") if handed is None else handed)
        try:
            self.final(student)  # only to see that it can be computed
        except Exception as error:
            self.results[student] = Result.failed(error)

    def with_results(self):
        """Return all students who have a result, their own or that of their group, sorted."""
        return sorted(s for s in {*self.classlist.submissions, *self.groups} if self.owner(s) in self.results)

    def everyone(self):
        """Return all students, with those who handed in nothing, sorted."""
        return sorted({*self.with_results(), *self.classlist.absent})

    def not_graded_yet(self):
        """Return the students who handed in and have no result yet, because the run was interrupted."""
        return sorted({*self.classlist.submissions} - {*self.with_results()})

    def group(self, student):
        """Return the members of a student's group, with the student; a student alone is a group of one."""
        return self.groups.get(student, [student])

    def owner(self, student):
        """Return the member of a student's group whose submission counts for the student.

        That submission leaves the student most points after all decisions, its own lateness deducted.
        """
        there = [member for member in self.group(student) if member in self.results]
        if len(there) < 2:
            return next(iter(there), student)
        return max(there, key=lambda member: self._final_if(student, member).score or 0)

    def represents_group(self, student):
        """Return whether a student stands for a whole group where each group is to appear once."""
        return self.owner(self.group(student)[0]) == student

    def result(self, student):
        """Return the result of a student's group, or of the student."""
        return self.results.get(self.owner(student)) or NOTHING

    def final(self, student):
        """Return the result of a student with the instructor's decisions in it."""
        final = self._final_if(student, self.owner(student))
        if student in self.kept_cells:
            comment = f"Not graded: {self.kept_cells[student]}."
            return replace(final, score=None, comments=[*final.comments, comment])
        return final

    def _final_if(self, student, owner):
        """Return the result of a student if the submission of `owner`, a member of the group, counts."""
        submission = self.classlist.submissions.get(owner)
        work = policy.Work(
            student,
            self.results.get(owner) or NOTHING,
            submission,
            owner,
            student_handed_in=student in self.results,
            days_late_said=self.classlist.days_late_by_worksheet(owner) if submission else None,
            first_round=first_round.of_resubmitted(self, student, owner),
            verdicts=self.written_marks.verdicts(self.in_words(owner)),
        )
        return policy.apply(self.policy, self.assignment, work)

    def changes(self):
        """Return what changed since the last run, as `history.changes` does, which looks at every student only once."""
        if self._changes is None:
            self._changes = history.changes(self)
        return self._changes

    def is_withheld(self, student):
        """Return whether a student has no points for what is certain, and may have handed in what is claimed.

        A zero would then be wrong. A student with points keeps them, whatever somebody else calls a file.
        """
        if self.final(student).score != 0:
            return False
        return any(self.classlist.possible_submissions(member) for member in self.group(student))

    def is_exported(self, student):
        """Return whether a table for a platform may name the student: it is certain who this is, and what counts."""
        return not self.is_withheld(student) and not self.classlist.is_uncertain(student)

    def logins(self, student):
        """Return the logins that the roster has of the members of a student's group.

        They decide which numbers are the student's own; for an assignment without such numbers, the list is empty.
        """
        people = map(self.classlist.roster_entry, self.group(student)) if self.assignment.personal else []
        logins = [plain_login(person[kind]) for person in people for kind in LOGINS if person.get(kind)]
        return list(dict.fromkeys(filter(None, logins)))

    def login_of_numbers(self, student, result):
        """Return the login whose numbers a student's work, with this result, was marked with."""
        return login_of_numbers(result.login, self.logins(student))

    def answers(self):
        """Return (question, text) for every written answer that the rubric of an exercise is for."""
        read = [self.in_words(student) for student in sorted(self.results)]
        return [(question, text) for words in read for question, text in words.items() if text]

    def in_words(self, student):
        """Return {question: an answer in words, as a marker reads it} of a student who handed in."""
        result = self.results.get(student) or NOTHING
        if not (result.written and self.assignment.personal):
            return result.written or {}
        login = self.login_of_numbers(student, result)
        if login not in self._own_values:
            self._own_values[login] = marks.data(self.assignment.for_login(login))
        return marking.text_for_markers(self.assignment, result.written, self._own_values[login])
