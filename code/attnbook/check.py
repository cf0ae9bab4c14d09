"""The assertion a chapter uses: evaluate both sides of a law, fail the build if they differ, show the figure.

Every function compares, raises :class:`CheckFailed` when the law does not hold, and otherwise leaves one quiet line
in the output of its cell, a :class:`~attnbook.check_record.Check`. A check that cannot fail is a defect, so shapes must
match exactly, NaN is a failure and so is a comparison of nothing.

The tolerance of :func:`equal` is derived: a sum of N products in floating point is off by at most about N·ε times the
size of what was added (Higham 2002, section 3.1), and a law is evaluated twice with a few steps each, hence
``8 · ε · N · scale`` with ε the coarser machine epsilon of the two sides, N the length of the last axis (leading axes
are batches, over which nothing is added; a sum longer than 64 names its length) and ``scale`` the largest absolute
value of the two arrays. Small arrays are compared as strictly as large ones; small entries beside large ones are not,
unless the comparison is ``entrywise``.
"""

import ast
import linecache
import sys
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

import numpy as np
from numpy.typing import ArrayLike

from . import check_display
from .check_numbers import epsilon, numbers, short
from .check_record import Check

__all__ = ["CheckFailed", "below", "differs", "equal", "estimate", "prints", "refuses"]

LONGEST = 64  # a longer sum is named by its check
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
    entrywise: bool = False,
) -> None:
    """left = right, up to rounding; exactly for whole numbers, booleans and text.

    Parameters
    ----------
    left, right : array, tensor, number, or nested list of them, of the same shape
    law : str, optional
        The law in words; the two expressions themselves unless given.
    terms : int, optional
        N above: the number of terms in the longest sum, where it exceeds the last axis of the result, or 64.
    scale : float, optional
        Size of the numbers that were added, where the result is small because they cancel.
    entrywise : bool
        Compare every entry with a tolerance of its own size, not with that of the largest entry.

    Raises ``CheckFailed`` if they differ, have different shapes, are empty, or contain NaN.

    >>> equal(0.1 + 0.2, 0.3)
    ✓ 0.1 + 0.2 = 0.3  ·  largest difference 5.6e-17, allowed 5.3e-16
    """
    law = law or _words("{} = {}")
    a, b = _pair(left, right, law)
    if not {a.dtype.kind, b.dtype.kind} & set("fc"):
        _demand(bool(np.all(a == b)), law, f"they differ in {np.sum(a != b)} of {a.size} entries")
        return check_display.add(Check("equal", law, 0.0, 0.0))
    _demand({a.dtype.kind, b.dtype.kind} <= set("biufc"), law, f"they differ in kind, {a.dtype} and {b.dtype}")
    a, b = a * 1.0, b * 1.0  # whole numbers must not wrap around
    _demand(scale is None or (np.isfinite(scale) and scale >= 0), law, f"scale = {scale}; expected a finite size")
    if not np.array_equal(np.isinf(a), np.isinf(b)) or np.any(a[np.isinf(a)] != b[np.isinf(b)]):
        raise CheckFailed(f"{law}: the infinities stand in different places")
    finite = np.isfinite(a)
    gap = np.abs(np.where(finite, a, 0) - np.where(finite, b, 0))
    sizes = np.where(finite, np.maximum(np.abs(a), np.abs(b)), 0) if scale is None else np.full(a.shape, scale)
    sizes = sizes if entrywise else np.full(a.shape, sizes.max())
    terms = max(terms or 1, min(a.shape[-1] if a.ndim else 1, LONGEST))
    bounds = 8 * max(epsilon(left), epsilon(right)) * terms * sizes
    where = np.unravel_index(np.argmax(gap - bounds if entrywise else gap), gap.shape)
    error, allowed = float(gap[where]), float(bounds[where])
    at = f" at {[int(i) for i in where]}" if gap.ndim else ""
    _demand(bool(np.all(gap <= bounds)), law, f"largest difference {error:.3g}{at}, allowed {allowed:.2g}")
    worst, widest = error / allowed if error else 0.0, float(bounds.max())
    check_display.add(Check("equal", law, error, allowed, worst=worst, widest=widest))


def differs(left: ArrayLike, right: ArrayLike, law: str | None = None, *, by: float) -> None:
    """max |left − right| ≥ by: a counter-example that really differs, or a wrong figure that is really wrong.

    Raises ``CheckFailed`` if the largest difference is below ``by`` (which must be positive), if shapes differ, if
    a side is empty, or contains NaN.
    """
    law = law or _words("{} ≠ {}")
    a, b = _pair(left, right, law, "biufc")
    _demand(by > 0, law, f"by = {by}; expected a positive margin")
    gap = float(np.abs(a * 1.0 - b * 1.0).max())
    _demand(gap >= by, law, f"largest difference {gap:.3g}, expected at least {by:.3g}")
    check_display.add(Check("differs", law, gap, float(by), worst=-gap))


def estimate(
    measured: ArrayLike,
    exact: ArrayLike,
    law: str | None = None,
    *,
    stderr: ArrayLike,
    rejects: ArrayLike | None = None,
) -> None:
    """|measured − exact| ≤ 6 standard errors, elementwise: the law of a random quantity.

    Parameters
    ----------
    measured, exact : array or number, same shape
    stderr : array or number > 0
        Standard error of ``measured``, derived from the sample size, not tuned.
    rejects : number or array, optional
        A rival value that the same sample must exclude by 6 standard errors: shows that the check can tell them apart.

    Raises ``CheckFailed`` if the estimate is too far off, the rival is not excluded, or ``stderr`` is not positive.
    """
    law = law or _words("{} ≈ {}")
    m, e = (side * 1.0 for side in _pair(measured, exact, law, "biuf"))
    error = np.asarray(numbers(stderr), dtype=float)
    _demand(error.ndim == 0 or error.shape == m.shape, law, f"stderr has shape {error.shape}, measured {m.shape}")
    error = np.broadcast_to(error, m.shape)
    _demand(bool(np.all(np.isfinite(error) & (error > 0))), law, "stderr must be positive and finite")
    z = np.abs(m - e) / error
    _demand(z.max() <= SIGMAS, law, f"measured {short(m)}, exact {short(e)}: {z.max():.1f} standard errors apart")
    note, rival = f"measured {short(m)}, exact {short(e)}", 0.0
    if rejects is not None:
        rival = float((np.abs(m - np.asarray(numbers(rejects), dtype=float)) / error).min())
        _demand(rival > SIGMAS, law, f"the rival {rejects} is only {rival:.1f} standard errors away")
        note += f", {short(np.asarray(numbers(rejects)))} is {rival:.0f} away"
    check_display.add(Check("estimate", law, float(z.max()), SIGMAS, worst=float(z.max()), note=note, rival=rival))


def below(smaller: ArrayLike, larger: ArrayLike, law: str | None = None, *, by: float = 0.0) -> None:
    """smaller + by < larger, elementwise and strictly; ``larger`` may be one number.

    Raises ``CheckFailed`` at the first pair that violates it, on NaN, on different shapes, and on empty input.
    """
    law = law or _words("{} < {}")
    a, b = numbers(smaller), numbers(larger)
    a, b = (side * 1.0 for side in _pair(a, np.full(a.shape, b) if b.ndim == 0 else b, law, "biuf"))
    _demand(by >= 0, law, f"by = {by}; expected a margin that is not negative")
    closest = np.unravel_index(np.argmin(b - a), a.shape)
    x, y = float(a[closest]), float(b[closest])
    _demand(y - x > by, law, f"{x:.4g} and {y:.4g} are {y - x:.3g} apart, expected more than {by:.3g}")
    note = f"at least {by:.3g} apart" if by else ""
    check_display.add(Check("below", law, x, y, worst=x - y, note=note))


def prints(value: ArrayLike, printed: str | list, law: str | None = None) -> None:
    """value, rounded to as many digits as ``printed`` has, is ``printed``: a source's figure is right as printed.

    ``printed`` is text, such as ``"0.0475"``, ``"99.67%"`` or ``"4.25e-18"``, or a (nested) list of such texts.

    Raises ``CheckFailed`` if any digit differs, on NaN, different shapes, or empty input.

    >>> prints(2 / 3, "0.667")
    ✓ 2 / 3 prints as '0.667'  ·  0.6667 prints as 0.667
    """
    law = law or _words("{} prints as {}")
    texts = numbers(printed)
    if texts.dtype.kind != "U":
        raise TypeError(f"printed = {printed!r:.60}; expected text, so that the number of digits is known")
    v, _ = _pair(value, np.zeros(texts.shape), law, "biuf")
    for x, text in zip(v.ravel(), texts.ravel(), strict=True):
        try:
            figure = Decimal(text.rstrip("%")).scaleb(-2 if text.endswith("%") else 0)
        except InvalidOperation:
            raise ValueError(f"printed = {text!r:.60}; expected the digits of a number") from None
        half = Decimal(5).scaleb(figure.as_tuple().exponent - 1)
        _demand(abs(Decimal(float(x)) - figure) <= half, law, f"the value is {x:.10g}, not {text}")
    shown = ", ".join(texts.ravel()[:4]) + ", …" * (texts.size > 4)
    check_display.add(Check("prints", law, short(v), shown if texts.size == 1 else f"[{shown}]"))


def refuses(
    call: Callable[[], object],
    error: type[Exception] | tuple[type[Exception], ...] = ValueError,
    law: str | None = None,
) -> None:
    """call() raises ``error``: bad input is refused. Returns nothing and shows the message.

    Raises ``CheckFailed`` if the call succeeds; any other exception passes through.

    >>> refuses(lambda: int("two"))
    ✓ int('two') is refused  ·  ValueError: invalid literal for int() with base 10: 'two'
    """
    law = law or f"{_words('{}').removeprefix('lambda: ')} is refused"
    errors = error if isinstance(error, tuple) else (error,)
    try:
        call()
    except errors as refusal:
        reason = str(refusal).partition("\n")[0] or type(refusal).__name__
        return check_display.add(Check("refuses", law, reason[:120], type(refusal).__name__))
    raise CheckFailed(f"{law}: it was accepted, expected {' or '.join(e.__name__ for e in errors)}")


def _demand(holds, law, figure):
    if not holds:
        raise CheckFailed(f"{law}: {figure}")


def _pair(left, right, law, kinds=""):
    a, b = numbers(left), numbers(right)
    _demand(a.shape == b.shape, law, f"shapes {a.shape} and {b.shape} differ")
    _demand(a.size > 0, law, "nothing to compare, both sides are empty")
    for side, x in (("left", a), ("right", b)):
        if x.dtype.kind in "fc":
            _demand(not np.isnan(x).any(), law, f"the {side} side contains NaN")
        _demand(not kinds or x.dtype.kind in kinds, law, f"the {side} side has dtype {x.dtype}, expected numbers")
    return a, b


def _words(pattern):
    """The law in words, read from the call itself: the source text of its first arguments."""
    name, frame = sys._getframe(1).f_code.co_name, sys._getframe(2)
    first, last, start, end = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    lines = linecache.getlines(frame.f_code.co_filename)[first - 1 : last]
    if lines and None not in (start, end):
        # Columns count bytes; the last line is cut first, in case it is also the first.
        lines[-1] = lines[-1].encode()[:end].decode()
        lines[0] = lines[0].encode()[start:].decode()
    try:
        call = ast.parse("".join(lines), mode="eval").body
    except SyntaxError:
        call = None
    wanted = pattern.count("{}")
    if isinstance(call, ast.Call) and getattr(call.func, "attr", name) == name:
        given = [argument for argument in call.args if not isinstance(argument, ast.Starred)]
        if len(given) >= wanted:
            return pattern.format(*(ast.unparse(argument) for argument in given[:wanted]))
    return pattern.format("left", "right")
