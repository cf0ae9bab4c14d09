r"""Attention at lengths that training never saw: rescaled rotary angles, and positions that the content decides.

A rotary pair with the angle θ per position makes θ n₀ / 2π turns over n₀ positions. A pair with less than one turn
meets angles beyond position n₀ that training never showed. The rules here give a pair another angle per position,
between θ and θ/s for a stretch s = n/n₀; :func:`attnbook.rotary.rotate` takes the new angles.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from .arrays import (
    Array,
    as_array,
    as_numpy,
    expect,
    in_range,
    namespace,
    one_of,
    require_int,
    require_number,
    shape_of,
)
from .positional import frequencies

__all__ = ["contextual_positions", "forgetting_bias", "ntk_frequencies", "ramp_frequencies", "turns"]


def turns(theta: ArrayLike, n: float) -> np.ndarray:
    """θ n / 2π: how often the hand of each rotary pair goes round over n positions, the shape of ``theta``.

    Raises ``ValueError`` unless n is a finite number > 0.

    >>> turns([2 * np.pi, np.pi / 8], 8)
    array([8. , 0.5])
    """
    return in_range("θ n", as_numpy("theta", theta) * require_number("n", n, above=0)) / (2 * np.pi)


def ntk_frequencies(d: int, s: float, base: float = 10_000.0) -> np.ndarray:
    """θ_h = b^(−2h/d) with the larger base b = base · s^(d/(d−2)): θ_0 stays 1, the slowest pair is divided by s.

    Parameters
    ----------
    d : int
        Coordinates of a query, even and at least 4.
    s : float
        How many times longer than in training, > 0.
    base : float
        The base of training.

    Returns
    -------
    array (d/2,)

    Raises
    ------
    ValueError
        If d is no even whole number ≥ 4, or s or base is not positive.

    Source: bloc97 (2023), "NTK-aware scaled RoPE"; Peng et al. (2024), "YaRN", section 3.1.

    >>> ntk_frequencies(4, 8.0)
    array([1.     , 0.00125])
    """
    d, s = require_int("d", d, least=4, multiple=2), require_number("s", s, above=0)
    return frequencies(d, require_number("base", base, above=0) * np.float64(s) ** (d / (d - 2)))


def ramp_frequencies(
    theta: ArrayLike, n: float, s: float, slow: float = 1.0, fast: float = 32.0, *, ramp: str = "turns"
) -> np.ndarray:
    r"""γ θ + (1 − γ) θ/s: fast pairs keep their angle (γ = 1), slow ones are divided by s (γ = 0).

    With r = θ n / 2π, the turns over the training length n, γ rises from 0 at r = ``slow`` to 1 at r = ``fast``:
    linearly in r as the paper prints it (``"turns"``; Llama 3.1 uses it with 1 and 4), or linearly in the number h of
    the pair, its ends rounded outwards to whole h ≥ 0, as the code released with the paper does (``"index"``).

    Parameters
    ----------
    theta : array (d/2,)
        Angles per position of training; for ``"index"`` they must be base^(−2h/d).
    n : float
        The length of training.
    s : float
        How many times longer than in training.
    slow, fast : float
        Turns at the two ends of the ramp, 0 < slow < fast.
    ramp : {"turns", "index"}

    Returns
    -------
    array (d/2,)

    Raises
    ------
    ValueError
        If a number is not positive, slow is not below fast, the ramp is unknown, or "index" finds no geometric theta.

    Source: Peng et al. (2024), "YaRN", section 3.2 and its code; for 1 and 4, the code that Meta released with
    Llama 3.1.

    >>> ramp_frequencies([1.0, 0.1, 0.01], 100, 10.0, slow=1, fast=4).round(3)
    array([1.   , 0.028, 0.001])
    """
    theta, n, s = as_numpy("theta", theta, 1), require_number("n", n, above=0), require_number("s", s, above=0)
    expect("theta", theta, theta.shape[:1])
    slow = require_number("slow", slow, above=0)
    fast = require_number("fast", fast, above=slow)
    one_of("ramp", ramp, "turns", "index")
    if ramp == "turns":
        gamma = (turns(theta, n) - slow) / (fast - slow)
    else:
        steps = np.diff(np.log(theta)) if (theta > 0).all() else np.zeros(1)
        if len(theta) < 2 or steps[0] >= 0 or not np.allclose(steps, steps[0]):
            raise ValueError(f"theta = {theta}; expected base^(−2h/d) for the ramp 'index'")
        first, last = ((math.log(2 * math.pi * r / n) - math.log(theta[0])) / steps[0] for r in (fast, slow))
        first, last = max(math.floor(first), 0), min(math.ceil(last), 2 * len(theta) - 1)
        gamma = 1 - (np.arange(len(theta)) - first) / (last - first or 0.001)
    gamma = np.clip(gamma, 0, 1)
    return in_range("γ θ + (1 − γ) θ/s", gamma * theta + (1 - gamma) * theta / s)


def forgetting_bias(log_gates: ArrayLike) -> Array:
    """B_ij = Σ_{l = j+1 … i} ln f_l for j ≤ i, and −∞ for j > i: what the gates between key j and query i let through.

    With the same gate f everywhere, B_ij = (i − j) ln f: ALiBi with the slope −ln f, under a causal mask.

    Parameters
    ----------
    log_gates : array (..., n)
        ln f_l ≤ 0 of every token; the first is never used.

    Returns
    -------
    array (..., n, n)

    Raises
    ------
    ValueError
        If a logarithm is positive.

    Source: Lin et al. (2025), "Forgetting Transformer: softmax attention with a forget gate", section 3.

    >>> forgetting_bias([-1.0, -0.5]).tolist()
    [[0.0, -inf], [-0.5, 0.0]]
    """
    log_gates = as_array("log_gates", log_gates)
    xp, n = namespace(log_gates), log_gates.shape[-1]
    if bool((log_gates > 0).any()):
        raise ValueError(f"log_gates has a number > 0, shape {shape_of(log_gates)}; expected logarithms of gates ≤ 1")
    after = xp.asarray(np.tri(n, k=-1, dtype=bool))  # l > j: each pair sums its own gates, so none cancels another
    each = xp.where(after, xp.astype(log_gates, xp.float64)[..., :, None], 0.0)
    past = in_range("Σ log_gates", xp.astype(xp.cumulative_sum(each, axis=-2), log_gates.dtype))
    return xp.where(xp.asarray(np.tri(n, dtype=bool)), past, -xp.inf)


def contextual_positions(gates: ArrayLike) -> Array:
    """p_ij = Σ_{l = j … i} g_il for j ≤ i: how many of the tokens from j to i query i counts, and 0 for j > i.

    Parameters
    ----------
    gates : array (..., n, n)
        g_il in [0, 1]: whether query i counts token l; entries with l > i are not used.

    Returns
    -------
    array (..., n, n)

    Raises
    ------
    ValueError
        If ``gates`` is not square or has an entry outside [0, 1].

    Source: Golovneva et al. (2024), "Contextual position encoding", section 4.

    >>> contextual_positions([[1.0, 1.0], [0.0, 1.0]]).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    gates = as_array("gates", gates, 2)
    xp, n = namespace(gates), gates.shape[-1]
    if gates.shape[-2] != n or bool(((gates < 0) | (gates > 1)).any()):
        raise ValueError(f"gates has shape {shape_of(gates)}; expected (..., n, n) with entries from 0 to 1")
    seen = xp.asarray(np.tri(n))
    counted = xp.flip(xp.astype(gates, xp.float64) * seen, axis=-1)  # a narrow type would stop counting at 2048
    return xp.astype(xp.flip(xp.cumulative_sum(counted, axis=-1), axis=-1) * seen, gates.dtype)
