"""Attention at lengths that training never saw: rescaled rotary angles, and positions that the content decides.

A rotary pair with the angle θ per position makes θ n₀ / 2π turns over n₀ positions. A pair with less than one turn
meets angles beyond position n₀ that training never showed. The rules here give a pair another angle per position,
between θ and θ/s for a stretch s = n/n₀; :func:`attnbook.positional.rotate` takes the new angles. Two rules need no
function: position interpolation is θ/s, and LongRoPE divides each θ by a factor of its own, found by search (Ding et
al., 2024). Models that multiply cosines and sines by a factor c, such as 0.1 ln s + 1 with YaRN or
√(1 + ln s/ln n₀) with LongRoPE, have the scale c²/√d_k in attention.
Angles are computed on the CPU, by NumPy.
Every function raises ``ValueError`` that names an argument with a wrong shape, a NaN or a number outside its range.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, arrays, as_numpy, beside, every, one_of, require_flag, require_int, require_number, shape_of
from .positional import frequencies

__all__ = ["contextual_positions", "forgetting_bias", "ntk_frequencies", "ramp_frequencies", "turns"]


def turns(theta: ArrayLike, n: float) -> np.ndarray:
    """θ n / 2π: how often the hand of each rotary pair goes round over n > 0 positions, the shape of ``theta``.

    >>> turns([2 * np.pi, np.pi / 8], 8)
    array([8. , 0.5])
    """
    return as_numpy("theta", theta) * require_number("n", n, above=0) / (2 * np.pi)


def ntk_frequencies(d: int, s: float, base: float = 10_000.0) -> np.ndarray:
    """θ_h = b^(−2h/d) with the larger base b = base · s^(d/(d−2)): θ_0 stays 1, the slowest pair is divided by s.

    ``d`` is even and at least 4; ``s`` > 0 says how many times longer than in training; the result is (d/2,).

    Source: bloc97 (2023), "NTK-aware scaled RoPE"; Peng et al. (2024), "YaRN", section 3.1.

    >>> ntk_frequencies(4, 8.0)
    array([1.     , 0.00125])
    """
    d = require_int("d", d, least=4, multiple=2)
    s = require_number("s", s, above=0)
    base = require_number("base", base, above=0)
    return frequencies(d, base * np.float64(s) ** (d / (d - 2)))


def ramp_frequencies(
    theta: ArrayLike,
    n: float,
    s: float,
    slow: float = 1.0,
    fast: float = 32.0,
    *,
    ramp: str = "turns",
    truncate: bool = True,
) -> np.ndarray:
    """γ θ + (1 − γ) θ/s: fast pairs keep their angle (γ = 1), slow ones are divided by s (γ = 0).

    With r = θ n / 2π, the turns over the training length n, γ rises from 0 at r = ``slow`` to 1 at r = ``fast``, 0 <
    slow < fast: linearly in r as the paper prints it (``"turns"``; Llama 3.1 uses it with 1 and 4), or linearly in the
    number h of the pair, as the code released with the paper (``"index"``; ``theta`` must then be base^(−2h/d)). That
    code rounds the ends of this ramp outwards to whole h ≥ 0; ``truncate=False``, as in gpt-oss, leaves them. The
    result is (d/2,) as ``theta``.

    Source: Peng et al. (2024), "YaRN", section 3.2 and its code; for 1 and 4, Meta's code for Llama 3.1.

    >>> ramp_frequencies([1.0, 0.1, 0.01], 100, 10.0, slow=1, fast=4).round(3)
    array([1.   , 0.028, 0.001])
    """
    _, theta = arrays("theta (p,)", as_numpy("theta", theta))
    n = require_number("n", n, above=0)
    s = require_number("s", s, above=0)
    slow = require_number("slow", slow, above=0)
    fast = require_number("fast", fast, above=slow)
    one_of("ramp", ramp, "turns", "index")
    require_flag("truncate", truncate)
    if ramp == "turns":
        gamma = (turns(theta, n) - slow) / (fast - slow)
    else:
        steps = np.diff(np.log(theta)) if (theta > 0).all() else np.zeros(1)
        if len(theta) < 2 or steps[0] >= 0 or not np.allclose(steps, steps[0]):
            raise ValueError(f"theta = {theta}; expected base^(−2h/d) for the ramp 'index'")
        first, last = ((math.log(2 * math.pi * r / n) - math.log(theta[0])) / steps[0] for r in (fast, slow))
        if truncate:
            first, last = math.floor(first), math.ceil(last)
        first, last = max(first, 0), min(last, 2 * len(theta) - 1)
        gamma = 1 - (np.arange(len(theta)) - first) / (last - first or 0.001)
    gamma = np.clip(gamma, 0, 1)
    return gamma * theta + (1 - gamma) * theta / s


def forgetting_bias(log_gates: ArrayLike) -> Array:
    """B_ij = Σ_{l = j+1 … i} ln f_l for j ≤ i, and −∞ for j > i: what the gates between key j and query i let through.

    ``log_gates`` (..., n) holds ln f_l ≤ 0 of every token; the first is never used. B is (..., n, n). With one gate
    f everywhere, B_ij = (i − j) ln f: ALiBi with the slope −ln f, under a causal mask.

    Source: Lin et al. (2025), "Forgetting Transformer: softmax attention with a forget gate", section 3.

    >>> forgetting_bias([-1.0, -0.5]).tolist()
    [[0.0, -inf], [-0.5, 0.0]]
    """
    xp, log_gates = arrays("log_gates (..., n) or −∞", log_gates)
    if not every(log_gates <= 0):
        raise ValueError(
            f"log_gates with shape {shape_of(log_gates)} has a number > 0; expected logarithms of gates ≤ 1"
        )
    l, j = np.ogrid[: log_gates.shape[-1], : log_gates.shape[-1]]
    later, now_or_later = (beside(log_gates, each, xp.bool) for each in (l > j, l >= j))
    between = xp.where(later, log_gates[..., :, None], 0.0)  # each pair sums its own gates: none cancels
    return xp.where(now_or_later, xp.cumulative_sum(between, axis=-2), -math.inf)


def contextual_positions(gates: ArrayLike) -> Array:
    """p_ij = Σ_{l = j … i} g_il for j ≤ i: how many of the tokens from j to i query i counts, and 0 for j > i.

    ``gates`` (..., n, n) has g_il in [0, 1], whether query i counts token l; entries with l > i are not used. p is
    (..., n, n). Source: Golovneva et al. (2024), "Contextual position encoding", section 4.

    >>> contextual_positions([[1.0, 1.0], [0.0, 1.0]]).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    xp, gates = arrays("gates (..., n, n)", gates)
    if not every((gates >= 0) & (gates <= 1)):
        raise ValueError(f"gates with shape {shape_of(gates)} leave [0, 1]; expected how much each token counts")
    past = xp.tril(gates)
    return xp.tril(xp.flip(xp.cumulative_sum(xp.flip(past, axis=-1), axis=-1), axis=-1))
