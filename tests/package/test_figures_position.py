"""The drawings of positions against sines, cosines and T5's rule, written out here."""

import math

import numpy as np
import pytest
from attnbook.figures import position
from drawn import hue, ticks
from matplotlib.patches import Rectangle


def row(t, d=8):
    """Sines and cosines of one position."""
    angles = [t / 10_000 ** (2 * k / d) for k in range(d // 2)]
    return np.array([f(angle) for angle in angles for f in (math.sin, math.cos)])


def bucket(offset, both):
    """T5's bucket, by the rule of its paper: exact ones first, then logarithmic ones up to 128."""
    count, first = (16, 16 if offset > 0 else 0) if both else (32, 0)
    distance = abs(offset) if both else max(-offset, 0)
    if distance < count // 2:
        return first + distance
    steps = math.log(distance / (count // 2)) / math.log(128 / (count // 2)) * (count // 2)
    return first + min(count // 2 + int(steps + 1e-9), count - 1)


@pytest.mark.parametrize(("i", "j", "turn"), [(4, 2, False), (7, 30, True)])
def test_two_rows_of_sines_and_the_products_with_one_of_them(unsaved, i, j, turn):
    p = np.array([row(t) for t in range(41)])
    products = p @ p[i] if not turn else np.sin(np.subtract.outer(np.arange(41), [i]) / 10 ** np.arange(4)).sum(axis=1)
    drawn = unsaved(position).draw_similarity(p, products, i, j, turn)
    table, bars = drawn.axes
    shade = np.zeros((8, 41))
    for patch in (patch for patch in table.patches if not isinstance(patch, Rectangle)):
        size = round(patch.get_facecolor()[3] / 0.75 * 8) * {"blue": 1, "orange": -1}[hue(patch.get_facecolor())]
        for square in patch.get_path().to_polygons():
            x, y = square.min(axis=0) + 0.5
            shade[round(y), round(x)] = size
    np.testing.assert_array_equal(shade, np.rint(8 * p.T))
    frames = [patch for patch in table.patches if isinstance(patch, Rectangle)]
    assert [frame.get_xy() for frame in frames] == [(i - 0.5, -0.5), (j - 0.5, -0.5)]
    assert [frame.get_linestyle() for frame in frames] == ["-", "--"]
    np.testing.assert_allclose([bar.get_height() for bar in bars.patches], products)
    assert [hue(bar.get_facecolor()) for bar in bars.patches] == ["orange" if t == j else "purple" for t in range(41)]
    assert f"{products[j]:.3f} with row {j}, of at most 4." in drawn.alt
    asked = position.draw_similarity(p, None, i, j, turn)
    assert not asked.axes[1].patches


@pytest.mark.parametrize(
    ("offset", "direction"), [(-13, "both"), (0, "both"), (50, "both"), (-30, "past"), (-200, "past")]
)
def test_a_staircase_of_buckets_with_one_offset(unsaved, offset, direction):
    both = direction == "both"
    drawn = unsaved(position).draw_buckets(offset, direction)
    [ax] = drawn.axes
    stairs, dot = ax.lines
    at, drawn_buckets = stairs.get_xydata().astype(int).T
    for o in range(-140, 141):
        assert drawn_buckets[at <= o][-1] == bucket(o, both), o
    here = bucket(offset, both)
    assert dot.get_xydata().tolist() == [[max(offset, -140), here]]
    share = [o for o in range(-140, 141) if bucket(o, both) == here]
    [shade] = ax.patches
    assert (shade.get_x(), shade.get_x() + shade.get_width()) == (share[0] - 0.5, share[-1] + 0.5)
    low, high = ("−∞" if share[0] == -140 else share[0]), ("∞" if share[-1] == 140 else share[-1])
    assert f"bucket {here}, which holds every offset from {low} to {high}.".replace("-", "−") in drawn.alt
    title = f"offset {offset} → bucket {here}: {low} … {high}".replace("-", "−")
    assert ax.get_title() == title


def test_every_seed_has_a_mark_and_blind_schemes_are_crossed(unsaved):
    accuracy = {"none": [0.5, 0.52, 0.97], "rotary": [0.99, 1.0, 0.7]}
    drawn = unsaved(position).draw_order(accuracy)
    [ax] = drawn.axes
    *marks, chance = ax.lines
    for at, (line, numbers, look) in enumerate(
        zip(marks, accuracy.values(), (("x", "grey"), ("o", "blue")), strict=True)
    ):
        assert list(line.get_xdata()) == numbers
        np.testing.assert_allclose(line.get_ydata(), [at - 0.24, at, at + 0.24])
        assert (line.get_marker(), hue(line.get_color())) == look
    assert list(chance.get_xdata()) == [0.5, 0.5]
    assert ticks(ax.yaxis) == {0: "none", 1: "rotary"}
    assert "Medians: none 0.52, rotary 0.99." in drawn.alt


def test_products_depend_on_the_offset_and_are_their_own_mirror_image(unsaved):
    drawn = unsaved(position).draw_products(d=16, reach=40)
    line, *dots = drawn.axes[0].lines
    k, product = line.get_xydata().T
    known = [sum(math.cos(offset / 10_000 ** (2 * pair / 16)) for pair in range(8)) for offset in range(-40, 41)]
    np.testing.assert_allclose(product, known, atol=1e-12)
    assert list(k) == list(range(-40, 41))
    assert [dot.get_xydata().tolist() for dot in dots] == [
        [[-5, pytest.approx(known[45])]],
        [[5, pytest.approx(known[45])]],
    ]
    rise = next(offset for offset in range(40) if known[41 + offset] > known[40 + offset])
    assert "The peak 8 is at 0" in drawn.alt
    assert f"{known[45]:.3f} at 5 and at −5. It rises first from {rise} to {rise + 1}." in drawn.alt
