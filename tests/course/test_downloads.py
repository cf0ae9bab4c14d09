"""What a platform gives for download goes in as it is, and a roster says whose it is and who is missing."""

import unicodedata
import zipfile

import platforms
import pytest
from attncourse import author, downloads, roster
from coursework import notebook

RIGHT, WRONG = notebook("def leaves(d_k, t): return 1"), notebook("def leaves(d_k, t): return 0")
MAKERS = {"canvas": platforms.canvas, "moodle": platforms.moodle, "blackboard": platforms.blackboard,
          "plain": platforms.plain}  # fmt: skip


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


def read(place):
    return downloads.read(place, ["leaves"])


@pytest.mark.parametrize("platform", MAKERS)
def test_every_student_of_a_download_is_found_with_the_right_file(platform, kind, tmp_path):
    found, aside, said = read(download(platform, kind, tmp_path))
    assert said == platform
    assert len(found) == 30
    data = {student: downloads.load(handed) for student, handed in found.items()}
    none = {student: text for student, text in data.items() if isinstance(text, str)}
    name, n = platforms.canvas_name, platforms.full
    expected = {
        "canvas": {f"{name(3)}_12348": "answers.pdf", f"{name(4)}_12349": "as text", f"{name(5)}_12350": "a link"},
        "moodle": {f"{n(3)}_5003": "", f"{n(4)}_5004": "as text"},
        "blackboard": {"jdoe3": "rnn.pdf"},
        "plain": {},
    }[platform]
    assert set(none) == set(expected)
    assert all(expected[student] in none[student] and none[student].endswith(".") for student in none)
    assert all(text == RIGHT for student, text in data.items() if student not in none)
    named = " ".join(path for path, _ in aside)
    for path in {"canvas": ["Thumbs.db", "notes.ipynb", "scratch.ipynb"], "moodle": ["(old)", "__MACOSX", "checkpoint"],
                 "blackboard": ["2026-02-27"], "plain": [".DS_Store"]}[platform]:  # fmt: skip
        assert path in named, aside
    assert len(aside) >= {"canvas": 4, "moodle": 3, "blackboard": 1, "plain": 2}[platform]


ROSTERS = {"canvas": (platforms.canvas_roster, 2), "moodle": (platforms.moodle_roster, 1),
           "blackboard": (platforms.blackboard_roster, 1)}  # fmt: skip


@pytest.mark.parametrize("platform", ROSTERS)
def test_a_roster_says_whose_file_it_is_and_who_is_missing(platform, tmp_path):
    made, absent = ROSTERS[platform]
    found = read(download(platform, "folder", tmp_path))[0]
    (tmp_path / "roster.csv").write_bytes(made())
    people = roster.read(tmp_path / "roster.csv")
    matched, missing, strangers = roster.match(people, found)
    assert people.platform == platform
    assert len(matched) == 30
    assert len(missing) == absent
    assert all("gone" in roster.label(person).lower() for person in missing)
    assert strangers == {}


def test_a_number_tells_two_students_of_one_name_apart(tmp_path):
    for n in (7, 8):
        platforms.put(tmp_path, f"doejane_{n}_{n + 50}_rnn.ipynb", RIGHT)
    (tmp_path / "roster.csv").write_text('Student,ID,Section\n"Doe, Jane",7,A\n"Doe, Jane",8,B\n')
    matched, missing, strangers = roster.match(roster.read(tmp_path / "roster.csv"), read(tmp_path)[0])
    assert {student: person["user"] for student, person in matched.items()} == {"doejane_7": "7", "doejane_8": "8"}
    assert not missing
    assert not strangers


PLAIN = "Name;E-mail;Login\nDoe, Jane;jane@x.edu;jd1\nMüller, José;jose@x.edu;jm2\nDoe, Jane;other@x.edu;jd3\n"
PLAIN += "Li, Wei;w@x;wl4\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_plain_roster_in_any_encoding(encoding, tmp_path):
    (tmp_path / "r.csv").write_bytes(PLAIN.encode(encoding))
    names = ["jd1", "José Müller", "jane-doe", "stranger", unicodedata.normalize("NFD", "müller_josé"), "w@x"]
    found = {}
    for n, name in enumerate(names):
        found[name] = downloads.Submission(name, lambda: b"", f"{name}.ipynb", time=f"2026-01-0{n + 1}")
    matched, missing, strangers = roster.match(roster.read(tmp_path / "r.csv"), found)
    assert {student: person["login"] for student, person in matched.items()} == {
        "jd1": "jd1",
        names[4]: "jm2",
        "w@x": "wl4",
    }
    assert [person["login"] for person in missing] == ["jd3"]
    assert strangers["jane-doe"] == "fits 2 lines of the roster"
    assert strangers["stranger"] == "is not on the roster"
    assert strangers["José Müller"].startswith("is an older file of")


def test_names_that_no_pattern_fits_are_names_of_students(tmp_path):
    for name in ("homework_1_2_final.ipynb", "jane.ipynb", "joe (1).ipynb"):
        platforms.put(tmp_path, name, RIGHT)
    platforms.put(tmp_path, "kim/a.ipynb", WRONG, age=1)
    platforms.put(tmp_path, "kim/b.ipynb", RIGHT)
    found, aside, platform = read(tmp_path)
    assert platform == "plain"
    assert sorted(found) == ["homework_1_2_final", "jane", "joe", "kim"]
    assert downloads.load(found["kim"]) == RIGHT
    assert aside == [("kim/a.ipynb", "another file of the same student: kim/b.ipynb is graded")]


def test_a_roster_among_the_submissions_is_no_student(kind, tmp_path):
    place = tmp_path / "download"
    folder = place / "class" if kind.startswith("a") else place
    for name in ("roster.csv", "s0.ipynb", "s1.ipynb", "s2.ipynb"):
        platforms.put(folder, name, RIGHT)
    if kind.endswith("zip"):
        place = platforms.zipped(place, tmp_path / "d.zip")
    assert sorted(read(place)[0]) == ["s0", "s1", "s2"]


def test_two_students_of_one_name_are_two(tmp_path):
    for n in (1, 2):
        platforms.put(tmp_path, f"doejane_{n}_{n + 50}_rnn.ipynb", RIGHT)
        platforms.put(tmp_path, f"anon_aB{n}_{n + 60}_rnn.ipynb", RIGHT)
        platforms.put(tmp_path, f"LATE_anon_aB{n}9_{n + 60}_rnn.ipynb", RIGHT)
    found = read(tmp_path)[0]
    assert sorted(found) == ["anon_aB1", "anon_aB19", "anon_aB2", "anon_aB29", "doejane_1", "doejane_2"]
    assert [handed.late for _, handed in sorted(found.items())] == [False, True, False, True, False, False]


def test_a_blackboard_name_with_underscores_without_its_notice(tmp_path):
    for login in ("jdoe", "asmith"):
        platforms.put(tmp_path, f"Week_3_{login}_attempt_2026-03-01-12-00-00_rnn.ipynb", RIGHT)
    assert sorted(read(tmp_path)[0]) == ["asmith", "jdoe"]


def test_hostile_zips_cost_only_themselves(tmp_path):
    with zipfile.ZipFile(tmp_path / "d.zip", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("../../evil.ipynb", RIGHT)
        made.writestr("/abs/jane.ipynb", RIGHT)
        made.writestr("bomb.ipynb", b"\0" * (64 << 20))
        made.writestr("good.ipynb", RIGHT)
    data = bytearray((tmp_path / "d.zip").read_bytes())
    at = data.index(b"good.ipynb") + len("good.ipynb") + 5
    data[at : at + 4] = b"\xff\xff\xff\xff"  # inside the compressed bytes
    (tmp_path / "d.zip").write_bytes(data)
    found = read(tmp_path / "d.zip")[0]
    assert sorted(found) == ["abs", "bomb", "evil", "good"]
    assert len(downloads.load(found["bomb"])) <= (20 << 20) + 1
    assert "cannot be read" in downloads.load(found["good"])
    assert downloads.load(found["evil"]) == RIGHT


def test_what_cannot_be_read_is_one_sentence(tmp_path):
    (tmp_path / "no.zip").write_bytes(b"PK no")
    (tmp_path / "empty").mkdir()
    for place in ("no.zip", "empty", "gone"):
        with pytest.raises(author.CourseError, match=place):
            read(tmp_path / place)
    for name, data in (("r1.csv", b"a,b\n1,2\n"), ("r2.csv", b""), ("gone.csv", None)):
        if data is not None:
            (tmp_path / name).write_bytes(data)
        with pytest.raises(author.CourseError, match=name):
            roster.read(tmp_path / name)


def test_a_zip_whose_notebook_is_graded_is_not_set_aside(tmp_path):
    platforms.moodle(tmp_path, RIGHT, WRONG)
    found, aside, _ = read(tmp_path)
    assert downloads.load(found[f"{platforms.full(5)}_5005"]) == RIGHT
    assert not [path for path, _ in aside if path.endswith(".zip")]


def test_two_files_whose_names_look_the_same_are_told_apart(tmp_path):
    platforms.plain(tmp_path, RIGHT, WRONG)
    aside = dict(read(tmp_path)[1])
    assert aside["José Müller.ipynb"] == "an older file of the same name"
