"""A page that is scrolled and magnified: links land on their headings, and nothing overflows or covers the text."""

import pytest
from built_site import DESK, FROM_FOLDER, LAY_OUT, PHONE, mainly, report

LONG = "chapters/equivariance-invariance"
OVERFLOWED = ("search", "chapters/audit/query-key-value-claims")
# Follow every link of the list of sections: where its heading comes to lie, in px, whether the page ends there, and
# whether the list then marks one section, which is on the screen.
FOLLOWED = """async () => {
  const frame = () => new Promise(requestAnimationFrame), landed = [];
  const links = [...document.querySelectorAll("#pst-page-toc-nav a")];
  const section = (link) => document.getElementById(link.hash.slice(1));
  const box = (element) => element.getBoundingClientRect();
  for (const link of links) {
    link.click();
    for (let turn = 0; turn < 8; turn++) await frame();
    const marked = links.filter((one) => one.hasAttribute("aria-current")).map((one) => box(section(one)));
    const end = document.documentElement.scrollHeight - innerHeight - scrollY < 0.7 * innerHeight;
    landed.push([link.hash, box(section(link).querySelector("h1, h2, h3, h4")).top, end,
      marked.length === 1 && marked[0].top < innerHeight / 2 && marked[0].bottom > 0]);
  }
  return landed;
}"""
# At ten places of the page: whether it is too wide, and which text below the line at the top has something over it.
MAGNIFIED = """async () => {
  const frame = () => new Promise(requestAnimationFrame), errors = new Set(), root = document.documentElement;
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
      errors.add(`the page is ${wide} px too wide, ${first ? name(first) : ""}`);
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
            errors.add(`${name(over)} lies over ${JSON.stringify(text.data.trim().slice(0, 50))}`);
          }
        }
      }
    }
  }
  return [...errors];
}"""
# With every fold open: what scrolls sideways and cannot be reached by keyboard, and what is a stop and does not scroll.
FOLDED = """async () => {
  for (const fold of document.querySelectorAll("article details")) fold.open = true;
  for (let turn = 0; turn < 9; turn++) await new Promise(requestAnimationFrame);
  await new Promise((done) => setTimeout(done, 100));
  const boxes = [...document.querySelectorAll("article :is(pre, div.math, .pst-scrollable-table-container)")];
  const shown = boxes.filter((box) => box.checkVisibility());
  const wrong = shown.filter((box) => (box.scrollWidth > box.clientWidth) !== (box.tabIndex === 0));
  return { folded: shown.filter((box) => box.closest("details")).length,
    wrong: wrong.map((box) => `${box.localName}.${box.className} ${box.textContent.trim().slice(0, 40)}`) };
}"""
SIZES = ((320, 400), (640, 200), (DESK, 100))  # of a screen of 1280 px: what is left of its width, and per cent


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_a_link_lands_on_its_heading(open_page, width):
    """On the longest page, of which the browser has not laid out what it has not shown; the list marks where it is."""
    page = open_page(LONG, width=width)
    landed = page.evaluate(FOLLOWED)
    page.context.close()
    assert landed
    report(f"{link}: its heading lies at {top:.0f} px" for link, top, end, _ in landed if not (0 <= top < 200 or end))
    report(f"{link}: the list of sections marks another" for link, _, end, marked in landed if not (marked or end))


def test_a_page_opened_again_is_where_it_was(open_page):
    page, top = open_page(LONG), "document.querySelectorAll('article h2')[5].getBoundingClientRect().top"
    page.evaluate(LAY_OUT)
    page.evaluate(f"scrollBy(0, {top} - 200)")
    page.reload()
    page.wait_for_timeout(500)  # figures above it are drawn, and a browser lays out
    assert abs(page.evaluate(top) - 200) < 24  # a line
    page.context.close()


@pytest.mark.parametrize("name", mainly(FROM_FOLDER or [None], first=1, also=OVERFLOWED))
def test_nothing_overflows_or_is_covered_when_a_page_is_magnified(open_page, name):
    """At 400 % of a screen of 1280 pixels, at 200 % and as it is, from the top of the page to its end."""
    page, problems = open_page(name, width=320), []
    page.evaluate(LAY_OUT)
    for width, percent in SIZES:
        page.set_viewport_size({"width": width, "height": width * 4 // 5})
        problems += [f"{name}: at {percent} % {problem}" for problem in page.evaluate(MAGNIFIED)]
    page.context.close()
    report(problems)


@pytest.mark.parametrize("name", [LONG, "chapters/slips"])
def test_what_scrolls_in_a_fold_is_reached_by_keyboard_once_it_is_open(open_page, name):
    """Until then nobody measures it: that would lay out every fold of the page."""
    page = open_page(name, width=PHONE)
    page.evaluate(LAY_OUT)
    found = page.evaluate(FOLDED)
    page.context.close()
    assert found["folded"]
    report(f"{name}: {box}" for box in found["wrong"])


@pytest.mark.parametrize(("name", "first"), [("chapters/sqrt-dk-scaling", True), ("chapters/bibliography", False)])
@pytest.mark.parametrize("width", [PHONE, DESK])
def test_the_contents_show_the_page_and_scroll_no_further(open_page, name, first, width):
    """Where the page stands far above, they open with the name of the book in sight."""
    page = open_page(name, width=width)
    contents = page.locator("#pst-primary-sidebar")
    if width == PHONE:
        page.locator(".primary-toggle:visible").click()
        contents = page.locator("#pst-primary-sidebar-modal")
        page.wait_for_timeout(400)  # it slides in
    box = contents.bounding_box()
    here = contents.locator("a.current").bounding_box()
    assert box["y"] <= here["y"] <= box["y"] + box["height"] - here["height"] + 1  # a fraction of a pixel
    assert (contents.evaluate("(element) => element.scrollTop") == 0) == first
    page.context.close()
