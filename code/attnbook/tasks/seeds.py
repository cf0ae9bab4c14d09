"""Compare two sides seed by seed: a median says which is ahead, and the seeds how far one may trust it."""

from collections.abc import Mapping, Sequence

import numpy as np

from .comparison import CHOOSE

__all__ = ["ahead", "with_seeds"]


def with_seeds(summary: dict, results: Sequence[Mapping], rates: Sequence[float], measures: Sequence[str]) -> dict:
    """Add to each row of a comparison's ``summary`` what every reported seed measured at the rate of the row.

    ``results`` are the members of the comparison in order, and ``rates`` those that it tried. A row gets
    ``seeds``, {measure: one number per reported seed}.
    """
    rates, answers = sorted(rates), iter(results)
    for row in summary["rows"]:
        tried = [None] if row["rate"] is None else rates
        runs = {rate: next(answers) for rate in tried}
        row["seeds"] = {name: list(runs[row["rate"]][name][CHOOSE:]) for name in measures}
    return summary


def ahead(first: Sequence[float], second: Sequence[float]) -> tuple[int, int, int]:
    """Count the seeds in which the first number is larger than the second, equal to it, and smaller.

    >>> ahead([0.9, 0.5, 1.0], [0.8, 0.5, 1.0])
    (1, 2, 0)
    """
    sign = np.sign(np.asarray(first) - np.asarray(second, dtype=float))
    larger, equal, smaller = (int((sign == value).sum()) for value in (1, 0, -1))
    return larger, equal, smaller
