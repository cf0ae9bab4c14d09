"""The order tasks ask what they say, the seeds do not touch each other, and training is Adam."""

import numpy as np
import pytest
import torch
from attnbook.tasks import encoder_weights, order_task, previous_task, read_out, train
from hypothesis import given
from hypothesis import strategies as st


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def of_each(w, tokens):
    """An encoder without attention: every token by itself, (seeds, batch, n, outputs)."""
    return read_out(w, torch.nn.functional.one_hot(tokens, 4).float() @ w["embed"])


@given(n=st.integers(2, 12), seeds=st.integers(1, 3), batch=st.integers(1, 5), symbols=st.integers(3, 7))
def test_order_sequences_hold_both_symbols_once(n, seeds, batch, symbols):
    tokens, answer = order_task(generator(n), seeds=seeds, batch=batch, symbols=symbols)(n)
    assert tokens.shape == (seeds, batch, n)
    assert tokens.max() < symbols
    for row, right in zip(tokens.flatten(0, 1).tolist(), answer.flatten().tolist(), strict=True):
        assert row.count(0) == row.count(1) == 1
        assert right == (row.index(0) < row.index(1))


def test_both_answers_and_all_places_are_equally_likely():
    tokens, answer = order_task(generator(), seeds=10, batch=1000)(5)
    assert abs(answer.double().mean() - 0.5) < 6 * 0.5 / 100
    pairs = torch.stack([(tokens == s).long().argmax(-1).flatten() for s in (0, 1)])
    counts = np.bincount(5 * pairs[0] + pairs[1], minlength=25)[~np.eye(5, dtype=bool).ravel()]
    assert abs(counts - 500).max() < 6 * np.sqrt(500)


@given(n=st.integers(2, 9))
def test_the_previous_symbol_is_asked(n):
    tokens, answer = previous_task(generator(n), seeds=2, batch=3, symbols=5)(n)
    assert torch.equal(answer, tokens.roll(1, -1)[..., 1:])


def test_tasks_refuse_what_has_no_question():
    with pytest.raises(ValueError, match="symbols = 2; expected a whole number >= 3"):
        order_task(generator(), symbols=2)
    with pytest.raises(ValueError, match="symbols = 1; expected a whole number >= 2"):
        previous_task(generator(), symbols=1)
    for task in (order_task, previous_task):
        with pytest.raises(ValueError, match="n = 1; expected a whole number >= 2"):
            task(generator())(1)


def test_weights_have_their_shapes_and_variances():
    w = encoder_weights(generator(), seeds=400, d=16, outputs=3, E=(7, 16), b=(1, 8))
    assert {name: tuple(x.shape[2:]) for name, x in w.items()} == {
        "embed": (4, 16), "Q": (16, 16), "K": (16, 16), "V": (16, 16), "up": (16, 32), "bias": (1, 32),
        "out": (32, 3), "E": (7, 16), "b": (1, 8),
    }  # fmt: skip
    expected = {"embed": 1, "Q": 1 / 16, "up": 1 / 16, "bias": 0.01, "out": 1 / 32, "E": 0.01}
    for name, variance in expected.items():
        x = w[name].detach()
        assert abs(x.var() / variance - 1) < 6 * np.sqrt(2 / x.numel())
    assert all(x.requires_grad for x in w.values())
    with pytest.raises(ValueError, match=r"tables \['Q'\] have the names of weights"):
        encoder_weights(generator(), Q=(1, 1))


def test_read_out_is_a_network_of_torch():
    w = encoder_weights(generator(), seeds=1, d=6, outputs=3)
    up, out = torch.nn.Linear(6, 12), torch.nn.Linear(12, 3, bias=False)
    with torch.no_grad():
        up.weight.copy_(w["up"][0, 0].T)
        up.bias.copy_(w["bias"][0, 0, 0])
        out.weight.copy_(w["out"][0, 0].T)
    Z = torch.randn(1, 5, 4, 6)
    torch.testing.assert_close(read_out(w, Z), torch.nn.Sequential(up, torch.nn.ReLU(), out)(Z))


def test_seeds_train_side_by_side_as_they_would_alone():
    together = encoder_weights(generator(3), seeds=3, d=4)
    alone = {name: x[1:2].detach().clone().requires_grad_() for name, x in together.items()}
    batches = [order_task(generator(9), seeds=3, batch=8)(5) for _ in range(20)]
    first, second = iter(batches), iter([(tokens[1:2], answer[1:2]) for tokens, answer in batches])
    train(lambda tokens: of_each(together, tokens).mean(-2), lambda n: next(first), together, n=5, steps=20, lr=0.05)
    train(lambda tokens: of_each(alone, tokens).mean(-2), lambda n: next(second), alone, n=5, steps=20, lr=0.05)
    for name, x in alone.items():
        torch.testing.assert_close(together[name][1:2], x, rtol=1e-4, atol=1e-5)


def test_the_first_step_of_adam_is_as_long_as_its_rate_wherever_there_is_a_gradient():
    w = {"b": torch.zeros(1, 1, 1, 3).requires_grad_()}
    tokens = torch.zeros(1, 4, 2, dtype=torch.int64)
    train(lambda tokens: w["b"].expand(1, 4, 2, 3), lambda n: (tokens, tokens + 1), w, n=2, steps=1, lr=0.25)
    torch.testing.assert_close(w["b"].detach().flatten(), torch.tensor([-0.25, 0.25, -0.25]), atol=1e-6, rtol=0)


def test_training_lowers_the_loss_and_stops_at_infinity():
    w, source = encoder_weights(generator(), d=4), generator(1)

    def which_half(n):  # is the symbol 0 or 1?
        tokens = torch.randint(4, (5, 8, n), generator=source)
        return tokens, (tokens < 2).long()

    def loss():
        tokens, answer = which_half(6)
        return torch.nn.functional.cross_entropy(of_each(w, tokens).flatten(0, -2), answer.flatten()).item()

    before = loss()
    train(lambda tokens: of_each(w, tokens), which_half, w, n=6, steps=60, lr=0.05)
    assert loss() < before / 3
    with pytest.raises(ValueError, match="loss at step 0 is nan; expected a finite number"):
        train(lambda tokens: of_each(w, tokens) * torch.nan, which_half, w, n=6, steps=1, lr=0.1)
