"""What a user of the package gets: a core that needs NumPy and array-api-compat alone, and a wheel that is complete."""

import doctest
import re
import subprocess
import sys
import zipfile
from configparser import ConfigParser
from pathlib import Path

import attnbook
import distribution
import pytest
from attnbook.results import load
from packaging.metadata import Metadata

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


REPOSITORY = "https://github.com/a-reader/their-fork"
SITE = "https://a-reader.github.io/their-fork/"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """What a user installs: {name of a file: text}."""
    folder = tmp_path_factory.mktemp("wheel")
    distribution.build_wheel(folder, REPOSITORY, SITE)
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name).decode() for name in file.namelist()}


@pytest.fixture
def metadata(wheel):
    """What PyPI reads and shows; what it would refuse raises an error here."""
    (text,) = (text for name, text in wheel.items() if name.endswith(".dist-info/METADATA"))
    return Metadata.from_email(text, validate=True)


def test_a_wheel_has_the_laws_the_results_the_scripts_and_the_types(wheel):
    packages = [ROOT / name for name in distribution.PACKAGES]
    files = [p for package in packages for p in package.rglob("*") if p.suffix in (".py", ".json", ".js", ".css")]
    files += [package / "py.typed" for package in packages]
    assert {p.relative_to(ROOT / "code").as_posix() for p in files} <= set(wheel)
    assert not any(name.startswith(("bookext", "attncourse")) for name in wheel), "what the book alone needs"


def test_a_wheel_promises_other_programs_only_what_it_brings(wheel):
    """MyST-NB loads every renderer that any package promises, and ends with an error if one is not there."""
    promised = ConfigParser()
    promised.read_string("".join(text for name, text in wheel.items() if name.endswith("/entry_points.txt")))
    modules = [value.partition(":")[0] for section in promised.values() for value in section.values()]
    assert [module for module in modules if f"{module.replace('.', '/')}.py" not in wheel] == []


def test_the_core_asks_for_what_laws_import_and_each_extra_is_explained(metadata):
    core = {line.name for line in metadata.requires_dist if not line.marker}
    assert core == {"numpy", "array-api-compat"}
    explained = set(re.findall(r"^\| `(\w+)` \|", metadata.description, re.MULTILINE))
    assert set(metadata.provides_extra) == explained


def test_what_pypi_shows_leads_somewhere(metadata):
    assert (str(metadata.version), metadata.description_content_type) == (attnbook.__version__, "text/markdown")
    assert all([metadata.summary, metadata.author, metadata.license_expression, metadata.license_files])
    assert all([metadata.classifiers, metadata.keywords, metadata.requires_python])
    pictures = re.findall(r'<img src="([^"]*)"', metadata.description)
    links = re.findall(r"\]\(([^)]*)\)", metadata.description)
    assert pictures
    assert [link for link in pictures if not link.endswith(".png")] == [], "PyPI shows no SVG"
    addresses = [*pictures, *links, *metadata.project_urls.values()]
    assert [each for each in addresses if not each.startswith((REPOSITORY, SITE))] == []
    files = [each.partition("/HEAD/")[2] for each in addresses if "/HEAD/" in each]
    assert [name for name in files if not (ROOT / name).is_file()] == []


def test_the_examples_that_pypi_shows_hold():
    result = doctest.testfile(str(ROOT / "code" / "README.md"), module_relative=False, encoding="utf-8")
    assert (result.attempted > 0, result.failed) == (True, 0)
