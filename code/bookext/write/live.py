"""Give each page that has live figures one script, which draws those that it has, and no other page any.

What a figure asks stands beside its still, for paper, and every drawing is a file of its own as well, for slides.
"""

import json
import re
from html import escape
from pathlib import Path

from attnfigures.kit import files

from ..language import scripts
from ..language.messages import _, translate

PLACE = re.compile(
    r'<div class="live"[^>]* data-live="(\w+)".*?<script type="application/json">(.*?)</script></div>', re.DOTALL
)
FIGURE = re.compile(r'<figure [^>]*\bid="([\w-]+)".*?</figure>', re.DOTALL)
PICTURE = re.compile(r'<svg [^>]*role="img".*?</svg>', re.DOTALL)
HIDDEN_FRAME = re.compile(r'<div class="frame" hidden>.*?(?=<div class="(?:frame|explore-spoken)")', re.DOTALL)
STILL = '<div class="live-still picture">'


def setup(app):
    """Write the style sheet of all figures; write and add a script page by page."""
    app.connect("builder-inited", _write_static)
    app.connect("html-page-context", _add_script)
    app.connect("html-page-context", _offer_pictures)
    app.connect("html-page-context", _move_script, priority=950)  # after the theme has chosen what the page loads
    app.add_css_file("live.css", priority=901)


def _write_static(app):
    """Write the styles, and anew the scripts of pages that are not written this time."""
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        static.mkdir(parents=True, exist_ok=True)
        (static / "live.css").write_text(files.styles(), encoding="utf-8")
        for path in static.glob("live-*.js"):
            _write_script(path, path.stem.split("-")[1:])


def _write_script(path, names):
    path.write_text(scripts.rewrite(files.script(names), translate), encoding="utf-8")


def _add_script(app, name, template, context, doctree):
    names = sorted({place[1] for place in PLACE.finditer(context.get("body", ""))})
    if names:
        file = f"live-{'-'.join(names)}.js"
        _write_script(Path(app.outdir) / "_static" / file, names)
        app.add_js_file(file, priority=900, fetchpriority="low")  # text and its fonts come first


def _offer_pictures(app, name, template, context, doctree):
    """Write the drawings of each figure, of an explorer the first, as files for slides, linked in the caption."""

    def offer(figure):
        caption, end, _rest = figure[0].rpartition("</p>\n</figcaption>")
        for i, svg in enumerate(PICTURE.findall(HIDDEN_FRAME.sub("", figure[0])) if end else ()):
            file = Path(app.outdir, "_images", f"{figure[1]}{f'-{i + 1}' * bool(i)}.svg")
            svg = re.sub(r"var\([^,)]*, *([^)]*)\)", r"\1", svg.replace("family: inherit", "family: sans-serif"))
            file.parent.mkdir(exist_ok=True)
            file.write_text(svg.replace("currentColor", "#000"), "utf-8")
            caption += f'<a class="figure-svg" href="{context["content_root"]}_images/{file.name}" download>SVG</a>'
        return f"{caption}{end}\n</figure>" if end else figure[0]

    context["body"] = FIGURE.sub(offer, context.get("body", ""))


def _write_question(match):
    """Put what a figure asks before its still: on paper, and without a script, it is read there."""
    ask = json.loads(match[2])["ask"]
    if not isinstance(ask, dict):
        return match[0]
    right = ask["answer"]
    options = "".join(f"<li>{escape(text)}</li>" for text in ask["options"])
    why = escape(_("{option}. {reason}", option=ask["options"][right], reason=ask["why"][right]))
    asked = escape(_("Predict first. {question}", question=ask["question"]))
    question = f'<p>{asked}</p><ol type="a">{options}</ol>'
    answer = f'<details class="live-answer"><summary>{_("Answer")}</summary><p>{why}</p></details>'
    return match[0].replace(STILL, STILL + question + answer, 1)


def _move_script(app, name, template, context, doctree):
    """Move the script from the head to behind the first figure: it runs before what stands below is painted.

    A figure is higher than its still, so with a script that is run later everything below would move.
    """
    context["body"] = PLACE.sub(_write_question, context.get("body", ""))
    first = PLACE.search(context["body"])
    if first:
        [file] = [file for file in context["script_files"] if "_static/live-" in str(file.filename)]
        context["script_files"].remove(file)
        body, end = context["body"], first.end()
        context["body"] = body[:end] + context["js_tag"](file) + body[end:]
