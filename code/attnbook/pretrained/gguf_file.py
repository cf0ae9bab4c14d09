"""Read a language model of the architecture ``llama`` from a GGUF file: its numbers, weights and tokeniser.

A matrix of the file has a row for each output; transposed, it stands right of the tokens, as in the book. Rotary pairs
are neighbours in it, (2h, 2h + 1); libraries that pair by halves reorder the rows of W_Q and W_K.
"""

import errno
import math
from pathlib import Path
from typing import Any

import numpy as np

from ..language_model import Layer, Model
from . import memory

CONTROL = 3  # the kind of a token that marks the end of a text, say, and stands for no bytes
LAYER = {  # of each field of `Layer`: its name in the file, and its shape there, (outputs, inputs)
    "attention_gain": ("attn_norm", ("width",)),
    "W_Q": ("attn_q", ("queries", "width")),
    "W_K": ("attn_k", ("keys", "width")),
    "W_V": ("attn_v", ("keys", "width")),
    "W_O": ("attn_output", ("width", "queries")),
    "feed_forward_gain": ("ffn_norm", ("width",)),
    "W_gate": ("ffn_gate", ("hidden", "width")),
    "W_up": ("ffn_up", ("hidden", "width")),
    "W_down": ("ffn_down", ("width", "hidden")),
}
EMBEDDING, GAIN, UNEMBEDDING = "token_embd.weight", "output_norm.weight", "output.weight"


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
    found = {tensor.name: tuple(map(int, reversed(tensor.shape))) for tensor in reader.tensors}
    _require_tensors(path, found, _shapes(number, config["heads"], config["key_heads"], UNEMBEDDING in found))
    tokenizer = _tokenizer(path, number)
    memory.require(4 * sum(map(math.prod, found.values())))
    weights = _weights(path, reader)
    layers = [
        Layer(**{field: weights[_tensor(l, name)].T for field, (name, _) in LAYER.items()})
        for l in range(number("llama.block_count"))
    ]
    embedding, gain = weights[EMBEDDING], weights[GAIN]
    unembedding = weights.get(UNEMBEDDING, embedding).T
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


def _tensor(l, name):
    """Return the name of a tensor of layer ``l`` in the file."""
    return f"blk.{l}.{name}.weight"


def _shapes(number, heads, key_heads, untied):
    """Return {name of a tensor: its shape (outputs, inputs)} as the numbers of the file imply them.

    The embedding is the unembedding as well, unless the two are ``untied``.
    """
    if number("llama.rope.scaling.type", "none") != "none":
        raise ValueError(f"{number.path} scales its rotary angles; this book reads plain ones only")
    if heads % key_heads:
        raise ValueError(f"{number.path} has {heads} heads for {key_heads} of keys; expected a multiple")
    width = number("llama.embedding_length")
    head_width = number("llama.attention.key_length", width // heads)
    number.require("llama.rope.dimension_count", head_width)
    size = {
        "width": width,
        "queries": heads * head_width,
        "keys": key_heads * head_width,
        "hidden": number("llama.feed_forward_length"),
    }
    tokens = len(number("tokenizer.ggml.tokens"))
    shapes = {EMBEDDING: (tokens, width), GAIN: (width,)}
    if untied:
        shapes[UNEMBEDDING] = shapes[EMBEDDING]
    for l in range(number("llama.block_count")):
        shapes |= {_tensor(l, name): tuple(size[axis] for axis in axes) for name, axes in LAYER.values()}
    return shapes


def _require_tensors(path, found, shapes):
    """Refuse a file that lacks a tensor, has one of another shape, or one that the equations do not use."""
    for name in sorted(shapes.keys() | found.keys()):
        if shapes.get(name) != found.get(name):
            expected = f"expected {shapes.get(name, 'no such tensor')}"
            raise ValueError(f"{path} has {name} of shape {found.get(name, 'none at all')}; {expected}")


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
