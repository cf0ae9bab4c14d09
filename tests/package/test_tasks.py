"""Small trainings: a task asks what it says, its generator decides all that is drawn, and a descent is torch's."""

import collections
import itertools
from functools import partial

import numpy as np
import pytest
import torch
from attnbook import tasks
from attnbook.attention import attention, causal_mask
from attnbook.recurrent import lstm, rnn
from attnbook.tasks import translation
from hypothesis import given
from hypothesis import strategies as st

SIZES = st.fixed_dictionaries({"runs": st.integers(1, 3), "batch": st.integers(1, 5), "symbols": st.integers(1, 9)})


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def is_share(hits, p, total):
    """Whether a count is what independent draws with probability p would give, within six deviations."""
    return abs(hits / total - p) < 6 * (p * (1 - p) / total) ** 0.5


# --------------------------------------------------------------------------------------------- what is drawn

DRAWS = {  # what a task draws first, and what it draws next
    "copy_task": lambda g: [*(draw := tasks.copy_task(g))(6), *draw(6)],
    "recall_task": lambda g: [*(draw := tasks.recall_task(g))(6), *draw(6)],
    "lookup_task": lambda g: [*(draw := tasks.lookup_task(g))(), *draw()],
    "order_task": lambda g: [*(draw := tasks.order_task(g))(6), *draw(6)],
    "previous_task": lambda g: [*(draw := tasks.previous_task(g))(6), *draw(6)],
    "encoder_weights": lambda g: list(tasks.encoder_weights(g, E=(7, 16)).values()),
    "weights": lambda g: [tasks.weights(g, 5, 4)],
}
SEEDED = {
    "draw_weights": lambda seed: list(tasks.draw_weights(seed).values()),
    "train_order": lambda seed: list(tasks.train_order(seed, torch.ones(6, 12), steps=2).values()),
    "train_letters": lambda seed: list(tasks.train_letters(seed, torch.ones(24, 24), steps=2).values()),
    "attention_reader": lambda seed: tasks.attention_reader(seed)[0],
    "recurrent_reader": lambda seed: tasks.recurrent_reader(seed, orthogonal=True)[0][:2],
    "flag weights": lambda seed: list(tasks.flag._weights(generator(seed)).values()),
    "train_scheme": lambda seed: list(tasks.train_scheme(tasks.SCHEMES["T5"], 0.01, seed=seed, steps=2).values()),
    "train_stack": lambda seed: list(tasks.train_stack(np.geomspace(1, 0.01, 8), 0.01, seed=seed, steps=2).values()),
    "train_translator": lambda seed: [
        x for x in tasks.train_translator(seed, source_positions=True, steps=2).parameters() if x.ndim > 1
    ],
} | {name: lambda seed, draw=draw: draw(generator(seed)) for name, draw in DRAWS.items()}


@pytest.mark.parametrize("name", SEEDED)
def test_the_seed_decides_everything_and_the_global_generator_is_left_alone(name):
    torch_state, numpy_state = torch.random.get_rng_state(), np.random.get_state()[1].copy()  # noqa: NPY002
    first, again, other = (SEEDED[name](seed) for seed in (3, 3, 4))
    assert torch.equal(torch_state, torch.random.get_rng_state())
    np.testing.assert_array_equal(numpy_state, np.random.get_state()[1])  # noqa: NPY002
    for a, b, c in zip(first, again, other, strict=True):
        assert torch.equal(a, b)
        assert not torch.equal(a, c) or a.std() == 0


@given(SIZES, st.integers(1, 12))
def test_a_copy_is_what_was_shown_and_recall_asks_for_the_marked_symbol(sizes, n):
    runs, batch, symbols = sizes["runs"], sizes["batch"], sizes["symbols"]
    X, answer = tasks.copy_task(generator(), **sizes)(n)
    assert (X.shape, answer.shape) == ((runs, batch, n, symbols), (runs, batch, n))
    assert torch.equal(X, torch.eye(symbols)[answer])
    X, answer = tasks.recall_task(generator(), **sizes)(n)
    assert (X.shape, answer.shape) == ((runs, batch, n + 1, symbols + 1), (runs, batch))
    assert torch.equal(X[..., 0, :], torch.eye(symbols + 1)[answer] + torch.eye(symbols + 1)[-1])
    assert torch.equal(X[..., 1:, :].sum(-1), torch.ones(runs, batch, n))
    assert not X[..., 1:, -1].any()


@pytest.mark.parametrize("task", [tasks.copy_task, tasks.recall_task])
def test_all_symbols_are_equally_likely_and_runs_differ(task):
    _, answer = task(generator(1), runs=2, batch=4000, symbols=5)(1)
    assert all(is_share(count, 0.2, answer.numel()) for count in torch.bincount(answer.flatten()).tolist())
    assert not torch.equal(answer[0], answer[1])


@given(n=st.integers(2, 12), seeds=st.integers(1, 3), batch=st.integers(1, 5), symbols=st.integers(3, 7))
def test_order_sequences_hold_both_symbols_once_and_the_previous_symbol_is_asked(n, seeds, batch, symbols):
    tokens, answer = tasks.order_task(generator(n), seeds=seeds, batch=batch, symbols=symbols)(n)
    assert tokens.shape == (seeds, batch, n)
    assert tokens.max() < symbols
    for row, right in zip(tokens.flatten(0, 1).tolist(), answer.flatten().tolist(), strict=True):
        assert row.count(0) == row.count(1) == 1
        assert right == (row.index(0) < row.index(1))
    tokens, answer = tasks.previous_task(generator(n), seeds=seeds, batch=batch, symbols=symbols)(n)
    assert torch.equal(answer, tokens.roll(1, -1)[..., 1:])


def test_both_answers_and_all_places_are_equally_likely():
    tokens, answer = tasks.order_task(generator(), seeds=10, batch=1000)(5)
    assert is_share(answer.sum().item(), 0.5, 10_000)
    pairs = torch.stack([(tokens == s).long().argmax(-1).flatten() for s in (0, 1)])
    counts = np.bincount(5 * pairs[0] + pairs[1], minlength=25)[~np.eye(5, dtype=bool).ravel()]
    assert all(is_share(count, 1 / 20, 10_000) for count in counts)


def test_a_look_up_asks_for_one_of_the_pairs_that_are_shown():
    draw = tasks.lookup_task(generator(1), d=12, m=5, batch=400, symbols=7, classes=3)
    vectors = {}
    for query, keys, values, answer in (draw(), draw()):
        shapes = [tuple(x.shape) for x in (query, keys, values, answer)]
        assert shapes == [(400, 1, 12), (400, 5, 12), (400, 5, 12), (400,)]
        asked = (keys == query).all(dim=-1)
        assert torch.equal(asked.sum(dim=1), torch.ones(400, dtype=torch.int64))
        assert all(len(row.unique(dim=0)) == 5 for row in keys), "no symbol is shown twice"
        for vector, label in zip(values[asked], answer.tolist(), strict=True):
            assert torch.equal(vectors.setdefault(label, vector), vector), "a class has one vector in every batch"
        assert all(is_share(count, 1 / 5, 400) for count in asked.sum(dim=0).tolist())
        assert all(is_share(count, 1 / 3, 400) for count in answer.bincount(minlength=3).tolist())
        assert len(keys.reshape(-1, 12).unique(dim=0)) == 7
        alike = (values[:, 0] == values[:, 1]).all(dim=-1).sum().item()
        assert is_share(alike, 1 / 3, 400), "the classes of a row are independent"
    assert len({tuple(vector.tolist()) for vector in vectors.values()}) == 3


def test_heads_trained_side_by_side_are_those_that_are_trained_alone():
    for d_k, start in ((64, 1.0), (16, 0.5)):
        losses, accuracies = tasks.lookup_heads(d_k**-0.5, [0, 3], start=start, d_k=d_k, steps=40)
        assert losses.shape == accuracies.shape == (40, 2)
        alone = [tasks.lookup_curve(d_k**-0.5, seed, start=(start, start), d_k=d_k, steps=40) for seed in (0, 3)]
        np.testing.assert_allclose(losses.T, alone, atol=1e-4)
    assert accuracies[:3].mean() < 0.4 < 0.9 < accuracies[-3:].mean()
    assert (64 * accuracies % 1 == 0).all(), "a share of 64 questions"


def test_weights_and_vectors_have_their_variances():
    _, keys, values, _ = tasks.lookup_task(generator(2), d=500, m=8, batch=200, symbols=8, classes=8)()
    drawn = [(keys.reshape(-1, 500).unique(dim=0), 1), (values.reshape(-1, 500).unique(dim=0), 1)]
    drawn.append((tasks.weights(generator(), 50, 400), 1 / 50))
    w = tasks.encoder_weights(generator(), seeds=400, d=16, outputs=3, E=(7, 16))
    drawn += [(w["embed"], 1), (w["Q"], 1 / 16), (w["bias"], 0.01), (w["out"], 1 / 32), (w["E"], 0.01)]
    w = tasks.train_agreement(range(50), [1], steps=0)
    drawn += [(w["embed"], 1), *((w[name], 1 / 16) for name in "QKV")]
    w = tasks.draw_weights(0, d=120, d_ff=200, symbols=40)
    drawn += [(w["embed"], 1), (w["V1"], 1 / 120), (w["down0"], 1 / 200), (w["read"], 1 / 120)]
    for x, variance in drawn:
        assert abs(x.detach().var() / variance - 1) < 6 * (2 / x.numel()) ** 0.5
    assert all(x.requires_grad and x.is_leaf for x in w.values())


@pytest.mark.parametrize(
    ("name", "call"),
    {
        "runs": lambda: tasks.copy_task(generator(), runs=0),
        "batch": lambda: tasks.recall_task(generator(), batch=-1),
        "n": lambda: tasks.copy_task(generator())(0),
        "distance": lambda: tasks.recall_task(generator())(0),
        "symbols": lambda: tasks.order_task(generator(), symbols=2),
        "m": lambda: tasks.lookup_task(generator(), m=9, symbols=8),
        "Q": lambda: tasks.encoder_weights(generator(), Q=(1, 1)),
        "kind": lambda: tasks.train_copying("nothing", 0),
        "language": lambda: tasks.sentences("Greek"),
        "wolf": lambda: tasks.translate(untrained(0), [["猫", "wolf"]]),
        "loss at step 1": lambda: tasks.fit(lambda: (X**4).sum() * 1e9, [X], steps=5, lr=1e4),
    }.items(),
)
def test_what_has_no_question_or_diverges_is_refused(name, call):
    with pytest.raises(ValueError, match=rf"\b{name}\b"):
        call()


X = torch.tensor([1.0], requires_grad=True)

# ------------------------------------------------------------------------------------------------- descents


def test_fit_is_gradient_descent_from_the_last_gradient_alone():
    x = torch.tensor([3.0, -1.0], requires_grad=True)
    curve = tasks.fit(lambda: (x**2 * torch.tensor([1.0, 2.0])).sum(), [x], steps=3, lr=0.1)
    assert curve == pytest.approx([9 * 0.64**t + 2 * 0.36**t for t in range(3)])
    assert x.tolist() == pytest.approx([3 * 0.8**3, -(0.6**3)])


def of_each(w, tokens):
    """An encoder without attention: every token by itself, (seeds, batch, n, outputs)."""
    return tasks.read_out(w, torch.nn.functional.one_hot(tokens, 4).float() @ w["embed"])


def test_read_out_is_a_network_of_torch():
    w = tasks.encoder_weights(generator(), seeds=1, d=6, outputs=3)
    up, out = torch.nn.Linear(6, 12), torch.nn.Linear(12, 3, bias=False)
    with torch.no_grad():
        up.weight.copy_(w["up"][0, 0].T)
        up.bias.copy_(w["bias"][0, 0, 0])
        out.weight.copy_(w["out"][0, 0].T)
    Z = torch.randn(1, 5, 4, 6)
    torch.testing.assert_close(tasks.read_out(w, Z), torch.nn.Sequential(up, torch.nn.ReLU(), out)(Z))


def test_seeds_train_side_by_side_as_adam_would_train_one_alone():
    together = tasks.encoder_weights(generator(3), seeds=3, d=4)
    alone = {name: x[1:2].detach().clone().requires_grad_() for name, x in together.items()}
    batches = [tasks.order_task(generator(9), seeds=3, batch=8)(5) for _ in range(20)]
    first = iter(batches)
    tasks.train(lambda t: of_each(together, t).mean(-2), lambda n: next(first), together, n=5, steps=20, lr=0.05)
    adam = torch.optim.Adam(alone.values(), lr=0.05)
    for tokens, answer in batches:
        adam.zero_grad()
        logits = of_each(alone, tokens[1:2]).mean(-2)
        torch.nn.functional.cross_entropy(logits.flatten(0, 1), answer[1]).backward()
        adam.step()
    for name, x in alone.items():
        torch.testing.assert_close(together[name][1:2], x, rtol=1e-3, atol=1e-4)


# ----------------------------------------------------------------------------------- the encoder of the capstone


def test_the_encoder_is_that_of_torch_and_its_answer_a_mean():
    w, tokens, E = tasks.draw_weights(1), torch.tensor([[0, 2, 1, 3, 2, 3]]), torch.randn(6, 12, dtype=torch.float64)
    hidden = torch.ones(6, 6).triu(1).bool()
    for mask in (None, ~hidden):
        X = w["embed"][tokens] + E
        for layer in range(2):
            torch_layer = torch.nn.TransformerEncoderLayer(12, 3, 20, 0.0, batch_first=True, bias=False).double()
            inputs = torch.cat([w[f"{name}{layer}"].mT.reshape(12, 12) for name in "QKV"])
            torch_layer.load_state_dict(
                torch_layer.state_dict()
                | {"self_attn.in_proj_weight": inputs, "self_attn.out_proj.weight": w[f"O{layer}"].T}
                | {"linear1.weight": w[f"up{layer}"].T, "linear2.weight": w[f"down{layer}"].T}
            )
            X = torch_layer(X, src_mask=None if mask is None else hidden)
        torch.testing.assert_close(tasks.encode(w, w["embed"][tokens] + E, mask), X)
        torch.testing.assert_close(tasks.logits(w, tokens, E, mask), X.mean(dim=1) @ w["read"])


def test_there_are_480_sentences_and_fixed_weights_stay():
    tokens, answers = tasks.order_sentences()
    assert len(tokens.unique(dim=0)) == 480
    for s, answer in zip(tokens.tolist(), answers.tolist(), strict=True):
        assert (s.count(0), s.count(1), answer) == (1, 1, s.index(0) < s.index(1))
    fixed = {"O0": torch.zeros(12, 12, dtype=torch.float64)}
    w = tasks.train_order(0, torch.zeros(6, 12), fixed=fixed, steps=2)
    assert torch.equal(w["O0"], fixed["O0"])
    assert not torch.equal(w["O1"], tasks.draw_weights(0)["O1"])


def test_seeds_that_are_trained_together_are_trained_as_alone():
    for train, n in ((tasks.train_order, 6), (tasks.train_letters, 24)):
        E = torch.eye(n, 2 * n if n == 6 else n)
        together, alone = train([3, 5], E, steps=3), train(5, E, steps=3)
        for name, x in alone.items():
            torch.testing.assert_close(together[name][1, 0], x)


def test_windows_of_letters_overlap_by_one_and_are_not_learned_from():
    letters, learn, test = tasks.letter_windows()

    def spell(numbers):
        return "".join(letters[i] for i in numbers)

    text = tasks.genesis().lower()
    assert spell(learn) == text[:-900]
    assert [spell(window) for window in test[[0, 1, -1]]] == [text[-900:-875], text[-899:-874], text[-25:]]
    assert tasks.genesis().startswith("In the beginning God created the heaven and the earth.")


def test_a_next_letter_depends_on_no_later_one():
    letters, _, test = tasks.letter_windows()
    w = tasks.draw_weights(0, 1, d=24, d_ff=48, symbols=len(letters), outputs=len(letters))
    E = torch.randn(24, 24, dtype=torch.float64)
    changed = test[:3, :24].clone()
    changed[:, 20:] = 0
    one, other = (tasks.next_letter(w, tokens, E) for tokens in (test[:3, :24], changed))
    torch.testing.assert_close(one[:, :20], other[:, :20])


# ---------------------------------------------------------------------------------- small heads and readers


def test_a_trained_head_finds_the_marked_token():
    X = tasks.marked_tokens(torch.tensor([[3, 1, 3]]), torch.tensor([1]))
    assert X.argmax(dim=-1).tolist() == [[3, 1, 3]]
    assert X[..., -1].tolist() == [[0, 1, 0]]
    head = tasks.train_marked_head(0)
    accuracy, scores = tasks.marked_accuracy(10, *head)
    assert accuracy == 1
    assert (scores[:, 0] > scores[:, 1]).all()


@pytest.mark.parametrize(("cell", "network"), [(rnn, torch.nn.RNN), (lstm, torch.nn.LSTM)])
def test_a_recurrent_reader_is_a_network_of_torch_and_begins_as_one(cell, network):
    (W_x, W_h, b, out), logits = tasks.recurrent_reader(0, cell, bias=6, runs=1)
    layer, X = network(9, 16, batch_first=True), torch.randn(1, 5, 7, 9)
    with torch.no_grad():
        for name, x in {"weight_ih": W_x[0], "weight_hh": W_h[0], "bias_ih": b[0, 0], "bias_hh": 0 * b[0, 0]}.items():
            getattr(layer, f"{name}_l0").copy_(x)
        torch.testing.assert_close(logits(X), layer(X[0])[0][None, :, -1] @ out[0, 0].T)
    assert all(0.24 < x.abs().max() < 0.25 for x in (W_x, W_h, out))
    assert b[0, 0].tolist() == [*16 * [0], *16 * [6], *32 * [0]][: b.numel()]  # the forget gates; an RNN has none


def test_a_scheme_without_a_rule_is_masked_attention_and_alibi_subtracts_the_distance():
    w = tasks.encoder_weights(generator(), seeds=2, symbols=5, outputs=4)
    tokens = torch.randint(5, (2, 3, 9))
    i = range(9)
    X = torch.nn.functional.one_hot(tokens, 5).float() @ w["embed"]
    Z = X + attention(X @ w["Q"], X @ w["K"], X @ w["V"], causal_mask(9))
    torch.testing.assert_close(
        tasks.schemes._read(tasks.SCHEMES["none"], w, tokens, slice(0, None)), tasks.read_out(w, Z)
    )
    distance = torch.tensor([[abs(row - column) for column in i] for row in i])
    torch.testing.assert_close(tasks.SCHEMES["ALiBi, ½"].score({}, X, X, i, i), X @ X.mT - distance / 2)


@pytest.mark.parametrize("name", tasks.SCHEMES)
def test_a_scheme_sees_the_past_alone_and_no_further_than_its_window(name):
    scheme = tasks.SCHEMES[name]
    w = tasks.encoder_weights(generator(), seeds=2, symbols=5, outputs=4, **scheme.sizes)
    tokens = torch.randint(5, (2, 3, 13), generator=generator(1))
    read = partial(tasks.schemes._read, scheme, w, ask=slice(2, None))
    later, earlier = tokens.clone(), tokens.clone()
    later[..., 9:], earlier[..., :5] = 0, 0
    torch.testing.assert_close(read(tokens)[..., :7, :], read(later)[..., :7, :])
    torch.testing.assert_close(read(tokens, window=3)[..., 5:, :], read(earlier, window=3)[..., 5:, :])
    assert not torch.allclose(read(tokens)[..., 5:, :], read(earlier)[..., 5:, :])


def test_the_flagged_symbol_is_the_answer_and_stands_far_back_beyond_the_trained_length():
    for n, nearest in ((12, 1), (24, 13), (96, 13)):
        tokens, answer = tasks.schemes._flagged(generator(), 3, 500)(n)
        flagged = tokens > tasks.schemes.MARKER
        assert (flagged.sum(dim=-1) == 1).all()
        assert torch.equal(tokens[flagged] - 5, answer.flatten())
        places = flagged.nonzero()[:, -1]
        assert (n - places.max(), places.min()) == (nearest, 1)


@pytest.mark.parametrize("theta", [None, np.geomspace(1, 0.01, 8)], ids=["none", "rotary"])
def test_two_layers_see_two_windows_back_and_no_further(theta):
    w = tasks.train_stack(theta, 0.01, seeds=2, steps=1)
    tokens = torch.randint(5, (2, 3, 13), generator=generator(1))
    read = partial(tasks.stack._read, theta, w, ask=slice(-1, None), window=4)
    outside, inside = tokens.clone(), tokens.clone()
    outside[..., :6] = 4 - tokens[..., :6]
    inside[..., 6] = 3 - tokens[..., 6] % 4
    torch.testing.assert_close(read(outside), read(tokens))
    assert not torch.allclose(read(inside), read(tokens))


def test_the_answer_stands_behind_the_flag_and_before_all_that_is_asked():
    for n, asked, beyond in ((8, 2, 0), (40, 10, 0), (40, 1, 20)):
        tokens, answer = tasks.flag._draw([generator(), generator(1)], 400, n, asked, beyond)
        flagged = tokens == tasks.flag.FLAG
        assert (flagged.sum(dim=-1) == 1).all()
        assert (tokens[..., 0] == tasks.flag.MARKER).all()
        place = flagged.nonzero()[:, -1] + 1
        behind = tokens.flatten(0, 1).gather(1, place[:, None])
        assert torch.equal(behind.expand(-1, asked), answer.flatten(0, 1))
        assert n + 1 - asked - place.max() == beyond + 1, "the nearest stands just before what is asked"


@pytest.mark.parametrize(
    "rule",
    [
        tasks.LayerRule(),
        tasks.LayerRule(np.geomspace(1, 0.01, 8)),
        tasks.LayerRule(slope=0.5),
        tasks.LayerRule(np.geomspace(1, 0.01, 8), window=3),
    ],
    ids=["none", "rotary", "slope", "rotary, window"],
)
def test_two_flag_layers_are_attention_with_the_rules_that_they_are_given(rule, monkeypatch):
    monkeypatch.setattr(tasks.flag, "GROWING", {8: 1})
    w = {name: x[0, 0].detach().double() for name, x in tasks.train_flag([rule, rule], 0.01, [5]).items()}
    tokens = torch.randint(6, (9,), generator=generator(2))
    i, j = np.indices((9, 9))
    hidden = (j > i) | (i - j >= (rule.window or 9))
    bias = torch.tensor(np.where(hidden, -np.inf, -rule.slope * (i - j)))
    angles = torch.arange(9.0)[:, None] * torch.tensor(np.zeros(8) if rule.theta is None else rule.theta)
    turn = torch.polar(torch.ones_like(angles), angles).to(torch.complex128)

    def turned(x):
        return torch.view_as_real(torch.view_as_complex(x.reshape(9, 8, 2)) * turn).flatten(1)

    X = w["embed"][tokens]
    for layer in range(2):
        Q, K, V = (X @ w[f"{name}{layer}"] for name in "QKV")
        X = X + torch.softmax(turned(Q) @ turned(K).T / 4 + bias, dim=-1) @ V
    expected = (torch.relu(X @ w["up"] + w["bias"]) @ w["out"])[-2:]
    whole = {name: x.float()[None, None] for name, x in w.items()}
    found = tasks.flag._second(rule, whole, tasks.flag._first(rule, whole, tokens[None, None]), 2)
    torch.testing.assert_close(found[0, 0].double(), expected, atol=1e-4, rtol=1e-4)


def test_a_seed_alone_learns_what_it_learns_beside_others(monkeypatch):
    monkeypatch.setattr(tasks.flag, "GROWING", {8: 3})
    rules = [tasks.LayerRule(np.geomspace(1, 0.01, 8)), tasks.LayerRule()]
    together, alone = (tasks.train_flag(rules, 0.01, seeds) for seeds in ((3, 7), (7,)))
    for name, x in alone.items():
        torch.testing.assert_close(together[name][1:], x)
    loss, shares = tasks.measure_flag(rules, together, 20, beyond=8, scales=(1.0, 3.0))
    again, _ = tasks.measure_flag(rules, alone, 20, beyond=8)
    assert (loss.shape, shares.shape) == ((2,), (2, 2))
    np.testing.assert_allclose(again, loss[1:], rtol=1e-4)


def test_a_clipped_rotary_score_counts_every_far_offset_as_the_clip():
    Q, K = torch.randn(2, 1, 1, 9, 16, generator=generator())
    theta, i = np.geomspace(1, 0.01, 8), np.arange(9)
    clipped = tasks.rotary(theta, clip=3).score({}, Q, K, i, i)
    for back in range(9):  # key 0, turned to where it counts
        nearer = tasks.rotary(theta).score({}, Q[..., [back], :], K[..., [0], :], [min(back, 3)], [0])
        torch.testing.assert_close(clipped[..., [back], [0]], nearer[..., 0])


def test_further_training_leaves_the_weights_that_it_begins_with():
    start = tasks.train_scheme(tasks.SCHEMES["T5"], 0.01, seeds=2, steps=1)
    before = {name: x.clone() for name, x in start.items()}
    after = tasks.train_scheme(tasks.SCHEMES["T5"], 0.01, steps=1, n=20, batch=2, start=start, ask=slice(-5, None))
    for name, x in before.items():
        assert torch.equal(start[name], x)
        assert not torch.equal(after[name], x)


# ---------------------------------------------------------------------------------------------- the translator

CHINESE, LATIN = tasks.sentences("Chinese"), tasks.sentences("Latin")


def untrained(seed, source_positions=False):
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return tasks.Translator(source_positions)


def translator_logits(model, words, order, **condition):
    """Scores of the first two English words for one order of the source, which may hold padding."""
    ids = translation.words_to_ids([[words[i] for i in order]])
    padding = ids == 0
    with torch.no_grad():
        return model.logits(torch.tensor([[1, 4]]), model.read(ids, padding, **condition), padding)


def test_only_the_order_tells_chinese_sentences_apart_and_the_endings_latin_ones():
    translations = collections.defaultdict(set)
    for words, english in CHINESE:
        translations[tuple(sorted(words))].add(tuple(english))
    assert {len(pair) for pair in translations.values()} == {2}
    assert len({tuple(sorted(words)) for words, _ in LATIN}) == len(LATIN)


@pytest.mark.parametrize("words", [["猫", "坐在", "垫子", "上"], ["猫", "喜欢", "鱼", ""]], ids=["full", "padded"])
def test_order_is_seen_with_positions_or_a_causal_mask_alone(words):
    blind, sighted, turned = untrained(1), untrained(1, source_positions=True), [1, 2, 3, 0]
    plain = translator_logits(blind, words, range(4))
    for order in itertools.permutations(range(4)):
        torch.testing.assert_close(translator_logits(blind, words, order), plain, atol=1e-12, rtol=0)
    for model, condition in ((sighted, {}), (blind, {"causal": True})):
        one, other = (translator_logits(model, words, order, **condition) for order in (turned, range(4)))
        assert (one - other).abs().max() > 1e-3


def test_padding_and_future_words_are_hidden():
    words = ["猫", "喜欢", "鱼", "", ""]
    for model in (untrained(2), untrained(2, source_positions=True)):
        short, long = (translator_logits(model, words, range(n)) for n in (3, 5))
        torch.testing.assert_close(short, long, atol=1e-12, rtol=0)
    ids = translation.words_to_ids([words[:3]])
    with torch.no_grad():
        memory = model.read(ids, ids == 0)
        a, b = (model.logits(torch.tensor([[1, 4, last]]), memory, ids == 0) for last in (5, 6))
        whole, part = (model.read(ids[:, :n], ids[:, :n] == 0, causal=True) for n in (3, 2))
    torch.testing.assert_close(a[:, :2], b[:, :2], atol=1e-12, rtol=0)
    assert (a[:, 2] - b[:, 2]).abs().max() > 1e-3
    torch.testing.assert_close(whole[:, :2], part, atol=1e-12, rtol=0)


def test_the_loss_is_that_of_the_probabilities_and_a_blind_one_exceeds_ln_2():
    model, pairs = untrained(1), [CHINESE[0], CHINESE[2]]  # three and four English words
    losses = []
    for words, english in pairs:
        ids = translation.words_to_ids([words])
        target = [translation.ENGLISH.index(w) for w in ["<start>", *english, "<end>"]]
        with torch.no_grad():
            p = model.logits(torch.tensor([target[:-1]]), model.read(ids, ids == 0), ids == 0).softmax(dim=-1)[0]
        losses.append(-sum(p[i, word].log().item() for i, word in enumerate(target[1:])))
    assert tasks.loss_per_sentence(model, pairs) == pytest.approx(sum(losses) / 2, rel=1e-9)
    assert tasks.loss_per_sentence(model, CHINESE) > np.log(2)


def test_a_trained_model_masters_what_it_can_see():
    blind, sighted = (tasks.train_translator(5, source_positions=s, steps=80) for s in (False, True))
    assert min(tasks.correct(blind, LATIN), tasks.correct(blind, LATIN, (2, 1, 0)), tasks.correct(sighted, LATIN)) >= 36
    assert tasks.correct(blind, CHINESE) <= 30
    assert tasks.correct(sighted, CHINESE) >= 54


# ------------------------------------------------------------------------------------------------- comparisons

GRID = {"rates": (0.1, 1, 3, 10, 30), "settings": {"size": (1, 2, 3)}, "seeds": range(12)}


def parabola(side, rate, seeds, size):
    """A loss that is least at rate 1 on one side and at rate 3 on the other, and an accuracy that tells nothing."""
    off = np.log(rate / {"one": 1, "another": 3}[side]) ** 2 if rate else 0
    return {"accuracy": [1.0] * len(seeds), "loss": [off + size + seed / 100 for seed in seeds]}


def test_each_side_is_reported_at_its_own_best_rate_by_other_seeds_than_chose_it():
    members, member, summary = tasks.comparison(parabola, ("one", "another"), **GRID, has_rate=lambda size: size > 1)
    rows = summary([member(k) for k in members])["rows"]
    assert [row["rate"] for row in rows] == [None, 1, 1, None, 3, 3]
    assert [(row["side"], row["size"]) for row in rows] == [(s, k) for s in ("one", "another") for k in (1, 2, 3)]
    assert rows[1]["loss"] == pytest.approx([2.04, 2.075, 2.11])


def test_the_seeds_of_a_row_are_those_behind_its_median():
    members, member, summary = tasks.comparison(parabola, ("one", "another"), **GRID, has_rate=lambda size: size > 1)
    results = [member(k) for k in members]
    for row in tasks.with_seeds(summary(results), results, GRID["rates"], ["loss", "accuracy"])["rows"]:
        seeds = row["seeds"]["loss"]
        assert len(seeds) == 8
        assert row["loss"] == pytest.approx([min(seeds), np.median(seeds), max(seeds)])
        assert row["seeds"]["accuracy"] == [1.0] * 8
    assert tasks.ahead([1, 2, 3, 4], [0, 2, 4, 5]) == (1, 1, 2)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"rates": (1, 2, 3, 4)}, "rates"),
        ({"settings": {"size": (1, 2)}}, "setting"),
        ({"settings": {}}, "setting"),
        ({"seeds": range(11)}, "seeds"),
        ({"sides": ["one"]}, "sides"),
    ],
)
def test_a_comparison_in_one_setting_is_refused(change, named):
    with pytest.raises(ValueError, match=named):
        tasks.comparison(parabola, **{"sides": ("one", "another"), **GRID, **change})


def test_a_side_whose_best_rate_was_not_tried_is_refused():
    members, member, summary = tasks.comparison(parabola, ("one", "another"), **GRID | {"rates": (0.1, 0.3, 1, 2, 3)})
    with pytest.raises(ValueError, match="another"):
        summary([member(k) for k in members])
