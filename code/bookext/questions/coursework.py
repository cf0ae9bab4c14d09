"""The directives ``{coursework} chapter``, ``{assessment-map}`` and ``{slip-table}``.

They show the questions of an assignment on its chapter's page, which of them tests which goal of the chapter, and what
a slip keeps of the points.

The page's source, which the site publishes, holds only the directive; solutions and hidden tests stay in ``course/``.
"""

import re
from dataclasses import replace
from pathlib import Path

from attncourse import author, shares
from attncourse.clean import points as in_points
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from ..contents import contents
from ..derived import collection

COURSE = Path(__file__).parents[3] / "course"
GOALS = re.compile(r"After this chapter you can…\*\*\n\n((?:- .+\n(?:  .+\n)*)+)")


def setup(app):
    """Register the directives."""
    app.add_directive("coursework", Coursework)
    app.add_directive("assessment-map", AssessmentMap)
    app.add_directive("slip-table", SlipTable)


def questions(env, path):
    """Return every exercise of an assignment, under a name for the whole site, and the hours that all of them take.

    They are remembered: the page for instructors is read again whenever a chapter changes.
    """
    env.note_dependency(str(path))
    text = path.read_text("utf-8")
    remembered = collection(env, "attnbook_assignments")
    if remembered.get(path.stem, ("",))[0] != text:
        assignment = author.read(path)
        asked = [replace(q, name=f"coursework-{path.stem}-{q.name}") for q in assignment.questions]
        remembered[path.stem] = (text, asked, assignment.hours)
    return remembered[path.stem][1:]


def goals(text):
    """Return the goals at the start of a chapter, in order."""
    listed = GOALS.search(text)
    return [" ".join(goal.split()) for goal in re.split(r"^- ", listed[1], flags=re.M)[1:]] if listed else []


class Coursework(SphinxDirective):
    """Title, points and text of every question."""

    required_arguments = 1

    def run(self):
        path = COURSE / f"{self.arguments[0]}.md"
        if not path.is_file():
            raise self.error(f"there is no assignment {path.name}")
        asked, hours = questions(self.env, path)
        lines = [f"About {hours:g} hours, once you have read the chapter.", ""]
        for number, question in enumerate(asked, 1):
            head = f"**{number}. {question.title}** ({in_points(question.points)})"
            lines += [f"({question.name})=", head, "", *question.text.splitlines(), ""]
        return _parsed(self, lines)


class AssessmentMap(SphinxDirective):
    """Every goal of every chapter that has an assignment, and under it the questions that test it."""

    def run(self):
        source = Path(self.env.srcdir)
        lines = []
        for page in contents(source).pages:
            chapter = source / f"{page}.md"
            path = COURSE / chapter.name
            if not path.is_file():
                continue
            self.env.note_dependency(str(chapter))
            asked, hours = questions(self.env, path)
            lines += [f"**{{doc}}`{chapter.stem}`**, about {hours:g} hours", ""]
            for number, goal in enumerate(goals(chapter.read_text(encoding="utf-8")), 1):
                tests = [question for question in asked if number in question.goals]
                links = [f"{{ref}}`{q.title} <{q.name}>` ({in_points(q.points)})" for q in tests]
                lines += [f"{number}. {goal}", *(f"   - {link}" for link in links or ["no exercise"])]
            lines.append("")
        return _parsed(self, lines)


class SlipTable(SphinxDirective):
    """What is left of each exercise after each slip, by its tests and by its share, where an assignment has shares."""

    def run(self):
        lines = []
        for path in author.assignments(COURSE).values():
            self.env.note_dependency(str(path))
            assignment = author.read(path)
            if not any(slip.keeps for question in assignment.questions for slip in question.wrong):
                continue
            lines += [
                f"````{{dropdown}} **{assignment.title}**",
                "| exercise | slip | by its tests | in all |",
                "|---|---|---|---|",
            ]
            lines += [_row(one) for one in shares.kept_shares(assignment)]
            lines += ["````", ""]
        table = _parsed(self, lines)
        for node in table:
            for text in node.findall(nodes.TextElement):
                text["translatable"] = False  # names, as in course/ and in reports
        return table


def _row(kept):
    """Return the row of a slip."""
    worth = f"{kept.points:g} of {kept.question.points:g}"
    return f"| {kept.question.title} | {kept.slip.name} | {kept.by_tests:g} | {worth} |"


def _parsed(directive, lines):
    box = nodes.container(classes=["coursework"])
    directive.state.nested_parse(StringList(lines, directive.get_source_info()[0]), directive.content_offset, box)
    return box.children
