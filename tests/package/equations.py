"""The numbered equations of the book as small experiments: what each name in the TeX stands for, on random inputs.

An entry of `NAMES` is a function of a generator. It returns the names that the equation uses, computed with the package
where the package has the law. "=" is the value of an expression that stands alone, "near" the relative difference that
≈ allows, "after" what ← must have set. `REWRITTEN` puts names for what is written in words.
"""

import itertools
import math
from unittest.mock import patch

import equations_deeper as deeper
import equations_positions as positions
import numpy as np
import torch
from attnbook import check
from attnbook.attention import attention, attention_weights, scores, softmax, softmax_jacobian
from attnbook.layers import Heads, multi_head_attention
from attnbook.permutations import permutation_matrix
from attnbook.recurrent import rnn, rnn_jacobians
from scipy.optimize import brentq
from tex_reader import Random

ROW = "softmax_\\mathrm{row}"
# Equations that are not evaluated, each with the reason.
SKIPPED = {
    "eq-limits": "three limits in distribution; the page estimates them",
}
REWRITTEN = {
    "eq-qkv-heads": [("[\\operatorname{head}_1\\;\\cdots\\;\\operatorname{head}_h]", "H")],
    "eq-cap-heads": [("[A_1XW_V^1,\\,\\dots,\\,A_hXW_V^h]", "H")],
    **deeper.REWRITTEN,
    **positions.REWRITTEN,
}


def qkv(rng, n=4, m=5, d=3, d_v=2):
    Q, K, V = (rng.normal(size=shape) for shape in ((n, d), (m, d), (m, d_v)))
    return {"Q": Q, "K": K, "V": V, "d_k": d, "m": m, ROW: softmax, "Attention": attention}


def projected(rng, n=4, d=5, d_k=3):
    X, *W = (rng.normal(size=shape) for shape in ((n, d), (d, d_k), (d, d_k), (d, 2)))
    P = permutation_matrix(rng.permutation(n).tolist())
    return {"X": X, "W_Q": W[0], "W_K": W[1], "W_V": W[2], "P": P, "d_k": d_k, "d": d, ROW: softmax}


def signs(variance, d):
    """All vectors q, k with entries ± the root of ``variance``: equally likely, hence exact moments."""
    both = np.array(list(itertools.product((-1, 1), repeat=2 * d))).T * math.sqrt(variance)
    return {"q": both[:d].view(Random), "k": both[d:].view(Random), "d_k": d, "Var": np.var}


def product(rng):
    X, Y = rng.normal(size=3), rng.normal(size=4)
    X, Y = np.repeat(X, 4).view(Random), np.tile(Y, 3).view(Random)  # independent: every pair once
    return {"X": X, "Y": Y, "Var": lambda x: np.var(x), "mathbb E": np.mean}


def initial(rng):
    d, sigma = 5, 0.3
    return signs(sigma**2 * d, 3) | {"\\sigma": sigma, "d": d, "Var": lambda x: np.var(x)}


def short_gradient(rng, m=5, d_k=4, c=0.7):
    """The equation row by row: chi-square is the squared length of K_0ᵀJg for a unit vector in place of Jg."""
    K, q, g = rng.normal(size=(m, d_k)), rng.normal(size=d_k), rng.normal(size=m)
    z, J = K @ q / np.linalg.norm(q), softmax_jacobian(softmax(c * K @ q))
    rest = (K - np.outer(z, q / np.linalg.norm(q))).T @ J @ g
    chi_square = rest @ rest / (J @ g @ J @ g)
    return {"\\partialL/\\partialq": c * K.T @ J @ g, "c": c, "z": z, "J": J, "g": g, "\\chi^2_d_k-1": chi_square}


def gradient(rng):
    q, K, g = (torch.tensor(rng.normal(size=shape)) for shape in (3, (5, 3), 5))
    q.requires_grad_()
    (softmax(0.7 * (K @ q)) @ g).backward()
    J = softmax_jacobian(softmax(0.7 * (K @ q.detach())))
    return {"\\partialL/\\partialq": q.grad.numpy(), "c": 0.7, "K": K.numpy(), "J": J.numpy(), "g": g.numpy()}


def step(rng):
    alpha, eta = 0.6, 0.1
    W, *rest = (torch.tensor(rng.normal(size=shape)) for shape in ((4, 3), (5, 4), (5, 3), (5, 2)))

    def slope(W, scale):
        W = W.clone().requires_grad_()
        attention(rest[0] @ W, *rest[1:], scale=scale).square().sum().backward()
        return W.grad.numpy()

    slopes = {"\\partialL/\\partialW_Q": slope(W, 1.0), "\\partialL/\\partialU_Q": slope(alpha * W, 1 / alpha)}
    return slopes | {"\\alpha": alpha, "\\eta": eta, "W_Q": W.numpy(), "U_Q": alpha * W.numpy()}


def heads(rng):
    names = qkv(rng, d=4, d_v=4)
    W = {name: rng.normal(size=(2, 4, 3)) for name in ("W_Q", "W_K", "W_V")} | {"W_O": rng.normal(size=(6, 4))}
    sides = [[names[s] @ W[f"W_{s}"][g] for s in "QKV"] for g in (0, 1)]

    def one(g):
        return Heads(W["W_Q"][[g]], W["W_K"][[g]], W["W_V"][[g]], np.eye(3))

    outputs = [multi_head_attention(names["Q"], names["K"], names["V"], one(g)) for g in (0, 1)]

    def whole(Q, K, V):
        return multi_head_attention(Q, K, V, Heads(**W))

    known = {"H": np.hstack([attention(*side) for side in sides]), "W_O": W["W_O"], "MultiHead": whole}
    return names | {f"W_{s}^(g)": W[f"W_{s}"][1] for s in "QKV"} | {"head_g": outputs[1]} | known


def parameters(rng):
    d = 6
    module = torch.nn.MultiheadAttention(d, 2)
    return {"d": d, "=": sum(p.numel() for p in module.parameters())}


def capstone_heads(rng):
    names, W = projected(rng), {s: rng.normal(size=(2, 5, 3)) for s in ("W_Q", "W_K", "W_V")}
    W_O, X = rng.normal(size=(6, 5)), names["X"]
    A = [attention_weights(X @ W["W_Q"][r], X @ W["W_K"][r]) for r in (0, 1)]

    def whole(X):
        return multi_head_attention(X, X, X, Heads(**W, W_O=W_O))

    H = np.hstack([A[r] @ X @ W["W_V"][r] for r in (0, 1)])
    return {"X": X, "d_k": 3, ROW: softmax, "A_r": A[1], "W_Q^r": W["W_Q"][1], "W_K^r": W["W_K"][1],
            "H": H, "W_O": W_O, "MultiHead": whole}  # fmt: skip


def capstone_law(rng):
    names = projected(rng)
    X, W_Q, W_K = names["X"], names["W_Q"], names["W_K"]

    def encode(Z, M):
        return attention(Z @ W_Q, Z @ W_K, Z, mask=M > 0.5)

    M = np.tri(4)
    return {"P": names["P"], "T": X, "E": rng.normal(size=X.shape), "M": M,
            "F_\\theta": encode, "g_\\theta": lambda Z, M: encode(Z, M).mean(axis=0)}  # fmt: skip


def layer(rng):
    names = projected(rng)
    S = scores(names["X"] @ names["W_Q"], names["X"] @ names["W_K"])
    return names | {"S": S, "f": lambda X: attention(*(X @ names[f"W_{s}"] for s in "QKV"))}


def general(rng):
    names = qkv(rng)
    one, two = (permutation_matrix(rng.permutation(n).tolist()) for n in (4, 5))
    return names | {"P_1": one, "P_2": two, "Att": attention}


def weights(rng):
    names = qkv(rng)
    A = attention_weights(names["Q"], names["K"])
    return names | {"\\alpha": A, "Y": attention(names["Q"], names["K"], names["V"]), "i": 2, "j": 4}


def temperature(rng):
    s, T = np.array([1.3, -0.4, 1.3, 0.2]), 0.5
    known = {"s": s, "m": 4, "T": T, "R": np.ptp(s), "g": 1.1, "b": 2, "j": 4}
    return known | {"a": softmax(s / T)}


def corner(rng):
    m, eps = 4, 2.0**-7
    g = brentq(lambda g: 1 - softmax([0.0] + (m - 1) * [-g])[0] - eps / 2, 1, 30)
    return {"g": g, "m": m, "\\varepsilon": eps, "near": 0.01}


def conjugation(rng):
    perm = rng.permutation(5).tolist()
    return {"P": permutation_matrix(perm), "S": rng.normal(size=(5, 5)), "\\pi": lambda i: perm[i - 1] + 1,
            "i": 2, "j": 4}  # fmt: skip


def steps(rng):
    names = projected(rng)
    known = dict(names)
    for X, prime in ((names["X"], ""), (names["P"] @ names["X"], "'")):
        Q, K, V = (X @ names[f"W_{s}"] for s in "QKV")
        made = {"Q": Q, "K": K, "V": V, "S": scores(Q, K), "A": attention_weights(Q, K), "Y": attention(Q, K, V)}
        known |= {key + prime: value for key, value in made.items()}
    return known


def recurrence(rng):
    X, W_x, W_h, b = (torch.tensor(rng.normal(size=shape)) for shape in ((6, 3), (4, 3), (4, 4), 4))
    start = torch.zeros(4, dtype=torch.float64)
    H = rnn(X, W_x, W_h, b, start=start)
    J = rnn_jacobians(H, W_h).numpy()
    first = H[0].clone().requires_grad_()
    last = rnn(X[1:], W_x, W_h, b, start=first)[-1]
    last.retain_grad()
    last.sin().sum().backward()
    J = np.concatenate([np.zeros((1, 4, 4)), J])  # J_2 is the first
    return {"h": H.numpy(), "J": J, "W_h": W_h.numpy(), "t": 4, "n": 6, "diag": np.diag,
            "\\partialL/\\partialh_1": first.grad.numpy(), "\\partialL/\\partialh_n": last.grad.numpy()}  # fmt: skip


def tolerance(rng):
    Y, N = rng.normal(size=(3, 5)), 40
    with patch("attnbook.check_display.add") as add:
        check.equal(Y, Y * (1 + 1e-16), terms=N)
    return {"Y": Y, "N": N, "\\varepsilon": 2.0**-52, "=": add.call_args[0][0].bound}


def logn(rng):
    m, m_0, c = 50, 10, 0.8
    lead = [c * math.log(m_0) * math.log(m) / math.log(m_0)]
    return {"m": m, "c": c, "=": softmax(lead + (m - 1) * [0.0])[0]}


NAMES = {
    "eq-length-logn": logn, "eq-product": product, "eq-sum": lambda rng: signs(1, 4) | {"\\dots": 2},
    "eq-one": lambda rng: signs(1, 4), "eq-query-gradient": gradient, "eq-step": step,
    "eq-short-gradient": short_gradient, "eq-init": initial,
    "eq-qkv-attention": qkv, "eq-qkv-heads": heads, "eq-qkv-parameters": parameters,
    "eq-cap-heads": capstone_heads, "eq-cap-law": capstone_law, "eq-sym-layer": layer, "eq-sym-general": general,
    "eq-softmax": lambda rng: {"softmax": softmax, "s": rng.normal(size=5), "m": 5, "j": 3},
    "eq-softmax-weights": weights, "eq-softmax-temperature": temperature, "eq-softmax-corner": corner,
    "eq-perm-conjugation": conjugation, "eq-perm-steps": steps, "eq-sym-tolerance": tolerance,
    "eq-rnn-step": recurrence, "eq-rnn-bound": recurrence, **deeper.NAMES, **positions.NAMES,
}  # fmt: skip
