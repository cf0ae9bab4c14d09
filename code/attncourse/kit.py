"""What a hidden test may use beside NumPy. The text of this file also goes into the notebooks of the other graders."""

from fractions import Fraction

import numpy as np


def same(value, expected, tolerance=1e-9):
    """Compare value with expected, up to rounding: same shape, no broadcasting, no NaN, and True is not a number.

    A complex value may stand for a real one, from which it then differs by rounding alone.
    """
    expected = np.asarray(expected)
    value = float(value) if isinstance(value, Fraction) else value
    if not fits(value, expected.shape):  # first: an array of a long list of long texts fills any memory
        return False
    try:
        value = np.asarray(value)
    except ValueError:  # a ragged list
        return False
    kinds = {"b": "b", "i": "iufc", "u": "iufc", "f": "iufc", "c": "iufc"}[expected.dtype.kind]
    if value.dtype.kind not in kinds or value.shape != expected.shape:
        return False
    if expected.dtype.kind == "b":
        return bool((value == expected).all())
    value, expected = value * 1.0, expected * 1.0
    size = np.abs(expected[np.isfinite(expected)]).max(initial=1.0)
    with np.errstate(invalid="ignore"):
        return bool(((value == expected) | (np.abs(value - expected) <= tolerance * size)).all())


def fits(value, shape):
    """Test whether value is an array of this shape, lists with these lengths, or something else where shape is ()."""
    if isinstance(value, list | tuple):
        return bool(shape) and len(value) == shape[0] and all(fits(item, shape[1:]) for item in value)
    return np.shape(value) == shape if isinstance(value, np.ndarray) else not shape


def plain(function):
    """Return a function with the same values in Python's plain form: hidden tests see a student's functions so.

    What is no function comes back as it is: a test may ask for data.

    NumPy's True is True, an array without axes is its one entry, and complex numbers without imaginary parts are real.
    """

    if not callable(function):
        return function

    def called(*arguments, **named):
        return in_plain_form(function(*arguments, **named))

    return called


def in_plain_form(value):
    """Return one value in plain form, and those inside lists, tuples and dictionaries."""
    if isinstance(value, list | tuple):
        items = [in_plain_form(item) for item in value]
        return items if isinstance(value, list) else tuple(items)  # of a named tuple, such as NumPy's, too
    if isinstance(value, dict):
        return {key: in_plain_form(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic) and value.shape == ():
        value = np.asarray(value)[()]
    if isinstance(value, np.ndarray | complex) and np.iscomplexobj(value) and not np.any(np.imag(value)):
        value = value.real
    return bool(value) if isinstance(value, np.bool_) else value


def refuses(function, *arguments):
    """Return whether function(*arguments) raises ValueError, or a subclass of it."""
    try:
        function(*arguments)
    except Exception as error:
        return isinstance(error, ValueError)
    return False
