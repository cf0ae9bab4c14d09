"""A chapter whose kernel stalls is run once more; a build in which cells fail ends with these cells alone."""

import book
import nbformat
import pytest
from bookext.run import execution, kernels
from nbclient.exceptions import DeadKernelError

HEAD = "---\nkernelspec: {display_name: Python 3, language: python, name: python3}\njupytext:\n"
HEAD += "  text_representation: {extension: .md, format_name: myst}\n---\n# Title\n"
CELL = "\nWords.\n\n```{{code-cell}} ipython3\n{}\n```\n"
BROKEN = ["one = 1", "from attnbook import check\n\ncheck.equal(\n    one, 2)"]


def test_a_kernel_stalls_when_it_neither_writes_nor_works():
    def after(*looks):
        watch = kernels.Watch(0)
        return [watch.stalled(*look) for look in looks]

    assert after((59, 0, 0.3), (60, 0, 0.4)) == [False, True]
    assert after((50, 0, 0.2), (59, 1, 0.2), (118, 1, 0.4), (119, 1, 0.4)) == [False, False, False, True]
    assert after((50, 0, 0.5), (59, 0, 1.1), (100, 0, 5.0), (159, 0, 5.9), (160, 0, 5.9)) == [False] * 4 + [True]


@pytest.mark.parametrize("stalls", [0, 1, 2])
def test_a_chapter_that_stalls_is_run_once_more_from_the_beginning(monkeypatch, stalls):
    seen = []

    def attempt(notebook, folder):
        seen.append([len(cell.outputs) for cell in notebook.cells])
        notebook.cells[0].outputs = [nbformat.v4.new_output("stream", text="half")]
        return (DeadKernelError("Kernel died"), True) if len(seen) <= stalls else (None, False)

    monkeypatch.setattr(kernels, "attempt", attempt)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")])
    ran, _, failure, stalled = kernels.execute("chapters/page.md", notebook)
    assert seen == [[0, 0]] * min(stalls + 1, 2)  # the cell and the one that asks for quoted names, both without output
    assert stalled == (stalls > 0)
    assert failure == ("chapters/page.md\n    DeadKernelError: Kernel died" if stalls == 2 else None)
    assert len(ran.cells) == (2 if failure else 1)


@pytest.mark.parametrize(("begun", "attempts"), [(None, 2), (1, 1)])
def test_a_kernel_that_dies_is_started_once_more_if_no_cell_was_begun(monkeypatch, begun, attempts):
    tried = []
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1", execution_count=begun)])
    monkeypatch.setattr(kernels, "_attempt", lambda *_: tried.append(1) or (DeadKernelError("Kernel died"), False))
    assert kernels.attempt(notebook, ".")[1] is False
    assert len(tried) == attempts


def test_a_build_in_which_cells_fail_ends_with_these_cells_alone(tmp_path, monkeypatch, capfd):
    from sphinx.application import Sphinx

    pages = {"index": ["1 + 1"], "law": BROKEN, "name": ["unknown + 1"]}
    for name, cells in pages.items():
        text = HEAD + "".join(CELL.format(cell) for cell in cells)
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
    (tmp_path / "conf.py").write_text(
        "def setup(app):\n    from bookext.run import eval_role, execution\n"
        "    execution.setup(app), eval_role.setup(app)\nextensions = ['myst_nb']\nnb_execution_mode = 'cache'\n"
    )
    monkeypatch.chdir(tmp_path)
    app = Sphinx(tmp_path, tmp_path, tmp_path / "out" / "html", tmp_path / "out" / "trees", "html", status=None)
    with pytest.raises(SystemExit) as stop:
        app.build()
    assert stop.value.code == book.CELLS_FAIL == execution.CELLS_FAIL
    assert capfd.readouterr().err.splitlines()[-6:] == [
        "Chapters in which a cell fails: 2. The results of the others are kept.",
        "",
        "law.md:16, code cell 2: check.equal(",
        "    one = 2: they differ in 1 of 1 entries",
        "name.md:10, code cell 1: unknown + 1",
        "    NameError: name 'unknown' is not defined",
    ]
    stored = execution.Cache(tmp_path / "out" / ".jupyter_cache").list_cache_records()
    assert [record.uri.rpartition("/")[2] for record in stored] == ["index.md"]
    assert not list((tmp_path / "out").rglob("*.doctree"))  # no page was read
