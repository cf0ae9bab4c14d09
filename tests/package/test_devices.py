"""Laws compute where their arguments lie and in their precision: what they make anew joins them. They can be traced.

No GPU is needed. PyTorch's device ``meta`` keeps shapes and no numbers, and refuses to mix with tensors elsewhere, as a
GPU does; whether a GPU rounds as it should is not tested.
"""

import warnings

import numpy as np
import pytest
import torch
from attnbook import attention as att
from attnbook import check, layers, length, permutations, positional, recurrent, simplex, variants
from laws import laws_of_tensors, parameters, parts, tensors


def meta(*shape, dtype=torch.float32):
    return torch.empty(shape, device="meta", dtype=dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("law", list(laws_of_tensors()))
def test_a_law_stays_on_the_device_and_in_the_precision_of_its_arguments(law, dtype):
    here = {name: x.to(dtype) if isinstance(x, torch.Tensor) else x for name, x in tensors(law).items()}
    kinds = parameters(law)
    moved = [name for name in here if kinds[name] == "shaped" or name == next(iter(kinds))]  # positions may stay
    there = here | {name: here[name].to("meta") for name in moved}
    found = parts(law(**there))
    assert found
    for part, right in zip(found, parts(law(**here)), strict=True):
        assert (part.device.type, part.dtype, part.shape) == ("meta", dtype, right.shape)


X, W = meta(5, 4), meta(2, 4, 2)
HEADS = layers.Heads(W, W, W, meta(4, 4), b_Q=meta(2, 2))
LOOK = np.tri(5, dtype=bool)
CASES = {
    "causal_mask": lambda: att.attention(X, X, X, att.causal_mask(5)),
    "padding_mask": lambda: att.attention_weights(X[None], X[None], att.padding_mask([3], 5)),
    "mask of a list": lambda: att.attention(X, X, X, LOOK.tolist()),
    "mask on the CPU": lambda: att.attention(X, X, X, torch.tensor(LOOK)),
    "mask on the device": lambda: att.attention(X, X, X, meta(5, 5, dtype=torch.bool)),
    "heads": lambda: layers.multi_head_attention(X, X, X, HEADS, att.causal_mask(5)),
    "encoder_layer": lambda: layers.encoder_layer(X, lambda X: att.attention(X, X, X), lambda X: X),
    "rows": lambda: layers.rows([1, 0, 2, 4, 3], X),
    "conjugate": lambda: layers.conjugate([1, 0, 2, 4, 3], X @ X.mT),
    "graph of NumPy": lambda: layers.graph_attention(X, LOOK, meta(4, 2), meta(2), meta(2)),
    "adjacent": lambda: positional.rotate(X, range(5), [1.0, 0.1]),
    "halves": lambda: positional.rotate(X, range(5), pairing="halves"),
    "tables of NumPy": lambda: positional.logit_terms(X, X, np.ones((5, 5, 4)), np.ones((5, 5)), np.ones((5, 5, 4))),
    "start": lambda: recurrent.rnn(X, meta(3, 4), meta(3, 3), meta(3), start=meta(3)),
    "sparsemax": lambda: simplex.sparsemax(X),
    "sinkhorn": lambda: permutations.sinkhorn(meta(2, 3, 3)),
    "forgetting_bias": lambda: length.forgetting_bias(X),
}


@pytest.mark.parametrize("case", CASES)
def test_masks_tables_and_positions_join_the_device(case):
    for part in parts(CASES[case]()):
        assert (part.device.type, part.dtype) == ("meta", torch.float32)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16], ids=str)
def test_every_precision_is_kept_and_right(dtype):
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(5, 4, generator=generator, dtype=torch.float64)
    for f in (
        lambda x: att.attention(x, x, x, att.causal_mask(5)),
        lambda x: positional.rotate(x, range(5)),
        lambda x: positional.logit_terms(x, x, B=np.ones((5, 5))).position_position,
        simplex.sparsemax,
        lambda x: length.forgetting_bias(-(x**2))[:, -1],
        lambda x: recurrent.path_norms(x[None, :4]),
    ):
        assert f(x.to(dtype)).dtype == dtype
        torch.testing.assert_close(f(x.to(dtype)).double(), f(x), rtol=0, atol=16 * torch.finfo(dtype).eps)
        if dtype != torch.bfloat16:
            assert f(x.to(dtype).numpy()).dtype == x.to(dtype).numpy().dtype


@pytest.mark.filterwarnings("error")
def test_a_table_that_is_trained_gets_its_gradient():
    x, B = torch.ones(5, 4), torch.zeros(5, 5, requires_grad=True)
    positional.logit_terms(x, x, B=B).position_position.sum().backward()
    torch.testing.assert_close(B.grad, torch.ones(5, 5))


def test_arguments_on_two_devices_are_refused_by_name():
    with pytest.raises(ValueError, match=r"\bK\b.* on cpu and Q .* on meta"):
        att.attention(X, torch.ones(5, 4), X)


def traced(law):
    """A law as a function of its tensors alone, which returns all its parts, and these tensors."""
    values = tensors(law)
    moved = [name for name, kind in parameters(law).items() if kind == "shaped" and name in values]
    moved = moved or [next(iter(values))]
    few = {"rounds": 3} if "rounds" in parameters(law) else {}  # a hundred of them compile for minutes

    def of_tensors(*given):
        return tuple(parts(law(**values | dict(zip(moved, given, strict=True)) | few)))

    return of_tensors, [values[name] for name in moved]


@pytest.mark.parametrize("law", list(laws_of_tensors()))
def test_a_law_can_be_mapped_and_differentiated_by_torch(law):
    f, values = traced(law)
    right = f(*values)
    mapped = torch.func.vmap(f)(*(torch.stack([x, x]) for x in values))
    for part, whole in zip(right, mapped, strict=True):
        torch.testing.assert_close(whole, torch.stack([part, part]))
    gradient = torch.func.grad(lambda *given: sum(part.sum() for part in f(*given)))(*values)
    assert gradient.isfinite().all()


COMPILED = {
    "attention": lambda x: att.attention(x, x, x),
    "mask": lambda x: att.attention(x, x, x, x @ x.mT >= 0),
    "causal_mask": lambda x: att.attention(x, x, x, att.causal_mask(5)),
    "scale": lambda x: att.attention(x, x, x, scale=x[0, 0]),
    "soft_cap": lambda x: variants.soft_cap(x, x[0, 0] ** 2),
    "rotate": lambda x: positional.rotate(x, range(5)),
    "sparsemax": simplex.sparsemax,
    "layer_norm": layers.layer_norm,
}
MADE_BY_NUMPY = ("causal_mask", "rotate")  # torch.compile splits the function there


@pytest.mark.parametrize("case", COMPILED)
def test_a_law_can_be_compiled(case):
    x = torch.randn(5, 4, generator=torch.Generator().manual_seed(0))
    torch.compiler.reset()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Dynamo detected a call to a `functools.lru_cache`")
        compiled = torch.compile(COMPILED[case], backend="eager", fullgraph=case not in MADE_BY_NUMPY)(x)
    torch.testing.assert_close(compiled, COMPILED[case](x))


@pytest.mark.parametrize("case", COMPILED)
def test_jax_maps_differentiates_and_compiles_a_law(case):
    jax = pytest.importorskip("jax", reason="JAX is not installed; the book does not need it")
    f, x = COMPILED[case], np.random.default_rng(0).normal(size=(5, 4)).astype("f4")
    mapped = jax.jit(jax.vmap(f))(jax.numpy.stack([x, 2 * x]))
    np.testing.assert_allclose(mapped, np.stack([f(x), f(2 * x)]), rtol=1e-4, atol=1e-5)
    gradient = jax.jit(jax.grad(lambda x: (f(x) ** 2).sum()))(x)
    assert np.isfinite(gradient).all()
    assert np.any(gradient)


def test_values_are_judged_unless_they_are_traced():
    """A trace has shapes and no numbers; torch.func.grad keeps both."""
    x = torch.tensor([[1.0, 2.0], [torch.nan, 3.0]])
    hidden = torch.tensor([[True, True], [False, False]])
    for call in (att.softmax, lambda x: att.attention(x[:1], x[:1], x), lambda x: att.softmax(x, 5)):
        with pytest.raises(ValueError, match=r"NaN|shape"):
            call(x)
    with pytest.raises(ValueError, match=r"S .*NaN"):
        torch.func.grad(lambda x: att.softmax(x).sum())(x)
    with pytest.raises(ValueError, match="hides every key"):
        att.attention_weights(hidden.float(), hidden.float(), hidden)
    assert torch.func.vmap(att.softmax)(x[None]).isnan().any()
    with pytest.raises(ValueError, match=r"K has shape"):
        torch.func.vmap(lambda x: att.scores(x, x[:, :1]))(x[None])


def test_positions_that_are_traced_are_refused_by_name():
    with pytest.raises(ValueError, match=r"positions .*traced"):
        torch.func.vmap(lambda t: positional.rotate(torch.ones(5, 4), t))(torch.ones(2, 5))


def test_eager_jax_runs_the_laws():
    jnp = pytest.importorskip("jax.numpy")  # of the extra `test`
    x = np.random.default_rng(0).normal(size=(5, 4)).astype("f4")
    for f in (
        lambda x: att.attention(x, x, x),
        lambda x: att.attention(x, x, x, att.causal_mask(5)),
        lambda x: att.online_attention(x, x, x, tile=2),
        layers.layer_norm,
        simplex.sparsemax,
        lambda x: positional.rotate(x, range(5)),
        lambda x: permutations.sinkhorn(x[:4] ** 2 + 1),
        lambda x: length.forgetting_bias(-(x**2)),
    ):
        found = f(jnp.asarray(x))
        assert type(found).__module__.startswith("jax")
        np.testing.assert_allclose(np.asarray(found), f(x), atol=1e-5)
    tokens = [jnp.asarray(x)]
    assert (
        layers.symmetry(lambda x: att.attention(x, x, x), tokens, [layers.rows], [[1, 0, 2, 3, 4]]).verdict
        == "equivariant"
    )
    half = tokens[0].astype(jnp.bfloat16)
    check.equal(half, half)
    with pytest.raises(check.CheckFailed):
        check.equal(half, 1.2 * half)
