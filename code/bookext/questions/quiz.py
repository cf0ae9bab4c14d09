"""Self-checks: ``{quiz}`` asks one question where it stands; `recall` collects them.

A quiz is a group of radio buttons. Behind each option stands the reason why it is right or wrong, and the style sheet
shows the reason of the option that is chosen: it needs no script. Where scripts run, ``answers.js`` keeps the first
answer in the reader's browser, for the page that asks again.
"""

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from ..derived import copied_children
from ..language.messages import N_, _

HEADING = N_("Check yourself")
MARKS = {"[x] ": True, "[ ] ": False}
SIGNS = {True: (N_("✓ Right."), "is-right"), False: (N_("✗ Not quite."), "is-wrong")}
MAX_OPTIONS = 6
RECALLED = "recall-"  # begins every id and name on the page that collects the quizzes


class quiz(nodes.General, nodes.Element):
    """A question and its options; `label` names it."""

    def markdown(self, writer):
        """Write the quiz into a notebook: the options as a list, and the reasons as a folded one."""
        question, *options = self.children
        answers = _numbered([nodes.paragraph("", "", *copied_children(answer))] for answer, _ in options)
        folded = _numbered(copied_children(reason) for _, reason in options)
        reasons = f"<details><summary>{_('Answers')}</summary>\n\n{writer.block(folded)}"
        return f"**{_(HEADING)}.** {writer.line(question)}\n\n{writer.block(answers)}\n\n{reasons}\n\n</details>"


class quiz_question(nodes.General, nodes.TextElement):
    """What is asked."""


class quiz_option(nodes.General, nodes.Element):
    """An answer and its reason; `number` counts from 1."""


class quiz_answer(nodes.General, nodes.TextElement):
    """What can be chosen."""


class quiz_reason(nodes.General, nodes.Element):
    """Why an answer is right or wrong."""


def setup(app):
    """Register the directive and its nodes."""
    app.add_node(quiz, html=(_open_quiz, _close("</fieldset>\n")))
    app.add_node(quiz_question, html=(_open_question, _close("</legend>\n")))
    app.add_node(quiz_option, html=(_open_option, _close("</div>\n")))
    app.add_node(quiz_answer, html=(_open_answer, _close("</label>\n")))
    app.add_node(quiz_reason, html=(_open_reason, _close("</div></div>\n")))
    app.add_directive("quiz", Quiz)
    app.add_transform(Signs)
    app.add_css_file("quiz.css", priority=900)
    app.add_js_file("answers.js", priority=100)


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
        parts = quiz_answer(answer.rawsource.removeprefix(mark), "", *answer.children), quiz_reason("", *reason)
        return quiz_option("", *parts, right=MARKS[mark], number=number)


class Signs(SphinxTransform):
    """Put the sign of an option before its reason."""

    default_priority = 30  # after the reason is translated

    def apply(self, **kwargs):
        for option in self.document.findall(quiz_option):
            text, name = SIGNS[option["right"]]
            sign = nodes.inline("", _(text), classes=["quiz-sign", name])
            option[1][0].insert(0, [sign, nodes.Text(" ")])


def _numbered(items):
    return nodes.enumerated_list("", *(nodes.list_item("", *blocks) for blocks in items), enumtype="arabic", suffix=".")


def _open_quiz(translator, node):
    translator.body.append(f'<fieldset class="quiz" id="{node["label"]}">\n')


def _open_question(translator, node):
    recalled = node.parent["label"].startswith(RECALLED)
    head = "" if recalled else f'<span class="quiz-head">{_(HEADING)}</span> '
    translator.body.append(translator.starttag(node, "legend", "") + head)


def _open_option(translator, node):
    """Write a button whose state no browser restores at the next visit."""
    name = node.parent["label"]
    button = f'<input type="radio" name="{name}" id="{name}-{node["number"]}" autocomplete="off">'
    translator.body.append(f'<div class="quiz-option">{button}\n')


def _open_answer(translator, node):
    option = node.parent
    translator.body.append(translator.starttag(node, "label", "", FOR=f"{option.parent['label']}-{option['number']}"))


def _open_reason(translator, node):
    """Write a status: a screen reader says what appears in it."""
    translator.body.append('<div role="status"><div class="quiz-reason">')


def _close(tag):
    return lambda translator, node: translator.body.append(tag)
