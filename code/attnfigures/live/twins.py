"""Two training runs of one head: A with a scale, B without; the reader sets where B starts and how far it steps."""

from typing import Any

import numpy as np
from attnbook.arrays import require_int
from attnbook.attention import softmax

from ..kit.figure import Ask, Live
from ..kit.style import PALETTE, Picture, figure, picture

__all__ = ["train", "twins"]

RANGES = {"scale": (0, 4), "start": (-3, 0), "step": (-5, 0)}
TOKENS, WIDTH, STEPS, RATE = 4, 16, 60, 2.0


def twins(scale: int = 2, *, start: int = 0, step: int = 0, ask: Ask = None, label: str = "twins") -> Live:
    """A live figure of two runs of gradient descent: A with scale c, B with scale 1, another start and another step.

    Four one-hot tokens look at four one-hot keys, so S = c W_Q W_Kᵀ with W_Q, W_K (4, 16). The values are one-hot too,
    so the outputs are the weights A (4, 4), and the loss is the mean of ½‖A_i − e_i‖²: every token has to find its own
    value. A starts at (W_Q, W_K) with step η, and B at (αW_Q, αW_K) with step ση. The losses of all steps agree if
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


def train(c: float, alpha: float, sigma: float, W: np.ndarray | None = None) -> tuple[np.ndarray, float, int]:
    """Train one head by 60 steps of descent; return its losses, its largest score at the start, and what it gets right.

    Losses ½ mean ‖A_i − e_i‖² of four tokens, before each step and after the last, (61,). ``c`` is the scale in
    A = softmax(c QKᵀ); the queries and keys start at ``alpha`` times ``W`` (2, 4, 16), or the figure's numbers; and
    ``sigma`` multiplies the steps. A token is right if most of its weight is on its own value after the last step.
    """
    Q, K = alpha * (weights() if W is None else W)
    own = np.eye(TOKENS)
    largest, losses = c * np.abs(Q @ K.T).max(), []
    for _ in range(STEPS + 1):
        A = softmax(c * Q @ K.T)
        missed = A - own
        losses.append((missed**2).sum() / (2 * TOKENS))
        G = A * (missed - (A * missed).sum(axis=1, keepdims=True)) / TOKENS  # J (a − e), the gradient at the scores
        Q, K = Q - RATE * sigma * c * (G @ K), K - RATE * sigma * c * (G.T @ Q)
    right = (A.argmax(axis=1) == np.arange(TOKENS)).sum()
    return np.array(losses), float(largest), int(right)


def compute(scale: int, start: int, step: int) -> dict[str, Any]:
    """Return c, α, σ, the losses of A and B, and for each its largest score at the start and what it gets right.

    ``right`` counts tokens that end with most weight on their own value; ``apart`` is how far the losses are apart. The
    mirror of ``compute`` in twins.js.
    """
    c, alpha, sigma = 2.0**-scale, 2.0**start, 2.0**step
    a, first_a, right_a = train(c, 1.0, 1.0)
    b, first_b, right_b = train(1.0, alpha, sigma)
    apart = float(np.abs(a - b).max())
    return {
        "c": c,
        "alpha": alpha,
        "sigma": sigma,
        "losses": np.array([a, b]),
        "scores": np.array([first_a, first_b]),
        "ends": np.array([a[-1], b[-1]]),
        "right": np.array([right_a, right_b]),
        "apart": apart,
        "lossGap": apart,
    }


def example() -> Live:
    """Return a figure in which everything can be moved: the generic tests start from it."""
    return twins(2)


def sample(rng: np.random.Generator) -> dict[str, Any]:
    """Draw a state; half of them are extreme: every number at one of its bounds; some of the others are twins."""
    if rng.random() < 0.5:
        return {"scale": int(rng.choice([0, 4])), "start": int(rng.choice([-3, 0])), "step": int(rng.choice([-5, 0]))}
    k = int(rng.choice([0, 2, 4]))
    if rng.random() < 0.3:
        return {"scale": k, "start": -k // 2, "step": -k}
    return {"scale": k, "start": int(rng.integers(-3, 1)), "step": int(rng.integers(-5, 1))}


def still(state: dict, asking: bool) -> Picture:
    """Draw both losses against the steps, unless they are asked for."""
    result = compute(**state)
    fig, ax = figure(width=6.4, height=2.6)
    ax.set(xlim=(0, STEPS), ylim=(1e-4, 1), yscale="log", xlabel="steps", ylabel="loss")
    c, alpha, sigma = (result[name] for name in ("c", "alpha", "sigma"))
    names = [f"A: scale {c:g}", f"B: no scale, start times {alpha:g}, step times {sigma:g}"]
    alt = f"The losses of two runs over {STEPS} steps: {'; '.join(names)}"
    if asking:
        return picture(fig, f"{alt}; they are for you to predict.")
    for loss, name, colour, dash in zip(result["losses"], names, ("orange", "blue"), ("-", "--"), strict=True):
        ax.plot(loss, dash, color=PALETTE[colour], label=name)
    ax.legend()
    a, b = result["ends"]
    alt += f". At the end: {a:.3g} and {b:.3g}; they differ by {result['apart']:.2g} at most. "
    right_a, right_b = result["right"]
    return picture(fig, f"{alt}Of {TOKENS} tokens, A gets {right_a} right and B {right_b}.")
