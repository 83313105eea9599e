"""Notebooks for the tests of grading, made from the labs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ontime.grade.labs import default_folder

LABS = default_folder()
assert LABS is not None

#: An exercise that is graded apart, one that is not, and good answers.
APART, TOGETHER = "03-predict", "03-modify"
GOOD_APART = """
def wall(parts, wait, cpu, at_once):
    if at_once and parts:
        return wait + parts * cpu
    return parts * (wait + cpu)
"""
GOOD_TOGETHER = """
async def handle(user, price, stock):
    async with asyncio.TaskGroup() as group:
        price_task = group.create_task(price())
        name = await user()
        left = await stock()
    return name, price_task.result(), left
"""
ANSWERS = {APART: GOOD_APART, TOGETHER: GOOD_TOGETHER}


def lab(stem: str = "03_task_cost") -> dict[str, Any]:
    """A lab as it was handed out."""
    book: dict[str, Any] = json.loads((LABS / f"{stem}.ipynb").read_text("utf-8"))
    return book


def stub_of(book: dict[str, Any], name: str) -> dict[str, Any]:
    """The cell in which a student writes."""
    (found,) = (
        cell
        for cell in book["cells"]
        if cell["metadata"].get("exercise") == name
        and "exercise" in cell["metadata"]["tags"]
    )
    cell: dict[str, Any] = found
    return cell


def hand_in(path: Path, answers: dict[str, str] | None = None, **parts: Any) -> Path:
    """Write lab 3 with these answers in it."""
    book = lab()
    for name, source in (ANSWERS if answers is None else answers).items():
        stub_of(book, name)["source"] = source
    path.write_text(json.dumps(book | parts), encoding="utf-8")
    return path
