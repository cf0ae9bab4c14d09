"""No check of a page is empty: none compares a thing with itself, nor what was typed with what was typed.

An estimate names a rival, a wrong value that the same sample excludes: without one, too small a sample also passes.
Only what can be seen without running a cell is found here; planted faults find the rest.
"""

import ast
import textwrap

import pytest

from chapters import Page, report

BOTH = ("left", "right")
SIDES = {"equal": BOTH, "differs": BOTH, "estimate": ("measured", "exact"), "below": ("smaller", "larger")}
SIDES["prints"] = ("value", "printed")
CONSTRUCTORS = {"array", "asarray", "tensor", "list", "tuple", "set", "dict", "int", "float", "bool", "len"}
REDUCTIONS = {"sum", "max", "min", "all", "any", "prod", "mean"}


def problems(page):
    """Yield every check of a page that says nothing, with its place and the reason."""
    for cell in page.cells:
        for call in ast.walk(cell.tree):
            kind = ast.unparse(call.func).partition("check.")[2] if isinstance(call, ast.Call) else ""
            if kind in SIDES:
                where = page.where(cell.line + call.lineno - 1)
                yield from (f"{where}: {reason}" for reason in _reasons(call, kind))


def _reasons(call, kind):
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    sides = [*call.args[:2], *(keywords[name] for name in SIDES[kind][len(call.args) :] if name in keywords)]
    if kind == "estimate" and "rejects" not in keywords:
        yield f"{ast.unparse(sides[0])} has no rival: say with rejects= what the sample must exclude"
    for name in ("rejects", "terms"):
        if any(map(_infinite, ast.walk(keywords.get(name, ast.Constant(0))))):
            yield f"{name} = {ast.unparse(keywords[name])} is infinite, and allows everything"
    pairs = [tuple(sides)] if len(sides) == 2 else []
    for node in (node for side in sides for node in ast.walk(side)):
        pairs += zip([node.left, *node.comparators], node.comparators) if isinstance(node, ast.Compare) else ()  # noqa: B905
        if _of_nothing(node):
            yield f"{ast.unparse(node)} is made of nothing"
    twins = [one for one, other in pairs if ast.dump(one) == ast.dump(other)]
    yield from (f"{ast.unparse(one)} is compared with itself" for one in twins)
    digits = kind == "prints" and any(isinstance(node, ast.BinOp) for node in ast.walk(sides[0]))  # as of 0.9 ** 99
    if len(sides) == 2 and not twins and not digits and all(_typed(side) for side in sides):
        yield f"{ast.unparse(sides[0])} and {ast.unparse(sides[1])} were both typed"


def _typed(node):
    """Whether a value is made of what was typed alone: numbers, texts, and lists and arrays of them."""
    if isinstance(node, ast.Call):
        name = ast.unparse(node.func).removeprefix("np.").removeprefix("torch.")
        return name in CONSTRUCTORS and all(map(_typed, node.args))
    computed = isinstance(node, ast.Name | ast.Attribute | ast.Lambda | ast.comprehension | ast.MatMult)
    return not computed and all(map(_typed, ast.iter_child_nodes(node)))


def _infinite(node):
    """np.inf, inf, 1e999 or the text in float("inf")."""
    word = getattr(node, "attr", getattr(node, "id", getattr(node, "value", None)))
    return str(word).lower() in {"inf", "infinity"}


def _called(node):
    func = getattr(node, "func", None)
    return getattr(func, "attr", getattr(func, "id", "")) if func else ""


def _of_nothing(node):
    """sum([]), all(x for y in range(0)), np.zeros(0).sum() and their like."""
    if _called(node) not in REDUCTIONS:
        return False
    inside = [*node.args[:1], *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
    return any(isinstance(part, ast.List | ast.Tuple) and not part.elts for part in inside) or any(
        _called(part) in {"range", "zeros", "ones", "empty"} and ast.unparse(part.args[0]) == "0"
        for each in inside
        for part in ast.walk(each)
        if getattr(part, "args", None)
    )


def test_no_check_is_empty(source):
    report(problems(source))


CELLS = [
    ("check.equal(a + b, a + b)", "is compared with itself"),
    ("check.differs(f(x), f(x), by=1)", "is compared with itself"),
    ("check.equal(f(x) == f(x), True)", "is compared with itself"),
    ("check.equal(1, 2)", "were both typed"),
    ("check.below(-1, 2.5)", "were both typed"),
    ("check.prints(0.5, '0.50')", "were both typed"),
    ("check.equal([True] * 3, [True, True, True])", "were both typed"),
    ("check.equal(np.array([1, 2]), [1, 2])", "were both typed"),
    ("check.equal(left=1, right=2, law='x')", "were both typed"),
    ("check.equal(len([1, 2]), 2)", "were both typed"),
    ("check.equal(3 < 4, True)", "were both typed"),
    ("check.estimate(mean, 1 / 4, stderr=stderr)", "has no rival"),
    ("check.estimate(mean, 1 / 4, stderr=stderr, rejects=np.inf)", "is infinite"),
    ("check.equal(f(x), y, terms=-float('inf'))", "is infinite"),
    ("check.equal(sum([]), total)", "is made of nothing"),
    ("check.equal(all(f(x) for x in range(0)), good)", "is made of nothing"),
    ("check.equal(np.zeros(0).sum(), total)", "is made of nothing"),
    ("check.equal(f(x), 1)", None),
    ("check.equal(f(x) == f(y), True)", None),
    ("check.estimate(mean, 1 / 4, stderr=stderr, rejects=1 / 3)", None),
    ("check.equal(sum(range(4)), total)", None),
    ("check.equal(np.linalg.norm([3, 4]), 5)", None),
    ("check.prints(0.9 ** 99, '2.951e-5')", None),
    ("check.equal(*f(x))", None),
]


@pytest.mark.parametrize(("cell", "reason"), CELLS)
def test_an_empty_check_is_found(tmp_path, cell, reason):
    text = f"# A page\n\n```{{code-cell}} ipython3\n{textwrap.dedent(cell)}\n```\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    errors = list(problems(Page("a", tmp_path)))
    assert [reason in error for error in errors] == ([True] if reason else []), errors
