"""The drawings of lengths against formulas written out here."""

import numpy as np
import pytest
from attnbook.figures import length
from drawn import curve, hue, ticks


def test_accuracies_have_their_marks_their_names_and_chance(unsaved):
    bars = {"T5": (0.9, 0.3), "rotary": (1.0, 0.6)}
    drawn = unsaved(length).draw_accuracies(bars, ("before", "after"), chance=0.2)
    [ax] = drawn.axes
    marks = {}
    for line in ax.lines[:-1]:
        marks.setdefault(line.get_marker(), []).append(line.get_xydata().tolist())
    assert marks["o"] == [[[0.9, 0]], [[1.0, 1]]]
    assert marks["X"] == [[[0.3, 0]], [[0.6, 1]]]
    assert marks["None"] == [[[0.9, 0], [0.3, 0]], [[1.0, 1], [0.6, 1]]]
    assert {line.get_label(): line.get_marker() for line in ax.lines if line.get_label()[0] != "_"} == {
        "before": "o", "after": "X"
    }  # fmt: skip
    assert list(ax.lines[-1].get_xdata()) == [0.2, 0.2]
    assert ticks(ax.yaxis) == {0: "T5", 1: "rotary"}
    assert "before and after. T5 0.90 and 0.30; rotary 1.00 and 0.60." in drawn.alt


@pytest.mark.parametrize("s", [2.0, 8.0])
def test_a_ramp_divides_each_angle_by_what_its_rule_says(unsaved, s):
    drawn = unsaved(length).draw_ramp(s)
    [ax] = drawn.axes
    k = np.arange(32)
    theta = 10_000.0 ** (-k / 32)
    turned = theta * 4096 / (2 * np.pi)
    gamma = np.clip((turned - 1) / 31, 0, 1)
    rules = {
        "interpolate": np.full(32, s),
        "NTK": s ** (k / 31),
        "ramp (YaRN)": 1 / (gamma + (1 - gamma) / s),
    }
    for name, divided in rules.items():
        np.testing.assert_allclose(curve(ax, name), np.stack([turned, divided], axis=1), rtol=1e-12)
    [shade] = ax.patches
    np.testing.assert_allclose(shade.get_x() + shade.get_width(), 1)
    assert ax.get_title() == f"stretch s = {s:g}, base 10 000"
    assert f"for s = {s:g} and base 10000" in drawn.alt
    assert f"{(turned < 1).sum()} pairs make less than one turn in 4096" in drawn.alt


def test_gates_leave_each_weight_its_factor(unsaved):
    bias = np.log([[1, 1e-9, 1e-9], [0.5, 1, 1e-9], [0.2, 0.4, 1]])
    drawn = unsaved(length).draw_gates({"head 1": bias, "head 2": 2 * bias})
    for ax, power in zip(drawn.axes, (1, 2), strict=True):
        shades = np.array([patch.get_facecolor()[3] for patch in ax.patches]).reshape(3, 3)
        np.testing.assert_allclose(shades, 0.6 * np.exp(bias) ** power)
        assert ax.get_title() == f"head {power}"
    assert "token 0, head 1: 0.2; head 2: 0.04." in drawn.alt


def test_lengths_show_every_seed_and_the_median_as_far_as_it_runs(unsaved):
    runs = np.array([[1.0, 0.9, 0.3], [0.8, 0.5, 0.2], [0.9, 0.8, 0.7]])
    short = np.array([[1.0, 0.6, np.nan]] * 3)
    drawn = unsaved(length).draw_lengths([8, 16, 64], {"rotary": runs, "learned": short}, trained=8, chance=0.125)
    for ax, scheme, middle in zip(drawn.axes, (runs, short), ([0.9, 0.8, 0.3], [1.0, 0.6, np.nan]), strict=True):
        *seeds, thick, chance = ax.lines
        np.testing.assert_array_equal([line.get_ydata() for line in seeds], scheme)
        np.testing.assert_array_equal(thick.get_xydata(), np.stack([[8, 16, 64], middle], axis=1))
        assert (hue(thick.get_color()), list(chance.get_ydata())) == ("blue", [0.125, 0.125])
        assert ticks(ax.xaxis) == {8: "8", 16: "16", 64: "64"}
    assert [ax.get_title() for ax in drawn.axes] == ["rotary", "learned"]
    assert "Medians: rotary 0.30 at 64; learned 0.60 at 16." in drawn.alt
    assert drawn.fig.get_supxlabel() == "length at test time (trained at 8)"
