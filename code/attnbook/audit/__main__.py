"""Audit from the command line: ``python -m attnbook.audit module:callable --heads 4 --causal``.

``module:name`` is a function or a module of PyTorch, ``module:name()`` what calling it without arguments returns. The
options are the claims of :func:`attnbook.audit.audit`: ``--rotary halves``, ``--mask "('look', 'add')"``, and where a
claim is a function or an array, ``--pieces module:callable``. It prints the report, and exits with 1 where
``report.assert_lawful()`` raises, else with 0; with 2 if the layer cannot be called.
"""

import argparse
import ast
import importlib
import inspect
import sys
from collections.abc import Sequence
from typing import Any

from . import audit

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the report of an audit; return 1 if the layer does not pass, else 0. Wrong arguments exit with 2."""
    claims = vars(_parser().parse_args(arguments))
    try:
        report = audit(_found(claims.pop("callable")), **{k: x for k, x in claims.items() if x is not None})
    except ValueError as refused:
        print(f"python -m attnbook.audit: {refused}", file=sys.stderr)
        return 2
    print(report)
    if report.objection:
        print(f"✗ {report.name} is {report.objection}")
    return 1 if report.objection else 0


def _parser():
    """Return a parser with an option for each claim."""
    parser = argparse.ArgumentParser("python -m attnbook.audit", description="Run the laws of attention on a layer.")
    parser.add_argument("callable", help="module:name of a function or a module, module:name() to call it first")
    for name, claim in list(inspect.signature(audit).parameters.items())[1:]:
        flag = {"action": "store_true"} if claim.annotation is bool else {"type": _value}
        parser.add_argument(f"--{name.replace('_', '-')}", default=None, **flag)
    return parser


def _value(text: str) -> Any:
    """Read a number, a list, module:name, or else a word."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return _found(text) if ":" in text else text


def _found(text: str) -> Any:
    """Import ``module:name``, and call it where the name ends in ()."""
    place, _, name = text.partition(":")
    called = name.endswith("()")
    try:
        found = importlib.import_module(place)
        for part in name.removesuffix("()").split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"callable = {text!r}; expected module:name, as in my_model:layer ({error})") from None
    return found() if called else found


if __name__ == "__main__":
    sys.exit(main())
