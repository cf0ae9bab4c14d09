"""The values that the grader works with: an assignment and its questions, what was handed in, marks and results."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

SOLUTION = re.compile(r"^([ ]*)### BEGIN SOLUTION\n.*?^[ ]*### END SOLUTION$", re.DOTALL | re.MULTILINE)
LABELS = re.compile(r"^[ ]*### (BEGIN|END) SOLUTION\n?", re.MULTILINE)
DEFINED = re.compile(r"^def (\w+)", re.MULTILINE)
DATA = re.compile(r"^([A-Z]\w*) = ", re.MULTILINE)
LINES = 3  # of a rubric
WHOSE = re.compile(r"^LOGIN = .*\n+", re.MULTILINE)  # the line of `own` that says whose the numbers are
CHECK = """\
#@title Run all visible tests {{ display-mode: "form" }}
def _run_all_visible_tests():
    visible = {{
{listed}    }}
    for title, sources in visible.items():
        failed = []
        for source in sources:
            try:
                exec(source, dict(globals()))
            except Exception as error:
                failed.append(f"{{type(error).__name__}} {{error}}".strip())
        print(f"{{title}}: {{'; '.join(failed) or 'the visible tests hold'}}")
    print("Points come from other tests, each of them all or nothing.")


_run_all_visible_tests()
"""
NOT_GRADED = "The grader failed, through no fault of this notebook."


class CourseError(ValueError):
    """An assignment that cannot be used, or a request that cannot be met: one sentence for the instructor."""


@dataclass(frozen=True)
class HiddenTest:
    """A hidden test: the source of one function, which asks for functions of the student's, data, and `rng`."""

    function: str
    name: str
    points: float
    asks: list[str]
    source: str


@dataclass(frozen=True)
class Slip:
    """A wrong answer that has a name: the source of functions that replace those of the solution.

    Whoever makes it keeps a share of the exercise's points; `says` and `read` are for that student alone.
    """

    name: str
    source: str
    keeps: float = 0
    says: str = ""
    read: str = ""  # page.md#label, in the book
    one_line: bool = False  # whether one change within a line of the solution makes it


@dataclass
class Question:
    """One question: `kind` is "code", marked by tests, or "written", marked by a person."""

    name: str
    title: str
    text: str
    goals: list[int]
    kind: str = "code"
    points: float = 0
    answer: list[str] = field(default_factory=list)
    visible: list[str] = field(default_factory=list)
    hidden: list[HiddenTest] = field(default_factory=list)
    wrong: list[Slip] = field(default_factory=list)  # answers that must lose points
    right: list[str] = field(default_factory=list)  # sources of some that must not
    written: str = ""
    asks: str = ""  # of a written answer: explain, hypothesis, prediction or picture
    rubric: list[str] = field(default_factory=list)  # what a written answer does or does not; each line is a third
    oral: list[str] = field(default_factory=list)  # questions to ask aloud; {NAME} is the value of a student's own
    notes: str = ""

    @property
    def functions(self):
        """Return the names of the functions that the answer defines."""
        return [name for source in self.answer for name in DEFINED.findall(source)]

    def public(self):
        """Return what the sandbox may know of it."""
        return {
            "title": self.title,
            "text": self.text,
            "written": self.written,
            "functions": self.functions,
            "visible": self.visible,
        }


@dataclass
class Assignment:
    """The questions of one chapter, with everything that graders need."""

    chapter: str
    title: str
    given: str
    questions: list[Question]
    hours: float = 0

    @property
    def functions(self):
        """Return the names of all functions that are asked for."""
        return [name for question in self.questions for name in question.functions]

    @property
    def personal(self):
        """Return whether some of the given values come from the student's login."""
        return bool(WHOSE.search(self.given))

    def for_login(self, login):
        """Return the assignment with the given values of a login, if there are any."""
        start, *rest = WHOSE.split(self.given, maxsplit=1)
        return replace(self, given=f"{start}LOGIN = {login!r}\n\n{rest[0]}") if rest and login else self

    @property
    def data(self):
        """Return the names of the given values."""
        return DATA.findall(self.given)

    @property
    def check(self):
        """Return the cell at the end of the student's notebook, which runs all visible tests."""
        visible = {f"{number}. {q.title}": q.visible for number, q in enumerate(self.questions, 1) if q.visible}
        listed = "".join(f"        {title!r}: {sources!r},\n" for title, sources in visible.items())
        return CHECK.format(listed=listed)

    def public(self):
        """Return what the sandbox may know: only what every student has."""
        questions = [question.public() for question in self.questions]
        return {"given": self.given, "questions": questions, "check": self.check}


@dataclass(frozen=True)
class Mark:
    """The outcome of one test. `why` it failed is for the student if the test is visible, else for the instructor."""

    question: str
    test: str
    hidden: bool
    points: float
    passed: bool
    why: str = ""

    @property
    def earned(self):
        """Return the points earned."""
        return self.points if self.passed else 0


@dataclass(frozen=True)
class Recognised:
    """Slips that the functions of one answer make, by name, and the share of the exercise's points that they keep."""

    question: str
    slips: list[str]
    keeps: float


def parts(marks, recognised=()):
    """Return {question: points} of tests: those that its tests gave, or what recognised slips keep if that is more."""
    earned: dict = {mark.question: 0 for mark in marks}
    worth = dict(earned)
    for mark in marks:
        earned[mark.question] += mark.earned
        worth[mark.question] += mark.points
    for found in recognised:
        kept = round(found.keeps * worth.get(found.question, 0), 2)
        earned[found.question] = max(earned.get(found.question, 0), kept)
    return earned


@dataclass
class Result:
    """The outcome of one submission; `score` is None where nothing was graded."""

    score: float | None
    marks: list[Mark] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)  # frozen before the first hidden test
    problem: str = ""  # why the file as a whole earned nothing
    written: dict[str, str] | None = None
    tokens: dict[str, list[str]] = field(default_factory=dict)  # of each answer, to find answers that are alike
    sources: dict[str, str] = field(default_factory=dict)  # of each function, to show beside questions about it
    spoken: list[list[str]] = field(default_factory=list)  # function, kind and text of what can be asked aloud
    login: str = ""  # that the notebook says
    python: str = ""
    numpy: str = ""
    file: int = -1  # which of the files was graded
    unused: list[str] = field(default_factory=list)  # "name: why" of the others
    slow: int = 0  # time limits that were reached
    slow_before_tests: int = 0  # those of them that no test can have caused: the student may hear of these
    recognised: list[Recognised] = field(default_factory=list)  # slips that the answers make
    fault: str = ""  # why the grader itself failed, for the instructor alone

    @property
    def earned(self):
        """Return the points that the tests gave, and recognised slips kept."""
        return sum(parts(self.marks, self.recognised).values())

    @classmethod
    def failed(cls, error):
        """Return the result where the grader itself failed; the error is for the instructor alone."""
        return cls(None, remarks=[NOT_GRADED], fault=f"{type(error).__name__}: {error}")

    @classmethod
    def load(cls, data):
        """Return a result that was stored with `asdict`."""
        loaded = {
            "marks": [Mark(**mark) for mark in data["marks"]],
            "recognised": [Recognised(**found) for found in data["recognised"]],
        }
        return cls(**(data | loaded))


def plain_login(text):
    """Return a login as `own` takes it, in whatever form it was typed."""
    return text.strip().lower().partition("@")[0]


def login_of_numbers(typed, logins):
    """Return the login whose numbers a notebook is marked with: the one typed in it, or the first on the roster.

    What is typed counts if the roster has it for this student, or has no login of the student.
    """
    typed = plain_login(typed)
    return typed if typed in logins or not logins else logins[0]


def load_assignment(data):
    """Return the assignment that `asdict` made a dictionary of."""
    try:
        questions = []
        for about in data["questions"]:
            tests = {
                "hidden": [HiddenTest(**test) for test in about["hidden"]],
                "wrong": [Slip(**slip) for slip in about["wrong"]],
            }
            questions.append(Question(**(about | tests)))
        return Assignment(**(data | {"questions": questions}))
    except (TypeError, KeyError, AttributeError):
        raise CourseError("bundle.json was made by another edition of the grader: run `make course` again.") from None


def stub(source):
    """Return an answer without its solution, as the student gets it."""
    return SOLUTION.sub(r'\1raise NotImplementedError("your code here")', source)


def solution(source):
    """Return an answer without the two marks around its solution."""
    return LABELS.sub("", source).rstrip()
