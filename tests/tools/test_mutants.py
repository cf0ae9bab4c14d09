"""The mutation run and the seed run, on a book of one small chapter: what they catch and miss, how they go on."""

import argparse
import json
import os
import re
import subprocess
import sys

import mutants
import pytest
import seeds

TOOLS = {"mutants": mutants, "seeds": seeds}
CHECK = '''"""The least of a check."""

from IPython.display import display

class CheckFailed(AssertionError):
    pass

def equal(left, right):
    if left != right:
        raise CheckFailed(f"{left} = {right}")
    record = {"kind": "equal", "law": "both sides", "value": 0.0, "bound": 0.0, "times": 1, "widest": 0.0}
    display({"application/vnd.attnbook.check+json": [record]}, raw=True)
'''
ROOM = """def double(x):
    if x < -9:
        raise ValueError("x is too small")
    return 2 * x
"""
TEST = """from attnbook.room import double

def test_zero():
    assert double(0) == 0
"""
CLAIMS = "S0-001:\n  verdict: true\n  figure: Half of 2 is 0.5.\n"
SENTENCE = """import pathlib, sys
sys.path.insert(0, "tools")
import sentences

def test_the_decimal_of_the_page():
    assert sentences.decimals(sentences.prose(pathlib.Path("chapters/chapter.md").read_text())) == ["0.25"]
"""
VERDICT = """import pathlib

def test_the_verdict():
    assert "verdict: true" in pathlib.Path("chapters/audit/claims.yml").read_text()
"""
CHAPTER = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

# Doubling

```{code-cell} ipython3
import numpy as np
import torch
from attnbook import check
from attnbook.room import double
```

```{code-cell} ipython3
check.equal(double(3), 6)
```

```{code-cell} ipython3
:tags: [fixed-draw]

check.equal(int(np.random.default_rng(0).integers(10**9)), 850624225)
```

```{code-cell} ipython3
two = [int(np.random.default_rng(0).integers(10**9)) for _ in range(2)]
check.equal(two[0], two[1])
check.equal(torch.rand(1, generator=torch.Generator().manual_seed(0)).item() < 1, True)
```
"""
FAULT = "- {{id: {}, file: code/attnbook/room.py, old: 2 * x, new: {}, law: doubling, caught_by: chapter}}\n"


@pytest.fixture
def book(tmp_path, write_files, monkeypatch, capsys):
    """A function that runs a tool on the small book, in this process, so that the large libraries are imported once.

    It returns (exit code, what the tool says, the stored answers).
    """
    files = {
        "_toc.yml": "{root: index, parts: [{numbered: true, chapters: [{file: chapters/chapter}]}]}",
        "chapters/chapter.md": CHAPTER,
        "code/attnbook/__init__.py": "",
        "code/attnbook/check.py": CHECK,
        "code/attnbook/room.py": ROOM,
        "tests/package/test_room.py": TEST,
        "tools/browser.py": "",
        "_config.yml": "",
        "code/bookext/__init__.py": "",
        "tests/edition.py": "",
        "tests/source/test_sentences.py": SENTENCE,
        "tests/source/test_claims.py": VERDICT,
        "chapters/audit/claims.yml": CLAIMS,
        "tools/sentences.py": (mutants.ROOT / "tools" / "sentences.py").read_text("utf-8"),
        "tools/strictness.json": json.dumps({"chapter": {"both sides": ["equal", 4, 0.0, 0.0]}}),
        "README.md": "A book.\n",
        "pyproject.toml": "",
    }
    write_files(files)
    monkeypatch.setattr(os, "nice", lambda _: None)  # or the rest of the tests would be nice too

    def run(tool, *arguments, faults="faults: []", chapter=CHAPTER):
        (tmp_path / "tools" / "mutants.yml").write_text(faults, "utf-8")
        (tmp_path / "chapters" / "chapter.md").write_text(chapter, "utf-8")
        mutants._code.cache_clear()
        try:
            code = TOOLS[tool].main(["--jobs", "2", *arguments], tmp_path)
        except SystemExit as stop:
            code = stop.code
        said = capsys.readouterr()
        store = tmp_path / "_build" / tool / "results.jsonl"
        lines = [line for line in store.read_text().splitlines() if line.endswith("}")] if store.exists() else []
        words = code if isinstance(code, str) else ""  # a sentence: Python prints it and ends with 1
        return int(bool(code)), said.out + said.err + words, [json.loads(line) for line in lines]

    run.root = tmp_path
    return run


def test_a_fault_is_caught_by_the_check_and_a_harmless_change_survives(book):
    faults = (
        "faults:\n" + FAULT.format("triple", "3 * x") + FAULT.format("sum", "x + x") + FAULT.format("typo", "2 * y")
    )
    code, said, answers = book("mutants", faults=faults)
    assert code == 1, said
    assert "survives: sum" in said
    assert "survives: triple" not in said
    kinds = {answer.get("kind"): answer for answer in answers}
    assert set(kinds) == {None, "check", "error"}  # the book itself and `sum` fail nothing
    assert kinds["check"]["message"] == "9 = 6"
    assert (kinds["check"]["caught"], kinds["check"]["line"]) == ("chapter", 21)
    text = (book.root / "_build" / "mutants" / "report.md").read_text()
    assert "3 faults: 1 caught by a check of a chapter, 1 by an error in a chapter" in text
    assert book("mutants", faults=faults)[2] == answers  # nothing runs twice


def test_a_check_that_is_left_out_is_a_fault_that_is_caught(book):
    start = "{{id: {}, file: chapters/chapter.md, old: {}, new: {}, law: doubling, caught_by: chapter}}"
    weaker = start.format("weaker", "'check.equal(double(3), 6)'", "double(3)")
    other = start.format("other", "double(3)", "double(1 + 2)")
    code, said, answers = book("mutants", faults=f"faults:\n- {weaker}\n- {other}\n")
    assert "survives: other" in said
    assert "survives: weaker" not in said
    (caught,) = (answer for answer in answers if answer["caught"])
    assert caught["message"] == "chapter: 'both sides' is checked 3 times, before 4 times"
    assert code == 1


def test_slips_of_a_digit_and_of_a_verdict_are_made_and_reach_the_tests_of_what_is_written(book):
    faults = "faults: []\nwritten: {decimals: 0, figures: 0, verdicts: 2}\n"
    chapter = CHAPTER + "\nA quarter is 0.25; `0.5` is code.\n"
    code, said, answers = book("mutants", faults=faults, chapter=chapter)
    assert code == 1, said
    assert re.findall(r"survives: (\w+):", said) == ["figures"] * 2  # which neither test of this small book looks at
    caught = [answer["message"] for answer in answers if answer["caught"]]
    assert len(caught) == 3
    assert sum("test_the_verdict" in message for message in caught) == 2
    made = mutants.written(book.root, {"decimals": 0, "figures": 0})
    slips = ("0.26;", "Half of 3 is 0.5.", "Half of 2 is 0.6.")
    assert sorted(slip for fault in made for slip in slips if slip in fault["text"]) == sorted(slips)


def test_a_run_that_was_cut_short_goes_on(book):
    faults = "faults:\n" + FAULT.format("triple", "3 * x") + FAULT.format("none", "0 * x")
    answers = book("mutants", faults=faults)[2]
    store = book.root / "_build" / "mutants" / "results.jsonl"
    kept, *lost = store.read_text().splitlines()
    store.write_text(kept + "\n" + lost[0][:9])
    code, said, _ = book("mutants", faults=faults)
    assert code == 0, said
    lines = [line for line in store.read_text().splitlines() if line.endswith("}")]
    assert lines[0] == kept
    assert sorted(json.loads(line)["key"] for line in lines) == sorted(answer["key"] for answer in answers)


def test_operators_make_faults_and_guards_go_to_the_tests(book):
    faults = "systematic: {files: {room: 0}, guards: []}\nfaults: []\n"
    code, said, answers = book("mutants", faults=faults)
    assert code == 1, said
    caught = {answer["caught"] for answer in answers if answer["caught"]}
    assert caught == {"chapter", "tests"}  # 3 * x and 2 / x by the check; `if x >= -9` by the test
    assert "survives: room.double: if x < -10:" in said  # which no test looks at
    equivalent = faults + 'equivalent: {"room.double: if x < -10:": reason, no such: reason}\n'
    assert "no fault is made that is called no such." in book("mutants", faults=equivalent)[1]


@pytest.mark.parametrize(
    ("faults", "sentence"),
    [
        (
            FAULT.format("lost", "3").replace("old: 2 * x", "old: 7"),
            "lost: `old` stands 0 times in code/attnbook/room.py",
        ),
        (FAULT.format("number", "3"), "number: `old` and `new` must be text"),
        (FAULT.format("many", "3").replace("old: 2 * x", "old: x"), "many: `old` stands 4 times"),
        (FAULT.format("idle", "2 * x"), "idle: `old` and `new` are the same"),
        (2 * FAULT.format("twin", "3"), "twin is listed 2 times"),
        (FAULT.format("loose", "3").replace(", caught_by: chapter", ""), "loose: `caught_by` names nobody"),
    ],
)
def test_a_wrong_entry_is_refused_by_name(book, faults, sentence):
    code, said, answers = book("mutants", faults="faults:\n" + faults)
    assert code == 1
    assert sentence in said
    assert answers == []


def test_the_entries_of_this_book_are_right():
    faults, equivalent = mutants.faults(mutants.ROOT)  # ends with the names of entries that no fault has
    made = [fault["id"] for fault in faults if fault.get("text")]
    assert len(faults) > len(made) > 200
    assert equivalent


def test_a_book_that_fails_without_a_fault_is_named(book):
    faults = "faults:\n" + FAULT.format("triple", "3 * x")
    _, said, _ = book("mutants", faults=faults, chapter=CHAPTER.replace("double(3), 6", "double(3), 7"))
    assert "Without any fault chapter fails: 6 = 7" in said


TOOL = """import json, pathlib, sys
import attnbook.check, cells  # a tool of the book: its own package is there first
if __name__ == "__main__":
    print(json.dumps(cells.run(pathlib.Path(sys.argv[1]), "chapter")))
"""


def test_a_chapter_runs_with_the_package_of_its_tree(book, write_files):
    write_files({"tool.py": TOOL})
    (book.root / "chapters" / "chapter.md").write_text(CHAPTER, "utf-8")
    paths = os.pathsep.join(str(mutants.ROOT / name) for name in ("tools", "code"))
    command = [sys.executable, str(book.root / "tool.py"), str(book.root)]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": paths}, stdout=subprocess.PIPE, check=True)
    assert json.loads(done.stdout)["failures"] == []


def test_other_seeds_reach_every_cell_but_the_fixed_ones(book):
    code, said, answers = book("seeds", "3")
    assert code == 0, said
    assert len(answers) == 3
    code, said, _ = book("seeds", "3", chapter=CHAPTER.replace("fixed-draw", "hide-output"))
    assert code == 1
    assert "chapter.md:25, 3 of 3 runs" in said
    code, said, _ = book("seeds", "3", chapter=CHAPTER.replace(".item() < 1", ".item() == 0.49625658988952637"))
    assert code == 1, said  # the generators of torch are given other seeds too
    assert "chapter.md:31, 3 of 3 runs" in said


@pytest.mark.parametrize(
    ("tag", "picture", "runs"),
    [
        ("hide-input", "1 / 0", False),
        ("hide-output", "1 / 0", True),
        ("hide-input", "1 / 0\ncheck.equal(1 + 1, 2)", True),
        ("hide-input", "two = [3, 3]\n1 / 0", True),  # the next cell reads it
    ],
)
def test_draws_leave_out_what_only_makes_a_picture(book, tag, picture, runs):
    cell = f"```{{code-cell}} ipython3\n:tags: [{tag}]\n\n{picture}\n```\n\n"
    place = CHAPTER.index("```{code-cell} ipython3\ntwo")
    code, said, answers = book("seeds", "1", chapter=CHAPTER[:place] + cell + CHAPTER[place:])
    assert (code, len(answers[0]["failures"])) == (int(runs), int(runs)), said


def test_several_machines_share_the_draws_and_only_what_a_chapter_sees_asks_for_them_again(book, write_files):
    record, store = (book.root / name for name in ("tools/seeds.json", "_build/seeds/results.jsonl"))
    code, said, answers = book("seeds", "2-4")
    assert (code, len(answers)) == (0, 3)
    assert "1 chapters, each run 3 times or more. 12 checks, 0 failures" in said
    assert json.loads(record.read_text())["chapter"][1:] == ["2-4", 12]
    store.unlink()  # another machine has the record alone
    write_files({"code/attnbook/attic.py": "", "code/attnbook/attic.js": ""})
    code, said, answers = book("seeds", "4")
    assert (code, len(answers)) == (0, 1)
    assert "each run 4 times or more. 16 checks, 0 failures" in said
    assert json.loads(record.read_text())["chapter"][1:] == ["1-4", 16]
    write_files({"code/attnbook/room.py": f'"""Words."""\n\n{ROOM}  # and others'})
    assert len(book("seeds", "1")[2]) == 1
    write_files({"code/attnbook/room.py": ROOM.replace("2 * x", "x * 2")})
    assert len(book("seeds", "1")[2]) == 2
    assert json.loads(record.read_text())["chapter"][1:] == ["1-1", 4]


def test_a_run_with_a_failure_is_not_recorded(book):
    later = "check.equal(int(np.random.default_rng(0).integers(2)), 1)"
    chapter = CHAPTER.replace("check.equal(two[0], two[1])", later)
    code, said, answers = book("seeds", "6", chapter=chapter)
    bad = {n for n, answer in enumerate(answers) if answer["failures"]}
    assert code == 1, said
    assert 0 < len(bad) < 6
    stood = json.loads((book.root / "tools" / "seeds.json").read_text())["chapter"][1]
    assert len(seeds.drawn(stood)) == 6 - len(bad)
    assert book("seeds", "6", chapter=chapter)[0] == 1  # and it is still a failure when asked again


@pytest.mark.parametrize("runs", [{1}, {1, 2, 3}, {4, 5, 8, 10, 11}])
def test_runs_are_written_as_they_are_read(runs):
    assert seeds.drawn(seeds.spans(runs)) == runs


@pytest.mark.parametrize("asked", ["0", "3-2", "0-2", "2-", "-2", "two", "1.5", "1-2,", ""])
def test_runs_that_cannot_be_drawn_are_refused(asked):
    with pytest.raises(argparse.ArgumentTypeError, match=re.escape(f"got {asked!r}")):
        seeds.drawn(asked)


def test_the_bound_is_that_of_clopper_and_pearson():
    assert seeds.upper(0, 300) == pytest.approx(1 - 0.05 ** (1 / 300))
    assert seeds.upper(3, 100) == pytest.approx(0.0757, abs=1e-4)
    assert seeds.upper(5, 5) == 1.0
