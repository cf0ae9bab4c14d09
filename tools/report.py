"""Open an issue about a weekly run that failed, or add a line to the one that is open already.

python tools/report.py ADDRESS    the address of the run; needs GitHub's `gh`, with GH_TOKEN and GH_REPO set
"""

import shutil
import subprocess
import sys

TITLE = "The weekly run fails"


def gh(*arguments):
    """Run gh; return what it prints."""
    done = subprocess.run(["gh", *arguments], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"gh {' '.join(arguments[:2])} failed: {done.stderr.strip() or 'no reason given'}")
    return done.stdout.strip()


def main(run):
    """Open one issue at a time, whatever the number of weeks."""
    text = f"Something that the book stands on has changed. What failed, and where: {run}"
    search = f'in:title "{TITLE}"'
    opened = gh("issue", "list", "--state", "open", "--search", search, "--json", "number", "--jq", ".[0].number")
    if opened:
        gh("issue", "comment", opened, "--body", text)
    else:
        gh("issue", "create", "--title", TITLE, "--body", text)
    print(f"Issue {opened or 'opened'}: {run}")


if __name__ == "__main__":
    if len(sys.argv) != 2 or "://" not in sys.argv[1]:
        sys.exit("Name the run that failed by its address: make report RUN=https://…")
    if not shutil.which("gh"):
        sys.exit("GitHub's program gh is not here: install it, or open the issue by hand.")
    main(sys.argv[1])
