"""The book built for an address, as the workflow that publishes builds it, stands the tests of the site.

`make book` builds it without one, so that the other tests here never see an address.
"""

import os
import subprocess
import sys

import pytest
from built_site import ROOT

FORK, FOLDER, DOMAIN = "https://github.com/reader/book", "https://example.org/courses/book/", "https://book.example/"
BUILD = "import sys, book; from pathlib import Path; f = Path(sys.argv[1]); book.copy_results(f); book.build(f)"
# The tests in which links, addresses and where the site lies play a part; in a browser, two pages for all.
WHICH = "test_markup or test_navigation or test_search or (test_pages and (404 or index))"


@pytest.mark.thorough
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("repository", "address"),
    [(FORK, ""), (FORK, DOMAIN), ("", FOLDER)],
    ids=["fork", "domain of its own", "subfolder"],
)
def test_the_site_is_right_at_an_address(tmp_path, repository, address):
    """Built in a folder of its own from the stored results of the cells: none is executed. Then tested there."""
    environ = os.environ | {"BOOK_REPOSITORY": repository, "BOOK_ADDRESS": address}
    environ |= {"PYTHONPATH": os.pathsep.join(str(ROOT / name) for name in ("code", "tools"))}
    folder = tmp_path / "_build"
    environ["BOOK_SITE"] = str(folder / "html")
    build, tests = ["-c", BUILD, str(folder)], ["-m", "pytest", "tests/site", "-k", WHICH]
    for words in (build, tests):
        done = subprocess.run([sys.executable, *words], cwd=ROOT, env=environ, capture_output=True, text=True)
        assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
        assert "executing chapters" not in done.stdout, "run `make book` first: results of cells are missing"
