"""Save a chapter from JupyterLab so that what nobody edited stays as its author wrote it.

Jupytext writes the head of a file and the options of its cells in a style of its own: captions are quoted, lines are
wrapped, versions added. Here, options that mean what they meant take their old form again.
"""

import re
from collections import defaultdict

import yaml
from jupyter_server.services.contents.largefilemanager import AsyncLargeFileManager
from tornado.web import HTTPError

HEAD = re.compile(r"\A---\n.*?^---\n", re.M | re.S)
EDITORS = ("jupytext", "kernelspec")  # what of a head JupyterLab and jupytext write
CELL = re.compile(r"^(```+\{code-cell\}[^\n]*)\n((?:---\n.*?^---\n|(?::[^\n]*\n)*)\n*)", re.M | re.S)


class ChapterFiles(AsyncLargeFileManager):
    """The files of the book as JupyterLab reads and saves them; jupytext puts its own manager above this one."""

    async def save(self, model, path=""):
        """Save a file; of a chapter, keep the form of what has not changed."""
        if model.get("type") == "file" and path.endswith(".md") and "content" in model:
            try:
                old = (await self.get(path, type="file", format="text"))["content"]
            except HTTPError:  # a new chapter
                old = ""
            model = model | {"content": keep_form(old, model["content"])}
        return await super().save(model, path)


def keep_form(old, new):
    """Return the text ``new`` with the head and the options of ``old`` wherever they mean the same."""
    forms = defaultdict(list)
    for cell in CELL.finditer(old):
        forms[_meaning(cell)].append(cell[2])

    def form(cell):
        same = forms[_meaning(cell)]
        return f"{cell[1]}\n{same.pop(0) if same else cell[2]}"

    new, old_head = CELL.sub(form, new), HEAD.match(old)
    new_head = HEAD.match(new)
    is_same = old_head and new_head and _head(old_head[0]) == _head(new_head[0])
    return old_head[0] + new[new_head.end() :] if is_same else new


def _meaning(cell):
    """Return what the opening of a cell says, in one form for both ways of writing options."""
    options = re.sub(r"^(:|---$)", "", cell[2], flags=re.M)
    return cell[1], yaml.dump(yaml.safe_load(options), sort_keys=True)


def _head(text):
    """Return the head of a file without what editors write there: versions, and the name of a kernel."""
    return {name: value for name, value in yaml.safe_load(text.strip("-\n")).items() if name not in EDITORS}
