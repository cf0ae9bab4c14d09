r"""The decay of a gradient with distance: straight lines in the logarithm for RNN and LSTM, flat for attention."""

from typing import Any

import numpy as np
from attnbook.attention import attention_weights
from attnbook.recurrent import lstm_jacobians, path_norms

from ..kit.figure import Ask, Live, require_within
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["decay"]

STEPS = 100
FLOOR, TOP = -30, 5  # the logarithms that are drawn
MODELS = ("RNN", "LSTM", "attention")
RANGES = {"w": (0.5, 1.05), "bias": (0, 8), "score": (0, 12)}


def decay(
    *,
    w: float = 0.9,
    bias: float = 1.0,
    score: float = 2.0,
    ask: Ask = None,
    label: str = "decay",
) -> Live:
    r"""Draw ln ‖∂h_n/∂h_{n−k}‖ against k = 0 … 100: the reader drags the lines and reads half-lives.

    The RNN is the linear recurrence of one number, h_t = w h_{t−1} + x_t: the norm is w^k, a line of slope ln w. The
    LSTM is the path of its cell with a forget gate that has a bias and no weights, f = σ(b): f^k, a line of slope
    ln f < 0. Attention has no step in between: ∂y/∂v is the weight of the key, e^s/(e^s + 100) if its score is s
    above those of 100 others, from every distance. A half-life is ln 2/−slope.

    Inputs are left out: with tanh, or with weights of the forget gate, the factor changes from step to step, and a line
    is straight on average only.

    Parameters
    ----------
    w : float
        From 0.5 to 1.05.
    bias : float
        b, of the forget gate, from 0 to 8.
    score : float
        s, from 0 to 12.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a number is out of its range.

    Source: Bengio et al. (1994) for the product of Jacobians; Gers et al. (2000) for the forget gate.

    >>> decay(w=0.5).compute()["halfLife"][0]
    1.0
    """
    state = {"w": float(w), "bias": float(bias), "score": float(score)}
    return Live("decay", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(w: float, bias: float, score: float) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    for name, x in (("w", w), ("bias", bias), ("score", score)):
        require_within(name, x, *RANGES[name])


def compute(w: float, bias: float, score: float) -> dict[str, Any]:
    """Return for each model the factor of a step, its logarithm, the half-life, the curve, and what is left at last.

    The mirror of ``compute`` in decay.js.
    """
    silent = np.zeros((2, 1)), np.zeros((4, 1)), np.zeros((4, 1))  # X, W_x, W_h: two steps, and all others are alike
    forget = lstm_jacobians(*silent, np.array([0, bias, 0, 0]))[:, 1:, 1:]  # diag(f_t), the cell path
    weight = attention_weights([[1.0]], [[score], *[[0.0]] * STEPS], scale=1)[0, 0]
    norms = [path_norms(np.tile(J, (STEPS, 1, 1))) for J in ([[w]], forget)] + [np.full(STEPS + 1, weight)]
    slope = [float(np.log(norm[1] / norm[0])) for norm in norms]
    return {
        "factor": np.array([norm[1] / norm[0] for norm in norms]),
        "slope": np.array(slope),
        "halfLife": [float(-np.log(2) / s) if s < 0 else None for s in slope],
        "curves": np.log(norms),
        "left": np.array([norm[-1] for norm in norms]),
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return decay()


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: settings at their bounds, and w = 1, which loses nothing."""
    edge = rng.random() < 0.5
    ranges = {"w": (0.5, 1, 1.05), "bias": (0, 8), "score": (0, 12)}
    draw = (lambda r: rng.choice(r)) if edge else (lambda r: np.round(rng.uniform(r[0], r[-1]), 3))
    return {name: float(draw(r)) for name, r in ranges.items()}


def still(state: dict, asking: bool) -> Picture:
    """Draw the lines with their slopes, unless they are asked for."""
    result, k = compute(**state), np.arange(STEPS + 1)
    fig, ax = figure(width=6.4, height=3)
    ax.set(xlim=(0, STEPS), ylim=(FLOOR, TOP), xlabel="steps back, k", ylabel="ln of what is left")
    ax.axhline(0, color="#000000", lw=0.8)
    alt = "The logarithm of what is left of a gradient, against up to 100 steps back"
    if asking:
        return picture(fig, f"{alt}; the lines are for you to predict.")
    parts = []
    for i, name in enumerate(MODELS):
        colour, text = list(PALETTE.values())[i], f"{name}, slope {result['slope'][i]:.3f}".replace("-", "−")
        ax.plot(k, result["curves"][i], "-" if i < 2 else "--", marker="os^"[i], markevery=25, color=colour, label=text)
        parts.append(f"{text}, {result['left'][i]:.2g} left after 100")
    ax.legend(loc="lower left")
    return picture(fig, f"{alt}. {'; '.join(parts)}.")
