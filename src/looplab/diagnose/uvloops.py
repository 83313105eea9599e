"""uvloop, seen from outside: its tasks and its reads, without the time they waited.

uvloop keeps its queue in C.  A subclass sees what Python asks of it: each callback when
it is asked for and when it runs, timers, and the data that a protocol receives.  When
data was ready nobody can tell, so a recording made in this way shows less.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Any

from looplab._numbers import NS

from . import tags
from .described import describe
from .recorder import DATA, THREAD, TIMER, UNSEEN, Recorder, cpu_clock

__all__ = ["TaskRecorder", "recorded_loop", "refused_loop"]

_MAKERS = ("create_server", "create_unix_server", "create_connection")


class TaskRecorder(Recorder):
    """Records the callbacks that Python asks *loop* for, until :meth:`detach`."""

    def __init__(self, loop: Any, number: int = 1, *, arrival: Any = None) -> None:
        super().__init__(loop, number)
        self.active = True
        self._index = -1
        self._cpu = cpu_clock()
        self._detach = self._stop
        self.enter()

    def _stop(self) -> None:
        self.active = False

    def why(self, cause: int) -> tuple[int, int, int]:
        """What is known when a callback is asked for: when, *cause*, and who runs."""
        return self.now(), cause, self._running[0]

    def run(
        self,
        reason: tuple[int, int, int],
        due: int | None,
        callback: Callable[..., Any],
        args: tuple[Any, ...],
    ) -> Any:
        """Run *callback* and note it."""
        if not self.active or self._running[0] >= 0:
            return callback(*args)
        asked, cause, runs = reason
        task, code = describe(callback)
        run, cpu = self.now(), self._cpu()
        self._index += 1
        self._running = self._index, run
        try:
            return callback(*args)
        finally:
            tag = tags.CURRENT.get() or (self._touched[0] if self._touched else None)
            self._touched.clear()
            number = 0 if tag is None else tag.number
            ended, used = self.now(), self._cpu() - cpu
            ready, by = asked, cause
            if cause == TIMER:
                at = run if due is None else due
                ready = max(asked, min(at, run))
                self.due.append((self._index, runs, at, asked))
            elif cause == DATA:
                ready = run
            elif cause == UNSEEN and runs >= 0:
                by = runs
            self.notes += ready, by, run, ended, used, task, code, number
            self._running = -1, 0


def recorded_loop(stock: Any, session: Callable[[], Any]) -> Any:
    """Return a subclass of the uvloop class *stock* that is recorded when it runs."""

    class Loop(stock):  # type: ignore[misc]
        _looplab: TaskRecorder | None = None

        def run_forever(self) -> None:
            here = session()
            if here is not None:
                self._looplab = here.loop_starts(self, TaskRecorder)
            try:
                super().run_forever()
            finally:
                if here is not None:
                    here.loop_stops(self)

        def call_soon(self, callback: Any, *args: Any, context: Any = None) -> Any:
            one = self._looplab
            if one is None:
                return super().call_soon(callback, *args, context=context)
            return super().call_soon(
                one.run, one.why(UNSEEN), None, callback, args, context=context
            )

        def call_soon_threadsafe(
            self, callback: Any, *args: Any, context: Any = None
        ) -> Any:
            one = self._looplab
            if one is None:
                return super().call_soon_threadsafe(callback, *args, context=context)
            return super().call_soon_threadsafe(
                one.run, one.why(THREAD), None, callback, args, context=context
            )

        def call_later(
            self, delay: Any, callback: Any, *args: Any, context: Any = None
        ) -> Any:
            one = self._looplab
            if one is None:
                return super().call_later(delay, callback, *args, context=context)
            why = one.why(TIMER)
            due = why[0] + round(delay * NS)
            return super().call_later(
                delay, one.run, why, due, callback, args, context=context
            )

        def call_at(
            self, when: Any, callback: Any, *args: Any, context: Any = None
        ) -> Any:
            return self.call_later(when - self.time(), callback, *args, context=context)

    def made(name: str) -> Any:
        async def make(self: Any, factory: Any, *args: Any, **options: Any) -> Any:
            def protocol() -> Any:
                return _watched(factory(), self)

            return await getattr(stock, name)(self, protocol, *args, **options)

        make.__name__ = name
        return make

    for name in _MAKERS:
        setattr(Loop, name, made(name))
    Loop.__module__, Loop.__qualname__ = "uvloop", "Loop"
    return Loop


def _watched(protocol: Any, loop: Any) -> Any:
    """Return *protocol*, of which each piece of data that it receives is noted."""
    for name in ("data_received", "buffer_updated"):
        method = getattr(protocol, name, None)
        if method is None:
            continue

        def received(method: Any, *args: Any) -> Any:
            one: TaskRecorder | None = loop._looplab
            if one is None:
                return method(*args)
            return one.run(one.why(DATA), None, method, args)

        with contextlib.suppress(AttributeError):  # one with slots: it is not seen
            setattr(protocol, name, partial(received, method))
    return protocol


def refused_loop(stock: Any, say: Callable[[str], None]) -> Any:
    """Return a subclass of the uvloop class *stock* that says it is not recorded."""

    class Loop(stock):  # type: ignore[misc]
        _said = False

        def run_forever(self) -> None:
            if not self._said:
                self._said = True
                say("a uvloop runs and is not recorded (--uvloop refuse)")
            super().run_forever()

    Loop.__module__, Loop.__qualname__ = "uvloop", "Loop"
    return Loop
