"""Position in attention: three tables in one logit, and rotary encoding, which turns queries and keys instead.

The logit of query i and key j is a sum of four parts, each named after the two things that meet in it::

    logit(i, j)  =  q_i·k_j  +  q_i·A_ij  +  C_ij·k_j  +  B_ij
                    content     content     position    position
                    ·content    ·position   ·content    ·position

with content queries ``Q (..., n, d_k)`` and keys ``K (..., m, d_k)``, vectors ``A, C (..., n, m, d_k)`` and numbers
``B (..., n, m)`` that depend on positions alone. An additive encoding, Shaw, Transformer-XL, T5, ALiBi, DeBERTa and a
causal mask differ in A, B and C only. Rotary encoding changes the first part: with R_t the block-diagonal matrix of
rotations by θ_h t, it is (R_i q_i)·(R_j k_j) = q_i · R_{j−i} k_j. Values are not rotated.

The offset of a pair is **j − i**, key minus query: positive when the key comes later. What depends on positions alone
is computed on the CPU, by NumPy; :func:`logit_terms` and :func:`rotate` take it to the device of their arguments.
Every function raises ``ValueError`` that names an argument with a wrong shape, a NaN or a number outside its range.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .arrays import (
    Array,
    arrays,
    as_array,
    as_numpy,
    beside,
    one_of,
    require_flag,
    require_int,
    require_number,
    shape_of,
    whole_numbers,
)

__all__ = [
    "Terms",
    "alibi_slopes",
    "clipped",
    "deberta_rows",
    "frequencies",
    "logit_terms",
    "offsets",
    "pairing_permutation",
    "rotate",
    "sinusoidal",
    "t5_bucket",
    "t5_edges",
]


class Terms(NamedTuple):
    """The four parts of a logit, each of shape (..., n, m); ``sum(terms)`` is the logit."""

    content_content: Array
    content_position: Array
    position_content: Array
    position_position: Array


def logit_terms(
    Q: ArrayLike, K: ArrayLike, A: ArrayLike | None = None, B: ArrayLike | None = None, C: ArrayLike | None = None
) -> Terms:
    """logit(i, j) = q_i·k_j + q_i·A_ij + C_ij·k_j + B_ij, as its four parts and without any scale.

    ``A``, ``C`` (..., n, m, d_k) and ``B`` (..., n, m) are tables of positions; None means 0, and an axis may be 1. In
    ``B`` -inf is allowed, as in a mask.
    """
    xp, Q, K = arrays("Q (..., n, d_k), K (..., m, d_k)", Q, K)
    content = Q @ xp.matrix_transpose(K)
    pairs = (Q.shape[-2], K.shape[-2])

    def table(name, x, shape, infinite=()):  # tables of NumPy may stand beside tensors
        x = beside(content, as_array(name, 0.0 if x is None else x, infinite=infinite))
        if any(own not in (1, full) for own, full in zip(x.shape[::-1], shape[::-1], strict=False)):
            raise ValueError(f"{name} has shape {shape_of(x)}; expected {shape} after any batch axes, or 1 instead")
        return x

    zero = xp.zeros_like(content)
    A = table("A", A, (*pairs, Q.shape[-1]))
    C = table("C", C, (*pairs, Q.shape[-1]))
    to_position = xp.sum(Q[..., :, None, :] * A, axis=-1)
    to_content = xp.sum(C * K[..., None, :, :], axis=-1)
    return Terms(content, zero + to_position, zero + to_content, zero + table("B", B, pairs, infinite=(-np.inf,)))


def offsets(queries: ArrayLike, keys: ArrayLike) -> np.ndarray:
    """j − i for every pair of positions, shape (n, m): key minus query, as whole numbers.

    >>> offsets([0, 1], [0, 1])
    array([[ 0,  1],
           [-1,  0]])
    """
    queries = whole_numbers("queries", queries, 1)
    keys = whole_numbers("keys", keys, 1)
    return keys[None, :] - queries[:, None]


def frequencies(d: int, base: float = 10_000.0) -> np.ndarray:
    """ω_k = base^(−2k/d) for k = 0 … ⌈d/2⌉ − 1, in radians per position. The wavelength is 2π/ω_k positions.

    ``d`` ≥ 1 and ``base`` > 0. Source: Vaswani et al. (2017), section 3.5.

    >>> frequencies(4)
    array([1.  , 0.01])
    """
    return require_number("base", base, above=0) ** (-np.arange(0, require_int("d", d), 2) / d)


def sinusoidal(positions: ArrayLike, d: int, base: float = 10_000.0) -> np.ndarray:
    """p_t[2k] = sin(ω_k t), p_t[2k + 1] = cos(ω_k t): a row of d numbers per position. An odd d ends with a sine.

    ``positions`` of any shape need not be whole and may be negative (offsets, say); the result is float64 of shape
    ``(*positions.shape, d)``. Source: Vaswani et al. (2017), section 3.5.

    >>> sinusoidal([0], 4)
    array([[0., 1., 0., 1.]])
    """
    angle = as_numpy("positions", positions)[..., None] * frequencies(d, base)
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(*angle.shape[:-1], -1)[..., :d]


def clipped(offset: ArrayLike, width: int) -> np.ndarray:
    """min(max(offset, −w), w) + w, a row of a table with 2w + 1 rows; the same shape as ``offset``.

    Source: Shaw et al. (2018), section 3.2.

    >>> clipped([-9, 0, 9], 2)
    array([0, 2, 4])
    """
    width = require_int("width", width)
    return np.clip(whole_numbers("offset", offset), -width, width) + width


def deberta_rows(offset: ArrayLike, span: int) -> np.ndarray:
    """δ(i, j) = min(max(i − j + k, 0), 2k − 1), a row of a table with 2k rows, k = ``span``.

    It counts i − j, the *opposite* sign of ``offset`` = j − i, so δ(j, i) is ``deberta_rows(-offset, span)``.
    Source: He et al. (2021), equation (3).

    >>> deberta_rows([-9, 0, 9], 2)
    array([3, 2, 0])
    """
    span = require_int("span", span)
    return np.clip(span - whole_numbers("offset", offset), 0, 2 * span - 1)


def t5_edges(buckets: int = 32, max_distance: int = 128) -> list[int]:
    """Return the distance at which each bucket of one direction begins, ``buckets`` whole numbers from 0.

    With e = buckets // 2 the first e distances have a bucket each; bucket e + t begins at the smallest distance
    ≥ e (max_distance / e)^(t / (buckets − e)). Compared in whole numbers, so no rounding can move an edge.
    2 ≤ buckets ≤ 512 and buckets // 2 < max_distance ≤ 10⁶.

    Source: Raffel et al. (2020), section 2.1, which names 32 and 128; the formula is that of their code.

    >>> t5_edges(8, 16)
    [0, 1, 2, 3, 4, 6, 8, 12]
    """
    buckets = require_int("buckets", buckets, least=2, most=512)
    exact = buckets // 2
    max_distance = require_int("max_distance", max_distance, least=exact + 1, most=10**6)
    edges, logarithmic = list(range(exact + 1)), buckets - exact
    for t in range(1, logarithmic):
        bound = max_distance**t * exact ** (logarithmic - t)
        edges.append(next(n for n in range(edges[-1], max_distance + 1) if n**logarithmic >= bound))
    return edges


def t5_bucket(offset: ArrayLike, buckets: int = 32, max_distance: int = 128, bidirectional: bool = True) -> np.ndarray:
    """Return the bucket of each offset j − i, an index into T5's table of ``buckets`` scalars per head.

    Bidirectional: the lower half for keys at or before the query, the upper half for later keys. Otherwise all
    buckets serve the past, and every later key shares bucket 0 with the query itself (a causal mask hides those).
    Limits as for :func:`t5_edges`, for each direction. Source: Raffel et al. (2020), section 2.1.

    >>> t5_bucket([-2, -1, 0, 1, 2])
    array([ 2,  1,  0, 17, 18])
    """
    offset = whole_numbers("offset", offset)
    if not require_flag("bidirectional", bidirectional):
        return np.searchsorted(t5_edges(buckets, max_distance), np.maximum(-offset, 0), side="right") - 1
    half = require_int("buckets", buckets, least=4, multiple=2) // 2  # for each direction
    return np.searchsorted(t5_edges(half, max_distance), np.abs(offset), side="right") - 1 + half * (offset > 0)


def alibi_slopes(heads: int) -> np.ndarray:
    """One slope per head: 2^(−8h/H) for h = 1 … H when H is a power of two, shape (H,).

    Otherwise the slopes of the next smaller power of two, and for the rest those of the next larger with h = 1, 3, ….

    Source: Press, Smith and Lewis (2022), section 3; the rule for other H is that of their code.

    >>> alibi_slopes(2).tolist()
    [0.0625, 0.00390625]
    """
    heads = require_int("heads", heads)
    power = 1 << (heads.bit_length() - 1)  # the largest power of two that is not larger
    slopes = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    between = 2.0 ** (-8 * np.arange(1, 2 * power + 1, 2) / (2 * power))
    return np.concatenate([slopes, between[: heads - power]])


def rotate(x: ArrayLike, positions: ArrayLike, theta: ArrayLike | None = None, *, pairing: str = "adjacent") -> Array:
    """x_t ↦ R_t x_t: the pair (a, b) of x_t becomes (a cos θ_h t − b sin θ_h t, a sin θ_h t + b cos θ_h t).

    ``x`` (..., n, d) are queries or keys, d even; ``positions`` (n,) the position t of each row, whole or not;
    ``theta`` (d/2,) the angle per position of each pair in radians, 10000^(−2h/d) unless given. ``pairing`` says which
    coordinates form pair h: (2h, 2h + 1) if "adjacent", (h, h + d/2) if "halves". Autograd follows x alone. The angle 0
    leaves a pair as it is; models that rotate a part of x, as GPT-NeoX does, give ``x[..., :r]`` and keep the rest.

    Source: Su et al. (2024), "RoFormer: Enhanced transformer with rotary position embedding", section 3.2.

    >>> rotate([[1.0, 0.0]], [3.14159 / 2]).round(3)
    array([[0., 1.]])
    """
    xp, x = arrays("x (..., n, d)", x)
    n, d = x.shape[-2:]
    require_int("the last axis of x", d, multiple=2)
    t = as_numpy("positions", positions)
    theta = frequencies(d) if theta is None else as_numpy("theta", theta)
    if t.shape != (n,) or theta.shape != (d // 2,):
        expected = f"expected ({n},) and ({d // 2},) to match x with shape {shape_of(x)}"
        raise ValueError(f"positions has shape {t.shape} and theta {theta.shape}; {expected}")
    one_of("pairing", pairing, "adjacent", "halves")
    angle = t[:, None] * theta  # in float64 whatever x is: an angle loses digits as positions grow
    cos, sin = (beside(x, f(angle)) for f in (np.cos, np.sin))
    if pairing == "adjacent":
        a, b = x[..., 0::2], x[..., 1::2]
        return xp.reshape(xp.stack([a * cos - b * sin, a * sin + b * cos], axis=-1), x.shape)
    a, b = x[..., : d // 2], x[..., d // 2 :]
    return xp.concat([a * cos - b * sin, a * sin + b * cos], axis=-1)


def pairing_permutation(d: int) -> list[int]:
    """Return the list that relates the two pairings: 0, 2, 4, …, 1, 3, 5, …, first and second coordinates of all pairs.

    ``x[..., perm]`` rotated by halves is (x rotated by neighbours)``[..., perm]``. ``d`` is even.

    >>> pairing_permutation(6)
    [0, 2, 4, 1, 3, 5]
    """
    d = require_int("d", d, least=2, multiple=2)
    return [*range(0, d, 2), *range(1, d, 2)]
