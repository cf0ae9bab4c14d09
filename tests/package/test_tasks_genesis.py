"""The text that the small language model learns is whole, on one line, and has few signs."""

import hashlib

from attnbook.tasks import genesis


def test_the_text_is_one_line_of_six_days():
    text = genesis()
    assert text.startswith("In the beginning God created the heaven and the earth. And the earth was without form, ")
    assert text.endswith(" And the evening and the morning were the sixth day.")
    assert [text.count(f"the {day} day") for day in ("first", "second", "third", "fourth", "fifth", "sixth")] == [1] * 6
    assert "\n" not in text
    assert "  " not in text


def test_its_length_and_its_signs_are_those_the_chapter_counts_on():
    text = genesis()
    assert hashlib.sha256(text.encode()).hexdigest().startswith("b396b235ba526996"), "a letter has changed"
    assert len(text) == 4087
    assert len(text.split()) == 797
    assert set(text.lower()) == set("abcdefghiklmnoprstuvwxy ,.:;")
