"""Find in the cells of a notebook what is marked: functions that are asked for, answers in words, and whose they are.

This runs in the sandbox, before any code of the student's. Standard library only.
"""

import re

from . import scopes, tokens

LONGEST = 20_000  # characters of a written answer that are shown
PICTURE = re.compile(r"\(data:image/[^()\n]*\)")  # as Colab puts one into a text
LOGIN = re.compile(r"^LOGIN[ \t]*=[ \t]*([\"'])(.*?)\1", re.MULTILINE)
NUMBERED = re.compile(r"#*[ \t]*(\d{1,2})\.[ \t]*(.*)")  # the heading of a question


def body(cells, name):
    """Return the text of the last `def name` in the cells, to the next line that is not indented."""
    for source in reversed(cells):
        starts = [match.start() for match in scopes.DEF.finditer(source) if match[1] == name]
        if starts:
            lines = source[starts[-1] : starts[-1] + tokens.COMPARED].split("\n")
            ends = (n for n, line in enumerate(lines) if n and line.strip() and line[0] not in " \t)#")
            return "\n".join(lines[: next(ends, len(lines))])
    return ""


def is_answered(function):
    """Return whether a function is more than its stub, whose line may be left behind a return or in a comment."""
    lines = [line.strip() for line in function.split("\n")]
    if scopes.STUB not in lines:
        return bool(function)
    above = lines[: lines.index(scopes.STUB)]
    return any(line.startswith("return") for line in above)


def login(cells):
    """Return what the notebook says of whose it is."""
    said = [match[2] for cell in cells for match in LOGIN.finditer(cell)]
    return said[-1][:100].strip() if said else ""


def written_answers(cells, questions):
    """Return what a student wrote to each written question, by its number from 0, from (kind, text) cells.

    An answer is what stands below the heading of its question, in text or code cells, without the question itself. A
    question without its heading is not there.
    """
    answers, current = {}, None
    for kind, text in cells:
        headed = None if kind == "code" else _headed(text, questions)
        if headed is not None:
            current, text = headed, _below_heading(text)
        if current is not None and questions[current]["written"]:
            answers.setdefault(str(current), []).append(_own_words(text, questions[current]))
    return {number: _cut("\n\n".join(filter(None, parts))) for number, parts in answers.items()}


def _headed(text, questions):
    """Return the number, from 0, of the question whose heading begins a text, or None."""
    first = text.lstrip().partition("\n")[0]
    heading = NUMBERED.fullmatch(first[:500].strip())
    if heading is None:
        return None
    for number, question in enumerate(questions):
        if heading[1] == str(number + 1) and heading[2].startswith(question["title"]):
            return number
    return None


def _below_heading(text):
    """Return what stands below the first line of a text that is not blank."""
    return text.lstrip().partition("\n")[2]


def _own_words(text, question):
    """Return a text without what was handed out of the question, and without pictures."""
    for known in (question["text"], question["written"]):
        text = text.replace(known, "")
    return PICTURE.sub("(a picture in the notebook)", text).strip()


def _cut(text):
    """Return an answer, or its beginning if it is too long to be shown."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n(Cut here: the notebook has {len(text)} characters.)"
