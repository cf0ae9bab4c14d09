"""Every law is checked as strictly as tools/strictness.json says, and each that is new stands there."""

import strictness
from built_site import named, report


def test_no_check_has_become_weaker():
    named("index")
    now = strictness.built()
    before = strictness.read()
    report(line for page in before for line in strictness.weaker(page, before[page], now.get(page, {})))
    report(
        f"{page}: {law!r} is new: after `make book`, run tools/strictness.py with .venv's Python"
        for page, laws in now.items()
        for law in laws
        if law not in before.get(page, {})
    )
