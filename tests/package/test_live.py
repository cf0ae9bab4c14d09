"""Live figures in a real browser: they compute what Python computes, show it, and everyone can move them."""

import copy
import gzip
import json
import re
import urllib.parse

import live_cases
import numpy as np
import pytest
from attnbook import live
from attnbook.figures import simplex
from browser import ALONE, chromium
from live_cases import CASES
from playwright.sync_api import sync_playwright

STATES = 300
# What the elements of a figure show: [the name of a number or a matrix of `compute`, its text or its rows of texts].
SHOWN = """(name) => [...document.querySelectorAll(`#${name} [data-shows]`)].filter((e) => !e.closest("[hidden]"))
  .map((e) => [e.dataset.shows, e.querySelector(".live-cell")
    ? [...e.querySelectorAll("tbody tr")].map((r) => [...r.querySelectorAll(".live-cell")].map((td) => td.textContent))
    : e.textContent])"""
# What an address brings to a figure that begins with the state `first`.
ARRIVES = """([name, first, attempts]) => {
  const figure = document.getElementById(name).figure;
  return attempts.map((text) => figure.fromLink(`#${name}?${encodeURIComponent(text)}`, first)); }"""
DRESS = """(theme) => { document.documentElement.dataset.theme = theme;
  const dark = { background: "#14181e", color: "#ced6dd" }, light = { background: "#fff", color: "#222832" };
  Object.assign(document.body.style, theme === "dark" ? dark : light); }"""
EXACT = 1e-12
HANDLES = "[role=slider]"
names = pytest.mark.parametrize("name", CASES)


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ALONE)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def gallery(tmp_path_factory):
    """A page in a folder with every figure on it, as the site would have it."""
    folder = tmp_path_factory.mktemp("live")
    places = "".join(case.figure._repr_html_() for case in CASES.values())
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>{live.styles()}</style>'
    (folder / "live.js").write_text(live.script(CASES), encoding="utf-8")
    (folder / "page.html").write_text(
        f'<!doctype html><html lang="en"><head><title>Figures</title>{head}</head><body><main><h1>Figures</h1>'
        f'{places}</main><script src="live.js"></script></body></html>',
        encoding="utf-8",
    )
    return (folder / "page.html").as_uri()


@pytest.fixture
def open_gallery(browser, gallery):
    """open_gallery(hash="", **options): the page, which must log no error and ask for nothing else."""
    opened = []

    def open_gallery(address="", width=900, **options):
        options = {"viewport": {"width": width, "height": 800}, "reduced_motion": "reduce"} | options
        context = browser.new_context(**options)
        page, log = context.new_page(), []
        page.set_default_timeout(5_000)
        page.on("console", lambda m: m.type in ("error", "warning") and log.append(m.text))
        page.on("pageerror", lambda error: log.append(str(error)))
        expected = ("page.html", "live.js")
        page.on("request", lambda r: r.url.partition("#")[0].endswith(expected) or log.append(r.url))
        page.goto(gallery + address)
        opened.append((context, log))
        return page

    yield open_gallery
    for context, log in opened:
        context.close()
        assert not log


@pytest.fixture(scope="module")
def still_page(browser, gallery):
    """One page for the tests that only compute."""
    page = browser.new_page()
    page.goto(gallery)
    yield page
    page.close()


def states(name, count=STATES):
    rng = np.random.default_rng(sorted(CASES).index(name))
    return [CASES[name].draw(rng) for _ in range(count)]


def state_of(page, name):
    return page.evaluate("(name) => document.getElementById(name).figure.model.get('state')", name)


def put(page, name, state):
    page.evaluate("([name, state]) => document.getElementById(name).figure.model.set('state', state)", [name, state])


def distance(found, expected, path=""):
    """The largest difference between two results, relative to 1 or the value, over everything in them."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys(), path
        return max((distance(found[key], expected[key], f"{path}.{key}") for key in expected), default=0)
    if expected is None or isinstance(expected, str | bool):
        assert found == expected, path
        return 0
    mixed = str | dict | list | tuple | np.ndarray | None
    if isinstance(expected, list | tuple) and any(isinstance(x, mixed) for x in expected):
        pairs = enumerate(zip(found, expected, strict=True))
        return max((distance(a, b, f"{path}.{i}") for i, (a, b) in pairs), default=0)
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    assert found.shape == expected.shape, (path, found.shape, expected.shape)
    difference = abs(found - expected) / np.maximum(1, abs(expected))
    return float(difference.max(initial=0)) if not np.isnan(difference).any() else float("inf")


def comparable(name, state, result):
    """A result without what may differ: rounding errors, and which of two equal points is called a corner."""
    result = {key: value for key, value in result.items() if not key.endswith("Gap")}
    if name == "hull":
        result["corners"] = sorted(state["values"][j] for j in result["corners"])
    return result


@names
def test_the_page_computes_what_python_computes(still_page, name):
    drawn = states(name)
    found = still_page.evaluate(
        "([name, states]) => states.map((s) => document.getElementById(name).figure.compute(s))", [name, drawn]
    )
    for state, result in zip(drawn, found, strict=True):
        CASES[name].figure._check(**state)
        expected = CASES[name].figure._compute(**state)
        assert distance(comparable(name, state, result), comparable(name, state, expected)) < EXACT, state
        for law in [key for key in expected if key.endswith("Gap")]:  # it holds or fails alike in both languages
            assert (expected[law] is None) == (result[law] is None)
            assert expected[law] is None or (result[law] <= EXACT) == (expected[law] <= EXACT), (law, state)


@names
def test_what_is_shown_is_the_rounding_of_what_is_computed(still_page, name):
    for state in states(name, 20):
        put(still_page, name, state)
        expected = CASES[name].figure._compute(**state)
        shown = still_page.evaluate(SHOWN, name)
        assert shown
        for path, texts in shown:
            value = expected
            for part in path.split():
                value = value[int(part) if part.isdigit() else part]
            assert np.shape(texts) == np.shape(value), (path, state)
            for text, number in zip(np.ravel(texts), np.ravel(np.asarray(value, dtype=float)), strict=True):
                digits, _, power = str(text).replace("−", "-").partition("e")
                unit = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
                assert abs(float(f"{digits}e{power or 0}") - number) <= 0.5001 * unit, (path, text, number, state)


@names
def test_every_handle_takes_the_arrow_keys(open_gallery, name):
    page = open_gallery()
    first = state_of(page, name)
    handles = page.locator(f"#{name} {HANDLES}")
    assert handles.count() + page.locator(f"#{name} input[type=range]").count() > 0
    for index in range(handles.count()):
        handle = handles.nth(index)
        label, moves = handle.get_attribute("aria-label"), {}
        assert label
        for keys in ("ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Shift+ArrowRight", "Home", "End"):
            put(page, name, first)
            handles.nth(index).focus()
            page.keyboard.press(keys)
            moves[keys] = json.dumps(state_of(page, name))
            focused = page.evaluate("document.activeElement.getAttribute('role')")
            assert focused == "slider", (label, keys)
            assert page.evaluate("document.activeElement.getAttribute('aria-valuetext')")
        assert len({*moves.values(), json.dumps(first)}) >= 3, (label, moves)  # two ways to go from where it is
    put(page, name, first)


@names
@pytest.mark.parametrize("pointer", ["mouse", "touch"])
def test_every_handle_is_dragged(open_gallery, name, pointer):
    page = open_gallery(width=375 if pointer == "touch" else 900, has_touch=pointer == "touch")
    first = state_of(page, name)
    handles = page.locator(f"#{name} {HANDLES}")
    devtools = page.context.new_cdp_session(page)
    for index in range(handles.count()):
        moved = []
        for dx, dy in ((70, 0), (-70, 0), (0, 45), (0, -45)):
            put(page, name, first)
            handle = handles.nth(index)
            handle.scroll_into_view_if_needed()
            box, scrolled = handle.bounding_box(), page.evaluate("scrollY")
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            if pointer == "mouse":
                page.mouse.move(x, y)
                page.mouse.down()
                page.mouse.move(x + dx, y + dy, steps=6)
                page.mouse.up()
            else:
                touches = [("touchStart", 0), *(("touchMove", t) for t in (0.2, 0.4, 0.6, 0.8, 1)), ("touchEnd", None)]
                for kind, t in touches:
                    points = [] if t is None else [{"x": x + t * dx, "y": y + t * dy}]
                    devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
                assert page.evaluate("scrollY") == scrolled
            moved.append(state_of(page, name) != first)
        assert any(moved), handle.get_attribute("aria-label")


@names
def test_every_control_changes_the_state_and_back_to_start_undoes_it(open_gallery, name):
    page = open_gallery()
    first = state_of(page, name)
    for slider in page.locator(f"#{name} input[type=range]").all():
        slider.focus()
        page.keyboard.press("ArrowRight" if slider.evaluate("(e) => e.value !== e.max") else "ArrowLeft")
        assert state_of(page, name) != first
        page.locator(f"#{name}").get_by_role("button", name="Back to start").click()
        assert state_of(page, name) == first
    for select in page.locator(f"#{name} select").all():
        for value in select.evaluate("(e) => [...e.options].map((o) => o.value)"):
            select.select_option(value)
            assert select.input_value() == value
        assert len(select.locator("option").all()) > 1
        page.locator(f"#{name}").get_by_role("button", name="Back to start").click()
        assert state_of(page, name) == first


def spoiled(value):
    """The value with one of its numbers far too large, far too small, or 0, one after the other."""
    if isinstance(value, list):
        return [[*value[:i], x, *value[i + 1 :]] for i in range(len(value)) for x in spoiled(value[i])]
    return [1e9, -1e9, 0] if isinstance(value, int | float) else []


@names
def test_a_link_brings_its_state_and_a_hostile_one_nothing(open_gallery, name):
    first = json.loads(json.dumps(CASES[name].figure.state))
    for state in states(name, 8):
        link = f"#{name}?{urllib.parse.quote(json.dumps(state))}"
        assert state_of(open_gallery(link), name) == state
    page = open_gallery()
    control = page.locator(f"#{name} {HANDLES}, #{name} input[type=range]").first
    control.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.locator(f"#{name}").get_by_role("button", name="Link to this state").click()
    again = open_gallery("#" + page.evaluate("location.hash.slice(1)"))
    assert distance(state_of(again, name), state_of(page, name)) < 1e-3
    # A wrong part leaves the whole figure at its start, or is passed over; nothing of it arrives.
    wrong = (
        None,
        "x",
        [],
        {},
        True,
        [[]],
        1e9,
        -1e9,
        [1e9, 0],
        "constructor",
        "__proto__",
        [[1e9, 0]],
        [0],
        [0, 0, 0, 0, 0, 0],
    )
    attempts = [json.dumps({part: value}) for part in first for value in wrong] + [
        "x",
        "[1]",
        "null",
        '{"__proto__":{"a":1}}',
        "%",
    ]
    attempts += [json.dumps({part: value}) for part in first for value in spoiled(first[part])]
    arrived = page.evaluate(ARRIVES, [name, first, attempts])
    for attempt, state in zip(attempts, arrived, strict=True):
        CASES[name].figure._check(**state)  # what arrives can be drawn
        assert state.keys() == first.keys(), attempt


@names
def test_without_a_script_and_on_paper_there_is_the_still(open_gallery, name):
    still = f"#{name} .live-still svg[role=img]"
    page = open_gallery(java_script_enabled=False)
    assert page.locator(still).is_visible()
    page = open_gallery()
    assert not page.locator(still).is_visible()
    page.emulate_media(media="print")
    assert page.locator(still).is_visible()
    assert not page.locator(f"#{name} .live-figure").is_visible()


@pytest.mark.parametrize("width", [900, 375])
def test_nothing_moves_when_the_figures_are_drawn_and_nothing_leaves_a_phone(open_gallery, width):
    page = open_gallery(width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for name in CASES:
        box = page.locator(f"#{name}")
        reserved = box.evaluate("(e) => parseFloat(getComputedStyle(e).minHeight)")
        needed = box.locator(".live-figure").evaluate("(e) => e.getBoundingClientRect().height")
        assert needed <= reserved <= needed + 120, (name, width, needed, reserved)


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [900, 375])
def test_axe_finds_nothing(open_gallery, theme, width):
    from axe_playwright_python.base import AXE_SCRIPT

    page = open_gallery(width=width)
    page.evaluate(DRESS, theme)
    for name in CASES:
        put(page, name, states(name, 3)[-1])
    page.evaluate(AXE_SCRIPT)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    assert not [(v["id"], node["html"][:160], node.get("failureSummary")) for v in found for node in v["nodes"]]


@names
def test_a_figure_weighs_at_most_15_kb(name):
    weight = len(gzip.compress((live.script([name]) + live.styles()).encode()))
    assert weight <= 15_000, f"{name} weighs {weight} bytes compressed"


@names
def test_a_state_that_cannot_be_drawn_is_refused_by_name(name):
    figure = copy.deepcopy(CASES[name].figure)
    with pytest.raises(ValueError, match="nonsense"):
        figure.set(nonsense=1)
    part = next(key for key, value in figure.state.items() if isinstance(value, str | list))
    before = figure.state
    with pytest.raises(ValueError, match=part):
        figure.set(**{part: "constructor" if isinstance(before[part], str) else [9e9, 9e9]})
    assert figure.state == before


@names
def test_the_still_says_what_it_shows(name):
    figure = CASES[name].figure
    assert len(figure.still().alt) > 60
    assert figure.still() == figure.still()


QUESTION = {"question": "Which?", "options": ["this", "that"], "answer": 1, "why": "Because."}


@pytest.mark.parametrize(
    ("ask", "fault"),
    [
        ({"question": "Which?"}, "answer, options, why"),
        (QUESTION | {"answer": 2}, "answer 2"),
        (QUESTION | {"options": ["one"]}, "1 options"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(ask, fault):
    with pytest.raises(ValueError, match=fault):
        live.hull(live_cases.V, live_cases.K, [1, 1], ask=ask)


def alone(browser, figure, tmp_path):
    page = browser.new_page(viewport={"width": 900, "height": 800})
    page.set_default_timeout(5_000)
    (tmp_path / "page.html").write_text(
        f"<!doctype html><meta charset=utf-8>{figure._repr_html_(alone=True)}", encoding="utf-8"
    )
    page.goto((tmp_path / "page.html").as_uri())
    return page


@pytest.mark.parametrize("answer", ["that", "this", None])
def test_a_question_hides_the_result_until_it_is_answered(browser, tmp_path, answer):
    page = alone(browser, live.hull(live_cases.V, live_cases.K, [1, 1], ask=QUESTION), tmp_path)
    cell = page.locator("[data-shows='output 0']")
    assert cell.inner_text() == "?"
    assert "?" in page.locator("[data-shows='weights 0']").inner_text()
    page.wait_for_timeout(500)
    assert not re.search(r"\d", page.locator(".live-spoken").inner_text())
    if answer:
        page.get_by_label(answer).check()
        verdict = page.locator(".live-why").inner_text()
        assert verdict == ("✓ Right. Because." if answer == "that" else "✗ Not so. Because.")
    else:
        page.get_by_role("button", name="Show without an answer").click()
    assert re.fullmatch(r"−?\d\.\d\d", cell.inner_text())
    page.close()


def test_a_guess_is_placed_before_the_output_shows(browser, tmp_path):
    page = alone(browser, live.hull(live_cases.V, live_cases.K, [1, 1], ask="place"), tmp_path)
    assert not page.locator(".live-output").is_visible()
    page.get_by_label("your guess of the output").focus()
    page.keyboard.press("ArrowUp")
    page.get_by_role("button", name="Show the output").click()
    state = state_of(page, "hull")
    gap = np.hypot(
        *(np.array([1, -1.9]) - live.hull(state["values"], state["keys"], state["query"]).compute()["output"])
    )
    assert f"Your guess was {gap:.2f} away." in page.locator(".live-verdict").inner_text()
    assert page.locator(".live-output").is_visible()
    page.close()


# What the triangle draws, in the coordinates of its two drawings.
DRAWN = """() => { const all = (what) => [...document.querySelectorAll(`#triangle ${what}`)];
  const numbers = (text) => text.match(/-?[\\d.]+/g).map(Number), at = (e) => numbers(e.getAttribute("transform"));
  return { bars: all(".live-score-bar").map((e) => ["y", "height"].map((name) => Number(e.getAttribute(name)))),
    handles: all(".live-handle").map(at), discs: all(".live-weight").map((e) => [...at(e), e.r.baseVal.value]),
    mean: at(all(".live-mean")[0].parentNode)[1], limit: at(all(".live-limit")[0]),
    path: numbers(all(".live-path")[0].getAttribute("points")), corners: numbers(all("polygon.live-hull")[0]
      .getAttribute("points")), said: all(".live-verdict")[0].textContent, law: all(".live-verdicts")[0].textContent,
    off: all("[aria-disabled=true]").map((e) => e.textContent) }; }"""


def test_the_triangle_draws_what_it_computes(open_gallery):
    page = open_gallery()

    def near(found, expected):
        return distance(found, np.asarray(expected, dtype=float).tolist()) < 0.01

    for state in states("triangle", 40):
        put(page, "triangle", state)
        found, drawn = CASES["triangle"].figure._compute(**state), page.evaluate(DRAWN)
        places, s = (lambda p: [40, 250] + 220 * np.asarray(p) * [1, -1]), np.array(state["scores"])
        assert near(drawn["bars"], np.c_[135 - 20 * np.maximum(s, 0), 20 * abs(s)])
        assert near(drawn["handles"], [*np.c_[[80, 150, 220], 135 - 20 * s], places(found["point"])])
        assert near(drawn["mean"], 135 - 20 * found["mean"])
        assert near(drawn["path"], places(found["path"]).ravel())
        assert near(drawn["limit"], places(found["path"][-1]))
        corners = places(simplex.CORNERS)
        assert near(drawn["corners"], corners.ravel())
        assert near(drawn["discs"], np.c_[corners, 26 * np.sqrt(found["weights"])])
        assert drawn["law"].startswith("✓ softmax((s − mean)/T) = softmax(s/T)")
        assert drawn["off"] == ["Add 1 to every score"] * int(max(s) > 5) + ["Subtract 1"] * int(min(s) < -5)


@pytest.mark.parametrize(
    ("scores", "T", "said"),
    [
        ([1, 1, 1], 1, "All scores are equal, and so are all weights, at every temperature."),
        ([2, -1, 2], 3, "Scores 1 and 3 are equal, .* As T falls to 0, the point goes to the middle of a side"),
        ([0, 3, 0], 3, "Scores 1 and 3 are equal, .* along the curve to corner 2 and never gets there."),
        ([0, 1, 3], 3, r"The query looks at 2\.7 of 3 keys. .* to corner 3 and never gets there."),
        ([0, 3, 6], 0.1, "The point seems to lie in corner 3, but the other weights are 8.8e−27 and 9.4e−14, not 0."),
    ],
)
def test_the_triangle_says_where_the_point_goes(open_gallery, scores, T, said):
    page = open_gallery()
    put(page, "triangle", {"scores": scores, "temperature": T})
    assert re.match(said, page.evaluate(DRAWN)["said"])


def test_a_constant_moves_every_bar_of_the_triangle_and_not_the_point(open_gallery):
    page = open_gallery()
    press = {c: page.locator("#triangle").get_by_role("button", name=name) for c, name in ((1, "Add 1"), (-1, "Subt"))}
    first, was = state_of(page, "triangle"), page.evaluate(DRAWN)
    for c, times, did in ((1, 4, "added 1.00 to"), (-1, 9, "subtracted 1.00 from")):
        for _ in range(times):
            before = state_of(page, "triangle")["scores"]
            press[c].click()
            now = page.evaluate(DRAWN)
            assert state_of(page, "triangle")["scores"] == [s + c for s in before]
            assert now["handles"][3] == was["handles"][3]
            assert now["said"] == f"You {did} every score. The point has not moved: only differences of scores count."
        before = state_of(page, "triangle")
        press[c].click(force=True)  # one score is at its bound
        assert state_of(page, "triangle") == before
    cold = {"scores": [-6, -6, 6], "temperature": 0.1}  # the weight of a score that moves is below every rounding
    changes = (first, {"temperature": 2}), (first, {"scores": [1, 1, -1]}), (cold, {"scores": [-5, -6, 6]})
    for start, change in changes:
        put(page, "triangle", start)
        put(page, "triangle", start | change)
        assert "has not moved" not in page.evaluate(DRAWN)["said"]


@pytest.mark.parametrize("T", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("goal", [(150, 200), (130, 160), (190, 240), (0, 290), (300, 200)])
def test_the_point_of_the_triangle_follows_the_pointer(open_gallery, T, goal):
    page = open_gallery()
    put(page, "triangle", {"scores": [2, 3, 4], "temperature": T})
    point = page.get_by_label("weights, a point in the triangle")
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    to_page = "(e, [x, y]) => { const p = new DOMPoint(x, y).matrixTransform(e.ownerSVGElement.getScreenCTM());"
    x, y = point.evaluate(f"{to_page} return [p.x, p.y]; }}", list(goal))
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(x, y, steps=4)
    page.mouse.up()
    s, at = np.array(state_of(page, "triangle")["scores"]), page.evaluate(DRAWN)["handles"][3]
    assert abs(s).max() <= 6
    if 0 < goal[0] < 300:  # inside the triangle, and within the reach of the scores
        assert distance(at, [float(c) for c in goal]) < 0.02
    else:  # as near to it as there is: all of the reach is used
        assert np.ptp(s) > min(11.99, 11.99 * T)
    assert abs(s.mean() - 3) < 1e-9 or np.isclose(abs(s).max(), 6)
    third = (250 - goal[1]) / 220 / simplex.CORNERS[2, 1]
    second = (goal[0] - 40) / 220 - third / 2
    logs = np.log(np.maximum([1 - second - third, second, third], np.exp(-12)))
    assert np.corrcoef(s, logs)[0, 1] > 1 - 1e-6  # out of reach, it stops on the curve of the pointer's place
