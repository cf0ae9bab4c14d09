"""A repair of written pages that finds too little in a whole book ends the build."""

import lxml.html
import pytest
from bookext.theme import assets, repairs
from sphinx.errors import ExtensionError


def page(body):
    return lxml.html.document_fromstring(f"<body>{body}</body>")


@pytest.fixture(autouse=True)
def counted(monkeypatch):
    """One repair, which wants two elements in a whole book."""
    bold = repairs.Repair("//b", 2, lambda element: element.set("class", "seen"))
    monkeypatch.setattr(repairs, "REPAIRS", (bold,))
    repairs.begin({})
    yield
    repairs.begin({})


def test_what_is_found_on_all_pages_together_counts():
    for text in ("<b>1</b>", "none", "<b>2</b>"):
        repaired = page(text)
        repairs.repair(repaired)
        assert repaired.xpath("//b/@class") == ["seen"] * text.count("<b>")
    repairs.demand()


@pytest.mark.parametrize(("text", "found"), [("none", 0), ("<b>1</b>", 1)])
def test_a_repair_that_finds_too_little_is_named(text, found):
    repairs.repair(page(text))
    with pytest.raises(ExtensionError, match=rf"find too little: //b \({found} of at least 2\)$"):
        repairs.demand()


def test_a_script_that_is_left_out_and_never_met_is_named():
    repairs.begin({"a.js": 1, "b.js": 1})
    repairs.repair(page("<b>1</b><b>2</b>"))
    repairs.count("a.js", 1)
    with pytest.raises(ExtensionError, match=r": b\.js \(0 of at least 1\)$"):
        repairs.demand()


def test_a_build_begins_with_nothing_counted():
    repairs.repair(page("<b>1</b><b>2</b>"))
    repairs.begin({})
    with pytest.raises(ExtensionError, match="0 of at least 2"):
        repairs.demand()


def test_every_repair_and_script_left_out_is_expected_at_least_once(monkeypatch):
    monkeypatch.undo()
    assert min(repair.least for repair in repairs.REPAIRS) >= 1
    assert min(assets.UNUSED.values()) >= 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<p><span class="math"><math></math></span>), so</p>', '<p><span class="math"><math></math>),</span> so</p>'),
        ("<svg><g>\n<path></path>\n</g></svg>", "<svg><path></path></svg>"),
        ("<svg><text> a <tspan>b</tspan> c</text></svg>", "<svg><text> a <tspan>b</tspan> c</text></svg>"),
        (
            '<div class="highlight"><pre><span class="n">x</span><span class="k">if</span></pre></div>',
            '<div class="highlight"><pre>x<span class="k">if</span></pre></div>',
        ),
        ('<div role="doc-biblioentry"></div>', '<div role="listitem"></div>'),
        ('<summary aria-label="Toggle">words</summary>', "<summary>words</summary>"),
        ('<p role="heading" aria-level="2">x</p>', "<p>x</p>"),
    ],
)
def test_what_a_repair_does(monkeypatch, before, after):
    monkeypatch.undo()
    repaired = page(before)
    repairs.repair(repaired)
    assert lxml.html.tostring(repaired[0], encoding="unicode") == f"<body>{after}</body>"
