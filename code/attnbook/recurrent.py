r"""Recurrent networks, one step after another, and the Jacobians of a step.

A step takes the state h_{t−1} and the input x_t to the next state h_t. Inputs are rows, ``X (..., n, d)``; a weight
matrix acts from the left, as in the equations: W_x (d_h, d) and W_h (d_h, d_h). Weights (runs, d_h, …) are networks
side by side, each with its own batch of X (runs, batch, n, d), and with b (d_h,) or (runs, 1, d_h).

Sources: Elman (1990); Hochreiter and Schmidhuber (1997), with the forget gate of Gers et al. (2000);
Bengio et al. (1994) and Pascanu et al. (2013) for the products of Jacobians.
"""

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, as_array, as_numpy, brief, expect, in_range, namespace, require_int, require_number, shape_of

__all__ = ["lstm", "lstm_jacobians", "path_norms", "random_recurrence", "rnn", "rnn_jacobians", "spectral_radius"]


def rnn(X: ArrayLike, W_x: ArrayLike, W_h: ArrayLike, b: ArrayLike, start: ArrayLike | None = None) -> Array:
    r"""h_t = tanh(W_x x_t + W_h h_{t−1} + b) for t = 1 … n.

    Parameters
    ----------
    X : array (..., n, d)
    W_x : array (..., d_h, d)
    W_h : array (..., d_h, d_h)
    b : array (d_h,) or (runs, 1, d_h)
    start : array (..., d_h), optional
        h_0; zero unless given.

    Returns
    -------
    array (..., n, d_h): the states h_1 … h_n

    Raises
    ------
    ValueError
        If the shapes do not fit each other.

    Source: Elman (1990). Equal to ``torch.nn.RNN`` with b = b_ih + b_hh.
    """
    X, W_x, W_h, b = _checked(X, W_x, W_h, b, gates=1)
    xp, states = namespace(X=X, W_x=W_x, W_h=W_h, b=b), []
    h = _start(xp, X, W_x, W_h, b, start)
    for x in xp.unstack(X, axis=-2):
        h = xp.tanh(x @ xp.matrix_transpose(W_x) + h @ xp.matrix_transpose(W_h) + b)
        states.append(h)
    return in_range("h_t", xp.stack(states, axis=-2))


def lstm(X: ArrayLike, W_x: ArrayLike, W_h: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
    r"""c_t = f_t ⊙ c_{t−1} + i_t ⊙ g_t, h_t = o_t ⊙ tanh(c_t); i, f, o are σ, g is tanh of W_x x_t + W_h h_{t−1} + b.

    The rows of the weights come in four blocks of d_h: input gate i, forget gate f, candidate g, output gate o.

    Parameters
    ----------
    X : array (..., n, d)
    W_x : array (..., 4 d_h, d)
    W_h : array (..., 4 d_h, d_h)
    b : array (4 d_h,) or (runs, 1, 4 d_h)

    Returns
    -------
    pair of arrays (..., n, d_h): the states h_1 … h_n and the cells c_1 … c_n, both started at zero

    Raises
    ------
    ValueError
        If the shapes do not fit each other.

    Source: Hochreiter and Schmidhuber (1997), Gers et al. (2000). Equal to ``torch.nn.LSTM`` with b = b_ih + b_hh.
    """
    X, W_x, W_h, b = _checked(X, W_x, W_h, b, gates=4)
    xp, states, cells = namespace(X=X, W_x=W_x, W_h=W_h, b=b), [], []
    h = c = _start(xp, X, W_x, W_h, b)
    for x in xp.unstack(X, axis=-2):
        i, f, g, o = _gates(xp, x, h, W_x, W_h, b)
        c = f * c + i * g
        h = o * xp.tanh(c)
        states.append(h)
        cells.append(c)
    return in_range("h_t", xp.stack(states, axis=-2)), in_range("c_t", xp.stack(cells, axis=-2))


def rnn_jacobians(H: ArrayLike, W_h: ArrayLike) -> Array:
    r"""J_t = ∂h_t/∂h_{t−1} = diag(1 − h_t²) W_h for t = 2 … n.

    Parameters
    ----------
    H : array (n, d_h)
        States of one sequence, as :func:`rnn` returns them.
    W_h : array (d_h, d_h)

    Returns
    -------
    array (n − 1, d_h, d_h)

    Raises
    ------
    ValueError
        If the shapes do not fit, or there are fewer than two states.
    """
    H, W_h = as_array("H", H, 2), _square("W_h", W_h)
    namespace(H=H, W_h=W_h)
    if H.ndim != 2 or H.shape[0] < 2 or H.shape[1] != W_h.shape[0]:
        raise ValueError(f"H has shape {shape_of(H)}; expected (n, {W_h.shape[0]}) with n >= 2 to match W_h")
    return in_range("(1 − H²) W_h", (1 - H[1:] ** 2)[:, :, None] * W_h)


def lstm_jacobians(X: ArrayLike, W_x: ArrayLike, W_h: ArrayLike, b: ArrayLike) -> Array:
    r"""J_t = ∂(h_t, c_t)/∂(h_{t−1}, c_{t−1}) for t = 2 … n, in blocks of d_h.

    The lower right block is ∂c_t/∂c_{t−1} with h_{t−1} held fixed: diag(f_t), the cell path.

    Parameters
    ----------
    X : array (n, d)
        One sequence.
    W_x, W_h, b : arrays
        As in :func:`lstm`.

    Returns
    -------
    array (n − 1, 2 d_h, 2 d_h)

    Raises
    ------
    ValueError
        If the shapes do not fit, or the sequence is shorter than 2.
    """
    X, W_x, W_h, b = _checked(X, W_x, W_h, b, gates=4)
    d_h = W_h.shape[-1]
    if [x.ndim for x in (X, W_x, W_h, b)] != [2, 2, 2, 1] or X.shape[0] < 2:
        given = f"X has shape {shape_of(X)}, W_x {shape_of(W_x)}, W_h {shape_of(W_h)}, b {shape_of(b)}"
        raise ValueError(f"{given}; expected one sequence (n, d) with n >= 2, and one network")
    xp, jacobians = namespace(X=X, W_x=W_x, W_h=W_h, b=b), []
    W_i, W_f, W_g, W_o = xp.unstack(xp.reshape(W_h, (4, d_h, d_h)))
    h = c = _start(xp, X, W_x, W_h, b)
    for x in xp.unstack(X, axis=-2):
        i, f, g, o = _gates(xp, x, h, W_x, W_h, b)
        through_gates = (
            (c * f * (1 - f))[:, None] * W_f + (g * i * (1 - i))[:, None] * W_i + (i * (1 - g**2))[:, None] * W_g
        )
        c = f * c + i * g
        squashed = xp.tanh(c)
        slope = (o * (1 - squashed**2))[:, None]
        along_cell = f[:, None] * xp.eye(d_h, dtype=f.dtype)
        upper = [slope * through_gates + (squashed * o * (1 - o))[:, None] * W_o, slope * along_cell]
        rows = [xp.concat(upper, axis=1), xp.concat([through_gates, along_cell], axis=1)]
        jacobians.append(xp.concat(rows, axis=0))
        h = o * squashed
    return in_range("J_t", xp.stack(jacobians[1:], axis=0))


def path_norms(J: ArrayLike) -> Array:
    r"""‖J_n J_{n−1} ⋯ J_{n−k+1}‖₂ for k = 0 … n − 1: the most that is left of a gradient of norm 1 after k steps back.

    Parameters
    ----------
    J : array (n − 1, d_h, d_h)
        J_2 … J_n, as :func:`rnn_jacobians` and :func:`lstm_jacobians` return them.

    Returns
    -------
    array (n,), the largest singular value of each product; the first is 1, the empty product

    Raises ``ValueError`` if ``J`` is no stack of square matrices, or a product leaves the range of the numbers.

    >>> path_norms([[[0.5]], [[0.5]]])
    array([1.  , 0.5 , 0.25])
    """
    J = as_array("J", J, 3)
    if J.ndim != 3 or J.shape[1] != J.shape[2]:
        raise ValueError(f"J has shape {shape_of(J)}; expected (n − 1, d_h, d_h), one square matrix per step")
    xp = namespace(J)
    product = xp.eye(J.shape[-1], dtype=J.dtype)
    products = [product]
    for J_t in reversed(xp.unstack(J)):
        product = product @ J_t
        products.append(product)
    stacked = xp.astype(in_range("a product of J", xp.stack(products)), xp.float64)  # LAPACK knows no float16
    return in_range("the norm of a product of J", xp.astype(xp.linalg.matrix_norm(stacked, ord=2), J.dtype))


def spectral_radius(W: ArrayLike) -> float:
    r"""ρ(W) = max |λ| over the eigenvalues λ of ``W`` (d_h, d_h), a number ≥ 0 and at most ‖W‖₂.

    Raises ``ValueError`` if ``W`` is not square.

    >>> spectral_radius([[2.0, 1.0], [0.0, 1.0]])
    2.0
    """
    return float(in_range("ρ(W)", np.abs(np.linalg.eigvals(_square("W", as_numpy("W", W))))).max())


def random_recurrence(rng: np.random.Generator, d_h: int, radius: float) -> np.ndarray:
    r"""W (d_h, d_h) with independent normal entries, multiplied by the number that makes ρ(W) = ``radius``.

    ``rng`` is a NumPy generator. Raises ``ValueError`` unless ``d_h`` is whole and ≥ 1, and ``radius`` finite and ≥ 0.
    """
    d_h, radius = require_int("d_h", d_h), float(require_number("radius", radius, least=0))
    if not isinstance(rng, np.random.Generator):
        raise TypeError(f"rng = {brief(rng)}; expected a generator, such as np.random.default_rng(0)")
    W = rng.normal(size=(d_h, d_h))
    return W * (radius / spectral_radius(W))


def _checked(X, W_x, W_h, b, gates):
    X, W_x, W_h, b = as_array("X", X, 2), as_array("W_x", W_x, 2), as_array("W_h", W_h, 2), as_array("b", b)
    rows, d_h, d = gates * W_h.shape[-1], W_h.shape[-1], X.shape[-1]
    for name, W, expected in ("W_h", W_h, (rows, d_h)), ("W_x", W_x, (rows, d)), ("b", b, (rows,)):
        if tuple(W.shape[-len(expected) :]) != expected:
            fit = f"(..., {', '.join(map(str, expected))})"
            raise ValueError(f"{name} has shape {shape_of(W)}; expected {fit} to match X with shape {shape_of(X)}")
    if (runs := max(W_x.ndim, W_h.ndim)) > 2 and (X.ndim <= runs or b.shape[-2:-1] not in ((), (1,))):
        given = f"X has shape {shape_of(X)}, W_x {shape_of(W_x)}, b {shape_of(b)}"
        raise ValueError(f"{given}; expected X (runs, batch, n, d) and b (runs, 1, ...) beside weights (runs, ...)")
    return X, W_x, W_h, b


def _square(name, W):
    W = as_array(name, W, 2)
    expect(name, W, W.shape[-1:] * 2, "a square matrix")
    return W


def _start(xp, X, W_x, W_h, b, start=None):
    """h_0, once a step from it has been tried: leading axes must fit too."""
    h = X[..., 0, :] if start is None else as_array("start", start)
    namespace(X=X, start=h)
    try:
        z = X[..., 0, :] @ xp.matrix_transpose(W_x)
        h = xp.zeros_like(z[..., : W_h.shape[-1]]) if start is None else h
        h @ xp.matrix_transpose(W_h) + z + b
    except (ValueError, RuntimeError):
        given = f"W_x has shape {shape_of(W_x)}, W_h {shape_of(W_h)}, b {shape_of(b)}, start {shape_of(start)}"
        raise ValueError(f"{given}; expected axes that fit each other and X with shape {shape_of(X)}") from None
    return h


def _gates(xp, x, h, W_x, W_h, b):
    z = x @ xp.matrix_transpose(W_x) + h @ xp.matrix_transpose(W_h) + b
    i, f, g, o = xp.unstack(xp.reshape(z, (*z.shape[:-1], 4, W_h.shape[-1])), axis=-2)
    return _sigmoid(xp, i), _sigmoid(xp, f), xp.tanh(g), _sigmoid(xp, o)


def _sigmoid(xp, z):
    """1/(1 + e^(−z)), written so that nothing overflows."""
    return 0.5 + 0.5 * xp.tanh(0.5 * z)
