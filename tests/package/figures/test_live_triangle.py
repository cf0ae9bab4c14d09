"""The triangle of three weights, whose scores can be typed."""

from live_figures import example, figure, state_of


def test_typed_scores_keep_their_weights_or_are_refused(open_figures):
    page = open_figures(figure("triangle"))
    first = example("triangle")["scores"]
    typed = {
        "100, 0, 0": first,  # too far apart
        "1, x, 2": first,
        "102, 101, 100": [6, 5, 4],  # moved together, which leaves the weights as they are
        "−8 −7; 1": [-6, -5, 3],
    }
    for text, scores in typed.items():
        page.fill(".live-three", text)
        page.press(".live-three", "Enter")
        assert state_of(page, "triangle")["scores"] == scores, text
