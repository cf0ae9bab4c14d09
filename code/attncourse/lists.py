"""List what an instructor must know beside the grades; what is uncertain comes first."""

import re
from collections import Counter, defaultdict

from . import clean, exports, history, items, marking, model, policy, roster

LATE = re.compile(r"\blate\b", re.IGNORECASE)  # however it is said
FIRST = "Look at these first: who is whose is not certain"


def all_of(grades):
    """Return what an instructor must know beside the grades, {title: lines}; what is uncertain comes first."""
    lists = {}
    for title, lines_of in _lists(grades).items():
        lines = grades.files.attempt(f"the list {title!r}", lambda lines_of=lines_of: [*lines_of()])
        if lines:
            lists[title] = lines
    if grades.files.errors:
        lists["Could not be written"] = list(dict.fromkeys(grades.files.errors))
    return lists


def _lists(grades):
    """Return {title: function that returns the lines}."""
    classlist = grades.classlist
    results = sorted(grades.results.items())
    return {
        FIRST: lambda: [*classlist.claims, *_withheld(grades), *history.changes(grades)["vanished"]],
        "Not graded yet, because the run was interrupted": grades.left,
        "Changed since an earlier run": lambda: history.changes(grades)["lines"],
        "No points because of the file, not because of an answer": lambda: [
            f"{student}: {result.problem}" for student, result in results if result.problem
        ],
        "Marked with other numbers than the notebook has: the login in it is not the student's own": lambda: (
            _other_logins(grades)
        ),
        "Marked with the numbers of a login that no roster confirms": lambda: _unconfirmed(grades),
        "Groups with several submissions: for each member, the one that leaves most points counts": lambda: _several(
            grades
        ),
        "The same files, byte for byte: a group that the policy does not name, or a copy": lambda: [
            ", ".join(students) for students in copies(grades)
        ],
        "A time limit was reached": lambda: [student for student, result in results if result.slow],
        "Could not be graded": lambda: [
            f"{s}: {r.fault or ' '.join(r.remarks)}" for s, r in results if r.score is None
        ],
        "Written answers on which markers differ, without points so far": lambda: _differing(grades),
        f"Written answers that nobody has marked, without points so far: open {marking.PAGE}": lambda: _unmarked(
            grades
        ),
        "The heading of a written question is gone: look into the notebook, and give points in the policy": lambda: [
            f"{student}: {name}" for student, name, text in _waiting(grades) if text is None
        ],
        "Files of markers that are not understood": lambda: grades.marks.problems,
        "Marks that fit no answer of this class, by marker": lambda: grades.marks.strangers(grades.answers()),
        "Marked by other lines than the rubric has now": lambda: grades.marks.older(grades.answers()),
        "On the roster, and nothing handed in": lambda: _missing(grades),
        "Not found on the roster": lambda: [
            f"{student} {why}" for student, why in sorted(classlist.matching.unmatched.items())
        ],
        "On several lines of the roster, and taken for one person": lambda: _on_several_lines(grades),
        "Read with the help of the roster": lambda: classlist.helped,
        "Named in the policy, and not followed, because it fits several": lambda: [
            f"{name}: {len(fits)} of that name: {', '.join(sorted(fits))}" for name, fits in classlist.ambiguous.items()
        ],
        "Named in the policy, and not found": lambda: sorted({*classlist.unknown} - history.elsewhere(grades)),
        "Late, in days": lambda: _late(grades),
        "Late by Moodle's worksheet, and nothing is deducted": lambda: _late_by_worksheet(grades),
        "How lateness is counted": lambda: _how_late(grades),
        "Handed in again, for a share of the points that were lost": lambda: _again(grades),
        "Sentences on slips": lambda: _hints(grades),
        "Not written this time: what was there is of an earlier run, and has another name now": lambda: [
            f"{name} is now {aside}" for name, aside in grades.files.set_aside.items()
        ],
        "Before you import": lambda: exports.before_import(grades),
        "Files that were not graded": lambda: [
            *(f"{name}: {why}" for name, why in classlist.unused),
            *(f"{student}: {line}" for student, result in results for line in result.unused),
        ],
    }


def untried(grades):
    """Return {what: students} of those who answered nothing; what the class can do, their points do not say."""
    found = {"an untouched notebook": [], "a file without any answer": [], "nothing handed in": []}
    stubs = items.handed_out(grades.assignment)
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
    """Yield a line for each notebook that says another login than its student has."""
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


def _several(grades):
    """Yield a line for each group of which several members handed in."""
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
    """Return the written answers, (question, text) each, that have no points yet; two who wrote the same are one."""
    return {(name, text) for _, name, text in _waiting(grades) if text is not None}


def _unmarked(grades):
    """Yield a line for each question with answers that nobody has marked."""
    waiting = [(name, text) for _, name, text in _waiting(grades) if text is not None]
    left = Counter(name for name, text in waiting if not grades.marks.differing(name, text))
    yield from (f"{name}: {many}" for name, many in left.items())


def _differing(grades):
    """Yield a line for each answer on which markers differ, and what each of them says."""
    for student, name, text in _waiting(grades):
        told = grades.marks.differing(name, text or "")
        if told:
            yield f"{name}, {student}: {told}. One of them settles it in {marking.PAGE}."


def _missing(grades):
    """Yield who handed in nothing, but for those whose file only is uncertain: who that is stands first."""
    classlist = grades.classlist
    for student in sorted({*classlist.absent} - {*grades.with_results()}):
        name = classlist.name(student)
        see = ": but see what stands first" if classlist.possible_submissions(student) else ""
        called = f"{student} ({name})" if name not in (student, "") else student
        yield f"{called}{see}"


def _on_several_lines(grades):
    """Yield a line for each person who stands on several lines of the roster."""
    for person in grades.classlist.people():
        if len(person["rows"]) > 1:
            yield f"{clean.line(roster.label(person))}: {len(person['rows'])} lines"


def _late(grades):
    """Yield a line for each student who is late."""
    for student in grades.with_results():
        late = grades.final(student).late
        if late:
            yield f"{student}: {late:g}"


def _late_by_worksheet(grades):
    """Yield a line for each student whom Moodle's worksheet calls late, but not by how much in words that are known."""
    classlist, decided = grades.classlist, grades.policy["late"]["days"]
    for student in grades.with_results() if classlist.roster else []:
        said = roster.status(classlist.roster, classlist.person(student))
        if LATE.search(said) and classlist.days_late_by_worksheet(student) is None and student not in decided:
            yield f"{student}: {clean.line(said)}"


def _how_late(grades):
    """Yield what an instructor must know of the deadline and of what the platform says of it."""
    late = grades.policy["late"]
    if policy.due(grades.policy):
        yield f"Due {policy.due(grades.policy)}."
    if grades.classlist.platform != "Moodle" or not {"due", "per_day"} & {*late}:
        return
    classlist = grades.classlist
    if any(roster.status(classlist.roster, person) for person in classlist.people()):
        yield (
            "Moodle's files have no time: how late they came is what the column Status of the worksheet says, by the "
            "due date and the extensions in Moodle."
        )
    else:
        yield (
            "Moodle's files have no time, and no worksheet in English is here as ROSTER: nothing is deducted but for "
            "those whom `late: days` of the policy names, or a time in submissions.csv."
        )


def _again(grades):
    """Yield a line for each student of the second round."""
    for student in grades.with_results():
        final = grades.final(student)
        if final.rounds:
            yield f"{student}: {' → '.join(map(clean.number, final.rounds))}, and {clean.number(final.score)} counts"


def _hints(grades):
    """Yield a line if the pages of this run hold back what the assignment says of slips that students made."""
    made = sum(bool(result.recognised) for result in grades.results.values())
    if made and not policy.hints(grades.policy):
        yield (
            f"{made} students made slips that are known, and their pages do not say so yet: `hints` of the policy "
            "decides whether they read it before the deadline, after it, or never."
        )


def copies(grades):
    """Return the students, in lists, who have the same files byte for byte, and points for them."""
    same = defaultdict(list)
    for student in sorted(grades.results):
        if grades.results[student].earned and grades.handed.get(student) and grades.represents_group(student):
            same[grades.handed[student]].append(student)
    return [students for students in same.values() if len(students) > 1]


def compared(grades):
    """Return the students whose answers are compared: one of a group, and one of those with the same files."""
    others = {student for students in copies(grades) for student in students[1:]}
    return sorted(student for student in grades.results if grades.represents_group(student) and student not in others)


def hidden(grades):
    """Return a row for each hidden test that a student failed: why, and by which slip, for the instructor alone.

    Where all tests of an exercise, or of all exercises, failed for one reason, that is one row.
    """
    yield ["student", "question", "test", "points", "why", "slip"]
    for student in sorted(grades.results):
        result = grades.results[student]
        failed = [mark for mark in result.marks if mark.hidden and not mark.passed]
        for question, test, points, why in _together(result, failed):
            found = [each for each in result.recognised if question in ("all", each.question)]
            slips = ", ".join(name for each in found for name in each.slips)
            about = map(clean.cell, (student, question, test))
            yield [*about, clean.number(points), clean.cell(why), clean.cell(slips)]


def _together(result, failed):
    """Yield (question, test, points, why) for failed tests; what failed for one reason is one of them."""
    hidden = defaultdict(list)
    for mark in result.marks:
        if mark.hidden:
            hidden[mark.question].append(mark)
    whole = [question for question, marks in hidden.items() if all(mark in failed for mark in marks)]
    reasons = {mark.why for mark in failed}
    if result.problem or (failed and len(reasons) == 1 and len(whole) == len(hidden) > 1):
        yield "all", "all", sum(mark.points for mark in failed), result.problem or reasons.pop()
        return
    for question, marks in hidden.items():
        own = [mark for mark in marks if mark in failed]
        if question in whole and len(own) > 1 and len({mark.why for mark in own}) == 1:
            yield question, "all", sum(mark.points for mark in own), own[0].why
        else:
            yield from ((question, mark.test, mark.points, mark.why) for mark in own)
