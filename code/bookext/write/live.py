"""Give each page that has live figures one script, which draws those that it has, and no other page any."""

import re
from pathlib import Path

from attnbook.live import files

from ..language import scripts
from ..language.messages import translate

PLACE = re.compile(r'<div class="live"[^>]* data-live="(\w+)".*?</script></div>', re.DOTALL)


def setup(app):
    """Write the style sheet of all figures; write and add a script page by page."""
    app.connect("builder-inited", _write_static)
    app.connect("html-page-context", _add_script)
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
        app.add_js_file(file)


def _move_script(app, name, template, context, doctree):
    """Move the script from the head to behind the first figure: it runs before what stands below is painted.

    A figure is higher than its still, so with a script that is run later everything below would move.
    """
    first = PLACE.search(context.get("body", ""))
    if first:
        [file] = [file for file in context["script_files"] if "_static/live-" in str(file.filename)]
        context["script_files"].remove(file)
        body, end = context["body"], first.end()
        context["body"] = body[:end] + context["js_tag"](file) + body[end:]
