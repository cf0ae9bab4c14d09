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
from attnbook.permutations import permutations
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


# --- Shuffle ------------------------------------------------------------------------------------------------------


@pytest.fixture
def shuffled(browser, tmp_path):
    """shuffled(text, width=900, **options): the figure on a page of its own, and what it says."""
    pages = []

    def shuffled(text, width=900, **options):
        page = alone(browser, live.shuffle(text, **options), tmp_path)
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(reduced_motion="reduce")
        pages.append(page)
        return page

    yield shuffled
    for page in pages:
        page.close()


def words_of(page):
    return page.locator(".live-chip").all_inner_texts()


def test_shuffle_moves_a_word_with_its_focus_and_its_row(shuffled):
    page = shuffled("a b c d")
    page.locator(".live-chip").nth(1).focus()
    for keys, expected, place in (
        ("ArrowRight", "acbd", 3),
        ("ArrowUp", "abcd", 2),
        ("ArrowDown", "acbd", 3),
        ("Home", "bacd", 1),
        ("End", "acdb", 4),
        ("ArrowRight", "acdb", 4),
    ):
        page.keyboard.press(keys)
        assert "".join(words_of(page)) == expected
        chip = page.locator(".live-chip:focus")
        assert (chip.inner_text(), chip.get_attribute("aria-valuetext")) == ("b", f"place {place} of 4")
    page.get_by_role("button", name="Move left").click()
    assert "".join(words_of(page)) == "acbd"
    for table in ("P", "PX", "A", "after"):
        assert page.locator(f"[data-shows={table}] tbody th").all_inner_texts() == list("acbd")
    assert page.locator("[data-shows=before] tbody th").all_inner_texts() == list("abcd")
    assert page.locator("[data-shows=P] thead th").all_inner_texts() == list("abcd")
    page.get_by_role("button", name="Reverse").click()
    assert "".join(words_of(page)) == "dbca"
    for _ in range(5):
        before = words_of(page)
        page.get_by_role("button", name="Shuffle").click()
        assert words_of(page) != before
        assert sorted(words_of(page)) == list("abcd")


def test_shuffle_drags_a_word_past_one_that_is_wider_and_it_stays(shuffled):
    page = shuffled("a longer b", order=[0, 1, 2])
    first, second = (page.locator(".live-chip").nth(i).bounding_box() for i in (0, 1))
    y = first["y"] + first["height"] / 2
    page.mouse.move(first["x"] + 5, y)
    page.mouse.down()
    seen = []
    for x in np.linspace(first["x"] + 5, second["x"] + second["width"] - 3, 40):
        page.mouse.move(x, y)
        seen.append(" ".join(words_of(page)))
        box = page.locator(".live-chip:focus").bounding_box()
        moved = len(set(seen)) > 1
        assert not moved or box["x"] - 1 <= x <= box["x"] + box["width"] + 1, "the word left the pointer"
    page.mouse.up()
    page.mouse.move(first["x"] + 5, y)  # nobody holds it now
    assert set(seen) == {"a longer b", "longer a b"}
    assert " ".join(words_of(page)) == "longer a b"
    assert seen == sorted(seen), "the word went back and forth"


def test_shuffle_answers_a_sentence_that_is_typed(shuffled):
    page = shuffled("a b", order=[1, 0])
    page.get_by_label("your sentence, up to 8 words").fill("the cat 喜欢 the dog and its tail")
    assert words_of(page) == ["the₁", "cat", "喜", "欢", "the₂", "dog", "and", "its"]
    assert "as they were written" in page.locator(".live-verdict").inner_text()
    assert page.locator("[data-shows=after] tbody tr").count() == 8
    page.get_by_role("button", name="Back to start").click()
    assert words_of(page) == ["b", "a"]


@pytest.mark.parametrize(
    ("options", "said", "marked", "signs"),
    [
        ({}, "Every word keeps its row.", 0, "✓✓"),
        ({"pooling": "mean"}, "Every word keeps its row; the mean does not move.", 0, "✓✓✓"),
        ({"pooling": "last"}, "Every word keeps its row; the last changes.", 4, "✓✓✗"),
        ({"positions": "rope"}, "No word keeps its row: with positions, attention sees the order.", 12, "✗✗"),
        (
            {"positions": "sinusoidal", "mask": "causal", "pooling": "max"},
            "No word keeps its row; the max changes: with positions and a causal mask, attention sees the order.",
            16,
            "✗✗✗",
        ),
    ],
)
def test_shuffle_says_what_holds_and_marks_what_changed(shuffled, options, said, marked, signs):
    page = shuffled("cat likes fish", order=[2, 1, 0], **options)
    assert page.locator(".live-verdict").inner_text() == said
    assert page.locator("[data-shows=after] td[data-changed]").count() == marked
    assert "".join(line[0] for line in page.locator(".live-verdicts li").all_inner_texts()) == signs
    assert page.locator("tr.live-pooled").count() == (2 if "pooling" in options else 0)
    page.wait_for_timeout(500)
    assert page.locator(".live-spoken").inner_text() == f"fish likes cat. {said}"


def test_shuffle_counts_the_words_that_keep_their_rows(shuffled):
    page = shuffled("a b c d", order=[1, 0, 2, 3], mask="causal")
    said = page.locator(".live-verdict").inner_text()
    assert said == "Only 2 of 4 words keep their rows: with a causal mask, attention sees the order."
    assert page.locator("[data-shows=after] td[data-changed]").count() == 8


@pytest.mark.parametrize("positions", ["none", "rope"])
def test_shuffle_tries_every_order(shuffled, positions):
    page = shuffled("a b c d", positions=positions)
    page.get_by_role("button", name="Try every order").click()
    told = page.get_by_text("24 orders:")
    told.wait_for()
    orders = permutations(4)
    worst = max(live.shuffle("a b c d", order=p, positions=positions).compute()["rowsGap"] for p in orders)
    text = told.inner_text().rpartition(" ")[2].rstrip(".").replace("−", "-")
    assert float(text) <= EXACT if positions == "none" else text == f"{worst:.3f}"
    page.get_by_role("button", name="Reverse").click()
    assert not told.is_visible()


def test_shuffle_hides_what_is_asked_for(shuffled):
    page = shuffled("cat likes fish", order=[2, 1, 0], ask=QUESTION)
    assert page.locator("[data-shows=P]").is_visible()
    for hidden in ("[data-shows=A]", "[data-shows=after]", ".live-verdicts li >> nth=0"):
        assert not page.locator(hidden).is_visible()
    assert page.get_by_role("button", name="Try every order").is_disabled()
    assert "hidden until you have answered" in page.locator(".live-verdict").inner_text()
    page.get_by_label("that").check()
    assert page.locator("[data-shows=after]").is_visible()
    assert page.locator(".live-verdict").inner_text() == "Every word keeps its row."


@pytest.mark.parametrize("width", [900, 375])
def test_the_small_shuffle_shows_the_output_alone_and_has_its_room(shuffled, width):
    page = shuffled("the cat likes the fish", width, order=[0, 4, 2, 3, 1], pooling="mean", small=True)
    shown = page.locator("[data-shows]").evaluate_all("all => all.map((one) => one.dataset.shows)")
    assert shown == ["before", "after"]
    assert page.locator("select").count() == 1
    assert page.locator(".live-verdict").inner_text() == "Every word keeps its row; the mean does not move."
    reserved = page.locator(".live").evaluate("(e) => parseFloat(getComputedStyle(e).minHeight)")
    assert reserved - 120 <= page.locator(".live-figure").evaluate("(e) => e.offsetHeight") <= reserved


def test_the_words_of_shuffle_fly_from_where_they_were(browser, gallery):
    page = browser.new_page(reduced_motion="no-preference")
    page.goto(gallery)
    page.wait_for_timeout(400)  # tables that have just changed would jump
    moves = """() => { document.querySelectorAll("#shuffle button")[3].click();
      return document.getAnimations().map((a) => [a.effect.target.tagName, a.effect.target.textContent,
        ...a.effect.getKeyframes().map((k) => k.translate ?? k.transform)]); }"""
    assert page.locator("#shuffle button").nth(3).inner_text() == "Reverse"
    animations = page.evaluate(moves)
    flown = {text: frames for tag, text, *frames in animations if tag == "SPAN"}
    assert {"cat", "fish"} <= set(flown), flown
    cells = [frames for tag, _, *frames in animations if tag == "TD"]
    assert len(cells) == 8, "the weights fly along rows and columns, but for the one in the middle"
    assert float(flown["cat"][0].split("px")[0]) > 0 > float(flown["fish"][0].split("px")[0])
    page.close()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"text": "a", "order": [1]}, "order"),
        ({"text": "a\ud800"}, "text"),
        ({"mask": "all"}, "mask"),
        ({"small": 3}, "small"),
    ],
)
def test_a_shuffle_that_cannot_be_drawn_is_refused(change, fault):
    with pytest.raises(ValueError, match=fault):
        live.shuffle("a b").set(**change)


def test_half_a_letter_is_no_text_for_shuffle(still_page):
    first = json.loads(json.dumps(CASES["shuffle"].figure.state))
    half = '{"text": "a \\ud800 b"}'
    assert still_page.evaluate(ARRIVES, ["shuffle", first, [half]]) == [first]
