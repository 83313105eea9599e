"""What a measurement found, as a table for a terminal, a page and a file."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Any

from looplab._words import THREE_DIGITS, seconds
from ontime.measuring.tables import Table, aligned, as_html

__all__ = ["Cost", "CostTable"]

_time = partial(seconds, scale=THREE_DIGITS)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one call costs.  Times are seconds for one call.

    Of several values the median counts: on a machine that does other work too, it is
    moved less by a few high values than the mean is.

    Introduced in the chapter *Count what a task costs*.
    """

    #: What was called.
    name: str
    #: ``"asyncio"`` or ``"uvloop"``.
    loop: str
    #: CPU time of each value, all threads of the process, without its children.
    cpus: tuple[float, ...] = ()
    #: Wall time of the same values.
    walls: tuple[float, ...] = ()
    #: How many calls made one value.
    calls: int = 0
    #: Instructions of one call, or None where they were not counted.
    instructions: float | None = None
    #: Where the tasks came from; ``"_asyncio"`` is the fast module in C.
    tasks: str = ""
    #: Why it was not measured, or an empty string.
    unavailable: str = ""

    @property
    def cpu(self) -> float:
        """The median CPU time of a call."""
        return statistics.median(self.cpus)

    @property
    def wall(self) -> float:
        """The median wall time of a call."""
        return statistics.median(self.walls)

    @property
    def low(self) -> float:
        """The lowest CPU time of a call."""
        return min(self.cpus)

    @property
    def high(self) -> float:
        """The highest CPU time of a call."""
        return max(self.cpus)


@dataclass(repr=False)
class CostTable(Table[Cost]):
    """Some costs side by side; made by the functions of :mod:`ontime.cost`.

    ``table["gather"]`` is the :class:`Cost` of that name on the first loop,
    ``table["gather", "uvloop"]`` that on another.  Iterating gives all of them in
    order.

    Attributes:
        rows: the costs.
        machine: what it was measured on, as words by name.
        baseline: the name of the one that ratios are taken to.
        note: what a reader of the figures must know, or an empty string.
    """

    baseline: str
    note: str = ""

    @staticmethod
    def _row(data: dict[str, Any]) -> Cost:
        times = {name: tuple(data[name]) for name in ("cpus", "walls")}
        return Cost(**data | times)

    def __getitem__(self, key: str | tuple[str, str]) -> Cost:
        """The cost of that name, and on that loop.

        Raises:
            KeyError: there is none; the message lists them.
        """
        if isinstance(key, str):
            return super().__getitem__(key)
        return {(row.name, row.loop): row for row in self.rows}[key]

    def ratio(self, name: str, loop: str | None = None) -> float:
        """CPU time of a call, in calls of the baseline on the same loop.

        Raises:
            KeyError: there is no such row.
            StatisticsError: one of the two was not measured.
        """
        row = self[name] if loop is None else self[name, loop]
        return row.cpu / self[self.baseline, row.loop].cpu

    def instruction_ratio(self, name: str, loop: str | None = None) -> float | None:
        """The same by instructions; None where they were not counted.

        Raises:
            KeyError: there is no such row.
        """
        row = self[name] if loop is None else self[name, loop]
        base = self[self.baseline, row.loop].instructions
        if row.instructions is None or not base:
            return None
        return row.instructions / base

    @property
    def cpu(self) -> float:
        """CPU seconds of a call, for a table of one row.

        Raises:
            ValueError: there are several rows.
        """
        [row] = self.rows
        return row.cpu

    @property
    def _several(self) -> bool:
        return len({row.name for row in self.rows}) > 1

    def _columns(self) -> list[str]:
        ratio = ["ratio"] * self._several
        columns = ["what", "loop", "CPU a call", "low to high", *ratio]
        if any(row.instructions for row in self.rows):
            columns += ["instructions", *ratio]
        return [*columns, "wall a call"]

    def _cells(self, row: Cost) -> list[str]:
        if row.unavailable:
            return [row.name, row.loop, row.unavailable]
        cells = [row.name, row.loop, _time(row.cpu)]
        cells.append(f"{_time(row.low)} to {_time(row.high)}")
        if self._several:
            measured = self[self.baseline, row.loop].cpus
            cells.append(f"{self.ratio(row.name, row.loop):.1f} ×" if measured else "-")
        if any(row.instructions for row in self.rows):
            counted = row.instructions
            cells.append("-" if counted is None else f"{counted:,.0f}")
            if self._several:
                ratio = self.instruction_ratio(row.name, row.loop)
                cells.append("-" if ratio is None else f"{ratio:.1f} ×")
        return [*cells, _time(row.wall)]

    def __repr__(self) -> str:
        rows = [self._columns(), *map(self._cells, self.rows)]
        return "\n".join(filter(None, [aligned(rows, left=2), self.where, self.note]))

    def _repr_html_(self) -> str:
        loops = {row.loop for row in self.rows}
        # A column that says the same in each row would be one too many on a phone.
        first = 1 if len(loops) == 1 else 0
        head, *rows = (
            [name, *cells[first:]]
            for name, *cells in (self._columns(), *map(self._cells, self.rows))
        )
        label = "CPU time of a call"
        on = f" on {loops.pop()}" if len(loops) == 1 else ""
        caption = " ".join(filter(None, [f"{label}{on}.", self.where, self.note]))
        return as_html(rows, head, label=label, caption=caption, cell=_html_cell)


def _html_cell(text: str) -> str:
    """A cell of a page: a number and its unit stay together."""
    text = re.sub(r"(?<=\d) (?=[nµm]?s\b|×)", "\N{NO-BREAK SPACE}", text)
    return f"<td>{escape(text)}</td>"
