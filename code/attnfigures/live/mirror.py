"""Break the law: two trained encoders, with positions and without, answer a sentence and its mirror."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from attnbook.attention import attention_weights, softmax
from attnbook.layers import encoder_layer, feed_forward
from attnbook.positional import sinusoidal
from attnbook.results import load
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from ..kit.figure import Ask, Live, require_one_of
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["forward", "is_sentence", "mirror", "weights"]

WORDS = ["cat", "fish", "sees", "and"]
N, D, H, HIDDEN, LAYERS = 6, 12, 3, 20, 2
STEPS = (0, 10, 25, 50, 100)
MOST = 20  # pairs that leave a thread
MODELS = {"blind": "no positions", "seeing": "positions"}


def mirror(
    sentence: str = "cat sees fish and sees and",
    *,
    step: int = 100,
    tried: Sequence[str] | None = None,
    ask: Ask = None,
    label: str = "mirror",
) -> Live:
    """A live figure of g(PX) = g(X) without positions: does *cat* come before *fish*, in a sentence and in its mirror?

    Two encoders with two layers answer, one without positions and one with sinusoidal ones. Their weights, in
    thousandths, are those that the experiment ``mirror`` has stored.

    Parameters
    ----------
    sentence : str
        Six words: *cat* and *fish* once each, and *sees* and *and* as often as you like.
    step : {0, 10, 25, 50, 100}
        For how many steps both models have been trained.
    tried : list of str, optional
        At most 20 sentences that have left a thread, each together with its mirror; ``sentence`` alone unless given.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a sentence or the step is not as above, or two sentences of ``tried`` are one pair.

    >>> p, reflected = mirror().compute()["blind"]
    >>> bool(abs(p - reflected) < 1e-12)
    True
    """
    state = {"sentence": sentence, "step": step, "tried": [sentence] if tried is None else list(tried)}
    return Live("mirror", state, compute=compute, check=check, still=still, ask=ask, label=label)


def is_sentence(text: object) -> bool:
    """Return whether ``text`` has six of the words *cat*, *fish*, *sees* and *and*, the first two once each."""
    words = text.split(" ") if isinstance(text, str) else []
    return len(words) == N and set(words) <= set(WORDS) and words.count("cat") == words.count("fish") == 1


def _reflected(sentence):
    return " ".join(sentence.split(" ")[::-1])


def check(sentence: str, step: int, tried: list) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    for name, texts in (("sentence", [sentence]), ("tried", tried)):
        if not isinstance(texts, list) or not all(map(is_sentence, texts)):
            raise ValueError(f"{name} = {texts}; expected six of the words {', '.join(WORDS)}, cat and fish once each")
    if not len({min(text, _reflected(text)) for text in tried}) == len(tried) <= MOST:
        raise ValueError(
            f"tried has {len(tried)} sentences; expected at most {MOST}, none twice and none with its mirror"
        )
    require_one_of("step", step, STEPS)


@functools.cache
def weights(model: str, step: int) -> dict[str, np.ndarray]:
    """Return the weights of a stored model by name: embed, Q0, K0, V0, O0, up0, down0, Q1, …, down1, read.

    Parameters
    ----------
    model : {"no positions", "positions"}
    step : {0, 10, 25, 50, 100}
        For how many steps it has been trained.

    Returns
    -------
    dict of arrays
        As in the capstone chapter: embed (4, 12), Q, K and V (3, 12, 4), O (12, 12), up (12, 20), down (20, 12),
        read (12, 2); every number is a whole number of thousandths.

    Raises
    ------
    ValueError
        If no such model is stored.
    """
    result = [m["weights"] for m in load("mirror")["members"] if (m["model"], m["step"]) == (model, step)]
    if not result:
        raise ValueError(f"model = {model!r}, step = {step}; expected one of {list(MODELS.values())} and of {STEPS}")
    layer: dict[str, tuple[int, ...]] = {
        **dict.fromkeys("QKV", (H, D, D // H)),
        "O": (D, D),
        "up": (D, HIDDEN),
        "down": (HIDDEN, D),
    }
    shapes: dict[str, tuple[int, ...]] = {"embed": (len(WORDS), D)}
    shapes |= {f"{name}{i}": shape for i in range(LAYERS) for name, shape in layer.items()}
    shapes |= {"read": (D, 2)}
    ends = np.cumsum([np.prod(shape) for shape in shapes.values()])
    parts = np.split(np.array(result[0]) / 1000, ends[:-1])
    return {name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)}


def forward(
    model: str,
    step: int,
    tokens: ArrayLike,
    instead: Callable[[int, int], float | None] = lambda i, r: None,
    *,
    strength: float = 1.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the weights A of all heads, and the pooled answer mean(F(T + αE)) W_read, with E = 0 without positions.

    Parameters
    ----------
    model : {"no positions", "positions"}
    step : {0, 10, 25, 50, 100}
    tokens : integer array (..., 6)
        Indices into cat, fish, sees, and.
    instead : callable
        instead(i, r), unless it is None, takes the place of each weight of head r in layer i, counted from 0.
    strength : float
        α, which multiplies the positions.

    Returns
    -------
    maps : array (6, ..., 6, 6)
        Row j of a map is what word j looks at: the three heads of layer 1, then those of layer 2.
    scores : array (..., 2)
        The scores of "fish first" and "cat first".

    Raises
    ------
    ValueError
        If no such model is stored.
    """
    w, maps = weights(model, step), []
    X = w["embed"][np.asarray(tokens)] + (strength * sinusoidal(np.arange(N), D) if model == "positions" else 0)
    for i in range(LAYERS):

        def attend(X, i=i):
            heads = []
            for r in range(H):
                A, constant = attention_weights(X @ w[f"Q{i}"][r], X @ w[f"K{i}"][r]), instead(i, r)
                maps.append(A if constant is None else np.full_like(A, constant))
                heads.append(maps[-1] @ (X @ w[f"V{i}"][r]))
            return np.concatenate(heads, axis=-1) @ w[f"O{i}"]

        X = encoder_layer(X, attend, lambda Z, i=i: feed_forward(Z, w[f"up{i}"], w[f"down{i}"]))
    return np.array(maps), X.mean(axis=-2) @ w["read"]


def compute(sentence: str, step: int, tried: list) -> dict[str, Any]:
    """Return P(cat first) for the sentence and its mirror, and what is right of all that was tried.

    ``blind`` is the model without positions, ``seeing`` the one with them. Hits are pairs: is the sentence answered
    correctly, is its mirror? Both are how many of the pairs. The mirror of ``compute`` in mirror.js.
    """
    pairs = [[text.split(" "), text.split(" ")[::-1]] for text in [sentence, *tried]]
    first = np.array([[words.index("cat") < words.index("fish") for words in pair] for pair in pairs])
    tokens = [[[WORDS.index(word) for word in words] for words in pair] for pair in pairs]
    result = {"catFirst": bool(first[0, 0]), "count": len(tried)}
    for name, model in MODELS.items():
        p = softmax(forward(model, step, tokens)[1])[..., 1]
        hits = (p > 0.5) == first
        result |= {name: p[0], f"{name}Tried": p[1:], f"{name}Gap": abs(p[0, 0] - p[0, 1])}
        result |= {f"{name}Hits": hits[1:], f"{name}Both": int(hits[1:].all(axis=-1).sum())}
    return result


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return mirror()


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    20 pairs, cat and fish at the ends, no other word but one, models not trained.
    """
    edge = rng.random() < 0.5

    def sentence():
        order = rng.permutation(["cat", "fish", "", "", "", ""])
        fillers = ["sees"] if rng.random() < edge / 2 else ["sees", "and"]
        return " ".join(str(word or rng.choice(fillers)) for word in order)

    ends = ["cat sees sees sees sees fish", "fish and and and and cat"]
    pairs = {}
    for text in [sentence() for _ in range(20 if edge else rng.integers(1, 6))]:
        pairs.setdefault(min(text, " ".join(text.split()[::-1])), text)
    shown = str(rng.choice([*pairs.values(), *(ends if edge else [sentence()])]))
    step = int(rng.choice([0, 100] if edge else [0, 10, 25, 50, 100]))
    return {"sentence": shown, "step": step, "tried": list(pairs.values())}


def still(state: dict, asking: bool) -> Picture:
    """Draw both answers of each model in two lanes, a thread between them, and thinner threads of earlier pairs."""
    sentence, tried, result = state["sentence"], state["tried"], compute(**state)
    fig, axes = figure(2, 1, height=4.0)
    texts = []
    for ax, (name, title) in zip(axes, {"blind": "Without positions", "seeing": "With positions"}.items(), strict=True):
        right = f"both right: {'?' if asking else result[name + 'Both']} of {result['count']}"
        tally = [right] if tried else []
        ax.set_title("; ".join([f"{title}, {state['step']} steps", *tally]), loc="left")
        _draw_lanes(ax)
        if not asking:
            for text, pair in zip(tried, result[f"{name}Tried"], strict=True):
                ax.plot(_cat_first(pair, text), (1, 0), color="#000000", alpha=0.35, linewidth=0.8)
            answers = _cat_first(result[name], sentence)
            own = 0 if result["catFirst"] else 1
            ax.plot(answers, (1, 0), color="#000000", linewidth=2)
            ax.plot(answers[own], 1 - own, "o", markersize=9, color="#000000")
            ax.plot(answers[1 - own], own, "o", markersize=9, mec="#000000", mfc="none")
        texts.append(", ".join([f"{title.lower()} {result[name][0]:.6f} and {result[name][1]:.6f}", *tally]))
    alt = f"The sentence {sentence}, its mirror {_reflected(sentence)}, and what two trained encoders answer"
    if asking:
        return picture(fig, f"{alt}; the probabilities that cat comes first are for you to predict.")
    return picture(fig, f"{alt}: P(cat first) is {'; '.join(texts)}. Threads join the two answers of a pair.")


def _draw_lanes(ax):
    """Draw a lane for each reading of a pair, with the half in which its answer is right tinted."""
    ax.add_patch(Rectangle((0.5, 0.6), 0.5, 0.8, facecolor=PALETTE["orange"], alpha=0.16))
    ax.add_patch(Rectangle((0, -0.4), 0.5, 0.8, facecolor=PALETTE["blue"], alpha=0.16))
    ax.axvline(0.5, color="#000000", linewidth=0.6)
    ax.set(xlim=(-0.03, 1.03), ylim=(-0.5, 1.5))
    ax.set_yticks((1, 0), ("cat is first", "fish is first"))
    ax.set_xticks((0, 0.5, 1), ("0: says fish", "½", "1: says cat"))
    ax.tick_params(length=0)


def _cat_first(pair, sentence):
    """The two answers of a pair, that of the reading in which cat comes first before the other."""
    words = sentence.split()
    return list(pair) if words.index("cat") < words.index("fish") else list(pair)[::-1]
