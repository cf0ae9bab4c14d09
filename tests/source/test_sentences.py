"""A decimal that is typed in a sentence is written twice; tests/site/test_decimals.py compares it with the cells.

In right statements of claims, and in resolutions of contradictions, every number is written twice. A wrong digit of a
short number may be the right one of another cell. The list sees every slip.
"""

import sentences
import yaml

from chapters import ROOT, report, toc

LEDGER = ("chapters/audit/claims.yml", "chapters/audit/contradictions.yml")


def written():
    """{page: its decimals; file of the ledger: the numbers of right statements}, as the list has them."""
    found = {name: sentences.decimals(sentences.prose((ROOT / f"{name}.md").read_text("utf-8"))) for name in toc()[0]}
    found |= {name: sentences.numbers(sentences.figures((ROOT / name).read_text("utf-8"))) for name in LEDGER}
    return {name: " ".join(numbers) for name, numbers in found.items() if numbers}


def test_a_typed_number_is_written_twice():
    path = ROOT / "tests" / "source" / "decimals.yml"
    listed, found = yaml.load(path.read_text("utf-8"), yaml.BaseLoader), written()

    def difference(name):
        has, lists = found.get(name, "").split(), listed.get(name, "").split()
        first = next((i for i, pair in enumerate(zip(has, lists, strict=False)) if len(set(pair)) > 1), None)
        first = min(len(has), len(lists)) if first is None else first
        has, lists = (" ".join(words[max(first - 4, 0) : first + 5]) for words in (has, lists))
        return f"{name} has the numbers «… {has} …», decimals.yml lists «… {lists} …»"

    report(difference(name) for name in sorted(found | listed) if found.get(name) != listed.get(name))


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


def test_every_number_of_a_right_statement_is_found_with_its_sign():
    text = "It is [.09, −2.5, 3] or 4.25e-18, 99.7% of 7 000 at d_k = 64, in 1/8 of float32, in x_1 and in S1-071."
    found = [".09", "−2.5", "3", "4.25e-18", "99.7%", "7", "000", "64", "1", "8"]
    assert sentences.numbers(text) == found
