"""Control groups (cgroup v2): a limit on the memory of a whole sandbox, where the user who grades may set one."""

import contextlib
import itertools
import os
import time
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
OWN = Path("/proc/self/cgroup")
_count = itertools.count()


def parent():
    """Return the nearest enclosing control group in which this process may create limited ones, or None."""
    try:
        own = next(line[3:] for line in OWN.read_text().splitlines() if line.startswith("0::"))
    except (OSError, StopIteration):
        return None
    group = ROOT / own.strip("/")
    for folder in [group, *group.parents]:
        with contextlib.suppress(OSError):
            limits = (folder / "cgroup.subtree_control").read_text().split()
            # Who moves a process must be allowed to write to the group around its old place and its new one.
            if {"memory", "pids"} <= {*limits} and os.access(folder, os.W_OK):
                return folder if os.access(folder / "cgroup.procs", os.W_OK) else None
        if folder == ROOT:
            return None
    return None


def make(memory, processes):
    """Make a control group with these limits; None where that is not allowed."""
    around = parent()
    if around is None:
        return None
    _remove_left_behind(around)
    group = around / f"attncourse-{os.getpid()}-{next(_count)}"
    try:
        group.mkdir()
        for name, value in (("memory.max", memory), ("pids.max", processes), ("memory.oom.group", 1)):
            (group / name).write_text(str(value))
        with contextlib.suppress(FileNotFoundError):  # a kernel without swap
            (group / "memory.swap.max").write_text("0")
    except OSError:  # the kernel has a reason that no permission shows
        remove(group)
        return None
    return group


def command_in_group(group, command):
    """Return a command that enters the group, if there is one, before it becomes `command`."""
    if group is None:
        return command
    return ["sh", "-c", 'echo $$ > "$0" && exec "$@"', str(group / "cgroup.procs"), *command]


def remove(group):
    """Remove a group, once the last of its processes is gone."""
    for _ in range(100 if group else 0):
        try:
            group.rmdir()
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.01)


def _remove_left_behind(around):
    """Remove the groups of processes that are no more: one that was killed removes nothing."""
    for group in around.glob("attncourse-*-*"):
        if not Path("/proc", group.name.split("-")[1]).exists():
            with contextlib.suppress(OSError):
                group.rmdir()


def remove_all(process):
    """Remove the groups that a process has left behind."""
    around = parent()
    for group in around.glob(f"attncourse-{process}-*") if around else ():
        remove(group)
