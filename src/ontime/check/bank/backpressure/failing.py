"""A run that must fail with the error of what it calls."""

from __future__ import annotations

from collections.abc import Awaitable

from looplab.clock import DeadlockError
from ontime.check.tools import cause
from ontime.check.verdict import NotYet

__all__ = ["until_it_fails"]


async def until_it_fails(
    run: Awaitable[object], story: str, if_waiting: str, if_returned: str
) -> None:
    """Let the OSError come out; hints for an answer that does something else."""
    try:
        await run
    except DeadlockError:
        raise NotYet(f"{story} waits for ever.", if_waiting) from None
    except (OSError, BaseExceptionGroup) as error:
        if not isinstance(cause(error), OSError):
            raise
    else:
        raise NotYet(f"{story} returned as if nothing had happened.", if_returned)
