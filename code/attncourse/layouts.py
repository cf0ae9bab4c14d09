"""Write an assignment for everyone who needs it: student, instructor, nbgrader, Gradescope, and the grader here."""

import json
from dataclasses import asdict
from pathlib import Path

from . import clean, gradescope, marks, notebooks

NBGRADER = '''"""nbgrader finds the assignment here: run its commands in this folder."""

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.preprocessors import CheckCellMetadata, ClearHiddenTests, ClearOutput, GetGrades, OverwriteCells
from nbgrader.preprocessors import DeduplicateIds, OverwriteKernelspec


class HideHiddenTests(ClearHiddenTests):
    """Keep hidden tests, and what they print when they fail, out of the feedback for students."""

    def preprocess_cell(self, cell, resources, cell_index):
        if self._remove_hidden_test_region(cell):
            cell.outputs = []
        return cell, resources


class ForgetCopies(DeduplicateIds):
    """Let a copy that a student made of a marked cell be a cell of their own; else the whole class stays ungraded."""

    def preprocess_cell(self, cell, resources, cell_index):
        cell, resources = super().preprocess_cell(cell, resources, cell_index)
        if cell.metadata.get("nbgrader") == {}:
            del cell.metadata["nbgrader"]
        return cell, resources


c = get_config()  # noqa: F821 (nbgrader defines it)
c.CourseDirectory.course_id = "attention-and-order"
c.ExecutePreprocessor.timeout = 60
c.Autograde.sanitize_preprocessors = [ClearOutput, ForgetCopies, OverwriteKernelspec, OverwriteCells, CheckCellMetadata]
c.GenerateFeedback.preprocessors = [GetGrades, HideHiddenTests, CSSHTMLHeaderPreprocessor]
c.ClearSolutions.code_stub = {"python": 'raise NotImplementedError("your code here")'}
'''


def write(assignment, folder, seed=marks.SEED):
    """Write every form of the assignment into a folder. Other files there stay: collected work, nbgrader's database.

    Every file is written whole before it takes the place of an older one. The bundle comes last: it has the seed.
    """
    folder, name = Path(folder), assignment.chapter
    _put(folder / "student" / f"{name}.ipynb", notebooks.student(assignment))
    _put(folder / "instructor" / f"{name}.ipynb", notebooks.instructor(assignment, seed))
    _put(folder / "nbgrader" / "nbgrader_config.py", NBGRADER)
    _put(folder / "nbgrader" / "source" / name / f"{name}.ipynb", notebooks.nbgrader(assignment, seed))
    if gradescope.has_otter():
        zipped = folder / "gradescope" / "autograder.zip"
        zipped.parent.mkdir(parents=True, exist_ok=True)
        made = zipped.with_name("autograder.zip.part")
        gradescope.autograder(assignment, made, seed)
        made.replace(zipped)
    bundle = {"seed": str(seed)} | asdict(assignment)
    _put(folder / "bundle.json", json.dumps(bundle, indent=1, ensure_ascii=False) + "\n")


def _put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    clean.write(path, text.encode())
