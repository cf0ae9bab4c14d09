"""Layers against torch's modules and plain loops; the measurement of symmetry on layers whose symmetry is known."""

import math
import re

import numpy as np
import pytest
import torch
from attnbook.figures import groups
from attnbook.figures import symmetry as drawings
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


X3, EYE3 = np.ones((3, 2)), np.eye(3, dtype=bool)
REFUSED = {
    "rank of X": (lambda: layer_norm(1.0), "X has shape (); expected at least 1 axes"),
    "W_1 does not fit": (
        lambda: feed_forward(X3, np.ones((3, 4)), np.ones((4, 2))),
        "W_1 has shape (3, 4); expected (2,",
    ),
    "W_1 does not fit a batch": (
        lambda: feed_forward(np.ones((5, 3, 2)), np.ones((3, 4)), np.ones((4, 2))),
        "W_1 has shape (3, 4); expected (2,",
    ),
    "W_2 does not fit": (
        lambda: feed_forward(X3, np.ones((2, 4)), np.ones((5, 2))),
        "W_2 has shape (5, 2); expected (4,",
    ),
    "attend": (lambda: encoder_layer(X3, lambda X: X[:2], lambda X: X), "attend(X) has shape (2, 2); expected (3, 2)"),
    "transform": (lambda: encoder_layer(X3, lambda X: X, lambda X: X[:, :1]), "transform(X) has shape (3, 1)"),
    "adjacency shape": (
        lambda: graph_attention(X3, EYE3[:2], X3.T, *X3[[0, 1], :1].repeat(3, 1)),
        "adjacency has shape (2, 3)",
    ),
    "adjacency dtype": (
        lambda: graph_attention(X3, np.eye(3), X3.T, *X3[[0, 1], :1].repeat(3, 1)),
        "adjacency has dtype float64; expected booleans",
    ),
    "lonely node": (lambda: graph_attention(X3, EYE3 & (np.arange(3) < 2), np.eye(2), *X3[:2]), "without a neighbour"),
    "W of a graph": (lambda: graph_attention(X3, EYE3, np.eye(3), *X3[:2]), "W has shape (3, 3); expected (2, d_v)"),
    "rotations": (lambda: rotations(0), "n = 0; expected a whole number >= 1"),
    "actions": (lambda: symmetry(layer_norm, [X3], [], permutations(3)), "1 inputs, 0 actions"),
    "empty group": (lambda: symmetry(layer_norm, [X3], [rows], []), "group = []; expected a list of permutations"),
    "NaN": (
        lambda: symmetry(lambda X: X * np.nan, [X3], [rows], permutations(3)),
        "f(x) with shape (3, 2) contains NaN",
    ),
    "changing shape": (
        lambda: symmetry(lambda X: X[: 1 + int(X[0, 0])], [np.arange(4.0).reshape(2, 2)], [rows], [[0, 1], [1, 0]]),
        "f(g·x) has shape (2, 2); expected (1, 2), the shape of f(x)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_input_is_refused(name):
    call, message = REFUSED[name]
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


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
    "mean": (lambda X: X.mean(axis=0), "invariant", "invariant"),
    "Gram matrix of the features": (lambda X: X.T @ X, "invariant", "invariant"),
    "a number": (lambda X: np.linalg.norm(X), "invariant", "invariant"),
    "mean for every token": (lambda X: 0 * X + X.mean(axis=0), "both", "both"),
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


def test_every_permutation_of_the_group_counts_wherever_it_is_listed():
    X, group = np.array([[0.0], [1.0], [5.0]]), [[0, 1, 2], [1, 0, 2], [0, 2, 1]]
    functions = {(5.0, 8.0): lambda X: X * np.array([[1.0], [1.0], [2.0]]), (0.0, 4.0): lambda X: X}
    for errors, f in functions.items():
        for order in (group, group[::-1], group[1:] + group[:1], [group[0], group[2]], [group[2], group[0]]):
            assert symmetry(f, [X], [rows], order)[1:] == errors


def test_numbers_vectors_and_zeros_have_their_verdict():
    X, group = np.array([[0.0], [1.0], [5.0]]), permutations(3)
    functions = {"invariant": lambda X: X.sum(), "equivariant": lambda X: X[:, 0], "both": lambda X: 0 * X}
    for verdict, f in functions.items():
        assert symmetry(f, [X], [rows], group).verdict == verdict


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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_violation_is_seen_from_half_of_the_digits_on(dtype):
    X = draw(5, 5, 3).astype(dtype)
    root = np.sqrt(np.finfo(dtype).eps)
    tilt = np.linspace(0, 1, 5, dtype=dtype)[:, None]

    def verdict(size):
        return symmetry(lambda X: X + dtype(size) * tilt, [X], [rows], permutations(5)).verdict

    assert verdict(10 * root) == "neither"
    assert verdict(0.01 * root) == "equivariant"


def test_gradients_do_not_disturb_the_measurement():
    module = torch.nn.Linear(3, 2, dtype=float)
    found = symmetry(lambda X: module(X), [torch.from_numpy(draw(6, 4, 3))], [rows], permutations(4))
    assert found.verdict == "equivariant"


# --- Drawings -----------------------------------------------------------------------------------------------------


def test_the_drawn_words_keep_their_rows_and_the_mean_stands_still():
    told = {}
    for perm in permutations(4):
        _, rows_of_Y, mean = re.split(r"Rows of Y, from the top: |\. Their mean: ", drawings.draw_shuffled(perm).alt)
        entries = [entry.split(" ", 1) for entry in rows_of_Y.split("; ")]
        assert [word for word, _ in entries] == [drawings.WORDS[i] for i in perm]
        told[tuple(perm)] = dict(entries) | {"mean": mean}
    assert len({tuple(sorted(entry.items())) for entry in told.values()}) == 1


def test_the_other_drawings_tell_their_numbers():
    errors, allowed = {torch.float64: [1e-16], torch.float32: [2e-7]}, {torch.float64: [1e-13], torch.float32: [1e-4]}
    assert "measured up to 2.0e-07, allowed up to 1.0e-04" in drawings.draw_rounding([4], errors, allowed).alt
    assert "between 0.50 and 2.00" in drawings.draw_errors([1e-16, 2e-16], [0.5, 2.0]).alt
    patterns = drawings.draw_patterns(["a", "b"], [[0.25, 0.75], [0.5, 0.5]], ["b", "a"], [[0.5, 0.5], [0.75, 0.25]])
    assert "from a: 0.25, 0.75; from b: 0.50, 0.50" in patterns.alt


def squares(ax):
    """The corners of all filled squares of a drawing, by their size."""
    found = {}
    for patch in ax.patches:
        corners = patch.get_path().vertices.reshape(-1, 5, 2)
        found.setdefault(round(float(np.ptp(corners[0], axis=0)[0])), []).append(corners[:, 0])
    return found


def test_a_drawn_mask_shows_what_an_order_changes(monkeypatch):
    drawn = []
    monkeypatch.setattr(groups, "picture", lambda fig, alt: drawn.append((fig, alt)))
    M, perm = np.arange(6) < np.full((6, 1), 4), [5, 1, 2, 3, 4, 0]
    groups.draw_stabiliser(M, perm)
    [(fig, alt)] = drawn
    left, right = squares(fig.axes[0])[19]
    for corners, grid, x in ((left, M, 18), (right, M[np.ix_(perm, perm)], 172)):
        assert {(int(y - 26) // 20, int(a - x) // 20) for a, y in corners} == set(
            map(tuple, np.argwhere(grid).tolist())
        )
    frames = [line.get_xydata()[0] for line in fig.axes[0].lines if len(line.get_xydata()) == 5][2:]
    changed = {(int(y - 30) // 20, int(x - 176) // 20) for x, y in frames}
    assert changed == set(map(tuple, np.argwhere(M[np.ix_(perm, perm)] != M).tolist()))
    assert "Of 720 orders, leaving it as it is: 48; masks in its orbit: 15" in alt


def test_the_drawn_hierarchy_has_the_largest_groups_inside_each():
    i, j = np.indices((4, 4))
    masks = {"all": i == i, "pairs": i // 2 == j // 2, "half": j < 2, "ring": (i - j) % 4 <= 1, "causal": j <= i}
    alt = groups.draw_hierarchy(masks).alt
    assert "all: 24; pairs: 8; half: 4; ring: 4; causal: 1" in alt
    assert "pairs in all; half in pairs; ring in all; causal in half; causal in ring." in alt


def test_a_drawn_ledger_has_a_letter_for_each_verdict(monkeypatch):
    drawn = []
    monkeypatch.setattr(groups, "picture", lambda fig, alt: drawn.append((fig, alt)))
    groups.draw_ledger({"a": ["equivariant", "–"], "b": ["neither", "invariant"]}, ["tokens", "shift"])
    [(fig, alt)] = drawn
    letters = {(t.get_text(), t.get_position()) for t in fig.axes[0].texts if t.get_text() in ("E", "I", "N", "–")}
    assert letters == {("E", (190, 35)), ("–", (272, 35)), ("N", (190, 54)), ("I", (272, 54))}
    assert "a: equivariant, –; b: neither, invariant" in alt
