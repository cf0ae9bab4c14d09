"""Recurrent networks, one step after another, the Jacobians of a step, and a state that is a matrix.

A step takes the state h_{t−1} and the input x_t to the next state h_t. Inputs are rows, ``X (..., n, d)``; a weight
matrix acts from the left, as in the equations: W_x (d_h, d) and W_h (d_h, d_h). Weights (runs, d_h, …) are networks
side by side, each with its own batch of X (runs, batch, n, d), and with b (d_h,) or (runs, 1, d_h).
Every function raises ``ValueError`` that names an argument with a wrong shape or a NaN.

Sources: Elman (1990); Hochreiter and Schmidhuber (1997), with the forget gate of Gers et al. (2000);
Bengio et al. (1994) and Pascanu et al. (2013) for the products of Jacobians; Schlag et al. (2021) for the delta rule.
"""

import numpy as np
from array_api_compat import device
from numpy.typing import ArrayLike

from .arrays import Array, arrays, as_numpy, require_int, require_number, sigmoid

__all__ = [
    "delta_rule",
    "lstm",
    "lstm_jacobians",
    "path_norms",
    "random_recurrence",
    "rnn",
    "rnn_jacobians",
    "spectral_radius",
]


def rnn(X: ArrayLike, W_x: ArrayLike, W_h: ArrayLike, b: ArrayLike, start: ArrayLike | None = None) -> Array:
    """h_t = tanh(W_x x_t + W_h h_{t−1} + b) for t = 1 … n: the states h_1 … h_n, shape (..., n, d_h).

    ``start`` (..., d_h) is h_0, zero unless given. Source: Elman (1990). Equal to ``torch.nn.RNN``, b = b_ih + b_hh.
    """
    shapes = "X (*, n, d), W_h (*, d_h, d_h), W_x (*, d_h, d), b (*, d_h), start (*, d_h) or None"
    xp, X, W_h, W_x, b, h = arrays(shapes, X, W_h, W_x, b, start)
    h = 0.0 * X[..., 0, :] @ xp.matrix_transpose(W_x) if h is None else h
    states = []
    for t in range(X.shape[-2]):
        h = xp.tanh(X[..., t, :] @ xp.matrix_transpose(W_x) + h @ xp.matrix_transpose(W_h) + b)
        states.append(h)
    return xp.stack(states, axis=-2)


def lstm(X: ArrayLike, W_x: ArrayLike, W_h: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
    """c_t = f_t ⊙ c_{t−1} + i_t ⊙ g_t, h_t = o_t ⊙ tanh(c_t); i, f, o are σ, g is tanh of W_x x_t + W_h h_{t−1} + b.

    The rows of the weights come in four blocks of d_h: input gate i, forget gate f, candidate g, output gate o. Returns
    the states h_1 … h_n and the cells c_1 … c_n, each (..., n, d_h), both started at zero.

    Source: Hochreiter and Schmidhuber (1997), Gers et al. (2000). Equal to ``torch.nn.LSTM`` with b = b_ih + b_hh.
    """
    xp, X, W_h, W_x, b = arrays("X (*, n, d), W_h (*, 4·d_h, d_h), W_x (*, 4·d_h, d), b (*, 4·d_h)", X, W_h, W_x, b)
    states, cells = [], []
    h = c = 0.0 * (X[..., 0, :] @ xp.matrix_transpose(W_x))[..., : W_h.shape[-1]]
    for t in range(X.shape[-2]):
        i, f, g, o = _gates(xp, X[..., t, :], h, W_x, W_h, b)
        c = f * c + i * g
        h = o * xp.tanh(c)
        states.append(h)
        cells.append(c)
    return xp.stack(states, axis=-2), xp.stack(cells, axis=-2)


def rnn_jacobians(H: ArrayLike, W_h: ArrayLike) -> Array:
    """J_t = ∂h_t/∂h_{t−1} = diag(1 − h_t²) W_h for t = 2 … n, shape (n − 1, d_h, d_h).

    ``H`` (n, d_h) are the states of one sequence, as :func:`rnn` returns them; ``W_h`` (d_h, d_h).
    """
    _, H, W_h = arrays("H (n, d_h), W_h (d_h, d_h)", H, W_h)
    return (1 - H[1:] ** 2)[:, :, None] * W_h


def lstm_jacobians(X: ArrayLike, W_x: ArrayLike, W_h: ArrayLike, b: ArrayLike) -> Array:
    """J_t = ∂(h_t, c_t)/∂(h_{t−1}, c_{t−1}) for t = 2 … n, in blocks of d_h, shape (n − 1, 2 d_h, 2 d_h).

    The lower right block is ∂c_t/∂c_{t−1} with h_{t−1} held fixed: diag(f_t), the cell path. ``X`` (n, d) is one
    sequence, n ≥ 2; weights as in :func:`lstm`, of one network.
    """
    xp, X, W_h, W_x, b = arrays("X (n, d), W_h (4·d_h, d_h), W_x (4·d_h, d), b (4·d_h,)", X, W_h, W_x, b)
    d_h, jacobians = W_h.shape[-1], []
    W_i, W_f, W_g, W_o = xp.reshape(W_h, (4, d_h, d_h))
    h = c = xp.zeros(d_h, dtype=X.dtype, device=device(X))
    for x in X:
        i, f, g, o = _gates(xp, x, h, W_x, W_h, b)
        through_gates = (
            (c * f * (1 - f))[:, None] * W_f + (g * i * (1 - i))[:, None] * W_i + (i * (1 - g**2))[:, None] * W_g
        )
        c = f * c + i * g
        squashed = xp.tanh(c)
        slope = (o * (1 - squashed**2))[:, None]
        along_cell = f[:, None] * xp.eye(d_h, dtype=f.dtype, device=device(f))
        upper = [slope * through_gates + (squashed * o * (1 - o))[:, None] * W_o, slope * along_cell]
        rows = [xp.concat(upper, axis=1), xp.concat([through_gates, along_cell], axis=1)]
        jacobians.append(xp.concat(rows, axis=0))
        h = o * squashed
    return xp.stack(jacobians[1:], axis=0)


def delta_rule(S: ArrayLike, k: ArrayLike, v: ArrayLike, beta: float = 1.0) -> Array:
    """S + β (v − S k) kᵀ = S (I − β k kᵀ) + β v kᵀ: the state after the value v was written under the key k.

    The state ``S`` (..., d_v, d_k) is a matrix, which a query q reads by S q; ``k`` (..., d_k), ``v`` (..., d_v). The
    step moves what is stored under k, S k, towards v: it is a step of length β down the gradient of ‖S k − v‖²/2. For
    ‖k‖ = 1 and β = 1 it puts v in its place. For ‖k‖ = 1, β = 2 and v = 0 it mirrors: S (I − 2 k kᵀ).

    Source: Schlag et al. (2021), with β in (0, 1); Grazzi et al. (2025), with β in (0, 2).

    >>> delta_rule([[5.0, 7.0]], [1.0, 0.0], [9.0])
    array([[9., 7.]])
    """
    _, S, k, v = arrays("S (..., d_v, d_k), k (..., d_k), v (..., d_v)", S, k, v)
    beta = require_number("beta", beta)
    error = v - (S @ k[..., None])[..., 0]
    return S + beta * error[..., None] * k[..., None, :]


def path_norms(J: ArrayLike) -> Array:
    """‖J_n J_{n−1} ⋯ J_{n−k+1}‖₂ for k = 0 … n − 1: the most that is left of a gradient of norm 1 after k steps back.

    ``J`` (n − 1, d_h, d_h) holds J_2 … J_n, as :func:`rnn_jacobians` and :func:`lstm_jacobians` return them. The result
    (n,) has the largest singular value of each product; the first is 1, the empty product.

    >>> path_norms([[[0.5]], [[0.5]]])
    array([1.  , 0.5 , 0.25])
    """
    xp, J = arrays("J (steps, d_h, d_h)", J)
    products = [xp.eye(J.shape[-1], dtype=J.dtype, device=device(J))]
    for t in reversed(range(len(J))):
        products.append(products[-1] @ J[t])
    precise = J.dtype if xp.finfo(J.dtype).bits > 16 else xp.float32  # in 16 bits no library finds singular values
    return xp.astype(xp.linalg.matrix_norm(xp.astype(xp.stack(products), precise), ord=2), J.dtype)


def spectral_radius(W: ArrayLike) -> float:
    """ρ(W) = max |λ| over the eigenvalues λ of ``W`` (d_h, d_h), a number ≥ 0 and at most ‖W‖₂; found on the CPU.

    >>> spectral_radius([[2.0, 1.0], [0.0, 1.0]])
    2.0
    """
    _, W = arrays("W (d_h, d_h)", as_numpy("W", W))
    return float(np.abs(np.linalg.eigvals(W)).max())


def random_recurrence(rng: np.random.Generator, d_h: int, radius: float) -> np.ndarray:
    """W (d_h, d_h) with independent normal entries, multiplied by the number that makes ρ(W) = ``radius`` ≥ 0."""
    d_h = require_int("d_h", d_h)
    radius = require_number("radius", radius, least=0)
    W = rng.normal(size=(d_h, d_h))
    return W * (radius / spectral_radius(W))


def _gates(xp, x, h, W_x, W_h, b):
    d_h = W_h.shape[-1]
    z = x @ xp.matrix_transpose(W_x) + h @ xp.matrix_transpose(W_h) + b
    i, f, g, o = (z[..., gate * d_h : (gate + 1) * d_h] for gate in range(4))
    return sigmoid(xp, i), sigmoid(xp, f), xp.tanh(g), sigmoid(xp, o)
