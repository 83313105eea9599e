"""The extra exercises of chapter 2, *Move CPU work off the loop*."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from looplab.clock import VirtualTimeLoop, burn
from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    finished,
    need_async_function,
    need_awaitable,
    need_function,
    now,
    simulate,
)
from ontime.check.verdict import NotYet

# 02-xcontext: what a thread knows of the request


def _in_thread(
    loop: _PoolLoop, executor: object, func: Callable[..., Any], *args: Any
) -> asyncio.Future[Any]:
    """What ``run_in_executor`` does: a thread begins with an empty context."""
    loop.given.append(executor)
    future = loop.create_future()

    def work() -> None:
        if future.cancelled():
            return
        try:
            value = contextvars.Context().run(func, *args)
        except Exception as error:
            future.set_exception(error)
        else:
            future.set_result(value)

    loop.call_later(0.5, work)
    return future


class _PoolLoop(VirtualTimeLoop):
    """A loop whose executors are modelled: a function takes half a second there.

    :attr:`given` has the executors that it was given.
    """

    given: list[object]
    run_in_executor: Any = _in_thread


_request: contextvars.ContextVar[str] = contextvars.ContextVar(
    "request", default="nobody"
)


async def _logged(answer: Any) -> tuple[list[Any], list[object], float]:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, _PoolLoop)
    loop.given = []

    def report(one: int, two: int) -> tuple[str, int]:
        return _request.get(), one + two

    async def request(name: str, n: int) -> Any:
        _request.set(name)
        work = answer("the pool", report, n, 1)
        need_awaitable(work, "offload")
        return await work

    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(request(f"r{n}", n) for n in range(3)))

    said = await finished(all_of_them())
    return said, loop.given, now()


@exercise("02-xcontext")
def check_context(answer: Any) -> str:
    """The answer is an async function ``offload(pool, function, *args)``.

    It runs the function in a thread of *pool*, with the context variables of whoever
    calls it, and returns what it returns.
    """
    need_async_function(answer, "offload")
    said, given, took = simulate(_logged(answer), new_loop=_PoolLoop)
    if not given:
        raise NotYet(
            "the function ran on the loop.", "loop.run_in_executor(pool, function)"
        )
    if set(given) != {"the pool"} or len(given) != 3:
        raise NotYet(
            f"for three calls the functions went to {given}.",
            "each into the pool that was handed in; None is the pool that everybody "
            "shares, and to_thread knows no other",
        )
    names = [one[0] if isinstance(one, tuple) else one for one in said]
    if names != ["r0", "r1", "r2"]:
        raise NotYet(
            f"three requests r0, r1 and r2 see {names} in the thread.",
            "run_in_executor does not take the context along: "
            "contextvars.copy_context(), at each call, and run the function in it",
        )
    if said != [("r0", 1), ("r1", 2), ("r2", 3)]:
        raise NotYet(f"it returned {said}.", "return what the function returns")
    if took > 0.6:
        raise NotYet(
            f"three requests of 0.5 s took {took:g} s together.", "let them overlap"
        )
    return "each function runs in the given pool and knows its request."


# 02-xstop: started work cannot be taken back


class _Thread:
    """A model of a thread that looks at a flag every 0.3 s."""

    def __init__(self, takes: float) -> None:
        self.takes = takes
        self.ended_at: float | None = None
        self.begun = 0
        self.keeps: set[asyncio.Task[None]] = set()

    async def offload(self, work: object, stop: Any) -> str:
        """Have the thread work; cancelling this ends the waiting only."""
        self.begun += 1
        over = asyncio.get_running_loop().create_future()
        thread = asyncio.create_task(
            self._run(stop, over), name="heartbeat of a thread"
        )
        self.keeps.add(thread)
        await over
        return "done"

    async def _run(self, stop: Any, over: asyncio.Future[None]) -> None:
        end = now() + self.takes
        while not stop.is_set():
            await asyncio.sleep(0.3)
            if now() > end:
                break
        self.ended_at = now()
        if not over.done():
            over.set_result(None)


async def _stopped(answer: Any, takes: float, cancel_at: float | None) -> str:
    thread = _Thread(takes)
    work = answer(thread.offload, "work", 1.0)
    need_awaitable(work, "compute")

    async def body() -> Any:
        return await work

    task = asyncio.ensure_future(body())
    if cancel_at is not None:
        await asyncio.sleep(cancel_at)
        task.cancel()
    await asyncio.wait([task], timeout=60)
    at = now()
    if not task.done():
        return "does not end"
    if task.cancelled():
        how = "CancelledError"
    elif isinstance(task.exception(), TimeoutError):
        how = "TimeoutError"
    elif (error := task.exception()) is not None:
        raise error
    else:
        how = f"returned {task.result()!r}"
    still = "" if thread.ended_at is not None else ", and the thread works on"
    await asyncio.sleep(30)
    left = await abandoned()
    for each in thread.keeps:
        each.cancel()
    still += ", and a task is left" if left else ""
    if thread.begun != 1:
        return f"handed the work over {thread.begun} times"
    return f"{how} at {at:g} s{still}"


@exercise("02-xstop")
def check_stop(answer: Any) -> str:
    """The answer is an async function ``compute(offload, work, seconds)``.

    It hands a ``threading.Event`` to ``offload(work, stop)``, for the work to look at.
    After *seconds* it sets the event, waits until the thread has ended, and raises
    ``TimeoutError``.  If it is cancelled itself, it does the same and passes that on.
    """
    need_async_function(answer, "compute")
    stop = "set the event when you give up"
    shield = (
        "a cancelled await forgets the thread: await it through asyncio.shield(), or "
        "look at it with asyncio.wait(), so that you can still wait for its end"
    )
    for takes, cancel_at, wanted, story, hint in (
        (0.5, None, "returned 'done' at 0.6 s", "work of 0.5 s", "return its result"),
        (10.0, None, "TimeoutError at 1.2 s", "work of 10 s, a limit of 1 s", shield),
        (10.0, 0.7, "CancelledError at 0.9 s", "cancelled after 0.7 s", shield),
    ):
        seen = simulate(_stopped(answer, takes, cancel_at))
        if seen == wanted:
            continue
        if "at 10" in seen:
            hint = stop
        raise NotYet(f"{story}: {seen}. Wanted: {wanted}.", hint)
    return "who gives up has the thread stop, and waits for it."


# 02-xslices: pieces by the clock, not by number


async def _sliced(answer: Any, costs: list[float]) -> tuple[Any, float, int, float]:
    """The result, the longest time without a pause, the pauses, and the whole time."""
    pauses: list[float] = [now()]

    def work(cost: float) -> float:
        burn(cost)
        return cost

    async def ticker() -> None:
        stood = 0  # while this spins, a sleep of the answer would never be over
        while True:
            stood = stood + 1 if now() == pauses[-1] else 0
            pauses.append(now())
            await asyncio.sleep(0 if stood < 50 else 0.0001)

    ticking = asyncio.create_task(ticker(), name="heartbeat of the check")
    await asyncio.sleep(0)
    before = len(pauses)
    running = answer(list(costs), work, 0.020)
    need_awaitable(running, "in_slices")
    result = await running
    count = len(pauses) - before
    pauses.append(now())
    ticking.cancel()
    gaps = [b - a for a, b in pairwise(pauses)]
    return result, max(gaps), count, now()


@exercise("02-xslices")
def check_slices(answer: Any) -> str:
    """The answer is an async function ``in_slices(items, work, budget)``.

    It calls ``work(item)`` for each item and returns the results.  As soon as it has
    held the loop for *budget* seconds it lets the loop run once, and no sooner.
    """
    need_async_function(answer, "in_slices")
    mixed = [0.001] * 50 + [0.015] * 4 + [0.002] * 25 + [0.040] + [0.001] * 30
    for costs in [], [0.005], [0.001] * 200, [0.015] * 10, mixed:
        result, longest, count, took = simulate(_sliced(answer, costs))
        if result != costs:
            raise NotYet(
                f"{len(costs)} items gave {len(result or ())} results, or in another "
                "order.",
                "one result for each item, in their order",
            )
        if took > sum(costs) + 1e-6:
            raise NotYet(
                f"{sum(costs):g} s of work took {took:g} s.",
                "to let others in needs no time: sleep(0) is one iteration",
            )
        bound = 0.020 + max(costs, default=0) + 1e-9
        if longest > bound:
            raise NotYet(
                f"items that take {min(costs) * 1e3:g} to {max(costs) * 1e3:g} ms: it "
                f"held the loop for {longest * 1e3:.0f} ms at a stretch.",
                "how many items fit into the budget? Nobody knows: after each look at "
                "the clock of the loop, and count from the last pause",
            )
        most = sum(costs) / 0.020 + 2
        if count > most:
            raise NotYet(
                f"{sum(costs):g} s of work had {count} pauses; {most:.0f} are enough.",
                "a pause only when the budget is used up",
            )
    return "never longer than the budget and one item, whatever an item takes."


# 02-xbatches: long against the trip


class _Trips:
    """Workers that are reached by a trip of 10 ms, two of them at a time."""

    def __init__(self) -> None:
        self.trips = 0
        self.out = 0
        self.most_out = 0
        self.longest = 0

    async def offload(
        self, work: Callable[[list[int]], list[int]], batch: list[int]
    ) -> list[int]:
        if not isinstance(batch, list):
            raise NotYet(
                f"a batch is {type(batch).__name__}, not a list.",
                "a slice of a list is a list: items[start:start + size]",
            )
        self.trips += 1
        self.longest = max(self.longest, len(batch))
        self.out += 1
        self.most_out = max(self.most_out, self.out)
        try:
            # The first batches are the slowest: who comes first is not first done.
            await asyncio.sleep(0.010 + 0.002 * len(batch) + 0.1 / self.trips)
            return work(batch)
        finally:
            self.out -= 1


async def _batched(answer: Any, count: int, size: int) -> tuple[Any, _Trips, int]:
    office = _Trips()

    def work(batch: list[int]) -> list[int]:
        if -1 in batch:
            raise ValueError("no square of -1 here")
        return [n * n for n in batch]

    running = answer(office.offload, work, list(range(count)), size)
    need_awaitable(running, "in_batches")

    async def body() -> Any:
        return await running

    result = await finished(body())
    return result, office, await abandoned()


@exercise("02-xbatches")
def check_batches(answer: Any) -> str:
    """The answer is an async function ``in_batches(offload, work, items, size)``.

    It awaits ``offload(work, batch)`` for lists of at most *size* items, at most two of
    them at a time, and returns one list with the result for each item, in order.
    """
    need_async_function(answer, "in_batches")
    for count, size in (10, 3), (12, 4), (1, 5), (0, 3), (40, 1), (7, 100):
        result, office, left = simulate(_batched(answer, count, size))
        where = f"{count} items in batches of {size}"
        if office.longest > size:
            raise NotYet(
                f"{where}: one batch had {office.longest}.",
                "range(0, len(items), size) has the beginnings of the batches",
            )
        if result != [n * n for n in range(count)]:
            raise NotYet(
                f"{where}: the result is {result!r}.",
                "one flat list, in the order of the items, the short last batch too",
            )
        if office.trips != -(-count // size):
            raise NotYet(
                f"{where}: {office.trips} trips, not {-(-count // size)}.",
                "as many items as may be share a trip; no trip for none",
            )
        batches = -(-count // size)
        if office.most_out != min(2, batches):
            raise NotYet(
                f"{where}: {office.most_out} batches were out at a time.",
                "two workers: two at a time, no more and no fewer",
            )
        if left:
            raise NotYet(f"{where}: {left} tasks are left.", "wait for all you start")
    return "few trips, both workers busy, and the results in order."


# 02-xrefuse: a line with a bound


class _Slow:
    """Work that waits until it is told how to end."""

    def __init__(self) -> None:
        self.running: list[asyncio.Future[str]] = []
        self.most = 0

    async def offload(self, work: object) -> str:
        over: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.running.append(over)
        self.most = max(self.most, len(self.running))
        try:
            return await over
        finally:
            self.running.remove(over)


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def _refused(front_class: Any) -> str:
    slow = _Slow()
    front = front_class(slow.offload, 2, 3)

    async def call(n: int) -> str:
        work = front.run(f"job {n}")
        need_awaitable(work, "run")
        value: str = await work
        return value

    calls = [asyncio.create_task(call(n)) for n in range(6)]
    await _settle()
    if len(slow.running) != 2:
        raise NotYet(
            f"six jobs came for two workers; {len(slow.running)} are with a worker.",
            "two run, three wait, and the sixth is refused",
        )
    states = [task.done() for task in calls]
    if states != [False] * 5 + [True]:
        raise NotYet(
            f"of six jobs, two workers and three places to wait, {sum(states)} were "
            "refused at once; it should be the sixth and no other.",
            "count those that run and those that wait, before you wait for anything",
        )
    _need_busy(calls[5])
    slow.running[0].set_result("well")
    await _settle()
    late = asyncio.create_task(call(6))
    await _settle()
    if late.done():
        raise NotYet(
            "one job ended, and the next that came was refused all the same.",
            "a job that has ended has left its place",
        )
    slow.running[0].set_exception(OSError("the worker failed"))
    await _settle()
    calls[4].cancel()  # it still waits
    await _settle()
    more = [asyncio.create_task(call(n)) for n in (7, 8, 9)]
    await _settle()
    refused = sum(task.done() for task in more)
    if refused != 1:
        raise NotYet(
            "one job failed and one that waited was cancelled: of three that came "
            f"then, {refused} were refused, not 1.",
            "give the place back however a job ends: try ... finally",
        )
    for _ in range(20):
        for over in list(slow.running):
            over.set_result("well")
        await _settle()
    if slow.most > 2:
        raise NotYet(
            f"{slow.most} jobs were with two workers.", "a semaphore for the workers"
        )
    ends = [_end(task) for task in (*calls[:5], late, *more[:2])]
    wanted = ["well", "OSError", "well", "well", "CancelledError", "well"]
    if ends[:6] != wanted:
        raise NotYet(
            f"the jobs ended with {ends[:6]}, not {wanted}.",
            "what offload() returns or raises comes out of run()",
        )
    return "two run, three wait, and whoever comes then is told at once."


def _end(task: asyncio.Task[str]) -> str:
    if not task.done():
        return "nothing"
    if task.cancelled():
        return "CancelledError"
    error = task.exception()
    return task.result() if error is None else type(error).__name__


def _need_busy(task: asyncio.Task[str]) -> None:
    if _end(task) != "BusyError":
        raise NotYet(
            f"the sixth job ended with {_end(task)}, not with BusyError.",
            "raise BusyError, the class of the setup",
        )


@exercise("02-xrefuse")
def check_refuse(answer: Any) -> str:
    """The answer is a class ``Front(offload, workers, places)`` with ``run(work)``.

    At most *workers* jobs are with ``offload(work)`` and at most *places* wait; whoever
    comes then gets a ``BusyError`` at once.
    """
    need_function(answer, "Front")
    return simulate(_refused(answer))
