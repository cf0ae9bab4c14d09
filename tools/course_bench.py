"""Submissions a second of the grader, with Otter on some of the same submissions beside it. Called by course.py."""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from attncourse import author, batch, layouts, sandbox

SIZE = 200  # submissions
OTTERS = 3  # of them; Otter takes seconds for each


def class_of(bundle, folder, size):
    """Write a class: the exercises that are solved, wrong or left out differ from student to student."""
    folder.mkdir(parents=True, exist_ok=True)
    kinds = itertools.islice(itertools.cycle(itertools.product(range(3), repeat=len(bundle["exercises"]))), size)
    for number, choice in enumerate(kinds):
        cells = [bundle["given"]]
        for exercise, kind in zip(bundle["exercises"], choice, strict=True):
            cells += map(author.stub if kind == 2 else author.solution, exercise["answer"])
            cells += [exercise["mistakes"][0]["source"]] * (kind == 1)
        made = [
            {"cell_type": "code", "metadata": {}, "source": c, "outputs": [], "execution_count": None} for c in cells
        ]
        document = {"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
        (folder / f"student{number:04}.ipynb").write_text(json.dumps(document), encoding="utf-8")


def main(options, connect):
    """Measure and print, in one run, so that the ratios mean something on a busy machine."""
    chapter = options.assignment or "sqrt-dk-scaling"
    bundle, limits, seed = author.read(Path(options.course) / f"{chapter}.md"), sandbox.Limits(), options.seed
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        place = Path(place)
        class_of(bundle, place / "in", SIZE)
        found, rates = batch.submissions(place / "in"), {}
        for processes in (1, 2):
            mapper = batch.here(bundle, seed, limits)
            if processes > 1:
                mapper = batch.on(connect(stack, "", processes), bundle, seed, limits)
            start = time.perf_counter()
            batch.run(bundle, found, place / f"out{processes}", mapper, seed, limits)
            rates[processes] = (time.perf_counter() - start) / SIZE
            print(f"{processes} process(es){', dask' * (processes > 1)}: {rates[processes]:.3f} s a submission")
        layouts.gradescope(bundle, place / "autograder.zip", seed)
        start = time.perf_counter()
        for name in sorted(found)[:OTTERS]:
            command = [str(Path(sys.executable).parent / "otter"), "run", "-a", "autograder.zip", f"in/{name}.ipynb"]
            subprocess.run(command, cwd=place, env=os.environ, check=True, capture_output=True)
        otter = (time.perf_counter() - start) / OTTERS
        print(f"otter run: {otter:.2f} s a submission, {otter / rates[1]:.1f} times ours, over {OTTERS}")
