"""Drawings that compute what they show, and the style of all: signs, numbers, descriptions. Pages show the rest."""

import itertools
import math
import re

import numpy as np
import pytest
from attnfigures.kit import style
from attnfigures.static import groups, lookup, symmetry, tables
from lxml import etree
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from scipy import special

SVG = "{http://www.w3.org/2000/svg}"
ALT = 'A matrix with "signs" & <numbers>, and beside it three bars under a line.'


@pytest.fixture
def draw(monkeypatch):
    """draw(function, …): the axes of its figure, as saved, and its Picture."""
    figs, save = [], style.picture

    def keep(fig, alt):
        figs.append(fig)
        return save(fig, alt)

    for module in (symmetry, groups, lookup):
        monkeypatch.setattr(module, "picture", keep, raising=False)

    def draw(function, *arguments):
        drawn = function(*arguments)
        return [ax for fig in figs for ax in fig.axes], drawn

    return draw


def texts_of(fig):
    """The texts of a figure that are drawn, with their boxes in pixels."""
    drawn, draw = [], Text.draw

    def keep(text, renderer):
        draw(text, renderer)
        if text.get_text().strip():
            drawn.append((text.get_text(), text.get_window_extent(renderer)))

    canvas = FigureCanvasAgg(fig)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Text, "draw", keep)
        canvas.draw()
    return drawn


# ------------------------------------------------------------------------------- drawings laid out on a canvas


def lines_of_text(ax):
    """All texts of the figure as they are read: lines from top to bottom, each from left to right."""
    lines, last = [], -math.inf
    for word, box in sorted(texts_of(ax.figure), key=lambda entry: -entry[1].y0 - entry[1].y1):
        middle = -(box.y0 + box.y1) / 2
        lines += [[]] if middle > last + 6 else []
        lines[-1].append((box.x0, word))
        last = middle
    return [[word for _, word in sorted(line)] for line in lines]


def squares(patch):
    """The cells of a path of squares as (row, column), counted from its upper left corner."""
    corners = patch.get_path().vertices.reshape(-1, 5, 2)[:, 0]
    at = (corners - corners.min(axis=0)) / np.diff(np.unique(corners[:, 0])).min()
    return {tuple(cell) for cell in at.round().astype(int)[:, ::-1].tolist()}


def number(x, digits=1):
    return f"{round(x, digits) + 0.0:.{digits}f}".replace("-", "−")


@pytest.mark.parametrize("perm", [[0, 1, 2, 3], [1, 2, 0, 3], [3, 0, 1, 2]])
def test_shuffled_words_take_their_rows_and_columns_along(draw, perm):
    [ax], _ = draw(symmetry.draw_shuffled, perm)
    Q, K, V = (M[perm] for M in (symmetry.QUERIES, symmetry.KEYS, symmetry.VALUES))
    S = np.einsum("ic,jc->ij", Q, K) / 2**0.5
    A = special.softmax(S, axis=1)
    Y = np.einsum("ij,jc->ic", A, V)
    order = [symmetry.WORDS[i] for i in perm]
    lines = lines_of_text(ax)
    for i, word in enumerate(order):
        assert [word, *map(number, [*Q[i], *K[i], *V[i]])] in lines
        assert [word, *map(number, S[i]), word, *(number(a, 2) for a in A[i])] in lines
        assert any([word, *map(number, Y[i])] == line[:3] for line in lines)
    assert order + order in lines
    assert any(list(map(number, Y.mean(axis=0))) == line[-2:] for line in lines)


@pytest.mark.parametrize("perm", [[2, 0, 3, 1], [1, 0, 2, 3]])
@pytest.mark.parametrize("M", [np.tri(4) > 0, np.eye(4)[[1, 2, 3, 0]] + np.eye(4) > 0], ids=["causal", "ring"])
def test_a_moved_mask_is_P_M_P_transposed_and_its_orbit_is_counted(draw, M, perm):
    [ax], drawn = draw(groups.draw_stabiliser, M, perm)
    P = np.eye(4)[perm]
    moved = P @ M @ P.T == 1
    for patch, grid in zip(ax.patches, (M, moved), strict=True):
        assert squares(patch) == set(map(tuple, np.argwhere(grid).tolist()))
    orbit = {(M[np.ix_(p, p)]).tobytes() for p in itertools.permutations(range(4))}
    text = " ".join(itertools.chain(*lines_of_text(ax)))
    for where in (text, drawn.alt):
        assert f"{(moved != M).sum()} entries" in where or (moved == M).all()
        assert re.search(rf"\b{24 // len(orbit)}\b.*\b{len(orbit)}\b", where)


def test_blocks_have_a_cell_for_each_number_and_a_dash_for_each_negative_one(draw):
    X, W = np.array([[1.0, -2.0, 0.5], [0.25, 4.0, -1.0]]), np.array([[1.0, -1.0], [0.5, 2.0], [-2.0, 1.0]])
    parts = [("X", X, "blue"), "·", ("W", W, "orange"), "=", ("Q", X @ W, "green")]
    [ax], _ = draw(lookup.draw_shapes, ["cat", "sat"], [parts])
    cells = [patch for patch in ax.patches if patch.get_fill()]
    frames = [patch.get_xy() for patch in ax.patches if not patch.get_fill()]
    dashes = {(round(line.get_ydata()[0] - 0.5, 6), round(line.get_xdata()[0] - 0.3, 6)) for line in ax.lines}
    for M, (left, top) in zip((X, W, X @ W), frames, strict=True):
        for i, j in np.ndindex(M.shape):
            cell = cells.pop(0)
            assert cell.get_xy() == (left + j, top + i)
            assert cell.get_facecolor()[3] == pytest.approx(0.08 + 0.72 * abs(M[i, j]) / abs(M).max())
            assert ((round(top + i, 6), round(left + j, 6)) in dashes) == (M[i, j] < 0)


# -------------------------------------------------------------------------------------------------- the style


def written(fig):
    return ["".join(element.itertext()) for element in etree.fromstring(style.picture(fig, ALT).svg).iter(f"{SVG}text")]


def test_text_stays_text_and_the_description_is_escaped():
    fig, ax = style.figure()
    style.bars(ax, [0.1, 0.7], ["α & β", "<c>"])
    assert {"α & β", "<c>", "0.700"} <= set(written(fig))
    assert etree.fromstring(style.picture(fig, ALT).svg).get("aria-label") == ALT


@pytest.mark.parametrize("shape", [(1, 1), (2, 5), (8, 8), (9, 8), (8, 9), (20, 20)])
def test_a_heat_map_is_laid_out_like_its_matrix_with_numbers_if_it_is_small(shape):
    M = np.random.default_rng(1).normal(size=shape)
    fig, ax = style.figure()
    style.heatmap(ax, M, digits=1)
    assert written(fig) == ([number(x) for x in M.ravel()] if max(shape) <= 8 else [])
    assert ax.get_ylim()[0] > ax.get_ylim()[1], "the first row is on top"
    assert [patch.get_xy() for patch in ax.patches] == [(j - 0.5, i - 0.5) for i, j in np.ndindex(shape)]
    grounds, shares = np.array([patch.get_facecolor()[3] for patch in ax.patches]), np.maximum(M, 0).ravel()
    np.testing.assert_allclose(grounds * shares.max(), shares * grounds.max(), err_msg="no ground below lines")
    assert grounds.max() < 0.4 or max(shape) > 8, "a number is read upon its ground"
    lined = {tuple(np.floor(np.nanmean(line.get_xydata(), axis=0) + 0.5).astype(int)) for line in ax.lines}
    assert lined == {(j, i) for i, j in np.argwhere(M < 0)}, "the sign is seen without colour"


@pytest.mark.parametrize(
    ("value", "text"), [(-0.04, "0.0"), (-0.06, "−0.1"), (2.25, "2.2"), (0, "0.0"), (-12, "−12.0")]
)
def test_numbers_have_a_true_minus_and_zero_has_none(value, text):
    fig, ax = style.figure()
    style.bars(ax, [value], digits=1)
    assert text in written(fig)


def test_a_table_has_four_figures_and_its_columns_in_order():
    drawn = tables.table({"n": [1, 2], "value": [np.pi, 1 / 3000], "name": ["a", "<b>"]})
    assert drawn == [["1", "3.142", "a"], ["2", "0.0003333", "<b>"]]
    assert drawn.header == ["n", "value", "name"]
    assert "<td>&lt;b&gt;</td>" in drawn._repr_html_()
