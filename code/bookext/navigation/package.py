"""The pages of the package: one for each module, which chapters use a function, and links from cells to its entry.

Sphinx's autodoc reads the docstrings and its napoleon their sections; what both cannot know is added here.
"""

import ast
import fnmatch
import importlib
import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

from ..computed import compute_page
from ..language.messages import _
from ..run import dependencies

PAGE = "chapters/package"  # lists the modules; the page of each stands below
IMPORT = re.compile(rf"^from ((?:{dependencies.NAMES})\b[\w.]*) import (.+)$", re.MULTILINE)
CHECK = re.compile(r"\bcheck\.(\w+)\(")
MODULE = re.compile(rf"({dependencies.NAMES})\b[\w.]*")
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
    app.connect("page-written", _link_names)


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


# --- Links from the cells of a page: Pygments has written each token as an element with a class -----------------------


def _link_names(app, pagename, page):
    """Link each use of an imported name of the package to its entry; the Tab key stops at import lines only."""
    if pagename.startswith(PAGE):
        return
    objects = app.env.domains["py"].objects
    lines = dict(filter(None, map(_import_line, page.xpath("//article//span[@class='kn' and . = 'from']"))))
    imports = {}  # name: its entry
    for module, names in lines.values():
        imports.update({name.text: resolve(f"{module}.{name.text}", objects) for name in names})
    stops = {name for _module, names in lines.values() for name in names}
    for name in page.xpath("//article//span[@class='n']"):
        full = _full_name(name, imports)
        if full in objects:
            entry = objects[full]
            address = f"{app.builder.get_relative_uri(pagename, entry.docname)}#{entry.node_id}"
            _make_link(name, address, is_stop=name in stops)


def _import_line(start):
    """Return (start, (module, names)) where ``start`` begins a line of import from the package, or None."""
    line = [start]
    while "\n" not in (line[-1].tail or "") and line[-1].getnext() is not None:
        line.append(line[-1].getnext())
    module = next((token.text for token in line if token.get("class") == "nn"), "")
    names = [token for token in line if token.get("class") == "n" and not _is_keyword(token)]
    return (start, (module, names)) if MODULE.fullmatch(module) else None


def _full_name(name, imports):
    """Return the full name of what a token names, as far as it is a check or an imported name; '' otherwise."""
    dot = _before(name)
    if _is_keyword(name) or (name.text == "check" and _begins_call_of_check(name)):
        return ""
    if dot is None or (dot.get("class"), dot.text) != ("o", "."):
        return imports.get(name.text)
    owner = _before(dot)
    is_check = owner is not None and (owner.get("class"), owner.text) == ("n", "check")
    return f"attnbook.check.{name.text}" if is_check else ""


def _is_keyword(name):
    """Test whether a name is that of an argument or is assigned to: a sign of equality follows at once."""
    after = _after(name)
    return after is not None and (after.get("class"), after.text) == ("o", "=")


def _begins_call_of_check(name):
    """Test for ``check`` in ``check.equal``."""
    dot = _after(name)
    return dot is not None and (dot.get("class"), dot.text) == ("o", ".") and _after(dot) is not None


def _before(token):
    """Return the token that stands directly before one, or None."""
    other = token.getprevious()
    return other if other is not None and not other.tail else None


def _after(token):
    """Return the token that stands directly behind one, or None."""
    return token.getnext() if not token.tail else None


def _make_link(token, address, is_stop):
    """Make a token a link."""
    token.tag = "a"
    token.attrib.clear()
    token.set("class", "entry")
    token.set("href", address)
    if not is_stop:
        token.set("tabindex", "-1")
