"""Execution of chapters: a cache that notices a change of the package, filled on all cores.

jupyter-cache recognises a chapter by its code cells alone, so an edit of ``attnbook`` would leave old outputs on the
page. The cache therefore lives in a folder named after everything else an output depends on.
"""

import hashlib
import os
import platform
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import metadata
from pathlib import Path

from jupyter_cache import get_cache
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.executors.utils import single_nb_execution
from myst_nb.core.read import create_nb_reader
from sphinx.errors import ExtensionError
from sphinx.util.display import status_iterator

PACKAGE = Path(__file__).parent.parent / "attnbook"
LIBRARIES = ("numpy", "torch", "scipy", "matplotlib", "array-api-compat", "ipython", "ipywidgets")


def setup(app):
    """Choose the cache before anything reads it; fill it before Sphinx reads the chapters."""
    app.add_config_value("attnbook_fingerprint", "", "env")
    app.connect("config-inited", _choose_cache, priority=100)
    app.connect("env-get-outdated", lambda app, env, *_: _named(env.found_docs))
    app.connect("env-before-read-docs", _execute_all)


def fingerprint(package=PACKAGE):
    """Hash of the package's files and of the versions of Python and the libraries that make its outputs."""
    digest = hashlib.sha256(platform.python_version().encode())
    for name in LIBRARIES:
        digest.update(f"{name} {metadata.version(name)}\n".encode())
    for path in sorted(package.rglob("*.py")):
        digest.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _choose_cache(app, config):
    # `make check` reads the pages of other chapters as they were stored, whatever has become of the package since.
    config.attnbook_fingerprint = "check" if os.environ.get("BOOK_EXECUTE") else fingerprint()
    cache = Path(app.outdir).parent / ".jupyter_cache" / config.attnbook_fingerprint
    config.nb_execution_cache_path = str(cache)
    environment = {
        "ATTNBOOK_BUILD": "1",  # explore shows the player alone
        "OMP_NUM_THREADS": "1",  # one thread a kernel: two kernels run side by side, and sums keep their order
        "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")]),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    }
    os.environ.update(environment)


def _execute_all(app, env, docnames):
    """Run every chapter that is not in the cache, as many side by side as there are cores."""
    if env.mystnb_config.execution_mode != "cache":
        return
    cache, again = get_cache(app.config.nb_execution_cache_path), _named(docnames)
    waiting = {name: book for name in docnames if (book := _uncached(env, cache, name, name in again)) is not None}
    if not waiting:
        return
    failures = []
    with ProcessPoolExecutor(min(len(waiting), os.cpu_count() or 1)) as pool:
        jobs = {pool.submit(_execute, env.doc2path(name), notebook): name for name, notebook in waiting.items()}
        for job in status_iterator(
            as_completed(jobs), "executing chapters... ", "green", len(jobs), app.verbosity, lambda job: jobs[job]
        ):
            notebook, seconds, failure = job.result()
            if failure:
                failures.append(f"{jobs[job]}: {failure}")
                continue
            bundle = CacheBundleIn(notebook, env.doc2path(jobs[job]), data={"execution_seconds": seconds})
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
    if failures:
        raise ExtensionError("\n\n".join(failures))


def _named(docnames):
    """The pages that are to be executed in any case: `make check` names their files in BOOK_EXECUTE."""
    wanted = os.environ.get("BOOK_EXECUTE", "").split()
    return [name for name in docnames if name.removeprefix("chapters/") in wanted]


def _uncached(env, cache, docname, again=False):
    """The notebook of ``docname`` as myst-nb will read it, or None if it has no code or its outputs are known."""
    path = env.doc2path(docname)
    text = Path(path).read_text(encoding="utf-8")
    reader = create_nb_reader(path, env.myst_config, env.mystnb_config, text)
    notebook = reader and reader.read(text)
    if not notebook or not any(cell.cell_type == "code" for cell in notebook.cells):
        return None
    try:
        cache.match_cache_notebook(notebook)
    except KeyError:
        return notebook
    return notebook if again else None


def _execute(path, notebook):
    """Run one chapter in its folder; on failure say which cell fails, and why, without the frames in between."""
    quiet = ["--IPKernelApp.log_level=40"]  # errors only: on loopback the remark about unencrypted TCP says nothing
    folder = str(Path(path).parent)
    result = single_nb_execution(notebook, cwd=folder, timeout=300, allow_errors=False, extra_arguments=quiet)
    failure = None
    if result.err:
        name, value = getattr(result.err, "ename", type(result.err).__name__), getattr(result.err, "evalue", result.err)
        ran = [cell for cell in notebook.cells if cell.cell_type == "code" and cell.get("execution_count")]
        failure = f"{name}: {value}\n" + (f"In the cell:\n{ran[-1].source}" if ran else "")
    return notebook, result.time, failure
