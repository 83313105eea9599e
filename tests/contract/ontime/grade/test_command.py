"""``python -m ontime.grade``, with answers in processes and students in threads."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from ontime.grade import Answer, Exercise, Grade
from ontime.grade import __main__ as command
from ontime.grade.__main__ import graded, main
from ontime.grade.grading import StoppedError
from ontime.handout import copy_of, labs_of
from tests.fast.ontime.grade.handed_in import (
    APART,
    GOOD_APART,
    LABS,
    TOGETHER,
    hand_in,
    lab,
    stub_of,
)


def table(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["student"]: row for row in csv.DictReader(stream)}


def own(source: str) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}


def test_a_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "class"
    folder.mkdir()
    hand_in(folder / "=cmd.ipynb")
    forged = lab()
    for cell in forged["cells"]:
        if cell["cell_type"] == "code":  # what the notebook shows is not believed
            cell["outputs"] = [{"output_type": "stream", "text": "passed: forged"}]
    stub_of(forged, APART)["source"] = "def wall(*_): return 0"
    (folder / "forged.ipynb").write_text(json.dumps(forged))
    (folder / "broken.ipynb").write_bytes(b"\xff")
    out, pages = tmp_path / "grades.csv", tmp_path / "feedback"
    words = [str(folder), "--csv", str(out), "--feedback", str(pages), "--jobs", "2"]
    assert main([*words, "--seconds", "600"]) == 1
    rows = table(out)
    assert set(rows) == {"'=cmd", "forged", "broken"}
    assert rows["'=cmd"][APART] == "1"
    assert rows["'=cmd"][TOGETHER] == "2"
    assert rows["'=cmd"]["points"] == "3"
    assert f"{APART} not yet" in rows["forged"]["remarks"]
    assert "not UTF-8" in rows["broken"]["remarks"]
    assert sorted(page.stem for page in pages.iterdir()) == ["_cmd", "broken", "forged"]
    assert "3 students, 2 of 10 answers passed; 1 files" in capsys.readouterr().err


def test_as_the_notebook_ran(tmp_path: Path) -> None:
    (path,) = labs_of("03")
    book = copy_of(path)
    cells = book["cells"]
    # A helper and an import in cells of their own, a magic above the answer.
    place = cells.index(stub_of(book, APART))
    cells[place]["source"] = "%%time\ndef wall(*words):\n    return helper(*words)"
    helper = GOOD_APART.replace("def wall", "def helper")
    cells.insert(place, own(helper.replace("wait +", "math.fabs(wait) +")))
    cells.insert(place, own("import math\n!ls"))
    cells.insert(place, own("1 / 0"))
    # Another in a new cell, at the end.
    cells.append(own("# mine\nasync def handle(user, price, stock):\n    return 1"))
    (tmp_path / "ada.ipynb").write_text(json.dumps(book))
    # And all that tells cells apart is lost on the way of the third.
    for cell in cells:
        cell.pop("id", None)
        cell["metadata"] = {}
    (tmp_path / "bo.ipynb").write_text(json.dumps(book))
    out = tmp_path / "grades.csv"
    assert main([str(tmp_path), "--csv", str(out), "--seconds", "600"]) == 0
    rows = table(out)
    assert rows["ada"][APART] == rows["bo"][APART] == "1"
    assert f"{TOGETHER} not yet" in rows["ada"]["remarks"]


class Fake:
    """A grader that passes what ``good`` is in, and can be interrupted."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.wait: set[str] = set()

    def prepare(self, exercises: Iterable[Exercise]) -> None:
        pass

    def grade(self, exercise: Exercise, answer: Answer) -> Grade:
        if answer.source in self.wait:
            assert self.stopped.wait(300)
            raise StoppedError
        return Grade("passed" if "good" in answer.source else "not yet", "so")


EXERCISE = Exercise("04-fix", "stub", "x = ...", "x = 1", "x", ())


def write(path: Path, source: str) -> Path:
    cell = own(source) | {"metadata": {"exercise": "04-fix", "tags": ["exercise"]}}
    path.write_text(json.dumps({"cells": [cell]}))
    return path


@pytest.mark.parametrize("jobs", [1, 4])
def test_rows_come_one_by_one_and_an_interrupt_ends_what_runs(
    tmp_path: Path, jobs: int
) -> None:
    grader = Fake()
    grader.wait = {"endless"}
    handed = {
        "ada": [write(tmp_path / "a", "good")],
        "bo": [write(tmp_path / "b", "bad"), write(tmp_path / "c", "good")],
        "cy": [write(tmp_path / "d", "endless")],
    }
    rows = graded(handed, {"04-fix": EXERCISE}, grader, jobs=jobs)
    done = {(row := next(rows)).student: row.points("04-fix") for _ in range(2)}
    assert done == {"ada": 2, "bo": 2}
    with pytest.raises(KeyboardInterrupt):
        rows.throw(KeyboardInterrupt)
    assert grader.stopped.is_set()


def test_an_interrupt_keeps_the_rows_that_are_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(handed: Any, *_: Any, begin: Any, **__: Any) -> Any:
        begin(["04-fix"])
        yield command.Row("ada", [], {"04-fix": Grade("passed", "")})
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "graded", interrupted)
    out = tmp_path / "grades.csv"
    path = hand_in(tmp_path / "lab.ipynb")
    assert main([str(path), "--csv", str(out)]) == 130
    assert table(out)["ada"]["points"] == "2"


def test_no_labs_to_be_found(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command, "default_folder", lambda: None)
    assert main(["x.ipynb", "--csv", str(tmp_path / "grades.csv")]) == 2
    assert "--labs on-time/notebooks" in capsys.readouterr().err
    assert main(["x", "--csv", str(tmp_path / "g.csv"), "--labs", str(LABS)]) == 1


@pytest.mark.skipif(os.name != "posix", reason="a script for a shell")
def test_the_line_for_a_container(tmp_path: Path) -> None:
    """The README's line, with a ``docker`` that runs what it is told to run here."""
    root = Path(__file__).parents[4]
    text = (root / "teaching" / "README.md").read_text("utf-8")
    (line,) = (line for line in text.splitlines() if line.startswith("docker run"))
    for limit in ("--network none", "--read-only", "--memory", "--pids-limit", ":ro"):
        assert limit in line
    fake = tmp_path / "docker"
    fake.write_text(
        "#!/bin/sh\n"
        'while [ "$1" != on-time-grade ]; do shift; done; shift\n'
        f'exec "{sys.executable}" -m ontime.grade "$@"\n'
    )
    fake.chmod(0o755)
    (tmp_path / "handed-in").mkdir()
    (tmp_path / "handed-in" / "ada.ipynb").write_text("")
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1, done.stderr
    assert table(tmp_path / "grades.csv")["ada"]["points"] == "0"
