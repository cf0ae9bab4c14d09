"""What a chapter says was measured follows from the members that its experiment stored."""

import json

import pytest

import experiments
from chapters import ROOT

pytestmark = pytest.mark.no_page  # half a minute that an edited sentence need not wait
NAMES = sorted(path.stem for path in (ROOT / "experiments").glob("*.py"))


@pytest.mark.parametrize("name", NAMES)
def test_the_stored_summary_is_that_of_the_stored_members(name):
    stored = json.loads(experiments.results(ROOT, name).read_text("utf-8"))
    experiment = experiments.load(ROOT, name)
    assert stored["seeds"] == list(experiment.MEMBERS), f"{name}: run make experiments ONLY={name}"
    assert stored["summary"] == experiments.rounded(experiment.summary(stored["members"]))
