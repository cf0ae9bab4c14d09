r"""Position in attention: every scheme as a choice of three tables in one logit.

The logit of query i and key j is a sum of four parts, each named after the two things that meet in it::

    logit(i, j)  =  q_i·k_j  +  q_i·A_ij  +  C_ij·k_j  +  B_ij
                    content     content     position    position
                    ·content    ·position   ·content    ·position

with content queries ``Q (..., n, d_k)`` and keys ``K (..., m, d_k)``, vectors ``A, C (..., n, m, d_k)`` and numbers
``B (..., n, m)`` that depend on positions alone. An additive encoding, Shaw, Transformer-XL, T5, ALiBi, DeBERTa and a
causal mask differ in A, B and C only; rotary encoding (:mod:`attnbook.rotary`) changes the first part instead.

The offset of a pair is **j − i**, key minus query: positive when the key comes later.
"""

from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .arrays import (
    Array,
    as_array,
    as_numpy,
    expect,
    in_range,
    namespace,
    require_flag,
    require_int,
    require_number,
    same_batch,
    shape_of,
    whole_numbers,
)

__all__ = ["Terms", "alibi_slopes", "clipped", "deberta_rows", "frequencies"]
__all__ += ["logit_terms", "offsets", "sinusoidal", "t5_bucket", "t5_edges"]


class Terms(NamedTuple):
    """The four parts of a logit, each of shape (..., n, m); ``sum(terms)`` is the logit."""

    content_content: Array
    content_position: Array
    position_content: Array
    position_position: Array


def logit_terms(
    Q: ArrayLike, K: ArrayLike, A: ArrayLike | None = None, B: ArrayLike | None = None, C: ArrayLike | None = None
) -> Terms:
    r"""logit(i, j) = q_i·k_j + q_i·A_ij + C_ij·k_j + B_ij, as its four parts and without any scale.

    Parameters
    ----------
    Q : array (..., n, d_k)
        Queries, made from content alone.
    K : array (..., m, d_k)
        Keys, made from content alone.
    A : array broadcastable to (..., n, m, d_k), optional
        What a content query meets of a position. None means 0.
    B : array broadcastable to (..., n, m), optional
        What positions add by themselves. ``-inf`` is allowed, as in a mask. None means 0.
    C : array broadcastable to (..., n, m, d_k), optional
        What a content key meets of a position. None means 0.

    Returns
    -------
    Terms
        Four arrays (..., n, m).

    Raises ``ValueError`` if the last axes differ, or a table does not fit the n × m pairs or the other tables, and
    ``TypeError`` for a tensor of another precision.
    """
    Q, K = as_array("Q", Q, 2), as_array("K", K, 2)
    n, m, d_k = Q.shape[-2], K.shape[-2], Q.shape[-1]
    expect("K", K, (*K.shape[:-1], d_k), f"(..., m, {d_k}) to match Q with shape {shape_of(Q)}")
    same_batch("K", K, Q)
    xp = namespace(Q=Q, K=K)
    content = in_range("Q Kᵀ", Q @ xp.matrix_transpose(K))
    zero = xp.zeros_like(content)

    def fitting(name, table, pair):
        table = as_array(name, table, finite=name != "B")
        if namespace(table) is xp:
            namespace(Q=Q, **{name: table})
        else:  # a table of plain numbers beside tensors
            table = xp.asarray(as_numpy(name, table, finite=False), dtype=content.dtype)
        with suppress(ValueError):
            fits = np.broadcast_shapes(tuple(table.shape), (*content.shape[:-2], *pair))[-len(pair) :] == pair
            if fits and not bool(xp.any(table == xp.inf)):
                return table
        expected = f"expected {pair} after any batch axes, or 1 instead, and no +inf"
        raise ValueError(f"{name} has shape {shape_of(table)}; {expected}")

    to_position = 0 if A is None else xp.sum(Q[..., :, None, :] * fitting("A", A, (n, m, d_k)), axis=-1)
    to_content = 0 if C is None else xp.sum(fitting("C", C, (n, m, d_k)) * K[..., None, :, :], axis=-1)
    bias = 0 if B is None else fitting("B", B, (n, m))
    terms = Terms(content, in_range("q·A", zero + to_position), in_range("C·k", zero + to_content), zero + bias)
    for name, k, other in (("A", 1, 2), ("C", 2, 3), ("B", 3, 1)):
        same_batch(f"the term of {name}", terms[k], terms[other])
    return terms


def offsets(queries: ArrayLike, keys: ArrayLike) -> np.ndarray:
    """j − i for every pair of positions, shape (n, m): key minus query, as whole numbers.

    Raises ``ValueError`` unless both arguments are lists of whole numbers.

    >>> offsets([0, 1], [0, 1])
    array([[ 0,  1],
           [-1,  0]])
    """
    return whole_numbers("keys", keys, 1)[None, :] - whole_numbers("queries", queries, 1)[:, None]


def frequencies(d: int, base: float = 10_000.0) -> np.ndarray:
    """ω_k = base^(−2k/d) for k = 0 … ⌈d/2⌉ − 1, in radians per position. The wavelength is 2π/ω_k positions.

    Raises ``ValueError`` unless d is a whole number ≥ 1 and base > 0. Source: Vaswani et al. (2017), section 3.5.

    >>> frequencies(4)
    array([1.  , 0.01])
    """
    d = require_int("d", d)
    return in_range("base^(−2k/d)", require_number("base", base, above=0) ** (-np.arange(0, d, 2) / d))


def sinusoidal(positions: ArrayLike, d: int, base: float = 10_000.0) -> np.ndarray:
    """p_t[2k] = sin(ω_k t), p_t[2k + 1] = cos(ω_k t): one row per position, float64. An odd d ends with a sine.

    Parameters
    ----------
    positions : array of any shape
        Positions t, in tokens; they need not be whole and may be negative (offsets, say).
    d : int
        Numbers per position.

    Returns
    -------
    array (*positions.shape, d)

    Raises ``ValueError`` if d is no whole number ≥ 1, or a position is not finite.

    Source: Vaswani et al. (2017), section 3.5.

    >>> sinusoidal([0], 4)
    array([[0., 1., 0., 1.]])
    """
    d = require_int("d", d)
    angle = in_range("positions · ω_k", as_numpy("positions", positions)[..., None] * frequencies(d, base))
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(*angle.shape[:-1], -1)[..., :d]


def clipped(offset: ArrayLike, width: int) -> np.ndarray:
    """min(max(offset, −w), w) + w, a row of a table with 2w + 1 rows; the same shape as ``offset``.

    Raises ``ValueError`` if ``width`` < 1, or not everything is whole. Source: Shaw et al. (2018), section 3.2.

    >>> clipped([-9, 0, 9], 2)
    array([0, 2, 4])
    """
    width = require_int("width", width, most=2**53)
    return np.clip(whole_numbers("offset", offset), -width, width) + width


def deberta_rows(offset: ArrayLike, span: int) -> np.ndarray:
    """δ(i, j) = min(max(i − j + k, 0), 2k − 1), a row of a table with 2k rows, k = ``span``.

    It counts i − j, the *opposite* sign of ``offset`` = j − i, so δ(j, i) is ``deberta_rows(-offset, span)``.

    Raises ``ValueError`` if ``span`` < 1, or not everything is whole. Source: He et al. (2021), equation (3).

    >>> deberta_rows([-9, 0, 9], 2)
    array([3, 2, 0])
    """
    span = require_int("span", span, most=2**53)
    return np.clip(span - whole_numbers("offset", offset), 0, 2 * span - 1)


def t5_edges(buckets: int = 32, max_distance: int = 128) -> list[int]:
    """The smallest distance in each bucket of one direction, ``buckets`` whole numbers from 0.

    With e = buckets // 2 the first e distances have a bucket each; bucket e + t begins at the smallest distance
    ≥ e (max_distance / e)^(t / (buckets − e)). Compared in whole numbers, so no rounding can move an edge.

    Raises ``ValueError`` unless 2 ≤ buckets ≤ 512 and buckets // 2 < max_distance ≤ 10¹⁸.

    Source: Raffel et al. (2020), section 2.1, which names 32 and 128; the formula is that of their code.

    >>> t5_edges(8, 16)
    [0, 1, 2, 3, 4, 6, 8, 12]
    """
    buckets = require_int("buckets", buckets, least=2, most=512)
    exact = buckets // 2
    max_distance = require_int("max_distance", max_distance, least=exact + 1, most=10**18)
    edges, logarithmic = list(range(exact + 1)), buckets - exact
    for t in range(1, logarithmic):
        low, high = edges[-1], max_distance  # the edge lies between, so halving finds it however large they are
        while low < high:
            middle = (low + high) // 2
            far = middle**logarithmic * exact**t >= max_distance**t * exact**logarithmic
            low, high = (low, middle) if far else (middle + 1, high)
        edges.append(low)
    return edges


def t5_bucket(offset: ArrayLike, buckets: int = 32, max_distance: int = 128, bidirectional: bool = True) -> np.ndarray:
    """The bucket of each offset j − i, an index into T5's table of ``buckets`` scalars per head.

    Bidirectional: the lower half for keys at or before the query, the upper half for later keys. Otherwise all
    buckets serve the past, and every later key shares bucket 0 with the query itself (a causal mask hides those).

    Raises ``ValueError`` as :func:`t5_edges` does for the buckets of one direction, and if two share an odd number.

    Source: Raffel et al. (2020), section 2.1.

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

    Raises ``ValueError`` if ``heads`` is below 1.

    Source: Press, Smith and Lewis (2022), section 3; the rule for other H is that of their code.

    >>> alibi_slopes(2).tolist()
    [0.0625, 0.00390625]
    """
    heads = require_int("heads", heads)
    power = 1 << (heads.bit_length() - 1)  # the largest power of two that is not larger
    slopes = 2.0 ** (-8 * np.arange(1, power + 1) / power)
    between = 2.0 ** (-8 * np.arange(1, 2 * power + 1, 2) / (2 * power))
    return np.concatenate([slopes, between[: heads - power]])
