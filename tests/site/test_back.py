"""Back at a page that the browser has not kept: every control and what it moves agree, where the reader left them."""

import time

import pytest
from built_site import FROM_FOLDER, LAY_OUT, has_class, mainly, pages_with, report

QUIZ = ("quiz-", "recall-")  # begin the ids of quizzes
CONTROLS = f"//main//*[self::input or self::select or {has_class('live')}]"
PLAYER = f"//main//div[{has_class('explore')}]"
# Moves every control as far from its start as it goes, and every handle by a step; passes over what figures ask.
MOVE = """() => {
  const all = (selector) => document.querySelectorAll(`main ${selector}`);
  all("[data-skip]").forEach((button) => button.click());
  for (const control of all(":is(input, select):enabled:not(.live-ask *)")) {
    const { type, value, min, max } = control;
    if (type === "radio") control.checked = true;
    if (type === "range") control.value = value === max ? min : max;
    if (type === "search") control.value = "mask";
    if (type === "select-one") control.selectedIndex = (control.selectedIndex + 1) % control.length;
    for (const name of ["input", "change"]) control.dispatchEvent(new Event(name, { bubbles: true }));
  }
  for (const handle of all("[role=slider]")) {
    for (const key of ["ArrowLeft", "ArrowUp"]) {
      handle.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    }
  }
}"""
# What a reader sees and hears of each explorer, quiz and form, and of a live figure its controls and the state that it
# draws; the trace of what was done in it may be gone. The page that asks again has another question.
LOOK = """() => {
  const PARTS = ["d", "points", "transform", "x", "y", "r", "aria-valuetext"];
  const read = (element) => PARTS.map((name) => element.getAttribute(name)).join();
  const value = (control) => (control.type === "radio" ? control.checked : control.value);
  const seen = {};
  function add(name, box, shown = box) {
    const values = [...box.querySelectorAll("input, select")].map((control) => [value(control), read(control)]);
    const parts = [...shown.querySelectorAll("svg *, [role=slider]")].filter((part) => part.checkVisibility());
    seen[name] = { values, drawn: parts.map(read), text: shown.innerText };
  }
  const boxes = document.querySelectorAll("main :is(.explore, .live, fieldset.quiz:not(.practice *))");
  boxes.forEach((box) => add(box.id, box));
  for (const { id, figure } of document.querySelectorAll("main .live")) {
    seen[id] = { values: seen[id].values, state: JSON.stringify(figure.model.get("state")) };
  }
  document.querySelectorAll("main form").forEach((form) => add("form", form, form.closest("main")));
  return seen;
}"""


def look(page):
    """Return what is seen once it has not changed for as long as a figure waits before it speaks."""
    page.evaluate(LAY_OUT)
    page.evaluate("() => (typeof bookSearch === 'undefined' ? null : bookSearch.ready)")  # its index comes late
    last, seen = None, page.evaluate(LOOK)
    while seen != last:
        time.sleep(0.5)
        last, seen = seen, page.evaluate(LOOK)
    return seen


PAGES = [name for name in pages_with(CONTROLS) if name in FROM_FOLDER]


@pytest.mark.parametrize("name", mainly(PAGES, 2, ["search", *pages_with(PLAYER)]))
def test_back_at_a_page_controls_and_figures_agree(open_page, server, name):
    """A quiz asks again, as its button has been told; everything else has kept its place."""
    page = open_page(name, base=server)
    start = look(page)
    page.evaluate(MOVE)
    moved = look(page)
    page.goto(f"{server}/404.html", wait_until="load")
    page.go_back(wait_until="load")
    back = look(page)
    assert start
    assert start != moved, f"{name}: nothing could be moved"
    wanted = {key: start[key] if key.startswith(QUIZ) else moved[key] for key in start}
    problems = [
        f"{name}: {key}: {part} is not as it was left"
        for key, parts in wanted.items()
        for part, value in parts.items()
        if back[key][part] != value
    ]
    report(problems + [line for line in page.log if "ERR_ABORTED" not in line])  # a font may still be on its way
    page.context.close()
