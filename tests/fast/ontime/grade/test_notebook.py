"""Reading submissions: nothing in them is believed."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ontime.grade import notebook
from ontime.grade.notebook import Cell, UnreadableError, find_answer, read
from tests.fast.ontime.grade.handed_in import hand_in


def refused(path: Path) -> str:
    with pytest.raises(UnreadableError) as error:
        read(path)
    return str(error.value)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b"\xff\xfe\x00", "not UTF-8: byte 0"),
        (b'{"cells": [', "not JSON"),
        (b"[" * 100_000, "nested too deep"),
        (b"[]", "no list of cells"),
        (b'{"cells": {}}', "no list of cells"),
        (b'{"worksheets": []}', "no notebook of format 4"),
        (b"9" * 10_000, "not JSON"),
        (b"<html>", "not JSON"),
        (b"PK\x03\x04zip", "not JSON"),
    ],
)
def test_broken_files(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "broken.ipynb"
    path.write_bytes(data)
    assert words in refused(path)


def test_what_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "no such file" in refused(tmp_path / "absent.ipynb")
    assert "not a file" in refused(tmp_path)
    assert "null" in refused(Path("a\0b.ipynb"))
    assert refused(Path("x" * 5000))
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.ipynb")
        assert "not a file" in refused(tmp_path / "pipe.ipynb")
        (tmp_path / "loop.ipynb").symlink_to(tmp_path / "loop.ipynb")
        assert refused(tmp_path / "loop.ipynb")
    monkeypatch.setattr(notebook, "MOST_BYTES", 10)
    (tmp_path / "huge.ipynb").write_bytes(b"{" * 11)
    assert "11 bytes" in refused(tmp_path / "huge.ipynb")


@pytest.mark.parametrize(
    "cell",
    [
        None,
        7,
        {"cell_type": "markdown", "source": "x"},
        {"cell_type": ["code"]},
    ],
)
def test_what_is_no_code_cell(tmp_path: Path, cell: Any) -> None:
    path = tmp_path / "lab.ipynb"
    path.write_text(json.dumps({"cells": [cell]}))
    assert read(path) == []


def test_cells_of_odd_parts(tmp_path: Path) -> None:
    path = tmp_path / "lab.ipynb"
    odd = [
        {"cell_type": "code"},
        {"cell_type": "code", "metadata": 3, "source": 7, "id": 9},
        {"cell_type": "code", "metadata": {"tags": "check", "exercise": []}},
        {"cell_type": "code", "metadata": {"tags": [1, None]}, "source": ["a", 2]},
    ]
    path.write_text("\N{BYTE ORDER MARK}" + json.dumps({"cells": odd}), "utf-8")
    empty = Cell("", "", frozenset(), "")
    assert read(path) == [empty, empty, empty, Cell("", "", frozenset(), "a")]


def test_a_whole_one(tmp_path: Path) -> None:
    cells = read(hand_in(tmp_path / "lab.ipynb"))
    assert len({c.exercise for c in cells if c.exercise}) == 5


# Which cell it is


def cell(
    source: str, name: str = "x", key: str = "stub", tag: str = "exercise"
) -> Cell:
    return Cell(key, name, frozenset({tag}), source)


def find(*cells: Cell) -> tuple[str, str]:
    answer = find_answer(list(cells), "x", "stub", "x = ...")
    return answer.status, answer.source


def test_the_answer() -> None:
    assert find(cell("x = 1")) == ("", "x = 1")
    assert find(cell("x = 1", key="renamed")) == ("", "x = 1")
    assert find(cell("x = 1", name="", tag="")) == ("", "x = 1")
    assert find(cell("x = 1", name="", key="")) == ("missing", "")
    assert find(cell("x = 1", name="y")) == ("missing", "")
    assert find() == ("missing", "")


def test_no_answer() -> None:
    assert find(cell("x = ...\n"))[0] == "no answer"
    assert find(cell("  "))[0] == "no answer"


def test_the_same_cell_twice() -> None:
    assert find(cell("x = 1"), cell("x = 1\n")) == ("", "x = 1")
    assert find(cell("x = 1"), cell("x = ...")) == ("", "x = 1")
    assert find(cell("x = 1"), cell("x = 2"))[0] == "ambiguous"
    # The cell of the solution is no answer.
    assert find(cell("x = 1"), cell("x = 2", tag="solution")) == ("", "x = 1")


def test_a_very_long_answer() -> None:
    assert find(cell("#" * 100_001))[0] == "error"
