"""`make check` and `make test`: what an edit reaches, what fails, and what becomes of a skipped test."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import run_tests

ROOT = Path(__file__).resolve().parents[2]
pytest_plugins = "pytester"


def test_changed_files_are_those_that_git_does_not_have(tmp_path, monkeypatch):
    def git(*arguments):
        author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *author, *arguments], cwd=tmp_path, check=True, capture_output=True)

    for name in ("kept.md", "edited.md", "removed.md"):
        (tmp_path / name).touch()
    git("init")
    git("add", ".")
    git("commit", "-m", "all")
    (tmp_path / "edited.md").write_text("x")
    (tmp_path / "new.md").touch()
    (tmp_path / "removed.md").unlink()
    monkeypatch.setattr(run_tests, "ROOT", tmp_path)
    assert run_tests.changed_files() == ["edited.md", "new.md"]
    shutil.rmtree(tmp_path / ".git")  # as in a downloaded archive
    for path in (os.environ["PATH"], "/nowhere"):
        monkeypatch.setenv("PATH", path)
        with pytest.raises(SystemExit, match="git"):
            run_tests.changed_files()


@pytest.fixture
def steps(monkeypatch, tmp_path):
    """steps(failing): let every step of a run succeed but one; the list of the paths that pytest gets."""

    def steps(failing=""):
        paths = []

        def start(*arguments):
            return subprocess.Popen([sys.executable, "-c", f"print('why'); exit({failing in arguments})"]), None

        def pytest(*arguments, **_):
            paths.extend(map(str, arguments))
            return failing != "tests"

        monkeypatch.setattr(run_tests, "start", start)
        monkeypatch.setattr(run_tests, "finish", lambda name, started, quiet=True: started[0].wait() == 0)
        monkeypatch.setattr(run_tests, "pytest", pytest)
        monkeypatch.setattr(run_tests, "git", lambda *_: ["tools/lab.py", "tools/pdf.css"])
        monkeypatch.setattr(run_tests, "runs", lambda *command: failing not in command)
        return paths

    return steps


@pytest.mark.parametrize(
    ("failing", "name"),
    [
        ("codespell_lib", "codespell"),
        ("deno", "deno fmt"),
        ("mypy", "mypy"),
        ("tools/book.py", "book"),
        ("tools/translation.py", "editions"),
        ("tests", "tests"),
    ],
)
def test_whatever_fails_makes_the_run_fail(steps, failing, name):
    paths = steps(failing)
    results = run_tests.test("", everything=False, english=False)
    assert {what for what, succeeded in results.items() if not succeeded} == {name}
    assert (f"--ignore={ROOT / 'tests' / 'site'}" in paths) is (name == "book")  # or each page would fail again


@pytest.mark.parametrize(
    ("name", "text", "linter"),
    [
        ("code/a.js", "const a = 1;\n", ""),
        ("code/a.js", "const a=1\n", "deno fmt"),
        ("code/a.js", "const a = 1, b = 2;\n", "deno lint"),
        ("tools/a.css", "p { color: red; margin: 0 }\n", "deno fmt"),
        ("code/bookext/vendor/a.js", "const a=1\n", ""),
    ],
)
def test_a_script_or_a_style_sheet_that_is_laid_out_otherwise_fails(tmp_path, monkeypatch, name, text, linter):
    shutil.copy(ROOT / "deno.json", tmp_path)
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.setattr(run_tests, "ROOT", tmp_path)
    results = {what: run_tests.finish(what, started) for what, started in run_tests.linters([name]).items()}
    assert {what for what, succeeded in results.items() if not succeeded} == ({linter} if linter else set())


SKIPPING = """
import pytest

@pytest.fixture
def skipping():
    pytest.skip("no")

def test_by_a_call():
    pytest.skip("no")

def test_by_a_fixture(skipping):
    pass

@pytest.mark.skip(reason="no")
def test_by_a_mark():
    pass

@pytest.mark.xfail(reason="no")
def test_by_an_expected_failure():
    assert 0

def test_that_is_listed():
    pytest.skip("no")

def test_that_passes():
    pass
"""


@pytest.mark.parametrize("ci", [True, False])
def test_a_skipped_test_fails_in_ci_unless_it_is_listed(pytester, monkeypatch, ci):
    monkeypatch.setenv("CI", "true" if ci else "")
    rules = (ROOT / "tests" / "conftest.py").read_text("utf-8")
    pytester.makeconftest(f"{rules}\nMAY_SKIP['*that_is_listed'] = 'a reason'\n")
    pytester.makepyfile(test_it=SKIPPING, test_module="import pytest\n\npytest.importorskip('no_such_module')\n")
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "--continue-on-collection-errors")
    if ci:
        result.assert_outcomes(passed=1, failed=2, errors=3, skipped=1)  # what is skipped in its setup is an error
    else:
        result.assert_outcomes(passed=1, skipped=5, xfailed=1)
