"""A mask over four tokens: the reader collects masks that 1, 2, 3, … of the 24 orders leave alone."""

from live_figures import figure, set_state, state_of

ORDERS = 24
# Masks, row by row, by how many orders leave them alone.
LEFT_BY_1 = "0100 1100 1110 1111"
LEFT_BY_6 = "0111 0111 0111 0111"
LEFT_BY_24 = "0111 1011 1101 1110"
# Of the list to begin with.
TWO_SENTENCES = "1100 1100 0011 0011"  # left alone by 8
EACH_ITSELF = "1000 0100 0010 0001"


def rows(mask):
    """A mask as the figure has it, from a text such as those above."""
    return [[int(x) for x in row] for row in mask.split()]


def test_what_a_reader_has_found_stays_in_sight(open_figures):
    page = open_figures(figure("stabiliser"))
    for mask, size in ((LEFT_BY_6, 6), (LEFT_BY_1, 1), (LEFT_BY_24, 24)):
        set_state(page, "stabiliser", mask=rows(mask))
        groups = page.locator(".live-stabiliser-group:has(button)").all()
        assert [group.locator("button").count() for group in groups] == [size] * (ORDERS // size)

    for mask in (TWO_SENTENCES, EACH_ITSELF):  # which the reader has not found
        set_state(page, "stabiliser", mask=rows(mask))
    found = page.locator(".live-stabiliser-goal:enabled")
    assert found.all_inner_texts() == ["1", "6", "24"]

    set_state(page, "stabiliser", mask=rows(TWO_SENTENCES))
    square = page.locator(".live-stabiliser-own").first
    for _ in range(2):  # there and back
        square.click()
    assert "8" in found.all_inner_texts(), "a mask of the list counts once a click has made it"

    found.first.click()
    assert state_of(page, "stabiliser")["mask"] == rows(LEFT_BY_1)
