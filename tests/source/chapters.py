"""Read the pages of the book as an author writes them: blocks of text, directives and cells, each with its line."""

import ast
import functools
import re
from dataclasses import dataclass, field
from pathlib import Path

import jupytext
import yaml
from IPython.core.inputtransformer2 import TransformerManager
from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser

ROOT = Path(__file__).resolve().parents[2]

# Directives whose body is not Markdown, and those whose argument is not prose.
VERBATIM = {"code-cell", "code", "code-block", "literalinclude", "math", "raw", "eval-rst", "bibliography", "toctree"}
ARGUMENT_IS_NO_PROSE = VERBATIM | {"figure", "image", "include", "solution", "solution-start", "exercise-end", "meta"}


@dataclass
class Block:
    """A heading, a paragraph (``text``), a list, a directive, an equation, a target or the front matter."""

    kind: str
    line: int
    text: str = ""  # prose; code, formulas and roles stand in it as □
    name: str = ""  # of a directive
    level: int = 0  # of a heading
    items: int = 0  # of a list
    body: int = 0  # line where the body of a directive begins
    depth: int = 0  # how many directives stand around it
    options: dict = field(default_factory=dict)
    roles: list = field(default_factory=list)  # (name, content, line)
    labels: list = field(default_factory=list)


@dataclass
class Cell:
    source: str
    metadata: dict
    line: int  # of its first line of code
    where: str

    @property
    def tags(self):
        return self.metadata.get("tags", [])

    @functools.cached_property
    def tree(self):
        try:
            return ast.parse(TransformerManager().transform_cell(self.source))
        except SyntaxError as error:
            raise AssertionError(f"{self.where}: the cell is no Python: {error}") from error

    @property
    def caption(self):
        return ((self.metadata.get("mystnb") or {}).get("figure") or {}).get("caption")


class Page:
    def __init__(self, name, root=ROOT):
        self.name = name  # as in _toc.yml: chapters/sqrt-dk-scaling
        self.slug = name.rpartition("/")[2]
        self.path = root / f"{name}.md"
        self.text = self.path.read_text(encoding="utf-8")

    def where(self, line):
        return f"{self.name}.md:{line}"

    @functools.cached_property
    def blocks(self):
        return list(_blocks(self.text))

    @functools.cached_property
    def front_matter(self):
        return next((yaml.safe_load(b.text) or {} for b in self.blocks if b.kind == "front_matter"), {})

    def directives(self, *names):
        return [b for b in self.blocks if b.kind == "directive" and b.name in names]

    @functools.cached_property
    def headings(self):
        return [b for b in self.blocks if b.kind == "heading" and b.depth == 0]

    @functools.cached_property
    def cells(self):
        """The cells that run: what Jupytext finds, at the lines where the Markdown parser finds them."""
        fences = [b for b in self.directives("code-cell") if b.depth == 0]
        if not fences:
            return []
        try:
            notebook = jupytext.reads(self.text, fmt="md:myst")
        except Exception as error:
            raise AssertionError(f"{self.where(1)}: Jupytext cannot read the page: {error}") from error
        found = [c for c in notebook.cells if c.cell_type == "code"]
        assert len(found) == len(fences), f"{self.name}.md: {len(fences)} code cells, but Jupytext reads {len(found)}"
        return [
            Cell(c.source, dict(c.metadata), f.body, self.where(f.body)) for c, f in zip(found, fences, strict=True)
        ]

    @functools.cached_property
    def imports(self):
        """What each imported name stands for: {"np": "numpy", "explore": "attnbook.explore.explore"}."""
        names = {}
        for cell in self.cells:
            for node in ast.walk(cell.tree):
                if isinstance(node, ast.Import):
                    names |= {a.asname or a.name.partition(".")[0]: a.name if a.asname else a.name.partition(".")[0]
                              for a in node.names}  # fmt: skip
                elif isinstance(node, ast.ImportFrom):
                    names |= {a.asname or a.name: f"{node.module}.{a.name}" for a in node.names}
        return names

    def calls(self, *, inside_functions=True):
        """Every call in every cell: (cell, node, full dotted name, file and line)."""
        for cell in self.cells:
            for node in _walk(cell.tree, inside_functions):
                if isinstance(node, ast.Call) and (name := _dotted(node.func)):
                    first, dot, rest = name.partition(".")
                    full = self.imports.get(first, first) + dot + rest
                    yield cell, node, full, self.where(cell.line + node.lineno - 1)


def _walk(node, inside_functions):
    """Like ast.walk, but may stay out of the bodies of functions, which do not run where they stand."""
    yield node
    if inside_functions or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        for child in ast.iter_child_nodes(node):
            yield from _walk(child, inside_functions)


def _dotted(node):
    if isinstance(node, ast.Attribute):
        return (left := _dotted(node.value)) and f"{left}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else None


@functools.cache
def _parser():
    extensions = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["parse"]["myst_enable_extensions"]
    return create_md_parser(MdParserConfig(enable_extensions=set(extensions)), RendererHTML)


def _blocks(text, offset=0, depth=0):
    tokens, line = _parser().parse(text), offset + 1
    for i, token in enumerate(tokens):
        line = offset + token.map[0] + 1 if token.map else line
        here = {"line": line, "depth": depth, "labels": [token.attrs["id"]] if "id" in token.attrs else []}
        directive = re.match(r"\{([\w:.-]+)\}\s*(.*)", token.info) if token.type in ("fence", "colon_fence") else None
        if token.type == "front_matter":
            yield Block("front_matter", text=token.content, **here)
        elif token.type == "myst_target":
            yield Block("target", **here | {"labels": [token.content]})
        elif token.type == "math_block_label":
            yield Block("equation", **here | {"labels": [token.info]})
        elif token.type in ("bullet_list_open", "ordered_list_open"):
            end = next(j for j in range(i, len(tokens)) if tokens[j].nesting < 0 and tokens[j].level == token.level)
            items = [t for t in tokens[i:end] if t.type == "list_item_open" and t.level == token.level + 1]
            yield Block("list", items=len(items), **here)
        elif token.type == "inline":
            heading = tokens[i - 1].type == "heading_open"
            words, roles = _inline(token.children, line)
            yield Block(
                "heading" if heading else "text",
                text=words,
                roles=roles,
                level=int(tokens[i - 1].tag[1]) if heading else 0,
                **here | {"labels": [tokens[i - 1].attrs["id"]] if "id" in tokens[i - 1].attrs else []},
            )
        elif directive:
            name, argument = directive.groups()
            options, skipped = _options(token.content)
            words, roles = argument, []
            if name not in ARGUMENT_IS_NO_PROSE:
                words, roles = _inline(_parser().parseInline(argument)[0].children, line)
            notebook = options.get("mystnb")
            figure = notebook.get("figure") or {} if isinstance(notebook, dict) else {}
            here["labels"] += [str(o[key]) for o in (options, figure) for key in ("label", "name") if key in o]
            body = line + 1 + skipped
            yield Block("directive", name=name, text=words, roles=roles, options=options, body=body, **here)
            for caption in (options.get("caption"), options.get("alt"), figure.get("caption")):
                if caption:
                    words, roles = _inline(_parser().parseInline(str(caption))[0].children, line)
                    yield Block("text", text=words, roles=roles, **here | {"labels": []})
            if name not in VERBATIM:
                yield from _blocks("\n".join(token.content.split("\n")[skipped:]), line + skipped, depth + 1)


def _options(body):
    """The options of a directive, as ``:key: value`` lines or a YAML block, and how many lines they take."""
    lines = body.split("\n")
    if lines[0].strip() == "---":
        end = next((i for i, s in enumerate(lines[1:], 1) if s.strip() == "---"), len(lines))
        return yaml.safe_load("\n".join(lines[1:end])) or {}, end + 1
    options = {}
    for count, text in enumerate(lines):
        option = re.match(r":([\w-]+):\s*(.*)", text)
        if not option:
            return options, count
        options[option[1]] = option[2]
    return options, len(lines)


def _inline(children, line):
    text, roles = "", []
    for token in children or []:
        if token.type in ("softbreak", "hardbreak"):
            text += "\n"
        elif token.type == "myst_role":
            roles.append((token.meta["name"], token.content, line + text.count("\n")))
        if token.type in ("myst_role", "code_inline", "math_inline", "math_inline_double"):
            text += "□" + "\n" * token.content.count("\n")
        elif token.type in ("text", "image"):
            text += token.content
    return text, roles


def toc(root=ROOT):
    """Names of all pages of ``_toc.yml``, in order; of the chapters, in a numbered part; and of those below them."""
    book = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))

    def files(entries):
        return [f for e in entries for f in [*([e["file"]] if "file" in e else []), *files(e.get("sections", []))]]

    parts = book.get("parts", [book])
    pages = [book["root"], *(f for part in parts for f in files(part["chapters"]))]
    entries = [entry for part in parts if part.get("numbered") for entry in part["chapters"]]
    return pages, [entry["file"] for entry in entries], [f for e in entries for f in files(e.get("sections", []))]


@functools.cache
def page(name):
    return Page(name)


def report(problems):
    """Fail with every problem at once, each on a line of its own."""
    problems = list(problems)
    assert not problems, "\n" + "\n".join(problems)
