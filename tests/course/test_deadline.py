"""Tests run in a process of their own. Whatever a student's function returns, one test is lost and no more."""

import pytest
from attncourse import grade, marks, sandbox
from coursework import notebook

TESTS = {
    "compares": "assert same(f(1), 2)",
    "a loop in C": "import math\n    assert math.factorial(f(10**7)) < 0",
    "a loop that catches": "while f(1) == 2:\n        pass",
    "rows": "for row in f(0): assert len(row) == 0",
    "memory": "assert np.ones((f(50000), 50001), np.int8).shape",
    "a crash": "import ctypes\n    ctypes.string_at(f(1))",
    "a long sleep": "f(1)\n    import time; time.sleep(3600)",
    "catches all": "try: f('end')\n    except Exception: pass",
}


def bundle(*names):
    """A bundle of one exercise with these tests, of one point each, and before them a visible one."""
    made = [{"function": "test", "name": name, "points": 1, "asks": ["f"], "source": f"def test(f):\n    {TESTS[name]}"}
            for name in names]  # fmt: skip
    exercise = {"name": "one", "title": "One", "answer": ["def f(x): return x + 1"], "hidden": made}
    return {"chapter": "c", "title": "C", "given": "import numpy as np",
            "exercises": [exercise | {"visible": ["assert f(1) == 2"]}]}  # fmt: skip


LIMITS = sandbox.Limits(cell=4, call=3, total=45, test=1, test_memory=1 << 29)
RIGHT = "def f(x): return x + 1"


@pytest.mark.parametrize(
    ("name", "answer", "word"),
    [
        ("a loop in C", RIGHT, "Deadline: the test worked for more than 1 s"),
        ("memory", RIGHT, "MemoryError"),
        ("a crash", RIGHT, "Crash: the test ended on what the functions returned (SIGSEGV)"),
        ("rows", "def f(x): return x + 1 if x else np.zeros((10**18, 0), np.int8)", "axis longer than 1048576"),
        ("catches all", "import os\ndef f(x): return x + 1 if x != 'end' else os._exit(0)", "Ended"),
    ],
)
def test_one_test_is_lost_and_the_others_are_run(name, answer, word, marked):
    result = marked(answer, bundle=bundle("compares", name, "compares"), limits=LIMITS)
    found = [(mark["passed"], mark["remark"]) for mark in result["marks"]]
    assert [passed for passed, _ in found] == [True, True, False, True], found
    assert word in found[2][1]
    assert result["score"] == 2
    assert not result["remarks"]


def test_no_submission_takes_longer_than_all_its_time(marked):
    limits = sandbox.Limits(cell=4, call=3, total=2, test=1)
    result = marked(RIGHT, bundle=bundle("compares", "a long sleep", "compares"), limits=limits)
    assert [mark["passed"] for mark in result["marks"]] == [True, True, False, False]
    assert {mark["remark"] for mark in result["marks"][2:]} == {"OutOfTime: the 2 s for one submission are used up"}


def test_a_function_that_works_on_in_the_background_is_watched(marked):
    """The test sleeps while processes of the student's make files: an hour is not waited."""
    storm = """
import os
def f(x):
    if x == 1 and os.path.exists("/tmp/again") and os.fork() == 0:
        for n in range(10**6): os.mkdir(f"/tmp/{n}")
    open("/tmp/again", "w").close()
    return 2
"""
    result = marked(storm, bundle=bundle("a long sleep", "compares"), limits=LIMITS)
    assert "made more than 10000 files" in result["marks"][1]["remark"]


@pytest.mark.parametrize(("body", "word"), [("raise SystemExit('stop')", "SystemExit: stop"),
                                            ("import os; os.kill(os.getpid(), 9)", "was ended")])  # fmt: skip
def test_a_fault_of_the_grader_is_no_mark(body, word, bubblewrap, monkeypatch):
    monkeypatch.setitem(TESTS, "compares", body)
    with pytest.raises(RuntimeError, match=word):
        grade.grade(notebook(RIGHT), bundle("compares"), limits=LIMITS)


def test_the_two_ways_to_run_tests_agree(bundles, marked):
    """In this process, on the instructor's functions, and in one of their own, on the same cells as a student's."""
    for made in bundles.values():
        cells = [source for exercise in made["exercises"] for source in exercise["answer"]]
        space = {}
        exec("\n\n".join([made["given"], *cells]), space)
        assert marked(*cells, bundle=made)["marks"] == marks.mark(made, space)
