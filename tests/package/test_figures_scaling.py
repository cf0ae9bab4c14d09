"""The drawings of scaled scores against densities and sums written out here."""

import numpy as np
from attnbook.figures import scaling
from drawn import curve
from scipy import special


def test_densities_are_those_of_scores_over_the_root(unsaved):
    [ax] = unsaved(scaling).draw_densities([2, 64]).axes
    s, density = curve(ax, "dₖ = 2").T
    np.testing.assert_allclose(density, np.exp(-np.sqrt(2) * abs(s)) / np.sqrt(2), rtol=1e-6)  # Laplace's, variance 1
    s, density = curve(ax, "dₖ = 64").T
    # A product's law is a mixture of normal laws: Bessel's function of order 31.5, over √64.
    x = 8 * abs(s)
    exact = 8 * (x / 2) ** 31.5 * special.kv(31.5, x) / (np.sqrt(np.pi) * special.gamma(32))
    np.testing.assert_allclose(density, exact, rtol=1e-5)
    s, normal = curve(ax, "normal").T
    np.testing.assert_allclose(normal, np.exp(-s * s / 2) / np.sqrt(2 * np.pi))


def test_learning_averages_five_steps_and_tells_the_last(unsaved):
    runs = {"no scale": np.arange(30.0).reshape(3, 10), "1/√dₖ": np.arange(30.0)[::-1].reshape(3, 10)}
    drawn = unsaved(scaling).draw_learning(runs)
    [ax] = drawn.axes
    np.testing.assert_allclose(
        [line.get_xydata() for line in ax.lines[:3]], [[[2, 10 * i + 2], [7, 10 * i + 7]] for i in range(3)]
    )
    np.testing.assert_allclose(curve(ax, "no scale"), [[2, 12], [7, 17]])
    np.testing.assert_allclose(curve(ax, "1/√dₖ"), [[2, 17], [7, 12]])
    assert "3 seeds for each scale. Median loss at the end: no scale 17.000, 1/√dₖ 12.000." in drawn.alt


def test_gradients_have_their_means_and_medians_without_and_with_the_scale(unsaved):
    raw, scaled = 10.0 ** -np.arange(18).reshape(3, 2, 3), 0.1 * (1 + np.arange(18.0).reshape(3, 2, 3))
    drawn = unsaved(scaling).draw_gradients([4, 16, 64], raw, scaled)
    for i, ax in enumerate(drawn.axes):
        for norms, name in ((raw, "no scale"), (scaled, "1/√dₖ")):
            for take, how in ((np.mean, "mean"), (np.median, "median")):
                expected = np.stack([[4, 16, 64], take(norms[:, i], axis=1)], axis=1)
                np.testing.assert_allclose(curve(ax, f"{name}, {how}"), expected)
    assert [ax.get_title() for ax in drawn.axes] == ["‖J‖", "‖∂L/∂q‖"]
    ends = [f"the mean {raw[2, i].mean():.2g}, the median {np.median(raw[2, i]):.1e}" for i in (0, 1)]
    assert f"the norm of the Jacobian has {ends[0]}; the gradient at the query has {ends[1]}." in drawn.alt
