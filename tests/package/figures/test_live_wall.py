"""The wall of all heads of a language model: a finger chooses one, and a hint says what to look for."""

from attnbook.results import load
from live_figures import example, figure, put, state_of

BESIDE = ((25, 0), (26, 1))  # heads beside the frame, on what a finger can hold
ELSEWHERE = (3, 8)


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
