"""How well does the language model predict far beyond the 8192 tokens of its training, with four rules for its angles?

Each text is read once, 12,288 tokens in a piece; the loss is averaged over every 256 places. The angles stay as they
are, are all halved (interpolation), follow from the larger base of NTK, or from YaRN's ramp with its temperature, each
for a stretch of 2. Nothing is trained. A member, one text with one rule, takes four minutes of one core.

The texts are a novel, a report on a workshop and a poem, in the public domain: the Canterbury corpus, as the source of
Brotli 1.1.0 on PyPI brings it. Nothing is downloaded here.
"""

import functools
import hashlib
import itertools
import math
import tarfile
from pathlib import Path

import numpy as np
from attnbook.language_model import losses
from attnbook.length import ntk_frequencies, ramp_frequencies
from attnbook.positional import frequencies
from attnbook.pretrained import load

TEXTS = {  # where each begins, its file, and the SHA-256 of that
    "novel": (
        "Alice was beginning",
        "alice29.txt",
        "7467306ee0feed4971260f3c87421154a05be571d944e9cb021a5713700c38f0",
    ),
    "report": (
        "The Workshop on Electronic Texts (1)",
        "lcet10.txt",
        "5314ba1dbb03f471df88bec6cd120a938ef60d0fd3511c5c1dce61bf7463245f",
    ),
    "poem": (
        "Of Man's first disobedience",
        "plrabn12.txt",
        "07e2e0b461af78c7c647cb53dab39de560198e16f799b4516eccf0fbd69f764c",
    ),
}
RULES = ("as trained", "interpolation", "NTK", "YaRN")
TOKENS, STRETCH, PLACES, WINDOW = 12_288, 2, 256, 2048
CASES = list(itertools.product(TEXTS, RULES))
MEMBERS = range(len(CASES))

ARCHIVE = Path(__file__).resolve().parent.parent / "_build" / "texts" / "Brotli-1.1.0.tar.gz"
HOW = "python -m pip download --no-deps --no-binary :all: --dest _build/texts Brotli==1.1.0"

model = functools.cache(load)


def text(name):
    """Return a text from its first sentence on, without the blanks that lay out a page."""
    start, file, expected = TEXTS[name]
    if not ARCHIVE.exists():
        raise FileNotFoundError(f"{ARCHIVE} is missing; run: {HOW}")
    with tarfile.open(ARCHIVE) as archive:
        content = archive.extractfile(f"Brotli-1.1.0/tests/testdata/{file}").read()
    if hashlib.sha256(content).hexdigest() != expected:
        raise ValueError(f"{file} in {ARCHIVE} has another SHA-256; expected {expected}")
    content = content.decode("ascii")
    return "\n".join(" ".join(line.split()) for line in content[content.index(start) :].splitlines())


def options(rule):
    """Return the angles of a rule, and its scale of the scores."""
    d, base, n = model().head_width, model().base, model().context
    theta = frequencies(d, base)
    temperature = (0.1 * math.log(STRETCH) + 1) ** 2
    return {
        "as trained": {},
        "interpolation": {"theta": theta / STRETCH},
        "NTK": {"theta": ntk_frequencies(d, STRETCH, base)},
        "YaRN": {"theta": ramp_frequencies(theta, n, STRETCH), "scale": temperature / math.sqrt(d)},
    }[rule]


def member(k):
    """The mean loss, in nats, of each 256 places of a text."""
    name, rule = CASES[k]
    ids = model().encode(text(name))[: TOKENS + 1]
    loss = losses(model(), ids, **options(rule))
    return {"text": name, "rule": rule, "loss": loss.reshape(-1, PLACES).mean(axis=1)}


def summary(results):
    """For each rule and text the loss in six windows, and what a rule adds to it: in training's length, and beyond."""
    loss = {(r["text"], r["rule"]): np.reshape(r["loss"], (-1, WINDOW // PLACES)).mean(axis=1) for r in results}
    inside = model().context // WINDOW
    added = {
        rule: [loss[name, rule] - loss[name, "as trained"] for name in TEXTS if (name, rule) in loss] for rule in RULES
    }
    return {
        "tokens": TOKENS,
        "window": WINDOW,
        "windows": {rule: {name: loss[name, rule] for name in TEXTS} for rule in RULES},
        "added inside": {rule: [w[:inside].mean() for w in rows] for rule, rows in added.items()},
        "added at the end": {rule: [w[-1] for w in rows] for rule, rows in added.items()},
        "sha256": {file: expected for _, file, expected in TEXTS.values()},
    }
