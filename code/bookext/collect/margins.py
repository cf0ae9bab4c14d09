"""Refuse a bound that lies far from what it bounds, unless ``chapters/margins.yml`` gives a reason.

A value of 1e-16 that is held against 0.1 would also pass where it is wrong by fourteen digits: of ``below`` and
``differs``, value and bound must lie within a factor ``FAR``. Where the distance is of the nature of the law, as
between a rounding error that happens to be 0 and what rounding may reach, the reason stands in the file.
"""

from pathlib import Path

import yaml
from sphinx.util import logging

from . import checks

FAR = 100
ROUNDING = 1e-14  # what is smaller counts as this much: a sum of a few hundred terms in double precision
logger = logging.getLogger(__name__)


def setup(app):
    """Compare all pages after reading, in every build: the file of reasons may have changed alone."""
    app.connect("env-updated", _warn)


def factor(check):
    """Return how many times the larger of value and bound exceeds the smaller; 1 for kinds that have no such bound."""
    if check.kind not in ("below", "differs"):
        return 1.0
    small, large = sorted(abs(float(side)) for side in (check.value, check.bound))
    return large / max(small, ROUNDING)


def problems(found, reasons):
    """Yield a sentence for each far bound without a reason, and for each reason without a check.

    ``found`` is {page: list of Law}, ``reasons`` the parsed file: a list of {reason, laws: {page: [law, …]}}.
    """
    known = [((page.rpartition("/")[2], law.check.law), law.check) for page, laws in found.items() for law in laws]
    far = {key: check for key, check in known if factor(check) > FAR}
    given = [(page, law) for entry in reasons for page, laws in entry["laws"].items() for law in laws]
    for page, law in sorted(far.keys() - set(given)):
        value, bound = float(far[page, law].value), float(far[page, law].bound)
        yield (
            f"{page}: {law!r} holds {value:.3g} against {bound:.3g}. Choose a bound within a factor {FAR}, "
            "or give a reason in chapters/margins.yml."
        )
    for page, law in sorted(set(given) - dict(known).keys()):
        yield f"chapters/margins.yml: {page} has no check {law!r}."
    for page, law in sorted({pair for pair in given if given.count(pair) > 1}):
        yield f"chapters/margins.yml names {law!r} of {page} twice."


def _warn(app, env):
    path = Path(app.srcdir) / "chapters" / "margins.yml"
    for problem in problems(checks.laws(env), yaml.safe_load(path.read_text("utf-8"))):
        logger.warning(problem)
