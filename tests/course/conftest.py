"""Assignments, and a way to grade code that a test writes, as root and as an ordinary user."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
from attncourse import asking, author
from coursework import CHAPTERS, EXAMINERS, IN_WORDS, OF_TESTS, ROOT, SOMEBODY, graded, needs_a_sandbox, notebook


@pytest.fixture(scope="session")
def assignments():
    return {name: author.read(ROOT / "course" / f"{name}.md") for name in CHAPTERS}


@pytest.fixture(scope="session")
def assignment():
    """The assignment that the tests of the grader use."""
    return author.read(OF_TESTS / "sqrt-dk-scaling.md")


@pytest.fixture
def with_words(tmp_path):
    """An assignment whose last question is answered in words and marked by a person."""
    path = tmp_path / "words" / "sqrt-dk-scaling.md"
    path.parent.mkdir()
    source = (OF_TESTS / path.name).read_text(encoding="utf-8")
    before = source.partition('+++ {"tags": ["question"], "exercise": "witness"')[0]
    path.write_text(before + IN_WORDS, encoding="utf-8")
    return author.read(path)


@pytest.fixture(scope="session", autouse=True)
def no_examiner_stays():
    """The examiners of the tests end with the tests."""
    with EXAMINERS:
        yield


@pytest.fixture(scope="session")
def bubblewrap():
    needs_a_sandbox()


@pytest.fixture(scope="module")
def chromium():
    import browser

    if not browser.chromium():
        pytest.skip("there is no Chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        running = play.chromium.launch(executable_path=browser.chromium(), args=list(browser.ALONE))
        yield running
        running.close()


# An instructor grades as an ordinary user, and bubblewrap then builds other walls than for root: in `make test` the
# user who runs the tests grades; in CI that is an ordinary user, in a container mostly root.
USERS = ("root", "ordinary user") if os.geteuid() == 0 else ("ordinary user", "root")


def as_an_ordinary_user():
    """What to put before a command, so that a user without rights runs it, who sees what it needs of root's."""
    needed = {Path(p).resolve() for p in (sys.base_prefix, sys.prefix, ROOT / "code", Path(pytest.__file__).parents[1])}
    command, opened = ["bwrap", "--dev-bind", "/", "/"], []
    for path in sorted(needed):
        closed = [folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001]
        if closed and closed[0] not in opened:  # such as root's home: all else in it is away
            opened.append(closed[0])
            command += ["--perms", "0755", "--tmpfs", str(closed[0])]
        if closed:
            for folder in [folder for folder in reversed(path.parents) if closed[0] in folder.parents]:
                command += ["--perms", "0755", "--dir", str(folder)]
            command += ["--ro-bind", str(path), str(path)]
    return [*command, "--chdir", "/", "--", "setpriv", f"--reuid={SOMEBODY}", f"--regid={SOMEBODY}", "--clear-groups"]


@pytest.fixture(scope="session", params=[USERS[0], pytest.param(USERS[1], marks=pytest.mark.thorough)])
def grader(request, bubblewrap):
    """Let the examiners of this session run as root, or as an ordinary user."""
    root = os.geteuid() == 0
    if request.param == "root" and not root:
        pytest.skip("not applicable: these tests run as an ordinary user")
    prefix = as_an_ordinary_user() if root and request.param == "ordinary user" else []
    asks = "from attncourse import sandbox; print(sandbox.reason_unavailable() or '')"
    code = f"import sys; sys.path.insert(0, sys.argv[1]); {asks}"
    command = [*prefix, sys.executable, "-B", "-c", code, str(ROOT / "code")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.stdout.strip() or done.returncode:
        pytest.skip(f"an ordinary user has no sandbox here: {done.stdout or done.stderr}")

    class Started(subprocess.Popen):
        def __init__(self, command, **options):
            super().__init__([*prefix, *command], **options)

        def kill(self):  # with all of its session: bubblewrap alone would leave the examiner behind
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)

    EXAMINERS.end_all()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEED", "tell-no-student")
        patch.setattr(
            asking,
            "subprocess",
            SimpleNamespace(Popen=Started, PIPE=-1, DEVNULL=-3, TimeoutExpired=subprocess.TimeoutExpired),
        )
        yield
        EXAMINERS.end_all()


@pytest.fixture
def marked(grader, assignment):
    """Grade cells, or bytes, with short deadlines. These tests never run code outside the sandbox."""

    def run(*cells, **options):
        data = cells[0] if isinstance(cells[0], bytes) else notebook(*cells)
        return graded(data, options.pop("assignment", assignment), **options)

    return run
