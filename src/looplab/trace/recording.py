"""Run a coroutine and return the trace of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from looplab.clock.running import Clock, check_clock, require_coroutine, run_on
from looplab.trace.labels import coroutine_name
from looplab.trace.record import Trace
from looplab.trace.tracer import LoopTracer

__all__ = ["record"]

T = TypeVar("T")


class _TracedCoroutine(Coroutine[Any, Any, T]):
    """A coroutine that is traced from its first step to its last.

    It is not a coroutine around the other one, so tracebacks, task labels and the
    errors of the virtual clock show the program as it is without a tracer.
    """

    def __init__(self, main: Coroutine[Any, Any, T], tracer: LoopTracer) -> None:
        self._main = main
        self._tracer = tracer
        self._attached = False
        self.__qualname__ = coroutine_name(main)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._main, name)

    def __repr__(self) -> str:
        return repr(self._main)

    def _step(self, method: Callable[..., Any], *args: Any) -> Any:
        if not self._attached:
            self._attached = True
            self._tracer.__enter__()
        try:
            return method(*args)
        except BaseException:  # StopIteration, with the result, is one
            self._tracer.__exit__(None, None, None)
            raise

    def send(self, value: Any) -> Any:
        return self._step(self._main.send, value)

    def throw(self, *error: Any) -> Any:
        return self._step(self._main.throw, *error)

    def close(self) -> None:
        self._main.close()
        self._tracer.__exit__(None, None, None)

    def __await__(self) -> Any:
        raise RuntimeError("a traced coroutine runs as a task")


def record(
    main: Coroutine[Any, Any, T],
    *,
    clock: Clock = "virtual",
    limit: int | None = None,
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
        settings: passed on to :func:`looplab.run` or :func:`looplab.run_real`, such as
            ``loop_factory=VirtualPriorityLoop``.

    Raises:
        ValueError: if *clock* is neither.
        TypeError: if *main* is not a coroutine.

    Introduced in the chapter *Keep the heartbeat on time*.
    """
    try:
        check_clock(clock)
        require_coroutine(main, "record")
        tracer = LoopTracer(limit=limit)
    except (TypeError, ValueError):
        if asyncio.iscoroutine(main):
            main.close()
        raise
    traced = _TracedCoroutine(main, tracer)
    result = run_on(clock, traced, **settings)
    trace = tracer.trace
    trace.result = result
    return trace
