"""The player: its HTML, its script in a real browser, and the free sliders of a live kernel."""

import html
import itertools
import json

import pytest
from attnfigures.explore import explore
from attnfigures.static import Picture, scaling
from browser import chromium
from lxml import html as page
from playwright.sync_api import sync_playwright


def draw(a, b=0):
    alt = f"a is {a} and b is {b}, and nothing else is shown."
    return Picture(f'<svg role="img" aria-label="{html.escape(alt)}"><text>{a},{b}</text></svg>', alt)


TWO = {"a": [1, 4, 16], "b": ["x", "y"]}  # a slider and a menu


def parse(player):
    return page.fromstring(f"<div>{player._repr_html_()}</div>")


def test_numbers_have_a_slider_and_names_a_menu_each_with_its_label():
    choices = {"a": [1, 4, 16], "b": {"one & a half": 1.5, '"two"': 2}}
    root = parse(explore(draw, **choices, labels={"b": "mode <b>"}, start={"a": 2, "b": 1}))
    [slider], [menu] = root.findall(".//input"), root.findall(".//select")
    shown = {slider: ("a", ["1", "4", "16"]), menu: ("mode <b>", list(choices["b"]))}
    for control, (name, values) in shown.items():
        [label] = root.xpath("//label[@for=$id]", id=control.get("id"))
        assert label.text_content() == name
        assert json.loads(control.get("data-labels")) == values
    have = {key: slider.get(key) for key in ("type", "min", "max", "step", "value", "aria-valuetext")}
    assert have == {"type": "range", "min": "0", "max": "2", "step": "1", "value": "2", "aria-valuetext": "16"}
    assert [(option.text_content(), "selected" in option.attrib) for option in menu] == [
        ("one & a half", False),
        ('"two"', True),
    ]
    assert len({element.get("id") for element in root.xpath("//*[@id]")}) == len(root.xpath("//*[@id]"))
    assert parse(explore(draw, a={"none": 0, "2": 2})).find(".//input") is None, "numbers and names are a menu"


@pytest.mark.parametrize("choices", [{"a": [1, 4]}, TWO, {"b": [1, 2], "a": (5, 6, 7)}, {"a": {"five": 5, "six": 6}}])
@pytest.mark.parametrize("last", [False, True])
def test_there_is_a_frame_for_every_choice_and_the_start_is_visible(choices, last):
    values = {name: list(v.values()) if isinstance(v, dict) else list(v) for name, v in choices.items()}
    start = {name: len(v) - 1 for name, v in values.items()} if last else None
    frames = parse(explore(draw, **choices, start=start)).find_class("frame")
    combinations = [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]
    expected = [f"{chosen.get('a')},{chosen.get('b', 0)}" for chosen in combinations]
    assert [frame.text_content() for frame in frames] == expected
    assert [i for i, f in enumerate(frames) if "hidden" not in f.attrib] == [len(frames) - 1 if last else 0]


def test_without_script_there_are_no_dead_controls_and_the_choice_is_named():
    root = parse(explore(draw, **TWO, labels={"b": "mode"}, start={"b": 1}))
    [controls] = root.find_class("explore-controls")
    assert "hidden" in controls.attrib
    assert all(controls in control.iterancestors() for control in root.iter("input", "select"))
    assert "src" not in root.find(".//script").attrib
    assert root.find_class("explore-chosen")[0].text_content() == "a: 1; mode: y"


def test_a_player_made_twice_has_the_same_bytes():
    one, again = (explore(scaling.draw_scaling, d_k=[1, 4], scale=["no scale", "1/dₖ"])._repr_html_() for _ in range(2))
    assert one == again
    assert one.count(scaling.draw_scaling(4, "1/dₖ").svg) == 1


@pytest.mark.parametrize(
    ("name", "choices", "options"),
    [
        ("explore", {}, {}),
        ("explore", {"a": [1, 2], "b": [1, 2], "c": [1, 2]}, {}),
        ("b", {"a": [1, 2], "b": [1]}, {}),
        ("a", {"a": []}, {}),
        ("start", TWO, {"start": {"a": 3}}),
        ("start", TWO, {"start": {"c": 1}}),
        ("labels", TWO, {"labels": {"c": "x"}}),
    ],
)
def test_what_does_not_fit_the_choices_is_refused(name, choices, options):
    with pytest.raises(ValueError, match=rf"\b{name}\b"):
        explore(draw, **choices, **options)


def test_the_script_shows_the_chosen_frame_and_says_so():
    assert chromium(), "There is no browser: install chromium, or name one in CHROMIUM."
    with sync_playwright() as run:
        browser = run.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        tab, errors = browser.new_page(), []
        tab.on("pageerror", lambda error: errors.append(error))
        tab.set_content(explore(draw, **TWO, labels={"a": "size"}, start={"a": 1})._repr_html_())
        size, mode = (tab.get_by_role(role, name=name) for role, name in (("slider", "size"), ("combobox", "b")))
        assert size.is_visible()  # the script has brought the controls
        assert not tab.locator(".explore-chosen").is_visible()
        assert tab.locator(".frame:visible").all_inner_texts() == ["4,x"]
        mode.focus()
        tab.keyboard.press("ArrowRight")
        size.press("End")
        assert tab.locator(".frame:visible").all_inner_texts() == ["16,y"]
        assert size.get_attribute("aria-valuetext") == "16"
        assert tab.locator("output").all_inner_texts() == ["16"]
        assert tab.locator(".explore-chosen").text_content() == "size: 16; b: y"
        assert tab.locator(".explore-spoken").text_content() == draw(16, "y").alt
        browser.close()
    assert errors == []


LABELS = {"d_k": "key dimension dₖ"}
DRAW = f"explore(draw_scaling, d_k=[1, 4], labels={LABELS}, free={{'d_k': (1, 9)}})"
CELLS = {
    "setup": "import os\nfrom attnfigures.explore import explore\n"
    "from attnfigures.static.scaling import draw_scaling\nos.environ.pop('ATTNBOOK_BUILD', None)",
    "live": DRAW,
    "not free": "explore(draw_scaling, d_k=[1, 4])",
    "slow": "import types, sys, itertools\nclock = itertools.count(0, 1.5)\n"
    "module = sys.modules['attnfigures.explore']\n"
    "module.time, real = types.SimpleNamespace(monotonic=lambda: next(clock)), module.time\n"
    "explore(draw_scaling, d_k=[1, 4, 16]); module.time = real",
    "build": f"os.environ['ATTNBOOK_BUILD'] = '1'\n{DRAW}",
}


def without_notes(outputs):
    """Leave out notes about progress, which are empty in the end: on a busy machine there may be one."""
    return [output for output in outputs if output.data.get("text/html") != ""]


def test_only_a_live_kernel_adds_a_slider_which_draws_the_same_picture(run_notebook):
    outputs, widgets = run_notebook(CELLS)
    for cell, labels in (("build", LABELS), ("not free", None)):
        [output] = without_notes(outputs[cell])
        assert output.data["text/html"] == explore(scaling.draw_scaling, d_k=[1, 4], labels=labels)._repr_html_()
    player, slider = without_notes(outputs["live"])
    assert player.data["text/html"] == outputs["build"][0].data["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in slider.data
    [state] = [widget["state"] for widget in widgets.values() if widget["model_name"] == "IntSliderModel"]
    assert (state["description"], state["min"], state["max"]) == (LABELS["d_k"], 1, 9)
    [area] = [widget["state"] for widget in widgets.values() if widget["model_name"] == "OutputModel"]
    assert area["outputs"][0]["data"]["text/html"] == scaling.draw_scaling(state["value"]).svg
    [note] = outputs["slow"]
    assert note.data["text/html"] == "", "the note about progress is cleaned up"
