"""What a learner does wrong raises a ValueError that names the argument: wrong rank, wrong length, NaN, ∞, text, None.

The laws and what they accept are found by `laws.py`, so a new law is tested without being listed. What else a law
refuses stands in ``REFUSED``.
"""

import math
import re

import numpy as np
import pandas as pd
import pytest
import torch
from attnbook import attention as att
from attnbook import layers, length, permutations, positional, recurrent, scores, simplex
from laws import accepted, laws, laws_of_tensors, parameters, parts, required, shapes_in, tensors


@pytest.mark.parametrize("library", [np.asarray, torch.asarray])
@pytest.mark.parametrize("law", list(laws()))
def test_a_law_names_the_argument_that_does_not_fit(law, library):
    values = accepted(law, library)
    every_axis = [axis for shape in shapes_in(law) for axis in shape.axes]
    for name, leading, axes in shapes_in(law):
        x = np.asarray(values[name])
        spoiled = [x + np.nan, x[..., 0]]
        if not leading:
            spoiled.append(x[None])
        if every_axis.count(axes[-1]) > 1:
            spoiled.append(np.concatenate([x, x[..., :1]], -1))
        for bad in spoiled:
            passed = values | {name: library(bad)}
            with pytest.raises(ValueError, match="|".join(rf"\b{n}\b" for n in values)) as error:
                law(**passed)
            shapes = [str(tuple(x.shape)) for x in passed.values() if hasattr(x, "shape")]
            assert any(shape in str(error.value) for shape in shapes)  # no shape of its own making


NO_ARRAY = ["three", [["a", "b"]], [[1.0], [1.0, 2.0]], [math.nan, 1.0], {}]
NO_ARRAY += [np.ma.masked_array([0.25, 0.75], mask=[True, False]), (np.ones((3, 2)), np.ones((3, 3))), 1j]
NO_NUMBER = ["3", math.nan, [1.0, 2.0], {}, 1j]
NO_FLAG = ["False", 1, 0.0, None, {}, [True]]


@pytest.mark.parametrize("law", list(laws()))
def test_what_is_no_array_and_no_number_is_refused_by_name(law):
    values, kinds = accepted(law, np.asarray), parameters(law)
    for name, kind in kinds.items():
        refused = {"shaped": NO_ARRAY, "array": NO_ARRAY, int: [*NO_NUMBER, 2.5], float: NO_NUMBER, bool: NO_FLAG}
        bad = refused.get(kind, [])
        for each in [*bad, None] if name in required(law) else bad:
            with pytest.raises(ValueError, match=rf"\b{name}\b"):
                law(**values | {name: each})


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("infinite", [math.inf, -math.inf])
@pytest.mark.parametrize("law", list(laws()))
def test_an_infinite_entry_is_refused_by_name_or_gives_numbers(law, infinite):
    values, kinds = accepted(law, np.asarray), parameters(law)
    for name in values:
        if kinds[name] in ("shaped", "array") and values[name].dtype.kind == "f" and values[name].ndim:
            spoiled = values[name].copy()
            spoiled.flat[-1] = infinite
            try:
                found = law(**values | {name: spoiled})
            except ValueError as refused:
                assert re.search(rf"\b{name}\b", str(refused))  # noqa: PT017
            else:
                assert not any(np.isnan(part).any() for part in parts(found))


@pytest.mark.parametrize("law", list(laws_of_tensors()))
def test_an_array_of_another_library_or_type_is_refused_by_name_and_lists_join(law):
    values = tensors(law)
    shaped = [name for name, kind in parameters(law).items() if kind == "shaped" and name in values]
    for name in shaped if len(shaped) > 1 else []:
        for other in (values[name].numpy(), values[name].half()):
            with pytest.raises(ValueError, match=rf"\b{name}\b"):
                law(**values | {name: other})
        joined = law(**values | {name: values[name].tolist()})
        for part, right in zip(parts(joined), parts(law(**values)), strict=True):
            torch.testing.assert_close(part, right)


@pytest.mark.parametrize("law", list(laws()))
def test_tensors_of_any_precision_that_autograd_follows_are_accepted(law):
    for dtype in (torch.bfloat16, torch.float16, torch.float32):
        values = {
            name: x.to(dtype).requires_grad_() if isinstance(x, torch.Tensor) else x for name, x in tensors(law).items()
        }
        law(**values)


@pytest.mark.parametrize("law", list(laws()))
def test_a_series_of_pandas_is_a_list_of_numbers(law):
    values = accepted(law, np.asarray)
    series = {name: pd.Series(x) if isinstance(x, np.ndarray) and x.ndim == 1 else x for name, x in values.items()}
    for part, right in zip(parts(law(**series)), parts(law(**values)), strict=True):
        np.testing.assert_array_equal(part, right)


X, EYE, V = np.ones((3, 2)), np.eye(3), np.ones((4, 2))
BLIND = np.eye(3, dtype=bool) & (np.arange(3) < 2)  # the last query sees nothing
RISING = np.arange(6.0).reshape(3, 2)
NAN, INF = math.nan, math.inf
REFUSED = [
    (lambda: att.attention(X, X, X, BLIND), "mask"),
    (lambda: att.attention(X, X[:1], X[:1], np.array([[True], [False], [True]])), "mask"),
    (lambda: att.attention(X, X, X, torch.zeros(3, 3, dtype=torch.bool).numpy()), "mask"),
    (lambda: att.attention(X, X, X, EYE), "mask"),
    (lambda: att.attention(X, X, X, np.ones((2, 3), bool)), "mask"),
    (lambda: att.attention(X, X, X, True), "causal_mask"),
    (lambda: att.attention(X, X, X, torch.tensor(True)), "causal_mask"),
    (lambda: att.attention(X, X, X, np.ma.masked_array(np.ones((3, 3), bool), mask=np.eye(3))), "mask"),
    (lambda: layers.multi_head_attention(X, X, X, torch.nn.MultiheadAttention(2, 1)), "torch_heads"),
    (lambda: layers.multi_head_attention(X, X, X, [X]), "heads"),
    (lambda: layers.torch_heads(torch.nn.TransformerEncoderLayer(2, 1)), "self_attn"),
    (lambda: layers.symmetry(lambda X: (X, X[:1]), [X], [layers.rows], [[1, 0, 2]]), "f"),
    (lambda: layers.symmetry(np.cumsum, [RISING], [layers.rows], [[0, 1, 2]]), "group"),
    (lambda: layers.symmetry(np.cumsum, [X], [layers.rows], permutations.permutations(3)), "rows"),
    (lambda: layers.symmetry(lambda X: X - INF, [RISING], [layers.rows], [[1, 0, 2]]), "f"),
    (lambda: permutations.sinkhorn(torch.exp(torch.tensor([[90.0, 1], [1, 2]]))), "M"),
    (lambda: att.attention(X, X, V), "V"),
    (lambda: att.attention(np.ones((2, 3, 2)), np.ones((5, 3, 2)), X), "K"),
    (lambda: att.attention("abc", X, X), "Q"),
    (lambda: att.attention([[1.0], [1.0, 2.0]], X, X), "Q"),
    (lambda: att.scores(X, X, scale=NAN), "scale"),
    (lambda: att.softmax([[0.0, -INF], [-INF, -INF]]), "S"),
    (lambda: att.softmax([0.0, INF]), "S"),
    (lambda: att.softmax(X, axis=2), "axis"),
    (lambda: att.softmax(torch.zeros(2), axis=1), "axis"),
    (lambda: att.entropy([0.5, 0.6]), "a"),
    (lambda: att.softmax_jacobian([1.5, -0.5]), "a"),
    (lambda: att.causal_mask(2.5), "n"),
    (lambda: att.padding_mask([0, 1], 3), "lengths"),
    (lambda: att.padding_mask([1.5], 3), "lengths"),
    (lambda: att.online_attention(X, X, X, tile=0), "tile"),
    (lambda: layers.layer_norm(X, eps=0), "eps"),
    (lambda: layers.encoder_layer(X, lambda X: X[:2], lambda X: X), "attend"),
    (lambda: layers.encoder_layer(X, lambda X: X, lambda X: X[:, :1]), "transform"),
    (lambda: layers.encoder_layer(X, lambda X: X[None], lambda X: X), "attend"),
    (lambda: layers.encoder_layer(X, lambda X: X, lambda X: X, norm=lambda X: X[:2]), "norm"),
    (lambda: layers.graph_attention(X, BLIND, np.eye(2), X[0], X[0]), "adjacency"),
    (lambda: layers.conjugate([0, 1, 2], X), "x"),
    (lambda: layers.rows([0, 0, 1], X), "perm"),
    (lambda: layers.symmetry(np.cumsum, [X], [], [[0, 1, 2]]), "actions"),
    (lambda: layers.symmetry(lambda X: X * NAN, [X], [layers.rows], [[0, 1, 2]]), "f"),
    (lambda: layers.symmetry(lambda X: X, [X], [layers.rows], [[0, 1, 1]]), "perm"),
    (lambda: permutations.permutations(10), "n"),
    (lambda: permutations.compose([0, 1], [0, 1, 2]), "perm"),
    (lambda: permutations.birkhoff(2 * EYE), "D"),
    (lambda: permutations.birkhoff([[1.5, -0.5], [-0.5, 1.5]]), "D"),
    (lambda: permutations.sinkhorn(EYE), "M"),
    (lambda: positional.logit_terms(X, X, B=np.ones((2, 3))), "B"),
    (lambda: positional.logit_terms(X, X, A=np.ones((3, 3, 5))), "A"),
    (lambda: positional.offsets([0, 0.5], [0]), "queries"),
    (lambda: positional.frequencies(4, base=0), "base"),
    (lambda: positional.sinusoidal([0, NAN], 4), "positions"),
    (lambda: positional.clipped([0], 0), "width"),
    (lambda: positional.deberta_rows([0], 0), "span"),
    (lambda: positional.t5_edges(8, 4), "max_distance"),
    (lambda: positional.t5_bucket([0], buckets=5), "buckets"),
    (lambda: positional.alibi_slopes(0), "heads"),
    (lambda: positional.rotate(np.ones((2, 3)), [0, 1]), "x"),
    (lambda: positional.rotate(X, [0, 1]), "positions"),
    (lambda: positional.rotate(X, [0, 1, 2], pairing="neighbours"), "pairing"),
    (lambda: positional.rotate(np.ones((3, 4)), [0, 1, 2], [1.0]), "theta"),
    (lambda: length.ramp_frequencies([1.0, 0.1], 8, 2.0, truncate="False"), "truncate"),
    (lambda: positional.pairing_permutation(3), "d"),
    (lambda: length.turns([1.0], 0), "n"),
    (lambda: length.ntk_frequencies(2, 4.0), "d"),
    (lambda: length.ramp_frequencies([1.0, 0.1], 8, 2.0, slow=4, fast=1), "fast"),
    (lambda: length.ramp_frequencies([1.0, 2.0], 8, 2.0, ramp="index"), "theta"),
    (lambda: length.forgetting_bias([0.5]), "log_gates"),
    (lambda: length.contextual_positions([[1.5]]), "gates"),
    (lambda: recurrent.rnn(X, np.ones((4, 2)), np.ones((4, 4)), np.ones(4), start=np.ones(3)), "start"),
    (lambda: recurrent.lstm(X, np.ones((9, 2)), np.ones((9, 2)), np.ones(9)), "W_h|W_x|b"),
    (lambda: recurrent.random_recurrence(np.random.default_rng(0), 2, -1), "radius"),
    (lambda: scores.density([NAN], 3), "s"),
    (lambda: scores.density([0.0], 0), "d_k"),
    (lambda: scores.row_coverage(-1.0, 4, 2), "t"),
    (lambda: simplex.sparsemax([-INF, -INF]), "s"),
    (lambda: simplex.hull_weights([0.0], X), "V"),
]


@pytest.mark.parametrize(("call", "argument"), REFUSED)
def test_what_is_outside_a_law_is_refused_by_name(call, argument):
    with pytest.raises(ValueError, match=rf"\b({argument})\b"):
        call()


@pytest.mark.parametrize(
    "perm", [[0, 0], [0, 2], [-1, 0], [], [[0, 1], [1, 0]], 0, [0.5, 1], [0, NAN], ["0", "1"], [None, 0], [[0], [0, 1]]]
)
@pytest.mark.parametrize("law", [permutations.permutation_matrix, permutations.inverse, permutations.cycle_type])
def test_what_is_no_permutation_is_refused(law, perm):
    with pytest.raises(ValueError, match=re.escape("perm")):
        law(perm)


@pytest.mark.parametrize("given", [[1, 2], np.array([1, 2]), np.float32([1, 2]), torch.tensor([1, 2])])
def test_numbers_become_floating_and_keep_their_library_and_precision(given):
    result = att.softmax(given)
    assert isinstance(result, torch.Tensor) == isinstance(given, torch.Tensor)
    assert str(result.dtype).endswith("float32" if getattr(given, "dtype", None) == np.float32 else "float64")
    np.testing.assert_allclose(np.asarray(result), np.exp([1, 2]) / np.exp([1, 2]).sum(), rtol=1e-6)
