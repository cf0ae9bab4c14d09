"""No dead button: every launch link leads to a file of the branch or the site, and without an address there is none."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import lxml.html
import pytest
from bookext.theme.builder import SiteBuilder
from bookext.write import launch
from docutils import nodes
from fork import ADDRESS, ROOT
from packaging.requirements import Requirement
from sphinx.errors import ConfigError


def line(docname, cells=1, address=ADDRESS):
    """{words: address} of the launch links that a page gets which has so many code cells."""
    section = nodes.section(
        "", nodes.title("", "Title"), *(nodes.container(nb_element="cell_code") for _ in range(cells))
    )
    builder = object.__new__(SiteBuilder)
    builder.config = SimpleNamespace(book_repository=address, root_doc="chapters/index")
    app = SimpleNamespace(builder=builder, config=builder.config)
    launch._add_links(app, section, docname)
    page = lxml.html.fragment_fromstring(
        "".join(raw.astext() for raw in section.findall(nodes.raw)), create_parent="div"
    )
    return {link.text_content(): link.get("href") for link in page.xpath("p[@class='launch']/a")}


def test_every_page_with_code_has_a_notebook(published):
    pages = [path for path in (ROOT / "chapters").rglob("*.md") if "{code-cell}" in path.read_text("utf-8")]
    assert {path.stem for path in pages} == set(published.notebooks)


@pytest.mark.parametrize(("cells", "address", "expected"), [(1, ADDRESS, 4), (1, "", 0), (0, ADDRESS, 0)])
def test_launch_links_need_code_and_an_address(cells, address, expected):
    assert len(line("chapters/x", cells, address)) == expected


def test_the_links_lead_to_files_that_are_published(published):
    """Resolved as Colab, Binder, Kaggle and the browser resolve them, in the branch as it was pushed."""
    listing = ["git", "--git-dir", published.remote, "ls-tree", "-r", "--name-only", "notebooks"]
    branch = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.splitlines()
    owner_and_name = urlsplit(ADDRESS).path.strip("/")
    for slug in published.notebooks:
        (written,) = published.site.glob(f"chapters/**/{slug}.html")
        links = line(written.relative_to(published.site).with_suffix("").as_posix())
        page = published.site / "index.html" if slug == "index" else written  # what was written there leads on
        colab, binder = urlsplit(links["Open in Colab"]), urlsplit(links["Open in Binder"])
        assert (colab.netloc, binder.netloc) == ("colab.research.google.com", "mybinder.org")
        start = f"/github/{owner_and_name}/blob/notebooks/"
        assert colab.path.startswith(start)
        assert colab.path.removeprefix(start) in branch
        assert binder.path == f"/v2/gh/{owner_and_name}/notebooks"
        (opened,) = parse_qs(binder.query)["urlpath"]
        assert opened.removeprefix("lab/tree/") in branch
        kaggle = urlsplit(links["Open in Kaggle"])
        assert (kaggle.netloc, kaggle.path) == ("kaggle.com", "/kernels/welcome")
        (opened,) = parse_qs(kaggle.query)["src"]
        assert opened.startswith(f"{ADDRESS}/blob/notebooks/")
        assert opened.removeprefix(f"{ADDRESS}/blob/notebooks/") in branch
        assert (page.parent / links["Download .ipynb"]).resolve().is_file()


def built_for(site):
    """The repository and the address that a site was built for, as its first page shows them; "" for what it lacks."""
    page = lxml.html.parse(site / "index.html")
    repository = page.xpath("substring-before(//p[@class='launch']/a[contains(@href, '?src=')]/@href, '/blob/')")
    return repository.partition("?src=")[2], page.xpath("string(//link[@rel='canonical']/@href)")


def test_stand_ins_become_addresses(published):
    """On the branch those of the fork, in downloads those of this site; without any, links lead to the built site."""
    own = built_for(published.site)
    for slug, written in published.written.items():
        assert launch.SITE_PLACEHOLDER in written, f"{slug}: the notebook names no page"
        on_branch, local = launch.with_addresses(written, ADDRESS), launch.with_addresses(written, "")
        assert (published.tree / f"{slug}.ipynb").read_text("utf-8") == on_branch
        downloaded = launch.with_addresses(written, *own, built="../")
        assert (published.site / "notebooks" / f"{slug}.ipynb").read_text("utf-8") == downloaded
        assert not {
            stand_in
            for stand_in in (launch.SITE_PLACEHOLDER, launch.ARCHIVE_PLACEHOLDER)
            if stand_in in on_branch + local
        }


def test_links_without_an_address_lead_to_pages_wherever_the_notebook_lies(published):
    """From the folder of notebooks, and from the site's own folder with those to download."""
    for folder, built in (("_build/notebooks", "../html/"), ("_build/html/notebooks", "../")):
        for slug, written in published.written.items():
            local = launch.with_addresses(written, "", built=built)
            pages = set(re.findall(r"\]\((\.\./[^)#]+)", local))
            assert pages, slug
            assert [page for page in pages if not (ROOT / folder / page).resolve().is_file()] == [], f"{folder}/{slug}"


def test_the_branch_is_the_tree(published):
    listing = ["git", "--git-dir", published.remote, "ls-tree", "-r", "--name-only", "notebooks"]
    branch = subprocess.run(listing, capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
    assert sorted(branch) == sorted(
        path.relative_to(published.tree).as_posix() for path in published.tree.rglob("*") if path.is_file()
    )
    package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "code" / "attnbook").rglob("*.py")}
    assert package <= set(branch)


def test_publishing_the_same_again_makes_no_commit(published):
    head = ["git", "--git-dir", published.remote, "rev-parse", "notebooks"]
    before = subprocess.run(head, capture_output=True, check=True).stdout
    command = [sys.executable, "tools/notebooks.py", "publish"]
    done = subprocess.run(command, cwd=published.root, capture_output=True, text=True, check=True)
    assert "has these files already" in done.stdout
    assert subprocess.run(head, capture_output=True, check=True).stdout == before


def test_a_branch_of_any_name_publishes_to_a_remote_beside_it(published):
    """A fork whose default branch is `trunk`, and a remote that is named by its path from the folder of the book."""
    beside = published.root.with_name("beside.git")
    subprocess.run(["git", "init", "--quiet", "--bare", "--initial-branch=trunk", beside], check=True)
    subprocess.run(["git", "symbolic-ref", "HEAD", "refs/heads/trunk"], cwd=published.root, check=True)
    command = [sys.executable, "tools/notebooks.py", "publish", "../beside.git"]
    done = subprocess.run(command, cwd=published.root, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    trees = [["git", "--git-dir", git, "rev-parse", "notebooks^{tree}"] for git in (beside, published.remote)]
    here, there = (subprocess.run(tree, capture_output=True, check=True).stdout for tree in trees)
    assert here == there


def test_publishing_to_nowhere_is_one_sentence(published):
    command = [sys.executable, "tools/notebooks.py", "publish", "file:///no/such/repository"]
    done = subprocess.run(command, cwd=published.root, capture_output=True, text=True)
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert done.stderr.startswith("git ls-remote failed")


@pytest.mark.parametrize("address", ["github.com/a/b", "https://gitlab.com/a/b", "https://github.com/a", "a b"])
def test_an_address_that_cannot_be_opened_is_named(address):
    with pytest.raises(ConfigError) as caught:
        launch.owner_and_name(address)
    assert repr(address) in str(caught.value)
    assert "BOOK_REPOSITORY" in str(caught.value)


def test_the_addresses_in_the_environment_change_no_verdict():
    """The workflow that publishes sets both: with them too, these tests hold."""
    addresses = {"BOOK_REPOSITORY": "https://github.com/another/fork", "BOOK_ADDRESS": "https://a.example/b/"}
    command = [sys.executable, "-m", "pytest", __file__, "-k", "not change_no_verdict and not binder"]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | addresses, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]


def test_the_address_of_the_site_follows_from_that_of_the_repository():
    assert launch.site_of("https://github.com/Owner/name.git") == "https://owner.github.io/name/"
    assert launch.site_of("https://github.com/Owner/owner.github.io/") == "https://owner.github.io/"
    assert launch.site_of("") == ""


def test_the_environment_overrides_the_setting(monkeypatch):
    monkeypatch.delenv("BOOK_REPOSITORY", raising=False)
    config = SimpleNamespace(book_repository="https://github.com/a/b")
    launch._read_setting(None, config)
    assert config.book_repository == "https://github.com/a/b"
    monkeypatch.setenv("BOOK_REPOSITORY", ADDRESS)
    launch._read_setting(None, config)
    assert config.book_repository == ADDRESS


def test_an_edit_changes_the_id_of_its_cell_alone():
    from bookext.write import notebooks
    from nbformat.v4 import new_code_cell, new_markdown_cell

    def ids(*sources):
        return [cell.id for cell in notebooks._with_ids([new_code_cell(s) for s in sources] + [new_markdown_cell("t")])]

    before, after = ids("a", "b", "a"), ids("new", "a", "b", "a")
    assert after[1:] == before
    assert len(set(after)) == 5


# --- Binder -------------------------------------------------------------------------------------------------------


def test_binder_knows_what_to_do(published):
    """repo2docker, which Binder runs, plans Python 3.12 and installs the requirements once the package is there."""
    program = shutil.which("jupyter-repo2docker", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    command = [program, "--no-build", "--debug", str(published.tree)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-1500:]
    assert "Building conda environment for python=3.12" in said
    install = said.index('pip install --no-cache-dir -r "binder/requirements.txt"')
    assert said.index("COPY --chown=0:0 src/ ${REPO_DIR}/") < install, "the package is not there when pip wants it"


def test_binder_gets_the_ranges_of_the_package_and_no_cuda(published):
    lines = (published.tree / "binder" / "requirements.txt").read_text().splitlines()
    assert lines[0] == "--extra-index-url https://download.pytorch.org/whl/cpu"
    assert lines[-1] == "."
    project = tomllib.loads((published.tree / "pyproject.toml").read_text())["project"]
    assert [str(Requirement(x)) for x in lines[1:-1]] == [str(Requirement(x)) for x in project["dependencies"]]
