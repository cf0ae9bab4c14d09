"""Self-checks: ``{quiz}`` asks one question where it stands, ``{recall}`` collects the questions of the whole book.

A quiz is a group of radio buttons. Behind each option stands the reason why it is right or wrong, and the style sheet
shows the reason of the option that is chosen. No script runs, nothing is counted, and nothing is stored.
"""

from collections import defaultdict

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.errors import ExtensionError
from sphinx.transforms import SphinxTransform
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from ..language.words import _
from . import checks

HEADING = "Check yourself"
MARKS = {"[x] ": True, "[ ] ": False}
SIGNS = {True: ("✓ Right.", "is-right"), False: ("✗ Not quite.", "is-wrong")}
MAX_OPTIONS = 6
RECALLED = "recall-"  # begins every id and name on the page that collects the quizzes


class quiz(nodes.General, nodes.Element):
    """A question and its options; `label` names it."""

    def markdown(self, writer):
        """Write the quiz into a notebook: the options as a list, and the reasons as a folded one."""
        question, *options = self.children
        answers = _numbered([nodes.paragraph("", "", *_copy(answer))] for answer, _ in options)
        reasons = (
            f"<details><summary>{_('Answers')}</summary>\n\n{writer.list(_numbered(_copy(r) for _, r in options))}"
        )
        return f"**{_(HEADING)}.** {writer.line(question)}\n\n{writer.list(answers)}\n\n{reasons}\n\n</details>"

    def plain(self):
        """Return the quiz as nodes that every writer knows: in a list, each reason follows its option."""
        question, *options = self.children
        items = ([nodes.paragraph("", "", *_copy(answer)), *_copy(reason)] for answer, reason in options)
        return [
            nodes.paragraph("", "", nodes.strong("", f"{_(HEADING)}."), nodes.Text(" "), *_copy(question)),
            _numbered(items),
        ]


class quiz_question(nodes.General, nodes.TextElement):
    """What is asked."""


class quiz_option(nodes.General, nodes.Element):
    """An answer and its reason; `number` counts from 1."""


class quiz_answer(nodes.General, nodes.TextElement):
    """What can be chosen."""


class quiz_reason(nodes.General, nodes.Element):
    """Why an answer is right or wrong."""


class recall_list(nodes.General, nodes.Element):
    """The place of the quizzes of all pages."""


def setup(app):
    """Register directives and nodes; collect the quizzes of each page."""
    app.add_node(quiz, html=(_open_quiz, _close("</fieldset>\n")))
    app.add_node(quiz_question, html=(_open_question, _close("</legend>\n")))
    app.add_node(quiz_option, html=(_open_option, _close("</div>\n")))
    app.add_node(quiz_answer, html=(_open_answer, _close("</label>\n")))
    app.add_node(quiz_reason, html=(_open_reason, _close("</div></div>\n")))
    app.add_directive("quiz", Quiz)
    app.add_directive("recall", Recall)
    app.add_transform(Signs)
    app.add_post_transform(Fill)
    app.add_post_transform(WritePlainly)
    app.add_css_file("quiz.css", priority=900)
    app.connect("doctree-read", _collect)
    app.connect("env-check-consistency", _require_unique_labels)
    checks.register_collection(app, "attnbook_quizzes")


def quizzes(env):
    """Return the quizzes of each page: docname → list of (id of the section, nodes of its title, quiz)."""
    return checks.collection(env, "attnbook_quizzes")


class Quiz(SphinxDirective):
    """``{quiz}``: a question and a list of options, ``[x]`` before the right one and ``[ ]`` before the others.

    The first paragraph of an item is the option; what follows it is the reason.
    """

    option_spec = {"label": directives.unchanged}  # noqa: RUF012
    has_content = True

    def run(self):
        label = self.options.get("label", "")
        if not label.startswith("quiz-") or label != nodes.make_id(label):
            raise self.error(f"a quiz needs a label such as quiz-chapter-topic, not {label!r}")
        body = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, body)
        if [type(child) for child in body] != [nodes.paragraph, nodes.bullet_list]:
            raise self.error(f"{label}: a quiz holds one paragraph, which asks, and one list of options")
        question, options = body.children
        asked = quiz_question(question.rawsource, "", *question.children)
        node = quiz("", asked, *self.read_options(label, options), label=label)
        for part in node.findall(lambda part: isinstance(part, quiz | quiz_question | quiz_answer)):
            self.set_source_info(part)
        return [node]

    def read_options(self, label, items):
        """Return the options, from the items of a list; an error says what its author forgot."""
        if not 2 <= len(items) <= MAX_OPTIONS:
            raise self.error(f"{label}: a quiz has 2 to {MAX_OPTIONS} options, not {len(items)}")
        options = [self.read_option(label, number, item) for number, item in enumerate(items, 1)]
        if (right := sum(option["right"] for option in options)) != 1:
            raise self.error(f"{label}: exactly one option is marked [x], not {right}")
        return options

    def read_option(self, label, number, item):
        """Return an option, from an item of the list."""
        answer, *reason = item.children or [nodes.paragraph()]
        mark = answer.astext()[:4]
        if mark not in MARKS or not isinstance(answer[0], nodes.Text):
            raise self.error(f"{label}: option {number} does not begin with [x] or [ ], and then text")
        if not reason or not isinstance(reason[0], nodes.paragraph):
            raise self.error(f"{label}: option {number} has no reason: write one below it, after an empty line")
        answer[0] = nodes.Text(answer[0].astext().removeprefix(mark))
        said = quiz_answer(answer.rawsource.removeprefix(mark), "", *answer.children)
        parts = said, quiz_reason("", *reason)
        return quiz_option("", *parts, right=MARKS[mark], number=number)


class Signs(SphinxTransform):
    """Put the sign of an option before its reason."""

    default_priority = 30  # after the reason is translated

    def apply(self, **kwargs):
        for option in self.document.findall(quiz_option):
            words, name = SIGNS[option["right"]]
            sign = nodes.inline("", _(words), classes=["quiz-sign", name])
            option[1][0].insert(0, [sign, nodes.Text(" ")])


def _collect(app, doctree):
    found = []
    for node in doctree.findall(quiz):
        section = checks.section_of(node)
        found.append((section["ids"][0], _copy(section[0]), node.deepcopy()))
    quizzes(app.env)[app.env.docname] = found


def _require_unique_labels(app, env):
    places = defaultdict(list)
    for name, found in quizzes(env).items():
        for *_place, node in found:
            places[node["label"]].append(f"{env.doc2path(name, base=False)}:{node.line}")
    if twice := [f"{label} ({' and '.join(where)})" for label, where in places.items() if len(where) > 1]:
        raise ExtensionError(f"Two quizzes have one label: {'; '.join(twice)}")


class Recall(SphinxDirective):
    """``{recall}``: every quiz of the book, chapter by chapter."""

    def run(self):
        self.env.metadata[self.env.docname]["made_from_others"] = True
        return [recall_list()]


class Fill(SphinxPostTransform):
    """Write the quizzes where their page asks for them."""

    default_priority = 5  # before references are resolved: reasons hold some

    def run(self, **kwargs):
        for place in list(self.document.findall(recall_list)):
            place.replace_self(list(self.chapters()))

    def chapters(self):
        """Return a section for each page that has quizzes."""
        for name in checks.pages(self.env):
            if found := quizzes(self.env).get(name):
                number = ".".join(map(str, self.env.toc_secnumbers.get(name, {}).get("", ())))
                title = nodes.title("", f"{number}. " * bool(number) + self.env.titles[name].astext())
                asked = [node for one in found for node in self.recalled(name, *one)]
                yield nodes.section("", title, *asked, ids=[f"of-{name.rpartition('/')[2]}"])

    def recalled(self, docname, section, title, node):
        """Return a copy of one quiz under a name of its own, and a link to the section where it stands."""
        copy = node.deepcopy()
        copy["label"] = RECALLED + node["label"]
        for reference in copy.findall(lambda child: "refdoc" in getattr(child, "attributes", ())):
            reference["refdoc"] = self.env.docname
        link = make_refnode(self.app.builder, self.env.docname, docname, section, [n.deepcopy() for n in title])
        return copy, nodes.paragraph("", _("From") + " ", link, classes=["quiz-from"])


class WritePlainly(SphinxPostTransform):
    """Replace quizzes where the format knows no buttons."""

    default_priority = 6  # after the page that collects them is filled

    def run(self, **kwargs):
        if self.app.builder.format != "html" and self.app.builder.name != "gettext":
            for node in list(self.document.findall(quiz)):
                node.replace_self(node.plain())


def _copy(node):
    return [child.deepcopy() for child in node.children]


def _numbered(items):
    return nodes.enumerated_list("", *(nodes.list_item("", *blocks) for blocks in items), enumtype="arabic", suffix=".")


def _open_quiz(translator, node):
    translator.body.append(f'<fieldset class="quiz" id="{node["label"]}">\n')


def _open_question(translator, node):
    recalled = node.parent["label"].startswith(RECALLED)
    translator.body.append("<legend>" if recalled else f'<legend><span class="quiz-head">{_(HEADING)}</span> ')


def _open_option(translator, node):
    """Write a button that no browser keeps for the next visit."""
    name = node.parent["label"]
    button = f'<input type="radio" name="{name}" id="{name}-{node["number"]}" autocomplete="off">'
    translator.body.append(f'<div class="quiz-option">{button}\n')


def _open_answer(translator, node):
    translator.body.append(f'<label for="{node.parent.parent["label"]}-{node.parent["number"]}">')


def _open_reason(translator, node):
    """Write a status: a screen reader says what appears in it."""
    translator.body.append('<div role="status"><div class="quiz-reason">')


def _close(tag):
    return lambda translator, node: translator.body.append(tag)
