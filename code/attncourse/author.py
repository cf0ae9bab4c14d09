"""Read an assignment: course/<chapter>.md, a MyST notebook whose cells say by tags what they are.

| tag | cell | what |
|---|---|---|
| `question` | text | opens an exercise: `## title`, text; `exercise`: its name, `goals`: the chapter's, by number |
| `answer` | code | functions, the solution between `### BEGIN SOLUTION` and `### END SOLUTION`; without it, the stub |
| `visible` | code | asserts that the student sees; they carry no points |
| `hidden` | code | one function `test_…(functions…, rng)`, whose one-line docstring is its name; `points`, at most 1 |
| `written` | text | in the place of code and tests: where the student writes; a person gives the `points` |
| `mistake` | code | a famous wrong answer, `name`; it must lose points: a test of the tests |
| `notes` | text | for the person who marks |
"""

import ast
import re
import textwrap
from pathlib import Path

from . import marks

POINTS = 10
GIVEN = "import math\n\nimport numpy as np"  # every assignment starts with this cell
SOLUTION = re.compile(r"^([ ]*)### BEGIN SOLUTION\n.*?^[ ]*### END SOLUTION$", re.DOTALL | re.MULTILINE)
TAGS = ("question", "answer", "visible", "hidden", "written", "mistake", "notes")
PARTS = {"code": ("answer", "visible", "hidden", "mistakes"), "written": ("written",)}  # of an exercise, by its kind
PICTURE = re.compile(r"\(data:image/[^()]*\)")  # as Colab puts one into a text
LONGEST = 20_000  # characters of a written answer that are shown
MINUTES = {"exercise": 10, "function": 15, "point": 20}  # to read, to write and run, to think: for `hours`


class CourseError(ValueError):
    """An assignment that cannot be used, or a request that cannot be met: one sentence for the instructor."""


def assignments(folder, chapter=""):
    """Return the assignment files in a folder, by chapter name: all of them, or the one of a chapter."""
    files = {path.stem: path for path in sorted(Path(folder).glob("*.md"))}
    if not files:
        raise CourseError(f"There is no assignment in {folder}: expected one .md file for each chapter.")
    if chapter and chapter not in files:
        raise CourseError(f"There is no assignment {chapter!r} in {folder}; there are {', '.join(files)}.")
    return {chapter: files[chapter]} if chapter else files


def read(path):
    """Return the bundle of one assignment: {"chapter", "title", "given", "hours", "exercises": [...]}, checked."""
    import jupytext

    path = Path(path)
    cells = jupytext.read(path, fmt="md:myst").cells
    bundle: dict = {"chapter": path.stem, "title": "", "given": GIVEN, "exercises": []}
    for cell in cells:
        tags = [tag for tag in cell.metadata.get("tags", []) if tag in TAGS]
        if not tags and not bundle["exercises"] and cell.source.startswith("# "):
            bundle["title"] = cell.source.splitlines()[0][2:].strip()
        elif len(tags) != 1:
            raise CourseError(f"{path.name}: a cell needs one of the tags {', '.join(TAGS)}: {cell.source[:60]!r}")
        elif tags == ["question"]:
            bundle["exercises"].append(_question(cell, path.name))
        elif not bundle["exercises"]:
            raise CourseError(f"{path.name}: a cell stands before the first question: {cell.source[:60]!r}")
        else:
            _add(bundle["exercises"][-1], tags[0], cell, path.name)
    _check(bundle, path.name)
    bundle["hours"] = hours(bundle)
    return bundle


def _question(cell, where):
    match = re.match(r"## (.+?)\n\s*\n(.+)", cell.source, re.DOTALL)
    if not match or not re.fullmatch(r"[a-z][a-z0-9-]*", cell.metadata.get("exercise", "")):
        raise CourseError(f"{where}: a question needs a name (exercise: some-name), a ## title and a text.")
    parts = {"answer": [], "visible": [], "hidden": [], "mistakes": [], "written": "", "notes": ""}
    about = {"name": cell.metadata["exercise"], "title": match[1], "text": match[2].strip()}
    return about | {"goals": cell.metadata.get("goals", []), "kind": "code", "points": 0} | parts


def _add(exercise, tag, cell, where):
    """Put one cell into its exercise."""
    where = f"{where}: {exercise['name']}"
    if tag == "notes":
        exercise["notes"] += cell.source
        return
    if tag == "written":
        if exercise["written"] or not _number(cell.metadata.get("points")):
            raise CourseError(f"{where}: a written answer is one text cell with points above 0.")
        exercise |= {"kind": "written", "written": cell.source.strip(), "points": cell.metadata["points"]}
        return
    try:
        body = ast.parse(cell.source).body
    except SyntaxError as error:
        raise CourseError(f"{where}: a cell tagged {tag} is no Python: {error}.") from None
    if tag == "hidden":
        docstring = isinstance(body[0], ast.FunctionDef) and ast.get_docstring(body[0])
        points = cell.metadata.get("points")
        if len(body) != 1 or not docstring or "\n" in docstring or not _number(points):
            raise CourseError(f"{where}: a hidden cell is one function with a one-line docstring and points above 0.")
        if points > 1:
            raise CourseError(f"{where}: {body[0].name} has {points} points: split it, so that a part earns a part.")
        asks = [argument.arg for argument in body[0].args.args]
        test = {"function": body[0].name, "name": docstring, "points": points, "asks": asks, "source": cell.source}
        exercise["hidden"].append(test)
        exercise["points"] += points
    elif tag == "mistake":
        exercise["mistakes"].append({"name": cell.metadata.get("name", ""), "source": cell.source})
    elif tag == "answer" and (not SOLUTION.search(cell.source) or stub(cell.source).count("SOLUTION")):
        raise CourseError(f"{where}: the answer has no region between ### BEGIN SOLUTION and ### END SOLUTION.")
    else:
        exercise[tag].append(cell.source)


def _number(points):
    return isinstance(points, int | float) and points > 0


def _check(bundle, where):
    exercises = bundle["exercises"]
    if not bundle["title"]:
        raise CourseError(f"{where}: no title: the first cell is text and starts with # and a title.")
    if len({e["name"] for e in exercises}) != len(exercises):
        raise CourseError(f"{where}: two exercises have one name.")
    for exercise in exercises:
        name = f"{where}: {exercise['name']}"
        for part in (*PARTS[exercise["kind"]], "notes", "goals"):
            if not exercise[part]:
                raise CourseError(f"{name}: it has no {part}.")
        if exercise["kind"] == "written" and any(exercise[part] for part in PARTS["code"]):
            raise CourseError(f"{name}: a written answer has no code and no tests; make two exercises of it.")
        there = set(functions(exercise)) | {"rng"}
        unknown = {ask for test in exercise["hidden"] for ask in test["asks"]} - there
        if unknown:
            raise CourseError(f"{name}: a hidden test asks for {', '.join(sorted(unknown))}, which no answer defines.")
    points = sum(map(worth, exercises))
    if points != POINTS or not 4 <= len(exercises) <= 6:
        raise CourseError(f"{where}: {len(exercises)} exercises with {points} points; expected 4 to 6 with {POINTS}.")


def worth(exercise):
    """Return the points of an exercise: those of its hidden tests, or those that a person gives."""
    return exercise["points"]


def by_tests(bundle):
    """Return the points of an assignment that tests give; the rest is for written answers."""
    return sum(worth(exercise) for exercise in bundle["exercises"] if exercise["kind"] == "code")


def hours(bundle):
    """Estimate the hours that an assignment takes after its chapter, in halves; nobody has measured them."""
    exercises = bundle["exercises"]
    minutes = MINUTES["exercise"] * len(exercises) + MINUTES["point"] * sum(map(worth, exercises))
    minutes += MINUTES["function"] * sum(len(functions(exercise)) for exercise in exercises)
    return round(minutes / 30) / 2


def written_answers(texts, bundle):
    """Collect what a student wrote to each written exercise, by its name, from the text cells of a notebook.

    An answer is the text below the heading of its exercise, wherever the student put it, without the question. An
    exercise without its heading is not there.
    """
    found, current = {}, None
    titles = {f"## {number}. {exercise['title']}": exercise for number, exercise in enumerate(bundle["exercises"], 1)}
    for text in texts:
        for title, exercise in titles.items():
            if text.startswith(title):
                current, text = exercise, text.partition("\n")[2]
        if current and current["kind"] == "written":
            for known in (current["text"], current["written"]):
                text = text.replace(known, "")
            found.setdefault(current["name"], []).append(PICTURE.sub("(a picture in the notebook)", text).strip())
    return {name: _cut("\n\n".join(filter(None, parts))) for name, parts in found.items()}


def _cut(text):
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n(Cut here: the notebook has {len(text)} characters.)"


def functions(exercise):
    """Return names of the functions that the answer of an exercise defines."""
    return [
        node.name
        for source in exercise["answer"]
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef)
    ]


def stub(source):
    """Return an answer without its solution, as the student gets it."""
    return SOLUTION.sub(r'\1raise NotImplementedError("your code here")', source)


def solution(source):
    """Return an answer without the two marks around its solution."""
    return re.sub(r"^[ ]*### (BEGIN|END) SOLUTION\n?", "", source, flags=re.MULTILINE).rstrip()


def reference(bundle, *cells):
    """Run the reference solution, then further cells, here: they are the instructor's own. Names and values."""
    names = {}
    for cell in (bundle["given"], *(solution(s) for e in bundle["exercises"] for s in e["answer"]), *cells):
        exec(cell, names)
    return names


def prove(bundle, seed=marks.SEED):
    """Grade the reference solution with a seed; CourseError unless it passes every test."""
    try:
        found = marks.mark(bundle, reference(bundle), seed)
    except Exception as error:
        raise CourseError(f"{bundle['chapter']}: the reference solution does not run: {error!r}.") from None
    failed = [m for m in found if not m["passed"]]
    if failed:
        tests = "; ".join(f"{m['exercise']}: {' '.join(m['name'].split())} ({m['remark']})" for m in failed)
        raise CourseError(
            f"{bundle['chapter']}: with SEED={seed} the reference solution itself fails {tests}. "
            "Mend the test or choose another SEED."
        )


def secrets(bundle):
    """Return texts that no student may see: each solution, hidden test, mistake and note, without its margin."""
    for exercise in bundle["exercises"]:
        for source in exercise["answer"]:
            for region in SOLUTION.finditer(source):
                yield textwrap.dedent("\n".join(region[0].splitlines()[1:-1]))
        yield from (test["source"] for test in exercise["hidden"])
        yield from (mistake["source"] for mistake in exercise["mistakes"])
        yield exercise["notes"]
