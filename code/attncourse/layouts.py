"""Write an assignment for everyone who needs it: student, instructor, nbgrader, Gradescope, and the grader here.

The Gradescope zip is made by Otter, from test files in its exception format; it marks the plain student notebook.
"""

import json
import tempfile
import zipfile
from pathlib import Path

from . import author, marks, notebooks

NBGRADER = '''"""nbgrader finds the assignment here: run its commands in this folder."""

c = get_config()  # noqa: F821 (nbgrader defines it)
c.CourseDirectory.course_id = "attention-and-order"
c.ExecutePreprocessor.timeout = 60
c.ClearSolutions.code_stub = {"python": 'raise NotImplementedError("your code here")'}
'''
OTTER = """OK_FORMAT = False

from otter.test_files import test_case

name = {name!r}
points = None

import math

{kit}
"""
CASE = """

@test_case(name={title!r}, points={points}, hidden=True)
def case_{number}({names}):
    rng = np.random.default_rng({seed})

{test}

    {function}({asks})
"""
OTTER_CONFIG = {"show_stdout": False, "show_hidden": False, "points_possible": author.POINTS, "pdf": False}


def write(bundle, folder, seed=marks.SEED):
    """Write every form of the assignment into a folder. Other files there stay: collected work, nbgrader's database."""
    folder, name = Path(folder), bundle["chapter"]
    _put(folder / "student" / f"{name}.ipynb", notebooks.student(bundle))
    _put(folder / "instructor" / f"{name}.ipynb", notebooks.instructor(bundle, seed))
    _put(folder / "nbgrader" / "nbgrader_config.py", NBGRADER)
    _put(folder / "nbgrader" / "source" / name / f"{name}.ipynb", notebooks.nbgrader(bundle, seed))
    _put(folder / "bundle.json", json.dumps({"seed": str(seed)} | bundle, indent=1, ensure_ascii=False) + "\n")
    (folder / "gradescope").mkdir(exist_ok=True)
    gradescope(bundle, folder / "gradescope" / "autograder.zip", seed)


def _put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def otter_tests(bundle, seed=marks.SEED):
    """Otter's test files by name, one for each exercise."""
    files = {}
    for exercise in bundle["exercises"]:
        text = OTTER.format(name=exercise["name"], kit=notebooks.KIT)
        for number, test in enumerate(exercise["hidden"]):
            text += CASE.format(
                title=f"{exercise['title']}: {test['name']}",
                points=test["points"],
                number=number,
                names=", ".join(name for name in test["asks"] if name != "rng"),
                seed=marks.seed_of(seed, exercise["name"], test["function"]),
                test="\n".join("    " + line if line else "" for line in test["source"].splitlines()),
                function=test["function"],
                asks=", ".join(test["asks"]),
            )
        files[exercise["name"].replace("-", "_") + ".py"] = text
    return files


def gradescope(bundle, path, seed=marks.SEED):
    """Let Otter make the autograder zip; entries carry one date, so that the same bundle gives the same bytes."""
    from otter.generate import main as generate

    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        for name, text in otter_tests(bundle, seed).items():
            _put(place / "tests" / name, text)
        _put(place / "requirements.txt", "numpy\n")
        _put(place / "otter_config.json", json.dumps(OTTER_CONFIG))
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
