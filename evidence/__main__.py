"""See whether the checks bite: the tests of this folder, planted faults, and three runs with other random numbers.

python evidence                              all of it, with .venv's Python and the groups `test` and `evidence`
python evidence --only PATTERN [--jobs N]    the faults whose file or line matches, as in mutants.py
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(arguments):
    """Run the scripts; the exit code is 1 if any of them fails."""
    commands = [[HERE / "mutants.py", *arguments]]
    if "--only" not in arguments:
        commands = [["-m", "pytest", "-q", HERE], *commands, [HERE / "seeds.py", "3", *arguments]]
    results = [subprocess.run([sys.executable, *map(str, command)], cwd=HERE.parent) for command in commands]
    return any(result.returncode for result in results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
