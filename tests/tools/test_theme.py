"""What is done to written pages: repairs of the theme's markup, and one style sheet with the rules that pages use."""

import lxml.html
import pytest
from bookext.theme import repairs, styles


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<p><span class="math"><math></math></span>), so</p>', '<p><span class="math"><math></math>),</span> so</p>'),
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
def test_what_a_repair_does(before, after):
    page = lxml.html.document_fromstring(f"<body>{before}</body>")
    repairs.repair(page)
    assert lxml.html.tostring(page[0], encoding="unicode") == f"<body>{after}</body>"


def test_the_style_sheet_keeps_the_rules_that_a_page_or_a_script_uses(tmp_path):
    """A build that writes only some pages keeps what the others load."""
    (tmp_path / "_static").mkdir()
    (tmp_path / "a.html").write_text('<p class="a">', "utf-8")
    (tmp_path / "one.css").write_text(".a {top: 1} .made {top: 3} .none {top: 4}", "utf-8")
    (tmp_path / "two.css").write_text(".a .b {top: 5}", "utf-8")
    (tmp_path / "script.js").write_text("element.className = 'made';", "utf-8")

    def rules(loaded, complete):
        styles.merge(tmp_path, loaded, complete)
        return (tmp_path / styles.SHEET).read_text("utf-8").splitlines()[1:]

    assert rules(["one.css", "script.js"], True) == [".a{top: 1}", ".made{top: 3}"]
    assert rules(["one.css"], False) == [".a{top: 1}", ".made{top: 3}"]
    assert rules(["one.css"], True) == [".a{top: 1}"]
