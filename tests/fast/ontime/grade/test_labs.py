"""The exercises that submissions are compared with."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontime.check import exercises as names
from ontime.check.registry import extra_exercises
from ontime.grade import Exercise, LabError, read_labs
from ontime.grade.labs import (
    default_folder,
    exercises_of,
    lab_of,
    points_of,
    read_solutions,
)
from ontime.grade.notebook import Cell


def test_every_exercise_is_found() -> None:
    folder = default_folder()
    assert folder
    assert sorted(read_labs(folder)) == sorted([*names(), *extra_exercises()])


def test_folders_without_labs(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="--labs"):
        read_labs(tmp_path)
    (tmp_path / "lab.ipynb").write_text("{")
    with pytest.raises(LabError, match=r"lab\.ipynb cannot be read: it is not JSON"):
        read_labs(tmp_path)


def parts(check: str = 'check("x", (a, b))') -> list[Cell]:
    return [
        Cell("", "", frozenset({"live"}), "a = 1"),
        Cell("", "", frozenset({"live", "raises-exception"}), "1 / 0"),
        Cell("stub", "x", frozenset({"live", "exercise"}), "b = 0"),
        Cell("", "x", frozenset({"live", "check"}), check),
        Cell("", "", frozenset({"live"}), "c = 1"),
        Cell("", "x", frozenset({"solution"}), "b = 1"),
    ]


def test_an_exercise() -> None:
    known = frozenset(cell.source for cell in parts())
    wanted = Exercise("x", "stub", "b = 0", "b = 1", "(a, b)", ("a = 1",), known)
    assert exercises_of(parts(), {}) == [wanted]
    (exercise,) = exercises_of(parts()[:-1], {"x": "b = 2", "y": "b = 3"})
    assert exercise.solution == "b = 2"


def test_labs_that_cannot_be_used() -> None:
    with pytest.raises(LabError, match="no cell with the tag 'solution'"):
        exercises_of(parts()[:-1], {"y": "b = 3"})
    twice = 'check("x", b)\ncheck("x", a)'
    for check in (twice, 'check("y", b)', "print(b)", "check(", 'check("x", b, c)'):
        with pytest.raises(LabError, match="does not call check"):
            exercises_of(parts(check), {})


def test_the_lab_and_the_points_of_an_exercise() -> None:
    assert [lab_of(name) for name in ("04-fix", "04-xslices")] == ["04", "04-x"]
    kinds = ("predict", "parsons", "judge", "fix", "modify", "make", "xslices")
    assert [points_of(f"04-{kind}") for kind in kinds] == [1, 1, 1, 2, 2, 3, 2]


def test_solutions_of_more_exercises(tmp_path: Path) -> None:
    path = tmp_path / "01" / "xa.md"
    path.parent.mkdir()
    more = "### two\n\n> too many\n\n```python\nb = 2\n```\n"
    path.write_text(f"# Answers\n\nIt is\none.\n\n```python\nb = 1\n```\n\n{more}")
    assert read_solutions(tmp_path, "01") == {"01-xa": ("b = 1", "It is one.")}
    assert read_solutions(tmp_path, "02") == {}
    for text in "", "# Answers\n\n## The stub\n\n```python\nb = 2\n```\n":
        path.write_text(text)
        with pytest.raises(LabError, match=r"xa\.md has no solution: below its title"):
            read_solutions(tmp_path, "01")
    path.write_bytes(b"\xff")
    with pytest.raises(LabError, match=r"xa\.md cannot be read: 'utf-8'"):
        read_solutions(tmp_path, "01")
