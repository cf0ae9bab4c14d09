"""What a student can write is read in linear time, and whatever it is costs that student only."""

import importlib
import io
import json
import os
import pkgutil
import re
import time
import zipfile
from pathlib import Path

import attncourse
import pytest
from attncourse import clean, downloads, platforms, reading, roster, tokens
from attncourse.model import CourseError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_reading import SOLVED, STUB, read

EXAMPLES = int(os.environ.get("FUZZ", 150))  # of each of three readers; 10,000 were drawn once
drawn = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
SIZE = 20 << 20  # as large as a notebook may be
WORST = [
    " ",
    "\n",
    "\t",
    " \n",
    "(",
    "[",
    "{",
    '"',
    "'",
    '"""',
    "\\",
    "_",
    "-",
    "1",
    "1_",
    "a",
    "a_",
    "=",
    ";",
    ", ",
    "#",
    "%",
    "?",
    "%%time\n",
    "def f",
    "(data:image/",
    "anon_",
    "_attempt_",
    "é",
    "\ud800",
    "1.",
    "<",
]


def patterns():
    """Every pattern of the package, by its name; there is none but at the top of a module."""
    for module in pkgutil.iter_modules(attncourse.__path__):
        if module.name != "standins":  # code for the sandbox, without patterns
            for name, value in vars(importlib.import_module(f"attncourse.{module.name}")).items():
                if isinstance(value, re.Pattern):
                    yield f"{module.name}.{name}", value


PATTERNS = dict(patterns())
# Files that are given a whole notebook.
READ_ALL = ("parsing.", "translating.", "finding.", "scopes.", "tokens.", "clean.", "worker.")
SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in Path(attncourse.__file__).parent.glob("*.py")}
SEARCHED = set(re.findall(r"\b([A-Z_]+)\.(?:search|findall|finditer|sub)\(", "\n".join(SOURCES.values())))


def seconds(name, letters, size):
    """Seconds of the processor to use a pattern, as the package does, on so many letters."""
    text = letters * (size // len(letters)) + "\x01"  # a letter with which no match ends
    start = time.process_time()
    if name.partition(".")[2] in SEARCHED:
        for _ in zip(range(1000), PATTERNS[name].finditer(text), strict=False):
            pass
    PATTERNS[name].fullmatch(text)
    return time.process_time() - start


@pytest.mark.parametrize("name", PATTERNS)
def test_every_pattern_is_linear_on_the_worst_letters(name):
    """Eight times the letters take eight times as long, and not sixty-four."""
    for letters in WORST:
        small = seconds(name, letters, SIZE // 2048)
        assert small < 0.5, f"{name} on {letters!r}"  # before a quadratic pattern takes hours
        large = seconds(name, letters, SIZE // 256)
        assert large < 0.1 or large < 24 * small, f"{name} on {letters!r}"


@pytest.mark.thorough
@pytest.mark.parametrize("name", [name for name in PATTERNS if name.startswith(READ_ALL)])
def test_a_pattern_reads_the_longest_notebook_in_a_minute(name):
    for letters in (" ", "\n", "[", '"', "\\"):
        assert seconds(name, letters, SIZE) < 60, f"{name} on {letters!r}"


def test_no_pattern_hides_in_a_call():
    """A pattern that stands in a call of re is not among those that are timed; author reads the instructor's own."""
    for module in sorted({*SOURCES} - {"author"}):
        calls = re.findall(r"\bre\.(?!compile)[a-z]+\(", SOURCES[module])
        assert not calls, f"{module}: {calls}"


@pytest.mark.parametrize("letters", WORST)
def test_readers_are_linear_too(letters):
    """A third of a megabyte of the same letters: as a notebook, as a cell, as an answer in words, as a name."""
    text = letters * (SIZE // 64 // len(letters))
    start = time.process_time()
    cells = json.dumps({"cells": [{"cell_type": kind, "source": text} for kind in ("code", "markdown")]}).encode()
    record, _ = read(["a.ipynb", [0, ""], cells], ["b.ipynb", [1, ""], text.encode("utf-8", "replace")])
    json.dumps(record)
    tokens.tokenize(text[: tokens.COMPARED])
    clean.cell(text), clean.page(text), clean.paragraphs(text)
    platforms.reader([(text,), (text[:200] + "x", "a")])
    platforms.by_pattern("{any}_{student}_{number}[_{time}]_{file}")((text[:250],))
    platforms.submitters(text)
    assert time.process_time() - start < 60


def mutated(data):
    """Bytes near a sound file: cut, joined, and with bytes replaced."""

    def change(drawn):
        start, end, places, tail = drawn
        first = start % len(data) if start % 3 == 0 else 0  # one in three loses its beginning, or its end
        last = len(data) - end % len(data) if end % 3 == 0 else len(data)
        made = bytearray(data[first:last])
        for place, value in places:
            if made:
                made[place % len(made)] = value
        return bytes(made) + tail

    numbers = st.integers(0, 10**6)
    places = st.lists(st.tuples(numbers, st.integers(0, 255)), max_size=8)
    return st.tuples(numbers, numbers, places, st.binary(max_size=40)).map(change)


def zip_of(*members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members:
            made.writestr(name, content)
    return data.getvalue()


ZIP = zip_of(("a/b.ipynb", SOLVED), ("c.ipynb", STUB), ("d.txt", b"x"))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9) | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["cells", "cell_type", "source", "metadata", "worksheets", "code", "x"]), inner, max_size=4
        )
    ),
)


@drawn
@given(
    st.sampled_from(["a.ipynb", "a.zip", "a", "a.ipynb.txt"]),
    st.binary(max_size=300) | mutated(ZIP) | mutated(SOLVED) | JSON.map(lambda tree: json.dumps(tree).encode()),
)
def test_any_bytes_of_a_student_give_a_record(name, data):
    from attncourse import protocol

    record, cells = read([name, [0, ""], data])
    assert protocol.conforms(record, reading.RECORD)
    assert bool(record["problem"]) >= (record["file"] < 0)
    assert len(cells) == len(record["labels"])
    protocol.encode(record)


PIECES = [
    "_",
    "1",
    "22",
    "LATE_",
    "anon_",
    "assignsubmission",
    "_attempt_",
    " - ",
    "2026-01-01-00-00-00",
    "a",
    "Ä",
    "\n",
    "\x1b",
    "/",
    "(",
    ")",
    ".ipynb",
    ".txt",
    " (1)",
    "submission_",
    "Mar 3, 2026 1130 PM",
    "=",
    "\udcff",
    "..",
    ".",
    "submissions.csv",
    "roster.csv",
    ".git/",
]
NAMES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=9).map("".join)


@drawn
@given(st.lists(NAMES, min_size=1, max_size=6))
def test_any_names_in_a_download_are_students_or_refused(tmp_path_factory, names):
    path = tmp_path_factory.mktemp("d") / "d.zip"
    with zipfile.ZipFile(path, "w") as made:
        for name in dict.fromkeys(name.encode("utf-8", "replace").decode() for name in names):
            made.writestr(name + ".ipynb", SOLVED)
    try:
        there = downloads.read(path)
    except CourseError:
        return
    assert all(student and student == clean.line(student) for student in there.submissions)
    assert len({label.casefold() for label in clean.page_names(there.submissions).values()}) == len(there.submissions)
    assert all(submission.load() for submission in there.submissions.values())


ROSTER = 'Student,ID,SIS Login ID,Section\n"Roe, Jo",7,jr,A\n"Poe, Al",8,ap,B\n'


@drawn
@given(
    st.binary(max_size=200)
    | st.sampled_from(["utf-8", "utf-16", "utf-16-le", "cp1252"]).flatmap(
        lambda encoding: mutated(ROSTER.encode(encoding))
    )
)
def test_any_roster_is_read_or_refused_in_one_sentence(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("r") / "r.csv"
    path.write_bytes(data)
    try:
        people = roster.read(path).people
    except CourseError as error:
        assert "\n" not in str(error)  # noqa: PT017 (some rosters are refused, others are not)
        return
    assert all(roster.label(person) for person in people)
