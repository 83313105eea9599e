"""Cells of a notebook, run as a notebook runs them."""

from __future__ import annotations

from typing import Any

import pytest

from ontime.grade.cells import run_cell


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("", None),
        ("x = 1", None),
        ("x = 1\nx + 1", 2),
        ("import asyncio\nawait asyncio.sleep(0, 3)", 3),
        ("import asyncio\nx = await asyncio.sleep(0, 3)", None),
    ],
)
def test_the_value_of_the_last_expression(source: str, value: Any) -> None:
    assert run_cell(source, {}) == value
