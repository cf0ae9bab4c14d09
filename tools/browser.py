"""Find the Chromium that prints, measures and tests the book."""

import os
import shutil

# The first has no windows at all, and opens a page in half the time.
COMMANDS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
COMMANDS += ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",)
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
FLAGS += ("--disable-component-update", "--disable-sync")
ALONE = (*FLAGS, "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")  # nothing outside this machine answers


def chromium():
    """Return the path of an installed Chromium, the one that CHROMIUM names before others, or None."""
    return next(filter(None, map(shutil.which, (os.environ.get("CHROMIUM") or COMMANDS[0], *COMMANDS))), None)
