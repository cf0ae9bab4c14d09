"""What every live figure keeps in a real browser: it computes what Python computes, shows it, and everyone can move it.

The figures are those of the folder; each module brings an example and a function that draws states. What a single
figure does besides is tested in figures/.
"""

import itertools
import json
import re
import urllib.parse
from pathlib import Path

import numpy as np
import pytest
from attnfigures.kit import files
from live_figures import EXACT, NAMES, QUESTION, distance, example, figure, module, state_of, states

every_figure = pytest.mark.parametrize("name", NAMES)
# What core.js does alike for every figure is tried with three of them, and in a thorough run with all.
REST = [pytest.param(name, marks=pytest.mark.thorough) for name in NAMES[3:]]
any_figure = pytest.mark.parametrize("name", [*NAMES[:3], *REST])
PHONE = 375  # its width in pixels …
PHONE_HEIGHT = 812  # … and its height
PROBES = Path(__file__).with_name("live_probes.js").read_text("utf-8")


def probe(name):
    """A function of live_probes.js for page.evaluate, which is given all of the script and calls this one."""
    return f"(argument) => {{\n{PROBES}\nreturn {name}(argument); }}"


def several(name, count):
    """The example of a figure and other states of it, for one page."""
    return [figure(name), *(figure(name, state, label=f"{name}-{i}") for i, state in enumerate(states(name, count)))]


def accepts(name, state):
    """Whether Python would draw a state."""
    try:
        module(name).check(**state)
    except ValueError:
        return False
    return True


# --- What it computes and shows ---------------------------------------------------------------------------------------


@every_figure
@pytest.mark.parametrize("count", [60, pytest.param(300, marks=pytest.mark.thorough)])
def test_the_page_computes_what_python_computes(page, name, count):
    drawn, code = states(name, count), module(name)
    results = page.evaluate(probe("compute"), [name, drawn])
    for state, result in zip(drawn, results, strict=True):
        code.check(**state)
        expected = code.compute(**state)
        for law in [key for key in expected if key.endswith("Gap")]:
            assert_same_verdict(result.pop(law), expected.pop(law), (law, state))
        assert distance(result, expected) < EXACT, state


def assert_same_verdict(result, expected, what):
    """Assert that a law, whose two sides are so far apart, holds or fails alike in both languages, or is in neither."""
    assert (result is None) == (expected is None), what
    if expected is not None:
        assert (result <= EXACT) == (expected <= EXACT), what


HALF = 0.5001  # of a unit of the last digit, and a little for the rounding of binary numbers
PLAIN = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")


@every_figure
def test_what_is_shown_is_the_rounding_of_what_is_computed(page, name):
    drawn = states(name, 10)
    for state, shown in zip(drawn, page.evaluate(probe("shown"), [name, drawn]), strict=True):
        result = module(name).compute(**state)
        assert shown
        for path, texts in shown:
            numbers = np.asarray(part_of(result, path), dtype=float)
            assert np.shape(texts) == numbers.shape, (path, state)
            for text, number in zip(np.ravel(texts).tolist(), numbers.ravel(), strict=True):
                rounded, unit = read(text)
                assert abs(rounded - number) <= HALF * unit, (path, text, number, state)


def part_of(result, path):
    """The part of a result that a path names: of ``weights 2`` the third of its weights."""
    for step in path.split():
        result = result[int(step) if step.isdigit() else step]
    return result


def read(text):
    """The number that a text such as 1.2·10⁻³ shows, and the unit of its last digit, here 10⁻⁴."""
    digits, _, exponent = text.translate(PLAIN).partition("·10")
    exponent = int(exponent or 0)
    decimals = len(digits.partition(".")[2])
    return float(f"{digits}e{exponent}"), 10.0 ** (exponent - decimals)


# --- Everyone can move it ---------------------------------------------------------------------------------------------


@every_figure
def test_every_handle_takes_the_keys(page, name):
    assert page.evaluate(probe("keys"), name) == []


WAYS = np.array([(70, 0), (-70, 0), (0, 45), (0, -45)])  # of a pointer, in pixels
NEAR = 0.75  # of the way: a handle that is bound to a line or to steps may end so far from the pointer
by_mouse_and_finger = pytest.mark.parametrize("pointer", ["mouse", pytest.param("touch", marks=pytest.mark.thorough)])


@every_figure
@by_mouse_and_finger
def test_every_handle_follows_a_pointer(open_figures, name, pointer):
    """Along one of four ways at least: a handle may be bound to a line, or stand at the end of it."""
    page, drag, first = open_to_drag(open_figures, name, pointer)
    for label in page.evaluate(probe("labels"), name):
        moves = list(drags(page, drag, name, label, first, WAYS))
        misses = [np.linalg.norm(moved - way) / np.linalg.norm(way) for way, moved in moves]
        assert misses, f"{label} cannot be dragged"
        assert min(misses) < NEAR, f"{label} goes where the pointer is not"


@every_figure
@by_mouse_and_finger
def test_no_handle_goes_against_a_pointer(open_figures, name, pointer):
    """Of the short ways that change something, at least half take the handle along; a curve may take it across.

    Long ways would lead a handle on a circle beyond its middle. Words of one name are left out: a short way only taps
    one, which then has another name, and the other word would be taken for it.
    """
    page, drag, first = open_to_drag(open_figures, name, pointer)
    labels = page.evaluate(probe("labels"), name)
    for label in [label for label in labels if labels.count(label) == 1]:
        moves = list(drags(page, drag, name, label, first, WAYS / 3))
        along = [round(moved @ way / np.linalg.norm(way)) for way, moved in moves]  # in pixels
        assert all(pixels >= 0 for pixels in along), f"{label} goes against the pointer, so far along it: {along}"
        assert sum(pixels > 0 for pixels in along) >= len(along) / 2, f"{label} goes across the pointer: {along}"


def test_a_finger_that_scrolls_across_a_slider_leaves_its_value(open_figures):
    page = open_figures(*map(figure, ("walkers", "windows", "clock")), width=PHONE, has_touch=True)
    first = state_of(page, "walkers")
    box = page.locator("#walkers input[type=range]").bounding_box()
    start = np.array((box["x"] + 0.7 * box["width"], box["y"] + box["height"] / 2))
    finger(page)(start, start - (0, 200))
    page.wait_for_function("scrollY > 50")
    assert state_of(page, "walkers") == first


def open_to_drag(open_figures, name, pointer):
    """A page with a figure, a function that drags by this pointer, and the state at the beginning."""
    if pointer == "touch":
        page = open_figures(figure(name), width=PHONE, has_touch=True)
        return page, finger(page), state_of(page, name)
    page = open_figures(figure(name), width=900, has_touch=False)
    return page, mouse(page), state_of(page, name)


def drags(page, drag, name, label, first, ways):
    """Drag a handle each way from a state; yield (way, how far the handle moved) for those that change the state."""
    for way in ways:
        scrolled, start, _ = page.evaluate(probe("grasp"), [name, label, first])
        drag(np.array(start), start + way)
        scrolled_after, end, state = page.evaluate(probe("grasp"), [name, label, None])
        assert scrolled_after == scrolled
        if state != first:
            yield way, np.subtract(end, start)


def mouse(page):
    """drag(start, end) by the mouse."""

    def drag(start, end):
        page.mouse.move(*start)
        page.mouse.down()
        page.mouse.move(*end, steps=2)
        page.mouse.up()

    return drag


def finger(page):
    """drag(start, end) by a finger."""
    devtools = page.context.new_cdp_session(page)

    def send(kind, *places):
        points = [{"x": x, "y": y} for x, y in places]
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def drag(start, end):
        send("touchStart", start)
        for part in (0.2, 0.4, 0.6, 0.8, 1):
            send("touchMove", start + part * (end - start))
        send("touchEnd")

    return drag


@every_figure
def test_every_control_changes_the_state_and_back_to_start_undoes_it(open_figures, name):
    """Sliders and handles by the keyboard, lists by a choice, on a page of its own: any other may have a new start."""
    page = open_figures(figure(name))
    first = state_of(page, name)
    sliders = page.locator(f"#{name} :is(input[type=range], [role=slider])").all()
    for slider in sliders:
        assert move_and_go_back(page, name, slider, first) == first
    lists = page.evaluate(probe("choose"), name)
    for options, after in lists:
        assert len(options) > 1
        assert after == first
        assert [chosen for _, chosen, _ in options] == [value for value, _, _ in options]
        assert len({state for _, _, state in options}) == len(options), "a choice does nothing"
    assert sliders or lists


def move_and_go_back(page, name, slider, first):
    """Press keys on a slider until one changes the state, each time followed by *Back to start*; the state after it."""
    slider.evaluate("(e) => e.focus()")
    for key in ("ArrowRight", "ArrowLeft", "ArrowUp"):
        page.keyboard.press(key)
        before, after = page.evaluate(probe("back"), name)
        if before != first:
            return after
    label = slider.evaluate("(e) => e.ariaLabel || e.labels[0].textContent")
    pytest.fail(f"{label} does nothing")


@every_figure
def test_every_button_and_field_does_something(open_figures, name):
    assert open_figures(figure(name)).evaluate(probe("press"), name) == []


# --- A state travels in an address ------------------------------------------------------------------------------------

FAR = 10**9  # far outside what any figure takes


@every_figure
def test_a_link_brings_what_python_accepts_and_nothing_else(page, name):
    first, drawn = example(name), states(name, 20)
    attempts = [*drawn, *mixed(drawn), *at_the_limits(name, first), *at_the_limits(name, drawn[0])]
    links = [json.dumps(state) for state in attempts]
    for state, arrived in zip(attempts, page.evaluate(probe("arrives"), [name, first, links]), strict=True):
        assert arrived == (state if accepts(name, state) else first), state


@every_figure
def test_a_broken_link_leaves_a_figure_that_can_be_drawn(page, name):
    """A wrong part leaves the whole figure at its start, or is passed over."""
    first = example(name)
    for kind, links in broken_links(first).items():
        for link, arrived in zip(links, page.evaluate(probe("arrives"), [name, first, links]), strict=True):
            assert accepts(name, arrived), (kind, link)
            assert arrived.keys() == first.keys(), (kind, link)


def broken_links(first):
    """What is no state, as the text of an address, by its kind."""
    return {
        "a part of another kind": each_part(first, None, "x", {}, True),
        "a number out of range": each_part(first, 1e9, -1e9, 2.5),
        "a name that every object has": each_part(first, "constructor", "__proto__"),
        "points that are none": each_part(first, [], [[]], [0], [0, 0, 0, 0, 0, 0]),
        "points far away": each_part(first, [1e9, 0], [[1e9, 0]], [[-1e9, 0]]),
        "too few or too many rows or points": resized(first, nested=True),
        "too few or too many numbers": resized(first, nested=False),
        "no parts at all": ["x", "[1]", "null", '{"__proto__":{"a":1}}', "%"],
    }


def each_part(first, *values):
    """Links in which one part has another value."""
    return [json.dumps({part: value}) for part in first for value in values]


def resized(first, nested):
    """Links in which all lists have the same number of entries, 1, 2 or 8: lists of lists, or those of numbers."""
    lists = {part: x for part, x in first.items() if isinstance(x, list) and isinstance(x[0], list) == nested}
    return [json.dumps({part: (x * 3)[:count] for part, x in lists.items()}) for count in (1, 2, 8)]


def mixed(drawn):
    """States with one part of the next state."""
    return [state | {part: other[part]} for state, other in itertools.pairwise(drawn) for part in state]


def at_the_limits(name, state):
    """A state with others of each of its parts, which Python still accepts, or no longer."""
    return [
        state | {part: other}
        for part, value in state.items()
        for other in others(value, lambda x, part=part: accepts(name, state | {part: x}))
    ]


def others(value, is_accepted):
    """The value with one of its numbers at its limits, on both sides, 0 or far off, or a text empty or too long."""
    if isinstance(value, list):
        return [changed for i in range(len(value)) for changed in with_another(value, i, is_accepted)]
    if isinstance(value, str):
        return ["", 99 * "x", f"{value} {value}"]
    if isinstance(value, bool):
        return []
    return [*limit(value, -FAR, is_accepted), *limit(value, FAR, is_accepted), 0, float(-FAR), float(FAR)]


def with_another(values, i, is_accepted):
    """The list with others of its value ``i``."""

    def changed(value):
        return [*values[:i], value, *values[i + 1 :]]

    return [changed(x) for x in others(values[i], lambda x: is_accepted(changed(x)))]


def limit(inside, outside, is_accepted):
    """The last number that is accepted on the way outside and the first that is not, to the last digit."""
    for _ in range(60):
        middle = (inside + outside) / 2 if isinstance(inside, float) else (inside + outside) // 2
        if is_accepted(middle):
            inside = middle
        else:
            outside = middle
    return inside, outside


ROUNDED = 1e-3  # numbers in an address have three decimals


@any_figure
def test_the_address_of_a_state_leads_to_the_figure_in_that_state(open_figures, name):
    state = states(name, 1)[0]
    page = open_figures(figure(name), address=f"#{name}?{urllib.parse.quote(json.dumps(state))}")
    assert state_of(page, name) == state

    page = open_figures(figure(name))
    control = page.locator(f"#{name} :is([role=slider], input[type=range])").first
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft"):
        control.press(key)
    moved = state_of(page, name)
    page.reload()
    assert distance(state_of(page, name), moved) < ROUNDED

    page.locator(f"#{name}").get_by_role("button", name="Link to this state").click()
    again = open_figures(figure(name), address="#" + page.evaluate("location.hash.slice(1)"))
    assert distance(state_of(again, name), state_of(page, name)) < ROUNDED


# --- On every screen, for every reader, and on paper ------------------------------------------------------------------


@pytest.mark.parametrize("width", [1280, PHONE])
@pytest.mark.parametrize("name", ["all", *(pytest.param(name, marks=pytest.mark.thorough) for name in NAMES)])
def test_a_figure_keeps_its_size_while_a_hand_is_on_it_and_nothing_is_cut_off(open_figures, name, width):
    """The examples of all figures on one page; in a thorough run, each beside other states of it too."""
    figures = map(figure, NAMES) if name == "all" else several(name, 4)
    page = open_figures(*figures, width=width, has_touch=width == PHONE)
    if width == PHONE and name == "all":
        hand_and_answer = page.evaluate(probe("tallest"))
        assert hand_and_answer <= PHONE_HEIGHT, "a phone does not show both together, as a figure begins"
    assert page.evaluate(probe("cut")) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(probe("hold")) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@every_figure
@pytest.mark.parametrize("width", [900, PHONE])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.thorough  # the tests of the pages look at every figure as it begins
def test_axe_finds_nothing(open_figures, name, theme, width):
    from axe_playwright_python.base import AXE_SCRIPT

    page = open_figures(*several(name, 1), width=width)
    page.evaluate(probe("theme"), theme)
    page.evaluate(AXE_SCRIPT)
    violations = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")["violations"]
    assert not [(v["id"], node["html"][:160], node.get("failureSummary")) for v in violations for node in v["nodes"]]


@any_figure
def test_without_a_script_and_on_paper_there_is_the_still(open_figures, name):
    still = f"#{name} .live-still svg[role=img]"
    assert open_figures(figure(name), java_script_enabled=False).locator(still).is_visible()
    page = open_figures(figure(name))
    assert not page.locator(still).is_visible()
    page.emulate_media(media="print")
    assert page.locator(still).is_visible()
    assert not page.locator(f"#{name} .live-figure").is_visible()


@every_figure
def test_the_module_of_a_kernel_is_one_that_a_browser_loads(page, name):
    load = "async (text) => Object.keys((await import(`data:text/javascript,${encodeURIComponent(text)}`)).default)"
    assert {"initialize", "render", "compute", "valid"} <= set(page.evaluate(load, files.module(name)))


# --- A question about it ----------------------------------------------------------------------------------------------


@every_figure
def test_a_question_hides_the_answer_until_it_is_answered(open_figures, name):
    page = open_figures(figure(name, ask=QUESTION, label="asks"), figure(name, label="plain"))
    start = example(name)
    drawn = [*states(name, 3), start]
    asks, heard_asking = look_and_listen(page, "asks", drawn)
    plain, heard_plain = look_and_listen(page, "plain", drawn)
    for hidden, shown in zip(asks, plain, strict=True):
        assert hidden != shown
    assert heard_asking != heard_plain

    question = page.locator("#asks fieldset")
    for answer, reason in zip(QUESTION["options"], ("✗.*Never", "✓.*Because"), strict=True):
        question.get_by_label(answer, exact=True).check()
        if answer == "this":  # a choice shows nothing, and the button stays, before it is checked
            question.get_by_role("button", name="Check").click()
        assert re.match(reason, question.locator(".live-why").inner_text())
    assert page.evaluate(probe("shown"), ["asks", [start]]) == page.evaluate(probe("shown"), ["plain", [start]])


def look_and_listen(page, label, drawn):
    """How a figure looks in these states, and the sentence that a screen reader hears once it has stopped."""
    looks = page.evaluate(probe("look"), [label, drawn])
    spoken = page.locator(f"#{label} .live-spoken").element_handle()
    return looks, page.wait_for_function("(e) => e.innerText", arg=spoken).json_value()


@pytest.mark.parametrize(
    ("change", "names"), [({"why": None}, "why"), ({"answer": 2}, "answer 2"), ({"options": ["one"]}, "1 options")]
)
def test_a_question_that_cannot_be_asked_is_refused(change, names):
    ask = {key: value for key, value in (QUESTION | change).items() if value is not None}
    with pytest.raises(ValueError, match=names):
        figure(NAMES[0], ask=ask)


# --- What Python refuses ----------------------------------------------------------------------------------------------


WRONG = {list: [9e9, 9e9], str: "constructor", bool: "constructor"}  # by the kind of a part; of a number, -1e99
SENTENCES = [("fade", "text"), ("inks", "text")]  # parts that may be any text


@every_figure
def test_a_state_that_cannot_be_drawn_is_refused_by_name(name):
    live = figure(name)
    before = live.state
    changes = {part: WRONG.get(type(value), -1e99) for part, value in before.items() if (name, part) not in SENTENCES}
    for part, value in [*changes.items(), ("nonsense", 1)]:
        with pytest.raises(ValueError, match=part):
            live.set(**{part: value})
    assert live.state == before


@pytest.mark.parametrize(("name", "part"), SENTENCES)
def test_a_sentence_may_be_any_text_and_is_not_refused(name, part):
    live = figure(name)
    live.set(**{part: WRONG[str]})
    assert live.state[part] == WRONG[str]
