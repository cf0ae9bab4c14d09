"""Assignments, and a way to grade code that a test writes, as root and as an ordinary user."""

import base64
import dataclasses
import os

import ordinary_user
import pytest
from attncourse import author, model
from coursework import CHAPTERS, IN_WORDS, ROOT, SHORT, graded, needs_a_sandbox, notebook


@pytest.fixture(scope="session")
def assignments():
    return {name: author.read(ROOT / "course" / f"{name}.md") for name in CHAPTERS}


@pytest.fixture(scope="session")
def assignment(assignments):
    """The assignment that the tests of the grader use."""
    return assignments["sqrt-dk-scaling"]


@pytest.fixture
def with_words(tmp_path):
    """An assignment whose last question is answered in words and marked by a person."""
    path = tmp_path / "words" / "sqrt-dk-scaling.md"
    path.parent.mkdir()
    source = (ROOT / "course" / path.name).read_text(encoding="utf-8")
    before = source.partition('+++ {"tags": ["question"], "exercise": "witness"')[0]
    path.write_text(before + IN_WORDS, encoding="utf-8")
    return author.read(path)


@pytest.fixture(scope="session")
def bubblewrap():
    needs_a_sandbox()


@pytest.fixture(scope="session")
def someone_else(bubblewrap):
    """A process that grades as an ordinary user; these tests run as root."""
    process = ordinary_user.start(ROOT / "code")
    reason = ordinary_user.ask(process)
    if reason:
        pytest.skip(f"an ordinary user has no sandbox here: {reason}")
    yield process
    process.stdin.close()
    process.wait()


# In `make test` the user who runs the tests grades; in CI that is an ordinary user, in a container mostly root.
USERS = ("root", "ordinary user") if os.geteuid() == 0 else ("ordinary user", "root")


@pytest.fixture(scope="session", params=[USERS[0], pytest.param(USERS[1], marks=pytest.mark.thorough)])
def marked(request, assignment, bubblewrap):
    """Grade cells, or bytes, with short deadlines. These tests never run code outside the sandbox."""
    root = os.geteuid() == 0
    if request.param == "root" and not root:
        pytest.skip("not applicable: these tests run as an ordinary user")
    other = request.getfixturevalue("someone_else") if root and request.param == "ordinary user" else None

    def run(*cells, **options):
        data = cells[0] if isinstance(cells[0], bytes) else notebook(*cells)
        asked, limits = options.pop("assignment", assignment), options.pop("limits", SHORT)
        if other is None:
            return graded(data, asked, limits=limits)
        sent = {"assignment": dataclasses.asdict(asked), "limits": dataclasses.asdict(limits)}
        return model.Result.load(ordinary_user.ask(other, data=base64.b64encode(data).decode(), **sent))

    return run
