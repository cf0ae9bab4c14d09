"""Write the autograder zip for Gradescope. Otter makes it, from one test file in its exception format an exercise.

Every case is public to Otter, which would else tell the student that all test cases passed. A case that fails says its
name and nothing of its source, nor of the numbers in it.
"""

import importlib.util
import json
import tempfile
import zipfile
from pathlib import Path

from . import author, marks, notebooks

HEAD = """OK_FORMAT = False

from otter.test_files import test_case

name = {name!r}
points = None

import math

{kit}
"""
CASE = """

@test_case(name={title!r}, points={points}, hidden=False)
def case_{number}({names}):
    rng = np.random.default_rng({seed})

{test}

    try:
        {function}({asks})
    except (Exception, SystemExit):
        raise AssertionError("this test does not hold") from None
"""
CONFIG = {
    "show_stdout": False,
    "show_hidden": True,
    "force_public_test_summary": False,
    "show_all_public": True,
    "pdf": False,
}


def has_otter():
    """Return whether Otter is installed here: grading alone does not need it."""
    return importlib.util.find_spec("otter") is not None


def otter_tests(assignment, seed=marks.SEED):
    """Return Otter's test files by name, one for each exercise that tests mark."""
    files = {}
    for question in assignment.questions:
        text = HEAD.format(name=question.name, kit=notebooks.KIT)
        for number, test in enumerate(question.hidden):
            text += CASE.format(
                title=f"{question.title}: {test.name}",
                points=test.points,
                number=number,
                names=", ".join(name for name in test.asks if name != "rng"),
                seed=marks.seed_of(seed, question.name, test.function),
                test="\n".join("    " + line if line else "" for line in test.source.splitlines()),
                function=test.function,
                asks=", ".join(name if name == "rng" else f"plain({name})" for name in test.asks),
            )
        if question.hidden:
            files[question.name.replace("-", "_") + ".py"] = text
    return files


def autograder(assignment, path, seed=marks.SEED):
    """Let Otter make the zip; entries carry one date, so that the same bundle gives the same bytes."""
    from otter.generate import main as generate

    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        (place / "tests").mkdir()
        for name, text in otter_tests(assignment, seed).items():
            (place / "tests" / name).write_text(text, encoding="utf-8")
        (place / "requirements.txt").write_text("numpy\n", encoding="utf-8")
        config = CONFIG | {"points_possible": author.points_by_tests(assignment)}
        (place / "otter_config.json").write_text(json.dumps(config), encoding="utf-8")
        made = place / "made.zip"
        generate(
            tests_dir=str(place / "tests"),
            output_path=str(made),
            config=str(place / "otter_config.json"),
            requirements=str(place / "requirements.txt"),
            no_environment=True,
        )
        with zipfile.ZipFile(made) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
            for name in sorted(old.namelist()):
                new.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), old.read(name), zipfile.ZIP_DEFLATED)
