"""Write the record of a figure as HTML, for a notebook and for a page of the site."""

import json
import re
from html import escape

from .record import Control, ExplorerRecord, LiveRecord, Record

__all__ = ["as_html", "explorer", "live", "picture"]

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


def as_html(record: Record) -> str:
    """Return the HTML of a figure; that of a live one is its place, and draws nothing without the figure's script."""
    if record["kind"] == "explorer":
        return explorer(record)
    return live(record) if record["kind"] == "live" else picture(record["drawing"])


def picture(drawing: str) -> str:
    """Return the HTML of a drawing."""
    return f'<div class="picture">{drawing}</div>'


def live(record: LiveRecord, question: str = "", key: str = "") -> str:
    """Return the place of a live figure: its still below a ``question``, and its state as data.

    In a live kernel ``key`` joins the place to the figure's widget.
    """
    data = {name: record[name] for name in ("state", "ask", "words") if name in record}
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    joined = f' data-key="{key}"' if key else ""
    return (
        f'<div class="live" id="{escape(record["label"])}" data-live="{record["name"]}"{joined}>'
        f'<div class="live-still picture">{question}{record["drawing"]}</div>'
        f'<script type="application/json">{text}</script></div>'
    )


def explorer(record: ExplorerRecord) -> str:
    """Return the player of an explorer: its controls, a frame for every choice, and the script that shows one."""
    controls = "".join(map(_control, record["controls"]))
    frames = "".join(_frame(drawing, i == record["first"]) for i, drawing in enumerate(record["drawings"]))
    return (
        f'<div class="explore" id="{record["id"]}"><div class="explore-controls" hidden>{controls}</div>'
        f'<div class="explore-chosen">{escape(record["chosen"])}</div><div class="explore-frames">{frames}</div>'
        f'<div class="explore-spoken" aria-live="polite" style="{HIDDEN}"></div></div>'
        f"<script>{SCRIPT.replace('ID', json.dumps(record['id']))}</script>"
    )


def _frame(drawing: str, is_shown: bool) -> str:
    hidden = "" if is_shown else " hidden"
    return f'<div class="frame"{hidden}>{drawing}</div>'


def _control(control: Control) -> str:
    """Return a slider if all texts begin with a digit, else a menu, behind its label."""
    name, label = control["id"], escape(control["label"])
    is_slider = all(re.match(r"−?\d", text) for text in control["texts"])
    field = _slider(control) if is_slider else _menu(control)
    return f'<div class="explore-control"><label for="{name}">{label}</label> {field}</div>'


def _slider(control: Control) -> str:
    name, start = control["id"], control["start"]
    shown = escape(control["texts"][start])
    return (
        f'<input type="range" {_identity(control)} min="0" max="{len(control["texts"]) - 1}" step="1" value="{start}" '
        f'aria-valuetext="{shown}" data-lm-suppress-shortcuts="true"> <output for="{name}">{shown}</output>'
    )


def _menu(control: Control) -> str:
    options = "".join(_option(i, text, i == control["start"]) for i, text in enumerate(control["texts"]))
    return f'<select {_identity(control)} data-lm-suppress-shortcuts="true">{options}</select>'


def _option(index: int, text: str, is_selected: bool) -> str:
    selected = " selected" if is_selected else ""
    return f'<option value="{index}"{selected}>{escape(text)}</option>'


def _identity(control: Control) -> str:
    labels = escape(json.dumps(control["texts"], ensure_ascii=False))
    return f'id="{control["id"]}" data-labels="{labels}"'
