"""The page of all questions: ``{recall}`` collects the self-checks and the boxes *Predict first* of the chapters.

Without a script it is a list, chapter by chapter. ``recall.js`` asks one question at a time, by what ``answers.js``
keeps of earlier answers under the label of each question. A quiz has the label that its author gives; that of a box is
made of its page and section, so that it stays when the words change.
"""

from collections import Counter, defaultdict

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from ..contents import chapters, with_deeper
from ..derived import (
    collection,
    copied,
    copied_children,
    link,
    mark_collected,
    place,
    register_collection,
    section_of,
)
from ..language.english import in_language, left_out
from ..language.messages import _
from .quiz import RECALLED, quiz


def setup(app):
    """Register the directive; collect the questions of each page; load the script where they are shown."""
    app.add_directive("recall", Recall)
    app.add_css_file("recall.css", priority=900)
    app.connect("doctree-read", _collect)
    app.connect("env-check-consistency", _require_unique_labels)
    app.connect("html-page-context", _load_script)
    register_collection(app, "attnbook_asked")


def asked(env):
    """Return the questions of each page: docname → list of (id of the section, nodes of its title, node)."""
    return collection(env, "attnbook_asked")


def _collect(app, doctree):
    page = app.env.docname
    boxes = Counter()
    questions = asked(app.env)[page] = []
    for node in doctree.findall(_is_question):
        section = section_of(node)
        anchor = section["ids"][0]
        question = node.deepcopy()
        if not isinstance(node, quiz):
            boxes[anchor] += 1
            number = f"-{boxes[anchor]}" if boxes[anchor] > 1 else ""
            question["label"] = f"predict-{page.rpartition('/')[2]}-{anchor}{number}"
        questions.append((anchor, copied_children(section[0]), question))


def _is_question(node):
    return isinstance(node, quiz) or (isinstance(node, nodes.admonition) and "predict" in node["classes"])


def _require_unique_labels(app, env):
    places = defaultdict(list)
    for name, questions in asked(env).items():
        for *_place, node in questions:
            places[node["label"]].append(f"{env.doc2path(name, base=False)}:{node.line}")
    if twice := [f"{label} ({' and '.join(where)})" for label, where in places.items() if len(where) > 1]:
        raise ExtensionError(f"Two questions have one label: {'; '.join(twice)}")


def _load_script(app, pagename, templatename, context, doctree):
    if doctree is not None and any("asks" in section["classes"] for section in doctree.findall(nodes.section)):
        app.add_js_file("recall.js", priority=900)


class Recall(SphinxDirective):
    """``{recall}``: every question of the chapters, and of the pages that go deeper, under the title of its chapter."""

    def run(self):
        return [place(self.env, _recalled)]


def _recalled(app, docname):
    """Yield a section for each chapter that asks something."""
    env = app.env
    left_in_all = Counter()
    for chapter, number in chapters(env).items():
        items = [
            (page, node, *where) for page in with_deeper(env, chapter) for *where, node in asked(env).get(page, ())
        ]
        shown, left = in_language(app, items)
        left_in_all += left
        if shown:
            title = nodes.title("", f"{number}. {env.titles[chapter].astext()}")
            units = [_unit(app, docname, *item) for item in shown]
            yield nodes.section("", title, *units, ids=[f"of-{chapter.rpartition('/')[2]}"], classes=["asks"])
    yield from left_out(app, docname, left_in_all)


def _unit(app, docname, page, node, anchor, heading):
    """Return a question under a name of its own, above a link to its place."""
    copy = copied(node, docname)
    label = RECALLED + node["label"]
    if isinstance(node, quiz):
        copy["label"] = label
    else:
        del copy["label"]  # `boxes` would take the box for a theorem
        copy["ids"] = [label]
    back = link(app, docname, page, anchor, [part.deepcopy() for part in heading])
    unit = nodes.container("", copy, nodes.paragraph("", _("From") + " ", back, classes=["quiz-from"]))
    mark_collected(unit, back)
    return unit
