"""Self-checks in a browser: the reason behind an option is seen, heard and printed, with scripts and without."""

import re

import pytest
from built_site import HEIGHT, SOURCES, WIDTHS, mainly, named, pages_with, report

QUIZ = "//fieldset[contains(concat(' ', @class, ' '), ' quiz ')]"
RECALL = "chapters/recall"
SIGN = re.compile("[✓✗] ")
# What a reader can tell of a quiz: which option is chosen, and whose reasons are to be seen.
STATE = """(quiz) => {
  const options = [...quiz.querySelectorAll(".quiz-option")], inputs = options.map((o) => o.querySelector("input"));
  const reasons = options.map((o) => o.querySelector(".quiz-reason"));
  const where = (list, test) => list.flatMap((element, i) => (test(element) ? [i] : []));
  return { options: options.length, said: reasons.map((r) => r.textContent),
    focus: inputs.indexOf(document.activeElement), chosen: where(inputs, (i) => i.checked),
    seen: where(reasons, (r) => r.checkVisibility() && r.offsetHeight > 0) };
}"""
SMALL = """(parts) => parts.map((part) => [part.id || part.htmlFor, part.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 24 || height < 24)
  .map(([name, { width, height }]) => `${name}: ${width} × ${height}`)"""
every_page = pytest.mark.parametrize("name", mainly(pages_with(QUIZ), 1, also=(RECALL,)))


def asked(name):
    """{id: the words of the question and of the options} of the quizzes of a page."""
    words = {}
    for quiz in SOURCES[name].xpath(QUIZ):
        head = quiz.xpath("string(legend/span[@class='quiz-head'])")
        parts = [quiz.xpath("legend")[0], *quiz.xpath(".//label")]
        words[quiz.get("id")] = [" ".join(part.text_content().removeprefix(head).split()) for part in parts]
    return words


@every_page
@pytest.mark.parametrize("script", [False, True], ids=["without script", "with script"])
def test_a_chosen_option_shows_its_reason_and_no_other(open_page, name, script):
    """The space bar chooses the first option, an arrow key the next, and after the last the first again."""
    page, problems = open_page(named(name), java_script_enabled=script), []
    for quiz in page.locator("fieldset.quiz").all():
        state, label = quiz.evaluate(STATE), quiz.get_attribute("id")
        if state["chosen"] or state["seen"]:
            problems.append(f"{name}: {label}: a reason is seen before an option is chosen")
        problems += [f"{name}: {label}: begins without a sign: {s[:40]}" for s in state["said"] if not SIGN.match(s)]
        quiz.locator("input").first.focus()
        page.keyboard.press("Space")
        for number in [*range(state["options"]), 0]:
            state = quiz.evaluate(STATE)
            if not state["chosen"] == state["seen"] == [state["focus"]] == [number]:
                problems.append(f"{name}: {label}: at option {number + 1} {state}")
            page.keyboard.press("ArrowDown")
    page.context.close()
    report(problems)


@every_page
def test_a_screen_reader_hears_the_reason(open_page, name):
    """Each quiz is a group named by its question, of buttons named by their options; a reason appears in a status."""
    page, problems = open_page(named(name)), []
    for quiz in page.locator("fieldset.quiz").all():
        label, told = quiz.get_attribute("id"), quiz.aria_snapshot()
        if not re.match(r"""- '?group "[^"]""", told) or len(re.findall(r"""^ +- '?radio "[^"]""", told, re.M)) < 2:
            problems.append(f"{name}: {label}: is told as {told[:200]}")
        if SIGN.search(told):
            problems.append(f"{name}: {label}: a reason is heard before an option is chosen")
        quiz.locator("input").first.check()
        statuses = [status.aria_snapshot() for status in quiz.get_by_role("status").all()]
        heard = [status for status in statuses if SIGN.search(status)]
        if len(heard) != 1 or heard[0] != statuses[0]:
            problems.append(f"{name}: {label}: the statuses say {statuses}")
    page.context.close()
    report(problems)


@every_page
def test_paper_shows_every_reason(open_page, name):
    page = open_page(named(name))
    page.emulate_media(media="print")
    states = page.locator("fieldset.quiz").evaluate_all(f"(all) => all.map({STATE})")
    page.context.close()
    report(f"{name}: on paper {s['seen']} of {s['options']}" for s in states if len(s["seen"]) < s["options"])


@every_page
@pytest.mark.parametrize("width", WIDTHS)
def test_there_is_room_for_a_finger(open_page, name, width):
    page = open_page(named(name), width=width)
    page.set_viewport_size({"width": width, "height": HEIGHT})
    small = page.locator("fieldset.quiz input, fieldset.quiz label").evaluate_all(SMALL)
    page.context.close()
    report(f"{name}: {part} px" for part in small)


@every_page
def test_nothing_is_kept(open_page, name):
    page = open_page(named(name))
    before = page.evaluate("JSON.stringify(localStorage) + document.cookie + location.hash")
    page.locator("fieldset.quiz input").first.check()
    after = page.evaluate("JSON.stringify(localStorage) + document.cookie + location.hash")
    page.goto("about:blank")
    page.go_back()
    chosen = page.locator("fieldset.quiz input:checked").count()
    page.context.close()
    assert before == after, f"{name}: a choice is stored: {after}"
    assert not chosen, f"{name}: a choice is still there when the reader comes back"


def test_recall_asks_everything_once():
    """In the order of the book, under names of its own, each behind a link to the section where it stands."""
    named(RECALL)
    chapters = [name for name in pages_with(QUIZ) if name != RECALL]
    wanted = [(f"recall-{key}", words) for name in in_order(chapters) for key, words in asked(name).items()]
    assert list(asked(RECALL).items()) == wanted


def test_recall_leads_back():
    problems = []
    for quiz in SOURCES[named(RECALL)].xpath(QUIZ):
        link = quiz.xpath("following-sibling::*[1][self::p]/a/@href")
        name, _, section = (link or ["#"])[0].partition(".html#")
        page = SOURCES.get(f"chapters/{name}")
        label = quiz.get("id").removeprefix("recall-")
        if page is None or not page.xpath(f"//section[@id='{section}']/fieldset[@id='{label}']"):
            problems.append(f"{RECALL}: {label}: {link} does not lead to its section")
    report(problems)


@every_page
def test_names_belong_to_one_quiz(name):
    """Buttons that share a name are one question; a label belongs to the button before it."""
    problems = []
    for quiz in SOURCES[named(name)].xpath(QUIZ):
        buttons, labels = quiz.xpath(".//input"), quiz.xpath(".//label")
        if {button.get("name") for button in buttons} != {quiz.get("id")}:
            problems.append(f"{name}: {quiz.get('id')}: its buttons have other names")
        if [button.get("id") for button in buttons] != [label.get("for") for label in labels]:
            problems.append(f"{name}: {quiz.get('id')}: a label belongs to another button")
    report(problems)


def in_order(names):
    """The pages in the order of the contents beside them."""
    links = SOURCES[RECALL].xpath("//nav[contains(@class, 'bd-links')]//a/@href")
    return sorted(names, key=lambda name: links.index(f"{name.removeprefix('chapters/')}.html"))
