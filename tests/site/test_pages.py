"""Every built page, opened in a real browser in one load: wide and as on a phone, dark and light, and on paper."""

import ast

import pytest
from built_site import DENIED, DESK, FACTS, FROM_FOLDER, PAGES, PHONE, PLAIN, REDIRECTS, mainly, pages_with, report

# With doctests, with figures, and with players:
STRICT = ("chapters/package/attnbook.attention", "chapters/permutation-matrices", "chapters/rnn-bottleneck")
POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'"  # of a host: no inline script
# A focus that a script moves after the Tab key is shown as the key would show it.
UNSEEN = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
  .filter((e) => e.tabIndex >= 0 && e.checkVisibility({ visibilityProperty: true })).slice(0, 99).flatMap((e) => {
    e.focus({ preventScroll: true });
    const seen = e !== document.activeElement || getComputedStyle(e).outlineStyle !== "none";
    return seen ? [] : [`no focus is seen on ${e.localName}.${e.className}`]; })"""
COPIED = """() => { const texts = [], take = () => texts.push(document.activeElement.value);
  document.addEventListener("copy", take);
  document.querySelectorAll(":is(.doctest, .cell_input) .copybtn").forEach((button) => button.click());
  return texts; }"""
OF_EACH_KIND = mainly(FROM_FOLDER or [None], 1, also=("chapters/audit/query-key-value-claims", "index"))
SHIFT = 0.1  # how much of a phone's screen may move while a page loads: what Lighthouse calls good


def test_nothing_fails_while_the_page_loads(seen):
    """Nothing is asked of another host, no file is missing, no script and no line in the console reports an error."""
    report(f"{seen['name']}: {line}" for line in seen["log"])


def test_the_page_follows_the_theme_of_the_system(seen):
    """When it loads, in the dark, and when the system changes to light."""
    assert seen["themes"] == ["dark", "light"], f"{seen['name']}: the system is dark, then light"


def test_every_formula_is_drawn(layout):
    assert layout["mathFont"] or not layout["formulas"], f"{layout['name']}: the font Book Math is not loaded"
    report(f"{layout['name']}: {line}" for line in layout["math"])


def test_the_font_of_formulas_draws_every_letter(seen):
    """A font that lacks a sign leaves it to another one in silence."""
    report(f"{seen['name']}: {text!r} in a formula is drawn by {font}" for text, font in seen["fonts"])


def test_pictures_are_described_and_no_markup_is_left(seen):
    report(f"{seen['name']}: {line}" for line in seen[DESK]["raw"] + seen[DESK]["pictures"])


def test_axe_finds_nothing(seen):
    report(
        f"{seen['name']}: {rule['impact']}: {rule['id']}: {' '.join(map(str, node['target']))}"
        for rule in seen["axe"]
        for node in rule["nodes"][:5]
    )


def test_the_page_does_not_scroll_sideways(layout):
    width, screen, wide = layout["scrollWidth"], layout["innerWidth"], layout["wide"]
    widest = wide[0] if wide else "an element that lies in a box of its own"
    assert width <= screen, f"{layout['name']}: {width} px of page on {screen} px of screen; the widest: {widest}"
    assert not wide, f"{layout['name']}: sticks out of the screen of {screen} px: {widest}"


def test_nothing_moves_while_the_page_loads(seen):
    moved = sum(value for value, _ in seen["shifts"])
    what = "; ".join(f"{value:.4f}: {names}" for value, names in seen["shifts"])
    assert moved <= SHIFT, f"{seen['name']}: while it loads, {moved:.3f} of the screen moves: {what}"


def test_paper_has_all_there_is_to_read(seen):
    """From a reader who has chosen the dark theme."""
    name, paper = seen["name"], seen["paper"]
    assert not paper["untitled"], f"{name}: on paper the title is hidden"
    assert not paper["faint"], f"{name}: contrast to white paper below 4.5: {', '.join(paper['faint'])}"
    assert not paper["beside"], f"{name}: on paper {paper['beside']} answers are hidden, or beside their questions"
    report(f"{name}: on paper: {line}" for line in paper["explorers"])
    report(f"{name}: on paper {place} stays folded" for place in paper["folded"])


@pytest.mark.parametrize("name", OF_EACH_KIND)
def test_a_page_needs_no_script(open_page, look, name):
    """All text is there without one, and no control that moves nothing."""
    page = open_page(name, java_script_enabled=False)
    plain = page.evaluate(PLAIN, True)
    page.context.close()
    problems = [*plain["explorers"], *(f"this formula takes no room: {tex}" for tex in plain["formulas"])]
    words = set(plain["words"])
    problems += [f"this word needs a script: {word}" for word in look(name)["words"] if word not in words]
    report(f"{name}: without script: {line}" for line in problems)


def is_python(code):
    try:
        ast.parse(code)
    except SyntaxError:  # a prompt, >>>, is one
        return False
    return True


@pytest.mark.parametrize("name", mainly(FROM_FOLDER or [None], 0, also=STRICT))
def test_a_page_stands_what_is_denied(open_page, server, name):
    """Scripts, storage, colours: no script dies, no control is dead, focus is seen, what is copied runs."""
    page = open_page(name, base=server, before=DENIED, policy=POLICY, forced_colors="active")
    problems = [line for line in page.log if "script fails" in line]
    problems += page.evaluate(PLAIN, True)["explorers"]
    codes = page.evaluate(COPIED)
    problems += [f"copies what does not run: {code}" for code in codes if not is_python(code)]
    code = page.locator(":is(.doctest, .cell_input) pre").count()
    page.keyboard.press("Tab")
    problems += page.evaluate(UNSEEN)
    page.context.close()
    assert codes or not code, f"{name}: nothing can be copied"
    report(f"{name}: {line}" for line in problems)


@pytest.mark.parametrize("name", OF_EACH_KIND)
def test_every_page_loads_from_its_folder(open_page, name):
    """As for a reader who has downloaded the site."""
    page = open_page(name)
    log = list(page.log)
    page.context.close()
    report(f"{name}: {line}" for line in log)


@pytest.mark.parametrize("name", mainly(pages_with("//main//math"), 1))
def test_formulas_without_their_font(open_page, name):
    """Where fonts are blocked the system's own draw every letter, and no line grows beyond a phone."""
    page = open_page(name, width=PHONE, without="**/*.woff2")
    facts = page.evaluate(FACTS)
    page.context.close()
    assert not facts["mathFont"], f"{name}: the font is there although it was blocked"
    report(f"{name}: without the font: {line}" for line in facts["math"])
    assert not facts["wide"], f"{name}: without the font this sticks out of a phone: {facts['wide'][0]}"


@pytest.mark.parametrize("name", REDIRECTS or [None])
@pytest.mark.parametrize("place", ["folder", pytest.param("server", marks=pytest.mark.thorough)])
def test_an_old_address_leads_to_a_page(open_page, server, place, name):
    page = open_page(name, **({"base": server} if place == "server" else {}))
    page.wait_for_selector("main h1", timeout=10_000)
    arrived = page.url.partition(".html")[0].removesuffix("/")
    log = list(page.log)
    page.context.close()
    assert any(arrived.endswith(other) for other in PAGES), f"{name}: leads to {arrived}"
    report(f"{name}: {line}" for line in log if "ERR_ABORTED" not in line)  # it leads on before it is whole


FAULTY = """<!DOCTYPE html><html lang=en data-theme=light><title>A page</title><main><article><h1>A page</h1>
<img src="data:," width=9 height=9><p style="color: #bbb; background: #fff">Faint.</p>
<svg role=img aria-label="A drawing" width=400 height=9></svg><p>A formula: $x$</p><p id=a></p><p>Pushed down.</p>
<button aria-label="Close">Open</button></article></main><script src="missing.js"></script><script>
requestAnimationFrame(() => setTimeout(() => { a.style.height = "500px"; done = 1 }, 300)); done = 0; nothing();
</script>"""


def test_what_is_wrong_with_a_page_is_seen(open_page, tmp_path):
    """Each fact that the tests above hold to nothing can be something."""
    from axe_playwright_python.base import AXE_SCRIPT
    from built_site import AXE, WATCH_SHIFTS

    (tmp_path / "index.html").write_text(FAULTY, encoding="utf-8")
    page = open_page("index", width=PHONE, base=tmp_path.as_uri(), before=WATCH_SHIFTS)
    page.wait_for_function("done && window.shifts.length")
    facts, log = page.evaluate(FACTS), " ".join(page.log)
    page.evaluate(AXE_SCRIPT)
    rules = {rule["id"] for rule in page.evaluate(AXE, [True, []])[0]}
    page.context.close()
    assert "missing.js" in log
    assert "nothing" in log
    assert facts["pictures"]
    assert facts["raw"]
    assert "svg" in facts["wide"][0]
    assert {"color-contrast", "image-alt", "label-content-name-mismatch"} <= rules
