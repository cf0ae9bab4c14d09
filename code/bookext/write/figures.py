"""Draw figures on a page, and give each page that has live ones a script that draws those, and no other page any.

What a figure asks stands beside its still, for paper, and every drawing is a file of its own as well, for slides.
"""

from html import escape
from pathlib import Path

import tinycss2
from attnfigures.kit import files, markup, svg
from attnfigures.kit.record import drawing
from docutils import nodes
from rjsmin import jsmin

from ..language import editions, scripts
from ..language.messages import _, translate
from ..outputs.figures import drawn_figure, live_names

# Where the script of a page is to stand: behind the first figure, before what stands below is painted. A figure is
# higher than its still, so with a script that is run later everything below would move.
SCRIPT_PLACE = "<!--script of the figures-->"
COMPILE_ALL = "//# allFunctionsCalledOnLoad"  # a hint to V8; other engines read a comment


def setup(app):
    """Write the style sheet that figures share; draw them, and give each page their script and their own styles."""
    app.add_node(drawn_figure, html=(_visit_figure, None))
    app.add_node(nodes.caption, override=True, html=(_visit_caption, _depart_caption))
    app.connect("builder-inited", _write_static)
    app.connect("doctree-read", _depend_on_styles)
    app.connect("html-page-context", _add_script)
    app.connect("html-page-context", _move_script, priority=950)  # after the theme has chosen what the page loads
    app.add_css_file("live.css", priority=901)


# --- Drawings ---------------------------------------------------------------------------------------------------------


def _visit_figure(translator, node):
    """Write a figure; behind the first live one of its page, also the place of their script."""
    record = node["record"]
    if record["kind"] == "live":
        html = markup.live(record, question=_question(record["ask"]))
        first = next(other for other in node.document.findall(drawn_figure) if other["record"]["kind"] == "live")
        if node is first:
            html += SCRIPT_PLACE
    else:
        html = markup.as_html(record)
    translator.body.append(f"{translator.starttag(node, 'div', '')}{html}</div>")
    raise nodes.SkipNode


def _question(ask):
    """Return what a figure asks, before its still: on paper, and without a script, it is read there."""
    if not isinstance(ask, dict):
        return ""
    right = ask["answer"]
    options = "".join(f"<li>{escape(text)}</li>" for text in ask["options"])
    why = escape(_("{option}. {reason}", option=ask["options"][right], reason=ask["why"][right]))
    asked = escape(_("Predict first. {question}", question=ask["question"]))
    answer = f'<details class="live-answer"><summary>{_("Answer")}</summary><p>{why}</p></details>'
    return f'<p>{asked}</p><ol type="a">{options}</ol>{answer}'


# --- Files for slides -------------------------------------------------------------------------------------------------


def _visit_caption(translator, node):
    type(translator).visit_caption(translator, node)


def _depart_caption(translator, node):
    """Link the drawings of a figure at the end of its caption."""
    type(translator).depart_caption(translator, node)
    end = translator.body.pop()
    translator.body += [*_links(translator.builder, node.parent), end]


def _links(builder, figure):
    """Write the drawings of a figure, of an explorer the first, as files; yield a link to each."""
    if not figure["ids"]:
        return
    records = [node["record"] for node in figure.findall(drawn_figure)]
    svgs = [part for record in records for part in svg.parts(drawing(record))]
    depth = builder.get_target_uri(builder.current_docname).count("/")
    root = "../" * depth or "./"
    for number, text in enumerate(svgs, 1):
        name = figure["ids"][0] if number == 1 else f"{figure['ids'][0]}-{number}"
        file = Path(builder.outdir, "_images", f"{name}.svg")
        file.parent.mkdir(exist_ok=True)
        file.write_text(svg.alone(text), "utf-8")
        yield f'<a class="figure-svg" href="{root}_images/{file.name}" download>SVG</a>'


# --- Scripts ----------------------------------------------------------------------------------------------------------


def _write_static(app):
    """Write the styles that all figures share, and anew the scripts of pages that are not written this time."""
    if app.builder.format == "html":
        static = Path(app.outdir) / "_static"
        static.mkdir(parents=True, exist_ok=True)
        (static / "live.css").write_text(files.shared_styles(), encoding="utf-8")
        for path in static.glob("live-*.js"):
            _write_script(app, path, path.stem.split("-")[1:])


def _depend_on_styles(app, doctree):
    """Write a page again when the styles of one of its figures change: they stand on the page itself."""
    for name in live_names(doctree):
        app.env.note_dependency(str(files.FIGURES / f"{name}.css"))


def _write_script(app, path, names):
    """Write the script of the figures ``names``, without comments and the space between words.

    Its first line asks browsers to compile all of it beside the page, while it comes, and not a function at a time when
    the page calls it: a page waits for the first figure.
    """
    script = files.script(names) if app.config.language == editions.TOP else files.script(names, _translated)
    path.write_text(f"{COMPILE_ALL}\n{jsmin(script)}", encoding="utf-8")


def _translated(path):
    """Return the script of a figure, or one that figures share, in the language of the edition."""
    return scripts.rewrite(path.read_text("utf-8"), translate, path.name)


def _add_script(app, name, template, context, doctree):
    names = live_names(doctree) if doctree else []
    if names:
        file = f"live-{'-'.join(names)}.js"
        _write_script(app, Path(app.outdir) / "_static" / file, names)
        app.add_js_file(file, priority=900, fetchpriority="low")  # text and its fonts come first
        context["figure_styles"] = _without_comments(files.own_styles(names))


def _without_comments(css):
    """Return a style sheet without comments and the space between rules."""
    return "".join(rule.serialize() for rule in tinycss2.parse_stylesheet(css, True, True))


def _move_script(app, name, template, context, doctree):
    """Move the script of the figures from the head to its place."""
    if SCRIPT_PLACE in context.get("body", ""):
        [file] = [file for file in context["script_files"] if "_static/live-" in str(file.filename)]
        context["script_files"].remove(file)
        context["body"] = context["body"].replace(SCRIPT_PLACE, context["js_tag"](file))
