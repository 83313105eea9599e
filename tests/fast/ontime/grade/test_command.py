"""``python -m ontime.grade``."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontime.grade import LabError
from ontime.grade.__main__ import collect, main


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--csv", "{0}"], "is a folder: name a file"),
        (["--csv", "{0}/no/grades.csv"], "no folder"),
        (["--csv", "{0}/grades.csv", "--labs", "{0}"], "has no lab with exercises"),
        (["--csv", "{0}/grades.csv", "--lab", "99"], "no exercises of a lab '99'"),
        (["--csv", "x.ipynb"], "was handed in"),
    ],
)
def test_mistakes(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    error: str,
) -> None:
    assert main(["x.ipynb", *(word.format(tmp_path) for word in words)]) == 2
    assert error in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words", [["--seconds", "0"], ["--memory", "1"], ["--jobs", "0"], ["--csv"]]
)
def test_options_that_make_no_sense(words: list[str]) -> None:
    with pytest.raises(SystemExit) as error:
        main(["x.ipynb", "--csv", "out.csv", *words])
    assert error.value.code == 2


def handed(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def students(*paths: Path) -> dict[str, list[str]]:
    found = collect(paths)
    return {name: [path.name for path in files] for name, files in found.items()}


LAB = "04_late_heartbeat.ipynb"


def test_a_folder_of_a_class(tmp_path: Path) -> None:
    handed(
        tmp_path,
        f"ada/{LAB}",
        "ada/more/04_more_exercises.ipynb",
        f"ada/.ipynb_checkpoints/{LAB}",
        f"Bo Li_123_assignsubmission_file/{LAB}",
        "__MACOSX/ada/._x.ipynb",
        "cy.ipynb",
        f"dee_{LAB}",
        "readme.txt",
    )
    assert students(tmp_path) == {
        "ada": [LAB, "04_more_exercises.ipynb"],
        "Bo Li": [LAB],
        "cy": ["cy.ipynb"],
        "dee": [f"dee_{LAB}"],
    }


def test_a_folder_for_each_student_as_a_shell_lists_them(tmp_path: Path) -> None:
    handed(tmp_path, "ada/my.ipynb", f"Bo_1_assignsubmission_file/{LAB}", "cy/x.txt")
    found = students(*sorted(tmp_path.iterdir()))
    assert found == {"ada": ["my.ipynb"], "Bo": [LAB], "cy": ["cy"]}


def test_files_as_a_shell_lists_them(tmp_path: Path) -> None:
    handed(tmp_path, f"ada/{LAB}", "bo.ipynb", f"cy - {LAB}")
    found = students(*sorted(tmp_path.rglob("*.ipynb")))
    assert found == {"ada": [LAB], "bo": ["bo.ipynb"], "cy": [f"cy - {LAB}"]}


def test_a_folder_that_is_called_a_notebook_is_one_file(tmp_path: Path) -> None:
    (tmp_path / "x.ipynb").mkdir()
    assert students(tmp_path / "x.ipynb") == {"x": ["x.ipynb"]}
    assert students(tmp_path) == {"x": ["x.ipynb"]}


def test_a_class_that_handed_in_nothing(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="holds no notebook"):
        collect([tmp_path])
