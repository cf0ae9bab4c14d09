"""Attention against torch and SciPy, on shapes whose n, m, d_k and d_v all differ, in both libraries and precisions."""

import numpy as np
import pytest
import torch
from attnbook.attention import (
    attention,
    attention_weights,
    causal_mask,
    entropy,
    padding_mask,
    scores,
    softmax,
    softmax_jacobian,
)
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from torch.nn.functional import scaled_dot_product_attention

seeds = st.integers(0, 2**32 - 1)
libraries = st.sampled_from([np.asarray, torch.asarray])


@st.composite
def problems(draw, batches=((), (2,), (2, 3))):
    """Random Q, K, V with four different lengths, perhaps batched, in either library and precision."""
    n, m, d_k, d_v = draw(st.lists(st.integers(1, 9), min_size=4, max_size=4, unique=True))
    batch, rng = draw(st.sampled_from(batches)), np.random.default_rng(draw(seeds))
    dtype, library = draw(st.sampled_from(["float32", "float64"])), draw(libraries)
    shapes = (n, d_k), (m, d_k), (m, d_v)
    return [library(rng.standard_normal((*batch, *shape)).astype(dtype)) for shape in shapes]


def random_mask(n, m, seed):
    """About half True, with at least one True in every row."""
    mask = np.random.default_rng(seed).random((n, m)) < 0.5
    mask[np.arange(n), np.arange(n) % m] = True
    return mask


def close(actual, expected):
    """Equal up to rounding in the precision of ``actual``."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    tolerance = 2e-5 if actual.dtype == np.float32 else 1e-12
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def same_kind(result, given_):
    assert type(result) is type(given_)
    assert result.dtype == given_.dtype


@given(problems(), st.none() | st.sampled_from([0.0, 0.3, 1, -2.0]), st.none() | seeds)
def test_attention_agrees_with_torch(QKV, scale, seed):
    Q, K, V = QKV
    mask = None if seed is None else random_mask(Q.shape[-2], K.shape[-2], seed)
    Y = attention(Q, K, V, mask, scale)
    witness_mask = None if mask is None else torch.asarray(mask)
    witness = scaled_dot_product_attention(*map(torch.asarray, QKV), attn_mask=witness_mask, scale=scale)
    close(Y, witness)
    same_kind(Y, Q)


@given(problems(batches=((2,),)), seeds)
def test_batches_broadcast_and_may_have_their_own_masks(QKV, seed):
    Q, K, V = QKV
    n, m = Q.shape[-2], K.shape[-2]
    own = np.stack([random_mask(n, m, seed), random_mask(n, m, seed // 2)])
    Y = attention(Q, K[0], V[0], mask=own)
    for b in range(2):
        close(Y[b], attention(Q[b], K[0], V[0], mask=own[b]))


@given(problems(), st.none() | st.just(0.7))
def test_scores_are_scaled_dot_products(QKV, scale):
    Q, K, _ = QKV
    S = scores(Q, K, scale)
    close(S, np.einsum("...ic,...jc->...ij", Q, K) * (Q.shape[-1] ** -0.5 if scale is None else scale))
    same_kind(S, Q)


@pytest.mark.parametrize("library", [np.asarray, torch.tensor])
def test_half_precision_is_scaled_before_the_product_which_alone_would_overflow(library):
    Q = library(np.full((2, 128), 32, dtype=np.float16))
    S = scores(Q, Q)
    assert str(S.dtype).endswith("float16")
    np.testing.assert_allclose(np.asarray(S, dtype=float), 128 * 32**2 / np.sqrt(128), rtol=2e-3)
    np.testing.assert_allclose(np.asarray(attention(Q, Q, Q), dtype=float), 32)


def test_a_scale_that_is_learnt_has_its_gradient():
    Q, K = torch.ones(2, 3), torch.ones(4, 3)
    scale = torch.tensor(0.5, requires_grad=True)
    scores(Q, K, scale).sum().backward()
    assert scale.grad == (Q @ K.T).sum()


@given(problems(), st.integers(-2, 1))
def test_softmax_agrees_with_scipy_on_every_axis(QKV, axis):
    for S in QKV:
        a = softmax(S, axis)
        close(a, special.softmax(np.asarray(S, dtype=float), axis))
        close(np.asarray(a).sum(axis), np.ones_like(np.asarray(a).sum(axis)))
        same_kind(a, S)


@given(problems(), st.sampled_from([-1e4, -3.0, 5.0, 1e4]))
def test_softmax_is_shift_invariant_and_huge_scores_stay_finite(QKV, shift):
    S = np.asarray(QKV[0], dtype=float)
    np.testing.assert_allclose(softmax(S + shift), softmax(S), rtol=1e-11)
    for huge in (S.astype("f4") * 1e4, torch.asarray(S * 1e4)):
        a = np.asarray(softmax(huge))
        assert np.isfinite(a).all()
        close(a.sum(-1), np.ones(a.shape[:-1], a.dtype))


@given(problems(), seeds)
def test_weights_sum_to_one_and_hidden_keys_get_exactly_nothing(QKV, seed):
    Q, K, _ = QKV
    mask = random_mask(Q.shape[-2], K.shape[-2], seed)
    A = np.asarray(attention_weights(Q, K, mask))
    close(A.sum(-1), np.ones(A.shape[:-1], A.dtype))
    assert (A[..., ~mask] == 0).all()
    assert (A[..., mask] > 0).all()


def test_a_hidden_key_stays_hidden_however_low_the_others_score():
    Q, K = np.array([[1e6]]), np.array([[-1e6], [1e6], [-1e6]])
    assert attention_weights(Q, K, mask=[[True, False, True]]).tolist() == [[0.5, 0, 0.5]]


def test_a_causal_query_sees_itself_and_its_past():
    assert causal_mask(2, 3).tolist() == [[True, False, False], [True, True, False]]
    assert causal_mask(3).tolist() == torch.ones(3, 3, dtype=torch.bool).tril().tolist()


def test_padding_hides_the_keys_beyond_each_length():
    mask = padding_mask([1, 3], 3)
    assert mask.tolist() == [[[True, False, False]], [[True, True, True]]]
    Q, K, V = (np.random.default_rng(0).standard_normal(shape) for shape in ((2, 4, 5), (2, 3, 5), (2, 3, 6)))
    Y = attention(Q, K, V, mask)
    close(Y[0], np.broadcast_to(V[0, 0], (4, 6)))
    close(Y[1], attention(Q[1], K[1], V[1]))


@given(problems(), libraries)
def test_jacobian_is_what_autograd_finds(QKV, library):
    S = torch.asarray(QKV[0]).reshape(-1, QKV[0].shape[-1])
    J = softmax_jacobian(library(softmax(S)))
    for row, s in zip(J, S, strict=True):
        close(row, torch.autograd.functional.jacobian(lambda s: torch.softmax(s, -1), s))
    assert tuple(J.shape) == (*S.shape, S.shape[-1])
    same_kind(J, library(S))


@given(problems())
def test_entropy_agrees_with_scipy(QKV):
    a = softmax(QKV[0])
    H = entropy(a)
    close(H, stats.entropy(np.asarray(a), axis=-1))
    same_kind(H, np.asarray(a).sum(-1) if isinstance(a, np.ndarray) else a)


def test_entropy_of_certainty_is_zero_and_of_ignorance_ln_m():
    np.testing.assert_allclose(entropy([[1, 0, 0, 0], [0.25] * 4, [0, 0.5, 0.5, 0]]), [0, np.log(4), np.log(2)])


@pytest.mark.parametrize("mask", [None, causal_mask(3, 4)])
def test_gradients_flow_through_attention(mask):
    generator = torch.Generator().manual_seed(0)
    shapes = (2, 3, 5), (2, 4, 5), (2, 4, 6)
    QKV = [torch.randn(s, dtype=torch.float64, generator=generator, requires_grad=True) for s in shapes]
    assert torch.autograd.gradcheck(lambda Q, K, V: attention(Q, K, V, mask, 0.8), QKV)


def test_gradients_flow_through_entropy_and_the_jacobian():
    s = torch.tensor([0.3, -1.0, 2.0], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda s: (entropy(softmax(s)), softmax_jacobian(softmax(s))), s)


def test_the_simplex_allows_rounding_and_nothing_more():
    wide = np.random.default_rng(0).standard_normal((20, 3000))
    for S in (wide, wide.astype("f4"), torch.asarray(wide.astype("f4"))):
        assert entropy(softmax(S)).shape == (20,)
    with pytest.raises(ValueError, match="leaves the simplex"):
        entropy([0.5, 0.5 + 1e-14])
    for m, dtype in ((4, "f4"), (9, "f4"), (64, "f8"), (4, "f8")):
        eps = float(np.finfo(dtype).eps)
        allowed, beyond = (np.array([1.0, *[0.0] * (m - 2), k * eps], dtype) for k in (4 + m**0.5, 5 + m**0.5))
        assert entropy(np.stack([allowed] * 3)).shape == (3,)
        with pytest.raises(ValueError, match="leaves the simplex"):
            entropy(beyond)
