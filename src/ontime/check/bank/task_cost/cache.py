"""Ten ask, one loads."""

from __future__ import annotations

import asyncio
from typing import Any

from ontime.check.bank.task_cost.parts import PartError
from ontime.check.registry import exercise
from ontime.check.tools import finished, need_awaitable, need_function, now, simulate
from ontime.check.verdict import NotYet


async def _asked(cache_class: Any) -> str:
    loads: list[str] = []
    fails = {"bad": 1}

    async def load(key: str) -> str:
        loads.append(key)
        await asyncio.sleep(1)
        if fails.get(key):
            fails[key] -= 1
            raise PartError(key)
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
            f"ten asked for a at once: {len(loads)} loads, done at {now():g} s.",
            "a value is in the cache only when it has come. Keep the task that loads "
            "it, from the moment at which it begins",
        )
    await get("a")
    await finished(asyncio.wait_for(many("b", 2), 60))
    if loads != ["a", "b"]:
        raise NotYet(f"loaded were {loads}.", "one load for each key")

    errors = await finished(many("bad", 3))
    _need_no_surprise(errors)
    if [type(error).__name__ for error in errors] != ["PartError"] * 3:
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
        if isinstance(value, BaseException) and not isinstance(value, PartError):
            raise value


@exercise("03-xcache", need_function, "Cache")
def check_cache(answer: Any) -> str:
    """The answer is a class ``Cache(load)`` with an async method ``get(key)``."""
    return simulate(_asked(answer))
