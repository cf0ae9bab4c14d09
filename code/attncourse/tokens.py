"""Split an answer into tokens, by which answers are compared: without comments and texts, its own names numbered.

This runs in the sandbox, before any code of the student's. Standard library only.
"""

import keyword
import re

COMPARED, MOST = 20_000, 2000  # characters of an answer that are compared with others, and tokens of it
TOKEN = re.compile(r"[^\W\d]\w*|\d[\w.]*|[^\w\s]")


def tokenize(text):
    """Return the tokens of an answer, without comments and texts, and with its own names numbered."""
    seen, numbered = {}, []
    for token in TOKEN.findall(_without_texts(text)):
        attribute = bool(numbered) and numbered[-1] == "."
        own = token.isidentifier() and not keyword.iskeyword(token) and not attribute
        numbered.append(f"name {seen.setdefault(token, len(seen))}" if own else token)
    return numbered[:MOST]


def _without_texts(text):
    """Return Python without comments and the insides of texts, in one walk over it."""
    pieces, at = [], 0
    while at < len(text):
        letter = text[at]
        if letter == "#":
            end = text.find("\n", at)
            at = end if end >= 0 else len(text)
        elif letter in "\"'":
            at = _end_of_text(text, at)
            pieces.append(" '' ")
        else:
            pieces.append(letter)
            at += 1
    return "".join(pieces)


def _end_of_text(code, at):
    """Return where a text ends that begins at this letter of the code; one in single quotes ends with its line."""
    quote = code[at] * 3 if code.startswith(code[at] * 3, at) else code[at]
    at += len(quote)
    while at < len(code) and not code.startswith(quote, at):
        if len(quote) == 1 and code[at] == "\n":
            break
        at += 2 if code[at] == "\\" else 1
    return at + len(quote)
