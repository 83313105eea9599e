"""Run a coroutine and return the trace of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from looplab.clock.running import Clock, check_clock, require_coroutine, run_on
from looplab.clock.watched import WatchedCoroutine
from looplab.trace.record import Trace
from looplab.trace.tracer import LoopTracer

__all__ = ["record"]

T = TypeVar("T")


def record(
    main: Coroutine[Any, Any, T],
    *,
    clock: Clock = "virtual",
    limit: int | None = None,
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
        limit: keep this many records, the newest; see :class:`LoopTracer`.
        whole: record also which callback made which, in which iteration, and every
            timer, so that a :class:`looplab.player.Player` can play the run.
        watch: note in :attr:`Trace.watched` what this returns after each callback of a
            whole run, such as the ``qsize`` of a queue.
        settings: passed on to :func:`looplab.run` or :func:`looplab.run_real`, such as
            ``loop_factory=VirtualPriorityLoop``.

    Raises:
        ValueError: if *clock* is neither, or *limit* is given with *whole*, or
            *watch* without it.
        TypeError: if *main* is not a coroutine.

    Introduced in the chapter *Keep the heartbeat on time*.
    """
    try:
        check_clock(clock)
        require_coroutine(main, "record")
        tracer = LoopTracer(limit=limit, whole=whole, watch=watch)
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
