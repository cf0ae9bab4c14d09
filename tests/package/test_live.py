"""Every live figure in a real browser: it computes what Python computes, shows it, and everyone can move it.

The figures are those of the folder; each module brings an example and a function that draws states.
"""

import io
import itertools
import json
import re
import urllib.parse
from pathlib import Path

import numpy as np
import pytest
from attnbook.results import load
from attnfigures.kit import files
from live_figures import EXACT, NAMES, QUESTION, distance, example, figure, module, put, set_state, state_of, states
from PIL import Image
from scipy import optimize

PLAIN = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")
every_figure = pytest.mark.parametrize("name", NAMES)
# For what core.js does alike for every figure.
OTHERS = [pytest.param(name, marks=pytest.mark.thorough) for name in NAMES[3:]]
any_figure = pytest.mark.parametrize("name", [*NAMES[:3], *OTHERS])
PROBES = Path(__file__).with_name("live_probes.js").read_text("utf-8")


def probe(name):
    """A function of live_probes.js for page.evaluate, which is given all of the script and calls this one."""
    return f"(argument) => {{\n{PROBES}\nreturn {name}(argument); }}"


def several(name, count):
    """The example of a figure and other states of it, for one page."""
    return [figure(name), *(figure(name, state, label=f"{name}-{i}") for i, state in enumerate(states(name, count)))]


@every_figure
@pytest.mark.parametrize("count", [60, pytest.param(300, marks=pytest.mark.thorough)])
def test_the_page_computes_what_python_computes(page, name, count):
    drawn, code = states(name, count), module(name)
    results = page.evaluate(probe("compute"), [name, drawn])
    for state, result in zip(drawn, results, strict=True):
        code.check(**state)
        expected = code.compute(**state)
        gaps = [key for key in expected if key.endswith("Gap")]
        for gap in gaps:  # a law holds or fails alike in both languages
            ours, theirs = expected.pop(gap), result.pop(gap)
            assert (ours is None) == (theirs is None), (gap, state)
            assert ours is None or (theirs <= EXACT) == (ours <= EXACT), (gap, state)
        assert distance(result, expected) < EXACT, state


@every_figure
def test_what_is_shown_is_the_rounding_of_what_is_computed(page, name):
    drawn = states(name, 10)
    for state, shown in zip(drawn, page.evaluate(probe("shown"), [name, drawn]), strict=True):
        expected = module(name).compute(**state)
        assert shown
        for path, texts in shown:
            value = expected
            for part in path.split():
                value = value[int(part) if part.isdigit() else part]
            assert np.shape(texts) == np.shape(value), (path, state)
            for text, number in zip(map(str, np.ravel(texts)), np.ravel(np.asarray(value, dtype=float)), strict=True):
                digits, _, power = text.translate(PLAIN).partition("·10")
                unit = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
                assert abs(float(f"{digits}e{power or 0}") - number) <= 0.5001 * unit, (path, text, number, state)


@every_figure
def test_every_handle_takes_the_keys(page, name):
    assert page.evaluate(probe("keys"), name) == []


@every_figure
@pytest.mark.parametrize("pointer", ["mouse", pytest.param("touch", marks=pytest.mark.thorough)])
def test_every_handle_follows_a_pointer(open_figures, name, pointer):
    touch = pointer == "touch"
    page = open_figures(figure(name), width=375 if touch else 900, has_touch=touch)
    devtools, first = page.context.new_cdp_session(page) if touch else None, state_of(page, name)

    def drag(start, end):
        if not touch:
            page.mouse.move(*start)
            page.mouse.down()
            page.mouse.move(*end, steps=2)
            page.mouse.up()
            return
        points = [start + t * (end - start) for t in (0, 0.2, 0.4, 0.6, 0.8, 1)]
        for kind, place in zip(["touchStart", *["touchMove"] * 5, "touchEnd"], [*points, None], strict=True):
            touches = [] if place is None else [{"x": place[0], "y": place[1]}]
            devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})

    for label in page.evaluate(probe("labels"), name):
        ends = []
        for way in ((70, 0), (-70, 0), (0, 45), (0, -45)):
            if not touch and ends and min(ends) < 0.75:
                break
            scrolled, start, _ = page.evaluate(probe("grasp"), [name, label, first])
            drag(np.array(start), np.array(start) + way)
            scrolled_now, end, state = page.evaluate(probe("grasp"), [name, label, None])
            assert scrolled_now == scrolled
            if state != first:
                ends.append(np.linalg.norm(np.array(end) - start - way) / np.linalg.norm(way))
        assert ends, f"{label} cannot be dragged"
        assert min(ends) < 0.75, f"{label} goes where the pointer is not"


@every_figure
def test_every_control_changes_the_state_and_back_to_start_undoes_it(open_figures, name):
    """Sliders and handles by the keyboard, lists by a choice, on a page of its own: any other may have a new start."""
    page = open_figures(figure(name))
    first, sliders = state_of(page, name), page.locator(f"#{name} :is(input[type=range], [role=slider])").all()
    for slider in sliders:
        slider.evaluate("(e) => e.focus()")
        for key in ("ArrowRight", "ArrowLeft", "ArrowUp"):
            page.keyboard.press(key)
            before, after = page.evaluate(probe("back"), name)
            if before != first:
                break
        else:
            pytest.fail(slider.evaluate("(e) => e.ariaLabel || e.labels[0].textContent"))
        assert after == first
    lists = page.evaluate(probe("choose"), name)
    assert all(len(options) > 1 and after == first for options, after in lists)
    assert [chosen for options, _ in lists for value, chosen, _ in options if value != chosen] == []
    assert all(len({state for *_, state in options}) == len(options) for options, _ in lists), "a choice does nothing"
    assert sliders or lists


@every_figure
def test_every_button_and_field_does_something(open_figures, name):
    assert open_figures(figure(name)).evaluate(probe("press"), name) == []


def accepts(name, state):
    """Whether Python would draw a state."""
    try:
        module(name).check(**state)
    except ValueError:
        return False
    return True


def others(value, is_accepted):
    """The value with one of its numbers at its limits, on both sides, 0 or far off, or a text empty or too long."""
    if isinstance(value, list):

        def put(i, x):
            return [*value[:i], x, *value[i + 1 :]]

        return [put(i, x) for i in range(len(value)) for x in others(value[i], lambda x, i=i: is_accepted(put(i, x)))]
    if isinstance(value, str):
        return ["", 99 * "x", f"{value} {value}"]
    ends = [] if isinstance(value, bool) else [(value, -(10**9)), (value, 10**9)]
    for _ in range(60 * len(ends)):
        inside, outside = ends.pop(0)
        middle = (inside + outside) / 2 if isinstance(value, float) else (inside + outside) // 2
        ends.append((middle, outside) if is_accepted(middle) else (inside, middle))
    return [x for end in ends for x in (*end, 0, -1e9, 1e9)]


@every_figure
def test_a_link_brings_what_python_accepts_and_nothing_else(page, name):
    first, drawn = example(name), states(name, 20)
    attempts = [*drawn, *(s | {part: t[part]} for s, t in itertools.pairwise(drawn) for part in s)]
    for state in (first, drawn[0]):
        for part in state:
            tried = others(state[part], lambda x, s=state, part=part: accepts(name, s | {part: x}))
            attempts += [state | {part: x} for x in tried]
    links = list(map(json.dumps, attempts))
    for state, arrived in zip(attempts, page.evaluate(probe("arrives"), [name, first, links]), strict=True):
        assert arrived == (state if accepts(name, state) else first), state
    # Hostile addresses: a wrong part leaves the whole figure at its start, or is passed over.
    points = ([], [[]], [0], [1e9, 0], [[1e9, 0]], [[-1e9, 0]], [0, 0, 0, 0, 0, 0])
    wrong = (None, "x", {}, True, 1e9, -1e9, 2.5, "constructor", "__proto__", *points)
    hostile = [json.dumps({part: value}) for part in first for value in wrong]
    for nested in (True, False):  # rows and points, or numbers: fewer of them, or more
        lists = {p: v for p, v in first.items() if isinstance(v, list) and isinstance(v[0], list) == nested}
        hostile += [json.dumps({part: (value * 3)[:n] for part, value in lists.items()}) for n in (1, 2, 8)]
    hostile += ["x", "[1]", "null", '{"__proto__":{"a":1}}', "%"]
    for attempt, arrived in zip(hostile, page.evaluate(probe("arrives"), [name, first, hostile]), strict=True):
        assert accepts(name, arrived), attempt
        assert arrived.keys() == first.keys(), attempt


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
    assert distance(state_of(page, name), moved) < 1e-3
    page.locator(f"#{name}").get_by_role("button", name="Link to this state").click()
    again = open_figures(figure(name), address="#" + page.evaluate("location.hash.slice(1)"))
    assert distance(state_of(again, name), state_of(page, name)) < 1e-3


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("name", ["all", *(pytest.param(name, marks=pytest.mark.thorough) for name in NAMES)])
def test_a_figure_keeps_its_size_while_a_hand_is_on_it_and_nothing_is_cut_off(open_figures, name, width):
    """The examples of all figures on one page; in a thorough run, each beside other states of it too."""
    figures = map(figure, NAMES) if name == "all" else several(name, 4)
    page = open_figures(*figures, width=width, has_touch=width == 375)
    fits = width > 375 or name != "all" or page.evaluate(probe("tallest")) <= 812
    assert fits, "a phone does not show the hand and its answer together, as a figure begins"
    assert page.evaluate(probe("cut")) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(probe("hold")) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@every_figure
@pytest.mark.parametrize("width", [900, 375])
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


@every_figure
def test_a_question_hides_the_answer_until_it_is_answered(open_figures, name):
    page = open_figures(figure(name, ask=QUESTION, label="asks"), figure(name, label="plain"))
    drawn = [*states(name, 3), example(name)]
    looks = [page.evaluate(probe("look"), [label, drawn]) for label in ("asks", "plain")]
    assert not any(asks == plain for asks, plain in zip(*looks, strict=True))
    # A screen reader hears a sentence when the reader has stopped.
    page.wait_for_function("[...document.querySelectorAll('.live-spoken')].every((e) => e.innerText)")
    spoken = page.evaluate("[...document.querySelectorAll('.live-spoken')].map((e) => e.innerText)")
    assert spoken[0] != spoken[1]
    question = page.locator("#asks fieldset")
    for answer, reason in zip(QUESTION["options"], ("✗.*Never", "✓.*Because"), strict=True):
        question.get_by_label(answer, exact=True).check()
        if answer == "this":  # a choice shows nothing, and the button stays, before it is checked
            question.get_by_role("button", name="Check").click()
        assert re.match(reason, question.locator(".live-why").inner_text())
    assert page.evaluate(probe("shown"), ["asks", drawn[-1:]]) == page.evaluate(probe("shown"), ["plain", drawn[-1:]])


def test_a_typed_number_is_taken_or_refused_with_a_reason(open_figures):
    page, first = open_figures(figure("squeeze")), example("squeeze")["angle"]
    for text, angle in (("400", first), ("12", 12), ("-7", 12)):
        page.get_by_label("angle of the line, in degrees").fill(text)
        page.keyboard.press("Tab")
        assert state_of(page, "squeeze")["angle"] == angle
        assert ("from 0 to 359" in page.locator(".live-figure").inner_text()) == (text != "12")


def test_a_guess_is_placed_before_the_output_shows(open_figures):
    page = open_figures(figure("hull", ask="place"))
    guess, output = page.get_by_label("your guess of the output"), page.locator(".live-output")
    assert not output.is_visible()
    x, y = np.mean(example("hull")["values"], axis=0)
    guess.press("ArrowUp")
    page.get_by_role("button", name="Show the output").click()
    assert output.is_visible()
    away = np.hypot(*(np.array([x, y + 0.1]) - module("hull").compute(**example("hull"))["output"]))
    assert f"{away:.2f}" in page.locator(".live-why").inner_text()
    page.get_by_role("button", name="Another query").click()
    assert not output.is_visible()
    assert state_of(page, "hull")["query"] != example("hull")["query"]


def test_a_guess_of_the_output_stays_among_the_values(open_figures):
    page = open_figures(figure("hull", ask="place"))
    guess, V = page.get_by_label("your guess of the output"), np.array(example("hull")["values"])
    for key in ("End", "Home", "PageUp", "PageDown"):
        for _ in range(9):
            guess.press(key)
        told = guess.get_attribute("aria-valuetext").replace("−", "-")
        point = np.array([*map(float, re.findall(r"[\d.-]+", told))])
        point += 0.01 * (V.mean(axis=0) - point)  # it is told with two digits
        weights = optimize.linprog(np.zeros(len(V)), A_eq=[*V.T, [1] * len(V)], b_eq=[*point, 1])
        assert weights.success, told


def test_typed_scores_keep_their_weights_or_are_refused(open_figures):
    page, first = open_figures(figure("triangle")), example("triangle")["scores"]
    for text, s in (("100, 0, 0", first), ("1, x, 2", first), ("102, 101, 100", [6, 5, 4]), ("−8 −7; 1", [-6, -5, 3])):
        page.fill(".live-three", text)
        page.press(".live-three", "Enter")
        assert state_of(page, "triangle")["scores"] == s, text


def test_what_a_reader_has_found_stays_in_sight(open_figures):
    page = open_figures(*map(figure, ("ablation", "twins", "stabiliser", "thread", "walkers")))
    set_state(page, "ablation", heads=[1, 1, 1, 0, 1, 1])
    set_state(page, "ablation", heads=[1] * 6)
    assert "alike: 240" in page.locator(".live-ablation-notes").nth(3).inner_text()
    set_state(page, "twins", scale=2, start=-1, step=-2)
    set_state(page, "twins", start=0)
    assert "start × 1/2, step × 1/4" in page.locator(".live-twins-goals").inner_text()
    for power, d_k in itertools.product((0, 0.5), (4, 64, 1024)):
        set_state(page, "walkers", power=power, d_k=d_k)
    assert [page.locator(f".live-walk-{name} circle").count() for name in ("own", "others")] == [3, 3]
    for mask, size in (("0111" * 4, 6), ("0100110011101111", 1), ("0111101111011110", 24)):
        set_state(page, "stabiliser", mask=np.reshape([*map(int, mask)], (4, 4)).tolist())
        groups = page.locator(".live-stabiliser-group:has(button)").all()
        assert [group.locator("button").count() for group in groups] == [size] * (24 // size)
    for mask in ("1100110000110011", "1000010000100001"):  # of the list, which the reader has not found
        set_state(page, "stabiliser", mask=np.reshape([*map(int, mask)], (4, 4)).tolist())
    found = page.locator(".live-stabiliser-goal:enabled")
    assert found.all_inner_texts() == ["1", "6", "24"]
    set_state(page, "stabiliser", mask=np.reshape([*map(int, "1100110000110011")], (4, 4)).tolist())
    for _ in range(2):
        page.locator(".live-stabiliser-own").first.click()
    assert "8" in found.all_inner_texts(), "a mask of the list counts once a click has made it"
    found.first.click()
    assert np.ravel(state_of(page, "stabiliser")["mask"]).tolist() == [*map(int, "0100110011101111")]
    for alpha in (0.6, 0.2):
        set_state(page, "thread", alpha=alpha)
    assert "(0.4 *" in page.locator(".live-thread-knob > svg").get_attribute("style")  # the part beyond is hidden


def test_every_head_is_tried_at_once_and_bars_say_what_is_right_without_it(open_figures):
    page = open_figures(figure("ablation"))
    page.get_by_role("button", name="Try every head").click()
    page.wait_for_function(
        "document.querySelectorAll('.live-ablation-notes .live-ablation-right[style]').length === 12"
    )
    notes = page.locator(".live-ablation-notes").all()
    for k, way in itertools.product(range(6), ("alike", "nothing")):
        state = example("ablation") | {"heads": [int(j != k) for j in range(6)], "instead": way}
        right = module("ablation").compute(**state)["right"]
        assert f"{way}: {right}" in notes[k].inner_text()
        bar = notes[k].locator(".live-ablation-right").nth(int(way == "nothing"))
        assert float(re.search(r"[\d.]+", bar.get_attribute("style"))[0]) == pytest.approx(right / 4.8, abs=1e-3)


def test_every_base_that_was_tried_leaves_its_count_of_bars(open_figures):
    page, first = open_figures(figure("similarity")), example("similarity")
    stems = page.locator(".live-similarity-tried")
    for count, base in enumerate((100, 1000), start=2):
        put(page, "similarity", first | {"base": base})
        assert stems.get_attribute("d").count("M") == count
    put(page, "similarity", first | {"base": 30})
    assert stems.get_attribute("d").count("M") == 3, "no bar is dashed, so this one has a dot"
    assert page.locator(".live-similarity-free").get_attribute("d").count("M") == 1
    put(page, "similarity", first | {"base": 30, "other": 13})
    assert stems.get_attribute("d").count("M") == 1, "other positions, other counts"


def test_the_frozen_star_keeps_the_score_of_what_was_emptied_and_says_when_no_more_can_be(open_figures):
    state = example("star") | {"mode": "weights"}
    page = open_figures(figure("star", state))
    filled, said = page.locator(".live-star-place[data-emptied]"), page.locator("p.live-verdict")
    for j in range(5):  # the least weight of each word: no sum of others reaches the star without “the”
        V, a = np.array(state["values"]), module("star").compute(**state)["given"]
        system = np.vstack([V.T, np.ones(5)])
        least = optimize.linprog(np.eye(5)[j], A_eq=system, b_eq=system @ a)
        put(page, "star", state | {"pull": (least.x - a).tolist()})
        assert page.locator(".live-star-place").nth(j).get_attribute("data-emptied") == (
            "" if least.fun < 1e-9 else None
        )
    assert filled.count() == 4
    assert "“the”" in said.inner_text()
    put(page, "star", state)
    assert filled.count() == 4, "they stay while the star is held"
    put(page, "star", state | {"query": [0.7, 0.5]})
    assert filled.count() == 0, "this is another star"


def test_a_square_that_is_dragged_is_a_number_that_changes_and_marks_what_it_moves(open_figures):
    page, first = open_figures(figure("trace")), example("trace")
    square = page.locator(".live-trace-grip").nth(1).bounding_box()
    x, y = square["x"] + 9, square["y"] + 9
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 1)
    page.mouse.move(x, y - 25)
    page.mouse.up()
    assert state_of(page, "trace")["K"] == [first["K"][0], [first["K"][1][0] + 1, first["K"][1][1]], first["K"][2]]
    marked = [page.locator(f"td[data-changed] [data-shows^='{name} ']").count() for name in "SAY"]
    assert marked == [3, 9, 6]


def test_practice_moves_nothing(open_figures):
    page = open_figures(figure("trace"))
    places = [page.locator(f"#trace {part}") for part in (".live-trace", ".live-controls", "p.live-verdict")]
    tops = [place.bounding_box()["y"] for place in places]
    for press in ("Practise", "Check", "Show the working", "Next number", "Practise", "Numbers"):
        page.get_by_role("button", name=press, exact=True).click()
        assert [place.bounding_box()["y"] for place in places] == tops, press


def test_a_ring_that_comes_near_its_query_snaps_onto_it_and_leaves_a_dot(open_figures):
    page = open_figures(figure("spread"))
    found, ring = page.locator(".live-spread-found circle:not([class])"), page.get_by_label("temperature T", exact=True)
    for length in (2, 3):
        set_state(page, "spread", query=[0.8 * length, 0.6 * length], temperature=length / 2)
        before = found.count()
        for _ in range(40):
            ring.press("ArrowRight")
        assert found.count() == before + 1
    set_state(page, "spread", query=[0, 2], temperature=1)
    box = page.locator(".live-spread-ring").bounding_box()
    middle, top, unit = box["x"] + box["width"] / 2, box["y"], box["height"] / 2
    page.mouse.move(middle, top + 1)
    page.mouse.down()
    page.mouse.move(middle, top - unit + 2)
    page.mouse.up()
    assert state_of(page, "spread")["temperature"] == pytest.approx(2, abs=1e-12)
    page.get_by_label("query", exact=True).press("ArrowRight")
    assert np.linalg.norm(state_of(page, "spread")["query"]) == pytest.approx(2, abs=1e-12), "q stays on the ring"


def carriers(draw):
    """How many queries hold most of the derivatives at each length, without a scale and with the root."""
    compute = module("walkers").compute
    return [[compute(2**k, power, draw, "gradients")["carriers"] for k in range(11)] for power in (0, 0.5)]


def test_every_length_that_was_tried_leaves_its_derivatives_without_a_scale_and_with_the_root(open_figures):
    page = open_figures(figure("walkers", example("walkers") | {"show": "gradients", "d_k": 1}))
    for _ in range(10):
        page.get_by_label("dₖ", exact=True).press("ArrowRight")
    fields = page.locator(".live-walk-field").all()
    shown = [[*map(int, field.locator(".live-walk-count").all_text_contents())] for field in fields]
    assert shown == carriers(draw=0)
    page.get_by_role("button", name="Draw again").click()
    shown = [[*map(int, field.locator(".live-walk-count").all_text_contents())] for field in fields]
    assert shown == carriers(draw=1), "all lengths show the other numbers"


def test_no_trail_is_called_flat_before_it_goes_from_end_to_end(open_figures):
    page = open_figures(figure("walkers", example("walkers") | {"power": 0, "d_k": 128}))
    verdict = page.locator("#walkers .live-walk-sums")
    for d_k in (256, 512, 1024):
        set_state(page, "walkers", d_k=d_k)
    assert "both ends" in verdict.inner_text()
    set_state(page, "walkers", d_k=1)
    assert "not flat" in verdict.inner_text()


def test_in_another_order_of_the_rows_the_piles_begin_anew(open_figures):
    page = open_figures(figure("conjugation"))
    for columns in ([0, 1, 2, 3], [1, 0, 2, 3]):
        set_state(page, "conjugation", columns=columns)
    assert page.locator(".live-conjugation-list.live-seen").count() > 1
    set_state(page, "conjugation", rows=[3, 2, 1, 0])
    assert page.locator(".live-conjugation-list.live-seen").count() == 1


def test_each_order_lies_once_on_its_pile_and_shows_how_many_there_are_once_answered(open_figures):
    page = open_figures(figure("conjugation", {"rows": [2, 0, 3, 1], "columns": [0, 1, 2, 3]}, ask=QUESTION))
    counts = page.locator(".live-conjugation-piles text:has(tspan)")
    assert counts.all_text_contents() == ["1 of ?", *["0 of ?"] * 4]
    page.get_by_role("button", name="Show without answering").click()
    for columns in itertools.permutations(range(4)):
        set_state(page, "conjugation", columns=[*columns])
    assert counts.all_text_contents() == ["9 of 9", "8 of 8", "6 of 6", "0 of 0", "1 of 1"]
    lists = page.locator(".live-conjugation-list text").all_text_contents()
    assert sorted(lists) == sorted(" ".join(map(str, order)) for order in itertools.permutations(range(4)))


def test_a_pull_to_the_side_moves_the_dot_of_one_thread(open_figures):
    page = open_figures(figure("thread"))
    set_state(page, "thread", alpha=0)
    dot, first = page.get_by_label("the dot of your sentence"), state_of(page, "thread")
    dot.drag_to(dot, target_position={"x": -120, "y": 16}, force=True)
    assert state_of(page, "thread") != first


def test_both_colours_of_one_thread_are_seen_where_all_answers_are_one(open_figures):
    page = open_figures(figure("thread"))
    set_state(page, "thread", alpha=0)
    drawing = Image.open(io.BytesIO(page.locator(".live-thread-dots").screenshot())).convert("RGB")
    red, _, blue = np.moveaxis(np.array(drawing, dtype=int), -1, 0)
    seen = [(red - blue > 60).sum(), (blue - red > 60).sum()]  # orange, blue
    assert min(seen) > max(seen) / 2, seen


def test_the_ring_of_one_thread_goes_with_the_hand_where_there_is_no_dot(open_figures):
    page = open_figures(figure("thread"))
    set_state(page, "thread", alpha=0.8, sentence="fish sees cat and sees and")
    ring = page.locator(".live-thread-own .live-thread-ring").last

    def middle():
        box = ring.bounding_box()
        return box["x"] + box["width"] / 2

    x, y = middle(), ring.bounding_box()["y"] + 10
    page.mouse.move(x, y)
    page.mouse.down()
    for far in (100, 200, 300):
        page.mouse.move(x + far, y)
        assert abs(middle() - x - far) < 3
    page.mouse.move(x + 200, y)
    page.mouse.up()
    assert abs(middle() - x - 200) > 50, "let go, it is where an answer is"


def test_a_dot_that_is_touched_puts_its_order_onto_the_cards(open_figures):
    page = open_figures(figure("orders"))
    cards = page.locator("#orders .live-chip")
    code = module("orders")
    odds = code.compute(**example("orders"))["odds"]
    for touch, s in (("hover", int(np.argmax(odds))), ("click", int(np.argmin(odds)))):
        getattr(page.locator("#orders .live-orders-dot").nth(s), touch)(force=True)
        assert cards.all_inner_texts() == code.ORDERS[s].split()


def test_no_card_moves_a_bar_without_mask_and_positions(open_figures):
    page = open_figures(figure("orders"))
    bars, found = page.locator("#orders .live-orders-guess"), {}
    for alpha, ahead in itertools.product((0, 1), (True, False)):
        set_state(page, "orders", alpha=alpha, ahead=ahead)
        looks = set()
        for key in ("ArrowRight", "ArrowRight", "Home", "End"):
            page.locator("#orders .live-chip").nth(1).press(key)
            looks.add(str([bar.inner_html() for bar in bars.all()]))
        found[alpha, ahead] = len(looks)
    assert found.pop((0, True)) == 1
    assert min(found.values()) > 1, found


def test_a_finger_chooses_the_head_that_it_taps(open_figures):
    page, first = open_figures(figure("wall"), width=375, has_touch=True), example("wall")
    for head in ((25, 0), (26, 1), (3, 8)):  # the first two lie beside the frame, on what a finger can hold
        put(page, "wall", first | dict(zip(("layer", "head"), head, strict=True)))
        box = page.locator(".live-wall-frame").bounding_box()
        put(page, "wall", first)
        page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert (state_of(page, "wall")["layer"], state_of(page, "wall")["head"]) == head


@every_figure
def test_a_state_that_cannot_be_drawn_is_refused_by_name(name):
    live = figure(name)
    before, wrong = live.state, {list: [9e9, 9e9], str: "constructor", bool: "constructor"}
    for part, value in [*before.items(), ("nonsense", 1)]:
        change = {part: wrong.get(type(value), -1e99)}
        if part in before and accepts(name, before | change):
            assert isinstance(value, str), part  # a sentence may be any text
            live.set(**change)
            live.set(**{part: value})
        else:
            with pytest.raises(ValueError, match=part):
                live.set(**change)
    assert live.state == before


@pytest.mark.parametrize(
    ("change", "names"), [({"why": None}, "why"), ({"answer": 2}, "answer 2"), ({"options": ["one"]}, "1 options")]
)
def test_a_question_that_cannot_be_asked_is_refused(change, names):
    ask = {key: value for key, value in (QUESTION | change).items() if value is not None}
    with pytest.raises(ValueError, match=names):
        figure(NAMES[0], ask=ask)


def test_no_figure_takes_a_rule_of_another():
    """A page joins the styles of its figures: a class that two of them use stands in live.css."""

    def classes(folder, file, pattern=r"live-[\w-]+"):
        path = folder / file
        return set(re.findall(pattern, path.read_text("utf-8"))) if path.exists() else set()

    shared = set.union(*(classes(files.KIT, name) for name in ("live.css", "core.js", "parts.js")))
    own = {name: classes(files.FIGURES, f"{name}.css", r"\.(live-[\w-]+)") - shared for name in NAMES}
    for name, other in itertools.permutations(NAMES, 2):
        assert not own[name] & classes(files.FIGURES, f"{other}.js"), (name, other)


def test_no_figure_lays_down_a_look_that_the_kit_has():
    """A rule for one class alone would change what the kit draws in every figure of the page."""

    def alone(path):
        return set(re.findall(r"^\.(live-[\w-]+) \{", path.read_text("utf-8"), re.MULTILINE))

    for name in NAMES:
        style = files.FIGURES / f"{name}.css"
        assert not style.exists() or not alone(style) & alone(files.KIT / "live.css"), name


def test_no_figure_names_anything_as_the_kit_does():
    """A notebook gets both in one module, in which a name can be declared once."""
    for name in NAMES:
        names = re.findall(r"^(?:function|const|let) (\w+)", files.module(name), re.MULTILINE)
        assert sorted(names) == sorted(set(names)), name


def test_the_hint_of_the_wall_names_tokens_of_its_sentence(open_figures):
    page = open_figures(figure("wall"))
    for stored in load("model_head_wall")["members"]:
        put(page, "wall", example("wall") | {"sentence": stored["text"], "word": 0})
        named = page.locator(".live-hint b").all_inner_texts()
        assert len(named) == 2
        assert set(named) <= {token.strip() for token in stored["tokens"]}


def test_the_reason_of_an_answer_gives_way_while_the_clock_shows_the_other_scheme(open_figures):
    page, first = open_figures(figure("clock", ask=QUESTION)), example("clock")
    other = page.get_by_text("This answer was about")
    page.get_by_label("this", exact=True).check()
    page.get_by_role("button", name="Check").click()
    for scheme in ("rotary", "sinusoidal", "rotary"):
        put(page, "clock", first | {"scheme": scheme})
        assert page.get_by_text("Never.").is_visible() == (scheme == first["scheme"])
        assert other.is_visible() == (scheme != first["scheme"])


def test_who_tries_every_list_without_a_bet_is_asked_for_it(open_figures):
    page = open_figures(figure("restore"))
    message = page.locator("p.live-verdict")
    before, state = message.inner_text(), state_of(page, "restore")
    page.get_by_role("button", name="Try every list").click()
    asked = message.inner_text()
    assert asked != before
    assert state_of(page, "restore") == state
    page.get_by_label("your bet").fill("7")
    assert message.inner_text() == before
    page.get_by_role("button", name="Try every list").click()
    assert set(state_of(page, "restore")["tried"]) == {"1"}
    assert message.inner_text() not in (before, asked)
