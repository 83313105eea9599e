"""A guard against answers that would hold the interpreter."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ontime.check.verdict import NotYet

__all__ = ["events_that_wait"]

_AT_ONCE = 10_000


@contextmanager
def events_that_wait() -> Iterator[None]:
    """Refuse a loop around the wait for an event that stays set.

    Such a wait returns without having waited, so nothing else would ever run, and
    nothing could stop the check.
    """
    original, at_once = asyncio.Event.wait, 0

    async def wait(self: asyncio.Event) -> Any:
        nonlocal at_once
        if self.is_set():
            at_once += 1
            if at_once > _AT_ONCE:
                raise NotYet(
                    f"an Event that is set was waited for {_AT_ONCE:,} times: it holds "
                    "the loop for ever.",
                    "clear() it, or make a new one, before you wait again",
                )
        return await original(self)

    asyncio.Event.wait = wait  # type: ignore[method-assign]
    try:
        yield
    finally:
        asyncio.Event.wait = original  # type: ignore[method-assign]
