"""Join the JavaScript and the styles of live figures; apart from the figures, for who only writes pages."""

import json
import re
from collections.abc import Iterable
from pathlib import Path

__all__ = ["module", "script", "stored", "styles"]

FOLDER = Path(__file__).parent / "live"
SHARED = ("core.js", "parts.js")


def _read(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def stored(name: str) -> str:
    """Return the numbers that the experiment ``name`` has measured for the figure of that name, as JavaScript.

    They are the constant ``stored``, the list of the experiment's members; the text is empty if there is none.
    """
    path = FOLDER.parent / "results" / f"{name}.json"
    if not path.exists():
        return ""
    return f"const stored = {json.dumps(json.loads(path.read_text('utf-8'))['members'], separators=(',', ':'))};\n"


def module(name: str) -> str:
    """Return the JavaScript of the figure ``name`` as a module: what all figures share, then the figure itself."""
    return "".join([*map(_read, SHARED), stored(name), _read(f"{name}.js")])


def script(names: Iterable[str]) -> str:
    """Return one classic script that draws the figures ``names``, without the comments that have lines of their own.

    A classic script, for Chromium loads no module from a folder.
    """
    figures = [
        f'"{name}": (() => {{\n{stored(name)}{_read(f"{name}.js").replace("export default", "return")}}})()'
        for name in names
    ]
    text = f"(() => {{\n{''.join(map(_read, SHARED))}\nmountAll({{ {', '.join(figures)} }});\n}})();\n"
    return re.sub(r"^\s*(//.*|/\*\*[\s\S]*?\*/)\n", "", text, flags=re.MULTILINE)


def styles(names: Iterable[str] | None = None) -> str:
    """Return one style sheet: what all figures share, then that of the figures ``names``, or of every figure."""
    if names is None:
        names = sorted(path.stem for path in FOLDER.glob("*.css") if path.stem != "live")
    return "".join(_read(f"{name}.css") for name in ["live", *names])
