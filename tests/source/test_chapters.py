"""Every page keeps to the conventions of the book. Each message names the file and the line."""

import ast
import re

import pybtex.database
import pytest

from chapters import report

GLOBAL_SEEDS = {"random.seed", "numpy.random.seed", "torch.manual_seed", "torch.seed", "torch.random.manual_seed",
                "torch.cuda.manual_seed", "torch.cuda.manual_seed_all"}  # fmt: skip
TICKS = set("✓✔✅☑")


def test_a_page_with_cells_opens_as_a_notebook(source):
    if source.cells:
        head = source.front_matter
        form = head.get("jupytext", {}).get("text_representation", {}).get("format_name")
        assert form == "myst", f"{source.where(1)}: no jupytext header with format_name: myst"
        assert head.get("kernelspec", {}).get("name"), f"{source.where(1)}: no kernelspec with a name"


def test_a_page_has_a_description(source):
    head = source.front_matter
    meta = {**head, **head.get("myst", {}).get("html_meta", {})}
    for block in source.directives("meta"):
        meta |= block.options
    found = [str(value).strip() for key, value in meta.items() if str(key).startswith("description")]
    assert any(found), f"{source.where(1)}: no description, in the front matter or under myst: html_meta:"


# --- The skeleton of a chapter ------------------------------------------------------------------------------------


def test_a_chapter_says_what_you_can_do_after_it(chapter):
    after = iter(chapter.blocks)
    start = next((b for b in after if "after this chapter you can" in b.text.casefold()), None)
    assert start, f"{chapter.where(1)}: no list 'After this chapter you can'"
    goals = next((b for b in after if b.kind in ("list", "heading")), None)
    count = goals.items if goals and goals.kind == "list" else 0
    assert 3 <= count <= 5, f"{chapter.where(start.line)}: {count} items after {start.text!r}; expected 3 to 5"


@pytest.mark.parametrize("title", ["What breaks it", "Famous mistake", "Exercises", "In one minute", "Further reading"])
def test_a_chapter_has_the_section(chapter, title):
    found = [b for b in chapter.headings if title.casefold() in b.text.casefold()]
    assert found, f"{chapter.where(1)}: no section {title!r}"


def test_a_chapter_defines(chapter):
    assert chapter.directives("prf:definition"), f"{chapter.where(1)}: no {{prf:definition}}"


def test_a_chapter_proves_its_theorems(chapter):
    steps = [b for b in chapter.blocks if b.kind == "directive" and b.name.startswith("prf:")]
    assert any(b.name == "prf:theorem" for b in steps), f"{chapter.where(1)}: no {{prf:theorem}}"
    report(
        f"{chapter.where(a.line)}: theorem {a.options.get('label', a.text)!r} is followed by no {{prf:proof}}"
        for a, b in zip(steps, [*steps[1:], None], strict=True)
        if a.name == "prf:theorem" and (b is None or b.name != "prf:proof")
    )


def test_a_chapter_asks_for_predictions(chapter):
    boxes = [
        b for b in chapter.blocks if b.kind == "directive" and "predict" in str(b.options.get("class", "")).split()
    ]
    assert len(boxes) >= 2, f"{chapter.where(1)}: {len(boxes)} boxes of class predict; expected at least 2"


def test_a_chapter_has_exercises_with_solutions(chapter):
    exercises = chapter.directives("exercise", "exercise-start")
    solutions = {b.text.strip() for b in chapter.directives("solution", "solution-start")}
    assert 5 <= len(exercises) <= 8, f"{chapter.where(1)}: {len(exercises)} exercises; expected 5 to 8"
    report(
        f"{chapter.where(b.line)}: exercise {b.options.get('label', 'without label')!r} has no {{solution}}"
        for b in exercises
        if b.options.get("label") not in solutions
    )
    for kind in ("exercise", "solution"):
        opened, closed = chapter.directives(f"{kind}-start"), chapter.directives(f"{kind}-end")
        assert len(opened) == len(closed), f"{chapter.where(1)}: {len(opened)} {kind}-start, {len(closed)} {kind}-end"


# --- Cells --------------------------------------------------------------------------------------------------------


def test_cells_stand_where_they_run(source):
    report(
        f"{source.where(b.line)}: a code-cell inside another directive never runs; use the gated -start and -end form"
        for b in source.directives("code-cell")
        if b.depth
    )


def test_cells_are_short(source):
    def problems(cell):
        lines = cell.source.splitlines()
        if len(lines) > 15 and "hide-input" not in cell.tags:
            yield f"{cell.where}: {len(lines)} lines; at most 15, or the tag hide-input if it only draws"
        for i, line in enumerate(lines):
            if len(line) > 84:
                yield f"{source.where(cell.line + i)}: {len(line)} characters; at most 84"

    report(p for cell in source.cells for p in problems(cell))


def test_no_check_depends_on_a_clock(source):
    """A busy machine must not fail the build: a cell that asks a clock checks nothing."""
    asks = re.compile(r"\bseconds\(|measure\(.*repeat=|perf_counter\(\) -|timeit\.repeat\(lambda")
    report(
        f"{cell.where}: a check in a cell that says what a clock said"
        for cell in source.cells
        if "check." in cell.source and ("wall-time" in cell.tags or asks.search(cell.source))
    )


def test_no_cell_sets_a_global_seed(source):
    report(
        f"{where}: {name} sets a global seed; use a local generator or fork_rng, or tag the cell reproduces-source"
        for cell, _, name, where in source.calls()
        if name in GLOBAL_SEEDS and "reproduces-source" not in cell.tags and "fork_rng()" not in cell.source
    )


def test_no_cell_binds_an_imported_name_again(source):
    """Each use of a name of the package is linked to its entry, so the name must mean the same in the whole page."""
    nodes = [(cell, node) for cell in source.cells for node in ast.walk(cell.tree)]
    imports = [node for _, node in nodes if isinstance(node, ast.ImportFrom)]
    ours = {a.asname or a.name for node in imports if (node.module or "").startswith("attnbook") for a in node.names}

    def bound(node):
        if isinstance(node, ast.Name):
            return None if isinstance(node.ctx, ast.Load) else node.id
        return getattr(node, "arg" if isinstance(node, ast.arg) else "name", None)

    report(
        f"{cell.where}: `{bound(node)}` is imported from the package and bound again"
        for cell, node in nodes
        if not isinstance(node, ast.alias) and bound(node) in ours
    )


def test_no_cell_writes_a_tick(source):
    report(
        f"{source.where(cell.line + node.lineno - 1)}: a tick written by hand; a check writes its own"
        for cell in source.cells
        for node in ast.walk(cell.tree)
        if isinstance(node, ast.Constant) and TICKS & set(str(node.value))
    )


def test_no_page_writes_a_check_line_by_hand(source):
    lines = enumerate(source.path.read_text(encoding="utf-8").splitlines(), 1)
    report(f"{source.where(i)}: the line of a check, written by hand" for i, line in lines if 'class="check' in line)


def test_every_picture_has_a_caption(source):
    report(
        f"{where}: {name} draws, but the cell has no caption under mystnb: figure: caption"
        for cell, _, name, where in source.calls(inside_functions=False)
        if re.match(r"(attnbook\.)?(figures\.(?!table)|explore\b)", name) and not str(cell.caption or "").strip()
    )


# --- Prose --------------------------------------------------------------------------------------------------------

BANNED = {
    "an exclamation mark": r"!(?=[\"'”’»)*]*(\s*\Z|\s+[\"'“‘«(]*[A-Z]))",
    "a word that belittles": r"\b(simply|obviously|trivially|easy\s+to\s+see|of\s+course)\b",
}


@pytest.mark.parametrize("what", BANNED)
def test_prose(source, what):
    report(
        f"{source.where(b.line + b.text.count(chr(10), 0, hit.start()))}: {what}: {hit[0]!r}"
        for b in source.blocks
        if b.kind in ("text", "heading", "directive")
        for hit in re.finditer(BANNED[what], b.text, re.I if "word" in what else 0)
    )


def test_no_row_of_a_table_is_split(source):
    report(
        f"{source.where(i)}: a row of a table that goes on in the next line, which becomes a row of its own"
        for i, line in enumerate(source.text.splitlines(), 1)
        if line.startswith("| ") and not line.rstrip().endswith("|")
    )


def test_no_local_path_and_no_unencrypted_link(source):
    path = re.compile(r"(?<![\w.:/~-])/(?:root|home|work|Users|tmp|mnt|media)/|\b[A-Z]:\\")
    report(
        f"{source.where(i)}: {'a local path' if path.search(line) else 'an http:// link'}: {line.strip()[:80]}"
        for i, line in enumerate(source.text.splitlines(), 1)
        if path.search(line) or "http://" in line
    )


# --- References ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bibliography(book_root):
    return pybtex.database.parse_file(str(book_root / "chapters" / "references.bib")).entries


@pytest.fixture(scope="module")
def citations(all_pages):
    return [
        (key.strip(), page.where(line))
        for page in all_pages
        for b in page.blocks
        for name, content, line in b.roles
        if name.split(":")[0] == "cite"
        for key in content.split(",")
    ]


def test_every_citation_has_an_entry(citations, bibliography):
    report(f"{where}: no {key!r} in references.bib" for key, where in citations if key not in bibliography)


def test_every_entry_is_cited(citations, bibliography):
    cited = {key for key, _ in citations}
    report(f"chapters/references.bib: {key!r} is cited on no page" for key in bibliography if key not in cited)


def test_every_reference_has_its_label(all_pages):
    labels = {str(label).casefold() for page in all_pages for b in page.blocks for label in b.labels}
    for page in all_pages:
        report(
            f"{page.where(line)}: {{{name}}}`{content}` points to no label of any page"
            for b in page.blocks
            for name, content, line in b.roles
            if name in ("ref", "numref", "prf:ref", "eq")
            if re.sub(r".*<(.+)>$", r"\1", content.strip(), flags=re.S).casefold() not in labels
        )
