"""What the tests and `make pdf` need of the system: programs and fonts, what is wrong with each, how it is installed.

Standard library only: tools/environment.py runs this on the system's Python.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from environment import PIPED, fits

RESTRICTION = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")


class Need(NamedTuple):
    """A program or font of the system that the tests need."""

    name: str
    use: str
    fault: Callable  # what is wrong, as the first words of a sentence; None if nothing is
    packages: dict  # of a package manager: those that bring it, one of which is enough


def program(name):
    """Return a function that says whether a program is missing."""
    return lambda: None if shutil.which(name) else f"There is no {name}"


def said_by(*command, limit=60):
    """Return exit code and output of a program of the system; 127 if it cannot be started or takes too many seconds."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, timeout=limit, **PIPED)
    except (OSError, subprocess.TimeoutExpired) as error:
        return 127, str(error)
    return done.returncode, done.stdout


def browser_fault(name, path):
    """Say why a browser cannot be used: it is not here, or does not start, like Ubuntu's programs that want a snap."""
    if not path:
        return f"There is no {name}"
    code, said = said_by(path, "--version")
    if code == 0 and re.search(r"\d\.\d", said):
        return None
    return f"{name} does not start, and {path} says: {(said.strip() or 'nothing').splitlines()[0]}"


def chromium_fault():
    """Say why Chromium cannot be used."""
    from browser import chromium  # only here: other trees load this file by itself

    return browser_fault("Chromium", chromium())


def firefox_fault():
    """Say why Firefox cannot be used."""
    return browser_fault("Firefox", shutil.which("firefox-esr") or shutil.which("firefox"))


def chinese_font_fault():
    """Return whether fontconfig knows no font for Chinese; macOS and Windows bring one."""
    if sys.platform != "linux":
        return None
    code, fonts = said_by("fc-list", ":lang=zh")
    return None if code == 0 and fonts.strip() else "There is no font with Chinese characters"


def bubblewrap_fault():
    """Return whether bubblewrap is missing or too old for --disable-userns."""
    version = re.search(r"\d+\.\d+\S*", said_by("bwrap", "--version")[1]) if shutil.which("bwrap") else None
    if version is None:
        return "There is no bubblewrap"
    return None if fits(version[0], ">=0.8") else f"bubblewrap is {version[0]}, older than 0.8"


def namespaces_fault():
    """Say why bubblewrap, if it is installed, makes no sandbox; the kernel's settings are for people to change."""
    if not shutil.which("bwrap"):
        return None
    code, output = said_by("bwrap", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "true")
    if code == 0:
        return None
    if RESTRICTION.exists() and RESTRICTION.read_text(encoding="utf-8").strip() == "1":
        command = as_root("sysctl", "-w", f"kernel.{RESTRICTION.name}=0")
        return f"AppArmor forbids user namespaces: run `{command}` to allow them until the machine starts again"
    return f"User namespaces are not allowed ({' '.join(output.split())[:200]}): allow them, or test on another machine"


MANAGERS = {  # each with what stands before the name of a package
    "apt-get": ("install", "-y", "--no-install-recommends"),
    "dnf": ("install", "-y"),
    "pacman": ("-S", "--noconfirm", "--needed"),
    "brew": ("install",),
}
CHROMIUM = {
    "apt-get": ("chromium-headless-shell", "chromium", "chromium-browser"),
    "dnf": ("chromium-headless", "chromium"),
    "pacman": ("chromium",),
    "brew": ("google-chrome",),
}
FIREFOX = {
    "apt-get": ("firefox-esr", "firefox"),
    "dnf": ("firefox",),
    "pacman": ("firefox",),
    "brew": ("firefox",),
}
FONTS = {
    "apt-get": ("fonts-noto-cjk", "fonts-wqy-zenhei"),
    "dnf": ("google-noto-sans-cjk-fonts", "google-noto-sans-cjk-vf-fonts", "google-noto-sans-cjk-ttc-fonts"),
    "pacman": ("noto-fonts-cjk", "wqy-zenhei"),
    "brew": ("font-noto-sans-cjk-sc",),
}
GRADER = "the grader runs students' code in it"
NEEDS = (
    Need("Chromium", "it opens the pages", chromium_fault, CHROMIUM),
    Need("Firefox", "live figures are tried in it, too", firefox_fault, FIREFOX),
    Need("fontconfig", "it says which fonts are here", program("fc-list"), dict.fromkeys(MANAGERS, ("fontconfig",))),
    Need("Chinese font", "the Chinese on the pages needs one", chinese_font_fault, FONTS),
    Need("bubblewrap", GRADER, bubblewrap_fault, dict.fromkeys(("apt-get", "dnf", "pacman"), ("bubblewrap",))),
    Need("user namespaces", GRADER, namespaces_fault, {}),
    Need("make", "the tests call it", program("make"), dict.fromkeys(MANAGERS, ("make",))),
    Need("git", "it publishes the notebooks", program("git"), dict.fromkeys(MANAGERS, ("git",))),
)


def is_root():
    """Return whether this is the system's administrator."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def manager():
    """Return the package manager of this system, or None."""
    return next(filter(shutil.which, MANAGERS), None)


def as_root(*command):
    """Return a command as a person types it who may have to ask for the rights."""
    return " ".join([*([] if is_root() or command[0] == "brew" else ["sudo"]), *command])


def missing(*names):
    """List which needs are not met, of these or of all: {name: one sentence with the command that helps}."""
    faults = [(need, need.fault()) for need in NEEDS if need.name in (names or [need.name])]
    return {need.name: sentence(need, fault) for need, fault in faults if fault}


def sentence(need, fault):
    """Return the sentence on one need that is not met."""
    if not need.packages:
        return fault + "."
    packages = need.packages.get(manager(), ())
    commands = [as_root(manager(), MANAGERS[manager()][0], package) for package in packages]
    advice = f"run `{' || '.join(commands)}`" if commands else "install it, or run the tests on Linux"
    return f"{fault} ({need.use}): {advice}."


def rights():
    """Return what stands before a command that installs without a question, or None where that is not allowed."""
    quiet = ["env", "DEBIAN_FRONTEND=noninteractive"]
    if manager() == "brew":
        return None if is_root() else quiet  # Homebrew refuses root
    if is_root():
        return quiet
    return ["sudo", "-n", *quiet] if said_by("sudo", "-n", "true")[0] == 0 else None


def install_missing():
    """Install what the tests need of the system, each package by itself; one sentence for what stays missing."""
    wanted = [need for need in NEEDS if need.packages.get(manager()) and need.fault()]
    prefix = rights() if wanted else None
    if prefix is not None:
        if manager() == "apt-get":
            said_by(*prefix, "apt-get", "update", limit=600)
        for need in wanted:
            for package in need.packages[manager()]:
                if need.fault():
                    print(f"Installing {package}", flush=True)
                    said_by(*prefix, manager(), *MANAGERS[manager()], package, limit=600)
    for words in missing().values():
        print(words, flush=True)
