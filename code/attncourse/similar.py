"""Find answers that are the same, or nearly, by their text alone: names and layout aside. Nothing of a student's runs.

It is a reason to look, not a proof: short right answers look alike, so answers below a length are not compared, and
what many students share is not counted.
"""

import itertools
import keyword
import re
from collections import Counter, defaultdict

from . import author

TOKENS = 40  # a shorter answer says nothing about who wrote it
PIECE = 6  # tokens in a row
COMMON = 0.2  # of the class: a piece that more students have is nobody's own
NEAR = 0.7  # of the pieces that either of the two has
LONGEST = 20_000  # characters of an answer that are compared
TEXT = re.compile(r'"""(?:.|\n)*?"""|\'\'\'(?:.|\n)*?\'\'\'|#[^\n]*|"[^"\n]*"|\'[^\'\n]*\'|[^\W\d]\w*|\d[\w.]*|[^\w\s]')


def body(source, name):
    """Return the text of the last `def name` in a cell, to the next line that is not indented."""
    starts = [match.start() for match in re.finditer(rf"^def {re.escape(name)}\b", source, re.MULTILINE)]
    if not starts:
        return ""
    lines = source[starts[-1] : starts[-1] + LONGEST].split("\n")
    inside = itertools.takewhile(lambda line: not line.strip() or line[:1] in " \t)#", lines[1:])
    return "\n".join([lines[0], *inside])


def tokens(text, known=()):
    """Return the tokens of an answer, without comments and texts, and with its own names numbered."""
    seen, found = {}, []
    for token in TEXT.findall(text):
        if token.startswith(("#", '"""', "'''")):
            continue
        own = token.isidentifier() and not keyword.iskeyword(token) and (not found or found[-1] != ".")
        found.append(f"name {seen.setdefault(token, len(seen))}" if own and token not in known else token)
    return tuple(found)


def answers(bundle, cells):
    """Return {function: its text} for the cells of one student: all that `compare` needs of them."""
    names = [name for exercise in bundle["exercises"] for name in author.functions(exercise)]
    return {name: next(filter(None, (body(source, name) for source in reversed(cells))), "") for name in names}


def compare(bundle, texts):
    """Return [(exercise, function, "identical" or "nearly identical", students)] for {student: answers}."""
    told = []
    for exercise in bundle["exercises"]:
        for name in author.functions(exercise):
            stub = tokens(next(filter(None, (body(author.stub(source), name) for source in exercise["answer"])), ""))
            found = {student: tokens(text[name]) for student, text in texts.items()}
            own = {student: answer for student, answer in found.items() if len(answer) >= TOKENS and answer != stub}
            told += [(exercise["name"], name, *about) for about in _alike(own)]
    return told


def _alike(answers):
    """Return (word, students) for groups of equal and pairs of nearly equal token lists."""
    groups = defaultdict(list)
    for student, answer in sorted(answers.items()):
        groups[answer].append(student)
    yield from (("identical", group) for group in groups.values() if 1 < len(group) <= max(3, COMMON * len(answers)))
    own = {
        group[0]: {answer[i : i + PIECE] for i in range(len(answer) - PIECE + 1)} for answer, group in groups.items()
    }
    who = defaultdict(list)
    for student, pieces in own.items():
        for piece in pieces:
            who[piece].append(student)
    most = max(3, COMMON * len(answers))
    shared = Counter(
        pair for people in who.values() if len(people) <= most for pair in itertools.combinations(people, 2)
    )
    for a, b in sorted(shared):
        if len(own[a] & own[b]) >= NEAR * len(own[a] | own[b]):
            yield "nearly identical", [a, b]
