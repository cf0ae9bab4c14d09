"""Read an assignment: course/<chapter>.md, a MyST notebook whose cells say by tags what they are.

| tag | cell | what |
|---|---|---|
| `given` | code | above the first question: values for all of them; tests may ask for `Names` with a capital.
`NAME = own("name", choices)` is one of the choices, which the login of the student decides: a range, a list of masks |
| `question` | text | opens an exercise: `## title`, text; `exercise`: its name, `goals`: the chapter's, by number |
| `answer` | code | functions, the solution between `### BEGIN SOLUTION` and `### END SOLUTION`; without it, the stub |
| `visible` | code | asserts that the student sees; they carry no points |
| `hidden` | code | a function `test_…(functions…, Names…, rng)`; its docstring, a line, names it; `points`, at most 1 |
| `written` | text | in the place of code and tests: where the student writes; a person marks it, for `points`; `asks`
is one of explain, hypothesis, prediction, picture |
| `rubric` | text | three lines, `- …`, each answered with yes or no and worth a third of the points of `written`;
they may be its metadata `rubric` instead |
| `mistake` | code | a famous wrong answer, `name`; it must lose points: a test of the tests |
| `wrong` | text | more answers that must lose points, in YAML: `- [name, text of the solution, text in its place]`, or
a list of a name and a source that replaces functions |
| `right` | code | another answer, which must earn all points |
| `oral` | text | questions to ask a student aloud, `- …` each; `{NAME}` is the value of the student's own |
| `notes` | text | for the person who marks |
"""

import ast
import re
import textwrap
from pathlib import Path

from . import marks
from .model import LINES, SOLUTION, Assignment, CourseError, HiddenTest, Question, solution, stub

POINTS = 10
MOST = 8  # exercises
GIVEN = "import math\n\nimport numpy as np"  # every assignment starts with this cell
OWN = (Path(__file__).parent / "own.py").read_text(encoding="utf-8").partition('"""\n')[2].strip()
CALLS_OWN = re.compile(r"\bown\(")
LOGINS = ("ada", "emmy.noether", "s1234567", "u7")  # for which, too, the solution must hold
TAGS = (
    "given",
    "question",
    "answer",
    "visible",
    "hidden",
    "written",
    "rubric",
    "oral",
    "mistake",
    "wrong",
    "right",
    "notes",
)
PARTS = {
    "code": ("answer", "visible", "hidden", "wrong"),
    "written": ("written", "rubric"),
}  # of a question, by its kind
ASKS = ("explain", "hypothesis", "prediction", "picture")
ITEM = re.compile(r"^- (.+(?:\n(?!- ).+)*)", re.MULTILINE)
MINUTES = {"question": 10, "function": 15, "point": 20}  # to read, to write and run, to think: for `hours`


def assignments(folder, chapter=""):
    """Return the assignment files in a folder, by chapter name: all of them, or the one of a chapter."""
    files = {path.stem: path for path in sorted(Path(folder).glob("*.md"))}
    if not files:
        raise CourseError(f"There is no assignment in {folder}: expected one .md file for each chapter.")
    if chapter and chapter not in files:
        raise CourseError(f"There is no assignment {chapter!r} in {folder}; there are {', '.join(files)}.")
    return {chapter: files[chapter]} if chapter else files


def read(path):
    """Return the `Assignment` in a file, checked."""
    import jupytext

    path = Path(path)
    assignment = Assignment(path.stem, "", GIVEN, [])
    for cell in jupytext.read(path, fmt="md:myst").cells:
        tags = [tag for tag in cell.metadata.get("tags", []) if tag in TAGS]
        if not tags and not assignment.questions and cell.source.startswith("# "):
            assignment.title = cell.source.splitlines()[0][2:].strip()
        elif len(tags) != 1:
            raise CourseError(f"{path.name}: a cell needs one of the tags {', '.join(TAGS)}: {cell.source[:60]!r}")
        elif tags == ["question"]:
            assignment.questions.append(_question(cell, path.name))
        elif tags == ["given"] and not assignment.questions:
            assignment.given += f"\n\n{cell.source}"
        elif tags == ["given"]:
            raise CourseError(f"{path.name}: a cell tagged given stands below a question: {cell.source[:60]!r}")
        elif not assignment.questions:
            raise CourseError(f"{path.name}: a cell stands before the first question: {cell.source[:60]!r}")
        else:
            _add(assignment.questions[-1], tags[0], cell, path.name)
    if CALLS_OWN.search(assignment.given):
        assignment.given = f"{GIVEN}\n{OWN}{assignment.given.removeprefix(GIVEN)}"
    _check(assignment, path.name)
    assignment.hours = hours(assignment)
    return assignment


def _question(cell, where):
    match = re.match(r"## (.+?)\n\s*\n(.+)", cell.source, re.DOTALL)
    name = cell.metadata.get("exercise", "")
    if not match or not re.fullmatch(r"[a-z][a-z0-9-]*", name):
        raise CourseError(f"{where}: a question needs a name (exercise: some-name), a ## title and a text.")
    return Question(name, match[1], match[2].strip(), cell.metadata.get("goals", []))


def _add(question, tag, cell, where):
    """Put one cell into its question."""
    where, points = f"{where}: {question.name}", cell.metadata.get("points")
    if tag == "notes":
        question.notes += cell.source
        return
    if tag == "wrong":
        question.wrong += _wrong(cell.source, question, where)
        return
    if tag == "written":
        if question.written or not _number(points):
            raise CourseError(f"{where}: a written answer is one text cell with points above 0.")
        question.kind, question.points = "written", points
        question.written = cell.source.strip()
        question.asks = cell.metadata.get("asks", ASKS[0])
        question.rubric += cell.metadata.get("rubric", [])
        return
    if tag in ("rubric", "oral"):
        getattr(question, tag).extend(" ".join(item.split()) for item in ITEM.findall(cell.source))
        return
    try:
        body = ast.parse(cell.source).body
    except SyntaxError as error:
        raise CourseError(f"{where}: a cell tagged {tag} is no Python: {error}.") from None
    if tag == "hidden":
        docstring = isinstance(body[0], ast.FunctionDef) and ast.get_docstring(body[0])
        if len(body) != 1 or not docstring or "\n" in docstring or not _number(points):
            raise CourseError(f"{where}: a hidden cell is one function with a one-line docstring and points above 0.")
        if points > 1:
            raise CourseError(f"{where}: {body[0].name} has {points} points: split it, so that a part earns a part.")
        asks = [argument.arg for argument in body[0].args.args]
        question.hidden.append(HiddenTest(body[0].name, docstring, points, asks, cell.source))
        question.points += points
    elif tag == "mistake":
        question.wrong.append([cell.metadata.get("name", ""), cell.source])
    elif tag == "answer" and (not SOLUTION.search(cell.source) or stub(cell.source).count("SOLUTION")):
        raise CourseError(f"{where}: the answer has no region between ### BEGIN SOLUTION and ### END SOLUTION.")
    else:
        getattr(question, tag).append(cell.source)


def _wrong(text, question, where):
    """Return the wrong answers in a text: [name, source], or [name, old, new] with old in the solution."""
    import yaml

    try:
        answers = yaml.safe_load(text)
        fits = all(len(answer) in (2, 3) and all(isinstance(part, str) for part in answer) for answer in answers)
    except (yaml.YAMLError, TypeError):
        fits = False
    if not fits:
        raise CourseError(f"{where}: wrong answers are a list of [name, source] or [name, old, new].")
    whole = "\n\n\n".join(map(solution, question.answer)) + "\n"
    for name, old, *new in answers:
        if new and old not in whole:
            raise CourseError(f"{where}: the solution does not contain {old!r}, which {name!r} replaces.")
    return [[name, old if not new else whole.replace(old, *new)] for name, old, *new in answers]


def _number(points):
    return isinstance(points, int | float) and points > 0


def _check(assignment, where):
    questions = assignment.questions
    if not assignment.title:
        raise CourseError(f"{where}: no title: the first cell is text and starts with # and a title.")
    if len({q.name for q in questions}) != len(questions):
        raise CourseError(f"{where}: two exercises have one name.")
    for question in questions:
        name = f"{where}: {question.name}"
        for part in (*PARTS[question.kind], "notes", "goals"):
            if not getattr(question, part):
                raise CourseError(f"{name}: it has no {part}.")
        if question.kind == "written" and any(getattr(question, part) for part in PARTS["code"]):
            raise CourseError(f"{name}: a written answer has no code and no tests; make two exercises of it.")
        if question.kind == "written" and len(question.rubric) != LINES:
            raise CourseError(f"{name}: a rubric has {LINES} lines, and this one has {len(question.rubric)}.")
        if question.kind == "code" and question.rubric:
            raise CourseError(f"{name}: it has a rubric, and no written cell to which it belongs.")
        if question.asks not in ("", *ASKS):
            raise CourseError(f"{name}: it asks for {question.asks!r}; there are {', '.join(ASKS)}.")
        known = {*question.functions, *assignment.data, "rng"}
        unknown = {ask for test in question.hidden for ask in test.asks} - known
        if unknown:
            asked = ", ".join(sorted(unknown))
            raise CourseError(f"{name}: a hidden test asks for {asked}, which neither answer nor given cell defines.")
    points = sum(question.points for question in questions)
    if points != POINTS or not 4 <= len(questions) <= MOST:
        raise CourseError(
            f"{where}: {len(questions)} exercises with {points} points; expected 4 to {MOST} with {POINTS}."
        )


def by_tests(assignment):
    """Return the points of an assignment that tests give; the rest is for written answers."""
    return sum(question.points for question in assignment.questions if question.kind == "code")


def hours(assignment):
    """Estimate the hours that an assignment takes after its chapter, in halves; nobody has measured them."""
    questions = assignment.questions
    minutes = MINUTES["question"] * len(questions) + MINUTES["point"] * sum(question.points for question in questions)
    minutes += MINUTES["function"] * len(assignment.functions)
    return round(minutes / 30) / 2


def reference(assignment, *cells):
    """Run the reference solution, then further cells, here: they are the instructor's own. Names and values."""
    names = {}
    for cell in (assignment.given, *(solution(s) for q in assignment.questions for s in q.answer), *cells):
        exec(cell, names)
    return names


def prove(assignment, seed=marks.SEED):
    """Grade the reference solution with a seed; CourseError unless it passes every test, with the numbers of some."""
    for login in LOGINS if assignment.personal else [""]:
        _prove(assignment.of(login), seed, login)


def _prove(assignment, seed, login):
    whose = f" and the numbers of {login!r}" if login else ""
    try:
        outcome = marks.mark(assignment, reference(assignment), seed)
    except Exception as error:
        raise CourseError(f"{assignment.chapter}: the reference solution does not run: {error!r}.") from None
    failed = [mark for mark in outcome if not mark.passed]
    if failed:
        tests = "; ".join(f"{mark.question}: {' '.join(mark.test.split())} ({mark.why})" for mark in failed)
        raise CourseError(
            f"{assignment.chapter}: with SEED={seed}{whose} the reference solution itself fails {tests}. "
            "Mend the test or choose another SEED."
        )


def secrets(assignment):
    """Return texts that no student may see: each solution, hidden test, mistake and note, without its margin."""
    for question in assignment.questions:
        for source in question.answer:
            for region in SOLUTION.finditer(source):
                yield textwrap.dedent("\n".join(region[0].splitlines()[1:-1]))
        yield from (test.source for test in question.hidden)
        yield from (source for _, source in question.wrong)
        yield from question.right
        yield from question.rubric
        yield from question.oral
        yield question.notes
