"""The numbered equations about positions, as in `equations`."""

import numpy as np
from attnbook.permutations import permutation_matrix
from attnbook.positional import frequencies, logit_terms, rotate, sinusoidal
from tex_reader import Random

REWRITTEN = {
    "eq-pos-complex": [("\\sum_{\\text{pairs}}", "\\operatorname{total}")],
    "eq-cap-input": [("T_{i,:} = \\text{embedding of word } i, \\qquad", "")],
}


def frame(rng):
    M, (x, p) = rng.normal(size=(5, 5)), rng.normal(size=(2, 2, 5))
    terms = logit_terms(
        x @ M, x, A=np.broadcast_to(p, (2, 2, 5)), C=(p @ M)[:, None] + np.zeros((2, 2, 5)), B=p @ M @ p.T
    )
    split = {"a_ij": lambda x: x @ M @ p[1], "c_ij": lambda x: p[0] @ M @ x, "b_ij": p[0] @ M @ p[1]}
    return split | {"\\ell_ij": sum(terms)[0, 1], "x": x, "q": x @ M, "k": x, "p": p, "M": M, "i": 1, "j": 2}


def complex_pairs(rng):
    q, k, theta, z = *rng.normal(size=(2, 8)), rng.uniform(size=4), rng.normal(size=4) + 1j * rng.normal(size=4)

    def turn(t):
        return rotate(np.eye(8), np.full(8, t), theta).T  # the matrix R_t, as each basis vector is turned

    def turned(z):
        return (flat := rotate(np.c_[z.real, z.imag].reshape(1, 8), [7], theta)[0])[::2] + 1j * flat[1::2]

    z_q, z_k = q[::2] + 1j * q[1::2], k[::2] + 1j * k[1::2]
    return {"R_i": turn(3), "R_j": turn(11), "i": 3, "j": 11, "q": q, "k": k, "Re": np.real, "total": np.sum, "t": 7,
            "\\theta": theta.view(Random), "z_k": z_k.view(Random), "bar z_q": z_q.conj().view(Random),
            "z": z.view(Random), "\\mapsto": turned}  # fmt: skip


def sinusoids(rng):
    E = sinusoidal(np.arange(9), 8)
    return {"X": E + 1.0, "T": np.ones_like(E), "E": E, "\\omega_k": frequencies(8)[2], "t": 7,
            "E_t,2k": E[7, 4], "E_t,2k+1": E[7, 5]}  # fmt: skip


def added(rng):
    X, E = rng.normal(size=(2, 4, 5))
    P = permutation_matrix(rng.permutation(4).tolist())
    return {"X": X, "E": E, "P": P, "tilde X": E + X, "tilde X'": E + P @ X}


def four(rng):
    x, p, M = rng.normal(size=(2, 1, 3)), rng.normal(size=(2, 1, 3)), rng.normal(size=(3, 3))  # rows
    return {"x": x, "p": p, "M": M, "i": 1, "j": 2}


NAMES = {
    "eq-pos-add": added, "eq-pos-four": four, "eq-pos-frame": frame, "eq-pos-complex": complex_pairs,
    "eq-cap-input": sinusoids,
}  # fmt: skip
