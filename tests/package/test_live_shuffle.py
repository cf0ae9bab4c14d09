"""The live figure shuffle: its words, its tables, and what it says."""

import json

import numpy as np
import pytest
from attnbook import live
from attnbook.permutations import permutations
from live_cases import CASES
from live_pages import ARRIVES, EXACT, QUESTION, alone

FIGURE = "shuffle"


@pytest.fixture
def shuffled(browser, tmp_path):
    """shuffled(text, width=900, **options): the figure on a page of its own, and what it says."""
    pages = []

    def shuffled(text, width=900, **options):
        page = alone(browser, live.shuffle(text, **options), tmp_path)
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(reduced_motion="reduce")
        pages.append(page)
        return page

    yield shuffled
    for page in pages:
        page.close()


# Records how far the cells of the table of weights begin from their places: [row, column, columns away, rows away].
FLIGHTS = """() => {
  window.flights = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (frames, options) {
    if (this.closest("[data-shows=A]") && this.cellIndex > 0) {
      const [, x, y] = frames[0].transform.match(/translate\\((-?[\\d.]+)px, (-?[\\d.]+)px\\)/).map(Number);
      const away = [x / this.offsetWidth, y / this.offsetHeight].map(Math.round);
      window.flights.push([this.parentNode.sectionRowIndex, this.cellIndex - 1, ...away]);
    }
    return animate.call(this, frames, options); }; }"""


def words_of(page):
    return page.locator(".live-chip").all_inner_texts()


def test_every_weight_flies_from_where_it_was(shuffled):
    page = shuffled("a b c d")
    page.emulate_media(reduced_motion="no-preference")
    page.evaluate(FLIGHTS)
    page.wait_for_timeout(400)  # whoever is faster sees the cells jump
    page.locator(".live-chip").nth(1).focus()
    page.keyboard.press("End")
    page.wait_for_function("window.flights.length > 0")
    was = [0, 2, 3, 1]  # a c d b: where each word stood before
    moved = [(i, j, was[j] - j, was[i] - i) for i in range(4) for j in range(4) if (was[i], was[j]) != (i, j)]
    assert sorted(map(tuple, page.evaluate("window.flights"))) == moved


def test_shuffle_moves_a_word_with_its_focus_and_its_row(shuffled):
    page = shuffled("a b c d")
    page.locator(".live-chip").nth(1).focus()
    for keys, expected, place in (
        ("ArrowRight", "acbd", 3),
        ("ArrowUp", "abcd", 2),
        ("ArrowDown", "acbd", 3),
        ("Home", "bacd", 1),
        ("End", "acdb", 4),
        ("ArrowRight", "acdb", 4),
    ):
        page.keyboard.press(keys)
        assert "".join(words_of(page)) == expected
        chip = page.locator(".live-chip:focus")
        assert (chip.inner_text(), chip.get_attribute("aria-valuetext")) == ("b", f"position {place} of 4")
    page.get_by_role("button", name="Move the marked word left").click()
    assert "".join(words_of(page)) == "acbd"
    for table in ("P", "PX", "A", "after"):
        assert page.locator(f"[data-shows={table}] tbody th").all_inner_texts() == list("acbd")
    assert page.locator("[data-shows=before] tbody th").all_inner_texts() == list("abcd")
    assert page.locator("[data-shows=P] thead th").all_inner_texts() == list("abcd")
    page.get_by_role("button", name="Reverse").click()
    assert "".join(words_of(page)) == "dbca"
    for _ in range(5):
        before = words_of(page)
        page.get_by_role("button", name="Shuffle").click()
        assert words_of(page) != before
        assert sorted(words_of(page)) == list("abcd")


def test_shuffle_drags_a_word_past_one_that_is_wider_and_it_stays(shuffled):
    page = shuffled("a longer b", order=[0, 1, 2])
    first, second = (page.locator(".live-chip").nth(i).bounding_box() for i in (0, 1))
    y = first["y"] + first["height"] / 2
    page.mouse.move(first["x"] + 5, y)
    page.mouse.down()
    seen = []
    for x in np.linspace(first["x"] + 5, second["x"] + second["width"] - 3, 40):
        page.mouse.move(x, y)
        seen.append(" ".join(words_of(page)))
        box = page.locator(".live-chip:focus").bounding_box()
        moved = len(set(seen)) > 1
        assert not moved or box["x"] - 1 <= x <= box["x"] + box["width"] + 1, "the word left the pointer"
    page.mouse.up()
    page.mouse.move(first["x"] + 5, y)  # nobody holds it now
    assert set(seen) == {"a longer b", "longer a b"}
    assert " ".join(words_of(page)) == "longer a b"
    assert seen == sorted(seen), "the word went back and forth"


def test_shuffle_answers_a_sentence_that_is_typed(shuffled):
    page = shuffled("a b", order=[1, 0])
    page.get_by_label("your sentence, up to 8 words").fill("the cat 喜欢 the dog and its tail")
    assert words_of(page) == ["the₁", "cat", "喜", "欢", "the₂", "dog", "and", "its"]
    assert page.get_by_text("Eight words at most. Left out: tail").is_visible()
    assert "in the order of your sentence" in page.locator(".live-verdict").inner_text()
    assert page.locator("[data-shows=after] tbody tr").count() == 8
    page.get_by_role("button", name="Back to start").click()
    assert words_of(page) == ["b", "a"]
    assert not page.get_by_text("Eight words at most").is_visible()


@pytest.mark.parametrize(("pooling", "asked"), [("none", "follow its row"), ("mean", "watch the last row")])
def test_shuffle_asks_to_look_at_what_is_to_be_seen(shuffled, pooling, asked):
    assert asked in shuffled("a b c", pooling=pooling, small=True).locator(".live-hint").inner_text()


@pytest.mark.parametrize(
    ("options", "said", "marked", "signs"),
    [
        ({}, "Every word keeps its row.", 0, "✓✓"),
        ({"pooling": "mean"}, "Every word keeps its row; the mean does not move.", 0, "✓✓✓"),
        ({"pooling": "last"}, "Every word keeps its row; the last row changes.", 4, "✓✓≠"),
        ({"positions": "rope"}, "No word keeps its row: with positions, attention sees the order.", 12, "≠≠"),
        (
            {"positions": "sinusoidal", "mask": "causal", "pooling": "max"},
            "No word keeps its row; the max changes: with positions and a causal mask, attention sees the order.",
            16,
            "≠≠≠",
        ),
    ],
)
def test_shuffle_says_what_holds_and_marks_what_changed(shuffled, options, said, marked, signs):
    page = shuffled("cat likes fish", order=[2, 1, 0], **options)
    assert page.locator(".live-verdict").inner_text() == said
    assert page.locator("[data-shows=after] td[data-changed]").count() == marked
    lines = page.locator(".live-verdicts li").all_inner_texts()
    assert "".join("✓" if line.startswith("✓") else "≠" for line in lines) == signs
    assert page.locator("tr.live-pooled").count() == (2 if "pooling" in options else 0)
    page.wait_for_timeout(500)
    assert page.locator(".live-spoken").inner_text() == f"fish likes cat. {said}"


def test_shuffle_counts_the_words_that_keep_their_rows(shuffled):
    page = shuffled("a b c d", order=[1, 0, 2, 3], mask="causal")
    said = page.locator(".live-verdict").inner_text()
    assert said == "Only 2 of 4 words keep their rows: with a causal mask, attention sees the order."
    assert page.locator("[data-shows=after] td[data-changed]").count() == 8


def test_shuffle_says_when_one_word_keeps_its_row_and_when_equal_words_changed_places(shuffled):
    page = shuffled("a b c", order=[0, 2, 1], mask="causal")
    said = page.locator(".live-verdict").inner_text()
    assert said == "Only 1 of 3 words keeps its row: with a causal mask, attention sees the order."
    page = shuffled("the cat likes the fish", order=[3, 1, 2, 0, 4], positions="sinusoidal")
    assert page.locator(".live-verdict").inner_text().startswith("Equal words have changed places: attention reads the")


@pytest.mark.parametrize("positions", ["none", "rope"])
def test_shuffle_tries_every_order(shuffled, positions):
    page = shuffled("a b c d", positions=positions)
    page.get_by_role("button", name="Try every order").click()
    told = page.get_by_text("24 orders:")
    told.wait_for()
    orders = permutations(4)
    worst = max(live.shuffle("a b c d", order=p, positions=positions).compute()["rowsGap"] for p in orders)
    text = told.inner_text().rpartition(" ")[2].rstrip(".").replace("−", "-")
    assert float(text) <= EXACT if positions == "none" else text == f"{worst:.3f}"
    page.get_by_role("button", name="Reverse").click()
    assert not told.is_visible()


def test_shuffle_hides_what_is_asked_for(shuffled):
    page = shuffled("cat likes fish", order=[2, 1, 0], ask=QUESTION)
    assert page.locator("[data-shows=P]").is_visible()
    for hidden in ("[data-shows=A]", "[data-shows=after]", ".live-verdicts li >> nth=0"):
        assert not page.locator(hidden).is_visible()
    assert page.get_by_role("button", name="Try every order").is_disabled()
    assert "hidden until you have answered" in page.locator(".live-verdict").inner_text()
    page.get_by_label("that").check()
    assert page.locator("[data-shows=after]").is_visible()
    assert page.locator(".live-verdict").inner_text() == "Every word keeps its row."


@pytest.mark.parametrize("width", [900, 375])
def test_the_small_shuffle_shows_the_output_alone_and_has_its_room(shuffled, width):
    page = shuffled("the cat likes the fish", width, order=[0, 4, 2, 3, 1], pooling="mean", small=True)
    shown = page.locator("[data-shows]").evaluate_all("all => all.map((one) => one.dataset.shows)")
    assert shown == ["before", "after"]
    assert page.locator(".live-verdict").inner_text() == "Every word keeps its row; the mean does not move."
    reserved = page.locator(".live").evaluate("(e) => parseFloat(getComputedStyle(e).minHeight)")
    assert reserved - 120 <= page.locator(".live-figure").evaluate("(e) => e.offsetHeight") <= reserved
    for pressed, said in (("true", "No word keeps its row; the mean changes"), ("false", "Every word keeps its row")):
        page.get_by_role("button", name="With positions").click()
        assert page.get_by_role("button", name="With positions").get_attribute("aria-pressed") == pressed
        assert said in page.locator(".live-verdict").inner_text()
        assert page.locator("caption", has_text="with positions").count() == 2 * (pressed == "true")


def test_shuffle_shows_all_eight_columns_on_a_phone_or_scrolls_with_an_edge(shuffled):
    page = shuffled("cabinet museum sentence likes the old the dog", 375, order=[7, 1, 2, 3, 4, 5, 6, 0])
    edge = "e => [e.scrollWidth > e.clientWidth, e.hasAttribute('tabindex'), getComputedStyle(e).boxShadow !== 'none']"
    table = page.locator("[data-shows=A]")
    assert table.evaluate(edge) == [False] * 3
    page.set_viewport_size({"width": 300, "height": 800})
    page.locator("[data-shows=A][tabindex]").wait_for()
    assert table.evaluate(edge) == [True] * 3


def test_the_words_of_shuffle_fly_from_where_they_were(browser, gallery):
    page = browser.new_page(reduced_motion="no-preference")
    page.goto(gallery("shuffle"))
    page.wait_for_timeout(400)  # tables that have just changed would jump
    moves = """() => { document.querySelectorAll("#shuffle button")[3].click();
      return document.getAnimations().map((a) => [a.effect.target.tagName, a.effect.target.textContent,
        ...a.effect.getKeyframes().map((k) => k.translate ?? k.transform)]); }"""
    assert page.locator("#shuffle button").nth(3).inner_text() == "Reverse"
    animations = page.evaluate(moves)
    flown = {text: frames for tag, text, *frames in animations if tag == "SPAN"}
    assert {"cat", "fish"} <= set(flown), flown
    cells = [frames for tag, _, *frames in animations if tag == "TD"]
    assert len(cells) == 8, "the weights fly along rows and columns, but for the one in the middle"
    assert float(flown["cat"][0].split("px")[0]) > 0 > float(flown["fish"][0].split("px")[0])
    page.close()


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"text": "a", "order": [1]}, "order"),
        ({"text": "a\ud800"}, "text"),
        ({"mask": "all"}, "mask"),
        ({"small": 3}, "small"),
    ],
)
def test_a_shuffle_that_cannot_be_drawn_is_refused(change, fault):
    with pytest.raises(ValueError, match=fault):
        live.shuffle("a b").set(**change)


def test_half_a_letter_is_no_text_for_shuffle(still_page):
    first = json.loads(json.dumps(CASES["shuffle"].figure.state))
    half = '{"text": "a \\ud800 b"}'
    assert still_page.evaluate(ARRIVES, ["shuffle", first, [half]]) == [first]
