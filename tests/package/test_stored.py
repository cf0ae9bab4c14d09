"""The stored results: every one can be read, a wrong name is refused, and an installed package has them too."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from attnbook.stored import load

ROOT = Path(__file__).resolve().parents[2]
NAMES = sorted(path.stem for path in (ROOT / "code" / "attnbook" / "results").glob("*.json"))


@pytest.mark.parametrize("name", NAMES)
def test_a_result_has_its_parts(name):
    stored = load(name)
    assert set(stored) == {"members", "seconds", "seeds", "source", "summary", "versions"}
    assert len(stored["members"]) == len(stored["seeds"]) > 0
    assert stored["summary"]
    assert stored == json.loads((ROOT / "code" / "attnbook" / "results" / f"{name}.json").read_text(encoding="utf-8"))


def test_an_unknown_name_is_refused_and_the_known_ones_are_named():
    with pytest.raises(ValueError, match=f"name = 'no such'; expected one of {', '.join(NAMES)}"):
        load("no such")


def test_a_wheel_has_the_results(tmp_path):
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "code" / "attnbook", tmp_path / "code" / "attnbook")
    build = "from setuptools import build_meta; build_meta.build_wheel('.')"
    done = subprocess.run([sys.executable, "-c", build], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-800:]
    (wheel,) = tmp_path.glob("*.whl")
    assert NAMES
    assert {f"attnbook/results/{name}.json" for name in NAMES} <= set(zipfile.ZipFile(wheel).namelist())
