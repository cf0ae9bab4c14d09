"""GitHub accepts the workflows: a broken one publishes nothing and says so too late."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_actionlint_accepts_every_workflow():
    program = Path(sys.executable).parent / "actionlint"
    workflows = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    # Its helpers are left out: what they say depends on what else is installed.
    done = subprocess.run([program, "-shellcheck=", "-pyflakes=", *workflows], capture_output=True, text=True)
    assert (workflows != [], done.returncode) == (True, 0), done.stdout + done.stderr
