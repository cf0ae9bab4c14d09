"""The live figure ablation: its maps and answers against torch, what it draws, what is switched, and what it says."""

import itertools
import json

import numpy as np
import pytest
import torch
from attnbook import live
from attnbook.live.ablation import answers, sentences
from attnbook.live.mirror import WORDS, forward, weights
from attnbook.positional import sinusoidal
from live_cases import CASES, states
from live_pages import ARRIVES, EXACT, QUESTION, alone, put, state_of

FIGURE = "ablation"
ON = [1] * 6
DRAWN = """() => { const all = (css, at = document.querySelector("#ablation")) => [...at.querySelectorAll(css)];
  const heads = all(".live-ablation-head").map((e) => ({ button: e.querySelector("button").textContent,
    pressed: e.querySelector("button").ariaPressed, says: e.querySelector("svg").getAttribute("aria-label"),
    cells: all(".live-ablation-cell", e).map((c) => Number(c.getAttribute("fill-opacity"))),
    letters: all("text", e).map((c) => c.textContent), columns: all("text", e).slice(6).map((c) => c.getBBox().x),
    frame: all(".live-ablation-fish", e)[0].getBBox().x,
    onFish: all("b", e)[0].textContent }));
  const [p, right] = ["p", "right"].map((name) => all(`[data-shows=${name}]`)[0]);
  return { heads, p: p.textContent, answer: p.parentElement.textContent, right: right.textContent,
    bar: all(".live-ablation-right")[0].style.width, says: all(".live-verdict")[0].textContent,
    tiles: all(".live-chip").map((e) => e.textContent), instead: all("select")[0].value }; }"""


def by_torch(tokens, heads, instead):
    """Maps and P(cat first), computed with loops over heads by torch."""
    w = {name: torch.tensor(x) for name, x in weights("positions", 100).items()}
    X, maps, mixed = w["embed"][torch.tensor(tokens)] + torch.tensor(sinusoidal(np.arange(6), 12)), [], []
    for i, r in itertools.product(range(2), range(3)):
        Q, K, V = (X @ w[f"{name}{i}"][r] for name in "QKV")
        A = torch.softmax(Q @ K.mT / 2, dim=-1)
        maps.append(A if heads[3 * i + r] else torch.full_like(A, {"alike": 1 / 6, "nothing": 0}[instead]))
        mixed.append(maps[-1] @ V @ w[f"O{i}"][4 * r : 4 * r + 4])
        if r == 2:
            Z = torch.nn.functional.layer_norm(X + sum(mixed[-3:]), (12,))
            X = torch.nn.functional.layer_norm(Z + torch.relu(Z @ w[f"up{i}"]) @ w[f"down{i}"], (12,))
    return torch.stack(maps).numpy(), torch.softmax(X.mean(dim=-2) @ w["read"], dim=-1)[..., 1].numpy()


def test_all_480_sentences_are_answered_as_by_torch_with_every_choice_of_heads():
    tokens = sentences()
    assert tokens.shape == (480, 6)
    assert len({tuple(words) for words in tokens.tolist()}) == 480
    first = np.array([list(words).index(0) < list(words).index(1) for words in tokens])
    counts = {}
    for heads, instead in itertools.product(itertools.product((0, 1), repeat=6), ("alike", "nothing")):
        maps, p = answers(tokens, heads, instead)
        theirs, expected = by_torch(tokens, heads, instead)
        assert abs(maps - theirs).max() < EXACT
        assert abs(p - expected).max() < EXACT
        assert abs(p - 0.5).min() > 1e-9  # rounding decides no answer
        sentence = " ".join(WORDS[t] for t in tokens[0])
        counts[heads, instead] = live.ablation(sentence, heads, instead=instead).compute()["right"]
        assert counts[heads, instead] == ((expected > 0.5) == first).sum()
    without = {k: tuple(int(i != k) for i in range(6)) for k in range(6)}
    assert counts[tuple(ON), "alike"] == counts[tuple(ON), "nothing"] == 480
    # What the chapter says: the head that finds the fish can be spared, another cannot, and "off" has two meanings.
    assert counts[without[2], "alike"] == 480
    assert [counts[without[3], instead] for instead in ("alike", "nothing")] == [240, 472]


def test_with_all_heads_on_it_is_the_model_of_the_figure_mirror():
    expected = torch.softmax(torch.tensor(forward("positions", 100, sentences())[1]), dim=-1)[:, 1].numpy()
    assert abs(answers(sentences(), ON)[1] - expected).max() < EXACT


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"sentence": "cat sees fish and sees"}, "sentence"),
        ({"sentence": "cat sees fish and sees cat"}, "sentence"),
        ({"heads": [1] * 5}, "heads"),
        ({"heads": [1, 1, 1, 1, 1, 2]}, "heads"),
        ({"instead": "zero"}, "instead = 'zero'"),
    ],
)
def test_a_sentence_heads_and_a_substitute_that_are_none_are_refused(change, fault):
    with pytest.raises(ValueError, match=fault):
        live.ablation(**change)


def test_ablation_draws_what_it_computes(still_page):
    for state in states(FIGURE, 24):
        put(still_page, FIGURE, state)
        drawn, words, heads = still_page.evaluate(DRAWN), state["sentence"].split(" "), state["heads"]
        maps, p = by_torch([WORDS.index(word) for word in words], heads, state["instead"])
        at = words.index("fish")
        for k, (shown, A, on) in enumerate(zip(drawn["heads"], maps, heads, strict=True)):
            assert shown["button"] == f"head {k % 3 + 1} {'on' if on else 'off'}"
            assert shown["pressed"] == str(on == 1).lower()
            assert abs(np.array(shown["cells"]) - A.ravel()).max() <= 0.0005 + EXACT
            assert shown["letters"] == [word[0] for word in words] * 2
            assert shown["columns"] == sorted(shown["columns"])
            assert shown["frame"] == 19 + 20 * at
            assert abs(float(shown["onFish"]) - A[:, at].mean()) <= 0.005 + EXACT
            most = ", ".join(f"{word} at {words[j]}" for word, j in zip(words, A.argmax(axis=1), strict=True))
            assert shown["says"] == (f"Most weight: {most}" if on else "off")
        says, cat_first = ("cat" if p > 0.5 else "fish"), words.index("cat") < at
        right = "right" if (p > 0.5) == cat_first else "wrong"
        assert abs(float(drawn["p"]) - p) <= 0.0005 + EXACT
        assert drawn["answer"] == f"P(cat first) = {drawn['p']}: {says} first, which is {right}"
        assert drawn["tiles"] == words
        assert drawn["instead"] == state["instead"]
        assert float(drawn["bar"].rstrip("%")) == pytest.approx(int(drawn["right"]) / 4.8, abs=1e-3)


def test_ablation_says_what_is_left(open_gallery):
    page, sentence = open_gallery(), "cat sees fish and sees and"

    def says(heads, instead="alike"):
        put(page, FIGURE, {"sentence": sentence, "heads": heads, "instead": instead})
        return page.evaluate(DRAWN)["says"]

    assert says(ON) == "All six heads are as trained: 480 of 480 are right."
    assert says([1, 1, 0, 1, 1, 1]) == "With head 3 of layer 1 looking at all words alike, 480 of 480 are right."
    half = "240 of 480 are right, as many as if it always said the same."
    assert says([1, 1, 1, 0, 1, 1]) == f"With head 1 of layer 2 looking at all words alike, {half}"
    assert says([1, 1, 1, 0, 1, 1], "nothing") == "With head 1 of layer 2 adding nothing, 472 of 480 are right."
    both = "head 2 of layer 1 and head 3 of layer 1"
    assert says([1, 0, 0, 1, 1, 1]) == f"With {both} looking at all words alike, {half}"
    assert says([0] * 6) == f"With 6 heads looking at all words alike, {half}"


def test_heads_and_words_are_moved_by_mouse_and_keys(open_gallery):
    page = open_gallery()
    first = CASES[FIGURE].figure.state
    press = page.locator("#ablation .live-ablation-head button")
    press.nth(4).click()
    assert state_of(page, FIGURE)["heads"] == [*first["heads"][:4], 1 - first["heads"][4], first["heads"][5]]
    for on in (0, 1):
        press.nth(0).press("Enter")
        assert state_of(page, FIGURE)["heads"][0] == on
    page.locator("#ablation select").select_option("nothing")
    assert state_of(page, FIGURE)["instead"] == "nothing"
    words, tiles = first["sentence"].split(" "), page.locator("#ablation .live-chip")
    tiles.nth(0).press("ArrowRight")
    moved = [words[1], words[0], *words[2:]]
    assert state_of(page, FIGURE)["sentence"].split(" ") == moved
    k = next(i for i, word in enumerate(moved) if word == "sees")
    tiles.nth(k).press("Enter")
    moved[k] = "and"
    assert state_of(page, FIGURE)["sentence"].split(" ") == moved
    page.get_by_role("button", name="Back to start").click()
    assert state_of(page, FIGURE) == first


def test_ablation_hides_answers_until_a_question_is_answered(browser, tmp_path):
    page = alone(browser, live.ablation(heads=[1, 1, 1, 0, 1, 1], ask=QUESTION), tmp_path)
    drawn = page.evaluate(DRAWN)
    assert (drawn["p"], drawn["right"], drawn["bar"]) == ("?", "?", "0%")
    assert drawn["answer"] == "P(cat first) = ?"
    assert "240" not in page.locator("#ablation").inner_text()
    page.get_by_role("button", name="Show without answering").click()
    assert page.evaluate(DRAWN)["right"] == "240"
    page.close()


def test_a_link_brings_ablation_no_other_heads(still_page):
    first = CASES[FIGURE].figure.state
    attempts = [{"heads": h} for h in ([1] * 5, [1] * 7, [1, 1, 1, 1, 1, 2], [1, 1, 1, 1, 1, 0.5])]
    attempts += [{"instead": "toString"}, {"sentence": "cat cat fish and and and"}]
    found = still_page.evaluate(ARRIVES, [FIGURE, first, [json.dumps(a) for a in attempts]])
    assert found == [first] * len(attempts)
