"""No check of a page is empty: none compares a thing with itself, what was typed with what was typed, or nothing.

An estimate names a rival, a wrong value that the same sample excludes: without one, too small a sample also passes.

Only what can be seen without running a cell is found here; a fault planted by tools/mutants.py finds the rest.
"""

import ast
import textwrap

import pytest

from chapters import Page, report

SIDES = {"equal": 2, "differs": 2, "estimate": 2, "below": 2, "prints": 2}
EMPTY = {"array", "asarray", "zeros", "ones", "empty", "range", "tensor", "list", "tuple", "set", "dict"}
TYPES = {"array", "asarray", "tensor", "ones", "zeros", "float", "int", "bool", "len", "list", "tuple", "set"}
EITHER_WAY = {"equal", "differs", "estimate"}
BOTH_WAYS = ast.Add | ast.Mult
REDUCE = {"sum", "max", "min", "all", "any", "prod", "mean"}


def problems(page):
    """Every check of a page that says nothing, with its place and the reason."""
    typed, stored, seen = _typed(page), [], {}
    for cell in page.cells:
        for node in ast.walk(cell.tree):
            if isinstance(node, ast.Name | ast.arg) and not isinstance(getattr(node, "ctx", None), ast.Load):
                stored.append((cell.line + node.lineno, getattr(node, "id", None) or node.arg))
    for _cell, call, name, where in page.calls():
        kind = name.removeprefix("attnbook.check.")
        if kind not in SIDES or name == kind or len(call.args) < 2:
            continue
        left, right = call.args[:2]
        line = int(where.rpartition(":")[2])
        if kind == "estimate" and all(word.arg != "rejects" for word in call.keywords):
            yield f"{where}: {ast.unparse(left)} has no rival: say with rejects= what the sample must exclude"
        for one, other in [(left, right), *(pair for side in (left, right) for pair in _compared(side))]:
            if _dump(one) == _dump(other):
                yield f"{where}: {ast.unparse(one)} is compared with itself"
        rounded = kind == "prints" and isinstance(left, ast.BinOp)  # as in 0.9 ** 99, which has digits to be found
        if _constant(left, typed) and (_constant(right, typed) or kind == "prints") and not rounded:
            yield f"{where}: {ast.unparse(left)} and {ast.unparse(right)} were both typed"
        for side in (left, right):
            yield from (f"{where}: {ast.unparse(n)} is made of nothing" for n in ast.walk(side) if _of_nothing(n))
        pair = _dump(left), _dump(right)
        key = kind, *(sorted(pair) if kind in EITHER_WAY else pair)
        names = {n.id for side in (left, right) for n in ast.walk(side) if isinstance(n, ast.Name)}
        if key in seen and not any(seen[key] <= at <= line and n in names for at, n in stored):
            yield f"{where}: {ast.unparse(left)} and {ast.unparse(right)} were compared before, in line {seen[key]}"
        seen[key] = line


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
    """Names that are only ever bound to what was typed: numbers, text, and lists of them."""
    values = {}
    for cell in page.cells:
        simple = {id(t): node.value for node in ast.walk(cell.tree) if isinstance(node, ast.Assign)
                  for t in node.targets if isinstance(t, ast.Name)}  # fmt: skip
        for node in ast.walk(cell.tree):
            if isinstance(node, ast.arg):
                values.setdefault(node.arg, []).append(node)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                values.setdefault(node.id, []).append(simple.get(id(node), node))
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):  # x.append(…)
                values.setdefault(ast.unparse(node.func.value), []).append(node)
            elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):  # x[i] = …
                values.setdefault(ast.unparse(node.value), []).append(node)
    return {name for name, found in values.items() if all(_constant(value, ()) for value in found)}


def _constant(node, typed):
    """Whether a value was typed: a number or text, a list, an array or a sum of them, or a name that stands for one."""
    if isinstance(node, ast.UnaryOp):
        return _constant(node.operand, typed)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return all(_constant(item, typed) for item in node.elts)
    if isinstance(node, ast.Dict):
        return all(
            key is not None and _constant(value, typed) for key, value in zip(node.keys, node.values, strict=True)
        )
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):  # a product of matrices is a law
        return _constant(node.left, typed) and _constant(node.right, typed)
    if isinstance(node, ast.Call):  # what makes something else of a value that was typed
        return _call(node) in TYPES and bool(node.args) and all(_constant(arg, typed) for arg in node.args)
    return isinstance(node, ast.Constant) or (isinstance(node, ast.Name) and node.id in typed)


def _call(node):
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _of_nothing(node):
    """sum([]), np.max(np.zeros(0)), all(range(0)) and their like."""
    return _call(node) in REDUCE and len(node.args) >= 1 and _empty(node.args[0])


def _empty(node):
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return not node.elts
    if isinstance(node, ast.GeneratorExp | ast.ListComp):
        return any(_empty(part.iter) for part in node.generators)
    zero = (
        isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0
    )
    return _call(node) in EMPTY and (not node.args or (bool(zero) and len(node.args) == 1) or _empty(node.args[0]))


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
    "x = [0, 0]\nx[1] = f(y)\ncheck.equal(x, [0, 2])", "check.equal(x + 1, 1)", "check.equal(0 - x, x)",
    "check.equal(np.ones(f(x)), [1])", "check.equal(len(f(x)), 2)", "check.equal(1 / x, x)",
    "check.below(x, y)\ncheck.below(y, x)", "check.equal(f(x) == f(y), True)",
    "check.estimate(mean, 1 / 4, stderr=stderr, rejects=1 / 3)",
    "check.prints(0.9 ** 99, '2.951e-5')", "P = np.array([[0, 1], [1, 0]])\ncheck.equal(P @ P, [[1, 0], [0, 1]])",
])  # fmt: skip
def test_a_check_that_compares_something_is_left_alone(tmp_path, cell):
    assert not list(problems(written(tmp_path, cell)))
