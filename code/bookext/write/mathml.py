"""Formulas as MathML, made while building: on the page before any script runs, copyable, and read aloud.

Temml (vendor/temml.min.js, MIT licence) translates TeX to MathML. It is JavaScript, so it runs once per build in V8,
which mini-racer brings along: neither Node nor a network is needed.
"""

import html
import json
import os
from functools import cache
from pathlib import Path

from docutils import nodes
from lxml import etree
from py_mini_racer import MiniRacer
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from ..language.messages import _

TEMML = Path(__file__).parents[1] / "vendor" / "temml.min.js"
LARGE = r"\displaystyle{}"  # of a piece; who copies it gets what the author wrote
logger = logging.getLogger(__name__)


def setup(app):
    """Register the renderer ``mathml``; Sphinx keeps numbering equations and resolving references to them."""
    app.add_html_math_renderer("mathml", (_inline, lambda *_: None), (_block, lambda *_: None))


@cache
def _engine(process):
    """V8 of one process: that of its parent stands still in a process that Sphinx has forked to write pages."""
    engine = MiniRacer()
    engine.eval(TEMML.read_text(encoding="utf-8") + "; 0")
    return engine


@cache
def to_mathml(tex, display=False):
    """Translate ``tex`` to MathML, annotated with the TeX; ``ValueError`` with Temml's message if it is not TeX."""
    options = {"displayMode": display, "annotate": True, "throwOnError": True, "trust": False}
    call = f"temml.renderToString({json.dumps(tex)}, {json.dumps(options)})"
    attempt = f"(() => {{ try {{ return {call} }} catch (e) {{ return 'Error: ' + e.message }} }})()"
    answer = _engine(os.getpid()).eval(attempt)
    if answer.startswith("Error: "):
        raise ValueError(answer.removeprefix("Error: "))
    return _lower_primes(answer) if "tml-prime" in answer else answer


def _lower_primes(mathml):
    """Set primes beside their letters in full size: as exponents they would be raised twice and shrink to a speck."""
    tree = etree.fromstring(mathml)
    for prime in tree.xpath("//mo[contains(@class, 'tml-prime')][parent::msup or parent::msubsup]"):
        shell = prime.getparent()
        base = prime.getparent()[0]
        prime.set("class", "tml-prime")  # without the space that an exponent has before it
        if shell.tag == "msup":
            shell.tag = "mrow"
        else:  # A′ with a subscript: the prime goes with the letter
            shell.tag = "msub"
            letter = etree.Element("mrow")
            shell.replace(base, letter)
            letter.extend([base, prime])
    return etree.tostring(tree, encoding="unicode", method="html")


def _render(node, display):
    tex = node.astext().strip()
    if display and not node.get("nowrap") and "\\\\" in tex and "\\begin" not in tex:
        tex = f"\\begin{{split}}{tex}\\end{{split}}"
    try:
        if display and r"\allowbreak" in tex:  # a narrow page breaks between the pieces
            pieces = " ".join(to_mathml(rf"{LARGE}{piece}") for piece in tex.split(r"\allowbreak"))
            return f'<span class="pieces">{pieces.replace(LARGE, "")}</span>'
        return to_mathml(tex, display)
    except ValueError as error:
        logger.warning("formula %r: %s", tex, error, location=node)
        return f"<code>{html.escape(tex)}</code>"


def _inline(self, node):
    self.body.append(self.starttag(node, "span", "", CLASS="math notranslate nohighlight"))
    self.body.append(_render(node, display=False) + "</span>")
    raise nodes.SkipNode


def _block(self, node):
    self.body.append(self.starttag(node, "div", CLASS="math notranslate nohighlight"))
    self.body.append(_render(node, display=True))
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


RAISED = str.maketrans("0123456789+−-nT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿᵀ")


def in_one_line(formula):
    """Return a formula in MathML as text, for the name of a control: browsers leave formulas out of names."""
    parts = [in_one_line(part) for part in formula if part.tag != "annotation"]
    match formula.tag:
        case "msup":
            return parts[0] + _raised(parts[1])
        case "msub" | "munder":
            return " ".join(parts)
        case "msubsup" | "munderover":
            return f"{parts[0]} {parts[1]}{_raised(parts[2])}"
        case "mfrac":
            return "/".join(map(_bracketed, parts))
        case "msqrt":
            return "√" + _bracketed("".join(parts))
    return (formula.text or "") + "".join(parts)


def _raised(exponent):
    return exponent.translate(RAISED) if len(exponent) == 1 else f"^({exponent})"


def _bracketed(part):
    return part if len(part) == 1 else f"({part})"
