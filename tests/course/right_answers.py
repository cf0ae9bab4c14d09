"""Right answers that are not the reference solution, by chapter and exercise: each gets all points, whatever the seed.

A source replaces functions of the reference solution.
"""

RIGHT = {
    "capstone": {
        "least-mistakes": """
def least_mistakes(sentences, labels, perms):
    parent = {}
    def root(s):
        while parent.setdefault(s, s) != s:
            s = parent[s]
        return s
    new = [tuple(s) for s in sentences]
    seen = set(new)
    while new:
        s = new.pop()
        for perm in perms:
            t = tuple(s[i] for i in perm)
            parent[root(t)] = root(s)
            if t not in seen:
                seen.add(t)
                new.append(t)
    groups = {}
    for s, label in zip(sentences, labels):
        groups.setdefault(root(tuple(s)), []).append(label)
    return sum(len(g) - max(g.count(x) for x in set(g)) for g in groups.values())
""",
        "law-or-accident": """
def accident(E, d_k, seed):
    rng = np.random.default_rng(seed)
    d = E.shape[1]
    P = np.eye(d) - np.linalg.pinv(E) @ E  # the projection onto what E does not see
    if np.linalg.matrix_rank(E) == d:
        raise ValueError("nothing is left")
    W = P @ rng.uniform(-1, 1, size=(d, d_k))
    return W / np.abs(W).max()
def verdict(gaps):
    good = gaps.max(axis=1) <= 1e-9
    return {len(gaps): "law", 0: "broken"}.get(int(good.sum()), "accident")
""",
        "what-arrives": """
def hidden_map(A, V, W):
    M = np.vstack([V[0].T, np.ones(len(V[0]))])
    P = np.eye(len(V[0])) - np.linalg.pinv(M) @ M
    z = P[:, np.abs(P).max(axis=0).argmax()]
    return A[0] + 0.009 / np.abs(z).max() * z  # all weights are at least 0.01
""",
        "bugs-that-hide": """
def witness(seed):
    X = np.random.default_rng(seed).normal(size=(4, 6, 3)).clip(-1, 1)
    return X + np.array([-2, -0.5, 0.5, 2])[:, None, None] * [1, 0.5, -1]
""",
    },
    "equivariance-invariance": {
        "four-steps": """
def steps(X, W_Q, W_K, W_V, R):
    def attention(S):
        S = S - S.max()
        return np.exp(S) / np.exp(S).sum(axis=1)[:, None]
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    S = Q @ K.T / W_Q.shape[1] ** 0.5
    def gap(a, b):
        return float(abs(a - b).max())
    A = attention(S)
    B = R @ A @ R.T
    row = R @ S @ R.T
    T = np.exp(row - row.max(axis=1)[:, None])
    T = T / T.sum(axis=1)[:, None]
    second = gap(R @ Q @ K.T @ R.T / W_Q.shape[1] ** 0.5, row)
    return [gap(R @ X @ W_Q, R @ Q), second, gap(T, B), gap(B @ R @ V, R @ (A @ V))]
""",
        "solvable": """
def readable_by_mean(task):
    from fractions import Fraction
    known = {}
    for words, answer in task:
        key = frozenset((w, Fraction(words.count(w), len(words))) for w in words)
        if known.setdefault(key, answer) != answer:
            return False
    return True
""",
    },
    "permutation-matrices": {
        "every-case": """
def sign(perm):
    perm, swaps = list(perm), 0
    for i in range(len(perm)):
        while perm[i] != i:
            j = perm[i]
            perm[i], perm[j] = perm[j], perm[i]
            swaps += 1
    return -1 if swaps % 2 else 1
def is_permutation(M, room):
    n = len(M)
    P = np.zeros((n, n))
    if not np.isfinite(M).all():
        return False
    P[np.arange(n), np.argmax(M, axis=1)] = 1
    return bool((P.sum(axis=0) == 1).all() and np.abs(M - P).max() <= room)
""",
        "birkhoff": """
def birkhoff(D):
    rest, parts, n = np.array(D, dtype=float), [], len(D)
    perms = list(itertools.permutations(range(n)))
    while rest.max() > 1e-11:
        for perm in perms:  # any that is left, not the best
            weight = min(rest[i, perm[i]] for i in range(n))
            if weight > 1e-13:
                break
        else:
            break
        parts.append((float(weight), list(perm)))
        for i in range(n):
            rest[i, perm[i]] -= weight
    return parts
def balanced(S):
    x = np.zeros(len(S))
    for _ in range(20000):
        y = -np.log(np.exp(S + x[:, None]).sum(axis=0))
        x = -np.log(np.exp(S + y).sum(axis=1))
    return np.exp(S + x[:, None] + y)
""",
    },
    "length": {
        "gates-that-forget": """
def is_alibi(f):
    return len(f) < 3 or bool(np.ptp(np.log(f[1:])) <= 1e-9)
""",
        "lead-among-many": """
def weight(R, m, m_0):
    return 1 / (1 + (m - 1) * m ** (-R / math.log(m_0)))
""",
        "slower-clocks": """
def outside(rule, theta, n_0, s):
    pairs = zip(theta, slowed(rule, theta, n_0, s))
    return sum(bool(t * n_0 < 2 * math.pi and new * s > t * (1 + 1e-9)) for t, new in pairs)
""",
        "window-and-cache": """
def renumber(stored, s, theta):
    z = (stored[:, 0::2] + 1j * stored[:, 1::2]) * np.exp(-1j * s * theta)
    return np.stack([z.real, z.imag], axis=-1).reshape(stored.shape)
""",
    },
    "positional-encoding": {
        "table-survivors": """
def survivors(E):
    rows = [tuple(row) for row in E]
    return math.prod(math.factorial(rows.count(row)) for row in set(rows))
""",
        "four-terms": """
def is_relative(T):
    n, largest = len(T), np.abs(T).max()
    return all(bool(np.ptp(np.diagonal(T, k)) <= 1e-9 * largest) for k in range(-n + 1, n))
""",
        "longer-than-training": """
def length_for(m, share):
    q, n = math.exp(-m), 1
    while q / (1 - q) - n * q**n / (1 - q**n) < share * limit(m):
        n += 1
    return n
""",
    },
    "query-key-value": {
        "three-look-ups": """
def room(s, V):
    a = np.exp(s - s.max())
    a /= a.sum()
    best = int(s.argmax())
    return np.delete(a, best).sum() * max(np.linalg.norm(v - V[best]) for v in V)
""",
        "two-rows-one-output": """
def another_row(a, V):
    M = np.column_stack([V, np.ones(len(V))]).T
    P = np.eye(len(a)) - np.linalg.pinv(M) @ M
    if np.abs(P).max() < 1e-9:
        raise ValueError("determined")
    z = P[:, np.abs(P).max(axis=0).argmax()]
    return a + 0.009 / np.abs(z).max() * z
""",
        "block-by-block": """
def update(state, Q, K, V):
    S = Q @ K.T / np.sqrt(Q.shape[1])
    if state is None:
        level, mean = np.full(len(Q), -np.inf), np.zeros((len(Q), V.shape[1]))
    else:
        level, mean = state
    top = np.maximum(level, S.max(axis=1))
    old, new = np.exp(level - top), np.exp(S - top[:, None])
    total = old + new.sum(axis=1)
    return [top + np.log(total), (old[:, None] * mean + new @ V) / total[:, None]]
def finish(state):
    return state[1]
""",
    },
    "rnn-bottleneck": {
        "fading": """
def rate(W):
    return float(max(abs(z) for z in np.linalg.eigvals(W)))
def first_below(F, share):
    found = []
    for unit in range(F.shape[1]):
        left, first = 1.0, 0
        for t, gate in enumerate(F[:, unit], 2):
            left *= gate
            if left < share:
                first = t
                break
        found.append(first)
    return np.array(found)
""",
        "serial-steps": """
def hops(visible):
    n = len(visible)
    steps = np.full((n, n), -1)
    for i in range(n):
        steps[i, i], edge, layer = 0, [i], 0
        while edge:
            layer += 1
            edge = [j for j in range(n) if steps[i, j] < 0 and any(visible[k, j] for k in edge)]
            steps[i, edge] = layer
    return steps
""",
    },
    "softmax-convex-combination": {
        "certificate": """
def certificate(V, y):
    a = np.linalg.solve(np.vstack([V.T, np.ones(len(V))]), np.append(y, 1))
    if (a > 0).all():
        raise ValueError("inside")
    j = int(a.argmin())
    others = np.delete(V, j, axis=0)
    c = np.linalg.svd(np.vstack([others[1:] - others[0], np.zeros(V.shape[1])]))[2][-1]  # normal to the opposite face
    return c if c @ V[j] < c @ others[0] else -c
""",
        "as-good-as-deleted": """
def attend(S, V, hidden):
    if hidden.all(axis=1).any():
        raise ValueError("blind")
    S = np.where(hidden, -np.inf, S)
    A = np.exp(S - S.max(axis=1, keepdims=True))
    A /= A.sum(axis=1, keepdims=True)
    return np.where(hidden[:, :, None], 0, A[:, :, None] * V).sum(axis=1)
""",
        "sparsemax": """
def sparsemax(s):
    keep = np.ones(len(s), dtype=bool)
    while True:
        level = (s[keep].sum() - 1) / keep.sum()
        if (s[keep] > level).all():
            return np.where(keep, s - level, 0)
        keep &= s > level
""",
    },
    "sqrt-dk-scaling": {
        "general-variance": """
def score_variance(mu_q, Sigma_q, mu_k, Sigma_k):
    moments = (Sigma_q + np.outer(mu_q, mu_q)) * (Sigma_k + np.outer(mu_k, mu_k))
    return moments.sum() - (mu_q @ mu_k) ** 2
""",
        "saturation": """
def gradient_left(S):
    A = np.exp(S - S.max(axis=1)[:, None])
    A = A / A.sum(axis=1)[:, None]
    return np.array([np.linalg.norm(np.diag(a) - np.outer(a, a)) for a in A])
""",
        "witness": """
def witness(seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(5, 10, size=(2, 11)), rng.uniform(5, 10, size=(7, 11))
""",
    },
}
