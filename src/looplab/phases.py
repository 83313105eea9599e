"""Repeat an experiment over phases and jitter, and report the spread of its result.

An exact run is exact for one set-up.  Where timers fall on round numbers, two of them
can meet by coincidence, and the one exact answer is then a special case.  Shifting
the load against the clock (the *phase*) and letting timers fire a little late (the
*jitter*) shows how much of an answer is luck.  The jitter is seeded, so the spread is
as exact as a single run.
"""

from __future__ import annotations

import inspect
import math
import random
from collections.abc import Awaitable, Callable, Iterable
from html import escape

from looplab._numbers import count_of, percentile
from looplab.clock import run

__all__ = ["Spread", "spread"]

_GOLDEN = (math.sqrt(5) - 1) / 2


class Spread:
    """The results of repeated runs, in order of phase.

    Args:
        phases: the phase of each run, in [0, 1).
        values: the result of each run.

    Raises:
        ValueError: if there is no value, or not one for each phase.

    Attributes ``min``, ``median`` and ``max`` are in the unit of the values.
    """

    def __init__(self, phases: Iterable[float], values: Iterable[float]) -> None:
        self.phases = tuple(phases)
        self.values = tuple(values)
        if not self.values:
            raise ValueError("a Spread needs at least one value")
        if len(self.phases) != len(self.values):
            raise ValueError(
                f"{len(self.phases)} phases and {len(self.values)} values: "
                "give one value for each phase"
            )
        self._sorted = sorted(self.values)

    @property
    def min(self) -> float:
        """The smallest value."""
        return self._sorted[0]

    @property
    def median(self) -> float:
        """The middle value; the mean of the middle two if their number is even."""
        # Here, since fractions and decimal come with it: a page would wait for them.
        from statistics import median

        return median(self._sorted)

    @property
    def max(self) -> float:
        """The largest value."""
        return self._sorted[-1]

    def percentile(self, percent: float) -> float:
        """Return the nearest-rank percentile: the smallest value that at least
        *percent* % of the values do not exceed.

        Raises:
            ValueError: if *percent* is not above 0 and at most 100.
        """
        if not 0 < percent <= 100:
            raise ValueError(
                f"percent is {percent}: give a number above 0 and up to 100"
            )
        return percentile(self._sorted, percent)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        runs = "1 run" if len(self) == 1 else f"{len(self)} runs"
        return f"{self.min:.3f} to {self.max:.3f}, median {self.median:.3f} ({runs})"

    def _repr_html_(self) -> str:
        """One tick a run on a line from 0 to the largest value, with direct labels.

        The line stretches; the letters keep their size, so that a phone shows them.
        """
        width, height = 1000, 56  # units across the line, and pixels
        low, high = min(0.0, self.min), max(0.0, self.max)
        span = (high - low) or 1.0

        def share(value: float) -> float:
            return (value - low) / span

        def x(value: float) -> str:
            return f"{share(value) * width:.1f}"

        def percent(value: float) -> str:
            return f"{share(value):.2%}"

        middle = share(self.median)
        anchor = "start" if middle < 1 / 3 else "end" if middle > 2 / 3 else "middle"
        ticks = "".join(f"M{x(value)} 22v14" for value in self._sorted)
        line = 'stroke="currentColor" fill="none" vector-effect="non-scaling-stroke"'
        return (
            '<svg class="looplab-spread" role="img" xmlns="http://www.w3.org/2000/svg"'
            f' width="100%" height="{height}" overflow="visible"'
            # Pages have rules for pictures in outputs, and would change its height.
            f' style="display:block;max-width:640px;height:{height}px;'
            'margin:0.75rem 0"'
            f' aria-label="{escape(repr(self), quote=True)}">'
            f'<svg width="100%" height="{height}" viewBox="0 0 {width} {height}"'
            ' preserveAspectRatio="none" overflow="visible"'
            f' style="height:{height}px">'
            f'<path d="M0 36H{width}" {line}/>'
            f'<path d="{ticks}" stroke-opacity="0.45" {line}/>'
            f'<path d="M{x(self.median)} 16v22" stroke-width="3" {line}/></svg>'
            '<g font-family="system-ui, sans-serif" font-size="13"'
            ' fill="currentColor">'
            f'<text x="0" y="52">{low:.3g}</text>'
            f'<text x="{percent(self.max)}" y="52" text-anchor="end">'
            f"{self.max:.3f} worst</text>"
            f'<text x="{percent(self.median)}" y="12" text-anchor="{anchor}">'
            f"median {self.median:.3f}, {len(self)} runs</text>"
            "</g></svg>"
        )


def spread(
    experiment: Callable[[float], Awaitable[float]],
    *,
    runs: int = 100,
    seed: int = 0,
    jitter: float = 0.0,
) -> Spread:
    """Run *experiment* on *runs* virtual clocks, each at another phase.

    Args:
        experiment: an async function of one argument, the phase, that returns a number.
            The phases lie in [0, 1), evenly but never on round fractions: they are the
            fractional parts of the multiples of the golden ratio.  Multiply one by a
            period to shift the load within that period.
        runs: how many runs, 1 or more.
        seed: seeds the jitter.
        jitter: seconds; in each run every timer fires late by a random time from 0 to
            this.

    Raises:
        TypeError: if *experiment* is not an async function or returns no number, or if
            *runs* is not a whole number.
        ValueError: if *runs* is below 1 or a result is not finite.
        TimeValueError: if *jitter* is negative, infinite or not a number.

    Introduced in the chapter *Keep the heartbeat on time*.
    """
    if not inspect.iscoroutinefunction(experiment):
        raise TypeError(
            "spread() takes an async function of the phase, not this "
            f"{type(experiment).__name__}: write async def experiment(phase): …"
        )
    count_of(runs, "runs")
    seeds = random.Random(seed)
    phases = sorted(index * _GOLDEN % 1 for index in range(1, runs + 1))
    values = []
    for phase in phases:
        value = run(experiment(phase), jitter=jitter, seed=seeds.getrandbits(64))
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(
                f"the experiment returned {value!r} at phase {phase:g}: return a number"
            )
        if not math.isfinite(value):
            raise ValueError(
                f"the experiment returned {value} at phase {phase:g}: "
                "return a finite number"
            )
        values.append(value)
    return Spread(phases, values)
