"""Every published notebook runs where nothing of the book is installed: as in Colab, as on Binder, on old libraries."""

import hashlib
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from types import SimpleNamespace

import nbformat
import pytest
from bookext import addresses
from fork import ROOT, WHEEL, report, serve, served_from

pytestmark = [pytest.mark.thorough, pytest.mark.timeout(3600)]
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
TORCH = f"torch=={metadata.version('torch').partition('+')[0]}"
NEWEST = (TORCH, "numpy", "scipy", "matplotlib", "ipykernel<7")  # 7 now and then leaves a request unread
ENVIRONMENTS = {
    "Binder": (*NEWEST, "ipywidgets==8.*"),
    # Of August 2026, from https://github.com/googlecolab/backend-info; its Python is 3.13, its torch 2.11.
    "Colab": (
        TORCH,
        "numpy==2.1.3",
        "scipy==1.16.3",
        "matplotlib==3.10.0",
        "ipython==7.34.0",
        "ipykernel==6.17.1",
        "ipywidgets==7.7.1",
        "anywidget==0.9.21",
        "psygnal==0.15.1",
        "traitlets==5.7.1",
        "jupyter-client==7.4.9",
        "typing-extensions==4.16.0",
        "pip==24.1.2",
        "nbclient==0.10.4",
    ),
    "oldest": (
        "torch==2.3.1",
        "numpy==1.26.*",
        "scipy==1.11.*",
        "matplotlib==3.8.*",
        "ipython==7.34.*",
        "ipywidgets==7.7.*",
        "array-api-compat==1.12.*",
        "ipykernel==6.*",
    ),
}
OWN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "MPLBACKEND", "ATTNBOOK_BUILD", "OMP_NUM_THREADS")  # of these tests


@pytest.fixture(scope="module", params=ENVIRONMENTS)
def python(request):
    """The Python of a clean virtual environment, kept in _build until its list of packages changes."""
    lines = ENVIRONMENTS[request.param]
    name = hashlib.sha256("\n".join([sys.version, *lines]).encode()).hexdigest()[:12]
    folder = ROOT / "_build" / "environments" / name
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--no-deps", "--retries=0", "--index-url", CPU_INDEX, lines[0]])  # a build without CUDA
        subprocess.run([*pip, *lines, "nbclient"], check=True)
        (folder / "ready").write_text("\n".join(packages(python)))
    added = packages(python) - set((folder / "ready").read_text().splitlines())
    if names := [re.split("==| @ ", line)[0] for line in added]:  # by a run before this one
        subprocess.run([python, "-m", "pip", "uninstall", "-y", "-q", *names], check=True, capture_output=True)
    return python


def packages(python):
    """The packages of an environment, with their versions."""
    frozen = subprocess.run([python, "-I", "-m", "pip", "freeze", "--all"], capture_output=True, text=True, check=True)
    return set(frozen.stdout.splitlines())


@pytest.fixture(scope="module")
def run(python, published, tmp_path_factory):
    """Every notebook, run from top to bottom: its name → what failed; and the packages before and after."""
    folder = tmp_path_factory.mktemp("run")
    environ = {key: value for key, value in os.environ.items() if key not in OWN}

    def execute(name):
        start = "from nbclient.cli import main; main()"  # before 0.11, python -m nbclient.cli does nothing
        command = [python, "-c", start, "--inplace", "--timeout=300", f"{name}.ipynb"]
        done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True)
        return done.stderr[-3000:] if done.returncode else ""

    before = packages(python)
    with serve({WHEEL: (published.tree / addresses.wheel()).read_bytes()}) as address:
        for name, notebook in published.notebooks.items():
            nbformat.write(served_from(notebook, address), folder / f"{name}.ipynb")
        first, *others = published.notebooks
        failures = {first: execute(first)}  # alone: it installs the package
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            failures |= dict(zip(others, pool.map(execute, others), strict=True))
    notebooks = {name: nbformat.read(folder / f"{name}.ipynb", 4) for name in failures}
    return SimpleNamespace(failures=failures, notebooks=notebooks, after=packages(python), before=before)


def outputs(run):
    """Yield every output of the notebooks, with the name of its notebook."""
    for name, notebook in run.notebooks.items():
        yield from ((name, output) for cell in notebook.cells for output in cell.get("outputs", []))


def test_every_notebook_runs_to_its_end(run):
    report(f"{name}: {failure}" for name, failure in run.failures.items() if failure)
    counts = {name: [cell.get("execution_count", 0) for cell in book.cells] for name, book in run.notebooks.items()}
    report(f"{name}: a cell was not run" for name in counts if None in counts[name])


def test_nothing_is_written_to_the_error_stream(run):
    """Warnings of libraries that something will change in a later version are no errors."""
    later = re.compile(r"^\S.*: \w*(Deprecation|Future)Warning: .*\n(?:[ \t].*\n?)*", re.MULTILINE)
    streams = [(name, later.sub("", output.text)) for name, output in outputs(run) if output.get("name") == "stderr"]
    report(f"{name}: {text[:300]}" for name, text in streams if text.strip())


def test_the_first_cell_adds_the_package_and_changes_nothing_that_was_there(run):
    assert run.before - run.after == set()
    assert any(line.startswith("attnbook @ ") for line in run.after - run.before)
