"""Translate the messages of scripts: those of their strings that read like text for the reader.

A string with values in it is one message, ``row {i} of {2}``: a variable gives its name. A message begins with a
capital letter or holds a space between words; a single word is marked as one: ``_("weight")``. What reads like this and
is none stands where code is, or has the form of a value for the browser.
"""

import json
import re
from collections.abc import Callable, Iterator

from .javascript import Expression, Literal, line_of, literals, within

MARK = "_("
CODE_PLACES = {  # see `javascript`; what is assigned to a name that ends with `Selector` is code as well
    *("===", "in", "[", ".split("),
    *("class:", "className:", "className =", "style:", "transition ="),
    *("data-shows:", "KEY =", "session("),  # the name of a number of `compute`, and of what a browser keeps
    *("querySelector(", "querySelectorAll(", "closest(", "matches(", "find(", "findAll("),
    *("RegExp(", "matchMedia("),
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
    script = _Script(code, source)
    return script.rewritten(script.literals, 0, len(code), translate)


def is_message(text: str, place: str) -> bool:
    """Test whether a string is meant for the reader, from itself and where it stands."""
    if place == MARK:
        return True
    plain = NAME.sub("0", text)
    is_code = place in CODE_PLACES or place.endswith("Selector =") or VALUE.fullmatch(plain)
    return bool(TEXT.search(plain)) and not is_code


class _Script:
    """The literals of a script, and what they say; ``source`` is what errors call it."""

    def __init__(self, code: str, source: str):
        self.code = code
        self.source = source
        self.literals = literals(code, source)

    def messages(self) -> Iterator[tuple[str, int]]:
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

    def rewritten(self, found: list[Literal], start: int, end: int, translate: Callable[[str], str]) -> str:
        """Return the code from ``start`` to ``end``, with the messages among its literals ``found`` replaced."""
        parts = []
        for literal in found:
            parts += [self.code[start : literal.start], self._literal(literal, translate)]
            start = literal.end
        return "".join([*parts, self.code[start:end]])

    def _literal(self, literal: Literal, translate: Callable[[str], str]) -> str:
        """Return the code of a literal, with its messages replaced."""
        text = self.text(literal)
        new = translate(text) if is_message(text, literal.place) else text
        if new == text:
            inner = [inner for value in literal.expressions for inner in value.literals]
            return self.rewritten(inner, literal.start, literal.end, translate)
        if self.code[literal.start] == "`":
            values = [self.rewritten(one.literals, one.start, one.end, translate) for one in literal.expressions]
            return _template(new, dict(zip(self._names(literal), values, strict=True)))
        return json.dumps(new, ensure_ascii=False)


def _template(text: str, values: dict[str, str]) -> str:
    """Return a template that says ``text``, with the code of its values in place of their names."""

    def put(name: re.Match[str]) -> str:
        return "${" + values[name[1]] + "}" if name[1] in values else name[0]

    escaped = re.sub(r"[`\\]|\$(?=\{)", r"\\\g<0>", text)
    return f"`{NAME.sub(put, escaped)}`"
