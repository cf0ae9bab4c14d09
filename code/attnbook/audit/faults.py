"""The formula with one step wrong: a table of faults by name, each with its law.

So a diagnosis is computed: the fault whose output is the layer's output. A new fault is a line of :data:`FAULTS`.
"""

import dataclasses

import numpy as np

from .formula import Steps, angles, biased, capped, hide, norm, projections, rows, scores, softmax, turn, weights

__all__ = ["FAULTS"]


# --- Heads and projections --------------------------------------------------------------------------------------------


def batch_for_tokens(inputs):
    """(b, n, d) → (n, b, d)."""
    return tuple(tokens_for_batch(x) for x in inputs)


def tokens_for_batch(Y):
    """(n, b, d) → (b, n, d)."""
    return Y.swapaxes(0, -2)


def cut(Y, h):
    """(b, n, h·d) read as (b, h, n, d)."""
    return Y.reshape(len(Y), h, Y.shape[1], -1)


def glue(Y):
    """(b, h, n, d) read as (b, n, h·d)."""
    return Y.reshape(len(Y), Y.shape[2], -1)


def interleave(Y, h):
    """(b, n, h·d) read as (b, n, d, h)."""
    return np.moveaxis(Y.reshape(*Y.shape[:2], -1, h), -1, 1)


def tile(K, h):
    """Query heads 0, 1, … get key heads 0, 1, …, and again from 0."""
    return np.tile(K, (1, h // K.shape[1], 1, 1))


def projections_of(*order):
    """Queries, keys and values by the weights of others: (1, 0, 2) exchanges queries and keys."""

    def exchanged(f):
        right = projections(f)
        wrong = [right[i] for i in order]
        fits = all(w[0].shape == r[0].shape for w, r in zip(wrong, right, strict=True))
        return wrong if fits else right

    return Steps(projections=exchanged)


def fused_by_heads(f):
    """The rows of one fused matrix, read as (h, 3, d_k) where they are (3, h, d_k)."""
    W, b = zip(*projections(f), strict=True)
    if len({w.shape for w in W}) > 1:
        return projections(f)
    d, h = len(W[0]), f.query_heads
    fused = np.concatenate(W, axis=-1).reshape(d, h, 3, -1)
    parts = [fused[:, :, i].reshape(d, -1) for i in range(3)]
    if b[0] is None:
        return [(w, None) for w in parts]
    biases = np.concatenate(b).reshape(h, 3, -1)
    return [(w, biases[:, i].ravel()) for i, w in enumerate(parts)]


def without_biases(f):
    """X W, without b."""
    return [(W, None) for W, _ in projections(f)]


def keys_for_values(f, V, K, u):
    """K, where it has the shape of V."""
    return K if K.shape == V.shape else V


def transposed_output(f, Y):
    """Y W_Oᵀ + b_O."""
    W = f.heads.W_O
    return rows(Y, W.T if W.shape[0] == W.shape[1] else W, f.heads.b_O)


# --- Scale and softmax ------------------------------------------------------------------------------------------------


def scaled_by(factor):
    """Scores with another scale: factor(f, Q, K), whatever scale is claimed."""
    return Steps(scores=lambda f, Q, K: scores(dataclasses.replace(f, scale=factor(f, Q, K)), Q, K))


def width(f, Q):
    """d, the width of the tokens; of all heads together where there are no projections."""
    return f.query_heads * Q.shape[-1] if f.heads is None else f.heads.W_Q.shape[1]


def softmax_along(axis):
    """Softmax along another axis."""
    return Steps(weights=lambda f, S, visible: softmax(S, axis))


# --- Masks ------------------------------------------------------------------------------------------------------------


def mask_changed(change):
    """Another mask: change(mask) in place of mask."""
    return Steps(
        hide=lambda f, S, visible, t, u: hide(f, S, change(visible), t, u),
        weights=lambda f, S, visible: weights(f, S, change(visible)),
    )


def diagonal_moved(step):
    """Each query sees ``step`` keys more, or fewer, than its mask says: mask[i, j] becomes mask[i, j − step]."""

    def move(mask):
        moved = np.roll(mask, step, axis=-1)
        edge = np.s_[..., :step] if step > 0 else np.s_[..., step:]
        moved[edge] = step > 0
        return moved

    return mask_changed(move)


def nothing_hidden(f, S, visible, t, u):
    """cap(S) + bias, whatever is to be hidden."""
    return biased(f, capped(f, S), t, u)


def hidden_get(number):
    """A finite number in place of −∞."""
    return Steps(hide=lambda f, S, visible, t, u: np.where(visible, nothing_hidden(f, S, visible, t, u), number))


def hidden_lose(number):
    """A finite number, subtracted from the scores that are to be hidden."""
    return Steps(hide=lambda f, S, visible, t, u: nothing_hidden(f, S, visible, t, u) + np.where(visible, 0.0, -number))


def mask_added(f, S, visible, t, u):
    """cap(S) + bias + 1 where visible."""
    return nothing_hidden(f, S, visible, t, u) + visible


def weights_times_mask(f, S, visible):
    """softmax_row(S) · mask, with scores of hidden keys among those in the sum."""
    return weights(f, S, visible) * visible


# --- Softcap and bias -------------------------------------------------------------------------------------------------


def cap_last(f, S, visible, t, u):
    """cap(S + bias, −∞ where hidden): a hidden key gets −c."""
    return capped(f, np.where(visible, biased(f, S, t, u), -np.inf))


def cap_left_out(f, S, visible, t, u):
    """S + bias, −∞ where hidden."""
    return np.where(visible, biased(f, S, t, u), -np.inf)


def cap_without_factor(f, S, visible, t, u):
    """x·tanh(x/c), where the cap is c·tanh(x/c)."""
    if f.cap:
        S = S * np.tanh(S / f.cap)
    return hide(dataclasses.replace(f, cap=None), S, visible, t, u)


def bias_left_out(f, S, visible, t, u):
    """cap(S), −∞ where hidden."""
    return np.where(visible, capped(f, S), -np.inf)


def bias_scaled(f, S, visible, t, u):
    """cap(S) + scale · bias, −∞ where hidden."""
    return np.where(visible, capped(f, S) + f.scale * biased(f, 0 * S, t, u), -np.inf)


# --- Norm and rotation ------------------------------------------------------------------------------------------------


def turned_by(queries, keys):
    """Other rotations of queries and of keys."""
    return Steps(place=lambda f, Q, K, t, u: (queries(f, norm(f, Q, 0), t), keys(f, norm(f, K, 1), u)))


def not_at_all(f, x, t):
    """x, not turned."""
    return x


def other_way(f, x, t):
    """R_−t x_t."""
    return turn(f, x, t, sign=-1)


def one_ahead(f, x, t):
    """R_(t+1) x_t."""
    return turn(f, x, t + 1)


def one_behind(f, x, t):
    """R_(t−1) x_t."""
    return turn(f, x, t - 1)


def other_pairing(f, x, t):
    """(2k, 2k + 1) for (k, k + d/2), or the other way round."""
    return turn(f, x, t, pairing={"halves": "adjacent", "adjacent": "halves"}.get(f.rotary))


def over_heads(f, x, t):
    """The rotation of head r is R_r, whatever the token."""
    return turn(f, x.swapaxes(1, 2), np.arange(x.shape[1])).swapaxes(1, 2)


def next_exponents(f, x, t):
    """The angles 10000^(−2(k + 1)/d) in place of 10000^(−2k/d)."""
    theta = angles(f, x.shape[-1])
    ratio = theta[1] / theta[0] if len(theta) > 1 else 1.0
    return turn(f, x, t, theta=theta * ratio)


def norm_last(f, Q, K, t, u):
    """R_t first, then the norm."""
    return norm(f, turn(f, Q, t), 0), norm(f, turn(f, K, u), 1)


def norm_left_out(f, Q, K, t, u):
    """R_t alone."""
    return turn(f, Q, t), turn(f, K, u)


#: The faults by name: the steps of the formula, some of them wrong.
#:
#: :meta hide-value:
FAULTS: dict[str, Steps] = {
    "attention across the batch": Steps(read=batch_for_tokens, give=tokens_for_batch),
    "heads split without a transpose": Steps(split=cut),
    "heads joined without a transpose": Steps(join=glue),
    "heads split and joined without a transpose": Steps(split=cut, join=glue),
    "heads interleaved": Steps(split=interleave),
    "keys repeated in the wrong order of heads": Steps(share=tile),
    "queries and keys exchanged": projections_of(1, 0, 2),
    "keys and values exchanged": projections_of(0, 2, 1),
    "queries, keys and values read in the wrong order": projections_of(2, 0, 1),
    "fused projection read head by head": Steps(projections=fused_by_heads),
    "keys for values": Steps(values=keys_for_values),
    "biases of the projections left out": Steps(projections=without_biases),
    "output projection transposed": Steps(output=transposed_output),
    "output projection left out": Steps(output=lambda f, Y: Y),
    "bias of the output left out": Steps(output=lambda f, Y: Y @ f.heads.W_O),
    "no scale": scaled_by(lambda f, Q, K: 1.0),
    "√d_model for √d_k": scaled_by(lambda f, Q, K: width(f, Q) ** -0.5),
    "d_k for √d_k": scaled_by(lambda f, Q, K: 1 / Q.shape[-1]),
    "√n for √d_k": scaled_by(lambda f, Q, K: K.shape[-2] ** -0.5),
    "multiplied by √d_k": scaled_by(lambda f, Q, K: Q.shape[-1] ** 0.5),
    "softmax over the wrong axis: queries": softmax_along(-2),
    "softmax over the wrong axis: heads": softmax_along(1),
    "softmax over the wrong axis: batch": softmax_along(0),
    "softmax twice": Steps(weights=lambda f, S, visible: softmax(weights(f, S, visible), -1)),
    "no softmax": Steps(weights=lambda f, S, visible: np.where(visible, S, 0.0)),
    "mask dropped": Steps(hide=nothing_hidden),
    "mask inverted": mask_changed(lambda mask: ~mask),
    "mask transposed": mask_changed(lambda mask: mask.swapaxes(-1, -2)),
    "mask off by one: one key too many": diagonal_moved(1),
    "mask off by one: one key too few": diagonal_moved(-1),
    "mask after softmax": Steps(hide=nothing_hidden, weights=weights_times_mask),
    "scores multiplied by the mask": hidden_get(0.0),
    "mask added as 0 and 1": Steps(hide=mask_added),
    "−10⁴ for −∞": hidden_get(-1e4),
    "−10⁴ added for −∞": hidden_lose(1e4),
    "softcap after the mask": Steps(hide=cap_last),
    "softcap left out": Steps(hide=cap_left_out),
    "x·tanh(x/c) for c·tanh(x/c)": Steps(hide=cap_without_factor),
    "sink left out": Steps(weights=lambda f, S, visible: softmax(S, -1)),
    "bias of positions left out": Steps(hide=bias_left_out),
    "bias of positions scaled": Steps(hide=bias_scaled),
    "rotation left out": turned_by(not_at_all, not_at_all),
    "rotation with the wrong pairing": turned_by(other_pairing, other_pairing),
    "rotation of queries alone": turned_by(turn, not_at_all),
    "rotation of keys alone": turned_by(not_at_all, turn),
    "keys turned the other way": turned_by(turn, other_way),
    "position offset: queries one ahead": turned_by(one_ahead, turn),
    "position offset: queries one behind": turned_by(one_behind, turn),
    "positions over heads": turned_by(over_heads, over_heads),
    "rotation with the next exponents": turned_by(next_exponents, next_exponents),
    "values turned as well": Steps(values=lambda f, V, K, u: turn(f, V, u)),
    "norm after the rotation": Steps(place=norm_last),
    "norm of queries and keys left out": Steps(place=norm_left_out),
}
