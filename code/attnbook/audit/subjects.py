"""What is audited, seen from outside: the paths through a function or a module, and the formula that it claims.

A *path* is one way to call the same attention: a mode, a kind of mask, a precision. :func:`subject` finds the paths of
a function of NumPy arrays or tensors and of a PyTorch module; ``READERS`` knows layers of PyTorch and transformers,
by their attributes. PyTorch and transformers are imported only where a module of theirs is given.
"""

import contextlib
import copy
import dataclasses
import functools
import inspect
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..arrays import require_int
from ..layers import Heads, torch_heads
from .formula import Formula
from .inputs import look_everywhere, positions_from_zero, tokens

__all__ = ["NotApplicable", "Path", "Subject", "assemble", "expand", "from_library", "masked_as", "modes", "quiet"]
__all__ += ["read_heads", "subject", "to_library"]

NAME_OF_MASK = "the name of a mask contains 'mask', else say call=…"
MASKS = ("look", "hide", "add", "lowest", "keys")
# True may look; True may not; 0 and −∞; 0 and the lowest number; (b, m), True where all queries may look


class NotApplicable(Exception):
    """A law that says nothing about a path; the message is the reason."""


class NoOutput(ValueError):
    """What f returned is no output of attention; the message says what it is."""


@dataclasses.dataclass(frozen=True, eq=False)
class Path:
    """One way to call: ``call(inputs, mask, positions)`` takes arrays of NumPy, and returns one in float64.

    ``dtype`` is the precision; ``formula`` what the path claims to compute, with weights as that precision holds them.
    ``pieces()`` returns a function of the next tokens that keeps a cache. ``is_random``: in training, with dropout.
    ``masks_keys``: its masks hide the same keys from all queries.
    """

    name: str
    call: Callable
    dtype: str
    formula: Formula | None = None
    pieces: Callable | None = None
    is_random: bool = False
    masks_keys: bool = False


@dataclasses.dataclass(frozen=True, eq=False)
class Subject:
    """What is audited: its paths, how many inputs it takes and of which width, and what it lets the caller choose.

    ``kind`` is "X" for a layer of tokens (b, n, width), "QKV" for a function of queries, keys and values, in
    ``heads`` = (h, g) heads of queries and of keys if not None. "XXX" is a layer that projects three lists of tokens.
    """

    name: str
    kind: str
    width: int
    paths: tuple[Path, ...]
    takes_mask: bool
    takes_positions: bool
    has_positions: bool
    causal: bool
    heads: tuple[int, int] | None = None
    blind: str | None = None
    reason: str = ""  # why no formula is known
    parameters: tuple[str, ...] = ()  # the names of all that it takes

    @property
    def has_heads(self) -> bool:
        """Whether scores have an axis of heads, which a mask has to fit."""
        return self.kind != "QKV" or self.heads is not None


def subject(f: Any, **claims: Any) -> Subject:
    """Return the paths of ``f``, a function or a PyTorch module; ``claims`` are those of :func:`attnbook.audit.audit`.

    Raises ``ValueError`` if ``f`` cannot be called, or a claim does not fit.
    """
    if not callable(f):
        raise ValueError(f"f is of the type {type(f).__name__}; expected a function or a PyTorch module")
    if inspect.isclass(f):
        raise ValueError(f"f is a class; write {f.__name__}()")
    if not _is_module(f):
        return _of_function(f, claims)
    known = () if claims.get("call") is not None else READERS
    reader = next((reader for fits, reader in known if fits(f)), _of_module)
    return reader(f, claims)


def _is_module(f):
    """Return whether ``f`` is a PyTorch module, without importing PyTorch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(f, torch.nn.Module)


# --- What a signature says --------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class _Taken:
    """What a function takes: "X" or "QKV", and the names of its mask and positions; None where it has none."""

    kind: str
    mask: str | None
    positions: str | None
    parameters: tuple[str, ...] = ()


def _taken(f, name):
    """Read the signature of ``f``: f(X), f(X, mask), f(Q, K, V, mask), and positions by name."""
    if name.endswith("scaled_dot_product_attention"):  # written in C++, without a signature
        return _Taken("QKV", "attn_mask", None)
    try:
        parameters = list(inspect.signature(f).parameters.values())
    except (TypeError, ValueError):
        raise ValueError("f has no signature; expected a function such as lambda Q, K, V, mask: …") from None
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    if not names:
        raise ValueError("f takes no arguments by name; expected f(X), f(X, mask) or f(Q, K, V, mask)")
    kind = "QKV" if [n[:1].lower() for n in names[:3]] == ["q", "k", "v"] else "X"
    others = names[3:] if kind == "QKV" else names[1:]
    mask = next((n for n in others if "mask" in n.lower()), None)
    return _Taken(kind, mask, next((n for n in others if "position" in n.lower()), None), tuple(names))


# --- Functions --------------------------------------------------------------------------------------------------------


def _of_function(f, claims):
    name = getattr(f, "__name__", type(f).__name__)
    given, call = f, claims.get("call")
    f = given if call is None else functools.partial(call, given)
    taken = _taken(f, name)
    formula, heads, reason = _claimed(taken, claims, None)
    width = _width(claims, formula, taken, None)
    draft = _subject(name, taken, width, heads, claims, reason, _projects(formula))
    library, dtypes = _library(f, draft, taken, claims)
    own = draft.kind == "QKV" and library == "torch"  # tensors of another precision meet no weights of this one
    dtypes = dtypes if own or library == "numpy" else dtypes[:1]
    paths = [
        Path(
            _label(dtype, form, dtypes[0], claims),
            _call(f, taken, form, library, dtype, draft.has_heads),
            dtype,
            formula,
            _pieces(given, claims, library, dtype),
            masks_keys=form == "keys",
        )
        for dtype in dtypes
        for form in _forms(claims, taken)
    ]
    return dataclasses.replace(draft, paths=tuple(paths))


def _library(f, draft, taken, claims):
    """Return which arrays ``f`` takes, by trying, and in which precisions it is to be tried."""
    form = _forms(claims, taken)[0]
    inputs, mask, positions = _first_arguments(draft)
    found: list[Exception] = []
    tried: list[tuple[str, tuple]] = [("numpy", ("float64", "float32"))]
    if "torch" in sys.modules:
        tried.append(("torch", ("float32", "bfloat16", "float16")))
    for library, dtypes in tried:
        dtypes = (claims["dtype"],) if claims.get("dtype") else dtypes
        path = Path("tried", _call(f, taken, form, library, dtypes[0], draft.has_heads), dtypes[0])
        try:
            _require_shape(inputs, path.call(inputs, mask, positions))
        except Exception as error:
            found.append(error)
        else:
            return library, dtypes
    refused = next((error for error in found if isinstance(error, NoOutput)), found[-1])
    raise _refused(inputs, mask, refused) from refused


def _first_arguments(draft):
    """Return tokens, a mask and positions for a first call; None for those that the subject does not take."""
    inputs = tokens(np.random.default_rng(0), draft.kind, draft.width, draft.heads)
    mask = look_everywhere(inputs) if draft.takes_mask else None
    positions = positions_from_zero(inputs) if draft.takes_positions else None
    return inputs, mask, positions


def brief_error(error):
    """Return the first line of a message, in at most 120 characters."""
    return (str(error).splitlines() or [type(error).__name__])[0][:120]


def _call(f, taken, form, library, dtype, has_heads):
    """Return call(inputs, mask, positions, seed) for arrays of NumPy in and out."""

    def call(inputs, mask=None, positions=None, seed=0):
        given = [to_library(library, x, dtype) for x in inputs]
        options = {}
        if taken.mask is not None and mask is not None:
            mask = of_keys(inputs, mask) if form == "keys" else expand(mask, inputs, has_heads)
            options[taken.mask] = masked_as(library, mask, form, dtype)
        if taken.positions is not None and positions is not None:
            options[taken.positions] = to_library(library, positions, None)
        with quiet(library, seed):
            return from_library(f(*given, **options))

    return call


def expand(mask, inputs, has_heads):
    """Give a mask (b, n, m) an axis for the heads where the scores have one."""
    mask = np.broadcast_to(mask, (len(inputs[0]), *mask.shape[-2:]))
    return mask[:, None] if has_heads else mask


def of_keys(inputs, mask):
    """Return the mask (b, m) that hides the same keys from all queries."""
    mask = np.broadcast_to(mask, (len(inputs[0]), *mask.shape[-2:]))
    if not (mask == mask[:, :1]).all():
        raise NotApplicable("its mask hides the same keys from all queries")
    return mask[:, 0]


def masked_as(library, mask, form, dtype):
    """Write a mask, True where a query may look, in the form that the function takes."""
    if form in ("look", "hide", "keys"):
        return to_library(library, ~mask if form == "hide" else mask, None)
    if library == "numpy":
        lowest = -np.inf if form == "add" else np.finfo(dtype).min
        return np.where(mask, 0.0, lowest).astype(dtype)
    torch = sys.modules["torch"]
    kind = getattr(torch, dtype)
    lowest = -np.inf if form == "add" else torch.finfo(kind).min
    return torch.zeros(mask.shape, dtype=kind).masked_fill(torch.tensor(~mask), lowest)


def to_library(library, x, dtype):
    """Return an array of NumPy as one of the library, in a precision if one is given."""
    x = np.array(x)
    if library == "numpy":
        return x if dtype is None else x.astype(dtype)
    torch = sys.modules["torch"]
    return torch.tensor(x) if dtype is None else torch.tensor(x).to(getattr(torch, dtype))


def from_library(Y):
    """Return an output, or the first of several, as float64."""
    said = "f returned "
    while isinstance(Y, tuple | list):
        if not Y:
            raise NoOutput(f"f returned an empty {type(Y).__name__}; expected an array, or several of them")
        said, Y = f"f returned a {type(Y).__name__} whose first entry is ", Y[0]
    if hasattr(Y, "last_hidden_state"):
        Y = Y.last_hidden_state
    if not hasattr(Y, "shape"):
        raise NoOutput(f"{said}{'None' if Y is None else type(Y).__name__}; expected an array")
    if hasattr(Y, "detach"):
        return Y.detach().cpu().double().numpy()
    return np.asarray(Y, dtype=np.float64)


@contextlib.contextmanager
def quiet(library, seed):
    """Compute without gradients, warnings of NumPy, or a trace in the random numbers of PyTorch."""
    if library == "numpy":
        with np.errstate(all="ignore"):
            yield
        return
    torch = sys.modules["torch"]
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        yield


def _pieces(f, claims, library, dtype, module=None):
    """Return the claimed function of pieces, for arrays of NumPy."""
    make = claims.get("pieces")
    if make is None:
        return None

    def pieces():
        with quiet(library, 0):
            step = make(module or f)

        def next_piece(X):
            with quiet(library, 0):
                return from_library(step(to_library(library, X, dtype)))

        return next_piece

    return pieces


def _forms(claims, taken):
    """Return the kinds of masks that are to be tried."""
    forms = claims.get("mask") or "look"
    forms = (forms,) if isinstance(forms, str) else tuple(forms)
    return forms if taken.mask else forms[:1]


def _label(dtype, form, first, claims, mode=""):
    """Name a path by what sets it apart."""
    forms = claims.get("mask") or "look"
    several = not isinstance(forms, str) and len(forms) > 1
    words = {"look": "boolean", "hide": "boolean", "add": "additive", "lowest": "lowest", "keys": "keys"}
    parts = [mode or dtype] if mode == "" or dtype == first else [dtype]
    return " ".join([*parts, words[form]] if several else parts)


# --- What is claimed --------------------------------------------------------------------------------------------------

OF_FORMULA = {f.name for f in dataclasses.fields(Formula)} - {"heads", "query_heads", "key_heads", "causal"}


def _claimed(taken, claims, module):
    """Return the formula, the numbers of heads, and why there is no formula."""
    heads, g = claims.get("heads"), claims.get("key_heads")
    others = {k: claims[k] for k in OF_FORMULA if claims.get(k) is not None}
    others["causal"] = bool(claims.get("causal"))
    number = None if heads is None or isinstance(heads, Heads) else require_int("heads", heads)
    if not isinstance(heads, Heads) and module is not None:
        heads = read_heads(module, number, g)
    if isinstance(heads, Heads):
        return Formula.read(heads, key_heads=g, **others), None, ""
    if taken.kind == "X":
        return None, None, "no weights are known: say heads=Heads.from_linears(…) or Heads.from_fused(…)"
    if number is None:
        return Formula.read(**others), None, ""
    formula = Formula.read(query_heads=number, key_heads=g, **others)
    return formula, (number, formula.key_heads), ""


def _projects(formula):
    return formula is not None and formula.heads is not None


def _width(claims, formula, taken, module):
    """Return the width of tokens, or of queries and keys."""
    if claims.get("width") is not None:
        return require_int("width", claims["width"])
    if formula is not None and formula.heads is not None:
        return formula.heads.W_Q.shape[1]
    if taken.kind == "QKV":
        return 8
    for each in module.modules() if module is not None else ():
        if hasattr(each, "in_features"):
            return int(each.in_features)
        if hasattr(each, "embed_dim"):
            return int(each.embed_dim)
    raise ValueError("width is not known; expected the width of a token: audit(f, width=16)")


def _subject(name, taken, width, heads, claims, reason, projects=False):
    own = claims.get("positions") or claims.get("rotary") or claims.get("bias")
    return Subject(
        name,
        "XXX" if taken.kind == "QKV" and projects else taken.kind,
        width,
        (),
        takes_mask=taken.mask is not None,
        takes_positions=taken.positions is not None,
        has_positions=bool(own),
        causal=bool(claims.get("causal")),
        heads=heads,
        blind=claims.get("blind"),
        reason=reason,
        parameters=taken.parameters,
    )


# --- Modules ----------------------------------------------------------------------------------------------------------

MODES = (("eval", "float32"), ("train", "float32"), ("bfloat16", "bfloat16"), ("float16", "float16"))


def modes(module, claims):
    """Yield (name, dtype, a copy of the module in that mode and precision)."""
    torch = sys.modules["torch"]
    modes = [(mode, claims["dtype"]) for mode, _ in MODES[:2]] if claims.get("dtype") else MODES
    for name, dtype in modes:
        own = copy.deepcopy(module).cpu().to(getattr(torch, dtype)).train(name == "train")
        yield name, dtype, own


def _rounded(formula, dtype):
    """Return the formula with its weights as ``dtype`` holds them."""
    if formula is None or dtype == "float64":
        return formula

    def through(w):
        return None if w is None else from_library(to_library("torch", w, dtype))

    heads = None if formula.heads is None else Heads(*map(through, formula.heads))
    gains = None if formula.gains is None else [through(g) for g in formula.gains]
    held = {"heads": heads, "sinks": through(formula.sinks), "gains": gains}
    return Formula.read(**vars(formula) | held)


def _is_random(call, inputs, mask, positions):
    return bool((call(inputs, mask, positions, seed=0) != call(inputs, mask, positions, seed=1)).any())


def assemble(draft: Subject, formula: Formula | None, calls: Iterable) -> Subject:
    """Give a subject its paths; ``calls`` yields (name, dtype, call, pieces, masks_keys)."""
    inputs, mask, positions = _first_arguments(draft)
    paths = []
    for name, dtype, call, pieces, masks_keys in calls:
        if not paths:
            _require_call(call, inputs, mask, positions)
        is_random = False
        if name.startswith("train"):
            with contextlib.suppress(Exception):  # its own laws will say so
                is_random = _is_random(call, inputs, mask, positions)
        paths.append(Path(name, call, dtype, _rounded(formula, dtype), pieces, is_random, masks_keys))
    return dataclasses.replace(draft, paths=tuple(paths))


def _require_call(call, inputs, mask, positions):
    """Call once; refuse what raises an error or returns another shape, naming the shapes that it was given."""
    try:
        _require_shape(inputs, call(inputs, mask, positions))
    except Exception as error:
        raise _refused(inputs, mask, error) from error


def _require_shape(inputs, Y):
    """Refuse an output that has not a row for each query."""
    rows = inputs[0].shape[:-1]
    if Y.shape[:-1] != rows or Y.ndim == 0:
        raise NoOutput(f"f returned shape {Y.shape}; expected ({', '.join(map(str, rows))}, d_out)")


def _refused(inputs, mask, error):
    if isinstance(error, NoOutput):
        return ValueError(str(error))
    given = ", ".join(str(x.shape) for x in inputs)
    shown = "" if mask is None else f" with a mask for {mask.shape[-2]} queries and {mask.shape[-1]} keys"
    hint = f"; {NAME_OF_MASK}" if isinstance(error, TypeError) and "missing" in str(error) else ""
    said = f"{type(error).__name__}: {brief_error(error)}{hint}"
    return ValueError(f"f fails on arrays of shape {given}{shown}: {said}")


def _of_module(module, claims):
    """Read a module f(X), f(X, mask) or f(Q, K, V, mask) by the signature of its forward."""
    name, call = type(module).__name__, claims.get("call")
    taken = _taken(module.forward if call is None else functools.partial(call, module), name)
    formula, heads, reason = _claimed(taken, claims, module)
    width = _width(claims, formula, taken, module)
    draft = _subject(name, taken, width, heads, claims, reason, _projects(formula))

    def calls():
        for mode, dtype, own in modes(module, claims):
            for form in _forms(claims, taken):
                label = _label(dtype, form, dtype if mode in ("eval", "train") else "float32", claims, mode)
                called = own if call is None else functools.partial(call, own)
                run = _call(called, taken, form, "torch", dtype, draft.has_heads)
                yield label, dtype, run, _pieces(module, claims, "torch", dtype, own), form == "keys"

    return assemble(draft, formula, calls())


def _of_multihead(module, claims):
    """Read a ``torch.nn.MultiheadAttention``: with and without weights, with both of its masks."""
    formula = Formula.read(torch_heads(module), **{k: claims[k] for k in OF_FORMULA if claims.get(k) is not None})
    draft = _subject(type(module).__name__, _Taken("X", "attn_mask", None), module.embed_dim, None, claims, "")

    def call_of(own, dtype, form, need_weights):
        def call(inputs, mask=None, positions=None, seed=0):
            X = to_library("torch", inputs[0], dtype)
            X = X if own.batch_first else X.swapaxes(0, 1)
            options = {} if mask is None else _multihead_masks(own, inputs, mask, form, dtype)
            with quiet("torch", seed):
                Y = own(X, X, X, need_weights=need_weights, **options)[0]
            return from_library(Y if own.batch_first else Y.swapaxes(0, 1))

        return call

    def calls():
        for mode, dtype, own in modes(module, claims):
            ways = [("", "hide", False)]
            if mode in ("eval", "train"):
                ways += [(" weights", "hide", True), (" additive", "add", False), (" padding", "padding", False)]
            for label, form, need_weights in ways:
                yield mode + label, dtype, call_of(own, dtype, form, need_weights), None, form == "padding"

    return assemble(draft, formula, calls())


def _multihead_masks(own, inputs, mask, form, dtype):
    """Return the masks of MultiheadAttention, where True hides: one for each head, or one of keys alone."""
    if form == "padding":
        return {"key_padding_mask": to_library("torch", ~of_keys(inputs, mask), None)}
    mask = np.broadcast_to(mask, (len(inputs[0]), *mask.shape[-2:]))
    return {"attn_mask": masked_as("torch", np.repeat(mask, own.num_heads, axis=0), form, dtype)}


def _of_transformers(module, claims):
    """Read an attention layer of transformers with q_proj, k_proj, v_proj, o_proj: Llama, Qwen, Gemma, gpt-oss."""
    from . import hugging_face

    return hugging_face.decoder(module, claims)


def _of_t5(module, claims):
    """Read T5's attention."""
    from . import hugging_face

    return hugging_face.t5(module, claims)


def _from_transformers(module):
    return type(module).__module__.startswith("transformers.models")


def _is_multihead(module):
    """Return whether a module is torch's own attention; another may have parts of the same names."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(module, torch.nn.MultiheadAttention)


#: (which modules, how they are read), the first that fits; others are read by the signature of their forward.
READERS: list[tuple[Callable, Callable]] = [
    (_is_multihead, _of_multihead),
    (
        lambda m: _from_transformers(m) and all(hasattr(m, a) for a in ("q_proj", "o_proj", "layer_idx")),
        _of_transformers,
    ),
    (lambda m: _from_transformers(m) and hasattr(m, "key_value_proj_dim"), _of_t5),
]

SEPARATE = (("q_proj", "k_proj", "v_proj"), ("q", "k", "v"), ("query", "key", "value"), ("W_Q", "W_K", "W_V"))
SEPARATE += (("wq", "wk", "wv"), ("w_q", "w_k", "w_v"), ("to_q", "to_k", "to_v"))
FUSED = ("qkv", "qkv_proj", "in_proj", "to_qkv", "Wqkv", "c_attn")
LAST = ("o_proj", "out_proj", "out", "o", "proj", "c_proj", "W_O", "wo", "w_o", "to_out", "dense")
NUMBER = ("num_heads", "n_heads", "heads", "n_head", "num_attention_heads", "h")


def read_heads(module: Any, heads: int | None = None, key_heads: int | None = None) -> Heads | None:
    """Return the weights of a module by the names that projections commonly have; None if it has none of them.

    ``heads`` is an attribute of the module unless given; ``key_heads`` follows from the rows of its weights. For other
    modules, see :class:`attnbook.layers.Heads`.
    """
    last = _first(module, LAST)
    h = heads or _first(module, NUMBER)
    if not isinstance(h, int) or not hasattr(last, "weight"):
        return None
    for names in SEPARATE:
        parts = [getattr(module, name, None) for name in names]
        if all(hasattr(part, "weight") for part in parts):
            queries, keys = (len(part.weight) for part in parts[:2])
            return Heads.from_linears(*parts, last, h, key_heads or _divided(keys * h, queries) or h)
    fused = _first(module, FUSED)
    if not hasattr(fused, "weight"):
        return None
    beside_queries = len(fused.weight) - last.weight.shape[1]  # rows of keys and values
    g = key_heads or _divided(beside_queries * h, 2 * last.weight.shape[1]) or h
    return Heads.from_fused(fused, last, heads=h, key_heads=g)


def _divided(a, b):
    """Return a/b where it is a whole number above 0, else None."""
    return a // b if a > 0 and a % b == 0 else None


def _first(module, names):
    """Return the first of these attributes that the module has."""
    return next((getattr(module, name) for name in names if getattr(module, name, None) is not None), None)
