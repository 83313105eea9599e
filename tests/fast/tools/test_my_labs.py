"""Copies of the labs to work in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools.common import ROOT
from tools.my_labs import bring, fresh

LABS = ROOT / "notebooks"


@pytest.fixture
def labs(tmp_path: Path) -> Path:
    """A folder with one lab."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    write(folder, "print(1)")
    return folder


def write(folder: Path, source: str) -> None:
    cell: dict[str, Any] = {"cell_type": "code", "metadata": {}, "source": source}
    cell |= {"outputs": [{"output_type": "stream", "text": "1"}], "execution_count": 1}
    text = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4})
    (folder / "01_lab.ipynb").write_text(text)


@pytest.mark.parametrize("lab", sorted(LABS.glob("*.ipynb")), ids=lambda lab: lab.stem)
def test_a_copy_has_no_outputs_and_its_solutions_are_folded(lab: Path) -> None:
    cells = fresh(lab)["cells"]
    assert cells
    for cell in cells:
        assert not cell.get("outputs")
        tags = cell["metadata"].get("tags", [])
        assert "remove-cell" not in tags
        if "solution" in tags:
            assert cell["metadata"]["jupyter"]["source_hidden"]


def test_a_second_start_keeps_the_work(labs: Path, tmp_path: Path) -> None:
    mine = tmp_path / "my_labs"
    (copy,) = bring(labs, mine)
    assert copy == mine / "01_lab.ipynb"
    work = json.loads(copy.read_text())
    work["cells"][0]["source"] = "my answer"
    copy.write_text(json.dumps(work))
    assert bring(labs, mine) == []
    assert json.loads(copy.read_text()) == work


def test_a_lab_that_has_changed_comes_beside_the_work(
    labs: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "my_labs"
    (copy,) = bring(labs, mine)
    before = copy.read_bytes()
    write(labs, "print(2)")
    (second,) = bring(labs, mine)
    assert second.name == "01_lab-2.ipynb"
    assert "print(2)" in second.read_text()
    assert bring(labs, mine) == []
    assert copy.read_bytes() == before


def test_what_is_no_notebook_any_more_is_left_alone(labs: Path, tmp_path: Path) -> None:
    mine = tmp_path / "my_labs"
    mine.mkdir()
    (mine / "01_lab.ipynb").write_text("not a notebook")
    (copy,) = bring(labs, mine)
    assert copy.name == "01_lab-2.ipynb"
    assert (mine / "01_lab.ipynb").read_text() == "not a notebook"
