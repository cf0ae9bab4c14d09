"""The page of theorems and definitions, in a small book: it says what the chapters say, and changes when they do."""

import io

import lxml.html
import pytest

CONF = """
def setup(app):
    from bookext.collect import derived, ledger, navigation
    derived.setup(app), ledger.setup(app), navigation.setup(app)
extensions = ['myst_parser', 'sphinx_proof']
myst_enable_extensions = ['dollarmath', 'amsmath']
numfig = True
root_doc = 'index'
source_suffix = {'.md': 'markdown'}
"""
INDEX = "# Book\n\n```{toctree}\n:numbered:\na\n```\n\n```{toctree}\nresults\n```\n"
DEEPER = """# Deeper

```{prf:lemma} Small
:label: lem-small
As {doc}`../a` says, by {eq}`eq-sum`, $x$ is small.
```
"""
RESULTS = "# Results\n\n```{results}\n```\n"
CHAPTER = """# Chapter

```{{toctree}}
deeper/b
```

```{{prf:theorem}} Sum
:label: thm-sum
{hypothesis}

$$
x + x = 2x
$$ (eq-sum)
```

```{{prf:proof}}
Count.
```
"""


@pytest.fixture
def build(tmp_path):
    """build(hypothesis): build the book whose theorem begins so; the page of statements, and the chapter's."""
    from sphinx.application import Sphinx

    (tmp_path / "deeper").mkdir()
    files = {"conf.py": CONF, "index.md": INDEX, "deeper/b.md": DEEPER, "results.md": RESULTS}
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")

    def build(hypothesis):
        (tmp_path / "a.md").write_text(CHAPTER.format(hypothesis=hypothesis), "utf-8")
        out, warnings = tmp_path / "out", io.StringIO()
        Sphinx(tmp_path, tmp_path, out, out / "trees", "html", status=None, warning=warnings).build()
        told = [line for line in warnings.getvalue().splitlines() if "already registered" not in line]
        assert not [line for line in told if "WARNING" in line]
        return [lxml.html.parse(str(out / f"{name}.html")) for name in ("results", "a")]

    return build


def test_a_statement_is_told_whole_and_leads_to_its_place(build):
    results, chapter = build("Let $x$ be a number.")
    theorem, lemma = results.xpath("//div[contains(@class, 'proof')]")
    assert "Let" in theorem.text_content()
    assert "x + x = 2x" in theorem.text_content()
    assert "Count" not in theorem.text_content()
    assert [a.get("href") for a in theorem.xpath(".//a")] == ["a.html#thm-sum"]
    assert chapter.xpath("//*[@id='thm-sum']")
    assert lemma.xpath(".//a/@href") == ["deeper/b.html#lem-small", "a.html", "a.html#equation-eq-sum"]
    assert not theorem.xpath(".//@id"), "an address that the chapter has"
