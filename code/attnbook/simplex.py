"""Points of the simplex and of convex hulls: sparsemax, and certificates that a point is or is not a weighted average.

The simplex Δ ⊂ R^m holds the weight vectors: entries ≥ 0 that sum to 1. The convex hull of the rows of V (m, d_v) is
{aᵀV : a ∈ Δ}, the set of everything that attention over V can put out. The functions of a hull compute on the CPU, by
NumPy and SciPy, wherever their arguments lie.
Every function raises ``ValueError`` that names an argument with a wrong shape or a NaN.
"""

import numpy as np
from array_api_compat import device
from numpy.typing import ArrayLike

from .arrays import Array, arrays, as_numpy, finite_max, minus

__all__ = ["hull_weights", "separating_direction", "sparsemax"]


def sparsemax(s: ArrayLike) -> Array:
    """argmin over a ∈ Δ of ‖a − s‖², the point of the simplex nearest to ``s`` (..., m): a_j = max(s_j − τ, 0).

    With s₍₁₎ ≥ s₍₂₎ ≥ … and k the largest number for which 1 + k s₍ₖ₎ > s₍₁₎ + … + s₍ₖ₎, the threshold is
    τ = (s₍₁₎ + … + s₍ₖ₎ − 1)/k. Differentiable by autograd wherever no score stands exactly at the threshold.
    ``-inf`` gets weight 0.

    Raises ``ValueError`` if ``s`` has a ``+inf``, or a row that is ``-inf`` throughout.
    Source: Martins and Astudillo (2016), definition (2) and proposition 1.

    >>> sparsemax([2.0, 0.0])
    array([1., 0.])
    """
    xp, s = arrays("s (..., m) or −∞", s)
    s = minus(s, finite_max(xp, "s", s))  # the nearest point does not change: s moves at a right angle to the simplex
    s = xp.maximum(s, -xp.ones_like(s))  # nor now: τ ≥ −1, because the largest weight −τ is at most 1
    falling = -xp.sort(-s, axis=-1)
    k = xp.arange(1, s.shape[-1] + 1, dtype=s.dtype, device=device(s))
    support = 1 + k * falling > xp.cumulative_sum(falling, axis=-1)
    total = xp.sum(xp.where(support, falling, 0.0), axis=-1, keepdims=True)
    tau = (total - 1) / xp.sum(xp.astype(support, s.dtype), axis=-1, keepdims=True)
    return xp.maximum(s - tau, xp.zeros_like(s))


def hull_weights(y: ArrayLike, V: ArrayLike) -> np.ndarray | None:
    """Weights a ≥ 0 with Σ_j a_j = 1 and aᵀV = y, or None if there are none: y is in the hull exactly if there are.

    ``y`` (d_v,) and ``V`` (m, d_v); a is (m,). The linear program has d_v + 1 equations, and the simplex method stops
    at a corner of its solutions, so at most d_v + 1 weights are positive (Carathéodory's theorem). A point counts as
    inside if its distance from the hull, in the 1-norm, is at most 1e-7 times the largest |V_jc − y_c|: a test in
    floating point needs a tolerance. Needs SciPy.

    >>> hull_weights([0.5], [[0.0], [1.0]])
    array([0.5, 0.5])
    """
    a, _, inside = _nearest(y, V)
    return a if inside else None


def separating_direction(y: ArrayLike, V: ArrayLike) -> np.ndarray | None:
    """w with w·y > w·V_j for every j and |w_c| ≤ 1, or None: y is outside the hull exactly if there is such a w.

    ``y`` and w (d_v,), ``V`` (m, d_v). Of all such w it is one with the largest gap w·y − max_j w·V_j, which is the
    distance from y to the hull in the 1-norm. Either this function or :func:`hull_weights` has an answer, never both
    (Farkas' lemma). Needs SciPy.

    Source: Boyd and Vandenberghe (2004), sections 2.5.1 and 5.8.

    >>> separating_direction([2.0], [[0.0], [1.0]])
    array([1.])
    """
    _, w, inside = _nearest(y, V)
    return None if inside else w


def _nearest(y, V):
    """Return weights of a nearest point of the hull in the 1-norm, the direction from it to y, and whether it is y.

    min Σ_c (p_c + q_c) over a, p, q ≥ 0 with (V − y)ᵀa + p − q = 0 and Σ_j a_j = 1. One program answers both questions:
    w is how its value grows with y. It is solved in units of the data, so it does not matter how large they are.
    """
    from scipy.optimize import linprog

    _, y, V = arrays("y (d_v,), V (m, d_v)", as_numpy("y", y), as_numpy("V", V))
    m, d_v = V.shape
    size = max(np.abs(V - y).max(), 1e-8 * np.abs(V).max()) or 1.0  # V is itself rounded
    identity, zero = np.eye(d_v), np.zeros(d_v)
    program = linprog(
        np.repeat([0.0, 1.0], [m, 2 * d_v]),
        A_eq=np.block([[(V - y).T / size, identity, -identity], [np.ones(m), zero, zero]]),
        b_eq=np.append(zero, 1.0),
        bounds=(0, None),
        method="highs-ds",
    )
    return np.maximum(program.x[:m], 0.0), program.eqlin.marginals[:d_v], program.fun <= 1e-7
