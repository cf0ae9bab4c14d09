"""Every still of a live figure against its state: what is drawn where, computed here or by the figure's `compute`.

What `compute` returns is held to a second implementation in test_live; here the drawing is held to it.
"""

import importlib

import numpy as np
import pytest
from attnbook.live import (
    ablation,
    clock,
    conjugation,
    crowd,
    decay,
    heads,
    hull,
    inks,
    memory,
    mirror,
    restore,
    shuffle,
    similarity,
    spread,
    springs,
    squeeze,
    stabiliser,
    star,
    strings,
    trace,
    triangle,
    twins,
    walkers,
    windows,
)
from drawn import NAMES, curve, hue, ticks, words
from live_pages import QUESTION
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Wedge

CORNERS = np.array([[0, 0], [1, 0], [0.5, np.sqrt(3) / 2]])
PLANE = np.array([[1.0, 2.0], [-2.0, 0.5], [0.0, -1.5], [2.5, -1.0]])
KEYS = np.array([[1.0, 0.0], [-1.0, 1.0], [0.5, -2.0], [0.0, 2.0]])


@pytest.fixture
def still(unsaved):
    """still(figure): the drawing before it is saved, and what the figure computes."""

    def still(figure):
        unsaved(importlib.import_module(f"attnbook.live.{figure.name}"))
        return figure.still(), figure.compute()

    return still


def arrows(ax):
    return [note for note in ax.texts if getattr(note, "arrowprops", None)]


def dots(ax):
    """The points of the lines that are a single point each."""
    return [line for line in ax.lines if len(line.get_xdata()) == 1]


@pytest.mark.parametrize("scheme", ["rotary", "sinusoidal"])
def test_clock(still, scheme):
    drawn, found = still(clock(7, 12, pairs=3, base=100, scheme=scheme))
    faces, scores = drawn.axes
    hands = [line for line in faces.lines if len(line.get_xdata()) == 2]
    for k in range(3):
        omega = 100 ** (-k / 3)
        assert words(faces)[2.8 * k, -1.2].startswith(f"ω{'₀₁₂'[k]} = {omega:.4g} rad\n")
        for line, t, colour in ((hands[2 * k], 7, "blue"), (hands[2 * k + 1], 12, "orange")):
            tip = np.exp(1j * omega * t) if scheme == "rotary" else 1 + 1j * np.exp(-1j * omega * t)
            (x, y), end = line.get_xydata()
            assert (x, y) == pytest.approx((2.8 * k - (scheme != "rotary"), 0))
            np.testing.assert_allclose(end - [x, y], [tip.real, tip.imag], atol=1e-9)
            assert hue(line.get_color()) == colour
    behind, here, dot = scores.lines
    np.testing.assert_allclose(dot.get_xydata(), [[5, found["score"]]])
    np.testing.assert_allclose(here.get_xydata(), np.stack([np.arange(-7, 53.5, 0.5), found["curve"]], axis=1))
    np.testing.assert_allclose(behind.get_xydata(), np.stack([np.arange(-60, 60.5, 0.5), found["fromZero"]], axis=1))
    assert drawn.alt.endswith(f"{found['score']:.2f} at 5.")
    assert "positions 7 and 12" in drawn.alt


def test_decay(still):
    drawn, _ = still(decay(w=0.8, bias=2.0, score=3.0, models=["rnn", "attention", "lstm"]))
    [ax] = drawn.axes
    forget = 1 / (1 + np.exp(-2))
    known = {"RNN": np.log(0.8), "LSTM": np.log(forget), "attention": 0}
    last = {"RNN": 0.8**100, "LSTM": forget**100, "attention": np.exp(3) / (np.exp(3) + 100)}
    for name, slope in known.items():
        text = f"{name}, slope {slope:.3f}".replace("-", "−")
        k, logarithm = curve(ax, text).T
        start = np.log(last[name]) if name == "attention" else 0
        np.testing.assert_allclose(logarithm, start + slope * k, atol=1e-9)
        assert f"{text}, {last[name]:.2g} left after 100" in drawn.alt


def test_heads(still):
    drawn, found = still(heads([[1.0, 0.5], [0.0, -1.0], [-1.0, 1.0]], [[2.0, 0.0], [-1.0, 1.5]], number=2))
    left, right = drawn.axes
    tips = [tuple(note.xy) for note in arrows(left)]
    assert tips == [(1, 0.5), (0, -1), (-1, 1), (2, 0), (-1, 1.5)]
    named = {text.get_text(): text.get_position() for text in left.texts if text.get_text()}
    assert named["1st word"] == (1.15, 0.575)
    assert named["3rd word"] == (-1.15, 1.15)
    assert (named["q₁"], named["q₂"]) == ((2.1, 0.1), (-0.9, 1.6))
    # The four sentences: values 1 for cat and -1 for dog on the first and the third word.
    for first, third in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        label = f"{'cat' if first > 0 else 'dog'} sees {'cat' if third > 0 else 'dog'}"
        output = found["weights"] @ [first, 0, third]
        np.testing.assert_allclose(curve(right, label), [output])
        [line] = [line for line in right.lines if line.get_label() == label]
        halves = [line.get_markerfacecolor(), line.get_markerfacecoloralt()]
        assert [to_hex(half) if half != "none" else None for half in halves] == [
            "#0072b2" if first > 0 else None, "#d55e00" if third > 0 else None
        ]  # fmt: skip
    for question, cut, sentence in zip(("who sees?", "who is seen?"), found["cuts"], (0, 2), strict=True):
        way = curve(right, question)
        np.testing.assert_allclose(way @ cut, 0, atol=1e-12)  # the line through 0 at a right angle to w
        signs = [
            cut @ found["weights"] @ np.array(values) for values in ([1, 0, 1], [1, 0, -1], [-1, 0, 1], [-1, 0, -1])
        ]
        assert [x > 0 for x in signs] == ([True, True, False, False] if sentence == 0 else [True, False, True, False])
        assert f"a straight cut answers “{question}”" in drawn.alt


def test_hull(still):
    drawn, _ = still(hull(PLANE, KEYS, [1.5, 0.5], temperature=0.7))
    left, right = drawn.axes
    s = KEYS @ [1.5, 0.5] / (np.sqrt(2) * 0.7)
    a = np.exp(s) / np.exp(s).sum()
    np.testing.assert_allclose([disc.get_sizes()[0] for disc in right.collections], 900 * a)
    np.testing.assert_allclose([disc.get_offsets()[0] for disc in right.collections], PLANE)
    *values, ring = dots(right)
    np.testing.assert_allclose([dot.get_xydata()[0] for dot in values], PLANE)
    np.testing.assert_allclose(ring.get_xydata(), [a @ PLANE])
    np.testing.assert_allclose([dot.get_xydata()[0] for dot in dots(left)], KEYS)
    [arrow] = arrows(left)
    assert tuple(arrow.xy) == (1.5, 0.5)
    [rim] = right.patches
    assert set(map(tuple, rim.get_xy().tolist())) == {(1, 2), (-2, 0.5), (0, -1.5), (2.5, -1)}
    y = a @ PLANE
    assert f"output at ({y[0]:.2f}, {y[1]:.2f}); the weights are {', '.join(f'{x:.2f}' for x in a)}." in drawn.alt


def test_inks(still):
    drawn, found = still(inks("one two three four five", rho=0.7, size=3))
    above, below, bar = drawn.axes
    for ax, row, known in ((above, "influence", 0.7 ** np.arange(4, -1, -1)), (below, "recovery", None)):
        if known is not None:
            np.testing.assert_allclose(found[row], known)
        for t, word in enumerate(["one", "two", "three", "four", "five"]):
            text, amount = ax.texts[2 * t], ax.texts[2 * t + 1]
            assert (text.get_text(), text.get_position()) == (word, (t, 0))
            assert text.get_alpha() == pytest.approx(0.07 + 0.93 * found[row][t])
            assert (amount.get_text(), amount.get_position()) == (f"{found[row][t]:.2f}", (t, 0.35))
    filled, boxes = bar.patches[:5], bar.patches[5:]
    recovery = found["recovery"]
    lefts = [0, 1, 2, recovery[0], 1 + recovery[1]]  # three numbers: the fourth word shares with the first
    np.testing.assert_allclose([patch.get_x() for patch in filled], lefts)
    np.testing.assert_allclose([patch.get_width() for patch in filled], recovery)
    assert [box.get_linestyle() for box in boxes] == ["-", "-", "-", ":", ":"]
    assert bar.get_title(loc="left") == f"R² adds up to {sum(recovery):.2f}, at most 1 in a box"
    assert f"R²: {', '.join(f'{x:.2f}' for x in recovery)}." in drawn.alt


def test_memory(still):
    drawn, _ = still(memory(20, 50, way="plain", base=100))
    [ax] = drawn.axes
    arcs = [patch for patch in ax.patches if isinstance(patch, Wedge)]
    named, beyond = words(ax), []
    for k, (arc, hand) in enumerate(zip(arcs, ax.lines, strict=True)):
        x, y = 2.5 * (k % 4), -3.2 * (k // 4)
        omega = 100 ** (-k / 8)
        degrees = min(360, np.degrees(20 * omega))
        assert arc.center == pytest.approx((x, y))
        assert (arc.theta1, arc.theta2) == pytest.approx((90 - degrees, 90))  # with the clock, from twelve
        turn = 50 * omega
        np.testing.assert_allclose(hand.get_xydata(), [[x, y], [x + np.sin(turn), y + np.cos(turn)]], atol=1e-9)
        out = any(offset * omega % (2 * np.pi) > 20 * omega + 1e-9 for offset in range(51))
        assert (hue(hand.get_color()), hand.get_marker()) == (("orange", "X") if out else ("black", "o"))
        assert named[x, round(y - 1.15, 2)] == f"pair {k}"
        beyond += [str(k)] * out
    assert 0 < len(beyond) < 8
    assert drawn.alt.endswith(f"dashed hands: {', '.join(beyond)}.")


def test_mirror(still):
    tried = ["cat sees fish and sees and", "fish and cat sees sees and", "and and fish sees and cat"]
    drawn, found = still(mirror(tried[1], step=100, tried=tried))
    [ax] = drawn.axes
    named = words(ax)
    assert named[0, 4] == "sentence: fish and cat sees sees and"
    assert named[0, 14] == "its mirror: and sees sees cat and fish"
    discs = {tuple(disc.get_xydata()[0]): disc.get_markerfacecolor() != "none" for disc in dots(ax)}
    right = {}
    for model, y in (("blind", 27), ("seeing", 62)):
        assert [named[44, y + 9], named[44, y + 17]] == [f"{p:.15f}" for p in found[model]]
        for pair, text in enumerate(tried):
            order = text.split().index("cat") < text.split().index("fish")
            p = mirror(text).compute()[model]
            hits = [(p[0] > 0.5) == order, (p[1] > 0.5) != order]
            assert [discs.pop((4 + 4.6 * pair, y + 22 + 5 * line)) for line in (0, 1)] == hits
            right[model] = right.get(model, 0) + sum(hits)
    assert not discs
    assert right["blind"] == len(tried)  # one of every pair, whatever it learned
    for y, title, model in ((27, "Without", "blind"), (62, "With", "seeing")):
        assert named[0, y] == f"{title} positions, 100 steps of training: right {right[model]} of 6"
    assert f"{found['seeing'][0]:.6f} and {found['seeing'][1]:.6f}, right {right['seeing']} of 6" in drawn.alt


@pytest.mark.parametrize("order", [[2, 0, 3, 1], [1, 2, 0, 3], [1, 0, 2, 3]])
def test_restore(still, order):
    drawn, _ = still(restore(order=order))
    [ax] = drawn.axes
    texts = {text.get_position(): text.get_text() for text in ax.texts}
    cards = ["the", "cat", "saw", "fish"]
    by_list = [order[order[i]] for i in range(4)]  # position i takes what is at position order[i]
    rows = [[0, 1, 2, 3], order, order, by_list, [0, 1, 2, 3]]
    boxes = iter(patch for patch in ax.patches if isinstance(patch, FancyBboxPatch))
    for row, shown in enumerate(rows):
        for i, j in enumerate(shown):
            assert texts[i, -row] == f"{j} {cards[j].upper() if row > 1 else cards[j]}"
            box, away = next(boxes), row > 2 and i != j
            assert (box.get_x(), box.get_y()) == pytest.approx((i - 0.42, -row - 0.2))
            assert box.get_linestyle() == ("--" if away else "-")
            if row > 2:
                assert hue(box.get_edgecolor()) == ("orange" if away else "green")
    first = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)][::2]
    assert [arrow._posA_posB for arrow in first] == [[(j, -0.24), (i, -0.76)] for i, j in enumerate(order)]
    home = sum(i == j for i, j in enumerate(by_list))
    assert f"Y[perm] then brings {home} of them home" in drawn.alt


def test_shuffle(still):
    drawn, found = still(shuffle("man bites dog", order=[2, 0, 1], positions="sinusoidal"))
    before, moved = ["man", "bites", "dog"], ["dog", "man", "bites"]
    tables = {
        "P": (np.eye(3)[[2, 0, 1]], moved, before), "PX": (found["PX"], moved, list("1234")),
        "A(PX)": (found["A"], moved, moved), "Y(X), as written": (found["before"], before, list("1234")),
        "Y(PX), in the new order": (found["after"], moved, list("1234")),
    }  # fmt: skip
    for ax in drawn.axes[:5]:
        M, rows, columns = tables.pop(ax.get_title())
        digits = 0 if ax.get_title() == "P" else 2
        shown = [text.get_text() for text in ax.texts]
        assert shown == [f"{round(x, digits) + 0.0:.{digits}f}".replace("-", "−") for x in np.ravel(M)]
        assert (list(ticks(ax.yaxis).values()), list(ticks(ax.xaxis).values())) == (rows, columns)
    assert not tables
    assert np.abs(np.array(found["after"]) - np.array(found["before"])[[2, 0, 1]]).max() > 0.01
    assert "The words man bites dog in the order dog man bites" in drawn.alt


def test_crowd(still):
    drawn, found = still(crowd(200, factor=1.4, c=1.2))
    [ax] = drawn.axes
    lead = 1.2 * np.log(13)
    m, own = curve(ax, "scores times 1.4").T
    others = (m - 1) * np.exp(-1.4 * lead)  # against a best key of 1
    a, b = 1 / (1 + others), np.exp(-1.4 * lead) / (1 + others)
    np.testing.assert_allclose(own, np.exp(-a * np.log(a) - (m - 1) * b * np.log(b)))
    other_m, logn = curve(ax, "scores times ln m / ln 13").T
    assert (m[0], m[-1]) == (other_m[0], other_m[-1]) == (2, 1e5)
    assert logn[-1] == pytest.approx(found["curves"][1][-1])
    [[x, y]], dot = curve(ax, "training, 13 keys"), ax.lines[-1].get_xydata()[0]
    assert (x, y, *dot) == pytest.approx((13, found["looks"][0], 200, found["looks"][1]))
    assert f"{found['looks'][1]:.1f} with scores times 1.4, {found['looks'][2]:.1f} with scores times ln m" in drawn.alt


def test_ablation():
    alt = "Attention maps of six heads for the sentence cat sees fish and sees and. Most weight: layer 1, head 1: "
    drawn = ablation(heads=[1, 1, 1, 0, 1, 1]).still().alt
    assert drawn.startswith(alt)
    assert "; layer 2, head 1: off; " in drawn
    p = ablation(heads=[1, 1, 1, 0, 1, 1]).compute()["p"]
    assert drawn.endswith(f" P(cat first) = {p:.3f}; right: 240 of 480 sentences.")
    asking = ablation(heads=[1, 1, 1, 0, 1, 1], ask=QUESTION).still().alt
    assert asking.startswith(alt)
    assert "P(cat" not in asking


def test_conjugation():
    figure = conjugation([1, 2, 0, 3], [1, 0, 2, 3])
    assert figure.still().alt.endswith("Its diagonal is 11, 20, 02, 33, 2 of 4 from the old one.")
    asking = conjugation([1, 2, 0, 3], [1, 0, 2, 3], ask=QUESTION).still()
    assert "PSRᵀ with both." in asking.alt
    assert "diagonal" not in asking.alt


def test_similarity():
    alt = "A table of sines and cosines with 41 rows of 8 columns; rows 10 and 15 are marked"
    assert similarity().still().alt == (
        f"{alt}. Below, the product of row 10 with every row, as bars: 3.160 with row 15, of at most 4."
    )
    assert "with a quarter turn between them, as bars" in similarity(turn=True).still().alt
    assert similarity(ask=QUESTION).still().alt == f"{alt}; how alike they are is for you to predict."


def test_stabiliser():
    figure = stabiliser(np.tri(4, dtype=int), order=[1, 0, 2, 3])
    alt = "A mask of 10 visible pairs, and the same mask in the order 1 0 2 3. 2 entries have changed."
    assert figure.still().alt == f"{alt} Of 24 orders, leaving it as it is: 1; masks in its orbit: 24."
    asking = stabiliser(np.tri(4, dtype=int), order=[1, 0, 2, 3], ask=QUESTION)
    assert asking.still().alt == alt


def test_twins(still):
    drawn, found = still(twins(4, start=-1, step=-3))
    [ax] = drawn.axes
    names = ["A: scale 0.0625", "B: no scale, start times 0.5, step times 0.125"]
    for name, losses in zip(names, found["losses"], strict=True):
        np.testing.assert_allclose(curve(ax, name), np.stack([np.arange(61), losses], axis=1))
    assert ax.get_yscale() == "log"
    a, b = found["ends"]
    assert f"{names[0]}; {names[1]}. At the end: {a:.3g} and {b:.3g}; they differ by {found['apart']:.2g}" in drawn.alt


def test_windows(still):
    drawn, found = still(windows(2, 3, sinks=1, query=9))
    [ax] = drawn.axes
    assert list(ticks(ax.yaxis).values()) == ["inputs", "layer 1", "layer 2"]
    assert [line.get_xydata().tolist() for line in ax.lines if line.get_marker() == "D"] == [[[9, 2]]]
    ends = {
        tuple(map(tuple, line.get_xydata().astype(int).tolist()))
        for line in ax.lines
        if line.get_linestyle() in ("-", "--")
    }
    steps = {(9, 2): (9, 8, 7, 0), (9, 1): (9, 8, 7, 0), (8, 1): (8, 7, 6, 0), (7, 1): (7, 6, 5, 0), (0, 1): (0,)}
    assert ends == {((q, level), (k, level - 1)) for (q, level), keys in steps.items() for k in keys}
    dashed = {line.get_xydata()[0, 0] - line.get_xydata()[1, 0] for line in ax.lines if line.get_linestyle() == "--"}
    assert min(dashed) >= 3
    filled = {
        tuple(p)
        for line in ax.lines
        if line.get_marker() == "o" and line.get_mfc() != "none"
        for p in line.get_xydata().astype(int).tolist()
    }
    assert filled == {(j, 1) for j in (0, 7, 8, 9)} | {(j, 0) for j in (0, 5, 6, 7, 8, 9)}
    assert found["inputs"] == 6
    assert "Output 9 depends on 6 inputs: 0, 5, 6, 7, 8, 9" in drawn.alt


def test_spread(still):
    drawn, found = still(spread([2.0, -1.0], temperature=0.5))
    left, right = drawn.axes
    keys = left.collections[0].get_offsets()
    s = keys @ [2.0, -1.0] / 0.5
    a = np.exp(s - s.max()) / np.exp(s - s.max()).sum()
    np.testing.assert_allclose(left.collections[0].get_sizes(), 10 + 3000 * a)
    for bar, lowest in zip(right.patches, np.arange(-8, 8, 0.5), strict=True):
        assert (bar.get_x(), bar.get_width()) == pytest.approx((lowest, 0.5))
        assert bar.get_height() == ((s >= lowest) & (s < lowest + 0.5)).sum()
    x, density = right.lines[0].get_xydata().T
    sigma = np.sqrt(5) / 0.5
    np.testing.assert_allclose(density, 100 * np.exp(-((x / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi)))
    assert tuple(arrows(left)[0].xy) == (2, -1)
    assert f"looks at {np.prod(a**-a):.1f} keys" in drawn.alt
    assert f"standard deviation {s.std():.2f}, and the normal density with {sigma:.2f}." in drawn.alt
    assert found["ratio"] == pytest.approx(sigma)


def test_springs(still):
    V = np.array([[-2.0, -1.0], [2.0, -1.0], [0.0, 2.0], [0.5, 0.0]])
    drawn, found = still(springs(V, [0.25, 0.5]))
    [ax] = drawn.axes
    arms = [line for line in ax.lines if len(line.get_xdata()) == 2]
    q = found["query"]
    a = np.exp(V @ q) / np.exp(V @ q).sum()
    np.testing.assert_allclose(a @ V, [0.25, 0.5], atol=1e-7)
    for arm, v, weight in zip(arms, V, a, strict=True):
        np.testing.assert_allclose(arm.get_xydata(), [v, [0.25, 0.5]])
        assert arm.get_linewidth() == pytest.approx(12 * weight, abs=1e-6)
    [arrow] = arrows(ax)
    np.testing.assert_allclose([arrow.xyann, arrow.xy], [[0.25, 0.5], q + np.array([0.25, 0.5])])
    assert f"as wide as its weight: {', '.join(f'{x:.2f}' for x in a)}." in drawn.alt
    assert f"is the query ({q[0]:.2f}, {q[1]:.2f}), of length {np.hypot(*q):.2f}." in drawn.alt


def test_springs_outside(still):
    V, y = np.array([[-2.0, -1.0], [2.0, -1.0], [0.0, 2.0]]), np.array([1.0, -2.5])
    drawn, _ = still(springs(V, y))
    [line] = [line for line in drawn.axes[0].lines if line.get_linestyle() == "--"]
    (x0, y0), (x1, y1) = line.get_xydata()
    sides = [(x1 - x0) * (p[1] - y0) - (y1 - y0) * (p[0] - x0) for p in [*V, y]]
    assert len({np.sign(side) for side in sides[:3]}) == 1
    assert sides[3] * sides[0] < 0  # the line is between the output and the values
    assert "A line separates it from every value." in drawn.alt


def test_squeeze(still):
    X = np.array([[1.0, 0.5], [-2.0, 0.25], [0.5, 1.5]])
    drawn, _ = still(squeeze(X, 30))
    [ax] = drawn.axes
    u = np.array([np.sqrt(3) / 2, 0.5])
    line, *rest, points = ax.lines
    np.testing.assert_allclose(line.get_xydata(), [-5 * u, 5 * u])
    np.testing.assert_array_equal(points.get_xydata(), X)
    for x, error, ring, square in zip(X, rest[::2], rest[1::2], ax.patches, strict=True):
        foot = (x @ u) * u
        np.testing.assert_allclose(error.get_xydata(), [x, foot])
        np.testing.assert_allclose(ring.get_xydata(), [foot])
        corners = square.get_xy()[:4]
        edges = np.roll(corners, -1, axis=0) - corners
        np.testing.assert_allclose(np.hypot(*edges.T), np.hypot(*(foot - x)))
        np.testing.assert_allclose([edges[0] @ edges[1], edges[1] @ edges[2]], 0, atol=1e-12)
        np.testing.assert_allclose(corners[:2], [x, foot])
    lost = ((X - np.outer(X @ u, u)) ** 2).sum()
    least = np.linalg.eigvalsh(X.T @ X)[0]
    assert f"sum to {lost:.2f}; no line makes them sum to less than {least:.2f}." in drawn.alt


@pytest.mark.parametrize("mode", ["query", "weights"])
def test_star(still, mode):
    values = [[1.0, 2.0], [-2.0, 0.5], [0.0, -1.5], [2.5, -1.0], [-1.0, -2.0]]
    keys = [[1.0, 0.0], [-1.0, 1.0], [0.5, -2.0], [0.0, 2.0], [-1.0, -1.0]]
    figure = star(list("abcde"), values, keys, [0.5, 0.5], mode=mode)
    if mode == "weights":
        figure.set(pull=[0.1, 0.0, 0.0, 0.0, 0.0])
    drawn, found = still(figure)
    _, middle, right = drawn.axes
    s = np.array(keys) @ [0.5, 0.5] / np.sqrt(2)
    given = np.exp(s) / np.exp(s).sum()
    bars = {"filled": [], "outlined": []}
    for bar in right.patches:
        bars["filled" if bar.get_facecolor()[3] else "outlined"].append((bar.get_y() + 0.3, bar.get_width()))
    np.testing.assert_allclose(bars["filled"], np.stack([np.arange(5), found["weights"]], axis=1))
    outlined = np.stack([np.arange(5), given], axis=1) if mode == "weights" else []
    np.testing.assert_allclose(bars["outlined"], outlined)
    assert (mode == "weights") == bool(np.abs(found["weights"] - given).max() > 0.01)
    assert list(ticks(right.yaxis).values()) == list("abcde")
    arms = [line for line in middle.lines if len(line.get_xdata()) == 2]
    for arm, value, weight in zip(arms, values, found["weights"], strict=True):
        np.testing.assert_allclose(arm.get_xydata(), [value, given @ values])
        assert arm.get_linewidth() == pytest.approx(6 * weight)
    np.testing.assert_allclose(dots(middle)[-1].get_xydata(), [given @ values], atol=1e-9)
    assert f"the weights {', '.join(f'{x:.2f}' for x in found['weights'])} as bars" in drawn.alt


def test_strings(still):
    first, second = [2, 0, 3, 1], [1, 0, 2, 3]
    drawn, _ = still(strings(first, second, words=["a", "b", "c", "d"]))
    layers, whole = drawn.axes
    both = [first[i] for i in second]
    for ax, lists in ((layers, [list(range(4)), first, both]), (whole, [list(range(4)), both])):
        marks = [line for line in ax.lines if len(line.get_xdata()) == len(lists)]
        for j, line in enumerate(marks):
            assert list(line.get_ydata()) == [order.index(j) for order in lists]  # where string j is
        last = len(lists) - 1
        named = words(ax)
        assert [named[-0.08, j] for j in range(4)] == ["0: a", "1: b", "2: c", "3: d"]
        assert [named[last + 0.08, i] for i in range(4)] == [list("abcd")[j] for j in lists[-1]]

    def crossings(order):
        return sum(order[i] > order[j] for j in range(4) for i in range(j))

    counts = [crossings(order) for order in (first, second, both)]
    told = [named for ax in drawn.axes for (x, y), named in words(ax).items() if y == -0.95]
    titles = ["shuffle 1", "shuffle 2", "both in one step"]
    assert told == [f"{name}\n{k} crossing{'s' * (k != 1)}" for name, k in zip(titles, counts, strict=True)]
    assert (
        f"with {counts[0]} and {counts[1]} crossings. Both in one step are {both}, with {counts[2]} cross" in drawn.alt
    )


@pytest.mark.parametrize(("stage", "cell"), [("S", [0, 2]), ("S", [2, 1]), ("A", [1, 0]), ("Y", [2, 1])])
def test_trace(still, stage, cell):
    Q, K, V = (
        np.array([[1.0, 2], [0.5, -1], [2, 0]]),
        np.array([[1.0, 0], [0, 1], [1, 1]]),
        np.array([[1.0, -1], [0, 2], [3, 1]]),
    )
    figure = trace(Q, K, V, mask="causal")
    figure.set(stage=stage, cell=cell)
    drawn, _ = still(figure)
    seen = np.tri(3) > 0
    S = Q @ K.T / np.sqrt(2)
    A = np.exp(S) * seen
    A /= A.sum(axis=1, keepdims=True)
    tables = {"keys Kᵀ": K.T, "values V": V, "queries Q": Q, "S = QKᵀ/√d": S, "A = softmax(S)": A, "Y = AV": A @ V}
    frames = []
    for ax in drawn.axes:
        if ax.get_title():
            M = tables.pop(ax.get_title())
            known = [f"{round(x, 2) + 0.0:.2f}".replace("-", "−") for x in M.ravel()]
            if ax.get_title()[0] == "S":
                known = [text if allowed else "−∞" for text, allowed in zip(known, seen.flat, strict=True)]
            assert [text.get_text() for text in ax.texts] == known
            frames += [(ax.get_title()[0], patch.get_xy()) for patch in ax.patches if not patch.get_fill()]
    assert not tables
    i, j = cell
    assert frames == [(stage, (j - 0.5, i - 0.5))]
    value = {"S": S, "A": A, "Y": A @ V}[stage][i, j]
    text = "−∞" if stage == "S" and not seen[i, j] else f"{value:.2f}".replace("-", "−")
    assert f"where {stage}{'₁₂₃'[i]}{'₁₂₃'[j]} = {text} has a frame." in drawn.alt


def test_triangle(still):
    s, T = np.array([1.0, -2.0, 3.0]), 2.5
    drawn, _ = still(triangle(s, temperature=T))
    left, right = drawn.axes
    a = np.exp(s / T) / np.exp(s / T).sum()
    np.testing.assert_allclose([bar.get_height() for bar in left.patches], s)
    *_, point = dots(right)
    np.testing.assert_allclose(point.get_xydata(), [a @ CORNERS])
    [way] = [line for line in right.lines if len(line.get_xdata()) > 2]
    np.testing.assert_allclose(way.get_xydata()[[0, -1]], [CORNERS.mean(axis=0), CORNERS[2]], atol=1e-12)
    notes = {note.get_text(): tuple(note.xy) for note in right.texts}
    assert notes == {f"a{'₁₂₃'[j]} = {a[j]:.3f}": tuple(CORNERS[j]) for j in range(3)}
    assert "to where all weight is on key 3." in drawn.alt


def test_walkers(still):
    drawn, found = still(walkers(d_k=64, power=0.25, draw=3))
    left, right, strip = drawn.axes
    ends = np.array([line.get_ydata()[-1] for line in left.lines])
    np.testing.assert_allclose(ends, found["scores"])  # a walk over d^p ends at its score
    assert (np.round(ends * 64**0.25) % 2 == 0).all()  # 64 steps of ±1
    a = np.exp(ends) / np.exp(ends).sum()
    best = int(a.argmax())
    np.testing.assert_allclose([bar.get_height() for bar in right.patches], a)
    assert [hue(bar.get_facecolor()) for bar in right.patches] == ["orange" if j == best else "grey" for j in range(16)]
    assert [hue(line.get_color()) for line in left.lines] == ["orange" if j == best else "grey" for j in range(16)]
    cloud, *marks = strip.lines
    gradients = np.sort(cloud.get_xdata())
    np.testing.assert_allclose(gradients, np.sort(found["gradients"]))
    known = {"-": ("median", (gradients[99] + gradients[100]) / 2), "--": ("mean", gradients.sum() / 200)}
    for mark, text in zip(marks, strip.texts, strict=True):
        name, value = known[mark.get_linestyle()]
        np.testing.assert_allclose(mark.get_xdata(), value)
        assert (text.get_text(), text.get_position()[0]) == (f"{name} {value:.2g}", pytest.approx(value))
    assert left.get_title() == f"16 walks, divided by {64**0.25:.4g}"
    assert f"largest weight is {a[best]:.2f}" in drawn.alt


def test_every_colour_has_its_own_name():
    assert len(NAMES) == 8
