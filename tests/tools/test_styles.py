"""The one style sheet of the site holds the rules that its pages use, whichever of them are written this time."""

import os

from bookext.theme import styles

PAGE = '<!DOCTYPE html><html><head></head><body><p class="{}">text</p></body></html>'


def test_the_sheet_follows_a_page_that_is_written_again(write_files):
    """And a page that is not keeps its rules; one that has left the book loses them."""
    site = write_files(
        {
            "a.html": PAGE.format("one"),
            "b.html": PAGE.format("two"),
            "_static/theme.css": ".one{color: red}\n.two{color: blue}\n.three{color: green}\n",
        }
    )

    def colours():
        styles.merge(site, ["_static/theme.css"], site / "names.json")
        sheet = (site / styles.SHEET).read_text("utf-8")
        return [colour for colour in ("red", "blue", "green") if colour in sheet]

    assert colours() == ["red", "blue"]
    (site / "a.html").write_text(PAGE.format("three"), "utf-8")
    os.utime(site / "a.html", ns=(0, 0))  # later or not: another time
    assert colours() == ["blue", "green"]
    (site / "b.html").unlink()
    assert colours() == ["green"]
