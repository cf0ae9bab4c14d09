"""Layers against torch's modules and plain loops; the measurement of symmetry on layers whose symmetry is known."""

import math

import numpy as np
import pytest
import torch
from attnbook.layers import (
    Symmetry,
    conjugate,
    encoder_layer,
    feed_forward,
    graph_attention,
    layer_norm,
    rotations,
    rows,
    stay,
    symmetry,
)
from attnbook.permutations import permutation_matrix, permutations
from hypothesis import given
from hypothesis import strategies as st

seeds = st.integers(0, 2**32 - 1)
lengths = st.integers(1, 7)
libraries = st.sampled_from([np.asarray, torch.asarray])


def draw(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


# --- Layers -------------------------------------------------------------------------------------------------------


@given(seeds, lengths, st.integers(1, 9), libraries, st.sampled_from([1e-5, 0.1]))
def test_layer_norm_agrees_with_torch(seed, n, d, library, eps):
    X = draw(seed, 2, n, d)
    found = layer_norm(library(X), eps)
    assert type(found) is type(library(X))
    expected = torch.nn.functional.layer_norm(torch.from_numpy(X), (d,), eps=eps)
    np.testing.assert_allclose(np.asarray(found), expected, atol=1e-12)


def test_layer_norm_adds_eps_to_the_variance_of_large_numbers_too():
    np.testing.assert_allclose(layer_norm([[0.0, 1000.0]], eps=1e5), [[-0.845154, 0.845154]], atol=1e-6)  # 500/√350 000


@given(seeds, lengths, st.integers(1, 9), st.integers(1, 9), libraries)
def test_feed_forward_agrees_with_torch(seed, n, d, hidden, library):
    linear = torch.nn.functional.linear
    X, W_1, W_2 = draw(seed, 2, n, d), draw(seed + 1, d, hidden), draw(seed + 2, hidden, d + 1)
    expected = linear(linear(torch.from_numpy(X), torch.from_numpy(W_1.T)).relu(), torch.from_numpy(W_2.T))
    np.testing.assert_allclose(np.asarray(feed_forward(*map(library, (X, W_1, W_2)))), expected, atol=1e-12)


@given(seeds, lengths)
def test_encoder_layer_agrees_with_torch(seed, n):
    with torch.random.fork_rng():
        torch.manual_seed(seed % 2**31)
        module = torch.nn.TransformerEncoderLayer(6, 2, 10, dropout=0.0, batch_first=True, bias=False).double()
    X = torch.from_numpy(draw(seed, 3, n, 6))

    def attend(X):
        return module.self_attn(X, X, X, need_weights=False)[0]

    def transform(X):
        return feed_forward(X, module.linear1.weight.mT, module.linear2.weight.mT)

    torch.testing.assert_close(encoder_layer(X, attend, transform), module(X), atol=1e-12, rtol=0)


def test_the_norm_of_an_encoder_layer_can_be_chosen():
    X = draw(0, 4, 3)
    found = encoder_layer(X, lambda X: X, lambda X: -2 * X, norm=lambda X: X + 1)
    np.testing.assert_allclose(found, -2 * X, atol=1e-14)


@given(seeds, st.integers(1, 6), libraries)
def test_graph_attention_agrees_with_a_loop(seed, n, library):
    X, W, a_to, a_from = draw(seed, n, 4), draw(seed + 1, 4, 3), draw(seed + 2, 3), draw(seed + 3, 3)
    N = np.random.default_rng(seed).random((n, n)) < 0.5
    N[np.arange(n), np.random.default_rng(seed + 4).integers(n, size=n)] = True
    V, expected = X @ W, np.zeros((n, 3))
    for i in range(n):
        raw = {j: a_to @ V[i] + a_from @ V[j] for j in range(n) if N[i, j]}
        weight = {j: math.exp(s if s > 0 else 0.2 * s) for j, s in raw.items()}
        expected[i] = sum(w * V[j] for j, w in weight.items()) / sum(weight.values())
    found = graph_attention(*map(library, (X, N, W, a_to, a_from)))
    np.testing.assert_allclose(np.asarray(found), expected, atol=1e-12)
    both = graph_attention(*map(library, (np.stack([X, 2 * X]), N, W, a_to, a_from)))  # a batch of node features
    np.testing.assert_allclose(np.asarray(both)[0], expected, atol=1e-12)


# --- Groups and actions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 6))
def test_the_actions_are_those_of_the_matrices(n):
    X, S = draw(n, n, 3), draw(n, n, n)
    for g in permutations(n):
        P = permutation_matrix(g)
        np.testing.assert_array_equal(rows(g, X), P @ X)
        np.testing.assert_array_equal(conjugate(g, S), P @ S @ P.T)
        several = np.stack([S, S.T], axis=-1)  # two numbers for each pair
        np.testing.assert_array_equal(conjugate(g, several)[..., 1], P @ S.T @ P.T)
        assert stay(g, X) is X


@pytest.mark.parametrize("n", range(1, 7))
def test_the_rotations_are_the_powers_of_one_shift(n):
    group, shift = rotations(n), np.roll(np.arange(n), 1)
    assert group[0] == list(range(n))
    assert len(set(map(tuple, group))) == n
    for k, perm in enumerate(group):
        np.testing.assert_array_equal(perm, np.roll(np.arange(n), k))
        np.testing.assert_array_equal(np.asarray(perm)[shift], group[(k + 1) % n])


# --- Symmetry -----------------------------------------------------------------------------------------------------

KNOWN = {  # functions of five tokens, and their verdict over all permutations and over the rotations
    "position-wise": (np.tanh, "equivariant", "equivariant"),
    "softmax down the columns": (lambda X: np.exp(X) / np.exp(X).sum(axis=0), "equivariant", "equivariant"),
    "first feature": (lambda X: X[:, 0], "equivariant", "equivariant"),
    "mean": (lambda X: X.mean(axis=0), "invariant", "invariant"),
    "Gram matrix of the features": (lambda X: X.T @ X, "invariant", "invariant"),
    "a number": (lambda X: np.linalg.norm(X), "invariant", "invariant"),
    "mean for every token": (lambda X: 0 * X + X.mean(axis=0), "both", "both"),
    "zeros": (lambda X: 0 * X, "both", "both"),
    "difference to the next, in a ring": (lambda X: X - np.roll(X, 1, axis=0), "neither", "equivariant"),
    "cumulative sum": (lambda X: X.cumsum(axis=0), "neither", "neither"),
    "first row": (lambda X: X[0], "neither", "neither"),
    "flat": (lambda X: X.ravel(), "neither", "neither"),
}


@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("library", [np.asarray, torch.asarray], ids=["numpy", "torch"])
def test_the_verdict_on_known_functions(name, library):
    f, by_order, by_shift = KNOWN[name]

    def wrapped(X):
        return library(np.asarray(f(np.asarray(X))))

    for group, verdict in ((permutations(5), by_order), (rotations(5), by_shift)):
        assert symmetry(wrapped, [library(draw(1, 5, 3))], [rows], group).verdict == verdict


def test_the_errors_are_the_largest_over_the_group():
    X = np.array([[0.0], [1.0], [5.0]])
    found = symmetry(lambda X: X * np.array([[1.0], [1.0], [2.0]]), [X], [rows], permutations(3))
    assert found == Symmetry("neither", equivariance=5.0, invariance=10.0)
    pooled = symmetry(lambda X: X.sum(axis=0), [X], [rows], permutations(3))
    assert math.isnan(pooled.equivariance)
    assert pooled[::2] == ("invariant", 0.0)


def test_the_output_can_be_conjugated():
    def Gram(X):
        return X @ X.T

    X = draw(2, 4, 3)
    assert symmetry(Gram, [X], [rows], permutations(4), out=conjugate).verdict == "equivariant"
    assert symmetry(Gram, [X], [rows], permutations(4)).verdict == "neither"


def test_every_input_has_its_own_action():
    def f(X, M):
        return np.where(M, X @ X.T, 0.0).sum(axis=1)

    X, M = draw(3, 4, 2), draw(4, 4, 4) > 0
    verdicts = [symmetry(f, [X, M], [rows, g], permutations(4)).verdict for g in (conjugate, stay)]
    assert verdicts == ["equivariant", "neither"]


def test_gradients_do_not_disturb_the_measurement():
    module = torch.nn.Linear(3, 2, dtype=float)
    found = symmetry(lambda X: module(X), [torch.from_numpy(draw(6, 4, 3))], [rows], permutations(4))
    assert found.verdict == "equivariant"
