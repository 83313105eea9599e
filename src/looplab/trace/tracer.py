"""The tracer: from ``with`` to the end of its block it records what a loop runs."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from looplab.clock.loop import VirtualTimeLoop
from looplab.clock.running import Clock, check_clock, require_coroutine, run_on
from looplab.clock.watched import WatchedCoroutine
from looplab.trace.labels import coroutine_name
from looplab.trace.record import Trace
from looplab.trace.stock import NotingQueue, attach_to_stock
from looplab.trace.virtual import Notes, attach_to_virtual

__all__ = ["LoopTracer", "record"]

T = TypeVar("T")
_MEASURED = (
    "whole is True, and the loop runs in real time: use the virtual clock, or record "
    "the program with `looplab trace`"
)


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
    runs inside the block is seen.  Every record is kept, in about 0.3 kB each.

    Args:
        loop: the loop to attach to; the default is the running one.
        whole: record :attr:`Trace.origins` and :attr:`Trace.timers` too, which a
            :class:`looplab.player.Player` needs; on a virtual loop.
        watch: note in :attr:`Trace.watched` what this returns after each callback of a
            whole run.

    Raises:
        RuntimeError: on entering, if there is no loop, if it is closed, runs in another
            thread, or is a loop in real time that is traced already.
        TypeError: on entering, if the loop has no ready queue that a tracer could stand
            in for: uvloop's and :class:`looplab.priority.PriorityEventLoop`.
        ValueError: if *watch* is given without *whole*; on entering, if *whole* is
            asked for of a loop in real time.

    Introduced in the chapter *Keep the heartbeat on time*.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop | None = None,
        *,
        whole: bool = False,
        watch: Callable[[], int] | None = None,
    ) -> None:
        if watch is not None and not whole:
            raise ValueError(
                f"watch is {watch!r}, and the run is not recorded as a whole: add "
                "whole=True"
            )
        self._wanted = loop
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
        running: tuple[str | None, str] | None = None
        if loop.is_running():
            task = asyncio.current_task(loop)
            running = None, "(running when the trace began)"
            if task is not None:
                running = task.get_name(), coroutine_name(task.get_coro())
        if isinstance(loop, VirtualTimeLoop):
            notes = Notes(loop, running, whole=self._whole, watch=self._watch)
            self._detach = attach_to_virtual(loop, notes)
        else:
            self._detach = attach_to_stock(loop, running)
        return self

    def __exit__(self, *raised: object) -> None:
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
        if self._whole and not virtual:
            raise ValueError(_MEASURED)
        if loop.is_closed():
            raise RuntimeError(f"{loop!r} is closed: nothing will run on it")
        if loop.is_running() and loop is not running:
            raise RuntimeError(
                f"{loop!r} runs in another thread or is set aside: enter the tracer "
                "inside a coroutine of that loop"
            )
        return loop


def record(
    main: Coroutine[Any, Any, T],
    *,
    clock: Clock = "virtual",
    whole: bool = False,
    watch: Callable[[], int] | None = None,
    **settings: Any,
) -> Trace:
    """Run *main* and return the trace of it, from its first callback to its last.

    What *main* returned is the trace's ``result``.  If *main* raises, so does this.
    The clean-up after *main* has ended is not part of the trace.

    Args:
        main: a coroutine.
        clock: ``"virtual"`` runs it with :func:`looplab.run` and the times are exact;
            ``"real"`` runs it with :func:`looplab.run_real` and they are measured.
        whole: record also which callback made which, in which iteration, and every
            timer, so that a :class:`looplab.player.Player` can play the run; on the
            virtual clock.
        watch: note in :attr:`Trace.watched` what this returns after each callback of a
            whole run, such as the ``qsize`` of a queue.
        settings: passed on to :func:`looplab.run` or :func:`looplab.run_real`, such as
            ``loop_factory=VirtualPriorityLoop``.

    Raises:
        ValueError: if *clock* is neither, *watch* is given without *whole*, or *whole*
            with the real clock.
        TypeError: if *main* is not a coroutine.

    Introduced in the chapter *Keep the heartbeat on time*.
    """
    try:
        check_clock(clock)
        require_coroutine(main, "record")
        tracer = LoopTracer(whole=whole, watch=watch)
        if whole and clock == "real":
            raise ValueError(_MEASURED)
    except (TypeError, ValueError):
        if asyncio.iscoroutine(main):
            main.close()
        raise
    traced = WatchedCoroutine(
        main, lambda: tracer.__exit__(None, None, None), begins=tracer.__enter__
    )
    result = run_on(clock, traced, **settings)
    trace = tracer.trace
    trace.result = result
    return trace
