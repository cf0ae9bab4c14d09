"""Lay out a long page part by part: each section waits for the reader to come near, and reserves about its height.

The style sheet does the waiting (``content-visibility``); the reserved height keeps the scroll bar steady.
"""

LONG = 3000  # elements; a page with more is laid out part by part
# What a section is made of, and for a wide and a narrow screen: letters in a line of text and of code, and the pixels
# of a line of text, of a check, of code, of a formula or a row of it, a figure, a heading or block, a box, what a live
# figure is higher, a table's row. Fitted to the sections of this book as Chromium draws them, and a seventh more.
PARTS = (
    ".//p[not(@data-kind) and not(ancestor::td)] | .//li[not(p)] | .//dt | .//summary | .//legend | .//label",
    ".//p[@data-kind]",
    ".//pre",
    ".//div[starts-with(@class, 'math')] | .//div[starts-with(@class, 'math')]//mtr",
    ".//figure",
    ".//h2 | .//h3 | .//h4 | .//pre | .//dl[contains(@class, 'glossary')]/dd",
    ".//div[contains(@class, 'admonition')] | .//details | .//fieldset",
    ".//div[@data-live]",
)
SCREENS = {
    "wide": (88, 200, 31, 28, 21, 30, 400, 26, 26, 300, 33),
    "narrow": (39, 49, 26, 28, 21, 18, 250, 38, 44, 450, 33),
}
UNFOLDED = "[not(ancestor-or-self::*[@hidden] or ancestor::div[@class='quiz-reason']"
UNFOLDED += " or ancestor::details[not(@open)] and not(ancestor-or-self::summary))]"


def reserve_height(section):
    """Mark a section as one that is laid out late, and set its estimated heights."""
    section.set("class", f"{section.get('class', '')} late".strip())
    section.set("style", "; ".join(f"--{screen}: {height(section, screen)}px" for screen in SCREENS))


def height(section, screen):
    """Estimate the height of a section in pixels, rather too high: what does not fit would lie over the next one."""
    letters, code, *pixels = SCREENS[screen]
    texts = {path: [e.text_content().strip("\n") for e in section.xpath(f"({path}){UNFOLDED}")] for path in PARTS}
    rows = [[len(cell.text_content()) for cell in row] for row in section.xpath(f".//tr{UNFOLDED}")]
    sizes = [
        *(sum(len(text) // letters + 1 for text in texts[path]) for path in PARTS[:2]),
        sum(len(line) // code + 1 for text in texts[PARTS[2]] for line in text.split("\n")),
        *(len(texts[path]) for path in PARTS[3:]),
        sum(max([1, *(cell * len(row) // letters for cell in row)]) for row in rows),
    ]
    return sum(size * each for size, each in zip(sizes, pixels, strict=True))
