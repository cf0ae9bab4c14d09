"""A chapter of the second edition on a wide screen: not too long, and never long without a picture."""

import pytest
from built_site import DESK, SOURCES, report
from edition import FIRST_EDITION

SCREEN, LONGEST, FIRST, APART = 1000, 20, 2, 4  # px; screens before the exercises, to and between pictures
NUMBERED = "//nav[contains(@class, 'bd-links')]//li[contains(@class, 'toctree-l1')][contains(a, '. ')]/a/@href"
PLACES = """() => {
  document.querySelectorAll(".late").forEach((section) => { section.style.contentVisibility = "visible"; });
  const top = document.querySelector("main article").getBoundingClientRect().top;
  const at = (element, side) => element.getBoundingClientRect()[side] - top;
  const end = at(document.getElementById("exercises"), "top");
  const pictures = [...document.querySelectorAll("main article :is(.live, .explore, figure)")]
    .map((picture) => [at(picture, "top"), at(picture, "bottom")])
    .filter(([begin]) => begin < end).sort((a, b) => a[0] - b[0]);
  return [end, pictures];
}"""


def test_a_chapter_has_at_most_twenty_screens_and_many_pictures(open_page):
    links = [link.removesuffix(".html").removeprefix("./") for link in SOURCES["index"].xpath(NUMBERED)]
    names = [link for link in links if link.removeprefix("chapters/") not in FIRST_EDITION]
    assert len(links) >= len(FIRST_EDITION), links
    problems = []
    for name in names:
        page = open_page(name, width=DESK)
        problems += [f"{name}: {line}" for line in lengths(*page.evaluate(PLACES))]
        page.context.close()
    report(problems)


def lengths(end, pictures):
    """What is too long, from where the exercises begin and where each picture begins and ends, in px."""
    if end > LONGEST * SCREEN:
        yield f"{end / SCREEN:.1f} screens before the exercises; at most {LONGEST}"
    if not pictures or pictures[0][0] > FIRST * SCREEN:
        yield f"no picture on the first {FIRST} screens"
    reached = 0
    for begin, finish in [*pictures, (end, end)]:
        if begin - reached > APART * SCREEN:
            yield f"no picture between {reached / SCREEN:.1f} and {begin / SCREEN:.1f} screens"
        reached = max(reached, finish)


@pytest.mark.parametrize(
    ("end", "pictures", "problems"),
    [
        (19_000, [[500, 900], [4_800, 5_200], [9_000, 9_400], [13_300, 13_700], [15_100, 15_200]], 0),
        (20_100, [[500, 900], [4_800, 5_200], [9_000, 9_400], [13_300, 13_700], [17_100, 17_200]], 1),
        (4_000, [[2_100, 2_500]], 1),
        (4_000, [], 1),
        (9_000, [[500, 900], [4_950, 5_300]], 1),
    ],
)
def test_what_is_too_long_is_found(end, pictures, problems):
    assert len(list(lengths(end, pictures))) == problems
