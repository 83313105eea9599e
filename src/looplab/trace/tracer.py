"""The tracer: from ``with`` to the end of its block it records what a loop runs."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any

from looplab._numbers import count_of
from looplab.clock.loop import VirtualTimeLoop
from looplab.trace.labels import coroutine_name
from looplab.trace.reader import Reader
from looplab.trace.record import Trace
from looplab.trace.stock import NotingQueue, attach_to_stock, clock_of
from looplab.trace.virtual import attach_to_virtual
from looplab.trace.whole import attach_whole

__all__ = ["LoopTracer"]


class LoopTracer:
    """Records every callback that a loop runs, from ``with`` to the end of its block.

    >>> import asyncio
    >>> from looplab import run
    >>> async def main():
    ...     with LoopTracer() as tracer:
    ...         await asyncio.sleep(1)
    ...     return tracer.trace.duration
    >>> run(main())
    1.0

    Without *loop* it attaches to the loop that is running.  Then the first record is
    the rest of the callback that is running, from the attaching on, and the last one
    ends with the block.  With *loop*, a loop that does not run yet, everything that it
    runs inside the block is seen.

    Args:
        loop: the loop to attach to; the default is the running one.
        limit: keep this many records, the newest; :attr:`Trace.dropped` counts the
            others.  Without it every record is kept, in about 0.3 kB each, and the
            notes are read when the trace is asked for.  With it they are read now and
            then between two iterations, which takes about a microsecond a callback.
        whole: record :attr:`Trace.origins` and :attr:`Trace.timers` too, which a
            :class:`looplab.player.Player` needs.
        watch: note in :attr:`Trace.watched` what this returns after each callback of a
            whole run.

    Raises:
        RuntimeError: on entering, if there is no loop, if it is closed, runs in another
            thread, or is a loop in real time that is traced already.
        TypeError: on entering, if the loop has no ready queue that a tracer could stand
            in for: uvloop's and :class:`looplab.priority.PriorityEventLoop`.
        ValueError: if *limit* is below 1 or is given with *whole*, or *watch* is given
            without it.

    Introduced in the chapter *Keep the heartbeat on time*.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop | None = None,
        *,
        limit: int | None = None,
        whole: bool = False,
        watch: Callable[[], int] | None = None,
    ) -> None:
        if watch is not None and not whole:
            raise ValueError(
                f"watch is {watch!r}, and the run is not recorded as a whole: add "
                "whole=True"
            )
        if limit is not None:
            count_of(limit, "limit", none="no limit")
            if whole:
                raise ValueError(
                    f"limit is {limit}, and whole is asked for: a whole run has no "
                    "limit, so give one of the two"
                )
        self._wanted = loop
        self._limit = limit
        self._whole = whole
        self._watch = watch
        self._detach: Callable[[], Callable[[], Trace]] | None = None
        self._read: Callable[[], Trace] | None = None
        self._trace: Trace | None = None

    @property
    def trace(self) -> Trace:
        """What was recorded.

        Raises:
            RuntimeError: before the end of the ``with`` block.
        """
        if self._trace is None and self._read is not None:
            self._trace, self._read = self._read(), None
        if self._trace is None:
            raise RuntimeError(
                "there is no trace yet: read tracer.trace after the with block"
            )
        return self._trace

    def __enter__(self) -> LoopTracer:
        if self._detach is not None:
            raise RuntimeError("this tracer is attached already: make another one")
        loop = self._find_loop()
        self._trace = self._read = None
        self._detach = _attach(loop, self._limit, self._whole, self._watch)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        detach, self._detach = self._detach, None
        if detach is not None:
            self._read = detach()

    def _find_loop(self) -> Any:
        running = asyncio.events._get_running_loop()
        loop: Any = running if self._wanted is None else self._wanted
        if loop is None:
            raise RuntimeError(
                "no event loop is running here: use LoopTracer() inside a coroutine, "
                "or name the loop, as in LoopTracer(loop)"
            )
        if isinstance(getattr(loop, "_ready", None), NotingQueue):
            raise RuntimeError(f"{loop!r} is traced already: one tracer at a time")
        virtual = isinstance(loop, VirtualTimeLoop)
        if not virtual and not isinstance(getattr(loop, "_ready", None), deque):
            kind = f"{type(loop).__module__}.{type(loop).__qualname__}"
            raise TypeError(
                f"a {kind} has no ready queue that a tracer could stand in for: trace "
                "on asyncio's own loop or on a loop with a virtual clock"
            )
        if loop.is_closed():
            raise RuntimeError(f"{loop!r} is closed: nothing will run on it")
        if loop.is_running() and loop is not running:
            raise RuntimeError(
                f"{loop!r} runs in another thread or is set aside: enter the tracer "
                "inside a coroutine of that loop"
            )
        return loop


def _attach(
    loop: Any, limit: int | None, whole: bool, watch: Callable[[], int] | None
) -> Callable[[], Callable[[], Trace]]:
    """Record what *loop* runs; return what ends that and returns what reads it."""
    running: tuple[str | None, str] | None = None
    if loop.is_running():
        task = asyncio.current_task(loop)
        if task is None:
            running = None, "(running when the trace began)"
        else:
            running = task.get_name(), coroutine_name(task.get_coro())
    if whole:
        return attach_whole(loop, *(running or (None, None)), watch=watch)
    virtual = isinstance(loop, VirtualTimeLoop)
    origin = loop.time_ns() if virtual else clock_of(loop)[0]()
    reader = Reader(origin, limit)
    if running is not None:
        reader.already_running(origin, *running)
    return (attach_to_virtual if virtual else attach_to_stock)(loop, reader, limit)
