"""Points of the simplex and of convex hulls: sparsemax, and certificates that a point is or is not a weighted average.

The simplex Δ ⊂ R^m holds the weight vectors: entries ≥ 0 that sum to 1. The convex hull of the rows of V (m, d_v) is
{aᵀV : a ∈ Δ}, the set of everything that attention over V can put out.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from .arrays import Array, as_array, as_numpy, expect, in_range, namespace, shape_of

__all__ = ["hull_weights", "separating_direction", "sparsemax"]


def sparsemax(s: ArrayLike) -> Array:
    r"""argmin over a ∈ Δ of ‖a − s‖², the point of the simplex nearest to ``s``: a_j = max(s_j − τ, 0).

    With s₍₁₎ ≥ s₍₂₎ ≥ … and k the largest number for which 1 + k s₍ₖ₎ > s₍₁₎ + … + s₍ₖ₎, the threshold is
    τ = (s₍₁₎ + … + s₍ₖ₎ − 1)/k. Differentiable by autograd wherever no score stands exactly at the threshold.

    Parameters
    ----------
    s : array (..., m)
        Scores, without unit. ``-inf`` is allowed and gets weight 0.

    Returns
    -------
    array, same shape as ``s``: weights on the simplex, of which some may be exactly 0

    Raises
    ------
    ValueError
        If ``s`` has rank 0, an empty axis, a NaN or ``+inf``, or a row that is ``-inf`` throughout.

    Source: Martins and Astudillo (2016), definition (2) and proposition 1.

    >>> sparsemax([2.0, 0.0])
    array([1., 0.])
    """
    s = as_array("s", s, finite=False)
    xp = namespace(s)
    largest = xp.max(s, axis=-1, keepdims=True)
    if not bool(xp.all(xp.isfinite(largest))):
        raise ValueError(f"s with shape {shape_of(s)} has +inf, or a row of only -inf; expected a finite maximum")
    dtype, s = s.dtype, xp.astype(s, xp.float64)  # a narrow type cannot count the entries
    s = s - largest  # the nearest point does not change: s moves at a right angle to the simplex
    falling = xp.sort(s, axis=-1, descending=True)
    count = xp.arange(1, s.shape[-1] + 1, dtype=s.dtype)
    kept = 1 + count * falling > xp.cumulative_sum(falling, axis=-1)
    total = xp.sum(xp.where(kept, falling, xp.zeros_like(falling)), axis=-1, keepdims=True)
    threshold = (total - 1) / xp.sum(xp.astype(kept, s.dtype), axis=-1, keepdims=True)
    return xp.astype(xp.maximum(s - threshold, xp.zeros_like(s)), dtype)


def hull_weights(y: ArrayLike, V: ArrayLike) -> np.ndarray | None:
    """Weights a ≥ 0 with Σ_j a_j = 1 and aᵀV = y, or None if there are none: y is in the hull exactly if there are.

    The linear program has d_v + 1 equations, and the simplex method stops at a corner of its solutions, so at most
    d_v + 1 weights are positive (Carathéodory's theorem). A point counts as inside if its distance from the hull, in
    the 1-norm, is at most 1e-7 times the largest |V_jc − y_c|: a test in floating point needs a tolerance.

    Parameters
    ----------
    y : array (d_v,)
    V : array (m, d_v)

    Returns
    -------
    array (m,) or None

    Raises
    ------
    ValueError
        If ``V`` is no matrix, or ``y`` is no vector of its width.

    >>> hull_weights([0.5], [[0.0], [1.0]])
    array([0.5, 0.5])
    """
    a, _, inside = _nearest(y, V)
    return a if inside else None


def separating_direction(y: ArrayLike, V: ArrayLike) -> np.ndarray | None:
    """w with w·y > w·V_j for every j and |w_c| ≤ 1, or None: y is outside the hull exactly if there is such a w.

    Of all such w it is one with the largest gap w·y − max_j w·V_j, which is the distance from y to the hull in the
    1-norm. Either this function or :func:`hull_weights` has an answer, never both (Farkas' lemma).

    Parameters
    ----------
    y : array (d_v,)
    V : array (m, d_v)

    Returns
    -------
    array (d_v,) or None

    Raises
    ------
    ValueError
        If ``V`` is no matrix, or ``y`` is no vector of its width.

    Source: Boyd and Vandenberghe (2004), sections 2.5.1 and 5.8.

    >>> separating_direction([2.0], [[0.0], [1.0]])
    array([1.])
    """
    _, w, inside = _nearest(y, V)
    return None if inside else w


def _nearest(y, V):
    """Weights of a nearest point of the hull in the 1-norm, the direction from it to y, and whether y is that point.

    min Σ_c (p_c + q_c) over a, p, q ≥ 0 with (V − y)ᵀa + p − q = 0 and Σ_j a_j = 1. One program answers both questions:
    w is how its value grows with y. It is solved in units of the data, so it does not matter how large they are.
    """
    y, V = as_numpy("y", y, 1), as_numpy("V", V, 2)
    expect("V", V, V.shape[-2:], "a matrix (m, d_v)")
    expect("y", y, V.shape[1:], f"({V.shape[1]},) to match V with shape {V.shape}")
    m, d_v = V.shape
    size = max(in_range("V − y", np.abs(V - y)).max(), 1e-8 * np.abs(V).max()) or 1.0  # V is itself rounded
    identity, zero = np.eye(d_v), np.zeros(d_v)
    found = linprog(
        np.repeat([0.0, 1.0], [m, 2 * d_v]),
        A_eq=np.block([[(V - y).T / size, identity, -identity], [np.ones(m), zero, zero]]),
        b_eq=np.append(zero, 1.0),
        bounds=(0, None),
        method="highs-ds",
    )
    return np.maximum(found.x[:m], 0.0), found.eqlin.marginals[:d_v], found.fun <= 1e-7
