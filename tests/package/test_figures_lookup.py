"""The drawings of the lookup against its formulas, written out here."""

import numpy as np
import pytest
from attnbook.figures import lookup
from drawn import curve, hue, ticks, words
from matplotlib.patches import Rectangle


def arrows(ax):
    """{tip: colour} of the arrows from the origin."""
    return [
        (note.xy, hue(note.arrowprops["color"]), note.arrowprops["linestyle"])
        for note in ax.texts
        if getattr(note, "arrowprops", None)
    ]


@pytest.mark.parametrize(("angle", "length"), [(30, 1.5), (30, 2.45), (200, 4)])
def test_a_query_its_scores_weights_and_output(unsaved, angle, length):
    question, answer = unsaved(lookup).draw_lookup(angle, length)
    q = length * np.exp(1j * np.pi * angle / 180)
    keys = [
        size * np.exp(1j * np.pi * at / 180) for at, size in zip((10, 72, 125, 200, 290), (1, 1, 2, 1, 1), strict=True)
    ]
    s = np.array([(q.conjugate() * key).real / 2**0.5 for key in keys])
    a = np.exp(s) / np.exp(s).sum()
    y = sum(weight * value for weight, value in zip(a, lookup.VALUES, strict=True))
    tips = arrows(question.axes[0])
    np.testing.assert_allclose([complex(*tip) for tip, _, _ in tips[:5]], keys)
    [(tip, colour, dash)] = tips[5:]
    assert complex(*tip) == pytest.approx(q * min(1, 2.4 / length))
    assert (colour, dash) == ("orange", "--" if length > 2.4 else "-")
    assert question.axes[0].get_title() == f"query: length {length:g}" + (", cut" if length > 2.4 else "")
    for ax, numbers, digits in ((question.axes[1], s, 1), (answer.axes[0], a, 2)):
        np.testing.assert_allclose([bar.get_height() for bar in ax.patches], numbers, atol=1e-12)
        shown = [f"{x:.{digits}f}".replace("-", "−") for x in numbers.round(digits) + 0.0]
        assert [note.get_text() for note in ax.texts] == shown
        assert list(ticks(ax.xaxis).values()) == ["k₁", "k₂", "k₃", "k₄", "k₅"]
    *marks, star = answer.axes[1].lines
    np.testing.assert_allclose(star.get_xydata(), [y])
    for mark, value, weight in zip(marks, lookup.VALUES, a, strict=True):
        np.testing.assert_allclose(mark.get_xydata(), [value])
        assert mark.get_markersize() == pytest.approx(3 + 11 * np.sqrt(weight))
    told = ", ".join(f"{x:.1f}" for x in s.round(1) + 0.0)
    assert f"at {angle} degrees with length {length:g}. Scaled scores: {told}." in question.alt
    assert f"Key {a.argmax() + 1} has the largest weight, and the output is ({y[0]:.2f}, {y[1]:.2f})." in answer.alt


def test_shapes_have_a_cell_for_each_number_and_a_dash_for_each_negative_one(unsaved):
    X, W = np.array([[1.0, -2.0, 0.5], [0.25, 4.0, -1.0]]), np.array([[1.0, -1.0], [0.5, 2.0], [-2.0, 1.0]])
    [drawn] = unsaved(lookup).draw_shapes(
        ["cat", "sat"], [[("X", X, "blue"), "·", ("$W_Q$", W, "orange"), "=", ("Q", X @ W, "green")]]
    )
    [ax] = drawn.axes
    cells = [patch for patch in ax.patches if isinstance(patch, Rectangle) and patch.get_fill()]
    frames = [patch for patch in ax.patches if not patch.get_fill()]
    dashes = {(round(line.get_xdata()[0] - 0.3, 6), round(line.get_ydata()[0] - 0.5, 6)) for line in ax.lines}
    for M, frame, colour in zip((X, W, X @ W), frames, ("blue", "orange", "green"), strict=True):
        left, top = frame.get_xy()
        assert (frame.get_height(), frame.get_width(), hue(frame.get_edgecolor())) == (*M.shape, colour)
        for i, j in np.ndindex(M.shape):
            cell = cells.pop(0)
            assert cell.get_xy() == (left + j, top + i)
            assert cell.get_facecolor()[3] == pytest.approx(0.08 + 0.72 * abs(M[i, j]) / abs(M).max())
            assert ((round(left + j, 6), round(top + i, 6)) in dashes) == (M[i, j] < 0)
        assert words(ax)[round(left + M.shape[1] / 2, 2), round(top - 0.6, 2)] == f"{M.shape[0]}×{M.shape[1]}"
    left, top = frames[0].get_xy()
    assert [words(ax)[round(left - 0.4, 2), round(top + i + 0.5, 2)] for i in range(2)] == ["cat", "sat"]
    assert drawn.alt == "Blocks of cells: X (2 by 3) · W Q (3 by 2) = Q (2 by 2)."


def test_an_alignment_names_what_each_word_looks_at(unsaved):
    A = np.array([[0.1, 0.7, 0.2], [0.6, 0.3, 0.1]])
    drawn = unsaved(lookup).draw_alignment(A, ["the", "cat"], ["le", "chat", "noir"], "trained")
    [ax] = drawn.axes
    shades = np.array([patch.get_facecolor()[3] for patch in ax.patches]).reshape(2, 3)
    np.testing.assert_allclose(shades, 0.6 * A)
    assert list(ticks(ax.xaxis).values()) == ["le", "chat", "noir"]
    assert list(ticks(ax.yaxis).values()) == ["the", "cat"]
    assert "the looks mostly at chat (0.70); cat looks mostly at le (0.60)." in drawn.alt


def test_contexts_have_their_distances_and_nearest_states(unsaved):
    H, C, c = np.array([[0.0, 0], [4, 0], [0, 3]]), np.array([[0.5, 0], [3, 0.5], [0.5, 2.5]]), np.array([1.0, 1])
    drawn = unsaved(lookup).draw_contexts(H, C, c, ["a", "b", "c"], ["x", "y", "z"])
    [ax] = drawn.axes
    np.testing.assert_array_equal(curve(ax, "state of a source word"), H)
    np.testing.assert_array_equal(curve(ax, "context of a target word"), C)
    np.testing.assert_array_equal(curve(ax, "the one fixed vector"), [c])
    notes = {note.get_text(): tuple(note.xy) for note in ax.texts}
    assert notes == dict(zip("xyzabc", map(tuple, [*H, *C]), strict=True))
    gaps = [np.hypot(*(C[i] - C[j])) for i, j in ((0, 1), (0, 2), (1, 2))]
    assert "nearest states: a to x, b to y, c to z." in drawn.alt
    assert f"Contexts are {min(gaps):.2f} to {max(gaps):.2f} apart" in drawn.alt


def test_self_weights_tell_the_diagonal_and_the_rest(unsaved):
    without, projected = np.array([[0.8, 0.2], [0.4, 0.6]]), np.array([[0.1, 0.9], [0.5, 0.5]])
    drawn = unsaved(lookup).draw_self_weights(without, projected)
    for ax, M in zip(drawn.axes, (without, projected), strict=True):
        np.testing.assert_allclose([patch.get_facecolor()[3] for patch in ax.patches], 0.6 * M.ravel())
    assert [ax.get_title() for ax in drawn.axes] == ["Q = K = V = X", "with projections"]
    assert "diagonal holds 0.70 on average, nothing else exceeds 0.40; with projections it holds 0.30 and" in drawn.alt
    assert "other weights reach 0.90." in drawn.alt


def test_costs_are_drawn_at_their_numbers_of_tokens(unsaved):
    ns, costs = [16, 64, 256, 1024], {"attention": [1e3, 2e4, 4e5, 8e6], "recurrent": [2e3, 8e3, 3e4, 1e5]}
    drawn = unsaved(lookup).draw_costs(ns, costs, 32)
    [ax] = drawn.axes
    for name, counts in costs.items():
        np.testing.assert_array_equal(curve(ax, name), np.stack([ns, counts], axis=1))
    assert [line.get_xdata()[0] for line in ax.lines[2:]] == [64, 192]
    assert {note.get_text(): note.xy[0] for note in ax.texts} == {"n = 2d": 64, "n = 6d": 192}
    assert ticks(ax.xaxis) == {16: "16", 256: "256"}
    assert "attention 1.0e+03 to 8.0e+06, recurrent 2.0e+03 to 1.0e+05." in drawn.alt
