"""Every public function on bad input: a right result, or one sentence that names the argument and what was expected.

A value takes the place of one argument of a call that works. Whatever is accepted must give what the same numbers give
as float64 NumPy arrays, and no NaN; whatever is refused must be refused by the package, in its words.
"""

import copy
import importlib
import inspect
import math
import re
from fractions import Fraction
from pathlib import Path

import attnbook
import numpy as np
import pytest
import torch
from attnbook import attention as att
from attnbook import check, layers, length, permutations, positional, recurrent, rotary, scores, simplex, stored, tasks
from attnbook import variants as var
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

pytestmark = [pytest.mark.timeout(120), pytest.mark.filterwarnings("ignore")]

rng = np.random.default_rng(0)
Q, K, V, X = rng.normal(size=(3, 4)), rng.normal(size=(5, 4)), rng.normal(size=(5, 2)), rng.normal(size=(3, 4))
W, square, stack = rng.normal(size=(4, 4)), np.eye(3) / 2 + 1 / 6, rng.normal(size=(2, 3, 3))
HEADS = {"W_Q": rng.normal(size=(2, 4, 3)), "W_K": rng.normal(size=(2, 4, 3)), "W_V": rng.normal(size=(2, 4, 2)),
         "W_O": rng.normal(size=(4, 4)), "b_Q": np.ones((2, 3)), "b_O": np.ones(4)}  # fmt: skip
LSTM = {"X": X, "W_x": rng.normal(size=(8, 4)), "W_h": rng.normal(size=(8, 2)), "b": rng.normal(size=8)}
NETWORKS = rng.normal(size=(3, 2, 4)), rng.normal(size=(3, 2, 2))
GATES = np.tril(np.full((3, 3), 0.5))


def many_heads(Q, K, V, mask, **weights):
    return var.multi_head_attention(Q, K, V, var.Heads(**weights), mask)


def move(perm, x):
    """An action of one's own, which looks at nothing."""
    return x[list(perm)]


def drawn(task):
    """A task that draws once: sizes are arguments of both."""
    return lambda n, **sizes: task(torch.Generator(), **sizes)(n)


CALLS = [  # a call that works; every argument is replaced in turn, except functions
    (att.softmax, {"S": Q, "axis": -1}),
    (att.softmax_jacobian, {"a": [0.25, 0.75]}),
    (att.entropy, {"a": [0.25, 0.75]}),
    (att.scores, {"Q": Q, "K": K, "scale": 0.5}),
    (att.attention_weights, {"Q": Q, "K": K, "mask": np.ones((3, 5), bool), "scale": 0.5}),
    (att.attention, {"Q": Q, "K": K, "V": V, "mask": np.ones((3, 5), bool), "scale": 0.5}),
    (att.causal_mask, {"n": 3, "m": 4}),
    (att.padding_mask, {"lengths": [1, 2], "m": 3}),
    (scores.density, {"s": [0.5, 1.0], "d_k": 3}),
    (scores.coverage, {"t": 0.5, "d_k": 3}),
    (scores.row_coverage, {"t": 0.5, "d_k": 3, "m": 2}),
    (simplex.sparsemax, {"s": Q}),
    (simplex.hull_weights, {"y": [0.1, 0.1], "V": [[0, 0], [1, 0], [0, 1]]}),
    (simplex.separating_direction, {"y": [2.0, 0.1], "V": [[0, 0], [1, 0], [0, 1]]}),
    (rotary.rotate, {"x": Q, "positions": [0, 1, 2], "theta": [1.0, 0.1], "pairing": "halves"}),
    (rotary.pairing_permutation, {"d": 4}),
    (positional.logit_terms, {"Q": Q, "K": K, "A": np.ones((3, 5, 4)), "B": np.ones((3, 5)), "C": np.ones((3, 5, 4))}),
    (positional.offsets, {"queries": [0, 1], "keys": [0, 1, 2]}),
    (positional.frequencies, {"d": 4, "base": 10.0}),
    (positional.sinusoidal, {"positions": [0, 1], "d": 4, "base": 10.0}),
    (positional.clipped, {"offset": [-3, 2], "width": 2}),
    (positional.deberta_rows, {"offset": [-3, 2], "span": 2}),
    (positional.t5_edges, {"buckets": 8, "max_distance": 16}),
    (positional.t5_bucket, {"offset": [-3, 2], "buckets": 8, "max_distance": 16}),
    (positional.alibi_slopes, {"heads": 3}),
    (length.turns, {"theta": [1.0, 0.1], "n": 8}),
    (length.ntk_frequencies, {"d": 4, "s": 2.0, "base": 10.0}),
    (length.ramp_frequencies, {"theta": [1.0, 0.1], "n": 100, "s": 2.0, "slow": 1.0, "fast": 4.0, "ramp": "turns"}),
    (length.ramp_frequencies, {"theta": [1.0, 0.1], "n": 100, "s": 2.0, "slow": 1.0, "fast": 4.0, "ramp": "index"}),
    (length.forgetting_bias, {"log_gates": [-1.0, -0.5]}),
    (length.contextual_positions, {"gates": GATES}),
    (layers.layer_norm, {"X": X, "eps": 1e-5}),
    (layers.feed_forward, {"X": X, "W_1": W, "W_2": W}),
    (layers.graph_attention, {"X": X, "adjacency": np.eye(3) > 0, "W": W, "a_to": W[0], "a_from": W[1], "slope": 0.2}),
    (layers.rows, {"perm": [1, 2, 0], "x": X}),
    (layers.conjugate, {"perm": [1, 2, 0], "x": square}),
    (layers.rotations, {"n": 3}),
    (permutations.permutations, {"n": 3}),
    *((f, {"perm": [1, 2, 0]}) for f in (permutations.permutation_matrix, permutations.inverse, permutations.cycles,
                                         permutations.cycle_type, permutations.parity)),
    (permutations.compose, {"sigma": [1, 2, 0], "tau": [0, 2, 1]}),
    (permutations.birkhoff, {"D": square}),
    (permutations.sinkhorn, {"M": square, "rounds": 3}),
    (recurrent.rnn, {"X": X, "W_x": LSTM["W_x"][:2], "W_h": LSTM["W_h"][:2], "b": [0.1, 0.2], "start": [0.3, 0.1]}),
    (recurrent.lstm, LSTM),
    (recurrent.lstm_jacobians, LSTM),
    (recurrent.rnn_jacobians, {"H": X, "W_h": W}),
    (recurrent.path_norms, {"J": stack}),
    (recurrent.spectral_radius, {"W": W}),
    (recurrent.random_recurrence, {"rng": np.random.default_rng(0), "d_h": 3, "radius": 0.9}),
    (var.additive_scores, {"Q": Q, "K": K, "W_Q": W, "W_K": W, "v": W[0]}),
    (many_heads, {"Q": Q, "K": Q, "V": Q, "mask": np.ones((3, 3), bool), **HEADS}),
    (var.online_attention, {"Q": Q, "K": K, "V": V, "scale": 0.5, "tile": 2}),
    (var.torch_heads, {"module": torch.nn.MultiheadAttention(4, 2)}),
    (stored.load, {"name": "memory_capacity"}),
    (drawn(tasks.copy_task), {"n": 3, "runs": 1, "batch": 2, "symbols": 4}),
    (drawn(tasks.recall_task), {"n": 3, "runs": 1, "batch": 2, "symbols": 4}),
    (drawn(tasks.order_task), {"n": 3, "seeds": 1, "batch": 2, "symbols": 4}),
    (drawn(tasks.previous_task), {"n": 3, "seeds": 1, "batch": 2, "symbols": 4}),
    (lambda **sizes: tasks.lookup_task(torch.Generator(), **sizes)(),
     {"d": 4, "m": 2, "batch": 2, "symbols": 3, "classes": 2}),
    (lambda **sizes: tasks.encoder_weights(torch.Generator(), **sizes),
     {"seeds": 1, "d": 4, "symbols": 3, "outputs": 2}),
    (lambda rows, columns: tasks.weights(torch.Generator(), rows, columns), {"rows": 2, "columns": 3}),
    (tasks.sentences, {"language": "Latin"}),
]  # fmt: skip
ALONE = {  # tested by name below, or elsewhere; each with the reason
    "multi_head_attention": "called by many_heads", "symmetry": "takes functions", "encoder_layer": "takes functions",
    "stay": "returns what it is given", "genesis": "takes nothing",
    "fit": "takes functions", "train": "takes functions", "read_out": "a product", "translate": "takes a network",
    "copy_task": "drawn", "recall_task": "drawn", "order_task": "drawn", "previous_task": "drawn",
    "lookup_task": "drawn", "encoder_weights": "drawn", "weights": "drawn", "train_translator": "trains",
    "loss_per_sentence": "takes a network", "words_to_ids": "test_tasks_translation",
}  # fmt: skip
OTHERS = {
    "arrays",
    "check",
    "check_display",
    "check_numbers",
    "check_record",
    "explore",
    "kernel",
    "live_files",
    "needs",
}

leaf = torch.ones(3, 4, dtype=torch.float64, requires_grad=True)
BAD = {
    "nothing": None, "text": "two", "a number as text": "2", "NaN": np.nan, "infinity": np.inf,
    "minus infinity": -np.inf,
    "half": 2.5, "minus one": -1, "zero": 0, "complex": 1j, "true": True, "a dictionary": {}, "an object": object(),
    "ragged": [[1], [1, 2]], "empty": [], "empty array": np.zeros((0, 3)), "list of text": ["a", "b"],
    "list": [0.5, 0.25], "NaN in a list": [0.5, np.nan], "infinity in a list": [np.inf, 1.0],
    "no permutation": [0, 0, 0],
    "booleans": np.array([True, False, True]), "bytes": np.array([1, 2, 3], np.uint8), "objects": np.array([None, 1]),
    "float16": np.array([[300, -300, 100, 5]] * 3, np.float16), "large float16": np.full((3, 4), 6e4, np.float16),
    "large": np.full((3, 4), 1e200), "largest": np.full((3, 4), 1.7e308), "small": np.full((3, 4), 1e-300),
    "column": np.ones((4, 1)), "three axes": np.ones((2, 3, 4)), "four axes": np.ones((1, 2, 3, 4)),
    "complex array": np.ones((3, 4), complex), "dates": np.array(["2020-01-01"], "M8[D]"),
    "tensor": torch.ones(3, 4), "double tensor": torch.ones(3, 4, dtype=torch.float64), "leaf": leaf,
    "whole tensor": torch.tensor([0, 1, 2]), "number that is followed": torch.tensor(0.5, requires_grad=True),
    "meta": torch.ones(3, 4, device="meta"), "meta number": torch.tensor(1.0, device="meta"),
    "sparse": torch.eye(3).to_sparse(), "complex tensor": torch.ones(3, 4, dtype=torch.complex64),
    "bfloat16": torch.ones(3, 4, dtype=torch.bfloat16),
}  # fmt: skip


def plain(x):
    """The numbers of anything as float64, in a flat list."""
    if isinstance(x, (list, tuple)):
        return [number for item in x for number in plain(item)]
    if isinstance(x, dict):
        return [number for item in x.values() for number in plain(item)]
    if isinstance(x, str):
        return [float(sum(map(ord, x)))]
    x = x.detach().double().numpy() if isinstance(x, torch.Tensor) else x
    return [] if x is None else np.asarray(x, dtype=float).ravel().tolist()


def tried(function, arguments):
    """The result of a call as numbers, or the sentence with which it was refused; anything else is an error."""
    np.random.seed(0)  # noqa: NPY002
    names = [*arguments, "perm", "distance"]
    try:
        return plain(function(**copy.deepcopy(arguments)))
    except (ValueError, TypeError) as refusal:
        message = str(refusal)
        named = any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", message) for name in names)
        if re.search(r"\bexpected\b|is not a rectangular array of numbers", message) and named and "\n" not in message:
            return message
        raise AssertionError(f"confusing: {type(refusal).__name__}: {message:.200}") from refusal


def verdict(function, arguments, name, bad, close=0.02):
    """None, or what is wrong with the answer when ``bad`` takes the place of an argument."""
    changed = arguments | {name: bad}
    try:
        found = tried(function, changed)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
    if isinstance(found, str):
        return None
    if np.isnan(found).any():
        return "a NaN"
    if np.isinf(found).any() and not _infinite(bad) and function is not length.forgetting_bias:  # the future
        return f"an infinity: {found[:4]}"
    if isinstance(bad, (np.ndarray, torch.Tensor)) and str(bad.dtype)[-4:] not in ("bool", "g128", "ex64"):
        exact = tried(function, changed | {name: bad.detach().double().numpy() if isinstance(bad, torch.Tensor)
                                           else bad.astype(float)})  # fmt: skip
        if isinstance(exact, str):
            return None if "whole numbers" in exact else f"accepted, but not as float64: {exact}"
        if len(exact) != len(found) or not np.allclose(found, exact, rtol=close, atol=close):
            return f"{found[:4]}, and {exact[:4]} in float64"
    return None


def _infinite(x):
    try:
        return bool(np.isinf(plain(x)).any())
    except Exception:
        return False


def title(call):
    function, arguments = call
    return f"{getattr(function, '__name__', 'task')}({', '.join(arguments)})"


@pytest.mark.parametrize("call", CALLS, ids=title)
def test_whatever_takes_the_place_of_an_argument(call):
    function, arguments = call
    assert not isinstance(tried(function, arguments), str)
    wrong = {}
    for name in arguments:
        defaults = inspect.signature(function).parameters
        for kind, bad in BAD.items():
            optional = name in defaults and defaults[name].default is None
            if not (bad is None and (optional or name in ("m", "mask", "start", "b_Q", "b_O"))):
                problem = verdict(function, arguments, name, bad)
                wrong |= {f"{name} = {kind}": problem} if problem else {}
    assert not wrong, "\n" + "\n".join(f"{where}: {problem}" for where, problem in wrong.items())


KINDS = [np.float16, np.float32, np.longdouble, np.int8, np.uint8, np.uint64, np.bool_, object, complex, str]
FLOATS = [torch.float8_e5m2, torch.bfloat16, torch.float16, torch.float32, torch.float64]
WHOLE = [torch.uint8, torch.int16, torch.bool]
SAME = {  # the same numbers in another container or order; what is returned must be the same
    "a matrix": np.matrix,
    "masked": lambda x: np.ma.masked_array(x, x == x.flat[0]),
    "column by column": np.asfortranarray,
    "read only": lambda x: np.broadcast_to(x, x.shape),
    "a view": lambda x: x[..., ::-1][..., ::-1],
    "a nested list": lambda x: x.tolist(),
    "big endian": lambda x: x.astype(x.dtype.newbyteorder(">")),
    "a tensor followed": lambda x: torch.tensor(x, dtype=torch.float64, requires_grad=True),
}
SHAPES = {
    "one entry fewer": lambda x: x[..., :-1],
    "one row fewer": lambda x: x[:-1],
    "one more axis": lambda x: x[None],
    "an axis of two": lambda x: np.stack([x, x]),
    "turned": lambda x: x.T,
    "doubled": lambda x: np.concatenate([x, x]),
    "flat": np.ravel,
    "its first entry": lambda x: x.flat[0],
    "nothing left": lambda x: x[:0],
}
MADE = {str(kind): lambda x, kind=kind: x.astype(kind) for kind in KINDS}
MADE |= {str(kind): lambda x, kind=kind: torch.tensor(x, dtype=torch.float64).to(kind) for kind in FLOATS + WHOLE}


@pytest.mark.parametrize("call", CALLS, ids=title)
def test_every_argument_in_other_types_and_shapes(call):
    function, arguments = call
    wrong, right = {}, tried(function, arguments)
    for name, value in arguments.items():
        if isinstance(value, (list, np.ndarray)):
            value = np.asarray(value)
            for kind, made in (MADE | SAME | SHAPES).items():
                try:
                    bad = made(value)
                except (TypeError, ValueError):
                    continue
                problem = verdict(function, arguments, name, bad)
                if not problem and kind in SAME:
                    found = tried(function, arguments | {name: bad})
                    problem = (
                        None if isinstance(found, str) or np.allclose(found, right) else f"{found[:4]}, {right[:4]}"
                    )
                wrong |= {f"{name} = {kind}": problem} if problem else {}
    assert not wrong, "\n" + "\n".join(f"{where}: {problem}" for where, problem in wrong.items())


@pytest.mark.parametrize("call", [c for c in CALLS if any(isinstance(x, np.ndarray) for x in c[1].values())], ids=title)
@settings(max_examples=15)
@given(data=st.data())
def test_whatever_array_takes_the_place_of_an_argument(call, data):
    function, arguments = call
    name = data.draw(st.sampled_from([n for n, x in arguments.items() if isinstance(x, np.ndarray)]))
    kind = data.draw(st.sampled_from([np.float16, np.float32, np.float64, np.int8, np.uint8, np.bool_]))
    small = kind in (np.float16, np.float32)  # they round, so only small numbers can be compared
    elements = st.floats(-4, 4, width=16) if small else None
    bad = data.draw(arrays(kind, array_shapes(min_dims=0, max_dims=3, max_side=5), elements=elements))
    assert not verdict(function, arguments, name, bad, close=0.1 if small else 1e-6)


def test_every_public_function_is_called():
    modules = [p.stem for p in Path(attnbook.__file__).parent.glob("*.py") if p.stem not in {"__init__", *OTHERS}]
    public = {f"{m}.{name}" for m in modules for name in importlib.import_module(f"attnbook.{m}").__all__}
    public |= {f"tasks.{name}" for name in tasks.__all__}
    functions = {name for name in public if inspect.isfunction(_public(name))}
    called = {function.__name__ for function, _ in CALLS} | set(ALONE)
    assert {name.rpartition(".")[2] for name in functions} <= called


def _public(name):
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(f"attnbook.{module}"), attribute)


# --- What was once wrong without a word ---------------------------------------------------------------------------

REFUSED = {
    "eps": lambda: layers.layer_norm(X, eps=-1.0),
    "eps = nan": lambda: layers.layer_norm(X, eps=np.nan),
    "eps = 0.0": lambda: layers.layer_norm(np.ones((2, 3)), eps=0.0),
    "scale = nan": lambda: att.attention(Q, K, V, scale=np.nan),
    "a_to": lambda: layers.graph_attention(X, np.eye(3) > 0, W, W[:, :1], W[0]),
    "perm = [0, 0, 0]": lambda: layers.symmetry(lambda x: x, [X], [move], [[0, 0, 0]], move),
    "perm = [0, 1]": lambda: layers.symmetry(lambda x: x, [X], [layers.stay], [[0, 1, 2], [0, 1]]),
    "perm = [0, 2, 2]": lambda: layers.conjugate([0, 2, 2], square),
    "perm = [1, 0]": lambda: layers.rows([1, 0], X),
    "W_x": lambda: recurrent.lstm_jacobians(LSTM["X"], LSTM["W_x"][None], LSTM["W_h"], LSTM["b"]),
    "W_K has 1 heads": lambda: many_heads(Q, Q, Q, None, **HEADS | {"W_K": HEADS["W_K"][:1]}),
    "radius = inf": lambda: recurrent.random_recurrence(np.random.default_rng(0), 3, np.inf),
    "rng": lambda: recurrent.random_recurrence(0, 3, 1.0),
    "max_distance = inf": lambda: positional.t5_edges(32, np.inf),
    "buckets": lambda: positional.t5_edges(10**6, 10**7),
    "offset": lambda: positional.deberta_rows(2.5, 3),
    "m = 2.5": lambda: att.padding_mask([2], 2.5),
    "lengths": lambda: att.padding_mask([True, True], 3),
    "scale · Q Kᵀ": lambda: att.attention(*(np.full((2, 4), 6e4, np.float16) for _ in range(3))),
    "attend(X)": lambda: layers.encoder_layer(X, lambda X: X + np.nan, lambda X: X),
    "transform(X)": lambda: layers.encoder_layer(X, lambda X: X, lambda X: "text"),
    "f(x)": lambda: layers.symmetry(lambda x: x * np.inf, [X], [layers.rows], [[0, 1, 2]]),
    "exp(S − max S)": lambda: att.softmax(np.zeros(70_000, np.float16)),
    "A V": lambda: att.attention(np.zeros((1, 1), "f2"), np.zeros((2000, 1), "f2"), np.full((2000, 1), 65504, "f2")),
    "exp(s − μ) V": lambda: var.online_attention(*(np.full((3, 1), x, np.float16) for x in (0, 0, 3e4))),
    "(X − mean)": lambda: layers.layer_norm(np.full((2, 4), 3, np.float16), eps=1e-8),
    "d_k = 1000001": lambda: scores.density(1.0, 10**6 + 1),
    "d_k = 1000002": lambda: scores.row_coverage(1.0, 10**6 + 2, 8),
    "d_k = 10000000": lambda: scores.coverage(1.0, 10**7),
    "m = 1000001": lambda: scores.row_coverage(1.0, 8, 10**6 + 1),
    "max_distance = 1000000000000000001": lambda: positional.t5_edges(32, 10**18 + 1),
    "buckets = 4096": lambda: positional.t5_edges(4096, 10**6),
    "scale = (1+5j)": lambda: att.scores([[1.0]], [[1.0]], scale=np.complex128(1 + 5j)),
    "scale = 2.5": lambda: att.scores([[1.0]], [[1.0]], scale=np.array("2.5")),
    "scale = b'2.5'": lambda: att.scores([[1.0]], [[1.0]], scale=b"2.5"),
    "scale = tensor(2.+0.j)": lambda: att.scores(torch.ones(1, 1), torch.ones(1, 1), scale=torch.tensor(2 + 0j)),
    "S is not": lambda: att.softmax([Fraction(1, 2), "2"]),
    "S with shape (2,) has dtype complex128": lambda: att.softmax(list(np.fft.fft([1.0, 2.0]))),
    "S with shape (2, 2) is a masked": lambda: att.softmax([np.ma.array([1.0, 99.0], mask=[0, 1])] * 2),
    "S is not a": lambda: att.softmax([np.datetime64("2020-01-01"), np.datetime64("2020-01-02")]),
    "n = 1000000000000; expected a whole number >= 1 and <= 2147483648": lambda: att.causal_mask(10**12),
    "n = a whole number of 16610 bits": lambda: layers.rotations(10**5000),
    "a with shape (256,)": lambda: att.entropy(np.zeros(256, np.float16)),
    "a with shape (32,)": lambda: att.entropy(torch.full((32,), 1.9 / 32, dtype=torch.bfloat16)),
    "X has shape (5, 4)": lambda: recurrent.rnn(rng.normal(size=(5, 4)), *NETWORKS, np.ones(2)),
    "X has shape (3, 5, 4)": lambda: recurrent.rnn(rng.normal(size=(3, 5, 4)), *NETWORKS, np.ones(2)),
    "b (3, 2)": lambda: recurrent.rnn(rng.normal(size=(3, 3, 5, 4)), *NETWORKS, np.ones((3, 2))),
    "K has shape (5, 4, 4)": lambda: var.online_attention(np.ones((2, 3, 4)), np.ones((5, 4, 4)), np.ones((5, 4, 2))),
    "V has shape (3, 5, 2)": lambda: var.online_attention(np.ones((2, 3, 4)), np.ones((5, 4)), np.ones((3, 5, 2))),
    "the term of A": lambda: positional.logit_terms(Q, K, np.ones((2, 3, 5, 4)), C=np.ones((7, 3, 5, 4))),
    "A with shape (3, 5, 4) is torch.float64": lambda: positional.logit_terms(
        torch.ones(3, 4), torch.ones(5, 4), torch.ones(3, 5, 4, dtype=torch.float64)
    ),
    "W_O": lambda: many_heads(Q, Q, Q, None, **HEADS | {"W_O": np.full((4, 4), 1.7e308)}),
    "b_O with shape (4,) is torch": lambda: many_heads(Q, Q, Q, None, **HEADS | {"b_O": torch.ones(4)}),
    "heads": lambda: var.multi_head_attention(Q, Q, Q, (W, W)),
    "A with shape": lambda: positional.logit_terms(Q, K, np.full((3, 5, 4), np.inf)),
    "q·A": lambda: positional.logit_terms(Q, K, np.full((3, 5, 4), 1.7e308)),
    "B has shape (3, 5)": lambda: positional.logit_terms(Q, K, B=np.full((3, 5), np.inf)),
    "A has shape (7, 3, 3, 4)": lambda: positional.logit_terms(
        np.ones((2, 3, 4)), np.ones((2, 3, 4)), np.ones((7, 3, 3, 4))
    ),
    "norm(X)": lambda: layers.encoder_layer(X, lambda X: X, lambda X: X, norm=lambda X: X[0]),
    "norm(X) has shape (); expected (3, 4), the shape of X": lambda: layers.encoder_layer(
        X, lambda X: X, lambda X: X, norm=lambda X: 1.0
    ),
    "attend(X) with shape (3, 4) is torch": lambda: layers.encoder_layer(X, torch.from_numpy, lambda X: X),
    "a_to·W": lambda: layers.graph_attention(X, np.eye(3) > 0, W, 1e308 * np.ones(4), 1e308 * np.ones(4)),
    "group = 5": lambda: layers.symmetry(lambda x: x, [X], [layers.rows], 5),
    "group = None": lambda: layers.symmetry(lambda x: x, [X], [layers.rows], None),
    "positions · ω_k": lambda: positional.sinusoidal([1e300], 4, 1e-20),
    "base^(−2k/d)": lambda: positional.frequencies(2000, 5e-324),
    "θ n": lambda: length.turns([1e308], 1e308),
    "θ/s": lambda: length.ramp_frequencies([1.0, 0.1], 100, 1e-320, slow=1, fast=4),
    "ρ(W)": lambda: recurrent.spectral_radius(np.full((3, 3), 1.7e308)),
    "product of J": lambda: recurrent.path_norms(np.full((1, 3, 3), 1.7e308)),
    "width = 1": lambda: positional.clipped([1], 10**30),
    "width = 9007199254740993": lambda: positional.clipped([1], 2**53 + 1),
    "span = 9": lambda: positional.deberta_rows([1], 2**63),
    "bidirectional = 'no'": lambda: positional.t5_bucket([1], bidirectional="no"),
    "lr = nan": lambda: tasks.fit(lambda: leaf.sum(), [leaf], steps=1, lr=np.nan),
    "steps = 2.5": lambda: tasks.fit(lambda: leaf.sum(), [leaf], steps=2.5, lr=0.1),
    "rows": lambda: tasks.translation.words_to_ids([]),
    "rows = 5": lambda: tasks.translate(TRANSLATOR, 5),
    "rows = [5]": lambda: tasks.translate(TRANSLATOR, [5]),
    "rows is empty": lambda: tasks.translate(TRANSLATOR, [[]]),
    "unknown words ['5']": lambda: tasks.translate(TRANSLATOR, [[5]]),
    "padding hides all": lambda: tasks.translate(TRANSLATOR, [[""], ["felis"]]),
    "padding hides": lambda: tasks.translate(TRANSLATOR, [["", "felis"]], causal=True),
    "padding has shape (1, 2)": lambda: tasks.translate(TRANSLATOR, [["felis"]], padding=torch.zeros(1, 2) > 0),
    "padding has dtype": lambda: tasks.translate(TRANSLATOR, [["felis"]], padding=torch.zeros(1, 1)),
    "causal = 1": lambda: tasks.translate(TRANSLATOR, [["felis"]], causal=1),
    "model = None": lambda: tasks.translate(None, [["felis"]]),
    "length of a row = 9": lambda: tasks.translate(tasks.Translator(True, d=8), [["felis"] * 9]),
    "pairs = 5": lambda: tasks.loss_per_sentence(TRANSLATOR, 5),
    "pairs = [5]": lambda: tasks.loss_per_sentence(TRANSLATOR, [5]),
    "pairs = ['felis']": lambda: tasks.loss_per_sentence(TRANSLATOR, ["felis"]),
    "rows is empty; expected": lambda: tasks.loss_per_sentence(TRANSLATOR, []),
    "model = 'text'": lambda: tasks.loss_per_sentence("text", tasks.sentences("Latin")),
    "source_positions = 'no'": lambda: tasks.train_translator(0, source_positions="no", steps=0),
    "seed = 0.5": lambda: tasks.train_translator(0.5, source_positions=True, steps=0),
    "steps = -1": lambda: tasks.train_translator(0, source_positions=True, steps=-1),
    "d = 5": lambda: tasks.Translator(d=5),
    "heads = 0": lambda: tasks.Translator(heads=0),
    "place = 3": lambda: tasks.encoder_weights(torch.Generator(), place=3),
    "columns of place = 0": lambda: tasks.encoder_weights(torch.Generator(), place=(2, 0)),
    "rows of place = 'a'": lambda: tasks.encoder_weights(torch.Generator(), place="ab"),
    "w = {}": lambda: tasks.read_out({}, torch.ones(2, 16)),
    "Z has shape (2, 3, 16)": lambda: tasks.read_out(ENCODER, torch.ones(2, 3, 16)),
    "Z has shape (2, 3, 4, 16)": lambda: tasks.read_out(MANY, torch.ones(2, 3, 4, 16)),
    "Z has shape (2, 3)": lambda: tasks.read_out(ENCODER, torch.ones(2, 3)),
    "Z with shape (2, 16) is a NumPy array": lambda: tasks.read_out(ENCODER, np.ones((2, 16))),
    "Z with shape (2, 16) is torch.float64": lambda: tasks.read_out(ENCODER, torch.ones(2, 16).double()),
    "parameters = 5": lambda: tasks.fit(lambda: leaf.sum(), 5, steps=1, lr=0.1),
    "parameters = []": lambda: tasks.fit(lambda: leaf.sum(), [], steps=1, lr=0.1),
    "parameters = [tensor([1.])]": lambda: tasks.fit(lambda: leaf.sum(), [torch.ones(1)], steps=1, lr=0.1),
    "loss() = 3": lambda: tasks.fit(lambda: 3, [leaf], steps=1, lr=0.1),
    "loss() = tensor(3.)": lambda: tasks.fit(lambda: torch.tensor(3.0), [leaf], steps=1, lr=0.1),
    "loss() = tensor([[": lambda: tasks.fit(lambda: leaf, [leaf], steps=1, lr=0.1),
    "lr of a group = -5": lambda: tasks.fit(lambda: leaf.sum(), [{"params": [leaf], "lr": -5}], steps=1, lr=0.1),
    "loss() = tensor(12.": lambda: tasks.fit(lambda: leaf.sum(), [torch.ones(1, requires_grad=True)], steps=1, lr=0.1),
    "parameters after 1 steps": lambda: tasks.fit(lambda: ROOT_OF.sqrt().sum(), [ROOT_OF], steps=1, lr=0.1),
    "answer has numbers up to 3": lambda: tasks.train(
        lambda tokens: ENCODER["out"][0, 0, :2].expand(1, 32, 2, 2),
        tasks.previous_task(GENERATOR, seeds=1),
        ENCODER,
        n=3,
        steps=1,
        lr=1,
    ),
    "length of a translation = 10": lambda: tasks.loss_per_sentence(TRANSLATOR, [(["felis"], ["cat"] * 9)]),
    "padding hides all that": lambda: tasks.loss_per_sentence(TRANSLATOR, [([], ["cat"]), (["felis"], ["cat"])]),
    "weights = 5": lambda: tasks.train(None, None, 5, n=3, steps=1, lr=0.1),
    "lr = -1": lambda: tasks.train(None, None, ENCODER, n=3, steps=1, lr=-1),
    "logits(tokens) has shape (1, 2, 16)": lambda: tasks.train(
        lambda tokens: ENCODER["embed"][:, 0, :2],
        tasks.order_task(torch.Generator(), seeds=1),
        ENCODER,
        n=3,
        steps=1,
        lr=1,
    ),
    "logits(tokens) has shape ()": lambda: tasks.train(
        lambda tokens: 5, tasks.order_task(torch.Generator(), seeds=1), ENCODER, n=3, steps=1, lr=1
    ),
}
TRANSLATOR = tasks.Translator(d=8)
ROOT_OF, GENERATOR = torch.zeros(1, requires_grad=True), torch.Generator().manual_seed(0)
MANY = tasks.encoder_weights(torch.Generator(), seeds=3)
ENCODER = tasks.encoder_weights(torch.Generator(), seeds=1)
DRAWING = (
    tasks.copy_task,
    tasks.recall_task,
    tasks.order_task,
    tasks.previous_task,
    tasks.lookup_task,
    tasks.encoder_weights,
)


@pytest.mark.parametrize("named", REFUSED)
def test_what_was_silently_wrong_is_refused(named):
    with pytest.raises((ValueError, TypeError), match=re.escape(named)) as refusal:
        REFUSED[named]()
    assert re.search(r"expected|is not a rectangular array of numbers", str(refusal.value))


@pytest.mark.parametrize("generator", [None, 5, np.random.default_rng(0)], ids=["nothing", "a number", "NumPy's"])
@pytest.mark.parametrize("task", [*DRAWING, lambda generator: tasks.weights(generator, 2, 3)])
def test_another_generator_is_refused(task, generator):
    with pytest.raises(TypeError, match=r"generator = .*; expected a torch\.Generator"):
        task(generator)


def test_libraries_and_precisions_that_do_not_mix_are_named():
    for other in (torch.ones(5, 4), torch.ones(5, 4).half()):
        with pytest.raises(TypeError, match=r"Q with shape \(3, 4\) is .*, K with shape \(5, 4\) is .*; expected one"):
            att.attention(torch.from_numpy(Q) if other.dtype == torch.half else Q, other, other)
    np.testing.assert_array_equal(att.scores(Q.astype("f4"), K), att.scores(Q.astype("f4").astype(float), K))


@pytest.mark.parametrize("library", [np.asarray, torch.asarray])
@pytest.mark.parametrize("value", [12345.6, 3333.33, 1000.1, 0.1])
def test_layer_norm_of_a_constant_token_is_zero(library, value):
    for dtype, d in (("float32", 7), ("float32", 768), ("float64", 7)):
        np.testing.assert_array_equal(layers.layer_norm(library(np.full((2, d), value, dtype))), np.zeros((2, d)))


def test_sums_over_many_gates_keep_their_digits():
    for n, dtype in ((2500, torch.float16), (300, torch.bfloat16)):
        bias = length.forgetting_bias(-torch.ones(n, dtype=dtype))
        np.testing.assert_array_equal(
            bias[-1].double(), torch.arange(1.0 - n, 1, dtype=torch.float64).to(dtype).double()
        )
        counted = length.contextual_positions(torch.ones(n, n, dtype=dtype))
        assert counted[-1, 0] == torch.tensor(float(n)).to(dtype)
    np.testing.assert_array_equal(length.forgetting_bias([-1.0, -1e17, -0.1, -0.1])[3, 1:], [-0.2, -0.1, 0])


def test_views_that_run_backwards_are_read_by_torch_too():
    mask, (q, k, v) = np.tri(3, 5, 2, dtype=bool)[::-1], map(torch.from_numpy, (Q, K, V))
    np.testing.assert_allclose(att.attention(q, k, v, mask), att.attention(Q, K, V, mask), atol=1e-12)
    A = rng.normal(size=(3, 5, 4))[:, ::-1]
    np.testing.assert_allclose(positional.logit_terms(q, k, A)[1], positional.logit_terms(Q, K, A)[1], atol=1e-12)


def test_sparsemax_counts_in_narrow_types():
    for s in (np.zeros(70_000, "f2"), torch.zeros(70_000, dtype=torch.float16)):
        assert float(
            simplex.sparsemax(s).sum(dtype=torch.float64 if isinstance(s, torch.Tensor) else "f8")
        ) == pytest.approx(1, abs=0.01)


def test_an_answer_survives_a_change_of_its_tokens():
    tokens, answer = tasks.previous_task(torch.Generator().manual_seed(0), seeds=1)(6)
    kept = answer.clone()
    tokens.zero_()
    assert torch.equal(answer, kept)


def test_norms_and_symmetries_of_narrow_types():
    for dtype in (torch.float16, torch.bfloat16):
        assert recurrent.path_norms(torch.full((2, 1, 1), 0.5, dtype=dtype)).tolist() == [1, 0.5, 0.25]
        assert (
            layers.symmetry(lambda x: 2 * x, [torch.ones(3, 2, dtype=dtype)], [layers.rows], [[1, 2, 0]])[0] == "both"
        )


def test_the_widest_coverage_is_nearly_that_of_a_normal_law():
    normal, kurtosis = math.erf(0.5**0.5), 6e-6  # the first correction of a normal law: κ φ(1)/6
    corrected = normal + kurtosis / 6 * math.exp(-0.5) / math.sqrt(2 * math.pi)
    assert scores.coverage(1000.0, 10**6) == pytest.approx(corrected, abs=1e-10)


@pytest.mark.parametrize("library", [np.asarray, torch.asarray])
def test_layer_norm_of_large_numbers(library):
    for dtype, size in (("float16", 100.0), ("float32", 1e30), ("float64", 1e200), ("float64", 1e307)):
        shape = np.array([[3.0, -3.0, 1.0, 0.05], [-1.0, 1.0, 2.0, 0.5]])
        found = np.asarray(layers.layer_norm(library((shape * size).astype(dtype)), eps=1e-5), dtype=float)
        np.testing.assert_allclose(found, layers.layer_norm(shape, eps=1e-300), rtol=4e-3, atol=2e-3)
    np.testing.assert_array_equal(layers.layer_norm(library(np.full((2, 4), 1e200))), np.zeros((2, 4)))


def test_numbers_whose_type_is_narrow_do_not_wrap_around():
    assert positional.offsets(np.array([3, 0], np.uint8), np.array([0], np.uint8)).tolist() == [[-3], [0]]
    assert positional.t5_bucket(np.array([-128], np.int8)).tolist() == positional.t5_bucket([-128]).tolist()
    assert positional.deberta_rows(np.array([2], np.uint8), 1).tolist() == [0]


@pytest.mark.parametrize("d_k", [1, 2, 3, 64, 100, 101, 512])
@pytest.mark.parametrize("s", [1e5, 1e9, 2e9, 1e15, 1e300, np.inf])
def test_the_density_far_away_is_zero(s, d_k):
    assert scores.density([s, -s], d_k).tolist() == [0, 0]


def test_edges_of_enormous_distances_are_found():
    edges = positional.t5_edges(32, 10**18)
    assert edges[:17] == list(range(17))
    assert edges[31] == pytest.approx(16 * (10**18 / 16) ** (15 / 16), rel=1e-12)


# --- The checks ---------------------------------------------------------------------------------------------------

COMPARISONS = {
    "equal": check.equal,
    "differs": lambda a, b: check.differs(a, b, by=1),
    "below": check.below,
    "estimate": lambda a, b: check.estimate(a, b, stderr=1),
    "prints": lambda a, b: check.prints(a, b),
}


@pytest.mark.parametrize("name", COMPARISONS)
def test_a_check_fails_in_one_sentence_or_holds(name):
    wrong = {}
    for left, right in [("nothing", "zero"), ("text", "zero"), ("zero", "text"), ("an object", "an object"),
                        ("ragged", "ragged"), ("objects", "objects"), ("meta", "meta"), ("complex", "zero"),
                        ("list of text", "list"), ("dates", "dates"), ("a dictionary", "a dictionary"),
                        ("sparse", "sparse"), ("leaf", "tensor")]:  # fmt: skip
        try:
            COMPARISONS[name](BAD[left], BAD[right])
        except check.CheckFailed:
            pass
        except (TypeError, ValueError) as refusal:
            if "expected" not in str(refusal):
                wrong[left, right] = f"{type(refusal).__name__}: {refusal}"
        except Exception as error:
            wrong[left, right] = f"{type(error).__name__}: {error}"
    assert not wrong
