"""Advice of `make check`: bounds that are far, and decimal numbers in prose that nothing in their section shows."""

from dataclasses import replace

import advice
import pytest
from attnbook.check.record import Check, as_data
from bookext.run.chapters import MIME, read
from bookext.run.execution import Cache
from jupyter_cache.base import CacheBundleIn
from nbformat.v4 import new_output

PAGE = """---
description: 3.14
---
# A page

Before the first check nothing is looked for: 8.75.

## Weights

{sentence} See section 4.25 and {{cite:t}}`a2.75` and `1.25`; it is $2.95\\cdot10^{{-5}}$, and 5 of 7.

```{{code-cell}} ipython3
x = 0.125
check.prints(x, ["9.10", "3.35"])
```

## Later

Here are no checks: 6.25.
"""
PRINTED = Check("prints", "x prints as ['9.10', '3.35']", "[9.104, 3.347]", "[9.10, 3.35]")


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("It is 9.1, or 9.10 and $3.35$, of 0.125.", []),
        ("It is 910.4 percent, and −9.1.", []),
        ("It is 7.3.", ["7.3"]),
        ("It is 9.01, and $3.53$.", ["9.01", "3.53"]),
    ],
)
def test_a_decimal_number_that_its_section_does_not_show_is_named_with_its_line(write_files, sentence, named):
    root = write_files({"chapters/a.md": PAGE.format(sentence=sentence)})
    source = 'x = 0.125\ncheck.prints(x, ["9.10", "3.35"])'
    cell = {"source": source, "outputs": [{"data": {MIME: [as_data(PRINTED)]}}]}
    lines = list(advice._typed(root, "a", [cell]))
    assert [line.partition("shows ")[2].partition(",")[0].partition(";")[0] for line in lines] == named
    assert all(line.startswith("a.md:10: ") for line in lines)


FAR = Check("below", "x < 1", 0.001, 1.0)


@pytest.mark.parametrize(
    ("check", "named"),
    [
        (FAR, True),
        (replace(FAR, reason="a nearer bound would depend on the seed"), False),
        (replace(FAR, value=0.5), False),
        (replace(FAR, kind="differs", value=-1.0, bound=0.001), True),
        (replace(FAR, kind="equal"), False),
        (replace(FAR, value=1e-16, bound=1e-13), False),  # both are rounding
        (replace(FAR, value=float("inf")), True),
    ],
)
def test_a_bound_is_named_if_it_lies_far_from_what_it_bounds_and_no_reason_is_given(check, named):
    lines = list(advice._far("a", [as_data(check)]))
    assert len(lines) == named
    assert all(line.startswith("a: 'x < 1' holds ") for line in lines)


def test_advice_reads_the_newest_outputs_of_the_cells_as_they_are(write_files):
    root = write_files({"chapters/a.md": PAGE.format(sentence="It is 7.3.")})
    page = root / "chapters" / "a.md"
    assert advice.advice(["a"], root) == [], "nothing is executed yet"
    keep(root / "_build", page, PRINTED)
    keep(root / "_build", page, FAR, source="x = 0.25")  # cells that the page no longer has
    [typed] = advice.advice(["chapters/a"], root)
    assert typed.startswith("a.md:10: ")
    assert "7.3" in typed
    keep(root / "_build" / "check" / "_build", page, FAR)
    assert [line.partition(" ")[0] for line in advice.advice(["a"], root)] == ["a:", "a.md:10:"]


def keep(build, page, check, source=None):
    """Keep outputs of a page in the cache of a build, as a build does that has executed its one cell."""
    notebook = read(page)
    [cell] = notebook.cells
    cell.source = source or cell.source
    cell.outputs = [new_output("display_data", {MIME: [as_data(check)]})]
    folder = build / ".jupyter_cache"
    folder.mkdir(parents=True, exist_ok=True)
    Cache(folder).cache_notebook_bundle(CacheBundleIn(notebook, str(page)), check_validity=False)
