"""Join the JavaScript and the styles of live figures; apart from the figures, for who only writes pages."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

__all__ = ["module", "script", "stored", "styles"]

FOLDER = Path(__file__).parent / "live"
SHARED = ("core.js", "parts.js")
ENCODER = ("mirror", "encoder.js")
NEEDS = {"ablation": ENCODER, "mirror": ENCODER}  # an experiment whose numbers a figure needs, and a further script
PARTS = {*SHARED, *(file for _, file in NEEDS.values())}


def _read(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def stored(name: str) -> str:
    """Return the numbers that an experiment has measured for the figure ``name``, as JavaScript.

    They are the constant ``stored``, the list of the experiment's members; the text is empty if there is none.
    """
    if name not in NEEDS:
        return ""
    path = FOLDER.parent / "results" / f"{NEEDS[name][0]}.json"
    return f"const stored = {json.dumps(json.loads(path.read_text('utf-8'))['members'], separators=(',', ':'))};\n"


def _needed(name):
    return stored(name) + _read(NEEDS[name][1]) if name in NEEDS else ""


def module(name: str) -> str:
    """Return the JavaScript of the figure ``name`` as a module: what figures share, then the figure itself."""
    return "".join([*map(_read, SHARED), _needed(name), _read(f"{name}.js")])


def script(names: Iterable[str]) -> str:
    """Return one classic script that draws the figures ``names``, without the comments that have lines of their own.

    A classic script, for Chromium loads no module from a folder.
    """
    names = list(names)
    shared = "".join([*map(_read, SHARED), *dict.fromkeys(map(_needed, names))])  # what two figures need, once
    figures = [f'"{name}": (() => {{\n{_read(f"{name}.js").replace("export default", "return")}}})()' for name in names]
    text = f"(() => {{\n{shared}\nmountAll({{ {', '.join(figures)} }});\n}})();\n"
    return re.sub(r"^\s*(//.*|/\*\*[\s\S]*?\*/)\n", "", text, flags=re.MULTILINE)


def styles(names: Iterable[str] | None = None) -> str:
    """Return one style sheet: what all figures share, then that of the figures ``names``, or of every figure."""
    if names is None:
        names = sorted(path.stem for path in FOLDER.glob("*.css") if path.stem != "live")
    return "".join(_read(f"{name}.css") for name in ["live", *names])
