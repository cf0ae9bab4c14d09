"""A figure with a control that works on a page without a kernel.

``explore(draw, d_k=[1, 4, 16])`` draws one frame for every choice and returns a player: inline SVG frames and a native
control per parameter, a slider for numbers and a menu for names, read by some lines of script that need no library.
It works in the built book (also from a folder), in JupyterLab and in Colab; on paper it names the choice that is drawn.
In a live kernel ``free`` adds ipywidgets sliders on top, for any value.
"""

import hashlib
import itertools
import re
import time
from collections.abc import Callable, Collection
from typing import Any

from attnbook.arrays import brief, require_int
from attnbook.check.display import is_live

from ..kit import markup
from ..kit.record import Control, ExplorerRecord, bundle
from ..kit.style import Picture

__all__ = ["explore"]


class Player:
    """Frames and controls as one block of HTML; in a live kernel also free sliders. Made by :func:`explore`."""

    def __init__(
        self, record: ExplorerRecord, draw: Callable, free: dict[str, Any] | None, labels: dict[str, str]
    ) -> None:
        self.record = record
        self.draw = draw
        self.free = free
        self.labels = labels

    def _repr_html_(self):
        return markup.explorer(self.record)

    def _ipython_display_(self):
        from IPython.display import display

        display(bundle(self.record, text=self.record["chosen"], html=self._repr_html_()), raw=True)
        if self.free and is_live():
            self._display_free_sliders()

    def _display_free_sliders(self):
        from IPython.display import HTML
        from ipywidgets import interact

        drawn = interact(lambda **values: HTML(self.draw(**values).svg), **self.free)
        for control in drawn.widget.kwargs_widgets:
            control.description = self.labels.get(control.description, control.description)
            control.style.description_width = "initial"
            control.layout.width = "32em"


def explore(
    draw: Callable,
    *,
    labels: dict[str, str] | None = None,
    start: dict[str, int] | None = None,
    free: dict[str, Any] | None = None,
    **choices: list | dict[str, Any],
) -> Player:
    """Make a player for ``draw`` over every combination of one or two parameters.

    Parameters
    ----------
    draw : function
        Takes the parameters by name and returns a :class:`~attnfigures.kit.style.Picture`.
    **choices : list
        The values each parameter can take, in the order of its control; a dict maps the shown text to the value.
        Texts that all begin with a digit are numbers and get a slider, others are names and get a menu.
    labels : dict, optional
        Parameter name → the text beside its control. The name itself unless given.
    start : dict, optional
        Parameter name → the index shown first, which is also what is printed. 0 unless given.
    free : dict, optional
        Parameter name → an ``ipywidgets.interact`` abbreviation such as ``(1, 512)``, used in a live kernel only.

    Raises
    ------
    ValueError
        If there is no parameter or more than two, a parameter has fewer than two values, or ``start``, ``labels`` or
        ``free`` name something else.
    TypeError
        If ``draw`` is no function or returns no picture, or another argument is of the wrong kind.
    """
    labels = {} if labels is None else labels
    start = {} if start is None else start
    if not callable(draw):
        raise TypeError(f"draw = {brief(draw)}; expected a function that returns a Picture")
    _require_choices(choices)
    _require_options(choices, start=start, labels=labels, free={} if free is None else free)
    values = {name: list(v.values()) if isinstance(v, dict) else list(v) for name, v in choices.items()}
    begin = {name: _index(name, start.get(name, 0), len(values[name])) for name in choices}
    pictures = _drawn(draw, values)
    return Player(_record(pictures, choices, begin, labels), draw, free, labels)


def _require_choices(choices):
    """Raise an error unless there are one or two parameters, each with a list of values to choose from."""
    if not 1 <= len(choices) <= 2:
        raise ValueError(f"explore has {len(choices)} parameters; expected one or two sliders")
    for name, values in choices.items():
        if not _is_list_like(values):
            raise TypeError(f"{name} = {brief(values)}; expected a list of values, or a dictionary from text to value")
    for name, values in choices.items():
        if len(values) < 2:
            raise ValueError(f"{name} has {len(values)} values; expected at least two to choose from")


def _is_list_like(values):
    """Test for several values in a row or in a dictionary; an array of NumPy without axes is a single one."""
    return isinstance(values, Collection) and not isinstance(values, str) and getattr(values, "ndim", 1) > 0


def _require_options(choices, **options):
    """Raise an error unless each of the ``options`` is a dictionary whose names are parameters."""
    for what, names in options.items():
        if not isinstance(names, dict):
            raise TypeError(f"{what} = {brief(names)}; expected a dictionary with the names of parameters")
        if unknown := [name for name in names if name not in choices]:
            raise ValueError(f"{what} names {unknown}; expected parameters of {list(choices)}")
    if wrong := [label for label in options["labels"].values() if not isinstance(label, str)]:
        raise TypeError(f"labels holds {brief(wrong)}; expected texts")


def _index(name, start, count):
    """Return the index that a parameter starts with, one of ``count``."""
    return require_int(f"start of {name}", start, least=0, most=count - 1)


def _drawn(draw: Callable, values: dict[str, list]) -> list[Picture]:
    """Draw every combination of values; the last parameter changes fastest."""
    combinations = [dict(zip(values, combination, strict=True)) for combination in itertools.product(*values.values())]
    pictures = [draw(**combination) for combination in _with_progress(combinations)]
    if wrong := [p for p in pictures if not isinstance(getattr(p, "svg", None), str)]:
        raise TypeError(f"draw returned {brief(wrong[0])}; expected a Picture")
    return pictures


def _record(pictures, choices, start, labels) -> ExplorerRecord:
    """Return what the player shows; its id is made of that, so that the same player has the same bytes."""
    texts = {name: list(map(_text, values)) for name, values in choices.items()}
    drawings = [picture.svg for picture in pictures]
    digest = hashlib.sha256(repr((drawings, labels, texts, start)).encode()).hexdigest()[:8]
    player = f"explore-{digest}"
    controls: list[Control] = [
        {"id": f"{player}-{name}", "label": labels.get(name, name), "texts": texts[name], "start": start[name]}
        for name in choices
    ]
    return {
        "kind": "explorer",
        "id": player,
        "controls": controls,
        "chosen": "; ".join(f"{c['label']}: {c['texts'][c['start']]}" for c in controls),
        "first": _first(controls),
        "drawings": drawings,
    }


def _text(value):
    """Return a value as its control shows it, with the sign for minus."""
    return re.sub(r"^-(?=\d)", "−", str(value))


def _first(controls):
    """Return which drawing is shown first: they are in the order of `_drawn`."""
    index = 0
    for control in controls:
        index = index * len(control["texts"]) + control["start"]
    return index


def _with_progress(combinations):
    """Yield the combinations; in a live kernel show progress once drawing has taken two seconds."""
    begin, note = time.monotonic(), None
    for i, combination in enumerate(combinations):
        if is_live() and time.monotonic() - begin > 2:
            note = _show(f"Drawing frame {i + 1} of {len(combinations)}", note)
        yield combination
    if note is not None:
        _show("", note)


def _show(text, note):
    """Write a text into the ``note`` of a live kernel, or into a new one if it is None; return the note."""
    from IPython.display import HTML, display

    if note is None:
        return display(HTML(text), display_id=True)
    note.update(HTML(text))
    return note
