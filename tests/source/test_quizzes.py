"""Self-checks: every chapter has some, each can be read, and what its author forgot is named with its line."""

from collections import Counter
from types import SimpleNamespace

import pytest
from bookext.collect import quiz
from docutils.core import publish_doctree
from docutils.parsers.rst import directives
from docutils.utils import SystemMessage
from myst_parser.parsers.docutils_ import Parser
from sphinx.errors import ExtensionError

from chapters import report

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


def test_a_chapter_asks_two_to_four_times(chapter):
    asked = chapter.directives("quiz")
    assert 2 <= len(asked) <= 4, f"{chapter.where(1)}: {len(asked)} quizzes; expected 2 to 4"


def test_every_quiz_is_directly_in_a_section(all_pages):
    """A notebook has no place for one inside a box, and a solution would hide it."""
    report(f"{p.where(b.line)}: a quiz in a box" for p in all_pages for b in p.directives("quiz") if b.depth)


def test_labels_differ_and_name_their_chapter(all_pages):
    labels = Counter(b.options.get("label") for page in all_pages for b in page.directives("quiz"))
    report(f"the label {label} stands {times} times" for label, times in labels.items() if times > 1)
    for page in all_pages:
        parts = {b.options.get("label", "").split("-")[1] for b in page.directives("quiz")}
        assert len(parts) < 2, f"{page.name}.md: its quizzes name different chapters: {sorted(parts)}"


def test_the_right_option_is_not_always_in_one_place(all_pages):
    """Readers learn where to click when it is."""
    places = Counter()
    for page in all_pages:
        for asked in quizzes_as_written(page.text):
            places[[line[:5] for line in asked.splitlines() if line.startswith("- [")].index("- [x]")] += 1
    assert max(places.values()) < 0.5 * places.total(), f"the right options stand at {dict(places)}"


def quizzes_as_written(text):
    return [part.partition("\n```\n")[0] for part in text.split("\n```{quiz}\n")[1:]]


def test_a_quiz_is_read(read):
    (node,) = read(GOOD)
    question, wrong, right = node.children
    assert (node["label"], node.line) == ("quiz-test-sum", 3)
    assert question.astext() == "What is 1 + 1, or 1 + 1?"
    assert [part.astext() for part in wrong] == ["1", "✗ Not quite. You have added nothing."]
    assert [part.astext().replace("\n\n", " ") for part in right] == ["Two.", "✓ Right. Count. Once more."]
    assert [option["right"] for option in (wrong, right)] == [False, True]


def test_other_formats_get_a_list(read):
    (node,) = read(GOOD)
    asked, options = node.plain()
    assert asked.astext() == "Check yourself. What is 1 + 1, or 1 + 1?"
    assert options[0].astext().split("\n\n") == ["1", "✗ Not quite. You have added nothing."]
    assert len(node.children) == 3, "the quiz itself has lost what was copied"


FAULTS = {
    "no label": (":label: quiz-test-sum\n", "", "a label such as quiz-chapter-topic, not ''"),
    "another label": ("quiz-test", "test", "not 'test-sum'"),
    "a label with capitals": ("quiz-test", "quiz-Test", "not 'quiz-Test-sum'"),
    "no question": ("What is `1 + 1`, or $1 + 1$?\n", "", "one paragraph, which asks, and one list"),
    "no list": ("- [", "[", "one paragraph, which asks, and one list"),
    "something below the list": ("more.\n", "more.\n\nWell.\n", "one paragraph, which asks, and one list"),
    "one option": ("- [ ] $1$\n\n  You have added nothing.\n\n", "", "2 to 6 options, not 1"),
    "seven options": ("- [ ] $1$\n", "- [ ] $1$\n\n  No.\n\n" * 5 + "- [ ] $1$\n", "2 to 6 options, not 7"),
    "no right option": ("[x]", "[ ]", "exactly one option is marked [x], not 0"),
    "two right options": ("- [ ]", "- [x]", "exactly one option is marked [x], not 2"),
    "no mark": ("- [ ] $1$", "- $1$", "option 1 does not begin with [x] or [ ]"),
    "an empty option": ("- [ ] $1$\n\n  You have added nothing.\n", "-\n", "option 1 does not begin with [x] or [ ]"),
    "no reason": ("  You have added nothing.\n", "", "option 1 has no reason"),
    "a reason not set apart": (
        "*Two*.\n\n  Count.\n\n  - Once more.\n",
        "*Two*.\n  Count.\n",
        "option 2 has no reason",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_an_author_forgot_is_named_with_its_line(read, fault):
    old, new, message = FAULTS[fault]
    text = GOOD.replace(old, new)
    assert text != GOOD
    with pytest.raises(SystemMessage) as raised:
        read(text)
    said = str(raised.value)
    assert message in said
    assert "page.md:3:" in said


def test_every_quiz_of_the_book_can_be_read(read, all_pages):
    for page in all_pages:
        for asked in quizzes_as_written(page.text):
            label = asked.split()[1]
            try:
                found = read(f"```{{quiz}}\n{asked}\n```\n")
            except SystemMessage as error:
                pytest.fail(f"{page.name}.md: {label}: {error}", pytrace=False)
            assert [node["label"] for node in found] == [label]
        assert len(page.directives("quiz")) == len(quizzes_as_written(page.text)), f"{page.name}.md: an unread quiz"


def test_a_label_of_two_pages_is_named_with_both(read):
    env = SimpleNamespace(doc2path=lambda name, base: f"{name}.md")
    for name, text in {"a": GOOD, "b": f"Before.\n\n{GOOD}"}.items():
        quiz.quizzes(env)[name] = [("title", [], *read(text))]
    with pytest.raises(ExtensionError, match=r"quiz-test-sum \(a\.md:3 and b\.md:5\)"):
        quiz._require_unique_labels(None, env)
    del quiz.quizzes(env)["b"]
    quiz._require_unique_labels(None, env)
