"""Read what was measured in experiments that take longer than a chapter may.

`make experiments` runs them and writes ``results/<name>.json``; experiments/<name>.py in the book's repository says
what one of them measures.
"""

import json
from importlib.resources import files

from .arrays import brief

__all__ = ["load"]


def load(name: str) -> dict:
    """Read the results of an experiment.

    Returns a dict with ``summary``, the few numbers that the text quotes; ``members``, the result of every repetition
    in the order of ``seeds``; ``versions`` of Python, numpy and torch; and ``seconds`` of processor time in all.

    Raises ``ValueError`` if there is no experiment ``name``.
    """
    known = {file.name.removesuffix(".json"): file for file in files("attnbook").joinpath("results").iterdir()}
    if not isinstance(name, str) or name not in known:
        raise ValueError(f"name = {brief(name)}; expected one of {', '.join(sorted(known))}")
    return json.loads(known[name].read_text(encoding="utf-8"))
