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

__all__ = ["HOST", "POLICIES", "exactly", "on"]

HOST = "127.0.0.1"

POLICIES = pytest.mark.parametrize(
    "policy",
    [ByPriority(), ByPriority(ageing=1), ByDeadline()],
    ids=["priority", "ageing", "deadline"],
)


def on(
    main: Any, policy: Any = None, *, loop: Any = PriorityEventLoop, **options: Any
) -> Any:
    """Run ``main()`` on a loop of its own.

    Args:
        main: a coroutine function without arguments.
        policy: the loop's.
        loop: what makes the loop from its policy.
        options: of :class:`asyncio.Runner`.
    """
    with asyncio.Runner(loop_factory=lambda: loop(policy=policy), **options) as runner:
        return runner.run(main())


def exactly(main: Any, policy: Any = None) -> Any:
    """Run ``main()`` on the virtual clock."""
    return on(main, policy, loop=VirtualPriorityLoop)
