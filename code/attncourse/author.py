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
a list of a name and a source that replaces functions, or a mapping (below) |
| `right` | code | another answer, which must earn all points |
| `oral` | text | questions to ask a student aloud, `- …` each; `{NAME}` is the value of the student's own |
| `notes` | text | for the person who marks |

A wrong answer that keeps a share of the points is a mapping in `wrong`; a `mistake` has the last three words beside its
`name`:

- slip: one mean                             # its name, which the instructor's report counts
  change: [" + mu_k @ Sigma_q @ mu_k", ""]   # text of the solution, text in its place; or `source: |` and functions
  keeps: 0.5                                 # of the exercise's points; more by tests is more
  says: You have the trace and one of the two mean terms.        # one sentence, for a student who makes the slip
  read: sqrt-dk-scaling.md#thm-variance      # a page of the book, and the label of a section, theorem or equation

`replaying` recognises a slip by what the student's functions return. So a slip that keeps something must be seen in
values: a function that draws at random, or builds an example of its own, has none that another's would equal.
"""

import ast
import re
import textwrap
from pathlib import Path

from . import marks
from .model import LINES, SOLUTION, Assignment, CourseError, HiddenTest, Question, Slip, solution, stub

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
SLIP = ("slip", "change", "source", "keeps", "says", "read")  # what an entry of `wrong` may say
READ = re.compile(r"[\w/-]+\.md#[a-z0-9-]+")
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
        said = {word: cell.metadata[word] for word in ("keeps", "says", "read") if word in cell.metadata}
        question.wrong.append(_slip({"slip": cell.metadata.get("name"), "source": cell.source} | said, question, where))
    elif tag == "answer" and (not SOLUTION.search(cell.source) or stub(cell.source).count("SOLUTION")):
        raise CourseError(f"{where}: the answer has no region between ### BEGIN SOLUTION and ### END SOLUTION.")
    else:
        getattr(question, tag).append(cell.source)


def _wrong(text, question, where):
    """Return the wrong answers in a text: lists of a name, and a source or two texts, or mappings."""
    import yaml

    try:
        entries = yaml.safe_load(text)
        slips = [entry if isinstance(entry, dict) else _listed(entry) for entry in entries]
    except (yaml.YAMLError, TypeError, ValueError):
        raise CourseError(
            f"{where}: wrong answers are a list of [name, source], [name, old, new], or {{slip: name, …}}."
        ) from None
    return [_slip(about, question, where) for about in slips]


def _listed(entry):
    """Return an entry, a list of a name and a source or two texts, as a mapping; ValueError for any other entry."""
    if not isinstance(entry, list) or not all(isinstance(part, str) for part in entry):
        raise ValueError
    name, *texts = entry
    return {"slip": name, "source": texts[0]} if len(texts) == 1 else {"slip": name, "change": texts}


def _slip(about, question, where):
    """Return the `Slip` that a mapping describes, checked against the solution."""
    name = about.get("slip")

    def need(holds, message):
        if not holds:
            raise CourseError(f"{where}: the wrong answer {name!r}: {message}.")

    need(isinstance(name, str) and name.strip(), "it has no name (slip: …; of a mistake, name: …)")
    unknown = [word for word in about if word not in SLIP]
    need(not unknown, f"it has no part {', '.join(map(repr, unknown))}; there are {', '.join(SLIP)}")
    need(("change" in about) != ("source" in about), "it has one of change: [old, new] and source, not both")
    keeps, says, read = about.get("keeps", 0), about.get("says", ""), about.get("read", "")
    share = isinstance(keeps, int | float) and not isinstance(keeps, bool) and 0 <= keeps < 1
    need(share, f"keeps is {keeps!r}, not a share of the points from 0 to below 1")
    need(isinstance(says, str) and "\n" not in says.strip(), "says is one sentence for the student, on one line")
    need(says.strip() or not (keeps or read), "it keeps points or names a section, and says nothing to the student")
    need(isinstance(read, str) and (not read or READ.fullmatch(read)), f"read is {read!r}, not page.md#label")
    source, one_line = _changed(about, question, need) if "change" in about else (about["source"], False)
    need(isinstance(source, str) and _defines(source, question), "its source defines none of the functions asked for")
    return Slip(name.strip(), source, keeps, says.strip(), read, one_line)


def _changed(about, question, need):
    """Return the solution with the change of a slip, and whether it lies within one line."""
    change = about["change"]
    pair = isinstance(change, list) and len(change) == 2 and all(isinstance(text, str) for text in change)
    need(pair, f"change is {change!r}, not [text of the solution, text in its place]")
    old, new = change
    whole = "\n\n\n".join(map(solution, question.answer)) + "\n"
    need(old and old in whole, f"the solution does not contain {old!r}, which it replaces")
    return whole.replace(old, new), "\n" not in old.strip()


def _defines(source, question):
    """Return whether a source is Python and gives a function of the question another meaning."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return False
    names = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    names |= {
        target.id for node in body if isinstance(node, ast.Assign) for target in node.targets if hasattr(target, "id")
    }
    return bool(names & {*question.functions})


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
        slips = [slip.name for slip in question.wrong]
        if len({*slips}) < len(slips):
            raise CourseError(f"{name}: two wrong answers are called {max(slips, key=slips.count)!r}.")
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


def points_by_tests(assignment):
    """Return the points of an assignment that tests give; the rest is for written answers."""
    return sum(question.points for question in assignment.questions if question.kind == "code")


def hours(assignment):
    """Estimate the hours that an assignment takes after its chapter, in halves; nobody has measured them."""
    questions = assignment.questions
    minutes = MINUTES["question"] * len(questions) + MINUTES["point"] * sum(question.points for question in questions)
    minutes += MINUTES["function"] * len(assignment.functions)
    return round(minutes / 30) / 2


def reference(assignment, *cells):
    """Run the reference solution, then further cells, in this process; return the names and their values.

    The code is the instructor's own, and needs no sandbox.
    """
    names = {}
    for cell in (assignment.given, *(solution(s) for q in assignment.questions for s in q.answer), *cells):
        exec(cell, names)
    return names


def prove(assignment, seed=marks.SEED):
    """Grade the reference solution with a seed; CourseError unless it passes every test, with the numbers of some."""
    for login in LOGINS if assignment.personal else [""]:
        _prove(assignment.for_login(login), seed, login)


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
        yield from (slip.source for slip in question.wrong)
        yield from (slip.says for slip in question.wrong)
        yield from question.right
        yield from question.rubric
        yield from question.oral
        yield question.notes
