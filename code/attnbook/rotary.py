r"""Rotary position encoding: turn queries and keys, pair by pair, by an angle proportional to their position.

With R_t the block-diagonal matrix of rotations by θ_h t, the logit of query i and key j is ::

    (R_i q_i) · (R_j k_j)  =  q_i · R_{j−i} k_j,

which depends on the positions through j − i alone. Values are not rotated.

Source: Su et al. (2024), "RoFormer: Enhanced transformer with rotary position embedding", section 3.2.
"""

import numpy as np
from numpy.typing import ArrayLike

from .arrays import Array, as_array, as_numpy, in_range, namespace, one_of, require_int, shape_of
from .positional import frequencies

__all__ = ["pairing_permutation", "rotate"]


def rotate(x: ArrayLike, positions: ArrayLike, theta: ArrayLike | None = None, *, pairing: str = "adjacent") -> Array:
    r"""x_t ↦ R_t x_t: the pair (a, b) of x_t becomes (a cos θ_h t − b sin θ_h t, a sin θ_h t + b cos θ_h t).

    Parameters
    ----------
    x : array (..., n, d)
        Queries or keys, d even.
    positions : array (n,)
        The position t of each row; whole or not.
    theta : array (d/2,), optional
        Angle per position of each pair, in radians; 10000^(−2h/d) unless given. Autograd does not follow it.
    pairing : {"adjacent", "halves"}
        Which coordinates form pair h: (2h, 2h + 1) or (h, h + d/2).

    Returns
    -------
    array (..., n, d)

    Raises
    ------
    ValueError
        If d is odd, positions or theta have the wrong length, or the pairing is unknown.

    >>> rotate([[1.0, 0.0]], [3.14159 / 2]).round(3)
    array([[0., 1.]])
    """
    x = as_array("x", x, 2)
    n, d = x.shape[-2:]
    if d % 2:
        raise ValueError(f"x has shape {shape_of(x)}; expected an even last axis, since coordinates turn in pairs")
    one_of("pairing", pairing, "adjacent", "halves")
    positions = as_numpy("positions", positions, 1)
    theta = frequencies(d) if theta is None else as_numpy("theta", theta, 1)
    if positions.shape != (n,) or theta.shape != (d // 2,):
        raise ValueError(
            f"positions has shape {shape_of(positions)} and theta {shape_of(theta)}; expected ({n},) and ({d // 2},) "
            f"to match x with shape {shape_of(x)}"
        )
    xp = namespace(x)
    angle = positions[:, None] * theta  # in float64 whatever x is: an angle loses digits as positions grow
    cos, sin = xp.asarray(np.cos(angle), dtype=x.dtype), xp.asarray(np.sin(angle), dtype=x.dtype)
    if pairing == "adjacent":
        a, b = x[..., 0::2], x[..., 1::2]
        return in_range(
            "x, once turned,", xp.reshape(xp.stack([a * cos - b * sin, a * sin + b * cos], axis=-1), x.shape)
        )
    a, b = x[..., : d // 2], x[..., d // 2 :]
    return in_range("x, once turned,", xp.concat([a * cos - b * sin, a * sin + b * cos], axis=-1))


def pairing_permutation(d: int) -> list[int]:
    """The list that relates the two pairings: x[..., perm] rotated by halves is (x rotated by neighbours)[..., perm].

    It is 0, 2, 4, …, 1, 3, 5, …: first coordinates of all pairs, then second ones.

    Raises ``ValueError`` unless d is even and at least 2.

    >>> pairing_permutation(6)
    [0, 2, 4, 1, 3, 5]
    """
    d = require_int("d", d, least=2, multiple=2)
    return [*range(0, d, 2), *range(1, d, 2)]
