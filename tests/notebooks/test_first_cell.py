"""The first cell of a notebook: one thread, and a sentence for every reason for which the package cannot come."""

import io
import os
import re
import subprocess
import sys
import zipfile

import pytest
from attnbook import needs
from fork import ARCHIVE, FORK, GITHUB, ROOT, serve

NOTHING_INSTALLED = (  # an interpreter that does not find the package, which the book's own environment has
    "import importlib.util\nfind = importlib.util.find_spec\n"
    "importlib.util.find_spec = lambda name, *rest: None if name == 'attnbook' else find(name, *rest)\n"
)
NO_PACKAGE = io.BytesIO()
with zipfile.ZipFile(NO_PACKAGE, "w") as branch:
    branch.writestr("their-fork/README.md", "Nothing else is here.")


@pytest.fixture
def say(published, tmp_path):
    """say(before, after, address, **environ): what a Python says that runs the first cell between these statements."""

    def say(before="", after="", address=GITHUB, **environ):
        cell = published.notebooks["index"].cells[0].source.replace(GITHUB, address)
        clean = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
        command = [sys.executable, "-c", "\n".join([before, cell, after])]
        done = subprocess.run(command, cwd=tmp_path, env=clean | environ, capture_output=True, text=True)
        return done.stdout, done.stderr

    return say


def sentences():
    """What the first cell says instead of going on, with … for what it puts in; the last is said of an old library."""
    cell = (ROOT / "code/bookext/write/first_cell.txt").read_text(encoding="utf-8")
    said = [re.sub(r"\{.*?\}", "…", text) for text in re.findall(r'(?:Stop\(|return )f?"(.+?)"[\n)]', cell)]
    with pytest.raises(needs.Unmet) as unmet:
        needs.demand(version=lambda name: "2.2.1" if name == "torch" else "99")
    return [*said, str(unmet.value)]


def test_the_page_on_running_has_every_sentence_and_no_other():
    page = (ROOT / "chapters" / "how-to-run.md").read_text(encoding="utf-8")
    table = page.partition("| what the first cell says |")[2].partition("\n\n")[0]
    told = [words.strip("… ") for words in re.findall(r"^\| \*(.+?)\*", table, flags=re.M)]
    found = {words: [sentence for sentence in sentences() if words in sentence] for words in told}
    assert {words: said for words, said in found.items() if len(said) != 1} == {}
    assert sorted(sentence for (sentence,) in found.values()) == sorted(sentences())


THREADS = "import torch; print(torch.get_num_threads(), os.environ['OMP_NUM_THREADS'])"


@pytest.mark.parametrize(
    ("before", "environ", "expected"),
    [("", {}, "1 1"), ("import torch; torch.set_num_threads(2)", {}, "1 1"), ("", {"OMP_NUM_THREADS": "2"}, "2 2")],
    ids=["nothing is set", "torch is there already", "the reader has set it"],
)
def test_one_thread_computes_unless_the_reader_says_otherwise(say, before, environ, expected):
    """As in the build: with all cores a chapter takes three times as long beside a busy neighbour."""
    out, error = say(before, THREADS, **environ)
    assert error == ""
    assert out.splitlines()[0].startswith("Ready after ")
    assert out.splitlines()[1] == expected


def test_it_is_folded_in_jupyter_and_in_colab(published):
    for name, notebook in published.notebooks.items():
        assert notebook.cells[0].metadata == {"jupyter": {"source_hidden": True}, "cellView": "form"}, name


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        (None, "No answer from {}: connect to the internet (Kaggle: Settings, Turn on internet), run again."),
        ({}, "{} is private, or is gone: copy it to this machine and run make lab in its folder."),
        ({FORK: b""}, "{} has no branch notebooks yet: its owner makes it with make publish-notebooks."),
        (
            {FORK: b"", f"{FORK}{ARCHIVE}": NO_PACKAGE.getvalue()},
            "pip could not install the package, and says in full above why: ERROR: attnbook@",
        ),
    ],
    ids=["no network", "private or gone", "no such branch", "pip fails"],
)
def test_why_the_package_does_not_come_is_one_sentence(say, tmp_path, files, sentence):
    (tmp_path / "sitecustomize.py").write_text(NOTHING_INSTALLED)
    environ = {"PYTHONPATH": str(tmp_path), "PIP_RETRIES": "0", "no_proxy": "*", "PIP_NO_INDEX": "1"}
    with serve(files or {}) as address:
        if files is not None:
            out, error = say(address=address, **environ)
    if files is None:  # nobody answers there any more
        out, error = say(address=address, **environ)
    last = error.splitlines()[-1]
    assert last.startswith("Stop: " + sentence.format(address + FORK)), out + error
