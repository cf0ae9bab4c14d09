"""The live figure mirror: its forward passes, its tiles, its scoreboard, and what the reader finds."""

import itertools
import json

import numpy as np
import pytest
import torch
from attnbook import live
from attnbook.live.mirror import STEPS, WORDS, compute, forward, weights
from attnbook.positional import sinusoidal
from attnbook.results import load
from live_cases import CASES
from live_pages import ARRIVES, EXACT, QUESTION, alone, put, state_of

FIGURE = "mirror"
MODELS = {"blind": "no positions", "seeing": "positions"}
TOKENS = [s for s in itertools.product(range(4), repeat=6) if s.count(0) == s.count(1) == 1]
SENTENCES = [" ".join(WORDS[t] for t in s) for s in TOKENS]
# P(cat first) of both models for all sentences at all steps, as (steps, models, sentences)
ALL = """([sentences, steps]) => { const { compute } = document.getElementById("mirror").figure;
  const found = steps.map((step) => sentences.map((sentence) => compute({ sentence, step, tried: [sentence] })));
  return found.map((at) => ["blind", "seeing"].map((name) => at.map((one) => one[name][0]))); }"""
SHOWN = """() => [...document.querySelectorAll(".live-mirror-panel")].map((e) => ({
  numbers: [...e.querySelectorAll(".live-mirror-number")].map((td) => td.textContent),
  said: [...e.querySelectorAll(".live-mirror-said")].map((td) => td.textContent),
  discs: [...e.querySelectorAll("circle")].map((c) => c.getAttribute("class").split("-").at(-1)),
  frame: e.querySelector("rect").getAttribute("visibility") === "visible" ? e.querySelector("rect").getBBox().x : null,
  score: e.querySelector(".live-mirror-head").lastChild.textContent }))"""


def torch_logits(model, step):
    """The answers of PyTorch's own encoder layers, with the stored weights and no bias."""
    w = {name: torch.tensor(x) for name, x in weights(model, step).items()}
    X = w["embed"][torch.tensor(TOKENS)] + (torch.tensor(sinusoidal(np.arange(6), 12)) if model == "positions" else 0)
    for i in range(2):
        options = {"dim_feedforward": 20, "dropout": 0.0, "batch_first": True, "bias": False, "dtype": torch.float64}
        with torch.random.fork_rng():
            layer = torch.nn.TransformerEncoderLayer(12, 3, **options).eval()
        own = {"self_attn.in_proj_weight": torch.cat([w[f"{c}{i}"].mT.reshape(12, 12) for c in "QKV"])}
        own |= {"self_attn.out_proj.weight": w[f"O{i}"].T, "linear1.weight": w[f"up{i}"].T}
        layer.load_state_dict(layer.state_dict() | own | {"linear2.weight": w[f"down{i}"].T})
        X = layer(X)
    return X.mean(dim=1) @ w["read"]


def test_page_package_and_torch_answer_all_480_sentences_alike_at_every_step(still_page):
    found = np.array(still_page.evaluate(ALL, [SENTENCES, list(STEPS)]))
    assert found.shape == (5, 2, 480)
    flipped = [SENTENCES.index(" ".join(s.split()[::-1])) for s in SENTENCES]
    truth = np.array([s.index("cat") < s.index("fish") for s in SENTENCES])
    stored = {(m["model"], m["step"]): m for m in load("mirror")["members"]}
    for (k, step), (i, model) in itertools.product(enumerate(STEPS), enumerate(MODELS.values())):
        with torch.no_grad():
            expected = torch.softmax(torch_logits(model, step), dim=-1)[:, 1].numpy()
        ours = torch.softmax(torch.tensor(forward(model, step, TOKENS)[1]), dim=-1)[:, 1].numpy()
        assert abs(ours - expected).max() < EXACT
        assert abs(found[k, i] - expected).max() < EXACT, (model, step)
        assert abs(expected - 0.5).min() > 1e-6  # rounding decides no answer
        hits = (found[k, i] > 0.5) == truth
        assert hits.sum() == stored[model, step]["right"]
        assert (hits & hits[flipped]).sum() / 2 == stored[model, step]["pairs"]
    assert abs(found[:, 0] - found[:, 0, flipped]).max() < EXACT  # the law, at every step
    assert abs(found[:, 1] - found[:, 1, flipped]).max(axis=1).min() > 1e-3


def test_without_positions_exactly_one_of_each_pair_is_right():
    for step in STEPS:
        found = compute(SENTENCES[0], step, SENTENCES[:20])
        assert found["blindHits"].sum(axis=1).tolist() == [1] * 20
        assert found["blindGap"] <= EXACT < found["seeingGap"]


@pytest.mark.parametrize(("model", "step"), [("causal", 100), ("positions", 99)])
def test_a_model_that_is_not_stored_is_refused(model, step):
    with pytest.raises(ValueError, match=f"model = '{model}', step = {step}"):
        weights(model, step)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"sentence": "cat sees fish and sees"}, "sentence"),
        ({"sentence": "cat sees fish and sees cat"}, "sentence"),
        ({"sentence": "cat  fish and sees and"}, "sentence"),
        ({"step": 99}, "step = 99"),
        ({"tried": []}, "tried has 0"),
        ({"tried": ["cat fish and and and and", "and and and and fish cat"]}, "tried has 2"),
        ({"tried": SENTENCES[:21]}, "tried has 21"),
    ],
)
def test_a_sentence_a_step_and_a_scoreboard_that_are_none_are_refused(change, fault):
    with pytest.raises(ValueError, match=fault):
        live.mirror(**change)


def expected_panels(state):
    """What both panels show of a state, from the package."""
    found, tried, whole = compute(**state), state["tried"], state["sentence"]
    back = " ".join(whole.split()[::-1])
    at = next((i for i, text in enumerate(tried) if text in (whole, back)), None)
    for name in MODELS:
        hits = [found["catFirst"] == (found[name][0] > 0.5), found["catFirst"] != (found[name][1] > 0.5)]
        says = [("cat" if p > 0.5 else "fish") for p in found[name]]
        said = [f"{s} first: {'right' if hit else 'wrong'}" for s, hit in zip(says, hits, strict=True)]
        discs = [("hit" if hit else "miss") for pair in found[f"{name}Hits"] for hit in pair]
        score = f"right {found[f'{name}Right']} of {2 * len(tried)}"
        yield found[name], said, discs + ["none"] * (40 - len(discs)), at, score


def test_the_panels_show_what_is_computed(still_page):
    rng = np.random.default_rng(0)
    for _ in range(20):
        state = CASES["mirror"].draw(rng)
        put(still_page, "mirror", state)
        for shown, (p, said, discs, at, score) in zip(still_page.evaluate(SHOWN), expected_panels(state), strict=True):
            rows = 1 if at is None else 2
            assert np.abs(np.array(shown["numbers"][:rows], float) - p[:rows]).max() < 2e-15
            assert {len(number) for number in shown["numbers"][:rows]} == {17}
            assert shown["said"][:rows] == said[:rows]
            assert at is not None or shown["numbers"][1] == shown["said"][1] == "?"
            assert (shown["discs"], shown["score"]) == (discs, score)
            assert shown["frame"] == (None if at is None else 2 + 17 * at)


def test_tiles_are_dragged_tapped_and_mirrored(open_gallery):
    page = open_gallery()
    tiles, sentence = page.locator("#mirror .live-chip"), lambda: state_of(page, "mirror")["sentence"]
    mirrored = page.get_by_role("button", name="Mirror")
    boxes = [tile.bounding_box() for tile in tiles.all()]
    middle = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]

    def drag(start, end):
        page.mouse.move(*middle[start])
        page.mouse.down()
        page.mouse.move(*middle[end], steps=8)
        page.mouse.up()

    drag(1, 1)
    assert sentence() == "cat and fish and sees and"
    drag(0, 0)
    assert sentence() == "cat and fish and sees and"
    drag(4, 1)
    assert sentence() == "cat sees and fish and and"  # a drag is no tap: no word has changed
    drag(1, 4)
    drag(0, 4)
    assert sentence() == "and fish and sees cat and"
    assert page.evaluate("document.activeElement.textContent") == "cat"
    for key, expected in (
        ("Shift+ArrowLeft", "cat and fish and sees and"),
        ("End", "and fish and sees and cat"),
        ("ArrowUp", "and fish and sees and cat"),
    ):
        page.keyboard.press(key)
        assert sentence() == expected
        assert page.evaluate("document.activeElement.getAttribute('aria-valuetext')").startswith("cat, position")
    tiles.nth(2).focus()
    for key, word in (("ArrowUp", "sees"), ("ArrowDown", "and"), ("Enter", "sees"), (" ", "and")):
        page.keyboard.press(key)
        assert tiles.all_inner_texts() == ["and", "fish", word, "sees", "and", "cat"]
    assert "live-mirror-none" in page.locator(".live-mirror-pairs circle").nth(2).get_attribute("class")
    mirrored.click()
    start = CASES["mirror"].figure.state
    pair = ["and fish and sees and cat", "cat and sees and fish and"]
    assert state_of(page, "mirror") == start | {"sentence": pair[1], "tried": [*start["tried"], pair[0]]}
    mirrored.click()  # a pair counts once
    assert state_of(page, "mirror") == start | {"sentence": pair[0], "tried": [*start["tried"], pair[0]]}
    page.locator("#mirror input[type=range]").press("Home")
    assert state_of(page, "mirror")["step"] == 0
    put(page, "mirror", start | {"tried": SENTENCES[:20], "sentence": pair[0]})
    mirrored.click()
    assert state_of(page, "mirror")["tried"] == [*SENTENCES[1:20], pair[0]]


def test_a_link_brings_at_most_20_pairs(still_page):
    first = CASES["mirror"].figure.state
    attempts = [json.dumps({"tried": SENTENCES[:count]}) for count in (20, 21)]
    most, more = still_page.evaluate(ARRIVES, ["mirror", first, attempts])
    assert most["tried"] == SENTENCES[:20]
    assert more == first


def test_what_is_said_and_a_question_that_hides_it(browser, tmp_path):
    page = alone(browser, live.mirror(ask=QUESTION), tmp_path)
    said = page.locator(".live-verdict")
    for panel in page.evaluate(SHOWN):
        assert set(panel["numbers"] + panel["said"]) == {"?"}
        assert set(panel["discs"]) == {"none"}
        assert panel["score"] == "right ? of 2"
        assert panel["frame"] is None
    assert said.inner_text() == "The answers are hidden until you have answered."
    page.get_by_label("that", exact=True).check()
    assert said.inner_text() == "Right in this pair: 1 of 2 without positions, 2 of 2 with positions."
    assert page.locator(".live-mirror-truth").inner_text() == "Does cat come before fish? Yes."
    page.get_by_role("button", name="Mirror").click()
    assert page.locator(".live-mirror-truth").inner_text() == "Does cat come before fish? No."
    page.locator(".live-chip").first.press("ArrowRight")
    page.locator(".live-chip").first.press("ArrowUp")
    assert said.inner_text().startswith("Press Mirror")
    last = None  # a pair whose last digit is rounding says so
    for sentence in SENTENCES:
        put(page, "mirror", {"sentence": sentence, "step": 50, "tried": [sentence]})
        a, b = page.evaluate(SHOWN)[0]["numbers"]
        assert ("The last digit is rounding." in said.inner_text()) == (a != b), sentence
        last = last or (sentence if a != b else None)
        if last and a == b:
            break
    page.close()
