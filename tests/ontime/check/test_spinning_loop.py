"""The checks of chapter 6: right answers pass, wrong ones are told why.

The answers of the lab and its wrong answers are run by tests/notebooks; here are
other right answers, and the words that each kind of mistake is told.
"""

from __future__ import annotations

import asyncio
import queue
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

from ontime.check import exercises
from ontime.check.spinning_loop import PARSONS_LINES, parsons_program
from tests.ontime.check.exercise_checks import assert_not_yet, assert_passes

pytestmark = pytest.mark.usefixtures("quiet_check")


def test_the_exercises_of_chapter_6() -> None:
    names = ["06-fix", "06-make", "06-modify", "06-parsons", "06-predict"]
    assert [name for name in exercises() if name.startswith("06-")] == names


# 1. Predict


def test_predict() -> None:
    def other(seconds: float, cost: float, nap: float) -> float:
        return seconds / cost if nap == 0 else seconds / nap

    assert_passes("06-predict", other)
    assert_passes("06-predict", lambda s, cost, nap: 1 + s / (nap + cost))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda s, cost, nap: s / cost, "during a nap nobody asks"),
        (lambda s, cost, nap: s / (nap + 2 * cost), "how many fit?"),
        (lambda s, cost, nap: s / (2 * nap + cost), "from one question to the next"),
        (lambda *_: None, "returned no number"),
        (lambda *_: "many", "not a number of questions"),
        (30_000, "not a function"),
        (lambda s, cost, nap: s / nap, "ZeroDivisionError"),
    ],
)
def test_predict_wrong(answer: Any, words: str) -> None:
    assert_not_yet("06-predict", answer, words)


# 2. Put the lines in order

ORDER = [5, 3, 7, 2, 1]


def test_parsons() -> None:
    assert_passes("06-parsons", ORDER)
    assert_passes("06-parsons", tuple(ORDER))
    compile(parsons_program(ORDER), "x", "exec")
    assert len(set(PARSONS_LINES)) == len(PARSONS_LINES) == len(ORDER) + 3


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ([], "the list is empty"),
        ([5, 5], "twice"),
        ([9], "there is no line 9"),
        ("test", "is not a line number"),
        ([3], "cannot stand at place 1"),
        ([5, 3, 7], "cannot stand at place"),
        ([5, 3, 7, 2, 4], "never judges the turns"),
        ([5, 3, 7, 2, 8], "fails with a session that waits"),
        ([5, 3, 7, 2, 4, 1], "never judges the turns"),
        ([5, 3, 7, 2, 1, 4], "fails with a session that waits"),
        ([5, 3, 7, 6, 2, 1], "asks the session something while it counts"),
        ([5, 3, 7, 2], "never judges"),
    ],
)
def test_parsons_wrong(order: Any, words: str) -> None:
    assert_not_yet("06-parsons", order, words)


# 3. Fix the bug


class ByEvent:
    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.items: queue.Queue[Any] = queue.Queue()
        self.arrived = asyncio.Event()

    def put(self, item: Any) -> None:
        self.items.put(item)
        self.loop.call_soon_threadsafe(self.arrived.set)

    async def get(self) -> Any:
        while self.items.empty():
            self.arrived.clear()
            await self.arrived.wait()
        return self.items.get_nowait()


class ByCondition:
    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.items: deque[Any] = deque()
        self.waiting: deque[asyncio.Future[None]] = deque()

    def put(self, item: Any) -> None:
        self.loop.call_soon_threadsafe(self.take, item)

    def take(self, item: Any) -> None:
        self.items.append(item)
        while self.waiting:
            if not (future := self.waiting.popleft()).done():
                future.set_result(None)
                return

    async def get(self) -> Any:
        while not self.items:
            future = self.loop.create_future()
            self.waiting.append(future)
            await future
        return self.items.popleft()


class ByQueue:
    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.items: asyncio.Queue[Any] = asyncio.Queue()

    def put(self, item: Any) -> None:
        self.loop.call_soon_threadsafe(self.items.put_nowait, item)

    async def get(self) -> Any:
        return await self.items.get()


@pytest.mark.parametrize("answer", [ByEvent, ByCondition, ByQueue])
def test_fix(answer: Any) -> None:
    assert_passes("06-fix", answer)


class Careless(ByQueue):
    def put(self, item: Any) -> None:
        self.items.put_nowait(item)


class ByCallSoon(ByQueue):
    def put(self, item: Any) -> None:
        self.loop.call_soon(self.items.put_nowait, item)


class ThreadQueue(ByQueue):
    """Looks into a queue that the loop knows nothing of."""

    def put(self, item: Any) -> None: ...


class AsyncPut(ByQueue):
    async def put(self, item: Any) -> None:  # type: ignore[override]
        await self.items.put(item)


class Naps(ByEvent):
    async def get(self) -> Any:
        while self.items.empty():
            await asyncio.sleep(0.005)
        return self.items.get_nowait()


class Nothing(ByQueue):
    async def get(self) -> Any:
        return None


class NoneIsNothing(ByQueue):
    async def get(self) -> Any:
        while (item := await self.items.get()) is None:
            pass
        return item


class LosesOnCancel(ByQueue):
    async def get(self) -> Any:
        task = asyncio.ensure_future(self.items.get())
        return await asyncio.shield(task)


class NoGet:
    def put(self, item: Any) -> None: ...


class PlainGet(ByQueue):
    def get(self) -> Any:
        return 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Careless, "directly, from another thread"),
        (ByCallSoon, "directly, from another thread"),
        (ThreadQueue, "did not tell the loop"),
        (AsyncPut, "another thread cannot await it"),
        (Naps, "callbacks in 0.3 s"),
        (Nothing, "before anything had been put"),
        (NoneIsNothing, "waits for ever"),
        (LosesOnCancel, ""),  # it hangs or loses one: both are told
        (NoGet, "has no method get()"),
        (PlainGet, "cannot be awaited"),
        (ByQueue.put, "not a class"),
        (lambda: None, "not a class"),
        (7, "not a class"),
    ],
)
def test_fix_wrong(answer: Any, words: str) -> None:
    assert_not_yet("06-fix", answer, words)


# 4. Modify


@pytest.mark.parametrize("answer", [0.017, 0.020, 0.024])
def test_modify(answer: float) -> None:
    assert_passes("06-modify", answer)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (0, "hardly is one"),
        (0.001, "times in a second, more than 60"),
        (0.016, "times in a second, more than 60"),
        (0.030, "a message waits up to 0.0"),
        (20, "think of milliseconds"),
        (-1, "nobody sleeps for -1 s"),
        (float("nan"), "nobody sleeps"),
        ("short", "not a number of seconds"),
        (True, "not a number of seconds"),
    ],
)
def test_modify_wrong(answer: Any, words: str) -> None:
    assert_not_yet("06-modify", answer, words)


# 5. Make


def right(loop: asyncio.AbstractEventLoop, function: Callable[[], Any]) -> Any:
    future: Future[Any] = Future()

    def on_loop() -> None:
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(function())
            except BaseException as error:
                future.set_exception(error)

    loop.call_soon_threadsafe(on_loop)
    return future


@pytest.mark.parametrize("answer", [right])
def test_make(answer: Any) -> None:
    assert_passes("06-make", answer)


def returns_the_error(loop: Any, function: Callable[[], Any]) -> Any:
    future: Future[Any] = Future()

    def on_loop() -> None:
        if future.set_running_or_notify_cancel():
            try:
                future.set_result(function())
            except BaseException as error:
                future.set_result(error)

    loop.call_soon_threadsafe(on_loop)
    return future


def forgets_the_result(loop: Any, function: Callable[[], Any]) -> Any:
    future: Future[Any] = Future()

    def on_loop() -> None:
        function()
        future.set_result(None)

    loop.call_soon_threadsafe(on_loop)
    return future


def hands_nothing(loop: Any, function: Callable[[], Any]) -> Any:
    return Future()


def at_once(loop: Any, function: Callable[[], Any]) -> Any:
    future: Future[Any] = Future()
    loop.call_soon_threadsafe(future.set_result, function())
    return future


def calls_soon(loop: Any, function: Callable[[], Any]) -> Any:
    future: Future[Any] = Future()
    loop.call_soon(lambda: future.set_result(function()))
    return future


async def awaits(loop: Any, function: Callable[[], Any]) -> Any:
    return function()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (returns_the_error, "the future says OSError"),
        (forgets_the_result, "result is None"),
        (hands_nothing, "did not hand anything"),
        (at_once, "at once, in the caller's thread"),
        (calls_soon, "used call_soon()"),
        (awaits, "is an async function"),
        (lambda loop, function: function(), "returned a str"),
        (lambda loop: None, "parameters"),
        ("hop", "not a function"),
    ],
)
def test_make_wrong(answer: Any, words: str) -> None:
    assert_not_yet("06-make", answer, words)
