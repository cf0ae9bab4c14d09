"""Read what one student handed in: the files become a small record, and code cells in plain Python.

This runs in the sandbox, before any code of the student's. Standard library only. `choosing` finds the notebooks among
the files and `parsing` parses them; `translating` makes plain Python of the cells, `finding` finds the answers in them,
`scopes` says what names mean there, and `tokens` what is compared. What comes back, `RECORD`, is checked by the grader.
"""

import itertools
from typing import NamedTuple

if not __package__:  # in the sandbox, where these files lie side by side and are no package
    import choosing
    import finding
    import parsing
    import scopes
    import tokens
    import translating
else:
    from . import choosing, finding, parsing, scopes, tokens, translating

LOST = 5  # other notebooks with an answer that a remark names
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
    "sources": {str: str},  # this and the next: see `spoken`
    "spoken": [(str, str, str)],
    "reused": [(int, int)],  # see `scopes.Reuse`
}


class Code(NamedTuple):
    """The text of a cell that is run, and the label by which the student finds it."""

    text: str
    label: str


def nothing(problem):
    """Return the RECORD of files in which there is nothing to grade."""
    empty = {key: form() if isinstance(form, type) else type(form)() for key, form in RECORD.items()}
    return empty | {"file": -1, "problem": problem}


def read(files, public):
    """Return (RECORD, code cells in plain Python) for files, [[name, order, bytes or a sentence], …]."""
    questions = public["questions"]
    asked = [name for question in questions for name in question["functions"]]
    try:
        candidates, unused = choosing.candidates(files, asked)
    except parsing.NotGradable as error:
        return nothing(str(error)), []
    best = max(candidates, key=lambda candidate: candidate.rank)
    others = [candidate for candidate in candidates if candidate is not best]
    own = _without_check(best.notebook.cells, public.get("check", ""))
    code, moved = _code(own, asked)
    texts, labels = [each.text for each in code], [each.label for each in code]
    sources = translating.translate(texts)
    cells = list(map(scopes.analyse, texts, sources, labels))
    reuses = scopes.reuses(cells, questions)
    remarks = [*best.notebook.remarks, *_lost(best, others), *moved, *_unknown_magics(code)]
    record = {
        "file": best.index,
        "problem": _problem(cells, asked),
        "unused": unused + _not_graded(best, others),
        "labels": labels,
        "remarks": remarks + [remark for reuse in reuses for remark in reuse.remarks],
        "login": finding.login(texts),
        "python": best.notebook.python,
        "written": finding.written(own, questions),
        "tokens": {name: tokens.tokenize(finding.body(texts, name)) for name in asked},
        "reused": [[reuse.question, reuse.last] for reuse in reuses],
    }
    return nothing("") | record, sources


def _not_graded(best, others):
    """Return "name: why" for each notebook that is not the one to be graded."""
    graded = choosing.short(best.name)
    return [f"{choosing.short(other.name)}: {graded} is graded" for other in others[: choosing.UNUSED]]


def _lost(best, others):
    """Return a remark that names other notebooks with an answer, if there are any."""
    lost = [choosing.short(other.name) for other in others if other.answered][:LOST]
    return [f"Only {choosing.short(best.name)} is marked, and not {', '.join(lost)}."] if lost else []


def _without_check(cells, check):
    """Return the cells without the one that calls the visible tests: what hangs would hang twice."""
    squeezed = "".join(check.split())
    return [cell for cell in cells if not squeezed or "".join(cell.text.split()) != squeezed]


def _code(cells, asked):
    """Return the code cells as `Code`, and remarks.

    A text cell that is plainly an answer, and was made a text cell by a slip, is a code cell again, with a remark.
    """
    missing = {*asked}.difference(*(scopes.DEF.findall(cell.text) for cell in cells if cell.kind == "code"))
    code, remarks, numbers = [], [], itertools.count(1)
    for cell in cells:
        if cell.kind == "code":
            code.append(_labelled(f"Code cell {next(numbers)}", cell.text))
        elif lost := next((name for name in scopes.DEF.findall(cell.text) if name in missing), ""):
            runs = scopes.parse(cell.text) is not None
            what = "here it was run as code" if runs else "make it a code cell"
            remarks.append(f"`{lost}` stands in a text cell, which does not run: {what}.")
            code += [_labelled("The text cell", cell.text)] if runs else []
    return code, remarks


def _labelled(place, text):
    """Return the `Code` of a cell; its label ends with its first line in brackets, cut after 40 characters."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    cut = f"{first[:40]}…" if len(first) > 40 else first
    return Code(text, f"{place} ({cut})" if first else place)


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
