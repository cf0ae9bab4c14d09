"""Every published notebook runs from top to bottom where nothing of the book is installed, and mistakes are met kindly.

`make test` runs one of each kind with the newest libraries; `make test-notebooks` runs all of them, with the oldest
libraries too, with ipywidgets 7, and on the Pythons that PYTHONS names.
"""

import os
import re
import subprocess
import sys
from types import SimpleNamespace

import nbformat
import pytest
from fork import KINDS, moved, report

pytestmark = pytest.mark.timeout(3000)  # the first test waits for an environment, a build and every chapter
ADDED = {"attnbook", "array-api-compat"}  # what the first cell may install
SPIN = "import time\nend = time.monotonic() + 1500\nwhile time.monotonic() < end: pass"  # ends even if no test ends it


@pytest.fixture(scope="session")
def run(environment, chosen, published, github, tmp_path_factory):
    """The chosen notebooks, run once: what failed, and the packages before and after. The first installs, alone."""
    folder = tmp_path_factory.mktemp("elsewhere")
    environment.forget()
    before = environment.packages()
    names = chosen[1] or published.notebooks
    notebooks = {name: moved(published.notebooks[name], github) for name in names}
    first = next(iter(notebooks))
    failures = environment.run({first: notebooks[first]}, folder)
    failures |= environment.run({n: b for n, b in notebooks.items() if n != first}, folder)
    return SimpleNamespace(before=before, after=environment.packages(), failures=failures, notebooks=notebooks)


def outputs(notebook):
    """Every output of a notebook that has run."""
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def test_every_notebook_runs_to_its_end(run):
    report(f"{name}: {failure}" for name, failure in run.failures.items() if failure)
    report(f"{name}: no check is shown" for name, notebook in run.notebooks.items() if "✓" not in str(notebook))


def errors(text):
    """What an error stream says, without warnings of libraries that something will change in a later version."""
    return re.sub(r"^\S.*: \w*(Deprecation|Future)Warning: .*\n(?:[ \t].*\n?)*", "", text, flags=re.M).strip()


def test_a_warning_of_a_later_version_is_no_error():
    """As torch 2.11 and numpy 2.2 said it in a chapter."""
    warning = "/tmp/ipykernel_7/1.py:7: DeprecationWarning: __array__ must implement 'copy' keyword argument.\n"
    warning += "  shares[:, column] = weights\n"
    assert errors(warning) == ""
    assert errors(f"{warning}/usr/x.py:3: RuntimeWarning: overflow\n  x\n").startswith("/usr/x.py:3: RuntimeWarning")


def test_nothing_is_written_to_the_error_stream(run):
    report(
        f"{name}: {said[:300]}"
        for name, notebook in run.notebooks.items()
        for output in outputs(notebook)
        if output.output_type == "stream" and output.name == "stderr" and (said := errors(output.text))
    )


def test_pictures_have_a_description(run):
    """The alt text of a picture comes with it, from the package."""
    shown = [o.data.get("text/html", "") for n in run.notebooks.values() for o in outputs(n) if "data" in o]
    drawings = [text for text in shown if "<svg" in text]
    assert len(drawings) > len(run.notebooks), "too few pictures to say anything"
    report(f"a picture without a description: {text[:200]}" for text in drawings if "aria-label=" not in text)


def test_the_first_cell_installs_the_package_and_touches_nothing_else(run, environment):
    assert "attnbook" not in run.before
    assert set(run.after) - set(run.before) == ADDED - set(run.before), environment.name
    changed = {name for name, version in run.before.items() if run.after[name] != version}
    assert changed == set(), f"{environment.name}: the first cell changed {changed}"


@pytest.fixture
def neighbours():
    """A process on each core that never waits."""
    running = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(os.cpu_count() or 1)]
    yield running
    for process in running:
        process.kill()
        process.wait()


def test_a_notebook_runs_to_its_end_beside_busy_neighbours(run, environment, published, github, tmp_path, neighbours):
    """With the one thread that its first cell sets: several would wait for each other, as none has a core to itself."""
    notebook = moved(published.notebooks[KINDS[1]], github)
    notebook.cells.append(nbformat.v4.new_code_cell("import torch; print(torch.get_num_threads())"))
    assert environment.run({"it": notebook}, tmp_path) == {"it": None}
    assert outputs(notebook)[-1].text == "1\n"
    assert [process.poll() for process in neighbours] == [None] * len(neighbours), "the notebook was alone at its end"


@pytest.fixture
def answer(run, environment, published, github, tmp_path):
    """answer(cells, **environ): what a kernel says to the first cell of a notebook followed by these cells."""

    def answer(*sources, **environ):
        cells = [moved(published.notebooks["index"], github).cells[0].source, *sources]
        notebook = nbformat.v4.new_notebook(cells=list(map(nbformat.v4.new_code_cell, cells)))
        environment.run({"it": notebook}, tmp_path, **environ)
        return outputs(notebook)

    return answer


def sentence(outputs):
    """The one line that an error shows; None if it shows more."""
    (error,) = [output for output in outputs if output.output_type == "error"]
    return error.traceback[0] if len(error.traceback) == 1 and "\n" not in error.traceback[0] else None


def test_a_cell_run_too_early_says_what_to_do(answer):
    *_, error, hint = answer("softmax(scores)")
    assert error.output_type == "error"
    assert error.ename == "NameError"
    assert "softmax is not defined yet" in hint.text
    assert "Run All Above Selected Cell" in hint.text


def test_a_library_that_is_too_old_is_named_with_the_command(answer, tmp_path):
    (tmp_path / "old" / "torch-2.1.0.dist-info").mkdir(parents=True)
    (tmp_path / "old" / "torch-2.1.0.dist-info" / "METADATA").write_text("Name: torch\nVersion: 2.1.0\n")
    said = sentence(answer(PYTHONPATH=str(tmp_path / "old")))
    assert said == (
        "attnbook needs torch 2.3 or newer and this is torch 2.1.0: "
        'run %pip install --upgrade "torch>=2.3", then restart the kernel.'
    )


def test_a_library_that_is_missing_is_named_with_the_command(answer, tmp_path):
    (tmp_path / "hide").mkdir()  # an interpreter that does not find torch
    (tmp_path / "hide" / "sitecustomize.py").write_text(
        "import importlib.util\nfind = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'torch' else find(name, *rest)\n"
    )
    said = sentence(answer(PYTHONPATH=str(tmp_path / "hide")))
    assert said == "Not installed here: run %pip install torch in a new cell, then run this one again."
