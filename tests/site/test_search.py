"""The search: what readers ask leads to the section that answers it, from a server and from a folder."""

import json
import re

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from bookext.collect import search
from built_site import AXE, DESK, PHONE, SITE, SOURCES, named, report

INDEX = SITE / "_static" / "search-index.js"
# {what is searched: the sections that may come first, as page#section under chapters/}
QUERIES = {
    "RoPE": "positional-encoding#repair-3-rotate notation#term-rotary-positional-encoding deeper/rotary-in-practice",
    "√dk": "sqrt-dk-scaling sqrt-dk-scaling#definitions",
    "sqrt(d_k)": "sqrt-dk-scaling sqrt-dk-scaling#definitions",
    "kv cache": "notation#term-KV-cache query-key-value#the-mask-and-what-a-decoder-may-keep",
    "variance of dot product": "sqrt-dk-scaling#the-variance-of-a-score",
    "cross attention": "notation#term-cross-attention query-key-value#where-queries-keys-and-values-come-from",
    "encoder decoder attention": "notation#term-cross-attention",
    "multiquery": "query-key-value#several-heads notation#term-multi-head-attention",
    "NTK": "notation#term-NTK-aware-base length#slower-clocks deeper/rope-scaling",
    "attention sinks": "notation#term-attention-sink deeper/windows-and-sinks#the-first-tokens-as-sinks",
    "alibi slopes": "deeper/buckets-and-slopes#the-slopes-of-alibi",
    "T5": "notation#term-T5-buckets deeper/buckets-and-slopes#the-buckets-of-t5",
    "log n scaling": "notation#term-log-n-temperature length#competition-and-the-log-n-temperature",
    "vanishing gradients": "notation#term-vanishing-gradient rnn-bottleneck#the-first-illness-the-gradient-fades",
    "梯度消失": "notation#term-vanishing-gradient",
    "gradient clipping": "notation#term-gradient-clipping deeper/gates-and-clipping",
    "causal mask": "notation#term-causal-mask query-key-value#the-mask-and-what-a-decoder-may-keep",
    "mask before or after softmax": "softmax-convex-combination#famous-mistake-masking-after-softmax",
    "flash attention": "notation#term-online-softmax deeper/online-softmax",
    "softmax floating point": "deeper/softmax-floating-point",
    "jacobian of softmax": "sqrt-dk-scaling#what-large-scores-do-to-the-gradient",
    "temperature": "notation#term-temperature softmax-convex-combination#temperature deeper/temperature",
    "cosine similarity": "deeper/dot-product-and-cosine common-beliefs#the-dot-product-is-cosine-similarity",
    "quadratic memory": "common-beliefs#attention-needs-quadratic-memory",
    "nadaraya-watson": "notation#term-kernel-smoothing deeper/kernel-smoothing",
    "sign of a permutation": "permutation-matrices#the-sign",
    "doubly stochastic matrix": "deeper/birkhoff-sinkhorn permutation-matrices#between-the-permutations",
    "deep sets": "notation#term-Deep-Sets deeper/equivariant-linear-maps#with-features-deep-sets",
    "is attention permutation invariant": "common-beliefs#attention-is-permutation-invariant",
    "prove equivariance of self-attention": "equivariance-invariance#self-attention-is-equivariant",
    "left padding": "notation#term-left-padding famous-mistakes#left-padding-that-counts-as-positions",
    "dropout bug": "famous-mistakes#dropout-left-on",
}
NEEDED = 29  # of these 32, nine in ten
FIRST = "document.querySelector('#search-results a')?.getAttribute('href') ?? 'nothing'"


@pytest.fixture(scope="module")
def page(open_page):
    """The search page, from its folder."""
    page = open_page(named("search"))
    yield page
    page.context.close()


def index():
    """The index as it is written: {address: [kind, title, boxes, text]}, and the groups of synonyms."""
    data = json.loads(INDEX.read_text("utf-8").removeprefix("const searchIndex = ").removesuffix(";\n"))
    entries = {}
    for one in data["pages"]:
        entries |= {f"{one['address']}#{anchor}".removesuffix("#"): entry for anchor, *entry in one["entries"]}
    return entries, data["synonyms"]


def address(place):
    """The address of page#section."""
    name, _, section = place.partition("#")
    return f"chapters/{name}.html" + (f"#{section}" if section else "")


def test_what_readers_ask_leads_to_the_section_that_answers(page):
    known, wrong = index()[0], []
    unknown = [place for places in QUERIES.values() for place in places.split() if address(place) not in known]
    assert not unknown, f"the index has no {', '.join(unknown)}"
    for query, places in QUERIES.items():
        page.locator("main input[type=search]").fill(query)
        first = page.evaluate(FIRST)
        if first not in map(address, places.split()):
            wrong.append(f"{query!r} leads to {first}, not to {places}")
    assert len(QUERIES) - len(wrong) >= NEEDED, "\n".join(wrong)
    report(page.log)


def test_the_record_and_solutions_come_last(page):
    early = []
    for query in QUERIES:
        page.locator("main input[type=search]").fill(query)
        links = page.locator("#search-results a").evaluate_all("(all) => all.slice(0, 3).map((a) => a.href)")
        early += [f"{query!r}: {link}" for link in links or ["nothing"] if re.search("nothing|/audit/|#sol-", link)]
    report(early)


def test_every_entry_is_a_place_on_its_page():
    places, wrong = {}, []
    for place in index()[0]:
        name, _, anchor = place.partition(".html")
        if name not in places:
            places[name] = set(SOURCES[name].xpath("//@id"))
        if anchor and anchor[1:] not in places[name]:
            wrong.append(f"the search leads to {place}, and there is no such place")
    assert len(places) > 70, f"the search knows {len(places)} pages"
    report(wrong)


def test_a_formula_is_found_by_what_is_seen_of_it():
    """No TeX stands in the index, and the root of the key dimension does."""
    texts = {place: " ".join(entry) for place, entry in index()[0].items()}
    report(f"{place}: TeX in the index" for place, text in texts.items() if re.search(r"\\[A-Za-z]{2,}", text))
    assert "√d_k" in texts[address("sqrt-dk-scaling#definitions")]


def test_a_link_is_the_title_of_its_page():
    texts = {place: " ".join(entry) for place, entry in index()[0].items()}
    assert "continues Length." in texts[address("deeper/rope-scaling")]
    report(
        f"{place}: {found[0]}" for place, text in texts.items() for found in re.finditer(r"\S*(\.\./|\x02)\S*", text)
    )


@pytest.mark.parametrize(
    ("tex", "seen"),
    [
        (r"q\cdot k/\sqrt{d_k}", "q·k/√d_k"),
        (r"\operatorname{Var}(q\cdot k) = \sigma^2", "Var(q·k) = σ^2"),
        (r"A = \mathrm{softmax}(QK^\top)", "A = softmax(QKᵀ)"),
        (r"\begin{pmatrix}1\end{pmatrix}", "…"),
    ],
)
def test_a_short_formula_is_letters_and_signs(tex, seen):
    assert search.plain(tex) == seen


def test_every_synonym_finds_something(page):
    names = [name for group in index()[1] for name in group]
    found = page.evaluate("(names) => names.map((name) => bookSearch.search(name).length)", names)
    assert len(index()[1]) >= 60
    report(f"search.yml: {name!r} finds nothing" for name, number in zip(names, found, strict=True) if not number)


def test_a_word_that_is_nowhere_ends_in_a_sentence(page):
    page.locator("main input[type=search]").fill("qwertz")
    said = page.locator(".search-summary")
    assert said.text_content() == said.get_attribute("data-none")
    page.locator("main input[type=search]").fill("equivar")  # half a word
    assert "equivariance" in page.evaluate(FIRST)


def test_the_keyboard_leads_from_the_question_to_the_page(open_page):
    page = open_page("search", query="?q=%E2%88%9Ad_k")
    first = page.evaluate(FIRST)
    assert page.evaluate("document.activeElement.name") == "q", "the cursor is not in the field"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{first}")
    page.context.close()


CHINESE = "注意力比较键和查询，再取平均值。" * 40 + "位置编码说出次序！" + "排列不改变集合，softmax 也不改变它" * 40


def test_an_excerpt_of_chinese_is_cut_without_spaces(open_page):
    """It begins with the sentence that answers, marks what was asked for, and is as long as an English one."""
    entries = [["", "page", "注意力", "", CHINESE], ["b", "section", "Scores", "", "A score compares. " * 20]]
    data = {"pages": [{"address": "a.html", "title": "注意力", "last": False, "entries": entries}], "synonyms": []}
    page = open_page(named("search"))
    page.route("**/search-index.js", lambda route: route.fulfill(body=f"const searchIndex = {json.dumps(data)};"))
    page.reload()
    page.locator("main input[type=search]").fill("位置编码")
    said = page.locator("#search-results p").first.text_content()
    assert said.startswith("… 位置编码说出次序！排列"), said
    assert 200 < len(said) < 260, said
    assert said.endswith(" …"), said
    assert page.locator("#search-results p").first.locator("mark").all_text_contents() == list("位置编码")
    page.locator("main input[type=search]").fill("score")
    said = page.locator("#search-results p").first.text_content()
    assert said == "A score compares. " * 13 + "A …"
    page.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_results_are_readable(open_page, theme):
    """No finding of axe, and nothing wider than a phone."""
    page = open_page("search", theme, PHONE, query="?q=positional%20encoding")
    page.evaluate(AXE_SCRIPT)
    problems = []
    for width in (PHONE, DESK):
        page.set_viewport_size({"width": width, "height": 800})
        problems += page.evaluate(AXE, [True, []])[0]
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert not wide, f"at {width} px the results are {wide} px too wide"
    assert page.locator("#search-results mark").count() > 20
    page.context.close()
    report(map(str, problems))
