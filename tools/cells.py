"""Run the cells of one chapter in order, in one process, as the book does; say what held, and what did not, and where.

Shared by tools/mutants.py, which runs faulty copies and stops at the first failure, and tools/seeds.py, which runs the
chapters with other random numbers and goes on after a failure. A run is a process of its own, forked from a server
that has imported the large libraries once; the package comes from the tree that the caller names.
"""

import functools
import hashlib
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from pathlib import Path

import jupytext
import yaml
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
    """Slugs of the numbered chapters that have cells, in the order of the table of contents."""
    book = yaml.safe_load((tree / "_toc.yml").read_text("utf-8"))
    names = [entry["file"] for part in book["parts"] if part.get("numbered") for entry in part["chapters"]]
    texts = {name: (tree / f"{name}.md").read_text("utf-8") for name in names if (tree / f"{name}.md").exists()}
    return [name.rpartition("/")[2] for name, text in texts.items() if "```{code-cell}" in text]


def read(path):
    """The code cells of a page: (line of the fence, source, tags)."""
    text = path.read_text("utf-8")
    fences = [i for i, line in enumerate(text.splitlines(), 1) if re.match(r"`{3,}\{code-cell\}", line)]
    if not fences:
        return []
    found = [cell for cell in jupytext.reads(text, fmt="md:myst").cells if cell.cell_type == "code"]
    return [(n, c.source, set(c.metadata.get("tags", []))) for n, c in zip(fences, found, strict=True)]


def digest(*parts):
    """One short name for texts and files: the same as long as all of them are."""
    mixed = hashlib.sha256()
    for part in parts:
        mixed.update((part.read_bytes() if isinstance(part, Path) else str(part).encode()) + b"\0")
    return mixed.hexdigest()[:20]


def code(path):
    """All that a run of a page depends on: the sources and tags of its cells, and none of its prose."""
    return repr([(source, sorted(tags)) for _, source, tags in read(path)])


def package(tree=ROOT):
    """The files of the package, in a fixed order."""
    return sorted((tree / "code" / "attnbook").rglob("*.py"))


def resume(store, work, jobs):
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
    with open(store, "a", encoding="utf-8") as file, ThreadPoolExecutor(jobs) as pool:
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

    Returns {"checks": how many held, "seconds": CPU time, "failures": [{"line", "kind", "message"}]}; the kind is
    "check" where a check of the package did not hold, "error" for any other exception, "timeout", or "died".
    """
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
    """A source of processes in which the libraries are already imported; where none can be forked, fresh ones."""
    os.environ.update({"ATTNBOOK_BUILD": "1", "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg"})
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(LIBRARIES)
    return context


def _child(pipe, tree, slug, draw, stop, limit):
    """The process of one run: silence, the tree's package first, the cells, the answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the caller ends this process; a cell must not count as failed
    if resource:
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 9))
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    tree = Path(tree)
    sys.path.insert(0, str(tree / "code"))
    os.chdir(tree / "chapters")
    pipe.send(_execute(tree, slug, draw, stop))
    pipe.close()
    os._exit(0)  # no clean-up of threads and figures: nothing of this process is needed any more


def _execute(tree, slug, draw, stop):
    from IPython.core.displaypub import CapturingDisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    start, failures, here = time.process_time(), [], {"tags": set()}
    shell = InteractiveShell.instance(config=Config(HistoryManager={"enabled": False}))
    shell.display_pub = published = CapturingDisplayPublisher()
    shell.display_formatter.active_types = ["text/plain"]  # pictures are drawn and not encoded
    shell.showtraceback = shell.showsyntaxerror = lambda *args, **kwargs: None
    if draw:
        _reseed(draw, here)
    for line, source, here["tags"] in read(tree / "chapters" / f"{slug}.md"):
        if "hide-input" in here["tags"] and "explore(" in source:  # many pictures and no check: a fifth of the time
            continue
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
    bundles = [output["data"].get(CHECKS, []) for output in published.outputs]
    held = sum(check["times"] for bundle in bundles for check in bundle)
    return {"checks": held, "seconds": round(time.process_time() - start, 1), "failures": failures}


def _reseed(draw, here):
    """Mix the number of the run into every whole seed of numpy and torch, except in cells tagged with one of FIXED.

    Generators made with the same seed still draw the same numbers, so a comparison on equal draws stays one.
    """
    import numpy as np
    import torch

    default_rng, manual_seed = np.random.default_rng, torch.manual_seed

    def mixed(seed):
        return np.random.SeedSequence([draw, *np.atleast_1d(seed).tolist()])

    def other(seed):
        return seed if here["tags"] & FIXED else int(mixed(seed).generate_state(1, np.uint64)[0] >> 1)

    class Generator(torch.Generator):
        def manual_seed(self, seed):
            return super().manual_seed(other(seed))

    def other_rng(seed=None):
        whole = isinstance(seed, (int, np.integer, list, tuple))
        return default_rng(mixed(seed) if whole and not here["tags"] & FIXED else seed)

    np.random.default_rng = other_rng
    torch.Generator = Generator
    torch.manual_seed = torch.random.manual_seed = lambda seed: manual_seed(other(seed))
