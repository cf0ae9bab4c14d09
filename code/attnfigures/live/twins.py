"""Two training runs of one head: A with a scale, B without; the reader brings B into the tracks of A."""

from typing import Any

import numpy as np
from attnbook.arrays import require_int
from attnbook.attention import softmax

from ..kit.figure import Ask, Live
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["home", "train", "twins"]

RANGES = {"scale": (0, 4), "start": (-3, 0), "step": (-5, 0)}
TOKENS, WIDTH, STEPS, RATE = 4, 16, 60, 2.0
HOMES = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]])  # where the four values stand in the drawing


def twins(scale: int = 2, *, start: int = 0, step: int = 0, ask: Ask = None, label: str = "twins") -> Live:
    """A live figure of two runs of gradient descent: A with scale c, B with scale 1, another start and another step.

    Four one-hot tokens look at four one-hot keys, so S = c W_Q W_Kᵀ with W_Q, W_K (4, 16). The values are one-hot too,
    so the outputs are the weights A (4, 4), and the loss is the mean of ½‖A_i − e_i‖²: every token has to find its own
    value. The values are drawn as the corners of a square, and an output as their mean with its weights. A starts at
    (W_Q, W_K) with step η, and B at (αW_Q, αW_K) with step ση. Both walk the same way, with the same losses, if
    α² = σ = c. All factors are powers of two, which lose no digit, so they then agree to the last bit.

    Parameters
    ----------
    scale : int
        0, 2 or 4: c = 2^(−scale).
    start : int
        log_2 α, from −3 to 0.
    step : int
        log_2 σ, from −5 to 0.
    ask, label : optional
        A question before the answers, and the id on the page: as ``Live`` takes them.

    Raises
    ------
    ValueError
        If a number is not one of these.

    >>> twins(2, start=-1, step=-2).compute()["apart"]
    0.0
    """
    state = {"scale": scale, "start": start, "step": step}
    state = {name: require_int(name, x, least=RANGES[name][0]) for name, x in state.items()}
    return Live("twins", state, compute=compute, check=check, still=still, ask=ask, label=label)


def check(**state: int) -> None:
    """Raise ``ValueError`` unless the state can be drawn."""
    for name, (low, high) in RANGES.items():
        require_int(name, state[name], least=low, most=high, multiple=2 if name == "scale" else 1)


def weights() -> np.ndarray:
    """Return W_Q and W_K as one array (2, 4, 16): fixed numbers between −1.75 and 1.75, of variance about 1."""
    x, entries = 1, []
    for _ in range(2 * TOKENS * WIDTH):
        x = (75 * x + 74) % 65537
        entries.append((x / 65537 - 0.5) * 3.5)
    return np.reshape(entries, (2, TOKENS, WIDTH))


def train(c: float, alpha: float, sigma: float, W: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Train one head by 60 steps of descent; return its weights (61, 4, 4) and losses (61,).

    The losses are ½ mean ‖A_i − e_i‖² of four tokens, before each step and after the last. ``c`` is the scale in
    A = softmax(c QKᵀ); the queries and keys start at ``alpha`` times ``W`` (2, 4, 16), or the figure's numbers; and
    ``sigma`` multiplies the steps.
    """
    Q, K = alpha * (weights() if W is None else W)
    own = np.eye(TOKENS)
    rows, losses = [], []
    for _ in range(STEPS + 1):
        A = softmax(c * Q @ K.T)
        missed = A - own
        rows.append(A)
        losses.append((missed**2).sum() / (2 * TOKENS))
        G = A * (missed - (A * missed).sum(axis=1, keepdims=True)) / TOKENS  # J (a − e), the gradient at the scores
        Q, K = Q - RATE * sigma * c * (G @ K), K - RATE * sigma * c * (G.T @ Q)
    return np.array(rows), np.array(losses)


def home(A: np.ndarray) -> np.ndarray:
    """Return which tokens have most of their weight on their own value, for weights ``A`` (..., 4, 4)."""
    return A.argmax(axis=-1) == np.arange(TOKENS)


def compute(scale: int, start: int, step: int) -> dict[str, Any]:
    """Return c, α and σ, and of A and B the losses, the paths of the four outputs, and which tokens come home.

    ``paths`` (2, 61, 4, 2) are the outputs in the square. A token is at ``home`` (2, 4) if it ends with most of its
    weight on its own value, and ``right`` counts these; ``apart`` is how far the
    losses are apart. The mirror of ``compute`` in twins.js.
    """
    c, alpha, sigma = 2.0**-scale, 2.0**start, 2.0**step
    (rows_a, a), (rows_b, b) = train(c, 1.0, 1.0), train(1.0, alpha, sigma)
    rows = np.array([rows_a, rows_b])
    ends = home(rows[:, -1])
    apart = float(np.abs(a - b).max())
    return {
        "c": c,
        "alpha": alpha,
        "sigma": sigma,
        "losses": np.array([a, b]),
        "paths": rows @ HOMES,
        "home": ends.astype(int),
        "right": ends.sum(axis=1),
        "apart": apart,
        "lossGap": apart,
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return twins(2, start=-1)


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: every number at one of its bounds; some of the others are twins."""
    if rng.random() < 0.5:
        return {"scale": int(rng.choice([0, 4])), "start": int(rng.choice([-3, 0])), "step": int(rng.choice([-5, 0]))}
    k = int(rng.choice([0, 2, 4]))
    if rng.random() < 0.3:
        return {"scale": k, "start": -k // 2, "step": -k}
    return {"scale": k, "start": int(rng.integers(-3, 1)), "step": int(rng.integers(-5, 1))}


def still(state: dict, asking: bool) -> Picture:
    """Draw the ways of the four outputs, and the losses against the steps, unless they are asked for."""
    result = compute(**state)
    fig, (square, plot) = figure(1, 2, width=6.6, height=3.3)
    square.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal", title="Outputs of four tokens", xticks=[], yticks=[])
    plot.set(xlim=(0, STEPS), ylim=(1e-4, 1), yscale="log", xlabel="steps", title="Loss")
    for i, (x, y) in enumerate(HOMES):
        square.plot(x, y, "s", markersize=14, mfc="none", mec="#000000")
        square.text(x, y, str(i + 1), ha="center", va="center_baseline")
    c, alpha, sigma = (result[name] for name in ("c", "alpha", "sigma"))
    names = [f"A: scale {c:g}", f"B: no scale, start times {alpha:g}, step times {sigma:g}"]
    alt = f"The outputs and losses of two runs over {STEPS} steps: {'; '.join(names)}"
    if asking:
        return picture(fig, f"{alt}; they are for you to predict.")
    looks = [{"color": PALETTE["orange"], "lw": 5, "alpha": 0.5}, {"color": PALETTE["blue"], "lw": 1.2, "ls": "--"}]
    for k, look in enumerate(looks):
        for i in range(TOKENS):
            square.plot(*result["paths"][k, :, i].T, **look)
        plot.plot(result["losses"][k], label=names[k], **look)
    square.plot(*result["paths"][1, 0].T, "o", color=PALETTE["blue"])
    fig.legend(loc="outside lower center")
    alt += f". The losses differ by {result['apart']:.2g} at most. "
    right_a, right_b = result["right"]
    return picture(fig, f"{alt}Largest weight on its own corner: {right_a} of {TOKENS} tokens in A, {right_b} in B.")
