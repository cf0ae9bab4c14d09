"""A decimal that is typed in a sentence is written twice; tests/site/test_decimals.py compares it with the cells.

In the sentences of the ledger every number is written twice: a wrong digit of a short number may be the right one of
another cell, and what a source says, or what the ledger once said, is in no cell. The list sees every slip.
"""

import re

import pytest
import sentences
import yaml

from chapters import ROOT, report, toc

LEDGER = ("chapters/audit/claims.yml", "chapters/audit/contradictions.yml")


def written():
    """{page: its decimals; file of the ledger: the numbers of its sentences}, as the list has them."""
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


def test_only_the_sentences_of_a_claim_are_read():
    claims = 'S0-001:\n  line: "3"\n  claim: "0.5"\n  figure: It is\n    1.5.\n  corrected: >-\n    It was 2.5.\n'
    claims += '  decided:\n    holds: {a: [{equal: "3.5"}]}\nS0-002:\n'
    text = sentences.figures(claims + "  figure: 4.5\n")
    assert sentences.numbers(text) == ["0.5", "1.5", "2.5", "4.5"]
    assert text.index("1.5") == claims.index("1.5")


FIELDS = [("claims", "claim"), ("claims", "figure"), ("claims", "corrected")]
FIELDS += [("contradictions", "says"), ("contradictions", "resolution")]


@pytest.mark.parametrize(("name", "field"), FIELDS)
def test_the_list_sees_other_digits_in_every_sentence_of_the_ledger(name, field):
    text = (ROOT / "chapters" / "audit" / f"{name}.yml").read_text("utf-8")
    sentence = re.compile(rf"^  {field}:\s.*?(?=^ {{0,2}}\S|\Z)", re.MULTILINE | re.DOTALL)
    slipped = sentence.sub(lambda found: re.sub(r"\d", lambda d: str(9 - int(d[0])), found[0]), text)
    before, after = (sentences.numbers(sentences.figures(t)) for t in (text, slipped))
    changed = sum(a != b for a, b in zip(before, after, strict=True))
    assert changed == sum(len(sentences.numbers(found)) for found in sentence.findall(text)) > 10


def test_every_number_of_a_right_statement_is_found_with_its_sign():
    text = "It is [.09, −2.5, 3] or 4.25e-18, 99.7% of 7 000 at d_k = 64, in 1/8 of float32, in x_1 and in S1-071."
    found = [".09", "−2.5", "3", "4.25e-18", "99.7%", "7", "000", "64", "1", "8"]
    assert sentences.numbers(text) == found
