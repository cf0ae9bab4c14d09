"""The messages of the extension in one table, and the functions that translate them.

Sphinx translates the text of chapters, page by page. Everything else is in the catalogue ``book``: this table, and what
`translate` is called with, such as the laws of checks and the labels of figures.
"""

from attnbook.check import record
from sphinx.locale import get_translation

CATALOGUE = "book"

#: The messages of the extension, its templates and the lines of checks; {names} stay as they are.
MESSAGES = frozenset("""
Link to this box
Link to this equation

Definition
Theorem
Lemma
Proposition
Corollary
Algorithm
Example
Remark
Proof.
Exercise {number}
More
Answers

Check yourself
✓ Right.
✗ Not quite.
From

Reading time: 1 minute
Reading time: {minutes} minutes
{time}, without the exercises.
{time}.
Goes deeper into {chapter}.
Deeper:

Map of the chapters: an arrow leads from a chapter to one that builds on it
{chapter}, builds on {others}
{first} and {second}

Said.
Right.
Corrected.
No check.
all
chapter
source
true
conditional
approximate
wrong
uncheckable
right
in part
open
line {line}
lines {lines}
Famous mistake
Famous mistakes
These checks catch the wrong version:

Used in {pages}.

Open in Colab
Open in Binder
Open in Kaggle
Download .ipynb

Run this cell first: it installs the book's package where that is missing
This notebook is [a chapter]({page}) of [{title}]({book}), made to run.
Links lead to the book's pages. Run the cells in order, beginning with the folded one above.
A check that holds leaves one line, and one that does not stops the notebook.

Show code cell content
Hide code cell content
Show code cell source
Hide code cell source
Show code cell output
Hide code cell output
Show code cell outputs
Hide code cell outputs

Search the pages of this book.
This page does not exist; here is what does.
Page not found
This page does not exist
The address leads nowhere: a chapter may have been renamed, or a letter is missing.
{search}, or begin with one of its pages:
Search the book
Nothing found. Try another word for it, or fewer words.
1 section found.
{number} sections found.
{number} sections found; the {shown} that fit best:
Solution
The whole book as a PDF
Book contents
Pages that go deeper
On this page
Other languages
""".splitlines()) - {""} | record.WORDS  # fmt: skip

_gettext = get_translation(CATALOGUE)
requested: dict[str, None] = {}  # the texts that `translate` was called with in this build, in order


def translate(text):
    """Translate any text of the catalogue; one that is not in it stays as it is."""
    if not text.strip():
        return text
    requested[text] = None
    return str(_gettext(text))


def _(message, **values):
    """Translate a message of the table and insert ``values``; one that is not in the table raises KeyError."""
    if message not in MESSAGES:
        raise KeyError(f"{message!r} is not in the table of bookext/language/messages.py")
    return translate(message).format(**values) if values else translate(message)
