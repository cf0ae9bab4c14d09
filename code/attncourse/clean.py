"""Clean text that a student may have written, and then quote it: for a screen, a spreadsheet, a page, a file's name.

Every such text passes through here, first through `line` and then through the quoting.
"""

import csv
import hashlib
import html
import io
import os
import re
from collections import Counter

# A spreadsheet runs a cell that begins with one of these. Opened with another separator than the one it was written
# with, a text is cut at `;` or a tab or a comma, so that a cell may begin there too.
FORMULA = re.compile(r"(?:^|(?<=[,;|]))([ \"']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)?", re.ASCII)
NOT_IN_NAMES = re.compile(r'[/\\:*?"<>|]')


def line(text):
    """Return text as one line of printable characters."""
    return "".join(c if c.isprintable() else "\ufffd" if "\ud800" <= c <= "\udfff" else " " for c in str(text))


def cell(text):
    """Return text in one line that no spreadsheet takes for a formula; a number and a lone hyphen are none."""
    text = line(text)
    return text if NUMBER.fullmatch(text) else FORMULA.sub(r"\1'", text)


def page(text):
    """Return text for HTML, in one line."""
    return html.escape(line(text))


def paragraphs(text):
    """Return text of several lines for HTML, each as `page` has it."""
    return "\n".join(map(page, text.replace("\r\n", "\n").split("\n")))


def file_name(text):
    """Return text as a part of a path."""
    return NOT_IN_NAMES.sub("_", line(text))


def page_names(students):
    """Return {student: file name of the page}: no two are the same, also on a file system that ignores case."""
    names = {student: file_name(student) for student in students}
    uses = Counter(name.casefold() for name in names.values())
    for student, name in names.items():
        if uses[name.casefold()] > 1 or name != student or len(os.fsencode(name)) > 200 or name.strip(". ") != name:
            names[student] = (
                f"{name[:40].strip('. ')}-{hashlib.sha256(student.encode('utf-8', 'replace')).hexdigest()[:16]}"
            )
    return {student: f"{name}.html" for student, name in names.items()}


def number(value):
    """Return a number as a cell; None is empty."""
    return "" if value is None else f"{value:g}"


def table(rows):
    """Return the bytes of a CSV file: UTF-8 with the mark by which Excel knows it."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows(rows)
    return b"\xef\xbb\xbf" + out.getvalue().encode("utf-8", "replace")


def write(path, data):
    """Write a file whole or not at all."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(data)
        part.replace(path)
    except OSError:
        part.unlink(missing_ok=True)
        raise
