"""Detect an interactive kernel, and explain the error of a cell that was run too early."""

import os
import sys

__all__ = ["explain_early_names", "is_live", "shell"]


def shell():
    """Return the shell of IPython; None in a plain script."""
    return sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None


def is_live() -> bool:
    """Detect an interactive kernel: neither a build of the book nor a plain script."""
    return hasattr(shell(), "kernel") and not os.environ.get("ATTNBOOK_BUILD")


def explain_early_names() -> None:
    """In a notebook, add to a ``NameError`` what a reader who ran a cell too early has to do."""
    if shell() is not None:
        shell().set_custom_exc((NameError,), _explain)


def _explain(shell, kind, error, trace, tb_offset=None):
    shell.showtraceback((kind, error, trace), tb_offset=tb_offset)
    if kind is NameError:
        print(
            f"{error.name or 'A name'} is not defined yet: if a cell above defines it, choose "
            "Run › Run All Above Selected Cell (in Colab: Runtime › Run before), then run this cell again."
        )
