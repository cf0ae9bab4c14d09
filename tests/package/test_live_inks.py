"""The live figure inks: what its inks are, and what it draws, says and takes as a sentence."""

import numpy as np
import pytest
from attnbook import live
from attnbook.attention import attention
from live_cases import CASES, states
from live_pages import EXACT, QUESTION, alone, put, state_of

FIGURE = "inks"

# What is drawn: the words of both rows with their ink, the filled parts of the budget, its boxes, and what is said.
DRAWN = """() => { const all = (css) => [...document.querySelectorAll(`#inks ${css}`)];
  const rows = all(".live-inks").map((row) => [...row.querySelectorAll(".live-inked")]);
  const sizes = (css) => all(css).map((e) => ["x", "width"].map((name) => Number(e.getAttribute(name))));
  return { words: rows.map((row) => row.map((e) => e.textContent)),
    opacity: rows.map((row) => row.map((e) => Number(e.style.filter.match(/[\\d.]+/)[0]))),
    spoken: all(".live-inks").map((e) => e.ariaLabel),
    pieces: sizes(".live-piece"), boxes: sizes(".live-box"), dashed: sizes(".live-short"),
    sliders: all("input[type=range]").filter((e) => e.checkVisibility({ visibilityProperty: true })).length,
    below: all(".live-spent")[0].textContent, says: all(".live-verdict")[0].textContent }; }"""


@pytest.mark.parametrize(("rho", "size"), [(1, 4), (0.9, 1), (0.5, 13), (0.7, 16)])
def test_inks_are_a_derivative_and_the_share_that_a_linear_fit_explains(rho, size):
    found = live.inks("a b c d e f g h i j k l m", rho=rho, size=size).compute()
    n, h = 13, np.zeros((64, size))
    X = np.linalg.qr(np.random.default_rng(0).normal(size=(64, n)))[0]  # 64 runs, inputs exactly uncorrelated
    for t in range(n):
        h = rho * np.roll(h, 1, axis=1)
        h[:, 0] += X[:, t]
    fitted = h @ np.linalg.lstsq(h, X, rcond=None)[0]
    assert found["recovery"] == pytest.approx((fitted**2).sum(0), abs=1e-10)
    assert found["influence"] == pytest.approx([np.linalg.norm(X[:, t] @ h) for t in range(n)], abs=EXACT)
    assert found["spent"] == pytest.approx(min(n, size))


def test_inks_of_attention_are_those_of_an_output_per_query():
    found = live.inks("a b c d e", model="attention").compute()
    X = np.linalg.qr(np.random.default_rng(0).normal(size=(64, 5)))[0].T  # five values, uncorrelated over 64 runs
    Y = attention(5 * np.eye(5) * 5**0.5, np.eye(5), X)  # the package divides by √5
    assert found["influence"] == pytest.approx((Y * X).sum(1))
    assert found["recovery"] == pytest.approx((Y * X).sum(1) ** 2 / (Y * Y).sum(1))


def test_inks_draw_what_they_compute(open_gallery):
    page = open_gallery()
    for state in states("inks", 40):
        put(page, "inks", state)
        drawn, found = page.evaluate(DRAWN), CASES["inks"].figure._compute(**state)
        words, kept, n = found["words"], found["kept"], len(found["words"])
        assert drawn["words"] == [words, words]
        for row, spoken, amounts in zip(
            drawn["opacity"], drawn["spoken"], (found["influence"], found["recovery"]), strict=True
        ):
            assert row == pytest.approx(0.07 + 0.93 * amounts, abs=6e-4), state
            assert spoken.split(", ")[-1].startswith(f"{words[-1]} ")
            assert float(spoken.rpartition(" ")[2]) == pytest.approx(amounts[-1], abs=0.0051)
        filled = np.zeros(kept)
        for t, (x, width) in enumerate(drawn["pieces"]):  # words that share a number lie side by side in its box
            assert (x, width) == pytest.approx((t % kept + filled[t % kept], found["recovery"][t]), abs=1e-9)
            filled[t % kept] += width
        assert len(drawn["pieces"]) == n
        assert np.ravel(drawn["boxes"]) == pytest.approx([x for i in range(kept) for x in (i + 0.03, 0.94)])
        assert [round(x) for x, _ in drawn["dashed"]] == list(range(kept, n))
        assert ("dashed" in drawn["below"]) == (n > kept)
        assert drawn["sliders"] == (2 if state["model"] == "recurrent" else 0)


def test_inks_say_what_the_sliders_did(open_gallery):
    page = open_gallery()
    first = state_of(page, "inks")
    says = lambda change: put(page, "inks", first | change) or page.evaluate(DRAWN)["says"]  # noqa: E731
    shared = "4 numbers are shared out among 13 words."
    assert says({}) == f"A: “The”, 12 steps back, counts 0.069 times as much as “are”. B: {shared}"
    assert says({"rho": 1}) == f"A: “The”, 12 steps back, counts as much as “are”. B: {shared}"
    assert says({"size": 1}).endswith("B: 1 number is shared out among 13 words.")
    assert says({"size": 13}).endswith("B: every word has a number of its own.")
    assert says({"text": "extraordinarily long"}).startswith("A: “extraordina…”, 1 step back, counts 0.800 times")
    assert says({"text": "one"}) == "There is one word. B: every word has a number of its own."
    assert says({"model": "attention"}).startswith("Attention keeps every word")


def test_inks_take_a_sentence_while_it_is_typed(open_gallery):
    page = open_gallery()
    typed = page.get_by_label("your sentence")
    typed.fill("")
    page.keyboard.type(" ".join("abcdefghijklmnopqr"))
    assert page.evaluate("document.activeElement.type") == "text"
    assert page.evaluate(DRAWN)["words"] == [list("abcdefghijklmnop")] * 2
    page.get_by_role("button", name="Back to start").click()
    assert typed.input_value() == CASES["inks"].figure.state["text"]


def test_inks_are_hidden_until_a_question_is_answered(browser, tmp_path):
    page = alone(browser, live.inks("a b c d e f", ask=QUESTION), tmp_path)
    drawn = page.evaluate(DRAWN)
    assert drawn["opacity"] == [[0.07] * 6] * 2
    assert not drawn["pieces"]
    assert drawn["spoken"] == ["hidden", "hidden"]
    assert set(page.locator("[data-shows^=recovery], [data-shows=spent]").all_inner_texts()) == {"?"}
    page.get_by_label("that").check()
    assert page.evaluate(DRAWN)["opacity"][0][-1] == 1
    page.close()
