"""Run the cells of one chapter in order, in one process, as the book does; say what held, and what did not, and where.

Shared by tools/mutants.py, which runs faulty copies and stops at the first failure, tools/seeds.py, which runs the
chapters with other random numbers and goes on after a failure, and tools/experiments.py, which calls functions of
chapters. A run is a process of its own, forked from a server that has imported the large libraries once; the package
comes from the tree that the caller names. What a caller has to do, `resume` does on the `workers` of this machine or of
a dask cluster.
"""

import ast
import functools
import hashlib
import json
import multiprocessing
import os
import re
import signal
import subprocess
import symtable
import sys
import time
import types
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager, suppress
from importlib import metadata
from pathlib import Path

import jupytext
import yaml
from strictness import strictness
from tqdm import tqdm

try:
    import resource
except ImportError:  # Windows: only the clock limits a run
    resource = None

ROOT = Path(__file__).resolve().parent.parent
CHECKS = "application/vnd.attnbook.check+json"  # the data that a cell leaves for its checks
LIBRARIES = ["torch", "scipy.stats", "scipy.optimize", "scipy.integrate", "matplotlib.pyplot", "ipywidgets"]
LIBRARIES += ["array_api_compat.torch", "array_api_compat.numpy", "IPython.core.interactiveshell", "jupytext"]
FIXED = {"reproduces-source", "fixed-draw"}  # tags of cells that quote figures of one draw: they keep their seeds


def chapters(tree=ROOT):
    """Return all pages that have cells, in the order of the table of contents.

    Each is named as a file below chapters/, without its ending.
    """
    book = yaml.safe_load((tree / "_toc.yml").read_text("utf-8"))
    entries = [entry for part in book["parts"] for entry in part["chapters"]]
    names = [book["root"], *(e["file"] for entry in entries for e in (entry, *entry.get("sections", [])))]
    texts = {name: (tree / f"{name}.md").read_text("utf-8") for name in names if (tree / f"{name}.md").exists()}
    return [name.removeprefix("chapters/") for name, text in texts.items() if "```{code-cell}" in text]


def read(path):
    """Return the code cells of a page: (line of the fence, source, tags)."""
    text = path.read_text("utf-8")
    fences = [i for i, line in enumerate(text.splitlines(), 1) if re.match(r"`{3,}\{code-cell\}", line)]
    if not fences:
        return []
    found = [cell for cell in jupytext.reads(text, fmt="md:myst").cells if cell.cell_type == "code"]
    return [(n, c.source, set(c.metadata.get("tags", []))) for n, c in zip(fences, found, strict=True)]


def digest(*parts):
    """Hash texts and files: the same name as long as all of them are the same."""
    mixed = hashlib.sha256()
    for part in parts:
        mixed.update((part.read_bytes() if isinstance(part, Path) else str(part).encode()) + b"\0")
    return mixed.hexdigest()[:20]


def code(path):
    """Return all that a run of a page depends on: the sources and tags of its cells, and none of its prose."""
    return repr([(source, sorted(tags)) for _, source, tags in read(path)])


def package(tree=ROOT):
    """Return the files of the package, in a fixed order."""
    return sorted(
        path for end in ("*.py", "*.json", "*.js", "*.css") for path in (tree / "code" / "attnbook").rglob(end)
    )


def definitions(slug, *names, tree=ROOT):
    """Execute the definitions of ``names`` in a chapter and of all that they use, its imports too; nothing else of it.

    Returns an object with everything as attributes; its ``source`` is the text of the definitions.
    """
    body = [node for _, text, _ in read(tree / "chapters" / f"{slug}.md") for node in ast.parse(text).body]
    found, waiting, needed = {}, list(names), []
    for node in body:
        for name in _bound(node):
            found.setdefault(name, []).append(node)
    while waiting:
        name = waiting.pop()
        nodes = found.get(name, [])
        if len(nodes) != 1 and not all(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes or [None]):
            raise ValueError(f"{slug}.md defines {name} {len(nodes)} times; expected once")
        new = [node for node in nodes if node not in needed]
        needed += new
        used = set().union(*(_globals(symtable.symtable(ast.unparse(node), slug, "exec")) for node in new))
        waiting += sorted(used & set(found) - set(_bound(nodes[0])))
    chosen = [node for node in body if node in needed]
    space = {"__name__": slug}
    exec(compile(ast.Module(chosen, []), f"{slug}.md", "exec"), space)
    defined = [ast.unparse(node) for node in chosen if not isinstance(node, ast.Import | ast.ImportFrom)]
    return types.SimpleNamespace(**space, source="\n".join(defined))


def _bound(node):
    """Return names that a statement defines."""
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    targets = [part for target in getattr(node, "targets", ()) for part in ast.walk(target)]
    return [part.id for part in targets if isinstance(part, ast.Name)]


def _only_draws(source, later):
    """Tell whether a cell makes a picture and nothing else: it has no check and defines no name that occurs later."""
    names = {name for node in ast.parse(source).body for name in _bound(node)}
    return "check" not in source and not any(names & set(re.findall(r"\w+", cell)) for cell in later)


def _globals(table):
    """Return names that a piece of code uses and does not define inside a function."""
    names = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() or table.get_type() == "module"}
    return names.union(*map(_globals, table.get_children()))


def state(tree):
    """Hash what decides a result: the files of the book, and the versions of the libraries; None without the tree."""
    folders = ("code/attnbook", "chapters", "experiments", "tools", "tests/package")
    files = sorted(path for folder in folders for path in (tree / folder).rglob("*.*") if path.suffix != ".pyc")
    return digest(*files, versions()) if files else None


def versions():
    """Return the versions of Python and of the two libraries that compute."""
    numbers = {name: metadata.version(name).partition("+")[0] for name in ("numpy", "torch")}
    return {"python": ".".join(map(str, sys.version_info[:3]))} | numbers


@contextmanager
def workers(jobs, cluster="", tree=ROOT, processes=False):
    """Provide what `resume` runs work on: threads or processes here, or the workers of the dask scheduler ``cluster``.

    Such a worker must see the tree at the same path, with the same files and versions.
    """
    if not cluster:
        with ProcessPoolExecutor(jobs, mp_context=_server()) if processes else ThreadPoolExecutor(jobs) as pool:
            yield pool
        return
    from dask.distributed import Client  # only here: a cluster asks for the extra `course`

    with ExitStack() as stack:
        try:
            client = stack.enter_context(Client(cluster, timeout=10))
        except (OSError, ValueError, TypeError) as error:
            sys.exit(f"No dask scheduler answers at CLUSTER={cluster}: {error}.")
        client.wait_for_workers(1)
        for worker, found in client.run(state, tree, on_error="return").items():
            if found != state(tree):
                reason = found if isinstance(found, Exception) else "it has other files or versions"
                sys.exit(f"The worker at {worker} cannot work on {tree} ({reason}): see README.md about CLUSTER=.")
        yield client.get_executor(pure=False)


def resume(store, work, pool):
    """Do what is not done yet: ``work`` is {key: function}, each function returns a dict; return {key: dict}.

    Every answer becomes a line of ``store`` as soon as it is there, so a run that was stopped goes on where it was.
    """
    store.parent.mkdir(parents=True, exist_ok=True)
    done = {}
    for line in store.read_text("utf-8").splitlines() if store.exists() else ():
        with suppress(ValueError):  # a line that was cut short
            known = json.loads(line)
            done[known["key"]] = known
    waiting = [key for key in work if key not in done]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with open(store, "a", encoding="utf-8") as file:
        file.write("\n" if waiting and file.tell() else "")  # after a line that was cut short
        running = {pool.submit(work[key]): key for key in waiting}
        try:
            for job in tqdm(as_completed(running), total=len(work), initial=len(work) - len(waiting), unit="run"):
                done[running[job]] = answer = {"key": running[job]} | job.result()
                file.write(json.dumps(answer, ensure_ascii=False) + "\n")
                file.flush()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in multiprocessing.active_children():
                process.kill()
            raise
    return {key: done[key] for key in work}


def run(tree, slug, *, draw=0, stop=True, limit=300):
    """Run a chapter of ``tree`` in a process of its own, for at most ``limit`` seconds of processor time.

    ``draw`` = 1, 2, … gives every generator of random numbers other seeds, except in cells tagged with one of FIXED;
    0 leaves the seeds as they are. With ``stop`` the first failing cell is the last.

    Returns {"checks": how many held, "seconds": CPU time, "failures": [{"line", "kind", "message"}]} and, for the
    seeds of the book, "laws": their `strictness`. The kind of a failure is "check" where a check of the package did
    not hold, "error" for any other exception, "timeout", or "died".
    """
    multiprocessing.current_process().daemon = False  # a worker of dask is one, and may have no children as such
    context = _server()
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(theirs, str(tree), slug, draw, stop, limit))
    process.start()
    theirs.close()
    try:
        if ours.poll(20 * limit):  # a busy or sleeping machine must not decide what is caught
            return ours.recv()
        return _failed("timeout", f"not finished after {20 * limit} s")
    except EOFError:
        process.join()
        if process.exitcode == -getattr(signal, "SIGXCPU", 0):
            return _failed("timeout", f"not finished after {limit} s of processor time")
        return _failed("died", f"the process ended with code {process.exitcode}")
    finally:
        if process.is_alive():
            process.kill()
        process.join()


def run_tests(tree, files, limit=1800):
    """Run test files of ``tree`` up to the first failure, with the package of that tree; the same answer as run."""
    environ = os.environ | {"PYTHONPATH": str(tree / "code"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", *files]
    try:
        done = subprocess.run(command, cwd=tree, env=environ, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return _failed("timeout", f"the tests are not finished after {limit} s")
    if done.returncode == 0:
        return {"checks": 0, "seconds": 0, "failures": []}
    said = re.findall(r"^(?:FAILED|ERROR) (.*)", done.stdout, re.MULTILINE)
    return _failed("test", (said or [done.stdout.strip()[-200:] or f"pytest ended with code {done.returncode}"])[0])


def _failed(kind, message):
    return {"checks": 0, "seconds": 0, "failures": [{"line": 0, "kind": kind, "message": message}]}


@functools.cache
def _server():
    """Return a source of processes that have imported the libraries; where none can be forked, fresh ones."""
    os.environ.update({"ATTNBOOK_BUILD": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"})
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LIBRARIES)
    return context


def _child(pipe, tree, slug, draw, stop, limit):
    """Run in a process of its own: silence, the tree's package first, the cells, the answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller ends this process; a cell must not count as failed
    if resource:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 9))
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    tree = Path(tree)
    sys.path.insert(0, str(tree / "code"))
    for name in [name for name in sys.modules if name.split(".")[0] == "attnbook"]:
        del sys.modules[name]  # that of the book itself, which the tool has imported
    os.chdir(tree / "chapters")
    pipe.send(_execute(tree, slug, draw, stop))
    pipe.close()
    os._exit(0)  # no clean-up of threads and figures: nothing of this process is needed any more


def _execute(tree, slug, draw, stop):
    from IPython.core.displaypub import CapturingDisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    start, failures, cell = time.process_time(), [], {"tags": set()}
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    shell.display_pub = published = CapturingDisplayPublisher()
    shell.display_formatter.active_types = ["text/plain"]  # pictures are drawn and not encoded
    shell.showtraceback = shell.showsyntaxerror = lambda *args, **kwargs: None
    if draw:
        _reseed(draw, cell)
    found = read(tree / "chapters" / f"{slug}.md")
    for place, (line, source, cell["tags"]) in enumerate(found):
        later = [text for _, text, _ in found[place + 1 :]]
        if "hide-input" in cell["tags"] and ("explore(" in source or (draw and _only_draws(source, later))):
            continue  # many pictures and no check: about a quarter of the time
        result = shell.run_cell(source, store_history=False)
        error = result.error_before_exec or result.error_in_exec
        if error is not None:
            kind = "check" if type(error).__name__ == "CheckFailed" else "error"
            message = str(error) if kind == "check" else f"{type(error).__name__}: {error}"
            failures.append({"line": line, "kind": kind, "message": message[:300]})
            if stop:
                break
    used = Path(sys.modules["attnbook"].__file__) if "attnbook" in sys.modules else tree
    if not used.is_relative_to(tree):
        return _failed("died", f"attnbook comes from {used}, not from {tree}")
    checks = [check for output in published.outputs for check in output["data"].get(CHECKS, [])]
    held, seconds = sum(check["times"] for check in checks), round(time.process_time() - start, 1)
    sources = [] if failures else [source for _, source, _ in found]  # of a failed cell the source may be no Python
    answer = {"checks": held, "seconds": seconds, "failures": failures}
    return answer | ({} if draw else {"laws": strictness(checks, sources)})


def _reseed(draw, cell):
    """Mix the number of the run into every whole seed of numpy and torch, except in cells tagged with one of FIXED.

    Generators made with the same seed still draw the same numbers, so a comparison on equal draws stays one.
    """
    import numpy as np
    import torch

    default_rng, manual_seed = np.random.default_rng, torch.manual_seed

    def mixed(seed):
        return np.random.SeedSequence([draw, *np.atleast_1d(seed).tolist()])

    def other(seed):
        return seed if cell["tags"] & FIXED else int(mixed(seed).generate_state(1, np.uint64)[0] >> 1)

    class Generator(torch.Generator):
        def manual_seed(self, seed):
            return super().manual_seed(other(seed))

    def other_rng(seed=None):
        whole = isinstance(seed, (int, np.integer, list, tuple))
        return default_rng(mixed(seed) if whole and not cell["tags"] & FIXED else seed)

    np.random.default_rng = other_rng
    torch.Generator = Generator
    torch.manual_seed = torch.random.manual_seed = lambda seed: manual_seed(other(seed))
