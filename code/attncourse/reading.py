"""Read what one student handed in: the files become a small record, and code cells in plain Python.

This runs in the sandbox, before any code of the student's. Standard library only. `choosing` finds the notebooks among
the files and `parsing` parses them; `translating` makes plain Python of the cells, `finding` finds the answers in them,
`scopes` says what names mean there, and `tokens` what is compared. The grader checks the `Record` that comes back.
"""

from dataclasses import asdict, dataclass, field
from typing import NamedTuple

from . import choosing, finding, parsing, scopes, tokens, translating

MAX_UNGRADED_NAMED = 5  # other notebooks with an answer, of which a remark gives the names


@dataclass
class Record:
    """What there is to grade in the files of one student; as it is made, nothing."""

    file: int = -1  # number of the file that is graded, from 0
    problem: str = ""  # why nothing is graded, or what may be the matter with the notebook
    unused: list[str] = field(default_factory=list)  # "name: why" for each other file
    labels: list[str] = field(default_factory=list)  # of the cells that are run
    remarks: list[str] = field(default_factory=list)  # for the student
    login: str = ""  # whose it is, as the notebook says
    python: str = ""  # the version that wrote it
    written: dict[str, str] = field(default_factory=dict)  # number of a question: the answer in words
    tokens: dict[str, list[str]] = field(default_factory=dict)  # name of a function: what is compared of it
    sources: dict[str, str] = field(default_factory=dict)  # this and the next are added by the worker: see `spoken`
    spoken: list[list[str]] = field(default_factory=list)
    reused: list[list[int]] = field(default_factory=list)  # number of a question, and of a cell: see `scopes.Reuse`


# The form in which a Record must come back from the sandbox: see `protocol.conforms`.
RECORD = {
    "file": int,
    "problem": str,
    "unused": [str],
    "labels": [str],
    "remarks": [str],
    "login": str,
    "python": str,
    "written": {str: str},
    "tokens": {str: [str]},
    "sources": {str: str},
    "spoken": [(str, str, str)],
    "reused": [(int, int)],
}


class Code(NamedTuple):
    """The text of a cell that is run, and the label by which the student finds it."""

    text: str
    label: str


class TextAnswer(NamedTuple):
    """A text cell that is plainly an answer, and was made a text cell by a slip."""

    cell: int  # its number among all cells, from 0
    function: str  # which no code cell defines
    runs: bool  # whether it is Python: then it is a code cell again

    @property
    def remark(self):
        """Tell the student."""
        what = "here it was run as code" if self.runs else "make it a code cell"
        return f"`{self.function}` stands in a text cell, which does not run: {what}."


def nothing(problem):
    """Return the Record, as a dict, of files in which there is nothing to grade."""
    return asdict(Record(problem=problem))


def read(files, public):
    """Return (Record as a dict, code cells in plain Python) for files, [[name, order, bytes or a sentence], …]."""
    asked = [name for question in public["questions"] for name in question["functions"]]
    try:
        candidates, unused = choosing.candidates(files, asked)
    except parsing.NotGradable as error:
        return nothing(str(error)), []
    graded = max(candidates, key=lambda candidate: candidate.rank)
    others = [candidate for candidate in candidates if candidate is not graded]
    record, sources = _read_cells(graded.notebook.cells, public, asked)
    record.file = graded.index
    record.python = graded.notebook.python
    record.unused = unused + _not_graded(graded, others)
    record.remarks = graded.notebook.remarks + _only_marked(graded, others) + record.remarks
    return asdict(record), sources


def _read_cells(all_cells, public, asked):
    """Return what the cells of a notebook add to a Record, and the code cells in plain Python."""
    questions = public["questions"]
    cells = _without_check(all_cells, public.get("check", ""))
    text_answers = _text_answers(cells, asked)
    code = _code(cells, {answer.cell for answer in text_answers if answer.runs})
    texts, labels = [each.text for each in code], [each.label for each in code]
    sources = translating.translate(texts)
    analysed = list(map(scopes.analyse, texts, sources, labels))
    reuses = scopes.reuses(analysed, questions)
    slips = [answer.remark for answer in text_answers]
    record = Record(
        problem=_problem(analysed, asked),
        labels=labels,
        remarks=slips + _unknown_magics(code) + [remark for reuse in reuses for remark in reuse.remarks],
        login=finding.login(texts),
        written=finding.written_answers(cells, questions),
        tokens={name: tokens.tokenize(finding.body(texts, name)) for name in asked},
        reused=[[reuse.question, reuse.last] for reuse in reuses],
    )
    return record, sources


def _not_graded(graded, others):
    """Return "name: why" for each notebook that is not the one to be graded."""
    name = choosing.short(graded.name)
    return [f"{choosing.short(other.name)}: {name} is graded" for other in others[: choosing.UNUSED]]


def _only_marked(graded, others):
    """Return a remark that names other notebooks with an answer, if there are any."""
    names = [choosing.short(other.name) for other in others if other.answered][:MAX_UNGRADED_NAMED]
    return [f"Only {choosing.short(graded.name)} is marked, and not {', '.join(names)}."] if names else []


def _without_check(cells, check):
    """Return the cells without the one that calls the visible tests: what hangs would hang twice."""
    squeezed = "".join(check.split())
    return [cell for cell in cells if not squeezed or "".join(cell.text.split()) != squeezed]


def _text_answers(cells, asked):
    """Return the TextAnswers among the cells."""
    in_code = {name for cell in cells if cell.kind == "code" for name in scopes.DEF.findall(cell.text)}
    missing = {*asked} - in_code
    answers = []
    for number, cell in enumerate(cells):
        functions = [name for name in scopes.DEF.findall(cell.text) if name in missing]
        if functions:
            answers.append(TextAnswer(number, functions[0], runs=scopes.parse(cell.text) is not None))
    return answers


def _code(cells, revived):
    """Return the Code of the code cells, which are counted, and of the text cells with the numbers `revived`."""
    code, count = [], 0
    for number, cell in enumerate(cells):
        if cell.kind == "code":
            count += 1
            code.append(Code(cell.text, _label(f"Code cell {count}", cell.text)))
        elif number in revived:
            code.append(Code(cell.text, _label("The text cell", cell.text)))
    return code


def _label(place, text):
    """Return the label of a cell: where it is, and in brackets its first line, cut after 40 characters."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    cut = f"{first[:40]}…" if len(first) > 40 else first
    return f"{place} ({cut})" if first else place


def _unknown_magics(code):
    """Return a remark for each cell under a magic that nobody here knows."""
    magics = [(each.label, translating.unknown_magic(each.text)) for each in code]
    return [
        f"{label} did not run: the cell magic %%{magic[:30]} is not known here." for label, magic in magics if magic
    ]


def _problem(cells, asked):
    """Say what may be the matter with a notebook that defines nothing of what is asked for; "" for any other."""
    if any(scopes.defines(cell, {*asked}) for cell in cells):
        return ""
    why = "perhaps it is another notebook"
    words = sum(cell.tree is None for cell in cells)
    if words:
        why = f"{words} of its {len(cells)} code cells hold no Python, perhaps answers in words"
    return f"It defines none of the functions that are asked for: {why}."
