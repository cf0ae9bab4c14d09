"""Cells that need the weights of the language model: without weights they are not run, and their page says so.

A cell that needs them has the tag ``real-model``. What it computes stays within such cells: a sentence quotes only
stored results, so a page holds the same numbers with weights and without.
"""

import re

from attnbook.pretrained import available, find

from ..language.messages import _

TAG = "real-model"
TITLE = re.compile(r"^# .+$", re.MULTILINE)


def setup(app):
    """Read all pages again once the weights have come or gone; say on a page that they are missing."""
    app.add_config_value("book_weights", "", "env")
    app.connect("config-inited", _note_weights)
    app.connect("source-read", _say_what_was_not_run)


def state():
    """Say which weights cells find, by the file's name and size: what their outputs depend on."""
    if not available():
        return "none"
    file = find()
    return f"{file.name} {file.stat().st_size}"


def skipped_tag():
    """Return the tag of the cells that are not run."""
    return "skip-execution" if available() else TAG


def _note_weights(app, config):
    config.book_weights = state()


def _say_what_was_not_run(app, docname, content):
    if TAG not in content[0] or available():
        return
    sentence = _(
        "The weights of the language model could not be installed where this page was built, so the cells that compute "
        "with them were not run. The numbers in the sentences come from stored experiments."
    )
    note = f"\n\n```{{important}}\n{sentence}\n```"
    content[0] = TITLE.sub(lambda title: title[0] + note, content[0], count=1)
