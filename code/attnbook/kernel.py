"""Say whether a person sits at a running kernel."""

import os

__all__ = ["is_live"]


def is_live() -> bool:
    """Return whether this is a notebook's kernel, and neither a build of the book nor a plain script."""
    from IPython import get_ipython

    shell = get_ipython()
    return shell is not None and hasattr(shell, "kernel") and not os.environ.get("ATTNBOOK_BUILD")
