"""List what an instructor must know beside the grades; what is uncertain comes first."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable

from . import clean, exports, history, items, marking, model, policy, roster, similar

LATE = re.compile(r"\blate\b", re.IGNORECASE)  # however it is said
FIRST = "Look at these first: who is whose is not certain"


def all_of(grades, files):
    """Return what an instructor must know beside the grades, {title: lines}; what is uncertain comes first.

    `files` is the `gradefiles.GradeFiles`, which records what goes wrong here too.
    """
    lists = {}
    for title, lines_of in LISTS.items():
        lists[title] = files.attempt(f"the list {title!r}", _listed, lines_of, grades)
    lists["Not written this time: what was there is of an earlier run, and has another name now"] = [
        f"{name} is now {aside}" for name, aside in files.set_aside.items()
    ]
    lists["Could not be written"] = list(dict.fromkeys(files.errors))
    return {title: lines for title, lines in lists.items() if lines}


def _listed(lines_of, grades):
    """Return the lines that a generator yields."""
    return [*lines_of(grades)]


def _uncertain(grades):
    """Yield a line for each thing that may be another student's, or is gone."""
    yield from grades.classlist.claims
    yield from _withheld(grades)
    yield from grades.changes()["vanished"]


def _not_graded_yet(grades):
    """Yield the students whom an interrupted run did not come to."""
    yield from grades.not_graded_yet()


def _changed(grades):
    """Yield a line for each student whose grade is not that of the last run."""
    yield from grades.changes()["lines"]


def _problems(grades):
    """Yield a line for each file in which nothing could be graded."""
    for student, result in sorted(grades.results.items()):
        if result.problem:
            yield f"{student}: {result.problem}"


def _same_files(grades):
    """Yield a line for each set of students who handed in the same files."""
    yield from map(", ".join, similar.same_files(grades))


def _slow(grades):
    """Yield each student whose submission reached a time limit."""
    for student, result in sorted(grades.results.items()):
        if result.slow:
            yield student


def _failed(grades):
    """Yield a line for each submission that the grader could not grade."""
    for student, result in sorted(grades.results.items()):
        if result.score is None:
            yield f"{student}: {result.fault or ' '.join(result.remarks)}"


def _no_heading(grades):
    """Yield a line for each written question whose heading a student has removed."""
    for student, name, text in _waiting(grades):
        if text is None:
            yield f"{student}: {name}"


def _marking_problems(grades):
    """Yield a line for each thing in a file of a marker that is not understood."""
    yield from grades.written_marks.problems


def _strange_marks(grades):
    """Yield a line for each marker with marks that fit no answer of this class."""
    yield from grades.written_marks.without_answer(grades.answers())


def _older_marks(grades):
    """Yield a line for each question whose answers were marked by an older rubric."""
    yield from grades.written_marks.by_older_rubric(grades.answers())


def _not_on_roster(grades):
    """Yield a line for each student whom the roster does not have, and why."""
    for student, why in sorted(grades.classlist.matching.unmatched.items()):
        yield f"{student} {why}"


def _read_with_roster(grades):
    """Yield a line for each name of a file that was understood with the help of the roster."""
    yield from grades.classlist.helped


def _ambiguous_names(grades):
    """Yield a line for each name in the policy that means several students."""
    for name, students in grades.classlist.ambiguous.items():
        yield f"{name}: {len(students)} of that name: {', '.join(sorted(students))}"


def _unknown_names(grades):
    """Yield each name in the policy that means nobody, in this class or in another of the same assignment."""
    yield from sorted({*grades.classlist.unknown} - history.names_in_other_classes(grades))


def _not_used(grades):
    """Yield a line for each file that was not graded, and why."""
    for name, why in grades.classlist.unused:
        yield f"{name}: {why}"
    for student, result in sorted(grades.results.items()):
        for line in result.unused:
            yield f"{student}: {line}"


def who_tried_nothing(grades):
    """Return {what: students} of those who answered nothing: their points do not show what the class can do."""
    found = {"an untouched notebook": [], "a file without any answer": [], "nothing handed in": []}
    stubs = items.blank_answers(grades.assignment)
    for student in grades.everyone():
        result = grades.result(student)
        if student in grades.classlist.absent and student not in grades.with_results():
            found["nothing handed in"].append(student)
        elif result.problem:
            found["a file without any answer"].append(student)
        elif _untouched(result, stubs):
            found["an untouched notebook"].append(student)
    return {what: students for what, students in found.items() if students}


def _untouched(result, stubs):
    """Return whether a notebook has no points and no words, and each of its functions is as it was handed out."""
    own = {name: tokens for name, tokens in result.tokens.items() if tokens}
    words = any((result.written or {}).values())
    return not result.earned and not words and bool(own) and own.items() <= stubs.items()


def _other_logins(grades):
    """Yield a line for each notebook with a login that is not its student's."""
    for student, result in _personal(grades):
        logins, said = grades.logins(student), model.plain_login(result.login)
        if logins and said not in logins:
            others = [other for other in grades.everyone() if said and said in grades.logins(other)]
            whose = f"{result.login!r}, who is {', '.join(others)}" if others else repr(result.login)
            yield f"{student}: the notebook says {whose if said else 'none'}; marked with those of {logins[0]}"


def _unconfirmed(grades):
    """Yield a line for each login that only the notebooks say."""
    whose = defaultdict(list)
    for student, result in _personal(grades):
        if not grades.logins(student):
            whose[model.plain_login(result.login)].append(student)
    for login, students in sorted(whose.items()):
        yield f"{', '.join(students)}: {repr(login) if login else 'no login'}"


def _personal(grades):
    """Return (student, result) of the notebooks that were marked with numbers of the student's own."""
    if not grades.assignment.personal:
        return []
    return [(student, result) for student, result in sorted(grades.results.items()) if result.file >= 0]


def _several_submissions(grades):
    """Yield a line for each group in which several members handed in."""
    for group in {tuple(group): None for group in grades.groups.values()}:
        there = [member for member in group if member in grades.results]
        if len(there) > 1:
            points = ", ".join(f"{member} {clean.number(grades.results[member].score)}" for member in there)
            owners = {grades.owner(member): None for member in group}
            if len(owners) == 1:
                yield f"{points}: that of {next(iter(owners))} counts"
            else:
                each = ", ".join(f"for {member} that of {grades.owner(member)}" for member in group)
                yield f"{points}: {each} counts"


def _withheld(grades):
    """Yield a line for each student without points who may have more than what is certain."""
    for student in filter(grades.is_withheld, grades.with_results()):
        files = ", ".join(grades.classlist.possible_submissions(student))
        yield f"{student} has no points, but {files} may be of this student: nothing of them is exported."


def _waiting(grades):
    """Yield (student, question, text) for each written answer without points; the text is None without a heading."""
    for student in sorted(grades.results):
        written = grades.in_words(student)
        for name, points in grades.final(student).parts.items():
            if points is None:
                yield student, name, written.get(name)


def to_mark(grades):
    """Return {(question, text)} of the written answers that have no points yet; the same text counts once."""
    return {(name, text) for _, name, text in _waiting(grades) if text is not None}


def _unmarked(grades):
    """Yield a line for each question with answers that nobody has marked."""
    waiting = [(name, text) for _, name, text in _waiting(grades) if text is not None]
    unmarked = Counter(name for name, text in waiting if not grades.written_marks.disagreement(name, text))
    yield from (f"{name}: {many}" for name, many in unmarked.items())


def _markers_differ(grades):
    """Yield a line for each answer on which markers differ, and what each of them says."""
    for student, name, text in _waiting(grades):
        told = grades.written_marks.disagreement(name, text or "")
        if told:
            yield f"{name}, {student}: {told}. One of them settles it in {marking.PAGE}."


def _nothing_handed_in(grades):
    """Yield a line for each student on the roster who handed in nothing, as far as that is certain."""
    classlist = grades.classlist
    for student in sorted({*classlist.absent} - {*grades.with_results()}):
        name = classlist.name(student)
        see = ": but see what stands first" if classlist.possible_submissions(student) else ""
        called = f"{student} ({name})" if name not in (student, "") else student
        yield f"{called}{see}"


def _on_several_lines(grades):
    """Yield a line for each person who stands on several lines of the roster."""
    for person in grades.classlist.roster_people():
        if len(person["rows"]) > 1:
            yield f"{clean.line(roster.label(person))}: {len(person['rows'])} lines"


def _late(grades):
    """Yield a line for each student who is late."""
    for student in grades.with_results():
        late = grades.final(student).late
        if late:
            yield f"{student}: {late:g}"


def _late_by_worksheet(grades):
    """Yield a line for each student whom Moodle's worksheet calls late in words that do not say by how much."""
    classlist, decided = grades.classlist, grades.policy["late"]["days"]
    for student in grades.with_results() if classlist.roster else []:
        said = roster.status(classlist.roster, classlist.roster_entry(student))
        if LATE.search(said) and classlist.days_late_by_worksheet(student) is None and student not in decided:
            yield f"{student}: {clean.line(said)}"


def _how_late(grades):
    """Yield the deadline, and what the platform can say of lateness."""
    late = grades.policy["late"]
    if policy.deadline(grades.policy):
        yield f"Due {policy.deadline(grades.policy)}."
    if grades.classlist.platform != "Moodle" or not {"due", "per_day"} & {*late}:
        return
    classlist = grades.classlist
    if any(roster.status(classlist.roster, person) for person in classlist.roster_people()):
        yield (
            "Moodle's files have no time: how late they came is what the column Status of the worksheet says, by the "
            "due date and the extensions in Moodle."
        )
    else:
        yield (
            "Moodle's files have no time, and no worksheet in English is here as ROSTER: nothing is deducted but for "
            "those whom `late: days` of the policy names, or a time in submissions.csv."
        )


def _handed_in_again(grades):
    """Yield a line for each student of the second round."""
    for student in grades.with_results():
        final = grades.final(student)
        if final.rounds:
            yield f"{student}: {' → '.join(map(clean.number, final.rounds))}, and {clean.number(final.score)} counts"


def _sentences_on_slips(grades):
    """Yield a line if the pages of this run hold back what the assignment says of slips that students made."""
    made = sum(bool(result.recognised) for result in grades.results.values())
    if made and not policy.shows_hints(grades.policy):
        yield (
            f"{made} students made slips that are known, and their pages do not say so yet: `hints` of the policy "
            "decides whether they read it before the deadline, after it, or never."
        )


# {title: function that yields its lines}, in the order of the report.
LISTS: dict[str, Callable] = {
    FIRST: _uncertain,
    "Not graded yet, because the run was interrupted": _not_graded_yet,
    "Changed since an earlier run": _changed,
    "No points because of the file, not because of an answer": _problems,
    "Marked with other numbers than the notebook has: the login in it is not the student's own": _other_logins,
    "Marked with the numbers of a login that no roster confirms": _unconfirmed,
    "Groups with several submissions: for each member, the one that leaves most points counts": _several_submissions,
    "The same files, byte for byte: a group that the policy does not name, or a copy": _same_files,
    "A time limit was reached": _slow,
    "Could not be graded": _failed,
    "Written answers on which markers differ, without points so far": _markers_differ,
    f"Written answers that nobody has marked, without points so far: open {marking.PAGE}": _unmarked,
    "The heading of a written question is gone: look into the notebook, and give points in the policy": _no_heading,
    "Files of markers that are not understood": _marking_problems,
    "Marks that fit no answer of this class, by marker": _strange_marks,
    "Marked by other lines than the rubric has now": _older_marks,
    "On the roster, and nothing handed in": _nothing_handed_in,
    "Not found on the roster": _not_on_roster,
    "On several lines of the roster, and taken for one person": _on_several_lines,
    "Read with the help of the roster": _read_with_roster,
    "Named in the policy, and not followed, because it fits several": _ambiguous_names,
    "Named in the policy, and not found": _unknown_names,
    "Late, in days": _late,
    "Late by Moodle's worksheet, and nothing is deducted": _late_by_worksheet,
    "How lateness is counted": _how_late,
    "Handed in again, for a share of the points that were lost": _handed_in_again,
    "Sentences on slips": _sentences_on_slips,
    "Before you import": exports.import_notes,
    "Files that were not graded": _not_used,
}
