"""Read the strings and templates of JavaScript, each with the place in the code where it stands.

Pygments splits the code into tokens. The place of a string is what gets it as its value, or what is done with it:

==========================  ============
``{ class: "a" }``          ``class:``
``caption = "a"``           ``caption =``
``write("a", x)``           ``write(``
``x === "a"``, ``case``     ``===``
``"a" in x``                ``in``
``x["a"]``                  ``[``
``"a b".split(" ")``        ``.split(``
``return "a"``              empty
==========================  ============

What stands in parentheses, in a list or in ``${…}`` has the place of the whole.

Statements must end with ``;``, as the formatter writes them: a place lasts until a ``,`` or ``;``, so without them
that of one line would be that of the next.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from pygments.lexer import include, inherit
from pygments.lexers.javascript import JavascriptLexer
from pygments.token import Comment, Error, Keyword, Name, Punctuation, String

BRACKETS = {"(": ")", "[": "]", "{": "}"}
ASSIGNS = {"=", "+=", "||=", "&&=", "??="}
COMPARES = {"===", "!==", "==", "!=", "case"}
QUOTES = ('"', "'", "`")
ESCAPE = re.compile(r"\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]+)\}|(.))", re.DOTALL)
MEANING = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}


class Lexer(JavascriptLexer):
    """Split JavaScript into tokens, without two faults of Pygments.

    Its own lexer misses a regex after an arrow, and takes any brace for the end of a ``${…}``.
    """

    tokens: ClassVar = {
        "root": [
            (r"=>", Punctuation, "slashstartsregex"),
            (r"\{", Punctuation, ("braces", "slashstartsregex")),
            inherit,
        ],
        "braces": [(r"\}", Punctuation, "#pop"), include("root")],
    }


@dataclass(frozen=True)
class Expression:
    """The code between ``${`` and ``}``: where it begins and ends, and the literals in it."""

    start: int
    end: int
    literals: list["Literal"]


@dataclass(frozen=True)
class Literal:
    """A string or a template: where it begins and ends, its place, and its pieces, without escapes."""

    start: int
    end: int
    place: str
    pieces: list[str | Expression]

    @property
    def expressions(self) -> list[Expression]:
        """The values of a template, in their order."""
        return [piece for piece in self.pieces if isinstance(piece, Expression)]


class _Token(NamedTuple):
    start: int
    kind: object
    text: str

    @property
    def is_name(self) -> bool:
        return self.kind in Name or self.kind in Keyword.Reserved


def literals(code: str, source: str) -> list[Literal]:
    """Return the literals of ``code``; those inside a template belong to its pieces. Errors name the ``source``."""
    return _Reader(code, source).read("", "")


def within(found: list[Literal]) -> Iterator[Literal]:
    """Yield the literals ``found`` and those inside them: the inner ones before the one that holds them."""
    for literal in found:
        for expression in literal.expressions:
            yield from within(expression.literals)
        yield literal


def line_of(code: str, offset: int) -> int:
    """Return the number of the line of ``code`` in which ``offset`` is."""
    return code.count("\n", 0, offset) + 1


class _Reader:
    """Read tokens one by one: ``at`` is the index of the next.

    Methods below look back from the token that was read last. A token without text stands before the first and after
    the last.
    """

    def __init__(self, code: str, source: str):
        self.code = code
        self.source = source
        self.tokens = [_Token(0, None, ""), *self._tokens(), _Token(len(code), None, "")]
        self.at = 1

    def _tokens(self) -> Iterator[_Token]:
        """Yield the tokens that mean something: neither space nor comments."""
        for start, kind, text in Lexer().get_tokens_unprocessed(self.code):
            is_broken = kind in (String.Double, String.Single) and "\n" in text.replace("\\\n", "")
            if kind in Error or is_broken:
                raise self._error(start, "this is not JavaScript that Pygments can read")
            if kind in String:
                yield _Token(start, kind, text)
            elif text.strip() and kind not in Comment:
                yield _Token(start, kind, text.strip())

    def _error(self, offset: int, what: str) -> ValueError:
        return ValueError(f"{self.source}:{line_of(self.code, offset)}: {what}")

    @property
    def last(self) -> _Token:
        """The token that was read last."""
        return self._before(1)

    @property
    def previous(self) -> _Token:
        """The token before the one that was read last."""
        return self._before(2)

    def _before(self, count: int) -> _Token:
        """Return the token ``count`` places before the next one, or the empty token at the start."""
        return self.tokens[max(self.at - count, 0)]

    def read(self, end: str, outer: str) -> list[Literal]:
        """Read up to the closing bracket ``end``, and return the literals on the way; ``outer`` is their place."""
        found: list[Literal] = []
        opened = self.last.start
        place = outer
        while (token := self.tokens[self.at]).text != end:
            self.at += 1
            if token.text == "":
                raise self._error(opened, "a bracket that is not closed")
            if token.text in BRACKETS.values():
                raise self._error(token.start, f"{token.text} closes another bracket than is open")
            if token.text in BRACKETS:
                found += self.read(BRACKETS[token.text], self._place_within(place))
            elif token.text.startswith(QUOTES):
                found.append(self._literal(token, place))
            place = self._place_after(token.text, place, outer)
        self.at += 1
        return found

    def _literal(self, first: _Token, place: str) -> Literal:
        """Read the rest of the literal that begins with ``first``, the token that was read last, and return it."""
        place = _place_beside(self.previous.text, place)
        written = self._template(first, place) if first.text == "`" else [first.text[1:-1]]
        pieces = [_unescape(piece) if isinstance(piece, str) else piece for piece in written]
        end = self.last.start + len(self.last.text)
        return Literal(first.start, end, self._place_from_use(place), pieces)

    def _template(self, first: _Token, place: str) -> list[str | Expression]:
        """Read the rest of the template that begins with ``first``, and return its pieces as they are written."""
        pieces: list[str | Expression] = [""]
        while (token := self.tokens[self.at]).text != "`":
            self.at += 1
            if token.kind in String.Interpol:
                inner = self.read("}", place)
                pieces += [Expression(token.start + 2, self.last.start, inner), ""]
            elif token.text:
                pieces[-1] = f"{pieces[-1]}{token.text}"
            else:
                raise self._error(first.start, "a template that is not closed")
        self.at += 1
        return pieces

    # --- Places -------------------------------------------------------------------------------------------------------

    def _place_from_use(self, place: str) -> str:
        """Return the place of the literal that was read last: ``place``, unless the code behind it says otherwise."""
        after = [token.text for token in self.tokens[self.at : self.at + 3]]
        if after == [".", "split", "("]:
            return ".split("
        if after[0] == "in":
            return "in"
        return _place_beside(after[0], place)

    def _place_within(self, place: str) -> str:
        """Return the place of what stands inside the bracket that was read last."""
        bracket, before = self.last.text, self.previous
        if bracket == "{":
            return ""
        if bracket == "(":
            return f"{before.text}(" if before.is_name else place
        return "[" if before.is_name or before.text in (")", "]") else place

    def _place_after(self, text: str, place: str, outer: str) -> str:
        """Return the place of the code after the token ``text``, which stands at ``place``."""
        if text in (",", ";"):
            return outer
        if text == ":" and self._before(3).text in ("{", ","):
            return f"{self.previous.text.strip(''.join(QUOTES))}:"
        if text in ASSIGNS:
            return f"{self.previous.text} ="
        return place


def _place_beside(operator: str, place: str) -> str:
    """Return the place of a literal beside ``operator``: "===" for any comparison, else ``place``."""
    return "===" if operator in COMPARES else place


def _unescape(text: str) -> str:
    """Return a piece of a literal with its escapes resolved."""
    resolved = ESCAPE.sub(_character, text)
    return resolved.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")  # two escapes may be one sign


def _character(escape: re.Match[str]) -> str:
    """Return the character that an escape stands for."""
    code = escape[1] or escape[2] or escape[3]
    return chr(int(code, 16)) if code else MEANING.get(escape[4], escape[4])
