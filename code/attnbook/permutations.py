"""Permutations as lists and as matrices.

A permutation of n things is a list ``perm``: **position i receives old element perm[i]**. Its matrix is
``P = I[perm]``, so ``(P X)[i] = X[perm[i]]``. The inverse list is ``argsort(perm)``; the inverse matrix is ``P.T``.
"""

import itertools

import numpy as np

__all__ = ["inverse", "permutation_matrix", "permutations"]


def permutations(n):
    """All n! permutations of 0 … n−1 as lists, the identity first, in lexicographic order.

    Raises ``ValueError`` if ``n`` is below 1 or above 9 (9! = 362 880 is the most a chapter can wait for).
    """
    if not 1 <= n <= 9:
        raise ValueError(f"n = {n}; expected 1 to 9, since all n! permutations are listed")
    return [list(perm) for perm in itertools.permutations(range(n))]


def permutation_matrix(perm):
    """P with P[i, perm[i]] = 1 and zeros elsewhere, shape (n, n), float64: row i says which old row it receives.

    Raises ``ValueError`` if ``perm`` is not a rearrangement of 0 … n−1.
    """
    return np.eye(len(_checked(perm)))[_checked(perm)]


def inverse(perm):
    """The list that undoes ``perm``: inverse(perm)[perm[i]] = i, equal to ``argsort(perm)``.

    Raises ``ValueError`` if ``perm`` is not a rearrangement of 0 … n−1.
    """
    return np.argsort(_checked(perm)).tolist()


def _checked(perm):
    perm = np.asarray(perm)
    if perm.ndim != 1 or perm.size == 0 or sorted(perm.tolist()) != list(range(perm.size)):
        raise ValueError(f"perm = {perm.tolist()} is no permutation; expected each of 0 … n−1 exactly once")
    return perm.astype(int)
