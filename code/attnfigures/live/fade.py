r"""How far a recurrent state reaches back: each word of a sentence stands as high as what is left of it."""

from typing import Any

import numpy as np
from attnbook.attention import attention_weights

from ..kit.figure import Ask, Live, require_one_of, require_sentence, require_within
from ..kit.style import PALETTE, Picture, clipped, figure, picture
from .shuffle import tokens

__all__ = ["fade"]

MOST = 16  # words of a sentence
RHO = (0.5, 1.1)  # the smallest ρ and the largest
LEAD = 5.0  # by how much the key that a query looks for is ahead in score
CEILING = 2.6  # what is higher leaves the drawing
MODELS = ("recurrent", "attention")


def fade(text: str, *, rho: float = 0.8, model: str = "recurrent", ask: Ask = None, label: str = "fade") -> Live:
    r"""Draw a sentence whose words stand as high as the gradient that reaches them: any of them can be lifted.

    A word t is one number x_t. "recurrent" keeps h_t = ρ C h_{t−1} + e_1 x_t for an orthogonal C, so the last state
    depends on word t by ‖∂h_n/∂x_t‖ = ρ^(n−t). "attention" keeps all words, and is asked for each of them: the query
    for word t scores it LEAD above the others, y_t = Σ_j a_tj x_j, and all answers together depend on word t by
    ‖∂y/∂x_t‖, the length of a column of weights.

    Parameters
    ----------
    text : str
        One to sixteen words; a Chinese character is a word, and words after the sixteenth are left out.
    rho : float
        ρ, from 0.5 to 1.1.
    model : {"recurrent", "attention"}
        Attention has no ρ.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If the text is no text, or ρ or the model are not as above.

    Source: Pascanu, Mikolov, Bengio (2013) for gradients that vanish and explode.

    >>> fade("the cat sat", rho=0.5).compute()["influence"]
    array([0.25, 0.5 , 1.  ])
    """
    state = {"model": model, "text": text, "rho": float(rho)}
    return Live("fade", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(model: str, text: str, rho: float) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    require_sentence("text", text)
    require_within("rho", rho, *RHO)
    require_one_of("model", model, MODELS)


def compute(model: str, text: str, rho: float) -> dict[str, Any]:
    """Return the words, and how strongly the model depends on each. The mirror of ``compute`` in fade.js."""
    words = tokens(text, MOST)
    n = len(words)
    if model == "attention":
        M = attention_weights(LEAD * np.eye(n), np.eye(n), scale=1)
        return {"words": words, "influence": np.linalg.norm(M, axis=0)}
    return {"words": words, "influence": rho ** np.arange(n - 1.0, -1, -1)}


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return fade("The keys to the old cabinet in the hall of the museum are")


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: ρ at its bounds, no word or too many, signs and unusual spaces."""
    edge = rng.random() < 0.5
    words = ["a", "😀", "猫狗", "", "\x85", "-"] if edge else ["the", "keys", "to", "cabinet", "are", "猫"]
    text = " ".join(str(word) for word in rng.choice(words, rng.choice([0, 1, 24]) if edge else rng.integers(1, 17)))
    rho = float(rng.choice([*RHO, 1.0]) if edge else np.round(rng.uniform(*RHO), 2))
    return {"model": str(rng.choice(MODELS)), "text": text, "rho": rho}


def still(state: dict, asking: bool) -> Picture:
    """Draw the words on their columns, eight to a line; no column and all words alike while they are asked for."""
    words, influence = compute(**state).values()
    lines = -(-len(words) // 8)
    depends = "the answers depend" if state["model"] == "attention" else "the last state depends"
    fig, axes = figure(lines, 1, width=6.4, height=1.2 * lines + 0.4, squeeze=False)
    axes[0, 0].set_title(f"How strongly {depends} on each word", loc="left")
    for line, ax in enumerate(axes[:, 0]):
        ax.set(xlim=(-0.5, 7.5), ylim=(0, max(1.6, 0.4 + min(influence.max(), CEILING))))
        ax.set_axis_off()
        ax.axhline(1, color="#000000", lw=0.6, dashes=(4, 3))
        here = slice(8 * line, 8 * line + 8)
        for t, (word, amount) in enumerate(zip(words[here], influence[here], strict=True)):
            draw_word(ax, t, word, amount, asking)
    how = f"a recurrent state, ρ = {state['rho']:.2f}" if state["model"] == "recurrent" else "attention"
    alt = f"The sentence “{' '.join(words)}”, {how}."
    if asking:
        return picture(fig, f"{alt} How much is left of each word is for you to predict.")
    return picture(fig, f"{alt} Dependence on each word: {', '.join(f'{amount:.2f}' for amount in influence)}.")


def draw_word(ax: Any, t: int, word: str, amount: float, asking: bool) -> None:
    """Draw a word on a column as high as what is left of it, in as much ink."""
    high = 0 if asking else min(amount, CEILING)
    ink = 0.5 if asking else 0.1 + 0.9 * min(amount, 1)
    color = PALETTE["orange"] if amount > 1 and not asking else "#000000"
    ax.bar(t, high, width=0.5, color=color, alpha=0.3 * ink)
    ax.text(t, high + 0.08, clipped(word), ha="center", alpha=ink, weight="bold", color=color)
