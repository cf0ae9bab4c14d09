"""The player: its HTML, its script in a real browser, and the free sliders of a live kernel."""

import html
import itertools
import json

import pytest
from attnbook.explore import explore
from attnbook.figures import Picture, scaling
from browser import chromium
from lxml import html as page
from playwright.sync_api import sync_playwright


def draw(a, b=0):
    alt = f"a is {a} and b is {b}, and nothing else is shown."
    return Picture(f'<svg role="img" aria-label="{html.escape(alt)}"><text>{a},{b}</text></svg>', alt)


TWO = {"a": [1, 4, 16], "b": ["x", "y"]}  # a slider and a menu


def parse(player):
    return page.fromstring(f"<div>{player._repr_html_()}</div>")


def test_every_parameter_has_one_named_control():
    values = {"a": [1, 4, 16], "b": {"2 & more": 0, "−3": 1}}
    root = parse(explore(draw, **values, labels={"b": "mode <b>"}, start={"a": 2}))
    inputs = root.findall(".//input")
    assert root.find(".//select") is None
    assert len(inputs) == len(root.findall(".//label")) == len(root.findall(".//output")) == 2
    expected = [("a", ["1", "4", "16"], 2), ("mode <b>", ["2 & more", "−3"], 0)]
    for control, (name, values, start) in zip(inputs, expected, strict=True):
        [label] = root.xpath("//label[@for=$id]", id=control.get("id"))
        [output] = root.xpath("//output[@for=$id]", id=control.get("id"))
        assert label.text_content() == name
        assert output.text_content() == control.get("aria-valuetext") == values[start]
        assert json.loads(control.get("data-labels")) == values
        assert control.getnext() is output
        have = {key: control.get(key) for key in ("type", "min", "max", "step", "value", "data-lm-suppress-shortcuts")}
        assert list(have.values()) == ["range", "0", str(len(values) - 1), "1", str(start), "true"]
    assert len({element.get("id") for element in root.xpath("//*[@id]")}) == len(root.xpath("//*[@id]"))


def test_names_are_options_of_a_menu():
    root = parse(explore(draw, **TWO, labels={"b": "mode"}, start={"b": 1}))
    [menu], [slider] = root.findall(".//select"), root.findall(".//input")
    assert (slider.get("type"), slider.get("max")) == ("range", "2")
    [label] = root.xpath("//label[@for=$id]", id=menu.get("id"))
    assert (label.text_content(), json.loads(menu.get("data-labels"))) == ("mode", ["x", "y"])
    options = [(option.get("value"), option.text_content(), "selected" in option.attrib) for option in menu]
    assert options == [("0", "x", False), ("1", "y", True)]
    assert root.find_class("explore-chosen")[0].text_content() == "a: 1; mode: y"


@pytest.mark.parametrize("choices", [{"a": [1, 4]}, TWO, {"b": [1, 2], "a": (5, 6, 7)}])
def test_there_is_a_frame_for_every_choice_and_the_last_changes_fastest(choices):
    frames = parse(explore(draw, **choices)).find_class("frame")
    combinations = [dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values())]
    assert [frame.text_content() for frame in frames] == [f"{c.get('a')},{c.get('b', 0)}" for c in combinations]


@pytest.mark.parametrize("start", [None, {"a": 2}, {"b": 1}, {"a": 1, "b": 1}])
def test_exactly_the_start_is_visible(start):
    visible = [f for f in parse(explore(draw, **TWO, start=start)).find_class("frame") if "hidden" not in f.attrib]
    picked = {"a": 0, "b": 0} | (start or {})
    assert [frame.text_content() for frame in visible] == [f"{TWO['a'][picked['a']]},{TWO['b'][picked['b']]}"]


@pytest.mark.parametrize("lengths", [(2, 3), (3, 4)])
def test_the_start_is_the_frame_of_its_numbers(lengths):
    choices = {name: list(range(length)) for name, length in zip("ab", lengths, strict=True)}
    start = {name: len(values) - 1 - (name == "a") for name, values in choices.items()}
    root = parse(explore(draw, **choices, start=start))
    (visible,) = (frame for frame in root.find_class("frame") if "hidden" not in frame.attrib)
    assert visible.text_content() == "{a},{b}".format(**start)
    assert root.find_class("explore-chosen")[0].text_content() == "a: {a}; b: {b}".format(**start)


def test_numbers_and_names_together_are_a_menu():
    root = parse(explore(draw, a={"none": 0, "2": 2}))
    assert root.find(".//input") is None
    assert [option.text_content() for option in root.find(".//select")] == ["none", "2"]


def test_without_script_there_are_no_dead_controls():
    root = parse(explore(draw, **TWO))
    [controls] = root.find_class("explore-controls")
    assert "hidden" in controls.attrib
    assert all(controls in control.iterancestors() for control in root.iter("input", "select"))
    assert "src" not in root.find(".//script").attrib
    assert root.find_class("explore-spoken")[0].get("aria-live") == "polite"


def test_a_dict_maps_shown_text_to_values():
    root = parse(explore(draw, a={"one & a half": 1.5, '"two"': 2}))
    assert [frame.text_content() for frame in root.find_class("frame")] == ["1.5,0", "2,0"]
    assert json.loads(root.find(".//select").get("data-labels")) == ["one & a half", '"two"']
    assert root.find(".//option[@selected]").text_content() == "one & a half"


def test_a_player_made_twice_has_the_same_bytes():
    choices = {"d_k": [1, 4], "scale": ["no scale", "1/dₖ"]}
    block, again = (explore(scaling.draw_scaling, **choices, start={"d_k": 1}).block for _ in range(2))
    assert block == again
    assert block.count(scaling.draw_scaling(4, "1/dₖ").svg) == 1


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({}, "explore has 0 parameters; expected one or two sliders"),
        ({"a": [1, 2], "b": [1, 2], "c": [1, 2]}, "explore has 3 parameters; expected one or two sliders"),
        ({"a": [1, 2], "b": [1]}, "b has 1 values; expected at least two"),
        ({"a": []}, "a has 0 values; expected at least two"),
    ],
)
def test_too_few_or_too_many_choices_are_refused(choices, message):
    with pytest.raises(ValueError, match=message):
        explore(draw, **choices)


@pytest.mark.parametrize("start", [{"a": -1}, {"a": 3}, {"c": 1}])
def test_a_start_that_is_no_choice_is_refused(start):
    with pytest.raises(ValueError, match="start"):
        explore(draw, **TWO, start=start)


# ------------------------------------------------------------------------------------------------- in a browser


def test_the_script_shows_the_chosen_frame():
    assert chromium(), "There is no browser: install chromium, or name one in CHROMIUM."
    with sync_playwright() as run:
        browser = run.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        tab, errors = browser.new_page(), []
        tab.on("pageerror", lambda error: errors.append(error))
        tab.set_content(explore(draw, **TWO, labels={"a": "size"}, start={"a": 1}).block)
        size, mode = (tab.get_by_role(role, name=name) for role, name in (("slider", "size"), ("combobox", "b")))
        assert size.is_visible()  # the script has brought the controls
        chosen = tab.locator(".explore-chosen")
        assert not chosen.is_visible()  # the controls say it
        assert tab.locator(".frame:visible").all_inner_texts() == ["4,x"]
        mode.focus()
        tab.keyboard.press("ArrowRight")
        size.press("End")
        assert tab.locator(".frame:visible").all_inner_texts() == ["16,y"]
        assert (size.get_attribute("aria-valuetext"), mode.locator(":checked").inner_text()) == ("16", "y")
        assert tab.locator("output").all_inner_texts() == ["16"]
        assert chosen.text_content() == "size: 16; b: y"
        assert tab.locator(".explore-spoken").text_content() == draw(16, "y").alt
        browser.close()
    assert errors == []


# -------------------------------------------------------------------------------------------- in a live kernel

LABELS = {"d_k": "key dimension dₖ"}
DRAW = f"explore(draw_scaling, d_k=[1, 4], labels={LABELS}, free={{'d_k': (1, 9)}})"
CELLS = {
    "setup": "import os\nfrom attnbook.explore import explore\nfrom attnbook.figures.scaling import draw_scaling\n"
    "os.environ.pop('ATTNBOOK_BUILD', None)",
    "live": DRAW,
    "not free": "explore(draw_scaling, d_k=[1, 4])",
    "slow": "import types, sys, itertools\nclock = itertools.count(0, 1.5)\nmodule = sys.modules['attnbook.explore']\n"
    "module.time, real = types.SimpleNamespace(monotonic=lambda: next(clock)), module.time\n"
    "explore(draw_scaling, d_k=[1, 4, 16]); module.time = real",
    "build": f"os.environ['ATTNBOOK_BUILD'] = '1'\n{DRAW}",
}


@pytest.fixture(scope="module")
def live(run_notebook):
    return run_notebook(CELLS)


def test_a_build_shows_the_player_alone(live):
    outputs, _ = live
    for cell, labels in (("build", LABELS), ("not free", None)):
        [output] = outputs[cell]
        assert output.data["text/html"] == explore(scaling.draw_scaling, d_k=[1, 4], labels=labels).block


def test_a_live_kernel_adds_a_slider_of_the_same_words_that_draws_the_same_picture(live):
    outputs, widgets = live
    player, slider = outputs["live"]
    assert player.data["text/html"] == explore(scaling.draw_scaling, d_k=[1, 4], labels=LABELS).block
    assert "application/vnd.jupyter.widget-view+json" in slider.data
    [state] = [widget["state"] for widget in widgets.values() if widget["model_name"] == "IntSliderModel"]
    assert (state["description"], state["min"], state["max"]) == ("key dimension dₖ", 1, 9)
    [area] = [widget["state"] for widget in widgets.values() if widget["model_name"] == "OutputModel"]
    assert area["outputs"][0]["data"]["text/html"] == scaling.draw_scaling(state["value"]).svg


def test_slow_drawing_says_how_far_it_is_and_cleans_up(live):
    [note] = live[0]["slow"]
    assert note.data["text/html"] == ""
