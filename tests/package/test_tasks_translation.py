"""The tiny translator: a corpus that needs order in one half only, a model that sees order only where it is given."""

import itertools
from collections import Counter

import numpy as np
import pytest
import torch
from attnbook.tasks import Translator, loss_per_sentence, sentences, train_translator, translate
from attnbook.tasks.translation import ENGLISH, SOURCE, words_to_ids

CHINESE, LATIN = sentences("Chinese"), sentences("Latin")


def untrained(seed, source_positions=False):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return Translator(source_positions)


def logits(model, words, order, **condition):
    """Scores of the first two English words for one order of the source, which may hold padding."""
    ids = words_to_ids([[words[i] for i in order]])
    padding = ids == 0
    with torch.no_grad():
        return model.logits(torch.tensor([[1, 4]]), model.read(ids, padding, **condition), padding)


# --- The corpus ---------------------------------------------------------------------------------------------------


def test_only_the_order_tells_chinese_sentences_apart():
    translations = {}
    for words, english in CHINESE:
        translations.setdefault(tuple(sorted(words)), []).append(" ".join(english))
    assert len(CHINESE) == 60
    assert all(len(set(pair)) == len(pair) == 2 for pair in translations.values())
    assert all(a.split()[0] == b.split()[-1] for a, b in translations.values())


def test_the_endings_tell_latin_sentences_apart():
    assert len(LATIN) == 40
    assert max(Counter(tuple(sorted(words)) for words, _ in LATIN).values()) == 1


def test_every_word_has_one_number():
    assert len(SOURCE) == len(set(SOURCE)) == 22
    assert len(ENGLISH) == len(set(ENGLISH)) == 12
    assert SOURCE[0] == ENGLISH[0] == ""


def test_shorter_rows_are_padded():
    ids = words_to_ids([["猫", "坐在", "垫子", "上"], ["猫", "喜欢", "鱼"], ["", "猫"]])
    assert ids.shape == (3, 4)
    assert (ids == 0).tolist() == [[False] * 4, [False] * 3 + [True], [True, False, True, True]]
    assert [SOURCE[i] for i in ids[1, :3]] == ["猫", "喜欢", "鱼"]


def test_other_languages_and_words_are_refused():
    with pytest.raises(ValueError, match="language = 'Greek'; expected 'Chinese' or 'Latin'"):
        sentences("Greek")
    with pytest.raises(ValueError, match=r"unknown words \['wolf'\]; expected words of \["):
        translate(untrained(0), [["猫", "wolf"]])


# --- The model ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("words", [["猫", "坐在", "垫子", "上"], ["猫", "喜欢", "鱼", ""]], ids=["full", "padded"])
def test_without_positions_no_order_is_seen(seed, words):
    model, still = untrained(seed), range(4)
    for order in itertools.permutations(still):
        torch.testing.assert_close(logits(model, words, order), logits(model, words, still), atol=1e-12, rtol=0)


@pytest.mark.parametrize("seed", range(3))
def test_positions_and_a_causal_mask_see_order(seed):
    words, turned = ["猫", "坐在", "垫子", "上"], [1, 2, 3, 0]
    for model, condition in ((untrained(seed, source_positions=True), {}), (untrained(seed), {"causal": True})):
        gap = logits(model, words, turned, **condition) - logits(model, words, range(4), **condition)
        assert gap.abs().max() > 1e-3


def test_a_causal_reader_sees_a_word_and_those_before_it():
    model, ids = untrained(2, source_positions=True), words_to_ids([["猫", "坐在", "垫子", "上"]])
    with torch.no_grad():
        whole = model.read(ids, ids == 0, causal=True)
        for n in range(1, 5):
            alone = model.read(ids[:, :n], ids[:, :n] == 0, causal=True)
            torch.testing.assert_close(whole[:, :n], alone, atol=1e-12, rtol=0)
        torch.testing.assert_close(whole[:, :1], model.read(ids[:, :1], ids[:, :1] == 0), atol=1e-12, rtol=0)


@pytest.mark.parametrize("seed", range(5))
def test_padding_is_not_seen(seed):
    for model in (untrained(seed), untrained(seed, source_positions=True)):
        short, long = (
            logits(model, ["猫", "喜欢", "鱼"], range(3)),
            logits(model, ["猫", "喜欢", "鱼", "", ""], range(5)),
        )
        torch.testing.assert_close(short, long, atol=1e-12, rtol=0)


def test_the_loss_is_that_of_the_probabilities():
    model, (words, english) = untrained(1), CHINESE[2]
    ids, target = words_to_ids([words]), [ENGLISH.index(w) for w in ["<start>", *english, "<end>"]]
    with torch.no_grad():
        memory = model.read(ids, ids == 0)
        p = model.logits(torch.tensor([target[:-1]]), memory, ids == 0).softmax(dim=-1)[0]
    expected = -sum(p[i, word].log().item() for i, word in enumerate(target[1:]))
    assert loss_per_sentence(model, [(words, english)]) == pytest.approx(expected, rel=1e-12)


def test_a_sentence_loses_the_same_beside_a_longer_one():
    model, short, long = untrained(1), CHINESE[0], CHINESE[2]
    assert len(short[1]) < len(long[1])
    alone = [loss_per_sentence(model, [pair]) for pair in (short, long)]
    assert loss_per_sentence(model, [short, long]) == pytest.approx(sum(alone) / 2, rel=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_no_blind_model_loses_less_than_one_bit(seed):
    assert loss_per_sentence(untrained(seed), CHINESE) > np.log(2)


def test_each_future_english_word_is_hidden():
    model, ids = untrained(2), words_to_ids([["猫", "喜欢", "鱼"]])
    with torch.no_grad():
        memory = model.read(ids, ids == 0)
        a, b = (model.logits(torch.tensor([[1, 4, last]]), memory, ids == 0) for last in (5, 6))
    torch.testing.assert_close(a[:, :2], b[:, :2], atol=1e-12, rtol=0)
    assert (a[:, 2] - b[:, 2]).abs().max() > 1e-3


# --- Training -----------------------------------------------------------------------------------------------------


def test_training_is_seeded_and_leaves_the_global_generator_alone():
    state = torch.random.get_rng_state()
    first, again, other = (train_translator(s, source_positions=True, steps=2) for s in (3, 3, 4))
    assert torch.equal(state, torch.random.get_rng_state())
    for a, b, c in zip(first.parameters(), again.parameters(), other.parameters(), strict=True):
        assert torch.equal(a, b)
        assert a.std() == 0 or not torch.equal(a, c) or a.ndim == 1


def test_a_trained_model_masters_what_it_can_see():
    blind, sighted = (train_translator(5, source_positions=s, steps=80) for s in (False, True))

    def right(model, pairs):
        return sum(
            found == " ".join(english)
            for found, (_, english) in zip(translate(model, [w for w, _ in pairs]), pairs, strict=True)
        )

    backwards = [(words[::-1], english) for words, english in LATIN]
    assert min(right(blind, LATIN), right(blind, backwards), right(sighted, LATIN)) >= 36
    assert right(blind, CHINESE) <= 30
    assert right(sighted, CHINESE) >= 54


def test_half_of_what_is_trained_on_is_chinese(monkeypatch):
    seen, loss = [], Translator.loss
    monkeypatch.setattr(Translator, "loss", lambda model, ids, target: seen.append(ids) or loss(model, ids, target))
    train_translator(0, source_positions=False, steps=20)
    chinese = words_to_ids([[words[1]] for words, _ in CHINESE]).flatten()  # the verbs
    share = torch.isin(torch.cat(seen), chinese).any(dim=1).double().mean()
    assert abs(share - 0.5) < 6 * 0.5 / 1280**0.5


def test_a_seed_chooses_the_batches_too(monkeypatch):
    drawn, randint = [], torch.randint
    monkeypatch.setattr(torch, "randint", lambda *size, **given: drawn.append(randint(*size, **given)) or drawn[-1])
    for seed in (3, 4, 3):
        train_translator(seed, source_positions=False, steps=2)
    first, other, again = (torch.stack(drawn[i : i + 2]) for i in (0, 2, 4))
    assert torch.equal(first, again)
    assert (first != other).any(dim=1).all()
