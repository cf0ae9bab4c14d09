"""All heads of a language model in one sentence: what each reads, and what the next word becomes without it."""

import base64
import functools
from typing import Any, NamedTuple

import numpy as np
from attnbook.arrays import require_int
from attnbook.results import load
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from ..kit.figure import Ask, Live, require_one_of
from ..kit.style import PALETTE, Picture, canvas, number, picture, tiles

__all__ = ["wall"]

LAYERS, HEADS = 30, 9
INSTEAD = {"mean": "its mean output", "uniform": "uniform weights"}
HIGHLIGHTS = ("all", "here", "first", "before", "after", "needed")
TILE, CELLS = 17, 15  # points from one tile of the still to the next, and how wide its cells are together
LEVELS = 4  # of grey


def wall(
    sentence: str = "The keys to the cabinet",
    layer: int = 26,
    head: int = 0,
    *,
    word: int | None = None,
    instead: str = "mean",
    highlight: str = "all",
    ask: Ask = None,
    label: str = "wall",
) -> Live:
    """A live figure of the weights A of all 30 · 9 heads of SmolLM2-135M in a sentence, and of one head in detail.

    The weights, in steps of 1/255, and what the next word becomes without a head, are those that the experiment
    ``model_head_wall`` has stored. Nothing is computed anew by the model.

    Parameters
    ----------
    sentence : str
        "The keys to the cabinet", "The keys to the old cabinet in the hall", or
        " Tom gave Mary a book. The book now belongs to", which begins with a space.
    layer, head : int
        The head in detail: layer 0 to 29, and head 0 to 8.
    word : int, optional
        The token whose row is shown, the last unless given.
    instead : {"mean", "uniform"}
        What takes the place of the head: its mean output over other texts, or uniform weights.
    highlight : {"all", "here", "first", "before", "after", "needed"}
        The heads that stand out. They give more than half of their weight to the token to which the head in detail
        gives most ("here", in the row of ``word``), to token 0 ("first"), to the token before ("before"), or, in random
        tokens shown twice, to the token after the previous occurrence ("after"); or without them the log-odds of the
        right word fall by more than 0.5 ("needed").
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If one of these is not as above.

    >>> wall().compute()["key"]
    1
    """
    if word is None:
        require_one_of("sentence", sentence, _stored())
        word = len(_stored()[sentence].tokens) - 1
    state = {
        "sentence": sentence,
        "layer": layer,
        "head": head,
        "word": word,
        "instead": instead,
        "highlight": highlight,
    }
    return Live("wall", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(sentence: str, layer: int, head: int, word: int, instead: str, highlight: str) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    require_one_of("sentence", sentence, _stored())
    require_int("layer", layer, least=0, most=LAYERS - 1)
    require_int("head", head, least=0, most=HEADS - 1)
    require_int("word", word, least=0, most=len(_stored()[sentence].tokens) - 1)
    require_one_of("instead", instead, INSTEAD)
    require_one_of("highlight", highlight, HIGHLIGHTS)


class _Sentence(NamedTuple):
    """What is stored of a sentence; ``parts`` (270, n, n) are the weights in parts of 255."""

    tokens: list[str]
    words: list[str]
    whole: float
    parts: np.ndarray
    changes: dict[str, list[float]]
    direct: list[float]


@functools.cache
def _stored() -> dict[str, _Sentence]:
    return {member["text"]: _read(member) for member in load("model_head_wall")["members"]}


def _read(member: dict[str, Any]) -> _Sentence:
    n = len(member["tokens"])
    before = np.frombuffer(base64.b64decode(member["weights"]), dtype=np.uint8)
    parts = np.zeros((LAYERS * HEADS, n, n), dtype=int)
    parts[:, *np.tril_indices(n, -1)] = before.reshape(LAYERS * HEADS, -1)
    parts[:, range(n), range(n)] = np.maximum(255 - parts.sum(axis=-1), 0)  # the others are rounded
    changes = {way: member[way] for way in INSTEAD}
    return _Sentence(member["tokens"], member["words"], member["log-odds"], parts, changes, member["direct"])


@functools.cache
def _after() -> np.ndarray:
    """Return the median weight after the previous occurrence of ten heads, the strongest in random tokens."""
    medians = np.zeros(LAYERS * HEADS)
    for found in load("model_induction")["summary"]["weight after the previous occurrence"]:
        layer, head = found["layer, head"]
        medians[HEADS * layer + head] = found["weight"][1]
    return medians


def _measure(highlight: str, stored: _Sentence, word: int, key: int, instead: str) -> np.ndarray:
    """Return the number of each head that decides whether it stands out: it does above 1/2."""
    parts, n = stored.parts, len(stored.tokens)
    rows = np.arange(2, n)  # in row 1 the token before is token 0
    of = {
        "all": lambda: np.ones(len(parts)),
        "here": lambda: parts[:, word, key] / 255,
        "first": lambda: parts[:, 1:, 0].sum(axis=1) / (255 * (n - 1)),
        "before": lambda: parts[:, rows, rows - 1].sum(axis=1) / (255 * (n - 2)),
        "after": _after,
        "needed": lambda: -np.array(stored.changes[instead]),
    }
    return of[highlight]()


def compute(sentence: str, layer: int, head: int, word: int, instead: str, highlight: str) -> dict[str, Any]:
    """Return a row of a head, what it sends to the answer, the answer with and without it, and the heads to highlight.

    ``row`` (n,) are the weights of the token ``word``, of which ``weight``, the largest, is on the token ``key``. The
    answer is the log-odds of the right word: ``whole`` as trained, ``answers`` without each of the 270 heads, of which
    ``without`` is the one in detail; ``direct`` is what it adds to the answer past all later layers. ``measure`` (270,)
    is above 1/2 for the heads ``marked``. The mirror of ``compute`` in wall.js.
    """
    stored, k = _stored()[sentence], HEADS * layer + head
    row = stored.parts[k, word] / 255
    key = int(row.argmax())
    answers = stored.whole + np.array(stored.changes[instead])
    measure = _measure(highlight, stored, word, key, instead)
    return {
        "row": row,
        "key": key,
        "weight": row[key],
        "direct": stored.direct[k],
        "whole": stored.whole,
        "without": answers[k],
        "answers": answers,
        "measure": measure,
        "marked": np.flatnonzero(measure > 0.5),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return wall(highlight="here")


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: a head at a corner of the wall, and the first token or the last."""
    sentence = str(rng.choice([*_stored()]))
    last = len(_stored()[sentence].tokens) - 1
    extreme = rng.random() < 0.5
    return {
        "sentence": sentence,
        "layer": int(rng.choice([0, LAYERS - 1]) if extreme else rng.integers(LAYERS)),
        "head": int(rng.choice([0, HEADS - 1]) if extreme else rng.integers(HEADS)),
        "word": int(rng.choice([0, last]) if extreme else rng.integers(last + 1)),
        "instead": str(rng.choice([*INSTEAD])),
        "highlight": str(rng.choice(HIGHLIGHTS)),
    }


def still(state: dict, asking: bool) -> Picture:
    """Draw the weights of all heads, one of them in a frame; what it does only if it is not asked for."""
    result, stored = compute(**state), _stored()[state["sentence"]]
    layer, head = state["layer"], state["head"]
    fig, ax = canvas(14 + LAYERS * TILE + 2, 16 + HEADS * TILE + 36)
    _draw_axes(ax)
    _draw_weights(ax, stored, state["word"], result["marked"])
    x, y = _corner(HEADS * layer + head)
    ax.add_patch(Rectangle((x - 1, y - 1), TILE, TILE, facecolor="none", edgecolor=PALETTE["orange"], linewidth=2))
    word, key = (stored.tokens[i].strip() for i in (state["word"], result["key"]))
    reads = f"Head {head} of layer {layer}: {word} gives {result['weight']:.2f} of its weight to {key}."
    ax.text(14, 16 + HEADS * TILE + 12, reads, va="center")
    alt = f"The weights of {LAYERS} layers of {HEADS} heads in the sentence: {state['sentence'].strip()}. {reads}"
    if asking:
        return picture(fig, f"{alt} What the answer becomes without it is for you to predict.")
    right, wrong = (text.strip() for text in stored.words)
    does = (
        f"With {INSTEAD[state['instead']]} in its place, the log-odds of {right} against {wrong} go from "
        f"{number(result['whole'], 2)} to {number(result['without'], 2)}."
    )
    ax.text(14, 16 + HEADS * TILE + 27, does, va="center")
    return picture(fig, f"{alt} {does}")


def _corner(k: int) -> tuple[int, int]:
    """Return where the tile of head k of all begins."""
    layer, head = divmod(k, HEADS)
    return 14 + TILE * layer, 16 + TILE * head


def _draw_axes(ax: Axes) -> None:
    """Number the layers above the wall, and the heads beside it."""
    for layer in range(0, LAYERS, 5):
        x = _corner(HEADS * layer)[0]
        ax.text(x, 8, str(layer) if layer else "layer 0", va="center")
    for head in range(0, HEADS, 2):
        ax.text(9, _corner(head)[1] + CELLS / 2, str(head), ha="right", va="center")


def _draw_weights(ax: Axes, stored: _Sentence, word: int, marked: np.ndarray) -> None:
    """Draw a cell for each weight, the darker the larger, the row of ``word`` in blue, heads not ``marked`` faint."""
    n, size = len(stored.tokens), CELLS / len(stored.tokens)
    level = np.round(LEVELS * stored.parts / 255).astype(int)
    full, chosen = np.isin(np.arange(len(level)), marked)[:, None, None], (np.arange(n) == word)[:, None]
    corners = [_corner(k) for k in range(len(level))]
    for value in range(1, LEVELS + 1):
        for colour, rows in (("#000000", ~chosen), (PALETTE["blue"], chosen)):
            for strength, heads in ((1.0, full), (0.25, ~full)):
                cells = np.argwhere((level == value) & rows & heads)
                if len(cells):
                    places = [(corners[k][0] + size * j, corners[k][1] + size * i) for k, i, j in cells]
                    tiles(ax, places, size, size, (colour, strength * value / LEVELS))
