"""Measure the book: its builds, what its chapters need to run, what its pages weigh and what Lighthouse says of them.

python tools/bench.py [--quick]    with .venv's Python and the extra `test`

It works in a temporary copy of the tree. The tables go to the screen, the same numbers to _build/bench.json. A missed
target is named and fails nothing: machines differ. --quick leaves the builds out and measures the last `make book`,
where Lighthouse opens each page once and not five times.
"""

import argparse
import functools
import gzip
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote, urlsplit

import bench_live
import jupytext
import lighthouse
import lxml.html
import nbformat
import psutil
from browser import ALONE, chromium
from lxml import etree
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

ROOT = Path(__file__).resolve().parent.parent
NOT_COPIED = shutil.ignore_patterns(".*", "_build", "__pycache__", "*.egg-info", "node_modules")
BUILT = {"ATTNBOOK_BUILD": "1", "OMP_NUM_THREADS": "1"}  # what the environment of a cell has in the build alone
BUILD_LIMIT, CHAPTER_LIMIT = 900, 300  # seconds after which a build or a chapter is given up
COLD, WARM, SENTENCE, CHAPTER, MEMORY, PAGE = 180, 5, 6, 25, 1500, 350  # targets: s, s, s, s, MB, kB gzipped
NOTEBOOK, NOTEBOOK_MEMORY, NOTEBOOK_RATIO = 60, 700, 1.5  # targets: s, MB, seconds over those in the build
CELL = "one cell added to "  # the target is the chapter's own time and 5 s
# The attention page of another book made with the same tool, measured once in the same way; its formulas come from
# another host, and their 600 kB and more are not in its weight.
PEER = {"performance": 0.68, "best-practices": 0.96, "first paint, s": 3.3}
PEER |= {"largest paint, s": 7.8, "gzipped, kB": 1280, "raw, kB": 2860}


def say(text):
    """Tell on the error stream what is being measured; the table alone goes to the output."""
    print(text, file=sys.stderr, flush=True)


def row(group, what, value, unit, target=None, note=""):
    """Return one measurement; `value` is None where it failed, and `note` says why or adds a second number."""
    return {"group": group, "what": what, "value": value, "unit": unit, "target": target, "note": note}


def chapters(tree):
    """Return the pages of the book that run code."""
    return [path for path in sorted((tree / "chapters").rglob("*.md")) if "```{code-cell}" in path.read_text("utf-8")]


def build(tree):
    """Build the book as `make book` does; return the seconds it took and what went wrong, "" if nothing."""
    environ = os.environ | {"PYTHONPATH": str(tree / "code")}  # the copy's package, not the installed one
    start, failure = time.monotonic(), f"given up after {BUILD_LIMIT} s"
    with open(tree / "build.log", "w+b") as log:
        command = [sys.executable, "tools/book.py", "build"]
        run = subprocess.Popen(command, cwd=tree, env=environ, stdout=log, stderr=log, start_new_session=True)
        try:
            with suppress(subprocess.TimeoutExpired):
                code = run.wait(BUILD_LIMIT)
                last = (tree / "build.log").read_text("utf-8", errors="replace").strip().rpartition("\n")[2]
                failure = f"the build fails: {last[:90]}" if code else ""
        finally:
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGKILL)
                run.wait()
    return time.monotonic() - start, failure


def time_builds(tree):
    """Time builds from an empty cache, with nothing changed, and after three edits, one after the other."""
    largest = max(chapters(tree), key=lambda path: path.stat().st_size, default=tree / "chapters" / "index.md")
    cell = "\n```{code-cell} ipython3\n# This cell was added by the benchmark.\n```\n"
    steps = (
        ("from an empty cache", largest, "", COLD),
        ("nothing changed", largest, "", WARM),
        (f"one sentence added to {largest.stem}", largest, "\n\nThe benchmark added this sentence.\n", SENTENCE),
        (CELL + largest.stem, largest, cell, None),
        ("one comment added to attention.py", tree / "code" / "attnbook" / "attention.py", "\n# Added.\n", None),
    )
    for what, path, text, target in steps:
        say(f"building: {what}")
        with open(path, "a", encoding="utf-8") as file:
            file.write(text)
        seconds, failure = build(tree)
        yield row("build", what, None if failure else round(seconds, 1), "s", target, failure)


def memory(process):
    """Return resident bytes of a process and all it has started; 0 as soon as one of them is gone."""
    with suppress(psutil.NoSuchProcess):
        return sum(member.memory_info().rss for member in (process, *process.children(recursive=True)))
    return 0


def execute(path, environ, first_cell=None):
    """Run one chapter alone in a fresh kernel: seconds, peak megabytes, and what went wrong."""
    notebook, peak, done = jupytext.read(path), 0, threading.Event()
    notebook.cells[:0] = [nbformat.v4.new_code_cell(first_cell)] if first_cell else []
    where = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(notebook, resources=where, timeout=CHAPTER_LIMIT, kernel_name="python3")
    client.extra_arguments = ["--log-level=50"]

    def sample(process):
        nonlocal peak
        while not done.wait(0.05):
            peak = max(peak, memory(process))

    start, failure = time.monotonic(), ""
    with client.setup_kernel(env=environ):
        pid = client.km.provisioner.pid  # type: ignore[attr-defined]
        sampler = threading.Thread(target=sample, args=[psutil.Process(pid)])
        sampler.start()
        try:
            for index, cell in enumerate(notebook.cells):
                client.execute_cell(cell, index)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            failure = f"fails: {getattr(error, 'ename', type(error).__name__)}: {getattr(error, 'evalue', error)!s:.80}"
        finally:
            seconds = time.monotonic() - start
            done.set()
            sampler.join()
    return seconds, peak / 1e6, failure


def run_chapters(tree):
    """Measure what each chapter needs, one by one: as the build runs it, and as a reader runs its notebook."""
    first_cell = (tree / "code/bookext/write/first_cell.txt").read_text("utf-8").replace("ARCHIVE", '""')
    reader = {name: value for name, value in os.environ.items() if name not in BUILT}
    reader["PYTHONPATH"] = str(tree / "code")  # the copy's package, not the installed one
    for path in chapters(tree):
        say(f"running {path.stem}, then its notebook")
        own, peak, failure = execute(path, reader | BUILT)
        yield row("execution", path.stem, None if failure else round(own, 1), "s", CHAPTER, failure)
        yield row("peak memory", path.stem, None if failure else round(peak), "MB", MEMORY, failure)
        seconds, peak, failed = execute(path, reader, first_cell)
        ratio, failure = seconds / own, failure or failed
        yield row("notebook", path.stem, None if failed else round(seconds, 1), "s", NOTEBOOK, failed)
        yield row("notebook, peak memory", path.stem, None if failed else round(peak), "MB", NOTEBOOK_MEMORY, failed)
        yield row("notebook over build", path.stem, None if failure else round(ratio, 2), "×", NOTEBOOK_RATIO, failure)


def sizes(data):
    """Count bytes, raw and gzipped as a server sends them."""
    return len(data), len(gzip.compress(data, compresslevel=6, mtime=0))


weigh = functools.cache(lambda path: sizes(path.read_bytes()))


def requested(pages):
    """Record what a browser asks for when it opens each page: {page: set of files}; None if there is no browser."""
    if not chromium():
        return None
    from playwright.sync_api import sync_playwright

    def file(url, other):
        return Path(unquote(urlsplit(url).path)) if url.startswith("file:") else other

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ALONE)
        files = {name: {name} for name in pages}
        for name, log in files.items():
            page = browser.new_page()  # a context of its own: nothing is remembered from the page before
            page.on("request", lambda request, name=name, log=log: log.add(file(request.url, name)))
            page.goto(name.as_uri(), wait_until="networkidle")
            page.evaluate("document.fonts.ready.then(() => 0)")
            page.close()
        browser.close()
    return {name: set(filter(Path.is_file, log)) for name, log in files.items()}


def referenced(name, html):
    """List what a page names, for want of a browser, without the theme's fonts: they are hardly ever loaded."""
    links = html.xpath("//script/@src | //img/@src | //link[@rel='stylesheet' or contains(@rel, 'icon')]/@href")
    files = {name} | {(name.parent / unquote(urlsplit(link).path)).resolve() for link in links}
    sheets = [path for path in files if path.suffix == ".css" and path.parent.name == "_static" and path.is_file()]
    fonts = {sheet.parent / url for sheet in sheets for url in re.findall(r"url\(['\"]?([^'\")]+)", sheet.read_text())}
    return {path for path in files | fonts if path.is_file()}


def parsed(site):
    """Return {path of a page: the page}, without those that only lead to another."""
    names = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.relative_to(site).parts]
    pages = {name: lxml.html.document_fromstring(name.read_bytes()) for name in names}
    return {name: html for name, html in pages.items() if html.find(".//main") is not None}


def weigh_pages(pages):
    """Return {path of a page: what it weighs with everything it loads, and by itself}, in kB."""
    say("weighing pages")
    files = requested(pages) or {name: referenced(name, html) for name, html in pages.items()}
    for name in pages:
        raw, small = (sum(sizes) / 1e3 for sizes in zip(*map(weigh, files[name]), strict=True))
        own = weigh(name)[1] / 1e3
        yield name, {"gzipped, kB": small, "raw, kB": raw, "page alone, kB": own, "files": len(files[name])}


def judge_pages(site, pages, runs):
    """Return {path of a page: Lighthouse's scores and times, the median of ``runs``}; empty without a browser."""
    with lighthouse.serve(site) as address:
        for name in pages if chromium() else ():
            path = name.relative_to(site).as_posix()
            say(f"Lighthouse: {path}")
            yield name, lighthouse.median([lighthouse.look(f"{address}/{path}") for _ in range(runs)])


def weigh_explorers(site, pages):
    """Return the explorers of each page."""
    for name, html in pages.items():
        what = name.relative_to(site).with_suffix("").as_posix()
        found = html.find_class("explore")
        players = [(e.get("id"), len(e.find_class("frame")), *sizes(etree.tostring(e))) for e in found]
        if len(players) > 1:
            players.append(("together", *map(sum, zip(*(player[1:] for player in players), strict=True))))
        for player, frames, raw, small in players:
            note = f"{frames} frames, {raw / 1e3:.0f} kB raw"
            yield row("explorer, gzipped", f"{what} {player}", round(small / 1e3, 1), "kB", None, note)


def table(rows):
    """Return the measurements as aligned text, target and verdict beside each."""
    lines = [("what", "", "measured", "target", "", "")]
    for group, what, value, unit, target, note in map(dict.values, rows):
        measured = "failed" if value is None else f"{value} {unit}"
        verdict = "" if value is None or not target else "ok" if value <= target else "over"
        lines.append((group, what, measured, f"≤ {target} {unit}" if target else "", verdict, note))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    form = "  ".join(f"{{:{align}{width}}}" for align, width in zip("<<>><<", widths, strict=True))
    return "\n".join(form.format(*line).rstrip() for line in lines)


def page_table(pages):
    """Return a line for each page: what Lighthouse says, what it weighs, and the peer's figures below."""
    columns = [*lighthouse.CATEGORIES, *lighthouse.FIGURES, "gzipped, kB", "raw, kB", "page alone, kB", "files"]
    lines = [["page", *columns]]
    for what, found in [*pages.items(), ("a peer", PEER)]:
        numbers = [found.get(column, "") for column in columns]
        lines.append([what, *(f"{n:.4g}" if isinstance(n, float) else str(n) for n in numbers)])
        missed = [f"over {PAGE} kB"] * (what != "a peer" and found["gzipped, kB"] > PAGE)
        lines[-1][0] += "".join(f" ({reason})" for reason in [*missed, *found.get("findings", [])])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.rjust, line, widths)).rstrip() for line in lines)


def measure(quick):
    """Return all rows and {page: figures}, from a temporary copy of the tree that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="bench-", ignore_cleanup_errors=True) as folder:
        tree = Path(folder).resolve() / "book"
        shutil.copytree(ROOT, tree, ignore=NOT_COPIED)
        runs = list(run_chapters(tree))  # before the builds, which change the copy
        builds = [] if quick else list(time_builds(tree))
        for r in (r for r in builds if r["what"].startswith(CELL)):
            own = next((run["value"] for run in runs if CELL + run["what"] == r["what"]), None)
            r["target"] = own and round(own + 5, 1)
        site = (ROOT if quick else tree) / "_build" / "html"
        pages = parsed(site)
        weights, judged = dict(weigh_pages(pages)), dict(judge_pages(site, pages, runs=1 if quick else 5))
        named = {name.relative_to(site).as_posix(): weights[name] | judged.get(name, {}) for name in pages}
        figures = [row("live figure", *measured) for measured in bench_live.measure(pages)]
        return [*builds, *runs, *weigh_explorers(site, pages), *figures], named


def main():
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="leave the builds out")
    quick = parser.parse_args().quick
    if quick and not (ROOT / "_build" / "html" / "index.html").exists():
        sys.exit("There is no built book to weigh: run `make book` first, or leave out --quick.")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the copy is removed then too
    rows, pages = measure(quick)
    print(table(rows), page_table(pages), sep="\n\n")
    machine = {"python": platform.python_version(), "system": platform.system(), "cores": os.cpu_count()}
    file = ROOT / "_build" / "bench.json"
    file.parent.mkdir(exist_ok=True)
    found = {"machine": machine, "rows": rows, "pages": pages | {"a peer": PEER}}
    file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
    say(f"The numbers are in {file.relative_to(ROOT)}.")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Interrupted.")
