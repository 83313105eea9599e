"""Reading submissions: nothing in them is believed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ontime.grade import notebook
from ontime.grade.labs import Answer, Exercise, find_answer
from ontime.grade.notebook import Cell, UnreadableError, read


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
        (b'{"worksheets": {}}', "format 3 of old: open it in JupyterLab"),
        (b'{"cells": [' + b'{"cell_type": "code"},' * 3000 + b"1]}", "3000 code cells"),
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
    assert refused(Path("x" * 5000))
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.ipynb")
        assert "not a file" in refused(tmp_path / "pipe.ipynb")
        (tmp_path / "loop.ipynb").symlink_to(tmp_path / "loop.ipynb")
        assert refused(tmp_path / "loop.ipynb")
    monkeypatch.setattr(notebook, "MOST_BYTES", 10)
    (tmp_path / "huge.ipynb").write_bytes(b"{" * 11)
    assert "11 bytes" in refused(tmp_path / "huge.ipynb")


def test_cells_of_odd_parts(tmp_path: Path) -> None:
    path = tmp_path / "lab.ipynb"
    none = [None, 7, {"cell_type": "markdown", "source": "x"}, {"cell_type": ["code"]}]
    odd = [
        {"cell_type": "code"},
        {"cell_type": "code", "metadata": 3, "source": 7, "id": 9},
        {"cell_type": "code", "metadata": {"tags": "check", "exercise": []}},
        {"cell_type": "code", "metadata": {"tags": [1, None]}, "source": ["a", 2]},
    ]
    path.write_text("\N{BYTE ORDER MARK}" + json.dumps({"cells": none + odd}), "utf-8")
    empty = Cell("", "", frozenset(), "")
    assert read(path) == [empty, empty, empty, Cell("", "", frozenset(), "a")]
    tags, about = (
        {"tags": ["a", "b"], "exercise": "x"},
        {"cell_type": "code", "id": "c"},
    )
    whole = {"source": "d", "metadata": tags, "execution_count": 3} | about
    path.write_text(json.dumps({"cells": [whole]}))
    assert read(path) == [Cell("c", "x", frozenset({"a", "b"}), "d", 3)]


# Which cells it is


def cell(
    source: str, name: str = "x", key: str = "stub", tag: str = "exercise", ran: int = 0
) -> Cell:
    return Cell(key, name, frozenset({tag}), source, ran)


def own(source: str) -> Cell:
    return cell(source, "", "", "")


CHECK = cell('check("x", x)', tag="check", key="check")


def find(*cells: Cell) -> Answer:
    known = frozenset({"lab = 1", CHECK.source})
    exercise = Exercise("x", "stub", "x = ...", "x = 1", "x", (), known)
    return find_answer(list(cells), exercise)


@pytest.mark.parametrize(
    "cells",
    [
        [cell("x = 1")],
        [cell("x = 1", key="renamed")],
        [cell("x = 1", name="", tag="")],
        [cell("x = 1"), cell("x = 1\n")],
        [cell("x = 1"), cell("x = ...")],
        [cell("x = 0", ran=1), cell("x = 1", ran=2)],
        [cell("x = 1", ran=7), cell("x = 0", ran=2)],
        [cell("x = 1"), cell("x = 2", tag="solution")],
        [own("x = 0"), cell("x = ..."), own("x = 1"), own("y = 2")],
        [cell("x = ..."), own("x = 1"), cell("x = 2", "", "", "solution")],
        [cell("x = 1".rjust(100_000, "\n"))],
        [own("x = 1")],
        [own("x: int = 1")],
    ],
)
def test_the_answer(cells: list[Cell]) -> None:
    answer = find(*cells)
    assert answer.status == ""
    assert answer.source.strip().endswith("= 1")


@pytest.mark.parametrize(
    ("cells", "status"),
    [
        ([cell("x = ...\n")], "no answer"),
        ([cell("  ")], "no answer"),
        ([cell("x = ..."), own("def f(x):\n    y = x"), own("(x = 1")], "no answer"),
        ([], "missing"),
        ([cell("y = 1", name="y")], "missing"),
        ([cell("#" * 100_001)], "error"),
        ([own("#" * 99_999), cell("x = 1")], "error"),
    ],
)
def test_no_answer(cells: list[Cell], status: str) -> None:
    assert find(*cells).status == status


def test_the_cells_around_an_answer_as_the_notebook_ran() -> None:
    cells = [own("lab = 1"), own("a = 1"), cell("x = a"), own("x += 1"), CHECK]
    answer = find(*cells, own("x = 9"))
    assert (answer.before, answer.after) == (("a = 1",), ("x += 1",))
    assert "code cell 2" in find(cell("x = ..."), own("x = 1")).note


def test_what_the_notebook_hands_to_the_check() -> None:
    answer = find(cell("x = ..."), own("mine = 1"), own('check("x", mine)'))
    assert (answer.source, answer.expression) == ("mine = 1", "mine")
    answer = find(cell("x = ..."), own('check("x", [1, 2])'))
    assert (answer.status, answer.source, answer.expression) == ("", "", "[1, 2]")


@pytest.mark.parametrize("source", ["(" * 50_000, "-" * 90_000 + "1", "x." * 40_000])
def test_sources_that_upset_a_parser(source: str) -> None:
    assert find(own(source), own(source + 'check("x", 1)')).status
