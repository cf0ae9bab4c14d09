"""The pages of the package: one for each module, which chapters use a function, and links from cells to its entry.

Sphinx's autodoc reads the docstrings and its napoleon their sections; what both cannot know is added here.
"""

import ast
import fnmatch
import functools
import importlib
import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

from ..language.messages import _
from ..run import dependencies
from .derived import compute_page

PAGE = "chapters/package"  # lists the modules; the page of each stands below
IMPORT = re.compile(rf"^from ((?:{dependencies.NAMES})\b[\w.]*) import (.+)$", re.MULTILINE)
CHECK = re.compile(r"\bcheck\.(\w+)\(")
# As Pygments writes them: an import line, and a name that may stand after a dot or, as a keyword, before `=`.
MODULE = rf'<span class="nn">((?:{dependencies.NAMES})\b[\w.]*)</span>'
LINE = re.compile(rf'(<span class="kn">from</span>.{{,40}}?{MODULE})(.*)')
OWNER = r'(?:(<span class="n">check</span>)?(<span class="o">\.</span>))?'
NAME = re.compile(OWNER + r'<span class="n">(\w+)</span>(?!<span class="o">=</span>)')
LIST = re.compile(r"^<!-- modules: (.+) -->$", re.MULTILINE)
# In a docstring: code, an index or exponent in braces, a bar.
SIGN = re.compile(r"(``.*?``)|([_^])\{([^}]*)\}|\|")


def setup(app):
    """Complete each entry while autodoc makes it, and each cell when its page is written."""
    app.setup_extension("sphinx.ext.autodoc")
    app.setup_extension("sphinx.ext.napoleon")
    app.connect("env-get-outdated", _outdated)
    app.connect("builder-inited", _add_pages)
    app.connect("source-read", _list_modules)
    app.connect("doctree-read", _leave_environment)
    app.connect("autodoc-process-signature", _source_signature)
    app.connect("autodoc-skip-member", _skip_fields)
    app.connect("autodoc-process-docstring", _escape_docstring, priority=100)  # before napoleon
    app.connect("autodoc-process-docstring", _add_users, priority=900)
    app.connect("html-page-context", _link_names)


def imported(text):
    """Return what a page's cells import from the package: full names, and those of the checks that they call."""
    names = {f"{module}.{name.split()[0]}" for module, line in IMPORT.findall(text) for name in line.split(",")}
    return names | {f"attnbook.check.{name}" for name in CHECK.findall(text)}


def resolve(name, entries):
    """Return which of ``entries`` an imported ``name`` refers to: itself, or one in a module of its package."""
    package, _, last = name.rpartition(".")
    inside = [k for k in entries if re.fullmatch(rf"{re.escape(package)}\.\w+\.{last}", k)]
    return name if name in entries else inside[0] if "." in package and len(inside) == 1 else None


def _add_pages(app):
    """Add a page for each module that the page of the package lists."""
    source = Path(app.srcdir, f"{PAGE}.md")
    for name in _listed(app, source.read_text("utf-8")) if source.exists() else ():
        text = f"```{{eval-rst}}\n.. automodule:: {name}\n```\n"
        description = f"Every public name of {name}, with its law, its shapes, its errors and its source."
        compute_page(app, f"{PAGE}/{name}", PAGE, name, description, text)


def _listed(app, text):
    """Return the names of the listed modules that have public names; every build asks, so none is imported."""
    modules = dependencies.modules(Path(app.srcdir, "code"))
    listed = [pattern for patterns in LIST.findall(text) for pattern in patterns.split()]
    names = [name for pattern in listed for name in fnmatch.filter(modules, pattern)]
    return [name for name in names if re.search(r"^__all__ = ", modules[name].read_text("utf-8"), re.MULTILINE)]


def _list_modules(app, docname, content):
    """Replace ``<!-- modules: attnbook.attention attnfigures.live.* -->`` by a list: each module with its names."""

    def entry(name):
        module = importlib.import_module(name)
        app.env.note_dependency(inspect.getfile(module))
        summary = [" ".join(inspect.getdoc(module).split("\n\n")[0].split())]
        _escape_docstring(app, "", name, module, None, summary)
        names = ", ".join(f":py:obj:`{public} <{name}.{public}>`" for public in module.__all__)
        link = f":doc:`{name.partition('.')[2]} </{PAGE}/{name}>`"
        return f"   {link}\n      {summary[0]}\n\n      {names}\n"

    def entries(match):
        return "```{eval-rst}\n.. container:: modules\n\n" + "\n".join(map(entry, _listed(app, match[0]))) + "```"

    if docname == PAGE:
        content[0] = LIST.sub(entries, content[0])


def _leave_environment(app, doctree):
    """Give the nodes of `eval-rst` to their page: their own document holds all of Sphinx's environment."""
    for node in doctree.findall() if app.env.docname.startswith(PAGE) else ():
        node.document = doctree


def _outdated(app, env, added, changed, removed):
    """Read the pages of the package again when a chapter uses it in another way."""
    old = getattr(env, "attnbook_imports", None)
    pages = [page for page in app.config.external_site_map if page in env.found_docs]  # in the order of the book
    env.attnbook_imports = {page: imported(Path(env.doc2path(page)).read_text("utf-8")) for page in pages}
    return [page for page in app.project.computed if page.startswith(PAGE)] if old != env.attnbook_imports else []


def _source_signature(app, what, name, obj, options, signature, result):
    """Take the signature from the source: names of types and of defaults, not their values."""
    if what not in ("function", "method"):
        return None
    function: Any = ast.parse(textwrap.dedent(inspect.getsource(obj))).body[0]
    if what == "method":
        del function.args.args[0]
    return f"({ast.unparse(function.args)})", ast.unparse(function.returns) if function.returns else None


def _skip_fields(app, what, name, obj, skip, options):
    """Skip the fields of a named tuple, which its signature and its docstring name."""
    return True if (getattr(obj, "__doc__", None) or "").startswith("Alias for field number") else None


def _escape_docstring(app, what, name, obj, options, lines):
    """Escape a docstring: |s| is no substitution, and a section ends where its indentation ends."""
    plain = []
    for line in lines:
        if plain and not plain[-1] and line[:1].strip() and len(plain) > 1 and plain[-2].startswith(" "):
            plain.append("")
        plain.append(line if what == "module" and line.startswith(" ") else SIGN.sub(_typeset, line))
    lines[:] = plain


def _typeset(match):
    if match[1]:  # code
        return match[1]
    return rf"\ :{'sub' if match[2] == '_' else 'sup'}:`{match[3]}`\ " if match[2] else r"\|"


def _add_users(app, what, name, obj, options, lines):
    """List below each entry the pages whose cells import it."""
    pages = [page for page, names in app.env.attnbook_imports.items() if any(_refers_to(n, name) for n in names)]
    if pages and what != "module":
        links = ", ".join(f":doc:`/{page}`" for page in pages)
        lines += ["", ".. container:: users", "", "   " + _("Used in {pages}.", pages=links)]


def _refers_to(used, name):
    return resolve(used, [name]) == name


def _link_names(app, pagename, templatename, context, doctree):
    """Link each use of an imported name of the package to its entry; the Tab key stops at import lines only."""
    if "body" not in context or pagename.startswith(PAGE):
        return
    objects = app.env.domains["py"].objects

    def address(name):
        entry = objects[name]
        return f"{app.builder.get_relative_uri(pagename, entry.docname)}#{entry.node_id}"

    imports = {}  # name: its entry

    def link(match, stop=' tabindex="-1"'):
        owner, dot, name = match.groups(default="")
        full = f"attnbook.check.{name}" if owner else "" if dot else imports.get(name)
        return f'{owner}{dot}<a class="entry" href="{address(full)}"{stop}>{name}</a>' if full in objects else match[0]

    def line(match):
        names = [name for *_, name in NAME.findall(match[3])]
        imports.update({name: resolve(f"{match[2]}.{name}", objects) for name in names})
        return match[1] + NAME.sub(functools.partial(link, stop=""), match[3])

    context["body"] = NAME.sub(link, LINE.sub(line, context["body"]))
