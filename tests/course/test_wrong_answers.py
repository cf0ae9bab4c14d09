"""No wrong answer of the table gets all points of its exercise, whatever the seed."""

import pytest
from attncourse import author, batch, marks
from coursework import CHAPTERS
from right_answers import RIGHT
from wrong_answers import WRONG

SEEDS = range(5)


def changed(exercise, change):
    """The answer of an exercise with one text in the place of another, or the source that replaces functions of it."""
    if len(change) == 1:
        return change[0]
    old, new = change
    source = "\n\n\n".join(map(author.solution, exercise["answer"])) + "\n"
    assert old in source, f"the solution of {exercise['name']} does not contain {old!r}"
    return source.replace(old, new)


def passing(bundle, exercise, change):
    """The seeds with which a wrong answer gets all points of its exercise."""
    functions = author.reference(bundle, changed(exercise, change))
    with batch.bounded_memory(1 << 30):
        found = [marks.mark(bundle | {"exercises": [exercise | {"visible": []}]}, functions, seed) for seed in SEEDS]
    return [seed for seed, each in zip(SEEDS, found, strict=True) if all(m["passed"] for m in each)]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_wrong_answers_lose_points(chapter, bundles):
    exercises = {exercise["name"]: exercise for exercise in bundles[chapter]["exercises"] if exercise["hidden"]}
    assert set(WRONG[chapter]) == set(exercises)
    right = []
    for name, answers in WRONG[chapter].items():
        assert len(answers) >= 3, f"{chapter}: {name}: fewer than three wrong answers"
        for about, *change in answers:
            seeds = passing(bundles[chapter], exercises[name], change)
            right += [f"{name}: {about}: all points with seed {', '.join(map(str, seeds))}"] if seeds else []
    assert right == []


@pytest.mark.parametrize(("chapter", "name"), [(chapter, name) for chapter in RIGHT for name in RIGHT[chapter]])
def test_right_answers_of_another_kind_keep_their_points(chapter, name, bundles):
    (exercise,) = (exercise for exercise in bundles[chapter]["exercises"] if exercise["name"] == name)
    assert passing(bundles[chapter], exercise, [RIGHT[chapter][name]]) == list(SEEDS)
