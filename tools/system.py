"""Install what the tests need of the system with apt-get, where that is allowed; name what is missing.

Standard library only: tools/environment.py runs this on the system's Python.
"""

import os
import re
import shutil
import subprocess
import sys

import browser

PIPED = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "encoding": "utf-8", "errors": "replace"}


def output(*command):
    """Return what a program prints, or nothing if it is missing, fails or hangs."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, timeout=60, **PIPED)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def has_chromium():
    """Start Chromium once: Ubuntu has programs of this name that only ask for a snap."""
    return bool(browser.chromium() and output(browser.chromium(), "--version"))


def has_bubblewrap():
    """Ask for the version: the grader's sandbox needs --disable-userns, which 0.8 brought."""
    version = re.search(r"(\d+)\.(\d+)", output("bwrap", "--version"))
    return bool(version) and tuple(map(int, version.groups())) >= (0, 8)


NEEDS = {  # each with a test and Debian's packages, of which the first that exists is enough
    "Chromium": (has_chromium, ["chromium-headless-shell", "chromium", "chromium-browser"]),
    "Firefox": (
        lambda: output("firefox-esr", "--version") or output("firefox", "--version"),
        ["firefox-esr", "firefox"],
    ),
    "fontconfig": (lambda: output("fc-list", "--version"), ["fontconfig"]),
    "a font with Chinese characters": (lambda: output("fc-list", ":lang=zh"), ["fonts-noto-cjk", "fonts-wqy-zenhei"]),
    "bubblewrap 0.8 or newer": (has_bubblewrap, ["bubblewrap"]),
    "make": (lambda: shutil.which("make"), ["make"]),
    "git": (lambda: shutil.which("git"), ["git"]),
}
NAMESPACES = "user namespaces for the grader's sandbox (sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0)"


def missing():
    """List the names of what the tests need and this system lacks."""
    names = [name for name, (works, _) in NEEDS.items() if not works()]
    sandbox = ("bwrap", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "echo", "sound")
    if shutil.which("bwrap") and not output(*sandbox):
        names.append(NAMESPACES)
    return names


def install():
    """Install what is missing, each package by itself, and print what stays missing."""
    root, lacking = os.geteuid() == 0, missing()
    if lacking and shutil.which("apt-get") and (root or output("sudo", "-n", "echo", "allowed")):
        apt = [*([] if root else ["sudo", "-n"]), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
        subprocess.run([*apt, "update"], stdout=subprocess.DEVNULL)
        for works, packages in NEEDS.values():
            for package in packages:
                if not works():
                    print(f"Installing {package}", flush=True)
                    subprocess.run([*apt, "install", "-y", "--no-install-recommends", package], **PIPED)
        lacking = missing()
    if lacking:
        print("Some tests will fail, because this system lacks " + ", ".join(lacking) + ".", file=sys.stderr)
