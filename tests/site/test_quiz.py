"""Self-checks in a browser: the reason behind an option is seen, heard and printed, with scripts and without."""

import re

import pytest
from bookext.contents import contents
from built_site import HEIGHT, ROOT, SOURCES, WIDTHS, has_class, is_translated, mainly, named, pages_with, report

QUIZ = f"//fieldset[{has_class('quiz')}]"
PREDICT = f"//div[{has_class('predict')}]"
RECALL = "chapters/recall"
SIGN = re.compile("[✓✗] ")
# What a reader can tell of a quiz: which option is chosen, and whose reasons are to be seen.
STATE = """(quiz) => {
  const options = [...quiz.querySelectorAll(".quiz-option")], inputs = options.map((o) => o.querySelector("input"));
  const reasons = options.map((o) => o.querySelector(".quiz-reason"));
  const where = (list, test) => list.flatMap((element, i) => (test(element) ? [i] : []));
  return { options: options.length, focus: inputs.indexOf(document.activeElement),
    chosen: where(inputs, (i) => i.checked), seen: where(reasons, (r) => r.checkVisibility() && r.offsetHeight > 0) };
}"""
SMALL = """(parts) => parts.map((part) => [part.id || part.htmlFor, part.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 24 || height < 24)
  .map(([name, { width, height }]) => `${name}: ${width} × ${height}`)"""


def asked(name):
    """Return {id: texts of the question and of the options} of the quizzes of a page in the language of its edition."""
    texts = {}
    for quiz in filter(is_translated, SOURCES[name].xpath(QUIZ)):
        head = quiz.xpath("string(legend/span[@class='quiz-head'])")
        parts = [quiz.xpath("legend")[0], *quiz.xpath(".//label")]
        texts[quiz.get("id")] = [" ".join(part.text_content().removeprefix(head).split()) for part in parts]
    return texts


@pytest.fixture(scope="module", params=mainly(pages_with(QUIZ), 1))
def name(request):
    """A page with quizzes."""
    return named(request.param)


@pytest.fixture(scope="module", params=[False, True], ids=["without script", "with script"])
def opened(request, open_page, name):
    page = open_page(name, java_script_enabled=request.param)
    yield page
    page.context.close()


@pytest.fixture
def page(opened):
    """The page, opened once for all tests, with what is chosen from the start, and no quiz folded."""
    opened.evaluate("document.querySelectorAll('details:has(.quiz)').forEach((box) => { box.open = true; })")
    opened.evaluate("document.querySelectorAll('.quiz input').forEach((i) => { i.checked = i.defaultChecked; })")
    return opened


def test_there_is_room_for_a_finger(page, name):
    for width in reversed(WIDTHS):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        small = page.locator("fieldset.quiz input, fieldset.quiz label").evaluate_all(SMALL)
        report(f"{name}: on a screen of {width} px {part} px" for part in small)


def test_a_chosen_option_shows_its_reason_and_no_other(page, name):
    """The space bar chooses the first option, an arrow key the next, and after the last the first again."""
    problems = []
    for quiz in page.locator("fieldset.quiz").all():
        state, label = quiz.evaluate(STATE), quiz.get_attribute("id")
        if state["chosen"] or state["seen"]:
            problems.append(f"{name}: {label}: a reason is seen before an option is chosen")
        quiz.locator("input").first.press("Space")
        for number in [*range(state["options"]), 0]:
            state = quiz.evaluate(STATE)
            if not state["chosen"] == state["seen"] == [state["focus"]] == [number]:
                problems.append(f"{name}: {label}: at option {number + 1} {state}")
            page.keyboard.press("ArrowDown")
    report(problems)


def test_a_reason_is_heard_when_its_option_is_chosen(page, name):
    """Each quiz is a group named by its question, of buttons named by their options; a reason appears in a status.

    Their names hold the formulas too, which browsers leave out of a name unless they have one of their own.
    """
    problems = []
    for quiz in page.locator("fieldset.quiz").all():
        label, heard = quiz.get_attribute("id"), quiz.aria_snapshot()
        if not re.match(r"""- '?group "[^"]""", heard) or len(re.findall(r"""^ +- '?radio "[^"]""", heard, re.M)) < 2:
            problems.append(f"{name}: {label}: is heard as {heard[:200]}")
        formulas = quiz.locator(":is(legend, label) math").evaluate_all("all => all.map((e) => e.ariaLabel)")
        problems += [
            f"{name}: {label}: {formula} is not heard" for formula in formulas if not formula or formula not in heard
        ]
        if SIGN.search(heard):
            problems.append(f"{name}: {label}: a reason is heard before an option is chosen")
        quiz.locator("input").first.check()
        statuses = quiz.aria_snapshot().split("- status")[1:]
        if [bool(SIGN.search(status)) for status in statuses] != [True] + [False] * (heard.count("- status") - 1):
            problems.append(f"{name}: {label}: the statuses say {statuses}")
    report(problems)


def predicted(name):
    """Return the texts of the boxes *Predict first* of a page in the language of its edition, in order."""
    boxes = filter(is_translated, SOURCES[name].xpath(PREDICT))
    return [" ".join(box.text_content().split()) for box in boxes]


def test_recall_asks_everything_once_and_leads_back():
    """Under names of its own, each before a link to the section in which it stands, and in no box."""
    page = SOURCES[named(RECALL)]
    listed = contents(ROOT)
    sources = [name for name in (*listed.chapters, *listed.deeper) if name in SOURCES]
    assert asked(RECALL) == {f"recall-{key}": text for name in sources for key, text in asked(name).items()}
    assert sorted(predicted(RECALL)) == sorted(text for name in sources for text in predicted(name))
    problems = []
    for question in page.xpath(f"{QUIZ} | {PREDICT}"):
        link = question.xpath("string(following-sibling::*[1][self::p]/a/@href)")
        name, _, section = link.partition(".html#")
        label = question.get("id").removeprefix("recall-")
        there = f"//section[@id='{section}']"
        there += f"/fieldset[@id='{label}']" if question.tag == "fieldset" else PREDICT
        if not SOURCES[f"chapters/{name}"].xpath(there):
            problems.append(f"{RECALL}: {label}: {link} does not lead to its section")
    report(problems)
