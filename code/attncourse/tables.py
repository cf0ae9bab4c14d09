"""Write tables and files: CSV that no spreadsheet runs, files that are whole or not there."""

import csv
import hashlib
import io
import os
import re

from . import report

# A spreadsheet runs a cell that begins with one of these. Opened with another separator than the one it was written
# with, a text is cut at `;` or a tab or a comma, so that a cell may begin there too.
FORMULA = re.compile(r"(?:^|(?<=[,;\t|\r\n]))([\s\"']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")


def safe(text):
    """Return text in one line that no spreadsheet takes for a formula; a number and a lone hyphen are none."""
    if re.fullmatch(r"[+-]?[0-9]*[.]?[0-9]*", str(text)):
        return str(text)
    return report.harmless(FORMULA.sub(r"\1'", str(text)))


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


def page_name(student):
    """Return the file name of a student's page; a name as long as a file system allows leaves no room for an ending."""
    name = student.replace("/", "_").replace("\\", "_")
    if len(os.fsencode(name)) <= 200 and name == student:
        return f"{name}.html"
    return f"{name[:40]}-{hashlib.sha256(os.fsencode(student)).hexdigest()[:16]}.html"
