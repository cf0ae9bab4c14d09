"""What a figure hands over: a record of its data, besides the HTML that a notebook shows.

A cell emits the record as MIME data of the type ``MIME``. The site draws a page from it, and the book's notebooks and
translations read it; nothing reads the HTML of a figure to learn what the figure holds.
"""

from typing import Any, Literal, NotRequired, TypedDict

__all__ = ["MIME", "Control", "ExplorerRecord", "LiveRecord", "PictureRecord", "Record", "bundle", "drawing"]

#: The type of the data that a cell emits for a figure.
MIME = "application/vnd.attnbook.figure+json"


class PictureRecord(TypedDict):
    """A drawing: one SVG, or several in elements that lay them out."""

    kind: Literal["picture"]
    drawing: str


class Control(TypedDict):
    """A slider or a menu of an explorer: the texts that it can show, and the index of the one shown first."""

    id: str
    label: str
    texts: list[str]
    start: int


class ExplorerRecord(TypedDict):
    """A drawing for every choice; the choice of the last control changes fastest."""

    kind: Literal["explorer"]
    id: str
    controls: list[Control]
    chosen: str  # the first choice in words, for paper
    first: int  # the index of its drawing
    drawings: list[str]


class LiveRecord(TypedDict):
    """A live figure in its state: its drawing is a still, and ``ask`` what the reader is asked before the answers."""

    kind: Literal["live"]
    name: str
    label: str  # its id on the page
    state: dict[str, Any]
    ask: dict[str, Any] | str | None
    drawing: str
    words: NotRequired[list[list[str]]]  # in another language: pairs of a word of the state and how it reads


Record = PictureRecord | ExplorerRecord | LiveRecord


def drawing(record: Record) -> str:
    """Return what a figure shows before any script runs: SVG, or elements that hold some."""
    return record["drawings"][record["first"]] if record["kind"] == "explorer" else record["drawing"]


def bundle(record: Record, text: str, html: str) -> dict[str, Any]:
    """Return what a cell displays: words where there is no screen, HTML for a notebook, and the record."""
    return {"text/plain": text, "text/html": html, MIME: record}
