"""``01-parsons``: one iteration of a loop, out of shuffled lines."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from itertools import count
from typing import Any

from ontime.check.callbacks.small_loop import (
    MOST_CALLS,
    Callback,
    TooManyCallsError,
    endless,
)
from ontime.check.parsons import Shuffled
from ontime.check.registry import exercise
from ontime.check.verdict import NotYet

__all__ = ["PARSONS_LINES", "parsons_program"]

#: The shuffled lines.  An answer names them by position, from 1.  Two are not needed.
PARSONS_LINES: tuple[str, ...] = (
    "        callback()",
    "    while timers and timers[0][0] <= clock.now:",
    "    while ready:",
    "        when, number, callback = heappop(timers)",
    "def run_once(ready, timers, clock):",
    "        clock.now = max(clock.now, timers[0][0])",
    "        callback = ready.pop()",
    "    for _ in range(len(ready)):",
    "        ready.append(callback)",
    "    if timers and not ready:",
    "        callback = ready.popleft()",
)

_UNTIL_EMPTY = 3

_LAST_IN = 7


_SHUFFLED = Shuffled(PARSONS_LINES)
parsons_program = _SHUFFLED.program


class _Clock:
    now = 0.0


class _Ready(deque[Callable[[], None]]):
    """A ready queue that an answer cannot fill without an end."""

    def append(self, callback: Callable[[], None], /) -> None:
        if len(self) >= MOST_CALLS:
            raise TooManyCallsError
        super().append(callback)


class _Bench:
    """A ready queue, a heap of timers and a note of what ran in which iteration."""

    def __init__(self) -> None:
        self.ready = _Ready()
        self.timers: list[tuple[float, int, Callable[[], None]]] = []
        self.clock = _Clock()
        self.ran: list[tuple[float, str]] = []
        self._numbers = count()
        self._calls = 0

    def soon(self, name: str, then: Callable[[], None] | None = None) -> None:
        self.ready.append(self._callback(name, then))

    def at(self, when: float, name: str) -> None:
        timer = (when, next(self._numbers), self._callback(name, None))
        heappush(self.timers, timer)

    def _callback(
        self, name: str, then: Callable[[], None] | None
    ) -> Callable[[], None]:
        def callback() -> None:
            self._calls += 1
            if self._calls > MOST_CALLS:
                raise TooManyCallsError
            self.ran.append((self.clock.now, name))
            if then is not None:
                then()

        return callback

    def iterate(self, run_once: Callback) -> str:
        """Run one iteration; the names that ran in it."""
        before = len(self.ran)
        try:
            run_once(self.ready, self.timers, self.clock)
        except TooManyCallsError:
            raise endless("one iteration") from None
        except IndexError as error:
            raise NotYet(
                f"it raised IndexError: {error}.",
                "before you take from a queue or a heap, look whether it is empty",
            ) from None
        return "".join(name for _, name in self.ran[before:])


@exercise("01-parsons")
def check_parsons(answer: Any) -> str:
    """The answer is a list of line numbers (from 1) of :data:`PARSONS_LINES`.

    In that order the lines must make ``run_once(ready, timers, clock)``, one iteration
    of a loop: move the clock if nothing is ready, make due timers ready, run what was
    ready at that moment.  Nine lines are needed, two are not.
    """
    namespace: dict[str, Any] = {"heappop": heappop}
    order, code = _SHUFFLED.read(answer, "[5, 10, 6]")
    exec(code, namespace)
    run_once = namespace["run_once"]
    if _LAST_IN in order:
        raise NotYet(
            "line 7 takes the callback that came last.",
            "the ready queue is first in, first out",
        )

    bench = _Bench()

    def again() -> None:
        bench.soon("A", again)

    bench.soon("A", again)
    bench.soon("B")
    ran = bench.iterate(run_once)
    if ran != "AB":
        raise NotYet(
            f"with A and B ready, one iteration ran {ran or 'nothing'}, not AB.",
            "take each callback from the front of the ready queue and call it",
        )

    bench = _Bench()
    for when, name in (2.0, "D"), (1.0, "C"), (1.0, "E"):
        bench.at(when, name)
    ran = bench.iterate(run_once)
    if ran != "CE" or bench.clock.now != 1.0:
        raise NotYet(
            f"timers C and E are due at 1, D at 2; the first iteration ran "
            f"{ran or 'nothing'} and left the clock at {bench.clock.now:g}.",
            "make the due timers ready before you run what is ready"
            if bench.clock.now == 1.0
            else "with nothing ready, move the clock to the next timer before you look "
            "which timers are due",
        )
    return "one iteration: move the clock, make timers ready, run what was ready."
