"""Read a cell of a platform's table: a number in every notation that it can have, nothing, or a word."""

import re
import unicodedata

NOTHING = ("", "-", "–", "—", "needs grading", "in progress")  # cells without a grade
DIGITS = re.compile(r"[0-9]+(?:[.,' ][0-9]+)*")
NOT_A_DIGIT = re.compile("[^0-9]")
# Blanks, apostrophes and Arabic separators, each with the sign of ASCII that is read for it.
SAME_AS_ASCII = dict.fromkeys(map(ord, "\u00a0\u2009\u202f"), " ") | {ord("’"): "'", ord("٫"): ",", ord("٬"): "'"}


def numbers(text):
    """Return every number that a text can mean; `1,000` is a thousand, or one with three places.

    Parts of three digits may be groups, and what stands behind the last mark may be decimal places.
    """
    plain = unicodedata.normalize("NFKC", text.translate(SAME_AS_ASCII)).strip().lstrip("+")
    plain = "".join(str(unicodedata.digit(c)) if c.isdecimal() else c for c in plain)
    if not DIGITS.fullmatch(plain):
        return set()
    marks, parts = NOT_A_DIGIT.findall(plain), NOT_A_DIGIT.split(plain)
    meanings = set()
    if _is_whole(marks, parts):
        meanings.add(float("".join(parts)))
    if _has_decimals(marks, parts):
        meanings.add(float("".join(parts[:-1]) + "." + parts[-1]))
    return meanings


def _is_whole(marks, parts):
    """Return whether these can be the groups of a whole number, with one kind of mark between them."""
    return not marks or (len({*marks}) == 1 and _grouped(parts))


def _has_decimals(marks, parts):
    """Return whether the last of these parts can be decimal places, behind a mark that no group has."""
    if not marks:
        return False
    *between, last = marks
    return last in ".," and last not in between and len({*between}) <= 1 and _grouped(parts[:-1])


def _grouped(parts):
    """Return whether these are the groups of a number."""
    if len(parts) == 1:
        return True
    if parts[0].startswith("0"):  # 0.010 is less than one
        return False
    lakhs = all(len(part) == 2 for part in parts[1:-1])  # 12,34,567 as in India
    return len(parts[0]) <= 3 and len(parts[-1]) == 3 and (lakhs or all(len(part) == 3 for part in parts[1:-1]))


def is_nothing(cell):
    """Return whether a cell has no grade."""
    return cell.strip().casefold() in NOTHING


def is_word(cell):
    """Return whether a cell has something that is no grade, such as EX."""
    return not is_nothing(cell) and not numbers(cell)
