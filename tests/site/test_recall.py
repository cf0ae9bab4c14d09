"""The page that asks again, in a browser: what is due comes back on its day, and answers stay on the machine."""

from datetime import datetime, timedelta

import pytest
from built_site import AXE, DENIED, PHONE, SOURCES, has_class, named, report
from playwright.sync_api import expect

RECALL = "chapters/recall"
START = datetime(2026, 3, 2, 12)
UNITS = f"//section[{has_class('asks')}]//*[{has_class('collected')}]"
RIGHT = ".quiz-option:has(.is-right) input"
WRONG = ".quiz-option:has(.is-wrong) input"
KEPT = "Object.keys(JSON.parse(localStorage.getItem('attention-and-order answers'))?.answers ?? {})"


@pytest.fixture
def opened(open_page, server):
    """opened(name, **options): a page on a server, whose clock stands at the start.

    Of files a browser under load may lose what they have stored.
    """
    contexts = []

    def opened(name=RECALL, **options):
        page = open_page(name, base=server, **options)
        contexts.append(page.context)
        page.clock.set_fixed_time(START)
        page.reload()
        return page

    yield opened
    for context in contexts:
        context.close()


def on_day(page, day):
    """Open the page again, so many days after the start."""
    page.clock.set_fixed_time(START + timedelta(days=day))
    page.reload()


def asked(page):
    """The name of the question that is asked, or None."""
    question = page.locator(".practice-asked [id^=practice-]:is(fieldset, .predict)")
    return question.get_attribute("id").removeprefix("practice-") if question.count() else None


def onward(page):
    page.locator(".practice > button").first.click()


def pass_to(page, kind):
    """Pass questions over until one of a kind is asked."""
    for _ in page.locator(".practice-list .collected").all():
        if page.locator(f".practice {kind}").count():
            return asked(page)
        onward(page)
    raise AssertionError(f"no {kind} is asked")


def answer(page, option):
    """Answer the next self-check by an option, and return its name."""
    name = pass_to(page, "fieldset.quiz")
    page.locator(f".practice {option}").first.check()
    return name


def numbers(page):
    """What the line above the question counts: how many are due, how many new."""
    due, new, *_ = [
        int("".join(filter(str.isdigit, part))) for part in page.locator(".practice-state").inner_text().split("·")[:2]
    ]
    return due, new


def test_each_question_is_asked_once_mixed_over_the_chapters(opened):
    """Passed over, every question of the list is asked, and the first of each chapter before the second of any."""
    page = opened()
    names, chapters = [], []
    for _ in SOURCES[named(RECALL)].xpath(UNITS):
        names.append(asked(page))
        chapters.append(page.locator(f"#recall-{names[-1]}").evaluate("(e) => e.closest('section').id"))
        onward(page)
    wanted = {unit[0].get("id").removeprefix("recall-") for unit in SOURCES[named(RECALL)].xpath(UNITS)}
    assert sorted(names) == sorted(wanted)
    several = len(set(chapters))
    assert len(set(chapters[:several])) == several > 1
    report(page.log)


def test_a_wrong_answer_comes_first_and_a_right_one_on_its_days(opened):
    page = opened()
    total = len(SOURCES[named(RECALL)].xpath(UNITS))
    assert numbers(page) == (0, total)
    right = answer(page, RIGHT)
    onward(page)
    wrong = answer(page, WRONG)
    assert wrong != right
    onward(page)
    assert asked(page) != wrong
    on_day(page, 0)
    assert (asked(page), numbers(page)) == (wrong, (1, total - 2))
    page.locator(f".practice {RIGHT}").check()
    assert numbers(page) == (0, total - 2)
    on_day(page, 0)
    assert asked(page) not in (right, wrong)
    for day in (1, 4, 11):  # after 1, 3 and 7 days
        on_day(page, day - 1)
        assert numbers(page) == (0, total - 2)
        on_day(page, day)
        assert numbers(page) == (2, total - 2)
        for _ in range(2):
            assert asked(page) in (right, wrong)
            page.locator(f".practice {RIGHT}").check()
            onward(page)
    report(page.log)


def test_a_prediction_is_judged_by_the_reader(opened):
    page = opened()
    name = pass_to(page, ".predict")
    first, second = (page.locator(".practice-judge button").nth(number) for number in range(2))
    expect(first).to_be_hidden()
    page.locator(".practice .predict summary").press("Enter")
    expect(second).to_be_visible()
    second.press("Enter")
    expect(first).to_be_disabled()
    assert page.locator(".practice-said").inner_text()
    on_day(page, 0)
    assert asked(page) == name
    page.locator(".practice .predict summary").press("Enter")
    expect(first).to_be_visible()
    first.press("Enter")
    on_day(page, 0)
    assert numbers(page)[0] == 0
    on_day(page, 1)
    assert asked(page) == name


def test_an_answer_in_a_chapter_counts(opened, server):
    """The first one; an arrow key looks at the options before one is chosen."""
    listed = SOURCES[named(RECALL)].xpath(f"{UNITS}[fieldset]")[0]
    name = listed.xpath("string(fieldset/@id)").removeprefix("recall-")
    page = opened(f"chapters/{listed.xpath('string(p/a/@href)').partition('.html')[0]}")
    quiz = page.locator(f"fieldset#{name}")
    options = quiz.locator("input")
    wrong = page.locator(f"#{name} {WRONG}").first
    options.first.focus()
    for _ in range(options.count()):
        page.keyboard.press("ArrowDown")
        assert not quiz.locator("input:checked").count()
    wrong.press("Space")
    expect(wrong).to_be_checked()
    page.locator(f"#{name} {RIGHT}").check()
    page.goto(f"{server}/{RECALL}.html")
    assert asked(page) == name
    assert numbers(page)[0] == 1


def test_chapters_are_chosen_and_remembered(opened):
    page = opened()
    page.locator(".practice-chapters summary").press("Enter")
    boxes = page.locator(".practice-chapters input")
    for box in boxes.all()[1:]:
        box.uncheck()
    section = boxes.first.get_attribute("name")
    mine = {
        e.get("id").removeprefix("recall-")
        for e in SOURCES[RECALL].xpath(f"//section[@id='{section}']{UNITS[UNITS.index('//*') :]}/*[1]")
    }
    on_day(page, 0)
    assert numbers(page) == (0, len(mine))
    for _ in mine:
        assert asked(page) in mine
        onward(page)
    page.locator(".practice-chapters summary").press("Enter")
    boxes.first.uncheck()
    assert asked(page) is None
    assert page.locator(".practice-said").inner_text()


def test_all_is_forgotten_by_one_button(opened):
    page = opened()
    name = answer(page, WRONG)
    assert page.evaluate(KEPT) == [name]
    page.once("dialog", lambda dialog: dialog.dismiss())
    page.locator(".practice > button").last.click()
    assert page.evaluate(KEPT) == [name]
    page.once("dialog", lambda dialog: dialog.accept())
    page.locator(".practice > button").last.click()
    on_day(page, 0)
    assert page.evaluate(KEPT) == []


FULL = "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }"
GARBAGE = ["null", "5", "[", '{"answers": {"NAME": [1, "soon"]}, "without": 3}', '{"answers": [], "without": [7]}']


@pytest.mark.parametrize("fault", [DENIED, FULL], ids=["denied", "full"])
def test_without_storage_the_page_asks_and_says_so(opened, fault):
    kept = opened().locator(".practice-keeps").inner_text()
    page = opened(before=fault)
    assert page.locator(".practice-keeps").inner_text() not in ("", kept)
    total = numbers(page)[1]
    name = answer(page, WRONG)
    assert numbers(page) == (1, total - 1)
    onward(page)
    assert asked(page) not in (name, None)
    report(page.log)


@pytest.mark.parametrize("text", GARBAGE)
def test_what_is_no_record_is_passed_over(opened, text):
    page = opened()
    total = numbers(page)[1]
    text = text.replace("NAME", asked(page))
    page.evaluate("(text) => localStorage.setItem('attention-and-order answers', text)", text)
    page.reload()
    assert numbers(page) == (0, total)
    answer(page, RIGHT)
    assert numbers(page) == (0, total - 1)
    report(page.log)


def test_the_last_answer_ends_the_day(opened):
    """The page says when to come back, and asks nothing more."""
    page = opened()
    for box in page.locator(".practice-list details").all():
        box.evaluate("(e) => { e.open = true; }")
    for _ in SOURCES[RECALL].xpath(UNITS):
        page.evaluate("""() => {
          const right = document.querySelector(".practice .quiz-option:has(.is-right) input");
          right?.click();
          if (!right) document.querySelector(".practice-judge button").click();
          document.querySelector(".practice > button").click();
        }""")
    assert asked(page) is None
    assert page.locator(".practice-said").inner_text()
    assert page.evaluate("document.activeElement.className") == "practice-state"
    report(page.log)


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", PHONE)])
def test_an_answered_question_is_accessible_and_moves_nothing(opened, theme, width):
    """What stands above the answer, and the chosen option, keep their place; focus goes on to the next question."""
    from axe_playwright_python.base import AXE_SCRIPT

    page = opened(theme=theme, width=width)
    page.evaluate(AXE_SCRIPT)
    problems = []
    for kind, control in (("fieldset.quiz", RIGHT), (".predict", "summary")):
        pass_to(page, kind)
        chosen = page.locator(f".practice {control}").first
        chosen.scroll_into_view_if_needed()
        before = chosen.bounding_box()
        chosen.press("Space")
        if kind == ".predict":
            page.locator(".practice-judge button").first.evaluate("(button) => button.click()")
        assert chosen.bounding_box()["y"] == before["y"], kind
        found, _ = page.evaluate(AXE, [True, []])
        problems += [f"{kind}: {rule['id']}: {node['target']}" for rule in found for node in rule["nodes"]]
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            problems.append(f"{kind}: the page scrolls sideways")
        onward(page)
        assert page.evaluate("document.activeElement.matches('.practice-asked *')")
        assert page.locator(".practice-asked").evaluate("(e) => e.getBoundingClientRect().top") >= 0
    report(problems + page.log)


def test_on_paper_the_list_stands_and_not_the_practice(opened):
    page = opened()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    total = len(SOURCES[RECALL].xpath(UNITS))
    shown = page.locator("section.asks :is(fieldset.quiz, .predict)").filter(visible=True)
    expect(shown).to_have_count(total)
    assert not page.locator(".practice").is_visible()
    numbers = page.locator("section.asks p.to-answer").all_inner_texts()
    assert numbers == [f"→ {number}" for number in range(1, total + 1)]
