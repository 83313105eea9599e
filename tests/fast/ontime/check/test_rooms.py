"""What the checks are made of: their small worlds, and the lines to put in order."""

from __future__ import annotations

import asyncio
import textwrap
from typing import Any

import pytest

from looplab import run
from looplab.lint import check_source
from ontime.check import (
    backpressure,
    callbacks,
    cpu_models,
    late_heartbeat,
    priority,
    spinning_loop,
    task_cost,
)
from ontime.check.backpressure import FINDINGS
from ontime.check.bank.your_program import REMEDIES, who_tables
from ontime.check.tools import abandoned

LINES = [
    (callbacks, [5, 10, 6, 2, 4, 9, 8, 11, 1], 2),
    (cpu_models, [4, 2, 6, 7, 9, 1], 3),
    (task_cost, [5, 7, 9, 2, 4, 1], 3),
    (late_heartbeat, [7, 13, 4, 10, 6, 14, 2, 8, 11, 1, 5, 15, 9], 2),
    (backpressure, [7, 9, 5, 12, 4, 2, 8, 10, 1, 6], 2),
    (spinning_loop, [5, 3, 7, 2, 1], 3),
    (priority, [5, 10, 2, 8, 11, 1, 6, 4], 3),
]


@pytest.mark.parametrize(("chapter", "order", "spare"), LINES)
def test_lines_in_order_are_python_and_some_are_not_needed(
    chapter: Any, order: list[int], spare: int
) -> None:
    compile(chapter.parsons_program(order), "<program>", "exec")
    lines = chapter.PARSONS_LINES
    assert len(set(lines)) == len(lines) == len(order) + spare
    assert order != sorted(order)


def test_who_is_about_to_end_is_not_abandoned() -> None:
    async def main() -> int:
        asyncio.create_task(asyncio.sleep(9))
        asyncio.create_task(asyncio.sleep(9)).cancel()
        return await abandoned()

    assert run(main()) == 1


def test_the_linter_says_what_the_check_says_of_it() -> None:
    sections = {}
    for library, source in FINDINGS.items():
        if source.startswith("self."):
            first, _, rest = source.partition("\n")
            source = "class Service:\n    def __init__(self):\n        " + first
            source += "\n" + textwrap.indent(rest, "    ")
        source = "import asyncio\n" + source
        findings = check_source(source, select=["LAG1"])
        sections[library] = [finding.section for finding in findings]
    assert sections == {
        "broadcaster": ["lag101-await"],
        "litestar": ["lag101-callback"],
        "uvicorn": [],
        "crawlee": ["lag101-finally"],
        "discord.py": [],
    }


def test_the_tables_show_what_the_remedies_need() -> None:
    tables = who_tables()
    first = {
        name: "".join(table.partition("\n 1. ")[2].splitlines()[:2])
        for name, table in tables.items()
    }
    assert "invoices" in first["A"] and "the longest 5.0 ms" in first["A"]
    assert "pictures" in first["B"] and "the longest 120 ms" in first["B"]
    assert "inbox" in first["C"] and "it woke itself and did nothing" in tables["C"]
    assert "nobody waited to speak of" in tables["D"]
    assert set(REMEDIES) == {"thread", "queue", "wait", "elsewhere"}
