"""The language model against `transformers`: a small one drawn at random, and the one of the book, read from its file.

The tests of the book's own model are skipped, each by its name, where its weights are not installed.
"""

import functools
import math
from dataclasses import replace

import numpy as np
import pytest
from attnbook import language_model as lm
from attnbook import pretrained
from attnbook.attention import attention_weights, causal_mask, softmax
from attnbook.language_model import Layer, Model, continuation, logits, losses, next_logits, read_out, states
from attnbook.positional import pairing_permutation, rotate
from attnbook.pretrained import load

LAYERS, HEADS, KEY_HEADS, WIDTH, HIDDEN, TOKENS, BASE, EPS = 3, 6, 2, 24, 20, 17, 50.0, 0.3
TEXT = np.random.default_rng(1).integers(TOKENS, size=(2, 3, 9))  # with two leading axes


@pytest.fixture(scope="module")
def small():
    """A model with random weights in float64, in which every number of the configuration matters."""
    rng = np.random.default_rng(0)
    draw = lambda *shape: rng.normal(size=shape) / math.sqrt(shape[0])  # noqa: E731
    shared = KEY_HEADS * WIDTH // HEADS
    layers = [
        Layer(
            attention_gain=rng.uniform(0.5, 2, WIDTH),
            W_Q=2 * draw(WIDTH, WIDTH),
            W_K=2 * draw(WIDTH, shared),
            W_V=draw(WIDTH, shared),
            W_O=draw(WIDTH, WIDTH),
            feed_forward_gain=rng.uniform(0.5, 2, WIDTH),
            W_gate=draw(WIDTH, HIDDEN),
            W_up=draw(WIDTH, HIDDEN),
            W_down=draw(HIDDEN, WIDTH),
        )
        for _ in range(LAYERS)
    ]
    gain, unembedding = rng.uniform(0.5, 2, WIDTH), draw(WIDTH, TOKENS)
    return Model(rng.normal(size=(TOKENS, WIDTH)), layers, gain, unembedding, HEADS, KEY_HEADS, BASE, EPS, context=9)


def by_halves(W, heads):
    """The same columns with the pairs of each head by halves, as transformers keeps them, transposed."""
    perm = pairing_permutation(W.shape[1] // heads)
    return W.reshape(len(W), heads, -1)[..., perm].reshape(W.shape).T


def test_a_small_model_is_the_one_of_transformers(small):
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers", reason="`make test` installs transformers")
    config = transformers.LlamaConfig(
        vocab_size=TOKENS,
        hidden_size=WIDTH,
        intermediate_size=HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        num_key_value_heads=KEY_HEADS,
        rms_norm_eps=EPS,
        rope_parameters={"rope_type": "default", "rope_theta": BASE},
        tie_word_embeddings=False,
    )
    theirs = transformers.LlamaForCausalLM(config).double().eval()
    weights = {
        "model.embed_tokens.weight": small.embedding,
        "model.norm.weight": small.gain,
        "lm_head.weight": small.unembedding.T,
    }
    for l, layer in enumerate(small.layers):
        weights |= {
            f"model.layers.{l}.input_layernorm.weight": layer.attention_gain,
            f"model.layers.{l}.self_attn.q_proj.weight": by_halves(layer.W_Q, HEADS),
            f"model.layers.{l}.self_attn.k_proj.weight": by_halves(layer.W_K, KEY_HEADS),
            f"model.layers.{l}.self_attn.v_proj.weight": layer.W_V.T,
            f"model.layers.{l}.self_attn.o_proj.weight": layer.W_O.T,
            f"model.layers.{l}.post_attention_layernorm.weight": layer.feed_forward_gain,
            f"model.layers.{l}.mlp.gate_proj.weight": layer.W_gate.T,
            f"model.layers.{l}.mlp.up_proj.weight": layer.W_up.T,
            f"model.layers.{l}.mlp.down_proj.weight": layer.W_down.T,
        }
    theirs.load_state_dict({name: torch.tensor(np.ascontiguousarray(W)) for name, W in weights.items()})
    with torch.no_grad():
        expected = theirs(torch.tensor(TEXT.reshape(-1, 9))).logits.numpy().reshape(2, 3, 9, TOKENS)
    # transformers normalises, and turns its queries, in float32 even here.
    np.testing.assert_allclose(logits(small, TEXT), expected, atol=3e-5)


def test_leading_axes_are_texts_of_their_own(small):
    together = logits(small, TEXT)
    for i in np.ndindex(2, 3):
        np.testing.assert_allclose(together[i], logits(small, TEXT[i]), rtol=1e-10, atol=1e-12)


def test_a_later_token_changes_nothing_before_it(small):
    changed = TEXT.copy()
    changed[..., 6] = (changed[..., 6] + 1) % TOKENS
    difference = np.abs(logits(small, changed) - logits(small, TEXT)).max(axis=(0, 1, 3))
    assert (difference[:6] == 0).all()
    assert (difference[6:] > 1e-3).all()


def test_pieces_with_a_cache_are_the_whole_text(small):
    cache = []
    pieces = [states(small, TEXT[..., i:j], cache=cache) for i, j in ((0, 4), (4, 5), (5, 9))]
    np.testing.assert_allclose(np.concatenate(pieces, axis=-2), states(small, TEXT), rtol=1e-9, atol=1e-12)
    assert {array.shape for pair in cache for array in pair} == {(2, 3, KEY_HEADS, 9, WIDTH // HEADS)}
    assert len(cache) == LAYERS


def test_a_call_that_fails_leaves_the_cache_as_it_was(small):
    def fail(layer, state):
        raise RuntimeError("interrupted")

    cache = []
    for i, j in ((0, 4), (4, 9)):
        with pytest.raises(RuntimeError, match="interrupted"):
            states(small, TEXT[..., i:j], cache=cache, watch={"state": fail})
        last = states(small, TEXT[..., i:j], cache=cache)
    np.testing.assert_allclose(last, states(small, TEXT)[..., 4:, :], rtol=1e-9, atol=1e-12)


def test_greedy_continuation_is_the_same_with_and_without_a_cache(small):
    chosen = continuation(small, TEXT, 12)
    assert chosen.shape == (2, 3, 12)
    np.testing.assert_array_equal(chosen, continuation(small, TEXT, 12, cached=False))
    np.testing.assert_array_equal(chosen[..., 0], logits(small, TEXT)[..., -1, :].argmax(axis=-1))


BAND = np.tri(9, dtype=bool) & ~np.tri(9, k=-4, dtype=bool)
OF_HEADS = np.stack([np.tri(9, k=h, dtype=bool) for h in range(HEADS)])  # each head sees one token more


@pytest.mark.parametrize("mask", [None, BAND, np.ones((9, 9), bool), np.ones((1, 1), bool), OF_HEADS])
def test_blocks_of_queries_change_nothing(small, monkeypatch, mask):
    whole = states(small, TEXT, mask=mask)
    monkeypatch.setattr(lm, "SCORES", 1)
    np.testing.assert_allclose(states(small, TEXT, mask=mask), whole, rtol=1e-9, atol=1e-12)
    monkeypatch.setattr(lm, "SCORES", 2 * 3 * HEADS * 9 * 4)
    np.testing.assert_allclose(states(small, TEXT, mask=mask), whole, rtol=1e-9, atol=1e-12)


def test_losses_are_negative_logarithms_of_probabilities(small, monkeypatch):
    expected = -np.log(np.take_along_axis(softmax(logits(small, TEXT))[..., :-1, :], TEXT[..., 1:, None], -1)[..., 0])
    np.testing.assert_allclose(losses(small, TEXT), expected, rtol=1e-10)
    monkeypatch.setattr(lm, "PLACES", 3)
    np.testing.assert_allclose(losses(small, TEXT), expected, rtol=1e-10)


def test_without_positions_and_mask_the_order_is_not_seen(small):
    blind = {"positions": np.zeros(9), "mask": np.ones((9, 9), bool)}
    perm = np.array([4, 2, 0, 3, 1, 7, 6, 5, 8])
    np.testing.assert_allclose(
        next_logits(small, TEXT[..., perm], **blind), next_logits(small, TEXT, **blind), rtol=1e-9, atol=1e-12
    )
    for without in blind:
        kept = {without: blind[without]}
        assert np.abs(next_logits(small, TEXT[..., perm], **kept) - next_logits(small, TEXT, **kept)).max() > 1e-2


def test_positions_theta_and_scale_are_those_of_the_laws(small):
    default = states(small, TEXT)
    shifted = states(small, TEXT, positions=np.arange(9) + 1000)
    np.testing.assert_allclose(shifted, default, rtol=1e-6, atol=1e-9)
    theta = lm.frequencies(WIDTH // HEADS, BASE)
    np.testing.assert_allclose(states(small, TEXT, theta=theta / 2), states(small, TEXT, positions=np.arange(9) / 2))
    doubled = replace(small, layers=[layer._replace(W_Q=2 * layer.W_Q) for layer in small.layers])
    np.testing.assert_allclose(states(small, TEXT, scale=2 / math.sqrt(4)), states(doubled, TEXT), rtol=1e-9)


def test_a_watcher_sees_what_the_equations_name(small):
    seen = {name: [] for name in lm.WATCHED}
    watch = {name: lambda layer, array, name=name: seen[name].append((layer, array)) for name in seen}
    last = states(small, TEXT, watch=watch)
    np.testing.assert_array_equal(last, states(small, TEXT))
    d_h = WIDTH // HEADS
    shapes = {"queries": (HEADS, 9, d_h), "keys": (KEY_HEADS, 9, d_h), "values": (KEY_HEADS, 9, d_h)}
    shapes |= {"weights": (HEADS, 9, 9), "heads": (HEADS, 9, d_h), "state": (9, WIDTH)}
    for name, shape in shapes.items():
        assert [(layer, array.shape) for layer, array in seen[name]] == [(l, (2, 3, *shape)) for l in range(LAYERS)]
    np.testing.assert_array_equal(seen["state"][-1][1], last)
    Q, K, V, A, Y = (seen[name][1][1] for name in ("queries", "keys", "values", "weights", "heads"))
    for h in range(HEADS):  # three heads in a row share their keys
        shared = h // (HEADS // KEY_HEADS)
        np.testing.assert_allclose(attention_weights(Q[:, :, h], K[:, :, shared], causal_mask(9)), A[:, :, h])
        np.testing.assert_allclose(A[:, :, h] @ V[:, :, shared], Y[:, :, h])


def test_what_a_watcher_returns_takes_the_place(small):
    """A head whose output is 0 is a head without rows of W_O; uniform weights are those of equal scores."""

    def silence(layer, Y):
        if layer == 1:
            Y[..., 4, :, :] = 0

    without = [layer._replace(W_O=layer.W_O.copy()) for layer in small.layers]
    without[1].W_O[4 * 4 : 5 * 4] = 0
    expected = states(replace(small, layers=without), TEXT)
    np.testing.assert_allclose(states(small, TEXT, watch={"heads": silence}), expected, rtol=1e-9, atol=1e-12)

    uniform = causal_mask(9) / np.arange(1, 10)[:, None]
    equal = states(small, TEXT, scale=0)
    replaced = states(small, TEXT, watch={"weights": lambda layer, A: np.broadcast_to(uniform, A.shape)})
    np.testing.assert_allclose(replaced, equal, rtol=1e-9, atol=1e-12)
    stopped = states(small, TEXT, watch={"state": lambda layer, X: 0 * X})
    assert not stopped.any()


REFUSED = [
    (lambda m: logits(m, [[0, TOKENS]]), "ids"),
    (lambda m: logits(m, [-1]), "ids"),
    (lambda m: logits(m, 3), "ids"),
    (lambda m: logits(m, []), "ids"),
    (lambda m: logits(m, [0.5]), "ids"),
    (lambda m: logits(m, "a text"), "ids"),
    (lambda m: losses(m, [1]), "ids"),
    (lambda m: logits(m, [1, 2], mask=np.ones((3, 3), bool)), "mask"),
    (lambda m: logits(m, [1, 2], mask=np.ones((2, 2))), "mask"),
    (lambda m: logits(m, [1, 2], mask=np.zeros((2, 2), bool)), "mask"),
    (lambda m: logits(m, [1, 2], mask=np.ones((5, 2, 2), bool)), "mask"),
    (lambda m: logits(m, [1, 2], positions=[0]), "positions"),
    (lambda m: logits(m, [1, 2], theta=[1.0]), "theta"),
    (lambda m: logits(m, [1, 2], scale=math.nan), "scale"),
    (lambda m: logits(m, [1, 2], watch={"scores": print}), "scores"),
    (lambda m: logits(m, [1, 2], watch={"state": lambda l, X: X[:1]}), "state"),
    (lambda m: read_out(m, np.ones((2, WIDTH + 1))), "X"),
    (lambda m: continuation(m, [1], 0), "count"),
    (lambda m: continuation(m, [1], 2, positions=[0]), "positions"),
]


@pytest.mark.parametrize(("call", "argument"), REFUSED)
def test_what_does_not_fit_is_refused_by_name(small, call, argument):
    with pytest.raises(ValueError, match=rf"\b{argument}\b"):
        call(small)


# The book's own model.


@pytest.fixture(scope="module")
def model():
    if not pretrained.available():
        pytest.skip(f"not checked, for want of weights: {pretrained.HOW}")
    return load()


@pytest.fixture(scope="module")
def theirs(model):
    """The model and the tokeniser that transformers makes of the same file."""
    import gguf
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    file = pretrained.find()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_HUB_OFFLINE", "1")
        for name in ("GGUFReader", "get_tensor_name_map"):  # it asks for the same again and again, 30 s of it
            patch.setattr(gguf, name, functools.cache(getattr(gguf, name)))
        tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
        network = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    return network.eval(), tokenizer


TEXTS = """The capital of France is Paris, and the capital of Italy is
The keys to the cabinet are on the table.
Tom gave Mary a book. The book now belongs to
A
def fibonacci(n):\\n    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)\\n
1 2 3 5 8 13 21 34 55 89 144 233
Les clefs de l'armoire sont sur la table, et la table est dans la cuisine.
注意力机制是一个加权平均。
<|im_start|>user\\nWho wrote Hamlet?<|im_end|>\\n<|im_start|>assistant\\n
the the the the the the the the the the the the the the the the
In 1687, Newton published the Principia; gravity falls off as 1/r².
    \\n\\n\\t  indented  text   with   blanks
🙂🙃 emoji, ½ fractions, and é accents
ALL CAPITALS AND SOME punctuation!?!... (really) [yes] {no}
The man who the dog bites runs. The dog that bites the man barks. Who bites whom? The one who bites is the
Once upon a time there was a little girl who lived in a village near the forest, and every morning she walked
<html><body><p class="x">Hello</p></body></html>
Q: What is 7 times 8? A:
to be, or not to be, that is the question: whether 'tis nobler in the mind to suffer the slings and arrows
xqzv jkwp bnmt"""
TEXTS = [line.replace("\\n", "\n").replace("\\t", "\t") for line in TEXTS.split("\n")]


def rounding(model, n, largest):
    """How far two computations in float32 may lie apart: √(2K) u · ``largest``.

    On its way from the embedding to a logit a number is the sum of K products: in each layer those of Z W_Q, Q Kᵀ,
    A V, Y W_O, Z W_up and of W_down, and in the end those of the unembedding. Every sum rounds each partial result by
    up to u = 2⁻²⁴ of its size; 2K such errors, of both computations, of independent signs, add up to √(2K) u.
    """
    d, hidden = model.layers[0].W_gate.shape
    K = len(model.layers) * (3 * d + hidden + model.head_width + n) + d
    return math.sqrt(2 * K) * 2**-24 * largest


@pytest.mark.parametrize("text", TEXTS)
def test_the_logits_are_those_of_transformers(model, theirs, text):
    import torch

    ids = model.encode(text)
    with torch.no_grad():
        expected = theirs[0](torch.tensor(ids[None])).logits[0].numpy()
    ours = logits(model, ids)
    allowed = rounding(model, len(ids), np.abs(expected).max())
    assert np.abs(ours - expected).max() <= allowed
    chosen = np.take_along_axis(expected, ours.argmax(axis=-1)[:, None], axis=-1)[:, 0]
    assert (chosen >= expected.max(axis=-1) - 2 * allowed).all()  # the same arg max, but for ties within rounding


def test_twenty_texts_are_compared():
    assert len(TEXTS) == len(set(TEXTS)) == 20


def test_the_file_pairs_neighbours_and_transformers_halves(model, theirs):
    x = np.random.default_rng(0).normal(size=(5, model.head_width)).astype(np.float32)
    perm, t = pairing_permutation(model.head_width), [3, 0, 7, 100, 2]
    np.testing.assert_allclose(rotate(x, t)[..., perm], rotate(x[..., perm], t, pairing="halves"), atol=1e-6)
    for ours, layer in zip(model.layers, theirs[0].model.layers, strict=True):
        for W, heads, projection in (("W_Q", model.heads, "q_proj"), ("W_K", model.key_heads, "k_proj")):
            W, expected = getattr(ours, W), getattr(layer.self_attn, projection).weight.detach().numpy()
            np.testing.assert_array_equal(by_halves(W, heads), expected)
            assert (expected != W.T).any()


def test_a_real_continuation_is_the_same_with_and_without_a_cache(model):
    ids = model.encode("Tom gave Mary a book. The book")
    chosen = continuation(model, ids, 10)
    np.testing.assert_array_equal(chosen, continuation(model, ids, 10, cached=False))


def test_leading_axes_of_a_real_text(model):
    ids = np.stack([model.encode("The dog bites the man because"), model.encode("The man bites the dog because")])
    together = next_logits(model, ids[:, None])
    assert together.shape == (2, 1, len(model.embedding))
    for text, found in zip(ids, together[:, 0], strict=True):
        assert np.abs(found - next_logits(model, text)).max() <= rounding(model, len(text), np.abs(found).max())


def strings(count=1000):
    """Return texts of many kinds: words, digits, blanks, line ends, all of Unicode, special tokens, nothing."""
    rng = np.random.default_rng(0)
    words = [
        "the",
        "The",
        "attention",
        "don't",
        "it's",
        "naïve",
        "Zürich",
        "x_1",
        "e.g.",
        "--",
        "://",
        "日本語",
        "Привет",
    ]
    blanks = [" ", "  ", "   ", "\n", "\n\n", "\t", "\r\n", "\u00a0", "\u3000", " \n ", ""]
    digits = ["0", "7", "42", "2026", "3.14", "1,000", "½", "²", "٣", "Ⅳ", "１", "1e-5"]
    special = ["<|im_start|>", "<|im_end|>", "<|endoftext|>", "<repo_name>", "<|im_start", "|>", "<", ">"]
    planes = [(0x20, 0x7F), (0x80, 0x300), (0x300, 0x370), (0x370, 0xD800), (0xE000, 0x10000), (0x10000, 0x110000)]
    planes += [(0, 0x20), (0x1F300, 0x1FB00), (0x2000, 0x2070)]

    def piece():
        kind = rng.integers(6)
        if kind < 4:
            return str(rng.choice((words, blanks, digits, special)[kind]))
        low, high = planes[rng.integers(len(planes))]
        return "".join(map(chr, rng.integers(low, high, size=rng.integers(1, 5))))

    return ["", " ", "\n", *("".join(piece() for _ in range(rng.integers(1, 12))) for _ in range(count - 3))]


def test_the_tokeniser_gives_the_numbers_of_transformers(model, theirs):
    """transformers, as it reads a GGUF file, forgets that SmolLM splits digits off first; texts without numerals show
    it as it is, all others after the rule of `smollm` in llama.cpp has been written out for it."""
    from tokenizers import Regex, pre_tokenizers

    texts, tokenizer = strings(), theirs[1]
    ours = [model.encode(text).tolist() for text in texts]
    plain = [i for i, text in enumerate(texts) if not any(char.isnumeric() for char in text)]
    assert 200 < len(plain) < 800
    assert [ours[i] for i in plain] == [tokenizer(texts[i])["input_ids"] for i in plain]
    words = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
    rule = [pre_tokenizers.Split(Regex(pattern), "isolated") for pattern in (r"\p{N}", words)]
    rule += [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(rule)
    assert ours == [tokenizer(text)["input_ids"] for text in texts]
    decoded = [model.decode(ids) for ids in ours]
    assert decoded == [tokenizer.decode(ids, clean_up_tokenization_spaces=False) for ids in ours]
    assert sum(map(str.__eq__, decoded, texts)) > 600  # but for a few bytes of rare characters that SmolLM never met
