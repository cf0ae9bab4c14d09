"""The laws need NumPy and array-api-compat to be imported, nothing else; results travel in the wheel."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from attnbook.results import load

ROOT = Path(__file__).parents[2]
HIDE = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        hidden = "torch", "scipy", "matplotlib", "IPython", "ipywidgets", "anywidget", "gguf", "tokenizers"
        if name.split(".")[0] in hidden:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hidden())
import importlib, pathlib
for path in pathlib.Path(sys.argv[1]).glob("*.py"):
    importlib.import_module(f"attnbook.{path.stem}".removesuffix(".__init__"))
import attnbook.pretrained.gguf_file
from attnbook.attention import attention
assert attention([[0.0]], [[1.0], [2.0]], [[2.0], [4.0]]) == 3
"""


def test_laws_are_imported_without_the_libraries_of_figures():
    code = ROOT / "code"
    subprocess.run([sys.executable, "-c", HIDE, code / "attnbook"], env={"PYTHONPATH": str(code)}, check=True)


def test_an_unknown_experiment_is_refused_by_name():
    assert load("memory_capacity")["members"]
    with pytest.raises(ValueError, match="nonsense"):
        load("nonsense")


def test_a_wheel_has_the_laws_the_results_and_the_scripts(tmp_path):
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "code" / "attnbook", tmp_path / "code" / "attnbook")
    build = "from setuptools import build_meta; build_meta.build_wheel('.')"
    subprocess.run([sys.executable, "-c", build], cwd=tmp_path, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    package = ROOT / "code" / "attnbook"
    files = [p for p in package.rglob("*") if p.suffix in (".py", ".json", ".js", ".css")]
    assert {p.relative_to(package.parent).as_posix() for p in files} <= names
