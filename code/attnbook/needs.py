"""A reader's mistakes, met in one sentence: a Python or a library that is missing or too old, a cell run too early.

Standard library only, and nothing newer than Python 3.9: this runs before anything else of the package.
"""

import re
import sys
from collections.abc import Callable
from importlib import metadata

__all__ = ["Unmet", "demand", "explain_early_names"]

PYTHON = (3, 11)
LIBRARIES = {  # the lower ends of the ranges in pyproject.toml
    "numpy": "1.26",
    "torch": "2.3",
    "array-api-compat": "1.12",
    "scipy": "1.11",
    "matplotlib": "3.8",
    "ipython": "7.34",
    "ipywidgets": "7.7",
}


class Unmet(ImportError):
    """Something the package needs is not there. A notebook shows the sentence without the frames above it."""

    def _render_traceback_(self):
        return [str(self)]


def demand(
    python: tuple[int, ...] = tuple(sys.version_info[:3]), version: Callable[[str], str] = metadata.version
) -> None:
    """Raise :class:`Unmet` with one sentence and the command that helps, if Python or a library does not do.

    ``version`` maps the name of a library to its version, or raises ``PackageNotFoundError``.
    """
    if python < PYTHON:
        raise Unmet(
            "attnbook needs Python {}.{} or newer and this is Python {}: make an environment with a newer one, "
            "conda create -n attnbook python=3.12 jupyterlab, and open the notebook there.".format(
                *PYTHON, ".".join(map(str, python))
            )
        )
    for name, least in LIBRARIES.items():
        try:
            found = version(name)
        except metadata.PackageNotFoundError:
            found = None
        if found is None or _numbers(found) < _numbers(least):
            state = "it is not installed" if found is None else f"this is {name} {found}"
            pip = "%pip" if "ipykernel" in sys.modules else "python -m pip"
            raise Unmet(
                f"attnbook needs {name} {least} or newer and {state}: "
                f'run {pip} install --upgrade "{name}>={least}", then restart the kernel.'
            )


def _numbers(version):
    """(2, 13) for '2.13.0+cpu' or '2.13rc1': enough to compare with the lower ends above."""
    return tuple(int(re.match(r"\d*", part)[0] or 0) for part in [*version.split("."), "0"][:2])


def explain_early_names() -> None:
    """In a notebook, add to a ``NameError`` what a reader who ran a cell too early has to do."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None:
        shell.set_custom_exc((NameError,), _explain)


def _explain(shell, kind, error, trace, tb_offset=None):
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    if kind is NameError:
        print(
            f"{getattr(error, 'name', None) or 'A name'} is not defined yet: if a cell above defines it, choose "
            "Run › Run All Above Selected Cell (in Colab: Runtime › Run before), then run this cell again."
        )
