"""Run the cells of a notebook in a kernel, and once more where the kernel stalls; say which cell fails, and why."""

import copy
import os
import re
import threading
import time
from pathlib import Path

import psutil
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal

from . import eval_role, forked, weights

LIMIT = 300  # seconds for one cell
STALL = 60  # seconds: a kernel that neither writes nor works for so long will not do so any more
WORK = 1.0  # seconds of a processor within STALL; a kernel that waits takes a third of that
STEP = 5  # seconds between two looks
QUIET = ["--IPKernelApp.log_level=40"]  # errors only: on loopback the remark about unencrypted TCP says nothing
ENVIRONMENT = {
    "ATTNBOOK_BUILD": "1",  # explore shows the player alone
    "OMP_NUM_THREADS": "1",  # one thread a kernel: two kernels run side by side, and sums keep their order
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}
ARROW = re.compile(r"^-+> \d+ (.*)", re.MULTILINE)  # the line of a traceback's first frame that was at work
COLOURS = re.compile(r"\x1b\[[\d;]*m")


class Watch:
    """Notices that a kernel has stalled, from the amount of its output and of its work so far."""

    def __init__(self, now):
        self.since = now
        self.written = 0
        self.worked = 0.0

    def stalled(self, now, written, worked):
        """Return whether neither has grown for ``STALL`` seconds."""
        if written != self.written or worked - self.worked >= WORK:
            self.since = now
            self.written = written
            self.worked = worked
        return now - self.since >= STALL


def execute(path, notebook):
    """Run a chapter in its folder: (executed notebook, seconds, what fails or None, whether a stalled kernel ended)."""
    forked.install()
    eval_role.add_query_cell(notebook)
    stalled = False
    for _ in range(2):
        ran = copy.deepcopy(notebook)
        start = time.monotonic()
        error, stalls = attempt(ran, str(Path(path).parent))
        stalled = stalled or stalls
        if not stalls:
            break
    if error:
        return ran, time.monotonic() - start, failure(path, ran, error), stalled
    eval_role.pop_query_cell(ran)
    return ran, time.monotonic() - start, None, stalled


def attempt(notebook, folder, *, stop=True, **options):
    """Run the cells in a new kernel: (the exception that ended it or None, whether the kernel stalled).

    Without ``stop`` the cells after one that fails are run too; ``options`` are those of the kernel, such as ``env``. A
    kernel that ends before its first cell is started once more: another program may have taken its port.
    """
    error, stalled = _attempt(notebook, folder, stop, options)
    if isinstance(error, RuntimeError) and not _written(notebook):
        error, stalled = _attempt(notebook, folder, stop, options)
    return error, stalled


def _attempt(notebook, folder, stop, options):
    resources = {"metadata": {"path": folder}}
    client = NotebookClient(
        notebook,
        timeout=LIMIT,
        startup_timeout=LIMIT,
        extra_arguments=QUIET,
        resources=resources,
        allow_errors=not stop,
        skip_cells_with_tag=weights.skipped_tag(),
    )
    over = threading.Event()
    stalled = threading.Event()
    watching = threading.Thread(target=_watch, args=(client, over, stalled), daemon=True)
    watching.start()
    try:
        client.execute(**options)
        return None, False
    except (CellControlSignal, RuntimeError) as error:  # RuntimeError: the kernel has died
        return error, stalled.is_set()
    finally:
        over.set()
        watching.join()


def _watch(client, over, stalled):
    """End the kernel of ``client`` when it stalls."""
    watch = Watch(time.monotonic())
    while not over.wait(STEP):
        kernel = _process(client)
        if watch.stalled(time.monotonic(), _written(client.nb), _worked(kernel)) and kernel:
            stalled.set()
            kernel.kill()
            return


def _process(client):
    pid = getattr(getattr(client.km, "provisioner", None), "pid", None)
    try:
        return psutil.Process(pid) if pid else None
    except psutil.NoSuchProcess:
        return None


def _written(notebook):
    """Count the cells that were begun and their outputs."""
    return sum(bool(cell.execution_count) + len(cell.outputs) for cell in notebook.cells if cell.cell_type == "code")


def _worked(process):
    """Return the seconds of a processor that a kernel has taken, the processes that it started included."""
    try:
        times = [part.cpu_times() for part in (process, *process.children(recursive=True))] if process else []
    except psutil.NoSuchProcess:
        return 0.0
    return sum(part.user + part.system for part in times)


def failure(path, notebook, error):
    """Return two lines: the place and the code that fails; the law and the difference, or whatever error it is."""
    cells = [index for index, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    ran = [index for index in cells if notebook.cells[index].get("execution_count")]
    place = os.path.relpath(path)
    lines = notebook.metadata.get("source_map", [])
    if ran and ran[-1] < len(lines):
        place += f":{lines[ran[-1]]}, code cell {cells.index(ran[-1]) + 1}"
    code = ARROW.search(COLOURS.sub("", getattr(error, "traceback", "")))
    name = getattr(error, "ename", type(error).__name__)
    value = str(getattr(error, "evalue", error)).strip()
    reason = value if name == "CheckFailed" else f"{name}: {value}"
    return place + (f": {code[1].strip()}" if code else "") + f"\n    {reason}"
