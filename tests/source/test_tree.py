"""The tree itself: what is pinned, what is listed, and what must not be in any file."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from chapters import report, toc

SKIPPED = {".venv", "_build", ".git", "build", "dist", "node_modules", "__pycache__", ".pytest_cache", ".ruff_cache"}
SKIPPED |= {".hypothesis", ".jupyter_cache", ".ipynb_checkpoints", "jupyter_execute", ".idea", ".vscode"}


def test_code_is_no_package(book_root):
    assert not (book_root / "code" / "__init__.py").exists(), "code/__init__.py would shadow the stdlib module code"


@pytest.mark.parametrize("module", ["code", "pdb"])
def test_the_standard_library_wins(book_root, module):
    program = f"import sysconfig, {module}; print({module}.__file__, sysconfig.get_path('stdlib'), sep='\\n')"
    path = os.pathsep.join([str(book_root), str(book_root / "code")])
    run = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
    )
    assert run.returncode == 0, f"import {module} fails beside code/:\n{run.stderr}"
    found, stdlib = map(Path, run.stdout.split("\n")[:2])
    assert found == stdlib / f"{module}.py", f"import {module} finds {found}, not the standard library's"


def test_requirements_are_ranges(book_root):
    lines = (book_root / "requirements.txt").read_text(encoding="utf-8").splitlines()
    report(f"requirements.txt:{i}: a pin: {s}" for i, s in enumerate(lines, 1) if "==" in s.partition("#")[0])


def test_the_package_fits_into_colab(book_root):
    """Colab brings its own numpy, torch and ipywidgets; the package must take them as they are."""
    project = tomllib.loads((book_root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project.get("optional-dependencies", {})
    wanted = [Requirement(r) for group in [project["dependencies"], *extras.values()] for r in group]
    accepted = {"ipywidgets": "7.7.1", "numpy": "1.26.4"}
    for r in wanted:
        old = accepted.get(r.name)
        assert old is None or r.specifier.contains(old), f"pyproject.toml: {r} refuses {r.name} {old}"
        pin = r.name == "torch" and re.search(r"==|~=|<", str(r.specifier))
        assert not pin, f"pyproject.toml: {r} pins torch"


def test_the_table_of_contents_is_complete(book_root):
    listed = toc(book_root)[0]
    there = {p.relative_to(book_root).with_suffix("").as_posix() for p in (book_root / "chapters").rglob("*.md")}
    assert len(listed) == len(set(listed)), "_toc.yml lists a page twice"
    report(f"_toc.yml: {name}.md does not exist" for name in listed if not (book_root / f"{name}.md").is_file())
    report(f"_toc.yml: {name}.md is not listed" for name in sorted(there - set(listed)))


def test_the_readme_names_the_commands(book_root):
    readme = (book_root / "README.md").read_text(encoding="utf-8")
    targets = re.findall(r"^([a-z-]+):", (book_root / "Makefile").read_text(encoding="utf-8"), flags=re.M)
    named = re.findall(r"\bmake ([a-z-]+)\b", "\n".join(re.findall(r"```.*?```|`[^`]+`", readme, flags=re.S)))
    assert "book" in named, "README.md: does not name make book"
    assert len(set(named)) >= 2, f"README.md: names only {sorted(set(named))}; expected two commands"
    report(f"README.md: make {verb} is no target of the Makefile" for verb in set(named) - set(targets))


def _text_files(root):
    for folder, inside, files in os.walk(root):
        inside[:] = sorted(d for d in inside if d not in SKIPPED and not d.endswith(".egg-info"))
        for name in sorted(set(files) - SKIPPED):  # .git is a file where git keeps a second tree
            file = Path(folder, name)
            content = file.read_bytes()
            if b"\0" not in content:
                yield file, content.decode("utf-8", errors="replace")


def test_no_file_knows_a_machine_or_a_registry(book_root):
    # Written in pieces, so that this file passes its own test.
    paths = re.compile(r"(?<![\w.~-])/(?:" + "|".join(("root", "home", "work")) + r")/")
    hosts = [".".join(host) for host in (("pypi", "org"), ("registry", "npmjs"), ("deb", "debian"))]
    report(
        f"{file.relative_to(book_root)}:{i}: {hit}"
        for file, text in _text_files(book_root)
        for i, line in enumerate(text.splitlines(), 1)
        for hit in [*(m[0] for m in paths.finditer(line)), *(h for h in hosts if h in line)]
    )


@pytest.mark.parametrize("name", ["LICENSE-CODE", "LICENSE-TEXT"])
def test_licences_exist(book_root, name):
    file = book_root / name
    assert file.is_file(), f"{name} does not exist"
    assert file.read_text(encoding="utf-8").strip(), f"{name} is empty"


def test_the_book_can_be_cited(book_root):
    file = book_root / "CITATION.cff"
    assert file.is_file(), "CITATION.cff does not exist"
    citation = yaml.safe_load(file.read_text(encoding="utf-8"))
    report(f"CITATION.cff: no {key}" for key in ("title", "authors", "version") if not citation.get(key))
