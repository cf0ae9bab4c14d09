"""What is written about a class, as pages: one for each student, one for the instructor. Everything is escaped."""

from html import escape

from . import author

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b;
  background: #fff; }}
pre {{ background: #f3f3f3; padding: .5rem; overflow-x: auto; }}
pre.words {{ white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; }}
table {{ border-collapse: collapse; }}
th, td {{ text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #ccc; vertical-align: top; }}
td.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
.passed {{ color: #00591f; }}
.failed {{ color: #8c1313; }}
.bar {{ display: block; background: #2d5f9a; height: 1rem; }}
</style>
</head>
<body>
{body}
</body>
</html>
"""


def harmless(text):
    """Return text from a student as one line that a terminal only shows."""
    return "".join(c if c.isprintable() else " " for c in str(text))


def _shown(text):
    return escape(harmless(text))


def _words(text):
    """Return text of several lines, such as a written answer, as it was typed."""
    lines = text.replace("\r\n", "\n").split("\n")
    return '<pre class="words">' + "\n".join(map(_shown, lines)) + "</pre>"


def page(title, *parts):
    """Return a page of HTML that loads and runs nothing; `parts` are HTML, `title` is text."""
    return PAGE.format(title=_shown(title), body="\n".join(parts))


def feedback(bundle, student, result, name=""):
    """Return the page of one student: visible tests in full, of hidden ones only name and points."""
    title = bundle["title"]
    graded = result["score"] is not None
    score = f"{result['score']:g} of {author.POINTS} points" if graded else "not graded"
    parts = [f"<h1>{_shown(title)}: {score}</h1>", f"<p>{_shown(name or student)}</p>"]
    parts += [f"<p>{_shown(comment)}</p>" for comment in result.get("comments", [])]
    for number, exercise in enumerate(bundle["exercises"] if result["marks"] else [], 1):
        marks = [mark for mark in result["marks"] if mark["exercise"] == exercise["name"]]
        points = result.get("parts", {}).get(exercise["name"], sum(mark["earned"] for mark in marks))
        parts.append(f"<h2>{number}. {_shown(exercise['title'])}: {_points(points, exercise)}</h2>")
        if exercise["kind"] == "written":
            parts += [_answer(result["written"].get(exercise["name"]))] if "written" in result else []
            continue
        hidden = "".join(_row(mark) for mark in marks if mark["hidden"])
        parts.append(f"<table>\n<tr><th>Test<th>Result<th>Points</tr>\n{hidden}</table>")
        for mark in marks:
            if not mark["hidden"]:
                verdict = '<p class="passed">This holds.</p>' if mark["passed"] else (
                    f'<p class="failed">This fails. <code>{_shown(mark["remark"])}</code></p>')  # fmt: skip
                parts.append(f"<pre><code>{escape(mark['name'])}</code></pre>\n{verdict}")
    parts += _list("Remarks", result["remarks"])
    return page(f"{title}: {name or student}", *parts)


def _points(points, exercise):
    return "not graded yet" if points is None else f"{points:g} of {author.worth(exercise):g}"


def _answer(text):
    """Return what a student wrote, or why there is nothing; None where the heading of the exercise is gone."""
    if text is None:
        return "<p>The heading of this exercise is not in the notebook, so no answer was found below it.</p>"
    return _words(text) if text else "<p>Nothing was written.</p>"


def _row(mark):
    verdict = "passed" if mark["passed"] else "failed"
    given = f" ({_shown(mark['remark'])})" if mark["passed"] and mark["remark"] else ""
    return (f'<tr><td>{_shown(mark["name"])}<td class="{verdict}">{verdict}{given}'
            f'<td class="number">{mark["earned"]:g} of {mark["points"]:g}</tr>\n')  # fmt: skip


def _list(title, lines):
    return (
        [f"<h2>{_shown(title)}</h2>\n<ul>", *(f"<li>{_shown(line)}</li>" for line in lines), "</ul>"] if lines else []
    )


def class_page(bundle, results, lists, alike, students=()):
    """Write the instructor's page: distribution, points of each test, tests that nobody passed, answers that are alike.

    `lists` maps titles to lines of text; `alike` is what `similar.compare` found; the written answers of `students`
    come last.
    """
    scores = [result["score"] for result in results.values() if result["score"] is not None]
    parts = [f"<h1>{_shown(bundle['title'])}: the class</h1>"]
    if scores:
        middle = sorted(scores)[len(scores) // 2]
        parts.append(f"<p>{len(scores)} graded, mean {sum(scores) / len(scores):.2f}, median {middle:g}.</p>")
        steps = [sum(point <= score < point + 1 for score in scores) for point in range(author.POINTS)]
        steps.append(sum(score >= author.POINTS for score in scores))
        parts.append("<h2>Points</h2>\n<table>\n<tr><th>Points<th>Students<th></tr>")
        for point, many in enumerate(steps):
            bar = f'<span class="bar" style="width: {20 * many / max(steps):.2f}rem"></span>'
            label = f"{point} to below {point + 1}" if point < author.POINTS else f"{point} or more"
            parts.append(f'<tr><td>{label}<td class="number">{many}<td>{bar}</tr>')
        parts.append("</table>")
    parts += _tests(bundle, [result for result in results.values() if result["score"] is not None])
    for title, lines in lists.items():
        parts += _list(title, lines)
    words = [f"{exercise}, {function}: {kind}: {', '.join(who)}" for exercise, function, kind, who in alike]
    parts += _list("Answers that are alike, names and layout aside", words)
    if words:
        parts.append("<p>Read them before you say anything: short right answers look alike.</p>")
    for exercise in bundle["exercises"]:
        if exercise["kind"] == "written":
            parts += _written(exercise, {student: results[student] for student in students})
    return page(f"{bundle['title']}: the class", *parts)


def _written(exercise, results):
    """Return all answers to one written exercise, those that are not graded yet first."""
    name = exercise["name"]
    answers = {student: result for student, result in results.items() if "written" in result}
    waiting = [student for student in answers if answers[student]["parts"][name] is None]
    parts = [f"<h2>Written answers: {_shown(exercise['title'])} ({_shown(name)})</h2>", _words(exercise["text"]),
             "<h3>Marking notes</h3>", _words(exercise["notes"]),
             f"<p>{len(waiting)} of {len(answers)} are not graded yet.</p>"]  # fmt: skip
    for student in sorted(answers, key=lambda student: student not in waiting):
        result = answers[student]
        verdict = f'<span class="{"failed" if student in waiting else "passed"}">'
        parts.append(f"<h3>{_shown(student)}: {verdict}{_points(result['parts'][name], exercise)}</span></h3>")
        parts += [f"<p>{_shown(comment)}</p>" for comment in result["comments"]]
        parts.append(_answer(result["written"].get(name)))
    return parts


def _tests(bundle, results):
    """Return how many passed each hidden test, and which ones nobody did."""
    marks = [mark for result in results for mark in result["marks"] if mark["hidden"]]
    if not marks:
        return []
    parts, nobody = ["<h2>Tests</h2>\n<table>\n<tr><th>Exercise<th>Test<th>Passed<th>Mean points</tr>"], []
    for exercise in bundle["exercises"]:
        for test in exercise["hidden"]:
            own = [mark for mark in marks if (mark["exercise"], mark["name"]) == (exercise["name"], test["name"])]
            passed, mean = sum(mark["passed"] for mark in own), sum(mark["earned"] for mark in own) / max(1, len(own))
            parts.append(
                f"<tr><td>{_shown(exercise['title'])}<td>{_shown(test['name'])}"
                f'<td class="number">{passed} of {len(own)}<td class="number">{mean:.2f} of {test["points"]:g}</tr>'
            )
            if not passed:
                nobody.append(f"{exercise['title']}: {test['name']}")
    return [*parts, "</table>", *_list("Tests that nobody passed", nobody)]
