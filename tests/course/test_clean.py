"""What a student wrote reaches a terminal as printable letters, and a name keeps all of its own."""

import io
import os
import subprocess
import sys
import traceback
import unicodedata
import zipfile

import pytest
from attncourse import clean
from coursework import ROOT, needs_a_sandbox, notebook

EVIL = "\x1b]0;pwned\x07\x1b[2J\r\nGRADED: 10 of 10\u202e\x9b31m"


def damaged_zip(name):
    """A zip whose one notebook of this name cannot be read."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, b"{" * 100)
    return file.getvalue().replace(b"{" * 100, b"[" * 100)  # its sum is no longer that of its header


def saying(name):
    """A notebook that raises an error with this text, and defines a function that is asked for."""
    return notebook(f"raise ValueError({name!r})", "def leaves(d_k, t): return 0.5")


@pytest.mark.parametrize("what", ["a damaged zip", "an error", "a file's name", "no notebook"])
def test_no_byte_of_a_student_s_steers_the_terminal(what, tmp_path):
    """The command as it is typed, with the student's file, whichever way it ends."""
    needs_a_sandbox()
    name = EVIL + "hw.ipynb" if what == "a file's name" else "hw.zip" if what == "a damaged zip" else "hw.ipynb"
    data = {"a damaged zip": damaged_zip(EVIL + ".ipynb"), "no notebook": EVIL.encode("utf-8")}.get(what, saying(EVIL))
    path = tmp_path / name
    path.write_bytes(data)
    command = [sys.executable, str(ROOT / "tools/course.py"), "try", f"NOTEBOOK={path}", "ASSIGNMENT=sqrt-dk-scaling"]
    done = subprocess.run(command, capture_output=True, timeout=170, env=os.environ | {"PYTHONUTF8": "1"})
    text = (done.stdout + done.stderr).decode("utf-8")
    assert what == "no notebook" or "pwned" in text, text
    assert all(line.isprintable() for line in text.split("\n")), ascii(text)
    assert not any(line.startswith("GRADED") for line in text.split("\n")), "and it opens no line of its own"


def test_a_traceback_is_printable_too(capsys):
    """Whatever nobody thought of ends in the same stream."""
    screen = clean.Screen(sys.stdout)
    try:
        raise ValueError(EVIL)
    except ValueError:
        traceback.print_exc(file=screen)
    text = capsys.readouterr().out
    assert "pwned" in text
    assert all(line.isprintable() for line in text.split("\n")), ascii(text)
    screen.write("Å\nB")
    assert capsys.readouterr().out == "Å\nB"
    assert screen.isatty() is False


NAMES = [
    "प्रिया शर्मा",
    "क्‍षितिज",
    "สมชาย ใจดี",
    "علي بن محمد",
    "علی‌رضا",
    "יִצְחָק",
    "Zoë Müller-Straße",
    "李小龍",
    "김민준",
    "Дарʼя",
    "Ἑλένη",
    "தமிழ்",
    "বাংলা",
    "ქეთევან",
    "ամալյա",
    "Nguyễn Thị Ánh",
    "ኢዮብ",
    "O’Brien",
]


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("name", NAMES)
def test_a_name_in_any_script_stays_as_it_is(name, form):
    name = unicodedata.normalize(form, name)
    assert clean.line(name) == name
    assert clean.cell(name) == name
    assert clean.page_names([name]) == {name: f"{name}.html"}


def test_a_joiner_outside_of_a_word_is_none():
    assert clean.line("a\u200db\u200c") == "a\u200db "
    assert clean.line("\u200dx \u200c y=\u200d1") == " x   y= 1"


def test_two_forms_of_one_name_are_two_pages():
    """A system that takes both for one file would write one student's page over the other's."""
    names = [unicodedata.normalize(form, "José Núñez") for form in ("NFC", "NFD")]
    assert names[0] != names[1]
    pages = clean.page_names([*names, "JOSÉ NÚÑEZ"]).values()
    assert len({unicodedata.normalize("NFC", page).casefold() for page in pages}) == 3
