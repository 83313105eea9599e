"""Fair shares within a level."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from looplab.priority import (
    PriorityEventLoop,
    VirtualPriorityLoop,
    priority,
    share,
)
from looplab.priority.context import context_with
from tests.fast.looplab.priority.priority_loops import on


@pytest.mark.parametrize("loop", [VirtualPriorityLoop, PriorityEventLoop])
def test_no_callback_is_lost_where_shares_come_into_use(loop: Any) -> None:
    async def main() -> int:
        here = asyncio.get_running_loop()
        ran: list[int] = []
        for number in range(50):
            here.call_soon(ran.append, number, context=context_with(1))
        with priority(1), share("a"):
            for number in range(50, 100):
                here.call_soon(ran.append, number)
        for number in range(100, 150):
            here.call_soon(ran.append, number, context=context_with(1))
        while len(ran) < 150:
            await asyncio.sleep(0.001)
        assert sorted(ran) == list(range(150))
        return len(set(ran))

    assert on(main, loop=loop) == 150
