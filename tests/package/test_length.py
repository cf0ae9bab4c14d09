"""Rescaled rotary angles against the frequencies of `transformers`, and gates and counts against sums written out."""

import math

import numpy as np
import pytest
import torch
from attnbook.length import contextual_positions, forgetting_bias, ntk_frequencies, ramp_frequencies, turns
from attnbook.positional import frequencies, rotate
from hypothesis import given
from hypothesis import strategies as st

stretches, bases = st.floats(1.5, 64), st.floats(100, 1e6)


def theirs(kind, *, d=64, base=1e4, length=4096, seq_len=None, **parameters):
    """The frequencies of a rule, and its factor for cosines and sines, from a configuration; nothing is downloaded."""
    from transformers import LlamaConfig
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    rope = {"rope_type": kind, "rope_theta": base, **parameters}
    config = LlamaConfig(
        hidden_size=d, num_attention_heads=1, head_dim=d, max_position_embeddings=length, rope_parameters=rope
    )
    angles, factor = ROPE_INIT_FUNCTIONS[kind](config, seq_len=seq_len)
    return angles.double().numpy(), factor


@pytest.mark.parametrize("base", [10, 1e4, 5e5])
@pytest.mark.parametrize("d", [4, 64, 128])
def test_the_rules_are_those_of_transformers(d, base):
    theta = frequencies(d, base)
    close = {"rtol": 1e-6}
    np.testing.assert_allclose(theta / 8, theirs("linear", d=d, base=base, factor=8.0)[0], **close)
    dynamic = theirs("dynamic", d=d, base=base, factor=8.0, seq_len=3 * 4096)[0]
    np.testing.assert_allclose(ntk_frequencies(d, 8 * 3 - 7, base), dynamic, **close)
    for n in (100, 1000, 4096):  # the ramp begins before the first pair, or ends behind the last
        yarn, factor = theirs("yarn", d=d, base=base, factor=8.0, original_max_position_embeddings=n)
        np.testing.assert_allclose(ramp_frequencies(theta, n, 8, ramp="index"), yarn, **close)
        yarn, factor = theirs("yarn", d=d, base=base, factor=8.0, original_max_position_embeddings=n, truncate=False)
        np.testing.assert_allclose(ramp_frequencies(theta, n, 8, ramp="index", truncate=False), yarn, **close)
    assert factor == pytest.approx(0.1 * math.log(8) + 1)
    ends = {"low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
    llama = theirs("llama3", d=d, base=base, length=131_072, factor=8.0, **ends)[0]
    np.testing.assert_allclose(ramp_frequencies(theta, 8192, 8, slow=1, fast=4), llama, **close)


def test_the_frequencies_of_gpt_oss_are_those_of_its_configuration():
    """d = 64, base 150 000, 32 times 4096 positions, and the ends of the ramp as they are."""
    yarn = {"factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0, "original_max_position_embeddings": 4096}
    theta, expected = frequencies(64, 150_000), theirs("yarn", base=150_000.0, truncate=False, **yarn)[0]
    np.testing.assert_allclose(ramp_frequencies(theta, 4096, 32, ramp="index", truncate=False), expected, rtol=1e-6)
    assert np.abs(ramp_frequencies(theta, 4096, 32, ramp="index") / expected - 1).max() > 0.01


def test_longrope_divides_each_angle_by_its_own_factor_and_scales_the_score():
    factors = np.linspace(1, 20, 32)
    parameters = {"original_max_position_embeddings": 4096, "factor": 32.0}
    parameters |= {"short_factor": [1.0] * 32, "long_factor": factors.tolist()}
    expected, c = theirs("longrope", length=131_072, seq_len=131_072, **parameters)
    np.testing.assert_allclose(frequencies(64) / factors, expected, rtol=1e-6)
    assert c == pytest.approx(math.sqrt(1 + math.log(32) / math.log(4096)))


def test_a_part_is_rotated_as_in_gpt_neox():
    from transformers import GPTNeoXConfig
    from transformers.models.gpt_neox.modeling_gpt_neox import GPTNeoXRotaryEmbedding, apply_rotary_pos_emb

    config = GPTNeoXConfig(
        hidden_size=32,
        num_attention_heads=2,
        rope_parameters={"rope_type": "default", "rope_theta": 1e4, "partial_rotary_factor": 0.25},
    )
    x = torch.randn(1, 2, 5, 16, generator=torch.Generator().manual_seed(0))
    cos, sin = GPTNeoXRotaryEmbedding(config)(x, torch.arange(5)[None])
    expected, _ = apply_rotary_pos_emb(x, x, cos, sin)
    r = cos.shape[-1]
    assert r == 4
    found = torch.cat([rotate(x[..., :r], range(5), pairing="halves"), x[..., r:]], dim=-1)
    torch.testing.assert_close(found, expected)


def test_angles_of_zero_are_the_proportional_rule_and_leave_their_pairs():
    padded = np.pad(frequencies(64)[:8], (0, 24))
    np.testing.assert_allclose(padded, theirs("proportional", partial_rotary_factor=0.25)[0], rtol=1e-6)
    x = np.random.default_rng(1).normal(size=(3, 64))
    still = (rotate(x, range(3), padded, pairing="halves") == x).all(axis=0)
    assert (still == (np.arange(64) % 32 >= 8)).all()


@given(d=st.integers(2, 40).map(lambda half: 2 * half), s=stretches, base=bases)
def test_the_ntk_base_slows_the_slowest_by_s(d, s, base):
    slower = frequencies(d, base) / ntk_frequencies(d, s, base)
    np.testing.assert_allclose(slower[[0, -1]], [1, s], rtol=1e-9)
    assert (np.diff(slower) > 0).all()


@pytest.mark.parametrize("ramp", ["turns", "index"])
@given(n=st.integers(500, 10**6), s=stretches, base=bases, unit=st.floats(0.1, 10))
def test_a_ramp_keeps_the_fast_and_divides_the_slow(ramp, n, s, base, unit):
    theta = unit * frequencies(64, base)
    divided, r = theta / ramp_frequencies(theta, n, s, ramp=ramp), turns(theta, n)
    step = base ** (2 / 64)  # "index" moves the ends to whole pairs
    np.testing.assert_allclose(divided[r > 32 * step], 1, rtol=1e-9)
    np.testing.assert_allclose(divided[r < 1 / step], s, rtol=1e-9)
    assert divided.min() >= 1 - 1e-9
    assert divided.max() <= s + 1e-9


@pytest.mark.parametrize("xp", [np.asarray, torch.tensor])
def test_gates_are_sums_of_logarithms(xp):
    log_f = -np.random.default_rng(0).uniform(0, 2, size=(2, 5))
    B = np.asarray(forgetting_bias(xp(log_f)))
    for i in range(5):
        for j in range(5):
            expected = log_f[:, j + 1 : i + 1].sum(axis=1) if j <= i else np.full(2, -np.inf)
            np.testing.assert_allclose(B[:, i, j], expected, atol=1e-12)


def test_an_open_gate_forgets_nothing():
    assert np.array_equal(forgetting_bias([0.0, 0.0]), [[0, -np.inf], [0, 0]])


@pytest.mark.parametrize("xp", [np.asarray, torch.tensor])
def test_counted_positions_are_sums_of_gates(xp):
    gates = np.random.default_rng(1).uniform(size=(2, 5, 5))
    p = np.asarray(contextual_positions(xp(gates)))
    for i in range(5):
        for j in range(5):
            np.testing.assert_allclose(p[:, i, j], gates[:, i, j : i + 1].sum(axis=1), atol=1e-12)
