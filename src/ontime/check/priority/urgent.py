"""How long an urgent task waits beside computations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from looplab.clock import burn
from ontime.check.tools import now

__all__ = ["urgent_wait"]

Turn = Callable[[int], Coroutine[Any, Any, None]]

_BESIDE = 4  # workers that always want to compute


async def urgent_wait(turn: Turn, cpu: float) -> float:
    """Seconds that an urgent task waits that falls due as a computation begins."""
    over = False
    waited = 0.0

    async def worker() -> None:
        while True:
            await turn(2)
            if over:
                return
            burn(cpu)
            await asyncio.sleep(cpu / 1000)

    async def urgent() -> None:
        nonlocal over, waited
        due = 2.01 * cpu  # the third computation has just begun
        await asyncio.sleep(due)
        await turn(3)
        waited, over = now() - due, True

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(urgent())
        for _ in range(_BESIDE):
            tasks.create_task(worker())
    return waited
