"""Execute chapters and keep their outputs: a cache that knows what an output depends on, filled on all cores.

jupyter-cache recognises a chapter by its cells, their tags and captions included. Here a chapter is recognised by the
code of its cells, by the names that its sentences quote, by the modules of the package and the stored results that this
code reads, and by the versions of the libraries: an edited caption executes nothing, and an edited function executes
the chapters that can see it.
"""

import functools
import hashlib
import os
import platform
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib import metadata
from pathlib import Path

from attnbook import pretrained
from jupyter_cache.base import CacheBundleIn
from jupyter_cache.cache.main import JupyterCacheBase
from sphinx.util import logging
from sphinx.util.display import status_iterator

from .. import hooks
from . import dependencies, eval_role, forked, kernels, weights

logger = logging.getLogger(__name__)
CODE = Path(__file__).parents[2]
CACHE_LIMIT = 250  # executed chapters, three times the book; the least recently used go first
LIBRARIES = ("numpy", "torch", "scipy", "matplotlib", "array-api-compat", "ipython", "ipywidgets")
CELLS_FAIL = 3  # the exit code of a build in which a cell fails; tools/book.py knows it


def setup(app):
    """Choose the cache before anything reads it; fill it before Sphinx reads the chapters."""
    app.add_config_value("book_libraries", "", "env")
    app.add_config_value("book_executes", True, "")
    app.connect("config-inited", _choose_cache, priority=100)
    app.connect("env-get-outdated", _outdated)
    app.connect("env-before-read-docs", _execute_all)
    hooks.recognise_chapters_by(Cache)


def libraries():
    """Hash of the versions of Python and the libraries that make outputs."""
    versions = [platform.python_version(), *(f"{name} {metadata.version(name)}" for name in LIBRARIES)]
    return hashlib.sha256("\n".join(versions).encode()).hexdigest()[:16]


@functools.cache
def _package(code):
    """Read the package when the build begins: its modules, what each imports, its stored results, and all hashes."""
    modules = dependencies.modules(code)
    results = dependencies.results(code)
    hashes = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in (modules | results).items()}
    return modules, dependencies.imports(modules), results, hashes, libraries()


def modules_of(cells, code=CODE):
    """Return the modules of the package that cells depend on, directly or through others."""
    modules, imports, *_ = _package(code)
    return dependencies.closure(dependencies.imported_by_cells(cells, modules), imports)


def fingerprint(cells, code=CODE):
    """Hash of the modules and stored results that cells depend on, and of the versions of the libraries.

    Cells that may read a language model show something else where its weights are missing.
    """
    _modules, _imports, results, hashes, versions = _package(code)
    names = modules_of(cells, code) | dependencies.results_read(cells, results)
    lines = [versions, *(f"{name} {hashes[name]}" for name in sorted(names))]
    if pretrained.__name__ in names:
        lines.append(f"weights {weights.state()}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


class Cache(JupyterCacheBase):
    """The executed chapters, recognised by the code of their cells and by its fingerprint.

    While `make check` builds one chapter, the others show the newest outputs of the same cells, whatever has become of
    the package since.
    """

    def create_hashed_notebook(self, nb, nb_metadata=(), cell_metadata=()):
        """Return the notebook without metadata, and its hash."""
        notebook, digest = super().create_hashed_notebook(nb, (), ())
        package = fingerprint([cell.source for cell in notebook.cells])
        return notebook, hashlib.sha256(f"{digest} {package} {_quoted(nb)}".encode()).hexdigest()[:32]

    def match_current(self, nb):
        """Return the record of a chapter that was executed with the package as it is; KeyError if none was."""
        record = super().match_cache_notebook(nb)
        if "code" not in record.data:
            raise KeyError("MyST-NB executed it itself, without what its sentences quote")
        return record

    def match_cache_notebook(self, nb):
        """Return the record of a chapter; KeyError if it must be executed."""
        try:
            return self.match_current(nb)
        except KeyError:
            if not _forced_chapters():
                raise
            code = _digest(nb)
            same = [record for record in self.list_cache_records() if record.data.get("code") == code]
            if not same:
                raise
            return max(same, key=lambda record: record.created)

    def merge_match_into_notebook(self, nb, nb_meta=("kernelspec", "language_info", "widgets"), cell_meta=()):
        """Return the notebook with the stored outputs; tags and captions stay its own."""
        return super().merge_match_into_notebook(nb, nb_meta, cell_meta)


def _digest(notebook):
    """Hash of the code of a notebook's cells and of the names that its sentences quote."""
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256("\0".join([*sources, _quoted(notebook)]).encode()).hexdigest()


def _quoted(notebook):
    return " ".join(eval_role.names(notebook))


def _choose_cache(app, config):
    config.book_libraries = libraries()
    config.nb_execution_cache_path = str(Path(app.outdir).parent / ".jupyter_cache")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(CODE), os.environ.get("PYTHONPATH", "")])
    os.environ.update(kernels.ENVIRONMENT)


def _outdated(app, env, added, changed, removed):
    """Return the pages to read again although their file is the same: the package under their cells has changed."""
    old = getattr(env, "book_fingerprints", {})
    texts = {name: Path(env.doc2path(name)).read_text("utf-8") for name in env.found_docs}
    env.book_fingerprints = {name: fingerprint(dependencies.CELL.findall(text)) for name, text in texts.items()}
    changed = {name for name, package in env.book_fingerprints.items() if name in old and old[name] != package}
    return sorted({name for name in env.found_docs if _is_forced(name)} if _forced_chapters() else changed)


def _forced_chapters():
    """Return the chapters that are to show the package as it is: `make check` names them in BOOK_EXECUTE."""
    return os.environ.get("BOOK_EXECUTE", "").split()


def _is_forced(docname):
    return docname.removeprefix("chapters/") in _forced_chapters()


def _execute_all(app, env, docnames):
    """Run every chapter that is not in the cache."""
    if not hooks.uses_stored_outputs(env):
        return
    cache = Cache(app.config.nb_execution_cache_path)
    cache.change_cache_limit(CACHE_LIMIT)
    waiting = {}
    for name in docnames:
        if (book := _uncached(env, cache, name)) is not None:
            forked.install()  # imports the libraries while the other chapters are read
            waiting[name] = book
    if not waiting:
        return
    if not app.config.book_executes:
        raise SystemExit(f"Not stored, and this build executes no cell: {', '.join(sorted(waiting))}. Run `make book`.")
    failures = {}
    for name, (notebook, seconds, failure, stalled) in _executed(app, env, waiting):
        if stalled:
            logger.info(f"{name}: the kernel stalled, without output or work; the chapter was run once more")
        if failure:
            failures[name] = failure
        else:
            data = {"execution_seconds": seconds, "code": _digest(notebook)}
            bundle = CacheBundleIn(notebook, env.doc2path(name), data=data)
            cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)
    if failures:
        _end(failures)


def _executed(app, env, waiting):
    """Yield each chapter of ``waiting`` once it is run.

    One more runs at a time than there are cores, as kernels start and end.
    """
    longest_first = sorted(waiting, key=lambda name: len(str(waiting[name])), reverse=True)
    with ThreadPoolExecutor(min(len(waiting), 1 + (os.cpu_count() or 1))) as pool:
        jobs = {pool.submit(kernels.execute, env.doc2path(name), waiting[name]): name for name in longest_first}
        progress = status_iterator(
            as_completed(jobs), "executing chapters... ", "green", len(jobs), app.verbosity, lambda job: jobs[job]
        )
        for job in progress:
            yield jobs[job], job.result()


def _end(failures):
    """End the build before any page is read or written; its last lines name the cells that fail."""
    sys.stdout.flush()
    print(f"\nChapters in which a cell fails: {len(failures)}. The results of the others are kept.\n", file=sys.stderr)
    print("\n".join(failures[name] for name in sorted(failures)), file=sys.stderr, flush=True)
    raise SystemExit(CELLS_FAIL)  # Sphinx and Jupyter Book add no traceback to it


def _uncached(env, cache, docname):
    """Read the notebook of ``docname`` as myst-nb will; None if it has no code or its outputs are stored."""
    path = env.doc2path(docname)
    text = Path(path).read_text(encoding="utf-8")
    notebook = hooks.read_notebook(env, path, text)
    if not notebook or not any(cell.cell_type == "code" for cell in notebook.cells):
        return None
    match = cache.match_current if _is_forced(docname) else cache.match_cache_notebook
    try:
        match(notebook)
    except KeyError:
        return notebook
    return None
