"""Recurrent networks against torch.nn, their Jacobians against autograd, and the pictures of them."""

import numpy as np
import pytest
import torch
from attnbook.permutations import permutation_matrix
from attnbook.recurrent import (
    delta_rule,
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


def test_gates_far_from_zero_are_open_or_shut_and_nothing_overflows():
    one = np.ones((4, 1))
    with np.errstate(all="raise"):
        for dtype in ("f4", "f8"):
            X = np.array([[-1e4], [1e4]], dtype=dtype)
            states, cells = lstm(X, one.astype(dtype), 0 * one.astype(dtype), 0 * one[:, 0].astype(dtype))
            np.testing.assert_allclose(cells[:, 0], [0, 1], atol=1e-6)
            np.testing.assert_allclose(states[:, 0], [0, np.tanh(1)], atol=1e-6)


def test_a_start_continues_the_sequence():
    _, X, W = draw("RNN", 2, 9, 3, 5)
    H = rnn(X, *W)
    close(rnn(X[:, 4:], *W, start=H[:, 3]), H[:, 4:])
    close(rnn(X, *W, start=torch.zeros(2, 5, dtype=torch.float64)), H)


@pytest.mark.parametrize("kind", ["RNN", "LSTM"])
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


@given(st.integers(1, 5), st.integers(1, 6), st.floats(-3, 3), st.integers(0, 20))
def test_the_delta_rule_is_a_step_down_the_gradient_of_the_squared_error(d_v, d_k, beta, seed):
    generator = torch.Generator().manual_seed(seed)
    shapes = [(3, d_v, d_k), (3, d_k), (3, d_v)]
    S, k, v = (torch.randn(shape, generator=generator, dtype=torch.float64) for shape in shapes)
    error = torch.einsum("bij,bj->bi", S.requires_grad_(), k) - v
    step = torch.optim.SGD([S], lr=beta if beta > 0 else -beta, maximize=beta < 0)
    before = S.detach().clone()
    (error**2 / 2).sum().backward()
    step.step()
    close(delta_rule(before, k, v, beta), S)
    close(delta_rule(before.numpy(), k.numpy(), v.numpy(), beta), S)
    close(delta_rule(before[0], k[0], v[0], beta), S[0])


@given(st.integers(2, 9), st.data())
def test_two_cups_are_swapped_by_a_step_of_the_delta_rule(n, data):
    i, j = data.draw(st.permutations(range(n)))[:2]
    k = (np.eye(n)[i] - np.eye(n)[j]) / np.sqrt(2)
    swapped = np.arange(n)
    swapped[[i, j]] = j, i
    close(delta_rule(np.eye(n), k, np.zeros(n), 2), permutation_matrix(swapped))
