"""Sinks, cut-offs, caps and other weights against PyTorch, and against every set of keys that a cut-off could keep."""

import itertools

import numpy as np
import pytest
import torch
from attnbook.attention import softmax
from attnbook.variants import differential_attention, min_p, sigmoid_attention, sink_softmax, soft_cap, top_k, top_p
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from torch.nn.functional import scaled_dot_product_attention

SCORES = arrays(float, st.integers(1, 7), elements=st.floats(-20, 20, width=32))
SHARES = st.floats(0.01, 1)
seeds = st.integers(0, 2**32 - 1)
libraries = st.sampled_from([np.asarray, torch.asarray])


def draw(seed, library, *shapes):
    rng = np.random.default_rng(seed)
    return [library(rng.standard_normal(shape)) for shape in shapes]


def close(actual, expected):
    np.testing.assert_allclose(np.asarray(actual), np.asarray(expected), rtol=1e-10, atol=1e-12)


# --- A sink -----------------------------------------------------------------------------------------------------------


@given(seeds, libraries, st.floats(-30, 30))
def test_a_sink_is_a_key_of_value_zero(seed, library, sink):
    s, V = draw(seed, library, (2, 3, 5), (2, 5, 4))
    beside = torch.nn.functional.pad(torch.asarray(s), (0, 1), value=sink)
    values = torch.nn.functional.pad(torch.asarray(V), (0, 0, 0, 1))
    bias = {"attn_mask": beside, "scale": 1.0}
    expected = scaled_dot_product_attention(
        torch.zeros(2, 3, 1).double(), torch.zeros(2, 6, 1).double(), values, **bias
    )
    assert type(sink_softmax(s, sink)) is type(s)
    close(sink_softmax(s, sink) @ V, expected)


@given(SCORES, st.floats(-30, 30))
def test_a_sink_is_a_gate(s, sink):
    gate = torch.sigmoid(torch.logsumexp(torch.asarray(s), 0) - sink)
    close(sink_softmax(s, sink), gate * torch.softmax(torch.asarray(s), 0))


def test_a_sink_answers_where_all_keys_are_hidden():
    close(sink_softmax([[-np.inf, -np.inf], [0.0, -np.inf]]), [[0, 0], [0.5, 0]])
    close(sink_softmax([1000.0, 0.0], sink=-1000.0), [1, 0])
    with pytest.raises(ValueError, match="s with shape"):
        sink_softmax([np.inf, 0.0])


def test_a_sink_can_be_learned():
    s, sink = torch.randn(3, 4, dtype=float, generator=torch.Generator().manual_seed(0)), torch.tensor(0.3).double()
    assert torch.autograd.gradcheck(sink_softmax, (s.requires_grad_(), sink.requires_grad_()))


# --- Cut-offs ---------------------------------------------------------------------------------------------------------


def faces(a):
    """Yield each set of keys that holds every key at least as likely as one of its own, smallest first."""
    for size in range(1, len(a) + 1):
        for kept in map(list, itertools.combinations(range(len(a)), size)):
            if all(j in kept for j in range(len(a)) if a[j] >= a[kept].min()):
                yield kept


def on_face(a, kept):
    alone = np.zeros_like(a)
    alone[kept] = a[kept] / a[kept].sum()
    return alone


@given(SCORES, SHARES)
def test_top_p_is_the_smallest_face_that_holds_p(s, p):
    a = softmax(s)
    if min(abs(a[kept].sum() - p) for kept in faces(a)) < 1e-9:
        return  # a tie that rounding decides
    close(top_p(a, p), on_face(a, next(kept for kept in faces(a) if a[kept].sum() >= p)))


@given(SCORES, st.data())
def test_top_k_is_the_smallest_face_with_k_keys(s, data):
    a, k = softmax(s), data.draw(st.integers(1, len(s)))
    close(top_k(a, k), on_face(a, next(kept for kept in faces(a) if len(kept) >= k)))
    keep = torch.topk(torch.asarray(a), k).values[-1]  # as transformers does it, on scores
    close(top_k(a, k), torch.softmax(torch.where(torch.asarray(a) < keep, -torch.inf, torch.asarray(s)), 0))


@given(SCORES, SHARES)
def test_min_p_hides_scores_far_below_the_largest(s, p):
    if np.abs(s - s.max() - np.log(p)).min() < 1e-9:
        return  # a tie that rounding decides
    hidden = np.where(s >= s.max() + np.log(p), s, -np.inf)
    close(min_p(softmax(s), p), torch.softmax(torch.asarray(hidden), 0))


@given(SCORES, st.randoms())
def test_a_cut_off_follows_another_order_even_where_weights_tie(s, random):
    a, order = softmax(np.round(s / 10)), random.sample(range(len(s)), len(s))
    for cut in (lambda a: top_k(a, 1), lambda a: top_p(a, 0.6), lambda a: min_p(a, 0.3)):
        close(cut(a[order]), cut(a)[order])


@pytest.mark.parametrize("cut", [lambda a: top_k(a, 2), lambda a: top_p(a, 0.5), lambda a: min_p(a, 0.5)])
def test_cut_offs_serve_batches_and_refuse_what_is_no_weight(cut):
    A = softmax(np.random.default_rng(1).normal(size=(2, 3, 5)))
    close(cut(torch.asarray(A)), [[cut(a) for a in rows] for rows in A])
    for bad in ([-0.1, 1.1], [0.0, 0.0], [np.inf, 0.0]):
        with pytest.raises(ValueError, match=r"^a "):
            cut(bad)


@pytest.mark.parametrize("cut", [top_p, min_p])
@pytest.mark.parametrize("p", [0, -1, 1.5])
def test_a_share_is_from_0_to_1(cut, p):
    with pytest.raises(ValueError, match="p = "):
        cut([0.5, 0.5], p)
    close(cut([0.75, 0.25], 1), {top_p: [0.75, 0.25], min_p: [1, 0]}[cut])


# --- Caps, sigmoids, differences --------------------------------------------------------------------------------------


@given(SCORES, st.floats(0.1, 100))
def test_a_cap_agrees_with_torch(s, c):
    close(soft_cap(s, c), torch.tanh(torch.asarray(s) / c) * c)
    with pytest.raises(ValueError, match="c = "):
        soft_cap(s, 0)


@given(seeds, libraries, st.booleans(), st.sampled_from([None, -1.5]))
def test_sigmoid_attention_agrees_with_torch(seed, library, masked, bias):
    Q, K, V = draw(seed, library, (2, 3, 4), (2, 5, 4), (2, 5, 6))
    mask = np.tri(3, 5, 2, dtype=bool) if masked else None
    S = 300 * torch.asarray(Q) @ torch.asarray(K).mT / 2 + (-np.log(5) if bias is None else bias)
    A = torch.sigmoid(S) if mask is None else torch.sigmoid(S) * torch.asarray(mask)
    close(sigmoid_attention(300 * Q, K, V, mask, bias=bias), A @ torch.asarray(V))


@given(seeds, libraries, st.floats(-2, 2), st.booleans())
def test_differential_attention_is_a_difference_of_two(seed, library, strength, masked):
    Q_1, K_1, Q_2, K_2, V = draw(seed, library, (3, 4), (5, 4), (3, 4), (5, 4), (5, 6))
    mask = np.tri(3, 5, 2, dtype=bool) if masked else None
    first, second = (
        scaled_dot_product_attention(
            *map(torch.asarray, (Q, K, V)), attn_mask=mask if mask is None else torch.asarray(mask)
        )
        for Q, K in ((Q_1, K_1), (Q_2, K_2))
    )
    close(differential_attention(Q_1, K_1, Q_2, K_2, V, strength, mask), first - strength * second)
