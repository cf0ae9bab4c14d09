"""Train two causal layers at length 12, with rotary positions and with none, and test them at 96 in windows."""

from attnbook.positional import frequencies
from attnbook.tasks import comparison, measure_stack, train_stack

SIDES = {"rotary": frequencies(16), "none": None}
RATES = (0.001, 0.003, 0.01, 0.03, 0.1)


def run(side, rate, seeds, steps):
    """Loss at 12; shares right at 12, at 96, and there in windows of 12 keys and of 6."""
    theta = SIDES[side]
    w = train_stack(theta, rate, seeds=len(seeds), steps=steps)
    loss, short = measure_stack(theta, w, 12)
    tests = {"stretched": None, "window": 12, "narrow": 6}
    shares = {name: measure_stack(theta, w, 96, batch=100, window=window)[1] for name, window in tests.items()}
    return {"loss": loss.astype(float), "short": short} | shares


MEMBERS, member, summary = comparison(run, list(SIDES), RATES, settings={"steps": (300, 600, 1200)}, seeds=range(12))
