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
    assert [link for link in links if "://" not in link] == ["../../notebooks/x.ipynb"] * (count > 0)


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
    package = [path for path in (ROOT / "code/attnbook").rglob("*") if path.suffix in (".py", ".js", ".css", ".json")]
    assert packed == {path.relative_to(ROOT / "code").as_posix() for path in package}
    first = branch("rev-parse", "notebooks")
    umask = os.umask(0o077)  # another machine writes the same bytes
    notebooks.write()
    os.umask(umask)
    notebooks.publish(str(tmp_path / "remote.git"))
    assert branch("rev-parse", "notebooks") == first


GITHUB_FORMS = (
    "https://github.com/o/n",
    "o/n",
    "github.com/o/n.git",
    " http://www.github.com/o/n/ ",
    "git@github.com:o/n.git",
)
REPOSITORIES = dict.fromkeys(GITHUB_FORMS, ("https://github.com/o/n", "https://o.github.io/n/"))
REPOSITORIES |= {"Me/me.github.io": ("https://github.com/Me/me.github.io", "https://me.github.io/"), "": ("", "")}
SITES = {
    "https://example.org/book/": ("https://example.org/book", "example.org/book", " EXAMPLE.org/book// "),
    "http://localhost:8000/": ("http://localhost:8000",),
    "https://a.example.org/2027/x%20y/": ("a.example.org/2027/x%20y",),
}


@pytest.mark.parametrize(("value", "expected"), REPOSITORIES.items())
def test_a_repository_is_read_in_every_usual_form(value, expected, monkeypatch):
    """From the environment, or else from _config.yml."""
    monkeypatch.delenv("BOOK_ADDRESS", raising=False)
    monkeypatch.setenv("BOOK_REPOSITORY", value)
    assert addresses.read(None, None) == expected
    monkeypatch.setenv("BOOK_REPOSITORY", "")
    assert addresses.read(value, "") == expected


@pytest.mark.parametrize(("expected", "value"), [(site, value) for site, values in SITES.items() for value in values])
def test_the_address_of_a_site_is_read_in_every_usual_form(expected, value, monkeypatch):
    monkeypatch.setenv("BOOK_REPOSITORY", "o/n")
    monkeypatch.setenv("BOOK_ADDRESS", value)
    assert addresses.read("", "https://ignored.example/") == ("https://github.com/o/n", expected)
    monkeypatch.delenv("BOOK_ADDRESS")
    assert addresses.read("", value)[1] == expected


NO_SITE = (
    "ftp://a.org",
    "ftp:",
    "https://",
    "/book/",
    "book",
    "a.org/b c",
    "https://a.org/?b",
    "a.org/#b",
    "a.org/ü",
    "a.org/<b>",
)
NO_SITE += "a.org/../b", "a.org//b", "https:a.org", "https://me@a.org"  # fmt: skip
NO_REPOSITORY = (
    "https://gitlab.com/a/b",
    "gitlab.com/a/b",
    "github.com/a",
    "a",
    "a b",
    "a/..",
    "https://github.com/a/b/tree/c",
)


@pytest.mark.parametrize(
    ("name", "value"), [*(("ADDRESS", value) for value in NO_SITE), *(("REPOSITORY", value) for value in NO_REPOSITORY)]
)
def test_what_cannot_be_published_is_named_with_its_setting(name, value, monkeypatch):
    for setting in ("ADDRESS", "REPOSITORY"):
        monkeypatch.setenv(f"BOOK_{setting}", value if setting == name else "")
    with pytest.raises(ValueError, match=f"BOOK_{name}.*{re.escape(repr(value))}"):
        addresses.read()
    with pytest.raises(ConfigError, match=f"BOOK_{name}"):  # which ends the build before it writes
        launch._read_addresses(None, SimpleNamespace(book_repository="", html_baseurl="", language="en"))
    with pytest.raises(SystemExit, match=f"BOOK_{name}"):
        notebooks.write()


def test_a_branch_without_a_repository_is_refused(monkeypatch):
    monkeypatch.setenv("BOOK_REPOSITORY", "")
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
