"""Read the pages of the book as their authors write them: fenced directives, and the cells that run."""

import ast
import functools
import re
from dataclasses import dataclass
from pathlib import Path

import yaml
from IPython.core.inputtransformer2 import TransformerManager

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"\s*(`{3,}|:{3,})(?:\{([\w:.-]+)\}|(\S*))\s*(.*?)\s*$")
VERBATIM = {"code-cell", "code", "code-block", "eval-rst", "math", ""}  # directives whose body is no Markdown


@dataclass
class Directive:
    """A fenced block; ``line`` is that of its first line of content, below its options."""

    name: str
    argument: str
    line: int
    options: dict
    body: str
    depth: int  # how many directives stand around it


@dataclass
class Cell:
    source: str
    line: int
    tags: list
    where: str

    @functools.cached_property
    def tree(self):
        return ast.parse(TransformerManager().transform_cell(self.source))


class Page:
    def __init__(self, name, root=ROOT):
        self.name = name  # as in _toc.yml: chapters/sqrt-dk-scaling
        self.text = (root / f"{name}.md").read_text(encoding="utf-8")

    def where(self, line):
        return f"{self.name}.md:{line}"

    @functools.cached_property
    def front_matter(self):
        return yaml.safe_load(self.text.split("---\n")[1]) if self.text.startswith("---\n") else {}

    @functools.cached_property
    def directives(self):
        return list(_directives(self.text.split("\n")))

    def named(self, *names):
        return [directive for directive in self.directives if directive.name in names]

    @functools.cached_property
    def cells(self):
        return [
            Cell(d.body, d.line, d.options.get("tags") or [], self.where(d.line))
            for d in self.named("code-cell")
            if not d.depth
        ]


def _directives(lines):
    opened = []  # (fence, line of the opening, name, argument)
    for number, line in enumerate(lines):
        match = FENCE.match(line)
        fence, name, language, argument = match.groups() if match else ("", None, "", "")
        if opened and fence.startswith(opened[-1][0]) and not (name or language or argument):
            _, start, name, argument = opened.pop()
            options, skipped = _options(lines[start + 1 : number])
            body = "\n".join(lines[start + 1 + skipped : number])
            yield Directive(name, argument, start + 2 + skipped, options, body, len(opened))
        elif fence and not (opened and opened[-1][2] in VERBATIM):
            opened.append((fence, number, name or "", argument))


def _options(body):
    """Return the options of a directive, ``:key: value`` lines or a YAML block, and how many lines they take."""
    if body and body[0].strip() == "---":
        end = next((i for i, line in enumerate(body[1:], 1) if line.strip() == "---"), len(body))
        return yaml.safe_load("\n".join(body[1:end])) or {}, end + 1
    matches = [re.match(r"\s*:([\w-]+):\s*(.*)", line) for line in body]
    count = next((i for i, match in enumerate(matches) if not match), len(body))
    return {match[1]: yaml.safe_load(match[2]) if match[1] == "tags" else match[2] for match in matches[:count]}, count


@functools.cache
def page(name):
    return Page(name)


def report(problems):
    """Fail with every problem at once, each on a line of its own."""
    problems = list(problems)
    assert not problems, "\n" + "\n".join(problems)
