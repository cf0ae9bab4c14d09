"""Draw the icons of buttons: outlines of 24 × 24 in the colour of the text, in place of the parent theme's fonts.

They stand in the page. For a picture that a style sheet names, a browser makes a document of its own before it shows
anything, and on a slow phone four of these take a tenth of a second.
"""

from lxml import etree

from .. import markup

OUTLINES = {  # the parent theme's name of an icon → its path
    "fa-angle-left": "M15 5l-7 7 7 7",
    "fa-angle-right": "M9 5l7 7-7 7",
    "fa-bars": "M4 6h16M4 12h16M4 18h16",
    "fa-chevron-down": "M5 9l7 7 7-7",
    "fa-circle-half-stroke": "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18M12 3v18M14.5 4.5v15M17 6.5v11",
    "fa-list": "M9 6h11M9 12h11M9 18h11M4 6h.5M4 12h.5M4 18h.5",
    "fa-magnifying-glass": "M10.5 4a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M15.5 15.5 21 21",
    "fa-moon": "M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z",
    "fa-sun": "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M5 19l2-2M17 7l2-2",
}
PLACES = " | ".join(f"//*[{markup.has_class(name)}]" for name in OUTLINES)


def draw(place):
    """Draw the icon that the class of an element names."""
    [outline] = [path for name, path in OUTLINES.items() if name in place.get("class").split()]
    drawing = etree.SubElement(place, "svg", viewBox="0 0 24 24")
    drawing.set("aria-hidden", "true")
    etree.SubElement(drawing, "path", d=outline)
