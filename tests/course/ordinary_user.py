"""Grade as an ordinary user, in tests that run as root: a process that gives up being root and grades what it is sent.

An instructor grades as an ordinary user, and bubblewrap then builds other walls than for root.
"""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

NUMBER = 50_000 + os.getpid() % 10_000  # of a user that has no name, another one for every run of the tests
SECRET = "tell-no-student"  # in the environment of whoever grades


def start(code):
    """Start the process; ``code`` is the folder of the package."""
    import numpy

    needed = [
        Path(sys.base_prefix),
        Path(sys.prefix),
        Path(numpy.__file__).parents[1],
        Path(code),
        Path(__file__).parent,
    ]
    command = ["bwrap", "--dev-bind", "/", "/"]
    opened = []
    for path in sorted({path.resolve() for path in needed}):
        closed = [folder for folder in reversed(path.parents) if not folder.stat().st_mode & 0o001]
        if closed and closed[0] not in opened:  # such as root's home: all else in it is away
            opened.append(closed[0])
            command += ["--perms", "0755", "--tmpfs", str(closed[0])]
        if closed:
            inside = [folder for folder in reversed(path.parents) if closed[0] in folder.parents]
            for folder in inside:
                command += ["--perms", "0755", "--dir", str(folder)]
            command += ["--ro-bind", str(path), str(path)]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(code), "SEED": SECRET, "LANG": "C.UTF-8"}
    command += ["--chdir", "/", "--", sys.executable, "-B", str(Path(__file__).resolve()), str(NUMBER)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(command, env=environment, text=True, **pipes)


def ask(process, **question):
    """Send a question, as `answer` takes it, and return the answer."""
    process.stdin.write(json.dumps(question) + "\n")
    process.stdin.flush()
    line = process.stdout.readline()
    assert line, "the process of the ordinary user ended"
    answered = json.loads(line)
    assert "failed" not in answered, answered["failed"]
    return answered["answer"]


def answer(question):
    """Grade a notebook, or say why there is no sandbox."""
    from dataclasses import asdict

    from attncourse import examiner, model, sandbox

    if "data" not in question:
        return sandbox.missing()
    limits, files = sandbox.Limits(**question["limits"]), [["hw.ipynb", [0, ""], base64.b64decode(question["data"])]]
    return asdict(examiner.grade(files, model.load_assignment(question["assignment"]), limits=limits))


def main():
    """Serve until the other side closes."""
    number = int(sys.argv[1])
    os.setgroups([])
    os.setresgid(number, number, number)
    os.setresuid(number, number, number)
    for line in sys.stdin:
        try:
            answered = {"answer": answer(json.loads(line))}
        except Exception as error:
            answered = {"failed": f"{type(error).__name__}: {error}"}
        print(json.dumps(answered), flush=True)


if __name__ == "__main__":
    main()
