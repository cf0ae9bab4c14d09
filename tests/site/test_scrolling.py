"""A page that is scrolled and magnified: its list marks what is read, and nothing overflows or covers the text."""

import sys
from pathlib import Path

import pytest
from built_site import DESK, FROM_FOLDER, SITE, mainly, named, report

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
# At ten places of the page: whether it is too wide, and which text below the line at the top has something over it.
MAGNIFIED = """async () => {
  document.querySelectorAll(".late").forEach((section) => { section.style.contentVisibility = "visible"; });
  const frame = () => new Promise(requestAnimationFrame), found = new Set(), root = document.documentElement;
  const name = (element) => `${element.localName}.${element.className}`;
  const out = (element) => element.getBoundingClientRect().right > innerWidth + 1 && !element.closest("svg");
  const holds = ({ left, right, top, bottom }, x, y) => left <= x && x <= right && top <= y && y <= bottom;
  const blocks = [...document.querySelectorAll("main :is(p, li, dt, dd, h1, h2, h3, h4, td, th, summary, figcaption)")];
  for (let step = 0; step < 10; step++) {
    for (let turn = 0; turn < 4; turn++) {  // what was laid out late changes its height
      scrollTo(0, (root.scrollHeight - innerHeight) * step / 9);
      await frame();
    }
    const wide = root.scrollWidth - root.clientWidth;
    if (wide > 0) {
      const first = [...document.querySelectorAll("main *")].find(out);
      found.add(`the page is ${wide} px too wide, ${first ? name(first) : ""}`);
    }
    const line = document.querySelector(".bd-header-article")?.getBoundingClientRect().bottom ?? 0;
    for (const block of blocks) {
      const { top, bottom } = block.getBoundingClientRect();
      if (bottom < line || top > innerHeight || !block.checkVisibility({ visibilityProperty: true })) continue;
      for (const text of [...block.childNodes].filter((node) => node.nodeType === 3 && node.data.trim())) {
        const range = document.createRange();
        range.selectNodeContents(text);
        for (const { x, y, width, height } of range.getClientRects()) {
          const at = [x + width / 2, y + height / 2];
          // Below the line at the top, on the screen, and in no box that cuts it off.
          let seen = line < at[1] && at[1] < innerHeight && at[0] < innerWidth && width > 1;
          for (let box = block; seen && box.localName !== "main"; box = box.parentElement) {
            seen = holds(box.getBoundingClientRect(), ...at);
          }
          const over = seen && document.elementFromPoint(...at);
          if (over && !block.contains(over) && !over.contains(block)) {
            found.add(`${name(over)} lies over ${JSON.stringify(text.data.trim().slice(0, 50))}`);
          }
        }
      }
    }
  }
  return [...found];
}"""
SIZES = ((320, 400), (640, 200))  # of a screen of 1280 px: what is left of its width, and per cent


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


@pytest.mark.parametrize("name", mainly(FROM_FOLDER or [None], first=2, also=OVERFLOWED))
def test_nothing_overflows_or_is_covered_when_a_page_is_magnified(open_page, name):
    """At 400 % of a screen of 1280 pixels, and at 200 %, from the top of the page to its end."""
    page, problems = open_page(name, width=320), []
    for width, percent in SIZES:
        page.set_viewport_size({"width": width, "height": width * 4 // 5})
        problems += [f"{name}: at {percent} % {problem}" for problem in page.evaluate(MAGNIFIED)]
    page.context.close()
    report(problems)


@pytest.fixture(scope="session")  # the tests of a page run one after the other, so a worker comes back to this file
def fox(tmp_path_factory):
    """One page of Firefox for all pages."""
    assert firefox(), "There is no Firefox: install firefox-esr."
    with Firefox(firefox(), tmp_path_factory.mktemp("firefox")) as page:
        yield page


@pytest.mark.thorough
@pytest.mark.parametrize("name", FROM_FOLDER or [None])
def test_nothing_overflows_or_is_covered_when_a_page_is_magnified_in_firefox(fox, name):
    problems = []
    for width, percent in SIZES:
        fox.resize(width, width * 4 // 5)
        fox.open((SITE / f"{named(name)}.html").as_uri())
        problems += [f"{name}: at {percent} % {problem}" for problem in fox.evaluate(MAGNIFIED)]
    report(problems)


def test_what_is_wrong_only_further_down_is_found(open_page, tmp_path):
    """A note that stays at the foot of the screen, and a figure that grows as soon as the page is scrolled."""
    (tmp_path / "index.html").write_text(
        f"<!DOCTYPE html><main><article><p id=a>First.</p>{'<p>Some words of a text.</p>' * 60}"
        "<div style='position: sticky; bottom: 0; height: 40px' class=note></div></article></main>"
        "<script>addEventListener('scroll', () => { if (scrollY > 500) a.style.width = '900px'; })</script>",
        encoding="utf-8",
    )
    page = open_page("index", width=640, base=tmp_path.as_uri())
    found = page.evaluate(MAGNIFIED)
    page.context.close()
    assert any(line.startswith("the page is 2") or "px too wide, p." in line for line in found), found
    assert 'div.note lies over "Some words of a text."' in found


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
