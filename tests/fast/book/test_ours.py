"""What a lab has glued, as the pages read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import lab_values

from tests.fast.book.labs import cell


def lab(folder: Path, *cells: dict[str, Any]) -> lab_values.Lab:
    path = folder / "lab.ipynb"
    path.write_text(json.dumps({"cells": cells}), "utf-8")
    return lab_values.read_lab(path)


def test_a_lab_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    first = lab(tmp_path, cell("x", text_plain="1.5"))
    assert lab_values.read_lab(tmp_path / "lab.ipynb") is first
    assert lab(tmp_path, cell("x", text_plain="17.5")).text("x", ".1f") == "17.5"


def test_a_lab_knows_what_was_glued_twice_and_the_tags(tmp_path: Path) -> None:
    twice = lab(tmp_path, cell("x", text_plain="1"), cell("x", text_plain="2"))
    assert twice.twice == ("x",)
    assert twice.tags == {"x": frozenset({"exact"})}


def test_a_figure_is_as_good_as_the_worst_of_what_was_measured_before(
    tmp_path: Path,
) -> None:
    cells = [
        cell(key, "measured", text_plain="1") for key in ("before", "silent", "after")
    ]
    for each, free in zip(cells, (1.0, 0.3, 0.95), strict=True):
        each["metadata"]["free_cores"] = free
    cells[1]["outputs"] = []
    shares = lab(tmp_path, *cells, cell("exact", text_plain="1")).shares
    assert {key: float(share) for key, share in shares.items()} == {
        "before": 1.0,
        "after": 0.3,
    }
