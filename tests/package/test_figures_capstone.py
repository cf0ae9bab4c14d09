"""The drawings of the capstone against the numbers they are given."""

import numpy as np
from attnbook.figures import capstone
from drawn import corners, curve, words


def test_a_map_has_its_shades_and_letters_in_their_places(unsaved):
    tokens = ["cat", "sees", "fish"]
    maps = np.random.default_rng(0).dirichlet(np.ones(3), size=(6, 3))
    maps[3] = 0
    drawn = unsaved(capstone).draw_heads(tokens, maps, [1, 1, 1, 0, 1, 1], "480 of 480")
    [ax] = drawn.axes
    named, shades = words(ax), {}
    for patch in ax.patches:
        for x, y in corners(patch).tolist():
            shades[x, y] = patch.get_facecolor()[3] / 0.12
    assert named[4, 12] == "cat sees fish"
    assert named[4, 212] == "480 of 480"
    for k, A in enumerate(maps):
        left, top = 22 + 79 * (k % 3), 54 + 97 * (k // 3)
        assert named[left, top - 20] == f"layer {k // 3 + 1}, head {k % 3 + 1}" + ": off" * (k == 3)
        assert [named[left + 15 * (j + 0.5), top - 4] for j in range(3)] == ["c", "s", "f"]
        assert [named[left - 5, top + 15 * (i + 0.75)] for i in range(3)] == ["c", "s", "f"]
        for i, j in np.ndindex(3, 3):
            assert round(shades[left + 15 * j, top + 15 * i]) == np.ceil(5 * np.round(A[i, j], 2))


def test_training_shows_smoothed_losses_errors_and_the_floor(unsaved):
    rng = np.random.default_rng(1)
    curves = {name: rng.uniform(0.1, 1, size=(2, 30, 2)) for name in ("no positions", "causal mask")}
    drawn = unsaved(capstone).draw_training(curves, floor=0.6931)
    above, below = drawn.axes
    runs = [run for both in curves.values() for run in both]
    for line, run in zip(above.lines, runs, strict=False):
        known = [[step, run[step - 2 : step + 3, 0].mean()] for step in range(2, 28)]
        np.testing.assert_allclose(line.get_xydata(), known)
    for line, run in zip(below.lines, runs, strict=True):
        np.testing.assert_array_equal(line.get_ydata(), run[:, 1])
    np.testing.assert_allclose(curve(above, "causal mask"), above.lines[2].get_xydata())
    assert list(above.lines[-1].get_ydata()) == [0.6931, 0.6931]
    for name, both in curves.items():
        error = both[..., 1]
        told = f"{name}: loss {both[:, 20:, 0].mean():.2f} at the end, error between {error.min():.0e} and"
        assert told in drawn.alt


def test_each_head_has_its_curve_of_weights_by_distance(unsaved):
    weights = np.array([[0.1, 0.4, 0.2, 0.05], [0.3, 0.1, 0.1, 0.02], [0.05, 0.06, 0.07, 0.5]])
    drawn = unsaved(capstone).draw_reach(weights, even=0.125)
    [ax] = drawn.axes
    for head, row in enumerate(weights, 1):
        np.testing.assert_array_equal(curve(ax, f"head {head}"), np.column_stack([range(4), row]))
    assert list(ax.lines[-1].get_ydata()) == [0.125, 0.125]
    assert ax.get_ylim()[0] == 0
    for told in ("head 1 looks most, 0.40, at 1 back", "head 3 looks most, 0.50, at 3 back", "would be 0.12."):
        assert told in drawn.alt
