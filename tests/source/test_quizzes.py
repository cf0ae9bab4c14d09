"""Self-checks: one right option, a reason for each, and what an author forgot is named with its line."""

from types import SimpleNamespace

import pytest
from bookext.questions import quiz, recall
from docutils.core import publish_doctree
from docutils.parsers.rst import directives
from docutils.utils import SystemMessage
from myst_parser.parsers.docutils_ import Parser
from sphinx.errors import ExtensionError

GOOD = """# Title

```{quiz}
:label: quiz-test-sum

What is `1 + 1`, or $1 + 1$?

- [ ] $1$

  You have added nothing.

- [x] *Two*.

  Count.

  - Once more.
```
"""


@pytest.fixture
def read():
    """read(text): the quizzes of a page, or the error of the first that is wrong."""
    directives.register_directive("quiz", quiz.Quiz)
    settings = {"halt_level": 2, "report_level": 5, "myst_enable_extensions": ["dollarmath"]}

    def read(text):
        tree = publish_doctree(text, "page.md", parser=Parser(), settings_overrides=settings)
        quiz.Signs(tree).apply()  # Sphinx does, once the text is translated
        return list(tree.findall(quiz.quiz))

    yield read
    directives._directives.pop("quiz")


def test_a_quiz_is_read(read):
    (node,) = read(GOOD)
    question, wrong, right = node.children
    assert (node["label"], node.line) == ("quiz-test-sum", 3)
    assert question.astext() == "What is 1 + 1, or 1 + 1?"
    assert [part.astext() for part in wrong] == ["1", "✗ Not quite. You have added nothing."]
    assert [part.astext().replace("\n\n", " ") for part in right] == ["Two.", "✓ Right. Count. Once more."]
    assert [option["right"] for option in (wrong, right)] == [False, True]


FAULTS = {
    "no label": (":label: quiz-test-sum\n", ""),
    "another label": ("quiz-test", "test"),
    "no question": ("What is `1 + 1`, or $1 + 1$?\n", ""),
    "no list": ("- [", "["),
    "something below the list": ("more.\n", "more.\n\nWell.\n"),
    "one option": ("- [ ] $1$\n\n  You have added nothing.\n\n", ""),
    "no right option": ("[x]", "[ ]"),
    "two right options": ("- [ ]", "- [x]"),
    "no mark": ("- [ ] $1$", "- $1$"),
    "an empty option": ("- [ ] $1$\n\n  You have added nothing.\n", "-\n"),
    "no reason": ("  You have added nothing.\n", ""),
    "a reason not set apart": ("*Two*.\n\n  Count.\n\n  - Once more.\n", "*Two*.\n  Count.\n"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_an_author_forgot_is_named_with_its_line(read, fault):
    text = GOOD.replace(*FAULTS[fault])
    assert text != GOOD
    with pytest.raises(SystemMessage, match=r"page\.md:3:"):
        read(text)


def test_a_label_of_two_pages_is_named_with_both(read):
    env = SimpleNamespace(doc2path=lambda name, base: f"{name}.md")
    for name, text in {"a": GOOD, "b": f"Before.\n\n{GOOD}"}.items():
        recall.asked(env)[name] = [("title", [], *read(text))]
    with pytest.raises(ExtensionError, match=r"quiz-test-sum \(a\.md:3 and b\.md:5\)"):
        recall._require_unique_labels(None, env)
    del recall.asked(env)["b"]
    recall._require_unique_labels(None, env)
