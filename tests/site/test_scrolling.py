"""A page that is scrolled and magnified: its list marks what is read, and nothing overflows or covers the text."""

import sys
from pathlib import Path

import pytest
from built_site import DESK, PAGES, SITE, mainly, report

sys.path.append(str(Path(__file__).resolve().parents[1] / "package"))
from firefox import Firefox, firefox

LONG = "chapters/equivariance-invariance"
OVERFLOWED = ("search", "chapters/audit/s1")
# At 30 places of the page: which section the list marks, which of its sections hold what stands at the line of reading
# (in a gap between two blocks, what stands above or below it), and whether the marked one is on the screen.
MARKED = """async () => {
  const frame = () => new Promise(requestAnimationFrame), found = [], root = document.documentElement;
  const links = [...document.querySelectorAll("#pst-page-toc-nav a")];
  const listed = links.map((link) => document.getElementById(link.hash.slice(1)));
  for (let step = 0; step < 30; step++) {
    for (let turn = 0; turn < 4; turn++) {  // what is laid out late changes its height
      scrollTo(0, (root.scrollHeight - innerHeight) * (step % 2 ? step : 29 - step) / 29);
      await frame();
    }
    await frame();
    const marked = links.filter((link) => link.getAttribute("aria-current"));
    const box = document.querySelector("article h1").getBoundingClientRect();
    const block = (way) => {
      let y = 0.3 * innerHeight, there = document.elementFromPoint(box.x + 20, y);
      while (there?.localName === "section") { y += way; there = document.elementFromPoint(box.x + 20, y); }
      return listed.filter((one) => one.contains(there)).pop()?.id ?? null;
    };
    const section = marked.length === 1 && document.getElementById(marked[0].hash.slice(1));
    const { top, bottom } = section ? section.getBoundingClientRect() : { top: 0, bottom: -1 };
    found.push({
      step, y: scrollY, marked: marked.map((link) => link.hash.slice(1)), shown: top < innerHeight && bottom > 0,
      last: root.scrollHeight - innerHeight - scrollY < 0.7 * innerHeight,
      read: [...new Set([block(-4), block(4)])].filter((id) => id),
    });
  }
  return found;
}"""
WIDE = """async () => {
  document.querySelectorAll(".late").forEach((section) => { section.style.contentVisibility = "visible"; });
  for (let turn = 0; turn < 4; turn++) { await new Promise(requestAnimationFrame); }  // then it scrolls
  const root = document.documentElement, wide = root.scrollWidth - root.clientWidth;
  const out = (element) => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest("svg");
  const first = [...document.querySelectorAll("main *")].find(out);
  return [wide, first ? `${first.localName}.${first.className}` : ""];
}"""


def wrong(places):
    """What the list of sections says that is not so, at each place."""
    for at in places:
        if at["read"] and not at["last"] and at["marked"] not in [[section] for section in at["read"]]:
            yield f"{at['y']:.0f} px down {' or '.join(at['read'])} is read, and the list marks {at['marked']}"
        elif at["marked"] and not at["shown"]:
            yield f"{at['y']:.0f} px down the list marks {at['marked']}, which is not on the screen"


def check(places):
    """Hold the marks of a page to what is read there; most places must be inside a section."""
    assert sum(bool(at["read"]) for at in places) > 20, places
    report(wrong(places))


def test_the_list_of_sections_marks_the_one_that_is_read(open_page):
    page = open_page(LONG, width=DESK)
    places = page.evaluate(MARKED)
    page.context.close()
    check(places)


@pytest.mark.thorough
def test_the_list_of_sections_marks_the_one_that_is_read_in_firefox(tmp_path):
    assert firefox(), "There is no Firefox: install firefox-esr."
    with Firefox(firefox(), tmp_path) as page:
        page.open((SITE / f"{LONG}.html").as_uri())
        check(page.evaluate(MARKED))


@pytest.mark.parametrize("name", mainly(PAGES or [None], first=2, also=OVERFLOWED))
def test_nothing_overflows_when_a_page_is_magnified(open_page, name):
    """At 400 % of a screen of 1280 pixels, and at 200 %."""
    page, problems = open_page(name, width=320), []
    for width, percent in ((320, 400), (640, 200)):
        page.set_viewport_size({"width": width, "height": width * 4 // 5})
        wide, first = page.evaluate(WIDE)
        if wide > 0:
            problems.append(f"{name}: at {percent} % the page is {wide} px too wide, {first}")
    page.context.close()
    report(problems)


def test_no_button_lies_over_the_text(open_page):
    """Scrolled to the middle at 200 %, nothing stands still over the text but the line at the top."""
    page = open_page(LONG, width=640)
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 2)")
    fixed = """() => [...document.body.querySelectorAll("*")].filter((element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return getComputedStyle(element).position === "fixed" && right > left && right > 0 && left < innerWidth
        && bottom > top && bottom > 0 && top < innerHeight && element.checkVisibility({ visibilityProperty: true });
    }).map((element) => element.id || element.className)"""
    found = page.evaluate(fixed)
    page.context.close()
    assert found == []
