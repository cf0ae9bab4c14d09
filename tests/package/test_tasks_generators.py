"""What is drawn comes from the generator that was given, every number of it, and from nothing else."""

import inspect

import numpy as np
import pytest
import torch
from attnbook import tasks

DRAWS = {  # what a task draws first, and what it draws next
    "copy_task": lambda generator: [*(draw := tasks.copy_task(generator))(6), *draw(6)],
    "recall_task": lambda generator: [*(draw := tasks.recall_task(generator))(6), *draw(6)],
    "lookup_task": lambda generator: [*(draw := tasks.lookup_task(generator))(), *draw()],
    "order_task": lambda generator: [*(draw := tasks.order_task(generator))(6), *draw(6)],
    "previous_task": lambda generator: [*(draw := tasks.previous_task(generator))(6), *draw(6)],
    "encoder_weights": lambda generator: list(tasks.encoder_weights(generator, E=(7, 16)).values()),
    "weights": lambda generator: [tasks.weights(generator, 5, 4)],
}


def generator(seed):
    return torch.Generator().manual_seed(seed)


def test_every_function_that_takes_a_generator_is_here():
    functions = {name: getattr(tasks, name) for name in tasks.__all__ if inspect.isfunction(getattr(tasks, name))}
    assert set(DRAWS) == {name for name, f in functions.items() if "generator" in inspect.signature(f).parameters}


@pytest.mark.parametrize("name", DRAWS)
def test_the_generator_decides_everything_and_nothing_else_is_drawn_from(name):
    torch_state, numpy_state = torch.random.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    first, again, other = (DRAWS[name](generator(seed)) for seed in (3, 3, 4))
    assert torch.equal(torch_state, torch.random.get_rng_state())
    np.testing.assert_array_equal(numpy_state, np.random.get_state()[1])  # noqa: NPY002
    for a, b, c in zip(first, again, other, strict=True):
        assert torch.equal(a, b)
        assert not torch.equal(a, c)


def test_the_classes_of_a_row_of_pairs_are_independent():
    _, _, values, _ = tasks.lookup_task(generator(0), batch=2000, m=2, classes=4)()
    alike = (values[:, 0] == values[:, 1]).all(dim=-1).double().mean()
    assert abs(alike - 1 / 4) < 6 * (1 / 4 * 3 / 4 / 2000) ** 0.5
