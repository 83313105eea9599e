"""The checks of chapter 1: good answers of other kinds pass, bad ones are told why."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappush
from itertools import permutations
from typing import Any

import pytest

from ontime.check import check
from ontime.check.callbacks import (
    PARSONS_LINES,
    SmallFuture,
    SmallLoop,
    parsons_program,
)


def says(name: str, answer: object, *words: str) -> None:
    verdict = check(name, answer)
    assert not verdict, verdict
    for word in words:
        assert word in repr(verdict), verdict


# ----------------------------------------------------------------- 1. predict


@pytest.mark.parametrize(
    "answer", ["AEBDC", "aebdc", "A E B D C", "A, E, B, D, C", list("AEBDC")]
)
def test_predict_passes_in_any_writing(answer: object) -> None:
    assert check("01-predict", answer)


@pytest.mark.full
def test_predict_has_one_right_order() -> None:
    passed = [p for p in permutations("ABCDE") if check("01-predict", "".join(p))]
    assert passed == [tuple("AEBDC")]


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (5, "not a string"),
        ("ABC", "each of the letters"),
        ("AEBDCC", "each of the letters"),
        ("EABDC", "the first in the ready queue"),
        ("ABEDC", "only between iterations"),
        ("AEBCD", "order of due times"),
        ("AEDCB", "looked at its timers again"),
        (..., "no answer yet"),
    ],
)
def test_predict_says_why(answer: object, word: str) -> None:
    says("01-predict", answer, word)


# ----------------------------------------------------------------- 2. parsons

RIGHT = [5, 10, 6, 2, 4, 9, 8, 11, 1]


def test_parsons_passes() -> None:
    assert check("01-parsons", RIGHT)
    assert check("01-parsons", tuple(RIGHT))
    assert parsons_program(RIGHT).startswith("def run_once")


@pytest.mark.parametrize(
    ("order", "word"),
    [
        (3, "not a list"),
        ([], "empty"),
        ([5, ...], "not a line number"),
        ([5, True], "not a line number"),
        ([5, 99], "no line 99"),
        ([5, 5], "twice"),
        ([5, 2, 10], "cannot stand at place"),
        ([1, 5], "cannot stand"),
        ([5, 10, 6, 2, 4, 9, 3, 11, 1], "does not come to an end"),
        ([5, 10, 6, 2, 4, 9, 8, 7, 1], "came last"),
        ([5, 10, 6, 2, 4, 9], "ran nothing"),
        ([5, 8, 11, 1], "ran nothing"),
        ([5, 2, 4, 9, 8, 11, 1], "timers C and E"),
        ([5, 6, 2, 4, 9, 8, 11, 1], "cannot stand"),
        ([5, 10, 6, 8, 4, 9, 2, 11, 1], "IndexError"),
        ([5, 8, 11, 1, 10, 6, 2, 4, 9], "timers C and E"),
    ],
)
def test_parsons_says_why(order: object, word: str) -> None:
    says("01-parsons", order, word)


def test_parsons_lines_are_shuffled() -> None:
    assert sorted(RIGHT) != RIGHT
    assert len(RIGHT) == len(PARSONS_LINES) - 2


# --------------------------------------------------------------------- 3. fix


def test_fix_passes_with_a_nonlocal_time() -> None:
    def tick_every(loop: Any, interval: float, work: Callable[[], None]) -> None:
        due = loop.time()

        def tick() -> None:
            nonlocal due
            work()
            due += interval
            loop.call_at(due, tick)

        loop.call_soon(tick)

    assert check("01-fix", tick_every)


def test_fix_is_not_moved_by_a_tick_that_is_late() -> None:
    def before_the_work(loop: Any, interval: float, work: Any) -> None:
        def tick() -> None:
            loop.call_later(interval, tick)
            work()

        loop.call_soon(tick)

    def less_the_work(loop: Any, interval: float, work: Any) -> None:
        def tick() -> None:
            began = loop.time()
            work()
            loop.call_at(began + interval, tick)

        loop.call_soon(tick)

    def at_once(loop: Any, interval: float, work: Any) -> None:
        def tick(due: float) -> None:
            loop.call_at(due + interval, tick, due + interval)
            work()

        tick(loop.time())

    def all_in_advance(loop: Any, interval: float, work: Any) -> None:
        for number in range(100):
            loop.call_at(loop.time() + number * interval, work)

    for answer in before_the_work, less_the_work:
        says("01-fix", answer, "a tick that is late itself must not move the next")
    says("01-fix", at_once, "called work() itself")
    says("01-fix", all_in_advance, "in 300 intervals it ran 100 times")


def test_make_does_not_run_the_loop() -> None:
    def gather(loop: Any, coroutines: Any) -> Any:
        tasks = [loop.create_task(each) for each in coroutines]
        loop.run()
        future = loop.create_future()
        future.set_result([task.result() for task in tasks])
        return future

    says("01-make", gather, "ran the loop itself")


def test_fix_says_why() -> None:
    def never(loop: Any, interval: float, work: Callable[[], None]) -> None:
        pass

    def late(loop: Any, interval: float, work: Callable[[], None]) -> None:
        loop.call_later(interval, work)
        loop.call_later(2 * interval, work)

    def for_ever(loop: Any, interval: float, work: Callable[[], None]) -> None:
        def tick() -> None:
            work()
            loop.call_soon(tick)

        loop.call_soon(tick)

    says("01-fix", 3, "not a function")
    says("01-fix", never, "ran 0 times")
    says("01-fix", late, "call_soon")
    says("01-fix", for_ever, "does not come to an end")


# ------------------------------------------------------------------ 4. modify


class Cancellable:
    """A loop that shares nothing with the notebook's."""

    def __init__(self, skip: bool = True) -> None:
        self.loop = SmallLoop()

    def call_soon(self, callback: Callable[..., object], *args: Any) -> None:
        self.loop.call_soon(callback, *args)

    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any
    ) -> Any:
        class Handle:
            cancelled = False

            def cancel(self) -> None:
                self.cancelled = True

        handle = Handle()
        self.loop.call_later(
            delay, lambda: handle.cancelled or (callback(*args) and None)
        )
        return handle

    def run_forever(self) -> None:
        self.loop.run()


class Reckless(Cancellable):
    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any
    ) -> Any:
        super().call_later(delay, callback, *args)
        return type("Handle", (), {"cancel": lambda self: None})()


class NoHandle(Cancellable):
    def call_later(
        self, delay: float, callback: Callable[..., object], *args: Any
    ) -> Any:
        super().call_later(delay, callback, *args)


def test_modify() -> None:
    assert check("01-modify", Cancellable)
    says("01-modify", Reckless, "its callback ran")
    says("01-modify", NoHandle, "no cancel()")
    says("01-modify", Cancellable(), "not a class")


# -------------------------------------------------------------------- 5. make


def test_make_passes_with_a_task() -> None:
    def gather(loop: SmallLoop, coroutines: list[Any]) -> SmallFuture:
        tasks = [loop.create_task(one) for one in coroutines]

        async def wait() -> list[Any]:
            return [await task for task in tasks]

        return loop.create_task(wait())

    assert check("01-make", gather)


def test_make_says_why() -> None:
    async def a_coroutine(loop: SmallLoop, coroutines: list[Any]) -> None:
        pass

    def nothing(loop: SmallLoop, coroutines: list[Any]) -> None:
        pass

    def for_ever(loop: SmallLoop, coroutines: list[Any]) -> SmallFuture:
        def again() -> None:
            loop.call_soon(again)

        again()
        return loop.create_future()

    def never(loop: SmallLoop, coroutines: list[Any]) -> SmallFuture:
        return loop.create_future()

    says("01-make", a_coroutine, "async function")
    says("01-make", nothing, "not a future")
    says("01-make", for_ever, "does not come to an end")
    says("01-make", never, "never got its result")


# -------------------------------------------------------------- the small loop


def test_the_small_loop_keeps_order_and_time() -> None:
    loop = SmallLoop()
    ran: list[tuple[float, str]] = []

    def note(name: str) -> None:
        ran.append((loop.now, name))

    loop.call_later(2, note, "d")
    loop.call_later(1, note, "b")
    loop.call_later(1, note, "c")
    loop.call_soon(note, "a")
    loop.run()
    assert ran == [(0.0, "a"), (1.0, "b"), (1.0, "c"), (2.0, "d")]


def test_a_small_future_has_one_result() -> None:
    loop = SmallLoop()
    future = loop.create_future()
    with pytest.raises(RuntimeError, match="no result yet"):
        future.result()
    future.set_result(1)
    with pytest.raises(RuntimeError, match="already"):
        future.set_result(2)
    seen: list[Any] = []
    future.add_done_callback(seen.append)
    loop.run()
    assert seen == [future]
    assert future.done()
    assert future.result() == 1


def test_the_parsons_answer_is_the_small_loops_iteration() -> None:
    """The solution is run here as well, on a heap of its own making."""
    space: dict[str, Any] = {}
    exec("from heapq import heappop\n" + parsons_program(RIGHT), space)
    timers: list[Any] = []
    ran: list[str] = []
    heappush(timers, (3.0, 0, lambda: ran.append("timer")))
    clock = type("Clock", (), {"now": 0.0})()
    from collections import deque

    space["run_once"](deque(), timers, clock)
    assert ran == ["timer"]
    assert clock.now == 3.0
