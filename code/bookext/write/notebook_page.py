"""What is known of a page while its notebook is written: its address, its numbers, and its links to itself."""

import re
from dataclasses import dataclass, field
from urllib.parse import urljoin

from docutils import nodes
from sphinx.errors import ExtensionError

PLACE = re.compile(r"#[^?]+$")  # on the page itself
OWN = re.compile(r"\]\(#([^)]+)\)")  # the end of a link to such a place


@dataclass
class Page:
    """A page that lies at ``address`` on the site, with the numbers that Sphinx gave to its parts."""

    address: str
    numbers: dict = field(default_factory=dict)  # {"figure": {id: (3, 1)}, "theorem": …, "displaymath": …}
    sections: dict = field(default_factory=dict)  # {"": (3,), "#id of a section": (3, 1)}
    linked: set = field(default_factory=set)  # ids to which the page links itself
    placed: set = field(default_factory=set)  # those of them that have an anchor in the notebook

    def find_links(self, doctree):
        """Find the ids to which the page links itself; titles of solutions are written without their link."""
        links = (node for node in doctree.findall(nodes.reference) if not _in_title_of_solution(node))
        self.linked = {self.target(node)[1:] for node in links}

    def target(self, node):
        """Return where a reference leads: an address, or # and an id of this page."""
        target = urljoin(self.address, node.get("refuri") or f"#{node['refid']}")
        place = target.removeprefix(self.address)
        return place if PLACE.match(place) else target

    def anchors(self, node):
        """Return an anchor for each id of ``node`` to which the page links itself."""
        ids = [name for name in node["ids"] if name in self.linked - self.placed]
        self.placed.update(ids)
        return "".join(f'<a id="{name}"></a>' for name in ids)

    def settled(self, text):
        """Return Markdown in which a link to a place of the page that has no anchor leads to the site."""
        return OWN.sub(lambda m: m[0] if m[1] in self.placed else f"]({self.address}#{m[1]})", text)

    def section(self, name):
        """Return the number of a section before its title, "3.1. ", or nothing if it has none; "" is the page."""
        number = self.sections.get(name and f"#{name}")
        return f"{_dotted(number)}. " if number else ""

    def number(self, node, kind):
        """Return the number that Sphinx gave to a theorem, exercise, figure or formula of this page."""
        known = self.numbers.get(kind, {})
        number = next((known[name] for name in node["ids"] if known.get(name)), None)
        if number is None:
            raise self.error(f"{kind} {node['ids']} has no number")
        return _dotted(number)

    def error(self, problem):
        """Return the error that ends the build with a problem of this page."""
        return ExtensionError(f"{self.address}: {problem}")


def _in_title_of_solution(node):
    return type(node.parent.parent).__name__ == "solution_node"


def _dotted(number):
    return ".".join(map(str, number))
