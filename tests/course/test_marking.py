"""The marking page, as markers use it: from a folder, by keyboard, several of them, and again after a regrade."""

import pytest
from attncourse import marking
from test_written import ROOT_ALONE, SUM, graded, marks, page, result

OTHER = "It is not right\nif the entries depend on each other."


@pytest.fixture
def students(with_words):
    texts = {"ada": SUM, "ben": ROOT_ALONE, "cid": OTHER}
    return {name: result(with_words, text) for name, text in texts.items()}


@pytest.fixture
def faults():
    """What goes wrong in a page, and what it asks the network for."""
    return []


@pytest.fixture
def opened(chromium, faults):
    """Open the page of these grades as a marker of this name; the browser forgets the last one's marks."""

    def open_page(grades, marker, context=None):
        tab = (context or chromium.new_context(accept_downloads=True)).new_page()
        tab.set_default_timeout(5000)
        tab.on("pageerror", lambda error: faults.append(error))
        tab.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        tab.on("request", lambda request: faults.append(request.url) if "http" in request.url[:5] else None)
        tab.goto((grades.folder / "marking.html").as_uri())
        tab.keyboard.type(marker)
        tab.keyboard.press("Tab")
        return tab

    return open_page


def press(tab, *keys):
    for key in keys:
        tab.keyboard.press(key)


def save(tab, folder):
    with tab.expect_download() as download:
        tab.keyboard.press("s")
    download.value.save_as(folder / download.value.suggested_filename)


def goes_to(tab, text):
    """Go to the answer with this text, by keyboard."""
    for _ in range(9):
        if tab.locator("#answer").inner_text() == text:
            return
        tab.keyboard.press("j")
    for _ in range(9):
        if tab.locator("#answer").inner_text() == text:
            return
        tab.keyboard.press("k")
    raise AssertionError(text)


def test_a_class_is_marked_by_keyboard(with_words, students, opened, faults, tmp_path):
    grades = graded(with_words, tmp_path, **students)
    tab = opened(grades, "Zoé B.")
    goes_to(tab, SUM)
    press(tab, "1", "3", "r")
    tab.keyboard.type("Name a hypothesis; 1 2 3 jk.")
    press(tab, "Escape", "2", "2", "Enter")
    goes_to(tab, ROOT_ALONE)
    press(tab, "4", "Enter")  # no tick, and the remark used before
    goes_to(tab, OTHER)
    press(tab, "a", "2", "Enter")
    assert "3 of 3 marked, 3 not yet in a file" in tab.locator("#progress").inner_text()
    assert not {"ada", "ben", "cid"} & {*tab.locator("body").inner_text().split()}
    save(tab, grades.folder)
    assert [path.name for path in grades.folder.glob(marking.FILES)] == ["marks-Zoé-B-.csv"]
    assert "not yet" not in tab.locator("#progress").inner_text()
    again = graded(with_words, tmp_path, **students)
    said = {name: again.final(name).verdicts["in-words"] for name in students}
    remark = ["Name a hypothesis; 1 2 3 jk."]
    assert said["ada"] == marking.Verdict([True, False, True], remark)
    assert said["ben"] == marking.Verdict([False] * 3, remark)
    assert said["cid"] == marking.Verdict([True, False, True], [])
    assert not faults


def test_what_is_not_in_a_file_is_there_after_the_page_was_closed(with_words, students, opened, tmp_path):
    grades = graded(with_words, tmp_path, **students)
    tab = opened(grades, "Zoe")
    press(tab, "1", "Enter")
    tab.close()
    tab = opened(grades, "zoe", tab.context)
    assert "1 of 3 marked, 1 not yet in a file" in tab.locator("#progress").inner_text()


def test_a_second_marker_sees_what_is_marked_and_settles_what_differs(with_words, students, opened, faults, tmp_path):
    marks(tmp_path / "out", "Zoe", (SUM, "110", "Good."), (ROOT_ALONE, "100", ""))
    marks(tmp_path / "out", "Yan", (SUM, "100", ""))
    grades = graded(with_words, tmp_path, **students)
    tab = opened(grades, "Xu")
    assert "1 of 3 marked, 1 on which markers differ" in tab.locator("#progress").inner_text()
    goes_to(tab, ROOT_ALONE)
    assert "Zoe: ✓––" in tab.locator("#others").inner_text()
    press(tab, "Enter")  # it is marked, and stays as it is
    goes_to(tab, SUM)
    assert "Markers differ" in tab.locator("#others").inner_text()
    press(tab, "0", "2", "Enter")
    save(tab, grades.folder)
    again = graded(with_words, tmp_path, **students)
    assert again.final("ada").verdicts["in-words"].ticks == [False, True, False]
    assert again.final("ben").verdicts["in-words"].ticks == [True, False, False]
    assert again.final("cid").parts["in-words"] is None
    assert not faults


def test_parts_share_all_answers_out_and_none_twice(with_words, opened, tmp_path):
    many = {f"s{n}": result(with_words, f"Answer number {n}.") for n in range(12)}
    tab = opened(graded(with_words, tmp_path, **many), "Zoe")
    tab.locator("#parts").fill("3")
    seen = []
    for part in ("1", "2", "3"):
        tab.locator("#part").fill(part)
        tab.keyboard.press("Tab")
        tab.locator("h1").click()
        tab.keyboard.press("Escape")
        there = int(tab.locator("#progress").inner_text().split(" of ")[1].split()[0])
        for _ in range(there):
            seen.append(tab.locator("#answer").inner_text())
            tab.locator("#answer").press("j")
    assert sorted(seen) == sorted(f"Answer number {n}." for n in range(12))


def test_the_page_says_nobodys_name(with_words, students, tmp_path):
    grades = graded(with_words, tmp_path, **{f"student-{name}": found for name, found in students.items()})
    assert "student-" not in page(grades, "marking.html")
