"""Permutations as lists and as matrices, and what lies between the matrices.

A permutation of n things is a list ``perm``: **position i receives old element perm[i]**. Its matrix is
``P = I[perm]``, so ``(P X)[i] = X[perm[i]]``. The inverse list is ``argsort(perm)``; the inverse matrix is ``P.T``.
All functions but :func:`sinkhorn` compute on the CPU, by NumPy, wherever their arguments lie.
Every function raises ``ValueError`` for a list that is no rearrangement of 0 … n−1.
"""

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, arrays, as_numpy, as_permutation, every, require_int, require_number

__all__ = [
    "birkhoff",
    "compose",
    "cycle_type",
    "cycles",
    "inverse",
    "parity",
    "permutation_matrix",
    "permutations",
    "sinkhorn",
]


def permutations(n: int) -> list[list[int]]:
    """All n! permutations of 0 … n−1 as lists, the identity first, in lexicographic order.

    Raises ``ValueError`` unless 1 ≤ n ≤ 9 (9! = 362 880 is the most a chapter can wait for).

    >>> permutations(2)
    [[0, 1], [1, 0]]
    """
    return [list(perm) for perm in itertools.permutations(range(require_int("n", n, most=9)))]


def permutation_matrix(perm: Sequence[int]) -> np.ndarray:
    """P with P[i, perm[i]] = 1 and zeros elsewhere, shape (n, n), float64: row i says which old row it receives.

    >>> permutation_matrix([1, 2, 0])
    array([[0., 1., 0.],
           [0., 0., 1.],
           [1., 0., 0.]])
    """
    perm = as_permutation(perm)
    return np.eye(len(perm))[perm]


def inverse(perm: Sequence[int]) -> list[int]:
    """Return the list that undoes ``perm``: inverse(perm)[perm[i]] = i, equal to ``argsort(perm)``.

    >>> inverse([1, 2, 0])
    [2, 0, 1]
    """
    return np.argsort(as_permutation(perm)).tolist()


def compose(sigma: Sequence[int], tau: Sequence[int]) -> list[int]:
    """Return the list of the product P_σ P_τ, which is τ∘σ: compose(sigma, tau)[i] = tau[sigma[i]].

    Read the product as it acts on X: τ rearranges first, then σ, as in ``X[tau][sigma]``. Lengths must be equal.

    >>> compose([1, 2, 0], [1, 0, 2])
    [0, 2, 1]
    """
    return as_permutation(tau)[as_permutation(sigma, len(tau))].tolist()


def cycles(perm: Sequence[int]) -> list[tuple[int, ...]]:
    """The cycles (i, perm[i], perm[perm[i]], …) of ``perm``, each from its smallest element on, fixed points included.

    >>> cycles([1, 0, 2])
    [(0, 1), (2,)]
    """
    perm, seen, cycles = as_permutation(perm).tolist(), set(), []
    for start in range(len(perm)):
        if start not in seen:
            cycle = [start]
            while perm[cycle[-1]] != start:
                cycle.append(perm[cycle[-1]])
            seen.update(cycle)
            cycles.append(tuple(cycle))
    return cycles


def cycle_type(perm: Sequence[int]) -> tuple[int, ...]:
    """The lengths of the cycles of ``perm``, longest first: a partition of n, such as (2, 1, 1) for a swap in S₄.

    >>> cycle_type([1, 0, 2])
    (2, 1)
    """
    return tuple(sorted(map(len, cycles(perm)), reverse=True))


def parity(perm: Sequence[int]) -> int:
    """(−1)^(n − c) for a permutation of n things with c cycles: +1 if even, −1 if odd, equal to det P.

    >>> parity([1, 0, 2])
    -1
    """
    return (-1) ** (len(perm) - len(cycles(perm)))


def birkhoff(D: ArrayLike, tolerance: float = 1e-6) -> list[tuple[float, list[int]]]:
    """D = Σ_k θ_k P_k: a doubly stochastic matrix (n, n) as a convex combination of permutation matrices.

    Each step takes the heaviest permutation in the support of what is left, as often as its smallest entry allows.
    That entry becomes 0, so the rest lies on a smaller face of the polytope, whose dimension is (n − 1)². At most
    (n − 1)² + 1 pairs (θ_k, perm_k) result, θ_k > 0. Row and column sums may miss 1 by ``tolerance``, as those of
    :func:`sinkhorn` do; Σ θ_k P_k then misses D by about as much as they do.

    Raises ``ValueError`` if ``D`` is not square, has a negative entry, or a row or column that does not sum to 1.
    Source: Birkhoff (1946); von Neumann (1953). Needs SciPy.

    >>> birkhoff([[1.0, 0.0], [0.0, 1.0]])
    [(1.0, [0, 1])]
    """
    from scipy.optimize import linear_sum_assignment

    xp, D = arrays("D (n, n)", D)
    n, rounding = len(D), 8 * len(D) * float(xp.finfo(D.dtype).eps)
    rest, terms = as_numpy("D", D).copy(), []
    error = max(abs(rest.sum(axis) - 1).max() for axis in (0, 1))
    if rest.min() < 0 or error > max(require_number("tolerance", tolerance, least=0), rounding):
        raise ValueError(f"D has an entry < 0, or a sum of a row or column misses 1 by {error:.2g}; expected neither")
    smallest = max(error, 8 * n * np.finfo(float).eps)  # below it an entry may be an error that should be 0
    while True:
        rows, perm = linear_sum_assignment(np.where(rest > smallest, rest, -n - 1.0), maximize=True)
        theta = rest[rows, perm].min()
        if theta <= smallest:  # the support holds no permutation: by Hall's theorem only errors are left
            return terms
        rest[rows, perm] -= theta
        terms.append((float(theta), perm.tolist()))


def sinkhorn(M: ArrayLike, rounds: int = 100) -> Array:
    """D = diag(r) M diag(c), doubly stochastic: divide rows by their sums, then columns by theirs, ``rounds`` times.

    ``M`` (..., n, n) has entries > 0, for instance exp((S − max S)/temperature): without the maximum, which changes
    nothing in D, the exponential may overflow. After a round all columns sum to 1; the row sums converge to 1, and near
    the limit D the error shrinks by the factor σ₂(D)² per round, where σ₂ is the second singular value.

    Raises ``ValueError`` if ``M`` is not square or has an entry that is <= 0 or infinite.
    Source: Sinkhorn (1964); rate: Knight (2008), "The Sinkhorn–Knopp algorithm: convergence and applications".

    >>> sinkhorn([[1.0, 1.0], [2.0, 2.0]])
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    xp, M = arrays("M (..., n, n)", M)
    if not every(M > 0):
        raise ValueError(f"M with shape {tuple(M.shape)} has an entry <= 0; expected entries > 0")
    for _ in range(require_int("rounds", rounds)):
        M = M / xp.sum(M, axis=-1, keepdims=True)
        M = M / xp.sum(M, axis=-2, keepdims=True)
    return M
