"""make links: a small book whose links lead to a server on this machine."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import book
import links
import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ANSWERS = {"fine": 200, "moved": 302, "moved-to-refusal": 302, "refused": 403, "many": 429, "gone": 404, "down": 503}


class Server(BaseHTTPRequestHandler):
    """Answers each path with its status; what moved leads on."""

    def do_GET(self):
        name = self.path.strip("/")
        self.send_response(ANSWERS[name])
        if name.startswith("moved"):
            self.send_header("Location", "/refused" if "refusal" in name else "/fine")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    """Where the server answers."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def write(tmp_path, monkeypatch):
    """write(text): a book of one page, with this book's settings of linkcheck; the tools take it for the book."""
    settings = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["sphinx"]["config"]
    settings = {name: value for name, value in settings.items() if name.startswith("linkcheck")}
    config = {"execute": {"execute_notebooks": "off"}, "sphinx": {"config": settings}}
    (tmp_path / "_config.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: page\n", encoding="utf-8")
    monkeypatch.setattr(book, "ROOT", tmp_path)
    monkeypatch.setattr(book, "BUILD", tmp_path / "_build")
    monkeypatch.setattr(links, "FOLDER", tmp_path / "_build" / "linkcheck")
    return lambda text: (tmp_path / "page.md").write_text(f"# Page\n\n{text}\n", encoding="utf-8")


def test_broken_links_are_named_and_those_that_refuse_are_listed_apart(write, address, capfd):
    write("\n".join(f"[a]({address}{name})" for name in ANSWERS) + "\n[here](#page)")
    with pytest.raises(SystemExit) as stop:
        links.main()
    assert stop.value.code == (
        f"External links that are broken, 1 of 7: {address}gone (page.md:3: 404 Client Error: Not Found)."
    )
    said = capfd.readouterr().out.splitlines()
    apart = said[said.index("These do not answer a program; open them yourself:") + 1 :]
    assert sorted(line.split()[0].removeprefix(address) for line in apart) == [
        "down",
        "many",
        "moved-to-refusal",
        "refused",
    ]
    assert not (book.ROOT / "_build" / "html").exists()  # nothing is written into the site


def test_links_that_lead_on_or_refuse_break_nothing(write, address, capfd):
    write(f"[a]({address}fine) [b]({address}moved) [c]({address}refused)")
    links.main()
    closing = "No external link is broken; asked: 3, not answering a program: 1."
    assert capfd.readouterr().out.splitlines()[-1] == closing


def test_without_a_network_one_sentence_says_so(monkeypatch, tmp_path):
    info = "HTTPSConnectionPool(host='a', port=443): Max retries exceeded (Caused by NameResolutionError('…'))"
    link = {"filename": "page.md", "lineno": 3, "status": "broken", "code": 0, "uri": "https://a", "info": info}
    assert links.describe(link) == "https://a (page.md:3: NameResolutionError)"
    monkeypatch.setattr(links, "FOLDER", tmp_path / "linkcheck")

    def sphinx(*_, **__):
        links.FOLDER.mkdir()
        (links.FOLDER / "output.json").write_text(2 * f"{json.dumps(link)}\n")

    monkeypatch.setattr(book, "sphinx", sphinx)
    with pytest.raises(SystemExit, match="None of the 2 external links answers: check the network"):
        links.main()


def test_a_build_that_asks_nothing_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(links, "FOLDER", tmp_path)
    monkeypatch.setattr(book, "sphinx", lambda *_, **__: 1)
    with pytest.raises(SystemExit, match="No link was asked"):
        links.main()
