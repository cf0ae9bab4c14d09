"""Write the branch that Colab and Binder open: every chapter as a notebook, the package as a wheel, what Binder needs.

python tools/notebooks.py write             from the built book into _build/notebooks
python tools/notebooks.py publish [REMOTE]  push the same tree as the branch `notebooks`, if it changed
python tools/notebooks.py readme            write README.md's chapters, with links to site and Colab, and its picture
python tools/notebooks.py run FOLDER        run those of a folder with this very Python; it needs nbclient and ipykernel

The notebooks are those of the built site, with the addresses that `code/bookext/addresses.py` reads; they install the
wheel from this same branch, so that a notebook never meets a package of another state.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import book
from distribution import build_wheel, published

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "code"))  # bookext, where the book is not installed
from bookext import addresses  # noqa: E402
from bookext.addresses import BRANCH  # noqa: E402

WRITTEN = ROOT / "_build" / ".doctrees" / "notebooks"  # by the build, with stand-ins for addresses
TREE = ROOT / "_build" / "notebooks"
LIMIT = 600  # seconds after which a running cell is given up
COPIED = ("LICENSE-CODE", "LICENSE-TEXT", "CITATION.cff")
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
README = """# The chapters of *Attention and Order* as notebooks

This branch is made by `make notebooks` from the sources of the book; nothing here is edited by hand. `binder/` is what
Binder reads, the wheel is the package, which a cell of every notebook installs.

"""
BOT = {"NAME": "github-actions[bot]", "EMAIL": "github-actions[bot]@users.noreply.github.com"}
AUTHOR = {f"GIT_{role}_{field}": value for role in ("AUTHOR", "COMMITTER") for field, value in BOT.items()}


def requirements(wheel):
    """Return binder/requirements.txt: the wheel with what chapters import, and a torch without CUDA."""
    return f"--extra-index-url {CPU_INDEX}\n./{wheel}[book]\n"


def table(repository, site):
    """Return the chapters as a table with links to the site and into Colab; without addresses, to files on GitHub."""
    from bookext.contents import contents
    from bookext.write import launch

    rows = [f"[Read the book]({site}).\n"] if site else []
    rows += ["| | chapter | run it |", "|---|---|---|"]
    for number, name in enumerate(contents(ROOT).chapters, 1):
        title = re.search(r"^# (.*)", (ROOT / f"{name}.md").read_text(encoding="utf-8"), re.MULTILINE)[1]
        slug = name.rpartition("/")[2]
        page = f"{site}{name}.html" if site else f"{name}.md"
        notebook = f"[notebook](../../blob/{BRANCH}/{slug}.ipynb)"
        if repository:
            notebook = f"[open in Colab]({launch.links(repository, slug)['Open in Colab']})"
        rows.append(f"| {number} | [{title}]({page}) | {notebook} |")
    return "\n".join(rows)


def readme():
    """Write the table between its two comments in README.md, and the picture."""
    import readme_picture  # only here: it imports the drawings

    readme_picture.write()
    path = ROOT / "README.md"
    head, start, rest = path.read_text(encoding="utf-8").partition("<!-- chapters")
    comment, end = rest.partition("\n")[0], "<!-- end of chapters -->"
    text = f"{head}{start}{comment}\n\n{table(*published())}\n\n{end}{rest.partition(end)[2]}"
    path.write_text(text, encoding="utf-8")


def write():
    """Make the tree of the branch afresh."""
    repository, site = published()
    if not repository:
        sys.exit(
            "There is no repository whose branch this could be: set BOOK_REPOSITORY, or book_repository under sphinx: "
            "config: in _config.yml. Notebooks for this machine alone are in _build/html/notebooks."
        )
    notebooks = sorted(WRITTEN.glob("*.ipynb"))
    if not notebooks:
        sys.exit("There is no built book with notebooks: run `make notebooks`, which builds it first.")
    shutil.rmtree(TREE, ignore_errors=True)
    (TREE / "binder").mkdir(parents=True)
    for path in notebooks:
        text = addresses.fill(path.read_text(encoding="utf-8"), repository, site)
        (TREE / path.name).write_text(text, encoding="utf-8")
    for name in COPIED:
        shutil.copyfile(ROOT / name, TREE / name)
    build_wheel(TREE, repository, site)
    (TREE / "README.md").write_text(f"{README}{table(repository, site)}\n", encoding="utf-8")
    (TREE / "binder" / "requirements.txt").write_text(requirements(addresses.wheel()), encoding="utf-8")
    (TREE / "binder" / "runtime.txt").write_text("python-3.12\n", encoding="utf-8")
    print(f"{len(notebooks)} notebooks, the package and binder/ are in {TREE}")


def git(*arguments, **environ):
    """Run git in the folder of the book, from which relative paths of remotes count; return what it prints."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, env=os.environ | environ, capture_output=True, text=True)
    if done.returncode:
        reason = (done.stderr.strip() or "no reason given").splitlines()[0]
        sys.exit(f"git {arguments[0]} failed: {reason}")
    return done.stdout.strip()


def publish(remote):
    """Push the tree as the one commit of the branch, unless the branch holds these very files already."""
    if not (TREE / "binder").is_dir():
        sys.exit("There is nothing to publish: run `make notebooks` first.")
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}  # the branch that is checked out stays as it is
        git("add", "--all", "--force", **index, GIT_WORK_TREE=str(TREE))
        tree = git("write-tree", **index)
    if git("ls-remote", "--heads", remote, BRANCH):
        git("fetch", "--quiet", "--no-tags", remote, BRANCH)
        if git("rev-parse", "FETCH_HEAD^{tree}") == tree:
            print(f"The branch {BRANCH} has these files already.")
            return
    commit = git("commit-tree", tree, "-m", "Notebooks of the book as built from its sources", **AUTHOR)
    git("push", "--quiet", "--force", remote, f"{commit}:refs/heads/{BRANCH}")
    print(f"Published as the branch {BRANCH}.")


def run(folder):
    """Run every notebook of a folder from top to bottom, as a reader would; exit with the names of those that fail."""
    import nbformat  # only here: this Python may be another than the book's
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError

    failed, paths = [], sorted(Path(folder).glob("*.ipynb"))
    for path in paths:
        with tempfile.TemporaryDirectory() as elsewhere:
            client = NotebookClient(nbformat.read(path, 4), timeout=LIMIT, kernel_name="python3")
            try:
                client.execute(cwd=elsewhere)
                print(f"{path.name}: ran to its end", flush=True)
            except (CellExecutionError, CellTimeoutError, RuntimeError) as error:  # RuntimeError: the kernel is dead
                failed.append(path.name)
                print(f"{path.name}: {error}", flush=True)
    if failed or not paths:
        sys.exit(f"{len(failed)} of {len(paths)} notebooks failed: {', '.join(failed)}.")


def main():
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("write", "publish", "readme", "run"))
    parser.add_argument("where", nargs="?", help="publish: a remote or an address, origin by default; run: a folder")
    options = parser.parse_args()
    if options.task == "write":
        book.locked()(write)()  # no other build takes the pages away meanwhile
    elif options.task == "publish":
        publish(options.where or "origin")
    elif options.task == "readme":
        readme()
    else:
        run(options.where or TREE)


if __name__ == "__main__":
    main()
