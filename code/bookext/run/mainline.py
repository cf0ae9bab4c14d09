"""Find the commit of the main branch from which a working tree began."""

import subprocess
from pathlib import Path

# What others have comes first: a commit on one's own `main` is still to be looked at.
BRANCHES = ("origin/main", "origin/HEAD", "main")


def base(root: Path) -> str:
    """Return the last commit that a tree shares with the main branch; nothing where there is none, or no git."""
    for branch in BRANCHES:
        try:
            done = subprocess.run(["git", "merge-base", "HEAD", branch], cwd=root, capture_output=True, text=True)
        except OSError:
            return ""
        if done.returncode == 0:
            return done.stdout.strip()
    return ""
