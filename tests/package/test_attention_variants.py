"""Additive scores, heads and tiles against torch.nn, autograd and loops, on shapes whose axes all differ."""

import tracemalloc

import numpy as np
import pytest
import torch
from attnbook.attention import additive_scores, attention, causal_mask, online_attention
from attnbook.layers import Heads, multi_head_attention, torch_heads
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import scaled_dot_product_attention
from torch.utils.flop_counter import FlopCounterMode

seeds = st.integers(0, 2**32 - 1)
libraries = st.sampled_from([np.asarray, torch.asarray])
lengths = st.lists(st.integers(1, 9), min_size=5, max_size=5, unique=True)
batches = st.sampled_from([(), (2,), (2, 3)])


def draw(seed, library, dtype, *shapes):
    rng = np.random.default_rng(seed)
    return [library(rng.standard_normal(shape).astype(dtype)) for shape in shapes]


def close(actual, expected):
    actual, expected = (x.detach() if hasattr(x, "detach") else x for x in (actual, expected))
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape
    tolerance = 5e-5 if actual.dtype == np.float32 else 1e-11
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def torch_layer(seed, d, h, **options):
    """A layer whose biases are not zero, as they are at the start and would hide a mistake."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        layer = torch.nn.MultiheadAttention(d, h, batch_first=True, dtype=torch.float64, **options)
        for p in layer.parameters():
            torch.nn.init.normal_(p, std=0.7)
    return layer


# --- Additive scores ------------------------------------------------------------------------------------------------


@given(seeds, lengths, batches, libraries, st.sampled_from(["float32", "float64"]))
def test_additive_scores_agree_with_a_network_of_torch(seed, sizes, batch, library, dtype):
    n, m, d_q, d_k, d_a = sizes
    shapes = (*batch, n, d_q), (*batch, m, d_k), (d_q, d_a), (d_k, d_a), (d_a,)
    Q, K, W_Q, W_K, v = draw(seed, library, dtype, *shapes)
    E = additive_scores(Q, K, W_Q, W_K, v)
    assert type(E) is type(Q)
    assert E.dtype == Q.dtype
    assert E.shape == (*batch, n, m)
    both = torch.nn.Linear(d_q + d_k, d_a, bias=False, dtype=torch.float64)  # one layer on the pair (q, k)
    with torch.no_grad():
        both.weight.copy_(torch.cat([torch.asarray(W_Q), torch.asarray(W_K)]).T)
        pairs = torch.cat(
            [
                torch.asarray(Q).double()[..., :, None, :].expand(*batch, n, m, d_q),
                torch.asarray(K).double()[..., None, :, :].expand(*batch, n, m, d_k),
            ],
            dim=-1,
        )
        expected = torch.tanh(both(pairs)) @ torch.asarray(v).double()
    close(E, expected)


def test_additive_scores_are_differentiable():
    shapes = (3, 4), (5, 2), (4, 6), (2, 6), (6,)
    inputs = [x.requires_grad_() for x in draw(0, torch.asarray, "float64", *shapes)]
    assert torch.autograd.gradcheck(additive_scores, inputs)


# --- Several heads --------------------------------------------------------------------------------------------------


@given(seeds, st.sampled_from([(12, 1), (12, 3), (10, 5), (7, 7), (16, 4)]), batches, st.booleans())
def test_heads_agree_with_torch(seed, sizes, batch, bias):
    (d, h), n, m = sizes, 5, 8
    layer = torch_layer(seed % 1000, d, h, bias=bias)
    Q, K, V = draw(seed, torch.asarray, "float64", (*batch, n, d), (*batch, m, d), (*batch, m, d))
    flat = [x.reshape(-1, *x.shape[-2:]) for x in (Q, K, V)]  # torch knows at most one batch axis
    expected, _ = layer(*flat)
    close(multi_head_attention(Q, K, V, torch_heads(layer)), expected.reshape(*batch, n, d))
    arrays = [x.numpy() for x in (Q, K, V)]
    heads = Heads(*(None if w is None else w.detach().numpy() for w in torch_heads(layer)))
    close(multi_head_attention(*arrays, heads), expected.reshape(*batch, n, d))


@pytest.mark.parametrize("n", [4, 6])
def test_masks_hide_the_same_keys_as_in_torch(n):
    layer, (X, Z) = torch_layer(0, 12, 3), draw(1, torch.asarray, "float64", (2, n, 12), (2, 5, 12))
    mask = torch.asarray(causal_mask(n, 5))
    expected, _ = layer(X, Z, Z, attn_mask=~mask)
    close(multi_head_attention(X, Z, Z, torch_heads(layer), mask), expected)
    padded = torch.tensor([[True] * 5, [True] * 2 + [False] * 3])
    expected, _ = layer(X, Z, Z, key_padding_mask=~padded)
    close(multi_head_attention(X, Z, Z, torch_heads(layer), padded[:, None, :]), expected)
    expected, _ = layer(X, Z, Z, key_padding_mask=~padded[1:].expand(2, 5))
    close(multi_head_attention(X, Z, Z, torch_heads(layer), padded[1]), expected)


def test_gradients_of_all_weights_agree_with_torch():
    layer, (X, Z) = torch_layer(2, 6, 2), draw(3, torch.asarray, "float64", (4, 6), (5, 6))
    parameters = list(layer.parameters())
    ours = multi_head_attention(X, Z, Z, torch_heads(layer)).square().sum()
    theirs = layer(X, Z, Z)[0].square().sum()
    for a, b in zip(torch.autograd.grad(ours, parameters), torch.autograd.grad(theirs, parameters), strict=True):
        close(a, b)


@given(seeds, lengths)
def test_heads_of_any_width_are_a_loop(seed, sizes):
    """Head widths that torch's module cannot have: d_k, d_v and d_out free of each other and of d."""
    n, m, d, d_k, d_v = sizes
    h, d_out = 3, 4
    Q, K, V, *W = draw(
        seed, np.asarray, "float64", (n, d), (m, d), (m, d), (h, d, d_k), (h, d, d_k), (h, d, d_v), (h * d_v, d_out)
    )
    each = [attention(Q @ W[0][i], K @ W[1][i], V @ W[2][i]) for i in range(h)]
    close(multi_head_attention(Q, K, V, Heads(*W)), np.concatenate(each, axis=1) @ W[3])


@pytest.mark.parametrize("options", [{"kdim": 5}, {"vdim": 5}, {"add_bias_kv": True}, {"add_zero_attn": True}])
def test_other_layers_of_torch_are_refused(options):
    with pytest.raises(ValueError, match="expected keys and values as wide as queries, and no appended keys"):
        torch_heads(torch_layer(0, 6, 2, **options))


# --- Tiles ----------------------------------------------------------------------------------------------------------


@given(seeds, lengths, batches, libraries, st.integers(1, 12), st.none() | st.sampled_from([0.0, 0.3, -2.0]))
def test_tiles_agree_with_torch(seed, sizes, batch, library, tile, scale):
    n, m, d_k, d_v, _ = sizes
    Q, K, V = draw(seed, library, "float64", (*batch, n, d_k), (*batch, m, d_k), (*batch, m, d_v))
    Y = online_attention(Q, K, V, scale=scale, tile=tile)
    assert type(Y) is type(Q)
    assert Y.dtype == Q.dtype
    close(Y, scaled_dot_product_attention(*map(torch.asarray, (Q, K, V)), scale=scale))


@pytest.mark.parametrize("tile", [1, 2, 4, 100])
def test_gradients_pass_through_tiles(tile):
    inputs = [x.requires_grad_() for x in draw(4, torch.asarray, "float64", (3, 4), (7, 4), (7, 2))]
    weight = torch.linspace(-1, 1, 6, dtype=torch.float64).reshape(3, 2)
    ours = torch.autograd.grad((weight * online_attention(*inputs, tile=tile)).sum(), inputs)
    theirs = torch.autograd.grad((weight * attention(*inputs)).sum(), inputs)
    for a, b in zip(ours, theirs, strict=True):
        close(a, b)


@pytest.mark.parametrize("order", ["rising", "falling"])
def test_large_scores_overflow_in_no_tile(order):
    scores = np.linspace(-3000, 3000, 20)[:: 1 if order == "rising" else -1]
    V = np.arange(40.0).reshape(20, 2)
    Y = online_attention([[1.0]], scores[:, None], V, tile=3)
    close(Y, V[[scores.argmax()]])


def test_tiles_store_no_matrix():
    """NumPy reports its allocations to tracemalloc: the peak stays far below one n × m matrix of 8 MB."""
    n, m = 1000, 1000
    Q, K, V = draw(5, np.asarray, "float64", (n, 3), (m, 3), (m, 4))
    peaks = []
    for function in (attention, online_attention):
        tracemalloc.start()
        function(Q, K, V)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[0] > 8 * n * m
    assert peaks[1] < 8 * n * m / 20


def test_tiles_multiply_as_often_as_the_plain_program():
    inputs = draw(6, torch.asarray, "float32", (30, 3), (50, 3), (50, 4))
    counts = []
    for function in (attention, lambda *x: online_attention(*x, tile=7)):
        with FlopCounterMode(display=False) as counter:
            function(*inputs)
        counts.append(counter.get_total_flops())
    assert counts == [2 * 30 * 50 * (3 + 4)] * 2
