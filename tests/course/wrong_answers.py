"""Wrong answers, by chapter and exercise: none of them may get all points of its exercise, whatever the seed.

(name, old, new) is the reference solution with one text put in the place of another; (name, source) replaces functions.
Some are slips that students make, some are short cuts that the question forbids.
"""
# ruff: noqa: E501 (a line of a solution is as long as it is there)

WRONG = {
    "capstone": {
        "encoder-layer": [
            (
                "the small constant beside the root",
                "np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5)",
                "(np.sqrt((centred**2).mean(axis=1, keepdims=True)) + 1e-5)",
            ),
            (
                "divides by n - 1",
                "(centred**2).mean(axis=1, keepdims=True)",
                "centred.var(axis=1, keepdims=True, ddof=1)",
            ),
            ("the scale of the whole width", 'W["Q"].shape[2]', "X.shape[1]"),
            ("no second residual", "norm(Z + np.maximum", "norm(np.maximum"),
            ("no ReLU", 'np.maximum(Z @ W["1"], 0)', 'Z @ W["1"]'),
            ("the heads in reverse", "np.hstack(list(heads))", "np.hstack(list(heads[::-1]))"),
            (
                "no norm between the parts",
                'Z = norm(X + np.hstack(list(heads)) @ W["O"])',
                'Z = X + np.hstack(list(heads)) @ W["O"]',
            ),
        ],
        "least-mistakes": [
            (
                "each permutation alone, never two kinds in a row",
                """def least_mistakes(sentences, labels, perms):
    votes = {}
    for s, label in zip(sentences, labels):
        orbit = {tuple(s)}
        for perm in perms:
            t = tuple(s)
            while (t := tuple(t[i] for i in perm)) not in orbit:
                orbit.add(t)
        votes.setdefault(min(orbit), []).append(label)
    return sum(len(given) - max(map(given.count, given)) for given in votes.values())""",
            ),
            (
                "only sentences of the list connect",
                """def least_mistakes(sentences, labels, perms):
    left, wrong = {}, 0
    for s, label in zip(sentences, labels):
        left.setdefault(tuple(s), []).append(label)
    while left:
        new, given = [next(iter(left))], []
        while new:
            s = new.pop()
            if s in left:
                given += left.pop(s)
                new += [tuple(s[i] for i in perm) for perm in perms]
                new += [tuple(s[perm.index(i)] for i in range(len(s))) for perm in perms]
        wrong += len(given) - max(map(given.count, given))
    return wrong""",
            ),
            (
                "every sentence once",
                "for sentence, label in zip(sentences, labels):",
                "for sentence, label in {tuple(s): k for s, k in zip(sentences, labels)}.items():",
            ),
            (
                "two labels only",
                "len(given) - max(map(given.count, given))",
                "min(given.count(v) for v in {0, 1} | {*given})",
            ),
            (
                "all permutations, whichever are given",
                """def least_mistakes(sentences, labels, perms):
    votes = {}
    for s, label in zip(sentences, labels):
        votes.setdefault(tuple(sorted(s)) if perms else tuple(s), []).append(label)
    return sum(len(given) - max(map(given.count, given)) for given in votes.values())""",
            ),
        ],
        "law-or-accident": [
            (
                "as many columns as directions",
                "size=(E.shape[1] - rank, d_k))",
                "size=(E.shape[1] - rank, 1)) * np.ones(d_k)",
            ),
            ("entries of any size", "return W / np.abs(W).max()", "return 5 * W / np.abs(W).max()"),
            (
                "the seed forgotten",
                "rng.normal(size=(E.shape[1] - rank, d_k))",
                "np.random.default_rng(0).normal(size=(E.shape[1] - rank, d_k))",
            ),
            ("refuses by the shape", "if rank == E.shape[1]:", "if len(E) >= E.shape[1]:"),
            ("never refuses", 'raise ValueError("the positions fill the space")', "return np.zeros((E.shape[1], d_k))"),
            ("the mean of the gaps", "(gaps <= 1e-9).all(axis=1)", "gaps.mean(axis=1) <= 1e-9"),
            ("a gap on the bound breaks the law", "gaps <= 1e-9", "gaps < 1e-9"),
            ("the first draw decides", "holds.any()", "holds[0]"),
        ],
        "what-arrives": [
            (
                "the heads' lengths added",
                """def influence(A, V, W):
    return sum(np.linalg.norm(a[:, :, None] * (v @ w), axis=-1) for a, v, w in zip(A, V, W))""",
            ),
            ("the first head alone", "A, V, W), axis", "A[:1], V[:1], W[:1]), axis"),
            ("senders for receivers", "ijd", "jid"),
            ("the map itself", "/ 2 * z", "* 0 * z"),
            (
                "only one row changes",
                "np.array([(row / falling).min() for row in A[0]])[:, None]",
                "np.array([(row / falling).min() * (i == 0) for i, row in enumerate(A[0])])[:, None]",
            ),
            ("negative weights", "/ 2 * z", "* 2 * z"),
        ],
        "bugs-that-hide": [
            (
                "small numbers",
                "return rng.uniform(-1, 1, size=(3, 4, 5)) + np.array([-1, 0.5, 2])[:, None, None]",
                "return rng.uniform(-0.1, 0.1, size=(3, 4, 5))",
            ),
            ("one batch for every seed", "rng.uniform(-1", "np.random.default_rng(0).uniform(-1"),
            ("two batches in turn", "rng.uniform(-1", "np.random.default_rng(seed % 2).uniform(-1"),
            ("one example", "size=(3, 4, 5)) + np.array([-1, 0.5, 2])[:, None, None]", "size=(1, 4, 5)) * 3"),
            ("entries above 3", "np.array([-1, 0.5, 2])", "np.array([-1, 0.5, 4])"),
            ("nan goes unnoticed", "not np.abs(y - z).max() <= 1e-9", "np.abs(y - z).max() > 1e-9"),
            ("up to a relative tolerance", "not np.abs(y - z).max() <= 1e-9", "not np.allclose(y, z)"),
            ("the first entry", "np.abs(y - z).max()", "np.abs(y - z).flat[0]"),
        ],
    },
    "equivariance-invariance": {
        "name-the-symmetry": [
            ("one order is enough", "invariant = all(", "invariant = any("),
            ("one order of rows is enough", "equivariant = all(", "equivariant = any("),
            ("the largest entry with its sign", "1e-9 * np.abs(Y).max()", "1e-9 * Y.max()"),
            ("strictly less, so that zeros are nothing", "<= room", "< room"),
            ("NumPy's own tolerance", "np.abs(Z - Y[p]).max() <= room", "np.allclose(Z, Y[p])"),
            ("the sum of the differences", "np.abs(Z - Y[p]).max()", "np.abs(Z - Y[p]).sum()"),
        ],
        "four-steps": [
            ("no scale", "np.sqrt(W_Q.shape[1])", "1.0"),
            ("the scale of the values", "np.sqrt(W_Q.shape[1])", "np.sqrt(W_V.shape[1])"),
            ("R from one side", "(softmax(R @ S @ R.T), R @ A @ R.T)", "(softmax(R @ S), R @ A)"),
            ("as if R were orthogonal", "((R @ A @ R.T) @ (R @ V), R @ (A @ V))", "(R @ A @ V, R @ (A @ V))"),
            ("signs kept", "np.abs(left - right).max()", "(left - right).max()"),
            ("whether, not how much", "np.abs(left - right).max() for", "np.abs(left - right).max() > 1e-9 for"),
        ],
        "survivors": [
            ("rows of the mask alone", "M[p][:, p] == M", "M[p] == M"),
            ("the first column of the positions", "(E[p] == E).all()", "(E[p][:, 0] == E[:, 0]).all()"),
            ("mask or positions", "(M[p][:, p] == M).all() and", "(M[p][:, p] == M).all() or"),
            ("a large number with a rounding error", '"marked": math.factorial(n - 1)', '"marked": int(math.gamma(n))'),
            ("the unknown is nothing", 'raise ValueError("an unknown kind")', "return 0"),
            ("one way has a mirror", '"one way": n', '"one way": 2 * n'),
        ],
        "solvable": [
            ("the sum of the words", "tuple(sorted(words)), answer)", "(len(words), sum(words)), answer)"),
            ("counts for shares", "shrink = math.gcd(*counts)", "shrink = 1"),
            (
                "shares that are halved at most once",
                "shrink = math.gcd(*counts)",
                "shrink = 2 if all(count % 2 == 0 for count in counts) else 1",
            ),
            ("sets for shares", "(word, count // shrink)", "word"),
            ("neighbours of the same item forgotten", "(word, tuple(sorted(words))), tag)", "(word, len(words)), tag)"),
            ("sets around a word", "(word, tuple(sorted(words))), tag)", "(word, tuple(sorted(set(words)))), tag)"),
            ("the order counts", "(word, tuple(sorted(words))), tag)", "(word, tuple(words)), tag)"),
        ],
        "enough-tests": [
            (
                "every place reaches every other",
                """def enough(perms, n):
    seen, new = {0}, [0]
    while new:
        new = list({p[i] for i in new for p in perms} - seen)
        seen |= set(new)
    return len(seen) == n""",
            ),
            (
                "transitive on pairs, and one odd permutation",
                """def enough(perms, n):
    def odd(p):
        return sum(p[i] > p[j] for i in range(n) for j in range(i + 1, n)) % 2
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    seen, new = {pairs[0]}, [pairs[0]]
    while new:
        new = list({(p[i], p[j]) for i, j in new for p in perms} - seen)
        seen |= set(new)
    return len(seen) == len(pairs) and any(map(odd, perms))""",
            ),
            ("products of two", "while new:", "for _ in range(2):"),
            (
                "a cycle that is long enough",
                """def sees_the_inverse(perms):
    return any(sum(p != i for i, p in enumerate(perm)) > 2 for perm in perms)""",
            ),
            (
                "all of them",
                "any(perm[perm[i]] != i for perm in perms for i in range(len(perm)))",
                "bool(perms) and all(any(perm[perm[i]] != i for i in range(len(perm))) for perm in perms)",
            ),
            ("the first of them", "for perm in perms for i", "for perm in perms[:1] for i"),
        ],
    },
    "permutation-matrices": {
        "cycles-both-ways": [
            ("any convention", 'if convention not in ("takes", "sends"):', "if False:"),
            ("both are one", 'sends if convention == "sends" else [int(i) for i in np.argsort(sends)]', "sends"),
            ("open cycles", "[*cycle[1:], cycle[0]]", "cycle[1:]"),
            ("cycles backwards", "row = int(perm[row])", "row = [int(p) for p in perm].index(row)"),
            ("rows that stay are cycles", "if len(cycle) > 1:", "if cycle:"),
            ("the longest first", "return found", "return sorted(found, key=len, reverse=True)"),
            ("the cycle begins anywhere", "found.append(cycle)", "found.append(cycle[1:] + cycle[:1])"),
        ],
        "undo": [
            (
                "a matrix is built",
                """def undo(B, perm, form):
    P = np.eye(len(perm))[perm]
    return {"PA": lambda: P.T @ B, "AP": lambda: B @ P.T, "APT": lambda: B @ P,
            "PAPT": lambda: P.T @ B @ P}[form]() if form in ("PA", "AP", "APT", "PAPT") else int("x")""",
            ),
            ("columns by the inverse list, both times", "return B[:, perm]", "return B[:, back]"),
            ("rows not columns", "return B[back][:, back]", "return B[back]"),
            ("the default is PAPT", 'raise ValueError("the form is PA, AP, APT or PAPT")', "return B[back][:, back]"),
            (
                "AP and APT exchanged",
                """def undo(B, perm, form):
    back = np.argsort(perm)
    if form not in ("PA", "AP", "APT", "PAPT"):
        raise ValueError("no such form")
    return {"PA": lambda: B[back], "AP": lambda: B[:, back], "APT": lambda: B[:, perm],
            "PAPT": lambda: B[back][:, back]}[form]()""",
            ),
        ],
        "every-case": [
            (
                "a determinant",
                """def sign(perm):
    return int(round(np.linalg.det(np.eye(len(perm))[list(perm)])))""",
            ),
            (
                "even and odd rows",
                """def sign(perm):
    return (-1) ** sum((p - i) % 2 for i, p in enumerate(perm))""",
            ),
            (
                "neighbours in the wrong order",
                """def sign(perm):
    return (-1) ** sum(a > b for a, b in zip(perm, perm[1:]))""",
            ),
            (
                "the number of cycles",
                """def sign(perm):
    seen, cycles = set(), 0
    for start in range(len(perm)):
        cycles += start not in seen
        while start not in seen:
            seen.add(start)
            start = perm[start]
    return (-1) ** cycles""",
            ),
            (
                "whole numbers that sum to one",
                """def is_permutation(M, room):
    near = np.round(M)
    sums = (near.sum(axis=0) == 1).all() and (near.sum(axis=1) == 1).all()
    return bool(sums and (np.abs(M - near) <= room).all())""",
            ),
            (
                "one nan does not count",
                "(np.abs(M - (near == 1)) <= room).all()",
                "not (np.abs(M - (near == 1)) > room).any()",
            ),
            ("rows alone", "ones = ((near == 1).sum(axis=0) == 1).all() and", "ones ="),
            (
                "NumPy's own tolerance",
                "(np.abs(M - (near == 1)) <= room).all()",
                "np.allclose(M, near == 1, atol=room)",
            ),
        ],
        "break-a-step": [
            ("small scores", "S[:, 0] += 10", "S[:, 0] += 0"),
            (
                "orthogonal is enough",
                "return np.eye(3) - 2 * np.outer(v, v) / (v @ v), S",
                "return np.linalg.qr(rng.normal(size=(3, 3)))[0], S",
            ),
            (
                "two rows",
                "v = np.array([2.0, -1.0, -1.0])",
                "v = np.array([1.0, -1.0]); return np.eye(2) - np.outer(v, v), np.eye(2)",
            ),
            ("two pairs in turn", "rng = np.random.default_rng(seed)", "rng = np.random.default_rng(seed % 2)"),
            ("doubly stochastic and a permutation", "R = np.full((2, 2), 0.5)", "R = np.eye(2)[::-1]"),
            ("values above one", "rng.uniform(0.5, 1)", "rng.uniform(5, 9)"),
            ("the values are one", "np.array([[1.0], [-1.0]]) *", "np.array([[1.0], [1.0]]) *"),
        ],
        "birkhoff": [
            (
                "every permutation, by least squares",
                """def birkhoff(D):
    n = len(D)
    perms = list(itertools.permutations(range(n)))
    P = np.array([np.eye(n)[list(p)].ravel() for p in perms]).T
    w = np.linalg.lstsq(P, np.asarray(D, dtype=float).ravel(), rcond=None)[0]
    return [(float(x), list(p)) for x, p in zip(w, perms) if abs(x) > 1e-12]""",
            ),
            (
                "the largest entry of each row",
                "max(itertools.permutations(range(n)), key=lambda p: min(rest[i, p[i]] for i in range(n)))",
                "tuple(int(i) for i in rest.argmax(axis=1))",
            ),
            (
                "the first parts only",
                "while rest.sum() > 1e-9:",
                "while rest.sum() > 0.05 and len(parts) < (n - 1) ** 2 + 1:",
            ),
            (
                "the inverse lists",
                "return [(weight / total, perm) for weight, perm in parts]",
                "return [(weight / total, [perm.index(i) for i in range(n)]) for weight, perm in parts]",
            ),
            (
                "a hundred rounds",
                """def balanced(S):
    D = np.exp(S)
    for _ in range(100):
        D = D / D.sum(axis=1, keepdims=True)
        D = D / D.sum(axis=0)
    return D""",
            ),
            (
                "the mean of two softmaxes",
                """def balanced(S):
    D = np.exp(S)
    return (D / D.sum(axis=0) + D / D.sum(axis=1, keepdims=True)) / 2""",
            ),
            (
                "uniform",
                """def balanced(S):
    return np.full_like(S, 1 / len(S), dtype=float)""",
            ),
        ],
    },
    "length": {
        "gates-that-forget": [
            ("no mask", "np.where(later, -np.inf, total[:, None] - total[None, :])", "total[:, None] - total[None, :]"),
            ("the other direction", "total[:, None] - total[None, :]", "total[None, :] - total[:, None]"),
            ("gates instead of logarithms", "np.cumsum(np.log(f))", "np.cumsum(f)"),
            (
                "all gates, the first too",
                "return bool(np.abs(B - back * B[1, 0])",
                "return bool(np.ptp(f) < 1e-9 and np.abs(B - back * B[1, 0])",
            ),
        ],
        "lead-among-many": [
            ("the factor upside down", "R * math.log(m) / math.log(m_0)", "R * math.log(m_0) / math.log(m)"),
            ("all keys count twice", "(m - 1) * math.exp", "m * math.exp"),
            ("no temperature for the lead", " * math.log(m_0) / math.log(m)\n", "\n"),
            ("the odds forgotten", "w * (m - 1) / (1 - w)", "w * (m - 1)"),
        ],
        "slower-clocks": [
            (
                "the ramp upside down",
                "gamma * theta + (1 - gamma) * theta / s",
                "gamma * theta / s + (1 - gamma) * theta",
            ),
            ("a ramp from 0", "/ (2 * np.pi) - 1) / 31", "/ (2 * np.pi)) / 32"),
            (
                "turns without 2π",
                "gamma = np.clip((theta * n_0 / (2 * np.pi) - 1)",
                "gamma = np.clip((theta * n_0 - 1)",
            ),
            ("finished pairs too", "(unfinished & (", "((unfinished | True) & ("),
        ],
        "window-and-cache": [
            ("turned on", "[a * c + b * z, b * c - a * z]", "[a * c - b * z, b * c + a * z]"),
            (
                "halves",
                "stored[:, 0::2], stored[:, 1::2]",
                "np.split(stored, 2, axis=1)[0], np.split(stored, 2, axis=1)[1]",
            ),
            (
                "keys turned twice",
                "stored[first : i + 1] @ turned",
                "renumber(stored, -i, theta)[first : i + 1] @ turned",
            ),
            ("no window", "max(0, i - w + 1)", "0"),
            ("not divided", " / np.sqrt(len(q))", ""),
        ],
    },
    "positional-encoding": {
        "table-survivors": [
            ("the first column", "np.unique(E, axis=0", "np.unique(E[:, :1], axis=0"),
            (
                "neighbours only",
                """def survivors(E):
    total, run = 1, 1
    for a, b in zip(E, E[1:]):
        run = run + 1 if (a == b).all() else 1
        total *= run
    return total""",
            ),
            ("rows as sets", "np.unique(E, axis=0", "np.unique(np.sort(E, axis=1), axis=0"),
            (
                "NumPy's whole numbers",
                "math.prod(math.factorial(int(count)) for count in counts)",
                "int(np.prod([math.factorial(int(count)) for count in counts], dtype=float))",
            ),
            ("the next smaller table", "== survivors_wanted:", ">= survivors_wanted:"),
            ("the number of equal rows", "math.factorial(alike) == survivors_wanted", "alike == survivors_wanted"),
            ("one table", "E = rng.normal(size=(n, 2))", "E = np.random.default_rng(0).normal(size=(n, 2))"),
        ],
        "four-terms": [
            ("the main diagonal", "np.abs(T[1:, 1:] - T[:-1, :-1])", "np.abs(np.diag(T)[1:] - np.diag(T)[:-1])"),
            ("above the diagonal", "np.abs(T[1:, 1:] - T[:-1, :-1])", "np.abs(np.triu(T[1:, 1:] - T[:-1, :-1]))"),
            ("the first two rows", "np.abs(T[1:, 1:] - T[:-1, :-1])", "np.abs(T[1:, 1:] - T[:-1, :-1])[:1]"),
            ("the largest entry with its sign", "1e-9 * np.abs(T).max()", "1e-9 * T.max()"),
            ("an absolute tolerance", "1e-9 * np.abs(T).max()", "1e-9"),
            (
                "NumPy's own tolerance",
                "np.abs(T[1:, 1:] - T[:-1, :-1]).max(initial=0) <= 1e-9 * np.abs(T).max()",
                "np.allclose(T[1:, 1:], T[:-1, :-1])",
            ),
            ("anti-diagonals", "T[1:, 1:] - T[:-1, :-1]", "T[1:, :-1] - T[:-1, 1:]"),
            ("the query's matrix for both", "q @ W_Q @ (k @ W_K).T", "q @ W_Q @ (k @ W_Q).T"),
            ("scaled", "return np.array([q @ W_Q", "return np.array([q / np.sqrt(W_Q.shape[1]) @ W_Q"),
        ],
        "rotary-and-sinusoidal": [
            ("the other direction", "np.sin(position * angles)", "-np.sin(position * angles)"),
            (
                "one angle for all",
                "np.cos(position * angles), np.sin(position * angles)",
                "np.cos(position * angles[0]), np.sin(position * angles[0])",
            ),
            (
                "the position forgotten",
                "np.cos(position * angles), np.sin(position * angles)",
                "np.cos(angles), np.sin(angles)",
            ),
            ("no sign", "c * x[0::2] - s * x[1::2]", "c * x[0::2] + s * x[1::2]"),
            ("forwards only", "enumerate(offset * angles)", "enumerate(abs(offset) * angles)"),
            ("one step", "enumerate(offset * angles)", "enumerate(angles)"),
            (
                "cosines first",
                "[[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]",
                "[[np.sin(angle), np.cos(angle)], [np.cos(angle), -np.sin(angle)]]",
            ),
        ],
        "what-it-cannot-see": [
            (
                "the last two positions that are clipped, and one that is not",
                "[1, 0, *range(2, n)]",
                "[*range(n - c - 1), n - c, n - c - 1, *range(n - c + 1, n)]",
            ),
            ("turns everything", "[1, 0, *range(2, n)]", "[*range(1, n), 0]"),
            ("never refuses", 'raise ValueError("every key has a distance of its own")', "return [1, 0, *range(2, n)]"),
            ("refuses too early", "if n - c < 2:", "if n - c < 3:"),
            ("the identity", "[1, 0, *range(2, n)]", "[*range(n)]"),
            ("the identity is not counted", "math.factorial(max(n - c, 1))", "math.factorial(max(n - c, 1)) - 1"),
            ("any two of them", "math.factorial(max(n - c, 1))", "max(n - c, 1) ** 2"),
            ("the positions that are clipped", "math.factorial(max(n - c, 1))", "max(n - c, 1)"),
        ],
        "longer-than-training": [
            (
                "the sum of the distances",
                "positions * A.sum(axis=1) - A @ positions",
                "positions * (A > 0).sum(axis=1) - (A > 0) @ positions",
            ),
            (
                "the mean of all queries",
                "return positions * A.sum(axis=1) - A @ positions",
                "return np.full(len(A), (positions * A.sum(axis=1) - A @ positions).mean())",
            ),
            ("one too far", "1 / math.expm1(m)", "1 / math.expm1(m) + 1"),
            ("weights from distance one", "1 / math.expm1(m)", "1 / -math.expm1(-m)"),
            ("one token too many", "    return n\n", "    return n + 1\n"),
            ("weights that do not sum to one", "weighted / total < share", "weighted * -math.expm1(-m) < share"),
            ("the share of the weights", "weighted / total < share * limit(m)", "total * -math.expm1(-m) < share"),
        ],
    },
    "query-key-value": {
        "one-row": [
            ("the scale of the number of keys", "np.sqrt(len(q))", "np.sqrt(len(K))"),
            ("scaled after softmax", "a = e / e.sum()", "a = e / e.sum() / np.sqrt(len(q))"),
            ("no shift", "np.exp(s - s.max())", "np.exp(s)"),
            ("clipped scores", "np.exp(s - s.max())", "np.exp(np.clip(s, -700, 700))"),
            ("the scores are not scaled", "return s, a, a @ V", "return s * np.sqrt(len(q)), a, a @ V"),
        ],
        "three-look-ups": [
            ("nearly equal is equal", "(K == q).all(axis=1)", "np.isclose(K, q).all(axis=1)"),
            (
                "the exact key is the nearest",
                "np.flatnonzero((K == q).all(axis=1))",
                "[j for j in [s.argmax()] if (K[j] == q).all()]",
            ),
            (
                "the nearest by distance",
                "V[s.argmax()], e / e.sum()",
                "V[((K - q) ** 2).sum(axis=1).argmin()], e / e.sum()",
            ),
            ("one entry is enough", "(K == q).all(axis=1)", "(K == q).any(axis=1)"),
            ("scaled", "s = K @ q", "s = K @ q / np.sqrt(len(q))"),
            ("the norm of the values", "np.linalg.norm(V - V[s.argmax()], axis=1)", "np.linalg.norm(V, axis=1)"),
            (
                "the distance itself",
                "(1 - 1 / e.sum()) * np.linalg.norm(V - V[s.argmax()], axis=1).max()",
                "np.linalg.norm(e / e.sum() @ V - V[s.argmax()])",
            ),
            ("the nearest key's weight", "(1 - 1 / e.sum())", "(1 / e.sum())"),
        ],
        "two-rows-one-output": [
            ("refuses by the number of values", "if rank == len(a):", "if len(a) <= V.shape[1] + 1:"),
            ("never refuses", 'raise ValueError("the output determines the weights")', "return a"),
            ("linear for affine", "M = np.vstack([V.T, np.ones(len(a))])", "M = V.T"),
            ("the same row", "/ 2 * z", "* 0 * z"),
            ("negative weights", "/ 2 * z", "* 2 * z"),
            (
                "refuses where the values depend on each other linearly alone",
                """def another_row(a, V):
    if np.linalg.matrix_rank(V) == min(V.shape) and len(a) <= V.shape[1] + 1:
        raise ValueError("determined")
    z = np.linalg.svd(np.vstack([V.T, np.ones(len(a))]))[2][-1]
    z = z if z.min() < -1e-12 else -z
    falling = z < -1e-12
    return a + (a[falling] / -z[falling]).min() / 2 * z""",
            ),
        ],
        "packed-weights": [
            (
                "interleaved heads",
                "reshape(n, 3, heads, d // heads).transpose(1, 2, 0, 3)",
                "reshape(n, 3, d // heads, heads).transpose(1, 3, 0, 2)",
            ),
            ("queries and keys exchanged", "Q, K, V = (", "K, Q, V = ("),
            ("the output's matrix not transposed", "@ W_out.T", "@ W_out"),
            ("the output's bias forgotten", "@ W_out.T + b_out", "@ W_out.T"),
            (
                "biases of the values alone",
                "(X @ W_in.T + b_in)",
                "(X @ W_in.T + b_in * (np.arange(len(b_in)) >= 2 * X.shape[1]))",
            ),
            (
                "no output",
                "return Y.transpose(1, 0, 2).reshape(n, d) @ W_out.T + b_out",
                "return Y.transpose(1, 0, 2).reshape(n, d)",
            ),
            ("three matrices", "4 * d * d + 4 * d", "3 * d * d + 3 * d"),
        ],
        "block-by-block": [
            (
                "everything kept in a global",
                """KEPT = {}
def update(state, Q, K, V):
    number = len(KEPT) if state is None else int(np.round(state[0][0]))
    KEPT.setdefault(number, []).append((Q, K, V))
    return [np.array([float(number)])]
def finish(state):
    blocks = KEPT[int(np.round(state[0][0]))]
    Q, K, V = blocks[0][0], np.vstack([b[1] for b in blocks]), np.vstack([b[2] for b in blocks])
    S = Q @ K.T / np.sqrt(Q.shape[1])
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True) @ V""",
            ),
            (
                "everything kept in a global, behind numbers that nobody reads",
                """KEPT = {}
def update(state, Q, K, V):
    number = len(KEPT) if state is None else int(np.round(state[0].flat[0]))
    KEPT.setdefault(number, []).append((Q, K, V))
    return [np.full((len(Q), V.shape[1] + 2), float(number))]
def finish(state):
    blocks = KEPT[int(np.round(state[0].flat[0]))]
    Q, K, V = blocks[0][0], np.vstack([b[1] for b in blocks]), np.vstack([b[2] for b in blocks])
    S = Q @ K.T / np.sqrt(Q.shape[1])
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True) @ V""",
            ),
            (
                "everything in one long whole number",
                """def update(state, Q, K, V):
    made = b"" if state is None else state[0].to_bytes(state[1], "big")
    head = np.array([len(Q), Q.shape[1], V.shape[1]], dtype=float)
    made = made or head.tobytes() + Q.astype(float).tobytes()
    made += np.hstack([K, V]).astype(float).tobytes()
    return [int.from_bytes(made, "big"), len(made)]
def finish(state):
    numbers = np.frombuffer(state[0].to_bytes(state[1], "big"))
    n, d_k, d_v = numbers[:3].astype(int)
    Q, rest = numbers[3 : 3 + n * d_k].reshape(n, d_k), numbers[3 + n * d_k :].reshape(-1, d_k + d_v)
    S = Q @ rest[:, :d_k].T / np.sqrt(d_k)
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True) @ rest[:, d_k:]""",
            ),
            (
                "everything in a dict inside the dict",
                """def update(state, Q, K, V):
    old = state["all"] if state else {"K": K[:0], "V": V[:0]}
    return {"all": {"Q": Q, "K": np.vstack([old["K"], K]), "V": np.vstack([old["V"], V])}}
def finish(state):
    Q, K, V = (state["all"][name] for name in "QKV")
    S = Q @ K.T / np.sqrt(Q.shape[1])
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True) @ V""",
            ),
            (
                "no maximum",
                'top = S.max(axis=1) if state is None else np.maximum(S.max(axis=1), state["top"])',
                "top = np.zeros(len(Q))",
            ),
            ("the first maximum", 'np.maximum(S.max(axis=1), state["top"])', 'state["top"]'),
            ("the older sums do not shrink", 'np.exp(state["top"] - top)', "np.ones(len(Q))"),
            ("no scale", "Q @ K.T / np.sqrt(Q.shape[1])", "Q @ K.T"),
            ("the last block", "if state is not None:", "if False:"),
        ],
    },
    "rnn-bottleneck": {
        "weights-by-hand": [
            ("the matrix transposed", "row = inner @ W_h", "row = W_h @ inner"),
            ("the slope of the tanh forgotten on the way", "row = inner @ W_h", "row = row @ W_h"),
            ("the state after for the state before", "np.outer(inner, states[t - 1])", "np.outer(inner, states[t])"),
            ("the first step forgotten", "range(len(X), 0, -1)", "range(len(X), 1, -1)"),
            ("the bias at the last step", "to_b + inner", "to_b if to_b.any() else inner"),
            ("the outer product turned", "np.outer(inner, states[t - 1])", "np.outer(states[t - 1], inner)"),
        ],
        "fading": [
            (
                "the largest eigenvalue with its sign",
                "np.abs(np.linalg.eigvals(W)).max()",
                "np.linalg.eigvals(W).real.max()",
            ),
            ("the largest real part", "np.abs(np.linalg.eigvals(W)).max()", "np.abs(np.linalg.eigvals(W).real).max()"),
            (
                "a hundred steps",
                "np.abs(np.linalg.eigvals(W)).max()",
                "np.linalg.norm(np.linalg.matrix_power(W, 100), 2) ** 0.01",
            ),
            ("the trace", "np.abs(np.linalg.eigvals(W)).max()", "abs(np.trace(W))"),
            ("steps from one", "int(column.argmax()) + 2", "int(column.argmax()) + 1"),
            ("one gate below the share", "np.cumprod(F, axis=0) < share", "F < share"),
            ("never is the end", "if column.any() else 0", "if column.any() else len(F) + 2"),
        ],
        "what-a-state-holds": [
            ("counts only", "int(np.linalg.matrix_rank(_reach(W, U, n)))", "min(len(W), n * U.shape[1])"),
            (
                "the rank of one step times the steps",
                "int(np.linalg.matrix_rank(_reach(W, U, n)))",
                "int(min(len(W), n * np.linalg.matrix_rank(U)))",
            ),
            ("one input too many", "range(1, n + 1)", "range(0, n + 1)"),
            ("refuses by the shape", "if held(W, U, n) < n * U.shape[1]:", "if len(W) < n * U.shape[1]:"),
            ("never refuses", 'raise ValueError("the state does not determine the inputs")', "pass"),
            ("the transposed shape", ".reshape(n, U.shape[1])", ".reshape(U.shape[1], n).T"),
        ],
        "gradient-to-values": [
            ("no scale", "Q @ K.T / np.sqrt(Q.shape[1])", "Q @ K.T"),
            ("no mask", "np.where(visible, Q @ K.T / np.sqrt(Q.shape[1]), -np.inf)", "Q @ K.T / np.sqrt(Q.shape[1])"),
            ("weights down the columns", "E / E.sum(axis=1, keepdims=True)", "E / E.sum(axis=0)"),
            ("the mask the wrong way round", "np.where(visible, ", "np.where(~visible, "),
            ("rows that sum to zero are silent", "np.any(G != 0, axis=1)", "G.sum(axis=1) != 0"),
            ("small is nothing", "np.any(G != 0, axis=1)", "~np.isclose(G, 0).all(axis=1)"),
            (
                "one silent query is enough",
                "~np.any(visible & speaks[:, None], axis=0)",
                "~np.all(visible <= speaks[:, None], axis=0)",
            ),
        ],
        "serial-steps": [
            ("the longer side", "n + layers - 1", "max(n, layers)"),
            ("one too many", "n + layers - 1", "n + layers"),
            (
                "the diagonal by the mask",
                "np.where(np.eye(n, dtype=bool), 0, -1)",
                "np.where(visible & np.eye(n, dtype=bool), 0, -1)",
            ),
            (
                "both ways",
                "reached | (visible.astype(int) @ reached > 0)",
                "reached | ((visible | visible.T).astype(int) @ reached > 0)",
            ),
            ("two layers at most", "range(1, n)", "range(1, 3)"),
            (
                "powers of two",
                "reached | (visible.astype(int) @ reached > 0)",
                "reached | ((visible | reached).astype(int) @ reached > 0)",
            ),
        ],
    },
    "softmax-convex-combination": {
        "ends-of-exp": [
            ("rounded", "math.floor(math.log(largest))", "round(math.log(largest))"),
            ("the base is two", "math.log(largest)", "math.log2(largest)"),
            ("not half of it", "math.log(2) - math.log(smallest)", "-math.log(smallest)"),
            ("one too few", "math.log(smallest)) + 1", "math.log(smallest))"),
            ("float64 whatever is asked", "math.floor(math.log(2) - math.log(smallest)) + 1", "746"),
            ("one shift for all rows", "S.max(axis=1, keepdims=True)", "S.max()"),
            (
                "columns",
                """def softmax(S):
    E = np.exp(S - S.max(axis=0))
    return E / E.sum(axis=0)""",
            ),
            ("clipped scores", "np.exp(S - S.max(axis=1, keepdims=True))", "np.exp(np.clip(S, -700, 700))"),
        ],
        "certificate": [
            ("the first corner alone", "weights.min() <= 0", "weights[0] <= 0"),
            ("weights for scores", "return np.log(weights)", "return weights"),
            ("never refuses", 'raise ValueError("the point is not inside")', "weights = np.abs(weights)"),
            ("away from the first corner", "-rows[weights.argmin(), :-1]", "-rows[0, :-1]"),
            ("from the centre to the point", "return -rows[weights.argmin(), :-1]", "return y - V.mean(axis=0)"),
            ("the sign", "return -rows", "return rows"),
            ("inside is near the centre", "if weights.min() > 0:", "if np.linalg.norm(y - V.mean(axis=0)) < 1e-6:"),
        ],
        "what-an-average-loses": [
            ("equal weights", "a = np.linalg.solve(Sigma, np.ones(len(Sigma)))", "a = np.ones(len(Sigma))"),
            ("no negative weights", "return a / a.sum()", "a = np.maximum(a, 0)\n    return a / a.sum()"),
            (
                "the smallest eigenvector",
                "a = np.linalg.solve(Sigma, np.ones(len(Sigma)))",
                "a = np.linalg.eigh(Sigma)[1][:, 0]",
            ),
            ("variances alone", "A @ Sigma @ A.T", "np.diag(np.diag(A @ Sigma @ A.T))"),
            ("weights that are not squared", "A @ Sigma @ A.T", "A @ Sigma @ np.ones_like(A).T"),
            ("the mean of zero", "mu * A.sum(axis=1)", "0 * A.sum(axis=1)"),
        ],
        "as-good-as-deleted": [
            (
                "minus a thousand million",
                """def attend(S, V, hidden):
    if hidden.all(axis=1).any():
        raise ValueError("a query sees no key")
    S = np.where(hidden, -1e9, S)
    V = np.where(hidden.all(axis=0)[:, None], 0, V)
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True) @ V""",
            ),
            (
                "the smallest number there is",
                """def attend(S, V, hidden):
    if hidden.all(axis=1).any():
        raise ValueError("a query sees no key")
    return np.array([np.exp(s - s.max()) / np.exp(s - s.max()).sum() @ np.where(h[:, None], 0, V)
                     for s, h in zip(np.where(hidden, np.finfo(float).min, S), hidden)])""",
            ),
            (
                "values cleaned where every query is blind to them",
                """def attend(S, V, hidden):
    if hidden.all(axis=1).any():
        raise ValueError("a query sees no key")
    S, V = np.where(hidden, -np.inf, S), np.where(hidden.all(axis=0)[:, None], 0, V)
    E = np.exp(S - S.max(axis=1, keepdims=True))
    return E / E.sum(axis=1, keepdims=True) @ V""",
            ),
            ("a blind row is zero", 'raise ValueError("a query sees no key")', "return np.zeros((len(S), V.shape[1]))"),
            (
                "a blind row is nan",
                """def attend(S, V, hidden):
    if hidden.all():
        raise ValueError("no query sees a key")
    A = np.exp(S - np.where(hidden, -np.inf, S).max(axis=1, keepdims=True))
    return np.array([a[~h] @ V[~h] / a[~h].sum() for a, h in zip(A, hidden)])""",
            ),
            ("no shift", "np.exp(s[~gone] - s[~gone].max())", "np.exp(s[~gone])"),
            ("shown and hidden exchanged", "zip(S, hidden)", "zip(S, ~hidden)"),
        ],
        "sparsemax": [
            (
                "softmax",
                "return np.maximum(s - levels[size], 0)",
                "return np.exp(s - s.max()) / np.exp(s - s.max()).sum()",
            ),
            (
                "shift once, cut, divide",
                """def sparsemax(s):
    a = np.maximum(s + (1 - s.sum()) / len(s), 0)
    return a / a.sum()""",
            ),
            ("the largest alone", "return np.maximum(s - levels[size], 0)", "return (s == s.max()) * 1.0"),
            ("every key is in the support", "seen = (sparsemax(s) > 0).astype(float)", "seen = np.ones(len(s))"),
            ("the sum is not kept", "- np.outer(seen, seen) / seen.sum()", ""),
            ("divides by all keys", "/ seen.sum()", "/ len(s)"),
        ],
    },
    "sqrt-dk-scaling": {
        "general-variance": [
            ("one mean", " + mu_k @ Sigma_q @ mu_k", ""),
            (
                "the means exchanged",
                "mu_q @ Sigma_k @ mu_q + mu_k @ Sigma_q @ mu_k",
                "mu_q @ Sigma_q @ mu_q + mu_k @ Sigma_k @ mu_k",
            ),
            ("as if entries were independent", "np.trace(Sigma_q @ Sigma_k)", "np.diag(Sigma_q) @ np.diag(Sigma_k)"),
            (
                "the product of the traces",
                "np.trace(Sigma_q @ Sigma_k)",
                "np.trace(Sigma_q) * np.trace(Sigma_k) / len(mu_q)",
            ),
            ("the second moment", "return float(spread_of_both", "return float((mu_q @ mu_k) ** 2 + spread_of_both"),
        ],
        "rows-that-leave": [
            ("one side", "abs(2 * ups - d_k) > t", "2 * ups - d_k > t"),
            ("the walk ends at its ups", "abs(2 * ups - d_k) > t", "ups > t"),
            ("the normal law", "return sum(far) / 2**d_k", "return math.erfc(t / math.sqrt(2 * d_k))"),
            ("the sum of the chances", "1 - (1 - leaves(d_k, t)) ** m", "min(1, m * leaves(d_k, t))"),
            ("all of them", "1 - (1 - leaves(d_k, t)) ** m", "leaves(d_k, t) ** m"),
            (
                "a sample",
                "return sum(far) / 2**d_k",
                "return float(np.mean(np.abs(np.random.default_rng(0).choice([-1, 1], size=(20000, d_k)).sum(axis=1)) > t))",
            ),
        ],
        "saturation": [
            ("one shift for all rows", "S.max(axis=1, keepdims=True)", "S.max()"),
            ("the spectral norm", "np.sqrt((J**2).sum(axis=(1, 2)))", "np.linalg.norm(J, 2, axis=(1, 2))"),
            ("squared", "np.sqrt((J**2).sum(axis=(1, 2)))", "(J**2).sum(axis=(1, 2))"),
            (
                "the diagonal",
                "A[:, :, None] * np.eye(S.shape[1]) - A[:, :, None] * A[:, None, :]",
                "(A - A**2)[:, :, None] * np.eye(S.shape[1])",
            ),
            ("one minus the largest weight", "np.sqrt((J**2).sum(axis=(1, 2)))", "1 - A.max(axis=1)"),
        ],
        "initial-weights": [
            ("the variance", "float(np.sqrt(wanted) / (d * sigma_K))", "float(wanted / (d * sigma_K) ** 2)"),
            ("by the width of the heads", "np.sqrt(wanted) / (d * sigma_K)", "np.sqrt(wanted) / (d_k * sigma_K)"),
            ("the wrong sign", "return float(np.sqrt", "return -float(np.sqrt"),
            ("a normal law", "rng.uniform(-edge, edge, size=(d, d_k))", "rng.normal(size=(d, d_k)) * sigma"),
            ("from zero", "rng.uniform(-edge, edge, size=(d, d_k))", "rng.uniform(0, 2 * edge, size=(d, d_k))"),
            ("one seed", "rng = np.random.default_rng(seed)", "rng = np.random.default_rng(0)"),
            (
                "every row twice",
                "rng.uniform(-edge, edge, size=(d, d_k))",
                "np.repeat(rng.uniform(-edge, edge, size=(d - d // 2, d_k)), 2, axis=0)[:d]",
            ),
        ],
        "witness": [
            ("as many keys as the width", "n, m, d_k = 3, 5, 8", "n, m, d_k = 3, 8, 8"),
            ("as many queries as keys", "n, m, d_k = 3, 5, 8", "n, m, d_k = 5, 5, 8"),
            ("a square among the shapes", "n, m, d_k = 3, 5, 8", "n, m, d_k = 16, 5, 4"),
            ("small scores", "return Q, K", "return Q / 40, K / 40"),
            ("large entries", "K[0] = Q[0] = 2", "K[0] = Q[0] = 20"),
            ("one pair", "rng = np.random.default_rng(seed)", "rng = np.random.default_rng(0)"),
            ("two pairs in turn", "rng = np.random.default_rng(seed)", "rng = np.random.default_rng(seed % 2)"),
        ],
    },
}
