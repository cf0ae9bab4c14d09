"""The environment: what is concluded from pip's words, and when something is installed."""

import re

import environment
import pytest


def test_fits_compares_versions_as_numbers():
    inside = ("2.13.0+cpu", ">=2.3"), ("2.3", "==2.3.0"), ("2.10.0", ">=2.9"), ("2.6.0a0+git1", ">2.5,<=2.6"), ("1", "")
    beyond = ("2.2.9", ">=2.3"), ("3.0", ">=2.3,<3"), ("2.9.1", ">=2.3, !=2.9.1")
    assert [pair for pair in inside if not environment.fits(*pair)] == []
    assert [pair for pair in beyond if environment.fits(*pair)] == []


def test_newest_cpu_prefers_a_cpu_build_over_a_newer_general_one():
    listing = "torch (2.15.0)\nAvailable versions: 2.15.0, 2.13.0+cpu, 2.13.0, 2.12.0+cpu, 2.11.0+cu128\n"
    assert environment.newest_cpu(listing, ">=2.3") == "2.13.0+cpu"
    assert environment.newest_cpu(listing, ">=2.3,<2.13") == "2.12.0+cpu"
    assert environment.newest_cpu(listing, ">=3") is environment.newest_cpu("ERROR: none", "") is None


def test_torch_range_of_this_book_is_readable():
    spec = environment.torch_range()
    assert re.fullmatch(r"((>=|<=|==|!=|>|<)[\d.]+,?)+", spec.replace(" ", "")), spec
    assert not environment.fits("1.0", spec)


OUTPUTS = {
    "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device": "disk is full",
    "PermissionError: [Errno 13] Permission denied: '/x/.venv'": "writable",
    "WARNING: Retrying after connection broken by 'X'\nERROR: No matching distribution found for torch": "network",
    "ERROR: No matching distribution found for torch>=2.3": "pip finds no torch>=2.3",
    "Collecting pytest-timeout\nERROR: something unheard of\n": "(ERROR: something unheard of)",
    "": "no reason given",
}


@pytest.mark.parametrize(("output", "words"), OUTPUTS.items())
def test_explain_says_one_sentence(output, words):
    (sentence,) = environment.explain(output).splitlines()
    assert words in sentence


def test_news_shows_progress_and_only_large_files_in_a_log():
    assert environment.news("Collecting numpy>=1.26 (from a)") == ("Collecting numpy>=1.26", False)
    assert environment.news("  Downloading torch-2.13.0.whl (190.9 MB)\n")[1] is True
    assert environment.news("  Downloading attrs.whl (67 kB)\n")[1] is False
    assert environment.news("Installing collected packages: a, b, c\n") == ("Installing 3 packages", True)
    assert environment.news("Requirement already satisfied: numpy") is None


@pytest.fixture
def ready(tmp_path, monkeypatch):
    """A tree whose environment looks finished, with its paths put into the module; the installing steps leave notes."""
    monkeypatch.setattr(environment, "ROOT", tmp_path)
    for name in ("PYTHON", "LOG", "STAMP", "UNFINISHED"):
        monkeypatch.setattr(environment, name, tmp_path / getattr(environment, name).name)
    for path in (environment.PYTHON, tmp_path / "pyproject.toml", tmp_path / "requirements.txt"):
        path.touch()
    environment.STAMP.write_text(environment.key() + " test\n")
    notes = []
    for name in ("make_venv", "install_torch", "run"):
        monkeypatch.setattr(environment, name, lambda *_, name=name: notes.append(name))
    return notes


def test_a_stamped_environment_installs_nothing(ready):
    assert environment.ensure(set()) is environment.ensure({"test"}) is None
    assert ready == []


@pytest.mark.parametrize("change", ["pyproject.toml", "requirements.txt", "extra", "UNFINISHED", "PYTHON", "STAMP"])
def test_whatever_changes_makes_the_environment_be_installed_again(ready, change):
    if change.endswith(("toml", "txt")):
        (environment.ROOT / change).write_text("other")
    elif change == "UNFINISHED":
        environment.UNFINISHED.touch()
    elif change != "extra":
        getattr(environment, change).unlink()
    environment.ensure({"other"} if change == "extra" else {"test"})
    assert ready == ["make_venv", "install_torch", "run"]  # torch first
    assert environment.STAMP.read_text().split()[0] == environment.key()


def test_an_installation_cut_short_leaves_no_stamp(ready, monkeypatch):
    (environment.ROOT / "requirements.txt").write_text("other")
    monkeypatch.setattr(environment, "run", lambda *_: pytest.fail("cut short"))
    with pytest.raises(pytest.fail.Exception):
        environment.ensure(set())
    assert not environment.STAMP.exists()
