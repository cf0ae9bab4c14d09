"""Make the pages that are made from the others: the ledger of claims, the contradictions, and the famous mistakes.

The directives write what the data files say while their page is read. The checks that decide a claim are known only
after every chapter has been read; the places kept for them are filled when the page is written. A claim whose law is on
no page any more is named in a warning, which ends the build.
"""

import re
from collections import Counter, defaultdict
from pathlib import Path

import yaml
from attnbook.check_record import figure
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from ..language.words import _, say
from . import checks

FAILS = ("differs", "below", "refuses")  # kinds of checks that a wrong version can fail
VERDICTS = ("true", "conditional", "approximate", "wrong", "uncheckable")
logger = logging.getLogger(__name__)


class deciding_checks(nodes.General, nodes.Element):
    """The place of the links to the checks that decide claims; `laws` is a list of (claim, page, law)."""


class mistake_boxes(nodes.General, nodes.Element):
    """The place of the boxes of all pages."""


def setup(app):
    """Register directives and what fills them."""
    for name, directive in {"claims": Claims, "claims-count": Count, "contradictions": Contradictions}.items():
        app.add_directive(name, directive)
    app.add_directive("mistakes", Mistakes)
    app.add_post_transform(Fill)
    app.connect("env-updated", _write_again)
    app.connect("html-page-context", _filter_script)


def _write_again(app, env):
    """Return the pages made from the others are written whenever a page was read."""
    return sorted(name for name, data in env.metadata.items() if "made_from_others" in data)


def _filter_script(app, pagename, templatename, context, doctree):
    if doctree is not None and any("claims" in node["classes"] for node in doctree.findall(nodes.bullet_list)):
        app.add_js_file("ledger.js")


class FromData(SphinxDirective):
    """A directive whose content stands in a data file beside its page."""

    def data(self, name):
        """Return the parsed file ``name``; the page is read again when it changes."""
        path = Path(self.env.doc2path(self.env.docname)).parent / name
        self.env.note_dependency(str(path))
        self.env.metadata[self.env.docname]["made_from_others"] = True
        return yaml.safe_load(path.read_text(encoding="utf-8"))

    def claims(self):
        """Read claims.yml without the description of its sources."""
        return {key: claim for key, claim in self.data("claims.yml").items() if key != "sources"}


def decided(claims):
    """Return the laws that decide some claims, from {key: entry}: a list of (claim, page, law)."""
    pages = ((key, claim.get("decided", {})) for key, claim in claims.items())
    return [(key, page, law) for key, found in pages for page, laws in found.items() for law in laws]


class Claims(FromData):
    """`{claims} source`: the claims of one source, under the title of the chapter that settles them."""

    required_arguments = 1

    def run(self):
        found = {key: c for key, c in self.claims().items() if c["source"] == self.arguments[0]}
        if not found:
            raise self.error(f"claims.yml has no claim of {self.arguments[0]!r}")
        chapters = dict.fromkeys(claim["chapter"] for claim in found.values())
        place = nodes.container(classes=["claims-place"])  # for the filter, which a script makes
        return [place, *(self.chapter(slug, found) for slug in chapters)]

    def chapter(self, slug, claims):
        """Return the section of the claims that one chapter settles."""
        title = nodes.title("", "", page_link(self.env, slug))
        items = [self.entry(key, claim) for key, claim in claims.items() if claim["chapter"] == slug]
        return nodes.section("", title, nodes.bullet_list("", *items, classes=["claims"]), ids=[slug])

    def entry(self, key, claim):
        """Return one claim: what is said, the verdict, the right figure, and a place for its checks."""
        name, verdict = key.lower(), claim["verdict"]
        head = nodes.paragraph("", classes=["claim-head"])
        head += nodes.reference("", key, refid=name, classes=["claim-id"])
        head += [nodes.Text(" "), nodes.inline("", _(verdict), classes=["verdict"]), nodes.Text(" ")]
        head += nodes.inline("", f"{claim['source']}, {place(claim['line'])}", classes=["claim-place"])
        item = nodes.list_item("", head, ids=[name], classes=["claim", f"is-{verdict}"])
        item += nodes.paragraph("", "", nodes.strong("", _("Said.") + " "), *text(claim["claim"]))
        item += nodes.paragraph("", "", nodes.strong("", _("Right.") + " "), *text(claim["figure"]))
        if "corrected" in claim:
            item += nodes.paragraph("", "", nodes.strong("", _("Corrected.") + " "), *text(claim["corrected"]))
        if verdict == "uncheckable":
            item += nodes.paragraph("", "", nodes.strong("", _("No check.") + " "), *text(claim["reason"]))
        else:
            item += deciding_checks(laws=decided({key: claim}))
        return item


class Count(FromData):
    """`{claims-count} chapter` or `source`: how many claims of each verdict each chapter and each source has."""

    required_arguments = 1

    def run(self):
        claims, by = self.claims().values(), directives.choice(self.arguments[0], ("chapter", "source"))
        count = Counter((claim[by], claim["verdict"]) for claim in claims)
        groups = dict.fromkeys(claim[by] for claim in claims)
        pages = {group: group if by == "chapter" else group.lower() for group in groups}
        names = [page_link(self.env, page, group if by == "source" else "") for group, page in pages.items()]
        rows = [[name, *(count[group, v] for v in VERDICTS)] for name, group in zip(names, groups, strict=True)]
        rows.append([_("all"), *(sum(row[i] for row in rows) for i in range(1, 6))])
        return [table([*map(_, (by, *VERDICTS, "all"))], [[*row, sum(row[1:])] for row in rows])]


def page_link(env, slug, words=""):
    """Return a link to a page by the last part of its name, in ``words`` or those of its first heading."""
    name = next((name for name in env.found_docs if name.rpartition("/")[2] == slug), None)
    if name and not words:  # read here: the contents beside the page are made before links are resolved
        words = re.search(r"^# (.+)$", Path(env.doc2path(name)).read_text("utf-8"), re.MULTILINE)[1]
    target = f"/{name}" if name else slug
    options = {"refdomain": "std", "reftype": "doc", "reftarget": target, "refexplicit": True, "refwarn": True}
    return addnodes.pending_xref("", nodes.inline("", words or slug), refdoc=env.docname, **options)


class Contradictions(FromData):
    """`{contradictions}`: where the sources disagree, what is right, and the checks on both sides."""

    def run(self):
        known, items = self.claims(), []
        for entry in self.data("contradictions.yml"):
            unknown = {said["claim"] for said in entry["says"]} | set(entry["decided"])
            if unknown := sorted(unknown - set(known)):
                raise self.error(f"contradictions.yml: {entry['id']} names no claim of the ledger: {unknown}")
            sides = nodes.bullet_list()
            for said in entry["says"]:
                link = claim_link(said["claim"])
                sides += nodes.list_item("", nodes.paragraph("", "", link, nodes.Text(" "), *text(said["text"])))
            title = nodes.paragraph("", "", nodes.strong("", "", *text(f"{entry['id']}. {entry['title']}")))
            answer = nodes.paragraph("", "", *text(entry["resolution"]))
            place = deciding_checks(laws=decided({key: known[key] for key in entry["decided"]}))
            items.append(nodes.list_item("", title, sides, answer, place, ids=[entry["id"].lower()]))
        return [nodes.bullet_list("", *items, classes=["contradictions"])]


def claim_link(key):
    """Return a link to a claim on the page of its source."""
    return nodes.reference("", key, refuri=f"{key[:2].lower()}.html#{key.lower()}", classes=["claim-id"], internal=True)


class Mistakes(SphinxDirective):
    """`{mistakes}`: the boxes of class `mistake` of all other pages."""

    def run(self):
        self.env.metadata[self.env.docname]["made_from_others"] = True
        return [mistake_boxes()]


class Fill(SphinxPostTransform):
    """Put the links to checks, and the boxes, in their places."""

    default_priority = 5  # before references are resolved: the boxes hold some

    def run(self, **kwargs):
        pages = checks.pages(self.env)
        executed = defaultdict(list)
        for name in pages:
            for law in checks.laws(self.env).get(name, []):
                executed[name.rpartition("/")[2], law.check.law].append((name, law))
        for node in list(self.document.findall(deciding_checks)):
            found = {}
            for claim, page, words in node["laws"]:
                if not executed[page, words]:
                    message = "claims.yml: %s is decided by a law that %s does not check: %s"
                    logger.warning(message, claim, page, words, location=node.parent)
                found |= {(name, law.anchor): (name, law) for name, law in executed[page, words]}
            items = (self.item(*one) for one in found.values())
            node.replace_self(nodes.bullet_list("", *items, classes=["deciding"]))
        for node in list(self.document.findall(mistake_boxes)):
            node.replace_self([box for name in pages if name != self.env.docname for box in self.boxes(name)])

    def item(self, docname, law):
        """Return a link to one check, with the figure that the build measured."""
        link = self.link(docname, law.anchor, nodes.inline("", say(law.check.law), classes=["law"]))
        return nodes.list_item("", nodes.paragraph("", "", link, nodes.Text(f" · {figure(law.check, say)}")))

    def boxes(self, docname):
        """Return the boxes of one page, each under a link to its section and above the checks that catch it there."""
        for section, title, box in checks.mistakes(self.env).get(docname, []):
            copy = box.deepcopy()
            for reference in copy.findall(lambda node: "refdoc" in getattr(node, "attributes", ())):
                reference["refdoc"] = self.env.docname
            name = re.sub(rf"^({_('Famous mistakes')}|{_('Famous mistake')}): ", "", title)
            copy[0].clear()
            copy[0] += self.link(docname, section, nodes.Text(name[:1].upper() + name[1:]))
            catching = [
                law for law in checks.laws(self.env)[docname] if law.section == section and law.check.kind in FAILS
            ]
            if not catching:
                logger.warning("no executed check shows that the mistake %r is caught", title, location=docname)
            copy += nodes.paragraph("", _("These checks catch the wrong version:"))
            copy += nodes.bullet_list("", *(self.item(docname, c) for c in catching), classes=["deciding"])
            yield copy

    def link(self, docname, anchor, child):
        """Return a link from the page being written to an anchor of another."""
        return make_refnode(self.app.builder, self.env.docname, docname, anchor, child)


def text(string):
    """Return nodes for plain text with code between backticks."""
    parts = re.split(r"`([^`]+)`", say(" ".join(string.split())))
    return [nodes.literal("", part) if i % 2 else nodes.Text(part) for i, part in enumerate(parts) if part]


def place(line):
    """Return `line 7` or `lines 7–9`."""
    return _("lines {lines}", lines=line.replace("-", "–")) if "-" in line else _("line {line}", line=line)


def table(head, rows):
    """Make a plain table; the first column is text, the others are numbers."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in head), cols=len(head))
    for kind, lines in ((nodes.thead, [head]), (nodes.tbody, rows)):
        texts = ([cell if isinstance(cell, nodes.Node) else nodes.Text(str(cell)) for cell in line] for line in lines)
        cells = ([nodes.entry("", nodes.paragraph("", "", cell)) for cell in line] for line in texts)
        group += kind("", *(nodes.row("", *line) for line in cells))
    return nodes.table("", group)
