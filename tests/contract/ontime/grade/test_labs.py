"""The exercises that submissions are compared with."""

from __future__ import annotations

import threading

import pytest

from ontime.grade import Answer, Exercise, Grader, LabError, Limits
from ontime.grade.cells import run_cell
from ontime.grade.child import Child
from tests.fast.exercises.homes import all_homes
from tests.fast.ontime.grade.handed_in import APART, TOGETHER


def test_an_extra_exercise_is_graded(
    grader: Grader, exercises: dict[str, Exercise]
) -> None:
    exercise = exercises["01-xorder"]
    assert grader.grade(exercise, Answer(exercise.solution)).passed
    wrong = Answer("order_of_letters = 'ABCDEFG'")
    assert grader.grade(exercise, wrong).status == "not yet"


def test_the_start_of_an_interpreter_is_not_the_answers_time(
    exercises: dict[str, Exercise],
) -> None:
    """Which is far longer than this limit, on any machine."""
    job = {"part": "judge", "name": "01-xorder", "setup": [], "expression": "x"}
    job |= {"cells": [[], ["x"], []], "words": {"value": "1"}}
    with Child(job, Limits(seconds=0.001), threading.Event()):
        pass


def test_a_cell_may_await() -> None:
    assert run_cell("import asyncio\nawait asyncio.sleep(0, 3)", {}) == 3
    assert run_cell("import asyncio\nx = await asyncio.sleep(0, 3)", {}) is None


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
    with pytest.raises(LabError, match="does not pass here"):
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
