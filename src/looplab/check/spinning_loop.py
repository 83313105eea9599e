"""The exercises of chapter 6, *Find the loop that spins*.

=============  ===================================================================
``06-predict``   a function ``asks(seconds, cost, nap)``
``06-parsons``   a list of line numbers
``06-fix``       a class ``Inbox`` with ``put`` and ``async get``
``06-modify``    a number of seconds, ``nap``
``06-make``      a function ``hop(loop, function)``
=============  ===================================================================

Each check says in its docstring what the answer must be.  There are no threads in a
page, so "from another thread" is played by a loop that watches its callers: what is
called on it directly, and what through ``call_soon_threadsafe``.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import inspect
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeVar

from looplab.check import NotYet, exercise, finished, need_awaitable, simulate
from looplab.check.common import as_number, compiled, now, read_order
from looplab.clock import DeadlockError, VirtualTimeLoop

__all__ = ["ASKS_BOUND", "LATE_BOUND", "PARSONS_LINES", "parsons_program"]

T = TypeVar("T")

_COST = 0.000_010  # seconds of CPU of a callback
_STEPS = 400_000


class _WatchedLoop(VirtualTimeLoop):
    """Knows what was handed over as from another thread, and what was not."""

    outside = False  # whether a caller in "another thread" runs
    handed_over = 0
    careless = ""

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Any = None
    ) -> Any:
        if self.outside:
            self.careless = "call_soon()"
        return super().call_soon(callback, *args, context=context)

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Any = None
    ) -> Any:
        self.handed_over += 1
        outside, self.outside = self.outside, False
        try:
            return super().call_soon(callback, *args, context=context)
        finally:
            self.outside = outside

    @contextmanager
    def another_thread(self) -> Iterator[None]:
        self.outside = True
        try:
            yield
        finally:
            self.outside = False


def _simulate(main: Coroutine[Any, Any, T], cost: float = _COST) -> T:
    """Run one scenario; callbacks cost CPU, so that a poll moves the clock."""
    return simulate(
        main, callback_cost=cost, max_steps=_STEPS, loop_factory=_WatchedLoop
    )


def _loop() -> _WatchedLoop:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, _WatchedLoop)
    return loop


# 1. Predict


async def _asked(seconds: float, nap: float) -> int:
    asks = 0

    async def poll() -> None:
        nonlocal asks
        while True:
            asks += 1
            await asyncio.sleep(nap)

    polling = asyncio.create_task(poll())
    await asyncio.sleep(seconds)
    polling.cancel()
    return asks


@exercise("06-predict")
def check_predict(answer: Any) -> str:
    """The answer is a plain function ``asks(seconds, cost, nap)``.

    It returns how often a task asks in *seconds* if it sleeps *nap* seconds between two
    questions and each callback costs *cost* seconds of CPU.  The check runs nine such
    tasks on the virtual clock; 5 % or two questions more or less are right.
    """
    if not callable(answer):
        raise NotYet(
            f"the answer is {answer!r}, not a function.",
            "hand over asks itself, without parentheses or arguments",
        )
    cases = [
        (0.3, 0.000_010, 0.0),
        (0.3, 0.000_020, 0.0),
        (1.0, 0.000_050, 0.0),
        (0.3, 0.000_010, 0.001),
        (0.3, 0.000_010, 0.010),
        (2.0, 0.000_010, 0.005),
        (1.0, 0.000_100, 0.100),
        (0.5, 0.000_005, 0.0),
        (5.0, 0.000_010, 0.050),
    ]
    for seconds, cost, nap in cases:
        said = answer(seconds, cost, nap)
        if said is None or said is ...:
            raise NotYet(
                "asks() returned no number.", "does it end with a return statement?"
            )
        count = as_number(said)
        if count is None:
            raise NotYet(
                f"asks() returned {said!r}, which is not a number of questions.",
                "an async function or a print() will not do: return the number",
            )
        seen = _simulate(_asked(seconds, nap), cost)
        if abs(count - seen) <= max(2, 0.05 * seen):
            continue
        if nap == 0:
            hint = "with a nap of 0 one callback is one question: how many fit?"
        elif count > 2 * seen:
            hint = "during a nap nobody asks"
        else:
            hint = "how long is it from one question to the next?"
        raise NotYet(
            f"{seconds:g} s, {cost * 1e6:g} µs a callback, a nap of {nap:g} s: your "
            f"function says {count:,.0f}, in the run it asks {seen:,} times.",
            hint,
        )
    return f"your arithmetic agrees with {len(cases)} runs on the virtual clock."


# 2. Put the lines in order

#: The shuffled lines.  An answer names them by position, from 1.  Three are not needed.
PARSONS_LINES: tuple[str, ...] = (
    "        assert turns.most <= 10",
    "            sleep(0.3)",
    "    with open_session() as session:",
    "        assert turns.seconds <= 0.3",
    "def test_idle_session_stays_idle():",
    "            session.ask('hello')",
    "        with count_turns() as turns:",
    "        assert turns.most > 10",
)


def parsons_program(order: list[int]) -> str:
    """The lines of :data:`PARSONS_LINES` in the given order, as one program."""
    return "\n".join(PARSONS_LINES[number - 1] for number in order)


class _Stage:
    """What the guard of the exercise calls, with a program that polls or waits."""

    def __init__(self, polls: bool) -> None:
        self.polls = polls
        self.is_open = self.counting = False
        self.slept = self.most = 0.0
        self.asked_while_counting = self.asserted = False
        self.counted_open = True

    @contextmanager
    def open_session(self) -> Iterator[_Stage]:
        self.is_open = True
        try:
            yield self
        finally:
            self.is_open = False

    @contextmanager
    def count_turns(self) -> Iterator[_Turns]:
        self.counting, self.counted_open = True, self.is_open
        turns = _Turns(self)
        try:
            yield turns
        finally:
            self.counting = False

    def ask(self, message: object) -> object:
        self.asked_while_counting = self.asked_while_counting or self.counting
        self.most += 2
        return message

    def sleep(self, seconds: float) -> None:
        if self.counting:
            self.slept += seconds
            if self.polls and self.is_open:
                self.most += seconds * 40_000


class _Turns:
    def __init__(self, stage: _Stage) -> None:
        self._stage = stage
        self.seconds = 0.3004  # never less than was slept

    @property
    def most(self) -> float:
        self._stage.asserted = True
        if self._stage.counting:
            raise NotYet(
                "it judges the count inside the block that counts.",
                "assert after the block: one level less of indent",
            )
        return self._stage.most


@exercise("06-parsons")
def check_parsons(answer: Any) -> str:
    """The answer is a list of line numbers (from 1) of :data:`PARSONS_LINES`.

    In that order the lines must make a test that passes with a session that waits and
    fails with one that polls.  Five lines are needed, three are not.
    """
    order = read_order(answer, len(PARSONS_LINES), "[5, 3, 7]")
    code = compiled(parsons_program(order), order, PARSONS_LINES)
    failed = {}
    for polls in False, True:
        stage = _Stage(polls)
        namespace: dict[str, Any] = {
            "open_session": stage.open_session,
            "count_turns": stage.count_turns,
            "sleep": stage.sleep,
        }
        try:
            exec(code, namespace)
            test = namespace.get("test_idle_session_stays_idle")
            if test is None:
                raise NotYet(
                    "the program defines no test.",
                    "begin with 'def test_idle_session_stays_idle():'",
                )
            test()
            failed[polls] = False
        except AssertionError:
            failed[polls] = True
        except NameError as error:
            raise NotYet(f"{error}.", "a line stands before the one it needs") from None
        if stage.asked_while_counting:
            raise NotYet(
                "it asks the session something while it counts.",
                "an idle session is one that nobody asks anything",
            )
        if not stage.counted_open:
            raise NotYet(
                "it counts while no session is open.", "open the session first"
            )
        if not stage.slept:
            raise NotYet(
                "it counts for no time at all.", "let some time pass in the block"
            )
        if not stage.asserted:
            raise NotYet(
                "it never judges the turns: it cannot fail for them.",
                "one line asserts how many turns are allowed",
            )
    if failed[False]:
        raise NotYet(
            "the test fails with a session that waits.",
            "turns.seconds is a time, and 0.3 s of sleep last a little longer; and is "
            "the assert the right way round?",
        )
    if not failed[True]:
        raise NotYet(
            "the test passes with a session that polls.", "what must not be many?"
        )
    return "it passes with a session that waits and fails with one that polls."


# 3. Fix the bug


def _new_inbox(answer: Any) -> Any:
    inbox = answer()
    for name in "put", "get":
        if not callable(getattr(inbox, name, None)):
            raise NotYet(
                f"the inbox has no method {name}().",
                "keep the names: put is called from a thread, get is awaited",
            )
    return inbox


async def _inbox_idle(answer: Any) -> int:
    """Callbacks in 0.3 s in which nothing comes; then a message must come out."""
    inbox, loop = _new_inbox(answer), _loop()
    getting = inbox.get()
    need_awaitable(getting, "get")
    task = asyncio.ensure_future(getting)
    await asyncio.sleep(0.01)
    before = _steps(loop)
    await asyncio.sleep(0.3)
    ran = _steps(loop) - before
    if ran > 20:
        raise NotYet(
            f"while nothing came, the loop ran {ran:,} callbacks in 0.3 s.",
            "let get() wait for something that put() sets or fills",
        )
    if task.done():
        raise NotYet(
            f"get() returned {task.result()!r} before anything had been put.",
            "it has to wait",
        )
    _put(inbox, "late")
    if (item := await finished(_wait(task))) != "late":
        raise NotYet(
            f"get() returned {item!r} when 'late' had been put.",
            "hand out what was put",
        )
    return ran


def _steps(loop: _WatchedLoop) -> int:
    """Callbacks that the loop has run so far."""
    return _STEPS - (loop._steps_left or 0)


def _put(inbox: Any, item: object) -> None:
    """Call ``put`` as another thread does."""
    loop = _loop()
    before = loop.handed_over
    with loop.another_thread():
        value = inbox.put(item)
    if inspect.iscoroutine(value):
        value.close()
        raise NotYet(
            "put() is an async function: another thread cannot await it.",
            "make it a plain one",
        )
    if loop.careless:
        raise NotYet(
            "put() woke the task directly, from another thread: a loop that sleeps in "
            "its selector would not notice.",
            "hand the call over: loop.call_soon_threadsafe(...)",
        )
    if loop.handed_over == before:
        raise NotYet(
            "put() did not tell the loop that something has come.",
            "loop.call_soon_threadsafe(function, *args) calls a function on the loop",
        )


async def _wait(task: asyncio.Future[T]) -> T:
    return await task


@exercise("06-fix")
def check_fix(answer: Any) -> str:
    """The answer is a class ``Inbox``, made on the loop without arguments.

    ``put(item)`` is a plain method that any thread may call; ``await get()``, on the
    loop, returns the items in order.  Required, on the virtual clock: a ``get`` that
    waits 0.3 s runs at most 20 callbacks; the loop is told of each item through
    ``call_soon_threadsafe``; items put before and during a ``get``, in bursts, and None
    come out once and in order; a ``get`` that is cancelled loses nothing.
    """
    if inspect.isfunction(answer) or not callable(answer):
        raise NotYet(
            f"the answer is {answer!r}, not a class.",
            "hand over Inbox itself, without parentheses",
        )
    ran = _simulate(_inbox_idle(answer))

    async def order() -> list[object]:
        inbox, loop = _new_inbox(answer), _loop()
        for number in range(3):
            _put(inbox, number)
        found: list[object] = []

        async def take() -> None:
            while len(found) < 8:
                item = await inbox.get()
                found.append(item)

        task = asyncio.ensure_future(take())
        for time, items in (0.1, [3]), (0.2, [None, 5]), (0.3, [6, 7]):
            for item in items:
                loop.call_later(time, _put, inbox, item)
        await finished(_wait(task))
        return found

    found = _simulate(order())
    if found != [0, 1, 2, 3, None, 5, 6, 7]:
        raise NotYet(
            f"0, 1, 2, 3, None, 5, 6, 7 were put, and {found} came out.",
            "None is an item like any other, and each comes out once",
        )

    async def cancelled() -> list[object]:
        inbox = _new_inbox(answer)
        task = asyncio.ensure_future(inbox.get())
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.sleep(0.1)
        for item in "a", "b":
            _put(inbox, item)
        return [await finished(inbox.get()) for _ in range(2)]

    if (left := _simulate(cancelled())) != ["a", "b"]:
        raise NotYet(
            f"after a get() that was cancelled, 'a' and 'b' came out as {left}.",
            "a get() that is cancelled must take nothing",
        )
    return f"the loop ran {ran} callbacks in 0.3 s while nothing came; nothing is lost."


# 4. Modify

#: Most questions of a task in a second.
ASKS_BOUND = 60
#: Most seconds that a message may wait for the end of a nap.
LATE_BOUND = 0.025


async def _worst_wait(nap: float) -> float:
    """The longest wait of a message, over 40 moments of a nap."""
    inbox: list[float] = []
    waits: list[float] = []

    async def poll() -> None:
        while len(waits) < 40:
            while inbox:
                waits.append(now() - inbox.pop(0))
            await asyncio.sleep(nap)

    polling = asyncio.ensure_future(poll())
    for number in range(1, 41):
        await asyncio.sleep(nap + nap * (number * 0.618_034 % 1))
        inbox.append(now())
    await polling
    return max(waits)


@exercise("06-modify")
def check_modify(answer: Any) -> str:
    """The answer is *nap*, a number of seconds.

    Required of a task that polls with that nap, on the virtual clock: at most
    :data:`ASKS_BOUND` questions in a second, and no message waits longer than
    :data:`LATE_BOUND`.
    """
    nap = as_number(answer)
    if nap is None:
        raise NotYet(f"{answer!r} is not a number of seconds.", "for example 0.005")
    if nap < 0 or nap != nap:
        raise NotYet(f"nobody sleeps for {nap:g} s.", "give a positive number")
    if nap < 0.000_1:
        raise NotYet(
            f"a nap of {nap:g} s hardly is one: the loop asks all the time.",
            "sixty questions in a second: how far apart are they?",
        )
    if nap > 10:
        raise NotYet(f"a nap of {nap:g} s is far too long.", "think of milliseconds")
    asked = _simulate(_asked(1.0, nap))
    if asked > ASKS_BOUND:
        raise NotYet(
            f"nap={nap:g} asks {asked} times in a second, more than {ASKS_BOUND}.",
            "sixty questions in a second: how far apart are they?",
        )
    late = _simulate(_worst_wait(nap))
    if late > LATE_BOUND:
        raise NotYet(
            f"with nap={nap:g} a message waits up to {late:.3f} s, more than "
            f"{LATE_BOUND} s.",
            "a message that comes just after a question waits for the whole nap",
        )
    return (
        f"nap={nap:g} asks {asked} times in a second, and a message waits {late:.3f} s "
        "at most."
    )


# 5. Make


def _hop(answer: Any, function: Callable[[], Any]) -> concurrent.futures.Future[Any]:
    """Call the answer as another thread does."""
    loop = _loop()
    before = loop.handed_over
    with loop.another_thread():
        found = answer(loop, function)
    if inspect.iscoroutine(found):
        found.close()
        raise NotYet(
            "hop() is an async function: another thread cannot await it.",
            "make it a plain function that returns a future",
        )
    if not isinstance(found, concurrent.futures.Future):
        kind = type(found).__name__
        raise NotYet(
            f"hop() returned a {kind}, not a concurrent.futures.Future.",
            "asyncio's futures belong to a loop; a thread can wait for one of "
            "concurrent.futures",
        )
    if loop.careless:
        raise NotYet(
            "hop() used call_soon(): a loop that sleeps would not notice.",
            "from another thread only call_soon_threadsafe() will do",
        )
    if loop.handed_over == before:
        raise NotYet(
            "hop() did not hand anything to the loop.",
            "loop.call_soon_threadsafe(function, *args)",
        )
    return found


async def _result(future: concurrent.futures.Future[Any]) -> Any:
    for _ in range(5):
        if future.done():
            return future.result()
        await asyncio.sleep(0)
    raise DeadlockError("the future is never done")


@exercise("06-make")
def check_make(answer: Any) -> str:
    """The answer is a plain function ``hop(loop, function)``, called from any thread.

    It has *function* called on the loop and returns at once a
    :class:`concurrent.futures.Future` with its result or its exception.  A future that
    is cancelled before its turn has *function* not called.
    """
    if not callable(answer):
        raise NotYet(
            f"the answer is {answer!r}, not a function.",
            "hand over hop itself, without parentheses",
        )

    async def scenario() -> None:
        called: list[str] = []

        def noted() -> str:
            called.append("here" if not _loop().outside else "in the caller's thread")
            return "result"

        future = _hop(answer, noted)
        if called:
            raise NotYet(
                "hop() called the function at once, in the caller's thread.",
                "hand the function to the loop and return",
            )
        if await _result(future) != "result":
            raise NotYet(
                f"the future's result is {future.result()!r}, not what the function "
                "returned.",
                "set_result() with the value of function()",
            )
        if called != ["here"]:
            raise NotYet(
                f"the function was called {len(called)} times.", "once will do"
            )

        def fails() -> None:
            raise OSError("no such file")

        future = _hop(answer, fails)
        try:
            value = await _result(future)
        except DeadlockError:
            raise NotYet(
                "the function raised OSError, and the caller waits for ever.",
                "catch what it raises and give it to the future: set_exception()",
            ) from None
        except OSError:
            pass
        else:
            raise NotYet(
                f"the function raised OSError, and the future says {value!r}.",
                "set_exception() with what was caught",
            )

        called.clear()
        future = _hop(answer, noted)
        future.cancel()
        for _ in range(3):
            await asyncio.sleep(0)
        if called:
            raise NotYet(
                "the future was cancelled before its turn, and the function was called "
                "all the same.",
                "ask future.set_running_or_notify_cancel() first",
            )
        several = [_hop(answer, partial(int, number)) for number in range(5)]
        if [await _result(future) for future in several] != list(range(5)):
            raise NotYet("five hops at once got mixed up.", "a future for each call")

    _simulate(scenario())
    return "results, exceptions and cancelling are right, and the caller never waits."
