"""What is written about a class, as pages: one for each student, one for the instructor. Everything is escaped."""

from collections import Counter
from statistics import fmean, median

from . import clean, items
from .author import POINTS

FOR_THE_CLASS = "class.html"
KINDS = {"def": "definition", "thm": "theorem", "eq": "equation", "ex": "exercise"}  # of labels in the book
UNKNOWN = (
    "This slip has no sentence of its own. Take the name of the first test that failed as a question, and try your "
    "function on the smallest case that it speaks of."
)
BLANK = ("NotImplementedError", "LookupError")  # why a test fails where nothing is written
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b;
  background: #fff; overflow-wrap: anywhere; }}
pre {{ background: #f3f3f3; padding: .5rem; overflow-x: auto; }}
pre.words {{ white-space: pre-wrap; font: inherit; }}
table {{ border-collapse: collapse; }}
th, td {{ text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #ccc; vertical-align: top; }}
th, td.number {{ overflow-wrap: normal; }}
td.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
.passed {{ color: #00591f; }}
.failed {{ color: #8c1313; }}
.slip {{ border-left: .25rem solid #2d5f9a; padding-left: .6rem; }}
.bar {{ display: block; background: #2d5f9a; height: 1rem; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def page(title, *parts):
    """Return a page of HTML that loads and runs nothing; `parts` are HTML, `title` is text."""
    return PAGE.format(title=clean.page(title), body="\n".join(parts))


def feedback(assignment, student, result, final, name="", hints=True, site=""):
    """Return the page of one student: visible tests in full, of hidden ones only name and points.

    What the assignment says of a slip stands there if `hints` are out; its link leads to the book, at `site`.
    """
    title = assignment.title
    score = f"{final.score:g} of {POINTS} points" if final.score is not None else "not graded"
    parts = [f"<h1>{clean.page(title)}: {score}</h1>", f"<p>{clean.page(name or student)}</p>"]
    if result.python:
        parts.append(f"<p>Marked with Python {clean.page(result.python)} and NumPy {clean.page(result.numpy)}.</p>")
    parts += [f"<p>{clean.page(comment)}</p>" for comment in final.comments]
    if final.marks:
        parts += _not_counted(assignment, final)
        for number, question in enumerate(assignment.questions, 1):
            parts.append(
                f"<h2>{number}. {clean.page(question.title)}: {_points(final.parts[question.name], question)}</h2>"
            )
            if hints:
                parts += _said(question, final, site)
            parts += _question(question, result, final)
    parts += _list("Remarks", result.remarks)
    return page(f"{title}: {name or student}", *parts)


def _not_counted(assignment, final):
    """Yield a line about the points that the score does not have yet."""
    waiting = sum(question.points for question in assignment.questions if final.parts[question.name] is None)
    if waiting and final.score is not None:
        yield f"<p>Answers in words that nobody has marked yet are worth up to {clean.points(waiting)} more.</p>"


def _question(question, result, final):
    """Yield what a student's page says of one question below its title and its slips."""
    if question.kind == "written":
        if result.written is not None:
            yield _answer(result.written.get(question.name))
        yield from _verdict(question, final.verdicts.get(question.name))
        return
    marks = [mark for mark in final.marks if mark.question == question.name]
    hidden = "".join(_row(mark) for mark in marks if mark.hidden)
    more = (final.parts[question.name] or 0) - sum(mark.earned for mark in marks)
    share = any(found.keeps for found in final.slips if found.question == question.name)
    if share and more > 0:
        hidden += f'<tr><td>For the idea, since the slip is a known one<td><td class="number">{more:+g}</tr>\n'
    yield f"<table>\n<tr><th>Test<th>Result<th>Points</tr>\n{hidden}</table>"
    yield from (_visible(mark) for mark in marks if not mark.hidden)


def _said(question, final, site):
    """Yield what the assignment says to a student of the slips in one answer, with the section to read."""
    slips = {slip.name: slip for slip in question.wrong}
    names = [name for found in final.slips if found.question == question.name for name in found.slips]
    said = [slips[name] for name in names if name in slips and slips[name].says]
    for slip in said:
        yield f'<p class="slip">{clean.page(slip.says)}{_where(slip.read, site)}</p>'
    failed = [mark for mark in final.marks if mark.question == question.name and mark.hidden and not mark.passed]
    if not said and any(not mark.why.startswith(BLANK) for mark in failed):
        yield f'<p class="slip">{UNKNOWN}</p>'


def _where(read, site):
    """Return where to read, page.md#label, as a link into the book, or as words where it has no address."""
    if not read:
        return ""
    page, label = read.removesuffix("#").split("#")
    chapter = page.removesuffix(".md")
    if not site:
        return f" Read “{clean.page(_in_words(label))}” on the page {clean.page(chapter)} of the book."
    anchor = f"equation-{label}" if label.startswith("eq-") else label
    address = clean.page(f"{site}chapters/{chapter}.html#{anchor}")
    return f' <a href="{address}">Read this in the book.</a>'


def _in_words(label):
    """Return a label of the book in words, for a page without links: “theorem variance” for thm-variance."""
    kind, _, rest = label.partition("-")
    return f"{KINDS[kind]} {rest}".replace("-", " ") if kind in KINDS else label.replace("-", " ")


def _visible(mark):
    """Return a visible test and what came of it."""
    if mark.passed:
        verdict = '<p class="passed">This holds.</p>'
    else:
        verdict = f'<p class="failed">This fails. <code>{clean.page(mark.why)}</code></p>'
    return f"<pre><code>{clean.paragraphs(mark.test)}</code></pre>\n{verdict}"


def _points(points, question):
    return "not graded yet" if points is None else f"{points:g} of {question.points:g}"


def _answer(text):
    """Return what a student wrote, or why there is nothing; None where the heading of the question is gone."""
    if text is None:
        return "<p>The heading of this exercise is not in the notebook, so no answer was found below it.</p>"
    return f'<pre class="words">{clean.paragraphs(text)}</pre>' if text else "<p>Nothing was written.</p>"


def _verdict(question, verdict):
    """Yield the lines of a rubric, whether a written answer has each of them, and the remarks of its marker."""
    if verdict is None:
        return
    for holds, line in zip(verdict.ticks, question.rubric, strict=True):
        name, sign = ("passed", "✓ yes") if holds else ("failed", "– no")
        yield f'<p><span class="{name}">{sign}:</span> {clean.page(line)}</p>'
    yield from (f"<p>{clean.page(remark)}</p>" for remark in verdict.remarks)


def _row(mark):
    verdict = "passed" if mark.passed else "failed"
    reason = f" ({clean.page(mark.why)})" if mark.passed and mark.why else ""
    return (
        f'<tr><td>{clean.page(mark.test)}<td class="{verdict}">{verdict}{reason}'
        f'<td class="number">{mark.earned:g} of {mark.points:g}</tr>\n'
    )


def _list(title, lines):
    items = [f"<li>{clean.page(line)}</li>" for line in lines]
    return [f"<h2>{clean.page(title)}</h2>\n<ul>", *items, "</ul>"] if lines else []


def class_page(assignment, results, finals, first, lists, alike, untried=None, among=None, pages=()):
    """Return the instructor's page: what to look at first, distribution, points of each test, answers that are alike.

    `first` and `lists` map titles to lines of text; `alike` is what `similar.compare` found; `pages` are (file, text)
    of others to open. `untried` is {what: students} of those who answered nothing: no figure counts them. `among` is
    {question: students who tried it}.
    """
    untried = untried or {}
    tried = _who_tried(finals, untried)
    among = among or {question.name: {*tried} for question in assignment.questions}
    parts = [f"<h1>{clean.page(assignment.title)}: the class</h1>"]
    parts += [f'<p><a href="{clean.page(file)}">{clean.page(text)}</a></p>' for file, text in pages]
    for title, lines in first.items():
        parts += _list(title, lines)
    parts += _marked_with(results)
    lines = [f"{what}, {len(people)}: {', '.join(people)}" for what, people in untried.items()]
    parts += _list("Nothing was tried, and no figure below counts these", lines)
    parts += _distribution([final.score for final in tried.values()])
    parts += _slips(assignment, tried)
    parts += _tests(assignment, tried, among)
    parts += _rubrics(assignment, tried.values())
    for title, lines in lists.items():
        parts += _list(title, lines)
    parts += _alike(alike)
    return page(f"{assignment.title}: the class", *parts)


def _who_tried(finals, untried):
    """Return {student: Final} of the students who answered something."""
    left_out = {student for students in untried.values() for student in students}
    return {s: final for s, final in finals.items() if final.score is not None and s not in left_out}


def page_without_names(assignment, finals, untried, among, hints=True, site=""):
    """Return the page that can be shown in class: nobody is named, and nothing is said that fewer than a few did."""
    tried, title = _who_tried(finals, untried), f"{assignment.title}: the class"
    parts = [f"<h1>{clean.page(title)}</h1>"]
    if len(tried) >= items.FEW:
        parts += _distribution([final.score for final in tried.values()])
        parts += _tests(assignment, tried, among, short=True)
    common = [made for made in items.slips(assignment, tried) if made[-1] >= items.FEW and made[1].says]
    if common and hints:
        parts.append("<h2>What happened more than once</h2>")
    for question, slip, many in common if hints else []:
        where = f"{clean.page(question.title)}, {many} students"
        parts.append(f'<h3>{where}</h3>\n<p class="slip">{clean.page(slip.says)}{_where(slip.read, site)}</p>')
    return page(title, *parts)


def _slips(assignment, finals):
    """Return how many students made each slip that has a name."""
    made = items.slips(assignment, finals)
    lines = [f"{_students(many)}: {slip.name} ({question.title})" for question, slip, many in made]
    return _list("Slips that have a name", lines)


def _students(many):
    return "1 student" if many == 1 else f"{many} students"


def _marked_with(results):
    """Yield a line for each Python and NumPy with which submissions were marked."""
    used = Counter((result.python, result.numpy) for result in results.values() if result.python)
    for (python, numpy), many in used.items():
        yield f"<p>Marked with Python {clean.page(python)} and NumPy {clean.page(numpy)}: {many}.</p>"


def _distribution(scores):
    """Yield how many students have how many points."""
    if not scores:
        return
    yield f"<p>{len(scores)} tried and are graded: mean {fmean(scores):.2f}, median {median(scores):g}.</p>"
    steps = [sum(point <= score < point + 1 for score in scores) for point in range(POINTS)]
    steps.append(sum(score >= POINTS for score in scores))
    yield "<h2>Points</h2>\n<table>\n<tr><th>Points<th>Students<th></tr>"
    for point, many in enumerate(steps):
        bar = f'<span class="bar" style="width: calc({many / max(1, *steps):.3f} * min(20rem, 35vw))"></span>'
        label = f"{point} to below {point + 1}" if point < POINTS else f"{point} or more"
        yield f'<tr><td>{label}<td class="number">{many}<td>{bar}</tr>'
    yield "</table>"


def _alike(alike):
    """Return the list of wrong answers that are alike."""
    lines = [f"{', '.join(people)}: {kind} in {', '.join(functions)}" for people, kind, functions in alike]
    if not lines:
        return []
    listed = _list("Wrong answers that are alike and rare, names and layout aside", lines)
    return [*listed, "<p>Read them before you say anything: two students can make one slip.</p>"]


def _tests(assignment, finals, among, short=False):
    """Return how many of those who tried passed each hidden test, what it tells apart, and what is lost together.

    The short form is for a page without names.
    """
    if not any(mark.hidden for final in finals.values() for mark in final.marks):
        return []
    more = "" if short else "<th>Discrimination"
    parts = [f"<h2>Tests</h2>\n<table>\n<tr><th>Test<th>Passed, of those who tried<th>Mean points{more}</tr>"]
    nobody = []
    for question in assignment.questions:
        own = {student: final for student, final in finals.items() if student in among.get(question.name, ())}
        if question.hidden:
            parts.append(f'<tr><th colspan="4">{clean.page(question.title)}</tr>')
        for test in question.hidden:
            parts.append(_test(question, test, own, short))
            if not any(items.outcomes(own, question, test).values()):
                nobody.append(f"{question.title}: {test.name}")
    parts.append("</table>")
    if short:
        return parts
    parts.append(DISCRIMINATION)
    pairs = [
        f"{many} lost both, {only} only one: {clean.line(title)}, {test}; {clean.line(other)}, {second}"
        for title, test, other, second, many, only in items.lost_together(assignment, finals, among)
    ]
    return [*parts, *_list("Tests that are lost together", pairs), *_list("Tests that nobody passed", nobody)]


DISCRIMINATION = (
    "<p>Discrimination is the correlation of a test with the points of everything else: near 0 or below, those who "
    "know more pass it no more often, so read the test. It takes ten students who tried.</p>"
)


def _test(question, test, finals, short):
    """Return the row of a hidden test."""
    outcome, told = items.outcomes(finals, question, test), items.discrimination(finals, question, test)
    many = sum(outcome.values())
    mean = test.points * many / max(1, len(outcome))
    more = "" if short else f'<td class="number">{"" if told is None else f"{told:.2f}"}'
    return (
        f'<tr><td>{clean.page(test.name)}<td class="number">{many} of {len(outcome)}'
        f'<td class="number">{mean:.2f} of {test.points:g}{more}</tr>'
    )


def _rubrics(assignment, finals):
    """Yield how many of the written answers that are marked have each line of their rubric."""
    for question in assignment.questions:
        verdicts = [final.verdicts[question.name] for final in finals if question.name in final.verdicts]
        if not verdicts:
            continue
        yield f"<h2>{clean.page(question.title)}</h2>\n<table>\n<tr><th>In the answer<th>Yes</tr>"
        for number, line in enumerate(question.rubric):
            many = sum(verdict.ticks[number] for verdict in verdicts)
            yield f'<tr><td>{clean.page(line)}<td class="number">{many} of {len(verdicts)}</tr>'
        yield "</table>"
