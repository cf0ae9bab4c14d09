"""Each head of a language model replaced alone: all at once, from its layer on, as one by one in the whole model."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from attnbook.language_model import Layer, Model, next_logits, states
from attnbook.tasks import head_effects, mean_outputs

LAYERS, HEADS, KEY_HEADS, WIDTH, HIDDEN, TOKENS, WORDS = 3, 4, 2, 16, 20, 17, [3, 5]
TEXTS = np.random.default_rng(1).integers(TOKENS, size=(2, 6))


class Letters:
    """A tokeniser: each letter is a token."""

    def encode(self, text, add_special_tokens):
        return SimpleNamespace(ids=[ord(letter) % TOKENS for letter in text])


@pytest.fixture(scope="module")
def small():
    rng = np.random.default_rng(0)
    draw = lambda *shape: 2 * rng.normal(size=shape) / math.sqrt(shape[0])  # noqa: E731
    one, shared = np.ones(WIDTH), WIDTH * KEY_HEADS // HEADS

    def layer():
        attention = draw(WIDTH, WIDTH), draw(WIDTH, shared), draw(WIDTH, shared), draw(WIDTH, WIDTH)
        return Layer(one, *attention, one, draw(WIDTH, HIDDEN), draw(WIDTH, HIDDEN), draw(HIDDEN, WIDTH))

    layers = [layer() for _ in range(LAYERS)]
    return Model(draw(TOKENS, WIDTH), layers, one, draw(WIDTH, TOKENS), HEADS, KEY_HEADS, 50.0, 1e-5, 9, Letters())


def log_odds(model, ids, **watch):
    S = next_logits(model, ids, watch=watch)
    return S[WORDS[0]] - S[WORDS[1]]


def test_heads_replaced_side_by_side_change_what_each_changes_alone(small):
    means = np.random.default_rng(2).normal(size=(LAYERS, HEADS, WIDTH // HEADS))
    changes, trained, weights = head_effects(small, TEXTS, WORDS, means)
    uniform = np.tri(6) / np.tri(6).sum(axis=1, keepdims=True)
    for text, ids in enumerate(TEXTS):
        assert trained[text] == pytest.approx(log_odds(small, ids))
        for l, h in np.ndindex(LAYERS, HEADS):

            def in_place(new, rows, l=l, h=h):
                def change(layer, array):
                    if layer == l:
                        array = array.copy()
                        array[h, rows:] = new[rows:] if new.ndim > 1 else new
                    return array

                return change

            alone = [
                log_odds(small, ids, weights=in_place(uniform, 0)) - trained[text],
                log_odds(small, ids, heads=in_place(means[l, h], 1)) - trained[text],
            ]
            assert changes[text, :, l * HEADS + h] == pytest.approx(alone, abs=1e-9)
            assert np.abs(alone).min() > 1e-4  # every head matters here
        assert log_odds(small, ids, weights=lambda l, A, text=text: weights[text, l]) == pytest.approx(trained[text])


def test_mean_outputs_leave_the_first_token_out(small):
    texts, found = ["order", "attention"], []
    for text in texts:
        states(small, small.encode(text), watch={"heads": lambda l, Y: found.append(Y[:, 1:])})
    expected = [np.concatenate([found[l], found[LAYERS + l]], axis=1).mean(axis=1) for l in range(LAYERS)]
    np.testing.assert_allclose(mean_outputs(small, texts), expected)
