"""The messages of scripts: no sentence of a figure stays out, no code gets in, and nothing else of a script changes."""

import json
import re

import pytest
from attnfigures.kit import files
from bookext.language import javascript, scripts
from bookext.theme.assets import OWN_SCRIPTS
from py_mini_racer import MiniRacer

SCRIPTS = (*OWN_SCRIPTS, *sorted(files.KIT.glob("*.js")), *sorted(files.FIGURES.glob("*.js")))
WORD = re.compile(r"\W*[A-Za-z]{2,}(['’-][A-Za-z]+)*\W*")
# Where no reader sees a string: each place of such a string in the scripts that has two words.
CODE = {
    # compared, looked up, or cut into the words that a model reads
    "===",
    "[",
    ".split(",
    # classes and CSS
    "class:",
    "className =",
    "style:",
    "transition =",
    "matchMedia(",
    # names of numbers, and of what a browser keeps
    "data-shows:",
    "KEY =",
    "session(",
    # selectors
    "find(",
    "findAll(",
    "querySelector(",
    "querySelectorAll(",
    "answerSelector =",
    "askedSelector =",
    "blockSelector =",
    "boxSelector =",
    # regular expressions
    "RegExp(",
}
FORMS = (
    r"(live-[\w-]+ ?|\{\w+\} ?)+",  # classes
    r"translate\(.*\)( (scale|rotate)\(.*\))?",  # transforms
    r"(\{\w+\}(px|fr) ?)+",  # lengths
    r"<(option|label).*>",  # markup
)


def said(code):
    return [text for text, _line in scripts.messages(code)]


def bracketed(code):
    return scripts.rewrite(code, "[{}]".format)


@pytest.mark.parametrize(
    "text",
    [
        "scale of the scores",
        "rotate both hands",
        "translate each key",
        "matrix of the weights",
        "live figures of a page",
        "explore the other rows",
        "svg and its parts",
        "Weights < 1 are small",
        "high-pass of the key",
        "Log-odds as trained {odds}",
        "alike: {alike}",
        "waits for 3 s, then for 5 px",
        "key, value",
        "“cat” is “it”",
        "x = 1; then y = 2",
        "see #3 [of four]",
        "60 steps",
        "a key",
        "Shuffle",
    ],
)
def test_a_sentence_is_a_message_whatever_its_words(text):
    for code in (f"write(line, {json.dumps(text)});", f"const a = {{ 'aria-label': on ? `{text}` : 0 }};"):
        assert said(code) == [text]


@pytest.mark.parametrize(
    "code",
    [
        'make("p", { class: hidden ? "one two" : `three ${on ? "four five" : "six seven"}` })',
        'make("p", { /* its */ class /* is */: /* this */ on && ("one two") })',
        'element.className = "one two"',
        'div("live-one live-two", `live-one ${two}`)',
        'make("p", { className: "one two" })',
        'document.querySelector("main form").closest("main p").matches("nav a, main p")',
        'if (key === "Enter" || "Enter" === key || "Enter" in keys) {}',
        'switch (name) { case "two words": act(); }',
        'const words = "the keys to the cabinet".split(" ")',
        'const answerSelector = "details summary, p"',
        "set(g, { transform: `translate(${x}px, 2px) rotate(${a})`, style: `left: 3px; top: ${y}px` })",
        "const html = `<option value=${value}>${label}</option>`",
        'number["layer, head"]',
        'make("b", { "data-shows": `weights ${i}` })',
        "session(`live ${path}#${id}`)",
        'bar.style.transition = "transform 0.25s"',
        'const name = "weight"',
    ],
)
def test_code_is_no_message(code):
    assert said(code) == []
    assert bracketed(code) == code


@pytest.mark.parametrize(
    ("code", "rewritten"),
    [
        ('_("weight") + on("weight")', '_("[weight]") + on("weight")'),
        ('_(on ? "weight" : "score")', '_(on ? "[weight]" : "[score]")'),
        ('f = (x) => /"/.test("some words here")', 'f = (x) => /"/.test("[some words here]")'),
        ('f(/[/"`]/g, "two words", a / b, "A / B")', 'f(/[/"`]/g, "[two words]", a / b, "A / B")'),
        ('total\n  / "two words".length / 3', 'total\n  / "[two words]".length / 3'),
        ('find(() => { return "a key"; })', 'find(() => { return "[a key]"; })'),
        ('f(KEY = 1, "a key"); KEY = 2; f["b"] += "a key"', 'f(KEY = 1, "[a key]"); KEY = 2; f["b"] += "[a key]"'),
        ("f('two \"words\" here')", r'f("[two \"words\" here]")'),
        (r'f("\x41 key \u00e9\u{1F600}\ud83d\ude00 it\'s")', 'f("[A key é😀😀 it\'s]")'),
        (r"f(`A \`key\` \${of} \x41 ${x}`)", r"f(`[A \`key\` \${of} A ${x}]`)"),
        ("f(`${x} and {y} here`)", "f(`[${x} and {y} here]`)"),
        ("f(`${x} and ${f({ y: { z } })}, ${x}`)", "f(`[${x} and ${f({ y: { z } })}, ${x}]`)"),
        ('f(`row ${a ? `of ${g("a key")} rows` : "}"}`)', 'f(`[row ${a ? `[of ${g("[a key]")} rows]` : "}"}]`)'),
        ('f(`row ${i /* of "two rows" } */} ends`)', 'f(`[row ${i /* of "two rows" } */} ends]`)'),
        ('// it\'s "a key"\n/* `a key */ f("a key")', '// it\'s "a key"\n/* `a key */ f("[a key]")'),
    ],
)
def test_a_message_is_found_and_replaced_whatever_stands_around_it(code, rewritten):
    assert bracketed(code) == rewritten
    assert scripts.rewrite(code, str) == code


def test_a_value_is_named_by_its_variable_or_a_number():
    assert said("f(`of ${n}, ${f(n)} and ${n} or ${f(n)}`)") == ["of {n}, {2} and {n} or {3}"]
    assert scripts.rewrite("f(`${a.b} of ${n}`)", lambda _text: "{n} has {1}") == "f(`${n} has ${a.b}`)"


@pytest.mark.parametrize(
    "code",
    [
        'f("two words)',
        'f("two\nwords")',
        "f(`two words)",
        "f(`two ${words`)",
        "f(a]",
        "f(a))",
        "f(`${x} and {x} here`)",
    ],
)
def test_what_cannot_be_read_is_refused_by_file_and_line(code):
    with pytest.raises(ValueError, match=r"^star\.js:2: "):
        scripts.messages(f"const a = 1;\n{code}\n\n", "star.js")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_string_of_two_words_is_either_a_message_or_code(path):
    code = path.read_text("utf-8")
    found = {(re.sub(r"\{\w+\}", "{x}", text), line) for text, line in scripts.messages(code, path.name)}
    for literal in javascript.within(javascript.literals(code, path.name)):
        text = "".join(
            re.sub(r"\{\w+\}", "{x}", piece) if isinstance(piece, str) else "{x}" for piece in literal.pieces
        )
        line = javascript.line_of(code, literal.start)
        words = [part for part in text.split() if WORD.fullmatch(part.replace("{x}", ""))]
        is_code = literal.place in CODE or any(re.fullmatch(form, text) for form in FORMS)
        assert len(words) < 2 or is_code != ((text, line) in found), f"{path.name}:{line}: {text}"


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_a_translated_script_is_a_script_that_differs_in_its_messages_alone(path):
    code = path.read_text("utf-8")
    translated = bracketed(code)
    assert scripts.rewrite(code, str, path.name) == code
    assert said(translated) == [f"[{text}]" for text in said(code)]
    body = translated.replace("export default", "return")
    MiniRacer().eval(f"new Function({json.dumps(body)}); 0")
