"""Read a language model of the architecture ``llama`` from a GGUF file: its numbers, weights and tokeniser.

A matrix of the file has a row for each output; transposed, it stands right of the tokens, as in the book. Rotary pairs
are neighbours in it, (2h, 2h + 1); libraries that pair by halves reorder the rows of W_Q and W_K.
"""

import errno
import math
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..language_model import Layer, Model

GIB = 2**30
CONTROL = 3  # the kind of a token that marks the end of a text, say, and stands for no bytes
NAMES = {  # of Layer's fields, in the file
    "attention_gain": "attn_norm",
    "W_Q": "attn_q",
    "W_K": "attn_k",
    "W_V": "attn_v",
    "W_O": "attn_output",
    "feed_forward_gain": "ffn_norm",
    "W_gate": "ffn_gate",
    "W_up": "ffn_up",
    "W_down": "ffn_down",
}


def read(path: Path) -> Model:
    """Return the model in a GGUF file, or raise what :func:`attnbook.pretrained.load` says."""
    reader = _open(path)
    number = _Numbers(path, reader)
    number.require("general.architecture", "llama")
    number.require("tokenizer.ggml.model", "gpt2")  # byte-pair encoding of bytes
    number.require("tokenizer.ggml.pre", "smollm")  # which splits digits first
    config = {
        "heads": number("llama.attention.head_count"),
        "key_heads": number("llama.attention.head_count_kv"),
        "base": number("llama.rope.freq_base"),
        "eps": number("llama.attention.layer_norm_rms_epsilon"),
        "context": number("llama.context_length"),
    }
    shapes = _shapes(number, **config)
    _require_tensors(path, reader, shapes)
    tokenizer = _tokenizer(path, number)
    _require_memory(4 * sum(map(math.prod, shapes.values())))
    weights = _weights(path, reader)
    layers = [
        Layer(**{field: weights[f"blk.{l}.{name}.weight"].T for field, name in NAMES.items()})
        for l in range(number("llama.block_count"))
    ]
    embedding, gain = weights["token_embd.weight"], weights["output_norm.weight"]
    unembedding = weights.get("output.weight", embedding).T  # tied unless the file has one of its own
    return Model(embedding, layers, gain, unembedding, **config, tokenizer=tokenizer)


def _open(path):
    """Return gguf's view of the file, which reads the weights themselves later."""
    from gguf import GGUFReader

    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise ValueError(f"{path} is no GGUF file")
    try:
        return GGUFReader(path)
    except OSError as error:
        raise MemoryError(error.strerror) if error.errno == errno.ENOMEM else error from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is cut or damaged: gguf cannot read it ({error})") from error


class _Numbers:
    """What the head of a file says by name; a missing name is refused."""

    def __init__(self, path, reader):
        self.path, self.fields = path, reader.fields

    def __call__(self, name: str, default: Any = None) -> Any:
        if name in self.fields:
            return self.fields[name].contents()
        if default is None:
            raise ValueError(f"{self.path} does not say {name}; expected a language model")
        return default

    def require(self, name, expected):
        found = self(name)
        if found != expected:
            raise ValueError(f"{self.path} has {name} = {found!r}; this book reads {expected!r} only")


def _shapes(number, heads, key_heads, base, eps, context):
    """Return {name of a tensor: its shape (outputs, inputs)} as the numbers of the file imply them."""
    d, hidden = number("llama.embedding_length"), number("llama.feed_forward_length")
    tokens = len(number("tokenizer.ggml.tokens"))
    head_width = number("llama.attention.key_length", d // heads)
    number.require("llama.rope.dimension_count", head_width)
    if number("llama.rope.scaling.type", "none") != "none" or heads % key_heads:
        raise ValueError(f"{number.path} scales its rotary angles or has {heads} heads for {key_heads} of keys")
    layer = {
        "attn_norm": (d,),
        "attn_q": (heads * head_width, d),
        "attn_k": (key_heads * head_width, d),
        "attn_v": (key_heads * head_width, d),
        "attn_output": (d, heads * head_width),
        "ffn_norm": (d,),
        "ffn_gate": (hidden, d),
        "ffn_up": (hidden, d),
        "ffn_down": (d, hidden),
    }
    shapes = {"token_embd.weight": (tokens, d), "output_norm.weight": (d,)}
    for l in range(number("llama.block_count")):
        shapes |= {f"blk.{l}.{name}.weight": shape for name, shape in layer.items()}
    return shapes


def _require_tensors(path, reader, shapes):
    """Refuse a file that lacks a tensor, has one of another shape, or one that the equations do not use."""
    found = {tensor.name: tuple(map(int, reversed(tensor.shape))) for tensor in reader.tensors}
    if "output.weight" in found:
        shapes["output.weight"] = shapes["token_embd.weight"]
    for name in sorted(shapes.keys() | found.keys()):
        if shapes.get(name) != found.get(name):
            expected = f"expected {shapes.get(name, 'no such tensor')}"
            raise ValueError(f"{path} has {name} of shape {found.get(name, 'none at all')}; {expected}")


def _require_memory(needed):
    """Refuse what would not fit: the system would rather end the process than say so."""
    free = _free_memory()
    if needed > free:
        raise MemoryError(f"as float32 it takes {needed / GIB:.1f} GiB, and {free / GIB:.1f} are free")


def _free_memory():
    """Return how many bytes this process may still take, as far as Linux or the limits of its container say."""
    limits = [np.inf]
    group = Path("/sys/fs/cgroup")
    with suppress(OSError, ValueError):  # no container, another system, or "max"
        limits.append(int((group / "memory.max").read_text()) - int((group / "memory.current").read_text()))
    with suppress(OSError, ValueError, KeyError):
        lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        limits.append(int(lines["MemAvailable"].split()[0]) * 1024)
    return min(limits)


def _weights(path, reader):
    """Return {name: float32 array} of all tensors."""
    from gguf.quants import dequantize

    try:
        return {t.name: np.asarray(dequantize(t.data, t.tensor_type), dtype=np.float32) for t in reader.tensors}
    except NotImplementedError as error:
        raise ValueError(f"{path} has weights in a format that gguf cannot read ({error})") from error


def _tokenizer(path, number):
    """Return the tokeniser of the file: digits one by one, then words, then byte pairs merged in the file's order."""
    from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

    words = number("tokenizer.ggml.tokens")
    if len(set(words)) < len(words):
        raise ValueError(f"{path} has a word twice among its tokens")
    merges = [tuple(pair.split(" ")) for pair in number("tokenizer.ggml.merges")]
    try:
        tokenizer = Tokenizer(models.BPE(vocab={word: i for i, word in enumerate(words)}, merges=merges))
    except Exception as error:  # tokenizers raises nothing narrower
        raise ValueError(f"{path} has a tokeniser whose merges do not fit its words ({error})") from error
    digits = pre_tokenizers.Digits(individual_digits=True)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    kinds = number("tokenizer.ggml.token_type")
    special = [word for word, kind in zip(words, kinds, strict=True) if kind == CONTROL]
    tokenizer.add_special_tokens([AddedToken(word, normalized=False, special=True) for word in special])
    return tokenizer
