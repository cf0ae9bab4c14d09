"""The tree itself: every page is listed, what a guide names is there, and the package installs where readers are."""

import ast
import functools
import os
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
from bookext.contents import contents
from packaging.requirements import Requirement

from chapters import ROOT, report

GUIDES = sorted(path.name for path in ROOT.glob("*.md"))
SKIPPED = {"_build", "build", "dist", "node_modules", "jupyter_execute", "__pycache__"}


def test_the_table_of_contents_is_complete():
    listed = contents(ROOT).pages
    there = {path.relative_to(ROOT).with_suffix("").as_posix() for path in (ROOT / "chapters").rglob("*.md")}
    assert len(listed) == len(set(listed)), "_toc.yml lists a page twice"
    report(f"_toc.yml: {name}.md is listed, or there, but not both" for name in sorted(there ^ set(listed)))


@pytest.mark.parametrize("guide", GUIDES)
def test_what_a_guide_names_is_there(guide):
    """Every link to a file of the tree, and every command."""
    text = (ROOT / guide).read_text("utf-8")
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), flags=re.M))
    code = "\n".join(re.findall(r"```.*?```|`[^`]+`", text, flags=re.S))
    report(f"{guide}: no target {verb}" for verb in {*re.findall(r"\bmake ([a-z-]+)\b", code)} - targets)
    links = [link for link in re.findall(r"\]\(([^)#\s]+)", text) if not re.match(r"\w+://|\.\./\.\./blob/", link)]
    report(f"{guide}: {link} does not exist" for link in links if not (ROOT / link).exists())


def test_the_standard_library_wins():
    """Python has a module ``code`` of its own, which ``pdb`` needs."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "code")])
    program = "import sysconfig, code, pdb; assert code.__file__.startswith(sysconfig.get_path('stdlib'))"
    subprocess.run([sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": path}, check=True)


def test_the_package_fits_into_colab():
    """Colab brings its own numpy, torch and ipywidgets; the package must take them as they are."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    accepted = {"ipywidgets": "7.7.1", "numpy": "1.26.4"}
    groups = [project["dependencies"], *project.get("optional-dependencies", {}).values()]
    for requirement in (Requirement(line) for group in groups for line in group):
        version = accepted.get(requirement.name)
        assert not version or requirement.specifier.contains(version), f"{requirement} refuses {version}"
        assert requirement.name != "torch" or not re.search("==|~=|<", str(requirement.specifier)), str(requirement)


def test_no_file_names_a_folder_of_one_machine():
    path = re.compile(rf"(?<![\w.~:/-])/(?:{'|'.join(('root', 'home', 'work', 'Users'))})/")
    problems = []
    for folder, inside, files in os.walk(ROOT):
        inside[:] = [name for name in inside if name not in SKIPPED and (name[0] != "." or name == ".github")]
        for file in (Path(folder, name) for name in files if name[0] != "."):
            content = file.read_bytes()
            if b"\0" not in content:
                lines = enumerate(content.decode("utf-8", errors="replace").splitlines(), 1)
                problems += [f"{file.relative_to(ROOT)}:{i}: {m[0]}" for i, line in lines for m in path.finditer(line)]
    report(problems)


def private_parts(source):
    """Yield what Python source uses of other modules that these do not promise to keep.

    That is a name which begins or ends with an underscore (of the book's own modules, begins), and, of an extension of
    Sphinx, all but its name: it is there to be named in a configuration.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            if is_private(node.attr) and ast.unparse(node.value) not in ("self", "cls"):
                yield ast.unparse(node)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            above = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                name = f"{above}.{alias.name}".strip(".")
                is_own = isinstance(node, ast.ImportFrom) and node.level > 0
                hidden = [part for part in name.split(".") if is_private(part.rstrip("_") if is_own else part)]
                if hidden or (not is_own and is_extension(name.partition(".")[0])):
                    yield name


def is_private(name):
    return name.strip("_") not in ("", name) and not name.startswith("__")


@functools.cache
def is_extension(package):
    """Test whether a package has the function `setup` that Sphinx calls."""
    found = find_spec(package)
    if not found or not (found.origin or "").endswith(".py"):
        return False
    body = ast.parse(Path(found.origin).read_text("utf-8")).body
    defined = {node.name for node in body if isinstance(node, ast.FunctionDef)}
    imported = {alias.asname or alias.name for node in body if isinstance(node, ast.ImportFrom) for alias in node.names}
    return "setup" in defined | imported


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("from myst_nb.core.read import create_nb_reader", True),
        ("import sphinx_exercise", True),
        ("from multiprocessing import forkserver\nforkserver._forkserver", True),
        ("from sphinx.util import _files", True),
        ("from sphinx.util.files import files_", True),
        ("from .messages import _notes", True),
        ("from sphinx.util import logging\nfrom . import myst_nb\nself._rows = __name__", False),
        ("from .messages import N_, _", False),
    ],
)
def test_private_parts_are_seen(source, found):
    assert bool(list(private_parts(source))) is found


@pytest.mark.no_page
def test_the_extension_reaches_into_other_libraries_in_one_file():
    """An update that moves such a part breaks the build: there it is found, with the reason why it is used."""
    code = ROOT / "code" / "bookext"
    files = [path for path in sorted(code.rglob("*.py")) if path != code / "hooks.py"]
    report(f"{path.relative_to(ROOT)}: {part}" for path in files for part in private_parts(path.read_text("utf-8")))
