"""`make check` and `make test`: what is run again, what fails, and what becomes of a skipped test."""

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import remembered
import run_tests
import touched

ROOT = Path(__file__).resolve().parents[2]
pytest_plugins = "pytester"


@pytest.fixture
def steps(monkeypatch, tmp_path):
    """steps(failing): let every step of a run succeed but one; the list of the paths that pytest gets."""
    texts = {True: "why", False: None}
    really_start = run_tests.start

    def steps(failing=""):
        paths = []

        def start(name, *arguments):
            return really_start(name, "-c", f"print('why'); exit({failing in arguments})")

        def pytest(*arguments, **_):
            paths.extend(map(str, arguments))
            return texts[failing == "tests"]

        monkeypatch.setattr(run_tests, "start", start)
        monkeypatch.setattr(run_tests, "pytest", pytest)
        monkeypatch.setattr(touched, "git", lambda *_: ["tools/lab.py", "tools/pdf.css"])
        monkeypatch.setattr(run_tests, "run_python", lambda *command, **_: texts[failing in command])
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
    assert {what: why for what, why in results.items() if why is not None} == {name: "why"}
    assert (f"--ignore={ROOT / 'tests' / 'site'}" in paths) is (name == "book")  # or each page would fail again


@pytest.fixture
def checked(write_files, monkeypatch):
    """checked(changes): change files of a small tree, and return what the next `make check` tests; all tests pass."""
    root = write_files(
        {"chapters/a.md": "a", "chapters/b.md": "b", "code/attnbook/law.py": "", "tests/conftest.py": ""}
    )
    tested = []
    monkeypatch.setattr(run_tests, "ROOT", root)
    monkeypatch.setattr(run_tests, "contents", lambda _: SimpleNamespace(pages=["chapters/a", "chapters/b"]))
    monkeypatch.setattr(touched, "relevant_tests", lambda _: [root / "tests" / "package" / "test_law.py"])
    monkeypatch.setattr(run_tests, "pytest", lambda *paths, **_: tested.extend(map(str, paths)))

    def checked(changes=()):
        tested.clear()
        write_files(dict(changes))
        names = [path.relative_to(root).as_posix() for path in root.rglob("*.*") if "_build" not in path.parts]
        successes = remembered.Successes(root / "_build" / "checked.json")
        run_tests.check_tests([], remembered.hashes(root, names), successes)
        return [Path(path).name if "=" not in path else path for path in tested]

    return checked


def test_what_passed_with_the_same_files_is_not_tested_again(checked):
    every = f"chapters/a,chapters/b,{remembered.EVERY_PAGE},{remembered.NO_PAGE}"
    assert checked() == ["source", f"--pages={every}", "test_law.py"]
    assert checked() == []
    assert checked({"chapters/a.md": "another sentence"}) == ["source", f"--pages=chapters/a,{remembered.EVERY_PAGE}"]
    assert checked({"code/attnbook/law.py": "x = 1"}) == ["source", f"--pages={every}", "test_law.py"]
    assert checked({"code/attnbook/law.py": "", "chapters/a.md": "a"}) == []  # as it was when it passed


def test_what_failed_is_tested_again(checked, monkeypatch):
    with monkeypatch.context() as failing:
        failing.setattr(run_tests, "pytest", lambda *_, **__: "why")
        checked()
    assert "source" in checked()


def test_a_check_ends_at_what_a_linter_complains_of(monkeypatch):
    def go_on(*_):
        pytest.fail("it went on")

    linters = [
        SimpleNamespace(name="ruff check", finish=lambda: "why"),
        SimpleNamespace(name="codespell", finish=lambda: None),
    ]
    monkeypatch.setattr(touched, "changed_files", lambda: ["tools/lab.py"])
    monkeypatch.setattr(run_tests, "start_linters", lambda _: linters)
    monkeypatch.setattr(run_tests, "start", go_on)
    monkeypatch.setattr(run_tests, "check_tests", go_on)
    assert run_tests.check("") == {"ruff check": "why", "codespell": None}


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
    complaints = run_tests.finish_all(run_tests.start_linters([name]))
    assert {what for what, text in complaints.items() if text is not None} == ({linter} if linter else set())


@pytest.mark.parametrize(
    ("only", "paths"),
    [
        ("", ["."]),
        ("package", ["package"]),
        ("package/test_law.py", ["package/test_law.py"]),
        ("live", ["package/figures/test_live_hull.py", "package/test_live.py"]),
        ("hull", [".", "-k", "hull"]),
        ("a law", [".", "-k", "a law"]),
    ],
)
def test_a_word_chooses_a_folder_or_files_or_is_a_pattern_as_is_the_name_of_a_figure(write_files, only, paths):
    files = ("package/test_law.py", "package/test_live.py", "package/figures/test_live_hull.py")
    tests = write_files(dict.fromkeys(files, ""))
    found = run_tests.chosen(only, tests)
    assert [path.relative_to(tests).as_posix() if isinstance(path, Path) else path for path in found] == paths


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("check", ("check", "")),
        ("check rnn-bottleneck", ("check", "rnn-bottleneck")),
        ("format", ("lay_out",)),
        ("test", ("test", "", False, False)),
        ("test --english package", ("test", "package", False, True)),
        ("test --all live", ("test", "live", True, False)),
    ],
)
def test_each_task_is_given_what_stands_behind_it(monkeypatch, line, call):
    for task in ("check", "test", "lay_out"):
        monkeypatch.setattr(run_tests, task, lambda *given, task=task: (task, *given))
    given = run_tests.command_line().parse_args(line.split())
    assert given.run(given) == call


@pytest.mark.parametrize("line", ["", "build", "check --all", "check a b", "format tools"])
def test_a_task_refuses_what_it_would_pass_over(line, capsys):
    with pytest.raises(SystemExit):
        run_tests.command_line().parse_args(line.split())
    assert "usage" in capsys.readouterr().err


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
