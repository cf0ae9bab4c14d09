"""Messages between processes that do not trust each other: JSON for the structure, raw bytes for numbers and files.

A message is eight bytes with two lengths, the JSON, then all raw bytes in order. Nothing is ever unpickled or
evaluated. Only numbers, text, bytes, None, lists, tuples, dicts with text keys and arrays of numbers exist; everything
else is refused. Standard library and NumPy only: the sandboxed worker loads this file too.
"""

import json
import math
import os
import select
import struct
import time
from fractions import Fraction

import numpy as np

HEAD = struct.Struct("!II")
DEPTH = 12
LONGEST = 1 << 20  # of an axis: an array without any element can have rows without end
CODES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
KINDS = {np.dtype(code).str for code in CODES}


class Refused(ValueError):
    """A value that may not be sent, or bytes that are not a message."""


def encode(value):
    """Return the bytes of a message."""
    raw = []
    text = json.dumps(_encode(value, raw, 0)).encode()
    body = b"".join(raw)
    return HEAD.pack(len(text), len(body)) + text + body


def decode(text, body):
    """Return the value of a message; Refused unless it is well formed to the last byte."""
    try:
        value, used = _decode(json.loads(text), memoryview(body), 0, 0)
    except Refused:
        raise
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError, MemoryError) as error:
        raise Refused(f"no message: {type(error).__name__}") from None
    if used != len(body):
        raise Refused("no message: bytes are left over")
    return value


def _encode(value, raw, depth):
    if depth > DEPTH:
        raise Refused(f"nested more than {DEPTH} deep")
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Fraction):
        return float(value)
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        array = array.astype(float) if array.dtype == np.longdouble else array
        if array.dtype.str not in KINDS:
            raise Refused(f"an array of {array.dtype}")
        if max(array.shape, default=0) > LONGEST:
            raise Refused(f"an array with an axis longer than {LONGEST}")
        raw.append(array.tobytes())
        return {"array": [array.dtype.str, list(array.shape), isinstance(value, np.generic)]}
    if isinstance(value, bytes):
        raw.append(value)
        return {"bytes": len(value)}
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [_encode(item, raw, depth + 1) for item in value]}
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {"dict": [[key, _encode(item, raw, depth + 1)] for key, item in value.items()]}
    raise Refused(f"an object of type {type(value).__name__}")


def _decode(tree, raw, at, depth):
    """Return the value of a JSON tree, and where its raw bytes end."""
    if tree is None or isinstance(tree, bool | str | int | float):
        return tree, at
    if depth > DEPTH or not isinstance(tree, dict) or len(tree) != 1:
        raise Refused("no message: a structure that is unknown or too deep")
    ((kind, inside),) = tree.items()
    if kind == "array":
        return _array(inside, raw, at)
    if kind == "bytes" and type(inside) is int and 0 <= inside <= len(raw) - at:
        return bytes(raw[at : at + inside]), at + inside
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
            keys.append(item[0])
            item = item[1]
        value, at = _decode(item, raw, at, depth + 1)
        items.append(value)
    if kind == "dict":
        return dict(zip(keys, items, strict=True)), at
    return (items if kind == "list" else tuple(items)), at


def _array(inside, raw, at):
    code, shape, scalar = inside
    fits = isinstance(shape, list) and len(shape) <= 16 and all(type(n) is int and 0 <= n <= LONGEST for n in shape)
    if code not in KINDS or not fits:
        raise Refused("no message: an array of an unknown kind")
    dtype = np.dtype(code)
    end = at + math.prod(shape) * dtype.itemsize
    if end > len(raw):
        raise Refused("no message: an array is cut short")
    array = np.frombuffer(raw[at:end], dtype).reshape(shape).copy()
    return (array[()] if scalar is True and not shape else array), end


def conforms(value, shape):
    """Return whether a value has a shape: a type, [a shape] for a list, {str: shape} or {"name": shape, …}, a set."""
    if isinstance(shape, set):
        return any(conforms(value, each) for each in shape)
    if isinstance(shape, list):
        return type(value) is list and all(conforms(item, shape[0]) for item in value)
    if isinstance(shape, tuple):
        return type(value) is list and len(value) == len(shape) and all(map(conforms, value, shape))
    if isinstance(shape, dict):
        if type(value) is not dict or not (str in shape or value.keys() == shape.keys()):
            return False
        return all(conforms(item, shape.get(str) or shape[key]) for key, item in value.items())
    return (shape is None and value is None) or (shape is not None and type(value) is shape)


ERROR = ([str], str, {int, None})  # types from the innermost to the outermost builtin, message, line


class PeerEnded(Exception):
    """The other process ended, or had to be ended; the message says why."""


class TimedOut(PeerEnded):
    """The other process gave no answer in time, and was ended."""


class Conversation:
    """Questions to another process through two pipes. Each has a deadline; after `PeerEnded` it is over."""

    def __init__(self, to, back, largest):
        self.to, self.back = to, back
        self.largest = largest  # bytes of a message that is received
        self.asked = 0  # the number of the last question
        self.buffer = bytearray()  # what has arrived of the next message
        for pipe in (to, back):
            os.set_blocking(pipe, False)

    def ask(self, seconds, **message):
        """Send a message and return its reply: a dict with a "value", or an "error" as ERROR says, or neither."""
        self.asked += 1
        deadline = time.monotonic() + seconds
        try:
            self.send(message | {"id": self.asked}, deadline)
            reply = self.receive(deadline)
        except TimeoutError:
            self.fail(f"it took more than {seconds:.3g} s", TimedOut)
        number = reply.pop("id", None)
        if type(number) is not int or number != self.asked:  # an array compares, but to no truth
            self.fail("it wrote a message that was not asked for")
        if not (set(reply) <= {"value"} or (set(reply) == {"error"} and _is_error(reply["error"]))):
            self.fail("it wrote a message of the wrong form")
        return reply

    def send(self, message, deadline=math.inf):
        """Send a message; TimeoutError after the deadline."""
        self.write(encode(message), deadline)

    def write(self, data, deadline=math.inf):
        """Send an encoded message."""
        data = memoryview(data)
        while data:
            try:
                data = data[os.write(self.to, data) :]
            except BlockingIOError:
                self._wait(self.to, select.POLLOUT, deadline)
            except BrokenPipeError:
                self.fail("its process ended")

    def receive(self, deadline=math.inf):
        """Return the next message, a dict; TimeoutError after the deadline."""
        text, body = HEAD.unpack(self._read(HEAD.size, deadline))
        if text + body > self.largest:
            self.fail(f"it returned more than {self.largest >> 10} KiB")
        data = self._read(text + body, deadline)
        try:
            message = decode(data[:text], data[text:])
        except Refused as error:
            self.fail(f"it wrote {error}")
        return message if isinstance(message, dict) else self.fail("it wrote no message")

    def _read(self, size, deadline):
        while len(self.buffer) < size:
            self._wait(self.back, select.POLLIN, deadline)
            try:
                piece = os.read(self.back, 1 << 16)
            except BlockingIOError:
                continue
            if not piece:
                self.fail("its process ended")
            self.buffer += piece
        data, self.buffer = bytes(self.buffer[:size]), self.buffer[size:]
        return data

    def _wait(self, fd, event, deadline):
        poll = select.poll()
        poll.register(fd, event)
        while not poll.poll(max(0, 1000 * (deadline - time.monotonic())) if deadline < math.inf else None):
            if time.monotonic() >= deadline:
                raise TimeoutError

    def close(self):
        """Hook: a subclass ends the other process."""

    def fail(self, why, kind=PeerEnded):
        """Close the conversation and raise `PeerEnded`."""
        self.close()
        raise kind(why)


def _is_error(error):
    return conforms(error, ERROR) and 1 <= len(error[0]) <= 20 and (error[2] is None or 0 <= error[2] < 10**6)
