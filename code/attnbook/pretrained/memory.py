"""How much memory this process may still take."""

import math
from contextlib import suppress
from pathlib import Path

GIB = 2**30
GROUP = Path("/sys/fs/cgroup")  # where a container sees its own limits, version 2
MACHINE = Path("/proc/meminfo")


def require(needed: int) -> None:
    """Raise ``MemoryError`` unless so many bytes are free: the system would rather end the process than say so."""
    left = free()
    if needed > left:
        raise MemoryError(f"as float32 it takes {needed / GIB:.1f} GiB, and {left / GIB:.1f} are free")


def free() -> float:
    """Return how many bytes this process may still take, as far as Linux or the limits of its container say.

    Infinity where nothing says it.
    """
    left = [math.inf]
    with suppress(OSError, ValueError):  # no container, another system, or "max"
        limit = int((GROUP / "memory.max").read_text())
        used = int((GROUP / "memory.current").read_text())
        left.append(limit - used + _cached(GROUP / "memory.stat"))
    with suppress(OSError, ValueError, KeyError):
        lines = dict(line.split(":") for line in MACHINE.read_text().splitlines())
        left.append(int(lines["MemAvailable"].split()[0]) * 1024)
    return min(left)


def _cached(stat):
    """Return how many bytes of files a container only keeps in case they are read again: it counts them as used."""
    numbers = dict(line.split() for line in stat.read_text().splitlines())
    return int(numbers.get("inactive_file", 0))
