"""A figure with a control that works on a page without a kernel.

``explore(draw, d_k=[1, 4, 16])`` draws one frame for every choice and returns a player: inline SVG frames and a native
control per parameter, a slider for numbers and a menu for names, read by some lines of script that need no library.
It works in the built book (also from a folder), in JupyterLab and in Colab; on paper it names the choice that is drawn.
In a live kernel ``free`` adds ipywidgets sliders on top, for any value.
"""

import hashlib
import html
import itertools
import json
import re
import time
from collections.abc import Callable, Collection
from typing import Any

from attnbook.arrays import brief, require_int
from attnbook.check.display import is_live

__all__ = ["explore"]

# Frames are numbered row by row: the last parameter changes fastest. Back at a page, a browser puts the controls where
# the reader has left them, some only after this script and without an event: so the frames follow once more at the end.
SCRIPT = """
(function () {
  var root = document.getElementById(ID);
  var inputs = root.querySelectorAll("input, select"), frames = root.querySelectorAll(".frame");
  var chosen = root.querySelector(".explore-chosen");
  function show() {
    var index = 0, parts = [];
    inputs.forEach(function (input) {
      var labels = JSON.parse(input.dataset.labels), label = labels[input.value];
      index = index * labels.length + Number(input.value);
      parts.push(input.labels[0].textContent + ": " + label);
      if (input.type === "range") {
        input.nextElementSibling.textContent = label;
        input.setAttribute("aria-valuetext", label);
      }
    });
    chosen.textContent = parts.join("; ");
    frames.forEach(function (frame, i) { frame.hidden = i !== index; });
    const drawn = [...frames[index].querySelectorAll("svg[aria-label]")];
    root.querySelector(".explore-spoken").textContent = drawn.map((svg) => svg.getAttribute("aria-label")).join(" ");
  }
  inputs.forEach(function (input) { input.addEventListener("input", show); });
  addEventListener("pageshow", show);
  show();
  root.querySelector(".explore-controls").hidden = false;
  chosen.hidden = true;
})();
"""

HIDDEN = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap"


class Player:
    """Frames and controls as one block of HTML; in a live kernel also free sliders. Made by :func:`explore`."""

    def __init__(self, block, draw, free, labels):
        self.block, self.draw, self.free, self.labels = block, draw, free, labels

    def _repr_html_(self):
        return self.block

    def _ipython_display_(self):
        from IPython.display import HTML, display

        display(HTML(self.block))
        if self.free and is_live():
            from ipywidgets import interact

            drawn = interact(lambda **values: HTML(self.draw(**values).svg), **self.free)
            for control in drawn.widget.kwargs_widgets:
                control.description = self.labels.get(control.description, control.description)
                control.style.description_width, control.layout.width = "initial", "32em"


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
    if not callable(draw):
        raise TypeError(f"draw = {brief(draw)}; expected a function that returns a Picture")
    if not 1 <= len(choices) <= 2:
        raise ValueError(f"explore has {len(choices)} parameters; expected one or two sliders")
    for name, values in choices.items():
        if isinstance(values, str) or not isinstance(values, Collection) or getattr(values, "ndim", 1) == 0:
            raise TypeError(f"{name} = {brief(values)}; expected a list of values, or a dictionary from text to value")
    shown = {name: [re.sub(r"^-(?=\d)", "−", str(value)) for value in values] for name, values in choices.items()}
    for name, values in shown.items():
        if len(values) < 2:
            raise ValueError(f"{name} has {len(values)} values; expected at least two to choose from")
    values = {name: list(v.values()) if isinstance(v, dict) else list(v) for name, v in choices.items()}
    for what, names in (("start", start), ("labels", labels), ("free", free)):
        if names is not None and not isinstance(names, dict):
            raise TypeError(f"{what} = {brief(names)}; expected a dictionary with the names of parameters")
        if unknown := [name for name in names or {} if name not in choices]:
            raise ValueError(f"{what} names {unknown}; expected parameters of {list(choices)}")
    if wrong := [label for label in (labels or {}).values() if not isinstance(label, str)]:
        raise TypeError(f"labels holds {brief(wrong)}; expected texts")
    start = {
        name: require_int(f"start of {name}", (start or {}).get(name, 0), least=0, most=len(values[name]) - 1)
        for name in choices
    }
    first = 0
    for name in choices:
        first = first * len(values[name]) + start[name]
    combinations = [dict(zip(values, combination, strict=True)) for combination in itertools.product(*values.values())]
    pictures = [draw(**combination) for combination in _with_progress(combinations)]
    if wrong := [p for p in pictures if not isinstance(getattr(p, "svg", None), str)]:
        raise TypeError(f"draw returned {brief(wrong[0])}; expected a Picture")
    frames = "".join(
        f'<div class="frame"{"" if i == first else " hidden"}>{p.svg}</div>' for i, p in enumerate(pictures)
    )
    uid = "explore-" + hashlib.sha256((frames + repr((labels, shown, start))).encode()).hexdigest()[:8]
    controls = "".join(
        _control(f"{uid}-{name}", (labels or {}).get(name, name), shown[name], start[name]) for name in choices
    )
    chosen = "; ".join(f"{(labels or {}).get(name, name)}: {shown[name][i]}" for name, i in start.items())
    block = (
        f'<div class="explore" id="{uid}"><div class="explore-controls" hidden>{controls}</div>'
        f'<div class="explore-chosen">{html.escape(chosen)}</div><div class="explore-frames">{frames}</div>'
        f'<div class="explore-spoken" aria-live="polite" style="{HIDDEN}"></div></div>'
        f"<script>{SCRIPT.replace('ID', json.dumps(uid))}</script>"
    )
    return Player(block, draw, free, labels or {})


def _control(uid, label, texts, start):
    data = f'id="{uid}" data-labels="{html.escape(json.dumps(texts, ensure_ascii=False))}"'
    if all(re.match(r"−?\d", text) for text in texts):
        shown = html.escape(texts[start])
        control = (
            f'<input type="range" {data} min="0" max="{len(texts) - 1}" step="1" value="{start}" '
            f'aria-valuetext="{shown}" data-lm-suppress-shortcuts="true"> <output for="{uid}">{shown}</output>'
        )
    else:
        options = (
            f'<option value="{i}"{" selected" if i == start else ""}>{html.escape(text)}</option>'
            for i, text in enumerate(texts)
        )
        control = f'<select {data} data-lm-suppress-shortcuts="true">{"".join(options)}</select>'
    return f'<div class="explore-control"><label for="{uid}">{html.escape(label)}</label> {control}</div>'


def _with_progress(combinations):
    """Yield the combinations; in a live kernel show progress once drawing has taken two seconds."""
    begin, handle = time.monotonic(), None
    for i, combination in enumerate(combinations):
        if is_live() and time.monotonic() - begin > 2:
            from IPython.display import HTML, display

            note = HTML(f"Drawing frame {i + 1} of {len(combinations)}")
            if handle is None:
                handle = display(note, display_id=True)
            else:
                handle.update(note)
        yield combination
    if handle is not None:
        handle.update(HTML(""))
