"""The links that open a notebook lead to files of the branch, and the branch has what Colab, Binder and Kaggle need."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import distribution
import lxml.html
import nbformat
import notebooks
import pytest
from bookext import addresses
from bookext.write import launch
from docutils import nodes
from fork import ADDRESS, FORK, ROOT
from sphinx.errors import ConfigError


@pytest.mark.parametrize(("cells", "address", "count"), [(1, ADDRESS, 4), (1, "", 0), (0, ADDRESS, 0)])
def test_launch_links_need_code_and_an_address(cells, address, count):
    title, code = nodes.title("", "Title"), [nodes.container(nb_element="cell_code") for _ in range(cells)]
    section = nodes.section("", title, *code)
    builder = SimpleNamespace(name="html", get_target_uri=lambda docname: f"{docname}.html")
    app = SimpleNamespace(builder=builder, config=SimpleNamespace(book_repository=address))
    launch._add_links(app, section, "chapters/deeper/x")
    links = [
        link.get("href") for raw in section.findall(nodes.raw) for link in lxml.html.fromstring(raw.astext()).iter("a")
    ]
    assert len(links) == count
    own = [link for link in links if "://" not in link]
    assert own == (["../../notebooks/x.ipynb"] if count else [])


def test_the_links_of_a_fork_lead_to_files_of_its_branch(published):
    """Resolved as Colab, Binder, Kaggle and the browser resolve them."""
    chapters = [path for path in (ROOT / "chapters").rglob("*.md") if "{code-cell}" in path.read_text("utf-8")]
    assert {path.stem for path in chapters} == set(published.notebooks)
    for slug in published.notebooks:
        colab, binder, kaggle, download = map(urlsplit, launch.links(ADDRESS, slug).values())
        assert [url.netloc for url in (colab, binder, kaggle)] == [
            "colab.research.google.com",
            "mybinder.org",
            "kaggle.com",
        ]
        assert binder.path == f"/v2/gh{FORK}/notebooks"
        (in_binder,), (in_kaggle,) = parse_qs(binder.query)["urlpath"], parse_qs(kaggle.query)["src"]
        opened = [
            colab.path.removeprefix(f"/github{FORK}/blob/notebooks/"),
            in_binder.removeprefix("lab/tree/"),
            in_kaggle.removeprefix(f"{ADDRESS}/blob/notebooks/"),
        ]
        assert all((published.tree / name).is_file() for name in opened), opened
        assert (published.site / download.path).is_file()


def test_no_placeholder_is_left(published):
    stand_ins = (addresses.SITE_PLACEHOLDER, addresses.WHEEL_PLACEHOLDER)
    for folder in (published.tree, published.site / "notebooks"):
        assert [path for path in folder.glob("*.ipynb") if any(s in path.read_text("utf-8") for s in stand_ins)] == []


def test_links_without_an_address_lead_to_pages_of_the_built_site():
    """From the folder of notebooks, and from the site's own folder with those to download."""
    for folder, built in (("_build/notebooks", "../html/"), ("_build/html/notebooks", "../")):
        for path in notebooks.WRITTEN.glob("*.ipynb"):
            local = addresses.fill(path.read_text("utf-8"), "", "", built=built)
            pages = set(re.findall(r"\]\((\.\./[^)#]+)", local))
            assert pages, path.name
            assert [page for page in pages if not (ROOT / folder / page).resolve().is_file()] == [], path.name


def test_the_branch_is_the_tree_and_is_pushed_only_when_it_changes(published, tmp_path, monkeypatch):
    for name in ("remote.git", "local.git"):
        subprocess.run(["git", "init", "--quiet", "--bare", tmp_path / name], check=True)
    monkeypatch.setattr(notebooks, "TREE", published.tree)
    monkeypatch.setenv("BOOK_REPOSITORY", ADDRESS)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "local.git"))

    def branch(*command):
        git = ["git", "--git-dir", tmp_path / "remote.git", *command]
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout.split()

    notebooks.publish(str(tmp_path / "remote.git"))
    files = {path.relative_to(published.tree).as_posix() for path in published.tree.rglob("*") if path.is_file()}
    assert set(branch("ls-tree", "-r", "--name-only", "notebooks")) == files
    with zipfile.ZipFile(published.tree / addresses.wheel()) as wheel:
        packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    files = [path for package in distribution.PACKAGES for path in (ROOT / package).rglob("*")]
    shipped = [path for path in files if path.suffix in (".py", ".js", ".css", ".json", ".typed")]
    assert packed == {path.relative_to(ROOT / "code").as_posix() for path in shipped}
    first = branch("rev-parse", "notebooks")
    umask = os.umask(0o077)  # another machine writes the same bytes
    notebooks.write()
    os.umask(umask)
    notebooks.publish(str(tmp_path / "remote.git"))
    assert branch("rev-parse", "notebooks") == first


OF_GITHUB = (
    "https://github.com/o/n",
    "o/n",
    "github.com/o/n.git",
    " http://www.github.com/o/n/ ",
    "git@github.com:o/n.git",
)
FORMS = [("REPOSITORY", form, ("https://github.com/o/n", "https://o.github.io/n/")) for form in OF_GITHUB]
FORMS += [("REPOSITORY", "Me/me.github.io", ("https://github.com/Me/me.github.io", "https://me.github.io/"))]
OF_A_SITE = "https://example.org/book", "https://example.org/book/", "example.org/book", " EXAMPLE.org/book// "
FORMS += [("ADDRESS", form, ("", "https://example.org/book/")) for form in OF_A_SITE]
FORMS += [("ADDRESS", form, ("", f"{form}/")) for form in ("http://localhost:8000", "https://a.b.org/2027/x%20y")]
WRONG = ["ftp://a.org", "ftp:", "https://", "/book/", "book", "a.org/b c", "https://a.org/?b", "a.org/#b", "a.org/ü"]
WRONG += ["a.org/<b>", "a.org/../b", "a.org//b", "https:a.org", "https://me@a.org"]
NO_GITHUB = ["https://gitlab.com/a/b", "gitlab.com/a/b", "github.com/a", "a", "a b", "a/..", "github.com/a/b/tree/c"]
REFUSED = [*(("ADDRESS", value) for value in WRONG), *(("REPOSITORY", value) for value in NO_GITHUB)]


@pytest.fixture
def unset(monkeypatch):
    """Neither address is in the environment."""
    for name in ("ADDRESS", "REPOSITORY"):
        monkeypatch.delenv(f"BOOK_{name}", raising=False)


@pytest.mark.parametrize(("name", "value", "expected"), FORMS)
def test_an_address_is_read_in_every_usual_form(name, value, expected, unset, monkeypatch):
    """From _config.yml; the environment goes first, unless it is empty, as it is in a workflow without the variable."""
    monkeypatch.setenv(f"BOOK_{name}", "")
    assert addresses.read(*((value, "") if name == "REPOSITORY" else (None, value))) == expected
    monkeypatch.setenv(f"BOOK_{name}", value)
    assert addresses.read(*(("x/y", "") if name == "REPOSITORY" else (None, "https://x.org"))) == expected


@pytest.mark.parametrize(("name", "value"), REFUSED)
def test_what_cannot_be_published_is_named_with_its_setting(name, value, unset, monkeypatch):
    monkeypatch.setenv(f"BOOK_{name}", value)
    config = SimpleNamespace(book_repository="", html_baseurl="", language="en")
    with pytest.raises(ConfigError, match=f"BOOK_{name}.*{re.escape(repr(value))}"):  # before the build writes anything
        launch._read_addresses(None, config)
    with pytest.raises(SystemExit, match=f"BOOK_{name}.*{re.escape(repr(value))}"):
        notebooks.write()


def test_a_branch_without_a_repository_is_refused(unset):
    with pytest.raises(SystemExit, match="BOOK_REPOSITORY"):
        notebooks.write()


def test_notebooks_that_fail_are_named(tmp_path):
    """`tools/notebooks.py run` is how the weekly run in Colab's image learns that a notebook does not work there."""
    for name, source in {"warns": "import warnings; warnings.warn('x')", "fails": "1 / 0"}.items():
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)])
        nbformat.write(notebook, tmp_path / f"{name}.ipynb")
    command = [sys.executable, "tools/notebooks.py", "run", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stdout
    assert "fails.ipynb" in done.stderr
    assert "warns.ipynb" not in done.stderr


@pytest.mark.thorough
def test_binder_accepts_the_branch(published):
    """repo2docker, which Binder runs, finds a Python that the package admits, and installs its requirements."""
    program = shutil.which("jupyter-repo2docker", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    command = [program, "--no-build", "--debug", str(published.tree)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    log = done.stdout + done.stderr
    assert done.returncode == 0, log[-1500:]
    assert "python=3.12" in log
    install = log.index('install --no-cache-dir -r "binder/requirements.txt"')
    assert log.index("COPY --chown=0:0 src/ ${REPO_DIR}/") < install, "the wheel is not there when pip wants it"
