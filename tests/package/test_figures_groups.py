"""The drawings of groups against permutation matrices and hand-made lists."""

import itertools

import numpy as np
import pytest
from attnbook.figures import groups
from drawn import corners, hue, words

RAGGED = np.array([[1, 0, 0, 1], [1, 1, 0, 0], [0, 0, 1, 0], [0, 1, 1, 1]], dtype=bool)
PAIRS = np.kron(np.eye(2), np.ones((2, 2))).astype(bool)


def moved(M, perm):
    P = np.eye(len(perm))[list(perm)]
    return P @ M @ P.T == 1


def cells(patch, left, top, size):
    """The set of (row, column) of the squares of a patch."""
    return {tuple(at) for at in ((corners(patch) - [left, top]) / size).astype(int)[:, ::-1].tolist()}


@pytest.mark.parametrize("M", [RAGGED, PAIRS, np.tri(4) > 0], ids=["ragged", "pairs", "causal"])
@pytest.mark.parametrize("perm", [[2, 0, 3, 1], [1, 0, 2, 3]])
def test_a_mask_its_rows_its_changes_and_its_orbit(unsaved, M, perm):
    drawn = unsaved(groups).draw_stabiliser(M, perm)
    [ax] = drawn.axes
    for patch, grid, left in zip(ax.patches, (M, moved(M, perm)), (18, 172), strict=True):
        assert cells(patch, left, 26, 20) == set(map(tuple, np.argwhere(grid).tolist()))
    named = words(ax)
    assert [named[13, 40 + 20 * i] for i in range(4)] == ["0", "1", "2", "3"]
    assert [named[167, 40 + 20 * i] for i in range(4)] == [str(old) for old in perm]
    frames = {tuple(((line.get_xydata()[0] - [176, 30]) / 20).astype(int)[::-1].tolist()) for line in ax.lines[2:]}
    changed = np.argwhere(moved(M, perm) != M).tolist()
    assert frames == set(map(tuple, changed))
    assert {hue(line.get_color()) for line in ax.lines[2:]} <= {"orange"}
    orbit = [moved(M, order) for order in itertools.permutations(range(4))]
    kept, masks = sum((N == M).all() for N in orbit), len({N.tobytes() for N in orbit})
    assert kept * masks == 24
    assert f"Of 24 orders, leaving M as it is: {kept}." in named.values()
    assert f"Different masks: 24 / {kept} = {masks}." in named.values()
    verdict = f"{len(changed)} entries have changed." if changed else "The mask has not changed."
    assert verdict in named.values()
    assert drawn.alt.startswith(f"A mask of {M.sum()} visible pairs")
    assert f"in the order {' '.join(map(str, perm))}. {verdict} Of 24 orders, leaving it as it is: {kept};" in drawn.alt


def test_a_group_is_below_all_groups_around_it_and_hangs_from_the_smallest(unsaved):
    i, j = np.indices((4, 4))
    masks = {"all": i == i, "pairs": i // 2 == j // 2, "half": j < 2, "ring": (i - j) % 4 <= 1, "causal": j <= i}
    # Name: size, level, and what it hangs from; the levels are 0: all, 1: pairs and ring, 2: half, 3: causal.
    known = {
        "all": (24, 0, 160, []), "pairs": (8, 1, 80, ["all"]), "ring": (4, 1, 240, ["all"]),
        "half": (4, 2, 160, ["pairs"]), "causal": (1, 3, 160, ["half", "ring"]),
    }  # fmt: skip
    [ax] = unsaved(groups).draw_hierarchy(masks).axes
    named, lines = words(ax), []
    for patch, (name, (size, level, x, around)) in zip(ax.patches, known.items(), strict=True):
        top = 96 * level + 2
        assert (named[x + 4, top + 24], named[x, top + 50]) == (str(size), name)
        assert cells(patch, x - 39, top, 6) == set(map(tuple, np.argwhere(masks[name]).tolist()))
        lines += [[[known[outer][2], 96 * known[outer][1] + 58], [x, top - 3]] for outer in around]
    assert sorted(line.get_xydata().tolist() for line in ax.lines) == sorted(lines)
    small = {text.get_text(): hue(text.get_color()) for text in ax.texts if text.get_text().isdigit()}
    assert small == {"24": "blue", "8": "blue", "4": "blue", "1": "orange"}


def test_a_verdict_has_its_letter_colour_frame_row_and_column(unsaved):
    table = {
        "map": ["equivariant", "invariant", "both"],
        "pool": ["–", "neither", "equivariant"],
    }
    drawn = unsaved(groups).draw_ledger(table, ["tokens", "shift", "swap"])
    [ax] = drawn.axes
    named = words(ax)
    assert [named[150 + 54 * (c + 0.5), 14] for c in range(3)] == ["tokens", "shift", "swap"]
    assert [named[144, 22 + 19 * r + 13] for r in range(2)] == ["map", "pool"]
    assert [[named[150 + 54 * c + 26, 22 + 19 * r + 13] for c in range(3)] for r in range(2)] == [
        ["E", "I", "E I"], ["–", "N", "E"]
    ]  # fmt: skip
    faces = {patch.get_xy(): hue(patch.get_facecolor()) for patch in ax.patches if patch.get_fill()}
    expected = {(150, 22): "blue", (204, 22): "green", (258, 22): "green", (204, 41): "orange", (258, 41): "blue"}
    assert faces == expected
    [frame] = [patch for patch in ax.patches if not patch.get_fill()]
    assert (frame.get_xy(), hue(frame.get_edgecolor())) == ((204, 41), "orange")
    assert "map: equivariant, invariant, both; pool: –, neither, equivariant." in drawn.alt
