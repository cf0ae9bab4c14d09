"""Draw the picture of README.md: a language model's answers to 120 orders of five words while the order is taken away.

python tools/readme_picture.py      write docs/orders.svg, and docs/orders-still.svg for who wants no motion; and
                                    docs/orders.png for PyPI, by a Chromium and the group `pdf`
"""

import sys
from pathlib import Path

import numpy as np
from attnfigures.kit.style import PALETTE
from attnfigures.live.orders import ORDERS, STOPS, answers
from browser import ALONE, chromium

DOCS = Path(__file__).resolve().parents[1] / "docs"
LEFT, RIGHT, TOP, STACK, SECONDS = 40, 680, 34, 150, 16
LEAST, MOST = -4.3, 6.3  # the axis, in log-odds
FLOOR = TOP + STACK + 10
INK = "#7a7a7a"  # readable on white and on black, as the colours of the dots are
AS_TRAINED = "A language model: who gets the book?"
WEAKER = "take its positions away …"
UNMASKED = "… and let each word see all words: 120 orders, one answer"


def frames():
    """Return [(caption, log-odds of all orders)]: as trained, weaker positions, then no mask; each extreme rests."""
    masked = [answers(alpha, ahead=False).odds for alpha in reversed(STOPS)]
    orderless = answers(0, ahead=True).odds
    as_trained, *weaker = masked
    return (
        [(AS_TRAINED, as_trained)] * 6
        + [(WEAKER, odds) for odds in weaker]
        + [(WEAKER, weaker[-1])] * 3
        + [(UNMASKED, orderless)] * 6
        + [(AS_TRAINED, as_trained)]
    )


def draw(moving):
    """Return the picture as SVG; without motion it shows the first frame over the last one."""
    captions, odds = zip(*frames(), strict=True)
    odds = np.array(odds)
    if not moving:
        captions, odds = ["All 120 orders: as trained, and (line) without positions and mask"], odds[:1]
    x = LEFT + (RIGHT - LEFT) * (odds - LEAST) / (MOST - LEAST)
    zero = LEFT - (RIGHT - LEFT) * LEAST / (MOST - LEAST)

    parts = [*_dots(x, odds[0])]
    if not moving:
        end = LEFT + (RIGHT - LEFT) * (frames()[-2][1][0] - LEAST) / (MOST - LEAST)
        parts.append(f'<path d="M{end:.1f} {TOP}v{STACK}" stroke="{PALETTE["orange"]}" stroke-width="3"/>')
    for caption in dict.fromkeys(captions):
        seen = ["visible" if each == caption else "hidden" for each in captions]
        look = f'x="360" y="20" font-size="19" text-anchor="middle" visibility="{seen[0]}"'
        parts.append(f"<text {look}>{caption}{_animate('visibility', seen, 'discrete')}</text>")
    line = f'stroke="{INK}" stroke-width="1.5"'
    parts += [
        f'<path d="M20 {FLOOR}H700" {line}/>',
        f'<path d="M{zero:.0f} {TOP - 4}V{FLOOR + 6}" {line} stroke-dasharray="3 4"/>',
        f'<text x="20" y="{FLOOR + 24}">← Tom</text><text x="700" y="{FLOOR + 24}" text-anchor="end">Mary →</text>',
    ]
    size = f'viewBox="0 0 720 {FLOOR + 34}" font-family="sans-serif" fill="{INK}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', *parts, "</svg>\n"])


def _dots(x, first):
    """Yield a dot for each order, in its own lane; its colour says whom the model as trained names."""
    for s in range(len(ORDERS)):
        y = TOP + STACK * s / (len(ORDERS) - 1)
        colour = PALETTE["blue" if first[s] > 0 else "orange"]
        motion = _animate("cx", [f"{each:.1f}" for each in x[:, s]])
        yield f'<circle cx="{x[0, s]:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}">{motion}</circle>'


def _animate(name, values, mode="linear"):
    """Return the motion of an attribute through ``values``, or nothing where there is one."""
    if len(values) < 2:
        return ""
    listed = ";".join(values)
    same = f'attributeName="{name}" values="{listed}" calcMode="{mode}"'
    return f'<animate {same} dur="{SECONDS}s" repeatCount="indefinite"/>'


def write():
    """Write the pictures: as SVG, moving and still, and the still as PNG for PyPI, which shows no SVG."""
    for name, moving in (("orders", True), ("orders-still", False)):
        (DOCS / f"{name}.svg").write_text(draw(moving), encoding="utf-8")
    photograph(draw(moving=False), DOCS / "orders.png")


def photograph(svg, path):
    """Write an SVG as PNG on white, in two dots a pixel."""
    from playwright.sync_api import sync_playwright  # only here: the drawing itself needs no browser

    if not chromium():
        sys.exit("Chromium photographs the picture: install it, or name one with CHROMIUM=/path.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ALONE)
        page = browser.new_page(viewport={"width": 720, "height": 720}, device_scale_factor=2)
        page.set_content(f'<body style="margin: 0; background: white">{svg}')
        page.locator("svg").screenshot(path=path)
        browser.close()


if __name__ == "__main__":
    write()
