"""Make small faults in Python and in JavaScript: another operator, another number, a condition turned round."""

import ast
import re

import libcst
from libcst.metadata import MetadataWrapper, ParentNodeProvider
from mutmut.mutation import mutators

PYTHON = {
    mutators.operator_number,
    mutators.operator_swap_op,
    mutators.operator_remove_unary_ops,
    mutators.operator_name,
    mutators.operator_keywords,  # True for False, `is not` for `is`
}
JAVASCRIPT = [  # (what stands there, what is put in its place); the code has spaces around its operators
    (r"(?<= )\+(?= )", "-"),
    (r"(?<=[\w)\]] )-(?= )", "+"),
    (r"(?<= )\*(?= )", "/"),
    (r"(?<= )/(?= )", "*"),
    (r"(?<= )<(?= )", "<="),
    (r"(?<= )<=(?= )", "<"),
    (r"(?<= )>(?= )", ">="),
    (r"(?<= )>=(?= )", ">"),
    ("===", "!=="),
    ("!==", "==="),
    ("&&", "||"),
    (r"\|\|", "&&"),
    (r"(?<=[ (])!(?=[\w(])", ""),
    (r"\bMath\.min\b", "Math.max"),
    (r"\bMath\.max\b", "Math.min"),
    (r"\btrue\b", "false"),
    (r"\bfalse\b", "true"),
    (r"(?<![\w.#])\d+(?![\w.])", lambda match: str(int(match[0]) + 1)),
]
DEAD_CONTROL = [(r"=> change\(", "=> void ("), (r"\bmodel\.on\(", "void (")]  # a figure's control that does nothing
TEXT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`", re.DOTALL)
DRAWS = re.compile(r"\b(make|div|set|write|document|window|element|el|svg|model)\b")


def python_faults(text, choose):
    """Yield (function, whether the place only refuses bad input, mutated line, mutated text) for a Python module.

    ``choose`` takes a list of all places and returns those to try.
    """
    wrapper = MetadataWrapper(libcst.parse_module(text))
    code = wrapper.module.code_for_node
    parents = wrapper.resolve(ParentNodeProvider)
    operators = [(kind, operator) for kind, operator in mutators.mutation_operators if operator in PYTHON]
    places = [
        (node, other)
        for node in parents
        for kind, operator in operators
        if isinstance(node, kind)
        for other in operator(node)
    ]
    for node, other in choose(places):
        around = [node]
        while around[-1] in parents:
            around.append(parents[around[-1]])
        functions = [n.name.value for n in around if isinstance(n, libcst.FunctionDef)]
        if not functions or any(isinstance(n, libcst.Raise | libcst.Annotation | libcst.Decorator) for n in around):
            continue
        whole = around[-2]  # the statement at the top of the file: to write the whole file takes ten times as long
        mutated = text.replace(code(whole), code(whole.deep_replace(node, other)))
        yield functions[-1], any(map(_refuses, around)), changed_line(text, mutated), mutated


def _refuses(node):
    """Return whether this is `if …: raise`."""
    return isinstance(node, libcst.If) and "raise" in libcst.Module([]).code_for_node(node.body).split()[:1]


def javascript_faults(text, choose):
    """Yield (mutated line, mutated text) for a JavaScript module, at those of all places that ``choose`` returns.

    Of a live figure the functions count that `compute` and `valid` reach, and its controls; of another module those
    that draw nothing. Where a mark stands and what a caption says is no law.
    """
    bare = TEXT.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    starts = [match.start() for match in re.finditer(r"^(?=(?:export )?(?:function|const|let)\b)", bare, re.MULTILINE)]
    blocks = list(zip(starts, [*starts[1:], len(bare)], strict=True))
    named = {}
    for start, end in blocks:
        head = re.match(r"(?:export )?function (\w+)|.*", bare[start:end])
        for name in [head[1]] if head[1] else re.findall(r"\b(\w+) = ", bare[start:end].partition("\n")[0]):
            named[name] = start, end
    reach = {"compute", "valid"} & set(named)
    for _ in named if reach else ():
        reach |= {word for name in reach for word in re.findall(r"\w+", bare[slice(*named[name])])} & set(named)
    chosen = {named[name] for name in reach} or {span for span in blocks if not DRAWS.search(bare[slice(*span)])}
    rules = [(pattern, new, span) for pattern, new in JAVASCRIPT for span in sorted(chosen)]
    rules += [(pattern, new, (0, len(bare))) for pattern, new in DEAD_CONTROL]
    places = [(match, new) for pattern, new, span in rules for match in re.compile(pattern).finditer(bare, *span)]
    for match, new in choose(places):
        mutated = text[: match.start()] + (new(match) if callable(new) else new) + text[match.end() :]
        yield changed_line(text, mutated), mutated


def changed_line(before, after):
    """Return the first line of ``after`` that differs."""
    pairs = zip(before.splitlines(), after.splitlines(), strict=False)
    return next((new.strip() for old, new in pairs if old != new), "")


def callers(text):
    """Return {name: the functions and constants at the top of this Python file that reach it, itself among them}."""
    bodies = {name: node for node in ast.parse(text).body for name in _given(node)}
    uses = {
        name: {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} & set(bodies) for name, node in bodies.items()
    }
    reach = {name: {name} for name in bodies}
    for _ in bodies:
        for name, used in uses.items():
            for other in used:
                reach[other] = reach[other] | reach[name]
    return reach


def _given(node):
    """Return the names that a statement gives: of a function, a class, or what it assigns to."""
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    return [node.name] if hasattr(node, "name") else [target.id for target in targets if isinstance(target, ast.Name)]
