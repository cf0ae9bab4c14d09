"""Pages with live figures: their state, and a page with one figure alone."""

EXACT = 1e-12
HANDLES = "[role=slider]"
QUESTION = {"question": "Which?", "options": ["this", "that"], "answer": 1, "why": "Because."}
# What an address brings to a figure that begins with the state `first`.
ARRIVES = """([name, first, attempts]) => {
  const figure = document.getElementById(name).figure;
  return attempts.map((text) => figure.fromLink(`#${name}?${encodeURIComponent(text)}`, first)); }"""


def state_of(page, name):
    return page.evaluate("(name) => document.getElementById(name).figure.model.get('state')", name)


def put(page, name, state):
    page.evaluate("([name, state]) => document.getElementById(name).figure.model.set('state', state)", [name, state])


def alone(browser, figure, tmp_path):
    page = browser.new_page(viewport={"width": 900, "height": 800})
    page.set_default_timeout(5_000)
    (tmp_path / "page.html").write_text(
        f"<!doctype html><meta charset=utf-8>{figure._repr_html_(alone=True)}", encoding="utf-8"
    )
    page.goto((tmp_path / "page.html").as_uri())
    return page
