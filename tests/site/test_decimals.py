"""Each decimal fraction in a sentence stands in a cell, an output or an experiment, on the page or on one it leads to.

A number that was typed is compared with every number that is evidence, rounded to as many digits, or as a percentage.
"""

import json
import re

import numpy as np
import pytest
import sentences
from built_site import PAGES, ROOT, SOURCES, report

NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[-+]?\d+)?")
CELLS = '//div[contains(@class, "cell_input") or contains(@class, "cell_output")]'
# What is no measurement: places in other texts, versions, settings.
PERCENT = re.compile(r"\s*(?:percent|\\?%)")
ELSEWHERE = re.compile(r"(?:[Tt]heorem|[Ss]ections?|[Cc]hapter|Python|PyTorch|version)\s+$")
GIVEN = {
    "chapters/changes": {"0.1", "0.2"},  # editions
    "chapters/instructors": {"3.12", "2026.3", "24.04"},  # versions
    "chapters/positional-encoding": {"5.23", "1.9999999"},  # a version, and a result as it might be
}


def prose(name):
    return sentences.prose((ROOT / f"{name}.md").read_text("utf-8"))


def numbers(text):
    return [float(found) for found in NUMBER.findall(text.replace("−", "-"))]


def evidence(name):
    """Numbers in the cells and outputs of a page, in the words for its pictures, and in the results that it loads."""
    shown = " ".join(element.text_content() for element in SOURCES[name].xpath(CELLS))
    stored = [
        ROOT / "code" / "attnbook" / "results" / f"{found}.json" for found in re.findall(r'load\("(\w+)"\)', shown)
    ]
    summaries = [json.dumps(json.loads(path.read_text("utf-8"))["summary"]) for path in stored]
    return numbers(" ".join([shown, *SOURCES[name].xpath(f"{CELLS}//@alt"), *summaries]))


def led_to(name):
    """A page and those that it names, by documents, and by theorems, sections and figures of theirs."""
    links = SOURCES[name].xpath("//main//a[contains(@class, 'internal')]/@href")
    folder = (ROOT / name).parent
    found = [(folder / link.partition("#")[0]).with_suffix("").resolve() for link in links if link.partition("#")[0]]
    return {name} | {path.relative_to(ROOT).as_posix() for path in found if path.is_relative_to(ROOT)}


EVIDENCE = {name: evidence(name) for name in PAGES}
EPSILONS = [float(np.finfo(kind).eps) for kind in (np.float32, np.float64)]


def untied(name, text, known):
    """Decimals of a text that no number in ``known`` prints as."""
    known = np.array([value for value in [*known, *EPSILONS] if value < 1e12])
    for found in sentences.DECIMAL.finditer(text):
        number, digits, power = found[1], len(found[2]), 10.0 ** int(found[3] or 0)
        shares = 100 * known if PERCENT.match(text[found.end() :]) else known
        gaps = np.abs(np.array([known, shares]) / power - float(number))
        near = gaps.min(initial=1) <= 0.500001 * 10.0**-digits
        if not near and not ELSEWHERE.search(text[: found.start()]) and number not in GIVEN.get(name, ()):
            words = text[max(found.start() - 60, 0) : found.end() + 20]
            yield f"{name}.md: {found[0]} in «{' '.join(words.split())}»"


def test_a_decimal_in_a_sentence_was_computed():
    names = [name for name in PAGES if (ROOT / f"{name}.md").exists()]
    assert len(names) > 60
    found = {name: evidence(name) for name in names}
    report(
        line
        for name in names
        for line in untied(name, prose(name), [value for page in led_to(name) for value in found.get(page, ())])
    )


CASES = [
    ("It is 0.713.", False), ("It is 0.712.", True), ("It is 71.2 percent.", True), ("It is 71.2 seconds.", False),
    ("It is 7.12.", False), ("Theorem 7.13 says it.", True), (r"It is $7.12\cdot10^{-1}$.", True),
    (r"It is $7.12\cdot10^{-2}$.", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "right"), CASES)
def test_a_wrong_digit_is_found(text, right):
    found = list(untied("a page", text, [0.7123]))
    assert (not found) == right
