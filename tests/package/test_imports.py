"""The laws and the check need NumPy and array-api-compat to be imported, nothing else; results travel in the wheel."""

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
LIBRARIES = "torch scipy matplotlib IPython ipywidgets anywidget gguf tokenizers".split()
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in LIBRARIES:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hidden())
import importlib, pathlib
package = pathlib.Path(sys.argv[1])
for pattern in ("*.py", "audit/*.py", "check/*.py", "results/*.py", "pretrained/*.py"):
    for path in package.glob(pattern):
        name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
        importlib.import_module(name.removesuffix(".__init__"))
from attnbook.attention import attention
assert attention([[0.0]], [[1.0], [2.0]], [[2.0], [4.0]]) == 3
from attnbook.audit import audit
audit(attention).assert_lawful()
"""


def test_laws_and_checks_are_imported_without_the_libraries_of_figures():
    code = ROOT / "code"
    subprocess.run([sys.executable, "-c", HIDE, code / "attnbook"], env={"PYTHONPATH": str(code)}, check=True)


def test_an_unknown_experiment_is_refused_by_name():
    assert load("memory_capacity")["members"]
    with pytest.raises(ValueError, match="nonsense"):
        load("nonsense")


def test_a_wheel_has_the_laws_the_results_and_the_scripts(tmp_path):
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "code", tmp_path / "code")
    build = "from setuptools import build_meta; build_meta.build_wheel('.')"
    subprocess.run([sys.executable, "-c", build], cwd=tmp_path, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    packages = [ROOT / "code" / name for name in ("attnbook", "attnfigures")]
    files = [p for package in packages for p in package.rglob("*") if p.suffix in (".py", ".json", ".js", ".css")]
    assert {p.relative_to(ROOT / "code").as_posix() for p in files} <= names
    assert not any(name.startswith(("bookext", "attncourse")) for name in names), "what the book alone needs"
