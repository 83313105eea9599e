"""The extra exercises of chapter 3, *Count what a task costs*."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any

from ontime.check.registry import exercise
from ontime.check.tools import (
    abandoned,
    counted_callbacks,
    finished,
    need_async_function,
    need_awaitable,
    need_function,
    need_number,
    now,
    simulate,
)
from ontime.check.verdict import NotYet

Part = Callable[[], Coroutine[Any, Any, Any]]

# 03-xcount: callbacks, by arithmetic


async def _in_sequence(parts: Sequence[Part]) -> None:
    for part in parts:
        await part()


async def _in_tasks(parts: Sequence[Part]) -> None:
    tasks = [asyncio.create_task(part()) for part in parts]
    for task in tasks:
        await task


async def _gathered(parts: Sequence[Part]) -> None:
    await asyncio.gather(*(part() for part in parts))


_WAYS = {"in sequence": _in_sequence, "tasks": _in_tasks, "gather": _gathered}


async def _counted(way: str, parts: int, pauses: int) -> int:
    async def part() -> None:
        for _ in range(pauses):
            await asyncio.sleep(0)

    over = asyncio.get_running_loop().create_future()

    async def request() -> None:
        await _WAYS[way]([part] * parts)
        over.set_result(None)

    with counted_callbacks() as seen:
        task = asyncio.create_task(request())
        await over
        count = seen.count - 1  # the step that woke us
    await task
    return count


@exercise("03-xcount")
def check_count(answer: Any) -> str:
    """The answer is a function ``callbacks(way, parts, pauses)``.

    It says how many callbacks a loop runs for a request, its own first step counted.
    """
    need_function(answer, "callbacks")
    for parts, pauses in (2, 0), (10, 0), (1, 1), (2, 1), (5, 3), (1, 0), (3, 7):
        for way in _WAYS:
            counted = simulate(_counted(way, parts, pauses))
            said = need_number(answer(way, parts, pauses), "callbacks")
            if said == counted:
                continue
            hint = {
                "in sequence": "the first step, and one more for each pause, since a "
                "sleep(0) puts the same task into the queue again",
                "tasks": "each task has a first step and one for each pause; the "
                "request has its own, and is woken once: the others are done by then",
                "gather": "as the tasks, and each part reports when it is done",
            }[way]
            raise NotYet(
                f"{way}, {parts} parts with {pauses} pauses each: the loop runs "
                f"{counted} callbacks, and your function says {said:g}.",
                hint,
            )
    return "every count is the loop's own."


# 03-xerrors: one fails, and the others?


class _PartError(Exception):
    pass


async def _tried(answer: Any, ends: Sequence[tuple[float, bool]]) -> tuple[str, float]:
    log: list[str] = []

    async def part(n: int, seconds: float, fails: bool) -> str:
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            await asyncio.sleep(0.25)  # closes its connection
            log.append(f"{n} is cleaned up")
            raise
        if fails:
            raise _PartError(f"part {n}")
        return f"part {n}"

    parts = [partial(part, n, *end) for n, end in enumerate(ends)]
    work = answer(parts)
    need_awaitable(work, "all_or_nothing")

    async def body() -> Any:
        return await work

    try:
        value = await finished(body())
        log.append(f"returned {value!r}")
    except Exception as error:
        log.append(f"raised {error!r}" if len(str(error)) < 9 else "raised a group")
    at = now()
    if await abandoned():
        log.append("and a task goes on")
    return ", ".join(log), at


@exercise("03-xerrors")
def check_errors(answer: Any) -> str:
    """The answer is an async function ``all_or_nothing(parts)``.

    It runs the parts at once and returns their results in order.  If one fails, the
    others are cancelled and have ended when its error, and no group, comes out.
    """
    need_async_function(answer, "all_or_nothing")
    for ends, wanted, at, story in (
        (
            [(2, False), (1, False)],
            "returned ['part 0', 'part 1']",
            2.0,
            "all end well",
        ),
        ([], "returned []", 0.0, "no parts"),
        (
            [(9, False), (1, True)],
            "0 is cleaned up, raised _PartError('part 1')",
            1.25,
            "part 1 fails after 1 s, part 0 would take 9 s",
        ),
        (
            [(1, True), (9, False), (9, False)],
            "1 is cleaned up, 2 is cleaned up, raised _PartError('part 0')",
            1.25,
            "part 0 fails after 1 s, the others would take 9 s",
        ),
    ):
        seen, ended = simulate(_tried(answer, ends))
        if seen == wanted and abs(ended - at) < 1e-6:
            continue
        if any(fails for _, fails in ends):
            hint = (
                "gather() lets the others go on when one has failed. A TaskGroup "
                "cancels them and waits; it raises a group: exceptions[0] is the error"
            )
        else:
            hint = "start all parts before you wait for the first; results in order"
        raise NotYet(f"{story}: {seen}, at {ended:g} s.", hint)
    return "results in order, or the one error when all the others have ended."


# 03-xfirst: ask two, take the first


async def _raced(
    answer: Any, ends: Sequence[tuple[float, bool]], cancel_at: float | None = None
) -> str:
    log: list[str] = []

    async def source(n: int, seconds: float, fails: bool) -> str:
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            await asyncio.sleep(0.25)
            log.append(f"{n} is over")
            raise
        if fails:
            raise _PartError(str(n))
        return f"source {n}"

    work = answer([partial(source, n, *end) for n, end in enumerate(ends)])
    need_awaitable(work, "first")

    async def body() -> Any:
        return await work

    task = asyncio.ensure_future(body())
    if cancel_at is not None:
        await asyncio.sleep(cancel_at)
        task.cancel()
    await asyncio.wait([task], timeout=60)
    if not task.done():
        log.append("does not end")
    elif task.cancelled():
        log.append("is cancelled")
    elif (error := task.exception()) is None:
        log.append(f"returned {task.result()!r}")
    elif isinstance(error, _PartError):
        log.append(f"raised the error of {error}")
    else:
        raise error
    log.append(f"at {now():g} s")
    if await abandoned():
        log.append("and a task goes on")
    return ", ".join(log)


@exercise("03-xfirst")
def check_first(answer: Any) -> str:
    """The answer is an async function ``first(sources)``.

    It asks all at once and returns the first result; the others are cancelled and have
    ended by then.  One that fails is passed over; if all fail, the last error comes
    out.
    """
    need_async_function(answer, "first")
    for ends, cancel_at, wanted, story, hint in (
        (
            [(3, False), (1, False)],
            None,
            "0 is over, returned 'source 1', at 1.25 s",
            "sources of 3 and 1 s",
            "cancel the others and wait until they have ended: asyncio.wait() takes a "
            "set of tasks",
        ),
        (
            [(1, True), (2, False), (9, False)],
            None,
            "2 is over, returned 'source 1', at 2.25 s",
            "the first to end fails",
            "FIRST_COMPLETED may be a failure: look at it and wait for the next",
        ),
        (
            [(2, True), (1, True)],
            None,
            "raised the error of 0, at 2 s",
            "both fail",
            "when nobody is left to wait for, raise the last error",
        ),
        (
            [(9, False), (9, False)],
            1.0,
            "0 is over, 1 is over, is cancelled, at 1.25 s",
            "cancelled after 1 s",
            "asyncio.wait() does not cancel what it waits for: try ... finally",
        ),
    ):
        seen = simulate(_raced(answer, ends, cancel_at))
        if seen != wanted:
            raise NotYet(f"{story}: {seen}. Wanted: {wanted}.", hint)
    return "the first good answer, and nobody left behind, however it ends."


# 03-xcache: ten ask, one loads


async def _asked(cache_class: Any) -> str:
    loads: list[str] = []
    fails = {"bad": 1}

    async def load(key: str) -> str:
        loads.append(key)
        await asyncio.sleep(1)
        if fails.get(key):
            fails[key] -= 1
            raise _PartError(key)
        return f"value of {key}"

    cache = cache_class(load)

    async def get(key: str) -> Any:
        work = cache.get(key)
        need_awaitable(work, "get")
        return await work

    async def many(key: str, count: int) -> list[Any]:
        return await asyncio.gather(
            *(get(key) for _ in range(count)), return_exceptions=True
        )

    values = await finished(many("a", 10))
    _need_no_surprise(values)
    if values != ["value of a"] * 10:
        raise NotYet(f"ten asked for a and got {values}.", "each gets the value")
    if loads != ["a"] or now() > 1:
        raise NotYet(
            f"ten asked for a at once; it was loaded {len(loads)} times in {now():g} s",
            "a value is in the cache only when it has come. Keep the task that loads "
            "it, from the moment at which it begins",
        )
    await get("a")
    await finished(asyncio.wait_for(many("b", 2), 60))
    if loads != ["a", "b"]:
        raise NotYet(f"loaded were {loads}.", "one load for each key")

    errors = await finished(many("bad", 3))
    _need_no_surprise(errors)
    if [type(error).__name__ for error in errors] != ["_PartError"] * 3:
        raise NotYet(
            f"the load failed; those who asked got {errors}.", "all get the error"
        )
    again = await finished(many("bad", 1))
    if again != ["value of bad"]:
        raise NotYet(
            f"after a failure a later get() had {again}, though a load would succeed.",
            "an error is no value: let go of a task that failed",
        )

    impatient = asyncio.create_task(get("c"))
    patient = asyncio.create_task(get("c"))
    await asyncio.sleep(0.5)
    impatient.cancel()
    await asyncio.wait([patient], timeout=10)
    if not patient.done() or patient.cancelled() or patient.exception():
        raise NotYet(
            "two asked; one was cancelled, and the other got no value.",
            "the load belongs to all: await it through asyncio.shield()",
        )
    return "one load for all who ask, errors forgotten, and nobody harms another."


def _need_no_surprise(values: list[Any]) -> None:
    for value in values:
        if isinstance(value, RuntimeError):
            raise NotYet(
                f"of those who asked one got RuntimeError: {value}.",
                "a coroutine is awaited once; a task may be awaited by many",
            )
        if isinstance(value, BaseException) and not isinstance(value, _PartError):
            raise value


@exercise("03-xcache")
def check_cache(answer: Any) -> str:
    """The answer is a class ``Cache(load)`` with an async method ``get(key)``."""
    need_function(answer, "Cache")
    return simulate(_asked(answer))


# 03-xmix: clients of a mixture


@exercise("03-xmix")
def check_mix(answer: Any) -> str:
    """The answer is a function ``clients(kinds, rate, busy)``.

    *kinds* are triples: the share of the requests, their latency, their CPU time, in
    seconds.  Each client sends *rate* requests a second; the core may be busy for that
    part of the time.
    """
    need_function(answer, "clients")
    for kinds, rate, busy in (
        ([(1.0, 0.050, 0.002)], 1.0, 1.0),
        ([(1.0, 0.050, 0.002)], 4.0, 0.5),
        ([(0.9, 0.5, 0.001), (0.1, 0.5, 0.100)], 1.0, 1.0),
        ([(0.5, 2.0, 0.004), (0.25, 0.1, 0.008), (0.25, 1.0, 0.040)], 0.1, 0.7),
    ):
        mean = sum(share * cpu for share, _, cpu in kinds)
        right = busy / (mean * rate)
        said = need_number(answer(kinds, rate, busy), "clients")
        if abs(said - right) <= 1e-9 * right:
            continue
        latency = sum(share * seconds for share, seconds, _ in kinds)
        rates = sum(share / cpu for share, _, cpu in kinds) / rate
        hint = "busy seconds of a core in a second, divided by what one client takes"
        if abs(said - busy / (latency * rate)) < 1e-6 * right:
            hint = "while a request waits, the core serves others: latency is not in it"
        elif abs(said - right / busy) < 1e-6 * right:
            hint = "of the core only the part busy may be used"
        elif len(kinds) > 1 and abs(said - rates * busy) < 1e-6 * rates:
            hint = (
                "do not average the clients of each kind: the rare dear requests take "
                "most of the core. Average the CPU time, then divide"
            )
        raise NotYet(
            f"kinds {kinds}, rate {rate:g}, busy {busy:g}: your function says "
            f"{said:.4g}.",
            hint,
        )
    return "the mean CPU time decides, and no latency is in it."
