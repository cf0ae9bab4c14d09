"""Say what a writer may want to know about a chapter. `make check` prints it, and nothing fails for it."""

import json
import re
import sqlite3

from bookext.contents import contents
from bookext.run import chapters as runner
from bookext.run import strictness
from bookext.run.strictness import ROOT

AIM = {"words": 2200, "visible cells": 18, "visible lines": 150}  # of a core chapter, before its exercises
FAR = 100  # a bound within this factor of what it bounds needs no reason
SMALLEST = 1e-14  # what is smaller counts as this much: a sum of a few hundred terms in double precision
HIDDEN = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
BLOCK = re.compile(r"^(`{3,})\{code-cell\}.*?^\1", re.MULTILINE | re.DOTALL)
SYNTAX = re.compile(r"\A---\n.*?^---\n|<!--.*?-->|^(:\w+:|`{3}|:{3}|%).*?$", re.MULTILINE | re.DOTALL)


def advice(chapters, root=ROOT):
    """Return lines of advice on ``chapters``, names below chapters/ such as "sqrt-dk-scaling" or "deeper/sparsemax"."""
    pages = [name.removeprefix("chapters/") for name in chapters]
    core = {name.removeprefix("chapters/") for name in contents(root).chapters}
    lines = [line for page in pages if page in core for line in _long(root, page)]
    lines += [line for page in pages for line in _far(page, _stored(root, page))]
    return lines + strictness.compare(pages, root)


def _long(root, page):
    """Yield a line for each way in which a core chapter is longer than its aim."""
    path = root / "chapters" / f"{page}.md"
    text = path.read_text("utf-8").partition("\n## Exercises")[0]
    end = text.count("\n") + 1
    cells = [cell for cell in runner.read(path).cells if cell.metadata["line"] <= end]
    visible = [cell.source for cell in cells if not HIDDEN & set(cell.metadata.get("tags", []))]
    counts = {
        "words": sum(bool(re.search(r"\w", word)) for word in SYNTAX.sub("", BLOCK.sub("", text)).split()),
        "visible cells": len(visible),
        "visible lines": sum(bool(line.strip()) for source in visible for line in source.splitlines()),
    }
    for what, aim in AIM.items():
        if counts[what] > aim:
            yield f"{page}: {counts[what]} {what} before the exercises; the aim is about {aim}"


def _far(page, checks):
    """Yield a line for each check whose bound is far from what it bounds, if its call gives no reason."""
    for check in checks:
        if check["kind"] not in ("below", "differs") or check.get("reason"):
            continue
        small, large = sorted(abs(float(check[side])) for side in ("value", "bound"))
        if large > FAR * max(small, SMALLEST):
            sides = f"{float(check['value']):.3g} against {float(check['bound']):.3g}"
            yield f"{page}: {check['law']!r} holds {sides}; choose a nearer bound, or say why in reason="


def _stored(root, page):
    """Return the records of the newest build that executed the cells as they are; nothing if there is none."""
    sources = runner.sources(root / "chapters" / f"{page}.md")
    for build in (root / "_build" / "check" / "_build", root / "_build"):
        cache = build / ".jupyter_cache"
        if not (cache / "global.db").exists():
            continue
        with sqlite3.connect(cache / "global.db") as listing:
            rows = listing.execute("SELECT hashkey, uri FROM nbcache ORDER BY created DESC").fetchall()
        for key, uri in rows:
            if not uri.endswith(f"/{page}.md"):
                continue
            cells = json.loads((cache / "executed" / key / "base.ipynb").read_text("utf-8"))["cells"]
            cells = [cell for cell in cells if cell["cell_type"] == "code"]
            if ["".join(cell["source"]) for cell in cells] == sources:
                outputs = [output for cell in cells for output in cell["outputs"]]
                return [check for output in outputs for check in output.get("data", {}).get(runner.MIME, [])]
    return []
