"""The drawings of recurrences against products of matrices and numbers written out here."""

import numpy as np
import pytest
from attnbook.figures import recurrence
from attnbook.recurrent import random_recurrence
from drawn import curve, hue, ticks


def arrows(ax):
    return [(note.xyann, note.xy) for note in ax.texts if getattr(note, "arrowprops", None)]


def test_a_chain_and_direct_arrows(unsaved):
    drawn = unsaved(recurrence).draw_routes(5)
    chain, direct = drawn.axes
    assert sorted(arrows(chain)) == [((t, 0), (t - 1, 0)) for t in range(2, 6)]
    assert sorted(arrows(direct)) == [((5, 1), (t, 0)) for t in range(1, 6)]
    assert [text.get_text() for text in chain.texts if text.get_text()] == ["h₁", "h₂", "h₃", "h₄", "h₅"]
    assert chain.get_title() == "recurrent network: 4 steps from h₅ to h₁"


def test_signs_and_gates_of_a_cell_are_on_their_paths(unsaved):
    [ax] = unsaved(recurrence).draw_cell().axes
    at = {}
    for text in ax.texts:
        at.setdefault(text.get_text(), []).append(text.get_position())
    assert at["+"] == [
        (5.1, 5)
    ]  # on the cell path; the forget gate multiplies there, the input gate below, o after tanh
    assert at["×"] == [(2.3, 5), (5.1, 3.5), (7.9, 2.3)]
    below = {name: round(at[f"{name}ₜ"][0][0] - 0.12, 2) for name in "figo"}
    kinds = {x: kind for kind in ("σ", "tanh") for x, y in at[kind] if y == 1.35}
    assert {name: kinds[x] for name, x in below.items()} == {"f": "σ", "i": "σ", "g": "tanh", "o": "σ"}
    assert below["f"] == at["×"][0][0]


def test_norms_are_drawn_with_their_own_predictions(unsaved):
    k = np.arange(10)
    linear = {0.5: (0.9 * 0.5**k, 0.5**k), 1.1: (1.2 * 1.1**k, 1.1**k)}
    cells = {"1": (0.8**k, 0.7**k), "3": (0.97**k, 0.95**k)}
    drawn = unsaved(recurrence).draw_gradients(linear, cells)
    for ax, curves, name in zip(drawn.axes, (linear, cells), ("ρ", "bias"), strict=True):
        for i, (value, (measured, other)) in enumerate(curves.items()):
            np.testing.assert_allclose(curve(ax, f"{name} {value}"), np.stack([k, np.log10(measured)], axis=1)[::3])
            np.testing.assert_allclose(ax.lines[2 * i].get_xydata(), np.stack([k, np.log10(other)], axis=1)[::3])
            assert hue(ax.lines[2 * i].get_color()) == hue(ax.lines[2 * i + 1].get_color())
    assert f"after 9 steps. ρ 0.5: {0.9 * 0.5**9:.1e}; ρ 1.1: {1.2 * 1.1**9:.1e}; bias 1: {0.8**9:.1e}" in drawn.alt


@pytest.mark.parametrize(("radius", "n"), [(0.9, 30), (1.1, 12)])
def test_what_is_left_of_a_gradient_step_by_step(unsaved, radius, n):
    drawn = unsaved(recurrence).draw_decay(radius, n)
    [ax] = drawn.axes
    rng = np.random.default_rng(2)
    W, W_x = random_recurrence(rng, 32, radius), rng.normal(size=(32, 8)) / 8**0.5
    x, h, states = rng.normal(size=(100, 8)), np.zeros(32), []
    for row in x:
        h = np.tanh(W_x @ row + W @ h)
        states.append(h)
    linear, bent, plain, curved = [1.0], [1.0], np.eye(32), np.eye(32)
    for h in states[:0:-1]:
        plain, curved = plain @ W, curved @ (np.diag(1 - h**2) @ W)
        linear.append(np.linalg.norm(plain, 2))
        bent.append(np.linalg.norm(curved, 2))
    for label, norms in (("linear recurrence", linear), ("tanh network with inputs", bent)):
        k, drawn_norms = curve(ax, label).T
        assert (k[0], k[-1]) == (0, n - 1)
        np.testing.assert_allclose(drawn_norms, np.log10(norms)[k.astype(int)], atol=1e-9)
    np.testing.assert_allclose(curve(ax, "ρᵏ"), [[0, 0], [n - 1, (n - 1) * np.log10(radius)]], atol=1e-12)
    ends = [recurrence._figure(norms[n - 1]) for norms in (linear, bent)]
    assert ax.get_title() == f"token 1 of {n}: linear {ends[0]}, tanh {ends[1]}"
    assert f"the factor {ends[0]} back to the first token, the tanh network {ends[1]}." in drawn.alt


@pytest.mark.parametrize(("number", "text"), [(0.37, "0.37"), (12, "12"), (1.6e-5, "1.6·10⁻⁵"), (2500, "2.5·10³")])
def test_numbers_of_all_sizes_are_written_out(number, text):
    assert recurrence._figure(number) == text


def test_memory_is_summed_over_all_lags(unsaved):
    curves = {"ρ = 0.9": np.array([1.0, 0.8, 0.3]), "ρ = 0.5": np.array([0.9, 0.1, 0.0])}
    drawn = unsaved(recurrence).draw_memory(curves)
    for name, R2 in curves.items():
        np.testing.assert_array_equal(curve(drawn.axes[0], name), np.stack([range(3), R2], axis=1))
    assert "ρ = 0.9: 2.1; ρ = 0.5: 1.0." in drawn.alt


def test_accuracy_has_every_run_their_median_and_chance(unsaved):
    accuracy = {
        "RNN": np.array([[1, 0.9], [0.8, 0.5], [0.9, 0.2]]),
        "attention": np.array([[1, 1], [1, 0.7], [0.6, 0.9]]),
    }
    drawn = unsaved(recurrence).draw_accuracy([2, 8], accuracy, 0.125, "length")
    [ax] = drawn.axes
    middles = {"RNN": [0.9, 0.5], "attention": [1, 0.9]}
    for i, (name, runs) in enumerate(accuracy.items()):
        np.testing.assert_array_equal([line.get_ydata() for line in ax.lines[4 * i : 4 * i + 3]], runs)
        np.testing.assert_array_equal(curve(ax, name), np.stack([[2, 8], middles[name]], axis=1))
    assert list(ax.lines[-1].get_ydata()) == [0.125, 0.125]
    assert "RNN 0.90 at 2 and 0.50 at 8; attention 1.00 at 2 and 0.90 at 8. Chance is 0.125." in drawn.alt


def test_blocks_are_laid_out_like_their_matrix(unsaved, monkeypatch):
    maps = []
    unsaved(recurrence)
    recurrence.draw_blocks({"RNN": np.tri(3)})  # what is joined needs the pictures
    monkeypatch.setattr(recurrence, "picture", lambda fig, alt: maps.append((fig, alt)) or recurrence.Picture("", alt))
    M = np.array([[1.0, 0, 0], [0.5, 1, 0], [0.25, 0.125, 1]])
    alt = recurrence.draw_blocks({"RNN": M, "half": M / 2}).alt
    for (fig, _), blocks, name in zip(maps, (M, M / 2), ("RNN", "half"), strict=True):
        [ax] = fig.axes
        np.testing.assert_allclose([patch.get_facecolor()[3] for patch in ax.patches], 0.6 * M.ravel())
        assert (ax.get_title(), ax.get_xlabel(), ax.get_ylabel()) == (name, "input j", "output i")
        assert f"{name}: 67% of the blocks are not zero, the corner is {blocks[2, 0]:.3f}" in alt


def test_paths_are_drawn_at_the_powers_of_two(unsaved):
    drawn = unsaved(recurrence).draw_paths([4, 16, 64], {"RNN": [3, 15, 63], "attention": [1, 1, 1]})
    [ax] = drawn.axes
    np.testing.assert_allclose(curve(ax, "RNN"), np.log2([[4, 3], [16, 15], [64, 63]]))
    np.testing.assert_allclose(curve(ax, "attention"), np.log2([[4, 1], [16, 1], [64, 1]]))
    assert ticks(ax.xaxis) == {2: "4", 4: "16", 6: "64"}
    assert ticks(ax.yaxis) == {0: "1", 2: "4", 4: "16", 6: "64", 8: "256", 10: "1024"}
    assert "one end of 64 tokens to the other, measured: RNN 63; attention 1." in drawn.alt


def test_rates_have_every_run_and_their_median(unsaved):
    runs = {"RNN": np.array([[0.2, 0.4, 0.9], [0.5, 0.7, 0.6]]), "LSTM": np.array([[0.4, 0.8, 1.0], [0.3, 0.2, 0.1]])}
    drawn = unsaved(recurrence).draw_rates([0.1, 1], runs, "7 steps back")
    [ax] = drawn.axes
    for name, middle in (("RNN", [0.4, 0.6]), ("LSTM", [0.8, 0.2])):
        np.testing.assert_array_equal(curve(ax, name)[:, 1], middle)
    assert ticks(ax.xaxis) == {0: "0.1", 1: "1"}
    assert "RNN 0.60; LSTM 0.80." in drawn.alt
