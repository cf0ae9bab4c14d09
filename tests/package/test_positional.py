"""Every positional scheme against an implementation nobody here wrote, and its defining property on drawn shapes.

The independent implementations are the attention modules of `transformers`, made from small configurations with
random weights; nothing is downloaded. They are imported where they are used, because that takes seconds. An added
table and a causal mask have no module of their own: there it is the fused attention of torch. Shaw's and
Transformer-XL's own modules have left the library; two speech models keep their logits.
"""

import math

import numpy as np
import pytest
import torch
from attnbook.positional import (
    Terms,
    alibi_slopes,
    clipped,
    deberta_rows,
    frequencies,
    logit_terms,
    offsets,
    pairing_permutation,
    rotate,
    sinusoidal,
    t5_bucket,
    t5_edges,
)
from hypothesis import given
from hypothesis import strategies as st

rng = np.random.default_rng(0)
lengths, widths = st.integers(1, 7), st.integers(1, 9)


def random_weights(module, seed=0):
    """Replace every parameter, biases included, by a normal number in double precision: none may be zero by luck."""
    generator = torch.Generator().manual_seed(seed)
    module = module.double().eval()
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(torch.randn(p.shape, generator=generator, dtype=torch.float64) / 3)
    return module


def small(module, config, **options):
    """A module of transformers with three heads of four numbers each, which returns its weights, too."""
    return random_weights(module(config(hidden_size=12, num_attention_heads=3, attn_implementation="eager", **options)))


def heads(x, count):
    """(n, count · d) → (count, n, d), as torch's modules split their heads."""
    return x.unflatten(-1, (count, -1)).transpose(0, 1).detach()


def close(left, right, rtol=1e-10):
    np.testing.assert_allclose(np.asarray(left), np.asarray(right), rtol=rtol, atol=rtol)


@pytest.mark.parametrize("library", [np.asarray, torch.tensor])
@given(n=lengths, m=lengths, d=widths, batch=st.integers(1, 3), seed=st.integers(0, 99))
def test_the_four_terms_are_what_einsum_says(library, n, m, d, batch, seed):
    r = np.random.default_rng(seed)
    Q, K, A, C, B = (r.normal(size=s) for s in ((batch, n, d), (batch, m, d), (n, m, d), (n, m, d), (n, m)))
    terms = logit_terms(library(Q), library(K), library(A), library(B), library(C))
    assert isinstance(terms, Terms)
    close(terms.content_content, np.einsum("bnd,bmd->bnm", Q, K))
    close(terms.content_position, np.einsum("bnd,nmd->bnm", Q, A))
    close(terms.position_content, np.einsum("nmd,bmd->bnm", C, K))
    close(terms.position_position, np.broadcast_to(B, (batch, n, m)))
    assert all(type(term) is type(library(Q)) and term.shape == (batch, n, m) for term in terms)


def test_missing_tables_are_zero_and_plain_numbers_join_tensors():
    Q, K = torch.randn(2, 3, 4, requires_grad=True), torch.randn(2, 5, 4)
    terms = logit_terms(Q, K, B=-np.abs(offsets(range(3), range(5))), C=torch.ones(4))
    assert not terms.content_position.any()
    assert terms.position_position.dtype == torch.float32
    close(terms.position_content.detach(), K.sum(-1)[:, None].expand(2, 3, 5), 1e-5)
    sum(terms).sum().backward()
    assert Q.grad is not None


def weigh(terms, d, V):
    return torch.softmax(sum(terms) / math.sqrt(d), dim=-1) @ V


@given(n=lengths, m=lengths, d=widths, seed=st.integers(0, 99))
def test_an_added_table_is_the_fused_attention_of_torch(n, m, d, seed):
    g = torch.Generator().manual_seed(seed)
    Q, P_Q, K, P_K = (torch.randn(k, d, dtype=torch.float64, generator=g) for k in (n, n, m, m))
    V = torch.randn(m, 3, dtype=torch.float64, generator=g)
    terms = logit_terms(Q, K, P_K[None], P_Q @ P_K.T, P_Q[:, None])
    close(weigh(terms, d, V), torch.nn.functional.scaled_dot_product_attention(Q + P_Q, K + P_K, V))


@given(n=lengths, d=widths, seed=st.integers(0, 99))
def test_a_causal_table_is_the_causal_attention_of_torch(n, d, seed):
    g = torch.Generator().manual_seed(seed)
    Q, K, V = torch.randn(3, 1, n, d, dtype=torch.float64, generator=g)
    terms = logit_terms(Q, K, B=np.where(offsets(range(n), range(n)) > 0, -np.inf, 0.0))
    assert torch.isneginf(sum(terms)[0, 0, 1:]).all()
    close(weigh(terms, d, V), torch.nn.functional.scaled_dot_product_attention(Q, K, V, is_causal=True))


@pytest.mark.parametrize("d", [2, 8, 64])
def test_sinusoids_are_those_of_gptj_and_wav2vec2(d):
    from transformers import Wav2Vec2ConformerConfig
    from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions
    from transformers.models.wav2vec2_conformer.modeling_wav2vec2_conformer import (
        Wav2Vec2ConformerRelPositionalEmbedding,
    )

    theirs = create_sinusoidal_positions(40, d).numpy()  # sines first, then cosines
    ours = sinusoidal(range(40), d)
    close(np.concatenate([ours[:, 0::2], ours[:, 1::2]], axis=1), theirs, 1e-5)
    config = Wav2Vec2ConformerConfig(hidden_size=d, max_source_positions=40, num_attention_heads=1)
    relative = Wav2Vec2ConformerRelPositionalEmbedding(config)(torch.zeros(1, 10, d))[0]
    close(sinusoidal(range(9, -10, -1), d), relative, 1e-5)


@given(d=st.integers(1, 12), t=st.floats(-50, 50), k=st.floats(-50, 50))
def test_sinusoids_follow_the_complex_exponential(d, t, k):
    wave = np.exp(1j * frequencies(d) * t)
    both = np.stack([wave.imag, wave.real], axis=-1).ravel()[:d]
    close(sinusoidal(t, d), both)
    if d % 2 == 0:
        close(sinusoidal(t, d) @ sinusoidal(t + k, d), np.cos(frequencies(d) * k).sum())


def test_an_odd_dimension_and_another_base_keep_the_formula():
    close(frequencies(5), [1, math.exp(-0.4 * math.log(10_000)), math.exp(-0.8 * math.log(10_000))])
    close(sinusoidal(3, 4, base=100.0), [math.sin(3), math.cos(3), math.sin(0.3), math.cos(0.3)])
    close(sinusoidal(3, 3, base=1000.0), [math.sin(3), math.cos(3), math.sin(0.03)])


@pytest.mark.parametrize("start", [0, 3, 1000])
def test_halves_are_those_of_llama(start):
    from transformers import LlamaConfig
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding
    from transformers.models.llama.modeling_llama import apply_rotary_pos_emb as rotate_halves

    q, k = torch.randn(2, 1, 3, 5, 16, dtype=torch.float64)
    embedding = LlamaRotaryEmbedding(
        LlamaConfig(hidden_size=48, num_attention_heads=3, head_dim=16, rope_theta=10_000.0)
    )
    cos, sin = embedding(q, torch.arange(start, start + 5)[None])
    for ours, theirs in zip((q, k), rotate_halves(q, k, cos, sin), strict=True):
        close(rotate(ours, range(start, start + 5), pairing="halves"), theirs, 1e-7 * (start + 100))


def test_neighbours_are_those_of_gptj():
    from transformers.models.gptj.modeling_gptj import apply_rotary_pos_emb as rotate_neighbours
    from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions

    x = torch.randn(2, 6, 3, 8, dtype=torch.float64)  # batch, length, heads, d
    sin, cos = create_sinusoidal_positions(6, 8).double().chunk(2, dim=-1)
    theirs = rotate_neighbours(x, sin[None], cos[None])
    close(rotate(x.transpose(1, 2), range(6)).transpose(1, 2), theirs, 1e-5)


@given(
    d=st.integers(1, 6).map(lambda half: 2 * half),
    i=st.integers(0, 60),
    j=st.integers(0, 60),
    start=st.integers(0, 500),
    pairing=st.sampled_from(["adjacent", "halves"]),
)
def test_the_rotary_score_is_relative_and_keeps_norms(d, i, j, start, pairing):
    r = np.random.default_rng(i)
    q, k, theta = r.normal(size=(1, d)), r.normal(size=(1, d)), r.uniform(-3, 3, size=d // 2)

    def at(x, t):
        return rotate(x, [t], theta, pairing=pairing)

    close(at(q, i) @ at(k, j).T, at(q, i + start) @ at(k, j + start).T)
    close(np.linalg.norm(at(q, i)), np.linalg.norm(q))
    close(at(at(q, i), start), at(q, i + start))


@given(d=st.integers(1, 8).map(lambda half: 2 * half), n=lengths)
def test_the_pairings_differ_by_a_permutation(d, n):
    x, perm = np.random.default_rng(d).normal(size=(n, d)), pairing_permutation(d)
    assert sorted(perm) == list(range(d))
    close(rotate(x[:, perm], range(n), pairing="halves"), rotate(x, range(n))[:, perm])


def test_shaw_is_the_relative_key_of_wav2vec2_bert():
    from transformers import Wav2Vec2BertConfig
    from transformers.models.wav2vec2_bert.modeling_wav2vec2_bert import Wav2Vec2BertSelfAttention

    sides = {"left_max_position_embeddings": 2, "right_max_position_embeddings": 2}
    module = small(Wav2Vec2BertSelfAttention, Wav2Vec2BertConfig, position_embeddings_type="relative_key", **sides)
    x = torch.randn(7, 12, dtype=torch.float64)
    _, theirs = module(x[None], output_attentions=True)
    Q, K = heads(module.linear_q(x), 3), heads(module.linear_k(x), 3)
    A = module.distance_embedding.weight.detach()[clipped(offsets(range(7), range(7)), 2)]
    close(torch.softmax(sum(logit_terms(Q, K, A)) / 2, dim=-1), theirs[0].detach())


def test_transformer_xl_is_the_relative_attention_of_wav2vec2_conformer():
    from transformers import Wav2Vec2ConformerConfig
    from transformers.models.wav2vec2_conformer.modeling_wav2vec2_conformer import Wav2Vec2ConformerSelfAttention

    places = {"position_embeddings_type": "relative", "max_source_positions": 50}
    module = small(Wav2Vec2ConformerSelfAttention, Wav2Vec2ConformerConfig, **places)
    x, n = torch.randn(6, 12, dtype=torch.float64), 6
    relative = torch.tensor(sinusoidal(range(n - 1, -n, -1), 12))[None]  # from i − j = n − 1 down to 1 − n
    _, theirs = module(x[None], relative_position_embeddings=relative, output_attentions=True)
    Q, K = heads(module.linear_q(x), 3), heads(module.linear_k(x), 3)
    rows = module.linear_pos(torch.tensor(sinusoidal(-offsets(range(n), range(n)), 12)))  # (n, n, 3 · 4)
    A = rows.unflatten(-1, (3, 4)).permute(2, 0, 1, 3).detach()
    u, v = module.pos_bias_u.detach()[:, None, None], module.pos_bias_v.detach()[:, None, None]
    logits = sum(logit_terms(Q, K, A, (A * v).sum(-1), u))
    close(torch.softmax(logits / 2, dim=-1), theirs[0].detach())


def test_deberta_is_disentangled_attention():
    """The released code reads row δ(i, j) of both tables; the paper's equation (4) has δ(j, i) in the second."""
    from transformers import DebertaV2Config
    from transformers.models.deberta_v2.modeling_deberta_v2 import DisentangledSelfAttention

    relative = {"relative_attention": True, "max_relative_positions": 4, "position_buckets": -1}
    pairs = {"pos_att_type": ["c2p", "p2c"], "share_att_key": False}
    module = small(DisentangledSelfAttention, DebertaV2Config, **relative, **pairs)
    n, span = 9, 4
    x, table = torch.randn(n, 12, dtype=torch.float64), torch.randn(2 * span, 12, dtype=torch.float64)
    _, theirs = module(x[None], torch.ones(1, 1, n, n), output_attentions=True, rel_embeddings=table)
    Q, K = heads(module.query_proj(x), 3), heads(module.key_proj(x), 3)
    K_r, Q_r = heads(module.pos_key_proj(table), 3), heads(module.pos_query_proj(table), 3)
    off = offsets(range(n), range(n))
    logits = sum(logit_terms(Q, K, K_r[:, deberta_rows(off, span)], None, Q_r[:, deberta_rows(off, span)]))
    close(torch.softmax(logits / math.sqrt(3 * 4), dim=-1), theirs[0].detach(), 1e-6)  # their scale is float32
    inside = abs(off) < span  # there the two readings differ by a mirrored table
    mirrored = Q_r.flip(1).roll(1, 1)
    close(mirrored[:, deberta_rows(-off, span)][:, inside], Q_r[:, deberta_rows(off, span)][:, inside])


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize(("buckets", "reach"), [(32, 128), (32, 256), (16, 128), (64, 128), (8, 20), (320, 800)])
def test_buckets_are_those_of_t5(buckets, reach, bidirectional):
    from transformers.models.t5.modeling_t5 import T5Attention

    offset = np.arange(-6000, 6001)
    theirs = T5Attention._relative_position_bucket(torch.tensor(offset), bidirectional, buckets, reach)
    assert np.array_equal(t5_bucket(offset, buckets, reach, bidirectional), theirs)


def test_the_bias_is_that_of_t5():
    from transformers import T5Config
    from transformers.models.t5.modeling_t5 import T5Attention

    config = T5Config(d_model=12, d_kv=4, num_heads=3, relative_attention_num_buckets=32)
    module = random_weights(T5Attention(config, has_relative_attention_bias=True, layer_idx=0))
    theirs = module.compute_bias(40, 40)[0].detach()
    numbers = module.relative_attention_bias.weight.detach().T  # (heads, buckets)
    close(numbers[:, t5_bucket(offsets(range(40), range(40)))], theirs)


@given(buckets=st.integers(2, 40), more=st.integers(1, 300))
def test_edges_rise_from_zero_and_the_last_lies_below_the_maximal_distance(buckets, more):
    reach = buckets // 2 + more
    edges = t5_edges(buckets, reach)
    assert len(edges) == buckets
    assert edges[: buckets // 2 + 1] == list(range(buckets // 2 + 1))
    assert edges == sorted(edges)
    assert edges[-1] <= reach


@pytest.mark.parametrize("count", [1, 2, 6, 8, 12, 16, 20])
def test_slopes_are_those_of_bloom(count):
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    theirs = build_alibi_tensor(torch.ones(1, 7), count, torch.float64)[:, 0]  # slope · j; a row's constant is free
    off = offsets(range(7), range(7))
    ours = -alibi_slopes(count)[:, None, None] * np.abs(off)
    past = np.tril(np.ones((7, 7), dtype=bool))
    close(np.where(past, ours - ours[:, :, :1], 0), np.where(past, theirs[:, None, :], 0), 1e-6)


def test_who_uses_which_is_what_the_library_says():
    """The rows of the page *Rotary in practice* that name a part of the coordinates, or layers that differ."""
    from transformers import Cohere2Config, Glm4Config, GPTJConfig, Llama4TextConfig, SmolLM3Config

    gpt_j = GPTJConfig()
    assert gpt_j.rotary_dim * 4 == gpt_j.n_embd // gpt_j.n_head
    assert Glm4Config().rope_parameters["partial_rotary_factor"] == 0.5
    cohere, llama, smol = Cohere2Config(), Llama4TextConfig(), SmolLM3Config()
    assert cohere.layer_types[:4] == ["sliding_attention"] * 3 + ["full_attention"]
    assert llama.layer_types[:4] == ["chunked_attention"] * 3 + ["full_attention"]
    assert llama.attention_chunk_size == 8192
    assert llama.no_rope_layers[:4] == smol.no_rope_layers[:4] == [1, 1, 1, 0]
    assert set(smol.layer_types) == {"full_attention"}
