"""Choose three questions to ask each student aloud, from the student's own notebook: a page to print.

One is about what would change in a line, one about a name or a line, one about a hypothesis: the author's, with the
student's own numbers in it, a test's, or the student's own words. A student gets the same three whenever a class is
graded; partners of a group get others.
"""

import hashlib
import re

from . import clean, items, marks, report

PAGE = "oral.html"
MANY = 3
NUMBER = re.compile(r"\{([A-Z]\w*)\}")  # in an author's question: the value of that name
LONGEST = 240  # characters of a value, and of a written answer
LINES = 40  # of a function that is shown
STYLE = """<style>
section { break-inside: avoid; border-top: 2px solid #1b1b1b; margin-top: 1.5rem; }
pre { font-size: .8rem; }
@media print { body { margin: 0; max-width: none; } pre { white-space: pre-wrap; } }
</style>"""


def questions(assignment, student, result, login=""):
    """Return up to three (exercise, question, source of the function or "") for a student."""
    own = assignment.for_login(login)
    values = marks.data(own) if own.personal else {}
    asked = _asked(assignment, result)
    changes = _of_lines(assignment, result, [entry for entry in asked if entry[1] == "change"])
    names = _of_lines(assignment, result, [entry for entry in asked if entry[1] != "change"])
    hypotheses = _of_hypotheses(assignment, result, {name for name, *_ in asked}, values)
    chosen: list = []
    for found in (changes, names, hypotheses, *[changes + names + hypotheses] * MANY):
        used = {question.name for question, *_ in chosen}
        left = [entry for entry in found if entry not in chosen]
        new = [entry for entry in left if entry[0].name not in used]
        if (new or left) and len(chosen) < MANY:
            chosen.append(min(new or left, key=lambda entry: _rank(student, entry)))
    return chosen


def _rank(student, entry):
    """Return where a question stands in the order of a student: another one for each student."""
    question, text, _ = entry
    return hashlib.sha256(f"{student}/{question.name}/{text}".encode("utf-8", "replace")).hexdigest()


def _asked(assignment, result):
    """Return (function, kind, text) of what can be asked of lines, but for functions that are as handed out."""
    stubs = items.blank_answers(assignment)
    return [entry for entry in result.spoken if result.tokens.get(entry[0]) != stubs.get(entry[0], [])]


def _of_lines(assignment, result, asked):
    """Return the questions about lines, each with its exercise and the source of the function."""
    exercise = {name: question for question in assignment.questions for name in question.functions}
    return [
        (exercise[name], f"In `{name}`: {text}", result.sources.get(name, ""))
        for name, _, text in asked
        if name in exercise
    ]


def _of_hypotheses(assignment, result, answered, values):
    """Return what can be asked of the exercises of which the student answered a function, or that ask for words."""
    found = []
    for question in assignment.questions:
        said = (result.written or {}).get(question.name, "")
        if said:
            begins = " ".join(said.split())[:LONGEST]
            found.append((question, f"You wrote: “{begins}” Say it without the page, with an example of your own.", ""))
        if not said and not answered & {*question.functions}:
            continue
        found += [(question, _filled(text, values), "") for text in question.oral]
        if not question.oral:
            found += [(question, _of_test(mark), "") for mark in result.marks if _is_of(mark, question)]
    return found


def _is_of(mark, question):
    return mark.hidden and mark.question == question.name


def _of_test(mark):
    """Return a question about a test, by its name."""
    if mark.passed:
        return f"“{mark.test}”: your answer passes this test. Which line makes it hold, and what goes wrong without it?"
    return f"“{mark.test}”: your answer fails this test. Find an input for which it is wrong, and say why."


def _filled(text, values):
    """Return an author's question with the student's numbers in it."""
    return NUMBER.sub(lambda match: str(values.get(match[1], match[0]))[:LONGEST], text)


def page(assignment, students):
    """Return the page for a class, in the order given: (name, result, login) each, with names, for the instructor."""
    parts = [STYLE, f"<h1>{clean.page(assignment.title)}: questions to ask aloud</h1>"]
    for student, name, result, login in students:
        parts += _student(assignment, student, name, result, login)
    return report.page(f"{assignment.title}: oral", *parts)


def _student(assignment, student, name, result, login):
    """Yield the block of one student."""
    yield f"<section>\n<h2>{clean.page(name)}</h2>"
    own = assignment.for_login(login)
    if own.personal:
        values = {key: str(value) for key, value in marks.data(own).items() if key != "LOGIN"}
        short = [f"{key} = {value}" for key, value in values.items() if len(value) <= LONGEST]
        yield f"<p>Own numbers, of {clean.page(login or 'nobody')}: {clean.page(', '.join(short))}</p>"
    asked = questions(assignment, student, result, login)
    if not asked:
        yield "<p>The notebook answers nothing that one could ask about.</p>"
    shown = set()
    for number, (question, text, source) in enumerate(asked, 1):
        yield f"<p><b>{number}. {clean.page(question.title)}.</b> {clean.page(text)}<br>☐ yes ☐ with help ☐ no</p>"
        if source and source not in shown:
            yield f"<pre><code>{clean.paragraphs(_cut(source))}</code></pre>"
        shown.add(source)
    yield "</section>"


def _cut(source):
    lines = source.splitlines()
    return "\n".join(lines if len(lines) <= LINES else [*lines[:LINES], "…"])
