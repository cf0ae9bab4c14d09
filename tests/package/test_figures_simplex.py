"""The drawings of the simplex against formulas written out here."""

import numpy as np
import pytest
from attnbook.figures import simplex
from drawn import curve, hue

CORNERS = np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])


def weights(s):
    return np.exp(s) / np.exp(s).sum(axis=-1, keepdims=True)


@pytest.mark.parametrize(("T", "angle"), [(0.5, 120), (2.0, 200)])
def test_the_same_weights_in_both_triangles(unsaved, T, angle):
    drawn = unsaved(simplex).draw_temperature(T, angle)
    s = np.sqrt(2) * np.cos((angle - np.array([90, 210, 330])) * np.pi / 180)  # length 2, over √2
    a = weights(s / T)
    keys = 1 / np.prod(a**a)  # e^H
    for ax, points in zip(drawn.axes, (CORNERS, simplex.VALUES), strict=True):
        [triangle] = ax.patches
        np.testing.assert_allclose(triangle.get_xy()[:3], points)
        path, point = ax.lines
        np.testing.assert_allclose(point.get_xydata(), [a @ points])
        steps = weights(s / np.geomspace(0.04, 40, 40)[:, None])
        np.testing.assert_allclose(path.get_xydata(), steps @ points, atol=1e-12)
    assert [note.get_text() for note in drawn.axes[0].texts] == ["key 1", "key 2", "key 3"]
    assert drawn.axes[0].get_title().split()[1:] == [f"{x:.2f}" for x in a]
    assert drawn.axes[1].get_title() == f"output, from {keys:.2f} keys"
    y = a @ simplex.VALUES
    assert f"The output ({y[0]:.2f}, {y[1]:.2f}) lies" in drawn.alt
    assert f"looks at {keys:.2f} keys" in drawn.alt


def test_a_hull_has_its_corners_and_all_points(unsaved):
    V = np.array([[0.0, 0], [4, 0], [0, 4], [1, 1]])
    Y, outside = np.array([[1, 0.5], [0.5, 2], [3, 3]]), {"added": np.array([[5.0, 0], [1, 2], [-1, -1]])}
    drawn = unsaved(simplex).draw_hull(V, Y, outside)
    [ax] = drawn.axes
    [hull] = ax.patches
    assert set(map(tuple, hull.get_xy().tolist())) == {(0, 0), (4, 0), (0, 4)}
    for label, points in (("3 outputs of softmax", Y), ("values", V), ("added", outside["added"])):
        np.testing.assert_array_equal(curve(ax, label), points)
    assert "4 values in a plane; 3 of them are corners" in drawn.alt
    assert "1 of 3 outputs of softmax. Among other points, outside lie: added (2 of 3)." in drawn.alt


@pytest.mark.parametrize("hidden", [0, 2])
def test_paths_to_the_faces(unsaved, hidden):
    s = np.array([1.0, 0.4, -0.6])
    drawn = unsaved(simplex).draw_faces(s, hidden)
    [ax] = drawn.axes
    kept = np.arange(3) != hidden
    masked = np.exp(s) * kept / (np.exp(s) * kept).sum()
    known = {"softmax": weights(s), "sparsemax": np.array([0.8, 0.2, 0]), f"key {hidden + 1} masked": masked}
    for path, (name, at_one) in zip(ax.lines[::2], known.items(), strict=True):
        np.testing.assert_allclose(curve(ax, name), [at_one @ CORNERS], atol=1e-12)
        system = np.vstack([CORNERS.T, np.ones(3)])
        a = np.linalg.solve(system, np.column_stack([path.get_xydata(), np.ones(240)]).T).T
        T = np.geomspace(0.02, 60, 240)
        if name == "softmax":
            np.testing.assert_allclose(a, weights(s / T[:, None]), atol=1e-9)
        elif name == "sparsemax":
            np.testing.assert_allclose(a[0], [1, 0, 0], atol=1e-9)
            np.testing.assert_allclose(a[-1], 1 / 3 + (s - s.mean()) / 60, atol=1e-9)
        else:
            np.testing.assert_allclose(a[:, hidden], 0, atol=1e-9)
            np.testing.assert_allclose(a[0], np.eye(3)[np.argmax(s * kept)], atol=1e-3)
        assert f"{name} ({', '.join(f'{x:.2f}' for x in at_one)})" in drawn.alt
    assert f"edge opposite key {hidden + 1}." in drawn.alt


def test_collapse_is_drawn_layer_by_layer_with_its_median(unsaved):
    curves = {"alone": np.array([[1, 1e-2, 1e-4], [2, 1e-3, 1e-6], [3, 5e-3, 1e-5]]), "residual": np.ones((3, 3))}
    drawn = unsaved(simplex).draw_collapse(curves)
    [ax] = drawn.axes
    np.testing.assert_array_equal([line.get_xydata()[:, 1] for line in ax.lines[:3]], curves["alone"])
    np.testing.assert_array_equal(curve(ax, "alone"), [[0, 2], [1, 5e-3], [2, 1e-5]])
    np.testing.assert_array_equal(curve(ax, "residual"), [[0, 1], [1, 1], [2, 1]])
    assert "over 2 layers, 3 seeds each" in drawn.alt
    assert "alone 1.0e-05, residual 1.0e+00." in drawn.alt
    assert hue(ax.lines[0].get_color()) == hue(ax.lines[3].get_color())


def test_the_two_curves_of_two_keys_are_a_sigmoid_and_a_ramp(unsaved):
    drawn = unsaved(simplex).draw_two_keys()
    for name, law in {
        "softmax": lambda x: 1 / (1 + np.exp(-x)),
        "sparsemax": lambda x: np.clip((1 + x) / 2, 0, 1),
    }.items():
        x, weight = curve(drawn.axes[0], name).T
        np.testing.assert_allclose(weight, law(x), atol=1e-12)
        assert (x.min(), x.max()) == (-3, 3)
    assert "from 0.05 to 0.95" in drawn.alt


def test_the_picture_of_a_smoother_has_the_data_the_curves_and_the_band(unsaved):
    x, y, at = np.array([0.0, 1.0, 2.0]), np.array([1.0, -2.0, 4.0]), np.linspace(0, 2, 5)
    fits = {"T = 1": at**2 / 4, "T = 2": 1 - at}
    drawn = unsaved(simplex).draw_smoother(x, y, at, fits, truth=at / 2)
    [ax] = drawn.axes
    for name, fitted in (fits | {"truth": at / 2}).items():
        np.testing.assert_array_equal(curve(ax, name), np.stack([at, fitted], axis=1))
    np.testing.assert_array_equal(curve(ax, "data"), np.stack([x, y], axis=1))
    [band] = ax.patches
    assert (band.get_y(), band.get_y() + band.get_height()) == (-2, 4)
    assert "3 data between -2.00 and 4.00" in drawn.alt
    assert "T = 2 from -1.00 to 1.00" in drawn.alt
