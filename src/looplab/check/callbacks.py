"""The exercises of chapter 1, *Give the loop something to call*.

=============  ===================================================================
``01-predict``   a string of letters, the order in which callbacks run
``01-parsons``   a list of line numbers
``01-fix``       a plain function ``tick_every(loop, interval, work)``
``01-modify``    a class of loops whose ``call_later`` returns a cancellable timer
``01-make``      a plain function ``gather(loop, coroutines)``
=============  ===================================================================

Each check says in its docstring what the answer must be.  Three of them run the answer
on a loop of their own, so that they also work where a loop is running already.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from heapq import heappop, heappush
from itertools import count
from typing import Any

from looplab.check import NotYet, exercise, simulate
from looplab.check.common import compiled, executed, read_order
from looplab.clock import burn

__all__ = [
    "PARSONS_LINES",
    "SmallFuture",
    "SmallLoop",
    "SmallTask",
    "parsons_program",
]

Callback = Callable[..., object]

#: Callbacks that one run of an answer may take.
_MOST_CALLS = 10_000


class _TooManyCallsError(Exception):
    """An answer keeps the loop running without an end."""


# A loop for the checks, as the chapter builds it


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
                if self._calls > _MOST_CALLS:
                    raise _TooManyCallsError
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


def _endless(what: str) -> NotYet:
    return NotYet(
        f"{what} does not come to an end.",
        "a callback that is made ready during an iteration waits for the next one",
    )


# 1. Predict the order


def _predict_program(loop: asyncio.AbstractEventLoop, say: Callback) -> None:
    def first() -> None:
        say("A")
        loop.call_soon(say, "B")
        burn(1)

    loop.call_later(1, say, "C")
    loop.call_later(0.5, say, "D")
    loop.call_soon(first)
    loop.call_soon(say, "E")


async def _order_of_events() -> str:
    said: list[str] = []
    _predict_program(asyncio.get_running_loop(), said.append)
    await asyncio.sleep(3)
    return "".join(said)


@exercise("01-predict")
def check_predict(answer: Any) -> str:
    """The answer is a string of the letters A to E, or a list of them.

    It names the order in which the program of the exercise says them.  The check runs
    the same program on the virtual clock.
    """
    if isinstance(answer, (list, tuple)) and all(isinstance(x, str) for x in answer):
        answer = "".join(answer)
    if not isinstance(answer, str):
        raise NotYet(f"{answer!r} is not a string.", 'for example "ABCDE"')
    said = "".join(answer.upper().replace(",", " ").split())
    seen = simulate(_order_of_events())
    if sorted(said) != sorted(seen):
        raise NotYet(
            f"{answer!r} does not have each of the letters A to E once.",
            "five callbacks run, each of them once",
        )
    if said == seen:
        return f"the run says {seen} too."
    place = next(i for i, (a, b) in enumerate(zip(said, seen, strict=True)) if a != b)
    if said[0] != "A":
        hint = "which callback is the first in the ready queue when the loop begins?"
    elif said[1] != "E":
        hint = (
            "B is made ready during the first iteration, behind what is there already; "
            "timers are looked at only between iterations"
        )
    elif said.index("C") < said.index("D"):
        hint = "two timers that are both due become ready in the order of due times"
    else:
        hint = "B was ready before the loop looked at its timers again"
    raise NotYet(f"the first {place} are right and the next is not.", hint)


# 2. Put the lines in order

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


def parsons_program(order: list[int]) -> str:
    """The lines of :data:`PARSONS_LINES` in the given order, as one program."""
    return "\n".join(PARSONS_LINES[number - 1] for number in order)


class _Clock:
    now = 0.0


class _Bench:
    """A ready queue, a heap of timers and a note of what ran in which iteration."""

    def __init__(self) -> None:
        self.ready: deque[Callable[[], None]] = deque()
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
            if self._calls > _MOST_CALLS:
                raise _TooManyCallsError
            self.ran.append((self.clock.now, name))
            if then is not None:
                then()

        return callback

    def iterate(self, run_once: Callback) -> str:
        """Run one iteration; the names that ran in it."""
        before = len(self.ran)
        try:
            run_once(self.ready, self.timers, self.clock)
        except _TooManyCallsError:
            raise _endless("one iteration") from None
        except IndexError as error:
            raise NotYet(
                f"it raised IndexError: {error}.",
                "a queue or a heap that is empty has nothing to give",
            ) from None
        return "".join(name for _, name in self.ran[before:])


@exercise("01-parsons")
def check_parsons(answer: Any) -> str:
    """The answer is a list of line numbers (from 1) of :data:`PARSONS_LINES`.

    In that order the lines must make ``run_once(ready, timers, clock)``, one iteration
    of a loop: move the clock if nothing is ready, make due timers ready, run what was
    ready at that moment.  Nine lines are needed, two are not.
    """
    order = read_order(answer, len(PARSONS_LINES), "[5, 10, 6]")
    namespace: dict[str, Any] = {"heappop": heappop}
    code = compiled(parsons_program(order), order, PARSONS_LINES)
    begin = "begin with the line that has no indent"
    run_once = executed(code, namespace, "run_once", begin)
    if run_once is None:
        raise NotYet(
            "the program defines no run_once().", "begin with the line 'def run_once'"
        )
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
            "with nothing ready, move the clock to the next timer before you look "
            "which timers are due",
        )

    bench = _Bench()
    bench.at(5.0, "D")
    bench.soon("A")
    ran = bench.iterate(run_once)
    if ran != "A" or bench.clock.now != 0.0:
        raise NotYet(
            f"A was ready and D due at 5; the iteration ran {ran or 'nothing'} and "
            f"left the clock at {bench.clock.now:g}.",
            "the clock may jump only when nothing is ready",
        )

    bench = _Bench()
    bench.soon("A")
    bench.at(0.0, "D")
    ran = bench.iterate(run_once)
    if ran != "AD":
        raise NotYet(
            f"A was ready and D due; the iteration ran {ran or 'nothing'}, not AD.",
            "make the due timers ready before you run what is ready",
        )
    return "one iteration: move the clock, make timers ready, run what was ready."


# 3. Fix the bug


async def _ticks(tick_every: Callback, interval: float, cost: float) -> list[float]:
    loop = asyncio.get_running_loop()
    start = loop.time()
    ran: list[float] = []

    def work() -> None:
        ran.append(round(loop.time() - start, 9))
        burn(cost)

    value = tick_every(loop, interval, work)
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise NotYet(
            "tick_every() is an async function.",
            "define it with 'def': it only sets up",
        )
    await asyncio.sleep(5.5 * interval)
    return ran


@exercise("01-fix")
def check_fix(answer: Any) -> str:
    """The answer is a plain function ``tick_every(loop, interval, work)``.

    It schedules ``work()`` at once and returns; *work* then runs again at every whole
    multiple of *interval* seconds after that, however long it takes, as long as it
    takes less than *interval*.
    """
    if not callable(answer):
        raise NotYet(
            f"the answer is {answer!r}, not a function.",
            "hand over tick_every itself, without parentheses",
        )
    worst = 0.0
    for interval, cost in (2.0, 0.0), (2.0, 0.25), (0.5, 0.125), (1.0, 0.9):
        ran = simulate(_ticks(answer, interval, cost))
        where = f"interval {interval:g} s, work {cost:g} s"
        wanted = [n * interval for n in range(6)]
        if len(ran) < 2:
            raise NotYet(
                f"{where}: it ran {len(ran)} times in {5.5 * interval:g} s.",
                "a callback runs once; it has to ask to be called again",
            )
        if ran[0] != 0.0:
            raise NotYet(
                f"{where}: the first tick is at {ran[0]:g} s.", "begin with call_soon"
            )
        if ran != wanted:
            at = ", ".join(f"{t:g}" for t in ran[:4])
            raise NotYet(
                f"{where}: the ticks are at {at} ...",
                "call_later counts from now, and now is after the work. Keep the "
                "moment at which the tick was due, add the interval, use call_at",
            )
        worst = max(worst, cost)
    return f"the ticks keep their pace with up to {worst:g} s of work in each."


# 4. Modify: timers that can be cancelled


def _need_class(answer: object) -> Callable[[], Any]:
    if not inspect.isclass(answer):
        raise NotYet(
            f"the answer is {answer!r}, not a class.",
            "hand over the class itself, without parentheses",
        )
    return answer


@exercise("01-modify")
def check_modify(answer: Any) -> str:
    """The answer is a class of loops with ``call_soon``, ``call_later`` and
    ``run_forever``.

    ``call_later(delay, callback, *args)`` must return an object with a ``cancel()``
    method.  A timer that was cancelled does not call its callback; every other one runs
    as before.  Cancelling twice, or after the callback ran, does nothing.
    """
    make = _need_class(answer)
    loop = make()
    ran: list[str] = []
    first = loop.call_later(1, ran.append, "first")
    if not hasattr(first, "cancel"):
        raise NotYet(
            f"call_later() returned {first!r}, which has no cancel().",
            "make an object that knows its callback, put that in the heap, return it",
        )
    second = loop.call_later(2, ran.append, "second")
    loop.call_later(3, ran.append, "third")
    last = loop.call_later(4, ran.append, "fourth")
    # It is noticed, and stands in the ready queue, before it is cancelled.
    fifth_and_sixth: list[Any] = []

    def cancel_sixth() -> None:
        ran.append("fifth")
        fifth_and_sixth[1].cancel()

    fifth_and_sixth.append(loop.call_later(5, cancel_sixth))
    fifth_and_sixth.append(loop.call_later(5, ran.append, "sixth"))
    loop.call_soon(ran.append, "soon")
    second.cancel()
    second.cancel()
    loop.run_forever()
    if "second" in ran:
        raise NotYet(
            "a timer was cancelled and its callback ran.",
            "look whether the timer is cancelled before you call",
        )
    if "sixth" in ran:
        raise NotYet(
            "a timer was cancelled after it became ready, and its callback ran.",
            "look whether it is cancelled at the last moment, when the loop calls it",
        )
    wanted = ["soon", "first", "third", "fourth", "fifth"]
    if ran != wanted:
        raise NotYet(
            f"the callbacks that nobody cancelled ran as {ran}, not {wanted}.",
            "cancelling one timer must not touch the others",
        )
    last.cancel()
    return "what is cancelled does not run, at whatever moment, and the rest does."


# 5. Make gather


@exercise("01-make")
def check_make(answer: Any) -> str:
    """The answer is a plain function ``gather(loop, coroutines)``.

    It runs all *coroutines* together, each in a task of ``loop.create_task()``, and
    returns a future of ``loop.create_future()`` whose result is the list of their
    results, in the order of the coroutines.  The check uses :class:`SmallLoop`.
    """
    if not callable(answer):
        raise NotYet(
            f"the answer is {answer!r}, not a function.",
            "hand over gather itself, without parentheses",
        )
    for delays in [(3, 1, 2)], [(1,)], [(2, 2, 2, 2)], [()]:
        _check_gather(answer, *delays)
    return "results in order, all coroutines together, none at all too."


def _check_gather(answer: Callback, delays: tuple[int, ...]) -> None:
    loop = SmallLoop()
    running, most = 0, 0

    async def wait(delay: int) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await loop.sleep(delay)
        running -= 1
        return f"waited {delay}"

    coroutines = [wait(delay) for delay in delays]
    ended_at = None

    def note_end(future: object) -> None:
        nonlocal ended_at
        ended_at = loop.now

    try:
        future: Any = answer(loop, coroutines)
        if inspect.iscoroutine(future):
            future.close()
            raise NotYet(
                "gather() is an async function.",
                "define it with 'def' and return a future",
            )
        if not hasattr(future, "add_done_callback"):
            raise NotYet(
                f"gather() returned {future!r}, not a future.",
                "make one with loop.create_future() and return it at once",
            )
        future.add_done_callback(note_end)
        try:
            loop.run()
        except _TooManyCallsError:
            raise _endless("the loop") from None
    finally:
        for coroutine in coroutines:
            coroutine.close()
    many = "no coroutine" if not delays else f"waits of {', '.join(map(str, delays))} s"
    if not future.done():
        raise NotYet(
            f"{many}: the future never got its result.",
            "who sets it when the last task ends? And who if there is none at all?",
        )
    result, wanted = future.result(), [f"waited {delay}" for delay in delays]
    if result != wanted:
        same = isinstance(result, list) and sorted(map(str, result)) == sorted(wanted)
        raise NotYet(
            f"{many}: the result is {result!r}, not {wanted!r}.",
            "keep the order of the coroutines, not the order in which they end"
            if same
            else "ask each task for its result() once all are done",
        )
    if most < len(delays) or ended_at != (max(delays) if delays else 0):
        raise NotYet(
            f"{many}: it took {ended_at:g} s, and at most {most} ran together.",
            "make all the tasks first; they run together then",
        )
