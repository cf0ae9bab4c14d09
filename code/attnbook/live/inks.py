r"""Two illnesses of a recurrent state, as the ink of a sentence: how far it reaches back, and how much it holds."""

from typing import Any

import numpy as np
from matplotlib.patches import Rectangle

from ..arrays import require_int
from ..attention import attention_weights
from ..figures.style import PALETTE, Picture, figure, picture
from ..recurrent import path_norms
from .figure import Ask, Live, require_one_of, require_within
from .shuffle import tokens

__all__ = ["inks"]

MOST = 16  # words of a sentence, and numbers of a state
LEAST = 0.5  # the smallest ρ
NOISES = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)  # standard deviations
LEAD = 5.0  # by how much the key that a query looks for is ahead in score
MODELS = ("recurrent", "attention")


def inks(
    text: str,
    *,
    rho: float = 0.8,
    size: int = 4,
    noise: float = 0.0,
    model: str = "recurrent",
    ask: Ask = None,
    label: str = "inks",
) -> Live:
    r"""Draw a sentence twice: each word in the ink ‖∂h_n/∂x_t‖, and in the ink R² of the best linear reader of h_n.

    A word t is one number x_t, and the x_t are uncorrelated with mean 0 and variance 1. The recurrence is linear,
    h_t = W h_{t−1} + u x_t, with W = ρC for the cyclic shift C and u = e_1: the state is a ring of d_h numbers. Each
    step turns the ring by one, multiplies it by ρ, and adds the new word to its first number. So ‖∂h_n/∂x_t‖ = ρ^(n−t),
    as for every ρ times an orthogonal matrix. Words whose positions differ by a multiple of d_h share a number, and R²
    of a word is its share of the variance of that number. Σ R² = min(n, d_h): the budget Σ R² ≤ d_h is spent in full.

    Each number is read with noise of deviation σ, which adds σ² to its variance: R² ≤ g²/(g² + σ²), g = ‖∂h_n/∂x_t‖.

    The ring is chosen because its R² is exact: M Mᵀ is diagonal for M = [u, Wu, …, W^(n−1)u]. A network with tanh has
    no closed form for R², and a constant forget gate f is ρ = f; neither is offered. Attention keeps all n words and
    asks for word t with a query whose score for it is 5 above the others: y = Σ_j a_j x_j, ∂y/∂x_t = a_t, and
    R² = a_t²/(Σ_j a_j² + σ²).

    Parameters
    ----------
    text : str
        One to sixteen words; a Chinese character is a word, and words after the sixteenth are left out.
    rho : float
        ρ, from 0.5 to 1.
    size : int
        d_h, from 1 to 16.
    noise : float
        σ: 0, 0.01, 0.03, 0.1, 0.3 or 1.
    model : {"recurrent", "attention"}
        Attention has neither ρ nor d_h.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If the text is no text, or ρ, the size, the noise or the model is not as above.

    Source: Jaeger (2001) for the budget.

    >>> inks("the cat sat down", rho=1, size=2).compute()["recovery"]
    array([0.5, 0.5, 0.5, 0.5])
    """
    state = {"model": model, "text": text, "rho": float(rho), "size": size, "noise": noise}
    return Live("inks", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(model: str, text: str, rho: float, size: int, noise: float) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    if not isinstance(text, str) or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError(f"text = {text!r}; expected a sentence")
    require_within("rho", rho, LEAST, 1)
    require_int("size", size, most=MOST)
    require_one_of("noise", noise, NOISES)
    require_one_of("model", model, MODELS)


def compute(model: str, text: str, rho: float, size: int, noise: float) -> dict[str, Any]:
    """Return the words, ‖∂h_n/∂x_t‖ and R² of each, how many numbers are kept, and Σ R².

    The mirror of ``compute`` in inks.js.
    """
    words = tokens(text, MOST)
    n = len(words)
    if model == "attention":
        A = attention_weights(LEAD * np.eye(n), np.eye(n), scale=1)
        influence, recovery, kept = A.diagonal(), A.diagonal() ** 2 / ((A**2).sum(1) + noise**2), n
    else:
        W = rho * np.roll(np.eye(size), 1, axis=0)
        M = np.array([np.linalg.matrix_power(W, n - t)[:, 0] for t in range(1, n + 1)]).T  # column t is W^(n−t) u
        influence, kept = path_norms(np.broadcast_to(W, (n, size, size)))[-2::-1], size  # ‖W^(n−1)‖ … ‖I‖
        recovery = np.einsum("it,ij,jt->t", M, np.linalg.pinv(M @ M.T + noise**2 * np.eye(size), hermitian=True), M)
    return {"words": words, "influence": influence, "recovery": recovery, "kept": kept, "spent": recovery.sum()}


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return inks("The keys to the old cabinet in the hall of the museum are")


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme.

    Ρ and d_h at their bounds, no word or too many, signs and unusual spaces.
    """
    edge = rng.random() < 0.5
    words = ["a", "😀", "猫狗", "", "\x85", "-"] if edge else ["the", "keys", "to", "cabinet", "are", "猫"]
    text = " ".join(str(word) for word in rng.choice(words, rng.choice([0, 1, 24]) if edge else rng.integers(1, 17)))
    rho = float(rng.choice([0.5, 1.0]) if edge else np.round(rng.uniform(0.5, 1), 2))
    size = int(rng.choice([1, 16]) if edge else rng.integers(1, 17))
    model, noise = str(rng.choice(["recurrent", "recurrent", "attention"])), float(rng.choice(NOISES))
    return {"model": model, "text": text, "rho": rho, "size": size, "noise": noise}


def still(state: dict, asking: bool) -> Picture:
    """Draw both sentences, eight words to a line, and the budget; the inks alike while they are asked for."""
    result = compute(**state)
    words, n, kept = result["words"], len(result["words"]), result["kept"]
    lines = -(-n // 8)
    fig, axes = figure(3, 1, width=6.4, height=0.8 * lines + 1.7, height_ratios=[lines, lines, 0.7])
    last = "last state" if state["model"] == "recurrent" else "output"
    titles = [f"A. How strongly the {last} depends on each word"]
    titles += [f"B. How well a linear reader of the {last} recovers each word, R²"]
    for ax, title, amounts in zip(axes, titles, (result["influence"], result["recovery"]), strict=False):
        ax.set(xlim=(-0.5, 7.5), ylim=(lines - 0.4, -0.5))
        ax.set_axis_off()
        ax.set_title(title, loc="left")
        for t, (word, amount) in enumerate(zip(words, amounts, strict=True)):
            shown = word if len(word) < 11 else f"{word[:9]}…"
            ax.text(t % 8, t // 8, shown, ha="center", alpha=0.5 if asking else 0.07 + 0.93 * amount, weight="bold")
            ax.text(t % 8, t // 8 + 0.35, "?" if asking else f"{amount:.2f}", ha="center")
    bar, filled = axes[2], np.arange(kept, dtype=float)
    bar.set(xlim=(-0.1, max(n, kept) + 0.1), ylim=(-0.1, 1.1))
    bar.set_axis_off()
    bar.set_title(f"R² adds up to {'?' if asking else format(result['spent'], '.2f')}, at most 1 in a box", loc="left")
    for t, width in enumerate([] if asking else result["recovery"]):  # words that share a number share its box
        older = (n - 1 - t) // kept % 2
        bar.add_patch(Rectangle((filled[t % kept], 0), width, 1, facecolor=(PALETTE["blue"], 0.35 if older else 0.8)))
        filled[t % kept] += width
    for i in range(max(n, kept)):
        line = "-" if i < kept else ":"
        bar.add_patch(Rectangle((i + 0.03, 0), 0.94, 1, fill=False, edgecolor="#000000", linestyle=line))
    alt = f"The sentence “{' '.join(words)}” twice, with {kept} numbers kept"
    alt += f" and ρ = {state['rho']:.2f}" if state["model"] == "recurrent" else " by attention"
    alt += f", read with noise {state['noise']:g}."
    if asking:
        return picture(fig, f"{alt} The ink of each word is for you to predict.")
    rows = (", ".join(f"{amount:.2f}" for amount in result[row]) for row in ("influence", "recovery"))
    return picture(fig, "{} Dependence on each word: {}. R²: {}.".format(alt, *rows))
