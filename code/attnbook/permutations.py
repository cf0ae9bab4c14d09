"""Permutations as lists and as matrices, and what lies between the matrices.

A permutation of n things is a list ``perm``: **position i receives old element perm[i]**. Its matrix is
``P = I[perm]``, so ``(P X)[i] = X[perm[i]]``. The inverse list is ``argsort(perm)``; the inverse matrix is ``P.T``.
"""

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from .arrays import Array, as_array, as_numpy, as_permutation, in_range, namespace, require_int, shape_of

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

    Raises ``ValueError`` if ``n`` is below 1 or above 9 (9! = 362 880 is the most a chapter can wait for).

    >>> permutations(2)
    [[0, 1], [1, 0]]
    """
    n = require_int("n", n)
    if n > 9:
        raise ValueError(f"n = {n}; expected 1 to 9, since all n! permutations are listed")
    return [list(perm) for perm in itertools.permutations(range(n))]


def permutation_matrix(perm: Sequence[int]) -> np.ndarray:
    """P with P[i, perm[i]] = 1 and zeros elsewhere, shape (n, n), float64: row i says which old row it receives.

    Raises ``ValueError`` if ``perm`` is not a rearrangement of 0 … n−1.

    >>> permutation_matrix([1, 2, 0])
    array([[0., 1., 0.],
           [0., 0., 1.],
           [1., 0., 0.]])
    """
    return np.eye(len(as_permutation(perm)))[as_permutation(perm)]


def inverse(perm: Sequence[int]) -> list[int]:
    """The list that undoes ``perm``: inverse(perm)[perm[i]] = i, equal to ``argsort(perm)``.

    Raises ``ValueError`` if ``perm`` is not a rearrangement of 0 … n−1.

    >>> inverse([1, 2, 0])
    [2, 0, 1]
    """
    return np.argsort(as_permutation(perm)).tolist()


def compose(sigma: Sequence[int], tau: Sequence[int]) -> list[int]:
    """The list of the product P_σ P_τ, which is τ∘σ: compose(sigma, tau)[i] = tau[sigma[i]].

    Read the product as it acts on X: τ rearranges first, then σ, as in ``X[tau][sigma]``.

    Raises ``ValueError`` if an argument is no permutation or their lengths differ.

    >>> compose([1, 2, 0], [1, 0, 2])
    [0, 2, 1]
    """
    sigma, tau = as_permutation(sigma), as_permutation(tau)
    if len(sigma) != len(tau):
        raise ValueError(f"sigma has length {len(sigma)} and tau {len(tau)}; expected equal lengths")
    return tau[sigma].tolist()


def cycles(perm: Sequence[int]) -> list[tuple[int, ...]]:
    """The cycles (i, perm[i], perm[perm[i]], …) of ``perm``, each from its smallest element on, fixed points included.

    Raises ``ValueError`` if ``perm`` is not a rearrangement of 0 … n−1.

    >>> cycles([1, 0, 2])
    [(0, 1), (2,)]
    """
    perm, seen, found = as_permutation(perm).tolist(), set(), []
    for start in range(len(perm)):
        if start not in seen:
            cycle = [start]
            while perm[cycle[-1]] != start:
                cycle.append(perm[cycle[-1]])
            seen.update(cycle)
            found.append(tuple(cycle))
    return found


def cycle_type(perm: Sequence[int]) -> tuple[int, ...]:
    """The lengths of the cycles of ``perm``, longest first: a partition of n, such as (2, 1, 1) for a swap in S₄.

    Raises ``ValueError`` if ``perm`` is not a rearrangement of 0 … n−1.

    >>> cycle_type([1, 0, 2])
    (2, 1)
    """
    return tuple(sorted(map(len, cycles(perm)), reverse=True))


def parity(perm: Sequence[int]) -> int:
    """(−1)^(n − c) for a permutation of n things with c cycles: +1 if even, −1 if odd, equal to det P.

    Raises ``ValueError`` if ``perm`` is not a rearrangement of 0 … n−1.

    >>> parity([1, 0, 2])
    -1
    """
    lengths = cycle_type(perm)
    return (-1) ** (sum(lengths) - len(lengths))


def birkhoff(D: ArrayLike) -> list[tuple[float, list[int]]]:
    """D = Σ_k θ_k P_k: a doubly stochastic matrix as a convex combination of permutation matrices.

    Each step takes the heaviest permutation in the support of what is left, as often as its smallest entry allows.
    That entry becomes 0, so the rest lies on a smaller face of the polytope, whose dimension is (n − 1)².

    Parameters
    ----------
    D : array (n, n)
        Entries >= 0; every row and every column sums to 1.

    Returns
    -------
    list of (θ_k, perm_k)
        At most (n − 1)² + 1 pairs with θ_k > 0 and Σ θ_k = 1 up to rounding; ``P_k = permutation_matrix(perm_k)``.

    Raises
    ------
    ValueError
        If ``D`` is not square, has a negative entry, or a row or column that does not sum to 1.

    Source: Birkhoff (1946); von Neumann (1953).

    >>> birkhoff([[1.0, 0.0], [0.0, 1.0]])
    [(1.0, [0, 1])]
    """
    D = as_numpy("D", D, 2)
    n = len(D)
    dust = 8 * n * np.finfo(float).eps  # what rounding leaves of a difference that is 0
    if D.shape != (n, n):
        raise ValueError(f"D has shape {D.shape}; expected a square matrix")
    if D.min() < 0 or abs(D.sum(0) - 1).max() > dust or abs(D.sum(1) - 1).max() > dust:
        said = "has rows or columns that do not sum to 1, or entries < 0; expected neither"
        raise ValueError(f"D with shape {D.shape} {said}")
    rest, terms = D.copy(), []
    while True:
        rows, perm = linear_sum_assignment(np.where(rest > dust, rest, -n - 1.0), maximize=True)
        theta = rest[rows, perm].min()
        if theta <= dust:  # no permutation is left in the support (Hall: then what is left is of the size of the dust)
            return terms
        rest[rows, perm] -= theta
        terms.append((float(theta), perm.tolist()))


def sinkhorn(M: ArrayLike, rounds: int = 100) -> Array:
    """D = diag(r) M diag(c), doubly stochastic: divide rows by their sums, then columns by theirs, ``rounds`` times.

    After a round all columns sum to 1; the row sums converge to 1, and near the limit D the error shrinks by the
    factor σ₂(D)² per round, where σ₂ is the second singular value.

    Parameters
    ----------
    M : array (..., n, n)
        Entries > 0, for instance exp(S/temperature).
    rounds : int >= 1

    Returns
    -------
    array, same shape as ``M``

    Raises
    ------
    ValueError
        If ``M`` is not square, has an entry <= 0, or ``rounds`` is below 1.

    Source: Sinkhorn (1964); rate: Knight (2008), "The Sinkhorn–Knopp algorithm: convergence and applications".

    >>> sinkhorn([[1.0, 1.0], [2.0, 2.0]])
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    M = as_array("M", M, 2)
    xp = namespace(M)
    if M.shape[-1] != M.shape[-2] or not bool(xp.all(M > 0)):
        raise ValueError(f"M has shape {shape_of(M)}; expected (..., n, n) with entries > 0")
    for _ in range(require_int("rounds", rounds)):
        M = M / xp.sum(M, axis=-1, keepdims=True)
        M = M / xp.sum(M, axis=-2, keepdims=True)
    return in_range("a quotient of M and its sums", M)
