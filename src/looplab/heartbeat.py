"""The heartbeat: a probe that measures how late the event loop runs what is due.

The probe notes the time, sleeps for an interval and looks at the clock again.  What has
passed beyond the interval is the *lateness* of that beat: time in which the loop was
busy with other callbacks.  It is the measuring instrument of chapter 4, and a monitor
for a program of your own::

    async with Heartbeat(0.1, threshold=0.05) as heartbeat:
        await serve()
    print(heartbeat.summary())

The probe adds one timer and one wake-up per interval and nothing else.  It sees every
callback that holds the loop, and equally a long queue of short ones, which detectors of
single slow callbacks do not.

Times are seconds.  The module uses the standard library only and runs on any event
loop: the stock one, the virtual clock, uvloop, the one in a browser.
"""

from __future__ import annotations

import asyncio
import html
import inspect
import logging
import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType

from looplab._numbers import count_of, percentile, seconds_of
from looplab.clock.loop import VirtualTimeLoop

__all__ = ["Beat", "Heartbeat", "HeartbeatSummary", "NoBeatsError"]

_logger = logging.getLogger("looplab.heartbeat")


class NoBeatsError(ValueError):
    """A figure was asked of a heartbeat that has not beaten yet."""


@dataclass(frozen=True, slots=True)
class Beat:
    """One beat of the probe (chapter 4).

    Both times are seconds since the probe started, so that they mean the same on the
    virtual clock and on a real one.
    """

    #: When the probe asked to be woken, which is the time it noted plus the interval.
    due_at: float
    #: When it was woken.
    woke_at: float

    @property
    def lateness(self) -> float:
        """``woke_at - due_at`` in seconds, to the nanosecond.

        Exact on the virtual clock.  A real loop may wake a timer early by as much as
        its clock resolution (uvloop: a millisecond), and the value is then negative.
        """
        return round(self.woke_at - self.due_at, 9)

    def __repr__(self) -> str:
        return (
            f"Beat(due_at={self.due_at:.9g}, woke_at={self.woke_at:.9g}, "
            f"lateness={self.lateness:.9g})"
        )


@dataclass(frozen=True, slots=True)
class HeartbeatSummary:
    """What a heartbeat measured, in a few numbers (seconds of lateness).

    ``p50``, ``p99`` and ``worst`` are None as long as there is no beat.  The worst is
    that of all beats; the percentiles are those of the last ``kept`` beats.
    """

    name: str
    interval: float
    count: int
    kept: int
    p50: float | None
    p99: float | None
    worst: float | None

    def __repr__(self) -> str:
        if self.p50 is None or self.p99 is None or self.worst is None:
            return f"{self.name}: no beats yet (one every {self.interval:g} s)"
        beats = "1 beat" if self.count == 1 else f"{self.count:,} beats"
        window = "" if self.kept == self.count else f" (of the last {self.kept:,})"
        return (
            f"{self.name}: {beats}, lateness p50 {self.p50:.3f} s, "
            f"p99 {self.p99:.3f} s{window}, worst {self.worst:.3f} s"
        )

    def _repr_html_(self) -> str:
        name = html.escape(self.name)
        if self.p50 is None or self.p99 is None or self.worst is None:
            return f"<p>{name}: no beats yet (one every {self.interval:g} s)</p>"
        window = (
            ""
            if self.kept == self.count
            else f"; percentiles over the last {self.kept:,}"
        )
        cells = [
            ("beats", f"{self.count:,}"),
            ("p50", f"{self.p50:.3f} s"),
            ("p99", f"{self.p99:.3f} s"),
            ("worst", f"{self.worst:.3f} s"),
        ]
        head = "".join(f'<th scope="col">{label}</th>' for label, _ in cells)
        body = "".join(f"<td>{value}</td>" for _, value in cells)
        return (
            f"<table><caption>Lateness of {name}, one beat every "
            f"{self.interval:g} s{window}</caption>"
            f"<thead><tr>{head}</tr></thead><tbody><tr>{body}</tr></tbody></table>"
        )


class Heartbeat:
    """Measure how late the running event loop is, with one beat per interval.

    An async context manager; a long-lived service may call :meth:`start` and
    :meth:`stop` instead.  The probe runs as a task called *name*.

    Args:
        interval: seconds between beats.  A short one sees more and costs more.
        on_late: a plain function called with each :class:`Beat` whose lateness is
            above *threshold*.  It runs on the loop: keep it short.  What it raises goes
            to the loop's exception handler and the probe goes on.
        threshold: seconds of lateness above which a beat is logged as a warning
            (logger ``looplab.heartbeat``) and given to *on_late*.  None: never.
        name: name of the task, of the log lines and of the summary.
        limit: how many beats are kept.  Older ones are forgotten, so that the probe
            can run for months; :attr:`count` and :attr:`worst` still cover all of them
            and :meth:`summary` says when the percentiles do not.

    Raises:
        TypeError: *interval*, *threshold* or *limit* is not a number, or *on_late* is
            not a plain function.
        ValueError: *interval* is not above zero and finite, *threshold* is negative or
            not finite, *limit* is below 1, or *on_late* came without a *threshold*.

    A heartbeat may be used again once it has stopped; it then forgets its beats.  On
    the virtual clock its timer is no progress: if a program beside it can do nothing
    more but wait for ever, the loop raises :exc:`looplab.DeadlockError`.

    Introduced in the chapter *Keep the heartbeat on time*.
    """

    def __init__(
        self,
        interval: float = 1.0,
        *,
        on_late: Callable[[Beat], object] | None = None,
        threshold: float | None = None,
        name: str = "heartbeat",
        limit: int = 10_000,
    ) -> None:
        # A probe that never slept would keep the loop busy by itself.
        interval = seconds_of(interval, "interval", above=True)
        if threshold is not None:
            threshold = seconds_of(threshold, "threshold")
        if on_late is not None:
            if inspect.iscoroutinefunction(on_late):
                raise TypeError(
                    "on_late must be a plain function, not an async one: "
                    "let it create a task or set an event"
                )
            if not callable(on_late):
                raise TypeError(
                    f"on_late must be a function of one beat, not {on_late!r}"
                )
            if threshold is None:
                raise ValueError(
                    "on_late needs a threshold: the lateness in seconds above which "
                    "it is called, for example threshold=0.1"
                )
        count_of(limit, "limit")
        self._interval = interval
        self._on_late = on_late
        self._threshold = threshold
        self._name = str(name)
        self._kept: deque[Beat] = deque(maxlen=limit)
        self._count = 0
        self._worst = -math.inf
        self._task: asyncio.Task[None] | None = None
        self._now: Callable[[], float] = time.monotonic
        self._origin = 0.0
        self._due_at = 0.0
        self._stopping = False

    # Running

    async def __aenter__(self) -> Heartbeat:
        """Start the probe.  Does not yield to the loop."""
        self.start()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop the probe, also when the body failed or was cancelled."""
        await self.stop()

    def start(self) -> None:
        """Start the probe on the running loop; its first interval begins now.

        Raises:
            RuntimeError: no event loop is running, or the heartbeat beats already.
        """
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            raise RuntimeError(
                "a heartbeat needs a running event loop: start it inside an async "
                "function that asyncio.run() or looplab.run() runs"
            ) from None
        if self._task is not None and not self._task.done():
            raise RuntimeError(
                f"{self._name} beats already: make a second Heartbeat() for a second "
                "probe, or stop this one first"
            )
        # uvloop's time() is that of the start of the iteration, whole milliseconds:
        # it would hide the very thing to be measured.  Loops derived from asyncio's
        # read a fresh clock, and theirs may be a virtual one.
        own_clock = isinstance(loop, asyncio.BaseEventLoop)
        self._now = loop.time if own_clock else time.monotonic
        self._kept.clear()
        self._count = 0
        self._worst = -math.inf
        self._stopping = False
        self._origin = self._now()
        self._due_at = self._origin + self._interval
        self._task = loop.create_task(self._beat(self._origin), name=self._name)
        if isinstance(loop, VirtualTimeLoop):
            loop.add_probe(self._task)

    async def stop(self) -> None:
        """Stop the probe and wait until its task has ended.

        A beat that is overdue at this moment is waited for, since it may be the worst
        of all; it is due, so the loop runs it in its next iterations.  A beat that is
        not due yet is dropped.  After stop() there are no more beats.

        Does nothing when the heartbeat is not running.  If the caller is cancelled
        while it waits, the probe is cancelled at once, waited for, and the
        cancellation goes on.
        """
        task = self._task
        if task is None or task.done():
            return
        self._stopping = True
        if self._now() <= self._due_at:
            task.cancel()
        loop = task.get_loop()
        if isinstance(loop, VirtualTimeLoop):
            loop.remove_probe(task)  # the caller waits for it
        cancelled: asyncio.CancelledError | None = None
        while not task.done():
            try:
                await asyncio.wait((task,))
            except asyncio.CancelledError as exc:
                cancelled = exc
                task.cancel()
        if cancelled is not None:
            raise cancelled

    async def _beat(self, noted: float) -> None:
        while True:
            self._due_at = noted + self._interval
            await asyncio.sleep(self._interval)
            now = self._now()
            self._record(Beat(self._due_at - self._origin, now - self._origin))
            if self._stopping:
                return
            noted = self._now()

    def _record(self, beat: Beat) -> None:
        self._kept.append(beat)
        self._count += 1
        lateness = beat.lateness
        self._worst = max(self._worst, lateness)
        if self._threshold is None or lateness <= self._threshold:
            return
        _logger.warning(
            "%s woke %.3f s late (threshold %.3f s)",
            self._name,
            lateness,
            self._threshold,
        )
        if self._on_late is None:
            return
        try:
            self._on_late(beat)
        except Exception as exc:
            asyncio.get_running_loop().call_exception_handler(
                {
                    "message": f"on_late of {self._name} raised; the probe goes on",
                    "exception": exc,
                    "heartbeat": self,  # "task" would enter its context twice
                }
            )

    # What was measured

    @property
    def interval(self) -> float:
        """Seconds between beats."""
        return self._interval

    @property
    def name(self) -> str:
        """Name of the probe's task."""
        return self._name

    @property
    def running(self) -> bool:
        """Whether the probe is beating."""
        return self._task is not None and not self._task.done()

    @property
    def beats(self) -> list[Beat]:
        """The last *limit* beats, oldest first, as a new list."""
        return list(self._kept)

    @property
    def count(self) -> int:
        """How many beats there were, including those no longer kept."""
        return self._count

    @property
    def worst(self) -> float:
        """The greatest lateness of all beats, in seconds.

        Raises:
            NoBeatsError: there is no beat yet.
        """
        if not self._count:
            raise self._no_beats()
        return self._worst

    def percentile(self, p: float) -> float:
        """The *p*-th percentile (0 to 100) of the lateness of the beats kept, in s.

        By nearest rank: the smallest lateness measured that is not exceeded by at
        least *p* % of the beats.  It is always a value that was measured.
        ``percentile(0)`` is the smallest, ``percentile(100)`` the greatest.

        Raises:
            NoBeatsError: there is no beat yet.
            ValueError: *p* is not between 0 and 100.
        """
        lateness = [beat.lateness for beat in self._kept]
        if not lateness:
            raise self._no_beats()
        return percentile(lateness, p)

    def summary(self) -> HeartbeatSummary:
        """Count, median, 99th percentile and worst, for a terminal or a notebook."""
        some = self._count > 0
        return HeartbeatSummary(
            name=self._name,
            interval=self._interval,
            count=self._count,
            kept=len(self._kept),
            p50=self.percentile(50) if some else None,
            p99=self.percentile(99) if some else None,
            worst=self._worst if some else None,
        )

    def __repr__(self) -> str:
        state = "beating" if self.running else "stopped" if self._task else "not begun"
        return f"<Heartbeat {state} {self.summary()!r}>"

    def _no_beats(self) -> NoBeatsError:
        return NoBeatsError(
            f"{self._name} has no beats yet: the first comes {self._interval:g} s "
            "after its start; let the block last longer or give a shorter interval"
        )
