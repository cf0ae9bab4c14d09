"""Make the pages of the ledger from its data files: the claims with their verdicts, and the contradictions.

The directives write the claims while their page is read. The checks that decide them are linked when the page is
written, as every chapter has then been read. A claim whose evidence
does not bear out its verdict is named in a warning, which ends the build.
"""

import functools
import re
from collections import Counter, defaultdict
from pathlib import Path

import yaml
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from ..computed import compute_page
from ..derived import place
from ..language.messages import N_, _, translate
from ..outputs import checks
from .evidence import STANDS, evidence, misplaced, sorted_by_verdict, stated, unfounded, unmeasured, unresolved

LEDGER = "chapters/audit/ledger"  # the pages of claims and of contradictions stand beside it
CLAIMS = "claims"  # the catalogue of what the data files say
QUICK = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as quick, where PyYAML was built with it
GROUPS = (N_("chapter"), N_("source"))  # what claims are counted by
logger = logging.getLogger(__name__)


def setup(app):
    """Register the directives."""
    for name, directive in {"claims": Claims, "claims-count": Count, "contradictions": Contradictions}.items():
        app.add_directive(name, directive)
    app.connect("builder-inited", _add_pages)
    app.connect("html-page-context", _filter_script)
    app.add_css_file("ledger.css", priority=900)


def _filter_script(app, pagename, templatename, context, doctree):
    if doctree is not None and any("claims" in node["classes"] for node in doctree.findall(nodes.bullet_list)):
        app.add_js_file("ledger.js", priority=900)


def _add_pages(app):
    """Add a page for each chapter that settles claims."""
    for slug in dict.fromkeys(claim["chapter"] for claim in _claims(app).values()):
        (chapter,) = Path(app.srcdir, "chapters").rglob(f"{slug}.md")
        title = re.search(r"^# (.+)$", chapter.read_text("utf-8"), re.MULTILINE)[1]
        name = chapter.relative_to(app.srcdir).with_suffix("").as_posix()
        text = f"Here is what the sources say on what {{doc}}`/{name}` settles. "
        text += f"The page {{doc}}`/{LEDGER}` says how to read a verdict.\n\n"
        description = f"Every claim that the chapter {title} settles, with its verdict and the checks that decide it."
        text += f"```{{claims}} {slug}\n```\n"
        compute_page(app, f"chapters/audit/{slug}-claims", LEDGER, f"Claims: {title}", description, text)


def _claims(app):
    path = Path(app.srcdir, LEDGER).with_name("claims.yml")
    return _without_sources(_read(path, path.stat().st_mtime_ns)) if path.exists() else {}


@functools.cache
def _read(path, changed):
    """Parse a file once for each time that it has ``changed``: every build asks for the claims, and many pages do."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=QUICK)


def _without_sources(data):
    """Return the claims of claims.yml without the description of their sources."""
    return {key: claim for key, claim in data.items() if key != "sources"}


def address(key, claim):
    """Return the address of a claim from a page of the ledger."""
    return f"{claim['chapter']}-claims.html#{key.lower()}"


def old_addresses(app):
    """Return where the claims were when each source had a page: {page: {fragment: new address}}."""
    old = defaultdict(dict)
    for key, claim in _claims(app).items():
        old[f"chapters/audit/{claim['source'].lower()}"][key.lower()] = address(key, claim)
    return old


class FromData(SphinxDirective):
    """A directive whose content stands in a data file beside its page."""

    def data(self, name):
        """Return the parsed file ``name``; the page is read again when it changes."""
        path = Path(self.env.doc2path(self.env.docname)).parent / name
        self.env.note_dependency(str(path))
        return _read(path, path.stat().st_mtime_ns)

    def claims(self):
        """Return the claims beside the page."""
        return _without_sources(self.data("claims.yml"))


class Claims(FromData):
    """`{claims} chapter`: the claims that one chapter settles, under the title of their source."""

    required_arguments = 1

    def run(self):
        claims = defaultdict(list)
        form = nodes.container(classes=["claims-place"])  # for the filter, made by a script
        for key, claim in self.claims().items():
            if claim["chapter"] == self.arguments[0]:
                claims[claim["source"]].append(self.entry(key, claim))
        return [form, *(self.source(name, items) for name, items in claims.items())]

    def source(self, name, items):
        """Return the section of the claims of one source."""
        title = nodes.title("", f"{name}: {translate(self.data('claims.yml')['sources'][name]['title'], CLAIMS)}")
        return nodes.section("", title, nodes.bullet_list("", *items, classes=["claims"]), ids=[name.lower()])

    def entry(self, key, claim):
        """Return one claim: what is said, the verdict, the right figure, and a place for its checks."""
        name = key.lower()
        verdict = claim["verdict"]
        head = nodes.paragraph("", classes=["claim-head"])
        head += nodes.reference("", key, refid=name, classes=["claim-id"])
        head += [nodes.Text(" "), nodes.inline("", _(verdict), classes=["verdict"]), nodes.Text(" ")]
        head += nodes.inline("", f"{claim['source']}, {lines(claim['line'])}", classes=["claim-place"])
        item = nodes.list_item("", head, ids=[name], classes=["claim", f"is-{verdict}"])
        item += nodes.paragraph("", "", nodes.strong("", _("Said.") + " "), *text(claim["claim"]))
        item += nodes.paragraph("", "", nodes.strong("", _("Right.") + " "), *text(claim["figure"]))
        if "corrected" in claim:
            item += nodes.paragraph("", "", nodes.strong("", _("Corrected.") + " "), *text(claim["corrected"]))
        if verdict == "uncheckable":
            item += nodes.paragraph("", "", nodes.strong("", _("No check.") + " "), *text(claim["reason"]))
        else:
            item += place(self.env, _deciding, claims={key: claim}, name=key, numbers=stated(claim))
        return item


class Count(FromData):
    """`{claims-count} chapter` or `source`: how many claims of each verdict each chapter and each source has."""

    required_arguments = 1

    def run(self):
        claims = self.claims().values()
        by = directives.choice(self.arguments[0], GROUPS)
        count = Counter((claim[by], claim["verdict"]) for claim in claims)
        groups = dict.fromkeys(claim[by] for claim in claims)
        names = [page_link(self.env, group) if by == "chapter" else group for group in groups]
        rows = [[name, *(count[group, v] for v in STANDS)] for name, group in zip(names, groups, strict=True)]
        rows.append([_("all"), *(sum(row[i] for row in rows) for i in range(1, 6))])
        return [table([*map(_, (by, *STANDS)), _("all")], [[*row, sum(row[1:])] for row in rows])]


def page_link(env, slug):
    """Return a link to the claims that a chapter settles."""
    options = {"refdomain": "std", "reftype": "doc", "reftarget": f"{slug}-claims", "refwarn": True}
    return addnodes.pending_xref("", nodes.inline("", ""), refdoc=env.docname, refexplicit=False, **options)


class Contradictions(FromData):
    """`{contradictions}`: where the sources disagree, who is right, and the checks on both sides."""

    def run(self):
        claims = self.claims()
        items = []
        for entry in self.data("contradictions.yml"):
            unknown = {statement["claim"] for statement in entry["says"]} | set(entry["decided"])
            if unknown := sorted(unknown - set(claims)):
                raise self.error(f"contradictions.yml: {entry['id']} names no claim of the ledger: {unknown}")
            for problem in unresolved(entry, claims):
                raise self.error(f"contradictions.yml, {entry['id']}: {problem}")
            sides = nodes.bullet_list()
            for statement in entry["says"]:
                key = statement["claim"]
                link = nodes.reference("", key, refuri=address(key, claims[key]), classes=["claim-id"], internal=True)
                sides += nodes.list_item("", nodes.paragraph("", "", link, nodes.Text(" "), *text(statement["text"])))
            title = nodes.paragraph("", "", nodes.strong("", "", *text(f"{entry['id']}. {entry['title']}")))
            by_side = sorted_by_verdict(entry, claims).items()
            named = "; ".join(f"{_(side)}: {', '.join(keys)}" for side, keys in by_side)
            answer = nodes.paragraph("", "", *text(entry["resolution"]), nodes.Text(f" ({named}.)"))
            deciding = {key: claims[key] for key in entry["decided"]}
            links = place(self.env, _deciding, claims=deciding, name=entry["id"], numbers=entry["resolution"])
            items.append(nodes.list_item("", title, sides, answer, links, ids=[entry["id"].lower()]))
        return [nodes.bullet_list("", *items, classes=["contradictions"])]


def _deciding(app, docname, claims, name, numbers):
    """Return links to the checks that decide ``claims``; warn of evidence that does not bear out the entry ``name``.

    ``numbers`` is the text of the entry whose numbers these checks have to show.
    """
    executed = _executed(app.env, {e.page for e in evidence(claims)})
    by_label = {key: [entry for _, entry in entries] for key, entries in executed.items()}
    problems = []
    if any(unfounded(claims, by_label)):  # only then are all pages searched, for where a check has gone
        everywhere = {key: [entry for _, entry in entries] for key, entries in _executed(app.env).items()}
        problems = [(line_of(app, e), f"{e.claim}: {problem}") for e, problem in unfounded(claims, everywhere)]
    problems += [(docname, f"{name}: it {problem}") for problem in unmeasured(numbers, claims, by_label)]
    problems += [(docname, f"{key}: {problem}") for key, claim in claims.items() for problem in misplaced(key, claim)]
    for location, problem in problems:
        logger.warning("The audit, %s", problem, location=location)
    deciding = [entry for e in evidence(claims) for entry in executed.get((e.page, e.label), ())]
    once = {(page, entry.anchor): (page, entry) for page, entry in deciding}
    items = (checks.item(app, docname, page, entry) for page, entry in once.values())
    return [nodes.bullet_list("", *items, classes=["deciding"])]


def _executed(env, names=None):
    """Return the checks of the pages with these names, or of all: {(name, label): [(page, check)]}."""
    executed = defaultdict(list)
    for page, entries in checks.page_checks(env).items():
        name = page.rpartition("/")[2]
        if names is None or name in names:
            for entry in entries:
                executed[name, entry.check.label].append((page, entry))
    return executed


def line_of(app, e):
    """Return the file and line in which a claim names a check, for a message."""
    path = Path(app.srcdir, LEDGER).with_name("claims.yml")
    node = yaml.compose(path.read_text("utf-8"), Loader=QUICK)
    for name in (e.claim, "decided", e.side, e.page):
        node = _value(node, name)
    entry = next(each for each in node.value if getattr(_value(each, e.kind), "value", "") == e.label)
    return f"{path.relative_to(app.srcdir)}:{entry.start_mark.line + 1}"


def _value(mapping, key):
    """Return the node that stands at a key of a YAML mapping; None if there is none."""
    return next((value for name, value in mapping.value if name.value == key), None)


def text(string):
    """Return nodes for plain text with code between backticks."""
    parts = re.split(r"`([^`]+)`", translate(" ".join(string.split()), CLAIMS))
    return [nodes.literal("", part) if i % 2 else nodes.Text(part) for i, part in enumerate(parts) if part]


def lines(line):
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
