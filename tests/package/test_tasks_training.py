"""The start and the descent that small problems share, the look-up problem, and what the translator is trained on."""

import collections

import numpy as np
import pytest
import torch
from attnbook.tasks import lookup_task, translation
from attnbook.tasks.training import fit, weights


def test_weights_keep_the_variance_and_can_be_trained():
    W = weights(torch.Generator().manual_seed(0), 400, 50)
    assert W.shape == (400, 50)
    assert W.requires_grad
    assert W.is_leaf
    numbers = W.detach().double()
    assert numbers.mean().abs() < 6 / 400**0.5 / 20_000**0.5
    assert abs(numbers.var() * 400 - 1) < 6 * (2 / 20_000) ** 0.5


def test_fit_is_plain_gradient_descent():
    target, theta = torch.tensor([1.0, -2.0]), torch.zeros(2, requires_grad=True)
    curve = fit(lambda: ((theta - target) ** 2).sum(), [theta], steps=4, lr=0.25)
    expected = [5 / 4**t for t in range(4)]  # every step halves the error; the loss before it is told
    np.testing.assert_allclose(curve, expected, rtol=1e-6)
    np.testing.assert_allclose(theta.detach(), target * (1 - 0.5**4), rtol=1e-6)


def test_fit_forgets_the_last_gradient():
    theta = torch.tensor([1.0], requires_grad=True)
    fit(lambda: 3 * theta.sum(), [theta], steps=5, lr=0.1)
    np.testing.assert_allclose(theta.item(), 1 - 5 * 0.3, rtol=1e-6)


def test_fit_names_the_step_at_which_it_diverges():
    theta = torch.tensor([1.0], requires_grad=True)
    with pytest.raises(ValueError, match=r"loss at step 1 is (inf|nan); expected a finite number"):
        fit(lambda: (theta**4).sum() * 1e9, [theta], steps=5, lr=1e4)


def test_a_look_up_asks_for_one_of_the_pairs_that_are_shown():
    draw = lookup_task(torch.Generator().manual_seed(0), d=8, m=5, batch=200, symbols=7, classes=3)
    classes = {}
    for query, keys, values, answer in (draw(), draw()):
        assert (query.shape, keys.shape, values.shape, answer.shape) == ((200, 1, 8), (200, 5, 8), (200, 5, 8), (200,))
        found = (query == keys).all(-1)
        assert (found.sum(-1) == 1).all()  # the symbol is shown, and once
        asked = values[found]
        for vector, label in zip(asked, answer.tolist(), strict=True):
            classes.setdefault(label, vector)
            assert torch.equal(classes[label], vector)  # one class, one vector, in every batch
        assert len({tuple(key.tolist()) for key in keys.flatten(0, 1)}) == 7
        places = collections.Counter(found.float().argmax(-1).tolist())
        assert set(places) == set(range(5))  # no place is favoured: 40 each, give or take
        assert max(places.values()) < 40 + 6 * (200 * 0.2 * 0.8) ** 0.5
    assert set(classes) == {0, 1, 2}
    assert len({tuple(vector.tolist()) for vector in classes.values()}) == 3


def test_a_look_up_never_shows_a_symbol_twice():
    _, keys, _, _ = lookup_task(torch.Generator().manual_seed(1), d=4, m=6, batch=50, symbols=6)()
    for row in keys:
        assert len({tuple(key.tolist()) for key in row}) == 6
    with pytest.raises(ValueError, match="m = 7 pairs but 6 symbols"):
        lookup_task(torch.Generator(), m=7, symbols=6)


def test_the_translator_sees_as_much_chinese_as_latin_in_all_its_orders(monkeypatch):
    seen, plain = [], translation.words_to_ids
    monkeypatch.setattr(translation, "words_to_ids", lambda rows, *rest: seen.append(list(rows)) or plain(rows, *rest))
    translation.train_translator(0, source_positions=True, steps=0)
    counted = collections.Counter(tuple(row) for row in seen[0])
    chinese = {tuple(words) for words, _ in translation.sentences("Chinese")}
    latin = {tuple(sorted(words)) for words, _ in translation.sentences("Latin")}
    assert {row: counted[row] for row in chinese} == dict.fromkeys(chinese, 4)
    orders = collections.Counter(tuple(sorted(row)) for row in counted if row not in chinese)
    assert orders == dict.fromkeys(latin, 6)
    assert all(counted[row] == 1 for row in counted if row not in chinese)
    assert len(seen[0]) == 2 * 4 * len(chinese)
    assert [row[1:-1] for row in seen[1]][:60] == [english for _, english in translation.sentences("Chinese")]
