"""``python -m ontime.grade``: who handed in what."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ontime.grade import Exercise
from ontime.grade.__main__ import collect, main, read_all


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["x", "--csv", "{0}"], "could not be written: Is a directory"),
        (["x", "--csv", "{0}/no/grades.csv"], "could not be written: No such file"),
        (
            ["x", "--csv", "{0}/grades.csv", "--labs", "{0}"],
            "has no lab with exercises",
        ),
        (["x", "--csv", "{0}/grades.csv", "--lab", "99"], "no exercises of a lab '99'"),
        (["x.ipynb", "--csv", "x.ipynb"], "was handed in"),
        (["{0}", "--csv", "{0}/grades.csv"], "holds no notebook"),
    ],
)
def test_mistakes(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    error: str,
) -> None:
    assert main([word.format(tmp_path) for word in words]) == 2
    assert error in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


LAB = "04_late_heartbeat.ipynb"
MOODLE = f"Bo Li_123_assignsubmission_file/{LAB}"


@pytest.mark.parametrize(
    ("files", "named", "students"),
    [
        (
            (
                *(f"ada/{LAB}", "ada/more/04_more_exercises.ipynb", MOODLE),
                *("cy.ipynb", f"dee_{LAB}", "readme.txt"),
                *(f"ada/.ipynb_checkpoints/{LAB}", "__MACOSX/ada/._x.ipynb"),
            ),
            ".",
            {
                "ada": [LAB, "04_more_exercises.ipynb"],
                "Bo Li": [LAB],
                "cy": ["cy.ipynb"],
                "dee": [f"dee_{LAB}"],
            },
        ),
        (
            ("ada/my.ipynb", MOODLE, "cy/x.txt"),
            "*",  # a folder for each student, as a shell lists them
            {"Bo Li": [LAB], "ada": ["my.ipynb"], "cy": ["cy"]},
        ),
        (
            (f"ada/{LAB}", "bo.ipynb", f"cy - {LAB}"),
            "**/*.ipynb",
            {"ada": [LAB], "bo": ["bo.ipynb"], "cy": [f"cy - {LAB}"]},
        ),
        (("x.ipynb/y",), "x.ipynb", {"x": ["x.ipynb"]}),  # a folder, by mistake
        (("x.ipynb/y",), ".", {"x": ["x.ipynb"]}),
    ],
)
def test_who_handed_in_what(
    tmp_path: Path, files: list[str], named: str, students: dict[str, list[str]]
) -> None:
    for file in files:
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    paths = [tmp_path] if named == "." else sorted(tmp_path.glob(named))
    handed = collect(paths)
    assert {who: [path.name for path in handed[who]] for who in handed} == students


def test_which_exercises_a_notebook_has(tmp_path: Path) -> None:
    exercises = {
        name: Exercise(name, "", "x = ...", "x = 1", "x", ())
        for name in ("03-fix", "04-fix", "04-make", "04-xa")
    }
    path = tmp_path / "lab.ipynb"

    def names(source: str, lab: str = "") -> list[str]:
        cell = {"cell_type": "code", "source": source}
        path.write_text(json.dumps({"cells": [cell]}))
        (row,) = read_all({"ada": [path, path]}, exercises, lab)
        assert len(row.unreadable) == (0 if row.answers else 2)
        return [exercise.name for exercise, _ in row.answers[: len(row.answers) // 2]]

    assert names('check("04-make", x)') == ["04-fix", "04-make"]
    assert names("check('04-xa', x)") == ["04-xa"]
    assert names("x = 1", "03") == ["03-fix"]
    assert names("x = 1") == names('check("04-no", x)') == []
