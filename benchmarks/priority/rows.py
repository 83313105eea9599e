"""One measurement, and a row and a table of them."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from benchmarks import runner
from benchmarks.priority.worker import ASYNKIT, IN_USE, OURS, STOCK
from tools.common import ToolError, say

__all__ = [
    "AIMS",
    "ROWS",
    "NotDoneError",
    "command",
    "give_up",
    "row_of",
    "seconds",
    "table",
]

ROWS = (STOCK, OURS, IN_USE, ASYNKIT)
# The highest ratio of instructions, where no work has a priority and where some has.
AIMS = {OURS: 1.05, IN_USE: 1.1}
NOTES = {ASYNKIT: "its own heap; a timer waits for the whole batch"}


class NotDoneError(Exception):
    """A row failed or took too long."""

    def __init__(self, why: str, detail: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.detail = detail


def command(python: str, *words: object) -> list[str]:
    """The command of one measurement."""
    return [python, "-m", "benchmarks.priority.worker", *map(str, words)]


def seconds(
    python: str, work: str, row: str, size: int, timeout: float
) -> tuple[float, str | None]:
    """CPU seconds of one measurement, and the peer's version.

    Raises:
        NotDoneError: It failed, or took too long.
    """
    done = runner.call(command(python, work, row, size), timeout)
    facts = runner.read(done, timeout)
    if "cpu" not in facts:
        raise NotDoneError(facts["why"], facts.get("detail", ""))
    return float(facts["cpu"]), facts["version"]


def row_of(name: str, own: list[float], base: list[float]) -> dict[str, Any]:
    """One row: the median, its ratio to another row's by rounds, and the spreads."""
    each = runner.ratios(own, base)
    row: dict[str, Any] = {
        "name": name,
        "value": runner.short(statistics.median(own)),
        "ratio": runner.short(statistics.median(each)),
    }
    if len(own) > 1:
        row["paired"] = True
        row["ratio_spread"] = [runner.short(min(each)), runner.short(max(each))]
        row["spread"] = [runner.short(min(own)), runner.short(max(own))]
    return row


def table(
    title: str,
    unit: str,
    method: str,
    values: dict[str, list[float]],
    why: dict[str, str],
    *,
    rows: Sequence[str] = ROWS,
    judged: str | None = None,
) -> dict[str, Any]:
    """One group of the results file; its schema is in benchmarks/schema.py.

    Args:
        title: The head of the table.
        unit: Of the values.
        method: How they were measured.
        values: For each row one value a round.
        why: For each row without values, why it has none.
        rows: The rows that it shows.
        judged: The row whose ratio to the stock loop has an aim.
    """
    made: list[dict[str, Any]] = []
    for name in rows:
        own = values.get(name)
        if own is None:
            made.append({"name": name, "value": None, "note": why[name]})
            continue
        row = row_of(name, own, values[STOCK])
        if name in NOTES:
            row["note"] = NOTES[name]
        made.append(row)
    group: dict[str, Any] = {"title": title, "unit": unit, "method": method}
    group["baseline"] = STOCK
    if judged is not None:
        text = f"at most {AIMS[judged]:g} of asyncio's own loop"
        group["aim"] = {"name": judged, "at_most": AIMS[judged], "text": text}
    return group | {"rows": made}


def give_up(
    row: str,
    error: NotDoneError,
    values: dict[str, list[float]],
    why: dict[str, str],
) -> None:
    """Note why a row has no figure.

    Raises:
        ToolError: It is the one that the others are compared with.
    """
    say(f"    {row}: {error.detail or error.why}")
    if row == STOCK:
        raise ToolError(f"the stock loop could not be measured: {error.why}.")
    values.pop(row, None)
    why[row] = error.why
