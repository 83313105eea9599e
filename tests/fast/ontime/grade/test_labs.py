"""The exercises that submissions are compared with."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontime.check import exercises as names
from ontime.check.registry import extra_exercises
from ontime.grade import Exercise, LabError, read_labs
from ontime.grade.labs import exercises_of, lab_of, read_solutions
from ontime.grade.notebook import Cell


def test_every_exercise_is_found(exercises: dict[str, Exercise]) -> None:
    assert sorted(exercises) == sorted([*names(), *extra_exercises()])


def test_folders_without_labs(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="--labs"):
        read_labs(tmp_path)
    (tmp_path / "lab.ipynb").write_text("{")
    with pytest.raises(LabError, match=r"lab\.ipynb cannot be read: it is not JSON"):
        read_labs(tmp_path)


def parts(check: str = 'check("x", (a, b))') -> list[Cell]:
    return [
        Cell("", "", frozenset({"live"}), "a = 1"),
        Cell("stub", "x", frozenset({"exercise"}), "b = 0"),
        Cell("", "x", frozenset({"check"}), check),
        Cell("", "x", frozenset({"solution"}), "b = 1"),
    ]


def test_an_exercise() -> None:
    wanted = Exercise(
        "x",
        *("stub", "b = 0", "b = 1", "(a, b)", ("a = 1",)),
        frozenset({"a = 1", "b = 0", "b = 1", 'check("x", (a, b))'}),
    )
    assert exercises_of(parts()) == [wanted]


def test_labs_that_cannot_be_used() -> None:
    with pytest.raises(LabError, match="no cell with the tag 'solution'"):
        exercises_of(parts()[:-1])
    for check in ('check("y", b)', "print(b)", "check(", 'check("x", b, c)'):
        with pytest.raises(LabError, match="does not call check"):
            exercises_of(parts(check))


def test_the_lab_of_an_exercise() -> None:
    assert lab_of("04-fix") == "04"
    assert lab_of("04-xslices") == "04-x"


def test_a_bank_has_its_solutions_beside_it() -> None:
    cells = parts()[:-1]
    (exercise,) = exercises_of(cells, {"x": "b = 2", "y": "b = 3"})
    assert exercise.solution == "b = 2"
    with pytest.raises(LabError, match="no cell with the tag 'solution'"):
        exercises_of(cells, {"y": "b = 3"})


def test_solutions_are_read_and_not_run(tmp_path: Path) -> None:
    path = tmp_path / "01" / "xa.py"
    path.parent.mkdir()
    path.write_text('raise SystemExit\nSOLUTION = "b = 1"\n')
    assert read_solutions(tmp_path, "01") == {"01-xa": "b = 1"}
    assert read_solutions(tmp_path, "02") == {}
    for text in ("", "SOLUTION = 1", "SOLUTION = f()"):
        path.write_text(text)
        with pytest.raises(LabError, match=r"xa\.py has no SOLUTION = "):
            read_solutions(tmp_path, "01")
    path.write_text("(")
    with pytest.raises(LabError, match="cannot be read"):
        read_solutions(tmp_path, "01")
