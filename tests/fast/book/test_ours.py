"""What a lab has glued, as the pages read it."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import lab_values
import pytest

from tests.fast.book.labs import cell


def lab(folder: Path, *cells: dict[str, Any]) -> lab_values.Lab:
    path = folder / "lab.ipynb"
    path.write_text(json.dumps({"cells": cells}), "utf-8")
    return lab_values.read_lab(path)


def test_a_lab_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    first = lab(tmp_path, cell("x", text_plain="1.5"))
    assert lab_values.read_lab(tmp_path / "lab.ipynb") is first
    assert lab(tmp_path, cell("x", text_plain="17.5")).text("x", ".1f") == "17.5"


def test_what_was_glued_twice_is_counted(tmp_path: Path) -> None:
    cells = [cell("x", text_plain="1"), cell("x", "live", text_plain="2")]
    glued = lab(tmp_path, *cells).glued["x"]
    assert (glued.times, glued.tags, glued.value) == (2, {"live"}, 2)


def test_a_figure_is_as_good_as_the_worst_of_what_was_measured_before(
    tmp_path: Path,
) -> None:
    cells = [
        cell(key, "measured", text_plain="1") for key in ("before", "silent", "after")
    ]
    for each, free in zip(cells, (1.0, 0.3, 0.95), strict=True):
        each["metadata"]["free_cores"] = free
    cells[1]["outputs"] = []
    glued = lab(tmp_path, *cells, cell("exact", text_plain="1")).glued
    assert {key: each.free and float(each.free) for key, each in glued.items()} == {
        "before": 1.0,
        "after": 0.3,
        "exact": None,
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", Decimal("1.5")),
        ("np.float64(1.5)", Decimal("1.5")),
        ("'text'", "text"),
        ("[0, 1]", "0, 1"),
        ("True", "True"),
        ("nan", "nan"),
    ],
)
def test_values(tmp_path: Path, text: str, value: lab_values.Value) -> None:
    cells = [cell("x", text_plain=[text]), cell("image", image_png="AAAA")]
    glued = lab(tmp_path, *cells).glued
    assert glued["x"].value == value
    assert glued["image"].value is None
