"""Say in one sentence what GitHub Pages lacks to take the site, before a deployment fails without one.

python tools/pages.py    needs GitHub's `gh`, with GH_TOKEN and GH_REPO set
"""

import json
import os
import shutil
import subprocess
import sys

ADVICE = "under Settings, Pages, choose Source: GitHub Actions, then Re-run failed jobs"


def fault(code, said):
    """Return what is wrong, from what `gh api` ends with and says of the repository's Pages; None if nothing is."""
    if code:
        if "404" in said:
            return f"GitHub Pages is not enabled for this repository: {ADVICE}."
        return f"GitHub does not say whether Pages is enabled: {said.strip() or 'no reason given'}"
    if json.loads(said).get("build_type") != "workflow":
        return f"GitHub Pages takes its files from a branch, not from this workflow: {ADVICE}."
    return None


def main(repository):
    """Ask GitHub."""
    done = subprocess.run(["gh", "api", f"repos/{repository}/pages"], capture_output=True, text=True)
    sys.exit(fault(done.returncode, done.stdout if done.returncode == 0 else done.stderr))


if __name__ == "__main__":
    if not os.environ.get("GH_REPO"):
        sys.exit("Name the repository as owner/name: GH_REPO=owner/name make pages")
    if not shutil.which("gh"):
        sys.exit("GitHub's program gh is not here: look under Settings, Pages, whether the source is GitHub Actions.")
    main(os.environ["GH_REPO"])
