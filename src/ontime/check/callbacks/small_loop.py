"""The chapter's loop, future and task, with a bound on the callbacks that they run."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Generator
from heapq import heappop, heappush
from itertools import count
from typing import Any

from ontime.check.verdict import NotYet

__all__ = [
    "MOST_CALLS",
    "Callback",
    "SmallFuture",
    "SmallLoop",
    "SmallTask",
    "TooManyCallsError",
    "endless",
]

Callback = Callable[..., object]

#: Callbacks that one run of an answer may take.
MOST_CALLS = 10_000


class TooManyCallsError(Exception):
    """An answer keeps the loop running without an end."""


class SmallLoop:
    """The chapter's loop, with a bound on the callbacks that it runs.

    Its clock is simulated and counts seconds; it moves only when nothing is ready.
    """

    def __init__(self) -> None:
        self.ready: deque[tuple[Callback, tuple[Any, ...]]] = deque()
        self.timers: list[tuple[float, int, Callback, tuple[Any, ...]]] = []
        self.now = 0.0
        self._numbers = count()
        self._calls = 0

    def call_soon(self, callback: Callback, *args: Any) -> None:
        """Put *callback* at the end of the ready queue."""
        self.ready.append((callback, args))

    def call_later(self, delay: float, callback: Callback, *args: Any) -> None:
        """Make *callback* ready once *delay* seconds have passed."""
        timer = (self.now + delay, next(self._numbers), callback, args)
        heappush(self.timers, timer)

    def create_future(self) -> SmallFuture:
        """A future of this loop that has no result yet."""
        return SmallFuture(self)

    def create_task(self, coroutine: Coroutine[Any, Any, Any]) -> SmallTask:
        """Drive *coroutine* from the next iteration on."""
        return SmallTask(self, coroutine)

    def sleep(self, delay: float) -> SmallFuture:
        """A future that gets its result after *delay* seconds."""
        future = self.create_future()
        self.call_later(delay, future.set_result, None)
        return future

    def run(self) -> None:
        """Run until nothing is ready and no timer is set."""
        while self.ready or self.timers:
            if not self.ready:
                self.now = max(self.now, self.timers[0][0])
            while self.timers and self.timers[0][0] <= self.now:
                _, _, callback, args = heappop(self.timers)
                self.ready.append((callback, args))
            for _ in range(len(self.ready)):
                callback, args = self.ready.popleft()
                self._calls += 1
                if self._calls > MOST_CALLS:
                    raise TooManyCallsError
                callback(*args)


class SmallFuture:
    """A result that is still to come; setting it wakes those who wait for it."""

    def __init__(self, loop: SmallLoop) -> None:
        self.loop = loop
        self._done = False
        self._value: Any = None
        self._callbacks: list[Callback] = []

    def done(self) -> bool:
        """Whether it has its result."""
        return self._done

    def result(self) -> Any:
        """Its result.

        Raises:
            RuntimeError: if it has none yet.
        """
        if not self._done:
            raise RuntimeError("this future has no result yet")
        return self._value

    def set_result(self, value: Any) -> None:
        """Store the result and schedule the callbacks.

        Raises:
            RuntimeError: if it has a result already.
        """
        if self._done:
            raise RuntimeError("this future has its result already")
        self._done = True
        self._value = value
        for callback in self._callbacks:
            self.loop.call_soon(callback, self)

    def add_done_callback(self, callback: Callback) -> None:
        """Have ``callback(future)`` called once there is a result."""
        if self._done:
            self.loop.call_soon(callback, self)
        else:
            self._callbacks.append(callback)

    def __await__(self) -> Generator[SmallFuture, None, Any]:
        if not self._done:
            yield self
        return self.result()


class SmallTask(SmallFuture):
    """A future that drives a coroutine; its result is what the coroutine returns."""

    def __init__(self, loop: SmallLoop, coroutine: Coroutine[Any, Any, Any]) -> None:
        super().__init__(loop)
        self._coroutine = coroutine
        loop.call_soon(self._step)

    def _step(self, woken_by: object = None) -> None:
        try:
            waits_for = self._coroutine.send(None)
        except StopIteration as end:
            self.set_result(end.value)
        else:
            waits_for.add_done_callback(self._step)


def endless(what: str) -> NotYet:
    return NotYet(
        f"{what} does not come to an end.",
        "a callback that is made ready during an iteration waits for the next one",
    )
