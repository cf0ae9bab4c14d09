"""Validate the arguments of a drawing: texts, lists, arrays and dictionaries of them."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from attnbook.arrays import as_numpy, as_permutation, brief, require_flag, require_number
from numpy.typing import ArrayLike

LABEL = str, int, float, np.integer, np.floating
TOLERANCE = 1e-6  # for shares that rounding took past their limits


def require(name: str, value: Any, kind: type | tuple[type, ...], expected: str) -> Any:
    """Return ``value`` if it is of this kind, which the message calls ``expected``."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} = {brief(value)}; expected {expected}")
    return value


def flags(**arguments: bool) -> None:
    """Refuse arguments that are neither True nor False."""
    for name, value in arguments.items():
        require_flag(name, value)


def positive(**arguments: float) -> None:
    """Refuse arguments that are no numbers above 0."""
    for name, value in arguments.items():
        require_number(name, value, above=0)


def between(name: str, value: float, least: float = 0, most: float = 1) -> float:
    """Return ``value`` as a float if it lies from ``least`` to ``most``; a share lies from 0 to 1."""
    if not least <= (number := require_number(name, value)) <= most:
        raise ValueError(f"{name} = {brief(value)}; expected a number from {least:g} to {most:g}")
    return number


def listed(name: str, entries: Collection, n: int | None = None, fit: str = "", least: int = 1) -> list:
    """Return the entries of a list, a range, an array or a view: ``n`` to fit another argument, or at least so many."""
    if isinstance(entries, (str, bytes)) or not isinstance(entries, Collection) or getattr(entries, "ndim", 1) == 0:
        raise TypeError(f"{name} = {brief(entries)}; expected a list")
    if len(entries) < least or n not in (None, len(entries)):
        raise ValueError(f"{name} has {len(entries)} entries; expected {n or f'at least {least}'}{_to(fit)}")
    return [*entries]


def texts(name: str, entries: Collection, n: int | None = None, fit: str = "", kind: Any = str) -> list:
    """Return the entries of a list of texts; with the kind ``LABEL`` numbers are texts, too."""
    expected = "a list of texts" if kind is str else "a list of texts or numbers"
    entries = listed(name, entries, n, fit)
    for text in entries:
        require(f"an entry of {name}", text, kind, expected)
    return entries


def arrangement(name: str, perm: Sequence[int], n: int | None = None) -> list[int]:
    """Return ``perm`` as a list of whole numbers if it is a rearrangement of 0 … n−1."""
    try:
        return as_permutation(perm, n).tolist()
    except ValueError as error:
        raise ValueError(str(error).replace("perm", name, 1)) from None


def numbers(
    name: str,
    x: ArrayLike,
    *shape: int | str,
    least: float = -math.inf,
    most: float = math.inf,
    above: float = -math.inf,
    whole: bool = False,
    finite: bool = True,
    fit: str = "",
) -> np.ndarray:
    """Return ``x`` as a float64 array of this shape, in which a letter is any length, the same wherever it stands.

    A number in ``shape`` is the length that has to ``fit`` another argument. Raises ``ValueError`` also unless the
    numbers lie from ``least`` to ``most``, but for rounding, and above ``above``.
    """
    x = as_numpy(name, x, infinite=() if finite else (-math.inf, math.inf))
    lengths = dict(zip(shape, x.shape, strict=False))
    if x.shape != tuple(lengths.get(n) if isinstance(n, str) else n for n in shape):
        expected = str(shape).replace("'", "") + _to(fit)
        raise ValueError(f"{name} has shape {x.shape}; expected {expected}")
    low, high = x.min(), x.max()
    fractions = whole and (x != np.round(x)).any()
    if fractions or (finite and low <= above) or low < least - TOLERANCE or high > most + TOLERANCE:
        limits = {">": above, ">=": least, "<=": most}
        range_ = " and ".join(f"{sign} {limit:g}" for sign, limit in limits.items() if math.isfinite(limit))
        kind = "whole numbers" if whole else "numbers"
        expected = f"{kind} {range_}".strip()
        raise ValueError(f"{name} with shape {x.shape} holds {brief(x)}; expected {expected}")
    return x


def _to(fit):
    return f" to fit {fit}" if fit else ""


def named(name: str, entries: Mapping, most: float = math.inf) -> Mapping:
    """Return ``entries`` if they are a dictionary with 1 to ``most`` entries: there are so many colours."""
    if not 1 <= len(require(name, entries, Mapping, "a dictionary")) <= most:
        limit = f" and at most {most}" if math.isfinite(most) else ""
        raise ValueError(f"{name} has {len(entries)} entries; expected at least 1{limit}")
    return entries


def each(name: str, mapping: Mapping, *shape: int | str, entries: float = math.inf, **limits: Any) -> dict:
    """Return a dictionary of at most so many ``entries``, each as :func:`numbers` returns it."""
    return {key: numbers(f"{name}[{key!r}]", x, *shape, **limits) for key, x in named(name, mapping, entries).items()}
