"""No check of a page is empty: none compares a thing with itself, what was typed with what was typed, or nothing.

Only what can be seen without running a cell is found here; a fault planted by tools/mutants.py finds the rest.
"""

import ast
import textwrap

import pytest

from chapters import Page, report

SIDES = {"equal": 2, "differs": 2, "estimate": 2, "below": 2, "prints": 2}
EMPTY = {"array", "asarray", "zeros", "ones", "empty", "range", "tensor", "list", "tuple", "set", "dict"}
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
        if ast.dump(left) == ast.dump(right):
            yield f"{where}: {ast.unparse(left)} is compared with itself"
        if _constant(left, typed) and (_constant(right, typed) or kind == "prints"):
            yield f"{where}: {ast.unparse(left)} and {ast.unparse(right)} were both typed"
        for side in (left, right):
            yield from (f"{where}: {ast.unparse(n)} is made of nothing" for n in ast.walk(side) if _of_nothing(n))
            for n in ast.walk(side):
                if _call(n) == "len" and len(n.args) == 1 and _constant(n.args[0], typed) and _constant(right, typed):
                    yield f"{where}: {ast.unparse(n)} counts a list that was typed"
        key = kind, ast.dump(left), ast.dump(right)
        names = {n.id for side in (left, right) for n in ast.walk(side) if isinstance(n, ast.Name)}
        if key in seen and not any(seen[key] <= at <= line and n in names for at, n in stored):
            yield f"{where}: {ast.unparse(left)} and {ast.unparse(right)} were compared before, in line {seen[key]}"
        seen[key] = line


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
    """Whether a value was typed: a number or text, a list of them, or a name that stands for one."""
    if isinstance(node, ast.UnaryOp):
        return _constant(node.operand, typed)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return all(_constant(item, typed) for item in node.elts)
    if isinstance(node, ast.Dict):
        return all(
            key is not None and _constant(value, typed) for key, value in zip(node.keys, node.values, strict=True)
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
        return _constant(node.left, typed) and _constant(node.right, typed)
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
    ("sizes = [1, 2]\ncheck.equal(len(sizes), 2)", "counts a list that was typed"),
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
    "x = [0, 0]\nx[1] = f(y)\ncheck.equal(x, [0, 2])",
])  # fmt: skip
def test_a_check_that_compares_something_is_left_alone(tmp_path, cell):
    assert not list(problems(written(tmp_path, cell)))
