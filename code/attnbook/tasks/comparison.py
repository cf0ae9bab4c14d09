"""Compare models, each at the best of its own learning rates, over the settings that decide the comparison."""

import itertools

import numpy as np

__all__ = ["comparison"]

CHOOSE, LEAST = 4, {"sides": 2, "rates": 5, "values of a setting": 3, "reported seeds": 8}


def comparison(run, sides, rates, settings, seeds, has_rate=lambda **setting: True):
    """Return MEMBERS, member and summary of an experiment that compares ``sides`` over a grid.

    ``run(side, rate, seeds, **setting)`` returns {measure: one number per seed}. One measure is called ``"loss"``:
    smaller is better, and it does not saturate. ``settings`` is {name: values}. The first four seeds choose the rate of
    a side in a setting by their median loss, and the others are reported at that rate. Where ``has_rate(**setting)`` is
    false nothing is trained, so a side runs once there, at the rate None.

    The summary has a row for each side and setting: ``side``, the setting, ``rate``, and under the name of each measure
    its least, median and largest value over the reported seeds.

    Raises ``ValueError`` for fewer than two sides, five rates, three values of a setting or eight reported seeds; and
    in the summary if a loss still falls at an end of the rates, because the side is then not at its best.
    """
    seeds, rates = list(seeds), sorted(rates)
    counts = {"sides": len(sides), "rates": len(rates), "reported seeds": len(seeds) - CHOOSE}
    values = min(map(len, settings.values()), default=0)
    for what, count in (counts | {"values of a setting": values}).items():
        if count < LEAST[what]:
            raise ValueError(f"{count} {what}; a comparison needs {LEAST[what]} or more")
    grid = [dict(zip(settings, values, strict=True)) for values in itertools.product(*settings.values())]
    cases = [(side, setting, rates if has_rate(**setting) else [None]) for side in sides for setting in grid]
    members = [(side, setting, rate) for side, setting, tried in cases for rate in tried]

    def member(k):
        """One side in one setting at one rate, for all seeds."""
        side, setting, rate = members[k]
        return run(side, rate, seeds, **setting)

    def summary(results):
        """Each side at its own best, in each setting."""
        rows, answers = [], iter(results)
        for side, setting, tried in cases:
            runs = list(itertools.islice(answers, len(tried)))
            loss = np.nan_to_num(np.array([measures["loss"] for measures in runs]), nan=np.inf)
            best = int(np.median(loss[:, :CHOOSE], axis=1).argmin())
            inner = min(max(best, 1), len(tried) - 2)
            if best != inner and loss[best].max() < loss[inner].min():
                raise ValueError(f"{side}, {setting}: the loss still falls at {tried[best]}, an end of the rates")
            reported = {name: np.array(numbers)[CHOOSE:] for name, numbers in runs[best].items()}
            ranges = {name: [x.min(), np.median(x), x.max()] for name, x in reported.items()}
            rows.append({"side": side, **setting, "rate": tried[best], **ranges})
        return {"rows": rows}

    return range(len(members)), member, summary
