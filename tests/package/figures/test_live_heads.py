"""Two heads: a cut that no eye could draw answers no question."""

import numpy as np
import pytest
from live_figures import example, figure, module


@pytest.mark.parametrize(("apart", "answered"), [(0.01, 1), (0.5, 2)])
def test_dots_that_lie_on_each_other_are_not_told_apart(open_figures, apart, answered):
    [one, _] = example("heads")["queries"]
    state = example("heads") | {"queries": [one, [one[0] - apart, one[1]]], "second": 1.0}
    assert np.all(module("heads").compute(**state)["margins"] > 0)
    page = open_figures(figure("heads", state))
    assert page.locator("[data-answered]").count() == answered
    assert page.locator(".live-cut[visibility=visible]").count() == answered
    assert ("too narrow to see" in page.locator(".live-verdict").inner_text()) == (answered < 2)
