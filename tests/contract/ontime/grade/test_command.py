"""``python -m ontime.grade``."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from ontime.grade import STATUSES
from ontime.grade import __main__ as command
from ontime.grade.__main__ import main
from ontime.grade.labs import default_bank
from tests.fast.ontime.grade.handed_in import (
    APART,
    GOOD_APART,
    LABS,
    TOGETHER,
    hand_in,
    lab,
    stub_of,
)


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = hand_in(tmp_path / "=cmd.ipynb")
    forged = lab()
    for cell in forged["cells"]:
        if cell["cell_type"] == "code":  # what the notebook shows is not believed
            cell["outputs"] = [{"output_type": "stream", "text": "passed: forged"}]
    stub_of(forged, APART)["source"] = "def wall(*_): return 0"
    stub_of(forged, "03-fix")["metadata"]["exercise"] = "renamed"
    stub_of(forged, "renamed")["id"] = "renamed"
    (tmp_path / "forged.ipynb").write_text(json.dumps(forged))
    (tmp_path / "broken.ipynb").write_bytes(b"\xff")
    out = tmp_path / "grades.csv"
    words = [good, tmp_path / "forged.ipynb", tmp_path / "broken.ipynb"]
    assert main([*map(str, words), "--csv", str(out), "--seconds", "600"]) == 1
    rows = table(out)
    found = {(Path(r["submission"]).name, r["exercise"]): r["status"] for r in rows}
    assert len(rows) == len(found) == 11
    assert found[("=cmd.ipynb", APART)] == "passed"
    assert found[("=cmd.ipynb", TOGETHER)] == "passed"
    assert found[("=cmd.ipynb", "03-make")] == "no answer"
    assert found[("forged.ipynb", APART)] == "not yet"
    assert found[("forged.ipynb", "03-fix")] == "missing"
    assert found[("broken.ipynb", "")] == "unreadable"
    assert {row["status"] for row in rows} <= set(STATUSES)
    said = capsys.readouterr().err
    assert "2 of 10 answers passed; 1 files could not be read" in said


def test_a_lab_that_lost_its_names(tmp_path: Path) -> None:
    book = lab()
    stub_of(book, APART)["source"] = GOOD_APART
    for cell in book["cells"]:
        cell["metadata"] = {}
    path, out = tmp_path / "bare.ipynb", tmp_path / "grades.csv"
    path.write_text(json.dumps(book))
    assert main([str(path), "--csv", str(out)]) == 1
    (row,) = table(out)
    assert "--lab, one of 01, 01-x, 02" in row["reason"]
    words = [str(path), "--csv", str(out), "--lab", "03", "--seconds", "600"]
    assert main(words) == 0
    assert [row["status"] for row in table(out)].count("passed") == 1


def test_extra_exercises(tmp_path: Path) -> None:
    folder = default_bank()
    assert folder is not None
    book = json.loads((folder / "01_callbacks.ipynb").read_text("utf-8"))
    stub_of(book, "01-xorder")["source"] = "order_of_letters = 'ABCDEFG'"
    path, out = tmp_path / "bank.ipynb", tmp_path / "grades.csv"
    path.write_text(json.dumps(book))
    words = [str(path), "--csv", str(out), "--seconds", "600"]
    assert main(words) == 0
    rows = {row["exercise"]: row["status"] for row in table(out)}
    assert rows.pop("01-xorder") == "not yet"
    assert all(name.startswith("01-x") for name in rows), "none of the lab's"
    assert set(rows.values()) <= {"no answer"}
    for cell in book["cells"]:
        cell["metadata"] = {}
    path.write_text(json.dumps(book))
    assert main([*words, "--lab", "01-x"]) == 0
    assert table(out)[0]["status"] == "not yet"


def test_an_interrupt_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "find_answer", interrupted)
    out = tmp_path / "grades.csv"
    out.write_text("old")
    path = hand_in(tmp_path / "lab.ipynb")
    assert main([str(path), "--csv", str(out)]) == 130
    assert out.read_text() == "old"


def test_no_labs_to_be_found(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(command, "default_folder", lambda: None)
    assert main(["x.ipynb", "--csv", str(tmp_path / "grades.csv")]) == 2
    assert "--labs on-time/notebooks" in capsys.readouterr().err
    assert main(["x", "--csv", str(tmp_path / "g.csv"), "--labs", str(LABS)]) == 1
