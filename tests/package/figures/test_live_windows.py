"""A stack of windows: what is found is marked once nothing better is left to find."""

import itertools

from live_figures import example, figure, module, put, state_of

FEWEST = {"layers": 1, "window": 1, "sinks": 1, "query": 15}


def test_only_the_fewest_edges_are_a_find(open_figures):
    page = open_figures(figure("windows"))
    found = page.locator(".live-found")
    put(page, "windows", example("windows") | {"layers": 4, "window": 8})
    assert "sees input 0 over" in page.locator(".live-verdict").inner_text()
    assert not found.count()
    put(page, "windows", FEWEST)
    assert "no fewer will do" in found.inner_text()


def test_without_sinks_another_number_of_edges_is_the_least(open_figures):
    states = [
        {"layers": layers, "window": window, "sinks": 0, "query": 15}
        for layers, window in itertools.product(range(1, 5), range(1, 9))
    ]
    edges = {}
    for n, state in enumerate(states):
        result = module("windows").compute(**state)
        if result["reached"][-1][0]:
            edges[n] = result["edges"]
    page = open_figures(figure("windows"))
    found = page.locator(".live-found")
    for n, count in edges.items():
        put(page, "windows", states[n])
        assert found.count() == (count == min(edges.values()))


def test_the_handle_of_the_window_follows_its_keys_as_a_slider_does(open_figures):
    """The window grows to the left, so Home is the largest one."""
    page = open_figures(figure("windows"))
    handle = page.get_by_label("window w")
    for key, size, end in (
        ("Home", max(module("windows").RANGES["window"]), "min"),
        ("End", min(module("windows").RANGES["window"]), "max"),
    ):
        handle.press(key)
        assert state_of(page, "windows")["window"] == size
        assert handle.get_attribute("aria-valuenow") == handle.get_attribute(f"aria-value{end}")
