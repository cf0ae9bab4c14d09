"""The drawings of permutations that are not matrices, against arrows and lines written out here."""

import numpy as np
from attnbook.figures import permuting
from attnbook.figures.permuting import ROW_COLORS
from drawn import corners, curve, hue, words


def test_two_routes_from_one_list(unsaved):
    gather, scatter = unsaved(permuting).draw_routes([2, 0, 1]).axes
    # gather: position 0 takes old row 2 (c), 1 takes 0 (a), 2 takes 1 (b); scatter: 0 goes to 2, 1 to 0, 2 to 1.
    for ax, arrows, result in ((gather, {(2, 0), (0, 1), (1, 2)}, "cab"), (scatter, {(0, 2), (1, 0), (2, 1)}, "bca")):
        found = [note for note in ax.texts if getattr(note, "arrowprops", None)]
        assert {(round(-note.xyann[1]), round(-note.xy[1])) for note in found} == arrows
        assert all(note.arrowprops["color"] == ROW_COLORS[round(-note.xyann[1])] for note in found)
        assert [words(ax)[0.05, -i] for i in range(3)] == ["0: a", "1: b", "2: c"]
        assert [words(ax)[0.97, -i] for i in range(3)] == [f"{i}: {letter}" for i, letter in enumerate(result)]
    assert words(gather)[-0.1, 0.55] == "gather: i takes perm[i]"


def test_errors_of_orthogonal_matrices_and_the_names_of_their_zeros(unsaved):
    angles = np.array([0, 90, 180, 270, 360])
    drawn = unsaved(permuting).draw_orthogonal(angles, [0, 0.75, 0, 0.75, 0], [0.5, 0, 0.9, 0, 0.5])
    [ax] = drawn.axes
    np.testing.assert_array_equal(curve(ax, "rotations"), np.stack([angles, [0, 0.75, 0, 0.75, 0]], axis=1))
    np.testing.assert_array_equal(curve(ax, "reflections"), np.stack([angles, [0.5, 0, 0.9, 0, 0.5]], axis=1))
    names = {note.get_text(): note.xy[0] * np.pi / 180 for note in ax.texts if note.get_text() != "I"}
    swap = np.array([[0, 1], [1, 0]])
    for name, M in (("swap", swap), ("−swap", -swap)):
        c, s = np.cos(names[name]), np.sin(names[name])
        np.testing.assert_allclose([[c, s], [s, -c]], M, atol=1e-12)  # the reflection of this angle
    np.testing.assert_allclose(np.cos(names["−I"]), -1)
    assert "the error reaches 0.90." in drawn.alt


def test_terms_of_a_doubly_stochastic_matrix_are_its_permutation_matrices(unsaved):
    terms = [(0.5, [1, 2, 0]), (0.3, [0, 1, 2]), (0.2, [2, 1, 0])]
    D = sum(theta * np.eye(3)[perm] for theta, perm in terms)
    drawn = unsaved(permuting).draw_birkhoff(D, terms)
    [ax] = drawn.axes
    named = words(ax)
    for i, j in np.ndindex(3, 3):
        assert named[j, i] == f"{D[i, j]:.2f}"
    for (left, top), (_, perm) in zip(((4.4, 0), (8.8, 0), (0, 4.4)), terms, strict=True):
        ones = {(i, j) for i, j in np.ndindex(3, 3) if named.get((round(left + j, 2), round(top + i, 2))) == "1"}
        assert ones == set(enumerate(perm))
    titles = [text.get_text() for text in ax.texts if "×" in text.get_text()]
    assert titles == ["= 0.50 ×", "+ 0.30 ×", "+ 0.20 ×"]
    assert "3 permutation matrices: 0.50 times [1, 2, 0]; 0.30 times [0, 1, 2]; 0.20 times [2, 1, 0]." in drawn.alt
    assert {hue(patch.get_facecolor()) for patch in ax.patches if len(corners(patch)) == 9} <= {"blue", "grey"}


def test_the_line_of_a_balance_ends_at_the_last_error(unsaved):
    errors = np.array([0.7, 0.04, 0.002, 0.0005])
    drawn = unsaved(permuting).draw_balance(errors, 0.1)
    [ax] = drawn.axes
    np.testing.assert_array_equal(curve(ax, "measured"), np.stack([[1, 2, 3, 4], errors], axis=1))
    np.testing.assert_allclose(curve(ax, "slope σ₂² = 0.100")[:, 1], [0.5, 0.05, 0.005, 0.0005])
    assert "falls from 0.7 after one round to 5.0e-04 after 4 rounds" in drawn.alt
