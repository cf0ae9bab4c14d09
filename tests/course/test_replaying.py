"""A slip is recognised by what functions return, and keeps its share; nothing that looks like one earns more."""

import random
from dataclasses import replace

import numpy as np
import pytest
from attncourse import asking, author, exchange, marks, model, replaying
from attncourse.shares import bounded_memory
from coursework import CHAPTERS, ROOT, answers
from test_assignments import HOSTILE, STUBS

WITH_SHARES = [name for name in CHAPTERS if "keeps: " in (ROOT / "course" / f"{name}.md").read_text(encoding="utf-8")]
OLD, BOUND = "abs(2 * ups - d_k) > t", "abs(2 * ups - d_k) >= t"
SLIP = "counts a score on the bound as gone"


@pytest.fixture(scope="module", params=WITH_SHARES)
def shared(request, assignments):
    """An assignment with shares, and its calls."""
    return assignments[request.param], replaying.Replays()


def kept(assignment, question, functions, replays, seed=marks.SEED):
    """The points that are kept for slips alone, whatever the tests give."""
    one = replace(assignment, questions=[replace(question, visible=[])])
    with bounded_memory():
        marked, found = replaying.mark_here(one, functions, seed, replays if seed == marks.SEED else None)
    without = [replace(mark, passed=False) for mark in marked]
    return model.parts(without, found)[question.name], [name for one in found for name in one.slips]


def keepers(assignment):
    """Every slip that keeps something, with its question."""
    return [(question, slip) for question in assignment.questions for slip in question.wrong if slip.keeps]


def test_every_slip_is_recognised_and_keeps_its_share(shared):
    assignment, replays = shared
    for question in assignment.questions:
        for slip in question.wrong:
            points, names = kept(assignment, question, author.reference(assignment, slip.source), replays)
            where = f"{assignment.chapter}: {question.name}: {slip.name}: {names}"
            assert names or not (slip.keeps or slip.says), f"{where}: nothing that the tests call shows it"
            assert points == round(slip.keeps * question.points, 2), f"{where}: the table of slips says {slip.keeps}"


def test_right_answers_are_no_slips(shared):
    assignment, replays = shared
    for question in assignment.questions:
        for source in ["", *question.right]:
            functions = author.reference(assignment, source)
            calls = replays.expected(assignment, question, marks.SEED)
            assert replaying.recognised(question, calls, functions, {t.name for t in question.hidden}) is None


def test_stubs_and_hostile_values_keep_nothing(shared):
    assignment, replays = shared
    hostile = {str(value)[:40]: lambda *given, value=value, **named: value for value in HOSTILE}
    for question in assignment.questions:
        if any(slip.keeps for slip in question.wrong):
            for kind, stub in (STUBS | hostile).items():
                points, names = kept(assignment, question, dict.fromkeys(question.functions, stub), replays)
                assert points == 0, f"{assignment.chapter}: {question.name}: {kind} passes for {names}"


def read_in(table, name):
    """A function that looks its values up."""
    return lambda *given, **named: table.get((name, repr(given), repr(named)))


def test_a_table_of_a_slip_s_values_keeps_nothing_with_another_seed(shared):
    """Who has the files of the course can write it down; the seed is the instructor's."""
    assignment, replays = shared
    for question, slip in keepers(assignment):
        table = {}
        for call in replays.expected(assignment, question, marks.SEED):
            table[call.function, repr(call.arguments), repr(call.named)] = call.outcomes[slip.name]
        functions = {name: read_in(table, name) for name in question.functions}
        assert slip.name in kept(assignment, question, functions, replays)[1], "the table is one"
        points, names = kept(assignment, question, functions, replays, "a-word-of-your-own")
        where = f"{assignment.chapter}: {question.name}: {slip.name}"
        assert points == 0, f"{where}: a table keeps {points} as {names}: let the hidden tests draw what they call with"


def test_what_is_sometimes_a_slip_keeps_nothing(shared):
    assignment, replays = shared
    right, rng = author.reference(assignment), random.Random(1)
    for question, slip in keepers(assignment):
        wrong = author.reference(assignment, slip.source)

        def by_chance(name, wrong=wrong):
            return lambda *given, **named: rng.choice([wrong[name], right[name], STUBS["None"]])(*given, **named)

        functions = {name: by_chance(name) for name in question.functions}
        assert kept(assignment, question, functions, replays)[0] == 0


def test_two_slips_in_one_answer_keep_the_product_and_one_beside_a_blank_keeps_nothing(assignment):
    source = "def f(x): return x + 1\ndef g(x): return 2 * x"
    test = "def test_it(f, g, rng):\n    x = rng.normal()\n    assert same(f(x), x)\n    assert same(g(x), x)"
    hidden = [model.HiddenTest("test_it", "It", 1, ["f", "g", "rng"], test)]
    wrong = [model.Slip("f", "def f(x): return x + 1", 0.5, "-"), model.Slip("g", "def g(x): return 2 * x", 0.4, "-")]
    right = "def f(x):\n    return x\ndef g(x):\n    return x\n"
    question = model.Question("q", "Q", "", [1], points=1, answer=[right], hidden=hidden, wrong=wrong)
    one = replace(assignment, questions=[question])

    def found(code):
        space = {}
        exec(code, space)
        return [(each.slips, each.keeps) for each in replaying.mark_here(one, space)[1]]

    assert found(source) == [(["f", "g"], 0.2)]
    assert found("def f(x): return x + 1\ndef g(x): return x") == [(["f"], 0.5)]
    assert found("def f(x): return x + 1") == [(["f"], 0)], "named, and nothing is kept beside a blank"
    assert found("def f(x): return x + 1\ndef g(x): return 3 * x") == [(["f"], 0)]
    assert found("def f(x): return x - 1\ndef g(x): return 3 * x") == []
    wrong.insert(0, model.Slip("both", source, 0, "-"))
    assert found("def f(x): return x\ndef g(x): return 2 * x") == [(["g"], 0.4)]
    wrong[2] = model.Slip("g", "def g(x): return 2 * x", 0, "-")
    assert found("def f(x): return x\ndef g(x): return 2 * x") == [(["g"], 0)], "who has f right did not slip in both"


@pytest.mark.parametrize(
    ("value", "other", "holds"),
    [
        (1.0, 1, True),
        ([1, 2], np.array([1.0, 2.0]), True),
        ((np.ones(2), "a", None), [np.ones(2), "a", None], True),
        (np.array([np.nan, 1]), np.array([np.nan, 1]), True),
        (np.array([np.nan, 1]), np.array([1, np.nan]), False),
        (np.array([1.0, 1]), np.array([np.nan, 1]), False),
        (np.inf, np.inf, True),
        (True, 1, False),
        ({"a": 1}, {"a": 1.0}, True),
        ({"a": 1}, {"b": 1}, False),
        ([], [1], False),
        ("x", ["x"], False),
        (None, 0, False),
        (replaying.Raises("ValueError"), replaying.Raises("ValueError"), True),
        (replaying.Raises("KeyError"), replaying.Raises("ValueError"), False),
        (replaying.Raises("NotImplementedError"), replaying.Raises("NotImplementedError"), False),
        (np.ones(2), replaying.Raises("ValueError"), False),
        (replaying.Raises("ValueError"), np.ones(2), False),
        (2**90 + 1, 2**90 + 1, True),
        (2**90 + 1, 2**90, False),
    ],
)
def test_agree(value, other, holds):
    assert replaying.agree(value, other) is holds


def test_who_ends_the_examiner_after_the_tests_loses_no_points(assignment):
    progress = asking.Progress(marks.tests(assignment))
    progress.take(exchange.Reply(model.Result(None)))
    progress.take(exchange.Reply(marks=[marks.marked(*test, None) for test in progress.tests]))
    progress.lose(asking.AFTER_THE_TESTS)
    assert progress.complete
    assert (progress.result().score, progress.result().slow) == (author.POINTS, 0)


def changed(assignment, question, old, new):
    """The right answers, with a change in that of one question."""
    cells = answers(assignment)
    number = [q.name for q in assignment.questions].index(question)
    assert old in cells[number]
    cells[number] = cells[number].replace(old, new)
    return cells


ASKED = 60  # more calls of leaves than the tests make
TRICKS = {  # what leaves does, where `calls` is how often it was called, and what the tests give for it
    "is the slip in the tests alone": ("return slip(d_k, t) if calls < {asked} else 7", 1.5),
    "is the slip half of the time": ("return slip(d_k, t) if calls % 2 else 7", 0),
    "hangs after the tests": ("while calls > {asked}: pass\n    return slip(d_k, t)", 1.5),
    "ends its process after the tests": ("os._exit(1) if calls > {asked} else 0\n    return slip(d_k, t)", 1.5),
    "fills a message after the tests": ("return slip(d_k, t) if calls < {asked} else [0] * 10**8", 1.5),
    "looks at its caller": ("return slip(d_k, t) if callers() & {{'recognised', 'replaying', '_replayed'}} else 7", 0),
}
TRICK = """
import os, sys
calls = 0
def callers():
    frame, names = sys._getframe(1), set()
    while frame:
        names |= {{frame.f_code.co_name, *map(str, frame.f_locals)}}
        frame = frame.f_back
    return names
right = lambda d_k, t: sum(math.comb(d_k, u) for u in range(d_k + 1) if abs(2 * u - d_k) > t) / 2**d_k
slip = lambda d_k, t: sum(math.comb(d_k, u) for u in range(d_k + 1) if abs(2 * u - d_k) >= t) / 2**d_k
def leaves(d_k, t):
    global calls
    calls += 1
    {trick}
"""


@pytest.mark.parametrize("trick", TRICKS)
def test_what_a_function_does_after_the_tests_costs_nothing_and_earns_nothing(trick, marked, assignment):
    source, points = TRICKS[trick]
    result = marked(*answers(assignment), TRICK.format(trick=source.format(asked=ASKED)))
    assert result.score is not None, result.fault
    assert not [found for found in result.recognised if found.keeps]
    assert model.parts(result.marks, result.recognised)["rows-that-leave"] == points
    assert result.slow == 0


def test_a_slip_in_the_sandbox_keeps_its_share(marked, assignment):
    result = marked(*changed(assignment, "rows-that-leave", OLD, BOUND))
    assert result.recognised == [model.Recognised("rows-that-leave", [SLIP], 0.75)]
    assert result.score == result.earned == 9.5
    result = marked(*changed(assignment, "witness", "return Q, K", "return Q / 40, K / 40"))
    assert sum(mark.earned for mark in result.marks) == 8
    assert result.score == 9, "no test gives it a point"


def test_a_slip_whose_name_means_something_else_later_keeps_its_share(marked, assignment):
    cells = changed(assignment, "witness", "return Q, K", "return Q / 40, K / 40")
    assert marked(*cells, "witness = 3").score == 9


def test_blanks_and_wild_answers_are_no_slips(marked, assignment):
    stubs = [model.stub(source) for question in assignment.questions for source in question.answer]
    for cells in (stubs, ["def leaves(d_k, t): return 0.5", "def witness(seed): return 1, 2"]):
        result = marked(*cells)
        assert (result.score, result.recognised) == (0, [])
