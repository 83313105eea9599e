"""What the tests of the priority loop share."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from looplab.priority import (
    ByDeadline,
    ByPriority,
    PriorityEventLoop,
    VirtualPriorityLoop,
)

__all__ = ["HOST", "PATIENCE", "POLICIES", "exactly", "on", "stock"]

HOST = "127.0.0.1"
PATIENCE = 300  # seconds after which a test on a busy machine is said to hang

POLICIES = pytest.mark.parametrize(
    "policy",
    [ByPriority(), ByPriority(ageing=1), ByDeadline()],
    ids=["priority", "ageing", "deadline"],
)


def stock(policy: None = None) -> asyncio.AbstractEventLoop:
    """asyncio's own loop, which has no policy."""
    return asyncio.SelectorEventLoop()


def on(
    main: Any, policy: Any = None, *, loop: Any = PriorityEventLoop, **options: Any
) -> Any:
    """Run ``main()`` on a loop of its own, with a time limit.

    Args:
        main: a coroutine function without arguments.
        policy: the loop's.
        loop: what makes the loop from its policy.
        options: of :class:`asyncio.Runner`.
    """

    async def bounded() -> Any:
        async with asyncio.timeout(PATIENCE):
            return await main()

    with asyncio.Runner(loop_factory=lambda: loop(policy=policy), **options) as runner:
        return runner.run(bounded())


def exactly(main: Any, policy: Any = None) -> Any:
    """Run ``main()`` on the virtual clock."""
    return on(main, policy, loop=VirtualPriorityLoop)
