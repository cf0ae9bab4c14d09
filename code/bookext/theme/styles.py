"""One style sheet for the site: what the pages use of the theme's twelve, in their order.

A browser draws nothing before every style sheet is there, and of the theme's half megabyte a page uses a tenth. A rule
stays if each class and id it names stands on a page or as a word in a script; what names neither stays. A custom
property stays if a rule, page or script reads it, and so does an animation.
"""

import hashlib
import json
import re
from pathlib import Path

import tinycss2

from .. import markup

SHEET = "_static/site.css"
NESTED = {"media", "supports", "container"}


def merge(site, sheets, kept):
    """Write ``SHEET`` from the style sheets that the pages of ``site`` would load, if it has changed.

    In the file ``kept`` is what pages named that have not been written since.
    """
    target = site / SHEET
    last = target.read_text(encoding="utf-8").partition("\n")[0] if target.exists() else ""
    sources = [(path, path.read_text(encoding="utf-8")) for path in with_imports([site / name for name in sheets])]
    used = used_names(site, kept)
    digest = hashlib.sha256(repr((sorted(used), sources, Path(__file__).read_text())).encode()).hexdigest()[:16]
    if digest not in last:
        rules = purge("".join(_rebase(text, path, target) + "\n" for path, text in sources), used)
        target.write_text(f"/* {digest} */\n{rules}", encoding="utf-8")


def with_imports(sheets):
    """Return the files ``sheets``, each after those it imports; an ``@import`` itself does not survive in ``purge``."""
    for path in sheets:
        imports = re.findall(r"@import\s+(?:url\()?['\"]?([^'\");]+)", path.read_text(encoding="utf-8"))
        yield from with_imports([(path.parent / name).resolve() for name in imports])
        yield path


def used_names(site, kept):
    """Collect the classes, ids and custom properties of the pages of ``site``, and the words of their scripts."""
    pages = (path for path in site.rglob("*.html") if "_static" not in path.relative_to(site).parts)
    is_valid = kept.exists() and kept.stat().st_mtime > Path(__file__).stat().st_mtime
    before = json.loads(kept.read_text("utf-8")) if is_valid else {}
    now = {}
    for path in pages:
        name, written = path.relative_to(site).as_posix(), path.stat().st_mtime_ns
        known = before.get(name)
        now[name] = known if known and known[0] == written else [written, *map(sorted, _named(path))]
    kept.write_text(json.dumps(now), "utf-8")
    used = {word for _written, words, _scripts in now.values() for word in words}
    for script in {script for _written, _words, scripts in now.values() for script in scripts}:
        used.update(re.findall(r"[\w-]+", (site / script).read_text(encoding="utf-8")))
    return used


def _named(path):
    """Return the classes, ids and custom properties that a page names, and the scripts that it loads."""
    page = markup.read(path)
    named = {name for value in page.xpath("//@class | //@id") for name in value.split()}
    for waiting in page.xpath("//comment()"):  # an element that a later step may put there
        named.update(re.findall(r"[\w-]+", waiting.text))
    # A custom property is named in any attribute, style or script: here it counts as a word of the text.
    named.update(re.findall(r"--[A-Za-z][\w-]*", path.read_text(encoding="utf-8")))
    return named, _script_files(page)


def _script_files(page):
    """Return the scripts of the site that a page loads, each as a path from its top."""
    addresses = page.xpath("//script/@src | //link[@as='script']/@href")
    paths = (address.partition("?")[0].rpartition("_static/") for address in addresses)
    names = [name for _above, found, name in paths if found]
    return {f"_static/{name}" for name in [*names, *page.xpath("//@data-later")]}


def purge(css, used):
    """Return the rules of ``css`` that can match a page with the names ``used``, and what these rules read."""
    played = " ".join(re.findall(r"\banimation(?:-name)?\s*:([^;}]+)", css))
    names = used | set(re.findall(r"var\(\s*(--[\w-]+)", css)) | {f"@{word}" for word in re.findall(r"[\w-]+", played)}
    shorter = "".join(_rule(rule, names) for rule in tinycss2.parse_stylesheet(css, True, True))
    return shorter if shorter == css else purge(shorter, used)  # what is gone read names too


def _rule(rule, used):
    prelude = tinycss2.serialize(rule.prelude) if rule.type in ("at-rule", "qualified-rule") else ""
    if rule.type == "qualified-rule":
        selectors = [s.strip() for s in _split(rule.prelude) if _matches(s, used)]
        parts = [part for part in tinycss2.parse_blocks_contents(rule.content, True, True) if part.type != "error"]
        kept = [p.serialize().strip() for p in parts if not getattr(p, "name", "").startswith("--") or p.name in used]
        return f"{','.join(selectors)}{{{';'.join(kept)}}}\n" if selectors and kept else ""
    if rule.type == "at-rule" and rule.lower_at_keyword in NESTED:
        inside = "".join(_rule(r, used) for r in tinycss2.parse_rule_list(rule.content, True, True))
        return f"@{rule.at_keyword}{prelude}{{{inside}}}\n" if inside else ""
    dropped = rule.type != "at-rule" or rule.lower_at_keyword in ("import", "charset") or "Awesome" in rule.serialize()
    dropped = dropped or ("keyframes" in rule.lower_at_keyword and f"@{prelude.strip()}" not in used)
    return "" if dropped else rule.serialize() + "\n"


def _split(prelude):
    """Return the selectors of a list, cut at the commas that stand in no bracket."""
    parts = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return [tinycss2.serialize(part) for part in parts]


def _matches(selector, used):
    """Test whether a selector can match, leaving out what stands in brackets (``:not``, ``:is``, attributes)."""
    plain = re.sub(r"\\(.)", r"\1", re.sub(r"\[[^\]]*\]", "", selector))
    while (shorter := re.sub(r"\([^()]*\)", "", plain)) != plain:
        plain = shorter
    return set(re.findall(r"[.#]([A-Za-z_-][\w-]*)", plain)) <= used


def _rebase(css, path, target):
    """Return ``css`` with its relative addresses turned to start from the folder of ``target``."""

    def turn(match):
        address = match[2]
        if re.match(r"[a-z]+:|/|#", address):
            return match[0]
        place = (path.parent / address.partition("#")[0].partition("?")[0]).resolve()
        return f"url({match[1]}{place.relative_to(target.parent.resolve()).as_posix()}{match[1]})"

    return re.sub(r"url\((['\"]?)([^'\")]+)\1\)", turn, css)
