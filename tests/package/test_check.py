"""The check itself: it passes when the law holds, and fails for everything that could hide a law that does not."""

import contextlib
import dataclasses
import functools
import html
import re
from functools import partial

import numpy as np
import pytest
import torch
from attnbook import check
from attnbook.attention import attention
from attnbook.check import record, render
from lxml import html as page

EPS, EPS32 = 2.0**-52, 2.0**-23
INF, NAN = np.inf, np.nan
pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered")  # ∞ − ∞, on purpose
MIME = record.MIME


def fails(message="."):
    return pytest.raises(check.CheckFailed, match=message)


def law_of(capsys):
    """The law in the one line that was printed."""
    mark, law = capsys.readouterr().out.split("  ·  ")[0].split(" ", 1)
    assert mark == "✓"
    return law


# ---------------------------------------------------------------------------- what no comparison may let through

COMPARISONS = [
    check.equal,
    partial(check.differs, by=1),
    partial(check.estimate, stderr=1),
    check.below,
    lambda a, b: check.prints(a, np.asarray(b).astype(str)),
]
NOTHING = [
    (np.zeros(3), np.ones((3, 1)), r"shapes \(3,\) and \(3, 1\) differ"),
    (np.zeros((1, 3)), np.ones(3), r"shapes \(1, 3\) and \(3,\) differ"),
    (0.0, np.ones(1), r"shapes \(\) and \(1,\) differ"),
    (torch.zeros(2), torch.ones(3), r"shapes \(2,\) and \(3,\) differ"),
    (np.zeros(0), np.ones(0), "nothing to compare"),
    (np.zeros((2, 0)), np.ones((2, 0)), "nothing to compare"),
    ([0.0, NAN], [1.0, 1.0], "the left side contains NaN"),
    (torch.tensor([NAN]), torch.ones(1), "the left side contains NaN"),
    (NAN, NAN, "the left side contains NaN"),
    (np.array([0, complex(0, NAN)]), np.ones(2), "the left side contains NaN"),
]


@pytest.mark.parametrize("compare", COMPARISONS, ids=["equal", "differs", "estimate", "below", "prints"])
@pytest.mark.parametrize(("left", "right", "message"), NOTHING)
def test_shapes_nan_and_emptiness_fail_everywhere(compare, left, right, message):
    with fails(message):
        compare(left, right)


@pytest.mark.parametrize("compare", COMPARISONS[:4], ids=["equal", "differs", "estimate", "below"])
def test_nan_on_the_right_fails_everywhere(compare):
    for right in ([1.0, NAN], torch.tensor([1.0, NAN])):
        with fails("the right side contains NaN"):
            compare([0.0, 0.0], right)
    with fails("the right side contains NaN"):
        compare(0.0, NAN)


def test_a_failed_check_is_an_assertion_and_names_law_and_figures():
    assert issubclass(check.CheckFailed, AssertionError)
    with fails(r"^two and three: largest difference 1 at \[1\], allowed 1.1e-14"):
        check.equal([1.0, 2.0], [1.0, 3.0], law="two and three")
    with fails(r"^1\.0 = 2\.0: "):
        check.equal(1.0, 2.0)


# ------------------------------------------------------------------------------------------------------- equal


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1.0, 1.1),
        (0.0, 1e-300),
        (1e-18, 2e-18),
        (1e300, 2e300),
        (1.0, 1.0 + 1e-12),
        (np.ones(3), [1, 1, 1.0001]),
        (-1.0, 1.0),
        (1j, 1.0j + 1e-9),
        (1, 2),
        (2**60, 2**60 + 1),
        (np.uint8(0), 256),
        (True, False),
        ([1, 2], [2, 1]),
        (1, 1.1),
        (1.1, 1),
        (2, 1.0),
        ("softmax", "Softmax"),
        (["a", "b"], ["a", "c"]),
        ("1", 1),
        (1.0, "1.0"),
        (torch.ones(2), torch.tensor([1, 1.001])),
        (torch.tensor([1, 2]), torch.tensor([1, 3])),
    ],
    ids=str,
)
def test_equal_fails_for_a_wrong_value(left, right):
    with fails("difference|differ in"):
        check.equal(left, right)


@pytest.mark.parametrize(("left", "right"), [([INF, 0], [0, INF]), ([INF], [-INF]), ([INF], [1e308]), (0.0, -INF)])
def test_equal_fails_for_infinities_in_different_places(left, right):
    with fails("infinities stand in different places"):
        check.equal(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (1, 1),
        (1, 1.0),
        (3.0, 3),
        (0.0, -0.0),
        (0.1 + 0.2, 0.3),
        (1e-18 / 3 * 3, 1e-18),
        ([INF, 1.0, -INF], [INF, 1.0 + EPS, -INF]),
        ([[1, 2], [3, 4]], np.array([[1.0, 2], [3, 4]])),
        ("law", "law"),
        (["a", "b"], np.array(["a", "b"])),
        (True, np.bool_(True)),
        (2**70, 2**70),
        (0.1j + 0.2j, 0.3j),
        (3 * torch.full((1,), 0.1j, dtype=torch.cdouble), [0.3j]),
        (3, 3 + 4e-16j),
        (torch.ones(2, requires_grad=True), np.ones(2)),
        ([torch.ones(2, requires_grad=True)], torch.ones(1, 2)),
        (torch.ones(2, dtype=torch.bfloat16), torch.ones(2) + 0.01),
        (torch.full((3, 64), 0.3).bfloat16(), torch.full((3, 64), 0.3).bfloat16()),
    ],
    ids=str,
)
def test_equal_passes_when_it_should(left, right, capsys):
    assert check.equal(left, right) is None
    assert capsys.readouterr().out.startswith("✓ ")


@pytest.mark.parametrize("shape", [(), (1,), (3,), (7,), (2, 3), (3, 2), (2, 1, 5), (1000, 4), (64,), (65,), (2, 500)])
@pytest.mark.parametrize(("types", "eps"), [("ff", EPS32), ("dd", EPS), ("fd", EPS32), ("df", EPS32)])
def test_tolerance_of_equal_is_eight_epsilon_n_scale(shape, types, eps):
    terms, one = min(shape[-1] if shape else 1, 64), np.ones(shape)
    for allowed, expectation in ((8 * terms, contextlib.nullcontext()), (8 * terms + 1, fails("allowed"))):
        moved = one.copy()
        moved.flat[-1] += allowed * eps
        with expectation:
            check.equal(one.astype(types[0]), moved.astype(types[1]))


@pytest.mark.parametrize("to_library", [np.asarray, torch.asarray])
def test_tolerance_grows_with_terms_and_scale_and_is_relative(to_library):
    cases = (1, {"terms": 10}, 80), (1, {"terms": 1}, 16), (1, {"scale": 4}, 64), (2.0**-60, {}, 16)
    for size, options, ulps in cases:
        left = to_library(np.array([size, 0.0]))
        check.equal(left, left + to_library(np.array([0, size * EPS * ulps])), **options)
        with fails("allowed"):
            check.equal(left, left + to_library(np.array([0, size * EPS * (ulps + 1)])), **options)


@pytest.mark.parametrize("terms", [65, 100, 4096, 500_000])
@pytest.mark.parametrize(("dtype", "eps"), [("f4", EPS32), ("f8", EPS)])
def test_tolerance_of_long_sums_stays_that_of_their_precision(terms, dtype, eps):
    one = np.ones(3)
    for ulps, expectation in ((8 * terms, contextlib.nullcontext()), (8.05 * terms, fails("allowed"))):
        with expectation:
            check.equal(one.astype(dtype), one - np.array([0, 0, ulps * eps]), terms=terms)


def test_lists_of_tensors_have_the_tolerance_of_their_coarsest_precision():
    check.equal([torch.tensor(1.0), 1.0], [1.0, 1.0 + 8 * EPS32])
    with fails("allowed"):
        check.equal([torch.tensor(1.0).double(), 1.0], [1.0, 1.0 + 8 * EPS32])


# ------------------------------------------------------------------------------------------------------ differs


def test_differs_needs_the_promised_difference_somewhere(capsys):
    check.differs([1.0, 2.0], [1.0, 2.5], by=0.5)
    check.differs([True, False], [True, True], by=1)
    check.differs(np.uint8(3), np.uint8(5), by=2)
    check.differs(0.0, INF, by=1)
    check.differs(torch.zeros(2, requires_grad=True), torch.ones(2), by=1)
    assert "largest difference 0.5, at least 0.5 expected" in capsys.readouterr().out
    for left, right in (([1.0, 2.0], [1.0, 2.5]), (INF, INF), (1, 1), (np.uint8(3), np.uint8(5))):
        with fails("largest difference"):
            check.differs(left, right, by=2.01)


@pytest.mark.parametrize("shape", [(4,), (2, 3), (50, 2)])
def test_differs_takes_the_largest_difference_and_no_sum(shape):
    moved = np.full(shape, 0.4)  # together more than 1
    with fails("largest difference 0.4"):
        check.differs(np.zeros(shape), moved, by=1)
    moved.flat[-1] = -1.5  # one entry is enough, and its sign does not count
    check.differs(np.zeros(shape), moved, by=1.5)
    with fails("largest difference 1.5"):
        check.differs(torch.zeros(shape), torch.tensor(moved), by=1.51)


# ----------------------------------------------------------------------------------------------------- estimate


def test_estimate_allows_six_standard_errors_and_no_more(capsys):
    check.estimate(1.75, 1.0, stderr=0.125)
    check.estimate([1.0, 2.0], [1.5, 2.0], stderr=[0.1, 1e-9])
    check.estimate(torch.tensor(2.0, requires_grad=True), 2, stderr=torch.tensor(0.1))
    assert "off by 6.0 of 6 standard errors; measured 1.75, exact 1" in capsys.readouterr().out
    cases = (1.7501, 1, 0.125), (0.2499, 1, 0.125), ([1, 2], [1, 2.2], [9, 0.03]), (INF, INF, 1)
    for measured, exact, stderr in cases:
        with fails("standard errors apart"):
            check.estimate(measured, exact, stderr=stderr)


@pytest.mark.parametrize("stderr", [0, -1, NAN, INF, [0.1, 0], [0.1, NAN], torch.tensor([-1.0, 1.0])])
def test_estimate_needs_a_positive_standard_error(stderr):
    with fails("stderr must be (positive|finite)"):
        check.estimate([1.0, 1.0], [1.0, 1.0], stderr=stderr)


def test_estimate_excludes_the_rival_and_records_how_far_it_is(monkeypatch):
    found = []
    monkeypatch.setattr("attnbook.check.display.add", found.append)
    check.estimate(1.0, 1.0, stderr=0.1, rejects=1.7)
    check.estimate([1.0, 2.0], [1.0, 2.0], stderr=0.1, rejects=[0.3, 2.9])
    check.estimate(1.0, 1.0, stderr=0.1)
    assert [each.rival for each in found] == [pytest.approx(7), pytest.approx(7), 0]
    assert "1.7 is 7 away" in found[0].note
    for rival in (1.59, 1.0, 0.41):
        with fails("the rival .* standard errors away"):
            check.estimate(1.0, 1.0, stderr=0.1, rejects=rival)
    with fails("the rival"):  # one excluded coordinate is not enough
        check.estimate([1.0, 2.0], [1.0, 2.0], stderr=0.1, rejects=[9.0, 2.1])
    with fails("the rival .* only 6.0"):  # exactly six is not excluded
        check.estimate(1.0, 1.0, stderr=0.125, rejects=1.75)


# -------------------------------------------------------------------------------------------------------- below


def test_below_is_strict_and_elementwise(capsys):
    check.below([1, 2], [1.5, 4])
    check.below([1, 2], 3)
    check.below(torch.tensor([-1.0], requires_grad=True), 0.0, by=0.5)
    check.below(0.0, INF)
    assert capsys.readouterr().out.splitlines()[0].endswith("  ·  1 < 1.5")
    for smaller, larger in (([1, 2], [2, 2]), ([1, 5], 3), (2.0, 1.0), (INF, INF)):
        with fails("apart, expected more than 0"):
            check.below(smaller, larger)


def test_below_keeps_its_margin():
    check.below(1.0, 2.0, by=0.5)
    for by in (1.0, 1.5):
        with fails("expected more than"):
            check.below(1.0, 2.0, by=by)
    with fails("shapes"):
        check.below(1.0, [2.0])


# ------------------------------------------------------------------------------------------------------- prints

PRINTED = [
    (0.04748, "0.0475", "0.0474"),
    (0.997, "99.70%", "99.71%"),
    (0.996996, "99.7%", "99.6%"),
    (4.2483e-18, "4.248e-18", "4.249e-18"),
    (4.2483e-18, "4.248e-18", "4.248e-17"),
    (48516.8, "48517", "48516"),
    (-1.26, "-1.3", "1.3"),
    (123456.0, "1.23e5", "1.24e5"),
    (2, "2.000", "2.001"),
    (0.5, "50%", "50"),
    (-0.997, "-99.7%", "-99.6%"),
]


@pytest.mark.parametrize(("value", "printed", "wrong"), PRINTED)
def test_prints_reads_every_digit(value, printed, wrong):
    check.prints(value, printed)
    check.prints(torch.tensor([[value]], dtype=torch.float64, requires_grad=True), [[printed]])
    for bad in (wrong, [wrong]):
        with fails("the value is .*, not " + re.escape(wrong)):
            check.prints([value] if isinstance(bad, list) else value, bad)


def test_prints_checks_every_figure_and_needs_text():
    check.prints([0.1, 0.25], ["0.1", "0.2"])  # a tie may be rounded either way
    check.prints([0.1, 0.25], ["0.1", "0.3"])
    with fails("the value is 0.26, not 0.2"):
        check.prints([0.1, 0.26], ["0.1", "0.2"])
    with fails("the value is inf"):
        check.prints(INF, "1.0")
    with fails("shapes"):
        check.prints([0.1, 0.1], "0.1")
    for number in (0.1, [0.1], 1):
        with pytest.raises(TypeError, match="expected text"):
            check.prints(number, number)


# ------------------------------------------------------------------------------------------------------ refuses


def test_refuses_wants_the_error_it_names(capsys):
    assert check.refuses(lambda: int("one")) is None
    line = capsys.readouterr().out
    assert line.startswith("✓ int('one') is refused  ·  ")
    assert "invalid literal for int()" in line
    check.refuses(lambda: {}["key"], LookupError)
    for error in (ValueError, (ValueError, TypeError)):
        with fails(r"^int\('1'\) is refused: it was accepted, expected ValueError"):
            check.refuses(lambda: int("1"), error)
    with pytest.raises(KeyError):
        check.refuses(lambda: {}["key"])
    with pytest.raises(ZeroDivisionError):
        check.refuses(lambda: 1 / 0, (ValueError, TypeError))


# ------------------------------------------------------------------------------------------------- law in words


def test_the_law_is_read_from_the_call(capsys):
    one, two = 1.0, 2.0
    check.equal(one + one, two)
    assert law_of(capsys) == "one + one = two"
    check.differs(one, two, by=1)
    assert law_of(capsys) == "one ≠ two"
    check.estimate(one, two / 2, stderr=1)
    assert law_of(capsys) == "one ≈ two / 2"
    check.below(one, two)
    assert law_of(capsys) == "one < two"
    check.prints(two, "2.0")
    assert law_of(capsys) == "two prints as '2.0'"
    check.equal(
        np.sqrt(
            two * two,
        ),
        two,
    )
    assert law_of(capsys) == "np.sqrt(two * two) = two"
    for value in (one, two):
        check.equal(value, value)
    assert capsys.readouterr().out.count("✓ value = value") == 2
    check.equal(one, 1, law="one is one")
    assert law_of(capsys) == "one is one"
    exec("check.equal(1, 1)", {"check": check})  # no source to read
    assert law_of(capsys) == "left = right"
    check.equal(left=1, right=1)
    assert law_of(capsys) == "left = right"
    check.equal(1, *(1,))
    assert law_of(capsys) == "left = right"
    functools.reduce(check.equal, [1, 1])  # the call that stands here has other arguments
    assert law_of(capsys) == "left = right"


# ------------------------------------------------------------------------------------------------ in a notebook

CELLS = {
    "setup": "import numpy as np\nfrom attnbook import check",
    "loop": "for gap in (0, 3e-16, 1e-16):\n    check.equal(1.0, 1.0 + gap)",
    "two lines": "check.equal(1, 1)\ncheck.below(1, 2)",
    "failing": "check.equal(1, 1, 'this one holds')\ncheck.equal(1, 2)\ncheck.equal(3, 3)",
    "silent": "x = 1",
    "same law": "check.equal(1, 1)\ncheck.equal(1, 1)",
    "markup": "check.equal(1, 1, '<b>a</b> & b')",
    "worst below": "for gap in (2.0, 1.0, 3.0):\n    check.below(0.0, gap)",
    "worst differs": "for gap in (2.0, 1.0, 3.0):\n    check.differs(0.0, gap, by=0.5)",
    "widest equal": "for size in (1.0, 8.0, 2.0):\n    check.equal(size, size + (size < 2) * 2.0**-52, 'law')",
    "infinite": "check.below(0, np.inf)",
    "too early": "undefined",
    "live": "import os\nfrom attnbook.check.display import is_live\nos.environ.pop('ATTNBOOK_BUILD', None)\nis_live()",
    "build": "os.environ['ATTNBOOK_BUILD'] = '1'\nis_live()",
    "error": "1 / 0",
}


@pytest.fixture(scope="module")
def notebook(run_notebook):
    return run_notebook(CELLS)[0]


def shown(outputs):
    """The one bundle of check lines among the outputs of a cell."""
    [bundle] = [output.data for output in outputs if output.output_type == "display_data"]
    return bundle


def test_a_loop_leaves_one_line_with_its_count_and_worst_case(notebook):
    bundle = shown(notebook["loop"])
    text = "1.0 = 1.0 + gap  ·  largest difference 2.2e-16, allowed 1.8e-15, 3 times"
    assert bundle["text/plain"] == f"✓ {text}"
    [line] = bundle[MIME]
    assert (line["kind"], line["law"], line["times"]) == ("equal", "1.0 = 1.0 + gap", 3)
    assert line["value"] == EPS
    assert line["bound"] == pytest.approx(8 * EPS)
    assert line["worst"] == pytest.approx(1 / 8)
    [paragraph] = page.fromstring(bundle["text/html"]).iter("p")
    assert paragraph.get("data-kind") == "equal"
    for words in ("✓", "holds:", "1.0 = 1.0 + gap", "2.2·10⁻¹⁶", "3 times"):
        assert words in paragraph.text_content()


def test_every_line_of_a_cell_is_shown_once(notebook):
    bundle = shown(notebook["two lines"])
    assert bundle["text/plain"] == "✓ 1 = 1  ·  exactly equal\n✓ 1 < 2  ·  1 < 2"
    assert [line["kind"] for line in bundle[MIME]] == ["equal", "below"]
    assert [line["times"] for line in bundle[MIME]] == [1, 1]
    assert len(list(page.fromstring(bundle["text/html"]).iter("p"))) == 2
    assert [line["times"] for line in shown(notebook["same law"])[MIME]] == [1, 1]
    assert [line["law"] for line in shown(notebook["failing"])[MIME]] == ["this one holds"]
    assert notebook["silent"] == notebook["setup"] == []


def test_a_check_is_named_by_what_its_author_wrote_and_never_by_its_code(capsys, monkeypatch):
    """What is computed on both sides may get other names; a label is not shown."""
    one, kept = 1, []
    monkeypatch.setattr(check.display, "add", kept.append)
    check.equal(one, 1)
    check.equal(one, 1, "one is one")
    check.equal(one, 1, label="unity")
    check.equal(one, 1, "one is one", label="unity")
    assert [each.label for each in kept] == ["", "one is one", "unity", "unity"]
    assert [each.law for each in kept] == ["one = 1", "one is one", "one = 1", "one is one"]
    assert [each.is_code for each in kept] == [True, False, True, False]
    assert "unity" not in render.as_text(kept)
    assert 'data-label="unity"' in render.as_html(kept)
    with pytest.raises(TypeError, match="label"):
        check.equal(one, 1, label=2)


def test_markup_in_a_law_is_escaped(notebook):
    assert html.escape("<b>a</b> & b") in shown(notebook["markup"])["text/html"]
    assert "<b>" not in shown(notebook["markup"])["text/html"]
    assert shown(notebook["markup"])["text/plain"].startswith("✓ <b>a</b> & b")


def test_of_repetitions_the_one_nearest_to_failing_is_kept_and_infinity_is_text(notebook):
    records = [shown(notebook[name])[MIME][0] for name in ("worst below", "worst differs", "infinite")]
    found = [(each["value"], each["bound"], each["times"]) for each in records]
    assert found == [(0, 1, 3), (1, 0.5, 3), (0, "inf", 1)]
    assert record.from_data(records[2]).worst == -INF
    far = dataclasses.replace(record.from_data(records[0]), rival=INF, widest=INF)
    assert record.from_data(record.as_data(far)) == far


def test_the_widest_bound_of_a_loop_is_kept_whichever_case_came_nearest(notebook):
    (line,) = shown(notebook["widest equal"])[MIME]
    assert line["bound"] == pytest.approx(8 * EPS)  # of the case that is off
    assert line["widest"] == 64 * EPS


def test_a_kernel_explains_a_cell_that_was_run_too_early_and_is_live_unless_it_builds_the_book(notebook):
    assert ["undefined is not defined yet" in str(notebook[name]) for name in ("too early", "error")] == [True, False]
    assert [notebook[name][0].data["text/plain"] for name in ("live", "build")] == ["True", "False"]


def test_several_laws_open_from_one_line_with_the_largest_error_of_an_equation():
    laws = [record.Check("equal", "a = b", error, 1e-15, worst=error) for error in (1e-17, 3e-16)]
    laws.append(record.Check("below", "c < d", 1.0004, 2.0, worst=9.0))
    assert render.summary(laws) == "3 laws hold · largest error 3.0e-16, allowed 1.0e-15"
    assert [render.as_html(laws[:n]).count("<details") for n in (1, 2, 3)] == [0, 1, 1]
    assert ["holds:" in render.as_html(laws[:n]) for n in (1, 2, 3)] == [True, False, False]
    assert render.figure(laws[2]) == "1 < 2"


def test_a_value_is_compared_with_all_its_digits_and_shown_with_four_numbers_at_most(capsys):
    check.equal(torch.tensor(0.1, dtype=torch.float64), 0.1)
    for size, shown in ((4, "[0, 1, 2, 3]"), (5, "[0, 1, 2, 3, …]")):
        check.prints(np.arange(size), [str(i) for i in range(size)])
        assert capsys.readouterr().out.endswith(f"  ·  {shown} prints as {shown}\n")
    check.refuses(lambda: check.equal(["1", 1], ["1", 1]), TypeError)


def test_neighbours_among_doubles_are_told_apart():
    found = render.figure(record.Check("below", "", 0.3, 0.1 + 0.2))
    assert found == "0.29999999999999999 < 0.30000000000000004"


# ------------------------------------------------------------------------------------------------ hostile input

MISUSES = {
    "law = 0.5; expected text": lambda: check.below(1, 2, 0.5),
    "law = <class 'ValueError'>; expected text": lambda: check.refuses(lambda: int("two"), law=ValueError),
    "terms = inf; expected a whole number": lambda: check.equal(1.0, 2.0, terms=INF),
    "terms = 0; expected a whole number": lambda: check.equal(1.0, 1.0, terms=0),
    "dtype = torch.int64; expected float64": lambda: check.tolerance(torch.int64),
    "dtype = 'half a dozen'; expected float64": lambda: check.tolerance("half a dozen"),
    "dtype = None; expected float64": lambda: check.tolerance(None),
    "terms = 0.5; expected a whole number": lambda: check.tolerance("float32", 0.5),
    "scale = -1; expected a finite number": lambda: check.tolerance("float32", 1, -1),
    "scale = inf; expected a finite number": lambda: check.equal(1.0, 2.0, scale=INF),
    "scale = 'a'; expected a finite number": lambda: check.equal(1.0, 2.0, scale="a"),
    "by = '1'; expected a finite number > 0": lambda: check.differs(1.0, 3.0, by="1"),
    "by = 0; expected a finite number > 0": lambda: check.differs(1.0, 3.0, by=0),
    "by = nan; expected a finite number > 0": lambda: check.differs(1.0, 3.0, by=NAN),
    "by = '1'; expected a finite number >= 0": lambda: check.below(1.0, 3.0, by="1"),
    "by = -1; expected a finite number >= 0": lambda: check.below(1.0, 3.0, by=-1),
    "by = nan; expected a finite number >= 0": lambda: check.below(1.0, 3.0, by=NAN),
    "stderr = a; expected numbers": lambda: check.estimate(1.0, 1.0, stderr="a", rejects=9),
    "rejects = two; expected numbers": lambda: check.estimate(1.0, 1.0, stderr=1, rejects="two"),
    "printed = 'nan'; expected the digits": lambda: check.prints(1.0, "nan"),
    "printed = '-Infinity'; expected the digits": lambda: check.prints(1.0, "-Infinity"),
    "printed = '50%%'; expected the digits": lambda: check.prints(0.5, "50%%"),
    "printed = '0e9'; expected the digits": lambda: check.prints(123456.0, "0e9"),
    "error = 'law in words'; expected a type": lambda: check.refuses(lambda: int("two"), "law in words"),
    "call = [0.5 0.5]; expected a function": lambda: check.refuses(np.array([0.5, 0.5]), TypeError),
    "expected a function without arguments": lambda: check.refuses(lambda x: x, TypeError),
    "expected a function without arguments: lambda": lambda: check.refuses(lambda *, x: x, TypeError),
    "None is no array": lambda: check.equal(None, None),
    "[1, 'a'] is no array": lambda: check.equal([1, "a"], ["1", "a"]),
    "-- is no array": lambda: check.equal(np.ma.masked, 0.0),
    "[{}] is no array": lambda: check.equal([{}], [{}]),
}


@pytest.mark.parametrize("words", MISUSES)
def test_a_check_that_is_misused_says_so(words):
    with pytest.raises((TypeError, ValueError), match=re.escape(words)):
        MISUSES[words]()


def test_where_nothing_can_be_judged_a_check_says_so_and_fails_no_law():
    cannot = pytest.raises(ValueError, match=r"the law: terms = .* nothing can be judged")
    with cannot:
        check.equal(torch.tensor(1.0), torch.tensor(1.0), "the law", terms=600_000)
    with cannot:
        check.equal(torch.ones(3).bfloat16(), torch.zeros(3).bfloat16(), "the law", terms=500_000)
    for left in (torch.ones(3).to(torch.float8_e4m3fn), [torch.ones(3).to(torch.float8_e4m3fn)]):
        with pytest.raises(ValueError, match="float8"):
            check.equal(left, left)
    check.equal(torch.tensor(1.0), torch.tensor(1.0), terms=500_000)


# ------------------------------------------------------------------------------------- in half and other precision

FORMATS = [torch.float64, torch.float32, torch.bfloat16, torch.float16]


def drawn(n, d, dtype, seed=0):
    """Queries, keys and values in a precision, and attention of the same numbers in float64."""
    generator = torch.Generator().manual_seed(seed)
    Q, K, V = torch.randn(3, n, d, dtype=torch.float64, generator=generator).to(dtype)
    return Q, K, V, attention(Q.double(), K.double(), V.double())


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
@pytest.mark.parametrize(("n", "d"), [(1, 1), (3, 64), (16, 8), (128, 64), (1024, 256), (4096, 16)])
def test_right_attention_is_equal_in_every_precision(n, d, dtype):
    Q, K, V, exact = drawn(n, d, dtype)
    check.equal(V, V.clone())
    for found in (attention(Q, K, V), torch.nn.functional.scaled_dot_product_attention(Q[None], K[None], V[None])[0]):
        check.equal(found, exact.to(dtype))
        check.equal(found, exact, terms=max(n, d), scale=V.abs().max().item())


@pytest.mark.parametrize("dtype", FORMATS, ids=str)
def test_wrong_attention_differs_in_every_precision(dtype):
    Q, K, V, exact = drawn(128, 64, dtype)
    wrong = {
        "no scale": attention(Q, K, V, scale=1.0),
        "1/d": attention(Q, K, V, scale=1 / 64),
        "a key lost": attention(Q, K[1:], V[1:]),
        "a key too many": attention(Q, torch.cat([K, K[:1]]), torch.cat([V, V[:1]])),
        "zeros": torch.zeros_like(V),
        "the mean": V.mean(0).expand(128, 64),
    }
    for each in wrong.values():
        with fails("largest difference"):
            check.equal(each, exact)
    with fails("largest difference"):
        check.equal(torch.tensor(1.0, dtype=dtype), torch.tensor(1.4, dtype=dtype))


@pytest.mark.parametrize(
    ("dtype", "terms", "expected"),
    [
        ("float64", 1, 8 * EPS),
        (np.float64, 5, 40 * EPS),
        (np.dtype("f4"), 5, 40 * EPS32),
        (torch.float32, 5, 40 * EPS32),
        (torch.complex64, 1, 8 * EPS32),
        (torch.bfloat16, 1, 8 * 2.0**-7),
        ("bfloat16", 101, 8 * 2.0**-7 + 800 * EPS32),
        (torch.float16, 1, 8 * 2.0**-10),
        (np.float16, 101, 8 * 2.0**-10 + 800 * EPS32),
    ],
    ids=str,
)
def test_a_tolerance_is_one_rounding_of_the_type_and_the_additions_of_the_accumulator(dtype, terms, expected):
    assert check.tolerance(dtype, terms) == pytest.approx(expected, rel=1e-15)
    assert check.tolerance(dtype, terms, scale=3.0) == pytest.approx(3 * expected, rel=1e-15)
    one = torch.ones(1, dtype=torch.float64)
    if not isinstance(dtype, torch.dtype) or dtype.is_complex:
        return
    check.equal(one.to(dtype), one - 0.99 * expected, terms=terms)
    with fails("allowed"):
        check.equal(one.to(dtype), one - 1.01 * expected, terms=terms)


def test_standard_errors_and_rivals_have_the_shape_of_what_is_measured_and_a_number_several():
    with fails(r"stderr has shape \(3,\); expected .*\(2, 3\)"):
        check.estimate(np.zeros((2, 3)), np.zeros((2, 3)), stderr=np.ones(3))
    with fails(r"rejects has shape \(3,\); expected .*\(2,\)"):
        check.estimate([1.0, 2.0], [1.0, 2.0], stderr=0.1, rejects=[9.0, 9.0, 9.0])
    with fails(r"rejects has shape \(0,\)"):
        check.estimate(1.0, 1.0, stderr=0.1, rejects=[])
    check.estimate(1.0, 1.0, stderr=0.1, rejects=[3.0, 9.0])
    with fails("rejects must be finite"):
        check.estimate(1.0, 1.0, stderr=0.1, rejects=INF)
    with fails("the rival"):
        check.estimate(1.0, 1.0, stderr=0.1, rejects=[9.0, 1.5])
