"""Values on their way between the grader and a worker: what passes, and what is refused."""

import json

import numpy as np
import pytest
from attncourse import kit, protocol

VALUES = [
    None,
    True,
    3,
    -2.5,
    "π",
    [1, (2, 3)],
    {"a": np.arange(6.0).reshape(2, 3)},
    1 + 2j,
    np.float32(0.1),
    [],
    np.zeros((0, 3)),
    np.array([True, False]),
    {"x": {"y": [np.arange(3), np.arange(2)]}},
    np.zeros((protocol.LONGEST, 0)),
]


def message(text, body=b""):
    """The value of a message with this text."""
    return protocol.decode(text if isinstance(text, bytes) else json.dumps(text).encode(), body)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_survive(value):
    data = protocol.encode(value)
    size = protocol.HEAD.unpack(data[:8])[0]
    again = protocol.decode(data[8 : 8 + size], data[8 + size :])
    assert type(again) is type(value)
    assert repr(again) == repr(value)


@pytest.mark.parametrize(
    ("text", "body"),
    [
        (b"", b""),
        (b"[1]", b""),
        (b"{}", b""),
        (b'{"array": ["<f8", [2], false]}', b"short"),
        (b"1", b"left over"),
        (b'{"array": ["|O8", [1], false]}', b"12345678"),
        (b'{"array": ["<f8", [-1], false]}', b""),
        (b"\xff", b""),
        (b'{"array": ["<M8[s]", [1], false]}', b"12345678"),
        (b'{"array": ["<U2", [1], false]}', b"12345678"),
        (b'{"list": 3}', b""),
        (b'{"dict": [[1, 2]]}', b""),
        (b'{"list": [' * 5000, b""),
        (b'{"pickle": "x"}', b""),
        (b'{"array": ["<f8", [1e3], false]}', b""),
        (b'{"dict": [["a"]]}', b""),
        (b'{"complex": ["1", "2"]}', b""),
        (b'{"complex": ["nan"]}', b""),
        (b'{"complex": {"real": 1.0}}', b""),
        (b'{"dict": ["ab"]}', b""),
        (b'{"array": {"0": 1}}', b""),
        (b'{"array": [["<f8"], [0], false]}', b""),
        (b"9" * 5000, b""),
    ],
)
def test_bytes_that_are_no_message_are_refused(text, body):
    with pytest.raises(protocol.Refused):
        protocol.decode(text, body)


@pytest.mark.parametrize("shape", [[10**18, 0], [0, protocol.LONGEST + 1], [2**70, 0], [2**20] * 15 + [0], [0] * 17])
def test_an_array_without_elements_has_no_endless_axis(shape):
    with pytest.raises(protocol.Refused):
        message({"array": ["|i1", shape, False]})


def test_a_worker_says_that_an_axis_is_too_long():
    with pytest.raises(protocol.Refused, match="an axis longer than 1048576"):
        protocol.encode(np.zeros((10**18, 0), np.int8))


@pytest.mark.parametrize(
    "value",
    [["x" * 10**5] + [""] * 10**5, [[0.0] * 10**5] * 10**5, np.zeros((2**20, 0)), [[], [], []] * 10**5],
    ids=["long texts", "long lists", "no elements", "many rows"],
)
def test_shapes_are_compared_before_anything_is_built(value, monkeypatch):
    """NumPy would make an array of 40 GB of the first, and of 80 GB of the second."""
    monkeypatch.setattr(kit.np, "asarray", lambda made: made if made is not value else pytest.fail("it was built"))
    assert kit.same(value, np.zeros((2, 3))) is False
    assert kit.same(value, np.float64(1)) is False
