"""Words that share the numbers of a state: models are buttons, and the room for more numbers stays as it is."""

import pytest
from live_figures import figure, module, set_state, state_of


def test_a_model_is_a_button_and_the_chosen_one_is_pressed(open_figures):
    page = open_figures(figure("inks"))
    for name, model in (("Attention", "attention"), ("Told what will be asked", "gated"), ("One state", "recurrent")):
        page.get_by_role("button", name=name, exact=True).click()
        assert state_of(page, "inks")["model"] == model
        assert page.locator("#inks [aria-pressed=true]").all_inner_texts() == [name]


@pytest.mark.parametrize("width", [375, 1000])
def test_a_state_of_any_size_takes_the_same_room(open_figures, width):
    page = open_figures(
        figure("inks", module("inks").inks("Keys to the old cabinet in the hall of the museum").state), width=width
    )
    room = page.locator(".live-inks-state")
    heights = []
    for size in (1, 2, 4, 11):
        set_state(page, "inks", size=size)
        heights.append(room.bounding_box()["height"])
    assert len(set(heights)) == 1, heights
