"""Say what a writer may want to know about a chapter. `make check` prints it, and nothing fails for it."""

import difflib
import json
import re
import sqlite3

from attnbook.check.record import from_data
from attnbook.check.render import figure
from bookext.audit.evidence import rounds, value, written
from bookext.run import chapters as runner
from bookext.run import strictness
from bookext.run.strictness import ROOT

FAR = 100  # a bound within this factor of what it bounds needs no reason
SMALLEST = 1e-14  # what is smaller counts as this much: a sum of a few hundred terms in double precision
SHOWN = ("text/plain", "text/html", "image/svg+xml")
BLOCK = re.compile(r"^(`{3,})\{code-cell\}.*?^\1", re.MULTILINE | re.DOTALL)
DECIMAL = re.compile(r"(?<![\w.,\\])\d+\.\d+(?![\w.]*\d)(?! ?\\(?:cdot|overline))")  # not the first half of 2.95·10⁻⁵
NUMBERED = r"(?:algorithm|appendix|chapter|equation|figure|python|section|table|theorem|torch|version)s? [\d.]+"
NO_NUMBER = re.compile(rf"\{{[\w:-]+\}}`[^`]*`|`[^`]*`|\]\([^)]*\)|(?i:{NUMBERED})")  # roles, code, addresses, places
SYNTAX = re.compile(r"\A---\n.*?^---\n|<!--.*?-->|^(:\w+:|`{3}|:{3}|%).*?$", re.MULTILINE | re.DOTALL)


def advice(chapters, root=ROOT):
    """Return lines of advice on ``chapters``, names below chapters/ such as "sqrt-dk-scaling" or "deeper/sparsemax"."""
    pages = [name.removeprefix("chapters/") for name in chapters]
    lines = []
    for page in pages:
        cells = _stored(root, page)
        lines += [*_far(page, [check for cell in cells for check in _checks(cell)]), *_typed(root, page, cells)]
    return lines + strictness.compare(pages, root)


def _far(page, checks):
    """Yield a line for each check whose bound is far from what it bounds, if its call gives no reason."""
    for check in checks:
        if check["kind"] not in ("below", "differs") or check.get("reason"):
            continue
        small, large = sorted(abs(float(check[side])) for side in ("value", "bound"))
        if large > FAR * max(small, SMALLEST):
            sides = f"{float(check['value']):.3g} against {float(check['bound']):.3g}"
            yield f"{page}: {check['law']!r} holds {sides}; choose a nearer bound, or say why in reason="


def _typed(root, page, cells):
    """Yield a line for each decimal number in prose that nothing in its section shows, though it has checks.

    Whole numbers are left out: most are counted or computed in the sentence itself.
    """
    for prose, inside in _sections(root / "chapters" / f"{page}.md", cells):
        checks = [f"{check['law']} {figure(from_data(check))}" for cell in inside for check in _checks(cell)]
        shown = written(" ".join([*checks, *map(_text, inside)]))
        values = [value(word).copy_abs().scaleb(power) for word in shown for power in (0, 2, -2)]  # 0.97 is 97 percent
        typed = [(number, word) for number, line in prose for word in DECIMAL.findall(NO_NUMBER.sub(" ", line))]
        for number, word in typed if checks else ():
            if not any(rounds(each, word) for each in values):
                near = difflib.get_close_matches(word, dict.fromkeys(written(" ".join(checks))), 3, cutoff=0.5)
                beside = f", which shows {', '.join(near)}" if near else ""
                yield f"{page}.md:{number}: nothing in its section shows {word}{beside}; quote what a cell computes"


def _sections(path, cells):
    """Yield ([(line, text)], cells) of each section of a page: its prose and the cells in it."""
    starts = {cell.metadata["line"]: stored for cell, stored in zip(runner.read(path).cells, cells, strict=False)}
    text = path.read_text("utf-8")
    hidden = [match for pattern in (BLOCK, SYNTAX) for match in pattern.finditer(text)]
    blank = {text.count("\n", 0, match.start()) + 1 + i for match in hidden for i in range(match[0].count("\n") + 1)}
    prose, inside = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#") and number not in blank:
            yield prose, inside
            prose, inside = [], []
        if number in starts:
            inside.append(starts[number])
        if number not in blank:
            prose.append((number, line))
    yield prose, inside


def _checks(cell):
    """Return the records of the checks of an executed cell."""
    return [check for output in cell["outputs"] for check in output.get("data", {}).get(runner.MIME, [])]


def _text(cell):
    """Return the code of an executed cell and all that it shows, without marks of HTML."""
    shown = ["".join(cell["source"])]
    for output in cell["outputs"]:
        kinds = output.get("data", {})
        shown += ["".join(output.get("text", "")), *("".join(kinds.get(kind, "")) for kind in SHOWN)]
    return re.sub(r"<[^>]*>", " ", " ".join(shown))


def _stored(root, page):
    """Return the cells of the newest build that executed them as they are; nothing if there is none."""
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
                return cells
    return []
