"""The tools of this folder on a book of one small chapter. The workflow of this folder runs it: pytest evidence"""

import json

import mutants
import pytest
import seeds
from bookext.run import chapters, strictness
from operators import javascript_faults

CHECK = '''"""The least of a check."""

from IPython.display import display

class CheckFailed(AssertionError):
    pass

def equal(left, right):
    if left != right:
        raise CheckFailed(f"{left} = {right}")
    record = {"kind": "equal", "law": "both sides", "value": 0.0, "bound": 0.0, "times": 1, "widest": 0.0, "note": ""}
    display({"application/vnd.attnbook.check+json": [record]}, raw=True)
'''
ROOM = """def double(x):
    if x < -9:
        raise ValueError("x is too small")
    return 2 * x

def half(x):
    return x / 2
"""
TEST = "from attnbook.room import double\n\ndef test_zero():\n    assert double(0) == 0\n"
HEAD = "---\nkernelspec: {display_name: Python 3, language: python, name: python3}\njupytext:\n"
HEAD += "  text_representation: {extension: .md, format_name: myst}\n---\n"
CELLS = [  # in lines 8, 15, 19, 25 and 30
    "import numpy as np\nimport torch\nfrom attnbook import check\nfrom attnbook.room import double, half",
    "check.equal(double(3), 6)",
    ":tags: [fixed-draw]\n\ncheck.equal(int(np.random.default_rng(0).integers(10**9)), 850624225)",
    "two = [int(np.random.default_rng(0).integers(10**9)) for _ in range(2)]\ncheck.equal(two[0], two[1])",
    "check.equal(torch.rand(1, generator=torch.Generator().manual_seed(0)).item() < 1, True)",
]
CHAPTER = HEAD + "# Doubling\n" + "".join(f"\n```{{code-cell}} ipython3\n{cell}\n```\n" for cell in CELLS)
FILES = {
    "_toc.yml": "{root: index, parts: [{numbered: true, chapters: [{file: chapters/chapter}]}]}",
    "chapters/chapter.md": CHAPTER,
    "code/attnbook/__init__.py": "",
    "code/attnbook/check.py": CHECK,
    "code/attnbook/room.py": ROOM,
    "tests/package/test_room.py": TEST,
    "course/page.md": "",
    "tools/tool.py": "",
    "evidence/faults.txt": "",
    "evidence/equivalent.txt": "",
}


@pytest.fixture
def book(tmp_path, capsys):
    """A function that runs a tool on the small book: (exit code, output, stored answers)."""

    def write(name, text):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")

    def run(tool, *arguments):
        with pytest.raises(SystemExit) as stop:
            tool.main(["--jobs", "2", *arguments], tmp_path)
        store = tmp_path / "_build" / tool.__name__ / "results.jsonl"
        answers = [json.loads(line) for line in store.read_text().splitlines() if line.endswith("}")]
        return stop.value.code, capsys.readouterr().out, answers

    run.root, run.write = tmp_path, write
    for name, text in FILES.items():
        write(name, text)
    return run


def test_faults_of_a_law_are_caught_and_survivors_are_named(book):
    arguments = "--only", "room"
    code, output, answers = book(mutants, *arguments)
    caught = [answer["caught"].split()[0] for answer in answers if answer.get("caught")]
    assert "chapter" in caught  # 3 * x and 2 / x
    assert "pytest" in caught  # x >= -9 refuses the 0 of the test
    assert code
    survivors = output.partition("## Survivors")[2]
    assert "return x / 3" in survivors  # which nobody looks at
    assert "3 * x" not in survivors
    assert book(mutants, *arguments)[2] == answers  # nothing runs twice
    lines = [line[line.index("`") + 1 : -1] for line in survivors.splitlines() if "`" in line]
    book.write("evidence/equivalent.txt", "".join(f"code/attnbook/room.py | {line} | a proof\n" for line in lines))
    assert not book(mutants, *arguments)[0]


def test_typed_faults_are_tried_and_those_whose_text_has_moved_are_skipped(book):
    listed = "chapters/chapter.md | check.equal(double(3), 6) => double(3)\n"
    listed += "chapters/chapter.md | double(3) => double(1 + 2)\ncode/attnbook/room.py | 9 * x => x\n"
    book.write("evidence/faults.txt", listed)
    code, output, answers = book(mutants, "--only", "chapter.md")
    assert "2 faults, 1 survive. 1 more are skipped" in output
    assert "double(1 + 2)" in output.partition("## Survivors")[2]
    assert [answer["kind"] for answer in answers if answer.get("caught")] == ["check"]  # one check fewer
    assert code


def test_a_book_that_fails_without_a_fault_is_named(book):
    book.write("chapters/chapter.md", CHAPTER.replace("double(3), 6", "double(3), 7"))
    code, output, _ = book(mutants, "--only", "room")
    assert "chapter: 6 = 7" in output
    assert code


def test_other_seeds_reach_every_cell_but_the_fixed_ones(book):
    code, _, answers = book(seeds, "2")
    assert (code, len(answers)) == (0, 2)
    for change, line in ((("fixed-draw", "hide-output"), 19), ((".item() < 1", ".item() == 0.49625658988952637"), 30)):
        book.write("chapters/chapter.md", CHAPTER.replace(*change))
        code, output, _ = book(seeds, "2")
        assert code
        assert f"chapter.md:{line}, 2 runs" in output


def test_runs_are_recorded_under_the_code_that_they_ran(book):
    record = book.root / "evidence" / "seeds.json"
    assert book(seeds, "2-3")[0] == 0
    (book.root / "_build" / "seeds" / "results.jsonl").unlink()  # another machine has the record alone
    assert len(book(seeds, "3")[2]) == 1
    (old,) = json.loads(record.read_text())["chapter"].items()
    assert old[1] == ["1-3", 12]
    book.write("code/attnbook/room.py", f'"""Words."""\n\n{ROOM}  # and others')
    assert len(book(seeds, "1")[2]) == 1
    book.write("code/attnbook/room.py", ROOM.replace("2 * x", "x * 2"))
    assert len(book(seeds, "1")[2]) == 2
    first, second = json.loads(record.read_text())["chapter"].items()
    assert (first, second[1]) == (old, ["1-1", 4])
    later = "check.equal(int(np.random.default_rng(0).integers(2)), 1)"
    book.write("chapters/chapter.md", CHAPTER.replace("check.equal(two[0], two[1])", later))
    code, _, answers = book(seeds, "6")
    failures = sum(bool(answer["failures"]) for answer in answers[2:])
    assert code
    assert 0 < failures < 6
    stood = list(json.loads(record.read_text())["chapter"].values())[-1][0]
    assert len(seeds.parse_runs(stood)) == 6 - failures  # a run with a failure is not recorded


def test_a_chapter_that_does_not_end_is_ended(book):
    book.write("chapters/chapter.md", CHAPTER.replace("check.equal(double(3), 6)", "while True: pass"))
    (failure,) = chapters.run(book.root, "chapter", limit=9)["failures"]
    assert failure["kind"] == "died"


def test_runs_are_written_as_they_are_read():
    for runs in ({1}, {1, 2, 3}, {4, 5, 8, 10, 11}):
        assert seeds.parse_runs(seeds.spans(runs)) == runs
    for text in ("0", "3-2", "2-", "two", "1-2,", ""):
        with pytest.raises(seeds.argparse.ArgumentTypeError):
            seeds.parse_runs(text)


def test_the_bound_is_that_of_clopper_and_pearson():
    assert seeds.upper(0, 300) == pytest.approx(1 - 0.05 ** (1 / 300))
    assert seeds.upper(3, 100) == pytest.approx(0.0757, abs=1e-4)
    assert seeds.upper(5, 5) == 1.0


def test_faults_of_javascript_are_made_where_a_figure_computes():
    text = """const double = (x) => x * 2; // 1 + 1 < 3
function compute({ x }) { return { text: "1 + 1", y: double(x) }; }
function render({ model, el }) {
  el.append(slider((x) => change({ x: x + 7 })));
}
"""
    lines = [line for line, _ in javascript_faults(text, list)]
    assert sorted(lines) == [
        "const double = (x) => x * 3; // 1 + 1 < 3",
        "const double = (x) => x / 2; // 1 + 1 < 3",
        "el.append(slider((x) => void ({ x: x + 7 })));",
    ]


BEFORE = {"times": 2, "note": "", "value": 0.9, "bound": 1.0, "rival": 20.0, "widest": 1e-15}
WEAKER = [
    ("equal", {"times": 1}),
    ("equal", {"kind": "below"}),
    ("equal", {"widest": 1e-14}),
    ("below", {"bound": 1.01}),
    ("below", {"value": 0.5}),
    ("below", {"value": 0.8, "bound": 1.2}),
    ("below", {"bound": "inf"}),
    ("differs", {"bound": 0.9}),
    ("prints", {"bound": "0.1"}),
    ("estimate", {"rival": 60.0}),
    ("estimate", {"rival": 0.0}),
    ("refuses", {"bound": "TypeError"}),
]
AS_STRICT = [
    ("equal", {"times": 3}),
    ("equal", {"widest": 1.2e-15}),
    ("below", {"value": 0.95}),
    ("below", {"bound": 0.95}),
    ("below", {"value": 0.8, "bound": 0.92}),
    ("differs", {"value": 3.0}),
    ("estimate", {"rival": 7.0}),
    ("prints", {"value": "0.12"}),
]


@pytest.mark.parametrize(("kind", "change", "named"), [(*c, 1) for c in WEAKER] + [(*c, 0) for c in AS_STRICT])
def test_a_weaker_check_is_named(kind, change, named):
    before = {"law": "a law", "kind": kind} | BEFORE
    assert len(list(strictness.weaker("page", [before], [before | change]))) == named
    assert len(list(strictness.weaker("page", [before, before | change], [before]))) == 1  # checked less often


def test_a_check_whose_code_is_spelled_otherwise_is_still_the_check_of_its_label():
    before = {"law": "moved = A", "label": "moved-key", "kind": "equal"} | BEFORE
    assert not list(strictness.weaker("page", [before], [before | {"law": "shifted = A"}]))
    assert len(list(strictness.weaker("page", [before], [before | {"law": "shifted = A", "label": "another"}]))) == 1
