"""What a platform gives for download goes in as it is, and a roster says whose it is and who is missing."""

import re
import unicodedata
import zipfile

import platforms
import pytest
from attncourse import archives, choosing, downloads, exports, roster, submissions, whose
from attncourse.model import CourseError
from coursework import ROOT, notebook

RIGHT, WRONG = notebook("def leaves(d_k, t): return 1"), notebook("def leaves(d_k, t): return 0")
MAKERS = {
    "canvas": platforms.canvas,
    "moodle": platforms.moodle,
    "blackboard": platforms.blackboard,
    "plain": platforms.plain,
}
PATTERNS = {"blackboard": platforms.BLACKBOARD}  # of platforms whose names an instructor describes


@pytest.fixture(params=["folder", "zip", "a folder in a zip", "a folder in a folder"])
def kind(request):
    return request.param


def download(platform, kind, tmp_path):
    inner = tmp_path / "outer" / "Course 101" if kind == "a folder in a folder" else tmp_path / "download"
    inner.mkdir(parents=True)
    MAKERS[platform](inner, RIGHT, WRONG)
    if kind.endswith("zip"):
        return platforms.zipped(inner, tmp_path / "d.zip", "Course 101/" if kind.startswith("a") else "")
    return inner if kind == "folder" else inner.parent


def newest(submission):
    """What of a submission the grader looks at first: bytes of a notebook, or a sentence."""
    handed = submission.load()
    books = [data for name, _, data in handed if name.endswith(".ipynb") and not choosing.is_of_the_system(name)]
    return books[0] if books else next((data for *_, data in handed if isinstance(data, str)), "")


@pytest.mark.parametrize("platform", MAKERS)
def test_every_student_of_a_download_is_found_with_the_right_file(platform, kind, tmp_path):
    there = downloads.read(download(platform, kind, tmp_path), pattern=PATTERNS.get(platform, ""))
    assert there.platform == ("" if platform in ("plain", "blackboard") else platform.capitalize())
    name, n = platforms.canvas_name, platforms.full
    assert len(there.submissions) == 30 + (platform == "plain")  # one name in two spellings is two submissions
    data = {student: newest(submission) for student, submission in there.submissions.items()}
    expected = {
        "canvas": {f"{name(3)}_12348": "", f"{name(4)}_12349": "as text", f"{name(5)}_12350": "a link"},
        "moodle": {f"{n(3)}_5003": "empty", f"{n(4)}_5004": "as text", f"{n(5)}_5005": ""},
        "blackboard": {"jdoe3": ""},
        "plain": {},
    }[platform]
    none = {student: text for student, text in data.items() if text == "" or isinstance(text, str)}
    assert set(none) == set(expected)
    assert all(expected[student] in none[student] for student in none)
    odd = {"José Müller (2)", "José Müller"} | ({f"{name(2)}_12347"} if platform == "canvas" else set())
    assert all(text == RIGHT for student, text in data.items() if student not in {*none, *odd})
    assert any("Thumbs.db" in path or ".DS_Store" in path or "__MACOSX" in path for path, _ in there.unused) == (
        platform != "blackboard"
    )


ROSTERS = {
    "canvas": (platforms.canvas_roster, 2),
    "moodle": (platforms.moodle_roster, 1),
    "blackboard": (platforms.blackboard_roster, 1),
}


@pytest.mark.parametrize("platform", ROSTERS)
def test_a_roster_says_whose_file_it_is_and_who_is_missing(platform, tmp_path):
    made, absent = ROSTERS[platform]
    place, pattern = download(platform, "folder", tmp_path), PATTERNS.get(platform, "")
    (tmp_path / "roster.csv").write_bytes(made())
    people = roster.read(tmp_path / "roster.csv")
    found = downloads.read(place, people, pattern=pattern).submissions
    matching = whose.match(people, found)
    assert people.platform == platform.capitalize()
    assert not matching.claims
    assert len(matching.matched) == 30
    assert len(matching.absent) == absent
    assert all("gone" in roster.label(person).lower() for person in matching.absent)
    assert matching.unmatched == {}


PLAIN = "Name;E-mail;Login\nDoe, Jane;jane@x.edu;jd1\nMüller, José;jose@x.edu;jm2\nDoe, Jane;other@x.edu;jd3\n"
PLAIN += "Li, Wei;w@x;wl4\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_a_plain_roster_in_any_encoding(encoding, ends, tmp_path):
    if (encoding, ends) == ("cp1252", "\r"):
        encoding = "mac_roman"  # as Excel for Mac once wrote
    (tmp_path / "r.csv").write_bytes(PLAIN.replace("\n", ends).encode(encoding))
    names = ["jd1", "jane-doe", "stranger", unicodedata.normalize("NFD", "müller_josé"), "w@x"]
    found = {name: submissions.Submission(name, ()) for name in names}
    matching = whose.match(roster.read(tmp_path / "r.csv"), found)
    assert {student: person["login"] for student, person in matching.matched.items()} == {
        "jd1": "jd1",
        names[3]: "jm2",
        "w@x": "wl4",
    }
    assert [person["login"] for person in matching.absent] == ["jd3"]
    assert matching.unmatched == {"jane-doe": "fits 2 lines of the roster", "stranger": "is not on the roster"}
    assert matching.claims == ["jane-doe fits 2 lines of the roster."]


HEADS = {  # the table of a class: what is read of its first person
    'sep=;\nStudent;ID;SIS Login ID;Section\n"Roe, Jo";7;jr;A\n': {"user": "7", "login": "jr", "name": "Roe, Jo"},
    'Name;"E-Mail, privat"\n"Roe, Jo";j@x\n': {"name": "Roe, Jo"},
    '"Name, Vorname";Matrikel\n"Roe, Jo";7\n': {"name": "Roe, Jo", "number": "7"},
    "Course 101,,\n\nName,Email,Student ID\nJo Roe,j@x,0007\n": {"name": "Jo Roe", "number": "0007"},
    "HW 1,Points\n\nDisplay ID,ID,Last Name,First Name,grade\njr,jr,Roe,Jo,\n": {"login": "jr", "name": "Roe, Jo"},
    "Student Name,NetID,UNI\nJo Roe,jr,x\n": {"name": "Jo Roe", "login": "jr"},
    "Nachname;Vorname;Benutzername\nRoe;Jo;jr\n": {"name": "Roe, Jo", "login": "jr"},
    "OrgDefinedId,Username,Last Name,First Name,End\n#7,#jr,Roe,Jo,#\n": {"number": "7", "login": "jr"},
    "Cognome\tNome\tIndirizzo email\nRoe\tJo\tj@x\n": {"name": "Roe, Jo", "email": "j@x"},
    "Name|Login\nJo Roe|jr\n": {"name": "Jo Roe", "login": "jr"},
    "Name,ID\nJo Roe,7.0\n": {"user": "7"},
    "Name,ID\nJo Roe,1.2E+11\n": {"user": "", "name": "Jo Roe"},
    "姓,名,学号\n罗,乔,7\n": {"name": "罗, 乔", "number": "7"},
}


@pytest.mark.parametrize("text", HEADS)
def test_rosters_as_people_export_them(text, tmp_path):
    (tmp_path / "r.csv").write_text(text, encoding="utf-8")
    person = roster.read(tmp_path / "r.csv").people[0]
    assert {key: person.get(key) for key in HEADS[text]} == HEADS[text]


def test_moodles_worksheet_in_another_language(tmp_path):
    german = platforms.moodle_roster().decode().replace("Identifier", "ID").replace("Participant ", "Teilnehmer/in")
    german = german.replace("Full name", "Vollständiger Name").replace(
        "Last modified (grade)", "Zuletzt geändert (Bewertung)"
    )
    (tmp_path / "g.csv").write_text(german.replace("Grade", "Bewertung"), encoding="utf-8")
    people = roster.read(tmp_path / "g.csv")
    place = exports.matching_columns(people, ["x"])
    assert (people.platform, [people.header[n] for n in place], people.people[0]["user"]) == (
        "Moodle",
        ["Bewertung"],
        "5000",
    )


def person(student, platform="", user="", login="", name="", github=False):
    return submissions.Submission(student, (), platform, user, login, name, github)


CANVAS_OF = "Student,ID,Section\n"
MATCHES = {  # a roster, submissions, {student: the line that is theirs}, and whom the claims name
    "a name within another": (
        "Name,Email\nAnna Lee,al2@x\nAnna Lee-Smith,anna.lee@x\nLi Na,ln3@x\nLina Berg,lina@x\n",
        [person("Anna Lee"), person("Na, Li")],
        {"Anna Lee": 0, "Na, Li": 2},
        "",
    ),
    "a name that is another's address": (
        "Name,Email\nLi Na,ln3@x\nLina Berg,lina@x\n",
        [person("lina")],
        {},
        "lina fits 2 lines",
    ),
    "a part of a name is none": (
        "Name;Vorname;Matr.-Nr.\nRoe;Jo;00123\nPoe;Al;00124\n",
        [person("Jo Roe"), person("hw_00124_x"), person("hw1-al-poe")],
        {"Jo Roe": 0},
        "only 1 are",
    ),
    "the name that somebody prefers": (
        'Name,Preferred Name,Number\n"Right, Adelaide",Ada,7\n',
        [person("Ada Right")],
        {"Ada Right": 0},
        "",
    ),
    "vowels that are marks": ("Name,Number\nराम सिंह,1\nरमा सिंह,2\n", [person("रमा सिंह")], {"रमा सिंह": 1}, ""),
    "one name, two numbers": (
        CANVAS_OF + '"Doe, Jane",7,A\n"Doe, Jane",8,B\n',
        [person(f"doejane_{n}", "Canvas", n, name="doejane") for n in "87"],
        {"doejane_7": 0, "doejane_8": 1},
        "",
    ),
    "one person twice": (PLAIN, [person("jm2"), person("José Müller"), person("jd1")], {"jd1": 0}, "jm2"),
    "a login that the student chose": (
        "identifier,github_username,name,SIS Login ID\n1001,jr,Jo Roe,jo\n1002,ap,Al Poe,al\n",
        [person(name, login=name, github=True) for name in ("JR", "1002", "al")],
        {"JR": 0},
        "1 are on the roster",
    ),
    "a platform's number is not the school's": (
        "Student ID,Name\n50123,Bob Ng\n50124,Ann Lee\n",
        [person("leeann_50123", "Canvas", "50123", name="leeann")],
        {"leeann_50123": 1},
        "",
    ),
    "a damaged number": (
        CANVAS_OF + '"Roe, Jo",7E+00,A\n"Poe, Al",8,B\n',
        [person("roejo_7", "Canvas", "7", name="roejo"), person("poeal_8", "Canvas", "8", name="poeal")],
        {"poeal_8": 1},
        "Roe, Jo",
    ),
    "one person on two lines": (
        CANVAS_OF + '"Roe, Jo",7,A\n"Poe, Al",8,A\n"Roe, Jo",7,B\n',
        [person("roejo_7", "Canvas", "7"), person("poeal_8", "Canvas", "8")],
        {"roejo_7": 0, "poeal_8": 1},
        "",
    ),
    "two people with one number": (
        "Name,Number\nJo Roe,7\nAl Poe,7\nDi Fox,9\n",
        [person("7"), person("9")],
        {"9": 2},
        "fits 2 lines",
    ),
    "headings once more": ("Name,Login\nJo Roe,jr\nName,Login\nAl Poe,ap\n", [person("ap")], {"ap": 2}, ""),
}


@pytest.mark.parametrize("name", MATCHES)
def test_a_submission_is_matched_as_a_person_would(name, tmp_path):
    text, handed, expected, claimed = MATCHES[name]
    (tmp_path / "r.csv").write_text(text, encoding="utf-8")
    people = roster.read(tmp_path / "r.csv")
    matching = whose.match(people, {each.student: each for each in handed})
    assert {student: found["rows"][0] for student, found in matching.matched.items()} == expected
    assert {*matching.unmatched} == {each.student for each in handed} - {*expected}
    assert claimed in " ".join(matching.claims)
    assert bool(matching.claims) == bool(claimed)
    twice = {1} if name == "one person twice" else set()
    lines = {each["rows"][0] for each in people.people}
    assert {each["rows"][0] for each in matching.absent} == lines - {*expected.values()} - twice


def test_names_that_no_pattern_fits_are_names_of_students(tmp_path):
    for name in ("homework_1_2_final.ipynb", "jane.ipynb", "jane.pdf", "joe (1).ipynb", "index.html", "ann.html"):
        platforms.put(tmp_path, name, RIGHT)
    platforms.put(tmp_path, "kim/a.ipynb", WRONG, age=1)
    platforms.put(tmp_path, "kim/b.ipynb", RIGHT)
    there = downloads.read(tmp_path)
    assert there.platform == ""
    assert sorted(there.submissions) == ["ann", "homework_1_2_final", "jane", "joe", "kim"]
    assert newest(there.submissions["kim"]) == RIGHT
    assert there.unused == [("index.html", "not a student's file")]
    assert "kim is one student with 2 notebooks (b.ipynb, a.ipynb)" in there.claims[0]


def test_a_notebook_among_many_files_is_read(tmp_path):
    for n in range(60):
        platforms.put(tmp_path, f"jo/file{n}", b"x")
    platforms.put(tmp_path, "jo/work/hw.ipynb", RIGHT, age=9)
    platforms.put(tmp_path, "al/hw.ipynb", RIGHT)
    loaded = downloads.read(tmp_path).submissions["jo"].load()
    assert loaded[0][2] == RIGHT
    assert sum(isinstance(data, bytes) for *_, data in loaded) == submissions.READ


def test_people_of_one_name_are_graded_each_and_claimed(tmp_path):
    for name in ("Anna Roe", "Anna Roe (1)", "anna roe", "Bob"):
        platforms.put(tmp_path, f"{name}.ipynb", RIGHT)
    there = downloads.read(tmp_path)
    assert sorted(there.submissions) == ["Anna Roe", "Anna Roe (1)", "Bob", "anna roe (2)"]
    assert [student for student, handed in there.submissions.items() if not handed.claim] == ["Bob"]
    assert ["Anna Roe (Anna Roe.ipynb), Anna Roe (1)" in claim for claim in there.claims] == [True]


def test_folders_named_by_numbers_are_students(tmp_path):
    """As many schools name them; a file beside the notebook, or a notebook of another name, makes no student of it."""
    for number, name in ((100234, "hw"), (100235, "ann_hw"), (100236, "bens homework")):
        platforms.put(tmp_path, f"{number}/{name}.ipynb", RIGHT)
        platforms.put(tmp_path, f"{number}/plot{number}.png", b"x")
    assert sorted(downloads.read(tmp_path).submissions) == ["100234", "100235", "100236"]


def test_a_clone_says_nothing_of_when_a_file_was_written(tmp_path):
    """Its times are those of the checkout: of two notebooks there, the one with more answers counts."""
    for name in ("jr", "ap"):
        platforms.put(tmp_path, f"hw-{name}/.git/config", b"x")
        platforms.put(tmp_path, f"hw-{name}/hw.ipynb", RIGHT, age=1)
        platforms.put(tmp_path, f"hw-{name}/old/draft.ipynb", WRONG)
    there = downloads.read(tmp_path, pattern="hw-{github}")
    assert sorted(there.submissions) == ["ap", "jr"]
    assert {file.order for handed in there.submissions.values() for file in handed.files} == {(0, "")}


LAYOUTS = {  # names in a download: (the instructor's pattern, platform, {student: name})
    "Brightspace, flat": (
        [
            "7-99 - Jo Roe - Mar 3, 2026 1130 PM - hw.ipynb",
            "8-99 - Al Poe - Mar 3, 2026 1130 PM - y.ipynb",
            "index.html",
        ],
        "{any}-99 - {student} - {any}, 2026 {any}M - {file}",
        "",
        {"Jo Roe": "", "Al Poe": ""},
    ),
    "Brightspace, folders": (
        ["7-99 - Jo Roe - Mar 3, 2026 1130 PM/hw.ipynb", "8-99 - Al Poe - Mar 3, 2026 1130 PM/hw.ipynb"],
        "{any} - {student} - {any}",
        "",
        {"Jo Roe": "", "Al Poe": ""},
    ),
    "Gradescope": (
        ["a_export/submission_1/hw.ipynb", "a_export/submission_2/hw.ipynb", "a_export/submission_metadata.yml"],
        "",
        "Gradescope",
        {"j@x": "Jo Roe", "al": "Al Poe", "di": "Di Fox"},
    ),
    "GitHub Classroom": (
        [
            "hw-submissions/hw-jr/.git/config",
            "hw-submissions/hw-jr/a/hw.ipynb",
            "grades.csv",
            "hw-submissions/hw-ap/.git/config",
            "hw-submissions/hw-ap/hw.ipynb",
        ],
        "hw-{github}",
        "",
        {"jr": "", "ap": ""},
    ),
    "Sakai": (
        [
            "HW/Roe, Jo(jr)/Submission attachment(s)/hw.ipynb",
            "HW/Roe, Jo(jr)/timestamp.txt",
            "HW/grades.csv",
            "HW/Poe, Al(ap)/Submission attachment(s)/hw.ipynb",
        ],
        "{name}({student})/Submission attachment(s)",
        "",
        {"jr": "Roe, Jo", "ap": "Poe, Al"},
    ),
    "Canvas, anonymous too": (
        [f"doejane_{n}_{n}0_hw.ipynb" for n in (1, 2)] + ["anon_aB1_61_hw.ipynb", "LATE_anon_aB9_62_hw.ipynb"],
        "",
        "Canvas",
        {"doejane_1": "doejane", "doejane_2": "doejane", "anon_aB1": "", "anon_aB9": ""},
    ),
    "Canvas, groups": (
        [f"thesecond_7{n}_80{n}_hw.ipynb" for n in (1, 2)] + ["thesecond_LATE_73_805_hw.ipynb"],
        "",
        "Canvas",
        {f"thesecond_7{n}": "thesecond" for n in (1, 2, 3)},
    ),
    "Blackboard": (
        [f"Week_3_{login}_attempt_2026-03-03-23-30-00_hw.ipynb" for login in ("jr", "ap")],
        "Week_3_{student}_attempt_{time}{file}",
        "",
        {"jr": "", "ap": ""},
    ),
    "Google Classroom": (
        ["Jo Roe - Copy of hw.ipynb", "Al Poe - hw.ipynb", "Al Poe - Untitled0.ipynb"],
        "{student} - {file}",
        "",
        {"Jo Roe": "", "Al Poe": ""},
    ),
}
ON_THE_PAGE = {  # a platform, and two of its names, for which the page for instructors has a pattern
    "Blackboard": "Week 3_{login}_attempt_2026-03-03-23-30-00_hw.ipynb",
    "Brightspace": "7{login}-99 - {name} - Mar 3, 2026 1130 PM - hw.ipynb",
    "GitHub Classroom": "hw-{login}/hw.ipynb",
    "Google Classroom": "{name} - hw.ipynb",
    "Sakai": "{last}, {first}({login})/Submission attachment(s)/hw.ipynb",
}
PAGE = (ROOT / "chapters" / "instructors.md").read_text(encoding="utf-8")
EXAMPLES = dict(re.findall(r"^\| ([A-Z][^|]*?) \| `PATTERN=\"([^\"]*)\"`", PAGE, re.MULTILINE))


@pytest.mark.parametrize("platform", EXAMPLES)
def test_the_patterns_on_the_page_read_what_they_are_for(platform, tmp_path):
    for login, first, last in (("jr", "Jo", "Roe"), ("ap", "Al", "Poe")):
        name = ON_THE_PAGE[platform].format(login=login, first=first, last=last, name=f"{first} {last}")
        platforms.put(tmp_path / "in", name, RIGHT)
    (tmp_path / "r.csv").write_text("Name,Login,github_username\nJo Roe,jr,jr\nAl Poe,ap,ap\n", encoding="utf-8")
    people = roster.read(tmp_path / "r.csv")
    there = downloads.read(tmp_path / "in", people, pattern=EXAMPLES[platform])
    matching = whose.match(people, there.submissions)
    assert sorted(person["login"] for person in matching.matched.values()) == ["ap", "jr"]
    assert not [*matching.absent, *matching.unmatched, *matching.claims, *there.claims]
    assert len(EXAMPLES) == len(ON_THE_PAGE)


METADATA = b"""submission_1:
  :submitters:
  - :name: Jo Roe
    :email: j@x
  :created_at: 2026-03-03 23:30:00.5
  :results:
    :output: |
      submission_2:
      - :name: Mallory
submission_2:
  :submitters:
  - :name: Al Poe
    :sid: al
  - :name: Di Fox
    :sid: 'di'
"""


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_every_platform(layout, tmp_path):
    names, pattern, title, expected = LAYOUTS[layout]
    for name in names:
        platforms.put(tmp_path, name, METADATA if name.endswith(".yml") else RIGHT)
    there = downloads.read(tmp_path, pattern=pattern)
    assert there.platform == title
    assert not there.claims
    assert {student: submission.name for student, submission in there.submissions.items()} == expected
    assert all(newest(submission) == RIGHT for submission in there.submissions.values())
    files = [file for submission in there.submissions.values() for file in submission.files]
    dated = layout in ("Gradescope", "Blackboard")
    assert {file.time for file in files} - {""} == ({"2026-03-03-23-30-00"} if dated else set())
    assert all(bool(file.late) == ("LATE" in file.path) for file in files)


def test_a_layout_that_is_not_known_is_refused_by_name(tmp_path):
    platforms.put(tmp_path, "scans/1.docx", b"x")
    with pytest.raises(
        CourseError,
        match=r"seen are 1.docx.*Known are the downloads of Moodle, Canvas, Gradescope.*submissions.csv and PATTERN",
    ):
        downloads.read(tmp_path / "scans")


def test_a_roster_among_the_submissions_is_no_student(kind, tmp_path):
    place = tmp_path / "download"
    folder = place / "class" if kind.startswith("a") else place
    for name in ("roster.csv", "s0.ipynb", "s1.ipynb", "s2.ipynb"):
        platforms.put(folder, name, RIGHT)
    if kind.endswith("zip"):
        place = platforms.zipped(place, tmp_path / "d.zip")
    assert sorted(downloads.read(place).submissions) == ["s0", "s1", "s2"]


def test_what_jupyter_keeps_beside_the_files_of_one_student_makes_no_others_of_them(tmp_path):
    for name in ("hw.ipynb", "data.csv", ".ipynb_checkpoints/hw-checkpoint.ipynb"):
        platforms.put(tmp_path / "download" / "anna", name, RIGHT)
    assert list(downloads.read(tmp_path / "download").submissions) == ["anna"]


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        (["alice/", "alice/src/hw.ipynb"], [("alice", "src", "hw.ipynb")]),
        (["alice\\", "alice\\hw.ipynb"], [("alice", "hw.ipynb")]),
        (["//alice/hw.ipynb"], [("alice", "hw.ipynb")]),
        (["alice/", "bob/hw.ipynb"], [("alice", ""), ("bob", "hw.ipynb")]),
    ],
    ids=["a folder in it that has no entry", "names from Windows", "two slashes before it", "an empty folder"],
)
def test_a_folder_of_a_zip_is_empty_only_if_nothing_lies_in_it(names, parts, tmp_path):
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as made:
        for name in names:
            made.writestr(name, b"" if name.endswith(("/", "\\")) else RIGHT)
    assert [entry.parts for entry in archives.entries(tmp_path / "d.zip")] == parts


def test_hostile_zips_cost_only_themselves(tmp_path):
    with zipfile.ZipFile(tmp_path / "d.zip", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("../../evil.ipynb", RIGHT)
        made.writestr("/abs/jane.ipynb", RIGHT)
        made.writestr("bomb.ipynb", b"\0" * (64 << 20))
        made.writestr("good.ipynb", RIGHT)
        made.writestr("王芳.ipynb", RIGHT)
    data = bytearray((tmp_path / "d.zip").read_bytes())
    at = data.index(b"good.ipynb") + len("good.ipynb") + 5
    data[at : at + 4] = b"\xff\xff\xff\xff"  # inside the compressed bytes
    for header, flag in ((b"PK\3\4", 7), (b"PK\1\2", 9)):  # nothing says that the last name is UTF-8
        data[data.rindex(header) + flag] &= 0xF7
    (tmp_path / "d.zip").write_bytes(data)
    found = downloads.read(tmp_path / "d.zip").submissions
    assert sorted(found) == ["abs", "bomb", "evil", "good", "王芳"]
    assert len(newest(found["bomb"])) <= (20 << 20) + 1
    assert "cannot be read" in newest(found["good"])
    assert newest(found["evil"]) == RIGHT


@pytest.mark.parametrize(
    ("at", "value"),
    [(6, 99), (46, 0xFF)],
    ids=["a later version of the format", "a name that is not the UTF-8 it claims to be"],
)
def test_a_zip_that_cannot_be_opened_is_one_sentence(at, value, tmp_path):
    with zipfile.ZipFile(tmp_path / "no.zip", "w") as made:
        made.writestr("é.ipynb", RIGHT)
    data = bytearray((tmp_path / "no.zip").read_bytes())
    data[data.rindex(b"PK\1\2") + at] = value
    (tmp_path / "no.zip").write_bytes(data)
    with pytest.raises(CourseError, match=r"no\.zip is neither a folder nor a zip"):
        downloads.read(tmp_path / "no.zip")


def test_what_cannot_be_read_is_one_sentence(tmp_path):
    (tmp_path / "no.zip").write_bytes(b"PK no")
    (tmp_path / "empty").mkdir()
    for place in ("no.zip", "empty", "gone"):
        with pytest.raises(CourseError, match=place):
            downloads.read(tmp_path / place)
    for name, data in (("r1.csv", b"a,b\n1,2\n"), ("r2.csv", b""), ("gone.csv", None)):
        if data is not None:
            (tmp_path / name).write_bytes(data)
        with pytest.raises(CourseError, match=name):
            roster.read(tmp_path / name)
