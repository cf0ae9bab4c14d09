"""Open the chapters in JupyterLab: each file of chapters/ as a notebook, with the environment of the book.

python tools/lab.py [OPTION...]    with the group `lab`; options are those of `jupyter lab`

One thread computes, as in the build, unless OMP_NUM_THREADS says otherwise.
A chapter stays the Markdown file it is; pyproject.toml pairs it with a notebook in _build/lab, which keeps the outputs.
"""

import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = ROOT / "_build" / "lab" / "labconfig" / "default_setting_overrides.json"
OVERRIDES = {
    "@jupyterlab/docmanager-extension:plugin": {"defaultViewers": {"markdown": "Jupytext Notebook"}},
    "@jupyterlab/apputils-extension:notification": {"checkForUpdates": False, "fetchNews": "false"},
}


def command(options):
    """Return the options of JupyterLab: the book's, then the reader's, which decide."""
    own = [f"--ServerApp.root_dir={ROOT}", "--LabApp.default_url=/lab/tree/chapters/index.md"]
    own += ["--ServerApp.contents_manager_class=chapter_files.ChapterFiles"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # as in a container: JupyterLab asks for a word of consent
        own.append("--allow-root")
    return [*own, *options]


def main(options):
    """Run JupyterLab, with these settings below the reader's own."""
    try:
        SETTINGS.parent.mkdir(parents=True, exist_ok=True)
        SETTINGS.write_text(json.dumps(OVERRIDES, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        sys.exit(f"{error}.")
    paths = [str(SETTINGS.parent.parent), os.environ.get("JUPYTER_CONFIG_PATH", "")]
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, paths))
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # kernels inherit it
    from jupyterlab.labapp import LabApp  # not before: it reads the environment

    LabApp.launch_instance(command(options))


if __name__ == "__main__":
    main(sys.argv[1:])
