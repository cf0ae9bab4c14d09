"""Put files in place together: whatever ends the process, all of them are the old ones, or all become the new ones.

New files are written into a folder of their own. Renaming it is the one step from which on they count; then each is put
in its place. What is ended before this step has changed nothing, and what is ended after it, `complete` takes up again.
"""

import contextlib
import errno
import json
import os
import shutil
import signal
import threading

NEW = ".new"  # where files are written
READY = ".ready"  # what that folder is called once they count
PLAN = "plan.json"  # in it: which old files get another name, and which go
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def discard(folder):
    """Remove what was written below a folder and never counted."""
    shutil.rmtree(folder / NEW, ignore_errors=True)


def write(folder, name, data):
    """Write a file that is to stand at `folder / name`."""
    target, place = folder / name, folder / NEW / name
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "there is a folder of this name", str(target))
    for path in (target, place):  # later, nothing needs room any more
        path.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(data)


def commit(folder, aside, old):
    """Let what was written count; `aside` is {old file: the name it gets}, and `old` lists the files that go."""
    write(folder, PLAN, json.dumps({"aside": aside, "old": old}).encode())
    _to_disk(folder / NEW)
    (folder / NEW).rename(folder / READY)


def complete(folder):
    """Put in place the files that count and are not there yet; after an OSError the rest waits for the next call.

    Each step may have been done before, since this function, too, may be ended at every moment.
    """
    ready = folder / READY
    try:
        plan = json.loads((ready / PLAN).read_bytes())
    except FileNotFoundError:  # there is nothing, or all is done but to remove the folder
        shutil.rmtree(ready, ignore_errors=True)
        return
    _sync(folder)
    for name, other in plan["aside"].items():
        if (folder / name).is_file():
            (folder / name).replace(folder / other)
    for path in sorted(ready.rglob("*")):
        if path.is_file() and path != ready / PLAN:
            path.replace(folder / path.relative_to(ready))
    for path in (folder / name for name in plan["old"]):
        if path.is_file() and not path.is_symlink():
            path.unlink()
    _to_disk(folder, files=False)
    (ready / PLAN).unlink()
    shutil.rmtree(ready)


def _to_disk(folder, files=True):
    """Let everything in a folder outlast a power cut: its files, or their names alone."""
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir() or files:
            _sync(path)


def _sync(path):
    """Wait until a file or folder is on the disk."""
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


@contextlib.contextmanager
def deferred_signals():
    """Let the signals that end a program wait until a block is over; then the first of them ends it.

    To block them in this thread is not enough: another one takes them, and Python runs their handlers here.
    """
    if threading.current_thread() is not threading.main_thread():  # there no handler runs
        yield
        return
    came: list = []
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        for number in SIGNALS:
            signal.signal(number, lambda number, frame: came.append(number))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        if came:
            signal.raise_signal(came[0])
