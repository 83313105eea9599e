"""The exercises that submissions are compared with."""

from __future__ import annotations

import pytest

from ontime.grade import Answer, Exercise, Grader, LabError, Limits, read_labs
from ontime.grade.child import Child
from ontime.grade.labs import default_bank
from tests.fast.exercises.homes import all_homes
from tests.fast.ontime.grade.handed_in import APART, TOGETHER


def test_an_extra_exercise_is_graded(grader: Grader) -> None:
    folder = default_bank()
    assert folder is not None
    exercise = read_labs(folder)["01-xorder"]
    assert grader.grade(exercise, Answer(exercise.solution)).passed
    assert (
        grader.grade(exercise, Answer("order_of_letters = 'ABCDEFG'")).status
        == "not yet"
    )


def test_the_start_of_an_interpreter_is_not_the_answers_time() -> None:
    """Which is far longer than this limit, on any machine."""
    with Child({"part": "probe"}, Limits(seconds=0.001)):
        pass


def changed(exercise: Exercise, **parts: str) -> Exercise:
    fields = {name: getattr(exercise, name) for name in Exercise.__match_args__}
    return Exercise(**fields | parts)


def test_a_lab_that_is_wrong_is_not_graded(exercises: dict[str, Exercise]) -> None:
    grader = Grader(Limits(seconds=600))
    good = exercises[APART]
    with pytest.raises(LabError, match="own solution of 03-predict does not pass"):
        grader.prepare([changed(good, solution=good.stub)])
    with pytest.raises(LabError, match="untouched cell of 03-predict passes"):
        grader.prepare([changed(good, stub=good.solution)])
    with pytest.raises(LabError, match=r"cells above 03-predict do not run: .*Zero"):
        grader.prepare([changed(good, setup=("wall = 1 / 0",))])


@pytest.mark.parametrize("name", [APART, TOGETHER])
def test_the_grader_says_what_the_check_says(
    name: str, grader: Grader, exercises: dict[str, Exercise]
) -> None:
    exercise = exercises[name]
    for what, (source, _) in all_homes()[name].wrong.items():
        grade = grader.grade(exercise, Answer(source))
        assert grade.status in ("not yet", "error", "time"), (what, grade)
    assert grader.grade(exercise, Answer(exercise.solution)).passed
