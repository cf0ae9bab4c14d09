"""`make future`: what is installed, which conf.py the newest Sphinx gets, what the build and the tests are given."""

import runpy
from types import SimpleNamespace

import book
import future
import pytest

REQUIREMENTS = """# Everything that builds the book
-e .
jupyter-book>=1.0.4,<2      # version 2 is a different tool
sphinx>=7.4,<8
sphinx_proof>=0.2  # theorems
"""
NEEDED = ["Sphinx~=7.0", "myst-parser~=3.0", 'pytest; extra == "testing"', "sphinx-book-theme<1.2"]


def test_names_have_no_limits_and_no_jupyter_book():
    found = future.names(REQUIREMENTS, NEEDED)
    assert found == ["docutils", "myst-parser", "sphinx", "sphinx-book-theme", "sphinx-proof"]


def test_names_are_those_of_the_book():
    found = future.names((book.ROOT / "requirements.txt").read_text("utf-8"), future.metadata.requires("jupyter-book"))
    assert {"sphinx", "docutils", "myst-parser", "sphinx-book-theme", "sphinx-external-toc", "mini-racer"} <= set(found)
    assert not {"jupyter-book", "attnbook", "numpy", "torch"} & set(found), "the cells keep their stored results"


def test_the_settings_are_those_of_jupyter_book_without_it(tmp_path, monkeypatch):
    monkeypatch.setattr(future, "FOLDER", tmp_path)
    future.configure()
    found = runpy.run_path(str(tmp_path / "conf.py"))
    assert {"bookext", "myst_nb", "sphinx_external_toc"} <= set(found["extensions"])
    assert "jupyter_book" not in found["extensions"]
    assert (found["html_title"], found["html_math_renderer"]) == ("Attention and Order", "mathml")
    app = SimpleNamespace(srcdir=book.ROOT, confdir=tmp_path)
    found["setup"](app)
    assert (app.confdir / found["html_favicon"]).is_file()
    assert all((app.confdir / name).is_file() for name in found["bibtex_bibfiles"])
    assert not (book.ROOT / "conf.py").exists()


@pytest.fixture
def steps(tmp_path, monkeypatch):
    """steps(result): what `main` does, in order, where the tests of the site come to ``result``."""

    def steps(result):
        did = []
        (tmp_path / ".doctrees").mkdir(exist_ok=True)
        (tmp_path / ".doctrees" / "complete").touch()
        monkeypatch.setattr(future, "FOLDER", tmp_path)
        monkeypatch.setattr(future, "install", lambda: did.append("install") or "sphinx 9")
        monkeypatch.setattr(future, "configure", lambda: did.append("configure"))
        monkeypatch.setattr(book, "copy_results", lambda folder: did.append(("copy", folder)))
        monkeypatch.setattr(
            book, "build", lambda folder, run: did.append((run, (folder / ".doctrees" / "complete").exists()))
        )
        monkeypatch.setenv("BOOK_SITE", "another")
        monkeypatch.setattr(
            future.run_tests,
            "pytest",
            lambda paths, *options: (
                did.append((paths[0].name, future.os.environ["BOOK_SITE"], *options)) or {"site": result}
            ),
        )
        with pytest.raises(SystemExit) as end:
            future.main()
        return did, end.value.code

    return steps


def test_the_site_of_the_newest_is_built_from_nothing_and_tested(steps, tmp_path, capsys):
    did, code = steps(future.run_tests.Result(passed=7))
    folder = future.run_tests.TESTS / "site"
    left_out = [str(path) for path in folder.glob("test_*.py") if ".doctrees" in path.read_text("utf-8")]
    left_out += [str(folder / "test_weaker.py")]  # which reads them by tools/strictness.py
    site = ("site", str(tmp_path / "html"), *(f"--ignore={name}" for name in left_out))
    assert did == ["install", "configure", ("copy", tmp_path), (future.sphinx, False), site]
    assert code == 0
    assert "sphinx 9" in capsys.readouterr().out


def test_a_test_of_the_site_that_fails_is_a_failure(steps):
    assert steps(future.run_tests.Result(passed=7, failed=1))[1] == 1


def test_results_are_copied_where_there_are_newer_ones(tmp_path, monkeypatch):
    monkeypatch.setattr(book, "BUILD", tmp_path / "_build")
    copy = tmp_path / "copy" / book.STORED / "global.db"
    book.copy_results(tmp_path / "copy")
    assert not copy.exists(), "there is nothing to copy"
    listing = tmp_path / "_build" / book.STORED / "global.db"
    listing.parent.mkdir(parents=True)
    listing.write_text("old")
    book.copy_results(tmp_path / "copy")
    assert copy.read_text() == "old"
    copy.write_text("own")
    book.copy_results(tmp_path / "copy")
    assert copy.read_text() == "own", "what the other build has executed stays"


def test_sphinx_is_as_strict_as_in_the_book(monkeypatch):
    calls = []
    ran = type("Ran", (), {"returncode": 3})
    monkeypatch.setattr(future.subprocess, "run", lambda command, **rest: calls.append((command, rest["env"])) or ran)
    monkeypatch.setenv("MPLBACKEND", "agg")
    assert future.sphinx(future.FOLDER, ["capstone"]) == 3
    assert book.sphinx(book.BUILD, ["capstone"]) == 3
    for command, environ in calls:
        assert set(book.STRICT) <= set(command)
        assert environ["BOOK_EXECUTE"] == "capstone"
        assert "MPLBACKEND" not in environ
