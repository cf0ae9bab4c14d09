"""No check of a page is empty: none compares a thing with itself, what was typed with what was typed, or nothing.

An estimate names a rival, a wrong value that the same sample excludes: without one, too small a sample also passes.

Only what can be seen without running a cell is found here; a fault planted by tools/mutants.py finds the rest.
"""

import ast
import builtins
import re
import textwrap

import pytest

from chapters import Page, report

BOTH = ("left", "right")
SIDES = {"equal": BOTH, "differs": BOTH, "estimate": ("measured", "exact"), "below": ("smaller", "larger")}
SIDES["prints"] = ("value", "printed")
EMPTY = {"array", "asarray", "tensor", "list", "tuple", "set", "dict"}
MODULES = {"np", "math", "torch"}
TYPES = {"array", "asarray", "tensor", "ones", "zeros", "float", "int", "bool", "len", "list", "tuple", "set"}
DRAWN = {"rand", "randn", "random", "standard_normal"}  # their arguments are the size
EITHER_WAY = {"equal", "differs", "estimate"}
BOTH_WAYS = ast.Add | ast.Mult
REDUCE = {"sum", "max", "min", "all", "any", "prod", "mean"}
OF_TYPED = TYPES | REDUCE | {"split", "tolist", "copy", "item", "keys", "values", "shape", "size", "ndim"}
PRODUCTS = {"matmul", "dot", "einsum", "outer", "kron"}
SUMS, RANGES = {"sum", "prod", "mean", "cumsum", "cumprod"}, {"range", "arange", "linspace", "full"}


def problems(page):
    """Every check of a page that says nothing, with its place and the reason."""
    typed, stored, seen = _typed(page), [], {}
    for cell in page.cells:
        for node in ast.walk(cell.tree):
            if isinstance(node, ast.Name | ast.arg) and not isinstance(getattr(node, "ctx", None), ast.Load):
                stored.append((cell.line + node.lineno, getattr(node, "id", None) or node.arg))
    for _cell, call, name, where in page.calls():
        kind = name.removeprefix("attnbook.check.")
        if kind not in SIDES or name == kind or len(sides := _sides(call, SIDES[kind])) < 2:
            continue
        left, right = sides
        line = int(where.rpartition(":")[2])
        if kind == "estimate" and all(word.arg != "rejects" for word in call.keywords):
            yield f"{where}: {ast.unparse(left)} has no rival: say with rejects= what the sample must exclude"
        for word in call.keywords:
            if word.arg in (None, "rejects", "terms") and any(map(_infinite, _parts(word.value, typed))):
                yield f"{where}: {ast.unparse(word)} is infinite, and allows everything"
        pairs = [(left, right), *(pair for side in sides for pair in _compared(side))]
        twins = [one for one, other in pairs if _dump(one) == _dump(other)]
        yield from (f"{where}: {ast.unparse(one)} is compared with itself" for one in twins)
        figure = kind == "prints" and _computed(left, typed)  # as in 0.9 ** 99, which has digits to be found
        if not twins and _constant(left, typed) and (_constant(right, typed) or kind == "prints") and not figure:
            yield f"{where}: {ast.unparse(left)} and {ast.unparse(right)} were both typed"
        for side in sides:
            yield from (f"{where}: {ast.unparse(n)} is made of nothing" for n in ast.walk(side) if _of_nothing(n))
        pair = _dump(left), _dump(right)
        key = kind, *(sorted(pair) if kind in EITHER_WAY else pair)
        names = {n.id for side in sides for n in ast.walk(side) if isinstance(n, ast.Name)}
        if key in seen and not any(seen[key] <= at <= line and n in names for at, n in stored):
            yield f"{where}: {ast.unparse(left)} and {ast.unparse(right)} were compared before, in line {seen[key]}"
        seen[key] = line


def _sides(call, names):
    """The two sides of a check, passed in their places, by name, or with stars."""
    given = []
    for node in call.args:
        star = node.value if isinstance(node, ast.Starred) else None
        items = star and (getattr(star, "elts", None) or [_item(star, 0), _item(star, 1)])
        given += items or [node]
    named = {name: _item(word.value, name) for word in call.keywords if word.arg is None for name in names}
    named |= {word.arg: word.value for word in call.keywords}
    return [*given[:2], *(named[name] for name in names[len(given) :] if name in named)]


def _item(node, key):
    return ast.Subscript(node, ast.Constant(key), ast.Load())


def _compared(side):
    """The two sides of every ``==`` and its like inside one side of a check."""
    for node in ast.walk(side):
        if isinstance(node, ast.Compare):
            yield from zip([node.left, *node.comparators], node.comparators, strict=False)


def _dump(node):
    """A node as text, without what changes nothing: x + 0, x - 0, x * 1, x / 1, x ** 1 and +x are x."""
    while True:
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd):
            node = node.operand
        elif isinstance(node, ast.BinOp) and _does_nothing(node.op, node.right):
            node = node.left
        elif isinstance(node, ast.BinOp) and isinstance(node.op, BOTH_WAYS) and _does_nothing(node.op, node.left):
            node = node.right
        else:
            return ast.dump(node)


def _does_nothing(op, operand):
    neutral = 0 if isinstance(op, ast.Add | ast.Sub) else 1 if isinstance(op, ast.Mult | ast.Div | ast.Pow) else None
    return isinstance(operand, ast.Constant) and operand.value == neutral and neutral is not None


def _typed(page):
    """What every name, and the length of its array, stands for, if it is only ever bound to what was typed."""
    values = {}
    for cell in page.cells:
        simple = {id(t): node.value for node in ast.walk(cell.tree) if isinstance(node, ast.Assign)
                  for t in node.targets if isinstance(t, ast.Name)}  # fmt: skip
        for node in ast.walk(cell.tree):
            if isinstance(node, ast.arg):
                values.setdefault(node.arg, []).append(node)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                values.setdefault(node.id, []).append(simple.get(id(node), node))
            elif (changed := _changed(node)) and changed not in MODULES:
                values.setdefault(changed, []).append(node)
    for name, sizes in [(name, list(map(_size, found))) for name, found in values.items()]:
        if all(sizes):
            values |= dict.fromkeys((f"len({name})", f"{name}.shape", f"{name}.size", f"{name}.ndim"), sizes)
    typed, more = dict.fromkeys(values), True
    while more:
        unknown = {name: found for name, found in values.items() if not typed[name]}
        more = {name: found for name, found in unknown.items() if all(_constant(value, typed) for value in found)}
        typed |= more
    return typed


def _changed(node):
    """The name of what x.append(…) and x[i] = … may change, here x."""
    changed = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr not in OF_TYPED:
        changed = node.func.value
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        changed = node.value
    return changed and re.match(r"\w*", ast.unparse(changed))[0]


def _size(node):
    """The size that a random array is drawn with, or None."""
    sizes = [word.value for word in getattr(node, "keywords", ()) if word.arg == "size"]
    return sizes[0] if sizes else ast.Tuple(node.args, ast.Load()) if _call(node) in DRAWN else None


def _parts(node, typed):
    """A node and all in it, with what was typed in the place of each name that stands for it."""
    name = ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute | ast.Call) else None
    found = typed.get(name)
    if not found:
        yield node
    for part in found or ast.iter_child_nodes(node):
        yield from _parts(part, typed)


def _constant(node, typed):
    """Whether a value was typed: nothing is in it but what was typed, and functions of Python, NumPy and math."""
    return all(_plain(part, typed) and not _law(part, typed) for part in _parts(node, typed))


def _plain(part, typed):
    if isinstance(part, ast.Name):
        return part.id in MODULES or (part.id not in typed and hasattr(builtins, part.id))
    if isinstance(part, ast.Attribute):
        return part.attr in OF_TYPED or getattr(part.value, "id", None) in MODULES
    if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
        return part.func.attr in OF_TYPED or getattr(part.func.value, "id", None) in MODULES - {"torch"}
    return not isinstance(part, ast.stmt | ast.arg | ast.comprehension | ast.Lambda)


def _law(part, typed):
    """Whether this is a product of matrices, or a sum over a series or a table, which nobody sees at a glance."""
    if _call(part) in SUMS:
        return any(getattr(n, "id", None) in typed or _call(n) in RANGES for n in ast.walk(part))
    return _call(part) in PRODUCTS or isinstance(part, ast.MatMult)


def _computed(node, typed):
    """Whether a number has digits that nobody typed."""
    parts = list(_parts(node, typed))
    return any(isinstance(part, ast.BinOp) or _call(part) not in {"", *TYPES} for part in parts)


def _infinite(part):
    """np.inf, inf, 1e999 or the text in float("inf")."""
    word = getattr(part, "attr", getattr(part, "id", getattr(part, "value", None)))
    return str(word).lower() in {"inf", "infinity"}


def _call(node):
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _of_nothing(node):
    """sum([]), np.max(np.zeros(0)), x[:0].sum(), all(range(0)) and their like."""
    return _call(node) in REDUCE and any(map(_empty, [*node.args[:1], getattr(node.func, "value", None)]))


def _empty(node):
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return not node.elts
    if isinstance(node, ast.GeneratorExp | ast.ListComp):
        return any(_empty(part.iter) for part in node.generators)
    if isinstance(node, ast.Subscript):
        slices = [part for part in ast.walk(node.slice) if isinstance(part, ast.Slice) and part.upper]
        return any(_dump(part.upper) == _dump(part.lower or ast.Constant(0)) for part in slices)
    if _call(node) in {"zeros", "ones", "empty"} or (_call(node) == "range" and len(node.args) == 1):
        return any(getattr(n, "value", None) == 0 for arg in node.args for n in getattr(arg, "elts", [arg]))
    return _call(node) in EMPTY and (_empty(node.args[0]) if node.args else not node.keywords)


def test_no_check_is_empty(source):
    report(problems(source))


CELLS = [
    ("check.equal(a + b, a + b)", "is compared with itself"),
    ("check.differs(f(x), f(x), by=1)", "is compared with itself"),
    ("check.equal(1, 2)", "were both typed"),
    ("check.below(-1, 2.5)", "were both typed"),
    ("check.prints(0.5, '0.50')", "were both typed"),
    ("check.equal([True] * 3, [True, True, True])", "were both typed"),
    ("n = 4\ncheck.equal(n, 4)", "were both typed"),
    ("check.equal(1 + 1, 2)", "were both typed"),
    ("check.equal(np.array([1, 2]), [1, 2])", "were both typed"),
    ("check.equal(np.ones(3), [1, 1, 1])", "were both typed"),
    ("check.equal(np.zeros((2, 2)).tolist(), np.zeros((2, 2)).tolist())", "is compared with itself"),
    ("check.equal(float(1), bool(1))", "were both typed"),
    ("sizes = [1, 2]\ncheck.equal(len(sizes), 2)", "were both typed"),
    ("sizes = np.array([1, 2])\ncheck.equal(len(sizes), 2)", "were both typed"),
    ("check.equal(x, x + 0)", "is compared with itself"),
    ("check.equal(1 * f(x) / 1, +f(x))", "is compared with itself"),
    ("check.equal(f(x) == f(x), True)", "is compared with itself"),
    ("check.equal((f(x) <= f(x)).all(), True)", "is compared with itself"),
    ("check.equal(f(x), y)\ncheck.equal(y, f(x))", "were compared before"),
    ("check.estimate(mean, 1 / 4, stderr=stderr)", "has no rival"),
    ("check.estimate(mean, 1 / 4, stderr=stderr, **more)", "has no rival"),
    ("check.equal(sum([]), total)", "is made of nothing"),
    ("check.equal(all(f(x) for x in range(0)), good)", "is made of nothing"),
    ("check.below(np.max(np.zeros(0)), bound)", "is made of nothing"),
    ("check.equal(f(x), y)\ncheck.equal(f(x), y)", "were compared before"),
    ("check.equal(left=1, right=2, law='x')", "were both typed"),
    ("check.equal(1, right=2)", "were both typed"),
    ("check.equal(*[1, 2])", "were both typed"),
    ("pair = 1, 2\ncheck.equal(*pair, 'x')", "were both typed"),
    ("check.equal(**{'left': 1, 'right': 2})", "were both typed"),
    ("check.estimate(exact=f(x), measured=f(x), stderr=1, rejects=2)", "is compared with itself"),
    ("check.equal(3 < 4, True)", "were both typed"),
    ("check.equal(1 < 2 and not 2 > 3, True)", "were both typed"),
    ("check.equal(np.sqrt(4), 2)", "were both typed"),
    ("check.equal(max(1, 2), 2)", "were both typed"),
    ("check.equal(np.arange(3), [0, 1, 2])", "were both typed"),
    ("check.equal(np.array([1, 2]).sum(), 3)", "were both typed"),
    ("check.equal({'a': 1}['a'], 1)", "were both typed"),
    ("sizes = [1, 2]\ncheck.equal(sizes[1:], [2])", "were both typed"),
    ("n = 2\nm = n + 1\ncheck.equal(m, 3)", "were both typed"),
    ("words = 'a b'.split()\ncheck.equal(len(words), 2)", "were both typed"),
    ("H = rng.normal(size=(6, 8))\ncheck.equal(len(H), 6)", "were both typed"),
    ("n = 6\nH = torch.randn(n, 8)\ncheck.equal(H.shape[0], n)", "were both typed"),
    ("check.equal(np.zeros(0).sum(), total)", "is made of nothing"),
    ("check.equal(np.zeros((3, 0)).sum(), total)", "is made of nothing"),
    ("check.equal(np.array([]).sum(), total)", "is made of nothing"),
    ("check.equal(x[:0].sum(axis=0), total)", "is made of nothing"),
    ("check.equal(np.sum(x[:, 2:2]), total)", "is made of nothing"),
    ("check.estimate(mean, 1 / 4, stderr=stderr, rejects=np.inf)", "is infinite"),
    ("check.equal(f(x), y, terms=-float('inf'))", "is infinite"),
    ("most = {'terms': math.inf}\ncheck.equal(f(x), y, **most)", "is infinite"),
]


def written(tmp_path, cell):
    imports = "import numpy as np\nfrom attnbook import check"
    text = f"# A page\n\n```{{code-cell}} ipython3\n{imports}\n{textwrap.dedent(cell)}\n```\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    return Page("a", tmp_path)


@pytest.mark.parametrize(("cell", "reason"), CELLS)
def test_an_empty_check_is_found(tmp_path, cell, reason):
    found = list(problems(written(tmp_path, cell)))
    assert len(found) == 1
    assert reason in found[0]


@pytest.mark.parametrize("cell", [
    "check.equal(f(x), 1)", "check.equal(2 / 3 + x, y)", "check.equal(f(x), y)\nx = 2\ncheck.equal(f(x), y)",
    "n = 4\nn += 1\ncheck.equal(n, 5)", "found = []\nfound.append(f(x))\ncheck.equal(found, [1])",
    "sizes = [f(x), 2]\ncheck.equal(len(set(sizes)), 2)", "check.equal(sum(range(4)), total)",
    "check.equal(np.array([0, 1]).sum() + sum(range(0, 9)), total)", "check.equal(np.ones(shape=3).sum(), total)",
    "x = [0, 0]\nx[1] = f(y)\ncheck.equal(x, [0, 2])", "check.equal(x + 1, 1)", "check.equal(0 - x, x)",
    "check.equal(np.ones(f(x)), [1])", "check.equal(len(f(x)), 2)", "check.equal(1 / x, x)",
    "check.below(x, y)\ncheck.below(y, x)", "check.equal(f(x) == f(y), True)",
    "check.estimate(mean, 1 / 4, stderr=stderr, rejects=1 / 3)",
    "check.equal(*f(x))", "check.equal(f(x), right=1, terms=9)", "check.equal(x[:1].sum() + x[1:].sum(), total)",
    "check.equal(f(x) < 4, True)", "check.equal(np.sqrt(f(x)), 2)", "check.equal(np.linalg.norm([3, 4]), 5)",
    "check.equal(sum(2 * np.arange(9)), 72)", "row = [0.4, 0.6]\ncheck.equal(sum(row), 1.0)",
    "check.equal(np.dot([1, 2], [3, 4]), 11)", "check.prints(np.exp(-6), '0.0025')", "max = f(x)\ncheck.equal(max, 2)",
    "H = rng.normal(size=(6, 8))\ncheck.equal(len(f(H)), 6)", "H = rng.normal(size=9)\ncheck.equal(H[0] < 2, True)",
    "H = rng.normal(size=9)\nH = f(H)\ncheck.equal(len(H), 4)",
    "errors = {'a': []}\nerrors[x].append(y)\ncheck.equal(errors['a'], [1])",
    "check.prints(0.9 ** 99, '2.951e-5')", "P = np.array([[0, 1], [1, 0]])\ncheck.equal(P @ P, [[1, 0], [0, 1]])",
])  # fmt: skip
def test_a_check_that_compares_something_is_left_alone(tmp_path, cell):
    assert not list(problems(written(tmp_path, cell)))
