"""Make SVG fit for where it stands: inline in a page, as :mod:`attnfigures.kit.style` promises, or in a file alone."""

import hashlib
import math
import re
from xml.etree import ElementTree

PIXELS = 1.6  # of a point, where the page is wide
COORDINATES = {"M": 2, "L": 2, "Q": 4, "C": 6, "z": 0}  # of each command that matplotlib writes into a path

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
    for parent in [*root.iter()]:
        for element in [element for element in parent if _is_unseen(element)]:
            parent.remove(element)
    for element in root.iter():
        if "id" in element.attrib:
            name = element.attrib.pop("id")
            if re.fullmatch(r"part\d+", name):
                element.set("id", f"{digest}{name}")
        if "d" in element.attrib:
            element.set("d", _short_path(element.attrib.pop("d")))
        for key, digits in (("x", 1), ("y", 1), ("transform", 2), ("style", 3)):
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
    root.set("stroke-linejoin", "round")  # as the rule said that has gone
    root.set("role", "img")
    root.set("aria-label", alt)
    text = ElementTree.tostring(root, encoding="unicode")
    return re.sub(r"\n\s*", "\n", text).strip()


def _is_unseen(element):
    """Return whether nothing of an element is drawn: what is said of the file, its style sheet, cells left empty.

    The one rule of matplotlib's sheet is for `*`: inside a page a browser styles all that it has read so far again.
    """
    return element.tag in (f"{{{SVG}}}metadata", f"{{{SVG}}}style") or element.get("style") == "fill: none"


def _rounded(value, digits):
    """Round each number with more digits behind the point than these; a turn by no angle is left out."""
    value = re.sub(r"rotate\(-?0 [^)]*\)", "", value)
    longer = rf"-?\d+\.\d{{{digits + 1},}}"
    return re.sub(longer, lambda number: f"{float(number.group()) + 0.0:.{digits}f}".removesuffix(".0"), value)


def _short_path(d):
    """Write the data of a path in a fraction of the letters: places to 0.1, which is finer than a screen shows.

    Lines are relative, so that cells of one size read alike; a circle is two arcs in the place of eight curves.
    """
    tokens = iter(re.findall(r"[A-Za-z]|-?[\d.]+(?:e-?\d+)?", d))
    pieces = []
    for command in tokens:
        numbers = [round(float(next(tokens)), 1) for _ in range(COORDINATES[command])]
        pieces.append((command, numbers))
    subpaths = []
    for piece in pieces:
        if piece[0] == "M":
            subpaths.append([])
        subpaths[-1].append(piece)
    return "".join(_circle(subpath) or _lines(subpath) for subpath in subpaths)


def _lines(subpath):
    """Return the text of a subpath; its curves stay as they are, with places for coordinates."""
    text, here = "", (0.0, 0.0)
    for command, numbers in subpath:
        dx, dy = (round(there - now, 1) for there, now in zip(numbers[-2:], here, strict=False)) if numbers else (0, 0)
        if command != "L":
            text += f"{command}{' '.join(map(_tenth, numbers))}"
        elif dx and dy:
            text += f"l{_tenth(dx)} {_tenth(dy)}"
        elif dx:
            text += f"h{_tenth(dx)}"
        else:
            text += f"v{_tenth(dy)}"
        here = numbers[-2:]
    return text


def _circle(subpath):
    """Return the text of a subpath if it is a circle as matplotlib draws it, with eight curves; otherwise nothing."""
    curves = subpath[1:]
    ends = [numbers[-2:] for command, numbers in curves if command == "C"]
    if [command for command, _ in curves] != ["C"] * 8 + ["z"]:
        return ""
    x, y = (sum(places) / 8 for places in zip(*ends, strict=True))
    radii = [math.dist(end, (x, y)) for end in ends]
    if max(radii) - min(radii) > 0.2:
        return ""
    r = sum(radii) / 8
    half = f"a{_tenth(r)} {_tenth(r)} 0 1 0 "
    return f"M{_tenth(x - r)} {_tenth(y)}{half}{_tenth(2 * r)} 0{half}{_tenth(-2 * r)} 0z"


def _tenth(x):
    """Write a number with one digit behind the point, or none."""
    return f"{x + 0.0:.1f}".removesuffix(".0")


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


def parts(drawing):
    """Return the SVG elements of a drawing, each as text: a drawing may lay out several side by side."""
    root = ElementTree.fromstring(drawing)
    return [ElementTree.tostring(svg, encoding="unicode").strip() for svg in root.iter() if _is_svg(svg)]


def alone(svg):
    """Return SVG that needs no page around it: its colours and its font are its own."""
    svg = svg.replace("family: inherit", "family: sans-serif").replace("currentColor", "#000000")
    return re.sub(r"var\([^,)]*, *([^)]*)\)", r"\1", svg)  # a value of CSS: the printed colour is its fallback


def sized(svg):
    """Return SVG that stands alone, as large as on a page, on a white ground; and what it shows, in words."""
    root = ElementTree.fromstring(alone(svg))
    limit = re.fullmatch(r"max-width:(\d+)px", root.get("style", ""))
    if limit and (box := root.get("viewBox")):
        width, height = map(float, box.split()[2:])
        del root.attrib["style"]
        root.set("width", limit[1])
        root.set("height", f"{height * float(limit[1]) / width:.0f}")
    root.set("font-family", "sans-serif")
    root.insert(0, ElementTree.Element(f"{{{SVG}}}rect", width="100%", height="100%", fill="#ffffff"))
    return ElementTree.tostring(root, encoding="unicode"), root.get("aria-label", "picture")


def _is_svg(element):
    return element.tag in (f"{{{SVG}}}svg", "svg")
