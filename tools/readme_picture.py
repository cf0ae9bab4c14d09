"""Draw the picture of README.md: the answers to 180 orders while the strength of the positions grows.

python tools/readme_picture.py      write docs/thread.svg, and docs/thread-still.svg for who wants no motion
"""

from pathlib import Path

import numpy as np
from attnfigures.kit.style import PALETTE
from attnfigures.live.thread import curves, orders

DOCS = Path(__file__).resolve().parents[1] / "docs"
LEFT, RIGHT, TOP, STACK, SECONDS = 40, 680, 10, 170, 14
INK = "#7a7a7a"  # readable on white and on black, as the colours of the dots are


def draw(moving):
    """Return the picture as SVG: α rests at 0, grows to 1, rests and goes back; or it stays at 0.5."""
    alphas, odds = curves()
    truth = np.array([words.index("cat") < words.index("fish") for words in orders()])
    half = len(alphas) // 2
    there = list(range(len(alphas)))
    frames = [0] * 6 + there + there[-1:] * 6 + there[::-1] if moving else [half]
    falling = sorted(np.flatnonzero(~truth), key=lambda s: -odds[half, s])  # those that turn first come last
    pairs = [s for first in falling for s in (first, orders().index(orders()[first][::-1]))]

    def place(odds):
        return LEFT + (RIGHT - LEFT) * (odds + 7.6) / 13.6

    def animate(name, values, mode="linear"):
        listed = ";".join(values)
        same = f'attributeName="{name}" values="{listed}" calcMode="{mode}"'
        return f'<animate {same} dur="{SECONDS}s" repeatCount="indefinite"/>' if moving else ""

    parts = []
    for lane, s in enumerate(pairs):
        x, y = place(odds[frames, s]), TOP + STACK * lane / len(pairs)
        kind, name, size = ("rect", "x", 'width="4.6" height="4.6"') if truth[s] else ("circle", "cx", 'r="2.6"')
        x, y = (x - 2.3, y - 2.3) if truth[s] else (x, y)
        colour = PALETTE["orange" if truth[s] else "blue"]
        shape = f'{name}="{x[0]:.1f}" {name.replace("x", "y")}="{y:.1f}" {size} fill="{colour}"'
        parts.append(f"<{kind} {shape}>{animate(name, [f'{each:.1f}' for each in x])}</{kind}>")
    right = ((odds[frames] > 0) == truth).sum(axis=1)
    for number in sorted(set(right.tolist())):
        seen = ["visible" if each == number else "hidden" for each in right]
        look = f'x="360" y="234" font-size="22" text-anchor="middle" visibility="{seen[0]}"'
        parts.append(f"<text {look}>{number} of {len(truth)} right{animate('visibility', seen, 'discrete')}</text>")
    line = f'stroke="{INK}" stroke-width="1.5"'
    parts += [
        f'<path d="M20 196H700" {line}/><path d="M{place(0):.0f} 4V202" {line} stroke-dasharray="3 4"/>',
        '<text x="20" y="222">fish first</text><text x="700" y="222" text-anchor="end">cat first</text>',
    ]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 246" font-family="sans-serif" fill="{INK}">'
    return "\n".join([head, *parts, "</svg>\n"])


def write():
    """Write both pictures."""
    for name, moving in (("thread", True), ("thread-still", False)):
        (DOCS / f"{name}.svg").write_text(draw(moving), encoding="utf-8")


if __name__ == "__main__":
    write()
