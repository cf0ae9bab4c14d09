"""What all drawings share: coordinates in points, bars counted from one, descriptions in their order, four figures."""

import numpy as np
from attnbook.figures import bars, figure, table
from attnbook.figures.style import Picture, beside, canvas
from drawn import ticks


def test_a_canvas_counts_points_from_its_upper_left_corner():
    fig, ax = canvas(144, 72)
    left, top = ax.transData.transform((0, 0)) / fig.dpi * 72
    right, bottom = ax.transData.transform((144, 72)) / fig.dpi * 72
    np.testing.assert_allclose([left, right, top, bottom], [0, 144, 72, 0], atol=1e-9)


def test_bars_are_counted_from_one():
    _, ax = figure()
    bars(ax, [0.25, 0.5, 0.125])
    assert ticks(ax.xaxis) == {0: "1", 1: "2", 2: "3"}
    assert [(note.xy, note.get_text()) for note in ax.texts] == [
        ((0, 0.25), "0.250"),
        ((1, 0.5), "0.500"),
        ((2, 0.125), "0.125"),
    ]


def test_pictures_beside_each_other_are_described_in_their_order():
    joined = beside(Picture("<svg>1</svg>", "First."), Picture("<svg>2</svg>", "Second."))
    assert joined == Picture('<div class="beside"><svg>1</svg><svg>2</svg></div>', "First. Second.")


def test_a_table_has_four_figures_and_its_columns_in_order():
    drawn = table({"n": [1, 2], "value": [np.pi, 1 / 3000], "name": ["a", "<b>"]})
    assert drawn == [["1", "3.142", "a"], ["2", "0.0003333", "<b>"]]
    assert drawn.header == ["n", "value", "name"]
    assert '<tr><th scope="row">2</th><td>0.0003333</td><td>&lt;b&gt;</td></tr>' in drawn._repr_html_()
