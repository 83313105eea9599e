"""``04-make``: a map with a bound."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Iterator
from typing import Any

from looplab.clock import burn
from ontime.check.late_heartbeat.jobs import Job
from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    callbacks_in,
    finished,
    left_over,
    need_async_function,
    need_awaitable,
    now,
    numbers_twice,
    several,
    simulate,
    under_load,
)
from ontime.check.verdict import NotYet


class _Crew:
    """Watches what map_bounded() does with its items."""

    def __init__(self) -> None:
        self.taken = 0
        self.started: list[int] = []
        self.ended: list[int] = []
        self.cancelled: list[int] = []
        self.running = 0
        self.most_running = 0
        self.most_ahead = 0

    def items(self, numbers: Iterable[int]) -> Iterator[int]:
        for number in numbers:
            self.taken += 1
            self.most_ahead = max(self.most_ahead, self.taken - len(self.ended))
            yield number

    async def work(self, number: int) -> str:
        self.started.append(number)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        try:
            # Uneven, so that results come in another order than items.
            await asyncio.sleep(0.010 * (1 + (7 * number) % 5))
        except asyncio.CancelledError:
            self.cancelled.append(number)
            raise
        finally:
            self.running -= 1
        self.ended.append(number)
        return f"result {number}"


@exercise("04-make", need_async_function, "map_bounded")
def check_make(answer: Any) -> str:
    """The answer is an async function ``map_bounded(fn, items, limit)``.

    It awaits ``fn(item)`` once for every item and returns the list of results in the
    order of the items.  At most *limit* calls run at once, and as many do when there
    are enough items.  *items* is any iterable, perhaps a generator: no more than
    ``limit + 2`` items may be taken from it and not yet finished (those that run, one
    in a queue, one in hand), so a list of tasks made at once will not do.  When a call
    raises, the others are cancelled, no new one is started, and the error comes out
    (alone or in an exception group).  When the caller is cancelled the calls are too.
    No task is left behind, nobody polls, and a heartbeat beside it stays on time.
    """

    async def start(*arguments: Any) -> Any:
        work = answer(*arguments)
        need_awaitable(work, "map_bounded")
        return await work

    # Order, bound, backpressure.
    for count, limit in ((1, 1), (12, 1), (12, 3), (40, 5), (3, 10), (0, 4)):
        crew = _Crew()
        numbers = numbers_twice(count)

        async def scenario(crew: _Crew, numbers: list[int], limit: int) -> Any:
            result = await finished(start(crew.work, crew.items(numbers), limit))
            await _nothing_left()
            return result

        what = f"{count} item{'' if count == 1 else 's'}, limit {limit}"
        result = simulate(scenario(crew, numbers, limit))
        if result is None:
            raise NotYet(
                f"{what}: map_bounded() returned None.",
                "collect the results and return the list",
            )
        if crew.most_running > limit:
            raise NotYet(
                f"{what}: {crew.most_running} calls ran at once.",
                "start no more workers than the limit allows",
            )
        expected = [f"result {number}" for number in numbers]
        if not isinstance(result, list):
            raise NotYet(
                f"{what}: it returned {type(result).__name__}, not a list.",
                "return a list of results",
            )
        if result != expected:
            if sorted(map(str, result)) == sorted(expected):
                raise NotYet(
                    f"{what}: the results are in the order in which calls ended.",
                    "remember the position of each item and put its result there",
                )
            raise NotYet(
                f"{what}: it returned {_short(result)} instead of {count} results.",
                "wait for every call and keep what it returns",
            )
        if set(crew.started) != set(numbers):
            raise NotYet(
                f"{what}: fn was not called for every item.",
                "call fn(item) and await it",
            )
        if len(crew.started) > count:
            raise NotYet(
                f"{what}: fn was called {len(crew.started)} times.",
                "call it once for each item",
            )
        if crew.most_ahead > limit + 2:
            raise NotYet(
                f"{what}: {crew.most_ahead} items had been taken and not finished.",
                "that is not backpressure: take the next item only when there is room, "
                "for example through a queue with maxsize=1",
            )
        if crew.most_running < min(limit, count):
            raise NotYet(
                f"{what}: never more than {crew.most_running} ran at once.",
                "let as many calls wait at the same time as the limit allows",
            )

    _check_failure(start)
    _check_cancellation(start)
    _check_polling(start)

    # The heartbeat.
    async def compute(number: int) -> int:
        burn(0.010)
        return number

    async def hold(jobs: list[Job]) -> None:
        await start(compute, iter(range(100)), 4)

    load = simulate(under_load(hold, [], name="map_bounded", interval=0.1))
    if load.worst > 0.2:
        raise NotYet(
            f"100 calls that never await: the heartbeat is {load.worst:.3f} s late, "
            "more than 0.2 s.",
            "nothing yields between one call and the next; get() on an empty queue "
            "does",
        )
    return (
        "order, bound, backpressure, failure and cancellation are right, and the "
        f"latest beat was {load.worst:.3f} s late."
    )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


async def _nothing_left() -> None:
    """Let cancelled tasks end; complain of those that have not been."""
    if left := await abandoned():
        raise NotYet(
            f"map_bounded() returned and left tasks behind: {left}.",
            "cancel the workers at the end, or create them in a TaskGroup",
        )


class _BrokenError(Exception):
    """What the failing call raises."""


def _check_failure(start: Callable[..., Coroutine[Any, Any, Any]]) -> None:
    crew = _Crew()

    async def work(number: int) -> str:
        if number == 5:
            crew.started.append(number)
            await asyncio.sleep(0.015)
            raise _BrokenError("item 5 is broken")
        if number > 5:
            crew.started.append(number)
            await asyncio.sleep(100)
            return ""
        return await crew.work(number)

    async def scenario() -> None:
        try:
            await finished(start(work, crew.items(range(30)), 3))
        except _BrokenError:
            pass
        except BaseExceptionGroup as group:
            _, others = group.split(_BrokenError)
            if others is not None:
                raise others from None
        else:
            raise NotYet(
                "one call raised, and map_bounded() returned as if nothing had "
                "happened.",
                "an exception in a worker task must reach the caller: a TaskGroup "
                "passes it on",
            )
        if now() > 50:
            raise NotYet(
                "one call raised, and its error came out only when other calls were "
                "over, 100 s later.",
                "cancel the others at once: a TaskGroup does it",
            )
        started = len(crew.started)
        for _ in range(5):
            await asyncio.sleep(0)
        left = len(left_over())
        await asyncio.sleep(500)
        if len(crew.started) > started:
            raise NotYet(
                "one call raised, and afterwards others were still started.",
                "cancel all workers when one of them fails: a TaskGroup does it",
            )
        if left:
            raise NotYet(
                f"one call raised, and it left {several(left, 'task')} running.",
                "cancel all workers when one of them fails: a TaskGroup does it",
            )

    simulate(scenario())


def _check_polling(start: Callable[..., Coroutine[Any, Any, Any]]) -> None:
    """While all calls wait for 35 s, nobody must ask whether they have ended."""

    async def wait(number: int) -> int:
        await asyncio.sleep(35)
        return number

    async def scenario() -> int:
        mapping = asyncio.ensure_future(finished(start(wait, iter(range(8)), 4)))
        await asyncio.sleep(1)
        ran = await callbacks_in(30)
        await mapping
        return ran

    if (ran := simulate(scenario())) > 10:
        raise NotYet(
            f"while all calls waited for 30 s, the loop ran {ran:,} callbacks.",
            "a task that sleeps and looks again polls, however long it sleeps: await "
            "what it waits for",
        )


def _check_cancellation(start: Callable[..., Coroutine[Any, Any, Any]]) -> None:
    crew = _Crew()

    async def scenario() -> None:
        task = asyncio.create_task(start(crew.work, crew.items(range(100)), 3))
        await asyncio.sleep(0.025)
        task.cancel()
        await asyncio.wait([task], timeout=10)
        started = len(crew.started)
        if not task.done():
            raise NotYet(
                "map_bounded() was cancelled and went on.",
                "let CancelledError through",
            )
        if not task.cancelled():
            raise NotYet(
                "map_bounded() was cancelled and returned as if it had not been.",
                "let CancelledError through",
            )
        await asyncio.sleep(1)
        if crew.running or len(crew.started) > started or not crew.cancelled:
            raise NotYet(
                "map_bounded() was cancelled and its calls went on.",
                "cancel the workers on the way out: a TaskGroup does it",
            )
        await _nothing_left()

    simulate(scenario())
