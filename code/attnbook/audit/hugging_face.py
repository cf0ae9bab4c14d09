"""Read attention layers of transformers 5: what they claim to compute, and how they are called.

A layer alone knows neither its positions nor its mask: the model around it gives both. So a path makes them as the
model does: cosines and sines by the rotary embedding of the layer's own module, and a mask of 0 and the lowest number.
"""

import copy
import importlib
import inspect
import sys
from typing import Any

import numpy as np

from ..layers import Heads
from ..positional import t5_bucket
from .formula import Formula
from .subjects import Subject, assemble, expand, from_library, masked_as, modes, quiet, to_library

__all__ = ["decoder", "t5"]


def decoder(module: Any, claims: dict) -> Subject:
    """Read a layer with q_proj, k_proj, v_proj and o_proj, as Llama, Mistral, Qwen, Gemma and gpt-oss have it.

    Its scale, softcap, sinks, norms of q and k and rotation are those of the layer and of its configuration.
    """
    config = module.config
    h, g = config.num_attention_heads, config.num_key_value_heads
    heads = Heads.from_linears(module.q_proj, module.k_proj, module.v_proj, module.o_proj, heads=h, key_heads=g)
    rotary = _rotary(module)
    theta, stretch = _angles(module, rotary)
    formula = Formula.read(
        heads,
        key_heads=g,
        scale=module.scaling,
        cap=getattr(module, "attn_logit_softcapping", None),
        sinks=getattr(module, "sinks", None),
        rotary="halves",
        theta=theta,
        stretch=stretch,
        gains=_gains(module),
        eps=getattr(config, "rms_norm_eps", 1e-6),
    )
    draft = _draft(module, takes_positions=True)
    plain = getattr(module, "sinks", None) is None and formula.cap is None  # PyTorch's own function has neither
    kinds = ("eager", "sdpa") if plain else ("eager",)

    def options(own, inputs, positions, dtype):
        X = to_library("torch", inputs[0], dtype)
        places = to_library("torch", positions, None)
        return {"position_embeddings": _embedded(own, rotary, X, places)}

    return assemble(draft, formula, _calls(module, claims, kinds, options, "attention_mask"))


def t5(module: Any, claims: dict) -> Subject:
    """Read T5's self-attention: no scale, and a bias for each bucket of offsets where the layer has the table."""
    heads = Heads.from_linears(module.q, module.k, module.v, module.o, heads=module.n_heads)
    bias = _bias(module) if module.has_relative_attention_bias else None
    formula = Formula.read(heads, scale=module.scaling, bias=bias)
    draft = _draft(module, takes_positions=False, has_positions=bias is not None)
    return assemble(draft, formula, _calls(module, claims, ("eager", "sdpa"), lambda *_: {}, "mask"))


def _bias(module):
    """Return the bias of T5 as a function of the positions of queries and keys."""
    table = module.relative_attention_bias.weight.detach().double().numpy()
    buckets, most = module.relative_attention_num_buckets, module.relative_attention_max_distance

    def bias(queries, keys):
        offsets = keys[None, :] - queries[:, None]
        return np.moveaxis(table[t5_bucket(offsets, buckets, most, not module.is_decoder)], -1, 0)

    return bias


def _draft(module, takes_positions, has_positions=True):
    """Return a subject without paths; the caller hides later tokens, as the model does."""
    width = module.o_proj.out_features if hasattr(module, "o_proj") else module.o.out_features
    return Subject(type(module).__name__, "X", width, (), True, takes_positions, has_positions, causal=False)


def _calls(module, claims, kinds, options, mask_name):
    """Yield (name, dtype, call, pieces, masks_keys) for each kind of kernel, mode and precision."""
    for kind in kinds:
        for mode, dtype, own in modes(module, claims):
            own.config = copy.deepcopy(own.config)
            own.config._attn_implementation = kind
            name = f"{mode} {kind}" if len(kinds) > 1 else mode
            arguments = own, dtype, options, mask_name
            yield name, dtype, _call(*arguments), _pieces(*arguments), False


def _call(own, dtype, options, mask_name):
    """Return call(inputs, mask, positions, seed)."""

    def call(inputs, mask=None, positions=None, seed=0):
        n = inputs[0].shape[1]
        mask = np.ones((1, n, n), dtype=bool) if mask is None else mask
        given = {mask_name: masked_as("torch", expand(mask, inputs, True), "lowest", dtype)}
        with quiet("torch", seed):
            given |= options(own, inputs, np.arange(n)[None] if positions is None else positions, dtype)
            return from_library(own(to_library("torch", inputs[0], dtype), **given))

    return call


def _pieces(own, dtype, options, mask_name):
    """Return a function that begins a cache of transformers, and returns the step that extends it."""
    if own.layer_idx is None:
        return None

    def pieces():
        transformers = importlib.import_module("transformers")
        cache, past = transformers.DynamicCache(), 0
        name = "cache" if "cache" in inspect.signature(own.forward).parameters else "past_key_values"

        def step(X):
            nonlocal past
            past, start = past + X.shape[1], past
            visible = np.tri(past, dtype=bool)[None, start:]
            given = {mask_name: masked_as("torch", expand(visible, (X,), True), "lowest", dtype), name: cache}
            with quiet("torch", 0):
                given |= options(own, (X,), np.broadcast_to(np.arange(start, past), X.shape[:2]), dtype)
                return from_library(own(to_library("torch", X, dtype), **given))

        return step

    return pieces


def _rotary(module):
    """Return the rotary embedding of the model that this layer belongs to."""
    source = sys.modules[type(module).__module__]
    kind = next(k for name, k in vars(source).items() if name.endswith("RotaryEmbedding"))
    return kind(module.config)


def _layered(module, rotary):
    """Return the type of the layer where the model turns different types by different angles."""
    kind = getattr(module, "layer_type", None)
    return kind if kind is not None and hasattr(rotary, f"{kind}_inv_freq") else None


def _angles(module, rotary):
    """Return the angles per position, and the factor on what is turned."""
    kind = _layered(module, rotary)
    prefix = "" if kind is None else f"{kind}_"
    theta = getattr(rotary, f"{prefix}inv_freq").double().numpy()
    return theta, float(getattr(rotary, f"{prefix}attention_scaling"))


def _embedded(module, rotary, X, places):
    kind = _layered(module, rotary)
    return rotary(X, places) if kind is None else rotary(X, places, kind)


def _gains(module):
    """Return what the norms of queries and keys multiply by, seen on a row of ones."""
    if getattr(module, "q_norm", None) is None:
        return None
    torch = sys.modules["torch"]
    d, eps = module.head_dim, module.config.rms_norm_eps
    with torch.no_grad():
        ones = torch.ones(d, dtype=module.q_proj.weight.dtype)
        return [from_library(norm(ones)) * np.sqrt(1 + eps) for norm in (module.q_norm, module.k_norm)]
