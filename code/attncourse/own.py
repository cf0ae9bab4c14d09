"""Numbers of one's own: a login decides them. What stands below these lines also goes into a notebook that uses it."""

import hashlib

LOGIN = "somebody"


def own(name, choices):
    """Return one of the choices: your login and the name decide which. What stands behind an @ does not matter."""
    login = LOGIN.strip().lower().partition("@")[0]
    if not login:
        raise ValueError("Write your login between the quotes in the cell above, then run that cell and this one.")
    digest = hashlib.sha256(f"{login}/{name}".encode()).digest()
    return choices[int.from_bytes(digest[:8], "big") % len(choices)]
