"""Cells that run in Jupyter or Colab run here, files are chosen and read, and a remark names what can be mended."""

import contextlib
import io
import json
import zipfile
from dataclasses import replace

import pytest
from attncourse import author, finding, model, protocol, reading, scopes, student, translating
from coursework import HASTY, ROOT, SHORT, answers, files, graded, notebook

# name: cells that run without a remark; where they check something, an assert fails if they did not
CLEAN = {
    "line magics": ["%matplotlib inline\n%load_ext autoreload\n%config x\nx = 1", "assert x == 1"],
    "shell": ["!pip install -q numpy\nfiles = !ls\nassert files == []"],
    "help": ["np.dot?\n?np.dot\nnp.dot??\nx = 5", "assert x == 5"],
    "a timed statement": ["%time total = 3\nassert total == 3", "y = %time 3 + 4\nassert y == 7", "%timeit 1"],
    "timed cells": ["%%time\nx = 1", "assert x == 1", "\n\n%%capture out\nz = 2", "assert z == 2\nout.show()"],
    "a shell under a cell magic": ["%%time\n!pip install x\nfiles = !ls\n%matplotlib inline\nx = 4", "assert x == 4"],
    "two cell magics": ["%%capture\n%%time\n%pip install x\nx = 6", "assert x == 6"],
    "a file that is imported": ["%%writefile helper.py\nANSWER = 7", "import helper\nassert helper.ANSWER == 7"],
    "a file in a folder": ["!mkdir -p lib", "%%writefile lib/a.py\nB = 3", "from lib.a import B\nassert B == 3"],
    "a file in Colab's folder": ["%%writefile '/content/b.py'\nB = 3", "from b import B\nassert B == 3"],
    "a file that is run": ["%%writefile a.py\nC = 4", "%run a.py", "assert C == 4"],
    "other languages": ["%%bash\nrm -rf /", "%%html\n<b>", "%%javascript\nalert(1)"],
    "await": [
        "import asyncio\nasync def f():\n    await asyncio.sleep(0)\n    return 3",
        "v = await f()\nassert v == 3",
    ],
    "lines that begin with %": ["rest = (7\n  % 3)\nassert rest == 1"],
    "lines that begin with !=": ["assert (1\n  != 2)"],
    "a text with magics": ["text = '''\n%time\n!ls\n'''\nassert '%time' in text"],
    "a cell that is indented": ["  x = 1\n  y = 2", "assert y == 2"],
    "a prompt": [">>> x = 4", "assert x == 4"],
    "get_ipython": ["get_ipython().run_line_magic('matplotlib', 'inline')\nfrom IPython import get_ipython"],
    "display": ["from IPython.display import display, Math, Markdown\ndisplay(Math('x'), Markdown('y'))\ndisplay(1)"],
    "matplotlib": [
        "import matplotlib\nimport matplotlib.pyplot as plt\nfrom matplotlib import cm\nfrom mpl_toolkits import x",
        "fig, ax = plt.subplots()\nax.plot([1], label='a')\nax.set(xlabel='x')\nfig.tight_layout()\nplt.show()",
        "fig, axes = plt.subplots(2, 3, figsize=(4, 4))\naxes[1, 2].imshow([[1]])\nassert axes.shape == (2, 3)",
        "from matplotlib import pyplot\nfig, ax = pyplot.subplots()\nline, = ax.plot([1])\nlo, hi = pyplot.xlim()",
        "fig, [[a, b], [c, d]] = plt.subplots(2, 2)\nclass Mine(pyplot.Axes): pass",
        "fig, (a, b) = plt.subplots(1, 2)\na.hist([1])\ncounts, edges, bars = plt.hist([1])\nplt.rcParams['x'] = 1",
        "with plt.style.context('x'):\n    plt.plot([1])",
    ],
    "Colab": ["from google.colab import drive, files\ndrive.mount('/content/drive')", "import google.colab.output"],
    "annotations": ["from __future__ import annotations\ndef f(x: nowhere): return x", "assert f(2) == 2"],
    "modules named as the grader's": ["%%writefile reading.py\nA = 1", "import reading\nassert reading.A == 1"],
    "modules named as others of the grader's": [
        "%%writefile spoken.py\nA = 1",
        "import spoken\nassert spoken.A == 1",
        "%%writefile scopes.py\nA = 2",
        "import scopes\nassert scopes.A == 2",
        "%%writefile tokens.py\nA = 3",
        "import tokens\nassert tokens.A == 3",
        "%%writefile choosing.py\nA = 4",
        "import choosing\nassert choosing.A == 4",
        "%%writefile parsing.py\nA = 5",
        "import parsing\nassert parsing.A == 5",
        "%%writefile translating.py\nA = 6",
        "import translating\nassert translating.A == 6",
        "%%writefile finding.py\nA = 7",
        "import finding\nassert finding.A == 7",
    ],
}


@pytest.mark.parametrize(
    "names",
    [
        pytest.param([*CLEAN], id="all in one notebook"),
        *(pytest.param([name], id=name, marks=pytest.mark.thorough) for name in CLEAN),
    ],
)
def test_cells_that_run_in_jupyter_run_here(names, marked, assignment):
    result = marked(*(cell for name in names for cell in CLEAN[name]), *answers(assignment))
    assert result.remarks == []
    assert result.score == author.POINTS


def test_no_module_of_the_grader_is_found_under_a_students_name(marked, assignment):
    """Where a student's own file is missing, the import fails here as it does everywhere else."""
    names = [path.stem for path in (ROOT / "code" / "attncourse").glob("[a-z]*.py")]
    cell = f"""
import importlib.util
assert not [name for name in {names} if importlib.util.find_spec(name)]
"""
    result = marked(cell, *answers(assignment))
    assert result.remarks == []


WHERE = {  # cells: what a remark begins with
    "after an empty cell": (["x = 1", "", "y = 2\n1 / 0"], "Code cell 3 (y = 2), line 2: "),
    "in a function of another cell": (["def f(n):\n\n\n    return 1 / n", "\nf(0)"], "Code cell 2 (f(0)), line 2: "),
    "in a function of its own cell": (["def f(n):\n    return 1 / n\n\nf(0)"], "Code cell 1 (def f(n):), line 2: "),
    "under a magic": (["%%time\nx = 1\n1 / 0"], "Code cell 1 (%%time), line 3: "),
    "under empty lines": (["\n\n%time\nx = 1\n1 / 0"], "Code cell 1 (%time), line 5: "),
    "no Python": (["x = 1\ny = = 2"], "Code cell 1 (x = 1), line 2: SyntaxError: "),
    "a cell that hangs": (["x = 1", "while True: pass"], "Code cell 2 (while True: pass), line 1: skipped, "),
    "an unknown magic": (["%%sql\nSELECT 1"], "Code cell 1 (%%sql) did not run: the cell magic %%sql is not known"),
    "every failure": (["import torch\n\ndef f(x: torch.T): pass"], "Code cell 1 (import torch), line 3: NameError"),
}


@pytest.mark.parametrize("name", WHERE)
def test_a_remark_names_the_cell_and_the_line(name, marked):
    cells, begins = WHERE[name]
    result = marked(*cells, limits=HASTY if "hangs" in name else SHORT)
    assert any(remark.startswith(begins) for remark in result.remarks)


# What an instructor expects: cells around the answers ("ANSWERS"), the points away, and a word of a remark
EXPECTED = {
    "an error in the answer's cell": (["%%time\nimport seaborn\nANSWERS"], 0, "seaborn"),
    "a slow statement in it": (["ANSWERS\nimport time\ntime.sleep(60)\nx = 1", "assert x == 1"], 0, "took more than"),
    "an ended process in it": (["import os\nos._exit(0)\nANSWERS"], 0, "its process ended"),
    "a name used again below": (["ANSWERS", "leaves = leaves(4, 2)"], 0, "`leaves`"),
    "a builtin used again": (["ANSWERS", "abs = sum = min = range = 3"], 0, "another meaning"),
    "builtins used again by a star": (
        ["ANSWERS\nold = leaves\ndef leaves(d, t): return sum(x for x in [old(d, t)])", "from numpy import *"],
        0,
        "another meaning",
    ),
    "a slow function": (["ANSWERS\ndef leaves(d_k, t):\n    time.sleep(60)", "import time\ntime.sleep(0.5)"], 2, ""),
    "a helper used again": (
        [
            "def h(x): return x",
            "ANSWERS\nold = leaves\ndef leaves(d, t): return h(old(d, t))",
            "def h(x): return x + 1",
        ],
        0,
        "`h`",
    ),
    "a better answer below": (["ANSWERS\ndef leaves(d_k, t): return 9", "ANSWERS"], 0, ""),
    "no answer": (["x = 1"], 10, "perhaps it is another notebook"),
    "lambda": (["ANSWERS", "leaves = lambda d_k, t: 0"], None, ""),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_marks_that_an_instructor_expects(name, assignment, bubblewrap):
    cells, away, word = EXPECTED[name]
    cells = [cell.replace("ANSWERS", "\n".join(answers(assignment))) for cell in cells]
    result = graded(notebook(*cells), assignment, limits=HASTY if "slow" in name else SHORT)
    assert word in " ".join(result.remarks)
    assert away is None or result.score == author.POINTS - away
    assert bool(result.problem) == (away == 10)


@pytest.mark.parametrize(
    "kind", ["np.linalg.LinAlgError", "type('Mine', (ValueError,), {})", "UnicodeError", "TypeError"]
)
def test_a_subclass_of_the_expected_error_is_that_error(kind, assignment, bubblewrap):
    test = model.HiddenTest("test_it", "it", 1, ["leaves"], "def test_it(leaves):\n    assert refuses(leaves, 1, 2)")
    one = replace(assignment, questions=[replace(assignment.questions[1], hidden=[test])])
    result = graded(notebook(f"def leaves(d_k, t): raise {kind}('no')"), one)
    assert result.score == (kind != "TypeError")


def as_text(*cells, kind="markdown"):
    document = json.loads(notebook(*cells))
    document["cells"][1]["cell_type"] = kind
    return json.dumps(document).encode()


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_an_answer_in_a_text_cell_is_run_with_a_remark(kind, assignment, bubblewrap):
    result = graded(as_text(*answers(assignment), kind=kind), assignment)
    assert result.score == author.POINTS
    assert "stands in a text cell" in result.remarks[0]
    prose = graded(as_text("", "Look:\ndef leaves(d_k, t): return 1"), assignment)
    assert "make it a code cell" in prose.remarks[0]


def test_a_cell_after_the_last_second_is_not_blamed(marked):
    result = marked("x = 1", "import time; time.sleep(60)", "y = 1", "z = 1", limits=replace(SHORT, cell=5, total=1))
    assert not any("Code cell 4" in remark for remark in result.remarks), result.remarks
    assert result.slow


def test_a_remark_names_the_python_where_it_matters(marked):
    data = json.loads(notebook("x = = 1"))
    data["metadata"] = {"language_info": {"version": "3.99.1"}}
    assert "written with Python 3.99" in marked(json.dumps(data).encode()).remarks[-2]
    unnamed = marked(notebook("x = = 1"))
    assert "does not say which Python" in unnamed.remarks[-2]
    assert unnamed.python.startswith("3.")
    assert unnamed.numpy[0].isdigit()
    assert not any("which Python" in remark for remark in marked(notebook("x = 1 / 0")).remarks)


def read(*handed, questions=None):
    """The record and the cells of these files, read here; the question asks for f."""
    asked = {"title": "T", "text": "The text.", "written": "", "functions": ["f"], "visible": ["assert f(1) == 2"]}
    return reading.read(list(map(list, handed)), {"given": "", "questions": questions or [asked]})


SOLVED, STUB = notebook("def f(x): return x + 1"), notebook(f"def f(x):\n    {scopes.STUB}")
OLD = {"worksheets": [{"cells": [{"cell_type": "code", "input": [line]}]} for line in ("x = 1", "def f(x): pass")]}


def zipped(members, **options):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, **options) as made:
        for name, content in members:
            made.writestr(name, content)
    return data.getvalue()


# files: the place of the one that is graded, or a word of the reason why none is
CHOSEN = {
    "the newer": ([("a.ipynb", [1, ""], SOLVED), ("b.ipynb", [2, ""], SOLVED)], 1),
    "a stub's line left behind": (
        [("a.ipynb", [1, ""], notebook(f"def f(x):\n    return x\n    {scopes.STUB}")), ("b.ipynb", [2, ""], STUB)],
        0,
    ),
    "a stub's line in a comment": (
        [("a.ipynb", [1, ""], notebook(f"def f(x):\n    return x  # {scopes.STUB}")), ("b.ipynb", [2, ""], STUB)],
        0,
    ),
    "a stub is no answer": ([("a.ipynb", [1, ""], SOLVED), ("b.ipynb", [2, ""], STUB)], 0),
    "another ending": ([("hw.ipynb.txt", [1, ""], SOLVED)], 0),
    "no ending": ([("hw", [1, ""], SOLVED)], 0),
    "in a zip": ([("hw.zip", [1, ""], zipped([("a/b.ipynb", SOLVED), ("__MACOSX/._b.ipynb", b"x")]))], 0),
    "a zip beside it": ([("a.ipynb", [1, ""], STUB), ("b.zip", [2, ""], zipped([("c.ipynb", SOLVED)]))], 0),
    "a bad file beside it": ([("a.ipynb", [1, ""], SOLVED), ("b.ipynb", [2, ""], b"{")], 0),
    "a letter that is no UTF-8": ([("a.ipynb", [1, ""], SOLVED.replace(b"return", b"# \xfc\\n    return"))], 0),
    "worksheets": ([("a.ipynb", [1, ""], json.dumps(OLD).encode())], 0),
    "a BOM": ([("a.ipynb", [1, ""], b"\xef\xbb\xbf" + SOLVED)], 0),
    "no file": ([], "No notebook was handed in"),
    "a PDF": ([("a.pdf", [1, ""], b"")], "found a.pdf"),
    "empty": ([("a.ipynb", [1, ""], b" \n")], "empty"),
    "a web page": ([("a.ipynb", [1, ""], b"<!DOCTYPE html><html>")], "web page"),
    "a merge conflict": ([("a.ipynb", [1, ""], b'{"cells": [\n<<<<<<< a\n=======\n>>>>>>> b\n]}')], "merge conflict"),
    "half a file": ([("a.ipynb", [1, ""], SOLVED[:-9])], "cut short"),
    "no notebook": ([("a.ipynb", [1, ""], b"[1]")], "not a Jupyter notebook"),
    "a bad zip": ([("a.zip", [1, ""], b"PK\x03\x04no")], "cannot be opened"),
    "a zip without": ([("a.zip", [1, ""], zipped([("a.pdf", b"x")]))], "holds no notebook"),
    "a zip of many": ([("a.zip", [1, ""], zipped([(f"{n}.ipynb", b"") for n in range(1001)]))], "at most 1000"),
    "many cells": ([("a.ipynb", [1, ""], notebook(*["x"] * 501))], "500 code cells"),
    "much code": ([("a.ipynb", [1, ""], notebook("x" * (3 << 20)))], "2 million characters"),
    "a large file": ([("a.ipynb", [1, ""], b"{" + b" " * (21 << 20) + b"}")], "20 MB"),
    "a sentence": ([("a.ipynb", [1, ""], "It cannot be read.")], "It cannot be read."),
}


@pytest.mark.parametrize("name", CHOSEN)
def test_the_file_that_counts(name):
    handed, expected = CHOSEN[name]
    record, cells = read(*handed)
    if isinstance(expected, str):
        assert expected in record["problem"]
        assert record["file"] == -1
    else:
        assert record["file"] == expected
        assert any("def f" in cell for cell in cells)
    assert len(record["unused"]) == max(len(handed) - 1, 0) or record["file"] < 0 or name == "a zip beside it"


def test_zips_that_unpack_without_end_cost_little():
    """The same megabytes a thousand times, as overlapping members or as a tree of blanks."""
    blanks = zipped([(f"{n}.ipynb", b" " * (20 << 20)) for n in range(4)])
    assert "unpacks to more than 60 MB" in read(("a.zip", [1, ""], blanks))[0]["problem"]


@pytest.mark.parametrize("source", [None, 3, ["a", None, 3], {"x": 1}, "\ud800", "\x00\x1b[31m"])
def test_odd_cells_do_not_void_a_notebook(source):
    document = json.loads(SOLVED)
    document["cells"] += [{"cell_type": "code"}, {"source": "x"}, {"cell_type": "code", "source": source}]
    record, cells = read(("a.ipynb", [1, ""], json.dumps(document).encode()))
    assert len(cells) == len(record["labels"]) == 3
    json.dumps(record).encode()


@pytest.mark.parametrize(
    "cell", ["%a\n" * 5000, "a." * 10**5 + "b?", "?\n" * 10**5, " " * 10**6, "\n " * 10**5 + "%x", "(" * 10**4 + "\n!a"]
)
def test_cells_that_would_take_long_to_translate_stay_as_they_are(cell, monkeypatch):
    """The work is bounded by sizes; here, by the number of characters that IPython is given."""
    given = []
    monkeypatch.setattr(translating, "_translated", lambda cell: given.append(len(cell) * cell.count("\n")) or cell)
    assert translating.translate([cell] * 20) == [cell] * 20
    assert sum(given) <= translating.TRANSLATED


WRITTEN = [{"title": "Why", "text": "Why so?", "written": "*Here.*", "functions": [], "visible": []}]
PLACES = {
    "below the heading": (["# Title", "## 1. Why (2 points)\n\nWhy so?", "*Here.* Because."], "Because."),
    "a blank line above it": (["\n\n## 1. Why (2 points)\nWhy so?\n\nBecause."], "Because."),
    "in two cells": (["## 1. Why\n\nWhy so?", "One.", "Two."], "One.\n\nTwo."),
    "another level": (["### 1. Why\n\nWhy so?", "One."], "One."),
    "nothing": (["## 1. Why (2 points)\n\nWhy so?", "*Here.*"], ""),
    "no heading": (["Because."], None),
    "a picture": (["## 1. Why\n\n![a](data:image/png;base64,AAAA)"], "![a](a picture in the notebook)"),
}


@pytest.mark.parametrize("name", PLACES)
def test_a_written_answer_is_found_where_students_put_it(name):
    cells, expected = PLACES[name]
    found = finding.written_answers([("markdown", cell) for cell in cells], WRITTEN)
    assert found == ({} if expected is None else {"0": expected})
    code = finding.written_answers([("markdown", "## 1. Why"), ("code", "'''Because.'''")], WRITTEN)
    assert code == {"0": "'''Because.'''"}


def test_a_record_of_nothing_has_the_form_that_the_grader_expects():
    assert protocol.conforms(reading.nothing("No notebook."), reading.RECORD)


def test_what_comes_back_from_the_files_is_checked(assignment, bubblewrap, monkeypatch):
    """A worker that returns something else costs that submission only."""
    monkeypatch.setitem(reading.RECORD, "file", str)
    with contextlib.closing(student.Student(files(notebook("x")), assignment, SHORT)) as examined:
        assert "wrong form" in examined.read()["problem"]


@pytest.mark.parametrize("right", [True, False])
def test_functions_from_elsewhere_than_a_cell_are_there_whatever_the_tests_say(right, marked, assignment):
    """No remark depends on a hidden test, and none says that a function is missing which is there."""
    source = "\n\n".join(answers(assignment)) if right else "def leaves(d_k, t): return 0.5"
    result = marked(f"exec({source!r})")
    assert result.remarks == []
    assert result.score == (10 if right else 0)
    assert not result.problem


def test_reading_that_takes_too_long_is_a_time_limit_like_any_other(marked, assignment):
    """The machine may have been busy: the submission is tried once more."""
    result = marked(*answers(assignment), limits=replace(SHORT, read=0.001))
    assert result.score == 0
    assert result.slow
    assert "it took more than 0.001 s" in result.problem


def test_a_blank_notebook_has_one_remark_about_what_is_not_answered(marked, assignment):
    """And an answer that raises an error of its own has its own."""
    stubs = [model.stub(source) for question in assignment.questions for source in question.answer]
    visible = [source for question in assignment.questions for source in question.visible]
    result = marked(*stubs, *visible)
    assert sum("as it was handed out" in remark for remark in result.remarks) == 1
    assert not any("NotImplementedError" in remark for remark in result.remarks), result.remarks
    own = marked(*stubs, *visible, 'raise NotImplementedError("later")')
    assert "NotImplementedError: later" in own.remarks[-1]


def test_answers_in_words_are_called_so(marked):
    words = marked("The variance is the sum over all entries.", "x = 1", "leaves: about a third of them, I think")
    assert "2 of its 3 code cells hold no Python" in words.problem
    assert "another notebook" in marked("x = 1").problem
