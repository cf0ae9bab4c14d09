"""Every page opens as a notebook, its cells run where they stand, and what it promises is there."""

import ast
import re
import subprocess
import sys
from collections import Counter

import pybtex.database
import pytest

from chapters import ROOT, Page, report

CLOCK = re.compile(r"\bseconds\(|perf_counter|timeit|measure\(.*repeat=")
LINKS = {"doi": r"10\.\d{4,9}/[^\s{}]+", "eprint": r"\d{4}\.\d{4,5}", "url": r"https://[^\s{}]+"}


def test_a_page_with_cells_opens_as_a_notebook(source):
    if source.cells:
        head = source.front_matter
        form = head.get("jupytext", {}).get("text_representation", {}).get("format_name")
        assert form == "myst", f"{source.where(1)}: no jupytext header with format_name: myst"
        assert head.get("kernelspec", {}).get("name"), f"{source.where(1)}: no kernelspec with a name"


def test_no_cell_stands_where_it_never_runs(source):
    report(f"{source.where(d.line)}: a cell inside another directive" for d in source.named("code-cell") if d.depth)


def lint(pages, folder):
    """Return what is no Python in the cells of pages, and which names nothing defines, with their lines.

    A line that says NameError shows on purpose that a name is not defined.
    """
    for page in pages:
        lines = [""] * page.text.count("\n")
        for cell in page.cells:
            code = cell.source.split("\n")
            lines[cell.line - 1 : cell.line - 1 + len(code)] = [
                re.sub(r"^\s*[%!].*|.*\bNameError\b.*", "", s) for s in code
            ]
        file = folder / f"{page.name}.md.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(lines), "utf-8")
    words = ["check", "--isolated", "--no-cache", "--select", "F821", "--output-format", "concise", "--quiet"]
    words += ["--config", 'builtins = ["display"]', "."]
    done = subprocess.run([sys.executable, "-m", "ruff", *words], cwd=folder, capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return done.stdout.replace(".md.py:", ".md:").splitlines()


def test_cells_are_python_and_every_name_is_defined(all_pages, tmp_path):
    report(lint(all_pages, tmp_path))


@pytest.mark.parametrize(
    ("cell", "error"),
    [("y = unknown + 1", "a.md:6:5: F821 Undefined name `unknown`"), ("y = (1", "a.md:"), ("y = 1", "")],
)
def test_an_undefined_name_is_reported_with_its_line(tmp_path, cell, error):
    (tmp_path / "a.md").write_text(f"# A page\n\n```{{code-cell}} ipython3\n:tags: [hide-input]\n\n{cell}\n```\n")
    errors = lint([Page("a", tmp_path)], tmp_path / "cells")
    assert errors[0].startswith(error) if error else not errors


def test_no_check_depends_on_a_clock(source):
    """A busy machine must not fail the build."""
    report(
        f"{cell.where}: a check in a cell that asks a clock"
        for cell in source.cells
        if "check." in cell.source and ("wall-time" in cell.tags or CLOCK.search(cell.source))
    )


def test_no_page_claims_a_check_by_hand(source):
    """A tick that is typed, in a cell or as HTML, says that something holds and compares nothing."""
    report(
        f"{cell.where}: a tick written by hand"
        for cell in source.cells
        for node in ast.walk(cell.tree)
        if isinstance(node, ast.Constant) and set("✓✔✅☑") & set(str(node.value))
    )
    assert 'class="check' not in source.text, f"{source.name}.md: the line of a check, written by hand"


def test_every_exercise_has_a_solution(source):
    solutions = {directive.argument for directive in source.named("solution", "solution-start")}
    report(
        f"{source.where(d.line)}: exercise {d.options.get('label', 'without label')!r} has no solution"
        for d in source.named("exercise", "exercise-start")
        if d.options.get("label") not in solutions
    )


def test_a_quoted_name_is_assigned_once(source):
    """A sentence shows the value at the end of the page: it must be the only one."""
    nodes = [node for cell in source.cells for node in cell.tree.body if not isinstance(node, ast.FunctionDef)]
    names = (part for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name))
    assigned = Counter(name.id for name in names if isinstance(name.ctx, ast.Store))
    quoted = set(re.findall(r"\{eval\}`([^`]*)`", source.text))
    report(f"{source.name}.md: {{eval}}`{n}` is assigned {assigned[n]} times" for n in quoted if assigned[n] != 1)


def test_no_row_of_a_table_is_split(source):
    """The rest of it would become a row of its own."""
    report(
        f"{source.where(number)}: a row of a table that goes on in the next line"
        for number, line in enumerate(source.text.splitlines(), 1)
        if line.startswith("| ") and not line.rstrip().endswith("|")
    )


def test_every_reference_leads_its_reader_to_the_work():
    """That each citation has its reference, the build finds."""
    entries = pybtex.database.parse_file(str(ROOT / "chapters" / "references.bib")).entries
    for key, entry in entries.items():
        missing = {"author", "title", "year"} - set(entry.fields) - set(entry.persons)
        assert not missing, f"{key}: no {' and no '.join(sorted(missing))}"
        links = {name: entry.fields[name] for name in LINKS if name in entry.fields}
        wrong = [link for name, link in links.items() if not re.fullmatch(LINKS[name], link)]
        assert links, f"{key}: no DOI, arXiv number or address"
        assert not wrong, f"{key}: {wrong[0]!r} is no such link"
