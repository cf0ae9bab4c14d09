"""The drawings of symmetry against the formulas, written out with loops."""

import itertools

import numpy as np
import pytest
from attnbook.figures import symmetry
from drawn import corners, curve, hue, ticks, words

SQUARE = {  # left, top, the number of full colour
    "Q": (34, 24, 2), "K": (112, 24, 2), "V": (190, 24, 2), "S": (34, 128, 1), "A": (163, 128, 1), "Y": (34, 222, 2)
}  # fmt: skip


def tables(perm):
    """What attention makes of the words in this order, entry by entry."""
    Q, K, V = ([list(M[old]) for old in perm] for M in (symmetry.QUERIES, symmetry.KEYS, symmetry.VALUES))
    S = [[(q[0] * k[0] + q[1] * k[1]) / 2**0.5 for k in K] for q in Q]
    A = [[np.exp(s) / sum(np.exp(row)) for s in row] for row in S]
    Y = [[sum(a * v[c] for a, v in zip(row, V, strict=True)) for c in range(2)] for row in A]
    return {"Q": Q, "K": K, "V": V, "S": S, "A": A, "Y": Y}


@pytest.mark.parametrize("perm", [[0, 1, 2, 3], [1, 2, 0, 3], [3, 0, 1, 2]])
def test_the_tables_of_shuffled_words_and_the_outline_of_the_cat(unsaved, perm):
    drawn = unsaved(symmetry).draw_shuffled(perm)
    [ax] = drawn.axes
    named, known, shades = words(ax), tables(perm), {}
    for patch in ax.patches:
        for x, y in corners(patch).tolist():
            shades[x, y] = hue(patch.get_facecolor()), patch.get_facecolor()[3] / 0.11
    mean = [np.mean([row[c] for row in known["Y"]]) for c in range(2)]
    for name, M, (x, y, limit) in [
        *((name, known[name], SQUARE[name]) for name in SQUARE), ("mean of Y", [mean], (163, 222, 2))
    ]:  # fmt: skip
        for i, j in itertools.product(range(len(M)), range(len(M[0]))):
            digits = 2 if name == "A" else 1
            value = round(M[i][j], digits) + 0.0
            written = f"{value:.{digits}f}".replace("-", "−")
            assert named[x + (j + 0.5) * 26, y + 17 * i + 12] == written, (name, i, j)
            colour, level = shades[x + 26 * j, y + 17 * i]
            assert colour == ("blue" if value > 0 else "orange")
            assert level == pytest.approx(np.ceil(5 * min(abs(value) / limit, 1)))
    assert named[163, 217] == "mean of Y"
    order = [["cat", "sits", "on", "mat"][old] for old in perm]
    for x, y, _ in (SQUARE[name] for name in "QSAY"):
        assert [named[x - 4, y + 17 * i + 12] for i in range(4)] == order
    for x, y, _ in (SQUARE[name] for name in "SA"):
        assert [named[x + 26 * (j + 0.5), y - 4] for j in range(4)] == order
    cat = order.index("cat")
    frames = {(*(line.get_xydata().min(axis=0)), *np.ptp(line.get_xydata(), axis=0)) for line in ax.lines}
    expected = {(x, y + 17 * cat, 26 * len(known[name][0]), 17) for name, (x, y, _) in SQUARE.items()}
    expected |= {(x + 26 * cat, y, 26, 68) for x, y, _ in (SQUARE[name] for name in "SA")}
    assert frames == expected
    Y = np.round(known["Y"], 1) + 0.0
    rows = "; ".join(f"{word} {y[0]:.1f}, {y[1]:.1f}" for word, y in zip(order, Y, strict=True))
    assert f"Order {' '.join(order)}. Rows of Y, from the top: {rows}. Their mean: " in drawn.alt


def test_errors_are_counted_where_their_power_of_ten_is(unsaved):
    follows, stands = np.array([0.0, 5e-17, 2e-16, 3e-16, 2e-15]), np.array([0.02, 0.5, 2.0])
    drawn = unsaved(symmetry).draw_errors(follows, stands)
    [ax] = drawn.axes
    for patches, errors, colour in ((ax.patches[:54], follows[1:], "blue"), (ax.patches[54:], stands, "orange")):
        counts = [
            sum(10 ** patch.get_x() <= error < 10 ** (patch.get_x() + patch.get_width()) for error in errors)
            for patch in patches
        ]
        assert [patch.get_height() for patch in patches] == counts
        assert sum(counts) == len(errors)
        assert {hue(patch.get_facecolor()) for patch in patches} == {colour}
    assert ticks(ax.xaxis) == {-16: "10⁻¹⁶", -12: "10⁻¹²", -8: "10⁻⁸", -4: "10⁻⁴", 0: "10⁰"}
    assert "are at most 2.0e-15; the differences from f(X) lie between 0.02 and 2.00." in drawn.alt


def test_two_patterns_have_their_own_words_and_weights(unsaved):
    A, B = np.array([[0.25, 0.75], [0.5, 0.5]]), np.array([[0.125, 0.875], [1, 0]])
    drawn = unsaved(symmetry).draw_patterns(["a", "b"], A, ["b", "a"], B)
    for ax, M, order in zip(drawn.axes, (A, B), (["a", "b"], ["b", "a"]), strict=True):
        shades = np.array([patch.get_facecolor()[3] for patch in ax.patches]).reshape(2, 2)
        np.testing.assert_allclose(shades, 0.6 * M)
        assert list(ticks(ax.xaxis).values()) == list(ticks(ax.yaxis).values()) == order
        assert ax.get_title() == " ".join(order)
    assert "in the order a b: from a: 0.25, 0.75; from b: 0.50, 0.50. Right, in the order b a:" in drawn.alt


def test_rounding_is_beside_what_is_allowed(unsaved):
    errors = {"torch.float64": [1e-16, 3e-16], "torch.float32": [2e-7, 1e-7]}
    allowed = {"torch.float64": [1e-14, 2e-14], "torch.float32": [1e-5, 2e-5]}
    drawn = unsaved(symmetry).draw_rounding([4, 64], errors, allowed)
    [ax] = drawn.axes
    for dtype, colour in (("float64", "blue"), ("float32", "orange")):
        for what, numbers in (("measured", errors), ("allowed", allowed)):
            drawn_there = curve(ax, f"{dtype}, {what}")
            np.testing.assert_array_equal(drawn_there, np.stack([[4, 64], numbers[f"torch.{dtype}"]], axis=1))
            assert {hue(line.get_color()) for line in ax.lines if line.get_label().startswith(dtype)} == {colour}
    assert list(ax.lines[-1].get_ydata()) == [1e-6, 1e-6]
    assert ticks(ax.xaxis) == {4: "4", 64: "64"}
    assert "float64: measured up to 3.0e-16, allowed up to 2.0e-14; float32: measured up to 2.0e-07" in drawn.alt
