"""The first cell of a notebook installs the package where it is missing, and nothing that the reader has."""

import io
import os
import subprocess
import sys
import zipfile
from contextlib import nullcontext

import pytest
from fork import ARCHIVE, FORK, GITHUB, serve

HIDE = """import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name in {} else find(name, *rest)
"""
THREADS = "import torch; print(torch.get_num_threads(), os.environ['OMP_NUM_THREADS'])"
EMPTY = io.BytesIO()
with zipfile.ZipFile(EMPTY, "w") as archive:
    archive.writestr("their-fork/README.md", "There is no package here.")


@pytest.fixture
def run(published, tmp_path):
    """run(before, after, address, hidden, **environ): output and errors of a Python that executes the first cell."""

    def run(before="", after="", address=GITHUB, hidden=(), **environ):
        (tmp_path / "sitecustomize.py").write_text(HIDE.format(hidden))
        cell = published.notebooks["index"].cells[0].source
        cell = cell.replace(f"{GITHUB}{ARCHIVE}", f"{address}{ARCHIVE}" if address else "")
        clean = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
        clean |= {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]), "no_proxy": "*"}
        command = [sys.executable, "-c", "\n".join([before, cell, after])]
        done = subprocess.run(command, cwd=tmp_path, env=clean | environ, capture_output=True, text=True)
        return done.stdout, done.stderr

    return run


@pytest.mark.parametrize(
    ("before", "environ", "expected"),
    [("", {}, "1 1"), ("import torch; torch.set_num_threads(2)", {}, "1 1"), ("", {"OMP_NUM_THREADS": "2"}, "2 2")],
    ids=["nothing is set", "torch is there already", "the reader has set it"],
)
def test_one_thread_computes_unless_the_reader_says_otherwise(run, before, environ, expected):
    """With all cores a chapter takes three times as long beside a busy neighbour."""
    output, errors = run(before, THREADS, **environ)
    assert (errors, output.splitlines()[-1]) == ("", expected)


@pytest.mark.parametrize(
    ("hidden", "installed"),
    [((), []), (("attnbook",), [f"attnbook @ {GITHUB}{ARCHIVE}"]), (("array_api_compat",), ["array-api-compat>=1.12"])],
)
def test_it_installs_what_is_missing_and_not_what_that_depends_on(run, tmp_path, hidden, installed):
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip" / "__init__.py").touch()
    (tmp_path / "pip" / "__main__.py").write_text("import sys; open('called', 'w').write('\\n'.join(sys.argv[1:]))")
    output, errors = run(hidden=hidden)
    assert (errors, output[:6]) == ("", "Ready ")
    called = (tmp_path / "called").read_text().splitlines() if (tmp_path / "called").exists() else []
    assert [word for word in called if not word.startswith("-")] == (["install", *installed] if installed else [])
    assert ("--no-deps" in called) == bool(installed)


@pytest.mark.parametrize(
    ("files", "help"),
    [
        (None, "connect to the internet"),
        ({}, "make lab"),
        ({FORK: b""}, "make publish-notebooks"),
        ({FORK: b"", ARCHIVE: EMPTY.getvalue()}, "ERROR: attnbook@"),
    ],
    ids=["no network", "private or gone", "no such branch", "pip fails"],
)
def test_a_package_that_does_not_come_is_explained(run, files, help):
    with nullcontext("http://127.0.0.1:9") if files is None else serve(files) as address:
        output, errors = run(address=address, hidden=("attnbook",), PIP_RETRIES="0", PIP_NO_INDEX="1")
    last = errors.splitlines()[-1]
    assert last.startswith("Stop: "), output + errors
    assert help in last
    assert f"{address}{FORK}" in last


def test_a_library_that_is_missing_or_too_old_is_named_with_the_command(run, tmp_path):
    assert "%pip install torch " in run(hidden=("torch",))[1].splitlines()[-1]
    (tmp_path / "torch-2.1.0.dist-info").mkdir()
    (tmp_path / "torch-2.1.0.dist-info" / "METADATA").write_text("Name: torch\nVersion: 2.1.0\n")
    assert '%pip install --upgrade "torch>=2.3"' in run()[1].splitlines()[-1]


def test_a_notebook_of_a_book_that_is_not_published_leads_to_make_lab(run):
    assert "make lab" in run(hidden=("attnbook",), address="")[1].splitlines()[-1]
