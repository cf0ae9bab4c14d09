"""The command of `make check` and `make test`: what it chooses, counts and says, and what becomes of skipped tests."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import run_tests

ROOT = Path(__file__).resolve().parents[2]
pytest_plugins = "pytester"
REPORT = """<testsuites><testsuite>
<testcase classname="tests.package.test_a" name="test_one" time="2.5"/>
<testcase classname="tests.package.test_a" name="test_two" time="0.5"><failure message="no">x</failure></testcase>
<testcase classname="tests.site.test_b" name="test_three" time="1"><skipped message="no fonts"/></testcase>
<testcase classname="tests.site.test_b" name="test_four" time="9"><error message="bad">x</error></testcase>
</testsuite></testsuites>"""


def test_count_reads_a_report_group_by_group():
    found = run_tests.count(REPORT, 1)
    assert {name: (r.tests, r.passed, r.failed, r.skipped, r.seconds) for name, r in found.items()} == {
        "package": (2, 1, 1, 0, 3.0),
        "site": (2, 0, 1, 1, 10.0),
    }
    assert found["site"].reasons == ["tests/site/test_b::test_three: no fonts"]


PASSING = '<testsuites><testsuite><testcase classname="tests.a.b" name="c" time="1"/></testsuite></testsuites>'


@pytest.mark.parametrize(("report", "code"), [("<testsuites/>", 5), (None, -9), (PASSING, 3)])
def test_a_crash_or_an_empty_run_is_a_failure(report, code):
    assert run_tests.total_of(run_tests.count(report, code)).failed == 1


def test_the_table_names_groups_the_slowest_and_what_was_skipped():
    said = run_tests.table(run_tests.count(REPORT, 1), 4)
    rows = {line.split()[0]: line.split()[1:6] for line in said.splitlines() if len(line.split()) >= 6}
    assert rows["group"] == ["tests", "passed", "failed", "skipped", "seconds"]
    assert rows["package"] == ["2", "1", "1", "0", "3"]
    assert rows["together"][:5] == ["4", "1", "2", "1", "4"]
    assert said.index("test_four") < said.index("test_three"), "the slowest first"
    assert said.rstrip().endswith("tests/site/test_b::test_three: no fonts")


def test_at_most_five_of_a_group_are_named_slowest():
    result = run_tests.Result(passed=7, slow=[(n, f"test_{n}") for n in range(7)])
    said = run_tests.table({"package": result}, 1)
    assert [n for n in range(7) if f"test_{n}" in said] == [2, 3, 4, 5, 6]


def test_the_last_line_names_what_was_skipped_only_if_something_was():
    assert run_tests.line(run_tests.Result(5, 1, 2)) == "5 passed, 1 failed, 2 skipped"
    assert run_tests.line(run_tests.Result(1)) == "1 passed, 0 failed"


def test_only_takes_a_group_a_file_or_a_pattern():
    groups, paths, options = run_tests.chosen("")
    assert groups == ["lint", "book", *run_tests.GROUPS]
    assert [path.name for path in paths] == list(run_tests.GROUPS)
    assert run_tests.chosen("lint") == (["lint"], [], [])
    assert run_tests.chosen("package") == (["package"], [ROOT / "tests" / "package"], [])
    assert run_tests.chosen("site")[0] == ["book", "site"]
    assert run_tests.chosen("test_axe")[2] == ["-k", "test_axe"]
    groups, paths, options = run_tests.chosen("test_attention")
    assert (groups, [path.name for path in paths], options) == ([], ["test_attention.py"], [])
    assert run_tests.chosen("test_markup")[0] == ["book"]


def test_every_folder_of_tests_is_a_group():
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    assert folders == set(run_tests.GROUPS)


def test_every_linter_runs_and_each_that_fails_counts(monkeypatch, capsys):
    sound, broken = ["compileall", "-q", "tools"], ["no_such_module"]
    monkeypatch.setattr(run_tests, "LINTERS", {"a": sound, "b": broken, "c": broken})
    result = run_tests.lint()
    assert (result.passed, result.failed) == (1, 2)
    assert "b: FAILED" in capsys.readouterr().out


def test_a_check_runs_lint_the_sources_what_changed_and_one_page(monkeypatch):
    ran = []
    monkeypatch.setattr(run_tests.changed, "files", lambda: ["code/attnbook/rotary.py", "chapters/capstone.md"])
    monkeypatch.setattr(run_tests, "lint", lambda: ran.append("lint") or run_tests.Result(passed=1))
    monkeypatch.setattr(run_tests, "pytest", lambda paths, *_, **__: ran.append([p.name for p in paths]) or {})
    monkeypatch.setattr(run_tests, "begin_page", lambda names: ran.append(names) or ["begun"])
    monkeypatch.setattr(run_tests, "end_page", lambda *given: ran.append(given) or {})
    run_tests.check("")
    named = ("test_arrays.py", "test_bad_input.py", "test_corners.py")
    tests = ["source", *named, *(name for name in ran[2] if "test_live" in name), "test_positional.py"]
    assert ran == [["capstone"], "lint", tests, (["capstone"], "begun")]
    run_tests.check("softmax-convex-combination")
    assert ran[-1] == (["softmax-convex-combination"], "begun")


@pytest.mark.parametrize("code", [0, 1])
def test_a_page_that_cannot_be_built_is_a_failure_and_says_why(monkeypatch, capsys, tmp_path, code):
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "book.py").write_text(f"print('first\\nlast')\nraise SystemExit({code})\n", "utf-8")
    monkeypatch.setattr(run_tests, "ROOT", tmp_path)
    monkeypatch.setattr(run_tests, "pytest", lambda *_, **__: {"site": run_tests.Result(passed=3)})
    monkeypatch.setenv("BOOK_SITE", "")
    results = run_tests.end_page(["one"], *run_tests.begin_page(["one"]))
    assert (results["page"].passed, results["page"].failed, "site" in results) == (not code, code, not code)
    assert ("first" in capsys.readouterr().out) is bool(code)


# --- Skipped tests ------------------------------------------------------------------------------------------------

SKIPPING = """
import pytest

def test_a():
    pytest.skip("no sandbox here")

def test_b():
    pass
"""


@pytest.fixture
def rules(pytester, monkeypatch):
    """rules(text, ci, allowed=): the outcomes of a test file under the rules of this book's tests."""

    def rules(text, ci, allowed=()):
        monkeypatch.setenv("CI", "true") if ci else monkeypatch.delenv("CI", raising=False)
        conftest = (ROOT / "tests" / "conftest.py").read_text("utf-8")
        pytester.makeconftest(conftest + f"\nMAY_SKIP.update({dict(allowed)!r})\n")
        pytester.makepyfile(test_it=text)
        return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-q", "-ra")

    return rules


def test_a_skipped_test_fails_in_ci_and_nowhere_else(rules):
    rules(SKIPPING, ci=False).assert_outcomes(passed=1, skipped=1)
    in_ci = rules(SKIPPING, ci=True)
    in_ci.assert_outcomes(passed=1, failed=1)
    in_ci.stdout.fnmatch_lines(["*test_it.py::test_a was skipped, and in CI*no sandbox here*"])


@pytest.mark.parametrize(
    "text",
    [
        "import pytest\n\n@pytest.mark.skip(reason='later')\ndef test_a():\n    pass\n",
        "import pytest\n\n@pytest.fixture\ndef f():\n    pytest.skip('no')\n\ndef test_a(f):\n    pass\n",
        "import pytest\n\n@pytest.mark.xfail(reason='known')\ndef test_a():\n    assert 0\n",
    ],
)
def test_no_other_way_to_skip_is_left_open(rules, text):
    assert rules(text, ci=False).ret == 0
    assert rules(text, ci=True).ret == 1


def test_a_module_that_skips_itself_fails_in_ci(rules):
    text = "import pytest\n\npytest.importorskip('no_such_module_at_all')\n\ndef test_a():\n    pass\n"
    assert rules(text, ci=True).ret not in (0, 5)


def test_what_is_listed_with_a_reason_may_be_skipped(rules):
    rules(SKIPPING, ci=True, allowed={"*::test_a": "the machine has none"}).assert_outcomes(passed=1, skipped=1)
    rules(SKIPPING, ci=True, allowed={"*::test_b": "another"}).assert_outcomes(passed=1, failed=1)


# --- make ---------------------------------------------------------------------------------------------------------


def test_make_without_a_python_ends_in_one_sentence(tmp_path):
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 1\n")  # the only one on PATH, and too old
    (tmp_path / "python3").chmod(0o755)
    done = subprocess.run(
        [shutil.which("make"), "book"], cwd=ROOT, env={"PATH": str(tmp_path)}, capture_output=True, text=True
    )
    (said,) = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert done.returncode != 0
    assert "Python 3.11 or newer" in said


def test_make_help_fits_on_a_screen_and_names_every_target():
    said = subprocess.run(["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True).stdout
    lines = said.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    targets = re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text("utf-8"), flags=re.MULTILINE)
    assert set(targets) - set(re.findall(r"[a-z][a-z-]*", said)) == {"help"}


def test_the_ci_entry_only_calls_make_test():
    assert (ROOT / ".ci" / "run").read_text().splitlines()[1:] == ["set -eu", 'cd "$(dirname "$0")/.."', "make test"]
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


def test_a_failed_build_is_told_last_and_no_page_is_looked_at(monkeypatch, tmp_path, capfd):
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "book.py").write_text("import sys\nprint('cell 3 is wrong')\nsys.exit(1)\n")
    looked = []
    monkeypatch.setattr(run_tests, "ROOT", tmp_path)
    monkeypatch.setattr(run_tests, "TESTS", tmp_path / "tests")
    monkeypatch.setattr(run_tests, "lint", run_tests.Result)
    monkeypatch.setattr(run_tests, "pytest", lambda paths, *options: looked.extend(paths) or {})
    results = run_tests.test("", everything=False)
    assert "cell 3 is wrong" in capfd.readouterr().out, "it is shown while it runs too"
    assert results["book"].failed == 1
    assert {path.name for path in looked} == set(run_tests.GROUPS) - run_tests.BUILT
    last = run_tests.table(results, 1).splitlines()[-4:]
    assert "cell 3 is wrong" in last
    assert last[-1] == "not run, for the book is not built: site, notebooks"


@pytest.mark.parametrize(("only", "alone"), [("", True), ("site", True), ("lighthouse", True), ("package", False)])
def test_what_measures_time_runs_alone_and_after_all_others(monkeypatch, only, alone):
    ran = []

    def pytest_of(paths, *options, workers=2):
        ran.append(([path.name for path in paths], options, workers))
        return {"site": run_tests.Result(passed=1)}

    monkeypatch.setattr(run_tests, "pytest", pytest_of)
    monkeypatch.setattr(run_tests, "lint", run_tests.Result)
    monkeypatch.setattr(run_tests, "build", run_tests.Result)
    results = run_tests.test(only, everything=True)
    last = (["test_lighthouse.py"], ("-m", ""), 0)
    assert (ran[-1] == last, "timed" in results) == (alone, alone)
    assert all(f"--ignore={run_tests.TIMED}" in options for _, options, workers in ran if alone and workers)
    assert sum("test_lighthouse.py" in names for names, *_ in ran) == alone
    ran.clear()
    assert "timed" not in run_tests.test(only, everything=False)
