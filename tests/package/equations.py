"""The numbered equations of the book as small experiments: what each name in the TeX stands for, on random inputs.

A function of a generator returns the names that its equations use, computed with the package where the package has the
law. "=" is the value of an expression that stands alone, "near" the relative difference that ≈ and → allow, "after"
what ← must have set. ``written`` puts names for what is written in words, and formulas ("$") for words of a theorem.
"""

import itertools
import math
from unittest.mock import patch

import numpy as np
import torch
from attnbook import check
from attnbook.attention import attention, attention_weights, entropy, scores, softmax, softmax_jacobian
from attnbook.layers import Heads, multi_head_attention
from attnbook.length import ntk_frequencies, ramp_frequencies, turns
from attnbook.permutations import cycle_type, permutation_matrix, permutations, sinkhorn
from attnbook.positional import frequencies, logit_terms, rotate, sinusoidal
from attnbook.recurrent import delta_rule, lstm, rnn, rnn_jacobians
from attnbook.scores import row_coverage
from scipy import stats
from scipy.integrate import quad
from scipy.linalg import null_space
from scipy.optimize import bisect, brentq, least_squares, minimize
from scipy.special import erf, gamma, kv, logsumexp
from tex import Random
from torch.autograd.functional import jacobian

ROW = "softmax_\\mathrm{row}"
LENGTH = ", \\quad N = \\max\\bigl(\\text{length of the sum, if given},\\ \\min(\\text{last axis}, 64)\\bigr)"
NAMES, WRITTEN = {}, {}


def names_of(*labels, written=()):
    """Register a function as the one that computes the names of these equations."""

    def register(function):
        NAMES.update(dict.fromkeys(labels, function))
        WRITTEN.update((label, dict(written)) for label in labels)
        return function

    return register


def normal(rng, *shapes):
    return [rng.normal(size=shape) for shape in shapes]


def uncorrelated(rng, size, n):
    """n columns with mean 0, length 1 and no correlation, exactly."""
    return np.linalg.qr(np.c_[np.ones(size), rng.normal(size=(size, n))])[0][:, 1:]


@names_of("eq-qkv-attention", "eq-softmax-weights", "eq-sym-general", "eq-qkv-keyshift")
def qkv(rng, n=4, m=5, d=3, d_v=2):
    Q, K, V, u = normal(rng, (n, d), (m, d), (m, d_v), (d, 1))
    P_1, P_2 = (permutation_matrix(rng.permutation(size).tolist()) for size in (n, m))
    return {
        "Q": Q,
        "K": K,
        "V": V,
        "d_k": d,
        "m": m,
        ROW: softmax,
        "Attention": attention,
        "Att": attention,
        "i": 2,
        "j": 4,
        "\\alpha": attention_weights(Q, K),
        "Y": attention(Q, K, V),
        "P_1": P_1,
        "P_2": P_2,
        "u": u,
        "mathbf 1": np.ones((m, 1)),
    }


def projected(rng, n=4, d=5, d_k=3):
    X, W_Q, W_K, W_V = normal(rng, (n, d), (d, d_k), (d, d_k), (d, 2))
    P = permutation_matrix(rng.permutation(n).tolist())
    return {"X": X, "W_Q": W_Q, "W_K": W_K, "W_V": W_V, "P": P, "d_k": d_k, "d": d, ROW: softmax}


def signs(variance, d):
    """All vectors q, k with entries ± the root of ``variance``: equally likely, hence exact moments."""
    both = np.array(list(itertools.product((-1, 1), repeat=2 * d))).T * math.sqrt(variance)
    return {"q": both[:d].view(Random), "k": both[d:].view(Random), "d_k": d, "Var": np.var}


@names_of("eq-product")
def product(rng):
    X, Y = normal(rng, 3, 4)
    X, Y = np.repeat(X, 4).view(Random), np.tile(Y, 3).view(Random)  # independent: every pair once
    return {"X": X, "Y": Y, "Var": np.var, "mathbb E": np.mean}


@names_of("eq-init")
def initial(rng, d=5, sigma=0.3):
    return signs(sigma**2 * d, 3) | {"\\sigma": sigma, "d": d}


@names_of("eq-short-gradient", "eq-query-gradient")
def gradient(rng, m=5, d_k=4, c=0.7):
    """The first row by row: chi-square is the squared length of K_0ᵀJg for a unit vector in place of Jg."""
    K, q, g = normal(rng, (m, d_k), d_k, m)
    z, J = K @ q / np.linalg.norm(q), softmax_jacobian(softmax(c * K @ q))
    rest = (K - np.outer(z, q / np.linalg.norm(q))).T @ J @ g
    slope = jacobian(lambda q: softmax(c * (torch.tensor(K) @ q)) @ torch.tensor(g), torch.tensor(q)).numpy()
    return {
        "\\partialL/\\partialq": slope,
        "c": c,
        "z": z,
        "K": K,
        "J": J,
        "g": g,
        "\\chi^2_d_k-1": rest @ rest / (J @ g @ J @ g),
    }


@names_of(
    "eq-qkv-heads",
    "eq-cap-heads",
    "thm-qkv-sum",
    written={
        "[\\operatorname{head}_1\\;\\cdots\\;\\operatorname{head}_h]": "H",
        "[A_1XW_V^1,\\,\\dots,\\,A_hXW_V^h]": "C",
        "W_O^{(g)}": "O_g",
        "^{(g)}": "_g",
        "^r": "_r",
    },
)
def heads(rng):
    """Head 2 of two, alone, has the identity behind it."""
    W, (Q, K, V) = Heads(*normal(rng, *[(2, 5, 3)] * 3, (6, 5))), rng.normal(size=(3, 4, 5))
    alone = Heads(W.W_Q[[1]], W.W_K[[1]], W.W_V[[1]], np.eye(3))
    A, own = attention_weights(Q @ W.W_Q, K @ W.W_K), attention_weights(Q @ W.W_Q, Q @ W.W_K)
    names = {"A": A, "A_r": own[1], "X": Q, "X_Q": Q, "X_K": K, "X_V": V, "h": 2, "g": 2, "r": 2, "d_k": 3}
    return (
        names
        | W._asdict()
        | {
            "O": W.W_O.reshape(2, 3, 5),
            "head_g": multi_head_attention(Q, K, V, alone),
            "H": np.hstack(A @ V @ W.W_V),
            "C": np.hstack(own @ Q @ W.W_V),
            "Attention": attention,
            ROW: softmax,
            "MultiHead": lambda Q, *KV: multi_head_attention(Q, *(KV or (Q, Q)), W),
        }
    )


@names_of("eq-qkv-parameters")
def parameters(rng, d=6):
    return {"d": d, "=": sum(p.numel() for p in torch.nn.MultiheadAttention(d, 2).parameters())}


@names_of("eq-cap-law")
def capstone_law(rng):
    names = projected(rng)
    X, W_Q, W_K = names["X"], names["W_Q"], names["W_K"]

    def encode(Z, M):
        return attention(Z @ W_Q, Z @ W_K, Z, mask=M > 0.5)

    return {
        "P": names["P"],
        "T": X,
        "E": rng.normal(size=X.shape),
        "M": np.tri(4),
        "F_\\theta": encode,
        "g_\\theta": lambda Z, M: encode(Z, M).mean(axis=0),
    }


@names_of("eq-softmax-temperature")
def temperature(rng):
    s, T = np.array([1.3, -0.4, 1.3, 0.2]), 0.5
    return {"s": s, "m": 4, "T": T, "R": np.ptp(s), "g": 1.1, "b": 2, "j": 4, "a": softmax(s / T)}


@names_of("eq-softmax-corner")
def corner(rng):
    m, eps = 4, 2.0**-7
    g = brentq(lambda g: 1 - softmax([0.0] + (m - 1) * [-g])[0] - eps / 2, 1, 30)
    return {"g": g, "m": m, "\\varepsilon": eps, "near": 0.01}


@names_of(
    "eq-perm-conjugation",
    "thm-perm-commute",
    "thm-perm-sides",
    "thm-perm-sign",
    written={"\\text{inversions}": "k", "n \\ge 2": ""},
)
def conjugation(rng):
    perm, (A, B, S) = [2, 0, 1, 4, 3], normal(rng, (5, 3), (3, 5), (5, 5))
    k = sum(perm[i] > perm[j] for i, j in itertools.combinations(range(5), 2))
    return {
        "P": permutation_matrix(perm),
        "\\pi": lambda i: perm[i - 1] + 1,
        "A": A,
        "B": B,
        "S": S,
        "i": 2,
        "j": 1,
        "n": 5,
        "c": len(cycle_type(perm)),
        "k": k,
        "X": A,
        "v": perm,
        "f": softmax,
        "g": softmax,
    }


@names_of("eq-perm-softmax", written={r"\operatorname{softmax}_{\mathrm{row}}": r"\operatorname{softmax}"})
def shuffled_scores(rng):
    return {"P": permutation_matrix([2, 0, 1, 3]), "S": rng.normal(size=(4, 4)), "softmax": softmax}


@names_of("eq-perm-experts")
def experts(rng):
    slots, w = [0, 2, 2, 1, 2], rng.uniform(size=5)
    G = np.eye(4)[slots]
    return {"G": G, "w": w, "c": np.bincount(slots, minlength=4), "g": np.bincount(slots, w, 4), "diag": np.diag}


@names_of("eq-sym-layer", "eq-sym-steps")
def steps(rng):
    names = projected(rng)
    known = names | {"f": lambda X: attention(*(X @ names[f"W_{s}"] for s in "QKV"))}
    for X, prime in ((names["X"], ""), (names["P"] @ names["X"], "'")):
        Q, K, V = (X @ names[f"W_{s}"] for s in "QKV")
        made = {"Q": Q, "K": K, "V": V, "S": scores(Q, K), "A": attention_weights(Q, K), "Y": attention(Q, K, V)}
        known |= {key + prime: value for key, value in made.items()}
    return known


@names_of(
    "eq-rnn-step",
    "eq-rnn-bound",
    "thm-rnn-bptt",
    written={
        r"\frac{\partial L}{\partial h_1} = \sum": r"D = \sum",
        r"\frac{\partial \ell_t}{\partial h_t}": "G_t",
        r"J_t J_{t-1}\cdots J_2": "P_t",
    },
)
def recurrence(rng):
    X, W_x, W_h, b = map(torch.tensor, normal(rng, (6, 3), (4, 3), (4, 4), 4))
    H = rnn(X, W_x, W_h, b)
    J = rnn_jacobians(H, W_h).numpy()
    first = jacobian(lambda h: rnn(X[1:], W_x, W_h, b, start=h)[-1].sin().sum(), H[0])
    J, G = np.concatenate([np.zeros((1, 4, 4)), J]), torch.tensor(rng.normal(size=(6, 4)))  # J_2 is the first
    D = jacobian(lambda h: G[0] @ h + (G[1:] * rnn(X[1:], W_x, W_h, b, start=h)).sum(), H[0]).numpy()
    P = np.array([*itertools.accumulate(J[1:], lambda P, J: J @ P, initial=np.eye(4))])
    more = {"\\cdots": J[3] @ J[2], "D": D, "G": G.numpy(), "P": P}
    return more | {
        "h": H.numpy(),
        "J": J,
        "W_h": W_h.numpy(),
        "t": 4,
        "n": 6,
        "diag": np.diag,
        "\\partialL/\\partialh_1": first.numpy(),
        "\\partialL/\\partialh_n": H[-1].cos().numpy(),
    }


@names_of("eq-sym-tolerance", written={LENGTH: ""})
def tolerance(rng):
    Y, N = rng.normal(size=(3, 5)), 40
    with patch("attnbook.check.display.add") as add:
        check.equal(Y, Y * (1 + 1e-16), terms=N)
    return {"Y": Y, "N": N, "\\varepsilon": 2.0**-52, "=": add.call_args[0][0].bound}


@names_of("eq-length-logn")
def logn(rng):
    m, m_0, c = 50, 10, 0.8
    lead = [c * math.log(m_0) * math.log(m) / math.log(m_0)]
    return {"m": m, "c": c, "=": softmax(lead + (m - 1) * [0.0])[0]}


@names_of("eq-pos-frame")
def frame(rng):
    M, (x, p) = rng.normal(size=(5, 5)), rng.normal(size=(2, 2, 5))
    terms = logit_terms(
        x @ M, x, A=np.broadcast_to(p, (2, 2, 5)), C=(p @ M)[:, None] + np.zeros((2, 2, 5)), B=p @ M @ p.T
    )
    split = {"a_ij": lambda x: x @ M @ p[1], "c_ij": lambda x: p[0] @ M @ x, "b_ij": p[0] @ M @ p[1]}
    return split | {"\\ell_ij": sum(terms)[0, 1], "x": x, "q": x @ M, "k": x, "p": p, "M": M, "i": 1, "j": 2}


@names_of("eq-pos-complex", written={"\\sum_{\\text{pairs}}": "\\operatorname{total}"})
def complex_pairs(rng):
    q, k, theta, z = *rng.normal(size=(2, 8)), rng.uniform(size=4), rng.normal(size=4) + 1j * rng.normal(size=4)

    def turn(t):
        return rotate(np.eye(8), np.full(8, t), theta).T  # the matrix R_t, as each basis vector is turned

    def turned(z):
        return (flat := rotate(np.c_[z.real, z.imag].reshape(1, 8), [7], theta)[0])[::2] + 1j * flat[1::2]

    z_q, z_k = q[::2] + 1j * q[1::2], k[::2] + 1j * k[1::2]
    return {
        "R_i": turn(3),
        "R_j": turn(11),
        "i": 3,
        "j": 11,
        "q": q,
        "k": k,
        "Re": np.real,
        "total": np.sum,
        "t": 7,
        "\\theta": theta.view(Random),
        "z_k": z_k.view(Random),
        "bar z_q": z_q.conj().view(Random),
        "z": z.view(Random),
        "\\mapsto": turned,
    }


@names_of("eq-pos-four")
def four(rng):
    x, p, M = rng.normal(size=(2, 1, 3)), rng.normal(size=(2, 1, 3)), rng.normal(size=(3, 3))  # rows
    return {"x": x, "p": p, "M": M, "i": 1, "j": 2}


@names_of("eq-softmax-l2", written={"P\\bigl(|\\textstyle\\sum_jw_j-1|<\\delta\\bigr)": "\\operatorname{P}(\\delta)"})
def sphere(rng):
    """The sum of a random unit vector is √m times its part along one direction, of density f."""
    m, delta = 7, 0.001
    part = stats.beta((m - 1) / 2, (m - 1) / 2, loc=-1, scale=2)

    def near(delta):
        return part.cdf((1 + delta) / math.sqrt(m)) - part.cdf((1 - delta) / math.sqrt(m))

    return {"P": near, "f": part.pdf, "m": m, "\\delta": delta, "t": 0.3, "\\Gamma": gamma, "near": 1e-3}


@names_of("eq-softmax-free-energy")
def free_energy(rng):
    s, T, a = rng.normal(size=4), 0.7, rng.dirichlet(np.ones(4))
    return {
        "F": lambda a: a @ s + T * stats.entropy(a),
        "a": a,
        "T": T,
        "p": softmax(s / T),
        "L": logsumexp(s / T),
        "#j": 4,
        "s": s,
    }


@names_of(
    "thm-softmax-gibbs",
    written={r"\langle a,s\rangle": r"a \cdot s", "maximum, $a": "maximum, $b", "its value there is $": "$F(b) = "},
)
def maximum(rng):
    known = free_energy(rng)
    e = np.exp(minimize(lambda z: -known["F"](np.exp(z) / np.exp(z).sum()), np.zeros(4), tol=1e-9).x)
    return known | {"H": entropy, "softmax": softmax, "b": e / e.sum(), "equal": 1e-4}


@names_of("eq-softmax-lse", "eq-softmax-entropy")
def lse(rng):
    s, beta = map(torch.tensor, (rng.normal(size=5), np.float64(0.8)))
    slope, fall = jacobian(lambda s: s.logsumexp(0), s), jacobian(lambda beta: entropy(softmax(beta * s)), beta)
    s, a = s.numpy(), softmax(beta * s).numpy()
    return {
        "s": s,
        "lse": logsumexp,
        "m": 5,
        "softmax": softmax,
        "j": 2,
        "#j": 5,
        "\\beta": 0.8,
        "dH/d\\beta": fall.item(),
        "\\partial\\operatorname{lse}/\\partials_j": slope.numpy()[1],
        "Var_a": lambda s: a @ s**2 - (a @ s) ** 2,
    }


@names_of("eq-softmax-gumbel", "thm-softmax-gumbel", written={"with probability $": "$p = "})
def gumbel(rng):
    s = rng.normal(size=3)
    p = quad(lambda x: stats.gumbel_r.pdf(x - s[1]) * stats.gumbel_r.cdf(x - s[::2]).prod(), -9, 40, epsabs=1e-12)[0]
    return {"s": s, "m": 3, "j": 2, "Z": np.exp(s).sum(), "p": p, "softmax": softmax}


@names_of(
    "eq-perm-class",
    "thm-perm-long",
    written={"exactly $": "$c = ", "than $n/2$ is $": "$b = ", r"\sum_{n/2<k\le n}": r"\sum_{k\in K}"},
)
def conjugacy(rng):
    n, kind = 5, (1, 2, 2)
    a = np.array([kind.count(k) for k in range(1, n + 1)])
    found = sum(sorted(cycle_type(perm)) == sorted(kind) for perm in permutations(n))
    longest = np.array([max(cycle_type(perm)) for perm in permutations(n)])
    known = {"c": np.sum(longest == 4), "k": 4, "K": [3, 4, 5], "b": np.mean(longest < 3)}
    return known | {"n": n, "a": a, "#k": n, "=": found}


@names_of("eq-qkv-online")
def online(rng):
    q, K, v = rng.normal(size=(1, 3)), rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
    s = scores(q, K)[0]
    old, new = s[:4].max(), s.max()
    e = np.exp(s - new)
    before = {"\\ell": np.exp(s[:4] - old).sum(), "u": np.exp(s[:4] - old) @ v[:4], "\\mu": old}
    after = {"\\ell": e.sum(), "u": attention(q, K, v)[0] * e.sum(), "\\mu": new}
    return before | {"s": s, "v": v, "T": [5, 6], "\\mu'": new, "after": after}


@names_of("eq-softmax-range")
def ends(rng):
    """In single precision: the last s whose exponential is finite, and the last gap with a weight above 0."""
    with np.errstate(over="ignore"):
        top = bisect(lambda s: np.isfinite(np.exp(np.float32(s))) - 0.5, 1, 1000)
    gap = bisect(lambda g: float(softmax(torch.tensor([0.0, -g], dtype=torch.float32))[1] > 0) - 0.5, 1, 1000)
    most, least = (float(x) for x in (np.finfo(np.float32).max, np.finfo(np.float32).smallest_subnormal))
    return {"M": most, "\\mu": least, "s_\\max": top, "g_\\max": gap, "equal": 1e-6}


@names_of("eq-rnn-delta")
def delta(rng, beta=0.7):
    S, k, v = normal(rng, (3, 5), (5, 1), (3, 1))
    after = delta_rule(S, k[:, 0], v[:, 0], beta)
    return {"S_t": after, "S_t-1": S, "k_t": k, "v_t": v, "\\beta_t": beta, "I": np.eye(5)}


@names_of("eq-qk-norm", written={"\\cos(q, k)": "c"})
def normed(rng, d_k=7):
    q, k = torch.tensor(rng.normal(size=(2, d_k)))
    unit = {"hat q": torch.nn.functional.rms_norm(q, (d_k,)), "hat k": torch.nn.functional.rms_norm(k, (d_k,))}
    cosine = torch.nn.functional.cosine_similarity(q, k, dim=0).item()
    return {name: x.numpy() for name, x in unit.items()} | {"d_k": d_k, "c": cosine}


@names_of("eq-rnn-slope", written={"\\text{slope}": "\\operatorname{slope}"})
def slope(rng):
    X, W_x, W_h, b = (rng.normal(size=shape) for shape in ((3, 4), (300, 4), (300, 300), 300))
    H = rnn(X, W_x, W_h / 20, b)
    rate = 0.5 * np.log(np.sum(rnn_jacobians(H, W_h / 20)[-1] ** 2) / 300)
    return {"slope": rate, "W_h": W_h / 20, "d_h": 300, "h": H, "t": 3, "near": 0.02}


@names_of("eq-length-absorb")
def absorb(rng):
    W = rng.normal(size=(3, 4))
    return {"q": rng.normal(size=(2, 4)), "c": rng.normal(size=(5, 3)), "W": W, "i": 1, "j": 4}


@names_of("eq-softmax-nadaraya")
def nadaraya(rng):
    k, V, q = rng.normal(size=(5, 3)), rng.normal(size=(5, 2)), rng.normal(size=3)

    def kernel(q, k):
        return np.exp(q @ k / math.sqrt(3))

    return {"hat y": lambda q: attention(q[None], k, V)[0], "q": q, "k": k, "V": V, "\\kappa": kernel, "#j": 5}


@names_of(
    "eq-erf",
    "eq-row",
    written={
        "P(-t \\le Z \\le t)": "\\operatorname{P}(t)",
        "P(\\text{all } m \\text{ scores in } [-t,t])": "\\operatorname{R}(t)",
    },
)
def scores_within(rng):
    law = {"P": lambda t: stats.norm.cdf(t) - stats.norm.cdf(-t), "R": lambda t: row_coverage(t, 8, 5)}
    return law | {"t": 1.9, "m": 5, "d_k": 8, "\\chi^2_d_k": stats.chi2(8).pdf, "erf": erf}


@names_of("eq-sym-cross")
def cross(rng):
    Q, K, V = rng.normal(size=(1, 3)), rng.normal(size=(5, 3)), rng.normal(size=(5, 2))
    P, made = permutation_matrix(rng.permutation(5).tolist()), {}
    for keys, values, prime in ((K, V, ""), (P @ K, P @ V, "'")):
        made |= {
            f"S{prime}_t": scores(Q, keys),
            f"A{prime}_t": attention_weights(Q, keys),
            f"C{prime}_t": attention(Q, keys, values),
        }
    return made | {"Q_t": Q, "K": K, "V": V, "P": P, "d_k": 3}


@names_of("eq-softmax-em")
def many_keys(rng):
    """The scores are the quantiles of the standard normal law."""
    m = 10_001
    s = stats.norm.ppf((np.arange(m) + 0.5) / m)
    return {"a": softmax(s), "s": s, "#j": m, "m": m, "mathbb E": np.mean, "near": 0.03, "equal": 0.03}


@names_of("eq-softmax-contraction", "thm-softmax-contraction", written={"range}_c": "range}"})
def contraction(rng):
    """The values are ±1, so that the bound is not met with a sum of its two parts."""
    A, V = softmax(rng.normal(size=(3, 4))), np.array([[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0], [-1.0, -1.0]])
    r, low, high = A - A.min(axis=0), *np.argsort((A @ V)[:, 1])[[0, 2]]
    return {
        "A": A,
        "V": V,
        "r": r,
        "\\rho": 1 - A.min(axis=0).sum(),
        "i": high + 1,
        "i'": low + 1,
        "c": 2,
        "#j": 4,
        "#i": 3,
        "range": lambda V: np.ptp(V[:, 1]),
    }


@names_of("eq-qkv-context")
def context(rng):
    s, H = rng.normal(size=(3, 4)), rng.normal(size=(6, 4))
    A = attention_weights(s, H)
    return {"s": s, "H": H, "h": H, "c": A @ H, "\\alpha": A, "softmax": softmax, "d": 4, "t": 2}


@names_of("eq-perm-picks", written={"I_{f}": "I(f)", "I_f": "I(f)"})
def picks(rng):
    A = softmax(rng.normal(size=(3, 3)))
    maps = [(lambda i, f=f: f[i - 1]) for f in itertools.product((1, 2, 3), repeat=3)]

    def matrix(f):
        return np.array([[float(f(i) == j) for j in (1, 2, 3)] for i in (1, 2, 3)])

    return {"A": A, "#f": maps, "#i": 3, "I": matrix, "f": maps[5], "i": 2}


@names_of("eq-sum", "eq-one", "thm-variance")
def products(rng):
    return signs(1, 4) | {"\\dots": 2, "mathbb E": np.mean}


@names_of("thm-rnn-rate", written=dict.fromkeys((r"WW^\top = W^\top W", r"\kappa = 1", r"\|W^k\| = 1"), ""))
def rate(rng):
    V, lam = np.asmatrix(rng.normal(size=(4, 4))), np.asmatrix(np.diag([0.9, -0.7, 0.4, 0.2]))
    known = {"W": V * lam * V**-1, "V": V, "\\Lambda": lam, "k": 3, "\\kappa": np.linalg.cond(V)}
    return known | {"\\rho": lambda W: max(abs(np.linalg.eigvals(W)))}


@names_of("thm-rnn-latching", written={r"\partial f/\partial h": r"\frac{\partial f}{\partial h}"})
def latching(rng):
    W, h = np.asmatrix(rng.normal(size=(4, 4))) / 9, np.asmatrix(rng.normal(size=4)).T
    after = W**3
    return {
        "h_t": after * h,
        "h'_t": -0.99 * after * h,
        "h_0": h,
        "h'_0": -0.99 * h,
        "t": 3,
        "\\gamma": 1.1 * np.linalg.norm(W, 2),
        "\\partialf/\\partialh": W,
        "\\partialh_t/\\partialh_0": after,
    }


@names_of(
    "thm-rnn-direct",
    written={
        r"\frac{\partial L}{\partial v_j}": "G_j",
        r"\frac{\partial L}{\partial y_i}": "R_i",
        r"\partial L/\partial V": "G",
        r"\partial L/\partial Y": "R",
        r"\partial L/\partial v_j": "G_j",
        r"\partial L/\partial y_i": "R_i",
    },
)
def direct(rng):
    A, V, R = softmax(rng.normal(size=(4, 5))), *map(torch.tensor, normal(rng, (5, 2), (4, 2)))
    G = jacobian(lambda V: (R * (torch.tensor(A) @ V)).sum(), V)
    return {"A": A, "\\alpha": A, "n": 4, "j": 3, "#j": 5, "#i": 4, "G": G.numpy(), "R": R.numpy()}


@names_of("eq-qkv-cosine", "thm-qkv-cosine")
def cosine(rng):
    """The keys k_j have the length r, and k is the first. Half of an angle between unit vectors is an arctangent."""
    r, q, k = 1.7, *normal(rng, 4, (5, 4))
    p, k = q / np.linalg.norm(q), k / np.linalg.norm(k, axis=1, keepdims=True)
    angles = 2 * np.arctan2(np.linalg.norm(p - k, axis=1), np.linalg.norm(p + k, axis=1))
    return {
        "softmax": softmax,
        "q": q,
        "k": r * k[0],
        "k_j": r * k.T,
        "d_k": 4,
        "g": r * np.linalg.norm(q) / 2,
        "r": r,
        "\\theta": angles[0],
        "\\theta_j": angles,
    }


@names_of("eq-softmax", "thm-qkv-shift", "thm-softmax-laws", "thm-qkv-limit", written={r"s_{j^*} \ge s_j + \Delta": ""})
def laws(rng):
    s, v = np.array([0.3, 1.5, -0.2, 0.9]), rng.normal(size=(4, 2))
    a, again = softmax(s), np.log(softmax(s))
    known = {"a": a, "s": s, "softmax": softmax, "i": 1, "j": 2, "#j": 4, "m": 4, "s'": again, "c": again[0] - s[0]}
    known |= {"mathbf 1": np.ones(4), "v": v, "v_j^*": v[1], "D": max(np.linalg.norm(v - v[1], axis=1)), "\\Delta": 0.5}
    return known | {"y": lambda beta: softmax(beta * s) @ v, "\\beta": 20, "\\infty": 20, "near": 1e-3}


@names_of("thm-softmax-variance", "thm-qkv-rows")
def averages(rng):
    a, (V, W, b) = softmax(rng.normal(size=3)), normal(rng, (3, 3), (3, 2), 3)
    r = np.linalg.matrix_rank(np.c_[V, np.ones(3)])
    return {"a": a, "V": V, "y": a @ V, "W": W, "b": b, "m": 3, "j": 2, "#j": 3, "r": r, "d_v": 3}


@names_of(
    "eq-softmax-sink",
    written={
        r"\operatorname{softmax}(S, s)\begin{pmatrix}V\\0\end{pmatrix}": "y",
        r"\operatorname{lse}(S)": "L",
        r"\operatorname{softmax}(S)": "a",
    },
)
def sink(rng):
    S, s, V = rng.normal(size=4), 1.7, rng.normal(size=(4, 3))
    y = softmax(np.append(S, s)) @ np.vstack([V, np.zeros(3)])
    return {"y": y, "L": logsumexp(S), "s": s, "a": softmax(S), "V": V, "\\sigma": lambda x: 1 / (1 + np.exp(-x))}


@names_of("eq-qkv-deleted", written={"y'": "z"})
def deleted_key(rng, m=5, j=2):
    """What softmax makes of the other keys, afresh."""
    s, V = rng.normal(size=m), rng.normal(size=(m, 3))
    a, others = softmax(s), np.arange(m) != j
    return {"z": softmax(s[others]) @ V[others], "y": a @ V, "a_j": a[j], "v_j": V[j]}


@names_of("eq-perm-gap", written={"\\langle P, S\\rangle": "B", "\\langle D_T, S\\rangle": "C", "H(D_T)": "H"})
def sinkhorn_gap(rng, n=4, T=0.7):
    """The best of all n! totals, and what a balanced matrix makes of the scores."""
    S = rng.normal(size=(n, n))
    D = sinkhorn(np.exp(S / T), rounds=500)
    best = max(S[range(n), perm].sum() for perm in permutations(n))
    return {"B": best, "C": (D * S).sum(), "H": -(D * np.log(D)).sum(), "T": T, "n": n}


@names_of("thm-softmax-hull")
def reached(rng):
    known = averages(rng)
    q = np.linalg.solve(known["V"], np.log(known["a"]))  # as many values as numbers in each: q is found at once
    return known | {"q": q, "softmax": softmax}


@names_of(
    "thm-softmax-rank",
    "thm-jacobian",
    written={r" \in \mathbb{R}^{m\times m}": "", "= 0": "= o", r"\partial a/\partial s": "D"},
)
def jacobian_rank(rng):
    a = softmax(s := rng.normal(size=4))
    known = {"J": softmax_jacobian(a), "a": np.asmatrix(a).T, "diag": lambda a: np.diag(np.ravel(a)), "r": 4, "m": 4}
    known |= {"D": jacobian(softmax, torch.tensor(s)).numpy(), "s": s[:, None], "softmax": lambda s: softmax(s, axis=0)}
    return known | {"mathbf 1": np.ones((4, 1)), "o": np.zeros((4, 1))}


@names_of("thm-perm-group")
def group(rng):
    one, two, inverse = [1, 2, 0, 3], [0, 2, 3, 1], [2, 0, 1, 3]
    perms = {
        "\\pi": one,
        "\\pi^{-1}": inverse,
        "\\sigma": one,
        "\\tau": two,
        "\\tau\\circ\\sigma": [two[i] for i in one],
    }
    return {f"P_{name}": np.asmatrix(permutation_matrix(perm)) for name, perm in perms.items()} | {"I": np.eye(4)}


@names_of("thm-perm-birkhoff")
def birkhoff_sum(rng):
    theta, P = rng.dirichlet(np.ones(3)), np.eye(3)[[[0, 1, 2], [1, 2, 0], [1, 0, 2]]]
    return {"\\theta": theta, "P": P, "D": np.einsum("k,kij", theta, P), "k": 2, "#k": 3}


@names_of(
    "thm-sym-attention", "thm-sym-mask", "thm-pos-add", "eq-pos-add", written={";": ",", "PE = E": "", "P = I": ""}
)
@names_of(
    "thm-cap-table",
    "thm-sym-augment",
    "thm-sym-linear",
    written={r"\nabla_\theta L(f_\theta": "H(", r"\nabla L(": "G(", "L(": r"\operatorname{loss}("},
)
def equivariant(rng):
    """P turns the tokens round in a ring, and M lets each see itself and the next: PMPᵀ = M."""
    names = projected(rng)
    names["W_V"] = rng.normal(size=(5, 5))
    W = tuple(torch.tensor(names[f"W_{s}"]) for s in "QKV")
    L = np.mean([permutation_matrix(p).T @ names["X"][:, :4] @ permutation_matrix(p) for p in permutations(4)], axis=0)
    turned = torch.tensor(np.array([np.roll(names["X"], k, axis=0) for k in range(4)]))

    def loss(X, *W):
        return attention(*(X @ w for w in W)).mean(dim=-2).square().sum()

    names |= {
        "f_\\theta": lambda X: f(X).mean(axis=0),
        "loss": lambda E: loss(turned + torch.tensor(E), *W).item(),
        "G": lambda E: jacobian(lambda E: loss(turned + E, *W), torch.tensor(E)).numpy(),
        "H": lambda X: np.hstack(jacobian(lambda *W: loss(torch.tensor(X), *W), W)),
        "L": L,
        "I": np.eye(4),
        "mathbf 1": np.ones((4, 1)),
        "a": L[0, 0] - L[0, 1],
        "b": L[0, 1],
        "n": 4,
    }

    def f(X, M=None):
        return attention(*(X @ names[f"W_{s}"] for s in "QKV"), mask=M if M is None else M > 0.5)

    X, E, P = names["X"], sinusoidal(np.arange(4), 6)[:, :5], np.roll(np.eye(4), 1, axis=1)
    return names | {"f": f, "P": P, "M": np.eye(4) + P, "E": E, "tilde X": E + X, "tilde X'": E + P @ X}


@names_of("thm-pos-shift", "eq-cap-input", written={"T_{i,:} = \\text{embedding of word } i, \\\\": ""})
def sinusoids(rng):
    E, omega = sinusoidal(np.arange(9), 6), frequencies(6)
    T = {t: rotate(np.eye(6), np.full(6, -t), omega) for t in (2, 5, 7)}
    known = {"X": E + 1.0, "T": np.ones_like(E), "E": E, "\\omega_k": omega[2], "E_t,2k": E[7, 4], "E_t,2k+1": E[7, 5]}
    return known | {"p_t": E[3], "p_t+s": E[5], "T_s": T[2], "T_u": T[5], "T_s+u": T[7], "d": 6, "t": 7}


@names_of(
    "thm-pos-rotary",
    "thm-length-renumber",
    written={
        r"t = 0, 1, 2, \dots": "",
        "turning a stored key $": "turning a stored key $T(",
        "$ by $": ", ",
        "$ gives $": ") = ",
    },
)
def rotary(rng):
    R, q, k = [rotate(np.eye(6), np.full(6, t)).T for t in range(20)], *rng.normal(size=(2, 6))
    return {
        "I": np.eye(6),
        "R_0": R[0],
        "R_1": np.asmatrix(R[1]),
        "R_t": R[3],
        "t": 3,
        "R": np.array(R[1:]),
        "i": 5,
        "q": q,
        "k": k,
        "j": 9,
        "u": 4,
        "T": lambda x, t: rotate(x[None], [t])[0],
    }


@names_of("thm-length-gates")
def gates(rng):
    i = np.arange(1, 7)
    return {"B": (i[:, None] - i) * math.log(0.8), "f": 0.8, "i": 6, "j": 1, "l": 3}


@names_of("thm-law", written={"\\dfrac": "\\frac", "f(s)": "f"})
def score_density(rng):
    """Given q, the score is normal with variance ‖q‖²."""
    q2 = stats.chi2(5)
    f = quad(lambda x: q2.pdf(x) * math.exp(-(1.4**2) / (2 * x)) / math.sqrt(2 * math.pi * x), 0, 80)[0]
    return {"f": f, "s": 1.4, "\\nu": 2.0, "d_k": 5, "K_\\nu": lambda x: kv(2.0, x), "\\Gamma": gamma}


@names_of("eq-rnn-read")
def read(rng):
    M, x = rng.normal(size=(3, 6)), np.linalg.qr(rng.normal(size=(20, 9)))[0]  # uncorrelated exactly
    left = np.linalg.lstsq(x[:, :6] @ M.T + 0.4 * x[:, 6:], x[:, 1])[1]
    return {"R^2": 1 - left[None], "M": M.T, "j": 2, "C": np.asmatrix(M @ M.T + 0.4**2 * np.eye(3))}


@names_of(
    "thm-softmax-sparsemax",
    written={
        "s_{(": "z_{(",
        "_{j\\le k}": "_{j=1}^k",
        r"= \max(": r"= \operatorname{larger}(",
        "its Jacobian is $": "$D = ",
    },
)
def nearest(rng):
    def point(s):  # of those nearest on each face of the simplex, the nearest of all
        faces = map(np.array, [*itertools.product((0.0, 1.0), repeat=4)][1:])
        inside = [a for e in faces if ((a := e * (s + (1 - s @ e) / e.sum())) >= 0).all()]
        return min(inside, key=lambda a: np.linalg.norm(a - s))

    s, e = np.array([0.9, 0.6, -0.4, 0.5]), np.array([[1], [1], [0], [1]])
    D, z = np.array([point(s + step) - point(s) for step in 0.01 * np.eye(4)]).T / 0.01, -np.sort(-s)
    return {
        "sparsemax": point,
        "s": s,
        "z": z,
        "\\dots": z[1],
        "D": D,
        "k": 3,
        "m": 4,
        "j": 2,
        "e_j": 1,
        "e": e,
        "larger": max,
        "\\tau": (s - point(s))[0],
        "diag": lambda e: np.diag(e[:, 0]),
    }


@names_of("thm-softmax-kernel", written={r"\kappa(q,k) = e^{-": "g = e^{-", "an extra factor $": "$r = "})
def kernels(rng):
    q, k = np.array([[1.0, 2.0, -1.5], [-1.5, 1.0, 2.0]])

    def ratio(*keys):  # of the weights of two keys
        return np.divide(*attention_weights([q], keys)[0])

    r = ratio(k, 0 * k) * math.exp(((q - k) @ (q - k) - q @ q) / 12**0.5)
    return {"\\kappa": lambda q, k: ratio(k, 0 * k), "g": ratio(k, q), "q": q, "k": k, "d_k": 3, "h": 3**0.25, "r": r}


@names_of("thm-length-rules", written={"divides $\\theta_h$ by $": "$q = ", " every unfinished pair by $": "$u = "})
def slowed(rng, s=8.0):
    slower = frequencies(8) / [ntk_frequencies(8, s), ramp_frequencies(frequencies(8), 10, s, slow=1.2, fast=1.5)]
    return {
        "d": 8,
        "h": 2,
        "s": s,
        "n_0": 10,
        "n": 80,
        "\\alpha": 1.2,
        "\\beta": 1.5,
        "q": slower[0, 2],
        "r_h": turns(frequencies(8), 10)[0],
        "u": slower[1, 2],
    }


@names_of("thm-perm-sinkhorn", written={"multiplies the error of $\\ln r$ by $": "$R = "})
def scaled(rng):
    D = sinkhorn(M := rng.uniform(0.2, 1, size=(4, 4)))
    r, c, tensor = D[:, 0] / M[:, 0], D[0] / M[0] * M[0, 0] / D[0, 0], torch.tensor(M)
    R = jacobian(lambda x: -(tensor @ (1 / (x.exp() @ tensor))).log(), torch.tensor(np.log(r))).numpy()
    return {"M": M, "D": D, "r": r, "c": c, "R": R, "\\sigma_2": np.linalg.svd(D)[1][1]}


@names_of("eq-limits", "thm-tied-rows")
def ties(rng, m=3, d_k=10**6):
    """Of three keys two tie: their scores differ by t, drawn close to 0, and weights make up for that.

    The key that is left is below both. d_k stands for its limit. The gradient is that of eq-short-gradient.
    """
    u = stats.qmc.Sobol(8, seed=rng).random_base2(14).T
    (z, other, *g), t = stats.norm.ppf(u[:5]), stats.logistic.ppf(u[5])
    length, rest = np.sqrt(stats.chi2.ppf(u[6:], [[d_k], [d_k - 1]]))
    z = np.array([z, z - t / length, other])
    weights = 3 * stats.norm.pdf(z[1]) / length / stats.logistic.pdf(t) * (other < z[:2].min(axis=0))
    J = softmax_jacobian(softmax((length * z).T))
    Jg = np.einsum("nij,jn->in", J, g)

    def larger(t):
        """The probability that the best of three is ahead of the others by t."""
        return 3 * quad(lambda x: stats.norm.pdf(x) * stats.norm.cdf(x - t) ** 2, -9, 9, epsabs=1e-13)[0]

    slope = np.array([(z * Jg).sum(axis=0), np.linalg.norm(Jg, axis=0) * rest])
    return {
        "\\partialL/\\partialq": slope.view(Random),
        "J": np.moveaxis(J, 0, -1).view(Random),
        "m": m,
        "d_k": d_k,
        "\\infty": d_k,
        "mathbb E": lambda x: np.mean(weights * x),
        "f_m": (larger(-0.001) - larger(0.001)) / 0.002,
        "\\varphi": stats.norm.pdf,
        "\\Phi": stats.norm.cdf,
        "near": 0.01,
        "equal": 1e-5,
    }


@names_of(
    "thm-cap-half",
    "thm-sym-blind",
    written={
        "mean loss $": "mean loss $\\operatorname{mean}(",
        "p(\\text{right answer})$ is at least $": "p) \\ge ",
        "on the two is at least $": "on the two is $\\ell \\ge ",
    },
)
def mirror_images(rng):
    """An invariant model is asked of 480 sentences whether word 0 comes before word 1."""
    texts = [text for text in itertools.product(range(4), repeat=6) if text.count(0) == text.count(1) == 1]
    names, X = projected(rng), rng.normal(size=(4, 5))[np.array(texts)]
    answers = softmax(0.1 * attention(*(X @ names[f"W_{s}"] for s in "QKV")).mean(axis=1))
    p = np.array([answer[int(text.index(0) > text.index(1))] for text, answer in zip(texts, answers, strict=True)])
    loss = dict(zip(texts, -np.log(p), strict=True))
    return {"p": p, "mean": np.mean, "\\ell": np.array([loss[text] + loss[text[::-1]] for text in texts]) / 2}


@names_of("thm-length-bounded", written={"no weight exceeds $": "the largest weight is $w = "})
def bounded(rng, m=5, g=0.7):
    return {"m": m, "g": g, "w": softmax([*itertools.product(np.linspace(-g, g, 5), repeat=m)]).max()}


@names_of("thm-length-reach", written={"depends on no input before position $": "depends on inputs from $r = "})
def reach(rng, n=10, L=2, w=3):
    window = np.tri(n) > np.tri(n, k=-w)

    def last(X):
        for _ in range(L):
            X = attention(X, X, X, mask=window)
        return X[-1].sum()

    read = jacobian(last, torch.tensor(rng.normal(size=(n, 4)))).numpy().any(axis=1)
    return {"r": np.flatnonzero(read)[0], "i": n - 1, "L": L, "w": w}


@names_of(
    "thm-perm-exp", written={"every row of $R$ has exactly one 1 and otherwise zeros": "$\\operatorname{sort}(R) = e$"}
)
def commuting(rng):
    """The rows of R are least squares for 20 vectors x, each from a start of its own."""
    x, tight = rng.normal(size=(3, 20)), {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}
    found = [least_squares(lambda r: np.exp(r @ x) - r @ np.exp(x), rng.normal(size=3), **tight) for _ in range(20)]
    R = np.array([fit.x for fit in found if fit.cost < 1e-20])
    return {"R": R, "x": rng.normal(size=(3, 2)), "sort": np.sort, "e": np.eye(3)[[2] * len(R)]}


@names_of("thm-pos-causal", written={"can give the output $": "can give the output $y = "})
def queue(rng):
    words = rng.normal(size=(4, 5))  # the marker is the first
    X = words[[0, 3, 1, 1, 2, 3]]
    V = X @ np.linalg.lstsq(words, np.eye(4)[:, 0])[0]
    return {"t": np.arange(6), "y": attention(0 * X, 0 * X, V[:, None], np.tri(6) > 0)[:, 0]}


@names_of("thm-pos-mirror")
def mirror(rng):
    names, b = projected(rng), rng.normal(size=4)[abs(np.arange(4) - np.arange(4)[:, None])]

    def layer(X):
        Q, K, V = (X @ names[f"W_{s}"] for s in "QKV")
        return softmax(Q @ K.T + b) @ V

    return {"X": names["X"], "F": np.eye(4)[::-1], "f": layer}


@names_of("thm-qkv-exponential")
def shiftable(rng):
    """Of all w on ten integers whose weights of two scores ignore a shift by 1, one at random."""
    e = np.eye(10)
    same = [e[i + 1] - e[j + 1] - e[i] + e[j] for i in range(9) for j in range(9)]  # of ln w, it is 0
    w = np.exp(null_space(same) @ rng.normal(size=2))
    return {"w": lambda s: w[s], "s": np.arange(10), "\\beta": np.log(w[1] / w[0])}


@names_of(
    "eq-qkv-bare",
    "thm-qkv-self",
    written={
        "each row of $": "each row of $\\operatorname{diag}(",
        "$, $\\beta > 0$, has its strictly largest weight on the diagonal": ") > B$",
    },
)
def own_weight(rng):
    X = rng.normal(size=(4, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    others = attention_weights(X, X, scale=0.7) * (1 - np.eye(4))
    return {"X": X, "d": 3, "\\beta": 0.7, ROW: softmax, "B": others.max(axis=1), "=": attention(X, X, X)}


@names_of("thm-rnn-capacity")
def capacity(rng):
    x, W_h, W_x = uncorrelated(rng, 30, 6), *normal(rng, (3, 3), (3, 1))
    h = rnn(x[:, :, None], W_x, W_h, np.zeros(3))[:, -1]
    left = np.linalg.lstsq(np.c_[np.ones(30), h], x)[1]
    return {"R^2": 1 - left, "#k": 6, "d_h": 3}


@names_of(
    "thm-rnn-paths",
    written={
        "\\lceil": "\\operatorname{ceil}(",
        "\\rceil": ")",
        "$ in a recurrent network": " = R$ in a recurrent network",
        "$ in a stack of causal conv": " = C$ in a stack of causal conv",
        "$ if layer $l$ is dilated": " = D$ if dilated",
        "$ if each position sees only $w$": " = W$ if each position sees only $w$",
    },
)
def paths(rng, n=12, k=3, w=4):
    def length(steps):
        """How many layers take the first position to the last, by steps of these sizes in layer l."""
        reached = {0}
        for layer in itertools.count(1):
            reached = {i + step for i in reached for step in steps(layer)}
            if n - 1 in reached:
                return layer

    return {
        "n": n,
        "k": k,
        "w": w,
        "\\log_k": lambda x: math.log(x, k),
        "ceil": math.ceil,
        "R": length(lambda layer: [1]),
        "C": length(lambda layer: range(k)),
        "W": length(lambda layer: range(-w, w + 1)),
        "D": length(lambda layer: range(0, k**layer, k ** (layer - 1))),
    }


@names_of(
    "thm-rnn-rank",
    written={
        "leaves the fraction $": "leaves the fraction $v = ",
        "the Jacobian $": "the Jacobian $\\operatorname{rank}(",
        "$ has rank at most $": ") \\le ",
        r"\partial y/\partial X": "D",
        "of an LSTM, at most $": "of an LSTM, at most $\\operatorname{rank}(C) \\le ",
    },
)
def held(rng):
    """The past is 3 times 2 numbers. W has rank 1, so that the state, of 4 numbers, holds 3 of them."""
    W, U, x = np.outer(*normal(rng, 4, 4)), rng.normal(size=(4, 2)), uncorrelated(rng, 30, 6).T * math.sqrt(30)

    def state(x):
        h = np.zeros((4, x.shape[1]))
        for x_t in x.reshape(3, 2, -1):
            h = W @ h + U @ x_t
        return h

    M, h = state(np.eye(6)), state(x)
    best = np.linalg.lstsq(h.T, x.T)[0].T @ h
    X, W_x, W_h, b, *gated = map(torch.tensor, (*normal(rng, (3, 2)), U, W, *normal(rng, 4, (16, 2), (16, 4), 16)))
    y = jacobian(lambda X: rnn(X, W_x, W_h, b)[-1].sin(), X).reshape(4, 6)
    y_c = jacobian(lambda X: torch.cat([s[-1] for s in lstm(X, *gated)]).sin(), X).reshape(8, 6)
    return {
        "M": M,
        "M^+": np.linalg.pinv(M),
        "h_n": h,
        "d_h": 4,
        "hat x": best,
        "n": 3,
        "d": 2,
        "v": np.sum((x - best) ** 2) / np.sum(x**2),
        "D": y.numpy(),
        "C": y_c.numpy(),
    }


@names_of(
    "eq-step",
    "thm-scale-step",
    written={"$ for the first matrix": " = p$ for the first matrix", "$ for the second": " = r$ for the second"},
)
def two_runs(rng, alpha=0.6, beta=1.5, eta=0.1):
    """The steps p and r that keep run B at α and β times the matrices of A, by least squares."""
    X, Y, V, W_Q, W_K = map(torch.tensor, normal(rng, (4, 3), (5, 3), (5, 2), (3, 2), (3, 2)))

    def slopes(c, *W):
        return jacobian(lambda W_Q, W_K: attention(X @ W_Q, Y @ W_K, V, scale=c).square().sum(), W)

    A, B = slopes(alpha * beta, W_Q, W_K), slopes(1, alpha * W_Q, beta * W_K)
    p, r = (f * eta * (a * b).sum().item() / (b * b).sum().item() for f, a, b in zip((alpha, beta), A, B, strict=True))
    return {
        "\\alpha": alpha,
        "\\beta": beta,
        "c": alpha * beta,
        "\\eta": eta,
        "p": p,
        "r": r,
        "W_Q": W_Q.numpy(),
        "U_Q": alpha * W_Q.numpy(),
        "\\partialL/\\partialW_Q": A[0].numpy(),
        "\\partialL/\\partialU_Q": B[0].numpy(),
    }


@names_of(
    "thm-softmax-mask",
    written={
        "$ is 0 outside $U$, and on $U$ it is the softmax of the scores of $U$ alone": " = a$",
        "It is also $": "It is also $\\operatorname{shown}(",
        "$ with the hidden weights set to 0 and the rest divided by their sum": ") = a$",
    },
)
def masked(rng):
    s, seen, a = rng.normal(size=5), np.array([1, 0, 1, 1, 0]), np.zeros(5)
    a[[0, 2, 3]] = softmax(s[[0, 2, 3]])
    return {
        "s": s,
        "s'": np.where(seen, s, -np.inf),
        "j": 3,
        "a": a,
        "softmax": softmax,
        "shown": lambda a: seen * a / (seen @ a),
    }


@names_of("thm-softmax-springs", written={"the weights $p$ have the largest entropy": "$H(p) \\ge H(a)$"})
def springs(rng):
    """p has the largest entropy of all weights with this mean, by search, and a has the same mean."""
    V, lam = normal(rng, (5, 2), 2)
    held, y = np.c_[V, np.ones(5)].T, softmax(V @ lam) @ V
    same = {"type": "eq", "fun": lambda a: held @ a - [*y, 1]}
    p = minimize(lambda a: a @ np.log(a), np.ones(5) / 5, constraints=same, bounds=[(1e-9, 1)] * 5, tol=1e-13).x
    return {
        "V": V,
        "\\lambda": lam,
        "p": p,
        "y": y,
        "a": p + 0.05 * null_space(held)[:, 0],
        "#j": 5,
        "softmax": softmax,
        "H": entropy,
        "equal": 1e-5,
    }


@names_of("thm-sym-deep-sets", written={"\\{x_1,\\dots,x_n\\}": "x"})
def multisets(rng, N=3):
    bags = [bag for n in range(N + 1) for bag in itertools.combinations_with_replacement(range(4), n)]
    f = dict(zip(bags, rng.normal(size=len(bags)), strict=True))
    rho = {sum((N + 1) ** x for x in bag): f[bag] for bag in bags}
    return {
        "f": lambda x: f[tuple(sorted(x))],
        "\\rho": rho.get,
        "\\varphi": lambda x: (N + 1) ** x,
        "x": np.array([2, 0, 2]),
        "#i": 3,
    }


@names_of(
    "thm-sym-orbit",
    written={"the size of the orbit of $x$ times the size of its stabiliser is the size of the group": "$OS = G$"},
)
def orbit(rng):
    x, group = "noon", permutations(4)
    moved = ["".join(x[i] for i in perm) for perm in group]
    return {"O": len(set(moved)), "S": moved.count(x), "G": len(group)}
