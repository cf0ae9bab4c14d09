"""Advice of `make check`: decimal numbers in prose that nothing in their section shows."""

import advice
import pytest
from attnbook.check.record import Check, as_data
from bookext.run.chapters import MIME

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
