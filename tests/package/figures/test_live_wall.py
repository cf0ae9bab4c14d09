"""The wall of all heads of a language model: a finger chooses one, and a hint says what to look for."""

from attnbook.results import load
from live_figures import example, figure, put, state_of

BESIDE = ((25, 0), (26, 1))  # heads beside the frame, on what a finger can hold
ELSEWHERE = (3, 8)
TRIED = 5  # heads beside the first, before the wall tells which the answer needs
DECIDES = (26, 0)  # the head that the answer needs most


def test_a_finger_chooses_the_head_that_it_taps(open_figures):
    page = open_figures(figure("wall"), width=375, has_touch=True)
    first = example("wall")
    for layer, head in (*BESIDE, ELSEWHERE):
        put(page, "wall", first | {"layer": layer, "head": head})
        place = page.locator(".live-wall-frame").bounding_box()
        put(page, "wall", first)
        page.touchscreen.tap(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
        chosen = state_of(page, "wall")
        assert (chosen["layer"], chosen["head"]) == (layer, head)


def test_the_hint_of_the_wall_names_tokens_of_its_sentence(open_figures):
    page = open_figures(figure("wall"))
    for stored in load("model_head_wall")["members"]:
        put(page, "wall", example("wall") | {"sentence": stored["text"], "word": 0})
        named = page.locator(".live-hint b").all_inner_texts()
        assert len(named) == 2
        assert set(named) <= {token.strip() for token in stored["tokens"]}


def test_heads_that_the_answer_needs_get_a_frame_once_a_few_were_tried(open_figures):
    page = open_figures(figure("wall"))
    first = example("wall") | {"highlight": "all"}
    frames = "[...document.querySelectorAll('.live-wall-needs')].map((path) => path.getAttribute('d') ?? '')"
    for head in range(TRIED):
        assert not any(page.evaluate(frames)), "the reader searches"
        put(page, "wall", first | {"layer": 0, "head": head})
    boldest = page.locator(".live-wall-needs").last.get_attribute("d")
    layer, head = DECIDES
    x, y = 30 + 24 * layer, 17 + 20 * head  # the tile of that head
    assert f"M{x} {y}h" in boldest
