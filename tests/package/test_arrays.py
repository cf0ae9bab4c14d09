"""The gate every input passes: library and precision are kept, bad input is named."""

import re

import numpy as np
import pytest
import torch
from attnbook.arrays import (
    as_array,
    as_permutation,
    in_range,
    namespace,
    require_int,
    require_number,
    shape_of,
    whole_numbers,
)
from attnbook.attention import causal_mask, padding_mask
from attnbook.positional import alibi_slopes, clipped, deberta_rows, frequencies, sinusoidal, t5_bucket, t5_edges
from attnbook.rotary import pairing_permutation
from attnbook.scores import coverage, density
from attnbook.variants import online_attention

KEPT = [np.ones(2, "f2"), np.ones((1, 2), "f4"), np.ones(2), torch.ones(2), torch.ones(2).double()]
REFUSED = [
    ({"x": 1.0}, "x has shape (); expected at least 1 axes"),
    ({"x": np.ones(3), "ndim": 2}, "x has shape (3,); expected at least 2 axes"),
    ({"x": torch.ones(3), "ndim": 2}, "x has shape (3,); expected at least 2 axes"),
    ({"x": np.ones((2, 0))}, "x has shape (2, 0); expected no empty axis"),
    ({"x": torch.ones(0, 3)}, "x has shape (0, 3); expected no empty axis"),
    ({"x": [1, np.nan]}, "x with shape (2,) contains NaN; expected numbers"),
    ({"x": torch.tensor([[np.nan]]), "finite": False}, "x with shape (1, 1) contains NaN; expected numbers"),
    ({"x": [1, np.inf]}, "x with shape (2,) contains an infinity; expected finite numbers"),
    ({"x": torch.tensor([-np.inf])}, "x with shape (1,) contains an infinity; expected finite numbers"),
    ({"x": [[1], [1, 2]]}, "x is not a rectangular array of numbers: [[1], [1, 2]]"),
    ({"x": ["1", "2"]}, "x is not a rectangular array of numbers: "),
    ({"x": np.ones(2, complex)}, "x with shape (2,) has dtype complex128; expected real numbers"),
    ({"x": torch.ones(2, device="meta")}, "x with shape (2,) is a meta array; expected a dense array of numbers"),
    ({"x": ["one"]}, "x is not a rectangular array of numbers: ['one']"),
    ({"x": {}}, "x is not a rectangular array of numbers: {}"),
]


@pytest.mark.parametrize("x", KEPT, ids=lambda x: f"{type(x).__module__}-{x.dtype}")
def test_floating_arrays_pass_untouched(x):
    assert as_array("x", x) is x


@pytest.mark.parametrize("x", [[1, 2], [True, False], (1.0, 2), range(3), np.arange(3), np.array([True])])
def test_lists_and_whole_numbers_become_float64(x):
    made = as_array("x", x)
    assert isinstance(made, np.ndarray)
    assert made.dtype == np.float64
    np.testing.assert_array_equal(made, x)


@pytest.mark.parametrize("x", [torch.arange(3), torch.tensor([True, False]), torch.tensor([2], dtype=torch.uint8)])
def test_whole_tensors_become_float64_tensors(x):
    assert torch.equal(as_array("x", x), x.double())


def test_a_gradient_flows_through_the_gate():
    x = torch.ones(2, requires_grad=True)
    assert as_array("x", x).requires_grad


@pytest.mark.parametrize("make", [np.asarray, lambda x: torch.tensor(x, dtype=torch.float64)])
def test_finite_numbers_whose_sum_overflows_pass_and_infinities_that_cancel_do_not(make):
    large = make([1.7e308, 1.7e308])
    assert as_array("x", large) is large
    assert in_range("law", large) is large
    for bad, word in (([np.inf, -np.inf], "infinity"), ([np.inf, 1.0], "infinity"), ([np.nan, 1.0], "NaN")):
        with pytest.raises(ValueError, match=f"x with shape .* contains .*{word}"):
            as_array("x", make(bad))
        with pytest.raises(ValueError, match="law with shape"):
            in_range("law", make(bad))


def test_infinity_passes_when_it_is_allowed():
    np.testing.assert_array_equal(as_array("x", [-np.inf, 1], finite=False), [-np.inf, 1])


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_bad_input_is_named(arguments, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        as_array("x", **arguments)


def test_an_array_of_text_is_named():
    with pytest.raises(ValueError, match="x is not a rectangular array of numbers"):
        as_array("x", np.array(["one"]))


@pytest.mark.parametrize(("x", "shape"), [([[1, 2, 3]], (1, 3)), (np.ones((2, 0)), (2, 0)), (torch.ones(4, 1), (4, 1))])
def test_shape_is_a_plain_tuple(x, shape):
    assert shape_of(x) == shape
    assert type(shape_of(x)) is tuple


def test_namespace_is_the_library_and_libraries_do_not_mix():
    assert namespace(np.ones(1)).asarray(1.0).__class__ is np.ndarray
    assert namespace(torch.ones(1)).asarray(1.0).__class__ is torch.Tensor
    with pytest.raises(
        TypeError, match=r"array 0 .* is a NumPy array, array 1 .* is torch.float32 on cpu; expected one library"
    ):
        namespace(np.ones(1), torch.ones(1))


@pytest.mark.parametrize(("value", "least"), [(1, 1), (7.0, 1), (0, 0), (np.int64(3), 3)])
def test_whole_numbers_pass_as_int(value, least):
    assert require_int("n", value, least) == value
    assert type(require_int("n", value, least)) is int


@pytest.mark.parametrize("value", ["two", "3", None, [1, 2], 1j, np.inf, -np.inf])
def test_what_is_no_number_or_infinite_is_named(value):
    shown = repr(value) if isinstance(value, str) else str(value)
    with pytest.raises(ValueError, match=re.escape(f"n = {shown}; expected a whole number >= 1")):
        require_int("n", value)


def test_text_is_shown_as_text():
    with pytest.raises(ValueError, match=r"^n = '3'; expected a whole number >= 1$"):
        causal_mask("3")
    with pytest.raises(ValueError, match=r"^eps = '3'; expected a finite number > 0$"):
        require_number("eps", "3", above=0)


@pytest.mark.parametrize(
    ("bounds", "words"),
    [({}, ""), ({"least": 0}, " >= 0"), ({"above": 0}, " > 0"), ({"least": 1, "above": 0}, " >= 1"),
     ({"least": 0, "above": 0}, " > 0")],
)  # fmt: skip
def test_the_bound_of_a_number_is_named(bounds, words):
    with pytest.raises(ValueError, match=rf"^eps = nan; expected a finite number{words}$"):
        require_number("eps", np.nan, **bounds)


def test_whole_numbers_end_where_doubles_skip_some():
    assert whole_numbers("x", [2**53, -(2**53)]).tolist() == [2**53, -(2**53)]
    with pytest.raises(ValueError, match="expected whole numbers up to"):
        whole_numbers("x", [2**53 + 2])


@pytest.mark.parametrize("perm", [[False, True], np.array([True, False]), torch.tensor([True, False])])
def test_booleans_are_no_permutation(perm):
    with pytest.raises(ValueError, match="is no permutation"):
        as_permutation(perm)


def test_one_token_has_one_order():
    assert as_permutation([0]).tolist() == [0]


def test_a_multiple_is_named():
    assert require_int("d", 4.0, 2, 2) == 4
    with pytest.raises(ValueError, match="d = 5; expected an even whole number >= 2"):
        require_int("d", 5, 2, 2)


CALLS = {
    "frequencies": lambda bad: frequencies(bad),
    "sinusoidal": lambda bad: sinusoidal([0, 1], bad),
    "clipped": lambda bad: clipped(3, bad),
    "deberta_rows": lambda bad: deberta_rows(3, bad),
    "t5_edges": lambda bad: t5_edges(bad),
    "t5_edges, distance": lambda bad: t5_edges(4, bad),
    "t5_bucket": lambda bad: t5_bucket(3, bad),
    "alibi_slopes": lambda bad: alibi_slopes(bad),
    "pairing_permutation": lambda bad: pairing_permutation(bad),
    "online_attention": lambda bad: online_attention(np.ones((3, 2)), np.ones((3, 2)), np.ones((3, 2)), tile=bad),
    "padding_mask": lambda bad: padding_mask([1], bad),
    "causal_mask": lambda bad: causal_mask(bad),
    "density": lambda bad: density(0.5, bad),
    "coverage": lambda bad: coverage(0.5, bad),
}


@pytest.mark.parametrize("bad", [np.inf, np.nan, 2.5, 0, -3, "4"], ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_every_function_refuses_what_is_no_whole_number_in_the_same_words(name, bad):
    shown = repr(bad) if isinstance(bad, str) else str(bad)
    with pytest.raises(ValueError, match=f"{re.escape(shown)}; expected an? .*whole number >= "):
        CALLS[name](bad)


@pytest.mark.parametrize(("name", "good"), [(name, 8.0) for name in CALLS if name != "t5_edges, distance"])
def test_a_whole_number_may_be_written_with_a_point(name, good):
    CALLS[name](good)


@pytest.mark.parametrize(("value", "least"), [(0, 1), (2.5, 1), (np.nan, 1), (np.inf, 1), (2, 3), (-1, 0)])
def test_numbers_that_are_not_whole_or_too_small_are_named(value, least):
    with pytest.raises(ValueError, match=re.escape(f"n = {value}; expected a whole number >= {least}")):
        require_int("n", value, least)
