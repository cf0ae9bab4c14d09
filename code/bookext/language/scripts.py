"""Translate the messages of scripts: those of their strings that are meant for the reader.

A template becomes one message: ```row ${i} of ${n + 1}``` is ``row {i} of {2}``, a variable under its name, any other
value under its number. A message begins with a capital letter or holds a space between words; a single word in lower
case is marked as a message: ``_("weight")``. A string that looks like a message is not one if it stands where code
expects a name (`CODE_PLACES`), or has the form of a CSS or SVG value, or of markup (`VALUE`).
"""

import json
import re
from collections.abc import Callable, Iterator

from .javascript import Expression, Literal, line_of, literals, within

MARK = "_("
# Where a string is part of the code; `javascript` says what a place is. What is assigned to a name that ends with
# `Selector` is code as well.
CODE_PLACES = {
    # compared, looked up, or cut into the words that a model reads
    "===",
    "in",
    "[",
    ".split(",
    # classes and CSS
    "class:",
    "className:",
    "className =",
    "style:",
    "transition =",
    "matchMedia(",
    # the name of a number of `compute`
    "data-shows:",
    # the name under which a browser keeps something
    "KEY =",
    "session(",
    # selectors
    "querySelector(",
    "querySelectorAll(",
    "closest(",
    "matches(",
    "find(",
    "findAll(",
    # regular expressions
    "RegExp(",
}
VALUE = re.compile(  # all of a string, in which 0 stands for a value
    r"""
      (live-[\w-]+[ ]? | 0[ ]?)+                          # classes of figures
    | ((translate | rotate | scale)\([-\d., px]*\)[ ]?)+  # "translate(5px, 2px)"
    | (\d+(px | fr)?[ ]?)+                                # "5px 0"
    | <[a-z].*                                            # markup
    """,
    re.VERBOSE,
)
TEXT = re.compile(
    r"""
      ^\W*[A-Z][a-z]+(\W|$)       # "Shuffle"
    | [a-z]{2,}[,:;.)”’"'`]*\ \S  # "later words", "keys, 5", "keys: {count}"
    | \w\ [a-z]{2,}              # "a key", "60 steps"
    """,
    re.VERBOSE,
)
NAME = re.compile(r"\{(\w+)\}")


def messages(code: str, source: str = "script") -> list[tuple[str, int]]:
    """Return the messages of the JavaScript ``code``, in their order, each with its line."""
    return list(_Script(code, source).messages())


def rewrite(code: str, translate: Callable[[str], str], source: str = "script") -> str:
    """Return ``code`` with each of its messages replaced by what ``translate`` returns for it."""
    script = _Script(code, source, translate)
    return script.rewrite_between(0, len(code), script.literals)


def is_message(text: str, place: str) -> bool:
    """Test whether a string is meant for the reader, from itself and where it stands."""
    if place == MARK:
        return True
    plain = NAME.sub("0", text)
    is_code = place in CODE_PLACES or place.endswith("Selector =") or VALUE.fullmatch(plain)
    return bool(TEXT.search(plain)) and not is_code


class _Script:
    """The literals of a script, and the messages among them; ``source`` is what errors call it."""

    def __init__(self, code: str, source: str, translate: Callable[[str], str] = str):  # str changes nothing
        self.code = code
        self.source = source
        self.translate = translate
        self.literals = literals(code, source)

    def messages(self) -> Iterator[tuple[str, int]]:
        """Yield the messages, each with its line; those inside a template come before its own."""
        for literal in within(self.literals):
            text = self.text(literal)
            if is_message(text, literal.place):
                yield text, line_of(self.code, literal.start)

    def text(self, literal: Literal) -> str:
        """Return what a literal says, its values as names in braces."""
        names = iter(self._names(literal))
        pieces = [f"{{{next(names)}}}" if isinstance(piece, Expression) else piece for piece in literal.pieces]
        return "".join(pieces)

    def _names(self, literal: Literal) -> list[str]:
        """Return the name of each value of a template: that of the variable, or else a number."""
        names: list[str] = []
        for value in literal.expressions:
            code = self.code[value.start : value.end]
            names.append(code if code.isidentifier() else str(len(set(names)) + 1))
        written = {name for piece in literal.pieces if isinstance(piece, str) for name in NAME.findall(piece)}
        if twice := written.intersection(names):
            line = line_of(self.code, literal.start)
            raise ValueError(f"{self.source}:{line}: {{{min(twice)}}} is both text and a value of one template")
        return names

    def rewrite_between(self, start: int, end: int, found: list[Literal]) -> str:
        """Return the code from ``start`` to ``end``, with the messages among its literals ``found`` translated."""
        parts = []
        for literal in found:
            parts += [self.code[start : literal.start], self.rewrite_literal(literal)]
            start = literal.end
        return "".join([*parts, self.code[start:end]])

    def rewrite_literal(self, literal: Literal) -> str:
        """Return the code of a literal, with the messages in it translated."""
        text = self.text(literal)
        new = self.translate(text) if is_message(text, literal.place) else text
        if new == text:
            inner = [inner for value in literal.expressions for inner in value.literals]
            return self.rewrite_between(literal.start, literal.end, inner)
        if self.code[literal.start] == "`":
            values = [self.rewrite_between(one.start, one.end, one.literals) for one in literal.expressions]
            return _template(new, dict(zip(self._names(literal), values, strict=True)))
        return json.dumps(new, ensure_ascii=False)


def _template(text: str, values: dict[str, str]) -> str:
    """Return a template that says ``text``, with the code of its values in place of their names."""

    def put(name: re.Match[str]) -> str:
        return "${" + values[name[1]] + "}" if name[1] in values else name[0]

    escaped = re.sub(r"[`\\]|\$(?=\{)", r"\\\g<0>", text)
    return f"`{NAME.sub(put, escaped)}`"
