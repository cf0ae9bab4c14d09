"""Build the book, look for mistakes in its pages, show it.

python tools/book.py build             build into _build and look through the pages; a warning is an error
python tools/book.py check CHAPTER...  the same in _build/check, where only these chapters follow the package
python tools/book.py serve             with any Python: show the built site on a local address
python tools/book.py watch             the same, and build again whenever a source is saved
"""

import argparse
import functools
import http.server
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from environment import at_home, exclusive

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "_build"
SITE = BUILD / "html"
CHECKED = BUILD / "check"  # a second build, for `make check`
STORED = ".jupyter_cache"  # in the folder of a build: the results of the cells
CELLS_FAIL = 3  # the exit code of bookext.run.execution where a cell fails: nothing was read or written
STRICT = ("-W", "--keep-going", "-n")  # every warning is an error
LOG, FAILED = "build.log", "failed.txt"  # in the folder of a build: all that Sphinx says, and why it failed
COLOURS = re.compile(r"\x1b\[[\d;]*m")
PHASE = re.compile(r"^([a-z][\w ]+?)\.\.\. *(?:\[ *(\d+%)\])?", re.MULTILINE)  # such as: reading sources... [ 12%] a
FAILED_CELLS = "Chapters in which a cell fails"  # begins what bookext.run.execution says at its end
WARNING = re.compile(r"^.*\b(?:WARNING|ERROR|CRITICAL): .*(?:\n[ \t]+\S.*)*", re.MULTILINE)
RAISED = re.compile(r"^[\w.]*[A-Z]\w*: .*(?:\n.+)*", re.MULTILINE)  # the last lines of a traceback
LAST_LINES = 12  # of the log, where nothing in it is known to be a cause
WATCHED = ("chapters", "code/attnbook", "code/attnfigures", "code/bookext", "course", "_config.yml", "_toc.yml")
WATCHED_SUFFIXES = {".md", ".yml", ".bib", ".py", ".js", ".css", ".html", ".json"}

# What a page must not hold: the classes of an element, and what they mean.
MARKS = {
    ("output", "traceback"): "a cell ended in an error",
    ("output", "stderr"): "a cell wrote to its error stream",
    ("check-failed",): "a check does not hold",
    ("problematic",): "text that could not be resolved",
    ("system-message",): "a message of the build inside the page",
}
# What a browser fetches by itself; an ordinary link is not among it.
SOURCES = "//script/@src | //img/@src | //iframe/@src | //source/@src | //video/@src | //audio/@src | //embed/@src"
SOURCES += " | //track/@src | //input/@src | //video/@poster | //object/@data"
SOURCES += " | //image/@*[contains(name(), 'href')] | //use/@*[contains(name(), 'href')]"
SOURCE_SETS = "//img/@srcset | //source/@srcset"
STYLES = "//style/text() | //@style"
FETCHING = {"stylesheet", "preload", "modulepreload", "prefetch", "preconnect", "dns-prefetch", "icon", "manifest"}
FETCHING |= {"apple-touch-icon", "mask-icon"}
OUTSIDE = re.compile(r"\s*(https?:)?//", re.IGNORECASE)


def loaded(page):
    """Return every address that a parsed page loads by itself."""
    yield from page.xpath(SOURCES)
    for addresses in page.xpath(SOURCE_SETS):
        yield from (part.split()[0] for part in re.split(r",\s+", addresses) if part.strip())
    for link in page.xpath("//link[@rel and @href]"):
        if FETCHING & set(link.get("rel").lower().split()):
            yield link.get("href")
    for style in page.xpath(STYLES):
        yield from re.findall(r"(?:url\(|@import)\s*['\"]?([^'\")\s]+)", style)


def mistakes(html):
    """List what is wrong with one page of HTML."""
    import lxml.html  # only here, as what the book brings: `serve` runs on a Python that may lack both
    from bookext.markup import has_class

    if not html.strip():
        return ["the page is empty"]
    page = lxml.html.document_fromstring(html)
    messages = []
    for classes, meaning in MARKS.items():
        for node in page.xpath(f"//*[{' and '.join(map(has_class, classes))}]"):
            lines = [line.strip() for line in node.text_content().splitlines() if line.strip()] or ["no text"]
            # The last line of a traceback names the error; of anything else the first line says most.
            messages.append(f"{meaning}: {lines[-1 if 'error' in meaning else 0][:120]}")
    outside = dict.fromkeys(address.strip() for address in loaded(page) if OUTSIDE.match(address))
    return messages + [f"it loads something from outside: {address[:120]}" for address in outside]


def scan(site, since=0.0):
    """Look through the pages of a site written ``since`` a time; return ``page: what is wrong`` for each mistake."""
    # _static holds templates and parts of the theme, not pages of the book.
    pages = (page for page in sorted(site.rglob("*.html")) if "_static" not in page.relative_to(site).parts)
    pages = [page for page in pages if page.stat().st_mtime >= since]
    with ProcessPoolExecutor() as pool:
        found = zip(pages, pool.map(mistakes, [page.read_bytes() for page in pages], chunksize=4), strict=True)
    return [f"{page.relative_to(site).as_posix()}: {what}" for page, messages in found for what in messages]


def full_disk():
    """Return whether the folder of the book or the temporary folder has no room left."""
    return any(shutil.disk_usage(folder).free < 20 * 2**20 for folder in (ROOT, tempfile.gettempdir()))


def environ(chapters=()):
    """Return the environment of a build in which ``chapters`` alone follow the package; all do, if it names none."""
    # A user's choice of backend would take the figures off the pages; the second silences a remark of the debugger.
    inherited = {name: value for name, value in os.environ.items() if name != "MPLBACKEND"}
    fast = {"NBFORMAT_VALIDATOR": "fastjsonschema"}
    return at_home() | inherited | fast | {"PYDEVD_DISABLE_FILE_VALIDATION": "1", "BOOK_EXECUTE": " ".join(chapters)}


def sphinx(folder, chapters=()):
    """Run Jupyter Book into ``folder``, which is called _build; return its exit code."""
    start = "from jupyter_book.cli.main import main; main(prog_name='jupyter-book')"
    command = [sys.executable, "-u", "-c", start, "build", ".", "--path-output", str(folder.parent), *STRICT]
    return run_logged(command, folder / LOG, environ(chapters))


def run_logged(command, log, env):
    """Run a builder whose output goes into the file ``log``; show what it is doing and return its exit code."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w+", encoding="utf-8", errors="replace") as file:
        # It keeps the lock: should this process be killed, the next build waits until Sphinx has ended.
        process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=file, stderr=file, close_fds=False)
        try:
            with log.open(encoding="utf-8", errors="replace") as said:
                phase = ""
                while process.poll() is None:
                    phase = show_phase(said.read(), phase)
                    time.sleep(0.2)
        finally:
            process.kill()
            process.wait()
    if sys.stdout.isatty():
        print(end="\r\033[K", flush=True)
    return process.returncode


def show_phase(text, before):
    """Show what a builder does now: on a terminal, in one line that counts; elsewhere, once when it begins."""
    phases = PHASE.findall(COLOURS.sub("", text))
    if phases and sys.stdout.isatty():
        print(f"\r\033[K{phases[-1][0]} {phases[-1][1]}", end="", flush=True)
    elif counted := [name for name, share in phases if share and name != before]:
        print(*dict.fromkeys(counted), sep="\n", flush=True)
    return phases[-1][0] if phases else before


def causes(log):
    """Return why a build failed, from what Sphinx said: cells, or warnings with their places, or an exception."""
    text = COLOURS.sub("", log).replace(f"{ROOT}{os.sep}", "")
    _, found, cells = text.rpartition(FAILED_CELLS)
    if found:
        return [f"{found}{cells.rstrip()}"]
    if warnings := WARNING.findall(text):
        return list(dict.fromkeys(warnings))
    # Jupyter Book raises another exception from that of Sphinx, to say that there was one.
    raised = RAISED.findall(text.partition("\nThe above exception was the direct cause")[0])
    return raised[-1:] or text.strip().splitlines()[-LAST_LINES:]


def fail(folder, messages, code=1):
    """Say why a build failed, last of all, and where the log is; end with ``code``."""
    log = folder / LOG
    text = "\n".join([*messages, f"The build failed. All that it said is in {log}"])
    (folder / FAILED).write_text(text, "utf-8")
    print(f"\n{text}", flush=True)
    sys.exit(code)


def locked():
    """Return the lock of the folder _build, for a ``with`` or a function: one process builds at a time."""
    return exclusive(BUILD / "lock", "build")


def build(folder=BUILD, chapters=()):
    """Build the site into ``folder``, which is called _build, and look through it; exit with a sentence if it is wrong.

    ``chapters`` alone are executed where the package has changed; all are, if it names none.
    """
    start = time.monotonic()
    site, doctrees = folder / "html", folder / ".doctrees"
    complete = doctrees / "complete"  # there only after a build without a mistake
    # Sphinx repeats no warning of a page it does not read again, and removes no page that has left the book. What a
    # failed or interrupted build left behind is therefore removed; the results of the cells stay.
    last_complete = complete.stat().st_mtime if complete.exists() else 0.0
    if not last_complete:
        shutil.rmtree(doctrees, ignore_errors=True)
        shutil.rmtree(site, ignore_errors=True)
    complete.unlink(missing_ok=True)
    (folder / FAILED).unlink(missing_ok=True)
    code = sphinx(folder, chapters)
    if code == CELLS_FAIL and not full_disk():  # the pages are those of the build before
        if last_complete:
            complete.touch()
        fail(folder, causes((folder / LOG).read_text("utf-8")), code)
    messages = scan(site, last_complete)
    index = site / "index.html"
    if code or messages or not index.exists():
        shutil.rmtree(doctrees, ignore_errors=True)
        if full_disk():
            sys.exit("The disk is full: make room here and in the temporary folder, then build again.")
        fail(folder, [*(causes((folder / LOG).read_text("utf-8")) if code else []), *messages])
    complete.touch()
    print(f"The book is in {index}  {index.as_uri()}  ({time.monotonic() - start:.0f} s)")


def copy_results(folder):
    """Copy the stored results of the cells to the folder of another build, where there are newer ones."""
    stored, copied = BUILD / STORED / "global.db", folder / STORED / "global.db"
    if not copied.exists() or stored.stat().st_mtime > copied.stat().st_mtime:
        shutil.rmtree(folder / STORED, ignore_errors=True)
        shutil.copytree(BUILD / STORED, folder / STORED)


def check(chapters):
    """Build the pages; these chapters show what the package does as it is, the others what is stored.

    The results lie in _build/check: after a change of the package those of other chapters may be out of date there.
    """
    pages = ROOT / "chapters"
    unknown = [name for name in chapters if not (pages / f"{name}.md").is_file()]
    if unknown:
        names = sorted(page.relative_to(pages).with_suffix("").as_posix() for page in pages.rglob("*.md"))
        sys.exit(f"There is no chapter {' or '.join(unknown)}; there are {', '.join(names)}.")
    if not (BUILD / STORED).exists():
        sys.exit("There are no stored results of the cells yet: run `make book` once, then this again.")
    copy_results(CHECKED / "_build")
    build(CHECKED / "_build", chapters)


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a line on the screen for each."""

    def log_message(self, *_):
        pass


def free_port(first):
    """Return the first free port of this machine from ``first`` on."""
    for port in range(first, first + 100):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # one that was in use a moment ago is free
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:  # port in use
                continue
    sys.exit(f"No port from {first} to {first + 99} is free.")


def serve(first=8000):
    """Show the built site on a free port of this machine, until Ctrl-C."""
    if not (SITE / "index.html").exists():
        sys.exit("There is no built book yet: run `make book` first.")
    handler = functools.partial(Handler, directory=str(SITE))
    with http.server.ThreadingHTTPServer(("127.0.0.1", free_port(first)), handler) as server:
        print(f"The book is at http://127.0.0.1:{server.server_port}/ (Ctrl-C ends this)", flush=True)
        server.serve_forever()


def rebuild():
    """Build after a change; a mistake ends the build but not the server."""
    try:
        locked()(build)()
    except SystemExit as stop:
        print(*[stop.code] if isinstance(stop.code, str) else [], flush=True)


def rebuild_all():
    """Build every page again: Sphinx writes none because the extension has changed."""
    (BUILD / ".doctrees" / "complete").unlink(missing_ok=True)
    rebuild()


def watch(first=8000):
    """Build, serve, and after every saved source build again and reload the page in the browser, until Ctrl-C."""
    from livereload import Server

    server = Server()
    for name in WATCHED:
        task = rebuild_all if name == "code/bookext" else rebuild
        server.watch(str(ROOT / name), task, ignore=lambda path: Path(path).suffix not in WATCHED_SUFFIXES)
    rebuild()
    port = free_port(first)
    print(f"The book is at http://127.0.0.1:{port}/ and follows what you save (Ctrl-C ends this)", flush=True)
    server.serve(port=port, root=str(SITE))


def main():
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=("build", "check", "serve", "watch"))
    parser.add_argument("chapters", nargs="*", help="check: those that follow the package, such as rnn-bottleneck")
    options = parser.parse_args()
    tasks = {"build": locked()(build), "check": locked()(lambda: check(options.chapters))}
    try:
        (tasks | {"serve": serve, "watch": watch})[options.task]()
    except KeyboardInterrupt:
        sys.exit("Interrupted." if options.task in ("build", "check") else 0)
    except OSError as error:
        sys.exit("The disk is full: make room and build again." if full_disk() else f"{error}.")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # the Sphinx that it started ends as well
    main()
