"""{eval}`name` in a sentence is what the cells computed, on the page and in the notebook made from it."""

import nbformat
import pytest
from bookext.run import eval_role, execution, kernels
from docutils import nodes

PAGE = """# Title

One {eval}`count`, {eval}`share` and {eval}`tiny`.

```{note}
Once more {eval}`count`.
```
"""
CODE = 'count, share, tiny = 3, f"{0.25:.0%}", f"{2.5e-7:.1e}"\nreal = 0.1'


def book(sentence=PAGE):
    return nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell(sentence), nbformat.v4.new_code_cell(CODE), nbformat.v4.new_code_cell("1")]
    )


def executed(tmp_path, sentence=PAGE):
    (tmp_path / "page.md").touch()
    notebook, _, failure, _ = kernels.execute(tmp_path / "page.md", book(sentence))
    assert not failure
    return notebook


def test_the_names_are_those_of_the_sentences():
    assert eval_role.names(book()) == ["count", "share", "tiny"]
    assert eval_role.names(book("No `{eval}` here.")) == []


def test_an_executed_notebook_carries_the_values_and_no_other_cell(tmp_path):
    notebook = executed(tmp_path, PAGE + "{eval}`real` {eval}`nowhere`")
    assert [cell.source for cell in notebook.cells if cell.cell_type == "code"] == [CODE, "1"]
    found = {o.metadata["scrapbook"]["name"]: list(o.data.values()) for o in notebook.cells[-1].outputs[1:]}
    assert found == {"count": ["3"], "share": ["25%"], "tiny": ["2.5e-07"]}  # a number is to be formatted


def test_another_quoted_name_executes_the_chapter_and_another_sentence_does_not(tmp_path):
    cache = execution.Cache(tmp_path / "cache")
    digest = [cache.create_hashed_notebook(book(PAGE + more))[1] for more in ("", "More.", "{eval}`real`")]
    assert digest[0] == digest[1] != digest[2]
    assert execution._digest(book()) == execution._digest(book(PAGE + "More."))
    assert execution._digest(book()) != execution._digest(book(PAGE + "{eval}`real`"))


def test_numbers_in_scientific_notation_become_formulas():
    shown = eval_role.typeset("from 2.5e-07 to 1e+03, -4e-12")
    assert [type(node) for node in shown] == [nodes.Text, nodes.math, nodes.Text, nodes.math, nodes.Text, nodes.math]
    assert [node.astext() for node in shown[1::2]] == [r"2.5\cdot10^{-7}", "10^{3}", r"-4\cdot10^{-12}"]
    assert eval_role.typeset("-1 of 2-9") == [nodes.Text("−1 of 2-9")]


def test_a_changed_result_changes_the_mark_of_the_chapters_that_read_it(tmp_path):
    folder = tmp_path / "attnbook" / "results"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / "one.json").write_text("1")
    marks = []
    for text in ("1", "2"):
        (folder / "one.json").write_text(text)
        execution._package.cache_clear()
        marks.append([execution.fingerprint([cell], tmp_path) for cell in ('load("one")', 'load("two")')])
    execution._package.cache_clear()
    assert marks[0][0] != marks[1][0]
    assert marks[0][1] == marks[1][1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A small book of one page, built as the large one is: read from stored outputs."""
    from sphinx.application import Sphinx

    folder = tmp_path_factory.mktemp("book")
    head = "---\nkernelspec: {display_name: Python 3, language: python, name: python3}\njupytext:\n"
    head += "  text_representation: {extension: .md, format_name: myst}\n---\n"

    def build(sentence):
        text = f"{head}# Title\n\n```{{code-cell}} ipython3\n{CODE}\n```\n\n{sentence}\n"
        (folder / "index.md").write_text(text, "utf-8")
        (folder / "conf.py").write_text(
            "def setup(app):\n    from bookext.run import eval_role, execution\n"
            "    execution.setup(app), eval_role.setup(app)\n"
            "extensions = ['myst_nb']\nnb_execution_mode = 'cache'\nmyst_enable_extensions = ['dollarmath']\n",
            "utf-8",
        )
        app = Sphinx(folder, folder, folder / "out" / "html", folder / "out" / "trees", "html", status=None)
        app.build(force_all=True)
        return app.env.get_doctree("index")

    return build


def test_the_page_and_its_notebook_say_the_values(site):
    from bookext.write.notebook_page import Page
    from bookext.write.notebook_text import Blocks

    doctree = site("There are {eval}`count`, or {eval}`share` of {eval}`tiny`.")
    (said,) = [node for node in doctree.findall(nodes.paragraph) if "There are" in node.astext()]
    assert said.astext() == r"There are 3, or 25% of 2.5\cdot10^{-7}."
    assert Blocks(Page("page.html")).block(said) == r"There are 3, or 25% of $2.5\cdot10^{-7}$."
    assert "papermill" not in str(doctree)


def test_a_name_without_a_value_ends_the_build_and_is_named(site):
    from sphinx.errors import SphinxError

    with pytest.raises(SphinxError, match=r"index, line .*no cell gives 'nowhere' a text"):
        site("{eval}`nowhere`")
