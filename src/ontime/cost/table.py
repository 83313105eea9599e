"""What a measurement found, as a table for a terminal, a page and a file."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

from ontime.measuring.records import machine

__all__ = ["Cost", "CostTable"]


def _time(value: float) -> str:
    # Here, since a clean interpreter imports this package and is to stay small.
    from looplab._words import THREE_DIGITS, seconds

    return seconds(value, THREE_DIGITS)


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
        return statistics.median(self._measured(self.cpus))

    @property
    def wall(self) -> float:
        """The median wall time of a call."""
        return statistics.median(self._measured(self.walls))

    @property
    def low(self) -> float:
        """The lowest CPU time of a call."""
        return min(self._measured(self.cpus))

    @property
    def high(self) -> float:
        """The highest CPU time of a call."""
        return max(self._measured(self.cpus))

    @property
    def spread(self) -> float:
        """Standard deviation of the CPU time; 0 for a single value."""
        values = self._measured(self.cpus)
        return statistics.stdev(values) if len(values) > 1 else 0.0

    def _measured(self, values: tuple[float, ...]) -> tuple[float, ...]:
        if not values:
            raise ValueError(f"{self.name} was not measured: {self.unavailable}")
        return values

    def __repr__(self) -> str:
        if self.unavailable:
            return f"{self.name}, {self.loop}: not measured, {self.unavailable}"
        return (
            f"{self.name}, {self.loop}: {_time(self.cpu)} of CPU a call "
            f"({_time(self.low)} to {_time(self.high)}), "
            f"wall {_time(self.wall)}"
        )


class CostTable:
    """Some costs side by side; made by the functions of :mod:`ontime.cost`.

    ``table["gather"]`` is the :class:`Cost` of that name on the first loop,
    ``table["gather", "uvloop"]`` that on another.  Iterating gives all of them in
    order.

    Attributes:
        rows: the costs.
        baseline: the name of the one that ratios are taken to.
        machine: what it was measured on, as words by name.
        note: what a reader of the figures must know, or an empty string.
    """

    def __init__(
        self,
        rows: tuple[Cost, ...],
        *,
        baseline: str,
        machine: dict[str, str],
        note: str = "",
    ) -> None:
        self.rows = rows
        self.baseline = baseline
        self.machine = machine
        self.note = note

    def __iter__(self) -> Iterator[Cost]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, key: str | tuple[str, str]) -> Cost:
        """The cost of that name, and on that loop.

        Raises:
            KeyError: there is none; the message lists them.
        """
        name, loop = key if isinstance(key, tuple) else (key, None)
        for row in self.rows:
            if row.name == name and loop in (None, row.loop):
                return row
        there = ", ".join(f"{row.name!r} on {row.loop}" for row in self.rows)
        raise KeyError(f"no {key!r}; there are: {there}")

    def ratio(self, name: str, loop: str | None = None) -> float:
        """CPU time of a call, in calls of the baseline on the same loop.

        Raises:
            KeyError: there is no such row.
            ValueError: one of the two was not measured.
        """
        row = self[name] if loop is None else self[name, loop]
        return row.cpu / self[self.baseline, row.loop].cpu

    def ratio_range(self, name: str, loop: str | None = None) -> tuple[float, float]:
        """The ratio at its least and at its most: low by high, and high by low.

        Raises:
            KeyError: there is no such row.
            ValueError: one of the two was not measured.
        """
        row = self[name] if loop is None else self[name, loop]
        base = self[self.baseline, row.loop]
        return row.low / base.high, row.high / base.low

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
            ValueError: there are several rows, or it was not measured.
        """
        if len(self.rows) != 1:
            raise ValueError(f"{len(self.rows)} rows: say which one, table[name].cpu")
        return self.rows[0].cpu

    def as_dict(self) -> dict[str, Any]:
        """Everything, in types that JSON knows."""
        return {
            "baseline": self.baseline,
            "machine": self.machine,
            "note": self.note,
            "rows": [asdict(row) for row in self.rows],
        }

    def to_json(self) -> str:
        """Everything as JSON."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False)

    def save(self, path: str | Path) -> None:
        """Write it as JSON to *path*, and as text beside it, with the suffix .txt.

        Raises:
            ValueError: *path* does not end in .json, or is a folder.
            OSError: it cannot be written.
        """
        from ontime.measuring.tables import keep

        keep(path, self.as_dict(), repr(self))

    @classmethod
    def load(cls, path: str | Path) -> CostTable:
        """Read what :meth:`save` has written.

        Raises:
            OSError: the file cannot be read.
            ValueError: it is not such a file.
        """
        text = Path(path).read_text(encoding="utf-8")
        try:
            data = json.loads(text)
            times = ("cpus", "walls")
            rows = tuple(
                Cost(**row | {name: tuple(row[name]) for name in times})
                for row in data["rows"]
            )
            return cls(
                rows,
                baseline=data["baseline"],
                machine=data["machine"],
                note=data["note"],
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{path} is not a saved table ({error}): make one with save()"
            ) from error

    @property
    def where(self) -> str:
        """The machine and the versions, in a sentence."""
        return f"Measured on {', '.join(self.machine.values())}."

    # Showing

    def _columns(self) -> list[str]:
        columns = ["what", "loop", "CPU a call", "low to high"]
        if len({row.name for row in self.rows}) > 1:
            columns.append("ratio")
        if any(row.instructions for row in self.rows):
            columns += ["instructions", "ratio"][: len(columns) - 3]
        return [*columns, "wall a call"]

    def _cells(self, row: Cost) -> list[str]:
        if row.unavailable:
            return [row.name, row.loop, row.unavailable]
        cells = [
            row.name,
            row.loop,
            _time(row.cpu),
            f"{_time(row.low)} to {_time(row.high)}",
        ]
        several = len({row.name for row in self.rows}) > 1
        if several:
            measured = self[self.baseline, row.loop].cpus
            cells.append(f"{self.ratio(row.name, row.loop):.1f} ×" if measured else "-")
        if any(row.instructions for row in self.rows):
            counted = row.instructions
            cells.append("-" if counted is None else f"{counted:,.0f}")
            if several:
                ratio = self.instruction_ratio(row.name, row.loop)
                cells.append("-" if ratio is None else f"{ratio:.1f} ×")
        return [*cells, _time(row.wall)]

    def __repr__(self) -> str:
        # Here, since a clean interpreter imports this package and is to stay small.
        from ontime.measuring.tables import aligned

        rows = [self._columns(), *map(self._cells, self.rows)]
        where = self.where if self.machine else ""
        return "\n".join(filter(None, [aligned(rows, left=2), where, self.note]))

    def _repr_html_(self) -> str:
        from ontime.measuring.tables import as_html

        loops = {row.loop for row in self.rows}
        # A column that says the same in each row would be one too many on a phone.
        first = 1 if len(loops) == 1 else 0
        head, *rows = (
            [name, *cells[first:]]
            for name, *cells in (self._columns(), *map(self._cells, self.rows))
        )
        label = "CPU time of a call"
        on = f" on {loops.pop()}" if len(loops) == 1 else ""
        where = self.where if self.machine else ""
        caption = " ".join(filter(None, [f"{label}{on}.", where, self.note]))
        return as_html(rows, head, label=label, caption=caption, cell=_html_cell)


def _html_cell(text: str) -> str:
    """A cell of a page: a number and its unit stay together."""
    text = re.sub(r"(?<=\d) (?=[nµm]?s\b|×)", "\N{NO-BREAK SPACE}", text)
    return f"<td>{escape(text)}</td>"


def this_machine(packages: dict[str, str]) -> dict[str, str]:
    """What a figure of this machine depends on, with versions of *packages*."""
    return machine() | {name: f"{name} {text}" for name, text in packages.items()}
