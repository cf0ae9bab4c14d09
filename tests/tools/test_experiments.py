"""`make experiments` on a book of one chapter: it runs what is not known, goes on, and writes the same text again."""

import json

import cells
import pytest

import experiments

CHAPTER = """---
kernelspec: {display_name: Python 3, language: python, name: python3}
jupytext:
  text_representation: {extension: .md, format_name: myst}
---

# Doubling

```{code-cell} ipython3
import math
raise RuntimeError("no cell is executed as a whole")
```

```{code-cell} ipython3
factor = 2

def unused(x):
    return missing

def doubled(x):  # uses what stands outside
    return factor * math.floor(x)
```
"""
EXPERIMENT = '''"""Measure doubling."""

from pathlib import Path

import cells

chapter = cells.definitions("chapter", "doubled", tree=Path(__file__).parents[1])
MEMBERS = range(4)


def member(seed):
    """One."""
    Path(__file__).with_name(f"ran-{seed}").touch()
    return [chapter.doubled(seed), seed / 3]


def summary(results):
    """Sum."""
    return {"sum": sum(entry for entry, _ in results)}
'''


@pytest.fixture
def book(tmp_path, monkeypatch, capsys):
    """A function that runs the tool on the small book with threads: (what it says, the seeds that ran)."""
    (tmp_path / "chapters").mkdir()
    (tmp_path / "experiments").mkdir()
    (tmp_path / "chapters" / "chapter.md").write_text(CHAPTER, "utf-8")
    (tmp_path / "experiments" / "doubling.py").write_text(EXPERIMENT, "utf-8")
    workers = cells.workers
    monkeypatch.setattr(cells, "workers", lambda jobs, cluster, tree, processes: workers(jobs, cluster, tree))

    def run(*arguments):
        experiments.load.cache_clear()
        for path in (tmp_path / "experiments").glob("ran-*"):
            path.unlink()
        said = ""
        try:
            experiments.main(["--jobs", "2", *arguments], tmp_path)
        except SystemExit as stop:
            said = str(stop.code)
        out = capsys.readouterr().out
        return out + said, sorted(int(path.name[4:]) for path in (tmp_path / "experiments").glob("ran-*"))

    run.root, run.file = tmp_path, tmp_path / "code" / "attnbook" / "results" / "doubling.json"
    run.store = tmp_path / "_build" / "experiments" / "results.jsonl"
    yield run
    experiments.load.cache_clear()


def test_a_record_says_what_was_measured_with_what(book):
    said, ran = book()
    record = json.loads(book.file.read_text())
    assert ran == record["seeds"] == [0, 1, 2, 3]
    assert record["members"] == [[0, 0.0], [2, 0.3333], [4, 0.6667], [6, 1.0]]
    assert record["summary"] == {"sum": 12}
    assert set(record["versions"]) == {"python", "numpy", "torch"}
    assert record["seconds"] >= 0
    assert "doubling: 4 members" in said


def test_what_is_known_does_not_run_again_and_a_changed_definition_does(book):
    book()
    assert book() == ("1 of 1 experiments are known already.\n", [])
    page = book.root / "chapters" / "chapter.md"
    page.write_text(page.read_text().replace("# Doubling", "# Twice").replace("missing", "None"))
    assert book()[1] == []
    page.write_text(page.read_text().replace("factor = 2", "factor = 3"))
    assert book()[1] == [0, 1, 2, 3]
    assert json.loads(book.file.read_text())["summary"] == {"sum": 18}


def test_a_run_that_was_stopped_goes_on_and_writes_the_same_text(book):
    book()
    text = book.file.read_text()
    book.file.unlink()
    lines = book.store.read_text().splitlines()
    book.store.write_text("\n".join(lines[:2]) + "\n" + lines[2][:9])
    assert len(book()[1]) == 2
    record, before = json.loads(book.file.read_text()), json.loads(text)
    assert {**record, "seconds": 0} == {**before, "seconds": 0}
    text = book.file.read_text()
    book.file.unlink()
    assert book()[1] == []
    assert book.file.read_text() == text


def test_a_bad_name_and_a_bad_file_are_one_sentence(book):
    assert book("--only", "tripling")[0] == "There is no experiment 'tripling'; there are doubling."
    path = book.root / "experiments" / "doubling.py"
    path.write_text(EXPERIMENT.replace("def summary", "def summarise").replace("MEMBERS =", "members ="))
    assert book()[0] == "experiments/doubling.py has no MEMBERS and no summary."


@pytest.mark.parametrize(("name", "times"), [("missing", 0), ("twice", 2)])
def test_a_name_that_the_chapter_does_not_define_once_is_refused(book, name, times):
    page = book.root / "chapters" / "chapter.md"
    page.write_text(page.read_text().replace("factor = 2", "factor = 2\ntwice = 1\ntwice = 2"))
    with pytest.raises(ValueError, match=f"chapter.md defines {name} {times} times"):
        cells.definitions("chapter", name, tree=book.root)


def test_the_text_has_sorted_keys_and_a_line_for_each_member():
    record = {"b": {"d": 1, "c": 2}, "members": [{"y": 1, "x": 2}, 3], "a": "–"}
    text = experiments.text(record)
    assert text.splitlines()[1:-1] == [
        ' "a": "\\u2013",', ' "b": {"c": 2, "d": 1},', ' "members": [', '  {"x": 2, "y": 1},', "  3]",
    ]  # fmt: skip
    assert json.loads(text) == record


def test_numbers_are_rounded_wherever_they_stand():
    import numpy as np

    value = {"a": [1 / 3, 7, "text"], 2: np.array([2 / 3, 1e-20 / 3]), "b": np.float64(12345.6)}
    assert experiments.rounded(value) == {"a": [0.3333, 7, "text"], "2": [0.6667, 3.333e-21], "b": 12350.0}
