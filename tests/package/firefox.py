"""A headless Firefox driven by WebDriver BiDi: what the tests need of it. Playwright's own Firefox is a patched one."""

import itertools
import json
import re
import shutil
import subprocess
import time

import websocket


def firefox():
    """The path of a Firefox that is here, or None."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """One Firefox with one page; `with Firefox(path, folder) as page` ends it."""

    def __init__(self, path, folder):
        self.log, self.count = folder / "firefox.log", itertools.count(1)
        command = [path, "--headless", "--no-remote", "--profile", folder, "--remote-debugging-port", "0"]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def __enter__(self):
        for _ in range(1200):
            found = re.search(r"WebDriver BiDi listening on (ws://[\w.:]+)", self.log.read_text(errors="replace"))
            if found or self.process.poll() is not None:
                break
            time.sleep(0.1)
        assert found, self.log.read_text(errors="replace")[-1000:]
        self.socket = websocket.create_connection(f"{found[1]}/session", timeout=120, suppress_origin=True)
        self.send("session.new", capabilities={})
        self.context = self.send("browsingContext.getTree")["contexts"][0]["context"]
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.process.terminate()
        self.process.wait(30)

    def send(self, method, **parameters):
        """Send a command; return its result, passing over events."""
        number = next(self.count)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == number:
                assert answer["type"] == "success", answer
                return answer["result"]

    def open(self, address):
        """Load a page to its end."""
        self.send("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def evaluate(self, function, *arguments):
        """Call a function of JavaScript with arguments that are JSON; return what it returns or promises, as JSON."""
        call = f"(async () => JSON.stringify(await ({function})(...{json.dumps(arguments)})))()"
        target = {"context": self.context}
        found = self.send("script.evaluate", expression=call, target=target, awaitPromise=True)
        assert found["type"] == "success", found
        return json.loads(found["result"]["value"])
