"""What live figures compute, against torch, SciPy and laws that only they show. Needs no browser."""

import base64
import itertools
import math

import numpy as np
import pytest
import torch
from attnbook import pretrained
from attnbook.attention import attention, entropy, softmax
from attnbook.language_model import next_logits
from attnbook.permutations import permutations
from attnbook.positional import frequencies, rotate, sinusoidal
from attnbook.results import load
from attnbook.simplex import hull_weights, separating_direction
from attnfigures.live import crowd, fade, inks, mirror, orders, stabiliser, star, twins, walkers, windows
from attnfigures.live.ablation import answers, sentences
from attnfigures.live.memory import memory
from attnfigures.live.spread import KEYS, keys
from live_figures import EXACT, module, states
from scipy import linalg, spatial, stats

ORDERS = permutations(4)


def test_ablation_answers_as_torch_does_with_every_choice_of_heads():
    w = {name: torch.tensor(x) for name, x in mirror.weights("positions", 100).items()}
    tokens = sentences()
    assert len({tuple(words) for words in tokens.tolist()}) == len(tokens) == 480
    first = np.array([list(words).index(0) < list(words).index(1) for words in tokens])
    for heads, instead in itertools.product(itertools.product((0, 1), repeat=6), ("alike", "nothing")):
        X, maps, mixed = w["embed"][torch.tensor(tokens)] + torch.tensor(sinusoidal(np.arange(6), 12)), [], []
        for i, r in itertools.product(range(2), range(3)):
            Q, K, V = (X @ w[f"{name}{i}"][r] for name in "QKV")
            A = torch.softmax(Q @ K.mT / 2, dim=-1)
            maps.append(A if heads[3 * i + r] else torch.full_like(A, {"alike": 1 / 6, "nothing": 0}[instead]))
            mixed.append(maps[-1] @ V @ w[f"O{i}"][4 * r : 4 * r + 4])
            if r == 2:
                Z = torch.nn.functional.layer_norm(X + sum(mixed[-3:]), (12,))
                X = torch.nn.functional.layer_norm(Z + torch.relu(Z @ w[f"up{i}"]) @ w[f"down{i}"], (12,))
        expected = torch.softmax(X.mean(dim=-2) @ w["read"], dim=-1)[..., 1].numpy()
        ours, p = answers(tokens, heads, instead)
        assert abs(ours - torch.stack(maps).numpy()).max() < EXACT
        assert abs(p - expected).max() < EXACT
        sentence = " ".join(mirror.WORDS[t] for t in tokens[0])
        assert module("ablation").compute(sentence, list(heads), instead)["right"] == ((expected > 0.5) == first).sum()


@pytest.mark.parametrize("model", ["no positions", "positions"])
@pytest.mark.parametrize("step", mirror.STEPS)
def test_mirror_answers_as_the_encoder_of_torch(model, step):
    w = {name: torch.tensor(x) for name, x in mirror.weights(model, step).items()}
    tokens, mirrored = sentences(), sentences()[:, ::-1].copy()
    X = w["embed"][torch.tensor(tokens)] + (torch.tensor(sinusoidal(np.arange(6), 12)) if model == "positions" else 0)
    for i in range(2):
        options = {"dim_feedforward": 20, "dropout": 0.0, "batch_first": True, "bias": False, "dtype": torch.float64}
        with torch.random.fork_rng():
            layer = torch.nn.TransformerEncoderLayer(12, 3, **options).eval()
        own = {"self_attn.in_proj_weight": torch.cat([w[f"{c}{i}"].mT.reshape(12, 12) for c in "QKV"])}
        own |= {"self_attn.out_proj.weight": w[f"O{i}"].T, "linear1.weight": w[f"up{i}"].T}
        layer.load_state_dict(layer.state_dict() | own | {"linear2.weight": w[f"down{i}"].T})
        with torch.no_grad():
            X = layer(X)
    expected = torch.softmax(X.mean(dim=1) @ w["read"], dim=-1)[:, 1].numpy()
    p, reflected = (softmax(mirror.forward(model, step, t)[1])[:, 1] for t in (tokens, mirrored))
    assert abs(p - expected).max() < EXACT
    truth = np.array([list(words).index(0) < list(words).index(1) for words in tokens])
    [stored] = [m for m in load("mirror")["members"] if (m["model"], m["step"]) == (model, step)]
    assert ((p > 0.5) == truth).sum() == stored["right"]
    if model == "no positions":  # the law: a sentence and its mirror have one answer, so half of all are right
        assert abs(p - reflected).max() < EXACT
        assert stored["right"] == 240
    else:
        assert abs(p - reflected).max() > 1e-3


def test_conjugation_counts_the_ways_to_come_home():
    for rows in ORDERS:
        homes = [int(np.trace(np.eye(4)[rows] @ np.eye(4)[columns].T)) for columns in ORDERS]
        result = module("conjugation").compute(rows, ORDERS[5])
        assert result["ways"] == [np.bincount(homes).tolist()] == [[9, 8, 6, 0, 1]]
        assert result["home"] == result["trace"] == homes[5]


@pytest.mark.parametrize(("m", "lead"), [(2, 0.0), (13, 2.5), (97, 0.3), (5000, 9.0)])
def test_crowd_counts_equal_keys_as_one(m, lead):
    a = softmax(np.r_[lead, np.zeros(m - 1)])
    np.testing.assert_allclose(np.ravel(crowd.attend(m, lead)), [a[0], np.exp(entropy(a))], rtol=1e-12)


def test_crowd_loses_every_key_by_a_fixed_factor_and_by_log_n_those_with_a_small_lead():
    for c, limit in ((0.6, 0), (1.0, 0.5), (1.5, 1)):
        assert crowd.attend(1e12, c * np.log(1e12))[0] == pytest.approx(limit, abs=1e-3)
        assert crowd.attend(1e12, 5 * c * np.log(13))[0] < 0.001  # a factor of 5, at last
        assert crowd.compute(97, c, 13, True)["weights"][1] == pytest.approx(1 / (1 + 96 * 97**-c))


def test_heads_have_the_margins_of_the_best_cut():
    signs, turns = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]]), np.linspace(0, np.pi, 20_001)
    met = set()
    for state in states("heads", 200):
        result, one = module("heads").compute(**state), state["second"] == 0
        first, third = (result["weights"][:, j] * [1, state["second"]] for j in (0, 2))
        assert abs(result["outputs"] - signs @ [first, third]).max() < EXACT
        directions = np.array([[1.0], [0.0]]) if one else np.array([np.cos(turns), np.sin(turns)])
        for i, (cut, margin) in enumerate(zip(result["cuts"], result["margins"], strict=True)):
            sides = (result["outputs"] * signs[:, [i]]) @ directions  # positive: the cut answers right
            assert abs(margin - max(sides.min(0).max(), (-sides).min(0).max(), 0)) < 1e-3
            assert (cut is None) == (margin == 0)
            if cut is not None:
                assert abs(((result["outputs"] * signs[:, [i]]) @ cut / margin).min() - margin) < 1e-9
        met.add((one, *(result["margins"] > 0).tolist()))
    # One head never answers both questions; two heads that are alike do no better.
    some = {(one, *yes) for one in (True, False) for yes in ((True, False), (False, True), (False, False))}
    assert met == some | {(False, True, True)}


@pytest.mark.parametrize(("first", "last", "depth"), [(1, 0, 0), (-3, 3, 2 - 12 / 2**0.5)])
def test_hull_measures_the_distance_to_values_on_a_line(first, last, depth):
    keys = [[first, 0], [0, 0], [0, 0], [last, 0]]  # first, the output is (−2/√2, 0), in the segment
    result = module("hull").compute([1, 0], keys, [[-2, 0], [-1, 0], [1, 0], [2, 0]], 1.0, "none")
    assert result["depth"] == pytest.approx(depth, abs=1e-12)


UNCORRELATED = np.linalg.qr(np.random.default_rng(0).normal(size=(64, 13)))[0]  # 64 runs of 13 words
THIRTEEN = "a b c d e f g h i j k l m"


@pytest.mark.parametrize("asked", [1, 5, 13])
@pytest.mark.parametrize(("rho", "size"), [(1, 4), (0.9, 1), (0.5, 13), (0.7, 16)])
@pytest.mark.parametrize("model", ["recurrent", "gated"])
def test_inks_of_a_state_are_what_its_answers_explain(model, rho, size, asked):
    """Each answer is the best linear guess of a word from the state, and a linear fit of all answers explains R²."""
    result = inks.inks(THIRTEEN, model=model, rho=rho, size=size, questions=asked).compute()
    X, h = UNCORRELATED, np.zeros((64, size))
    for t in range(asked if model == "gated" else 13):
        h = rho * np.roll(h, 1, axis=1)
        h[:, 0] += X[:, t]
    answers = h @ np.linalg.lstsq(h, X[:, :asked], rcond=None)[0]
    fitted = answers @ np.linalg.lstsq(answers, X, rcond=1e-10)[0]
    assert result["recovery"] == pytest.approx((fitted**2).sum(0), abs=1e-8)
    assert result["spent"] == pytest.approx(min(asked, size))


@pytest.mark.parametrize("rho", [0.5, 0.9, 1, 1.1])
def test_a_word_fades_as_the_derivative_of_the_last_state(rho):
    turn = torch.tensor(np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0])
    x, h = torch.zeros(13, dtype=torch.float64), torch.zeros(4, dtype=torch.float64)

    def last_state(x):
        state = h
        for word in x:
            state = rho * turn @ state + word * torch.eye(4, dtype=torch.float64)[0]
        return state

    columns = torch.autograd.functional.jacobian(last_state, x).norm(dim=0)
    assert fade.fade(THIRTEEN, rho=rho).compute()["influence"] == pytest.approx(columns.numpy(), abs=EXACT)


@pytest.mark.parametrize("asked", [1, 5, 13])
def test_inks_of_attention_are_those_of_an_answer_per_query(asked):
    result = inks.inks(THIRTEEN, model="attention", questions=asked).compute()
    X = UNCORRELATED.T
    Y = attention(5 * np.eye(13)[:asked] * 13**0.5, np.eye(13), X)  # the package divides by √13
    fitted = np.linalg.lstsq(Y.T, X.T, rcond=None)[0].T @ Y
    assert result["recovery"] == pytest.approx((fitted**2).sum(1))
    assert result["spent"] == pytest.approx(asked)


def test_with_attention_all_words_fade_alike():
    X = UNCORRELATED.T
    Y = attention(5 * np.eye(13) * 13**0.5, np.eye(13), X)  # the package divides by √13
    result = fade.fade(THIRTEEN, model="attention").compute()
    assert result["influence"] == pytest.approx(np.linalg.norm(Y @ X.T, axis=0))


@pytest.mark.parametrize("model", inks.MODELS)
def test_one_answer_of_one_number_carries_the_same_in_every_model(model):
    """Attention does not lift the bound of one answer: the sums differ only where there are many questions."""
    spent = [inks.inks(THIRTEEN, model=model, rho=1, size=4, questions=T).compute()["spent"] for T in (1, 13)]
    assert spent == pytest.approx([1, 13 if model == "attention" else 4])


def test_memory_keeps_the_laws_of_each_way():
    def shown(way, test=128):
        return memory(train=32, test=test, way=way, base=100.0, fast=4.0).compute()

    theta, content = frequencies(16, 100.0), np.tile([1.0, 0.0], (1, 8))
    plain, interpolate, ntk, yarn, clip = map(shown, ("plain", "interpolate", "ntk", "yarn", "clip"))
    assert plain["outside"] == 5  # the pairs that made less than a turn in training
    np.testing.assert_allclose(interpolate["hands"].ravel(), rotate(content, [128 / 4], theta)[0])
    np.testing.assert_allclose(ntk["steps"][[0, 7]], theta[[0, 7]] / [1, 4])
    np.testing.assert_allclose(yarn["steps"][[0, 3, 7]], theta[[0, 3, 7]] / [1, 4, 4])
    assert theta[1] / 4 < yarn["steps"][1] < theta[1]
    np.testing.assert_allclose(clip["hands"].ravel(), rotate(content, [32], theta)[0])
    assert interpolate["outside"] == yarn["outside"] == clip["outside"] == 0
    for way in ("plain", "interpolate", "ntk", "yarn", "clip"):
        assert shown(way, test=32)["outside"] == 0
        np.testing.assert_allclose(shown(way, test=32)["steps"], theta)
        for test in range(33, 257, 7):  # the slowest pair leaves what it learned unless something is done
            assert shown(way, test=test)["beyond"][7] == (way == "plain")


def test_mirror_draws_threads_between_the_answers_to_a_sentence_and_to_its_mirror():
    for state in states("mirror", 10):
        result = mirror.compute(**state)
        for k, sentence in enumerate(state["tried"]):
            own = mirror.compute(sentence, state["step"], [])
            for name in mirror.MODELS:
                assert abs(result[f"{name}Tried"][k] - own[name]).max() < EXACT
                assert result[f"{name}Hits"][k].tolist() == [
                    (p > 0.5) == truth
                    for p, truth in zip(own[name], (own["catFirst"], not own["catFirst"]), strict=True)
                ]


@pytest.mark.parametrize("later", [0, 0.5, 0.95, 1])
def test_shuffle_keeps_every_row_in_all_orders_only_without_a_mask(later):
    keeps = module("shuffle").compute("cat likes fish", [0, 1, 2], later)["keeps"]
    assert keeps == ([True] * 6 if later == 1 else [True] + [False] * 5)


def test_similarity_has_bars_that_are_sums_of_its_waves():
    for state in states("similarity", 20):
        result = module("similarity").compute(**state)
        assert abs(result["waves"][:, ::2].sum(axis=0) - result["products"]).max() < 1e-12 * 64


def test_similarity_names_every_row_that_is_farther_and_more_similar():
    met = set()
    for state in states("similarity", 60):
        i, j, d, base = (state[name] for name in ("row", "other", "d", "base"))
        angles = np.outer(np.arange(41), [base ** (-2 * k / d) for k in range(d // 2)])
        products = np.cos(angles - angles[i]).sum(axis=1)
        result = module("similarity").compute(**state)
        for t in range(41):
            gap = products[t] - products[j]
            if abs(t - i) <= abs(j - i) or abs(gap) > 2e-9:
                assert result["farther"][t] == (abs(t - i) > abs(j - i) and gap > 0)
        assert result["count"] == sum(result["farther"])
        met.add(result["count"] > 0)
    assert met == {True, False}


def test_similarity_has_bases_with_which_no_row_is_farther_and_more_similar():
    """The question of the figure has an answer, between bases that are none."""
    count = lambda base: module("similarity").compute(10, 12, 8, base)["count"]  # noqa: E731
    assert [count(base) > 0 for base in (1, 3, 10, 30, 200, 10_000, 1e6)] == [
        True,
        True,
        False,
        False,
        True,
        True,
        True,
    ]


def test_spread_has_normal_keys_and_scores_as_wide_as_the_query_is_long():
    assert stats.kstest(keys().ravel(), "norm").pvalue > 0.01
    assert abs(np.corrcoef(keys().T)[0, 1]) < 3 / np.sqrt(KEYS)
    for query in ([0.8, 0.6], [-3.0, 1.0], [0.0, 4.0]):
        result = module("spread").compute(query, 2.0)
        assert result["ratio"] == pytest.approx(np.hypot(*query) / 2)
        assert abs(result["deviation"] / result["ratio"] - 1) < 0.2  # its standard error is 1/√(2 · 200) = 0.05


def test_springs_have_the_weights_of_largest_entropy_and_of_the_query():
    met = set()
    for state in states("springs", 120):
        result = module("springs").compute(**state)
        V, y, seen = np.array(state["values"]), np.array(state["output"]), ~np.array(state["masked"])
        a, q, faces = result["weights"], result["query"], spatial.ConvexHull(V[seen])
        met.add(result["where"])
        assert spatial.ConvexHull(result["hull"]).volume == pytest.approx(faces.volume, rel=1e-9)
        depth = (faces.equations @ [*y, 1]).max()
        assert (depth > 1e-9) == (result["where"] == "outside")
        assert (depth < -1e-9) == (result["where"] == "inside") == (q is not None)
        if result["where"] == "outside":
            w = y - result["nearest"]  # a half-plane holds the values, and the nearest point is in the hull
            assert w @ y > (V[seen] @ w).max() + 0.99 * w @ w
            assert separating_direction(y, V[seen]) is not None
            continue
        assert a.min() >= 0
        assert abs(np.r_[a.sum() - 1, a @ V - y]).max() < 1e-12
        assert not a[~seen].any()
        assert entropy(a) > entropy(hull_weights(y, V[seen])) - 1e-6
        on = a > 0  # the condition of optimality: the logarithms of the weights are an affine function of the values
        system, logs = np.c_[V[on], np.ones(on.sum())], np.log(a[on])
        assert abs(system @ np.linalg.lstsq(system, logs, rcond=None)[0] - logs).max() < 1e-7
        if q is not None:
            assert on[seen].all()
            np.testing.assert_allclose(softmax(V[seen] @ q), a[seen], atol=1e-11)
        for w in result["outward"]:  # the weights live on the values that lie farthest in this direction
            far = V[seen] @ w > (V[seen] @ w).max() - 1e-9
            assert not a[seen][~far].any()
            assert far.sum() >= 2
        if q is None:  # no query has this output, but growing ones come near it
            between = np.sum(result["outward"], axis=0)
            place = np.zeros(2) if result["along"] is None else result["along"]
            before = math.inf
            for t in 10.0 ** np.arange(1, 7):
                reached = softmax(V[seen] @ (place + t * between)) @ V[seen]
                assert np.hypot(*(reached - y)) <= before + 1e-9
                before = np.hypot(*(reached - y))
            assert before < 1e-9
    assert met == {"inside", "side", "corner", "outside"}


def test_springs_on_a_side_need_a_part_of_the_query_along_it():
    values = np.array([[-2, -1.5], [1.5, -1.5], [2.5, 0.5], [1, 2], [-2, 1.5], [0.5, 0.5], [-0.5, -0.5]])
    result = module("springs").compute(values.tolist(), [0.0, -1.5], [False] * 7)

    def limit(query):
        return softmax(values @ query) @ values

    (outward,) = result["outward"]
    np.testing.assert_allclose(limit(1e3 * outward), [-0.25, -1.5], atol=1e-10)  # the middle of the side, not the ring
    np.testing.assert_allclose(limit(1e3 * outward + result["along"]), [0, -1.5], atol=1e-10)


def test_squeeze_loses_no_less_than_the_smaller_squared_singular_value():
    for state in states("squeeze", 60):
        X, result = np.array(state["points"]), module("squeeze").compute(**state)
        tolerance = 1e-11 * result["total"]
        assert result["lost"] >= result["bound"] - tolerance
        if state["numbers"] == 2:
            assert (result["lost"], result["bound"]) == (0, 0)
            continue
        u = np.array([np.cos(np.radians(state["angle"])), np.sin(np.radians(state["angle"]))])
        # The rebuilt point is the best that any number makes on the line: least squares for each point by itself.
        fitted = u * np.linalg.lstsq(u[:, None], X.T, rcond=None)[0].T
        np.testing.assert_allclose(result["rebuilt"], fitted, atol=1e-12)
        assert abs(result["lost"] - ((X - fitted) ** 2).sum()) < tolerance
        sigma = np.linalg.svd(X, compute_uv=False)
        np.testing.assert_allclose(result["sigma"], sigma**2, atol=tolerance)
        best = np.array([np.cos(np.radians(result["best"])), np.sin(np.radians(result["best"]))])
        assert abs(((X - np.outer(X @ best, best)) ** 2).sum() - result["bound"]) < tolerance


def test_stabiliser_can_have_these_sizes():
    """Of all 65,536 masks: 3 orders can be left, as the figure asks for, and neither 5 nor 12."""
    M = (np.arange(2**16)[:, None] >> np.arange(16) & 1).reshape(-1, 4, 4)
    sizes = sum((M[:, order][:, :, order] == M).all(axis=(1, 2)).astype(int) for order in map(list, ORDERS))
    assert set(sizes.tolist()) == {1, 2, 3, 4, 6, 8, 24}
    for m in M[::4096]:
        assert stabiliser.compute(m.tolist(), ORDERS[0])["stabiliser"] == sizes[(m.ravel() << np.arange(16)).sum()]


def test_star_moves_in_the_null_space():
    ranks = set()
    for state in states("star", 300):
        rank, N = star.freedom(state["values"])
        system = np.vstack([np.transpose(state["values"]), np.ones(5)])
        basis = linalg.null_space(system, rcond=1e-9)
        assert basis.shape == (5, 5 - rank)
        assert abs(N / N.trace() * (5 - rank) - basis @ basis.T).max() < 1e-9
        result = module("star").compute(**state | {"mode": "weights"})
        a = result["weights"]
        assert a.min() >= 0
        assert abs(a.sum() - 1) < 1e-12
        for j in np.flatnonzero(N.diagonal()):
            least = np.linalg.pinv(np.vstack([system, np.eye(5)[j]]), rcond=1e-9) @ [0, 0, 0, 1]
            assert abs(result["directions"][j] - least).max() < 1e-6
            ends = a + np.outer([result["low"][j] - a[j], result["high"][j] - a[j]], result["directions"][j])
            assert abs(ends.min(1)).max() < 1e-9  # at both ends some weight is 0, and none is below
        ranks.add(rank)
    assert ranks == {1, 2, 3}


@pytest.mark.parametrize(
    ("c", "alpha", "sigma"), [(0.25, 1.0, 1.0), (1.0, 0.5, 0.25), (1.0, 1.0, 0.125), (1 / 16, 1.0, 1.0)]
)
def test_twins_run_gradient_descent_as_torch_does(c, alpha, sigma):
    Q, K = (torch.tensor(alpha * W, requires_grad=True) for W in twins.weights())
    descent, losses = torch.optim.SGD([Q, K], lr=twins.RATE * sigma), []
    for _ in range(61):
        A = torch.softmax(c * Q @ K.T, dim=1)
        loss = (A - torch.eye(4)).square().sum() / 8
        losses.append(loss.item())
        descent.zero_grad()
        loss.backward()
        descent.step()
    rows, found = twins.train(c, alpha, sigma)
    np.testing.assert_allclose(found, losses, rtol=1e-10)
    np.testing.assert_allclose(rows[-1], A.detach().numpy(), rtol=1e-9)
    assert (twins.home(rows[-1]) == (A.argmax(dim=1) == torch.arange(4)).numpy()).all()


def test_without_a_scale_the_twin_with_the_same_matrices_and_steps_falls_behind():
    result = twins.twins().compute()
    with_scale, without = result["losses"]
    assert (with_scale < without).all()
    assert result["right"].tolist() == [4, 3]


@pytest.mark.parametrize("scale", [0, 2, 4])
def test_twins_meet_at_one_place_of_the_grid(scale):
    places = itertools.product(range(-3, 1), range(-5, 1))
    apart = {(start, step): twins.compute(scale, start, step)["apart"] for start, step in places}
    assert [place for place, gap in apart.items() if gap == 0] == [(-scale // 2, -scale)]
    assert min(gap for gap in apart.values() if gap) > 0.01


def test_walkers_take_the_steps_of_a_published_generator():
    def mulberry32(state):
        while True:
            state = (state + 0x6D2B79F5) % 2**32
            t = (state ^ (state >> 15)) * (state | 1) % 2**32
            t ^= (t + (t ^ (t >> 7)) * (t | 61)) % 2**32
            yield t ^ (t >> 14)

    bits = [2 * (word >> c & 1) - 1 for word in itertools.islice(mulberry32(0), 70) for c in range(32)]
    assert walkers.steps(0).ravel()[: len(bits)].tolist() == bits
    following = next(
        itertools.islice(mulberry32(0), walkers.QUERIES * 16 * 32, None)
    )  # the next draw goes on from there
    assert walkers.steps(1)[0, 0, :32].tolist() == [2 * (following >> c & 1) - 1 for c in range(32)]


@pytest.mark.parametrize(("d_k", "power"), [(1, 0.0), (8, 0.25), (64, 1.0)])
def test_walkers_have_the_gradient_of_autograd(d_k, power):
    K = torch.tensor(walkers.steps(3)[5, :, :d_k], dtype=torch.float64)
    q = torch.ones(d_k, dtype=torch.float64)
    J = torch.autograd.functional.jacobian(lambda q: torch.softmax(K @ q / d_k**power, 0), q)
    assert walkers.compute(d_k, power, 3, "gradients")["gradients"][5] == pytest.approx(J.norm().item(), rel=1e-9)


@pytest.mark.parametrize("ahead", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 0.375, 1.0])
def test_orders_says_what_the_language_model_says(alpha, ahead):
    if not pretrained.available():
        pytest.skip(f"not checked, for want of weights: {pretrained.HOW}")
    model = pretrained.load()
    for sentence in ("Tom gave Mary a book", "book a Mary gave Tom"):
        ids = model.encode(f" {sentence}. The book now belongs to")
        mask = np.ones((len(ids), len(ids)), dtype=bool) if ahead else None
        theta = alpha * frequencies(model.head_width, model.base)
        scores = next_logits(model, ids, mask=mask, theta=theta).astype(float)
        Mary, Tom = (model.encode(f" {name}")[0] for name in ("Mary", "Tom"))
        result, first = orders.compute(sentence, alpha, ahead), np.argsort(-scores)[:5]
        assert result["own"] == pytest.approx(scores[Mary] - scores[Tom], abs=2e-3)
        percent = 100 * np.exp(scores - np.logaddexp.reduce(scores))
        others = [token for token in first if token not in (Mary, Tom)][:3]
        true = {model.decode(token): percent[token] for token in (Mary, Tom, *others)}
        assert sorted(result["words"]) == sorted(true)
        for word, shown in zip(result["words"], result["percent"], strict=True):
            if result["bounds"] and word in (" Mary", " Tom"):
                assert true[word] < shown
            else:
                assert shown == pytest.approx(true[word], abs=0.3)  # a byte each


def test_orders_are_one_answer_only_without_mask_and_positions():
    width = {(a, m): orders.compute(orders.ORDERS[0], a, m)["range"] for a in orders.STOPS for m in (False, True)}
    assert [case for case, apart in width.items() if apart < 1e-3] == [(0.0, True)]
    assert len({tuple(orders.compute(order, 0.0, True)["percent"]) for order in orders.ORDERS}) == 1


@pytest.mark.parametrize("draw", [0, 7, 500])
def test_walkers_look_at_as_many_keys_after_any_number_of_steps_only_with_the_square_root(draw):
    width = {
        p: np.ptp([walkers.compute(d_k, p, draw)["spread"] for d_k in (16, 64, 256, 1024)]) for p in (0.35, 0.5, 0.65)
    }
    assert width[0.5] < 0.8  # keys looked at: about 10.8 of 16, with a standard error of 0.1
    assert width[0.35] > 2
    assert width[0.65] > 1.5


WALL = [(text, 26, 0) for text in (m["text"] for m in load("model_head_wall")["members"])]
WALL += [(WALL[0][0], 0, 8), (WALL[1][0], 29, 3), (WALL[2][0], 17, 4)]


def triangles(stored):
    """The weights of all heads (30, 9, n, n), read byte after byte."""
    n, found = len(stored["tokens"]), iter(base64.b64decode(stored["weights"]))
    rows = [[next(found) for _ in range(i)] + [0] * (n - i) for _ in range(270) for i in range(n)]
    assert next(found, None) is None
    before = np.reshape(rows, (30, 9, n, n))
    return (before + np.eye(n) * np.maximum(255 - before.sum(axis=-1, keepdims=True), 0)) / 255


def test_wall_shows_what_is_stored():
    sentences = {m["text"]: (m, triangles(m)) for m in load("model_head_wall")["members"]}
    for state in states("wall", 60):
        stored, A = sentences[state["sentence"]]
        layer, head, i = state["layer"], state["head"], state["word"]
        result = module("wall").compute(**state)
        np.testing.assert_array_equal(result["row"], A[layer, head, i])
        assert result["row"].sum() == pytest.approx(1, abs=i / 510 + 1e-12)  # a byte rounds by half of 1/255
        assert result["weight"] == result["row"][result["key"]] == A[layer, head, i].max()
        assert result["direct"] == stored["direct"][9 * layer + head]
        np.testing.assert_array_equal(
            result["answers"] - result["whole"],
            np.add(stored[state["instead"]], stored["log-odds"]) - stored["log-odds"],
        )


def test_wall_marks_heads_by_their_weights():
    draws = np.median([m["weight after the previous occurrence"] for m in load("model_induction")["members"]], axis=0)
    for stored in load("model_head_wall")["members"]:
        A = triangles(stored)
        measures = {
            "all": np.ones((30, 9)),
            "here": A[:, :, 1, A[26, 0, 1].argmax()],
            "first": A[:, :, 1:, 0].mean(axis=-1),
            "before": A.diagonal(-1, axis1=2, axis2=3)[:, :, 1:].mean(axis=-1),
            "after": draws,
            "needed": -np.array(stored["uniform"]),
        }
        for highlight, measure in measures.items():
            figure = module("wall").wall(stored["text"], 26, 0, word=1, instead="uniform", highlight=highlight)
            np.testing.assert_array_equal(figure.compute()["marked"], np.flatnonzero(measure > 0.5), highlight)


@pytest.fixture(scope="module")
def language_model():
    if not pretrained.available():
        pytest.skip(f"not checked, for want of weights: {pretrained.HOW}")
    return pretrained.load()


@pytest.mark.parametrize(("text", "layer", "head"), WALL)
def test_wall_shows_what_the_language_model_computes(language_model, text, layer, head):
    model, seen = language_model, []
    [right, wrong] = next(m["words"] for m in load("model_head_wall")["members"] if m["text"] == text)
    ids = model.encode(text)

    def log_odds(change):
        y = next_logits(model, ids, watch={"weights": lambda l, A: change(A) if l == layer else None})
        return y[model.encode(right)[0]] - y[model.encode(wrong)[0]]

    def made_uniform(A):
        A = A.copy()
        A[head] = np.tri(ids.size) / np.arange(1, ids.size + 1)[:, None]
        return A

    whole, without = log_odds(lambda A: seen.append(A[head].copy())), log_odds(made_uniform)
    for word in range(ids.size):
        result = module("wall").wall(text, layer, head, word=word, instead="uniform").compute()
        rounding = np.where(np.arange(ids.size) == word, max(word, 1), 1) / 510  # a token gets what the others leave
        assert (abs(result["row"] - seen[0][word]) <= rounding + 1e-5).all()
    assert (result["whole"], result["without"]) == pytest.approx((whole, without), abs=2e-3)  # stored to three digits


@pytest.mark.parametrize(
    ("L", "w", "s", "i"), [(1, 4, 0, 15), (2, 3, 1, 12), (3, 2, 2, 9), (4, 5, 0, 15), (2, 1, 2, 7)]
)
def test_windows_reach_what_changes_the_output(L, w, s, i):
    def stack(X):
        for _ in range(L):
            X = attention(np.zeros((16, 1)), np.zeros((16, 1)), X, windows.mask(w, s))  # equal scores and weights
        return X[i]

    X, result = np.random.default_rng(L).normal(size=(16, 3)), windows.compute(L, w, s, i)
    moved = [np.abs(stack(X + np.eye(16)[:, [j]]) - stack(X)).max() for j in range(16)]
    np.testing.assert_allclose(moved, result["shares"], atol=1e-12)
    assert [change > 1e-9 for change in moved] == [bool(x) for x in result["reached"][-1]]
    M = windows.mask(w, s)
    levels = [np.linalg.matrix_power(M.astype(int), level)[i] > 0 for level in range(L)]
    assert result["edges"] == sum(
        M[q, k] for level in levels for q, k in itertools.product(np.flatnonzero(level), range(16))
    )


def test_no_fewer_than_two_edges_let_the_last_output_see_the_first_input():
    counts = {}
    for L, w, s in itertools.product(range(1, 5), range(1, 9), range(3)):
        result = windows.compute(L, w, s, 15)
        if result["reached"][-1][0]:
            counts[L, w, s] = result["edges"]
    assert min(counts.values()) == counts[1, 1, 1] == 2
