"""Corners of laws that no chapter visits: one key, far positions, small weights, points at the edge of a hull."""

import math
import warnings

import numpy as np
import pytest
import torch
from attnbook.attention import attention, attention_weights, causal_mask, online_attention, padding_mask, softmax
from attnbook.layers import rows, symmetry
from attnbook.permutations import birkhoff, permutation_matrix
from attnbook.positional import frequencies, rotate
from attnbook.simplex import hull_weights, separating_direction, sparsemax
from hypothesis import given
from hypothesis import strategies as st

# --- Verdicts ------------------------------------------------------------------------------------------------------

X = np.random.default_rng(0).normal(size=(4, 3))
SHIFT, SWAP, SAME = [1, 2, 3, 0], [1, 0, 2, 3], [0, 1, 2, 3]


def ring(x):
    """Every token and its neighbour to the right: obeys shifts and breaks swaps."""
    return x + 0.5 * x[[1, 2, 3, 0]]


@pytest.mark.parametrize("group", [[SHIFT, SWAP, SAME], [SWAP, SHIFT, SAME], [SAME, SHIFT, SWAP]])
def test_every_permutation_counts_in_a_verdict(group):
    found = symmetry(ring, [X], [rows], group)
    assert found.verdict == "neither"
    errors = [symmetry(ring, [X], [rows], [g]) for g in (SHIFT, SWAP)]
    assert found.equivariance == max(error.equivariance for error in errors) > 0.1
    assert found.invariance == max(error.invariance for error in errors) > 0.1
    assert symmetry(ring, [X], [rows], [SHIFT, SAME]).verdict == "equivariant"
    assert symmetry(lambda x: ring(x).sum(0), [X], [rows], group).verdict == "invariant"


@pytest.mark.parametrize("size", [1e-30, 1e-9, 1.0, 1e9, 1e30])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_verdict_does_not_depend_on_the_size_of_the_output(size, dtype):
    x = X.astype(dtype)
    verdicts = [
        symmetry(lambda x: np.asarray(size * ring(x), dtype), [x], [rows], [SWAP]).verdict,
        symmetry(lambda x: np.asarray(size * np.tanh(x) / 3, dtype), [x], [rows], [SWAP, SHIFT]).verdict,
        symmetry(lambda x: np.asarray(size * np.exp(x).sum(0), dtype), [x], [rows], [SWAP, SHIFT]).verdict,
        symmetry(lambda x: np.asarray(size * np.arange(4.0), dtype), [x], [rows], [SHIFT]).verdict,
    ]
    assert verdicts == ["neither", "equivariant", "invariant", "invariant"]


def test_a_verdict_allows_half_of_the_digits():
    for dtype, eps in (("float32", 2.0**-23), ("float64", 2.0**-52)):
        for factor, verdict in ((0.9, "both"), (1.1, "neither")):
            calls = iter([1.0, 1 + factor * math.sqrt(eps)])

            def wobble(x, calls=calls):
                return x * 0 + next(calls)

            assert symmetry(wobble, [np.arange(4, dtype=dtype)[:, None]], [rows], [SHIFT]).verdict == verdict


# --- One key -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", [np.asarray, torch.asarray])
@given(m=st.integers(1, 6), j=st.integers(0, 5), size=st.sampled_from([1.0, 1e3, 1e150]))
def test_a_query_with_a_single_key_returns_its_value(library, m, j, size):
    rng, j = np.random.default_rng(m), j % m
    Q, K, V = (library(rng.normal(size=shape)) for shape in ((3, 4), (m, 4), (m, 2)))
    mask = np.arange(m) == j
    A = np.asarray(attention_weights(size * Q, size * K, mask=library(mask)))
    np.testing.assert_array_equal(A, np.broadcast_to(mask, (3, m)).astype(float))
    np.testing.assert_array_equal(attention(size * Q, size * K, V, mask=library(mask)), np.asarray(V)[[j] * 3])
    np.testing.assert_array_equal(attention(Q, K, V, mask=causal_mask(3, m))[0], np.asarray(V)[0])
    np.testing.assert_array_equal(attention(Q, K, V, mask=padding_mask([1], m)[0]), np.asarray(V)[[0] * 3])


# --- Far positions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", [np.asarray, torch.asarray])
@pytest.mark.parametrize("pairing", ["adjacent", "halves"])
def test_rotary_angles_at_a_million_are_exact_in_float32(library, pairing):
    x = np.random.default_rng(0).normal(size=(3, 8))
    positions = [10**6, 10**6 + 1, 2**24 + 1]  # float32 does not tell the last from its neighbour
    near = rotate(library(x.astype("f4")), positions, pairing=pairing)
    assert np.asarray(near).dtype == np.float32
    np.testing.assert_allclose(np.asarray(near), rotate(x, positions, pairing=pairing), atol=1e-6)
    pair = np.asarray(rotate(library(np.array([[1.0, 0.0]] * 3, "f4")), positions, pairing=pairing))
    theta = frequencies(2)[0]
    expected = [[math.cos(theta * t), math.sin(theta * t)] for t in positions]
    np.testing.assert_allclose(pair, expected, atol=1e-6)


# --- Certificates --------------------------------------------------------------------------------------------------


@given(
    seed=st.integers(0, 999),
    m=st.integers(1, 8),
    d=st.integers(1, 4),
    size=st.sampled_from([1e-12, 1e-9, 1.0, 1e6, 1e12]),
    offset=st.sampled_from([0.0, 1e-13, 1e-9, 3e-8, 1e-7, 3e-7, 1e-5, 0.1, 1e3]),
    far=st.sampled_from([0.0, 10.0]),
)
def test_every_point_has_exactly_one_certificate(seed, m, d, size, offset, far):
    rng = np.random.default_rng(seed)
    V = rng.normal(size=(m, d)) + far
    inside = rng.dirichlet(np.ones(m)) @ V
    direction = rng.normal(size=d)
    corner = V[np.argmax(V @ direction)]  # a step away from it along this direction leaves the hull
    y = (corner + offset * direction if seed % 2 else inside) * size
    a, w = hull_weights(y, V * size), separating_direction(y, V * size)
    assert (a is None) != (w is None)
    if a is not None:
        assert (a >= 0).all()
        assert (a > 0).sum() <= d + 1
        assert a.sum() == pytest.approx(1, abs=1e-9)
        np.testing.assert_allclose(a @ V, y / size, atol=3e-7 * (1 + np.abs(V - y / size).max()))
    else:
        assert seed % 2
        assert np.abs(w).max() <= 1 + 1e-9
        assert w @ (y / size) > (V @ w).max()
    if seed % 2 and offset >= 0.1:
        assert a is None


@pytest.mark.parametrize("size", [1e-9, 1e-150, 1e150])
def test_the_hull_of_tiny_data_is_tiny(size):
    triangle = np.array([[0, 0], [1, 0], [0, 1]]) * size
    assert hull_weights(np.array([0.6, 0.6]) * size, triangle) is None
    np.testing.assert_allclose(hull_weights(np.array([0.25, 0.25]) * size, triangle), [0.5, 0.25, 0.25], atol=1e-9)
    np.testing.assert_allclose(separating_direction(np.array([0.6, 0.6]) * size, triangle), [1, 1], atol=1e-9)


# --- Small terms ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("small", [1e-3, 1e-8, 1e-12, 2e-14])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_birkhoff_finds_small_terms(small, n):
    shift = [*range(1, n), 0]
    D = (1 - small) * np.eye(n) + small * permutation_matrix(shift)
    terms = {tuple(perm): theta for theta, perm in birkhoff(D)}
    assert set(terms) == {tuple(range(n)), tuple(shift)}
    assert terms[tuple(shift)] == pytest.approx(small, abs=1e-15)
    assert sum(terms.values()) == pytest.approx(1, abs=1e-14)


# --- Far apart -----------------------------------------------------------------------------------------------------

FAR = [1.7e308, 8e307, 0.0, -8e307, -1.7e308]  # the difference of the first and the last is no number


@pytest.mark.parametrize("law", [softmax, sparsemax])
@pytest.mark.parametrize("library", [np.asarray, torch.asarray])
@given(s=st.lists(st.sampled_from(FAR), min_size=1, max_size=6))
def test_scores_that_lie_far_apart_are_no_overflow(law, library, s):
    """The largest share all weight, and nothing is wrong that a warning could speak of."""
    s = np.array(s)
    largest = s == s.max()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        weights = law(library(s))
    np.testing.assert_array_equal(weights, largest / largest.sum())


@pytest.mark.parametrize("library", [np.asarray, torch.asarray])
@given(s=st.lists(st.sampled_from(FAR), min_size=1, max_size=6), tile=st.integers(1, 3))
def test_attention_over_keys_that_lie_far_apart_is_no_overflow(library, s, tile):
    """The output is the mean value of the keys with the largest score, in one piece and in tiles."""
    Q, K, V = library(np.ones((1, 1))), library(np.array(s)[:, None]), library(np.arange(len(s))[:, None])
    expected = np.flatnonzero(np.array(s) == max(s)).mean()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outputs = [attention(Q, K, V), online_attention(Q, K, V, tile=tile)]
    np.testing.assert_allclose([float(Y[0, 0]) for Y in outputs], expected)
