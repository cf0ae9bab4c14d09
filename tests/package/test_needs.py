"""What the package says to a reader whose Python or libraries do not do, or who ran a cell too early."""

import importlib
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import attnbook
import pytest
from attnbook import kernel, needs
from packaging.requirements import Requirement

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_lower_ends_are_those_of_the_project():
    wanted = [Requirement(text) for text in PROJECT["dependencies"]]
    ranges = {r.name: str(r.specifier) for r in wanted}
    assert ranges.pop("anywidget").startswith(">=")  # a live figure works without it, and is then not joined to Python
    assert ranges == {n: f">={v}" for n, v in needs.LIBRARIES.items()}
    assert PROJECT["requires-python"] == f">={'.'.join(map(str, needs.PYTHON))}"


def test_this_environment_does():
    needs.demand()


@pytest.mark.parametrize(
    ("found", "least", "enough"),
    [
        ("2.13.0+cpu", "2.3", True),
        ("2.3", "2.3", True),
        ("10.0.1", "7.34", True),
        ("3", "3.8", False),
        ("2.2.9", "2.3", False),
        ("1.9rc1", "1.26", False),
        ("2.13rc1", "2.3", True),
        ("7.7.0", "7.7", True),
    ],
)
def test_versions_are_compared_as_numbers(monkeypatch, found, least, enough):
    monkeypatch.setattr(needs, "LIBRARIES", {"x": least})
    if enough:
        needs.demand(version=lambda name: found)
    else:
        with pytest.raises(needs.Unmet, match=f"needs x {least} or newer and this is x"):
            needs.demand(version=lambda name: found)


def test_an_old_python_is_one_sentence_with_a_command():
    with pytest.raises(needs.Unmet) as caught:
        needs.demand(python=(3, 10, 13))
    (line,) = caught.value._render_traceback_()
    assert line.startswith("attnbook needs Python 3.11 or newer and this is Python 3.10.13: ")
    assert "conda create -n attnbook python=3.12" in line


@pytest.mark.parametrize("name", needs.LIBRARIES)
def test_a_missing_library_is_named_with_the_command(name, monkeypatch):
    def version(asked):
        if asked == name:
            raise metadata.PackageNotFoundError(asked)
        return "99.0"

    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    command = f'python -m pip install --upgrade "{name}>={needs.LIBRARIES[name]}"'
    with pytest.raises(needs.Unmet, match="it is not installed") as caught:
        needs.demand(version=version)
    assert f"run {command}, then restart the kernel." in str(caught.value)
    monkeypatch.setitem(sys.modules, "ipykernel", None)
    with pytest.raises(needs.Unmet, match="run %pip install"):
        needs.demand(version=version)


def test_in_a_notebook_the_package_explains_early_names(monkeypatch):
    asked = []
    shell = SimpleNamespace(set_custom_exc=lambda kinds, handler: asked.append((kinds, handler)))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    importlib.reload(attnbook)
    assert asked == [((NameError,), needs._explain)]


@pytest.mark.parametrize(
    ("shell", "build", "live"),
    [
        (None, "", False),
        (SimpleNamespace(), "", False),
        (SimpleNamespace(kernel=1), "", True),
        (SimpleNamespace(kernel=1), "1", False),
    ],
)
def test_a_kernel_is_live_and_a_terminal_and_a_build_are_not(monkeypatch, shell, build, live):
    monkeypatch.setattr("IPython.get_ipython", lambda: shell)
    monkeypatch.setenv("ATTNBOOK_BUILD", build)
    assert kernel.is_live() is live


def test_an_early_name_is_explained_and_other_errors_are_not(capsys):
    shell = SimpleNamespace(showtraceback=lambda trio, tb_offset: print("traceback"))
    needs._explain(shell, NameError, NameError("no Q", name="Q"), None)
    assert capsys.readouterr().out.startswith("traceback\nQ is not defined yet: if a cell above defines it")
    needs._explain(shell, UnboundLocalError, UnboundLocalError("x"), None)
    assert capsys.readouterr().out == "traceback\n"
