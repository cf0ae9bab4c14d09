"""What the tests of the notebooks share: the book as a fork would publish it, and clean environments to run it in.

The notebooks of the built book get the address of a repository that does not exist; a server on this machine stands in
for it.
"""

import asyncio
import hashlib
import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from types import SimpleNamespace

import nbformat
import pytest
from environment import find_cpu_torch
from fork import ADDRESS, ARCHIVE, BRANCH, ENVIRONMENTS, FORK, KINDS, ROOT, serve

OWN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "MPLBACKEND", "ATTNBOOK_BUILD", "OMP_NUM_THREADS")  # of these tests
NOT_COPIED = shutil.ignore_patterns(".*", "__pycache__", "*.egg-info", "node_modules", "_build")


def pytest_generate_tests(metafunc):
    """Run one notebook of each kind with the newest libraries; with the marker `thorough`, all of them everywhere."""
    if "chosen" in metafunc.fixturenames:
        names = [*ENVIRONMENTS, *(f"{python}+ipywidgets-8" for python in os.environ.get("PYTHONS", "").split())]
        cases = [pytest.param((names[0], KINDS), id=f"{names[0]}, one of each kind")]
        cases += [pytest.param((name, None), id=f"{name}, all", marks=pytest.mark.thorough) for name in names]
        metafunc.parametrize("chosen", cases, scope="session")


@pytest.fixture(scope="session")
def published(tmp_path_factory):
    """Site, tree of the branch, and a bare repository that holds the branch, made by the tools that CI calls."""
    root = tmp_path_factory.mktemp("published")
    built, written = ROOT / "_build" / "html", ROOT / "_build" / ".doctrees" / "notebooks"
    if not written.is_dir():
        pytest.fail("The book is not built: run `make book` first.", pytrace=False)
    shutil.copytree(ROOT, root, ignore=NOT_COPIED, dirs_exist_ok=True)
    shutil.copytree(written, root / "_build" / ".doctrees" / "notebooks")
    for command in (["init", "--quiet", "--bare", "remote.git"], ["init", "--quiet"]):
        subprocess.run(["git", *command], cwd=root, check=True)
    subprocess.run(["git", "remote", "add", "origin", root / "remote.git"], cwd=root, check=True)
    environ = os.environ | {"BOOK_REPOSITORY": ADDRESS, "BOOK_ADDRESS": "", "PYTHONPATH": str(root / "code")}
    for task in ("write", "publish"):
        command = [sys.executable, "tools/notebooks.py", task]
        done = subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True)
        if done.returncode:
            pytest.fail(f"{command}: {(done.stdout + done.stderr)[-1500:]}", pytrace=False)
    tree = root / "_build" / "notebooks"
    notebooks = {path.stem: nbformat.read(path, 4) for path in sorted(tree.glob("*.ipynb"))}
    assert notebooks, "no notebook is published"
    texts = {path.stem: path.read_text("utf-8") for path in written.glob("*.ipynb")}
    return SimpleNamespace(
        root=root, site=built, tree=tree, remote=root / "remote.git", notebooks=notebooks, written=texts
    )


@pytest.fixture(scope="session")
def github(published):
    """The address of a server that has the pushed branch as a zip, where GitHub has it."""
    archive = ["git", "--git-dir", published.remote, "archive", "--format=zip", "--prefix=their-fork/", BRANCH]
    branch = subprocess.run(archive, capture_output=True, check=True).stdout
    with serve({FORK: b"", f"{FORK}{ARCHIVE}": branch}) as address:
        yield address


@pytest.fixture(scope="session")
def environment(chosen):
    """A virtual environment without the book's package; kept in _build, and made again when its list changes."""
    environment_name = chosen[0]
    python, _, kind = environment_name.rpartition("+")
    python = shutil.which(python or sys.executable) or pytest.fail(f"there is no {python}", pytrace=False)
    lines = list(ENVIRONMENTS[kind])
    if not lines[0].startswith("torch"):
        lines.insert(0, f"torch=={metadata.version('torch').partition('+')[0]}")
    version = subprocess.run([python, "-V"], capture_output=True, text=True, check=True).stdout
    name = hashlib.sha256("\n".join([version, *lines]).encode()).hexdigest()[:12]
    folder = ROOT / "_build" / "environments" / name
    inside = folder / "bin" / "python"
    if not (folder / "ready").exists():
        subprocess.run([python, "-m", "venv", "--clear", folder], check=True)
        pip = [inside, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        cpu = find_cpu_torch(lines[0].removeprefix("torch"))
        for arguments in (cpu, lines[:1]):  # a build without CUDA where this Python has one
            if subprocess.run([*pip, *arguments], capture_output=True).returncode == 0:
                break
        done = subprocess.run([*pip, *lines], capture_output=True, text=True)
        if done.returncode:
            pytest.fail(f"{environment_name}: {done.stderr[-800:]}", pytrace=False)
        (folder / "ready").write_text("\n".join(lines))
    return Environment(environment_name, inside)


class Environment:
    """A clean Python, and notebooks run in it as in Colab: elsewhere, with the threads that their first cell sets."""

    def __init__(self, name, python):
        self.name, self.python = name, python

    def packages(self):
        """{package: version} as pip sees it."""
        listing = [self.python, "-m", "pip", "list", "--format=json", "--disable-pip-version-check"]
        done = subprocess.run(listing, capture_output=True, text=True, check=True)
        return {package["name"].lower().replace("_", "-"): package["version"] for package in json.loads(done.stdout)}

    def forget(self):
        """Take the book's package out again, and what came with it unless the environment lists it."""
        gone = ["attnbook", "anywidget", "psygnal"] + ["array-api-compat"] * (not self.name.endswith("oldest"))
        subprocess.run([self.python, "-m", "pip", "uninstall", "-y", "-q", *gone], capture_output=True, check=True)

    def run(self, notebooks, folder, **environ):
        """Run notebooks from top to bottom, side by side on all cores: {name: what went wrong, or None}."""
        clean = {key: value for key, value in os.environ.items() if key not in OWN}
        return asyncio.run(self._all(notebooks, folder, clean | environ))

    async def _all(self, notebooks, folder, environ):
        room = asyncio.Semaphore(os.cpu_count() or 1)

        async def one(notebook):
            async with room:
                return await self._one(notebook, folder, environ)

        results = await asyncio.gather(*(one(notebook) for notebook in notebooks.values()))
        return dict(zip(notebooks, results, strict=True))

    async def _one(self, notebook, folder, environ):
        from jupyter_client.kernelspec import KernelSpecManager
        from jupyter_client.manager import AsyncKernelManager
        from nbclient import NotebookClient
        from nbclient.exceptions import CellExecutionError

        kernels = folder / "kernels"
        (kernels / "clean").mkdir(parents=True, exist_ok=True)
        command = [str(self.python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        spec = {"argv": command, "display_name": "clean", "language": "python"}
        (kernels / "clean" / "kernel.json").write_text(json.dumps(spec))
        specs = KernelSpecManager(kernel_dirs=[str(kernels)], ensure_native_kernel=False)
        manager = AsyncKernelManager(kernel_name="clean", kernel_spec_manager=specs)
        client = NotebookClient(notebook, km=manager, timeout=300, resources={"metadata": {"path": str(folder)}})
        try:
            await client.async_execute(env=environ)
        except CellExecutionError as error:
            return "\n".join(error.traceback.splitlines()[-30:])
        finally:  # nbclient leaves a kernel alone whose manager it was given
            await manager.shutdown_kernel(now=True)
        return None
