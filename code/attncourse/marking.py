"""Mark written answers: a page to tick the lines of each rubric, and the files that markers save there.

An answer has a code made of its text, and of the numbers of one's own that its question names, which a marker reads
above it. So nobody sees whose it is, two who wrote the same of the same are marked alike, and a mark stays with its
answer when a class is graded again, under whatever name. A marker saves `marks-<name>.csv`; it belongs
beside the page, in the folder of the grades. Where markers differ, nothing counts until one of them has settled it.
"""

import base64
import hashlib
import json
import re
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

from . import clean, roster
from .model import LINES, CourseError

HERE = Path(__file__).parent
FILES = "marks-*.csv"
PAGE = "marking.html"
ORDINALS = ("first", "second", "third")
COLUMNS = ("question", "answer", *ORDINALS, "remark", "marker", "time", "settles", "rubric")
YES, NO = ("yes", "y", "1", "true", "x"), ("no", "n", "0", "false", "")
LETTERS = "bcdfghjklmnpqrst"  # a code of digits might be a number to a spreadsheet, and one of vowels a word
CODE = 10  # letters
NAMED = re.compile(r"`([A-Z]\w*)`")  # in a question: a given value
LONGEST = 200  # characters of a value
LAYOUT = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src '{hash}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Marking: {title}</title>
<style>
{style}</style>
</head>
<body>
{body}<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


@dataclass(frozen=True)
class Tick:
    """What one marker says of one answer: a truth value for each line of the rubric, and a remark for the student."""

    question: str
    answer: str
    ticks: list
    remark: str
    marker: str
    time: str  # when, as the marker's browser has it; the later one of two is the newer
    settles: bool = False  # whether the marker saw that others differ
    rubric: str = ""  # a code of the lines that the marker had


@dataclass(frozen=True)
class Verdict:
    """What counts of one answer."""

    ticks: list
    remarks: list

    def points(self, question):
        """Return the points: a third for each tick."""
        return round(question.points * sum(self.ticks) / LINES, 2)


def code(*texts):
    """Return a short name of texts, the same for texts that differ in white space alone."""
    plain = "\n".join(" ".join(text.split()) for text in texts)
    digest = hashlib.sha256(plain.encode("utf-8", "replace")).hexdigest()
    return "".join(LETTERS[int(digit, 16)] for digit in digest[:CODE])


def text_for_markers(assignment, written, values):
    """Return {question: what a marker reads}: the student's own values that the question names, and the answer.

    The same words about different values are two answers.
    """
    read = dict(written)
    for question in assignment.questions:
        named = [name for name in dict.fromkeys(NAMED.findall(question.text)) if name in values]
        if read.get(question.name) and named:
            own = [f"{name} = {str(values[name])[:LONGEST]}" for name in named]
            read[question.name] = "\n".join([*own, "", read[question.name]])
    return read


class Marks:
    """The marks of a class, from the files in its folder; `problems` says what in them is not understood."""

    def __init__(self, assignment, folder):
        self.questions = {question.name: question for question in assignment.questions if question.rubric}
        self.problems: list = []
        newest: dict = {}
        for path in sorted(folder.glob(FILES)) if self.questions else []:
            for tick in self._read(path):
                place = tick.question, tick.answer, tick.marker.casefold()
                if place not in newest or newest[place].time <= tick.time:
                    newest[place] = tick
        self.ticks = defaultdict(list)  # {(question, code of an answer): the newest of each marker}
        for tick in newest.values():
            self.ticks[tick.question, tick.answer].append(tick)

    def _read(self, path):
        """Yield what a marker's file says."""
        try:
            header, *rows = roster.cells(path, "The marks")
        except CourseError as error:
            self.problems.append(str(error))
            return
        names = [name.strip().casefold() for name in header]
        missing = [name for name in COLUMNS[: 2 + LINES] if name not in names]
        if missing:
            self.problems.append(f"{path.name}: it has no column {', '.join(missing)}")
            return
        for number, row in enumerate(rows, 2):
            told = dict.fromkeys(COLUMNS, "") | {name: cell.strip() for name, cell in zip(names, row, strict=False)}
            ticks = [_truth(told[name]) for name in ORDINALS]
            if told["question"] not in self.questions:
                self.problems.append(f"{path.name}, row {number}: there is no written question {told['question']!r}")
            elif None in ticks:
                self.problems.append(f"{path.name}, row {number}: {', '.join(ORDINALS)} are yes or no")
            else:
                marker = told["marker"] or path.stem.removeprefix("marks-")
                about = told["remark"], marker, told["time"], _truth(told["settles"]) is True, told["rubric"]
                yield Tick(told["question"], told["answer"], ticks, *about)

    def verdict(self, question, text):
        """Return the `Verdict` on an answer; None where nobody has marked it, or markers differ."""
        told = self.ticks.get((question, code(question, text)), [])
        settled = [tick for tick in told if tick.settles]
        counts = [max(settled, key=lambda tick: tick.time)] if settled else told
        if not counts or _differ(counts):
            return None
        remarks = [line.strip() for tick in counts for line in tick.remark.splitlines() if line.strip()]
        return Verdict(counts[0].ticks, list(dict.fromkeys(remarks)))

    def verdicts(self, words):
        """Return {question: Verdict} of a student's answers, as `text_for_markers` gives them."""
        written = {name: text for name, text in words.items() if text and name in self.questions}
        found = {name: self.verdict(name, text) for name, text in written.items()}
        return {name: verdict for name, verdict in found.items() if verdict is not None}

    def disagreement(self, question, text):
        """Return what each marker says of an answer, if they differ and nobody has settled it; "" otherwise."""
        told = self.ticks.get((question, code(question, text)), [])
        if self.verdict(question, text) or not told:
            return ""
        return ", ".join(f"{tick.marker} {_signs(tick.ticks)}" for tick in sorted(told, key=lambda tick: tick.marker))

    def without_answer(self, answers):
        """Yield a line for each marker whose file has marks that fit no answer of this class."""
        there = {(name, code(name, text)) for name, text in answers}
        lost = defaultdict(int)
        for place, told in self.ticks.items():
            for tick in told if place not in there else []:
                lost[tick.marker] += 1
        yield from (f"{marker}: {many}" for marker, many in sorted(lost.items()))

    def by_older_rubric(self, answers):
        """Yield a line for each question of which answers were marked by other lines than the rubric has now."""
        for name, question in self.questions.items():
            codes = {code(name, text) for other, text in answers if other == name}
            told = [tick for place in codes for tick in self.ticks.get((name, place), [])]
            many = sum(tick.rubric not in ("", code(*question.rubric)) for tick in told)
            if many:
                yield f"{name}: {many}"


def _truth(cell):
    """Return the truth value that a cell says, None if it says neither."""
    said = cell.casefold()
    return True if said in YES else False if said in NO else None


def _differ(told):
    return any(tick.ticks != told[0].ticks for tick in told)


def _signs(ticks):
    return "".join("✓" if tick else "–" for tick in ticks)


def page(assignment, folder, answers, marks):
    """Return the marking page of a class; `answers` are (question, text) without any order that says whose they are."""
    questions = [
        {
            "name": question.name,
            "title": question.title,
            "text": clean.lines(question.text),
            "asks": question.asks,
            "points": question.points,
            "lines": question.rubric,
            "notes": clean.lines(question.notes),
            "rubric": code(*question.rubric),
        }
        for question in marks.questions.values()
    ]
    texts = {(name, code(name, text)): clean.lines(text) for name, text in answers if text and name in marks.questions}
    order = [question["name"] for question in questions]  # and by texts, so that one case stands together
    data = {
        "title": assignment.title,
        "place": f"{assignment.chapter}/{Path(folder).name}",
        "questions": questions,
        "answers": [
            {"question": name, "code": place, "text": texts[name, place]}
            for name, place in sorted(texts, key=lambda entry: (order.index(entry[0]), texts[entry]))
        ],
        "marks": [asdict(tick) for place in texts for tick in marks.ticks.get(place, [])],
    }
    script = (HERE / "marking.js").read_text(encoding="utf-8")
    return LAYOUT.format(
        title=clean.page(assignment.title),
        hash="sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        style=(HERE / "marking.css").read_text(encoding="utf-8"),
        body=(HERE / PAGE).read_text(encoding="utf-8"),
        data=json.dumps(data).replace("<", "\\u003c"),
        script=script,
    )
