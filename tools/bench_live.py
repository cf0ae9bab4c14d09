"""Measure the live figures of a built site: what each weighs, its stops for Tab, and how soon it answers a key."""

import gzip

from attnbook import live_files
from browser import ALONE, chromium
from playwright.sync_api import sync_playwright

WEIGHT, MEDIAN, THROTTLED = 15, 16, 50  # targets: kB gzipped, ms, ms with the processor throttled four times
KEYS = 120
# Press an arrow key there and back on one handle after another, at a random moment of a frame, and wait for the paint.
LATENCY = """async ([id, keys]) => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0); // the next task after the frame is painted
  }));
  const painted = [], handles = () => document.querySelectorAll(`#${id} :is([role=slider], input[type=range])`);
  for (let i = 0; i < keys; i++) {
    await frame();
    await new Promise((done) => setTimeout(done, Math.random() * 16));
    const all = handles(), handle = all[(i >> 1) % all.length], key = i % 2 ? "ArrowLeft" : "ArrowRight";
    handle.focus({ preventScroll: true });
    const start = performance.now();
    if (handle.type === "range") {
      handle[i % 2 ? "stepDown" : "stepUp"]();
      handle.dispatchEvent(new Event("input"));
    } else handle.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    await frame();
    painted.push(performance.now() - start);
  }
  painted.sort((a, b) => a - b);
  return [0.5, 0.95].map((share) => painted[Math.floor(share * (keys - 1))]);
}"""
STOPS = """(id) => [...document.querySelectorAll(
  `#${id} :is([tabindex="0"], button, select, input:not([type=radio]), fieldset)`)]
  .filter((e) => !e.disabled && (e.tabIndex >= 0 || e.matches("fieldset")) && e.getClientRects().length).length"""


def places(pages):
    """Return (page, id, name) of every live figure, from {file: parsed page}."""
    for path, html in pages.items():
        for place in html.find_class("live"):
            if place.get("data-live"):
                yield path, place.get("id"), place.get("data-live")


def measure(pages):
    """Return rows (what, value, unit, target, note) for the live figures of {file: parsed page}."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=ALONE)
        for path, label, name in places(pages):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(path.as_uri())
            page.locator(f"#{label}").scroll_into_view_if_needed()
            numbers = live_files.stored(name)  # of an experiment, with a limit of their own
            text = live_files.script([name]).replace(numbers, "") + live_files.styles([name])
            weight = len(gzip.compress(text.encode())) / 1e3
            stops = page.evaluate(STOPS, label)
            yield f"{label}: gzipped", round(weight, 1), "kB", WEIGHT, f"{stops} stops for Tab"
            devtools = page.context.new_cdp_session(page)
            for rate, target in ((1, MEDIAN), (4, THROTTLED)):
                devtools.send("Emulation.setCPUThrottlingRate", {"rate": rate})
                median, slow = page.evaluate(LATENCY, [label, KEYS])
                what = f"{label}: key to paint" + (f", processor / {rate}" if rate > 1 else "")
                yield what, round(median, 1), "ms", target, f"95 % within {slow:.1f} ms"
            page.close()
        browser.close()
