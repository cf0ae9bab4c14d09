"""Permutations against cycles, determinants and NumPy's own indexing, for every n up to 6."""

import math

import numpy as np
import pytest
import torch
from attnbook.permutations import (
    birkhoff,
    compose,
    cycle_type,
    cycles,
    inverse,
    parity,
    permutation_matrix,
    permutations,
    sinkhorn,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.sparse.csgraph import connected_components


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


@pytest.mark.parametrize("perm", [np.array([1, 2, 0], dtype=np.int8), (1, 2, 0), [1.0, 2.0, 0.0]], ids=str)
def test_arrays_and_whole_floats_are_permutations_too(perm):
    np.testing.assert_array_equal(permutation_matrix(perm), np.eye(3)[[1, 2, 0]])
    assert inverse(perm) == [2, 0, 1]


some_permutation = st.integers(1, 30).flatmap(lambda n: st.permutations(range(n)))


# --- Cycles and parity --------------------------------------------------------------------------------------------


@given(some_permutation)
def test_cycles_are_the_components_of_the_graph_i_to_perm_i(perm):
    count, label = connected_components(permutation_matrix(perm))
    found = cycles(perm)
    assert len(found) == count
    for cycle in found:
        assert cycle[0] == min(cycle)
        assert all(perm[a] == b for a, b in zip(cycle, cycle[1:] + cycle[:1], strict=True))
        assert len({label[i] for i in cycle}) == 1
    assert sorted(i for cycle in found for i in cycle) == list(range(len(perm)))
    assert cycle_type(perm) == tuple(sorted(np.bincount(label).tolist(), reverse=True))


@given(some_permutation)
def test_the_order_is_the_least_common_multiple_of_the_cycle_type(perm):
    power, k = list(perm), 1
    while power != list(range(len(perm))):
        power, k = compose(power, perm), k + 1
    assert k == math.lcm(*cycle_type(perm))


# --- Products -----------------------------------------------------------------------------------------------------


@given(some_permutation, st.randoms(use_true_random=False))
def test_compose_is_the_matrix_product_and_acts_from_the_right(sigma, random):
    tau = random.sample(range(len(sigma)), len(sigma))
    product = permutation_matrix(sigma) @ permutation_matrix(tau)
    np.testing.assert_array_equal(permutation_matrix(compose(sigma, tau)), product)
    X = np.arange(100, 100 + len(sigma))
    np.testing.assert_array_equal(X[compose(sigma, tau)], X[list(tau)][list(sigma)])
    assert compose(sigma, inverse(sigma)) == compose(inverse(sigma), sigma) == list(range(len(sigma)))
    assert parity(compose(sigma, tau)) == parity(sigma) * parity(tau)


# --- Birkhoff -----------------------------------------------------------------------------------------------------


def assert_decomposes(D, terms):
    n = len(D)
    assert 1 <= len(terms) <= (n - 1) ** 2 + 1
    assert all(theta > 0 for theta, _ in terms)
    assert sum(theta for theta, _ in terms) == pytest.approx(1, abs=1e-12)
    rebuilt = sum(theta * permutation_matrix(perm) for theta, perm in terms)
    np.testing.assert_allclose(rebuilt, D, rtol=0, atol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_birkhoff_takes_a_positive_matrix_apart(n, seed):
    D = sinkhorn(np.exp(np.random.default_rng(seed).normal(size=(n, n))), rounds=2000)
    assert_decomposes(D, birkhoff(D))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 9), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_birkhoff_leaves_no_dust_of_matrices_with_many_zeros(n, k, seed):
    rng = np.random.default_rng(seed)
    weights = rng.integers(1, 10, size=k)
    D = sum(w / weights.sum() * permutation_matrix(rng.permutation(n)) for w in weights)
    assert_decomposes(D, birkhoff(D, tolerance=0))  # what rounding leaves is allowed in any case


def test_birkhoff_of_a_permutation_is_the_permutation():
    for perm in permutations(4):
        assert birkhoff(permutation_matrix(perm)) == [(1.0, perm)]


def test_birkhoff_starts_with_the_heaviest_permutation():
    D = sinkhorn(np.exp(np.random.default_rng(1).normal(size=(6, 6))), rounds=2000)
    assert birkhoff(D)[0][1] == linear_sum_assignment(D, maximize=True)[1].tolist()


def test_birkhoff_keeps_what_is_larger_than_the_error_of_the_sums():
    D = (1 - 1.5e-7) * np.eye(3) + 1.5e-7 * permutation_matrix([1, 2, 0])
    D[0, 0] += 1e-7
    (heavy, identity), (light, turned) = birkhoff(D)
    assert (identity, turned) == ([0, 1, 2], [1, 2, 0])
    assert (heavy, light) == (pytest.approx(1, abs=1e-6), pytest.approx(1.5e-7, rel=1e-6))


def test_birkhoff_takes_tensors():
    D = torch.full((3, 3), 1 / 3, dtype=torch.float64)
    assert_decomposes(D.numpy(), birkhoff(D))


# --- Sinkhorn -----------------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_sinkhorn_scales_rows_and_columns_until_all_sums_are_1(n, seed):
    M = np.exp(np.random.default_rng(seed).normal(size=(n, n)))
    D = sinkhorn(M, rounds=3000)
    np.testing.assert_allclose(D.sum(axis=0), 1, rtol=1e-12)
    np.testing.assert_allclose(D.sum(axis=1), 1, rtol=1e-9)
    assert np.linalg.matrix_rank(D / M, tol=1e-9) == 1


def test_cold_sinkhorn_solves_the_assignment_problem():
    for seed in range(5):
        S = np.random.default_rng(seed).integers(0, 50, size=(5, 5)) + np.eye(5) * 1e-3
        _, best = linear_sum_assignment(S, maximize=True)
        D = sinkhorn(np.exp((S - S.max()) / 1.0), rounds=20_000)
        assert (D * S).sum() <= S[range(5), best].sum() + 1e-6
        assert (D * S).sum() >= S[range(5), best].sum() - 5 * math.log(5)  # temperature times the largest entropy


def test_sinkhorn_is_differentiable_and_takes_batches():
    S = torch.randn(2, 3, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda S: sinkhorn(torch.exp(S), rounds=5), S)
    batch = sinkhorn(torch.exp(S), rounds=5).detach().numpy()
    for k in range(2):
        np.testing.assert_allclose(batch[k], sinkhorn(np.exp(S[k].detach().numpy()), rounds=5), rtol=1e-14)


def test_sinkhorn_goes_a_hundred_rounds_unless_told():
    slow = np.array([[1.0, 1.0], [1e-6, 1.0]])  # so slow that one more round shows
    np.testing.assert_array_equal(sinkhorn(slow), sinkhorn(slow, rounds=100))
    assert np.abs(sinkhorn(slow) - sinkhorn(slow, rounds=101)).max() > 1e-9
