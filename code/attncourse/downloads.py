"""List what was handed in, one `Submission` for each student: a folder or a zip as a platform gives it, or a plain one.

`platforms` returns every reading of a name. Where all of them agree in whose a file is, when it came and whether it was
late, that is taken; where they do not, a line of `submissions.csv` says which one is true, or, for an instructor's own
pattern, the roster. Else the file is claimed: it is graded apart, and its points are in no table for a platform. In a
plain folder or zip whoever saved the files wrote the names: a file or a folder for each student. Nothing here looks
into a student's file.
"""

import os
import re
import unicodedata
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

from . import archives, choosing, clean, platforms, tables, whose
from .model import CourseError
from .submissions import ENDINGS, Download, Entry, Submission, file_of, ordered
from .tables import TABLE

ROSTER = "roster.csv"
METADATA = "submission_metadata.yml"
NOT_A_STUDENTS = {
    "index.html",
    "grades.csv",
    METADATA,
    "comments.txt",
    "timestamp.txt",
    "feedbacktext.html",
    ".ds_store",
    ROSTER,
    TABLE,
}
COPY = re.compile(r" ?\(\d+\)$")  # as a browser marks a second download
HOW = f"Say whose it is in `{TABLE}`, or in the file that TABLE names, and run it again."


def read(place, people=None, table=None, pattern=""):
    """Return the `Download` at a path.

    Parameters
    ----------
    place : path
        A folder or a zip.
    people : roster.Roster, optional
        It decides between the readings of a name by an instructor's pattern.
    table : list of tables.Line, optional
        Whose some files are, as `tables.read` returns it: these lines are believed. Without it, `submissions.csv` at
        the top of the place counts, or in a folder that holds everything and is no student's.
    pattern : str, optional
        How the names are made, in place of the platforms that are known; see `platforms.by_pattern`.

    Raises
    ------
    CourseError
        If the place is no download, or the pattern is none.
    """
    extra, entries = _without_outer_folders(archives.entries(Path(place)), pattern)
    own = next((entry for entry in extra if [part.lower() for part in entry.parts] == [TABLE]), None)
    if table is None and own:
        table, extra = tables.read(own), [entry for entry in extra if entry is not own]
    title, readings_of = _reader(entries, extra, pattern)
    claims: list = []
    helped: list = []
    told, rest = tables.divide(table or [], _without_git(entries), claims)
    named, uncertain, others = _sort_by_certainty(rest, readings_of, title, people, helped)
    submissions = [_submission(title, several) for several in named.values()]
    submissions += _uncertain_submissions(uncertain, title, claims)
    if title or pattern:
        extra += [entry for entry in others if _is_no_students(entry)]
        strangers = [entry for entry in others if not _is_no_students(entry)]
        submissions += _stray_submissions(strangers, f"{title} does" if title else "the pattern says", claims)
    else:
        submissions += _plain_submissions(others, claims)
    submissions = tables.join_submissions(told, submissions, title, readings_of, people)
    if not any(file.may_answer or file.instead for submission in submissions for file in submission.files):
        seen = ", ".join(clean.line(entry.path)[:80] for entry in [*entries, *extra][:3]) or "nothing"
        raise CourseError(
            f"The folder {place} holds no submission: seen are {seen}. Known are the downloads of "
            f"{', '.join(platforms.READERS)}, and plain folders or zips with a file or a folder for each student; "
            f"for others there are {TABLE} and PATTERN."
        )
    unused = [(clean.line(entry.path), "not a student's file") for entry in extra]
    return Download(_with_labels(submissions, claims), title, claims, unused, helped)


def _reader(entries, extra, pattern):
    """Return the title of the platform, or "", and what returns the readings of a name."""
    if pattern:
        return "", platforms.by_pattern(pattern)
    title, readings_of = platforms.reader([entry.parts for entry in entries])
    if _has_submitters(extra, entries):
        title, readings_of = "Gradescope", platforms.READERS["Gradescope"]
    return title, _with_submitters(readings_of, extra) if title == "Gradescope" else readings_of


def _has_submitters(outside, entries):
    """Return whether Gradescope's metadata stand beside a folder of Gradescope's: then they say whose it is."""
    metadata = any(entry.parts == (METADATA,) for entry in outside)
    return metadata and any(platforms.gradescope(entry.parts) for entry in entries)


def _without_git(entries):
    """Return entries without what git keeps; a clone in which nothing else is counts as an empty folder."""
    kept = [entry for entry in entries if ".git" not in entry.parts[1:]]
    only_git = {entry.parts[0] for entry in entries} - {entry.parts[0] for entry in kept}
    return kept + [Entry((top, ""), "", lambda: "The folder is empty.") for top in sorted(only_git)]


def _is_no_students(entry):
    """Return whether a file is no student's, by its name at any depth."""
    return entry.parts[-1].lower() in NOT_A_STUDENTS


def _is_foreign(parts):
    """Return whether a file is no student's, by the top of its path."""
    return parts[0] in choosing.SYSTEM or (len(parts) == 1 and parts[0].lower() in NOT_A_STUDENTS)


def _without_outer_folders(entries, pattern):
    """Return (files that are no student's, entries without a folder that holds all others).

    Such a folder stays if a platform wrote its name, or if there is no more than one thing in it: then it is a
    student's. One with Gradescope's metadata in it is the export, however few submissions it holds.
    """
    extra = []
    while True:
        extra += [entry for entry in entries if _is_foreign(entry.parts)]
        entries = [entry for entry in entries if not _is_foreign(entry.parts)]
        if len({entry.parts[0] for entry in entries}) != 1 or any(len(entry.parts) == 1 for entry in entries):
            return extra, entries
        if entries[0].parts[0] == ".git" or (_has_known_names(entries, pattern) and not pattern):
            return extra, entries
        inner = [replace(entry, parts=entry.parts[1:]) for entry in entries]
        own = [entry.parts for entry in inner if not _is_foreign(entry.parts)]
        tops = {parts[0] for parts in own}
        folders = {parts[0] for parts in own if len(parts) > 1}
        notebooks = [top for top in tops if top.lower().endswith(choosing.NOTEBOOK)]
        if not pattern and _is_export(inner):
            entries = inner
            continue
        if ".git" in tops or not (
            _has_known_names(inner, pattern) or len(notebooks) > 2 or (len(tops) > 1 and folders)
        ):
            return extra, entries
        entries = inner


def _is_export(entries):
    """Return whether these files, or those in a folder that holds all of them, are Gradescope's with its metadata."""
    for entry in entries:
        outer = entry.parts[:-1]
        if entry.parts[-1] == METADATA and all(other.parts[: len(outer)] == outer for other in entries):
            inner = [replace(other, parts=other.parts[len(outer) :]) for other in entries]
            if _has_submitters(inner, inner):
                return True
    return False


def _has_known_names(entries, pattern):
    """Return whether most names are those of a platform, or of the instructor's pattern."""
    if not pattern:
        return bool(platforms.reader([entry.parts for entry in entries])[0])
    readings_of = platforms.by_pattern(pattern)
    return sum(bool(readings_of(entry.parts)) for entry in entries) > len(entries) // 2


def _with_submitters(readings_of, extra):
    """Return a reader of Gradescope's names that returns one reading for each student who submitted a file."""
    data = next((entry.read() for entry in extra if entry.parts == (METADATA,)), b"")
    known = platforms.submitters(data.decode("utf-8", "replace")) if isinstance(data, bytes) else {}
    return lambda parts: [one for each in readings_of(parts) for one in platforms.submitted(each, known)]


def _sort_by_certainty(entries, readings_of, title, people, helped):
    """Return ({key: [(Reading, Entry), …]}, [(Entry, readings) that are not certain], [other entries])."""
    known = whose.Index(people) if people else None
    named = defaultdict(list)
    several, others = [], []
    for entry in entries:
        readings = readings_of(entry.parts)
        if not readings:
            others.append(entry)
        elif title == "Gradescope":  # each of its readings is true
            for each in readings:
                named[each.key].append((each, entry))
        elif len({each.says for each in readings}) == 1 and len(readings) < platforms.MOST:
            each = min(readings, key=lambda each: each.order)
            named[each.key].append((each, entry))
        else:
            several.append((entry, readings))
    certain = {key: [entry for _, entry in files] for key, files in named.items()}
    uncertain = []
    for entry, readings in several:
        each = _true_reading(readings, title, known) if known else None
        if each is None or _has_rival(certain.get(each.key, [])):
            uncertain.append((entry, readings))
        else:
            named[each.key].append((each, entry))
            helped.append(f"{clean.line(entry.path)}: {clean.line(each.student)}")
    return named, uncertain, others


def _has_rival(entries):
    """Return whether one of these files, whose owner is certain, may answer.

    A file whose owner only the roster tells never joins it: it could count in its place.
    """
    return any(file_of(entry).may_answer for entry in entries)


def _true_reading(readings, title, known):
    """Return the one reading of an instructor's pattern whose student is on the roster, or None.

    Between the readings of a platform's name no list decides: the owner of a number that is not in the gradebook may
    have handed in, under a display name that says another one's number.
    """
    if title or len(readings) >= platforms.MOST:
        return None
    possible = [each for each in readings if whose.possible_people(known, title, each)]
    if len({each.says for each in possible}) > 1:
        return None
    return min(possible, key=lambda each: each.order, default=None)


def _submission(title, several):
    """Return the `Submission` of the files that one student handed in, the newest first."""
    each = several[0][0]
    files = ordered(file_of(entry, own) for own, entry in several)
    student = clean.line(each.student).strip() or clean.line(files[0].path)
    return Submission(student, files, title, each.user, each.login, each.name, each.github, each.team)


def _uncertain_submissions(uncertain, title, claims):
    """Yield a submission for each file whose readings differ, and claim it."""
    for entry, readings in uncertain:
        said = {}
        for each in readings:
            late = ", late" if each.late else ""
            time = f", {each.time}" if each.time else ""
            said.setdefault(each.says, f"{clean.line(each.student)}{late}{time}")
        ways = "; or ".join([*said.values()][:4])
        claims.append(f"{clean.line(entry.path)} can be read as {ways}. {HOW}")
        maybe = tuple(sorted({each.key[0] for each in readings}))
        yield Submission(
            clean.line(entry.path), (file_of(entry),), title, claim="can be read in several ways", maybe=maybe
        )


def _stray_submissions(entries, what, claims):
    """Yield a submission for each file or folder whose name is not made like the others, and claim it."""
    tops = defaultdict(list)
    for entry in entries:
        tops[entry.parts[0]].append(file_of(entry))
    for top, files in sorted(tops.items()):
        claims.append(f"{clean.line(top)} is not named as {what}. {HOW}")
        yield Submission(clean.line(top), ordered(files), claim="has no name of the platform's")


def _plain_submissions(entries, claims):
    """Return submissions of a plain folder or zip: a file or a folder for each student."""
    tops, submissions = defaultdict(list), []
    for entry in entries:
        tops[entry.parts[0]].append(entry)
    for top, inside in sorted(tops.items()):
        files = ordered(map(file_of, inside))
        books = [file for file in files if file.name.lower().endswith(choosing.NOTEBOOK)]
        books = [file for file in books if not choosing.is_of_the_system(file.name)]
        if len(books) > 1:
            names = ", ".join(clean.line(file.name)[:60] for file in books[:4])
            more = ", …" if len(books) > 4 else ""
            claims.append(
                f"{clean.line(top)} is one student with {len(books)} notebooks ({names}{more}): if they are of several "
                "people, move the files out of the folder."
            )
        submissions.append(Submission(clean.line(_stem(top) if len(inside[0].parts) == 1 else top), files))
    return _one_for_each_name(submissions)


def _one_for_each_name(submissions):
    """Return submissions in which a notebook and other files of the same name are one student's."""
    by_name = defaultdict(list)
    for submission in submissions:
        by_name[submission.student].append(submission)
    for several in by_name.values():
        books = [s for s in several if any(file.name.lower().endswith(ENDINGS) for file in s.files)]
        if len(several) > 1 and len(books) <= 1:
            yield replace(several[0], files=ordered(file for submission in several for file in submission.files))
        else:
            yield from several


def _stem(name):
    """Return the name of a student from the name of a file: without its ending."""
    ending = next((end for end in ENDINGS if name.lower().endswith(end)), "") or os.path.splitext(name)[1]
    return name[: len(name) - len(ending)] or name


def _folded(text):
    """Return a name without case and without the ` (1)` of a browser, with accents composed."""
    return COPY.sub("", " ".join(unicodedata.normalize("NFC", text).casefold().split()))


def _with_labels(submissions, claims):
    """Return {student: Submission} with a unique label for each; names that look the same are claimed."""
    groups, labelled = defaultdict(list), {}
    for submission in submissions:
        groups[_folded(submission.student)].append(submission)
    for same in groups.values():
        labels = []
        for submission in sorted(same, key=lambda s: (s.student, s.files[0].path)):
            alone = len(same) == 1 and not submission.platform
            base = COPY.sub("", submission.student) if alone else submission.student
            base = unicodedata.normalize("NFC", base) or submission.student
            label, number = base, 2
            while label in labelled or label.casefold() in map(str.casefold, labels):
                label, number = f"{base} ({number})", number + 1
            claim = submission.claim or ("has the name of another one" if len(same) > 1 else "")
            labelled[label] = replace(submission, student=label, claim=claim)
            labels.append(label)
        if len(same) > 1:
            names = ", ".join(f"{label} ({clean.line(labelled[label].files[0].path)})" for label in labels)
            claims.append(
                f"{len(same)} submissions under one name, each graded: {names}. Say whose each is in `{TABLE}`, or "
                "take the wrong ones away, and run it again."
            )
    return dict(sorted(labelled.items()))
