"""The audit names each planted fault, in attention by three hands, and finds nothing in what is right."""

import dataclasses
import importlib
import itertools
import math
import sys

import numpy as np
import pytest
import torch
from attnbook.attention import attention, online_attention
from attnbook.audit import audit
from attnbook.audit.__main__ import main
from attnbook.audit.faults import FAULTS
from attnbook.audit.formula import Formula, Steps, evaluate
from attnbook.audit.laws import LAWS, LONG_LAW
from attnbook.audit.rounding import bound, sizes
from attnbook.audit.subjects import read_heads
from attnbook.language_model import rms_norm
from attnbook.layers import Heads, multi_head_attention
from attnbook.positional import offsets, rotate, sinusoidal
from hands import CAP, SINKS, WEIGHTS, D, Fused, H, Views, einsum, pieces

EINSUM = {
    "no scale": "no scale",
    "d_model": "√d_model for √d_k",
    "d_k": "d_k for √d_k",
    "queries": "softmax over the wrong axis: queries",
    "heads": "softmax over the wrong axis: heads",
    "twice": "softmax twice",
    "after": "mask after softmax",
    "dropped": "mask dropped",
    "times": "scores multiplied by the mask",
    "ones": "mask added as 0 and 1",
    "inverted": "mask inverted",
    "transposed": "mask transposed",
    "ten thousand": "−10⁴ for −∞",
    "roles": "queries and keys exchanged",
    "keys for values": "keys for values",
    "batch": "attention across the batch",
}
CAPPED = {"cap last": "softcap after the mask", "sink": "sink left out"}
TURNED = {
    "pairing": "rotation with the wrong pairing",
    "other way": "keys turned the other way",
    "ahead": "position offset: queries one ahead",
    "values": "values turned as well",
}
VIEWS = {
    "cut": "heads split without a transpose",
    "glued": "heads joined without a transpose",
    "cut and glued": "heads split and joined without a transpose",
    "interleaved": "heads interleaved",
    "tiled": "keys repeated in the wrong order of heads",
    "width": "√d_model for √d_k",
    "axis": "softmax over the wrong axis: heads",
    "over heads": "positions over heads",
    "exponents": "rotation with the next exponents",
    "queries alone": "rotation of queries alone",
    "biases": "biases of the projections left out",
    "transposed": "output projection transposed",
    "one more": "mask off by one: one key too many",
    "dropped in training": "mask dropped on one path: train",
    "ten thousand": "−10⁴ for −∞",
}
FUSED = {
    "by heads": "fused projection read head by head",
    "off by one": "mask off by one: one key too many",
    "batch": "attention across the batch",
    "training": "mask dropped on one path: train",
    "restart": "cached pieces disagree: positions restart in every piece",
    "grown": "cached pieces disagree: positions counted after the cache has grown",
    "again": "cached pieces disagree: keys turned again in every piece",
    "corner": "cached pieces disagree: causal diagonal in the wrong corner",
    "forgotten": "cached pieces disagree: earlier keys forgotten",
    "unmasked": "cached pieces disagree: no causal mask within a piece",
}


@pytest.fixture(autouse=True)
def one_thread():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the arrays are tiny
    torch.manual_seed(0)
    yield
    torch.set_num_threads(threads)


def views(fault="", **claims):
    layer = Views(fault)
    return audit(layer, **{"rotary": "halves", "dtype": "float32"} | claims)


def fused(fault="", p=0.0, **claims):
    return audit(
        Fused(fault, p), **{"causal": True, "rotary": "adjacent", "pieces": pieces, "dtype": "float32"} | claims
    )


@pytest.mark.parametrize("fault", EINSUM)
def test_faults_of_the_first_hand_are_named(fault):
    assert audit(einsum(fault), heads=WEIGHTS, dtype="float64").diagnoses[0] == EINSUM[fault]


@pytest.mark.parametrize("fault", CAPPED)
def test_faults_of_softcap_and_sink_are_named(fault):
    report = audit(einsum(fault, cap=CAP, sinks=SINKS), heads=WEIGHTS, cap=CAP, sinks=SINKS, dtype="float64")
    assert report.diagnoses[0] == CAPPED[fault]


@pytest.mark.parametrize("pairing", ["halves", "adjacent"])
@pytest.mark.parametrize("fault", TURNED)
def test_faults_of_rotation_are_named(fault, pairing):
    assert (
        audit(einsum(fault, pairing=pairing), heads=WEIGHTS, rotary=pairing, dtype="float64").diagnoses[0]
        == TURNED[fault]
    )


@pytest.mark.parametrize("fault", VIEWS)
def test_faults_of_the_second_hand_are_named(fault):
    assert views(fault).diagnoses[0] == VIEWS[fault]


@pytest.mark.parametrize("fault", FUSED)
def test_faults_of_the_third_hand_are_named(fault):
    assert fused(fault).diagnoses[0] == FUSED[fault]


def test_a_number_for_infinity_is_found_in_half_precision():
    report = views("ten thousand", dtype=None)
    assert {"float16"} <= {each.path for each in report.failures if each.diagnosis == "−10⁴ for −∞"}
    found = {each.path: each.diagnosis for each in views("thousand million", dtype=None).failures}
    assert found == {"float16": "a number for −∞ that the precision does not have"}


def test_a_mask_that_one_path_drops_is_found():
    assert views("dropped if additive", mask=("look", "add")).diagnoses[0].startswith("mask dropped on one path")


def test_a_row_without_keys_fails_where_numbers_are_claimed_and_says_nothing_elsewhere():
    assert views("blind", blind="finite").diagnoses == ["NaN in a fully masked row"]
    silent = views("blind")
    assert not silent.failures
    assert any("NaN" in each.reason for each in silent.outcomes)


def test_dropout_in_eval_is_found_and_in_training_is_none():
    assert fused("dropout", p=0.3).diagnoses == ["dropout left on in eval"]
    assert not fused(p=0.3).failures


def test_positions_that_count_the_padding_are_found():
    def f(X, mask):
        return einsum()(X + sinusoidal(np.arange(X.shape[-2]), X.shape[-1]), mask)

    assert audit(f, width=D, positions=True).diagnoses == ["positions count the padding"]
    assert "not equivariant" in audit(f, width=D).diagnoses, "it does not say that it has positions"


def test_without_weights_the_laws_are_left():
    for fault, name in {"dropped": "a hidden token is seen", "queries": "a token sees the future"}.items():
        assert name in audit(einsum(fault), width=D).diagnoses
    report = audit(lambda X: X, width=D)
    assert report.diagnoses == ["tokens do not see each other"]
    assert any("no weights" in each.reason for each in report.outcomes)


def full_formula():
    """A formula with everything that a layer may have: shared keys, norms, rotation, bias, softcap and sinks."""
    draw = np.random.default_rng(0).standard_normal
    W_K, W_V = (np.repeat(draw((2, 20, 4)) / 3, 2, axis=0) for _ in range(2))
    b_K, b_V = (np.repeat(draw((2, 4)), 2, axis=0) for _ in range(2))
    W_Q, W_O = draw((4, 20, 4)) / 3, draw((16, 16)) / 4
    heads = Heads(W_Q, W_K, W_V, W_O, draw((4, 4)), b_K, b_V, draw(16))
    slopes = np.array([0.5, -0.25, 0.125, 1.0])[:, None, None]
    gains, bias = 1 + draw((2, 4)) ** 2, lambda t, u: slopes * offsets(t, u)
    return Formula.read(heads, cap=3.0, sinks=draw(4), rotary="halves", gains=gains, bias=bias)


def plain_formula():
    """Heads of queries, keys and values of one number, and nothing else."""
    rng = np.random.default_rng(1)
    heads = Heads(*rng.normal(size=(3, 4, 20, 4)) / 3, rng.normal(size=(16, 16)) / 4, *rng.normal(size=(3, 4, 4)))
    return Formula.read(heads)


@pytest.mark.parametrize(
    ("scale", "fault"),
    [
        (1.0, "no scale"),
        (1 / 8, "d_k for √d_k"),
        (8**0.5, "multiplied by √d_k"),
        (32**-0.5, "√d_model for √d_k"),
    ],
)
@pytest.mark.parametrize("claimed", [None, 0.3])
def test_a_wrong_scale_is_named_by_what_it_is_whatever_scale_is_claimed(scale, fault, claimed):
    """Four heads of d_k = 8 numbers, so d_model = 32."""
    report = audit(
        lambda Q, K, V, mask: attention(Q, K, V, mask, scale=scale), heads=4, width=8, scale=claimed, dtype="float64"
    )
    assert report.diagnoses[0] == fault


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_of_the_table_is_told_from_all_others(fault):
    """Planted into a formula in which it changes something: one with everything, or else one of plain heads."""
    for formula in (full_formula(), plain_formula()):
        wrong = planted(formula, fault)
        claims = {k: getattr(formula, k) for k in ("heads", "cap", "sinks", "rotary", "bias", "gains")}
        report = audit(wrong, dtype="float64", **claims)
        if report.failures:
            break
    assert report.diagnoses[0] == fault


def planted(formula, fault):
    """A layer with this fault; one that reads batches as tokens takes no mask of tokens."""
    wrong = FAULTS[fault]
    if wrong.read is not Steps.read:
        return lambda X: evaluate(formula, (X,), fault=wrong).Y
    return lambda X, mask: evaluate(formula, (X,), mask[:, 0], fault=wrong).Y


def test_what_is_right_passes():
    audit(einsum(), heads=WEIGHTS).assert_lawful()
    audit(einsum(cap=CAP, sinks=SINKS), heads=WEIGHTS, cap=CAP, sinks=SINKS).assert_lawful()
    for pairing in ("halves", "adjacent"):
        audit(einsum(pairing=pairing), heads=WEIGHTS, rotary=pairing).assert_lawful()
    views(dtype=None, mask=("look", "add"), blind="finite").assert_lawful()
    fused(dtype=None, p=0.3).assert_lawful()


def test_key_heads_are_read_from_the_weights_whatever_their_name():
    audit(unnamed(""), rotary="halves", dtype="float32").assert_lawful()
    assert audit(unnamed("tiled"), rotary="halves", dtype="float32").diagnoses == [VIEWS["tiled"]]
    fused = torch.nn.Module()
    fused.heads, fused.qkv, fused.out = 4, torch.nn.Linear(24, 48), torch.nn.Linear(24, 24)
    assert read_heads(fused).W_K.shape == (4, 24, 6)


def unnamed(fault):
    layer = Views(fault)
    del layer.num_kv_heads
    return layer


def test_a_claim_that_raises_is_never_a_fault_of_the_layer():
    def too_short(t, u):
        return np.zeros((H, 4, 4))[:, t][..., u]

    def of_another_shape(t, u):
        return np.zeros((H, 3, 2))

    for wrong in (too_short, of_another_shape, lambda t: 0, lambda t, u: "far"):
        with pytest.raises(ValueError, match=r"\bbias\b"):
            audit(einsum(), heads=WEIGHTS, bias=wrong)
    with pytest.raises(ValueError, match="claim"):
        audit(einsum(), heads=WEIGHTS._replace(W_K=WEIGHTS.W_K[..., :2], b_K=None))
    with pytest.raises(ValueError, match="claim"):
        audit(einsum(), heads=WEIGHTS, rotary="halves", theta=np.ones(9))


def test_a_bias_that_autograd_follows_is_read_and_a_short_one_leaves_the_long_texts():
    table = torch.nn.Parameter(torch.zeros(H, 64, 64))
    report = audit(einsum(), heads=WEIGHTS, bias=lambda t, u: table[:, t][..., u])
    report.assert_lawful()
    (silent,) = {each.reason for each in report.outcomes if each.law == LONG_LAW}
    assert "bias raised IndexError" in silent


@pytest.mark.parametrize("seed", range(3))
def test_no_seed_raises_a_false_alarm(seed):
    audit(attention, seed=seed).assert_lawful()
    audit(online, width=6, seed=seed).assert_lawful()
    audit(einsum(pairing="halves"), heads=WEIGHTS, rotary="halves", seed=seed).assert_lawful()


def online(Q, K, V):
    return online_attention(Q, K, V, tile=2)


@pytest.mark.parametrize("options", [{}, {"bias": False, "dropout": 0.2}, {"batch_first": False}], ids=str)
def test_the_layer_of_pytorch_passes(options):
    layer = torch.nn.MultiheadAttention(12, 3, **{"batch_first": True} | options)
    audit(layer).assert_lawful()
    wrong_axis = audit(layer, call=lambda layer, X: layer(*[X.transpose(0, 1)] * 3)[0].transpose(0, 1), width=12)
    assert bool(wrong_axis.failures) == options.get("batch_first", True)


def test_the_function_of_pytorch_passes_in_every_precision():
    sdpa = torch.nn.functional.scaled_dot_product_attention

    def shared(Q, K, V, mask):
        return sdpa(Q, K, V, mask, enable_gqa=True)

    def tiled(Q, K, V, mask):
        return sdpa(Q, K.repeat(1, 2, 1, 1), V.repeat(1, 2, 1, 1), mask)

    audit(sdpa, heads=4, mask=("look", "add")).assert_lawful()
    audit(shared, heads=4, key_heads=2).assert_lawful()
    assert audit(tiled, heads=4, key_heads=2).diagnoses == ["keys repeated in the wrong order of heads"]
    report = audit(lambda Q, K, V: sdpa(Q, K, V, is_causal=True), causal=True)
    assert report.diagnoses == ["causal diagonal in the wrong corner"], "one query is not the last one"


def transformers_layers():
    """Yield layers of transformers with random weights, by name."""
    transformers = pytest.importorskip("transformers")
    sizes = {"hidden_size": 32, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "vocab_size": 32}
    sizes |= {"num_hidden_layers": 2, "intermediate_size": 32, "max_position_embeddings": 512}
    extra = {"Gemma2": {"query_pre_attn_scalar": 16}, "Gemma3Text": {"query_pre_attn_scalar": 16}}
    extra["GptOss"] = {"num_local_experts": 2, "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0}}
    for family in ("Llama", "Mistral", "Qwen2", "Qwen3", "Gemma", "Gemma2", "Gemma3Text", "GptOss"):
        config = getattr(transformers, f"{family}Config")(**sizes, **extra.get(family, {}))
        name = family.removesuffix("Text")
        source = importlib.import_module(f"transformers.models.{config.model_type.removesuffix('_text')}")
        source = importlib.import_module(f"{source.__name__}.modeling_{source.__name__.rpartition('.')[2]}")
        yield drawn(getattr(source, f"{name}Attention")(config, 1))
    from transformers.models.t5.modeling_t5 import T5Attention

    for is_decoder in (False, True):
        config = transformers.T5Config(d_model=32, d_kv=8, num_heads=4, is_decoder=is_decoder)
        yield drawn(T5Attention(config, has_relative_attention_bias=True, layer_idx=0))


def drawn(layer):
    """Draw weights with which attention is far from uniform."""
    for weight in layer.parameters():
        torch.nn.init.normal_(weight, std=0.25 if weight.ndim == 2 else 1.0)
    return layer


def test_layers_of_transformers_pass():
    for layer in transformers_layers():
        report = audit(layer)
        report.assert_lawful()
        for law in ("= the formula", "= the formula, masked", "no token sees the future", "alone = padded on the left"):
            assert any(each.holds for each in report.outcomes if each.law == law), f"{report.name}: {law}"


def test_a_wrong_layer_of_transformers_is_named(monkeypatch):
    layer = next(transformers_layers())
    monkeypatch.setattr(sys.modules[type(layer).__module__], "repeat_kv", lambda K, times: K.repeat(1, times, 1, 1))
    report = audit(layer, dtype="float32")
    assert report.diagnoses[0] == "keys repeated in the wrong order of heads"
    wrong = {each.path for each in report.failures if each.law == "= the formula"}
    assert wrong == {"eval eager", "train eager"}, "another kernel repeats elsewhere"


def test_a_module_is_left_as_it_was():
    layer = Fused(p=0.3).train()
    before, state = {k: x.clone() for k, x in layer.state_dict().items()}, torch.get_rng_state()
    audit(layer, causal=True, rotary="adjacent", pieces=pieces)
    assert layer.training
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(x, before[k]) for k, x in layer.state_dict().items())


def test_a_report_says_what_holds_what_fails_and_where_and_stops_a_test():
    report = audit(lambda Q, K, V, mask: attention(Q, K, V, mask, scale=1.0))
    (worst, *_) = report.failures
    np.testing.assert_allclose(np.abs(worst.sides.left - worst.sides.right).max(), worst.error)
    assert worst.error > worst.allowed > 0
    assert "no scale" in str(report)
    assert "no scale" in repr(report)
    assert len(repr(report)) < 200
    with pytest.raises(AssertionError, match="no scale"):
        report.assert_lawful()
    with pytest.raises(AssertionError):
        audit(attention, skip=list(LAWS)).assert_lawful()


def test_a_layer_that_nothing_compares_with_the_formula_stops_a_test_and_the_command(capsys):
    report = audit(einsum("no scale"), width=D, dtype="float64")
    assert not report.failures
    with pytest.raises(AssertionError, match="heads="):
        report.assert_lawful()
    assert main(["hands:einsum()", "--width", str(D), "--dtype", "float64"]) == 1
    assert "heads=" in capsys.readouterr().out
    audit(einsum(), width=D, dtype="float64", skip=["= the formula"]).assert_lawful()


def test_a_window_of_300_and_positions_in_bfloat16_are_noticed():
    def window(X, mask):
        n = X.shape[1]
        return einsum()(X, mask & np.tri(n, k=299, dtype=bool) & ~np.tri(n, k=-300, dtype=bool))

    layer = Rounded()
    for report in (
        audit(window, heads=WEIGHTS, dtype="float64"),
        audit(layer, rotary="halves", dtype="float32"),
    ):
        assert {each.law for each in report.failures} == {LONG_LAW}


class Rounded(Views):
    def rotary(self, x, positions):
        return super().rotary(x, positions.bfloat16().float())


def of_keys(fault=""):
    """A layer whose mask (b, m) hides the same keys from all queries."""
    return lambda X, key_mask: einsum(fault)(X, key_mask[:, None, None, :])


def test_a_mask_of_keys_alone_is_tried_where_it_can_say_what_is_hidden():
    report = audit(of_keys(), heads=WEIGHTS, mask="keys", dtype="float64")
    report.assert_lawful()
    held = {each.law for each in report.outcomes if each.holds}
    assert held >= {"= the formula, masked", "hidden tokens do not matter", "alone = padded on the right"}
    assert any("same keys" in each.reason for each in report.outcomes if each.law == "no token sees the future")
    for fault in ("dropped", "after", "inverted"):
        assert audit(of_keys(fault), heads=WEIGHTS, mask="keys", dtype="float64").diagnoses[0] == EINSUM[fault]
    audit(attention_of_keys, mask="keys", dtype="float64").assert_lawful()
    padding = {
        each.law
        for each in audit(torch.nn.MultiheadAttention(12, 3, batch_first=True), dtype="float32").outcomes
        if each.holds and each.path == "eval padding"
    }
    assert padding >= {"= the formula, masked", "alone = padded on the left", "all paths agree"}


def attention_of_keys(Q, K, V, mask):
    return attention(Q, K, V, mask[:, None, :])


def test_a_causal_layer_may_take_a_mask_of_keys():
    def layer(X, mask):
        return einsum()(X, mask[:, None, None, :] & np.tri(X.shape[1], dtype=bool))

    audit(layer, heads=WEIGHTS, causal=True, mask="keys", dtype="float64").assert_lawful()


SHAPELESS = [
    (lambda: audit(lambda X, mask: X[:, :-1], width=4), r"returned shape \(3, 6, 4\); expected \(3, 7, d_out\)"),
    (lambda: audit(lambda Q, K, V, mask: attention(Q, K, V, mask).sum(1), heads=2), r"returned shape .*; expected \("),
    (lambda: audit(Shortened()), r"returned shape \(3, 6, 24\)"),
    (lambda: audit(lambda Q, K, V, mask: None), "returned None"),
    (lambda: audit(lambda X: ("weights", X), width=4), "returned a tuple whose first entry is str"),
    (lambda: audit(lambda X: (), width=4), "returned an empty tuple"),
    (lambda: audit(lambda X: {"Y": X}, width=4), "returned dict"),
    (lambda: audit(Views), r"f is a class; write Views\(\)"),
]


class Shortened(Views):
    def forward(self, x, mask=None, position_ids=None):
        return super().forward(x, mask, position_ids)[:, :-1]


@pytest.mark.parametrize(("call", "said"), SHAPELESS)
def test_what_returns_no_output_of_attention_is_refused_in_words(call, said):
    with pytest.raises(ValueError, match=said):
        call()


def test_a_mask_by_another_name_is_said_and_call_gives_it():
    def layer(X, keep):
        return einsum()(X, keep)

    with pytest.raises(ValueError, match="keep"):
        audit(layer, heads=WEIGHTS)
    audit(layer, heads=WEIGHTS, call=lambda f, X, mask: f(X, mask), dtype="float64").assert_lawful()
    report = audit(lambda X, keep=True: einsum()(X, np.array(keep)), heads=WEIGHTS, dtype="float64")
    assert any("keep" in each.reason and "call=" in each.reason for each in report.outcomes)


X = np.ones((2, 3, 4))
LINEAR = (np.ones((12, 4)), None)
REFUSED = [
    (lambda: audit("attention"), "f"),
    (lambda: audit(lambda: 0), "f"),
    (lambda: audit(lambda X: X), "width"),
    (lambda: audit(lambda X: X[9], width=4), "f"),
    (lambda: audit(attention, heads=2.5), "heads"),
    (lambda: audit(attention, heads=4, key_heads=3), "key_heads"),
    (lambda: audit(attention, causal="yes"), "causal"),
    (lambda: audit(attention, positions=1), "positions"),
    (lambda: audit(attention, mask="upside down"), "mask"),
    (lambda: audit(attention, mask=5), "mask"),
    (lambda: audit(attention, scale=-1), "scale"),
    (lambda: audit(attention, cap=0), "cap"),
    (lambda: audit(attention, rotary="neighbours"), "rotary"),
    (lambda: audit(attention, sinks=[1.0, 2.0]), "sinks"),
    (lambda: audit(attention, bias=3), "bias"),
    (lambda: audit(attention, pieces=3), "pieces"),
    (lambda: audit(attention, call=3), "call"),
    (lambda: audit(attention, blind="maybe"), "blind"),
    (lambda: audit(attention, dtype="int8"), "dtype"),
    (lambda: audit(attention, skip="gravity"), "skip"),
    (lambda: audit(attention, seed=-1), "seed"),
    (lambda: audit(attention, width=0), "width"),
    (lambda: audit(attention, theta="ten"), "theta"),
    (lambda: Heads.from_linears(LINEAR, LINEAR, LINEAR, LINEAR, heads=5), "q"),
    (lambda: Heads.from_linears(LINEAR, LINEAR, LINEAR, LINEAR, heads=4, key_heads=3), "key_heads"),
    (lambda: Heads.from_linears(LINEAR, (np.ones((6, 4)), None), LINEAR, (np.ones((4, 12)), None), heads=2), "k"),
    (lambda: Heads.from_linears(LINEAR, LINEAR, LINEAR, LINEAR, heads=2), "o"),
    (lambda: Heads.from_linears(LINEAR, torch.nn.ReLU(), LINEAR, LINEAR, heads=4), "k"),
    (lambda: Heads.from_fused(LINEAR, LINEAR, heads=5), "qkv"),
    (lambda: Heads.from_fused(LINEAR, LINEAR, heads=2, order="columns"), "order"),
    (lambda: Heads.from_fused(LINEAR, None, heads=2), "o"),
]


@pytest.mark.parametrize(("call", "argument"), REFUSED)
def test_what_cannot_be_audited_is_refused_by_name(call, argument):
    with pytest.raises(ValueError, match=rf"\b{argument}\b"):
        call()


def test_heads_are_read_from_linear_maps_as_pytorch_reads_them():
    layer, fused = torch.nn.MultiheadAttention(8, 2, batch_first=True).double(), Fused("by heads")
    x = torch.randn(3, 5, 8, dtype=float)
    read = Heads.from_fused((layer.in_proj_weight, layer.in_proj_bias), layer.out_proj, heads=2)
    torch.testing.assert_close(multi_head_attention(x, x, x, read), layer(x, x, x)[0])
    cut = [(w, b) for w, b in zip(layer.in_proj_weight.chunk(3), layer.in_proj_bias.chunk(3), strict=True)]
    for one, other in zip(Heads.from_linears(*cut, layer.out_proj, heads=2), read, strict=True):
        torch.testing.assert_close(one, other)
    by_heads = Heads.from_fused(fused.c_attn, fused.c_proj, heads=2, order="heads")
    assert not audit(fused, heads=by_heads, causal=True, rotary="adjacent", dtype="float32").failures


class Namesake(torch.nn.Module):
    """A layer with two heads of its own, whose parts have the names of torch's own layer."""

    def __init__(self):
        super().__init__()
        self.in_proj_weight = torch.nn.Parameter(torch.randn(24, 8) / 3)
        self.out_proj = torch.nn.Linear(8, 8, bias=False)

    def forward(self, x):
        q, k, v = (y.unflatten(-1, (2, 4)).transpose(-2, -3) for y in (x @ self.in_proj_weight.T).chunk(3, -1))
        heads = torch.softmax(q @ k.mT / 2, -1) @ v
        return self.out_proj(heads.transpose(-2, -3).flatten(-2))


def test_a_layer_with_the_names_of_torchs_own_is_read_by_what_it_does():
    assert not audit(Namesake()).failures


def test_the_command_prints_the_report_and_exits_with_its_verdict(capsys):
    assert main(["attnbook.attention:attention"]) == 0
    assert "✓" in capsys.readouterr().out
    assert main(["hands:Fused()", "--causal", "--rotary", "adjacent", "--scale", "1.0", "--dtype", "float32"]) == 1
    assert "✗" in capsys.readouterr().out
    for bad in ("attnbook.attention:nothing", "nowhere:f", "nonsense"):
        assert main([bad]) == 2
        assert bad in capsys.readouterr().err


@pytest.mark.parametrize("pairing", ["halves", "adjacent"])
def test_a_score_is_no_larger_than_its_terms_without_signs_wherever_a_rotation_puts_them(pairing):
    turned = Formula.read(rotary=pairing, theta=[1.0])
    Q, K = np.array([[[0, 0], [1.0, 0]]]), np.array([[[0, 1.0], [0, 0]]])
    size = sizes(turned, (Q, K, K))
    assert 0 < size.score <= size.score_sum


def test_a_cap_bounds_a_score_but_not_an_error_where_the_score_cancels():
    capped = Formula.read(cap=1.0)
    K = np.array([[[30.0, 30]]])
    saturated = sizes(capped, (K, K, K))
    assert saturated.score == 1
    assert saturated.score_sum > 1000
    cancelled = sizes(capped, (K * [1, -1], K, K))
    assert cancelled.score > 1000


def test_where_sizes_overflow_the_bound_is_infinite():
    huge = 1e200 * np.eye(2)
    heads = Heads(*[huge[None]] * 3, W_O=np.eye(2))
    X, causal = huge[None], np.tri(2, dtype=bool)  # a weight of 0 meets a value that is infinite
    size = sizes(Formula.read(heads, scale=1e-300), (X,), causal)
    assert bound(size, "float64") == math.inf


def close_to_zero(n_heads):
    """A layer in float32 of tokens of one number, whose heads norm w(x − c): some x are close to some c.

    Its output is that of the heads, side by side.
    """
    rng = np.random.default_rng(0)
    W_Q, W_K = rng.normal(size=(2, n_heads, 1, 2))
    b_Q, b_K = -W_Q[:, 0] * rng.normal(size=(n_heads, 1)), rng.normal(size=(n_heads, 2))
    W_V, W_O = rng.normal(size=(n_heads, 1, 1)), np.eye(n_heads)
    heads = Heads(*(w.astype(np.float32) for w in (W_Q, W_K, W_V, W_O, b_Q, b_K, np.zeros((n_heads, 1)))))
    gains = np.ones((2, 2), dtype=np.float32)

    def layer(X, mask):
        Q, K, V = (X[:, None] @ W + b[:, None] for W, b in zip(heads[:3], heads[4:7], strict=True))
        Q, K = (rms_norm(x, gain, 1e-12) for x, gain in zip((Q, K), gains, strict=True))
        return attention(Q, K, V, mask)[..., 0].swapaxes(1, 2)

    return layer, {"heads": heads, "gains": gains, "eps": 1e-12}


def test_a_right_layer_passes_whose_sums_cancel_before_a_norm():
    layer, claims = close_to_zero(n_heads=128)
    report = audit(layer, dtype="float32", **claims)
    report.assert_lawful()
    assert any(each.holds for each in report.outcomes if each.law == "= the formula")


def cancelling(rng, dtype, factor, d_k):
    """Weights and tokens as ``dtype`` holds them, where a part of the tokens, ``factor`` times larger, cancels."""
    W_large, W_Q, W_K, W_V = rng.normal(size=(4, 3, d_k))
    W_Q, W_K = (np.concatenate([W_large, W, W_large]) for W in (W_Q, W_K))
    W_V = np.concatenate([0 * W_large, W_V, 0 * W_large])
    large, X = factor * rng.normal(size=(1, 5, 3)), rng.normal(size=(1, 5, 3))
    X = np.concatenate([large, X, -large], axis=-1)
    gains = 1 + rng.normal(size=(2, d_k)) ** 2
    return [held(x, dtype).double().numpy() for x in (X, W_Q, W_K, W_V, gains)]


def held(x, dtype):
    """x as a tensor."""
    return torch.tensor(x).to(getattr(torch, dtype))


@pytest.mark.parametrize("rotary", [None, "halves", "adjacent"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_a_norm_takes_rounding_no_further_than_its_bound(dtype, rotary):
    rng = np.random.default_rng(0)
    factors = 10.0 ** np.arange(5 if dtype == "float16" else 8)
    for factor, d_k in itertools.product(factors, 10 * [2, 8, 32]):
        X, W_Q, W_K, W_V, gains = cancelling(rng, dtype, factor, d_k)
        formula = Formula.read(Heads(W_Q[None], W_K[None], W_V[None], np.eye(d_k)), gains=gains, rotary=rotary)
        Y = normed_attention(*(held(x, dtype) for x in (X, W_Q, W_K, W_V, gains)), rotary)
        error = np.abs(Y.double().numpy() - evaluate(formula, (X,)).Y).max()
        assert error <= bound(sizes(formula, (X,)), dtype), f"{factor:g} times larger numbers cancel"


def normed_attention(X, W_Q, W_K, W_V, gains, rotary):
    """One head in the precision of its arguments, with PyTorch's own norm and attention."""
    Q, K = (
        torch.nn.functional.rms_norm(X @ W, gain.shape, gain, 1e-6) for W, gain in zip((W_Q, W_K), gains, strict=True)
    )
    if rotary is not None:
        Q, K = (rotate(x[0], range(x.shape[1]), pairing=rotary)[None] for x in (Q, K))
    return torch.nn.functional.scaled_dot_product_attention(Q, K, X @ W_V)


@pytest.mark.parametrize("rotary", [None, "halves", "adjacent"])
@pytest.mark.parametrize("normed", [False, True])
def test_weights_that_are_a_little_off_move_a_score_by_no_more_than_its_sums(normed, rotary):
    rng, off = np.random.default_rng(0), 1e-6
    for _ in range(300):
        X = rng.normal(size=(1, 2, 2))
        heads = Heads(*10.0 ** rng.uniform(-2, 2, size=(3, 1, 2, 2)) * rng.normal(size=(3, 1, 2, 2)), np.eye(2))
        right = Formula.read(heads, rotary=rotary, gains=10.0 ** rng.uniform(-1, 1, size=(2, 2)) if normed else None)
        W_Q, W_K = (W * (1 + off * rng.choice([-1, 1], size=W.shape)) for W in heads[:2])
        wrong = dataclasses.replace(right, heads=heads._replace(W_Q=W_Q, W_K=W_K))
        size = sizes(right, (X,))
        allowed = off * size.score_sum + off**2 * size.score_product
        assert np.abs(scores_of(wrong, X) - scores_of(right, X)).max() <= allowed / (1 - off * size.norm_sum)


def scores_of(formula, X):
    found = evaluate(formula, (X,))
    return found.Q @ found.K.swapaxes(-1, -2) / math.sqrt(2)


def test_the_bound_is_infinite_where_nothing_but_rounding_is_left_to_a_norm():
    """1e8 + 1 − 1e8 in float32."""
    W = np.array([[1.0, 2.0], [1.0, -1.0], [1.0, 2.0]])
    X = np.array([[[1e8, 1.0, -1e8], [0.0, 1.0, 0.0]]])
    for eps in (1e-6, 1e-300):
        size = sizes(Formula.read(Heads(*[W[None]] * 3, np.eye(2)), gains=np.ones((2, 2)), eps=eps), (X,))
        assert bound(size, "float32") == math.inf
        assert bound(size, "float64") < 1e-4


def test_a_bound_holds_where_queries_and_keys_are_nothing_but_rounding():
    rng = np.random.default_rng(0)
    for _ in range(30):
        X, W_Q, W_K, W_V, _ = cancelling(rng, "float32", 1e13, d_k=4)
        formula = Formula.read(Heads(W_Q[None], W_K[None], W_V[None], np.eye(4)), scale=1e-13)
        Q, K, V = (held(X, "float32") @ held(W, "float32") for W in (W_Q, W_K, W_V))
        Y = torch.nn.functional.scaled_dot_product_attention(Q, K, V, scale=1e-13)
        error = np.abs(Y.double().numpy() - evaluate(formula, (X,)).Y).max()
        assert error <= bound(sizes(formula, (X,)), "float32")


def test_rows_of_zeros_before_a_norm_have_a_bound():
    rng = np.random.default_rng(0)
    heads = Heads(*rng.normal(size=(3, 2, 4, 4)), rng.normal(size=(8, 4)))
    formula = Formula.read(heads, gains=np.ones((2, 4)))
    assert bound(sizes(formula, (np.zeros((1, 3, 4)),)), "float32") == 0
    X = np.concatenate([np.zeros((1, 1, 4)), rng.normal(size=(1, 2, 4))], axis=1)
    assert 0 < bound(sizes(formula, (X,)), "float32") < math.inf
