"""Say which person on a roster a submission is of, and who on it handed in nothing.

What a name or a number can mean depends on who chose it: a platform, an instructor, or a student, who may choose the
number, the username or the address of another one. `WAYS` has the ways to find a person, in the order in which they
are tried.
"""

import unicodedata
from collections import defaultdict
from dataclasses import dataclass, field

from . import clean
from .roster import IDS, NUMBERS, called, label, names, normalized, spelled

NUMBERED = ("Canvas", "Moodle")  # platforms that count their users, each for itself


class Index:
    """The people of a roster by what names them."""

    def __init__(self, roster):
        self.platform, self.people = roster.platform, defaultdict(list)
        for person in roster.people:
            for key in _keys(person):
                self.people[key].append(person)

    def find(self, what, key):
        """Return the people to whom something gives this name."""
        return self.people.get((what, key), [])


def _keys(person):
    """Yield (what, key) for everything that names a person."""
    for key in called(person):
        yield "identifier", key
    for kind in IDS:
        if person.get(kind):
            yield f"{kind} as typed", _typed(person[kind])
    for key in names(person, spelled):
        yield "words of the name", key
    for key in names(person):
        yield "letters of the name", key
    if person["user"]:
        yield "platform's number", person["user"].lstrip("0")
    for kind in ("login", "github"):
        if person.get(kind):
            yield kind, person[kind].casefold()
    before = normalized(person.get("email", "").partition("@")[0])
    if before:
        yield "before the @", before


def _typed(text):
    """Return an identifier without case and the blanks around it; of a number, without zeros before it."""
    plain = unicodedata.normalize("NFC", str(text)).strip().casefold()
    return plain.lstrip("0") or plain if plain.isdecimal() else plain


def _without_repeats(people):
    """Return each of these people once."""
    return [person for number, person in enumerate(people) if not any(person is other for other in people[:number])]


def people_called(known, text):
    """Return the people whom a text means: by an identifier, else by all words of a name.

    Without its blanks, a name is no more certain than what stands before an `@`: `lina` may be Li Na or Lina.
    """
    key, words = normalized(text), spelled(text)
    sure = known.find("identifier", key)
    if not sure and " " in words:
        sure = known.find("words of the name", words)
    return _without_repeats(sure or known.find("letters of the name", key) + known.find("before the @", key))


def _people_identified(known, kinds, text):
    """Return the people with an identifier of one of these kinds that is the whole text."""
    return _without_repeats([person for kind in kinds for person in known.find(f"{kind} as typed", _typed(text))])


def by_platforms_number(known, one):
    """Return the people who have this number of the platform's."""
    return known.find("platform's number", one.user.lstrip("0"))


def by_platforms_number_without_a_name(known, one):
    """Return the people who have this number, if the roster has no name by which to check whose it is."""
    return [person for person in by_platforms_number(known, one) if not person.get("name")]


def by_number(known, one):
    """Return the people who have this number, of whatever kind."""
    return _people_identified(known, NUMBERS, one.user)


def by_address(known, one):
    """Return the people who have this address or login."""
    return _people_identified(known, ("email", "login"), one.login)


def by_login(known, one):
    """Return the people who have this login."""
    return known.find("login", one.login.casefold())


def by_github(known, one):
    """Return the people who have this login at GitHub."""
    return known.find("github", one.login.casefold())


def by_name(known, one):
    """Return the people whose whole name is this display name, which is never compared with an identifier.

    A student chooses it, and may choose the number, the username or the address of another one.
    """
    whole = known.find("words of the name", spelled(one.name))
    return _without_repeats(whole or known.find("letters of the name", normalized(one.name)))


def by_anything(known, one):
    """Return the people whom the login, or the name in the download, can mean in any way."""
    return people_called(known, one.login or one.student)


def _has_the_rosters_numbers(known, title, one):
    return title in NUMBERED and known.platform == title


def _has_a_github_login(known, title, one):
    return one.github


def _has_another_platforms_numbers(known, title, one):
    return title in NUMBERED


def _is_gradescopes(known, title, one):
    return title == "Gradescope"


def _has_a_number(known, title, one):
    return bool(one.user)


def _has_a_name_alone(known, title, one):
    return bool(one.name) and not one.login


def _has_whatever_is_left(known, title, one):
    return True


# The first line that holds of a submission, or of a reading of a name, says in which ways its person is looked for;
# the first of them that finds somebody decides.
WAYS = (
    (_has_the_rosters_numbers, [by_platforms_number]),
    (_has_a_github_login, [by_github]),  # students choose these logins: they match nothing else
    (_has_another_platforms_numbers, [by_name, by_platforms_number_without_a_name]),
    (_is_gradescopes, [by_address, by_number, by_name]),
    (_has_a_number, [by_login, by_number]),  # an instructor's pattern calls it a number
    (_has_a_name_alone, [by_name]),  # a pattern that knows the display name only
    (_has_whatever_is_left, [by_login, by_anything]),
)


def possible_people(known, title, one):
    """Return the people whom a submission, or a reading of a name, can mean."""
    ways = next(ways for holds, ways in WAYS if holds(known, title, one))
    return next(filter(None, (way(known, one) for way in ways)), [])


@dataclass
class Matching:
    """Which submission is whose."""

    matched: dict = field(default_factory=dict)  # {student: person}
    unmatched: dict = field(default_factory=dict)  # {student: why}
    contested: set = field(default_factory=set)  # those of them whom somebody on the roster can be
    absent: list = field(default_factory=list)  # people without a submission
    claims: list = field(default_factory=list)  # what the instructor must look at first


def match(roster, submissions):
    """Return the `Matching` of {student: Submission} with a roster.

    Two submissions for one person belong to nobody until the instructor decides: both are graded and reported.
    """
    found, known = Matching(), Index(roster)
    for student, handed in sorted(submissions.items()):
        _look_up(found, known, student, handed)
    students_of = defaultdict(list)  # {first line of a person: students}
    for student, person in found.matched.items():
        students_of[person["rows"][0]].append(student)
    found.absent = [person for person in roster.people if person["rows"][0] not in students_of]
    for students in students_of.values():
        if len(students) > 1:
            _leave_open(found, roster, {student: submissions[student] for student in students})
    found.claims += _doubts(found, roster, len(submissions))
    return found


def _look_up(found, known, student, handed):
    """Find the person of one submission."""
    if handed.claim:
        found.unmatched[student] = handed.claim
        return
    several = possible_people(known, handed.platform, handed)
    if len(several) == 1:
        found.matched[student] = several[0]
    elif several:
        found.unmatched[student] = f"fits {len(several)} lines of the roster"
        found.contested.add(student)
        found.claims.append(f"{student} {found.unmatched[student]}.")
    else:
        found.unmatched[student] = "is not on the roster"


def _leave_open(found, roster, rivals):
    """Leave open which of the rivals, {student: Submission}, is the one person whom all of them fit."""
    person = label(found.matched[next(iter(rivals))])
    own = all(has_platform_number(roster, handed) for handed in rivals.values())
    where = "each is in the platform's table under its own number" if own else "none is in the platform's table"
    found.claims.append(
        f"{', '.join(rivals)} are all {person} on the roster: each is graded, {where}. "
        "Take the wrong ones away and run it again."
    )
    for student in rivals:
        del found.matched[student]
        found.unmatched[student] = f"is one of {len(rivals)} submissions for {person}"
        found.contested.add(student)


def _doubts(found, roster, handed_in):
    """Yield what makes a whole roster doubtful: hardly anybody is on it, or a spreadsheet damaged it."""
    if roster.people and handed_in > 2 * len(found.matched) and not found.claims:
        columns = zip(roster.header, roster.kinds, strict=False)
        read = clean.line(", ".join(f"{cell} ({kind or 'not understood'})" for cell, kind in columns))
        yield f"Of {handed_in} submissions only {len(found.matched)} are on the roster. Its columns: {read}."
    if roster.damaged:
        yield (
            "A spreadsheet has damaged numbers in the roster (such as 1.2E+11). Export it again, and do not open it: "
            f"{', '.join(roster.damaged[:20])}."
        )


def has_platform_number(roster, handed):
    """Return whether the platform's own number says whose a submission is, where the roster is not that platform's."""
    return handed.platform in NUMBERED and bool(handed.user) and roster.platform != handed.platform
