"""A trace drawn as a timeline: who had the thread, and who waited for it.

Time runs from left to right.  A lane is a task, or a group of equal tasks.  A block is
a callback that holds the one thread; the line before it is the wait: from the time its
timer was due (lateness) or from the time it was ready (queueing delay) to the time it
ran. The lowest lane is the thread itself, where the blocks of all lanes meet and never
overlap.

>>> from looplab import Timeline, record
>>> async def main():
...     pass
>>> Timeline(record(main())).alt
'Timeline of 1 callback from 0 s to 0 s (virtual clock, exact). The thread is busy \
for 0 s and idle for 0 s. main: 1 callback, no wait.'

The picture is SVG written by this module: the same trace gives the same text, byte for
byte.  Text keeps its size and only the time axis stretches, so it can be read on a
phone.  What is too narrow to be seen is merged into blocks that are paler the more idle
time they hold, and the picture stays below about 60 kB for any trace.

The module uses the standard library only.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from looplab._numbers import NS
from looplab.draw.palette import COLOURS, COLOURS_DARK, check_colour
from looplab.timeline.lanes import Choice, choose_lanes, wait_from
from looplab.timeline.layout import Scale
from looplab.timeline.scene import Scene
from looplab.timeline.svg import picture
from looplab.timeline.words import alternative
from looplab.trace.record import Trace

__all__ = ["COLOURS", "COLOURS_DARK", "Timeline"]


class Timeline:
    """A picture of a trace, for a notebook, a page or a file.

    In a notebook it shows itself.  :attr:`svg` is the picture for a file, and
    :attr:`alt` says in words what it shows.

    Tasks that asyncio named (``Task-7``) share a lane if they run the same coroutine;
    tasks that you named share one if the names differ only in the number at the end.
    Callbacks by which the loop helps itself, such as the one that ends a sleep, are
    drawn in the thread's lane only.

    Args:
        trace: what :func:`looplab.record` or a :class:`looplab.LoopTracer` recorded.
        title: printed above the picture.
        start: seconds, the left end; the default is the start of the trace.
        end: seconds, the right end; the default is the end of the trace.
        lanes: how many lanes at most, 12 if not given, the rest sharing the last one;
            or the lanes by name and in order, where ``*`` stands for anything.
        probe: the name of the lane of a probe such as :class:`looplab.Heartbeat`, or
            several: it comes first and its callbacks are counted as beats.
        colours: a colour by name of lane, as in ``{"consumer": "green"}``, where ``*``
            stands for anything; the names of the colours are the keys of
            :data:`looplab.draw.COLOURS`.
        marks: moments to point out below the lanes, as (seconds, a word or two).

    Raises:
        TypeError: if *trace* is no trace, or a mark is not a number and a text.
        ValueError: if the trace is empty or has nothing between *start* and *end*, if
            *start* is not before *end* or one is not finite, if a lane or a colour
            does not exist, or if a mark is not between *start* and *end*.

    Introduced in the chapter *Keep the heartbeat on time*.
    """

    def __init__(
        self,
        trace: Trace,
        *,
        title: str | None = None,
        start: float | None = None,
        end: float | None = None,
        lanes: int | Sequence[str] | None = None,
        probe: str | Sequence[str] | None = None,
        colours: Mapping[str, str] | None = None,
        marks: Iterable[tuple[float, str]] = (),
    ) -> None:
        if not isinstance(trace, Trace):
            raise TypeError(
                f"Timeline takes a Trace, not {type(trace).__name__}: make one with "
                "record(main()) or LoopTracer()"
            )
        if not len(trace):
            raise ValueError(
                "the trace is empty, there is nothing to draw: trace a loop that runs "
                "at least one callback"
            )
        for what, value in ("start", start), ("end", end):
            if value is not None and not math.isfinite(value):
                raise ValueError(
                    f"{what} is {value} s: give a finite number of seconds"
                )
        for lane, colour in (colours or {}).items():
            check_colour(colour, lane)
        first = 0 if start is None else round(start * NS)
        last = trace.end_ns if end is None else round(end * NS)
        if first > last or (first == last and (start is not None or end is not None)):
            raise ValueError(
                f"start is {first / NS:.9g} s and end is {last / NS:.9g} s: the start "
                "must come before the end"
            )
        scale = Scale(first, last)
        pointed_out = [_checked_mark(mark, scale) for mark in marks]
        shown = [
            record
            for record in trace
            if record.ended_ns >= first
            and min(wait_from(record), record.run_ns) <= last
        ]
        if not shown:
            raise ValueError(
                f"no callback runs or waits between {first / NS:.9g} and "
                f"{last / NS:.9g} s: the trace goes from 0 to {trace.duration:.9g} s"
            )
        choice = Choice(lanes, probe, colours or {}, trace[0].task)
        drawn = choose_lanes(shown, choice, first, last)
        self.trace = trace
        self.title = title
        self._scene = Scene(trace, title, shown, scale, drawn, pointed_out)

    @cached_property
    def svg(self) -> str:
        """The picture as SVG, 720 pixels wide; it may be given any width."""
        return picture(self._scene)

    @property
    def alt(self) -> str:
        """What the picture shows, in words and numbers."""
        return alternative(self._scene)

    def _repr_html_(self) -> str:
        inline = self.svg.replace('width="720"', 'width="100%"', 1)
        return f'<div class="looplab-timeline" style="max-width:60rem">{inline}</div>'

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.alt}>"


def _checked_mark(mark: object, scale: Scale) -> tuple[int, str]:
    match mark:
        case (int() | float() as at, str() as text) if not isinstance(at, bool):
            pass
        case _:
            raise TypeError(f"a mark is {mark!r}: give seconds and a text")
    if not (math.isfinite(at) and scale.start <= round(at * NS) <= scale.end):
        raise ValueError(
            f"the mark {text!r} is at {at} s: the picture goes from "
            f"{scale.start / NS:.9g} to {scale.end / NS:.9g} s"
        )
    return round(at * NS), text
