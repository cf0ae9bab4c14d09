"""Say what a writer may want to know about a chapter. `make check` prints it, and nothing fails for it."""

import difflib
import re

from attnbook.check.record import from_data
from attnbook.check.render import figure
from bookext.audit.evidence import rounds, value, written
from bookext.run import chapters as runner
from bookext.run import strictness
from bookext.run.execution import Cache
from bookext.run.strictness import ROOT

FAR = 100  # a bound within this factor of what it bounds needs no reason
SMALLEST = 1e-14  # what is smaller counts as this much: a sum of a few hundred terms in double precision
SHOWN = ("text/plain", "text/html", "image/svg+xml")
BLOCK = re.compile(r"^(`{3,})\{code-cell\}.*?^\1", re.MULTILINE | re.DOTALL)
DECIMAL = re.compile(
    r"""
    (?<![\w.,\\])               # not within a word, a version such as 1.2.3, a list of indices, or a command of TeX
    \d+\.\d+
    (?![\w.]*\d)                # no more digits in the same word: 1.2.3, 3.5x2
    (?![ ]?\\(?:cdot|overline))  # not the first half of 2.95·10⁻⁵, nor of a repeating decimal
    """,
    re.VERBOSE,
)
SHIFTS = (0, 2, -2)  # places of the decimal point: 0.97 may be typed as 97.0 percent, and 97.0 percent as 0.97
NUMBERED = r"(?:algorithm|appendix|chapter|equation|figure|python|section|table|theorem|torch|version)s? [\d.]+"
NO_NUMBER = re.compile(rf"\{{[\w:-]+\}}`[^`]*`|`[^`]*`|\]\([^)]*\)|(?i:{NUMBERED})")  # roles, code, addresses, places
SYNTAX = re.compile(r"\A---\n.*?^---\n|<!--.*?-->|^(:\w+:|`{3}|:{3}|%).*?$", re.MULTILINE | re.DOTALL)


def advice(chapters, root=ROOT):
    """Return lines of advice on ``chapters``, names below chapters/ such as "sqrt-dk-scaling" or "deeper/sparsemax"."""
    pages = [name.removeprefix("chapters/") for name in chapters]
    lines = []
    for page in pages:
        cells = _stored(root, page)
        lines += _far(page, [check for cell in cells for check in _checks(cell)])
        lines += _typed(root, page, cells)
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
        checked = [_words(check) for cell in inside for check in _checks(cell)]
        if not checked:
            continue
        values = [value(word).copy_abs() for word in written(" ".join([*checked, *map(_text, inside)]))]
        for line, word in _decimals(prose):
            if not any(rounds(each.scaleb(shift), word) for each in values for shift in SHIFTS):
                yield f"{page}.md:{line}: nothing in its section shows {word}{_near(word, checked)}"


def _decimals(prose):
    """Yield (line, decimal number) for what an author typed; roles, code and numbers of chapters are left out."""
    for line, text in prose:
        for word in DECIMAL.findall(NO_NUMBER.sub(" ", text)):
            yield line, word


def _near(word, checked):
    """Return the end of a line of advice: the numbers of the section's checks that look like ``word``."""
    near = difflib.get_close_matches(word, dict.fromkeys(written(" ".join(checked))), 3, cutoff=0.5)
    beside = f", which shows {', '.join(near)}" if near else ""
    return f"{beside}; quote what a cell computes"


def _sections(path, cells):
    """Yield ([(line, text)], cells) of each section of a page: its prose and the cells in it."""
    starts = {cell.metadata["line"]: stored for cell, stored in zip(runner.read(path).cells, cells, strict=False)}
    text = path.read_text("utf-8")
    hidden = _hidden_lines(text)
    prose, inside = [], []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#") and number not in hidden:
            yield prose, inside
            prose, inside = [], []
        if number in starts:
            inside.append(starts[number])
        if number not in hidden:
            prose.append((number, line))
    yield prose, inside


def _hidden_lines(text):
    """Return the numbers of the lines that are no prose: cells, the head of the page, comments and options."""
    hidden = set()
    for pattern in (BLOCK, SYNTAX):
        for match in pattern.finditer(text):
            first = 1 + text.count("\n", 0, match.start())
            hidden.update(range(first, first + match[0].count("\n") + 1))
    return hidden


def _words(check):
    """Return the law of a check and its figure, as a reader sees them."""
    return f"{check['law']} {figure(from_data(check))}"


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
        for notebook in _executed(build / ".jupyter_cache", page):
            cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
            if [cell.source for cell in cells] == sources:
                return cells
    return []


def _executed(folder, page):
    """Yield the notebooks of a page in the cache of a build, the newest first."""
    if not folder.is_dir():
        return
    cache = Cache(folder)
    records = [record for record in cache.list_cache_records() if record.uri.endswith(f"/{page}.md")]
    for record in sorted(records, key=lambda record: record.created, reverse=True):
        yield cache.get_cache_bundle(record.pk).nb
