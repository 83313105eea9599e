"""Layout: where callbacks and waits lie, and what is too near to be told apart."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from looplab._numbers import NS
from looplab._words import duration, moment
from looplab.timeline.lanes import Lane, lateness, wait_from
from looplab.trace.record import Record

__all__ = [
    "MARGIN",
    "PHONE",
    "SCALE",
    "SPAN",
    "Scale",
    "lines_of",
    "percent",
    "ticks",
    "width",
]

#: Units across the plot.
SCALE = 9600
#: Per cent of the width left of the plot, and of the plot.
MARGIN, SPAN = 2.0, 96.0
#: Pixels across the plot on a phone: labels must fit into that.
PHONE = 330.0
_NOTCHED = 7.0  # pixels of callbacks between which a line is drawn


def width(text: str, size: float = 12) -> float:
    """About how many pixels *text* takes."""
    return len(text) * size * 0.56


def lines_of(parts: Iterable[str]) -> list[str]:
    """Join *parts* with commas to lines that fit on a phone."""
    lines: list[list[str]] = []
    for part in parts:
        if lines and width(", ".join([*lines[-1], part])) < PHONE:
            lines[-1].append(part)
        else:
            lines.append([part])
    return ",\n".join(", ".join(line) for line in lines).split("\n")


def percent(x: float) -> str:
    """Return units across the plot as a place in the picture."""
    return f"{MARGIN + SPAN * x / SCALE:.4g}%"


@dataclass(frozen=True)
class Scale:
    """The time axis, from *start* to *end* in nanoseconds."""

    start: int
    end: int

    @property
    def length(self) -> int:
        """Nanoseconds; a trace in which no time passed still has a picture."""
        return max(self.end - self.start, 1)

    def x(self, ns: int) -> int:
        """Return units across the plot, not beyond its ends."""
        inside = min(max(ns, self.start), self.end) - self.start
        return round(inside * SCALE / self.length)

    def pixels(self, start: int, end: int) -> float:
        """How wide it is on a phone."""
        return (self.x(end) - self.x(start)) * PHONE / SCALE

    def within(self, record: Record) -> bool:
        """Whether *record* began to run in the picture."""
        return self.start <= record.run_ns <= self.end

    def late_marks(self, lane: Lane) -> list[tuple[float, str, str, int]]:
        """Return (x, text, anchor, dx) of the latenesses worth a label."""
        late = sorted(
            (
                record
                for record in lane.timed
                if lateness(record) > 0 and self.within(record)
            ),
            key=lambda record: (-lateness(record), record.run_ns),
        )
        marks: list[tuple[float, str, str, int]] = []
        taken: list[tuple[float, float]] = []
        unit = PHONE / SCALE
        for record in late[:200]:
            due, ran = self.x(wait_from(record)), self.x(record.run_ns)
            seen = self.pixels(wait_from(record), record.run_ns) > 12
            if not seen and (marks or not lane.is_probe):
                break
            text = f"{duration(lateness(record))} late"
            wide = width(text, 14.5)
            middle = (due + ran) / 2 * unit
            x: float
            if wide / 2 < middle < PHONE - wide / 2:
                x, anchor, dx = (due + ran) / 2, "middle", 0
                left = middle - wide / 2
            elif middle <= wide / 2:
                x, anchor, dx, left = due, "start", 0, due * unit
            else:
                x, anchor, dx, left = ran, "end", 0, ran * unit - wide
            right = left + wide
            if any(left < b + 8 and a - 8 < right for a, b in taken):
                continue
            taken.append((left, right))
            marks.append((x, text, anchor, dx))
        return marks

    def waits(self, records: list[Record], bins: int) -> list[tuple[int, int]]:
        """Return (x, width) of the waits; those that overlap are one."""
        shortest = SCALE // (2 * bins)
        spans = sorted(
            (self.x(wait_from(record)), self.x(record.run_ns)) for record in records
        )
        merged: list[list[int]] = []
        for left, right in spans:
            if right - left < shortest:
                continue
            if merged and left - merged[-1][1] < shortest:
                merged[-1][1] = max(merged[-1][1], right)
            else:
                merged.append([left, right])
        return [(left, right - left) for left, right in merged]

    def blocks(
        self, records: list[Record], bins: int
    ) -> list[tuple[int, int, int, int]]:
        """Return (x, width, level, callbacks) of the blocks of one row.

        Level 4 is busy all the time.  Callbacks that are too narrow and too near to one
        another to be told apart are one block.
        """
        narrow = self.length // bins
        blocks: list[tuple[int, int, int, int]] = []
        # first start, last end, busy time, callbacks, whether each is narrow
        group: tuple[int, int, int, int, bool] | None = None

        def put() -> None:
            if group is None:
                return
            start, end, busy, count, _ = group
            x = self.x(start)
            wide = max(self.x(end) - x, SCALE // 600)
            share = busy / (end - start) if end > start else 1.0
            if count == 1 or share > 0.9:
                level = 4
            else:
                level = 1 if share < 0.25 else 2 if share < 0.5 else 3
            blocks.append((x, wide, level, count))

        for record in records:
            if record.ended_ns < self.start or record.run_ns > self.end:
                continue
            run, ended = max(record.run_ns, self.start), min(record.ended_ns, self.end)
            small = ended - run <= narrow
            if (
                group is not None
                and run - group[1] <= narrow
                and ((small and group[4]) or run == group[1])
            ):
                group = (
                    group[0],
                    ended,
                    group[2] + ended - run,
                    group[3] + 1,
                    group[4] and small,
                )
            else:
                put()
                group = (run, ended, ended - run, 1, small)
        put()
        return blocks

    def notches(self, in_row: list[list[Record]], pitch: float, thick: float) -> str:
        """Lines between callbacks that follow each other at once, if there is room."""
        return "".join(
            f"M{self.x(after.run_ns)} {i * pitch:g}v{thick:g}"
            for i, records in enumerate(in_row)
            for before, after in pairwise(records)
            if before.ended_ns == after.run_ns
            and self.start < after.run_ns < self.end
            and self.pixels(before.run_ns, before.ended_ns) >= _NOTCHED
            and self.pixels(after.run_ns, after.ended_ns) >= _NOTCHED
        )


def ticks(start: int, end: int) -> list[tuple[int, str]]:
    """Return the ticks of a time axis: nanoseconds and text, at most seven."""
    if end <= start:
        return [(start, moment(start))]
    rough = (end - start) / 6
    power = 10 ** max(0, math.floor(math.log10(rough)))
    step = next(int(m * power) for m in (1, 2, 5, 10, 20) if m * power >= rough)
    if end >= NS:
        unit, name = NS, "s"
    elif end >= 1_000_000:
        unit, name = 1_000_000, "ms"
    elif end >= 1_000:
        unit, name = 1_000, "µs"
    else:
        unit, name = 1, "ns"
    digits = 0
    while digits < 9 and step * 10**digits % unit:
        digits += 1
    first = -(-start // step) * step
    return [
        (at, f"{at / unit:,.{digits}f} {name}") for at in range(first, end + 1, step)
    ]
