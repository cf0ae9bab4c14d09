"""Give each page that has live figures one script, which draws those that it has, and no other page any."""

import re
from pathlib import Path

from attnbook import live_files

from ..language import scripts
from ..language.messages import translate


def setup(app):
    """Write the style sheet of all figures; write and add a script page by page."""
    app.connect("builder-inited", _write_static)
    app.connect("html-page-context", _add_script)
    app.add_css_file("live.css", priority=901)


def _write_static(app):
    """Write the styles, and anew the scripts of pages that are not written this time."""
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        static.mkdir(parents=True, exist_ok=True)
        (static / "live.css").write_text(live_files.styles(), encoding="utf-8")
        for path in static.glob("live-*.js"):
            _write_script(path, path.stem.split("-")[1:])


def _write_script(path, names):
    path.write_text(scripts.rewrite(live_files.script(names), translate), encoding="utf-8")


def _add_script(app, name, template, context, doctree):
    names = sorted(set(re.findall(r'<div class="live"[^>]* data-live="(\w+)"', context.get("body", ""))))
    if names:
        file = f"live-{'-'.join(names)}.js"
        _write_script(Path(app.outdir) / "_static" / file, names)
        app.add_js_file(file)
