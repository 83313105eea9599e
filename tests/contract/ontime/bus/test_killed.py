"""Consumers and producers that are killed lose no message, whatever they were doing."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from ontime.bus import Bus, Counts, Delivery
from tests.contract.looplab.fresh import python
from tests.fast.ontime.bus.buses import Kind, received, run_out, with_bus


def killed_after(bus: Kind, *steps: str) -> str:
    """Do the steps with the bus in another process, and kill it after the last one.

    Returns what it printed.
    """
    program = f"""
        import asyncio, os, signal
        from ontime.bus import *
        async def main():
            async with {bus.text} as bus:
                {"; ".join(steps)}
                os.kill(os.getpid(), signal.SIGKILL)
        asyncio.run(main())
        """
    ended = python("-c", textwrap.dedent(program))
    assert ended.returncode < 0, ended.stderr
    return ended.stdout


PUT = "await bus.put('a', 'b', 'c')"
RECEIVE = "delivery = await bus.receive(); print(delivery.id, flush=True)"


@pytest.mark.parametrize(
    ("steps", "after"),
    [
        ([PUT], Counts(3, 0)),
        ([PUT, RECEIVE, "await bus.refresh(delivery)"], Counts(2, 1)),
        ([PUT, RECEIVE, "await bus.acknowledge(delivery)"], Counts(2, 0)),
    ],
)
def test_what_was_done_before_the_kill_is_done(
    kind: Kind, steps: list[str], after: Counts
) -> None:
    held = killed_after(kind, *steps).strip()

    async def story(bus: Bus) -> None:
        assert await bus.counts() == after
        if after.leased:  # its lease goes on without it, and then it is anybody's
            await run_out(bus, Delivery(held, "a", 1))
            assert await received(bus) == Delivery(held, "a", 2)
        for _ in range(after.waiting):
            assert (await received(bus)).number == 1
        assert await bus.receive() is None

    with_bus(kind(), story)


def test_a_put_that_is_killed_half_way_has_put_nothing(tmp_path: Path) -> None:
    kind = Kind(f"SQLiteBus({str(tmp_path / 'bus.db')!r}, lease=600)")
    half = (
        "bus._slow.execute('BEGIN IMMEDIATE')",
        "bus._slow.execute('INSERT INTO bus_messages (body) VALUES (1)')",
    )
    killed_after(kind, PUT, *half)
    assert with_bus(kind(), lambda bus: bus.counts()) == Counts(3, 0)
