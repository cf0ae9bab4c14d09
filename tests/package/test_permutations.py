"""Permutations against cycles, determinants and NumPy's own indexing, for every n up to 6."""

import math
import re

import numpy as np
import pytest
from attnbook.layers import rows
from attnbook.permutations import inverse, permutation_matrix, permutations


def parity(perm):
    """+1 or −1, from the cycles: a cycle of length c is c − 1 swaps."""
    seen, swaps = set(), 0
    for start in range(len(perm)):
        i = start
        while i not in seen:
            seen.add(i)
            i = perm[i]
            swaps += i != start
    return (-1) ** swaps


@pytest.mark.parametrize("n", range(1, 7))
def test_all_permutations_are_listed_once_in_order(n):
    perms = permutations(n)
    assert len(perms) == len(set(map(tuple, perms))) == math.factorial(n)
    assert perms[0] == list(range(n))
    assert perms == sorted(perms)
    assert all(sorted(perm) == list(range(n)) for perm in perms)
    assert all(type(perm) is list for perm in perms)


@pytest.mark.parametrize("n", range(1, 7))
def test_every_matrix_is_its_permutation(n):
    X = np.random.default_rng(n).standard_normal((n, 3))
    for perm in permutations(n):
        P = permutation_matrix(perm)
        assert P.dtype == np.float64
        np.testing.assert_array_equal(P @ X, X[perm])
        np.testing.assert_array_equal(P @ P.T, np.eye(n))
        assert round(np.linalg.det(P)) == parity(perm)


@pytest.mark.parametrize("n", range(1, 7))
def test_the_inverse_undoes_the_permutation(n):
    for perm in permutations(n):
        back = inverse(perm)
        assert [back[i] for i in perm] == [perm[i] for i in back] == list(range(n))
        np.testing.assert_array_equal(permutation_matrix(back), permutation_matrix(perm).T)
        assert type(back) is list


def test_position_i_receives_old_element_perm_i():
    assert permutation_matrix([2, 0, 1]).tolist() == [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    assert inverse([2, 0, 1]) == [1, 2, 0]


@pytest.mark.parametrize("perm", [np.array([1, 2, 0], dtype=np.int8), (1, 2, 0), [1.0, 2.0, 0.0]], ids=str)
def test_arrays_and_whole_floats_are_permutations_too(perm):
    np.testing.assert_array_equal(permutation_matrix(perm), np.eye(3)[[1, 2, 0]])
    assert inverse(perm) == [2, 0, 1]


BAD = [[0, 0], [0, 2], [1, 2], [-1, 0], [], [[0, 1], [1, 0]], [[0]], 0, [0.5, 1], [0, np.nan], ["0", "1"]]


@pytest.mark.parametrize("function", [permutation_matrix, inverse])
@pytest.mark.parametrize("perm", BAD, ids=str)
def test_what_is_no_permutation_is_refused(function, perm):
    message = f"perm = {np.asarray(perm).tolist()} is no permutation; expected each of 0 … n−1 exactly once"
    with pytest.raises(ValueError, match=re.escape(message) + "$"):
        function(perm)


def test_the_length_that_is_expected_is_named():
    with pytest.raises(ValueError, match=r"expected each of 0 … n−1 exactly once, n = 3$"):
        rows([0, 1], np.ones((3, 2)))
    with pytest.raises(ValueError, match=re.escape("perm = [" + "0, " * 19 + "0, is no permutation")):
        inverse([0] * 99)  # sixty characters of it


@pytest.mark.parametrize("n", [0, -1, 10])
def test_too_few_or_too_many_things_are_refused(n):
    with pytest.raises(ValueError, match=f"n = {n}; expected (a whole number >= 1|1 to 9)"):
        permutations(n)


def test_nine_things_are_the_most():
    assert len(permutations(9)) == 362_880


@pytest.mark.parametrize("perm", [[[0], [0, 1]], [None, 0]], ids=str)
def test_what_is_no_list_of_numbers_is_named(perm):
    with pytest.raises(ValueError, match=re.escape(f"perm = {perm} is no permutation")):
        permutation_matrix(perm)
