"""A stack of windows: what is found is marked once nothing better is left to find."""

from live_figures import example, figure, put

FEWEST = {"layers": 1, "window": 1, "sinks": 1, "query": 15}


def test_only_the_fewest_edges_are_a_find(open_figures):
    page = open_figures(figure("windows"))
    found = page.locator(".live-found")
    put(page, "windows", example("windows") | {"layers": 4, "window": 8})
    assert "sees input 0 over" in page.locator(".live-verdict").inner_text()
    assert not found.count()
    put(page, "windows", FEWEST)
    assert "no fewer will do" in found.inner_text()
