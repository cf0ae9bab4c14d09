"""The assertion a chapter uses: evaluate both sides of a law, fail the build if they differ, show the figure.

A function raises :class:`CheckFailed` when its law does not hold, and otherwise leaves one quiet line in the output of
its cell, a :class:`~attnbook.check.record.Check`. A check that cannot fail is a defect, so each also fails if shapes
differ, a side contains NaN or there is nothing to compare; a margin that is no number is a ``ValueError``.

The tolerance of :func:`equal` is derived, by :func:`tolerance`, for the coarser type of the two sides. N is the length
of the last axis (leading axes are batches, over which nothing is added; a sum longer than 64 names its length) and
``scale`` the largest absolute value of the two arrays. Arrays of small numbers get no more room than others; small
entries beside large ones do. Where it exceeds half the size of the numbers nothing can be judged: a ``ValueError``.

What refers to a check names it by its ``label``, or by its ``law`` where that is given in words; a label is not shown.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import brief, require_int, require_number
from . import display
from .record import Check

__all__ = ["CheckFailed", "below", "differs", "equal", "estimate", "prints", "refuses", "tolerance"]

REAL, NUMBERS = "biuf", "biufc"  # kinds of NumPy's dtypes
LONGEST = 64  # a longer sum is named by its check
STEPS = 8  # four of each evaluation of a law: scale, multiply, normalise, multiply; and a law is evaluated twice
FIGURE = re.compile(r"[+-]?(\d+\.?\d*|\.\d+|[1-9]\.?\d*e[+-]?\d{1,3})%?", re.ASCII)
SIGMAS = 6  # an honest rerun exceeds six standard errors about twice in a thousand million times


class CheckFailed(AssertionError):
    """A law that was evaluated and does not hold."""


def equal(
    left: ArrayLike,
    right: ArrayLike,
    law: str | None = None,
    *,
    terms: int | None = None,
    scale: float | None = None,
    label: str = "",
) -> None:
    """left = right, up to rounding; exactly for whole numbers, booleans and text.

    Both sides are arrays, tensors, numbers or nested lists, of one shape. ``law`` says it in words; the two expressions
    themselves do unless given. ``terms`` is N above, where the longest sum has more terms than the last axis, or than
    64; ``scale`` the size of the numbers that were added, where the result is small because they cancel.

    >>> equal(0.1 + 0.2, 0.3)
    ✓ 0.1 + 0.2 = 0.3  ·  largest difference 5.6e-17, allowed 5.3e-16
    """
    law, label, is_code = display.words("{} = {}", law, label)
    terms = require_int("terms", 1 if terms is None else terms)
    scale = None if scale is None else require_number("scale", scale, least=0)
    a, b = _pair(left, right, law)
    kinds = {a.dtype.kind, b.dtype.kind}
    if not kinds & {"f", "c"}:
        _require(np.all(a == b), law, f"they differ in {np.sum(a != b)} of {a.size} entries")
        return display.add(Check("equal", law, 0.0, 0.0, is_code=is_code, label=label))
    _require(kinds <= set(NUMBERS), law, f"they differ in kind, {a.dtype} and {b.dtype}")
    a, b = a * 1.0, b * 1.0  # whole numbers must not wrap around
    finite = np.isfinite(a) & np.isfinite(b)
    _require(np.all(finite | (a == b)), law, "the infinities stand in different places")
    a = np.where(finite, a, 0)
    b = np.where(finite, b, 0)
    gap = np.abs(a - b)
    scale = max(np.abs(a).max(), np.abs(b).max()) if scale is None else scale
    terms = max(terms, min(a.shape[-1] if a.ndim else 1, LONGEST))
    share = max(tolerance(dtype, terms) for dtype in _precisions(left) | _precisions(right))
    if share > 0.5:
        few = f"terms = {terms} allow {share:.3g} of the size of the numbers in the coarser type of the two sides"
        raise ValueError(f"{law}: {few}, so nothing can be judged; expected half at most, as in a finer type")
    allowed = float(share * scale)
    where = np.unravel_index(np.argmax(gap), gap.shape)
    error = float(gap[where])
    at = f" at {[int(i) for i in where]}" if gap.ndim else ""
    _require(error <= allowed, law, f"largest difference {error:.3g}{at}, allowed {allowed:.2g}")
    display.add(
        Check(
            "equal",
            law,
            error,
            allowed,
            worst=error / allowed if error else 0.0,
            widest=allowed,
            is_code=is_code,
            label=label,
        )
    )


def tolerance(dtype: Any, terms: int = 1, scale: float = 1.0) -> float:
    """8 (ε + (N − 1) ε₊) · scale: how far rounding may take apart the two sides of a law that holds.

    ε is the machine epsilon of ``dtype``, by which numbers are rounded that are stored: once, however long the sum of
    N = ``terms`` products behind them. Its N − 1 additions round by ε₊, the epsilon of the type that adds: float32 for
    products of 16 bits, else ``dtype`` itself, which makes 8 N ε. ``scale`` is the size of what was added. ``dtype`` is
    one of NumPy or PyTorch, or its name: float64, float32, float16, bfloat16, or complex.

    The bound N ε₊ is that of Higham (2002), section 3.1; 8 are two evaluations of four steps each. Scores that are
    stored in 16 bits are off by up to ε/2 times their own size: where they are much larger than 1, ``scale`` grows with
    them. Not tried on a GPU, where two settings of PyTorch add more coarsely: ``allow_tf32``, and for float16
    ``allow_fp16_reduced_precision_reduction``.

    >>> tolerance("float64", 3) == 24 * 2.0**-52
    True
    >>> round(tolerance("bfloat16", 4096, scale=2.0), 3)
    0.133
    """
    terms = require_int("terms", terms)
    scale = require_number("scale", scale, least=0)
    stored = _epsilon(dtype)
    added = min(stored, _epsilon("float32"))
    return float(STEPS * (stored + (terms - 1) * added) * scale)


def differs(
    left: ArrayLike, right: ArrayLike, law: str | None = None, *, by: float, reason: str = "", label: str = ""
) -> None:
    """max |left − right| ≥ by: a counter-example that really differs, or a wrong figure that is really wrong.

    ``reason`` says why ``by`` is far from the difference, where no nearer bound is honest.
    """
    law, label, is_code = display.words("{} ≠ {}", law, label)
    by = require_number("by", by, above=0)
    a, b = _pair(left, right, law, NUMBERS)
    gap = float(np.abs(a * 1.0 - b * 1.0).max())
    _require(gap >= by, law, f"largest difference {gap:.3g}, expected at least {by:.3g}")
    display.add(Check("differs", law, gap, float(by), worst=-gap, reason=reason, is_code=is_code, label=label))


def estimate(
    measured: ArrayLike,
    exact: ArrayLike,
    law: str | None = None,
    *,
    stderr: ArrayLike,
    rejects: ArrayLike | None = None,
    label: str = "",
) -> None:
    """|measured − exact| ≤ 6 standard errors, elementwise: the law of a random quantity.

    ``stderr`` > 0 is the standard error of ``measured``, derived from the sample size, not tuned. ``rejects`` are
    rivals that the sample must exclude by 6 standard errors, of the shape of ``measured``, or several for a number.
    """
    law, label, is_code = display.words("{} ≈ {}", law, label)
    m, e = (side * 1.0 for side in _pair(measured, exact, law, REAL))
    error = _beside("stderr", stderr, {(), m.shape}, law)
    _require(np.all(error > 0), law, "stderr must be positive")
    z = float((np.abs(m - e) / error).max())
    note = f"measured {_short(m)}, exact {_short(e)}"
    _require(z <= SIGMAS, law, f"{note}: {z:.1f} standard errors apart")
    rival = 0.0
    if rejects is not None:
        rivals = _beside("rejects", rejects, {(), m.shape or np.shape(_numbers(rejects))}, law)
        rival = float((np.abs(m - rivals) / error).min())
        _require(rival > SIGMAS, law, f"the rival {brief(rejects)} is only {rival:.1f} standard errors away")
        note += f", {_short(rivals)} is {rival:.0f} away"
    display.add(Check("estimate", law, z, SIGMAS, worst=z, note=note, rival=rival, is_code=is_code, label=label))


def below(
    smaller: ArrayLike,
    larger: ArrayLike,
    law: str | None = None,
    *,
    by: float = 0.0,
    reason: str = "",
    label: str = "",
) -> None:
    """smaller + by < larger, elementwise and strictly; ``larger`` may be one number.

    ``reason`` says why the two sides are far apart, where no nearer bound is honest.
    """
    law, label, is_code = display.words("{} < {}", law, label)
    by = require_number("by", by, least=0)
    a, b = _numbers(smaller), _numbers(larger)
    if b.ndim == 0:
        b = np.full(a.shape, b)
    a, b = (side * 1.0 for side in _pair(a, b, law, REAL))
    closest = np.unravel_index(np.argmin(b - a), a.shape)
    x, y = float(a[closest]), float(b[closest])
    _require(y - x > by, law, f"{x:.4g} and {y:.4g} are {y - x:.3g} apart, expected more than {by:.3g}")
    note = f"at least {by:.3g} apart" if by else ""
    display.add(Check("below", law, x, y, worst=x - y, note=note, reason=reason, is_code=is_code, label=label))


def prints(value: ArrayLike, printed: str | list, law: str | None = None, *, label: str = "") -> None:
    """value, rounded to as many digits as ``printed`` has, is ``printed``: a source's figure is right as printed.

    ``printed`` is text, such as ``"0.0475"``, ``"99.67%"`` or ``"4.25e-18"``, or a (nested) list of such texts.

    >>> prints(2 / 3, "0.667")
    ✓ 2 / 3 prints as '0.667'  ·  0.6667 prints as 0.667
    """
    law, label, is_code = display.words("{} prints as {}", law, label)
    texts = _numbers(printed)
    if texts.dtype.kind != "U":
        raise TypeError(f"printed = {printed!r:.60}; expected text, so that the number of digits is known")
    v, _ = _pair(value, np.zeros(texts.shape), law, REAL)
    for x, text in zip(v.ravel().tolist(), texts.ravel().tolist(), strict=True):
        if not FIGURE.fullmatch(text):
            raise ValueError(f"printed = {brief(text)}; expected the digits of a number")
        figure = Decimal(text.removesuffix("%")).scaleb(-2 if text.endswith("%") else 0)
        half = Decimal(5).scaleb(figure.as_tuple().exponent - 1)
        _require(abs(Decimal(x) - figure) <= half, law, f"the value is {x:.10g}, not {text}")
    display.add(Check("prints", law, _short(v), _short(texts), is_code=is_code, label=label))


def refuses(
    call: Callable[[], object],
    error: type[Exception] | tuple[type[Exception], ...] = ValueError,
    law: str | None = None,
    *,
    label: str = "",
) -> None:
    """call() raises ``error``: bad input is refused. Returns nothing and shows the message.

    Raises ``CheckFailed`` if the call succeeds; any other exception passes through.

    >>> refuses(lambda: int("two"))
    ✓ int('two') is refused  ·  ValueError: invalid literal for int() with base 10: 'two'
    """
    law, label, is_code = display.words("{} is refused", law, label)
    law = law.removeprefix("lambda: ")
    errors = error if isinstance(error, tuple) else (error,)
    if not all(isinstance(e, type) and issubclass(e, Exception) for e in errors):
        raise TypeError(f"error = {brief(error)}; expected a type of exception, or a tuple of them")
    try:
        call()
    except errors as refusal:
        if isinstance(refusal, TypeError) and not refusal.__traceback__.tb_next:  # the call itself failed
            raise TypeError(f"call = {brief(call)}; expected a function without arguments: lambda: f(x)") from None
        reason = str(refusal).partition("\n")[0] or type(refusal).__name__
        return display.add(Check("refuses", law, reason[:120], type(refusal).__name__, is_code=is_code, label=label))
    raise CheckFailed(f"{law}: it was accepted, expected {' or '.join(e.__name__ for e in errors)}")


def _numbers(x: ArrayLike) -> np.ndarray:
    """Return any array, tensor, number or nested list as a NumPy array that autograd no longer follows."""
    try:
        if isinstance(x, (list, tuple)):
            items = [_numbers(item) for item in x]
            if len({item.dtype.kind == "U" for item in items}) > 1:
                raise TypeError("text beside numbers")  # which NumPy would read as text
            return np.asarray(items)
        if isinstance(x, np.ma.MaskedArray):
            raise TypeError("hidden entries")  # whatever they are compared with, they would hold
        if hasattr(x, "detach"):
            x = x.detach().cpu()
            if x.dtype.is_floating_point and x.dtype.itemsize <= 2:
                x = x.float()  # NumPy has no bfloat16
        array = np.asarray(x)
        if array.dtype.name == "bfloat16":  # which a library beside NumPy has added
            array = array.astype(np.float32)
        if array.dtype == object and not all(isinstance(item, int) for item in array.flat):
            raise TypeError("no numbers")  # such as None, of a function that forgot to return
        return array
    except (ValueError, TypeError, RuntimeError):  # ragged; a tensor without numbers, or a sparse one
        raise TypeError(f"{brief(x)} is no array; expected numbers, or a list of the same shape throughout") from None


def _precisions(x: ArrayLike) -> set[str]:
    """Return the types of the numbers in ``x`` that are rounded; none for whole numbers, so the other side decides."""
    if isinstance(x, (list, tuple)):
        return set().union(*map(_precisions, x))
    dtype = x.dtype if hasattr(x, "detach") else np.asarray(x).dtype
    name = str(dtype).removeprefix("torch.")
    return {name} if "float" in name or "complex" in name else set()


def _epsilon(dtype: Any) -> float:
    """Return the machine epsilon of ``dtype``, which NumPy does not know for bfloat16."""
    name = getattr(dtype, "__name__", str(dtype)).removeprefix("torch.")
    try:
        return 2.0**-7 if name == "bfloat16" else float(np.finfo(name).eps)
    except (TypeError, ValueError):
        expected = "float64, float32, float16, bfloat16 or complex numbers"
        raise ValueError(f"dtype = {brief(dtype)}; expected {expected}") from None


def _short(x: np.ndarray) -> str:
    """Write at most four numbers, with four digits each; text as it is."""
    words = [v if isinstance(v, str) else f"{v:.4g}" for v in x.ravel()[:4].tolist()]
    if x.size == 1:
        return words[0]
    if x.size > 4:
        words.append("…")
    return f"[{', '.join(words)}]"


def _require(holds, law, figure):
    """Fail the check unless ``holds``; ``figure`` says what was found."""
    if not holds:
        raise CheckFailed(f"{law}: {figure}")


def _pair(left, right, law, kinds=""):
    """Return both sides as arrays of one shape with entries to compare; ``kinds`` are those of NumPy's dtypes."""
    a, b = _numbers(left), _numbers(right)
    _require(a.shape == b.shape, law, f"shapes {a.shape} and {b.shape} differ")
    _require(a.size > 0, law, "nothing to compare, both sides are empty")
    for side, x in (("left", a), ("right", b)):
        _require(np.all(x == x), law, f"the {side} side contains NaN")
        _require(not kinds or x.dtype.kind in kinds, law, f"the {side} side has dtype {x.dtype}, expected numbers")
    return a, b


def _beside(name, x, shapes, law):
    """Return what stands beside the two sides, such as standard errors, as finite numbers of one of ``shapes``."""
    x = _numbers(x)
    if x.dtype.kind not in REAL:
        raise TypeError(f"{name} = {brief(x)}; expected numbers")
    _require(x.size and x.shape in shapes, law, f"{name} has shape {x.shape}; expected {' or '.join(map(str, shapes))}")
    _require(np.isfinite(x).all(), law, f"{name} must be finite")
    return x * 1.0
