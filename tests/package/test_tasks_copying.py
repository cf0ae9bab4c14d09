"""The copy and the recall task: what is shown, what is asked, and that a seed decides both."""

import re

import pytest
import torch
from attnbook.tasks import copy_task, recall_task
from hypothesis import given
from hypothesis import strategies as st

SIZES = st.fixed_dictionaries({"runs": st.integers(1, 3), "batch": st.integers(1, 5), "symbols": st.integers(1, 9)})


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


@given(SIZES, st.integers(1, 12))
def test_a_copy_is_what_was_shown(sizes, n):
    X, answer = copy_task(generator(), **sizes)(n)
    runs, batch, symbols = sizes["runs"], sizes["batch"], sizes["symbols"]
    assert X.shape == (runs, batch, n, symbols)
    assert X.dtype == torch.float32
    assert answer.shape == (runs, batch, n)
    assert torch.equal(X.sum(-1), torch.ones(runs, batch, n))
    assert torch.equal(X.argmax(-1), answer)


@given(SIZES, st.integers(1, 12))
def test_recall_asks_for_the_marked_symbol_and_marks_the_first(sizes, distance):
    X, answer = recall_task(generator(), **sizes)(distance)
    runs, batch, symbols = sizes["runs"], sizes["batch"], sizes["symbols"]
    assert X.shape == (runs, batch, distance + 1, symbols + 1)
    mark, shown = X[..., -1], X[..., :-1]
    assert torch.equal(mark[..., 0], torch.ones(runs, batch))
    assert not mark[..., 1:].any()
    assert torch.equal(shown.sum(-1), torch.ones(runs, batch, distance + 1))
    assert torch.equal(shown[..., 0, :].argmax(-1), answer)


@pytest.mark.parametrize("task", [copy_task, recall_task])
def test_the_generator_decides_and_moves_on(task):
    draw = task(generator(3))
    first, second = draw(6), draw(6)
    again = task(generator(3))(6)
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert not torch.equal(first[0], second[0])
    before = torch.random.get_rng_state()
    task(generator(4))(5)
    assert torch.equal(before, torch.random.get_rng_state())  # the global generator is left alone


@pytest.mark.parametrize("task", [copy_task, recall_task])
def test_all_symbols_are_equally_likely_and_runs_differ(task):
    _, answer = task(generator(1), runs=2, batch=4000, symbols=5)(1)
    counts = torch.bincount(answer.flatten(), minlength=5)
    N = answer.numel()
    assert (counts / N - 0.2).abs().max() < 6 * (0.2 * 0.8 / N) ** 0.5
    assert not torch.equal(answer[0], answer[1])


BAD = [({"runs": 0}, "runs = 0"), ({"batch": -1}, "batch = -1"), ({"symbols": 0}, "symbols = 0")]


@pytest.mark.parametrize("task", [copy_task, recall_task])
@pytest.mark.parametrize(("size", "named"), BAD)
def test_a_size_below_one_is_refused(task, size, named):
    with pytest.raises(ValueError, match=re.escape(f"{named}; expected a whole number >= 1")):
        task(generator(), **size)


@pytest.mark.parametrize(("task", "name"), [(copy_task, "n"), (recall_task, "distance")])
def test_a_length_below_one_is_refused(task, name):
    with pytest.raises(ValueError, match=re.escape(f"{name} = 0; expected a whole number >= 1")):
        task(generator())(0)
