"""Join the JavaScript and the styles of live figures; apart from the figures, for who only writes pages."""

import re
from collections.abc import Iterable
from pathlib import Path

__all__ = ["module", "script", "styles"]

FOLDER = Path(__file__).parent / "live"
SHARED = ("core.js", "parts.js")


def _read(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def module(name: str) -> str:
    """Return the JavaScript of the figure ``name`` as a module: what all figures share, then the figure itself."""
    return "".join(map(_read, [*SHARED, f"{name}.js"]))


def script(names: Iterable[str]) -> str:
    """Return one classic script that draws the figures ``names``, without the comments that have lines of their own.

    A classic script, for Chromium loads no module from a folder.
    """
    figures = [f'"{name}": (() => {{\n{_read(f"{name}.js").replace("export default", "return")}}})()' for name in names]
    text = f"(() => {{\n{''.join(map(_read, SHARED))}\nmountAll({{ {', '.join(figures)} }});\n}})();\n"
    return re.sub(r"^\s*(//.*|/\*\*[\s\S]*?\*/)\n", "", text, flags=re.MULTILINE)


def styles(names: Iterable[str] | None = None) -> str:
    """Return one style sheet: what all figures share, then that of the figures ``names``, or of every figure."""
    if names is None:
        names = sorted(path.stem for path in FOLDER.glob("*.css") if path.stem != "live")
    return "".join(_read(f"{name}.css") for name in ["live", *names])
