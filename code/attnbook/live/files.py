"""Join the JavaScript and the styles of live figures, without importing the figures themselves."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

__all__ = ["module", "names", "script", "stored", "styles"]

FOLDER = Path(__file__).parent
SHARED = ("core.js", "parts.js")
ENCODER = ("mirror", "encoder.js")
NEEDS = {"ablation": ENCODER, "mirror": ENCODER}  # the stored experiment of a figure, and the script that reads it


def _read(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def names() -> list[str]:
    """Return the names of all figures: each has a Python module and a file of JavaScript."""
    return sorted(path.stem for path in FOLDER.glob("*.js") if path.with_suffix(".py").exists())


def stored(name: str) -> str:
    """Return the numbers that an experiment has measured for the figure ``name``, as JavaScript.

    They are the constant ``stored``, the list of the experiment's members; the text is empty if there is none.
    """
    if name not in NEEDS:
        return ""
    path = FOLDER.parent / "results" / f"{NEEDS[name][0]}.json"
    return f"const stored = {json.dumps(json.loads(path.read_text('utf-8'))['members'], separators=(',', ':'))};\n"


def _dependencies(name: str) -> str:
    return stored(name) + _read(NEEDS[name][1]) if name in NEEDS else ""


def module(name: str) -> str:
    """Return the JavaScript of the figure ``name`` as a module: what figures share, then the figure itself."""
    return "".join([*map(_read, SHARED), _dependencies(name), _read(f"{name}.js")])


def script(names: Iterable[str]) -> str:
    """Return one classic script that draws the figures ``names``, without the comments that have lines of their own.

    It is a classic script because Chromium loads no module from a folder.
    """
    names = list(names)
    shared = "".join([*map(_read, SHARED), *dict.fromkeys(map(_dependencies, names))])  # each dependency once
    figures = [f'"{name}": (() => {{\n{_read(f"{name}.js").replace("export default", "return")}}})()' for name in names]
    text = f"(() => {{\n{shared}\nmountAll({{ {', '.join(figures)} }});\n}})();\n"
    return re.sub(r"^\s*(//.*|/\*\*[\s\S]*?\*/)\n", "", text, flags=re.MULTILINE)


def styles(names: Iterable[str] | None = None) -> str:
    """Return one style sheet: what all figures share, then what the figures ``names``, or all of them, add to it."""
    every = sorted(path.stem for path in FOLDER.glob("*.css") if path.stem != "live")
    return _read("live.css") + "".join(_read(f"{name}.css") for name in every if names is None or name in names)
