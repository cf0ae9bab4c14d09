"""Read what one student handed in: choose among the files, unpack, find the cells, and let IPython translate them.

This runs in the sandbox, before any code of the student's. Standard library only; IPython's translator is bound beside
it. What comes back, `RECORD`, is small, and the grader checks its form. What names mean in the cells is in `scopes`,
and what is compared of answers in `tokens`.
"""

import io
import itertools
import json
import re
import sys
import zipfile

if __name__ == "reading":  # in the sandbox, where these files lie side by side and are no package
    import scopes
    import tokens
else:
    from . import scopes, tokens

LARGEST = 20 << 20  # bytes of a notebook, with its outputs
ALL = 60 << 20  # bytes of everything that is unpacked for one student
MEMBERS = 1000  # files in a student's zip
CELLS = 500
CODE = 2 << 20  # characters in code cells
LONGEST = 20_000  # characters of a written answer that are shown
TRANSLATED = 1 << 19  # characters that IPython splits into tokens, for one notebook
LINE = 2000  # characters of a line that is translated
GROWTH = 60  # characters that one addition of IPython's becomes, in plain Python
NOTEBOOK, OTHER_ENDINGS = ".ipynb", (".ipynb.txt", ".ipynb.json")  # as a browser or a mail program saves one
ALL_ENDINGS = (NOTEBOOK, *OTHER_ENDINGS)
RUN = ("time", "capture", "prun", "debug")  # cell magics whose cell runs as if they were not there
NOTHING = (
    "timeit",
    "bash",
    "sh",
    "script",
    "html",
    "HTML",
    "javascript",
    "js",
    "latex",
    "markdown",
    "svg",
    "SVG",
    "perl",
    "ruby",
    "python2",
    "cmd",
    "writefile",
    "file",
)  # and those whose cell is nothing to run in Python
SPECIAL = re.compile(r"^[ \t]*(?:[%!?]|>>>|In \[)|=[ \t]*[%!]|\?[ \t]*$", re.MULTILINE)
CELL_MAGIC = re.compile(r"\s*%%(\w+)[ \t]*([^\n]*)\n?")
PICTURE = re.compile(r"\(data:image/[^()\n]*\)")  # as Colab puts one into a text
VERSION = re.compile(r"3\.\d{1,2}\b")
LOGIN = re.compile(r"^LOGIN[ \t]*=[ \t]*([\"'])(.*?)\1", re.MULTILINE)
NUMBERED = re.compile(r"#*[ \t]*(\d{1,2})\.[ \t]*(.*)")
SYSTEM = ("__MACOSX", ".ipynb_checkpoints", "Thumbs.db", "desktop.ini")
RECORD = {
    "file": int,
    "problem": str,
    "unused": [str],
    "labels": [str],
    "remarks": [str],
    "login": str,
    "python": str,
    "written": {str: str},
    "tokens": {str: [str]},
    "sources": {str: str},  # this and the next: see `spoken`
    "spoken": [(str, str, str)],
    "reused": [(int, int)],  # see `scopes.Reuse`
}


class NotGradable(ValueError):
    """Files in which there is nothing to grade; one sentence for student and instructor."""


def nothing(problem):
    """Return the RECORD of files in which there is nothing to grade."""
    return {
        "file": -1,
        "problem": problem,
        "unused": [],
        "labels": [],
        "remarks": [],
        "login": "",
        "python": "",
        "written": {},
        "tokens": {},
        "sources": {},
        "spoken": [],
        "reused": [],
    }


def read(files, public):
    """Return (RECORD, code cells in plain Python) for files, [[name, order, bytes or a sentence], …]."""
    record: dict = nothing("")
    asked = [name for question in public["questions"] for name in question["functions"]]
    try:
        books, record["unused"] = _candidates(files, asked)
        best = max(books, key=lambda book: book.rank)
    except NotGradable as error:
        return nothing(str(error)), []
    others = [book for book in books if book is not best]
    record["unused"] += [f"{_short(book.name)}: {_short(best.name)} is graded" for book in others][:100]
    lost = [_short(book.name) for book in others if book.rank[0]][:5]
    remark = [f"Only {_short(best.name)} is marked, and not {', '.join(lost)}."] if lost else []
    record |= {"file": best.index, "python": best.python, "remarks": best.remarks + remark}
    check = "".join(public.get("check", "").split())
    own = [cell for cell in best.cells if not check or "".join(cell[1].split()) != check]  # it would hang twice
    texts, labels = _code(own, asked, record["remarks"])
    sources, record["labels"] = translate(texts), labels
    cells = list(map(scopes.analyse, texts, sources, labels))
    record["remarks"] += _unknown_magics(cells)
    record["written"] = written_answers(own, public["questions"])
    record["login"] = _login(texts)
    record["tokens"] = {name: tokens.tokenize(body(texts, name)) for name in asked}
    for reuse in scopes.reuses(cells, public["questions"]):
        record["reused"].append([reuse.question, reuse.last])
        record["remarks"] += reuse.remarks
    if not any(scopes.defines(cell, {*asked}) for cell in cells):
        record["problem"] = f"It defines none of the functions that are asked for: {_why_none(cells)}."
    return record, sources


def _login(cells):
    """Return what the notebook says of whose it is."""
    said = [match[2] for cell in cells for match in LOGIN.finditer(cell)]
    return said[-1][:100].strip() if said else ""


def _why_none(cells):
    """Say what may be the matter with a notebook that defines nothing of what is asked for."""
    words = sum(cell.tree is None for cell in cells)
    if words:
        return f"{words} of its {len(cells)} code cells hold no Python, perhaps answers in words"
    return "perhaps it is another notebook"


class Book:
    """One notebook among the files of a student."""

    def __init__(self, index, name, order, data, asked):
        self.index, self.name, self.remarks = index, name, []
        self.cells, self.python = self._parse(data)
        answered = sum(_answered(body(self.code, name)) for name in asked)
        self.rank = (answered > 0, order, answered, name)
        if not name.lower().endswith(NOTEBOOK):
            self.remarks.append(f"The file was read as a notebook in spite of its name, {_short(name)}.")

    @property
    def code(self):
        """Return the texts of the code cells."""
        return [text for kind, text in self.cells if kind == "code"]

    def _parse(self, data):
        """Return the cells, (kind, text) each, and the version of Python that wrote them."""
        if not data.strip():
            raise NotGradable("The file is empty.")
        if len(data) > LARGEST:
            raise NotGradable(
                f"The file is larger than {LARGEST >> 20} MB: clear its outputs, save it, hand it in again."
            )
        text = self._decode(data)
        try:
            document = json.loads(text)
            cells = [(str(cell.get("cell_type")), _text(cell)) for cell in _cells(document)]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise NotGradable(_why_no_notebook(text)) from None
        code = [text for kind, text in cells if kind == "code"]
        if len(code) > CELLS:
            raise NotGradable(f"The notebook has more than {CELLS} code cells.")
        if sum(map(len, code)) > CODE:
            raise NotGradable(f"The code cells hold more than {CODE >> 20} million characters.")
        return cells, _python(document)

    def _decode(self, data):
        """Return the text of a file; letters that are not UTF-8 are replaced, with a remark."""
        try:
            return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
        except UnicodeDecodeError as error:
            self.remarks.append(f"The file is not all UTF-8 (byte {error.start}): letters there are shown as \ufffd.")
            return data.decode("utf-8", "replace")


def _cells(document):
    """Return the cells of a notebook of any version; before version 4 of the format, they lay in worksheets."""
    cells = document.get("cells")
    if cells is not None:
        return cells
    return [cell for sheet in document["worksheets"] for cell in sheet["cells"]]


def _answered(function):
    """Return whether a function is more than its stub, whose line may be left behind a return or in a comment."""
    lines = function.split("\n")
    stub = next((n for n, line in enumerate(lines) if line.strip() == scopes.STUB), len(lines))
    return bool(function) and (stub == len(lines) or any(line.strip().startswith("return") for line in lines[:stub]))


def _why_no_notebook(text):
    """Say what a file is that is no notebook."""
    start = text[:4096].lstrip().lower()
    if start.startswith(("<!doctype", "<html", "<?xml")):
        return "The file is a saved web page, not a notebook: download the .ipynb itself."
    if "\n<<<<<<< " in text and "\n>>>>>>> " in text:
        return "The file holds the marks of a merge conflict (<<<<<<<): resolve it, save, and hand it in again."
    if start.startswith("{") and not text.rstrip().endswith("}"):
        return "The file ends in the middle of a notebook: the download was cut short; hand it in again."
    return "The file is not a Jupyter notebook."


def _text(cell):
    """Return the text of a cell: one string or a list of lines; a cell without text is empty."""
    source = cell.get("source", cell.get("input", ""))
    lines = source if isinstance(source, list) else [source]
    return "".join(line for line in lines if isinstance(line, str)).encode("utf-8", "replace").decode("utf-8")


def _python(document):
    """Return the version of Python that the metadata name, such as 3.12, or ""."""
    try:
        match = VERSION.match(document["metadata"]["language_info"]["version"])
    except (KeyError, TypeError):
        return ""
    return match[0] if match else ""


def _candidates(files, asked):
    """Return every notebook among the files, and "name: why" for the files that are none; NotGradable without any."""
    found, others = _Found(asked), []
    for index, (name, order, data) in enumerate(files):
        if isinstance(data, str):
            found.refuse(name, data)
        elif is_of_the_system(name):
            found.unused.append(f"{_short(name)}: not a student's file")
        elif name.lower().endswith(ALL_ENDINGS):
            found.read(index, name, order, data)
        else:
            others.append((index, name, order, data))
    if found.books:  # a notebook beside a zip or a file without an ending is the one that is meant
        found.unused += [f"{_short(name)}: no notebook" for _, name, _, _ in others if name]
        return found.books, found.unused[:100]
    for index, name, order, data in others:
        if name.lower().endswith(".zip") or data[:4] == b"PK\x03\x04":
            found.unpack(index, name, order, data)
        elif data.lstrip()[:1] == b"{":
            found.read(index, name, order, data)
        else:
            found.unused.append(f"{_short(name)}: no notebook")
    if not found.books:
        raise NotGradable(_why_nothing(files, found.reasons))
    return found.books, found.unused[:100]


def _why_nothing(files, reasons):
    """Say why none of the files is a notebook: what the last one said, or what is there."""
    names = ", ".join(_short(name) for name, *_ in files if name)
    seen = f": found {names}" if names else ""
    reason = reasons[-1] if reasons else f"No notebook was handed in{seen}."
    return reason if len(reason) <= 500 else f"{reason[:500]}…"


class _Found:
    """The notebooks among the files of a student, and why the other files are none."""

    def __init__(self, asked):
        self.asked, self.books = asked, []
        self.unused, self.reasons = [], []  # "name: why" and "why"
        self.left = ALL  # bytes that may still be unpacked

    def refuse(self, name, reason):
        """Note why a file is no notebook."""
        self.reasons.append(reason)
        self.unused.append(f"{_short(name)}: {reason}")

    def read(self, index, name, order, data):
        """Read a notebook."""
        try:
            self.books.append(Book(index, name, order, data, self.asked))
        except NotGradable as error:
            self.refuse(name, str(error))

    def unpack(self, index, name, order, data):
        """Read every notebook in a zip."""
        try:
            for inner, inside in self._members(data):
                self.read(index, f"{name}/{inner}", order, inside)
        except NotGradable as error:
            self.refuse(name, str(error))

    def _members(self, data):
        """Yield (name, bytes) for every notebook in a zip, within limits on number and bytes."""
        try:
            archive = zipfile.ZipFile(io.BytesIO(data))
            infos = archive.infolist()
        except Exception as error:
            raise NotGradable(f"The zip cannot be opened ({type(error).__name__}).") from None
        if len(infos) > MEMBERS:
            raise NotGradable(f"The zip holds {len(infos)} files; at most {MEMBERS} are read.")
        names = [info.filename for info in infos]
        notebooks = [path.lower().endswith(ALL_ENDINGS) and not is_of_the_system(path) for path in names]
        if not any(notebooks):
            raise NotGradable("The zip holds no notebook.")
        for info in itertools.compress(infos, notebooks):
            yield info.filename, self._member(archive, info)

    def _member(self, archive, info):
        """Return the bytes of one file in a zip."""
        try:
            with archive.open(info) as file:
                inside = file.read(min(LARGEST, self.left) + 1)
        except Exception as error:  # a damaged member, a password, a method that nobody knows
            raise NotGradable(f"{_short(info.filename)} in the zip cannot be read ({type(error).__name__}).") from None
        self.left -= len(inside)
        if self.left < 0:
            raise NotGradable(f"The zip unpacks to more than {ALL >> 20} MB.")
        return inside


def is_of_the_system(path):
    """Return whether a program, and not the student, put a file of this name there."""
    return any(part.startswith(("._", "~$", ".~")) or part in SYSTEM for part in path.split("/"))


def _short(name):
    return name if len(name) <= 100 else f"{name[:99]}…"


def _code(cells, asked, remarks):
    """Return the code cells, and for each a label by which the student finds it.

    A text cell that is plainly an answer, and was made a text cell by a slip, is a code cell again, with a remark.
    """
    there = {name for kind, text in cells if kind == "code" for name in scopes.DEF.findall(text)}
    code, labels, number = [], [], 0
    for kind, text in cells:
        if kind == "code":
            number += 1
            label = f"Code cell {number}"
        else:
            lost = [name for name in scopes.DEF.findall(text) if name in asked and name not in there]
            if not lost:
                continue
            runs = scopes.parse(text) is not None
            what = "here it was run as code" if runs else "make it a code cell"
            remarks.append(f"`{lost[0]}` stands in a text cell, which does not run: {what}.")
            if not runs:
                continue
            label = "The text cell"
        code.append(text)
        labels.append(label + _beginning(text))
    return code, labels


def _beginning(text):
    """Return the first line of a cell in brackets, cut after 40 characters."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    if not first:
        return ""
    return f" ({first})" if len(first) <= 40 else f" ({first[:40]}…)"


def translate(cells):
    """Return the cells in plain Python, on the lines where they were. Work is bounded; a cell beyond stays as it is."""
    left, done = TRANSLATED, []
    for cell in cells:
        cell = _without_magic(cell)
        indented = cell.lstrip("\n").startswith((" ", "\t"))  # as a whole, which IPython allows
        special = indented + len(SPECIAL.findall(cell[:TRANSLATED]))
        work = (special + 1) * (len(cell) + GROWTH * special)
        if special and work <= left and max(map(len, cell.splitlines()), default=0) <= LINE:
            left -= work
            cell = _translated(cell)
        done.append(cell)
    return done


def _without_magic(cell):
    """Return a cell without the cell magics that only watch it; Jupyter translates the lines below them too."""
    above = ""
    while (magic := CELL_MAGIC.match(cell)) and magic[1] in RUN:
        name, lines = (magic[2].split() or [""])[-1], magic[0].count("\n")
        if magic[1] == "capture" and name.isidentifier():  # what was captured can be shown, and is empty
            above += "\n" * (lines - 1) + f"{name} = get_ipython()\n"
        else:
            above += "\n" * lines
        cell = cell[magic.end() :]
    return above + cell


def _translated(cell):
    """Let IPython translate one cell."""
    blank = cell[: len(cell) - len(cell.lstrip())].count("\n")  # IPython takes the empty lines at the top away
    try:
        return "\n" * blank + _ipython().transform_cell(cell)
    except Exception:  # the cell is no Python; running it says so, with the line
        return cell


def _ipython():
    """Return IPython's translator; in the sandbox nothing else of IPython is there, and nothing of it stays."""
    if "manager" not in _loaded:
        before = {*sys.modules}
        try:
            from IPython.core.inputtransformer2 import TransformerManager

            _loaded["manager"] = TransformerManager()
        except Exception:  # a Python that IPython does not know: lines of its own become comments
            _loaded["manager"] = None
        if __name__ == "reading":  # in the sandbox, where the student's own `import IPython` finds a stand-in
            for name in [name for name in sys.modules if name.startswith("IPython") and name not in before]:
                del sys.modules[name]
    if _loaded["manager"] is None:
        raise ImportError("IPython")
    return _loaded["manager"]


_loaded = {}


def _unknown_magics(cells):
    """Return a remark for each Cell under a magic that nobody here knows."""
    magics = [(cell.label, CELL_MAGIC.match(cell.text)) for cell in cells]
    return [
        f"{label} did not run: the cell magic %%{magic[1][:30]} is not known here."
        for label, magic in magics
        if magic and magic[1] not in (*RUN, *NOTHING)
    ]


def written_answers(cells, questions):
    """Return what a student wrote to each written question, by its number from 0, from (kind, text) cells.

    An answer is what stands below the heading of its question, in text or code cells, without the question itself. A
    question without its heading is not there.
    """
    answers, current = {}, None
    for kind, text in cells:
        first, _, rest = text.lstrip().partition("\n")
        heading = NUMBERED.fullmatch(first[:500].strip()) if kind != "code" else None
        for number, question in enumerate(questions):
            if heading and heading[1] == str(number + 1) and heading[2].startswith(question["title"]):
                current, text = number, rest
        if current is None or not questions[current]["written"]:
            continue
        for known in (questions[current]["text"], questions[current]["written"]):
            text = text.replace(known, "")
        answers.setdefault(str(current), []).append(PICTURE.sub("(a picture in the notebook)", text).strip())
    return {number: _cut("\n\n".join(filter(None, parts))) for number, parts in answers.items()}


def _cut(text):
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}\n(Cut here: the notebook has {len(text)} characters.)"


def body(cells, name):
    """Return the text of the last `def name` in the cells, to the next line that is not indented."""
    for source in reversed(cells):
        starts = [match.start() for match in scopes.DEF.finditer(source) if match[1] == name]
        if starts:
            lines = source[starts[-1] : starts[-1] + tokens.COMPARED].split("\n")
            ends = (n for n, line in enumerate(lines) if n and line.strip() and line[0] not in " \t)#")
            return "\n".join(lines[: next(ends, len(lines))])
    return ""
