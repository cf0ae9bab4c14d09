"""Join the JavaScript and the styles of live figures, without importing the figures themselves."""

import functools
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

__all__ = ["module", "names", "script", "stored", "styles"]

KIT = Path(__file__).parent
FIGURES = KIT.parent / "live"
RESULTS = KIT.parents[1] / "attnbook" / "results"
SHARED = ("core.js", "parts.js")
READS = {"ablation", "mirror", "thread"}  # figures of the trained encoder: encoder.js reads its weights
# The constants of a figure that experiments have stored, each with the way to it: a file, then keys.
OWN: dict[str, dict[str, tuple[str, ...]]] = {
    "agreement": {"members": ("agreement_head", "members")},
    "orders": {"members": ("model_orders", "members")},
    "wall": {
        "sentences": ("model_head_wall", "members"),
        "copiers": ("model_induction", "summary", "weight after the previous occurrence"),
    },
}
LAST = {"ablation", "thread"}  # of these, the ones that need the model with positions after its last step, and no other


def _text(path: Path) -> str:
    return path.read_text("utf-8")


def _result(experiment: str, *keys: str) -> Any:
    """Return what an experiment has stored, or the part of it to which the keys lead."""
    whole = json.loads((RESULTS / f"{experiment}.json").read_text("utf-8"))
    return functools.reduce(lambda part, key: part[key], keys, whole)


def _constant(name: str, value: Any) -> str:
    """Return a declaration in JavaScript, as short as it can be."""
    return f"const {name} = {json.dumps(value, separators=(',', ':'), ensure_ascii=False)};\n"


def _figure(name: str, read: Callable[[Path], str] = _text) -> str:
    """Return the script of a figure alone, after the numbers that belong to it."""
    numbers = "".join(_constant(constant, _result(*way)) for constant, way in OWN.get(name, {}).items())
    return numbers + read(FIGURES / f"{name}.js")


def names() -> list[str]:
    """Return the names of all figures: each has a Python module and a file of JavaScript."""
    return sorted(path.stem for path in FIGURES.glob("*.js") if path.with_suffix(".py").exists())


def stored(names: Iterable[str]) -> str:
    """Return the weights that the experiment ``mirror`` has stored for the figures ``names``, as JavaScript.

    They are the constant ``stored``, a list of models, each as the difference from the one before it in its training,
    which has fewer digits; the text is empty if no figure reads them.
    """
    need = READS.intersection(names)
    members = _result("mirror", "members") if need else []
    if need <= LAST:
        members = [m for m in members if (m["model"], m["step"]) == ("positions", 100)]
    last: dict[str, list[int]] = {}
    for m in members:
        before, last[m["model"]] = last.get(m["model"]), m["weights"]
        m["weights"] = [x - y for x, y in zip(m["weights"], before or [0] * len(m["weights"]), strict=True)]
    return _constant("stored", members) if need else ""


def _shared(names: Iterable[str], read: Callable[[Path], str] = _text) -> str:
    """Return what the figures ``names`` share."""
    weights = stored(names)
    encoder = weights and weights + read(KIT / "encoder.js")
    return "".join(read(KIT / name) for name in SHARED) + encoder


def module(name: str) -> str:
    """Return the JavaScript of the figure ``name`` as a module: what figures share, then the figure itself."""
    return _shared([name]) + _figure(name)


def script(names: Iterable[str], read: Callable[[Path], str] = _text) -> str:
    """Return one classic script that draws the figures ``names``; ``read`` reads a file, and may translate it.

    It is a classic script because Chromium loads no module from a folder.
    """
    names = list(names)
    shared = _shared(names, read)
    figures = [f'"{name}": (() => {{\n{_figure(name, read).replace("export default", "return")}}})()' for name in names]
    return f"(() => {{\n{shared}\nmountAll({{ {', '.join(figures)} }});\n}})();\n"


def styles(names: Iterable[str] | None = None) -> str:
    """Return one style sheet: what all figures share, then what the figures ``names``, or all of them, add to it."""
    known = sorted(path.stem for path in FIGURES.glob("*.css"))
    return shared_styles() + own_styles(name for name in known if names is None or name in names)


def shared_styles() -> str:
    """Return the style sheet that all figures share."""
    return _text(KIT / "live.css")


def own_styles(names: Iterable[str]) -> str:
    """Return what those of the figures ``names`` that have rules of their own add to it, in their order."""
    paths = [FIGURES / f"{name}.css" for name in names]
    return "".join(_text(path) for path in paths if path.exists())
