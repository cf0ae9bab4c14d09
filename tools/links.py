"""Ask every external link of the book whether it leads somewhere, and name those that do not.

python tools/links.py    with .venv's Python, after `make book`, whose stored results of the cells it uses
"""

import json
import re
import shutil
import sys

import book

FOLDER = book.BUILD / "linkcheck"
REFUSALS = ("403", "429")  # a server that does not answer programs, or not so many requests


def outcomes(lines):
    """Sort what Sphinx wrote about links, one JSON object a line: (all that were asked, undecided, broken)."""
    links = [json.loads(line) for line in lines]
    asked = [link for link in links if link["status"] != "unchecked"]  # places in the book
    ignored = [link for link in asked if link["status"] == "ignored"]  # 503: out of service at the moment
    failed = [link for link in asked if link["status"] in ("broken", "timeout")]
    refused = [link for link in failed if link["info"].startswith(REFUSALS)]
    return asked, ignored + refused, [link for link in failed if link not in refused]


def describe(link):
    """Return address, page and line of a link, and what was wrong."""
    cause = re.search(r"Caused by (\w+)", link["info"])
    reason = cause[1] if cause else link["info"].partition(" for url: ")[0]
    return f"{link['uri']} ({link['filename']}:{link['lineno']}: {reason})"


def main():
    """Run Sphinx's linkcheck and end with one sentence."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    # Not Jupyter Book's own builder of this name: that one writes into the site.
    book.sphinx(book.BUILD, options=("--builder", "custom", "--custom-builder", "linkcheck"))
    results = FOLDER / "output.json"
    if not results.exists():
        sys.exit("No link was asked: the reason is above, in the lines with ERROR: or WARNING:.")
    asked, undecided, broken = outcomes(results.read_text(encoding="utf-8").splitlines())
    if asked and len(broken) == len(asked):
        sys.exit(
            f"None of the {len(asked)} external links answers: check the network, then run the same command again."
        )
    if undecided:
        print("These do not answer a program; open them yourself:", *map(describe, undecided), sep="\n  ")
    if broken:
        sys.exit(f"External links that are broken, {len(broken)} of {len(asked)}: {'; '.join(map(describe, broken))}.")
    print(f"No external link is broken; asked: {len(asked)}, not answering a program: {len(undecided)}.")


if __name__ == "__main__":
    main()
