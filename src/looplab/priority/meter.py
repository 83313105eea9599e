"""What each level of a ready queue waits and uses."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from looplab.metrics import Histogram, Metric

__all__ = [
    "PLUMBING",
    "LevelMetrics",
    "Meter",
    "as_metrics",
    "metrics_of",
]

#: The name of the level of callbacks that belong to no priority.
PLUMBING = "plumbing"


@dataclass
class LevelMetrics:
    """What the callbacks of one level have waited and used.

    Args:
        length: how many are ready and wait.
        lateness: seconds from when a callback was ready, a timer from when it was due,
            until it ran.
        busy: seconds that they have held the thread.
        share: of the thread's time since the loop measures, from 0 to 1.
    """

    length: int = 0
    lateness: Histogram = field(default_factory=Histogram)
    busy: float = 0.0
    share: float = 0.0


class Meter:
    """The clock and the notes of one queue.

    Args:
        clock: seconds; the loop's.
        keeps: whether it keeps metrics; else it charges shares only.
    """

    __slots__ = (
        "_level",
        "_ready_at",
        "_runs_since",
        "_share",
        "began",
        "clock",
        "keeps",
        "levels",
        "next_level",
        "next_share",
    )

    def __init__(self, clock: Callable[[], float], *, keeps: bool) -> None:
        self.clock = clock
        self.keeps = keeps
        #: When it began to measure, on its clock.
        self.began = clock()
        #: The metrics by level; only lateness and busy are kept up.
        self.levels: dict[int | str, LevelMetrics] = {}
        #: Where the callback that is taken comes from.
        self.next_level: int | None = None
        self.next_share: Any = None
        self._ready_at: dict[int, float] = {}
        self._runs_since = self.began
        # Of the callback that runs; both None if none does.
        self._level: LevelMetrics | None = None
        self._share: Any = None

    def joins(self, handle: asyncio.Handle) -> None:
        """Note when a callback became ready, unless it waits already."""
        if not self.keeps:
            return
        now = self.clock()
        if isinstance(handle, asyncio.TimerHandle):
            now = min(now, handle.when())
        self._ready_at.setdefault(id(handle), now)

    def runs(self, handle: asyncio.Handle) -> None:
        """A callback was taken and begins."""
        self._runs_since = now = self.clock()
        self._share = self.next_share
        if not self.keeps:
            return
        level = PLUMBING if self.next_level is None else self.next_level
        metrics = self.levels.get(level)
        if metrics is None:
            metrics = self.levels[level] = LevelMetrics()
        ready_at = self._ready_at.pop(id(handle), now)
        if not handle._cancelled:
            metrics.lateness.observe(max(0.0, now - ready_at))
        self._level = metrics

    def ended(self) -> None:
        """The callback that began last has ended, if one has."""
        if self._level is None and self._share is None:
            return
        took = self.clock() - self._runs_since
        if self._share is not None:
            self._share.used += took
            self._share = None
        if self._level is not None:
            self._level.busy += took
            self._level = None


def metrics_of(
    meter: Meter, plumbing: int, lengths: Iterable[tuple[int, int]]
) -> dict[int | str, LevelMetrics]:
    """The metrics of a queue's levels as they are.

    Args:
        meter: what has measured the queue.
        plumbing: how many callbacks of no priority wait.
        lengths: how many others wait, by level.

    Returns:
        Plumbing first, then the most urgent.  A level stays there when nothing of it
        waits.
    """
    waiting: dict[int | str, int] = {PLUMBING: plumbing}
    waiting.update(lengths)
    seconds = meter.clock() - meter.began
    known = dict(meter.levels)
    levels = {one for one in (*waiting, *known) if isinstance(one, int)}
    order = sorted(levels, reverse=True)
    all_levels: list[int | str] = [PLUMBING, *order]
    return {
        level: _as_it_is(known.get(level), waiting.get(level, 0), seconds)
        for level in all_levels
    }


def _as_it_is(kept: LevelMetrics | None, length: int, seconds: float) -> LevelMetrics:
    if kept is None:
        return LevelMetrics(length)
    share = kept.busy / seconds if seconds > 0 else 0.0
    return LevelMetrics(length, kept.lateness.copy(), kept.busy, share)


def as_metrics(levels: dict[int | str, LevelMetrics]) -> list[Metric]:
    """The same, in the form that monitoring systems read."""
    labels = ("level",)
    by = {str(level): metrics for level, metrics in levels.items()}
    return [
        Metric(
            "looplab_ready_callbacks",
            "Callbacks that are ready and wait.",
            "gauge",
            labels,
            {(level,): one.length for level, one in by.items()},
        ),
        Metric(
            "looplab_lateness_seconds",
            "From when a callback was ready, or due, until it ran.",
            "histogram",
            labels,
            {(level,): one.lateness for level, one in by.items()},
        ),
        Metric(
            "looplab_busy_seconds",
            "How long callbacks have held the thread.",
            "counter",
            labels,
            {(level,): one.busy for level, one in by.items()},
        ),
    ]
