"""The numbered equations of the pages that go deeper, as in `equations`."""

import itertools
import math

import numpy as np
import torch
from attnbook.attention import attention, attention_weights, entropy, scores, softmax
from attnbook.permutations import cycle_type, permutation_matrix, permutations
from attnbook.recurrent import rnn, rnn_jacobians
from attnbook.scores import row_coverage
from scipy import stats
from scipy.special import erf, gamma, logsumexp

REWRITTEN = {
    "eq-softmax-l2": [("P\\bigl(|\\textstyle\\sum_jw_j-1|<\\delta\\bigr)", "\\operatorname{P}(\\delta)")],
    "eq-rnn-slope": [("\\text{slope}", "\\operatorname{slope}")],
    "eq-erf": [("P(-t \\le Z \\le t)", "\\operatorname{P}(t)")],
    "eq-row": [("P(\\text{all } m \\text{ scores in } [-t,t])", "\\operatorname{P}(t)")],
    "eq-sym-tolerance": [
        (", \\quad N = \\max\\bigl(\\text{length of the sum, if given},\\ \\min(\\text{last axis}, 64)\\bigr)", "")
    ],
    "eq-perm-picks": [("I_{f}", "I(f)"), ("I_f", "I(f)")],
}


def sphere(rng):
    """The sum of a random unit vector is √m times its part along one direction, of density f."""
    m, delta = 7, 0.001
    part = stats.beta((m - 1) / 2, (m - 1) / 2, loc=-1, scale=2)

    def near(delta):
        return part.cdf((1 + delta) / math.sqrt(m)) - part.cdf((1 - delta) / math.sqrt(m))

    return {"P": near, "f": part.pdf, "m": m, "\\delta": delta, "t": 0.3, "\\Gamma": gamma, "near": 1e-3}


def free_energy(rng):
    s, T, a = rng.normal(size=4), 0.7, rng.dirichlet(np.ones(4))
    return {"F": lambda a: a @ s + T * entropy(a), "a": a, "T": T, "p": softmax(s / T), "L": logsumexp(s / T), "#j": 4}


def lse(rng):
    s = torch.tensor(rng.normal(size=5), requires_grad=True)
    torch.logsumexp(s, 0).backward()
    return {"s": s.detach().numpy(), "lse": logsumexp, "m": 5, "softmax": softmax, "j": 2, "#j": 5,
            "\\partial\\operatorname{lse}/\\partials_j": s.grad.numpy()[1]}  # fmt: skip


def gumbel(rng):
    s = rng.normal(size=3)
    return {"s": s, "m": 3, "j": 2, "Z": np.exp(s).sum()}


def entropy_slope(rng):
    s, beta = torch.tensor(rng.normal(size=5)), torch.tensor(0.8, dtype=torch.float64, requires_grad=True)
    a = softmax(beta * s)
    entropy(a).backward()
    a = a.detach().numpy()

    def variance(s):
        return a @ s**2 - (a @ s) ** 2

    return {"dH/d\\beta": beta.grad.numpy(), "\\beta": 0.8, "Var_a": variance, "s": s.numpy()}


def conjugacy(rng):
    n, kind = 5, (1, 2, 2)
    a = np.array([kind.count(k) for k in range(1, n + 1)])
    found = sum(sorted(cycle_type(perm)) == sorted(kind) for perm in permutations(n))
    return {"n": n, "a": a, "#k": n, "=": found}


def online(rng):
    q, K, v = rng.normal(size=(1, 3)), rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
    s = scores(q, K)[0]
    old, new = s[:4].max(), s.max()
    e = np.exp(s - new)
    before = {"\\ell": np.exp(s[:4] - old).sum(), "u": np.exp(s[:4] - old) @ v[:4], "\\mu": old}
    after = {"\\ell": e.sum(), "u": attention(q, K, v)[0] * e.sum(), "\\mu": new}
    return before | {"s": s, "v": v, "T": [5, 6], "\\mu'": new, "after": after}


def ends(rng):
    """In single precision: the last s whose exponential is finite, and the last gap with a weight above 0."""

    def last(holds):
        low, high = 1.0, 1000.0
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low

    with np.errstate(over="ignore"):
        top = last(lambda s: np.isfinite(np.exp(np.float32(s))))
    gap = last(lambda g: softmax(torch.tensor([0.0, -g], dtype=torch.float32))[1] > 0)
    limits = np.finfo(np.float32)
    return {
        "M": float(limits.max),
        "\\mu": float(limits.smallest_subnormal),
        "s_\\max": top,
        "g_\\max": gap,
        "equal": 1e-6,
    }


def slope(rng):
    X, W_x, W_h, b = (rng.normal(size=shape) for shape in ((3, 4), (300, 4), (300, 300), 300))
    H = rnn(X, W_x, W_h / 20, b)
    J = rnn_jacobians(H, W_h / 20)[-1]
    rate = 0.5 * np.log(np.sum(J**2) / 300)
    return {"slope": rate, "W_h": W_h / 20, "d_h": 300, "h": H, "t": 3, "near": 0.02}


def absorb(rng):
    W = rng.normal(size=(3, 4))
    return {"q": rng.normal(size=(2, 4)), "c": rng.normal(size=(5, 3)), "W": W, "i": 1, "j": 4}


def nadaraya(rng):
    k, V, q = rng.normal(size=(5, 3)), rng.normal(size=(5, 2)), rng.normal(size=3)

    def kernel(q, k):
        return np.exp(q @ k / math.sqrt(3))

    return {"hat y": lambda q: attention(q[None], k, V)[0], "q": q, "k": k, "V": V, "\\kappa": kernel, "#j": 5}


def one_score(rng):
    return {"P": lambda t: stats.norm.cdf(t) - stats.norm.cdf(-t), "t": 1.3, "erf": erf}


def row(rng):
    law = {"P": lambda t: row_coverage(t, 8, 5), "\\chi^2_d_k": stats.chi2(8).pdf, "erf": erf}
    return law | {"t": 9.0, "m": 5, "d_k": 8}


def cross(rng):
    Q, K, V = rng.normal(size=(1, 3)), rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    P, made = permutation_matrix(rng.permutation(5).tolist()), {}
    for keys, values, prime in ((K, V, ""), (P @ K, P @ V, "'")):
        made |= {f"S{prime}_t": scores(Q, keys), f"A{prime}_t": attention_weights(Q, keys),
                 f"C{prime}_t": attention(Q, keys, values)}  # fmt: skip
    return made | {"Q_t": Q, "K": K, "V": V, "P": P, "d_k": 3}


def key_shift(rng):
    Q, K, V, u = (rng.normal(size=shape) for shape in ((4, 3), (5, 3), (5, 2), (3, 1)))
    return {"Q": Q, "K": K, "V": V, "mathbf 1": np.ones((5, 1)), "u": u, "Attention": attention}


def cosine(rng):
    q, k = rng.normal(size=(2, 4))
    angle = 2 * math.atan2(np.linalg.norm(q / np.linalg.norm(q) - k / np.linalg.norm(k)),
                           np.linalg.norm(q / np.linalg.norm(q) + k / np.linalg.norm(k)))  # fmt: skip
    return {"q": q, "k": k, "d_k": 4, "\\theta": angle}


def many_keys(rng):
    """The scores are the quantiles of the standard normal law."""
    m = 10_001
    s = stats.norm.ppf((np.arange(m) + 0.5) / m)
    squares = np.sqrt(np.sum(softmax(s) ** 2))
    return {"a": squares, "s": s, "#j": m, "m": m, "mathbb E": np.mean, "near": 0.03, "equal": 0.03}


def contraction(rng):
    """The values are ±1, so that the bound is not met with a sum of its two parts."""
    A, V = softmax(rng.normal(size=(3, 4))), np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    r, low, high = A - A.min(axis=0), *np.argsort((A @ V)[:, 1])[[0, 2]]
    return {"A": A, "V": V, "r": r, "\\rho": 1 - A.min(axis=0).sum(), "i": high + 1, "i'": low + 1, "c": 2, "#j": 4}


def bare(rng):
    X = rng.normal(size=(4, 3))
    return {"X": X, "d": 3, "softmax_\\mathrm{row}": softmax, "=": attention(X, X, X)}


def context(rng):
    s, H = rng.normal(size=(3, 4)), rng.normal(size=(6, 4))
    A = attention_weights(s, H)
    return {"s": s, "H": H, "h": H, "c": A @ H, "\\alpha": A, "softmax": softmax, "d": 4, "t": 2}


def picks(rng):
    A = softmax(rng.normal(size=(3, 3)))
    maps = [(lambda i, f=f: f[i - 1]) for f in itertools.product((1, 2, 3), repeat=3)]

    def matrix(f):
        return np.array([[float(f(i) == j) for j in (1, 2, 3)] for i in (1, 2, 3)])

    return {"A": A, "#f": maps, "#i": 3, "I": matrix, "f": maps[5], "i": 2}


NAMES = {
    "eq-softmax-l2": sphere, "eq-softmax-free-energy": free_energy, "eq-softmax-lse": lse, "eq-softmax-gumbel": gumbel,
    "eq-softmax-entropy": entropy_slope, "eq-perm-class": conjugacy, "eq-qkv-online": online,
    "eq-softmax-range": ends, "eq-rnn-slope": slope, "eq-length-absorb": absorb, "eq-softmax-nadaraya": nadaraya,
    "eq-erf": one_score, "eq-row": row, "eq-sym-cross": cross, "eq-qkv-keyshift": key_shift,
    "eq-qkv-cosine": cosine, "eq-softmax-em": many_keys, "eq-softmax-contraction": contraction,
    "eq-qkv-bare": bare, "eq-qkv-context": context, "eq-perm-picks": picks,
}  # fmt: skip
