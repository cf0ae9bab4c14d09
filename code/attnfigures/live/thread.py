"""One thread: all orders of six words in a trained encoder, whose positions have a strength that the reader turns."""

import functools
import itertools
from typing import Any

import numpy as np

from ..kit.figure import Ask, Live, require_within
from ..kit.style import PALETTE, Picture, figure, picture
from .mirror import WORDS, forward

__all__ = ["curves", "log_odds", "orders", "thread"]

START = "fish sees cat and sees and"  # without positions the model is wrong here


def thread(sentence: str = START, *, alpha: float = 0.0, ask: Ask = None, label: str = "thread") -> Live:
    """A live figure of one trained encoder that reads X + αE: does *cat* come before *fish*, in each of 180 orders?

    The encoder is the one of the experiment ``mirror`` with positions, after 100 steps; nothing is trained anew.

    Parameters
    ----------
    sentence : str
        The words *cat*, *fish*, *sees*, *sees*, *and* and *and* in some order.
    alpha : float
        α, from 0 to 1: the strength of the positions.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If the sentence or α is not as above.

    >>> result = thread().compute()
    >>> result["answers"], result["right"]
    (1, 90)
    """
    state = {"sentence": sentence, "alpha": float(alpha)}
    return Live("thread", state, compute=compute, check=check, still=still, ask=ask, label=label)


@functools.cache
def orders() -> list[tuple[str, ...]]:
    """Return the 180 distinct orders of the six words, in alphabetical order."""
    return sorted(set(itertools.permutations(START.split(" "))))


@functools.cache
def _truth():
    return np.array([words.index("cat") < words.index("fish") for words in orders()])


def log_odds(alpha: float) -> np.ndarray:
    """Return ln(P(cat first) / P(fish first)) of the 180 orders, shape (180,), with positions of strength ``alpha``.

    >>> bool(np.ptp(log_odds(0.0)) < 1e-12)
    True
    """
    tokens = [[WORDS.index(word) for word in words] for words in orders()]
    scores = forward("positions", 100, tokens, strength=alpha)[1]
    return scores[:, 1] - scores[:, 0]


@functools.cache
def curves(count: int = 41) -> tuple[np.ndarray, np.ndarray]:
    """Return ``count`` strengths from 0 to 1, and the log-odds of all orders at each, shape (count, 180)."""
    alphas = np.linspace(0, 1, count)
    return alphas, np.array([log_odds(alpha) for alpha in alphas])


def check(sentence: str, alpha: float) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    if not isinstance(sentence, str) or tuple(sentence.split(" ")) not in orders():
        raise ValueError(f"sentence = {sentence!r}; expected an order of the words {START}")
    require_within("alpha", alpha, 0, 1)


def compute(sentence: str, alpha: float) -> dict[str, Any]:
    """Return P(cat first) of the sentence, and the log-odds of all orders, with what is right and how many differ.

    Two answers are the same if their log-odds differ by less than rounding can. The mirror of ``compute`` in thread.js.
    """
    odds, at = log_odds(alpha), orders().index(tuple(sentence.split(" ")))
    return {
        "p": 1 / (1 + np.exp(-odds[at])),
        "catFirst": bool(_truth()[at]),
        "odds": odds,
        "right": int(((odds > 0) == _truth()).sum()),
        "answers": 1 + int((np.diff(np.sort(odds)) > 1e-12).sum()),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return thread("fish sees cat and sees and", alpha=0.55)


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    No positions, hardly any, all of them; cat and fish at the ends.
    """
    if rng.random() < 0.5:
        alpha = float(rng.choice([0, 0.001, 1]))
        sentence = str(rng.choice(["cat sees and sees and fish", "fish and and sees sees cat"]))
    else:
        alpha = round(float(rng.random()), 3)
        sentence = " ".join(orders()[rng.integers(len(orders()))])
    return {"sentence": sentence, "alpha": alpha}


def still(state: dict, asking: bool) -> Picture:
    """Draw the log-odds of all orders over α, and the sentence of the state on its curve unless it is asked for."""
    sentence, alpha = state["sentence"], state["alpha"]
    alphas, odds = curves()
    fig, ax = figure(width=4.6, height=3.2)
    ax.set(xlim=(0, 1), ylim=(-8, 7), xlabel="strength of the positions, α", ylabel="log-odds of “cat first”")
    alt = f"What a trained encoder says of the {len(orders())} orders of the words of “{sentence}”, over α"
    if asking:
        return picture(fig, f"{alt}; its answers are for you to predict.")
    for name, colour, side, y in (("cat", "orange", True, 5.9), ("fish", "blue", False, -7.7)):
        lines = odds[:, _truth() == side]
        gap = np.full((1, lines.shape[1]), np.nan)
        x = np.concatenate([np.tile(alphas[:, None], lines.shape[1]), gap]).T.ravel()
        ax.plot(x, np.concatenate([lines, gap]).T.ravel(), color=PALETTE[colour], lw=0.6, alpha=0.6)
        ax.text(0.98, y, f"{name} comes first: {lines.shape[1]} orders", ha="right", color=PALETTE[colour])
    ax.axhline(0, color="#000000", lw=0.8, ls=(0, (3, 3)))
    ax.text(0.02, 0.2, "undecided", va="bottom")
    result = compute(**state)
    ax.plot(alpha, np.log(result["p"] / (1 - result["p"])), "o", mfc="none", mec="#000000", markersize=9, clip_on=False)
    tail = f"here α is {alpha:.3f}, P(cat first) of the ringed sentence is {result['p']:.3f}"
    ends = "All curves begin at one point; towards α = 1 those with cat first stay above 0 and the others lie below"
    return picture(fig, f"{alt}. {ends}; {tail}, and {result['right']} of {len(orders())} are right.")
