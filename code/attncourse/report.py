"""What is written about a graded class: one table for the instructor, one page for each student."""

import csv
import io

from . import author

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would run such a cell


def harmless(text):
    """Text from a student as one line that neither a terminal nor a spreadsheet acts on."""
    line = "".join(c if c.isprintable() else " " for c in str(text))
    return "'" + line if line.startswith(FORMULA) else line


def _quoted(text):
    """A student's text in a page of Markdown: shown, never a link, a picture or a tag."""
    return f"`{harmless(text).replace('`', ' ')}`"


def table(bundle, results):
    """The CSV of a class: a row for each submission, sorted by name; an empty score means: not graded."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    names = [exercise["name"] for exercise in bundle["exercises"]]
    writer.writerow(["student", "score", "out of", *names, "remarks"])
    for student, result in sorted(results.items()):
        parts = {name: sum(m["earned"] for m in result["marks"] if m["exercise"] == name) for name in names}
        graded = result["score"] is not None
        numbers = [f"{parts[name]:g}" if graded else "" for name in names]
        score = f"{result['score']:g}" if graded else ""
        remarks = harmless(" ".join(result["remarks"]))
        writer.writerow([harmless(student), score, author.POINTS, *numbers, remarks])
    return out.getvalue()


def feedback(bundle, student, result):
    """The page of one student: visible tests in full, of hidden ones only name and points."""
    if result["score"] is None:
        return f"# {bundle['title']}\n\nNot graded: {harmless(' '.join(result['remarks']))}\n"
    lines = [f"# {bundle['title']}: {result['score']:g} of {author.POINTS} points", "", _quoted(student), ""]
    for number, exercise in enumerate(bundle["exercises"], 1):
        found = [m for m in result["marks"] if m["exercise"] == exercise["name"]]
        points = sum(m["earned"] for m in found)
        lines += [f"## {number}. {exercise['title']}: {points:g} of {author.worth(exercise):g}", ""]
        for m in found:
            if m["hidden"]:
                verdict = "passed" if m["passed"] else "failed"
                lines.append(f"- {verdict}, {m['earned']:g} of {m['points']:g}: {m['name']}")
            else:
                lines += ["```python", m["name"], "```", ""]
                lines += [
                    "This holds." if m["passed"] else f"This fails. {_quoted(m['remark'])}",
                    "",
                ]
        lines.append("")
    if result["remarks"]:
        lines += ["## Remarks", "", *(f"- {_quoted(line)}" for line in result["remarks"]), ""]
    return "\n".join(lines)
