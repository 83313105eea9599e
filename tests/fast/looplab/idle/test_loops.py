"""Loops that cannot be found, or whose turns cannot be seen, are refused."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from looplab import VirtualTimeLoop, run
from looplab.idle import (
    assert_idle_here,
    count_turns,
)
from looplab.priority import VirtualPriorityLoop


@pytest.mark.parametrize("new_loop", [VirtualTimeLoop, VirtualPriorityLoop])
def test_a_loop_whose_turns_cannot_be_seen(new_loop: Any) -> None:
    async def poll() -> None:
        while True:
            await asyncio.sleep(0)

    async def main() -> None:
        polling = asyncio.create_task(poll())
        with pytest.raises(TypeError, match=r"Virtual.*Loop cannot be counted"):
            await assert_idle_here(settle=0)
        polling.cancel()

    run(main(), loop_factory=new_loop)
    loop = new_loop()
    with pytest.raises(TypeError, match="cannot be counted"), count_turns(loop):
        pass
    loop.close()
