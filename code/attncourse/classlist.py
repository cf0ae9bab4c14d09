"""Say who is who in a class: whose each submission is, who handed in nothing, and whom a name means."""

from collections import defaultdict

from . import clean, whose
from .model import CourseError
from .roster import IDS, called, days_late, label, names, normalized, status


class ClassList:
    """The students of a download and of a roster, each under the name that the table of grades has.

    Nothing here changes once it is made, but for `unknown` and `ambiguous`, to which `resolve` adds.
    """

    def __init__(self, download, roster=None):
        self.submissions = dict(download.submissions)  # {student: Submission}
        self.platform = download.platform
        self.helped = list(download.helped)
        self.unused = list(download.unused)
        self.roster = roster
        self.matching = whose.match(roster, self.submissions) if roster else whose.Matching()
        self.claims = [*download.claims, *self.matching.claims]
        self.absent = self._absent()  # {student: entry of the roster}
        self.page_names = clean.page_names(sorted({*self.submissions, *self.absent}))  # {student: file}
        self.unknown: list = []  # names in the policy that mean nobody here
        self.ambiguous: dict = {}  # {name in the policy that means several: those students}

    def _absent(self):
        """Return {label: person} of those on the roster who handed in nothing; no two students have one label."""
        absent: dict = {}
        for person in self.matching.absent:
            name = clean.line(label(person))
            while name in self.submissions or name in absent:
                name += f" (line {person['rows'][0] + 2} of the roster)"
            absent[name] = person
        return absent

    def roster_people(self):
        """Return every entry of the roster, [] without one."""
        return self.roster.people if self.roster else []

    def students_on_roster(self):
        """Return (student, entry of the roster) for every student who is known to be on it."""
        return [*self.matching.matched.items(), *self.absent.items()]

    def roster_entry(self, student):
        """Return the entry of the roster for a student, {} without one."""
        return self.matching.matched.get(student) or self.absent.get(student) or {}

    def name(self, student):
        """Return a student's name, from the roster or the platform."""
        handed = self.submissions.get(student)
        return self.roster_entry(student).get("name") or (handed.name if handed else "") or ""

    def student(self, name):
        """Return the student whom a name means; CourseError if there is no submission."""
        fits = [student for student in self._candidates(name) if student in self.submissions]
        if len(fits) > 1:
            raise CourseError(f"{name!r} can be {', '.join(fits)}: name one of them.")
        if not fits:
            raise CourseError(f"There is no submission of {name!r}.")
        return fits[0]

    def resolve(self, name):
        """Return the student whom the policy means; a name that fits nobody, or several, is kept for the report."""
        fits = self._candidates(name)
        if len(fits) == 1:
            return fits[0]
        if fits:
            self.ambiguous[name] = fits
        else:
            self.unknown.append(name)
        return name

    def _candidates(self, name):
        """Return the students whom a name can mean."""
        if name in self.submissions or name in self.absent:
            return [name]
        return self._by_identifier_or_name(normalized(name))

    def _by_identifier_or_name(self, plain):
        """Return the students who have this identifier, normalized, else those who have this name.

        A student may choose the identifier of another one as a name.
        """
        identified: list = []
        named: list = []
        for student, handed in self.submissions.items():
            if plain in map(normalized, (student, handed.user, handed.login)):
                identified.append(student)
            elif handed.name and plain == normalized(handed.name):
                named.append(student)
        for student, person in self.students_on_roster():
            if plain in called(person):
                identified.append(student)
            elif plain in names(person):
                named.append(student)
        return list(dict.fromkeys(identified or named))

    def groups(self, named):
        """Return {student: the members of the student's group}, in the order in which the instructor names them.

        `named` are the instructor's groups. A platform's team that shares a member with one joins it.
        """
        groups: dict = {}
        for group in [*named, *self._teams()]:
            known = [member for member in group if member in self.submissions or member in self.absent]
            joined = _joined(known, groups)
            if len(joined) > 1 and any(member in self.submissions for member in joined):
                groups |= dict.fromkeys(joined, joined)
        return groups

    def _teams(self):
        """Return the students of each team that handed in together on the platform."""
        teams = defaultdict(list)
        for student, handed in self.submissions.items():
            if handed.team:
                teams[handed.team].append(student)
        return teams.values()

    def to_grade(self):
        """Return {student: Submission} with one student of each team: the others have the same files."""
        teams: set = set()
        chosen = {}
        for student, handed in self.submissions.items():
            if not handed.team or handed.team not in teams:
                chosen[student] = handed
            teams.add(handed.team)
        return chosen

    def is_uncertain(self, student):
        """Return whether it is uncertain who handed in as this student.

        Where a name fits several lines of the roster, or two students claim one line, the platform's own number still
        tells whose a submission is.
        """
        handed = self.submissions.get(student)
        if handed is None:
            return False
        if handed.claim:
            return True
        if student not in self.matching.unmatched:
            return False
        return not (student in self.matching.contested and whose.has_platform_number(self.roster, handed))

    def possible_submissions(self, student):
        """Return the submissions that are claimed and may be a student's."""
        own = self._identifiers(student)
        return [name for name, handed in self.submissions.items() if own & {*map(str.casefold, handed.maybe)}]

    def _identifiers(self, student):
        """Return what the platform and the roster call a student, without case."""
        handed, person = self.submissions.get(student), self.roster_entry(student)
        own = {handed.identity} if handed else set()
        own |= {person.get(kind) for kind in IDS} - {None, ""}
        return {*map(str.casefold, own)}

    def days_late_by_worksheet(self, student):
        """Return how many days late Moodle's worksheet says that a student was, None where it does not say."""
        return days_late(status(self.roster, self.roster_entry(student))) if self.roster else None

    def platforms(self):
        """Return the platforms that take grades of this class back; one can be "", for a plain folder or list."""
        return {self.platform, self.roster.platform if self.roster else ""}


def _joined(group, groups):
    """Return a group and everyone who already shares a group with one of its members, each student once."""
    joined = list(group)
    for member in group:
        joined += groups.get(member, [])
    return list(dict.fromkeys(joined))
