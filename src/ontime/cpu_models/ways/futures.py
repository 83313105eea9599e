"""Futures of a loop for jobs that are done elsewhere, and what a way to run jobs is."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

__all__ = ["Job", "RunAll", "new_futures", "reject", "resolve", "settle"]

T = TypeVar("T")

Job = Callable[[], T]

#: Takes a job and how often to run it; returns the results.
RunAll = Callable[[Job[Any], int], Awaitable[list[Any]]]


def new_futures(count: int) -> list[asyncio.Future[T]]:
    loop = asyncio.get_running_loop()
    return [loop.create_future() for _ in range(count)]


def settle(future: asyncio.Future[T], job: Job[T]) -> None:
    try:
        result = job()
    except Exception as error:
        reject(future, error)
    else:
        resolve(future, result)


def resolve(future: asyncio.Future[T], result: T) -> None:
    if not future.done():
        future.set_result(result)


def reject(future: asyncio.Future[Any], error: BaseException) -> None:
    if not future.done():
        if isinstance(error, StopIteration) or not isinstance(error, Exception):
            # A future takes no StopIteration, and SystemExit would end the loop.
            error = RuntimeError(f"it raised {error!r}")
        future.set_exception(error)
