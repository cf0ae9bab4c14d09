"""Live figures in a real browser: they compute what Python computes, show it, and everyone can move them."""

import copy
import gzip
import itertools
import json
import re
import urllib.parse

import live_cases
import numpy as np
import pytest
from attnbook import live, live_files
from live_cases import CASES, comparable, distance, states
from live_pages import ARRIVES, EXACT, HANDLES, QUESTION, alone, put, state_of

# What the elements of a figure show: [the name of a number or a matrix of `compute`, its text or its rows of texts].
SHOWN = """(name) => [...document.querySelectorAll(`#${name} [data-shows]`)].filter((e) => !e.closest("[hidden]"))
  .map((e) => [e.dataset.shows, e.querySelector(".live-cell")
    ? [...e.querySelectorAll("tbody tr")].map((r) => [...r.querySelectorAll(".live-cell")].map((td) => td.textContent))
    : e.textContent])"""
DRESS = """(theme) => { document.documentElement.dataset.theme = theme;
  const dark = { background: "#14181e", color: "#ced6dd" }, light = { background: "#fff", color: "#222832" };
  Object.assign(document.body.style, theme === "dark" ? dark : light); }"""
names = pytest.mark.parametrize("name", CASES)


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
def test_the_keys_page_move_a_handle_and_leave_the_page(open_gallery, name):
    page = open_gallery()
    first, handles = state_of(page, name), page.locator(f"#{name} {HANDLES}")
    if not handles.count():
        return
    page.evaluate("document.body.style.paddingBottom = '2000px'")
    handles.first.focus()
    scrolled, moves = page.evaluate("scrollY"), []
    for key in ("PageUp", "PageDown"):
        put(page, name, first)
        handles.first.focus()
        page.keyboard.press(key)
        moves.append(state_of(page, name))
    assert any(state != first for state in moves)
    assert page.evaluate("scrollY") == scrolled


@names
def test_the_module_of_a_kernel_is_one_that_a_browser_loads(still_page, name):
    load = "async (text) => Object.keys((await import(`data:text/javascript,${encodeURIComponent(text)}`)).default)"
    assert {"initialize", "render", "compute", "valid"} <= set(still_page.evaluate(load, live_files.module(name)))


@names
@pytest.mark.parametrize("pointer", ["mouse", pytest.param("touch", marks=pytest.mark.thorough)])
def test_every_handle_is_dragged(open_gallery, name, pointer):
    page = open_gallery(width=375 if pointer == "touch" else 900, has_touch=pointer == "touch")
    first = state_of(page, name)
    handles = page.locator(f"#{name} {HANDLES}")
    devtools = page.context.new_cdp_session(page)
    for index in range(handles.count()):
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
            moved = state_of(page, name) != first
            if moved:
                break
        assert moved, handle.get_attribute("aria-label")


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
    for state in states(name, 4):
        link = f"#{name}?{urllib.parse.quote(json.dumps(state))}"
        arrived = open_gallery(link)
        assert state_of(arrived, name) == state
        arrived.close()
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
    points = ([], [[]], [0], [1e9, 0], [[1e9, 0]], [[-1e9, 0]], [0, 0, 0, 0, 0, 0])
    wrong = (None, "x", {}, True, 1e9, -1e9, 2.5, "constructor", "__proto__", *points)
    attempts = [json.dumps({part: value}) for part in first for value in wrong]
    for nested in (True, False):  # rows and points, or numbers: fewer of them, or more
        lists = {p: v for p, v in first.items() if isinstance(v, list) and isinstance(v[0], list) == nested}
        attempts += [json.dumps({part: (value * 3)[:n] for part, value in lists.items()}) for n in (1, 2, 8)]
    attempts += ["x", "[1]", "null", '{"__proto__":{"a":1}}', "%"]
    attempts += [json.dumps({part: value}) for part in first for value in spoiled(first[part])]
    arrived = page.evaluate(ARRIVES, [name, first, attempts])
    for attempt, state in zip(attempts, arrived, strict=True):
        CASES[name].figure._check(**state)  # what arrives can be drawn
        assert state.keys() == first.keys(), attempt


@pytest.mark.parametrize("name", ["shuffle"])
def test_a_link_on_the_page_of_a_figure_leads_to_it_and_brings_its_state(open_gallery, name):
    page = open_gallery()
    first = state_of(page, name)
    changes = {"mask": "causal", "order": [1, 0, 2]}
    assert changes["mask"] != first["mask"]
    link = f"#shuffle?{urllib.parse.quote(json.dumps(changes))}"
    above = '<div style="height: 3000px"></div>'  # the figure is out of sight
    page.evaluate(
        "(html) => document.body.insertAdjacentHTML('afterbegin', html)", f'<a href="{link}">replay</a>{above}'
    )
    page.get_by_text("replay", exact=True).click()
    page.wait_for_function("document.querySelector('#shuffle').figure.model.get('state').mask === 'causal'")
    assert state_of(page, "shuffle") == first | changes
    assert abs(page.locator("#shuffle").bounding_box()["y"]) < 200
    page.evaluate("location.hash = '#shuffle?%7B%22mask%22%3A%22sideways%22%7D'")
    assert state_of(page, "shuffle") == first | changes  # a wrong link changes nothing


@names
def test_a_link_is_accepted_where_python_accepts_its_state(still_page, name):
    drawn, check = states(name, 40), CASES[name].figure._check
    mixed = [s | {part: t[part]} for s, t in itertools.pairwise(drawn) for part in s]
    first = json.loads(json.dumps(CASES[name].figure.state))
    arrived = still_page.evaluate(ARRIVES, [name, first, [json.dumps(state) for state in mixed]])
    accepted = 0
    for state, found in zip(mixed, arrived, strict=True):
        try:
            check(**state)
        except ValueError:
            assert found == first, state
        else:
            assert found == state
            accepted += 1
    assert 0 < accepted <= len(mixed)


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


@names
@pytest.mark.parametrize("width", [900, 375])
def test_nothing_moves_when_a_figure_is_drawn_and_nothing_leaves_a_phone(open_gallery, name, width):
    page = open_gallery(width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    box = page.locator(f"#{name}")
    reserved = box.evaluate("(e) => parseFloat(getComputedStyle(e).minHeight)")
    needed = box.locator(".live-figure").evaluate("(e) => e.getBoundingClientRect().height")
    assert needed <= reserved <= needed + 120


@names
@pytest.mark.parametrize(
    ("theme", "width"),
    [
        ("light", 900),
        ("dark", 375),
        *(pytest.param(*c, marks=pytest.mark.thorough) for c in [("dark", 900), ("light", 375)]),
    ],
)
def test_axe_finds_nothing(open_gallery, name, theme, width):
    from axe_playwright_python.base import AXE_SCRIPT

    page = open_gallery(width=width)
    page.evaluate(DRESS, theme)
    put(page, name, states(name, 3)[-1])
    page.evaluate(AXE_SCRIPT)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    assert not [(v["id"], node["html"][:160], node.get("failureSummary")) for v in found for node in v["nodes"]]


def test_no_figure_takes_a_rule_of_another():
    """The site joins the styles of all figures: a class that two of them use stands in live.css."""
    read = lambda file: (live_files.FOLDER / file).read_text("utf-8")  # noqa: E731
    classes = {name: set(re.findall(r"\.(live-[\w-]+)", read(f"{name}.css"))) for name in [*CASES, "live"]}
    shared = classes.pop("live") | set(re.findall(r"live-[\w-]+", read("core.js") + read("parts.js")))
    for name, other in itertools.permutations(CASES, 2):
        used = set(re.findall(r"live-[\w-]+", read(f"{other}.js")))
        assert not (classes[name] - shared) & used, (name, other)


def test_what_figures_share_comes_before_what_one_of_them_changes():
    shared, own = ((live_files.FOLDER / f"{name}.css").read_text("utf-8") for name in ("live", "hull"))
    assert live_files.styles(["hull"]).startswith(shared[:200])
    assert live_files.styles(["hull"]).endswith(own[-200:])


@names
def test_a_figure_weighs_at_most_15_kb(name):
    """Without the numbers that an experiment has stored for it, which have a limit of their own."""
    numbers = live_files.stored(name)
    script = live_files.script([name]).replace(numbers, "")
    weight, stored = (len(gzip.compress(text.encode())) for text in (script + live_files.styles([name]), numbers))
    assert weight <= 15_000, f"{name} weighs {weight} bytes compressed"
    assert stored <= 40_000, f"{name} has {stored} bytes of numbers, compressed"
    assert bool(numbers) == ("stored" in script), f"{name}.js and its numbers do not belong together"


@names
def test_a_state_that_cannot_be_drawn_is_refused_by_name(name):
    figure = copy.deepcopy(CASES[name].figure)
    with pytest.raises(ValueError, match="nonsense"):
        figure.set(nonsense=1)
    part = next((key for key, value in figure.state.items() if isinstance(value, str | list)), next(iter(figure.state)))
    before = figure.state
    with pytest.raises(ValueError, match=part):
        figure.set(**{part: "constructor" if isinstance(before[part], str) else [9e9, 9e9]})
    assert figure.state == before


FLAT = [[-2, 0], [-1, 0], [1, 0], [2, 0]]


@pytest.mark.parametrize(
    ("keys", "away", "where"),
    [
        ([[1, 0], [0, 0], [0, 0], [0, 0]], 0.0, "on the rim"),  # the output is (−2q/√2, 0), in the segment
        ([[-3, 0], [0, 0], [0, 0], [3, 0]], 12 / 2**0.5 - 2, "outside the hull"),
    ],
)
def test_an_output_beside_values_on_a_line_is_outside(browser, tmp_path, keys, away, where):
    figure = live.hull(keys=keys, values=FLAT, query=[1, 0], weighting="none")
    assert figure.compute()["depth"] == pytest.approx(-away, abs=1e-12)
    page = alone(browser, figure, tmp_path)
    assert where in page.locator(".live-verdict").inner_text()
    page.close()


@names
def test_the_still_says_what_it_shows(name):
    figure = CASES[name].figure
    assert len(figure.still().alt) > 60
    assert figure.still() == figure.still()


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
        page.get_by_role("button", name="Show without answering").click()
    assert re.fullmatch(r"−?\d\.\d\d", cell.inner_text())
    page.close()


def test_a_cross_that_was_not_moved_is_no_guess(browser, tmp_path):
    page = alone(browser, live.hull(live_cases.V, live_cases.K, [1, 1], ask="place"), tmp_path)
    page.get_by_role("button", name="Show the output").click()
    assert page.locator(".live-output").is_visible()
    assert "guess" not in page.locator(".live-verdict").inner_text()
    assert page.get_by_label("your guess of the output").count() == 0
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
    assert f"Your guess, the cross, was {gap:.2f} away." in page.locator(".live-verdict").inner_text()
    assert page.locator(".live-output").is_visible()
    page.close()
