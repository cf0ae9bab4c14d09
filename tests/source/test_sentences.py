"""A decimal that is typed in a sentence is written twice; tests/site/test_decimals.py compares it with the cells.

A wrong digit of a short number may be the right one of another cell. The list sees every slip.
"""

import sentences
import yaml

from chapters import ROOT, report, toc

CLAIMS = "chapters/audit/claims.yml"


def written():
    """{page, or claims.yml: its decimals, as the list has them}."""
    texts = {name: sentences.prose((ROOT / f"{name}.md").read_text("utf-8")) for name in toc()[0]}
    texts[CLAIMS] = sentences.figures((ROOT / CLAIMS).read_text("utf-8"))
    return {name: found for name, text in texts.items() if (found := " ".join(sentences.decimals(text)))}


def test_a_typed_decimal_is_written_twice():
    path = ROOT / "tests" / "source" / "decimals.yml"
    listed, found = yaml.load(path.read_text("utf-8"), yaml.BaseLoader), written()
    report(
        f"{name} has the decimals «{found.get(name, '')}», decimals.yml lists «{listed.get(name, '')}»"
        for name in sorted(found | listed)
        if found.get(name) != listed.get(name)
    )


def test_prose_stays_in_its_place_and_code_is_blank():
    page = "---\ntitle: 0.5\n---\nHere 1.5, `0.5` and {eval}`a` 1.6.\n```{note}\nIt is 2.5.\n```\nAnd 3.5.\n````{tip}\n"
    page += "```python\n0.5\n```\n4.5\n````\n```{code-cell} ipython3\n---\nmystnb:\n  figure:\n    caption: |\n"
    page += "      It is 5.5.\n    name: fig\n---\n0.5\n```\n6.5"
    prose = sentences.prose(page)
    assert sentences.decimals(prose) == ["1.5", "1.6", "2.5", "3.5", "4.5", "5.5", "6.5"]
    assert all(page[found.start() : found.end()] == found[0] for found in sentences.DECIMAL.finditer(prose))
    assert len(prose) == len(page)


def test_only_the_right_statement_of_a_claim_is_read():
    claims = (
        'S0-001:\n  claim: "0.5"\n  figure: It is\n    1.5.\n  decided:\n    holds: {a: [{equal: "0.5"}]}\nS0-002:\n'
    )
    text = sentences.figures(claims + "  figure: 2.5\n")
    assert sentences.decimals(text) == ["1.5", "2.5"]
    assert text.index("1.5") == claims.index("1.5")
