"""The lookup task asks what it shows, and a small descent is the one of the textbooks."""

import pytest
import torch
from attnbook.tasks import fit, lookup_task, weights


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def test_the_answer_is_the_class_beside_the_symbol_that_is_asked_for():
    draw = lookup_task(generator(1), d=12, m=5, batch=400, symbols=7, classes=3)
    query, keys, values, answer = draw()
    assert (query.shape, keys.shape, values.shape, answer.shape) == ((400, 1, 12), (400, 5, 12), (400, 5, 12), (400,))
    same = (keys == query).all(dim=-1)
    assert torch.equal(same.sum(dim=1), torch.ones(400, dtype=torch.int64))  # no symbol is shown twice
    classes = values.reshape(-1, 12).unique(dim=0)
    assert (len(classes), len(keys.reshape(-1, 12).unique(dim=0))) == (3, 7)
    beside = values[same]
    for c in range(3):
        assert len(beside[answer == c].unique(dim=0)) == 1
    shares = torch.stack([same.float().mean(dim=0)[:3], answer.bincount(minlength=3) / 400])
    for share, p in zip(shares, (1 / 5, 1 / 3), strict=True):
        assert (share - p).abs().max() < 6 * (p * (1 - p) / 400) ** 0.5
    assert same.any(dim=0).all()  # every pair is asked for
    assert not torch.equal(draw()[0], query)


def test_symbols_have_entries_of_variance_one():
    _, keys, values, _ = lookup_task(generator(2), d=500, m=8, batch=200, symbols=8, classes=8)()
    for table in (keys.reshape(-1, 500).unique(dim=0), values.reshape(-1, 500).unique(dim=0)):
        assert abs(table.var() - 1) < 6 * (2 / table.numel()) ** 0.5


def test_more_pairs_than_symbols_are_refused():
    with pytest.raises(ValueError, match="m = 9 pairs but 8 symbols"):
        lookup_task(generator(), m=9, symbols=8)


def test_a_start_has_variance_one_over_rows():
    W = weights(generator(), 50, 400)
    assert (W.shape, W.requires_grad) == ((50, 400), True)
    assert abs(50 * W.detach().var() - 1) < 6 * (2 / 20_000) ** 0.5


def test_descent_is_the_gradient_times_the_rate():
    x = torch.tensor([3.0, -1.0], requires_grad=True)
    curve = fit(lambda: (x**2 * torch.tensor([1.0, 2.0])).sum(), [x], steps=3, lr=0.1)
    known, losses = [3.0, -1.0], []
    for _ in range(3):
        losses.append(known[0] ** 2 + 2 * known[1] ** 2)
        known = [known[0] * 0.8, known[1] * 0.6]
    assert curve == pytest.approx(losses)
    assert x.tolist() == pytest.approx(known)
    with pytest.raises(ValueError, match="loss at step 0 is nan; expected a finite number"):
        fit(lambda: x.sum() * torch.nan, [x], steps=2, lr=0.1)
