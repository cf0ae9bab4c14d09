"""Values between two processes that do not trust each other: JSON for the structure, raw bytes for the numbers.

A message is eight bytes with two lengths, then the JSON, then the bytes of all arrays in order. Nothing is ever
unpickled or evaluated. Only numbers, text, None, lists, tuples, dicts with text keys and arrays of numbers exist;
everything else is refused. Standard library and NumPy only: the sandboxed worker loads this file too.
"""

import json
import math
import struct

import numpy as np

HEAD = struct.Struct("!II")
DEPTH = 12
LONGEST = 1 << 20  # of an axis: an array without any element can have rows without end
CODES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
KINDS = {np.dtype(code).str for code in CODES}


class Refused(ValueError):
    """A value that may not pass, or bytes that are no message."""


def encode(value):
    """Return the bytes of a message."""
    arrays = []
    text = json.dumps(_encode(value, arrays, 0)).encode()
    body = b"".join(arrays)
    return HEAD.pack(len(text), len(body)) + text + body


def decode(text, body):
    """Return the value of a message; Refused unless it is well formed to the last byte."""
    try:
        tree = json.loads(text)
        arrays = memoryview(body)
        value, used = _pick_up(tree, arrays, 0, 0)
    except Refused:
        raise
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError, MemoryError) as error:
        raise Refused(f"no message: {type(error).__name__}") from None
    if used != len(arrays):
        raise Refused("no message: bytes are left over")
    return value


def _encode(value, arrays, depth):
    if depth > DEPTH:
        raise Refused(f"nested more than {DEPTH} deep")
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.str not in KINDS:
            raise Refused(f"an array of {array.dtype}")
        if max(array.shape, default=0) > LONGEST:
            raise Refused(f"an array with an axis longer than {LONGEST}")
        arrays.append(array.tobytes())
        return {"array": [array.dtype.str, list(array.shape), isinstance(value, np.generic)]}
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [_encode(item, arrays, depth + 1) for item in value]}
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": [[key, _encode(item, arrays, depth + 1)] for key, item in value.items()]}
    raise Refused(f"an object of type {type(value).__name__}")


def _pick_up(tree, arrays, at, depth):
    """Return the value of a JSON tree and where its arrays end."""
    if tree is None or isinstance(tree, bool | str | int | float):
        return tree, at
    if depth > DEPTH or not isinstance(tree, dict) or len(tree) != 1:
        raise Refused("no message: a structure that is unknown or too deep")
    ((kind, inside),) = tree.items()
    if kind == "array":
        return _array(inside, arrays, at)
    if kind == "complex":
        real, imaginary = inside
        if type(real) is not float or type(imaginary) is not float:
            raise Refused("no message: a complex number of an unknown kind")
        return complex(real, imaginary), at
    if kind not in ("list", "tuple", "dict") or not isinstance(inside, list):
        raise Refused("no message: a structure that is unknown")
    items, keys = [], []
    for item in inside:
        if kind == "dict":
            if not isinstance(item, list) or len(item) != 2 or not isinstance(item[0], str):
                raise Refused("no message: a key that is no text")
            key, item = item
            keys.append(key)
        value, at = _pick_up(item, arrays, at, depth + 1)
        items.append(value)
    if kind == "dict":
        return dict(zip(keys, items, strict=True)), at
    return (items if kind == "list" else tuple(items)), at


def _array(inside, arrays, at):
    code, shape, scalar = inside
    fits = isinstance(shape, list) and len(shape) <= 16 and all(type(n) is int and 0 <= n <= LONGEST for n in shape)
    if code not in KINDS or not fits:
        raise Refused("no message: an array of an unknown kind")
    dtype = np.dtype(code)
    end = at + math.prod(shape) * dtype.itemsize
    if end > len(arrays):
        raise Refused("no message: an array is cut short")
    array = np.frombuffer(arrays[at:end], dtype).reshape(shape).copy()
    return (array[()] if scalar is True and not shape else array), end
