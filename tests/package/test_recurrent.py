"""Recurrent networks against torch.nn, their Jacobians against autograd, and the pictures of them."""

import re

import numpy as np
import pytest
import torch
from attnbook.figures import recurrence
from attnbook.recurrent import (
    lstm,
    lstm_jacobians,
    path_norms,
    random_recurrence,
    rnn,
    rnn_jacobians,
    spectral_radius,
)
from hypothesis import given
from hypothesis import strategies as st

SHAPES = st.tuples(st.integers(1, 3), st.integers(1, 9), st.integers(1, 6), st.integers(1, 7))  # batch, n, d, d_h
ROWS = {"RNN": 1, "LSTM": 4}


def draw(kind, batch, n, d, d_h, seed=0):
    """Inputs and weights, n ≠ d ≠ d_h unless drawn so, and torch's module that holds the same weights."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        module = getattr(torch.nn, kind)(d, d_h, batch_first=True).double()
        X = torch.randn(batch, n, d, dtype=torch.float64)
    weights = [module.weight_ih_l0, module.weight_hh_l0, module.bias_ih_l0 + module.bias_hh_l0]
    return module, X, [w.detach() for w in weights]


def close(a, b):
    np.testing.assert_allclose(np.asarray(a), np.asarray(b.detach() if hasattr(b, "detach") else b), atol=1e-13)


@given(SHAPES)
def test_rnn_equals_torch(shape):
    module, X, W = draw("RNN", *shape)
    close(rnn(X, *W), module(X)[0])
    close(rnn(X.numpy(), *(w.numpy() for w in W)), module(X)[0])
    close(rnn(X[0], *W), module(X)[0][0])


@given(SHAPES)
def test_lstm_equals_torch(shape):
    module, X, W = draw("LSTM", *shape)
    H, (_, c) = module(X)
    for states, cells in (lstm(X, *W), lstm(X.numpy(), *(w.numpy() for w in W))):
        close(states, H)
        close(cells[:, -1], c[0])


def test_a_start_continues_the_sequence():
    _, X, W = draw("RNN", 2, 9, 3, 5)
    H = rnn(X, *W)
    close(rnn(X[:, 4:], *W, start=H[:, 3]), H[:, 4:])
    close(rnn(X, *W, start=torch.zeros(2, 5, dtype=torch.float64)), H)


@pytest.mark.parametrize("kind", ROWS)
def test_weights_with_a_leading_axis_are_networks_side_by_side(kind):
    networks = [draw(kind, 4, 6, 3, 5, seed) for seed in range(3)]
    X = torch.stack([x for _, x, _ in networks])
    W_x, W_h, b = (torch.stack(w) for w in zip(*(w for *_, w in networks), strict=True))
    together = (rnn if kind == "RNN" else lstm)(X, W_x, W_h, b[:, None])
    together = together if kind == "RNN" else together[0]
    for run, (module, x, _) in zip(together, networks, strict=True):
        close(run, module(x)[0])


def test_autograd_passes_through():
    _, X, W = draw("RNN", 1, 5, 2, 3)
    W = [w.requires_grad_() for w in W]
    assert all(bool(g.abs().sum() > 0) for g in torch.autograd.grad(rnn(X, *W).sum(), W))


@given(SHAPES.filter(lambda shape: shape[1] > 1))
def test_rnn_jacobians_are_those_of_autograd(shape):
    _, n, d, d_h = shape
    _, X, (W_x, W_h, b) = draw("RNN", 1, n, d, d_h)
    H = rnn(X[0], W_x, W_h, b)
    J = rnn_jacobians(H, W_h)
    assert J.shape == (n - 1, d_h, d_h)
    for t in range(1, n):

        def step(h, x=X[0, t : t + 1]):
            return rnn(x, W_x, W_h, b, start=h)[0]

        close(J[t - 1], torch.autograd.functional.jacobian(step, H[t - 1]))
    close(rnn_jacobians(H.numpy(), W_h.numpy()), J)


@given(SHAPES.filter(lambda shape: shape[1] > 1))
def test_lstm_jacobians_are_those_of_autograd_through_torch(shape):
    _, n, d, d_h = shape
    module, X, W = draw("LSTM", 1, n, d, d_h)
    H, C = (states[0] for states in lstm(X, *W))
    J = lstm_jacobians(X[0], *W)
    assert J.shape == (n - 1, 2 * d_h, 2 * d_h)
    for t in range(1, n):

        def step(state, x=X[:, t : t + 1]):
            h, c = state.reshape(2, 1, 1, d_h)
            return torch.cat([part.flatten() for part in module(x, (h, c))[1]])

        close(J[t - 1], torch.autograd.functional.jacobian(step, torch.cat([H[t - 1], C[t - 1]])))
    close(lstm_jacobians(X[0].numpy(), *(w.numpy() for w in W)), J)


def test_without_recurrent_weights_only_the_cell_path_is_left():
    _, X, (W_x, W_h, b) = draw("LSTM", 1, 8, 3, 4)
    J = lstm_jacobians(X[0], W_x, 0 * W_h, b)
    gates = torch.sigmoid((X[0] @ W_x.T + b)[1:, 4:8])
    close(J[:, 4:, 4:], torch.diag_embed(gates))
    assert not J[:, :, :4].any()


@given(SHAPES.filter(lambda shape: shape[1] > 1))
def test_path_norms_multiply_from_the_last_step_back(shape):
    _, n, d, d_h = shape
    _, X, W = draw("RNN", 1, n, d, d_h)
    J = rnn_jacobians(rnn(X[0], *W), W[1])
    norms = path_norms(J)
    assert norms.shape == (n,)
    for k in range(n):
        product = torch.eye(d_h, dtype=torch.float64)
        for t in range(n - 2, n - 2 - k, -1):
            product = product @ J[t]
        assert norms[k].item() == pytest.approx(np.linalg.svd(product.numpy(), compute_uv=False)[0], rel=1e-12)
    close(path_norms(J.numpy()), norms)


def test_a_random_recurrence_is_normal_up_to_its_size():
    """E w⁴/(E w²)² is 3 for normal numbers and 1.8 for evenly spread ones; the error of 40 000 is √(96/40 000)."""
    w = random_recurrence(np.random.default_rng(0), 200, 0.9)
    assert abs(np.mean(w**4) / np.mean(w**2) ** 2 - 3) < 6 * (96 / w.size) ** 0.5 < 0.4


@given(st.integers(1, 30), st.floats(0, 3), st.integers(0, 5))
def test_a_random_recurrence_has_the_radius_it_was_asked_for(d_h, radius, seed):
    W = random_recurrence(np.random.default_rng(seed), d_h, radius)
    assert W.shape == (d_h, d_h)
    assert spectral_radius(W) == pytest.approx(radius, rel=1e-12, abs=1e-300)
    assert spectral_radius(W) <= np.linalg.norm(W, 2) * (1 + 1e-12)


def test_spectral_radius_sees_complex_and_nilpotent_matrices():
    turn = 0.7 * np.array([[0.0, -1.0], [1.0, 0.0]])
    assert spectral_radius(turn) == pytest.approx(0.7)
    assert spectral_radius([[0, 2], [0, 0]]) == 0
    assert spectral_radius(torch.eye(3)) == 1


def bad(kind, **change):
    _, X, (W_x, W_h, b) = draw(kind, 2, 4, 3, 5)
    return {"X": X, "W_x": W_x, "W_h": W_h, "b": b} | change


SHAPED = [
    ({"X": torch.ones(3)}, "X has shape (3,); expected at least 2 axes"),
    ({"X": torch.ones(2, 0, 3)}, "X has shape (2, 0, 3); expected no empty axis"),
    ({"X": torch.full((2, 4, 3), torch.nan)}, "X with shape (2, 4, 3) contains NaN"),
    (
        {"X": torch.ones(2, 4, 2)},
        "W_x has shape ({rows}, 3); expected (..., {rows}, 2) to match X with shape (2, 4, 2)",
    ),
    ({"W_h": torch.ones(4, 3)}, "W_h has shape (4, 3); expected (..., {three}, 3) to match X"),
    ({"W_x": torch.ones(5, 7)}, "W_x has shape (5, 7); expected (..., {rows}, 3) to match X"),
    ({"b": torch.ones(2)}, "b has shape (2,); expected (..., {rows}) to match X"),
]


@pytest.mark.parametrize("kind", ROWS)
@pytest.mark.parametrize(("change", "message"), SHAPED)
def test_what_does_not_fit_is_named(kind, change, message):
    message = message.format(rows=5 * ROWS[kind], three=3 * ROWS[kind])
    with pytest.raises(ValueError, match=re.escape(message)):
        (rnn if kind == "RNN" else lstm)(**bad(kind, **change))


def test_a_start_of_another_width_is_refused():
    with pytest.raises(ValueError, match=re.escape("start (4,); expected axes that fit each other")):
        rnn(**bad("RNN"), start=torch.zeros(4, dtype=torch.float64))


REFUSED = [
    (lambda: rnn_jacobians(np.ones((1, 3)), np.eye(3)), "H has shape (1, 3); expected (n, 3) with n >= 2"),
    (lambda: rnn_jacobians(np.ones((4, 2)), np.eye(3)), "H has shape (4, 2); expected (n, 3)"),
    (lambda: rnn_jacobians(np.ones((2, 4, 3)), np.eye(3)), "H has shape (2, 4, 3); expected (n, 3)"),
    (lambda: rnn_jacobians(np.ones((4, 3)), np.ones((3, 2))), "W_h has shape (3, 2); expected a square matrix"),
    (lambda: lstm_jacobians(**bad("LSTM")), "expected one sequence (n, d) with n >= 2"),
    (lambda: lstm_jacobians(**bad("LSTM", X=torch.ones(1, 3))), "X has shape (1, 3), W_x"),
    (lambda: path_norms(np.ones((3, 2, 4))), "J has shape (3, 2, 4); expected (n − 1, d_h, d_h)"),
    (lambda: path_norms(np.eye(3)), "J has shape (3, 3); expected at least 3 axes"),
    (lambda: path_norms(np.ones((2, 3, 4, 4))), "J has shape (2, 3, 4, 4); expected (n − 1, d_h, d_h)"),
    (lambda: spectral_radius(np.ones((2, 3))), "W has shape (2, 3); expected a square matrix"),
    (lambda: random_recurrence(np.random.default_rng(0), 0, 1), "d_h = 0; expected a whole number >= 1"),
    (lambda: random_recurrence(np.random.default_rng(0), 3, -1), "radius = -1; expected a finite number >= 0"),
    (lambda: random_recurrence(np.random.default_rng(0), 3, np.nan), "radius = nan; expected a finite number >= 0"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED, ids=range(len(REFUSED)))
def test_bad_input_is_refused(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


PICTURES = {
    "routes": (lambda: recurrence.draw_routes(6), "5 arrows lead from the last state"),
    "decay": (lambda: recurrence.draw_decay(0.5, 100), "Spectral radius 0.5, 100 tokens"),
    "gradients": (
        lambda: recurrence.draw_gradients({0.5: (0.5 ** np.arange(9.0),) * 2}, {"0": (np.ones(9),) * 2}),
        "after 8 steps. ρ 0.5: 3.9e-03; bias 0: 1.0e+00",
    ),
    "memory": (lambda: recurrence.draw_memory({"ρ = 0.9": np.array([1.0, 0.5, 0])}), "ρ = 0.9: 1.5"),
    "accuracy": (
        lambda: recurrence.draw_accuracy([2, 4], {"attention": [[1, 0.9], [1, 0.7]]}, 0.125, "length"),
        "attention 1.00 at 2 and 0.80 at 4. Chance is 0.125",
    ),
    "blocks": (lambda: recurrence.draw_blocks({"RNN": np.tri(4), "all": np.ones((4, 4))}), "RNN: 62% of the blocks"),
    "cell": (recurrence.draw_cell, "multiplied by the forget gate"),
    "rates": (
        lambda: recurrence.draw_rates([0.1, 1], {"RNN": [[0.2, 0.4], [0.5, 0.9]]}, "7 steps back"),
        "7 steps back, the best median accuracy over the rates: RNN 0.70",
    ),
    "paths": (lambda: recurrence.draw_paths([4, 16], {"RNN": [3, 15], "attention": [1, 1]}), "RNN 15; attention 1"),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_says_the_numbers_it_draws(name):
    draw_it, words = PICTURES[name]
    picture = draw_it()
    assert words in picture.alt
    assert picture.svg.count("<svg") == (2 if name == "blocks" else 1)  # two maps, side by side
    assert not re.search(r"mathdefault|\$", picture.svg)  # no mathtext


def test_a_longer_sequence_or_another_radius_changes_the_picture():
    frames = [recurrence.draw_decay(radius, n).svg for radius in (0.5, 1.25) for n in (10, 100)]
    assert len(set(frames)) == 4
