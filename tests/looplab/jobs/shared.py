"""What the tests of the job queue share: jobs, and the time."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, NoReturn

__all__ = ["Main", "fail", "give", "now"]

Main = Coroutine[Any, Any, Any]


async def give(value: Any, after: float = 0.0) -> Any:
    await asyncio.sleep(after)
    return value


async def fail(error: BaseException, after: float = 0.0) -> NoReturn:
    await asyncio.sleep(after)
    raise error


def now() -> float:
    return asyncio.get_running_loop().time()
