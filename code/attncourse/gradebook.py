"""Put together what is known of a class: whose each result is, what the instructor decides, and what counts."""

import sys
from dataclasses import replace
from pathlib import Path

from . import exports, history, lists, marking, marks, policy, together
from .classlist import ClassList
from .gradefiles import GradeFiles
from .model import Result, plain_login

LOGINS = ("login", "email", "number", "user", "github")  # what a student may call a login; the first one decides
NOTHING = Result(None, remarks=["Nothing was handed in."])


class Grades:
    """The grades of one class: what counts for each student, with the instructor's decisions in it.

    `add` takes each result as it arrives, and `batch` notes in `handed` and `fingerprints` what it was made of; nothing
    else here changes. `classlist` says who is who, and `files` writes all of it below `folder`, where only what a
    killed run left is put in place before.
    """

    def __init__(self, assignment, download, folder, decisions=None, roster=None, site=""):
        self.assignment = assignment
        self.folder = Path(folder)
        self.classlist = ClassList(download, roster)
        self.policy = policy.renamed(policy.of_class(decisions or {}, self.folder.name), self.classlist.resolve)
        self.groups = self.classlist.groups(self.policy["groups"])  # {student: everyone in the same group}
        self.column = exports.column_of(roster, self.policy.get("column") or assignment.title)
        self.kept_cells = self._kept_cells()  # {student: cell}
        self.marks = marking.Marks(assignment, self.folder)  # what markers say of written answers
        together.complete(self.folder)
        self.last_run = history.last(self.folder)
        self.first_round = history.first_round(self.folder, self.last_run, self.policy)
        self.results: dict = {}  # {student: Result}
        self.handed: dict = {}  # {student: a fingerprint of what was handed in}
        self.fingerprints: dict = {}  # {what else results depend on: a fingerprint of it}
        self._own_values: dict = {}  # {login: given values of an assignment with numbers of one's own}
        self.files = GradeFiles(self, site)

    def _kept_cells(self):
        """Return {student: cell} of the platform's cells that are no grade and stay as they are, such as EX."""
        decisions = self.policy["students"]
        kept = {student: "EX" for student, decided in decisions.items() if decided.get("excused")}
        for student, cell in exports.standing(self.classlist, self.column).items():
            if exports.is_word(cell) and decisions.get(student, {}).get("excused") is not False:
                kept[student] = cell
        return kept

    def add(self, student, result):
        """Take a result."""
        shared = [replace(mark, test=sys.intern(mark.test), why=sys.intern(mark.why)) for mark in result.marks]
        self.results[student] = replace(result, marks=shared)  # most texts are the same for the whole class
        try:
            self.final(student)
        except Exception as error:
            self.results[student] = Result.failed(error)

    def finish(self):
        """Write all files; return whether they are those of this run."""
        return self.files.finish()

    def lists(self):
        """Return what an instructor must know beside the grades, {title: lines}; what is uncertain comes first."""
        return lists.all_of(self)

    def with_results(self):
        """Return all students who have a result, their own or that of their group, sorted."""
        return sorted(s for s in {*self.classlist.submissions, *self.groups} if self.owner(s) in self.results)

    def everyone(self):
        """Return all students, with those who handed in nothing, sorted."""
        return sorted({*self.with_results(), *self.classlist.absent})

    def left(self):
        """Return the students who handed in and have no result yet, because the run was interrupted."""
        return sorted({*self.classlist.submissions} - {*self.with_results()})

    def group(self, student):
        """Return everyone with whom a student handed in, with the student; who is alone is a group of one."""
        return self.groups.get(student, [student])

    def owner(self, student):
        """Return the member of a student's group whose submission counts for the student.

        It is the one that leaves the student most points after all decisions, its own lateness deducted.
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
        handed = self.classlist.submissions.get(owner)
        return policy.apply(
            self.policy,
            self.assignment,
            student,
            self.results.get(owner) or NOTHING,
            handed=handed,
            owner=owner,
            said=self.classlist.days_late_by_worksheet(owner) if handed else None,
            own=student in self.results,
            first=history.again(self, student, owner),
            verdicts=self.marks.verdicts(self.in_words(owner)),
        )

    def is_withheld(self, student):
        """Return whether a student has no points for what is certain, and may have handed in what is claimed.

        A zero would then be wrong. Who has points keeps them: what another one calls a file takes none away.
        """
        if self.final(student).score != 0:
            return False
        return any(self.classlist.possible_submissions(member) for member in self.group(student))

    def is_exported(self, student):
        """Return whether it is certain who this is, so that a table for a platform may name the student."""
        return not self.is_withheld(student) and not self.classlist.is_uncertain(student)

    def logins(self, student):
        """Return the logins that the roster has of a student and of those with whom that one handed in.

        They decide what numbers of one's own are, and where an assignment has none, there are none here.
        """
        people = map(self.classlist.person, self.group(student)) if self.assignment.personal else []
        logins = [plain_login(person[kind]) for person in people for kind in LOGINS if person.get(kind)]
        return list(dict.fromkeys(filter(None, logins)))

    def login_of_numbers(self, student, result):
        """Return the login whose numbers a student's work, with this result, was marked with."""
        logins, typed = self.logins(student), plain_login(result.login)
        return typed if typed in logins or not logins else logins[0]

    def answers(self):
        """Return (question, text) for every written answer that the rubric of an exercise is for."""
        read = [self.in_words(student) for student in sorted(self.results)]
        return [(question, text) for words in read for question, text in words.items() if text]

    def in_words(self, student):
        """Return {question: an answer in words, as a marker reads it} of who handed in."""
        result = self.results.get(student) or NOTHING
        if not (result.written and self.assignment.personal):
            return result.written or {}
        login = self.login_of_numbers(student, result)
        if login not in self._own_values:
            self._own_values[login] = marks.data(self.assignment.of(login))
        return marking.as_read(self.assignment, result.written, self._own_values[login])
