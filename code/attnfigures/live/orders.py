"""All orders of five words in a language model that has read the web, with and without mask, and with weaker positions.

Nothing is computed when the reader moves something: the experiment ``model_orders`` has stored the answers.
"""

import base64
import functools
from typing import Any, NamedTuple

import numpy as np
from attnbook.permutations import permutations
from attnbook.results import load

from ..kit.figure import Ask, Live, require_one_of
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["orders"]

WORDS = ["Tom", "gave", "Mary", "a", "book"]
ORDERS = [" ".join(WORDS[i] for i in order) for order in permutations(len(WORDS))]
STOPS = [k / 8 for k in range(9)]
SHOWN = 5  # so many of the next words are stored for each order
NAMES = [" Tom", " Mary"]


def orders(
    sentence: str = "Tom gave Mary a book",
    *,
    alpha: float = 1.0,
    ahead: bool = False,
    ask: Ask = None,
    label: str = "orders",
) -> Live:
    """A live figure of a language model that reads five words in any order: does the book belong to Tom or to Mary?

    The words stand before *. The book now belongs to*, and each token is rotated by the angles α θ t. All answers, 120
    orders with and without mask and with nine strengths α, are those of the experiment ``model_orders``.

    Parameters
    ----------
    sentence : str
        The words *Tom*, *gave*, *Mary*, *a* and *book* in some order.
    alpha : float
        α, from 0 to 1 by eighths: the strength of the positions.
    ahead : bool
        Whether every token may look at later ones too, without the mask.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If the sentence, α or the mask is not as above.

    >>> orders("Mary gave Tom a book").compute()["words"][0]
    ' Tom'
    """
    state = {"sentence": sentence, "alpha": float(alpha), "ahead": ahead}
    return Live("orders", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(sentence: str, alpha: float, ahead: bool) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    if sentence not in ORDERS:
        raise ValueError(f"sentence = {sentence!r}; expected an order of the words {ORDERS[0]}")
    require_one_of("alpha", alpha, STOPS)
    require_one_of("ahead", ahead, (False, True))


class Answers(NamedTuple):
    """Of every order the log-odds of Mary against Tom (120,), the five likeliest next words, and their p (120, 5)."""

    odds: np.ndarray
    words: np.ndarray
    p: np.ndarray


@functools.cache
def answers(alpha: float, ahead: bool) -> Answers:
    """Return what the model answers to all orders with positions of strength ``alpha``, with or without its mask."""
    [stored] = [x for x in load("model_orders")["members"] if (x["strength"], x["mask"]) == (alpha, not ahead)]
    top, p = (_bytes(stored[name]) for name in ("top", "p"))
    return Answers(np.array(stored["odds"]), np.array(stored["words"])[top], (p / 255) ** 2)


def _bytes(text):
    """Five numbers from 0 to 255 for each order, (120, 5)."""
    return np.frombuffer(base64.b64decode(text), np.uint8).reshape(len(ORDERS), SHOWN)


def compute(sentence: str, alpha: float, ahead: bool) -> dict[str, Any]:
    """Return the next words and the log-odds of the sentence, and the log-odds of all orders.

    ``words`` are five of the likeliest, *Tom* and *Mary* always among them, and ``percent`` is 100 p of each; if
    ``bounds``, neither name is stored, and theirs are above the true ones. ``odds`` are ln p(Mary)/p(Tom), those of the
    sentence ``own``, and the smaller of *Mary* and *Tom* goes ``times`` into the larger; ``range`` is between the
    largest and the smallest. The mirror of ``compute`` in orders.js.
    """
    at = ORDERS.index(sentence)
    odds, words, p = answers(alpha, ahead)
    return _rows(words[at].tolist(), 100 * p[at], odds[at]) | {
        "odds": odds,
        "own": odds[at],
        "times": np.exp(abs(odds[at])),
        "range": np.ptp(odds),
    }


def _rows(words: list[str], percent: np.ndarray, odds: float) -> dict[str, Any]:
    """Return the likeliest words, *Tom* and *Mary* always among them, and their percentages.

    One name that is not stored follows from the other and the log-odds. If both are not, the likelier is below the
    least that is stored, and the other below that over the odds; both bounds are rounded up.
    """
    stored = [k for k in range(SHOWN) if words[k] in NAMES]
    others = [k for k in range(SHOWN) if words[k] not in NAMES][: SHOWN - len(NAMES)]
    shown = sorted(stored + others)
    ranked = NAMES[::-1] if odds > 0 else NAMES
    missing = [name for name in ranked if name not in words]
    least = percent[-1]
    times = np.exp(abs(odds))
    bounds = np.ceil(10 * np.array([least, least / times]) - 1e-9) / 10
    rest = [min(least, percent[stored[0]] / times)] if stored else bounds
    return {
        "words": [words[k] for k in shown] + missing,
        "percent": [*percent[shown], *rest[: len(missing)]],
        "bounds": len(missing) == len(NAMES),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return orders("gave Mary a Tom book", alpha=0.625)


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: as trained or without positions, the names exchanged or not."""
    extreme = rng.random() < 0.5
    sentences, stops = ((ORDERS[0], "Mary gave Tom a book"), (0.0, 1.0)) if extreme else (ORDERS, STOPS)
    return {
        "sentence": str(rng.choice(sentences)),
        "alpha": float(rng.choice(stops)),
        "ahead": bool(rng.random() < 0.5),
    }


def likelier(odds: float) -> str:
    """Say which name is how many times as likely."""
    first, second = ("Mary", "Tom") if odds > 0 else ("Tom", "Mary")
    times = np.exp(abs(odds))
    return f"{first} is {times:.{int(times < 10)}f} times as likely as {second}"


def still(state: dict, asking: bool) -> Picture:
    """Draw a dot for each order, in rows by the first word, and the sentence in its ring unless it is asked for."""
    result = compute(**state)
    fig, ax = figure(width=6.4, height=2.8)
    ticks = {"10 times": -np.log(10), "equal": 0, "10 times ": np.log(10), "100 times": np.log(100)}
    ax.set(xlim=(-4.4, 6.4), xlabel="Tom is likelier on the left, Mary on the right")
    ax.set_xticks(list(ticks.values()), list(ticks))
    ax.set(ylim=(len(WORDS) - 0.5, -0.5), ylabel="first word")
    ax.set_yticks(range(len(WORDS)), [f"{word} …" for word in WORDS])
    ax.axvline(0, color="#000000", lw=0.8, ls=(0, (3, 3)))
    sight = "sees later words too" if state["ahead"] else "sees only earlier words"
    alt = f"What a language model with positions of strength {state['alpha']}, which {sight}, answers to 120 orders"
    if asking:
        return picture(fig, f"{alt}; its answers are for you to predict.")
    odds, height = result["odds"], lanes()
    for name, side in (("orange", odds <= 0), ("blue", odds > 0)):
        ax.plot(odds[side], height[side], "o", color=PALETTE[name], markersize=3, alpha=0.7)
    at = ORDERS.index(state["sentence"])
    ax.plot(odds[at], height[at], "o", mfc="none", mec="#000000", markersize=9)
    guesses = ", ".join(map(repr, result["words"][: SHOWN - len(NAMES)]))
    return picture(
        fig, f"{alt}. After “{state['sentence']}” {likelier(result['own'])}; its first guesses are {guesses}."
    )


def lanes() -> np.ndarray:
    """Return a height for each order: rows by the first word, in which the orders are spread."""
    row, place = np.divmod(np.arange(len(ORDERS)), len(ORDERS) // len(WORDS))
    return row + (place - place.mean()) / 34
