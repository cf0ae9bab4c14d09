"""Read what experiments measured that take longer than a chapter may.

``make experiments`` runs them and writes ``<name>.json`` here; experiments/<name>.py in the book's repository says what
one of them measures.
"""

import json
from pathlib import Path

__all__ = ["load"]


def load(name: str) -> dict:
    """Return the results of the experiment ``name``.

    The dict has ``summary``, the few numbers that the text quotes; ``members``, the result of every repetition in the
    order of ``seeds``; ``versions`` of Python, numpy and torch; and ``seconds`` of processor time in all.

    Raises ``ValueError`` if there is no experiment ``name``.
    """
    files = {file.stem: file for file in Path(__file__).parent.glob("*.json")}
    if name not in files:
        raise ValueError(f"name = {name!r}; expected one of {', '.join(sorted(files))}")
    return json.loads(files[name].read_text(encoding="utf-8"))
