"""Make the book's environment in .venv, then run a script in it; install the system's programs that the tests need.

python tools/environment.py [--system] [--extra test] [script arguments ...]
python tools/environment.py [--extra test] --constraints 2    write constraints/2.txt from .venv
LOCKED=1 python tools/environment.py ...    the exact versions of the newest edition; LOCKED=2 those of edition 2
Standard library only: this runs on the system's Python. A second run finds the stamp and installs nothing.
"""

import argparse
import datetime
import hashlib
import importlib.util
import os
import platform
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = VENV / "ready"  # written last: what is installed, and from which files
UNFINISHED = VENV / "unfinished"  # there while packages are installed: one cut short can look whole
LOG = VENV / "install.log"
LOCK = ROOT / ".venv.lock"  # held while packages are installed; beside .venv, which may be removed and made afresh
PATIENCE = 15  # seconds of silence after which a line says what is waited for
INSTALL = ("-m", "pip", "install", "--no-input", "--disable-pip-version-check")
UV_INSTALL = ("pip", "install", "--compile-bytecode", "--python")  # pip compiles too
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
PIPED = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "encoding": "utf-8", "errors": "replace"}

AGAIN = "then run the same command again"
DISK = r"No space left on device|Errno 28\b|Disk quota exceeded"
RIGHTS = r"Permission denied|Read-only file system|Operation not permitted"
NETWORK = r"connection broken|Max retries exceeded|Failed to establish|ConnectionError|timed out|ProxyError|SSLError"
NETWORK += r"|Failed to (fetch|download)|error sending request"  # as uv says it
NOT_THERE = "There is no {0} for this Python: check the network, or name another Python with PYTHON=/path/to/python"
CAUSES = {  # what pip, uv or venv wrote: what to tell the reader; the first that fits
    DISK: f"The disk is full: make about 3 GB free here and in the temporary folder, {AGAIN}",
    RIGHTS: f"A file cannot be written: make this folder and the temporary folder writable, {AGAIN}",
    NETWORK: f"The package index cannot be reached: check the network and pip's settings, {AGAIN}",
    r"No matching distribution found for (\S+)": NOT_THERE,
    r"and\s+you\s+require\s+(\S+),\s+we\s+can\s+conclude\s+that\s+your\s+requirements\s+are\s+unsat": NOT_THERE,
    r"ResolutionImpossible|No solution found": (
        "The versions that are asked for do not fit together: try without LOCKED, or with another edition"
    ),
}


def explain(output):
    """Return the one sentence, without its full stop, that says why an installation stopped and what to do."""
    for pattern, sentence in CAUSES.items():
        found = re.search(pattern, output, re.IGNORECASE)
        if found:
            return sentence.format(*found.groups())
    errors = re.findall(r"^\s*((?:ERROR\b|error:|\w*Error\b).*)", output, re.MULTILINE)
    return f"The installation stopped ({errors[-1].strip() if errors else 'no reason given'})"


def fail(output):
    """End with the sentence for `output`, naming the log if there is one."""
    kept = LOG.exists() and LOG.stat().st_size > 0
    sys.exit(explain(output) + ("; the full output is in .venv/install.log." if kept else "."))


def progress(line):
    """Translate a line of pip's or uv's output: (text, whether it is worth a line of its own), or None."""
    line = line.strip().split(" (from ")[0]
    if line.startswith("Installing collected packages:"):
        return f"Installing {line.count(',') + 1} packages", True
    if line.startswith(("Collecting ", "Downloading ", "Using cached ", "Processing ", "Building ", "Installing ")):
        return line, bool(re.search(r"\d\d[\d.]* ?Mi?B\)|Gi?B\)", line))
    return (line, True) if line.startswith(("Resolved ", "Installed ")) else None


def fits(version, spec):
    """Test whether a version such as '2.13.0+cpu' lies in a range such as '>=2.3,<3'; '' is the range of everything."""

    def numbers(text):
        return ([int(n) for n in re.findall(r"\d+", text.split("+")[0])] + [0] * 6)[:6]

    for clause in filter(None, spec.replace(" ", "").split(",")):
        sign, bound = re.match(r"([<>=!~]+)(.*)", clause).groups()
        a, b = numbers(version), numbers(bound)
        if not {">=": a >= b, "<=": a <= b, "==": a == b, "!=": a != b, ">": a > b, "<": a < b}[sign]:
            return False
    return True


def newest_cpu(listing, spec):
    """Return the newest '+cpu' version within `spec` in what `pip index versions` printed (newest first), or None."""
    found = re.search(r"Available versions: (.*)", listing)
    versions = found.group(1).strip().split(", ") if found else []
    return next((v for v in versions if re.match(r"[\d.]+\+cpu$", v) and fits(v, spec)), None)


def project():
    """Return the table [project] of pyproject.toml."""
    import tomllib  # only here: a Python without it must get as far as the sentence in main

    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})


def torch_range():
    """Return the range of torch that the locked edition or pyproject.toml asks for, such as '==2.13.0' or '>=2.3'."""
    pin = re.search(r"^torch(==.*)", locked().read_text(encoding="utf-8"), re.MULTILINE) if locked() else None
    if pin:
        return pin.group(1).strip()
    return next(d[len("torch") :].strip() for d in project()["dependencies"] if re.match(r"torch(?![\w-])", d))


def locked():
    """Find the file of exact versions that LOCKED names, by edition or, for 1, the newest; None if it names none."""
    wanted = os.environ.get("LOCKED", "")
    if wanted in ("", "0"):
        return None
    there = [path.stem for path in (ROOT / "constraints").glob("*.txt")]
    there.sort(key=lambda edition: [int(number) for number in re.findall(r"\d+", edition)])
    edition = there[-1] if wanted == "1" and there else wanted
    if edition not in there:
        editions = ", ".join(there) or "none yet"
        sys.exit(f"There is no constraints/{wanted}.txt: LOCKED=1 takes the newest edition, and there are: {editions}.")
    return ROOT / "constraints" / f"{edition}.txt"


def constrained():
    """Return the arguments that keep pip or uv to the locked edition."""
    return ["-c", str(locked())] if locked() else []


def key():
    """Hash what the packages depend on: the lists, the locked edition, the path of the tree, and .venv's Python."""
    digest = hashlib.sha256()
    for path in filter(None, (ROOT / "pyproject.toml", ROOT / "requirements.txt", locked())):
        digest.update(path.read_bytes() + b"\0")
    digest.update(os.fsencode(f"{ROOT}\0{os.path.realpath(str(PYTHON))}"))
    return digest.hexdigest()


def child_environ():
    """Return the environment of a script inside .venv: its programs first, nothing of another Python's packages."""
    environ = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME")}
    environ.update(VIRTUAL_ENV=str(VENV), PIP_USER="0", PYTHONUNBUFFERED="1")
    environ["PATH"] = str(PYTHON.parent) + os.pathsep + environ.get("PATH", "")
    return environ


@contextmanager
def news(doing):
    """Say every 15 s what is waited for; the block gets a function to call with each text that it shows by itself."""
    shown = queue.SimpleQueue()

    def wait():
        text, silent = doing, 0
        while text:
            try:
                text, silent = shown.get(timeout=PATIENCE), 0
            except queue.Empty:
                silent += PATIENCE
                print(f"  {text}: nothing new for {silent} s, still waiting", flush=True)

    threading.Thread(target=wait, daemon=True).start()
    try:
        yield shown.put
    finally:
        shown.put("")


@contextmanager
def alone():
    """Hold the lock on .venv; say so where another command holds it, and wait."""
    with LOCK.open("w") as file:
        try:
            if fcntl:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another command installs into .venv: waiting until it has ended.", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def in_venv(*arguments, timeout=None):
    """Run .venv's Python quietly: (exit code, output)."""
    try:
        done = subprocess.run([str(PYTHON), *arguments], cwd=str(ROOT), env=child_environ(), timeout=timeout, **PIPED)
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    return done.returncode, done.stdout


def log(text):
    """Keep `text` in the log if the disk lets us."""
    with suppress(OSError), LOG.open("a", encoding="utf-8") as file:
        file.write(text)


def follow(*command):
    """Run a command that installs: its progress on the screen, every line in the log; (exit code, output)."""
    lines, terminal = [], sys.stdout.isatty()
    UNFINISHED.touch()
    process = subprocess.Popen(command, cwd=str(ROOT), env=child_environ(), **PIPED)
    try:
        with news("The installation") as show:
            for line in process.stdout:
                lines.append(line)
                log(line)
                text, important = progress(line) or ("", False)
                if text:
                    show(text)
                if text and terminal:  # one line, rewritten
                    print(f"\r\033[K  {text[: shutil.get_terminal_size().columns - 3]}", end="", flush=True)
                elif important:
                    print("  " + text, flush=True)
    except KeyboardInterrupt:
        process.terminate()
        raise
    finally:
        print("\r\033[K" if terminal else "", end="", flush=True)
        process.wait()
        if process.returncode == 0 or not any(line.startswith(("Installing collected", "Resolved ")) for line in lines):
            UNFINISHED.unlink(missing_ok=True)
    return process.returncode, "".join(lines)


def run(*arguments):
    """Run .venv's Python to install; a failure ends in one sentence."""
    code, output = follow(str(PYTHON), *arguments)
    if code:
        fail(output)


def make_venv():
    """Make .venv afresh unless there is a sound one of this Python's version."""
    sound = f"import pip, sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    if PYTHON.exists() and not UNFINISHED.exists() and in_venv("-c", sound)[0] == 0:
        return
    missing = [name for name in ("venv", "ensurepip") if importlib.util.find_spec(name) is None]
    if missing:
        sys.exit(
            f"This Python lacks its module {' and '.join(missing)}: on Debian or Ubuntu install python3-venv, "
            "elsewhere a complete Python, then run the same command again."
        )
    print("Making .venv with Python " + platform.python_version(), flush=True)
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(VENV)], **PIPED)
    if made.returncode:
        fail(made.stdout)
    run("-m", "ensurepip", "--default-pip")


def find_cpu_torch(spec):
    """Return pip's arguments for a CPU build of torch: from pip's sources, else PyTorch's CPU index, else any build."""
    ask = ("-m", "pip", "index", "versions", "torch", "--no-input", "--disable-pip-version-check")
    output = in_venv(*ask)[1]
    if newest_cpu(output, spec):
        return ["torch==" + newest_cpu(output, spec)]
    if "Available versions" not in output:  # ask again for the reason, which pip tells only then
        output = in_venv(*ask, "-vv", "--retries", "0")[1]
        if re.search(NETWORK, output):
            log(output)
            fail(output)
    there = in_venv(*ask, "--index-url", CPU_INDEX, "--retries", "0", "--timeout", "5", timeout=20)[1]
    if newest_cpu(there, spec):
        return ["torch==" + newest_cpu(there, spec), "--extra-index-url", CPU_INDEX]
    print("No CPU build of torch is within reach, so the general build follows: several gigabytes.")
    return ["torch" + spec]


def install_torch():
    """Install torch before everything else, as a build without CUDA wherever there is one."""
    spec = torch_range()
    code, version = in_venv("-c", "import torch; print(torch.__version__)")
    if code == 0 and fits(version.split()[-1], spec):
        return
    linux = platform.system() == "Linux" and platform.machine() in ("x86_64", "aarch64")
    with news("The package index, asked for torch"):
        arguments = find_cpu_torch(spec) if linux else ["torch" + spec]
    print("Installing " + arguments[0], flush=True)
    run(*INSTALL, *constrained(), *arguments)


def install(*arguments):
    """Install with uv where it is, which is faster; else, and where uv does not find a package, with pip."""
    uv = shutil.which("uv")
    if uv:
        code, output = follow(uv, *UV_INSTALL, str(PYTHON), *constrained(), *arguments)
        if code == 0:
            return
        if re.search(f"{DISK}|{RIGHTS}|Failed to install", output, re.IGNORECASE):  # pip would meet the same
            fail(output)
        print(f"{explain(output).partition(':')[0]}, says uv; pip, which has settings of its own, tries.", flush=True)
    run(*INSTALL, *constrained(), *arguments)


def stamped():
    """Read the stamp: the key and the extras that were installed; nothing if an installation was cut short."""
    return STAMP.read_text(encoding="utf-8").split() if STAMP.exists() and not UNFINISHED.exists() else []


def included(extras):
    """Return these extras and those that pyproject.toml makes part of them, as attnbook[pdf] is part of test."""
    table = project().get("optional-dependencies", {})
    parts = [re.match(r"attnbook\[(\w+)\]", package) for extra in extras for package in table.get(extra, ())]
    return {*extras, *(part[1] for part in parts if part)}


def is_current(extras):
    """Return whether .venv is what pyproject.toml, requirements.txt, the locked edition and these extras ask for."""
    words = stamped()
    return words[:1] == [key()] and extras <= included(words[1:]) and PYTHON.exists()


def ensure(extras):
    """Bring .venv up to date with pyproject.toml, requirements.txt and the extras; return at once if it is."""
    if is_current(extras):
        return
    with alone():
        if not is_current(extras):  # else another command has done it
            make(extras)


def make(extras):
    """Install what is missing in .venv, torch first, and write the stamp last."""
    extras = sorted(extras.union(stamped()[1:]))
    make_venv()
    STAMP.unlink(missing_ok=True)
    LOG.unlink(missing_ok=True)
    install_torch()
    print("Installing what requirements.txt lists" + "".join(f", and what {e} adds" for e in extras), flush=True)
    also = [word for extra in extras for word in ("-e", f".[{extra}]")]
    install("-r", "requirements.txt", *also)
    STAMP.write_text(" ".join([key(), *extras]) + "\n", encoding="utf-8")


def write_constraints(edition, extras):
    """Write constraints/EDITION.txt: the exact version of every package in .venv, which must be current."""
    if edition == "1" or not re.fullmatch(r"\d+(\.\d+)*", edition):
        sys.exit(f"Name an edition by a number such as 2 or 2.1, not {edition!r} (LOCKED=1 means the newest).")
    if not is_current(extras):
        sys.exit(".venv is not what pyproject.toml and requirements.txt ask for now: run `make test` first.")
    not_pinned = ("--exclude-editable", "--exclude=pip", "--exclude=setuptools", "--exclude=wheel")
    code, listing = in_venv("-m", "pip", "list", "--format=freeze", "--disable-pip-version-check", *not_pinned)
    if code:
        fail(listing)
    pins = []
    for name, version in re.findall(r"^([\w.-]+)==([^\s+]+)", listing, re.MULTILINE):  # without torch's +cpu
        pins.append(f"{re.sub('[-_.]+', '-', name).lower()}=={version}\n")
    python, extras = in_venv("-V")[1].strip(), ", ".join(stamped()[1:]) or "none"
    head = f"""# The exact versions of edition {edition}: `make book LOCKED={edition}` installs them.
# Written by `make constraints EDITION={edition}` on {datetime.date.today()} from an environment that passed the tests:
# {python} on {platform.system()} ({platform.machine()}), with the extras {extras}.
"""
    file = ROOT / "constraints" / f"{edition}.txt"
    file.write_text(head + "".join(sorted(pins)), encoding="utf-8")
    print(f"Wrote constraints/{edition}.txt: {len(pins)} packages.")


def main():
    """Make the environment and give way to the script."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--system", action="store_true", help="install the programs and fonts that the tests need, too")
    parser.add_argument("--extra", action="append", default=[], help="an extra of pyproject.toml, such as test")
    parser.add_argument("--constraints", metavar="EDITION", help="install nothing, and write constraints/EDITION.txt")
    parser.add_argument("script", nargs=argparse.REMAINDER, help="what to run inside the environment")
    wanted = parser.parse_args()
    if sys.version_info < (3, 11):  # noqa: UP036 (an old Python must end in this sentence)
        sys.exit(f"This book needs Python 3.11 or newer; this is {platform.python_version()}.")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that pip ends too, and the sentence is said
    try:
        if wanted.constraints is not None:
            return write_constraints(wanted.constraints, set(wanted.extra))
        if wanted.system:
            from system import install_missing  # only here: other trees load this file by itself

            install_missing()
        ensure(set(wanted.extra))
    except KeyboardInterrupt:
        sys.exit("Interrupted: run the same command again to go on.")
    except OSError as error:
        fail(str(error))
    if wanted.script:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        command = [str(PYTHON), *wanted.script]
        if os.name == "nt":  # exec does not wait there
            sys.exit(subprocess.call(command, env=child_environ()))
        os.execve(command[0], command, child_environ())


if __name__ == "__main__":
    main()
