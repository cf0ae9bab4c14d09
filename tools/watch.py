"""Build the book again whenever a source is saved, and reload it in the browser.

python tools/watch.py    with .venv's Python and the extra `test`; ends with Ctrl-C
"""

import logging
import os
import socket
import sys
from pathlib import Path

import book
from livereload import Server
from livereload.handlers import LiveReloadHandler
from livereload.watcher import Watcher
from tornado.ioloop import IOLoop

SOURCES = ("chapters", "code", "course", "_config.yml", "_toc.yml")
EXTENSION = Path("code/bookext")
COMPLETE = book.BUILD / ".doctrees" / "complete"  # without it, book.py builds every page


def snapshot(root):
    """Map each source below `root` to the time of its last change; what editors and Python leave does not count."""
    paths = [Path(folder, name) for source in SOURCES for folder, _, files in os.walk(root / source) for name in files]
    paths += [root / source for source in SOURCES if (root / source).is_file()]
    times = {}
    for path in paths:
        name = path.relative_to(root)
        passing = any(part.startswith((".", "#")) or part == "__pycache__" for part in name.parts)
        if name.suffix and not passing and not name.name.endswith("~"):
            try:
                times[name] = path.stat().st_mtime_ns
            except FileNotFoundError:  # an editor replaces a file by removing it first
                continue
    return times


class Sources(Watcher):
    """Sees all that was saved since the last look as one change: one build, one reload."""

    def __init__(self):
        super().__init__()
        self.seen, self.saved = snapshot(book.ROOT), []

    def is_changed(self, *_):
        """Return whether a source was written, added or removed since the last call."""
        now = snapshot(book.ROOT)
        self.saved = sorted({path for path, _ in now.items() ^ self.seen.items()})
        self.seen = now
        self.filepath = str(self.saved[0]) if self.saved else None
        return bool(self.saved)


def build():
    """Build the book, or print the sentence that says why it cannot be built; return whether it was."""
    try:
        book.build()
    except SystemExit as stop:
        if isinstance(stop.code, str):  # else the reason is printed already
            print(stop, flush=True)
        return False
    return True


def rebuild(sources):
    """Build after a change; after a failure the browser keeps the page that it has."""
    print("\nSaved: " + ", ".join(path.as_posix() for path in sources.saved), flush=True)
    if any(path.is_relative_to(EXTENSION) for path in sources.saved):
        COMPLETE.unlink(missing_ok=True)  # Sphinx does not write a page again because its extension has changed
    if not build():
        sources.filepath = None


def free_port(first):
    """Return the first free port of this machine from `first` on."""
    for port in range(first, first + 100):
        with socket.socket() as probe:
            if os.name == "posix":  # a port that was in use a moment ago is free
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:  # taken
                continue
    sys.exit(f"No port from {first} to {first + 99} is free.")


def main(first=8000):
    """Build, serve and follow the sources until Ctrl-C."""
    logging.disable(logging.WARNING)  # the server's own lines
    LiveReloadHandler.DEFAULT_RELOAD_TIME = 0  # it would leave out a reload within three seconds of the last
    sources = Sources()
    server = Server(watcher=sources)
    server.watch("sources", lambda: rebuild(sources))
    build()
    port = free_port(first)
    line = f"The book is at http://127.0.0.1:{port}/ and follows what you save (Ctrl-C ends this)"
    IOLoop.current().add_callback(print, line, flush=True)  # as soon as it answers
    server.serve(port=port, root=str(book.SITE), restart_delay=0)
    print()


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        print()
