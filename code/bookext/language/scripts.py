"""Translate the messages of scripts: those of their strings that read like text for the reader.

A string with values in it is one message, ``row {i} of {2}``: a variable gives its name. Names of classes, elements and
keys, parts of a state and what an experiment stored are no messages: a message begins with a capital letter or holds a
space between words, and is compared with nothing. Whatever else is for the reader is marked as one: ``_("weight")``.
"""

import json
import re
from collections.abc import Callable

TOKEN = re.compile(
    r"""
      (?P<stored>    (?m:^const\ \w+\ =\ \[\{".*$)  )   # a line of what an experiment stored, as JSON
    | (?P<comment>   //[^\n]* | /\*[\s\S]*?\*/  )
    | (?P<string>    "(?:[^"\\\n]|\\.)*"  )
    | (?P<regex>     (?<=[(,=:\[!&|?{};])\s*             # only where a value may begin: else it divides
                     /(?![/*]) (?: [^/\\\n\[] | \\. | \[(?:[^\]\\\n]|\\.)*\] )+ /\w*  )
    | (?P<template>  `  )                               # its first sign
    """,
    re.VERBOSE,
)
NOT_SHOWN = re.compile(  # the code before a string that no reader sees
    r"""(
      "data-shows":(\ [\w\ ]+\?)? | \bshows\(           # the name of a number of `compute`
    | "model":                                            # the model of a state
    | [!=]== | \bcase | \bin                            # compared with a value, or looked up
    | RegExp\(
    | \bclass: | class= | [cC]lassName\W*               # classes of an element
    | \b\w*(Selector|closest|matches)\w*\(             # elements that are looked for
    )\s*$""",
    re.VERBOSE,
)
CODE = re.compile(
    r"""
      ^(live|explore|M|translate|rotate|matrix|scale|svg)\b   # a class of this book, a path, a transform, an element
    | [#.]\w[\w-]*[ >:\[{]                                   # a selector, such as ".live > svg"
    | [<>]                                                   # markup
    | ^\W*\w+-\w+                                            # a name with a hyphen, such as "aria-label"
    | \d(px|s)\b                                             # a length or a time of a style
    | ^[a-z.-]+(,\ [a-z\d.-]+)+$                             # a list of elements, such as "p, li"
    """,
    re.VERBOSE,
)
SIGNS = re.compile("[;=]")  # code as well, unless words stand side by side
PROSE = re.compile(r"[a-z]{3,}:? [a-z]{2,}")
SPLIT = re.compile(r"\s*\.split\(")
MARKED = re.compile(r"(?<![\w$.])_\($")
WORDS = re.compile(
    r"""
      ^\W*[A-Z][a-z]+(\W|$)     # "Shuffle"
    | [a-z]{2,},?\ \S           # "later words", "keys, 5"
    | [^\W\d_]\ [a-z]{2,}       # "a key"
    | ^\d+\ [a-z]{3,}$          # "60 steps"
    """,
    re.VERBOSE,
)


def is_message(text: str, before: str = "") -> bool:
    """Test whether a string is meant for the reader, from itself and the code before it."""
    if MARKED.search(before):
        return True
    plain = re.sub(r"\{\w+\}", "0", text)
    text_like = WORDS.search(plain) and (PROSE.search(plain) or not SIGNS.search(plain))
    return bool(text_like) and not CODE.search(plain) and not NOT_SHOWN.search(before)


def messages(code: str) -> list[str]:
    """Return the messages of the JavaScript ``code``, in their order."""
    found = []

    def keep(text):
        found.append(text)
        return text

    rewrite(code, keep)
    return found


def rewrite(code: str, translate: Callable[[str], str]) -> str:
    """Return the JavaScript ``code`` with each of its messages replaced by what ``translate`` returns for it."""
    return _rewrite(code, 0, translate, inside=False)[0]


def _rewrite(code, at, translate, inside):
    """Rewrite from ``at`` on, ``inside`` a template only up to the brace that closes; also return where it ended."""
    out = []
    depth = 0
    while at < len(code):
        token = TOKEN.match(code, at)
        if not token:
            depth += {"{": 1, "}": -1}.get(code[at], 0)
            if inside and depth < 0:
                break
            out.append(code[at])
            at += 1
        elif token.lastgroup == "string":
            text = json.loads(token[0].replace("\\'", "'"))
            before = "".join(out[-40:])
            at = token.end()
            data = SPLIT.match(code, at)  # words that a model reads
            new = text if data or not is_message(text, before) else translate(text)
            out.append(token[0] if new == text else json.dumps(new, ensure_ascii=False))
        elif token.lastgroup == "template":
            new, at = _template(code, token.end(), translate, "".join(out[-40:]))
            out.append(new)
        else:
            out.append(token[0])
            at = token.end()
    return "".join(out), at


def _template(code, at, translate, before):
    """Rewrite the template whose text begins at ``at``; also return where it ended."""
    text = ""
    values = {}
    while code[at] != "`":
        if code.startswith("${", at):
            value, at = _rewrite(code, at + 2, translate, inside=True)
            name = value if value.isidentifier() else str(len(values) + 1)
            values[name] = value
            text += f"{{{name}}}"
            at += 1
        else:
            step = 2 if code[at] == "\\" else 1
            text += code[at : at + step]
            at += step
    if is_message(text, before):
        text = translate(text)
    if values:
        text = re.sub(r"\{(\w+)\}", lambda name: "${" + values[name[1]] + "}", text)
    return f"`{text}`", at + 1
