"""Give each page that has live figures one script, which draws those that it has, and no other page any."""

import re
import shutil
from pathlib import Path

STYLES = Path(__file__).parent.parent / "attnbook" / "live" / "live.css"


def setup(app):
    """Copy the style sheet to the other static files; write and add a script page by page."""
    app.connect("builder-inited", _copy_styles)
    app.connect("html-page-context", _add_script)
    app.add_css_file("live.css", priority=901)


def _static(app):
    folder = Path(app.outdir) / "_static"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _copy_styles(app):
    if app.builder.format == "html":
        shutil.copy(STYLES, _static(app))


def _add_script(app, name, template, context, doctree):
    names = sorted(set(re.findall(r'<div class="live"[^>]* data-live="(\w+)"', context.get("body", ""))))
    if names:
        from attnbook import live

        file = f"live-{'-'.join(names)}.js"
        (_static(app) / file).write_text(live.script(names), encoding="utf-8")
        app.add_js_file(file, loading_method="defer")
