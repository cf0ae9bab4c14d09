"""Say where a Python lives and what it needs to run students' code: the grader's own, or another one.

This file is also run by the other one, on its own. Standard library and NumPy only.
"""

import functools
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass

OLDEST = (3, 10)  # that runs the worker
START = 60  # seconds it may take to tell about itself, on a busy machine


class Unusable(ValueError):
    """A program that cannot run students' code; one sentence says why."""


@dataclass(frozen=True)
class Python:
    """A Python with NumPy. Paths are those of this machine."""

    version: str  # such as 3.12
    prefix: str  # the folder of the installation
    program: str  # in that folder
    numpy: str  # the folder of the package

    @property
    def shown(self):
        """Return the prefix in the sandbox: the name of a home folder is nobody's business."""
        return self.prefix if os.path.commonpath([self.prefix, "/usr"]) == "/usr" else "/python"

    @property
    def inside(self):
        """Return the program in the sandbox."""
        return os.path.join(self.shown, os.path.relpath(self.program, self.prefix))


@functools.cache
def look(program=""):
    """Return the `Python` that a program is, without a name the one that runs this; Unusable if it is none."""
    if not program:
        return about()
    try:
        done = subprocess.run([program, "-I", "-B", __file__], capture_output=True, text=True, timeout=START)
        found = Python(**json.loads(done.stdout))
    except OSError as error:
        raise Unusable(f"it does not run ({error.strerror})") from None
    except subprocess.TimeoutExpired:
        raise Unusable(f"it took more than {START} s to start") from None
    except (ValueError, TypeError):
        last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise Unusable(f"it does not run or has no NumPy ({last[:200]})") from None
    if tuple(map(int, found.version.split("."))) < OLDEST:
        raise Unusable(f"it is Python {found.version}, and {OLDEST[0]}.{OLDEST[1]} or newer is needed")
    return found


def about():
    """Describe the Python that runs this."""
    import numpy

    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    prefix, program = os.path.realpath(sys.base_prefix), os.path.realpath(sys.executable)
    return Python(version, prefix, program, os.path.dirname(numpy.__file__))


if __name__ == "__main__":
    print(json.dumps(asdict(about())))
