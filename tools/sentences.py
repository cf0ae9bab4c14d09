"""Find the numbers of sentences: decimals in the prose of pages, every number in what the ledger says.

tests/source/decimals.yml lists them a second time, so that a slip of one digit is seen; tools/mutants.py makes such
slips.
"""

import re

DECIMAL = re.compile(r"(?<![\w.,/-])(\d+\.(\d+))(?![\w.]*\w)(?:\\cdot ?10\^\{(-?\d+)\})?")
NUMBER = re.compile(r"(?<![\w.])(?<!S\d-)([-−]?(?:\d*\.)?\d+)(?:e[-+]?\d+)?%?")  # with its sign; no name of a claim
SAID = re.compile(
    r"^  (?:claim|figure|corrected|reason|says|resolution):\s.*?(?=^ {0,2}\S|\Z)", re.MULTILINE | re.DOTALL
)


def prose(text):
    """Return the Markdown of a page with blanks for front matter, cells and code; captions stay.

    Every word stands where it stood, so that a place in the prose is the same place in the page.
    """
    text = re.sub(r"\A---\n.*?\n---\n", _blank, text, flags=re.DOTALL)
    text = re.sub(r"^(`{3,})\{code-cell\}.*?^\1", _caption, text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"(?:\{[\w:-]+\})?`[^`\n]*`", _blank, _without_code(text))


def figures(text):
    """Return a data file of the ledger with blanks for everything but its sentences, in their place."""
    parts, end = [], 0
    for found in SAID.finditer(text):
        parts += [_blank(text[end : found.start()]), found[0]]
        end = found.end()
    return "".join([*parts, _blank(text[end:])])


def decimals(text):
    """Return the decimals of a text as they are written, in their order."""
    return [found[0] for found in DECIMAL.finditer(text)]


def numbers(text):
    """Return all numbers of a text as they are written, in their order."""
    return [found[0] for found in NUMBER.finditer(text)]


def _blank(found):
    return re.sub(r"[^\n]", " ", found if isinstance(found, str) else found[0])


def _caption(cell):
    caption = re.search(r"caption:(.*?)\n(?:---| {0,4}\w+:)", cell[0], re.DOTALL)
    if not caption:
        return _blank(cell)
    first, last = caption.span(1)
    return _blank(cell[0][:first]) + caption[1] + _blank(cell[0][last:])


def _without_code(text):
    """Blank the lines of fenced code; what stands in a directive is prose."""
    fences, lines = [], []  # the open ones: their ticks, and whether they hold code
    for line in text.split("\n"):
        fence = re.match(r"(`{3,})(.*)", line)
        lines.append(_blank(line) if fence or any(code for _, code in fences) else line)
        if fence and fences and not fence[2].strip() and len(fence[1]) >= len(fences[-1][0]):
            fences.pop()
        elif fence:
            fences.append((fence[1], not fence[2].startswith("{")))
    return "\n".join(lines)
