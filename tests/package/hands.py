"""Attention by three hands: right without a fault, and wrong in one place with it.

``einsum`` computes with NumPy, its weights are (h, d, d_k); ``Views`` has a linear map for each of Q, K, V and O, and
shares keys; ``Fused`` has one linear map, a causal mask of its own, and a cache. Each takes the name of a fault.
"""

import math

import numpy as np
import torch
from attnbook.layers import Heads
from torch import nn
from torch.nn import functional as F

# --- The first hand: NumPy and einsum ---------------------------------------------------------------------------------

D, H, D_K = 12, 3, 4
CAP, SINKS = 2.0, np.array([0.5, -0.3, 1.0])
_rng = np.random.default_rng(0)
WEIGHTS = Heads(
    *_rng.normal(size=(3, H, D, D_K)) / math.sqrt(D) * 1.5,
    _rng.normal(size=(H * D_K, D)) / math.sqrt(H * D_K),
    *_rng.normal(size=(3, H, D_K)),
    _rng.normal(size=D),
)


def einsum(fault="", cap=None, sinks=None, pairing=None):
    """f(X, mask) with an optional softcap, sinks and rotation."""
    w = WEIGHTS
    if fault == "roles":
        w = w._replace(W_Q=w.W_K, W_K=w.W_Q, b_Q=w.b_K, b_K=w.b_Q)

    def spin(z, shift=0, sign=1):
        if pairing is None:
            return z
        step = sign * (np.arange(z.shape[-2]) + shift)[:, None] * 10_000.0 ** (-np.arange(0, D_K, 2) / D_K)
        wheel = np.exp(1j * step)
        halves = (pairing == "halves") != (fault == "pairing")
        a, b = (z[..., : D_K // 2], z[..., D_K // 2 :]) if halves else (z[..., 0::2], z[..., 1::2])
        moved = (a + 1j * b) * wheel
        if halves:
            return np.concatenate([moved.real, moved.imag], axis=-1)
        return np.stack([moved.real, moved.imag], axis=-1).reshape(z.shape)

    def soft(e, axis=-1):
        e = np.exp(e - e.max(axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)

    def f(X, mask):
        if fault == "batch":
            X = X.swapaxes(0, 1)
            mask = np.True_
        q, k, v = (np.einsum("bnd,hdk->bhnk", X, W) + b[:, None] for W, b in zip(w[:3], w[4:7], strict=True))
        q = spin(q, shift=1 if fault == "ahead" else 0)
        k = spin(k, sign=-1 if fault == "other way" else 1)
        v = spin(v) if fault == "values" else v
        v = k if fault == "keys for values" else v
        scale = {"no scale": 1.0, "d_model": D**-0.5, "d_k": 1 / D_K}.get(fault, D_K**-0.5)
        s = np.einsum("bhnk,bhmk->bhnm", q, k) * scale
        late = fault == "cap last"
        if cap is not None and not late:
            s = cap * np.tanh(s / cap)
        mask = mask.swapaxes(-1, -2) if fault == "transposed" else mask
        mask = ~mask if fault == "inverted" else mask
        if fault == "times":
            s = s * mask
        elif fault == "ones":
            s = s + mask
        elif fault not in ("after", "dropped"):
            s = np.where(mask, s, {"ten thousand": -1e4}.get(fault, -np.inf))
        if late:
            s = cap * np.tanh(s / cap)
        if sinks is not None and fault != "sink":
            s = np.concatenate([s, np.broadcast_to(sinks[:, None, None], (*s.shape[:-1], 1))], axis=-1)
        a = soft(s, {"queries": -2, "heads": 1}.get(fault, -1))[..., : v.shape[-2]]
        a = soft(a) if fault == "twice" else a
        a = a * mask if fault == "after" else a
        y = np.einsum("bhnm,bhmk->bnhk", a, v).reshape(*X.shape[:2], -1) @ w.W_O + w.b_O
        return y.swapaxes(0, 1) if fault == "batch" else y

    return f


# --- The second hand: linear maps, view and transpose -----------------------------------------------------------------


class Views(nn.Module):
    """f(x, mask, position_ids): four heads of queries, two of keys, rotation by halves, both kinds of masks."""

    def __init__(self, fault=""):
        super().__init__()
        self.num_heads, self.num_kv_heads, self.head_dim, self.fault = 4, 2, 6, fault
        self.q_proj = nn.Linear(24, 24)
        self.k_proj = nn.Linear(24, 12)
        self.v_proj = nn.Linear(24, 12)
        self.o_proj = nn.Linear(24, 24)
        for layer in (self.q_proj, self.k_proj, self.v_proj, self.o_proj):
            nn.init.normal_(layer.weight, std=0.3)
            nn.init.normal_(layer.bias)

    def cut(self, y, heads):
        b, n, _ = y.shape
        if self.fault in ("cut", "cut and glued"):
            return y.view(b, heads, n, self.head_dim)
        if self.fault == "interleaved":
            return y.view(b, n, self.head_dim, heads).permute(0, 3, 1, 2)
        return y.view(b, n, heads, self.head_dim).transpose(1, 2)

    def rotary(self, x, positions):
        half = self.head_dim // 2
        exponent = torch.arange(half) + (1 if self.fault == "exponents" else 0)
        angle = positions[:, None, :, None] * 10_000.0 ** (-exponent / half)
        if self.fault == "over heads":
            angle = torch.arange(x.shape[1])[:, None, None] * 10_000.0 ** (-exponent / half)
        cos, sin = torch.cat([angle.cos()] * 2, -1).to(x.dtype), torch.cat([angle.sin()] * 2, -1).to(x.dtype)
        return x * cos + torch.cat([-x[..., half:], x[..., :half]], -1) * sin

    def forward(self, x, mask=None, position_ids=None):
        b, n, _ = x.shape
        q, k, v = self.cut(self.q_proj(x), 4), self.cut(self.k_proj(x), 2), self.cut(self.v_proj(x), 2)
        if self.fault == "biases":
            q = self.cut(F.linear(x, self.q_proj.weight), 4)
            k, v = self.cut(F.linear(x, self.k_proj.weight), 2), self.cut(F.linear(x, self.v_proj.weight), 2)
        q = self.rotary(q, position_ids)
        k = k if self.fault == "queries alone" else self.rotary(k, position_ids)
        if self.fault == "tiled":
            k, v = k.repeat(1, 2, 1, 1), v.repeat(1, 2, 1, 1)
        else:
            k, v = k.repeat_interleave(2, dim=1), v.repeat_interleave(2, dim=1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(24 if self.fault == "width" else self.head_dim)
        scores = scores if self.is_dropped(mask) else self.masked(scores, mask)
        weights = scores.softmax(1 if self.fault == "axis" else -1)
        weights = weights.nan_to_num() if self.fault != "blind" else weights
        y = weights @ v
        y = y.reshape(b, n, -1) if self.fault in ("glued", "cut and glued") else y.transpose(1, 2).reshape(b, n, -1)
        return F.linear(y, self.o_proj.weight.T, self.o_proj.bias) if self.fault == "transposed" else self.o_proj(y)

    def is_dropped(self, mask):
        return (self.fault == "dropped in training" and self.training) or (
            self.fault == "dropped if additive" and mask.dtype != torch.bool
        )

    def masked(self, scores, mask):
        if self.fault == "one more":
            mask = torch.cat([torch.ones_like(mask[..., :1]), mask[..., :-1]], -1)
        if mask.dtype != torch.bool:
            return scores + mask.to(scores.dtype)
        return scores.masked_fill(~mask, {"ten thousand": -1e4, "thousand million": -1e9}.get(self.fault, -math.inf))


# --- The third hand: one linear map, causal, with a cache -------------------------------------------------------------


class Fused(nn.Module):
    """f(x): two heads, rotation of neighbours, dropout, a causal mask, and keys and values kept in a list."""

    def __init__(self, fault="", p=0.0):
        super().__init__()
        self.n_head, self.fault, self.p = 2, fault, p
        self.c_attn, self.c_proj = nn.Linear(16, 48), nn.Linear(16, 16)
        nn.init.normal_(self.c_attn.weight, std=0.35)
        nn.init.normal_(self.c_attn.bias)

    def turned(self, x, start):
        angle = (start + torch.arange(x.shape[2]))[:, None] * 10_000.0 ** (-torch.arange(0, 8, 2) / 8)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        a, b = x[..., 0::2], x[..., 1::2]
        return torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2)

    def forward(self, x, cache=None):
        if self.fault == "batch":
            x = x.transpose(0, 1)
        b, n, d = x.shape
        if self.fault == "by heads":
            q, k, v = self.c_attn(x).view(b, n, 2, 3, 8).permute(3, 0, 2, 1, 4)
        else:
            q, k, v = self.c_attn(x).view(b, n, 3, 2, 8).permute(2, 0, 3, 1, 4)
        past = cache[0].shape[2] if cache else 0
        start = {"restart": 0, "grown": past + n if cache is not None else 0}.get(self.fault, past)
        q, k = self.turned(q, start), self.turned(k, start) if self.fault != "again" else k
        if cache and self.fault != "forgotten":
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        if self.fault == "again":
            k = self.turned(k, 0)
        if cache is not None:
            cache[:] = k, v
        m = k.shape[2]
        diagonal = {"off by one": 1, "strict": -1, "corner": n - m}.get(self.fault, 0)
        visible = torch.ones(n, m, dtype=torch.bool).tril(m - n + diagonal)
        if (self.fault == "training" and self.training) or (self.fault == "unmasked" and cache):
            visible = torch.ones_like(visible)
        p = self.p if self.training or self.fault == "dropout" else 0.0
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=visible, dropout_p=p)
        y = self.c_proj(y.transpose(1, 2).reshape(b, n, d))
        return y.transpose(0, 1) if self.fault == "batch" else y


def pieces(layer):
    """Return a step that keeps a cache."""
    cache = []
    return lambda x: layer(x, cache)
