"""Pictures as SVG that can stand in any page: same bytes, colours of the page, no clash of ids, a description."""

import itertools
import os
import re
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from attnbook.figures import PALETTE, Picture, bars, figure, heatmap, picture, scaling
from lxml import etree
from scipy import special

SVG = "{http://www.w3.org/2000/svg}"
ALT = 'A matrix with "signs" & <numbers>, and beside it three bars under a line.'


def sample(shift=0.0, alt=ALT):
    """One figure that uses everything: hatches, clips, markers, a legend, text with markup."""
    fig, (left, right) = figure(1, 2)
    heatmap(left, [[1 + shift, -2, 0.5], [0, 3, -1]], rows=["q₁", "q₂"], columns=["k₁", "k₂", "k₃"])
    bars(right, [0.1, 0.2, 0.7], ["a", "b", "<c>"], color="orange")
    right.plot([0, 1, 2], [0.2, 0.3, 0.4], "o--", color="black", label="α & β")
    right.legend()
    fig.legend(*right.get_legend_handles_labels(), loc="outside upper right")
    return picture(fig, alt)


NORMS = np.random.default_rng(0).uniform(0.01, 1, size=(2, 3, 2, 7))  # without and with scale, d_k, J and q, rows
PICTURES = {
    "sample": sample,
    "densities": lambda: scaling.draw_densities([1, 4, 64]),
    "gradients": lambda: scaling.draw_gradients([1, 4, 16], *NORMS),
    "two layers": lambda: scaling.draw_two_layers({4: np.full((3, 5), 0.2), 512: np.eye(3, 5)}),
    "learning": lambda: scaling.draw_learning({"no scale": np.ones((2, 10)), "1/√dₖ": np.full((2, 10), 0.5)}),
}
for d_k, scale in itertools.product((1, 64), scaling.SCALES):
    PICTURES[f"{scale} d_k={d_k}"] = partial(scaling.draw_scaling, d_k, scale)


@pytest.fixture(scope="module", params=PICTURES)
def drawn(request):
    return PICTURES[request.param]()


def texts(svg):
    return ["".join(element.itertext()) for element in etree.fromstring(svg).iter(f"{SVG}text")]


def ids(svg):
    return re.findall(r'\bid="([^"]*)"', svg)


def every_svg():
    return "\n".join(draw().svg for draw in PICTURES.values())


def test_pictures_have_the_same_bytes_again_and_in_another_process():
    script = "import sys, test_figures; sys.stdout.buffer.write(test_figures.every_svg().encode())"
    here, environment = os.path.dirname(__file__), os.environ | {"PYTHONHASHSEED": "4242"}
    there = subprocess.run([sys.executable, "-c", script], cwd=here, env=environment, capture_output=True, check=True)
    assert every_svg() == every_svg() == there.stdout.decode()


def test_a_picture_is_well_formed_and_described(drawn):
    root = etree.fromstring(drawn.svg)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    assert root.get("aria-label") == drawn.alt
    assert len(drawn.alt) >= 60
    assert root.get("viewBox")
    assert not {"width", "height"} & set(root.attrib)  # the page decides
    assert not list(root.iter(f"{SVG}metadata"))
    assert drawn._repr_html_() == f'<div class="picture">{drawn.svg}</div>'


def test_lines_and_text_take_the_colour_of_the_page(drawn):
    root = etree.fromstring(drawn.svg)
    assert root.get("fill") == "currentColor"
    assert not re.search(r"#000\b|#000000|\bblack\b|rgb\(0, ?0, ?0\)", drawn.svg)
    assert "fill: #ffffff; opacity" not in drawn.svg, "the frame of a legend is a light patch on a dark page"
    assert "currentColor" in drawn.svg.replace('fill="currentColor"', "")
    for name, colour in PALETTE.items():
        assert drawn.svg.count(colour) == drawn.svg.count(f"var(--figure-{name}, {colour})")
    assert "DejaVu" not in drawn.svg


def test_references_resolve_and_no_id_is_there_twice(drawn):
    references = re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', drawn.svg)
    assert references
    assert {a or b for a, b in references} <= set(ids(drawn.svg))
    assert len(ids(drawn.svg)) == len(set(ids(drawn.svg)))


def test_two_pictures_share_no_id():
    same = sample(alt="The same drawing, described in other words.")
    pages = [sample(), sample(0.5), same, *(scaling.draw_scaling(d) for d in (1, 2, 64))]
    everywhere = [name for drawn in pages for name in ids(drawn.svg)]
    assert len(everywhere) == len(set(everywhere)) > 0


def test_text_stays_text():
    words = texts(sample().svg)
    for word in ("q₁", "k₃", "a", "<c>", "α & β", "0.700", "−2.00"):
        assert word in words


@pytest.mark.parametrize("alt", ["", "figure 1", "A heat map.", "   a short name         "])
def test_a_name_is_no_description(alt):
    fig, _ = figure()
    with pytest.raises(ValueError, match=re.escape(f"alt = {alt!r}; expected a sentence")):
        picture(fig, alt)


@pytest.mark.parametrize("shape", [(1, 1), (2, 5), (8, 8), (9, 8), (8, 9), (1, 9), (20, 20)])
def test_small_heatmaps_have_numbers(shape):
    M = np.arange(1.0, shape[0] * shape[1] + 1).reshape(shape) / 10
    fig, ax = figure()
    heatmap(ax, M, digits=1)
    numbers = texts(picture(fig, ALT).svg)
    assert numbers == ([f"{x:.1f}" for x in M.ravel()] if max(shape) <= 8 else [])


def test_a_heatmap_is_laid_out_like_its_matrix():
    _, ax = figure()
    M = np.array([[1, -2, 0.25], [4, 0, -4]])
    heatmap(ax, M, rows=["r0", "r1"], columns=["c0", "c1", "c2"])
    at = {text.get_text(): text.get_position() for text in ax.texts}
    assert at["−2.00"] == (1, 0)
    assert at["4.00"] == (0, 1)
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first row is on top
    assert [label.get_text() for label in ax.get_xticklabels()] == ["c0", "c1", "c2"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["r0", "r1"]
    for patch, (i, j), x in zip(ax.patches, np.ndindex(M.shape), M.ravel(), strict=True):
        assert patch.get_xy() == (j - 0.5, i - 0.5)  # the sign is seen without colour, the size as strength
        assert bool(patch.get_hatch()) == (x < 0)
        assert patch.get_facecolor()[3] == pytest.approx(0.6 * abs(x) / 4)
        assert patch.get_facecolor()[0] > 0.5 if x < 0 else patch.get_facecolor()[0] < 0.1
    _, ax = figure()
    heatmap(ax, M, limit=2)
    assert max(patch.get_facecolor()[3] for patch in ax.patches) == 0.6
    heatmap(figure()[1], np.zeros((2, 2)))  # nothing to scale by


def test_bars_stand_at_their_values_with_numbers_when_few():
    fig, ax = figure()
    bars(ax, [0.25, 0.75])
    assert [patch.get_height() for patch in ax.patches] == [0.25, 0.75]
    assert {"0.250", "0.750", "1", "2"} <= set(texts(picture(fig, ALT).svg))
    fig, ax = figure()
    bars(ax, np.full(9, 0.125))
    assert "0.125" not in texts(picture(fig, ALT).svg)


@pytest.mark.parametrize(("d_k", "scale"), [(2, "no scale"), (16, "no scale"), (16, "1/√dₖ"), (512, "1/√dₖ"), (2, 3.0)])
def test_the_drawn_density_has_area_one(d_k, scale, monkeypatch):
    monkeypatch.setattr(scaling, "picture", lambda fig, alt: fig)
    [area] = scaling.draw_scaling(d_k, scale).axes[0].collections
    x, y = area.get_paths()[0].vertices.T
    assert abs(x @ np.roll(y, 1) - y @ np.roll(x, 1)) / 2 == pytest.approx(1, abs=0.05)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("d_k", [1, 2, 64, 1024])
@pytest.mark.parametrize("scale", [*scaling.SCALES, 0.3])
def test_the_picture_of_scaling_says_what_is_true(d_k, scale):
    factor = {"no scale": 1, "1/√dₖ": d_k**-0.5, "1/dₖ": 1 / d_k}.get(scale, scale)
    a = special.softmax(scaling.ROW * factor * d_k**0.5)
    norm, keys = np.linalg.norm(np.diag(a) - np.outer(a, a)), np.exp(special.entr(a).sum())
    drawn = scaling.draw_scaling(d_k, scale)
    assert isinstance(drawn, Picture)
    spread = f"deviation {factor * d_k**0.5:.3g}"
    for figures in (spread, f"weight {a[-1]:.3f}", f"{keys:.1f} keys", f"norm {norm:.3f}"):
        assert figures in drawn.alt
    assert [f"{x:.2f}" for x in a] == [word for word in texts(drawn.svg) if re.fullmatch(r"\d\.\d\d", word)]


def test_the_picture_of_gradients_shows_means_and_medians(monkeypatch):
    monkeypatch.setattr(scaling, "picture", lambda fig, alt: fig)
    above, below = scaling.draw_gradients([1, 4, 16], *NORMS).axes
    for i, ax in enumerate((above, below)):
        for lines, norms in ((ax.lines[:2], NORMS[0][:, i]), (ax.lines[2:], NORMS[1][:, i])):
            np.testing.assert_allclose(lines[0].get_ydata(), norms.mean(axis=1))
            np.testing.assert_allclose(lines[1].get_ydata(), np.sort(norms, axis=1)[:, 3])
            assert [line.get_label()[-4:] for line in lines] == ["mean", "dian"]
    assert "no scale" in above.lines[0].get_label()


def test_the_picture_of_two_layers_shows_their_weights(monkeypatch):
    monkeypatch.setattr(scaling, "picture", lambda fig, alt: (fig, alt))
    A = {4: np.full((3, 5), 0.2), 512: np.eye(3, 5)}
    fig, alt = scaling.draw_two_layers(A)
    assert "dₖ = 4 at 5.0, and with dₖ = 512 at 1.0 keys" in alt
    for ax, weights in zip(fig.axes, A.values(), strict=True):
        shades = [patch.get_facecolor()[3] for patch in ax.patches]
        np.testing.assert_allclose(shades, 0.6 * weights.ravel())


@pytest.mark.parametrize(
    ("value", "text"), [(-0.04, "0.0"), (-0.06, "−0.1"), (2.25, "2.2"), (0, "0.0"), (-12, "−12.0")]
)
def test_numbers_have_a_true_minus_and_zero_has_none(value, text):
    fig, ax = figure()
    bars(ax, [value], digits=1)
    assert text in texts(picture(fig, ALT).svg)
