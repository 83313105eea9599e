"""What a timeline shows: the part of a trace, its lanes, its scale and its marks."""

from __future__ import annotations

from dataclasses import dataclass

from looplab.timeline.lanes import Lane, busy_between, stem
from looplab.timeline.layout import Scale
from looplab.trace.record import Record, Trace

__all__ = ["Scene"]


@dataclass(frozen=True)
class Scene:
    """All that the picture and its words are made from.

    Attributes:
        trace: the whole trace.
        title: stands above the picture, or ``None``.
        shown: the callbacks that run or wait in it.
        scale: its time axis.
        lanes: its lanes, from the top.
        marks: the moments to point out: nanoseconds, and a word or two.
    """

    trace: Trace
    title: str | None
    shown: list[Record]
    scale: Scale
    lanes: list[Lane]
    marks: list[tuple[int, str]]

    @property
    def exact(self) -> bool:
        """Whether the times are exact."""
        return self.trace.clock == "virtual"

    @property
    def helpers(self) -> list[Record]:
        """The callbacks by which the loop helps itself."""
        return [record for record in self.shown if stem(record) is None]

    def busy_and_idle(self) -> tuple[int, int]:
        """Nanoseconds in the picture in which the thread is busy, and is not."""
        start, end = self.scale.start, self.scale.end
        busy = busy_between(self.shown, start, end)
        return busy, end - start - busy
