"""Make the SVG that matplotlib writes fit to stand inline in a page: what :mod:`attnfigures.kit.style` promises."""

import hashlib
import re
from xml.etree import ElementTree

PIXELS = 1.6  # of a point, where the page is wide

SVG = "http://www.w3.org/2000/svg"
XLINK = "http://www.w3.org/1999/xlink"
ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)


def adapt(svg, alt, palette):
    """Return matplotlib's SVG as text that may stand inline in a page, with the colours of ``palette`` as variables."""
    used = list(dict.fromkeys(re.findall(rb"(?:url\(|href=\")#([\w.-]+)", svg)))
    for i, name in enumerate(used):  # matplotlib hashes coordinates, whose last bits vary from one layout to the next
        svg = re.sub(rb'(["#])' + re.escape(name) + rb'(["\)])', rb"\g<1>part%d\2" % i, svg)
    digest = "f" + hashlib.sha256(svg + alt.encode()).hexdigest()[:8]
    root = ElementTree.fromstring(svg)
    for metadata in root.findall(f"{{{SVG}}}metadata"):
        root.remove(metadata)
    for element in root.iter():
        if "id" in element.attrib:
            name = element.attrib.pop("id")
            if re.fullmatch(r"part\d+", name):
                element.set("id", f"{digest}{name}")
        for key, digits in (("d", 1), ("x", 2), ("y", 2), ("transform", 2)):  # finer than a screen shows
            if value := _rounded(element.attrib.pop(key, ""), digits):
                element.set(key, value)
        for key, value in element.attrib.items():
            value = re.sub(r"url\(#", f"url(#{digest}", value)
            element.set(key, f"#{digest}{value[1:]}" if key == f"{{{XLINK}}}href" else _colours(value, palette))
    root.attrib.pop("version", None)
    width = float(root.attrib.pop("width").removesuffix("pt"))
    root.attrib.pop("height")
    root.set("style", f"max-width:{width * PIXELS:.0f}px")
    root.set("fill", "currentColor")
    root.set("role", "img")
    root.set("aria-label", alt)
    text = ElementTree.tostring(root, encoding="unicode")
    return re.sub(r"\n\s*", "\n", text).strip()


def _rounded(value, digits):
    """Round each number with a decimal point; a turn by no angle is left out."""
    value = re.sub(r"rotate\(-?0 [^)]*\)", "", value)
    return re.sub(r"-?\d+\.\d+", lambda number: f"{float(number.group()):.{digits}f}", value)


def _colours(value, palette):
    value = re.sub(r"#000000|#000\b", "currentColor", value)
    value = re.sub(r"font(-family)?: ?[^;]*(?:'DejaVu Sans'|sans-serif)[^;]*", _font, value)
    for name, colour in palette.items():
        value = value.replace(colour, f"var(--figure-{name}, {colour})")
    return value


def _font(match):
    """Let the page's own sans-serif set the text of a figure."""
    size = re.search(r"([\d.]+)px", match.group())
    return f"font-size: {size.group(1)}px" if size else "font-family: inherit"
