"""Find solutions, hidden tests, mistakes and marking notes where they must not be."""

import html
import json
import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

from . import author
from .model import stub

LAYOUT, TAG = re.compile(r"[^\w()=+*@.]+"), re.compile(r"<[^<>]*>")
SHORTEST = 50  # characters of a line, or of two in a row, that say enough; what is shorter may be common knowledge


def squeeze(text):
    """Keep letters, digits and a few signs: a notebook, a highlighted page and a source write one line differently."""
    return LAYOUT.sub("", text.replace("\\n", " "))


def visible_text(text):
    """Return the text of a page without its tags."""
    return html.unescape(TAG.sub("", text))


def _handed_out(question):
    """Return what a student gets of a question."""
    return json.dumps(question.text) + "".join(map(stub, question.answer)) + "".join(question.visible)


def secret_lines(assignment):
    """Return squeezed pairs of lines that only the instructor may see, without those that a student gets anyway."""
    public = squeeze("".join(map(_handed_out, assignment.questions)))
    lines = set()
    for secret in author.secrets(assignment):
        rows = [squeeze(line) for line in secret.splitlines() if line.strip()]
        lines |= {*rows, *(first + second for first, second in pairwise(rows))}
    names = {f"def{test.function}(" for question in assignment.questions for test in question.hidden}
    return {line for line in lines if len(line) >= SHORTEST and line not in public} | names


def leaks(wanted, folder):
    """Return `file: line` for each of these secret lines in any file below a folder."""
    names = {line for line in wanted if len(line) < SHORTEST}  # of tests: too short to be cut into pieces
    named = re.compile("|".join(map(re.escape, sorted(names, key=len, reverse=True))) or r"\b\B")
    size, pieces = SHORTEST // 2, defaultdict(list)
    for line in wanted - names:  # wherever it stands in a text, one of these pieces begins at a multiple of their size
        for i in range(size):
            pieces[line[i : i + size]].append((line, i))
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            text = path.read_bytes().decode("utf-8", "replace")
            text = squeeze(text) + (squeeze(visible_text(text)) if path.suffix == ".html" else "")
            found = set(named.findall(text))
            for at in range(0, len(text), size):
                for line, i in pieces.get(text[at : at + size], ()):
                    if at >= i and text.startswith(line, at - i):
                        found.add(line)
            yield from (f"{path}: {line}" for line in sorted(found))
