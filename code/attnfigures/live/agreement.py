"""A query in a trained head: the place of a verb asks, the words before it answer, and their values say is or are."""

import functools
import re
from typing import Any

import numpy as np
from attnbook.arrays import require_int
from attnbook.attention import attention_weights
from attnbook.positional import sinusoidal
from attnbook.results import load

from ..kit.figure import Ask, Live, require_one_of
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["agreement"]

NOUNS = ["key", "cabinet", "letter", "door"]
WORDS = [*NOUNS, *(f"{noun}s" for noun in NOUNS), "the", "old", "to", "near", "…"]
NOUN = f"(?:{'|'.join(NOUNS)})s?"
SENTENCE = re.compile(rf"the (?:old {NOUN}|{NOUN}(?: (?:to|near) the {NOUN})?) (?:to|near) the {NOUN}")
STEPS = (0, 10, 20, 30, 40, 50, 100)
D, REACH = 16, 5
HUES, MARKS = ["blue", "orange", "green"], ["o", "s", "^"]


def agreement(
    sentence: str = "the keys to the cabinet",
    *,
    steps: int = 100,
    taken: int = -1,
    ask: Ask = None,
    label: str = "agreement",
) -> Live:
    """A live figure of a trained query: q = x W_Q at the verb, a = softmax(K q/√2), and Σ_j a_j V_j says *is* or *are*.

    The head is that of the experiment ``agreement_head``; its weights are stored in thousandths.

    Parameters
    ----------
    sentence : str
        Two noun phrases, or three, such as *the keys* and *the cabinet*, joined by *to* or *near*; of two, the first
        may be *old*. The nouns are *key*, *cabinet*, *letter*, *door*, and their plurals.
    steps : {0, 10, 20, 30, 40, 50, 100}
        For how many steps the head has been trained.
    taken : int
        The index of the word whose value is taken away, -1 for none.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If the sentence, the steps or the word is not as above.

    >>> agreement().compute()["are"]
    True
    """
    state = {"sentence": sentence, "steps": steps, "taken": taken}
    return Live("agreement", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(sentence: str, steps: int, taken: int) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    if not isinstance(sentence, str) or not SENTENCE.fullmatch(sentence):
        raise ValueError(f"sentence = {sentence!r}; expected one such as 'the old keys to the cabinet'")
    require_one_of("steps", steps, STEPS)
    require_int("taken", taken, least=-1, most=len(sentence.split()) - 1)


@functools.cache
def weights(steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Return embed (13, 16) and W_Q, W_K, W_V as one array (3, 16, 2), after so many steps of training."""
    [stored] = [m["weights"] for m in load("agreement_head")["members"] if m["steps"] == steps]
    embed, W = np.split(np.array(stored) / 1000, [len(WORDS) * D])
    return embed.reshape(-1, D), W.reshape(3, D, 2)


def compute(sentence: str, steps: int, taken: int) -> dict[str, Any]:
    """Return the query of the verb, keys, weights and values of the words before it, and what arrives.

    ``speaks`` is V_j(are) − V_j(is) of each word; ``arrives`` is Σ_j a_j V_j without the word ``taken``: a number for
    *is* and one for *are*. ``are`` says which is larger. The mirror of ``compute`` in agreement.js.
    """
    embed, (W_Q, W_K, W_V) = weights(steps)
    tokens = [WORDS.index(word) for word in [*sentence.split(), "…"]]
    X = embed[tokens] + sinusoidal(np.arange(len(tokens)), D)
    q, K, V = X[-1] @ W_Q, X[:-1] @ W_K, X[:-1] @ W_V
    a = attention_weights([q], K)[0]
    left = V * (np.arange(len(V)) != taken)[:, None]
    arrives = a @ left
    return {
        "query": q,
        "keys": K,
        "weights": a,
        "speaks": left[:, 1] - left[:, 0],
        "arrives": arrives,
        "are": bool(arrives[1] > arrives[0]),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return agreement("the letters near the door to the cabinet", steps=30, taken=1)


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: the untrained or the trained head, nothing taken or the subject."""

    nouns = rng.choice(WORDS[:8], int(rng.integers(2, 4)))
    more = "".join(f" {rng.choice(['to', 'near'])} the {noun}" for noun in nouns[1:])
    sentence = f"the {'old ' * (len(nouns) == 2 and rng.random() < 0.5)}{nouns[0]}{more}"
    if rng.random() < 0.5:
        words = sentence.split()
        subject = next(i for i, word in enumerate(words) if word in WORDS[:8])
        return {"sentence": sentence, "steps": int(rng.choice([0, 100])), "taken": int(rng.choice([-1, subject]))}
    taken = int(rng.integers(-1, len(sentence.split())))
    return {"sentence": sentence, "steps": int(rng.choice(STEPS)), "taken": taken}


def still(state: dict, asking: bool) -> Picture:
    """Draw the query with the keys, and the weight of each word, unless it is asked for."""
    words, result = state["sentence"].split(), compute(**state)
    nouns = [i for i, word in enumerate(words) if word in WORDS[:8]]
    fig, (left, right) = figure(1, 2, width=6.4, height=3.0)
    left.set(xlim=(-REACH, REACH), ylim=(-REACH, REACH), aspect="equal", title="query and keys")
    right.set(xlim=(0, 1), yticks=range(len(words)), yticklabels=words, title="weights")
    right.invert_yaxis()
    for i, (key, a) in enumerate(zip(result["keys"], result["weights"], strict=True)):
        k = nouns.index(i) if i in nouns else None
        colour = "#000000" if k is None else PALETTE[HUES[k]]
        left.plot(*key, "." if k is None else MARKS[k], color=colour, markersize=5 if k is None else 8)
        right.barh(i, 0 if asking else a, height=0.6, color=colour, alpha=0.5)
    q = result["query"] * min(1, 0.9 * REACH / max(abs(result["query"])))
    left.annotate("", q, (0, 0), arrowprops={"arrowstyle": "->", "color": "#000000", "lw": 2})
    alt = f"The query of a verb behind the words {state['sentence']}, and their keys in the plane"
    if asking:
        return picture(fig, f"{alt}; the weights are for you to predict.")
    shares = ", ".join(f"{word} {a:.2f}" for word, a in zip(words, result["weights"], strict=True))
    return picture(fig, f"{alt}; weights as bars: {shares}. The head says {'are' if result['are'] else 'is'}.")
