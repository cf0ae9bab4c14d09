"""The files of live figures, which a page or a notebook joins into one: none may change what another one draws."""

import itertools
import re

from attnfigures.kit import files
from live_figures import NAMES

ANY_CLASS = r"live-[\w-]+"
IN_A_RULE = rf"\.({ANY_CLASS})"
A_RULE_FOR_IT_ALONE = rf"^\.({ANY_CLASS}) \{{"


def found(pattern, path):
    """The classes that a pattern finds in a file."""
    return set(re.findall(pattern, path.read_text("utf-8"), re.MULTILINE))


def found_in_style(pattern, name):
    """The classes that a pattern finds in the style sheet of a figure, which may have none."""
    path = files.FIGURES / f"{name}.css"
    return found(pattern, path) if path.exists() else set()


def test_no_figure_takes_a_rule_of_another():
    """A page joins the styles of its figures: a class that two of them use stands in live.css."""
    shared = set()
    for name in ("live.css", "core.js", "parts.js"):
        shared |= found(ANY_CLASS, files.KIT / name)
    own = {name: found_in_style(IN_A_RULE, name) - shared for name in NAMES}
    used = {name: found(ANY_CLASS, files.FIGURES / f"{name}.js") for name in NAMES}
    for name, other in itertools.permutations(NAMES, 2):
        assert not own[name] & used[other], (name, other)


def test_no_figure_lays_down_a_look_that_the_kit_has():
    """A rule for one class alone would change what the kit draws in every figure of the page."""
    of_the_kit = found(A_RULE_FOR_IT_ALONE, files.KIT / "live.css")
    for name in NAMES:
        assert not found_in_style(A_RULE_FOR_IT_ALONE, name) & of_the_kit, name


def test_no_figure_names_anything_as_the_kit_does():
    """A notebook gets both in one module, in which a name can be declared once."""
    for name in NAMES:
        names = re.findall(r"^(?:function|const|let) (\w+)", files.module(name), re.MULTILINE)
        assert sorted(names) == sorted(set(names)), name
