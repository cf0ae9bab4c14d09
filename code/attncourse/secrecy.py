"""Find solutions, hidden tests, mistakes and marking notes where they must not be."""

import json
from itertools import pairwise
from pathlib import Path

from . import author

SHORTEST = 60  # characters of two lines in a row that say enough to be recognised; one line may be common knowledge


def squeeze(text):
    """Text without white space: a notebook, a page and a source lay out one line differently."""
    return "".join(text.split())


def telling(bundle):
    """Squeezed pairs of lines that only the instructor may see, without those that a student gets anyway."""
    public = squeeze("".join(json.dumps(e["text"]) + "".join(map(author.stub, e["answer"])) + "".join(e["visible"])
                             for e in bundle["exercises"]))  # fmt: skip
    lines = set()
    for secret in author.secrets(bundle):
        rows = [squeeze(line) for line in secret.splitlines() if line.strip()]
        lines |= {first + second for first, second in pairwise(rows)}
    names = {f"def{test['function']}(" for exercise in bundle["exercises"] for test in exercise["hidden"]}
    return {line for line in lines if len(line) >= SHORTEST and line not in public} | names


def leaks(bundle, folder):
    """`file: line` for every secret line in any file below a folder."""
    wanted = telling(bundle)
    for path in sorted(Path(folder).rglob("*")):
        if path.is_file():
            text = path.read_bytes().decode("utf-8", "replace")
            text = squeeze(text.replace("\\n", " ").replace('\\"', '"').replace("&#39;", "'").replace("&quot;", '"'))
            yield from (f"{path}: {line}" for line in sorted(wanted) if line in text)
