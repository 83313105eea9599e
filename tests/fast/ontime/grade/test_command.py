"""``python -m ontime.grade``."""

from __future__ import annotations

from pathlib import Path

import pytest

from ontime.grade.__main__ import main


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--csv", "{0}"], "is a folder: name a file"),
        (["--csv", "{0}/no/grades.csv"], "no folder"),
        (["--csv", "{0}/grades.csv", "--labs", "{0}"], "has no lab with exercises"),
        (["--csv", "{0}/grades.csv", "--lab", "99"], "no exercises of a lab '99'"),
    ],
)
def test_mistakes(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    said: str,
) -> None:
    assert main(["x.ipynb", *(word.format(tmp_path) for word in words)]) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [["--seconds", "0"], ["--memory", "1"], ["--csv"]])
def test_options_that_make_no_sense(words: list[str]) -> None:
    with pytest.raises(SystemExit) as error:
        main(["x.ipynb", "--csv", "out.csv", *words])
    assert error.value.code == 2
