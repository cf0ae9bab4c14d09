"""Similarities of positions: what was found with each base that was tried stands as a stem."""

from live_figures import example, figure, put


def subpaths(path):
    """How many lines a path draws: each begins with an M."""
    return path.get_attribute("d").count("M")


def test_every_base_that_was_tried_leaves_its_count_of_bars(open_figures):
    page = open_figures(figure("similarity"))
    first = example("similarity")
    stems = page.locator(".live-similarity-tried")
    dots = page.locator(".live-similarity-free")
    put(page, "similarity", first | {"base": 100})
    assert subpaths(stems) == 2
    put(page, "similarity", first | {"base": 1000})
    assert subpaths(stems) == 3
    put(page, "similarity", first | {"base": 30})
    assert subpaths(stems) == 3, "no bar is dashed, so this one has a dot"
    assert subpaths(dots) == 1
    put(page, "similarity", first | {"base": 30, "other": 13})
    assert subpaths(stems) == 1, "other positions, other counts"
