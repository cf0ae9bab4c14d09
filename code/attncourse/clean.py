"""Clean text that a student may have written, and then quote it: for a screen, a spreadsheet, a page, a file's name.

Every such text passes through here, first through `line` and then through the quoting. Where the grader's output ends,
at the terminal, `Screen` cleans once more whatever is written.
"""

import csv
import hashlib
import html
import io
import os
import re
import unicodedata
from collections import Counter

# A spreadsheet runs a cell that begins with one of these. Opened with another separator than the one it was written
# with, a text is cut at `;` or a tab or a comma, so that a cell may begin there too.
FORMULA = re.compile(r"(?:^|(?<=[,;|]))([ \"']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)?", re.ASCII)
JOINERS = "\u200c\u200d"  # they are no letters, but a name without them is another one
NOT_IN_NAMES = re.compile(r'[/\\:*?"<>|]')


def line(text):
    """Return text as one line of printable characters; a joiner inside a word, as in Persian or Hindi, stays."""
    text = str(text)
    return "".join(map(_printable, " " + text, text, text[1:] + " "))


def _printable(before, letter, after):
    """Return a character, or what stands for it, between its neighbours."""
    if letter.isprintable() or (letter in JOINERS and _in_a_word(before) and _in_a_word(after)):
        return letter
    return "\ufffd" if "\ud800" <= letter <= "\udfff" else " "


def _in_a_word(letter):
    return unicodedata.category(letter)[0] in "LM"  # a letter, or a mark on one


class Screen:
    """A text stream in front of a terminal: of what is written to it, only printable letters and new lines arrive."""

    def __init__(self, stream):
        self.stream = stream

    def write(self, text):
        """Write text, line by line."""
        self.stream.write("\n".join(map(line, text.split("\n"))))
        return len(text)

    def __getattr__(self, name):
        return getattr(self.stream, name)


def cell(text):
    """Return text in one line that no spreadsheet takes for a formula; a number and a lone hyphen are none."""
    text = line(text)
    return text if NUMBER.fullmatch(text) else FORMULA.sub(r"\1'", text)


def page(text):
    """Return text for HTML, in one line."""
    return html.escape(line(text))


def lines(text):
    """Return text of several lines, each as `line` has it."""
    return "\n".join(map(line, text.replace("\r\n", "\n").split("\n")))


def paragraphs(text):
    """Return text of several lines for HTML, each as `page` has it."""
    return html.escape(lines(text))


def file_name(text):
    """Return text as a part of a path."""
    return NOT_IN_NAMES.sub("_", line(text))


def page_names(students):
    """Return {student: file name of the page}; no two differ in case or the form of accents alone."""
    names = {student: file_name(student) for student in students}
    uses = Counter(map(_one_file, names.values()))
    for student, name in names.items():
        if uses[_one_file(name)] > 1 or name != student or len(os.fsencode(name)) > 200 or name.strip(". ") != name:
            names[student] = (
                f"{name[:40].strip('. ')}-{hashlib.sha256(student.encode('utf-8', 'replace')).hexdigest()[:16]}"
            )
    return {student: f"{name}.html" for student, name in names.items()}


def _one_file(name):
    """Return what names of one file have in common on every system: macOS keeps accents apart from their letters."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def number(value):
    """Return a number as a cell; None is empty."""
    return "" if value is None else f"{value:g}"


def points(value, form="g"):
    """Return points in words."""
    return f"{value:{form}} point" if abs(value) == 1 else f"{value:{form}} points"


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
