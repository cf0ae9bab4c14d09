"""Switch heads off: six heads of a trained encoder, what each looks at, and how many answers survive without it."""

import functools
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from attnbook.attention import softmax
from numpy.typing import ArrayLike

from ..kit.figure import Ask, Live, require_one_of
from ..kit.style import Picture
from ..static.capstone import draw_heads
from .mirror import LAYERS, WORDS, H, N, forward, is_sentence
from .mirror import sample as sample_mirror

__all__ = ["ablation", "answers", "sentences"]

INSTEAD = {"alike": 1 / N, "nothing": 0.0}  # each weight of a head that is off


def ablation(
    sentence: str = "cat sees fish and sees and",
    heads: Sequence[int] = (1, 1, 1, 1, 1, 1),
    *,
    instead: str = "alike",
    ask: Ask = None,
    label: str = "ablation",
) -> Live:
    """A live figure of the six heads of the trained encoder with positions, each of which can be switched off.

    The encoder has been trained for 100 steps to say whether *cat* comes before *fish*; it answers all 480 sentences
    correctly. Its weights are those that the experiment ``mirror`` has stored. Nothing is trained anew.

    Parameters
    ----------
    sentence : str
        Six words: *cat* and *fish* once each, and *sees* and *and* as often as you like.
    heads : sequence of {0, 1}
        1 for a head as trained, 0 for one that is off: the three heads of layer 1, then those of layer 2.
    instead : {"alike", "nothing"}
        What takes the place of the weights A of a head that is off: 1/6 everywhere, or 0.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If the sentence, the heads or ``instead`` are not as above.

    >>> ablation(heads=[1, 1, 0, 1, 1, 1]).compute()["right"]
    480
    """
    state = {"sentence": sentence, "heads": np.asarray(heads).tolist(), "instead": instead}
    return Live("ablation", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(sentence: str, heads: list, instead: str) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    if not is_sentence(sentence):
        raise ValueError(f"sentence = {sentence}; expected six of the words {', '.join(WORDS)}, cat and fish once each")
    if not isinstance(heads, list) or len(heads) != LAYERS * H or any(x not in (0, 1) for x in heads):
        raise ValueError(f"heads = {heads}; expected {LAYERS * H} numbers 0 or 1")
    require_one_of("instead", instead, INSTEAD)


def sentences() -> np.ndarray:
    """Return all 480 sentences, shape (480, 6), as indices into cat, fish, sees, and."""
    every = np.array(list(itertools.product(range(len(WORDS)), repeat=N)))
    return every[((every == 0).sum(axis=1) == 1) & ((every == 1).sum(axis=1) == 1)]


def answers(tokens: ArrayLike, heads: Sequence[int], instead: str = "alike") -> tuple[np.ndarray, np.ndarray]:
    """Return the weights A of all heads, and P(cat first), of the encoder with some heads off.

    Parameters
    ----------
    tokens : integer array (..., 6)
        Indices into cat, fish, sees, and.
    heads : sequence of {0, 1}
        1 for a head as trained, 0 for one that is off: the three heads of layer 1, then those of layer 2.
    instead : {"alike", "nothing"}
        The weights of a head that is off: 1/6 everywhere, or 0.

    Returns
    -------
    maps : array (6, ..., 6, 6)
        Row i of a map is what word i looks at.
    p : array (...)
        The probability of "cat first".
    """
    maps, scores = forward("positions", 100, tokens, lambda i, r: None if heads[H * i + r] else INSTEAD[instead])
    return maps, softmax(scores)[..., 1]


@functools.cache
def _right(heads, instead):
    tokens = sentences()
    first = (tokens == 0).argmax(axis=1) < (tokens == 1).argmax(axis=1)
    return int(((answers(tokens, heads, instead)[1] > 0.5) == first).sum())


def compute(sentence: str, heads: list, instead: str) -> dict[str, Any]:
    """Return the maps of all heads for the sentence, P(cat first), and how many of the 480 sentences are right.

    ``onFish`` is the mean weight that each head gives to *fish*. The mirror of ``compute`` in ablation.js.
    """
    words = sentence.split(" ")
    maps, p = answers([WORDS.index(word) for word in words], heads, instead)
    at = words.index("fish")
    result = {"p": float(p), "catFirst": words.index("cat") < at, "maps": maps, "onFish": maps[:, :, at].mean(axis=1)}
    return result | {"right": _right(tuple(heads), instead)}


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return ablation(heads=[1, 1, 0, 1, 1, 1])


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: all heads on, or all of them off."""
    sentence = sample_mirror(rng)["sentence"]
    heads = [int(rng.integers(2))] * 6 if rng.random() < 0.5 else rng.integers(0, 2, 6).tolist()
    return {"sentence": sentence, "heads": heads, "instead": str(rng.choice(["alike", "nothing"]))}


def still(state: dict, asking: bool) -> Picture:
    """Draw the maps of all heads; the answer and how many answers are right only if they are not asked for."""
    result = compute(**state)
    text = f"P(cat first) = {result['p']:.3f}; right: {result['right']} of 480 sentences"
    return draw_heads(state["sentence"].split(" "), result["maps"], state["heads"], "" if asking else text)
