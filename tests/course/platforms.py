"""Downloads as the platforms make them, for tests: folders of 30 students with what goes wrong in real ones.

The names follow the public source of Canvas (lib/content_zipper.rb) and Moodle (mod/assign); those of Blackboard, and
the text of its .txt files, are assumed from its help pages and from tools that read such downloads.
"""

import os
import unicodedata
import zipfile

PEOPLE = [(f"Jane{chr(97 + n % 26)}{n}", f"Doe{chr(97 + n // 26)}") for n in range(28)] + [
    ("José", "Müller"),
    ("Zoë", "Ångström"),
]


def full(n):
    return " ".join(PEOPLE[n])


def put(folder, path, data, age=0):
    """Write a file, `age` days old."""
    path = folder / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (1_770_000_000 - 86400 * age,) * 2)


def canvas_name(n):
    first, last = PEOPLE[n]
    return "".join(c for c in f"{last}{first}".lower() if c.isalnum())


def canvas(folder, right, wrong):
    """30 students; the second was late, the third sent four files, the next a PDF, text and a link."""
    for n in range(30):
        late = "_LATE" if n == 1 else ""
        name = f"{canvas_name(n)}{late}_{12345 + n}_{678900 + 10 * n}_"
        if n == 3:
            put(folder, name + "answers.pdf", b"%PDF")
        elif n in (4, 5):
            put(folder, f"{canvas_name(n)}_{12345 + n}_{'text' if n == 4 else 'link'}.html", b"<p>")
        else:
            put(folder, f"{name}rnn-bottleneck{'-1' if n % 2 else ''}.ipynb", right)
    put(folder, f"{canvas_name(2)}_{12347}_{678925}_rnn-bottleneck-2.ipynb", right)  # the newer attachment
    put(folder, f"{canvas_name(2)}_{12347}_{678921}_notes.ipynb", wrong)
    put(folder, f"{canvas_name(2)}_{12347}_{678929}_scratch.ipynb", b'{"cells": []}')  # newer, and no assignment
    put(folder, "Thumbs.db", b"x")


def canvas_roster():
    """Canvas's own gradebook export, with two students who handed in nothing, and its test student."""
    lines = [
        "Student,ID,SIS User ID,SIS Login ID,Section,RNN assignment (4711),Final Score",
        "    Points Possible,,,,,10,(read only)",
    ]
    lines += [f'"{last}, {first}",{12345 + n},S{n},login{n},A,,' for n, (first, last) in enumerate(PEOPLE)]
    lines += ['"Gone, One",99901,S98,gone1,A,,', '"Gone, Two",99902,S99,gone2,A,,', '"Student, Test",99999,,,A,,']
    return "\n".join(lines).encode()


def moodle(folder, right, wrong, after="_"):
    """30 folders; the third has an older notebook too, the fourth is empty, the fifth holds text, the sixth a zip."""
    for n in range(30):
        top = f"{full(n)}_{5000 + n}_assignsubmission_file{after}"
        if n == 3:
            (folder / top).mkdir(parents=True)
        elif n == 4:
            put(folder, f"{full(n)}_{5000 + n}_assignsubmission_onlinetext{after}/onlinetext.html", b"<p>")
        elif n == 5:
            (folder / top).mkdir(parents=True)
            with zipfile.ZipFile(folder / top / "hand in.zip", "w") as inside:
                inside.writestr("work/rnn.ipynb", right)
                inside.writestr("__MACOSX/work/._rnn.ipynb", b"x")
        else:
            put(folder, f"{top}/rnn-bottleneck.ipynb", right)
    put(folder, f"{full(2)}_5002_assignsubmission_file{after}/rnn-bottleneck (old).ipynb", wrong, age=3)
    put(
        folder, f"{full(2)}_5002_assignsubmission_file{after}/.ipynb_checkpoints/rnn-bottleneck-checkpoint.ipynb", wrong
    )
    put(folder, f"__MACOSX/{full(1)}_5001_assignsubmission_file{after}/._rnn.ipynb", b"x")


def moodle_roster():
    """Moodle's grading worksheet."""
    header = 'Identifier,"Full name","Email address",Status,Grade,"Maximum Grade","Last modified (grade)"'
    lines = [f'{header},"Feedback comments"']
    lines += [f'"Participant {5000 + n}","{full(n)}",s{n}@uni.edu,"Submitted for grading",,10.00,-,' for n in range(30)]
    return "\n".join([*lines, '"Participant 5099","Gone One",gone@uni.edu,"No submission",,10.00,-,']).encode()


def blackboard(folder, right, wrong):
    """30 students with a .txt each; the third made two attempts, the fourth sent a PDF, the fifth's name has a `_`."""
    for n in range(30):
        login = "j_doe4" if n == 4 else f"jdoe{n}"
        head = f"RNN assignment_{login}_attempt_2026-03-0{1 + n % 3}-12-00-{n:02}"
        put(folder, head + ".txt", notice(full(n), login))
        put(folder, f"{head}_{'rnn.pdf' if n == 3 else 'my rnn_v2.ipynb'}", b"%PDF" if n == 3 else right)
    old = "RNN assignment_jdoe2_attempt_2026-02-27-09-30-00"
    put(folder, old + ".txt", notice(full(2), "jdoe2"))
    put(folder, old + "_my rnn.ipynb", wrong)


BLACKBOARD = "RNN assignment_{student}_attempt_{time}{file}"


def notice(name, login):
    """The text of Blackboard's .txt."""
    lines = [f"Name: {name} ({login})", "Assignment: RNN assignment", "Date Submitted: Sunday, March 1, 2026", ""]
    return "\r\n".join([*lines, "Submission Field:", "There is no student submission text data.", ""]).encode()


def blackboard_roster():
    """Blackboard's download of the grade centre: tabs and UTF-16."""
    lines = ["Last Name\tFirst Name\tUsername\tStudent ID\tAvailability\tRNN assignment [Total Pts: 10 Score] |98765"]
    logins = ["j_doe4" if n == 4 else f"jdoe{n}" for n in range(30)]
    lines += [f"{last}\t{first}\t{logins[n]}\tB{n}\tYes\t" for n, (first, last) in enumerate(PEOPLE)]
    return "\n".join([*lines, "Gone\tOne\tgone1\tB99\tYes\t"]).encode("utf-16")


def plain(folder, right, wrong):
    """30 files named by the students; one twice, in the two ways to write an accent."""
    for n in range(30):
        put(folder, f"{full(n)}.ipynb", right)
    put(folder, unicodedata.normalize("NFD", full(28)) + ".ipynb", wrong, age=2)
    put(folder, ".DS_Store", b"x")


def zipped(folder, path, around=""):
    """A zip of a folder, with empty folders."""
    with zipfile.ZipFile(path, "w") as made:
        for file in sorted(folder.rglob("*")):
            made.write(file, around + str(file.relative_to(folder)))
    return path
