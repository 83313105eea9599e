"""Priorities: what the protocol, the gate and the loop promise, and bad input."""

from __future__ import annotations

import asyncio
import math
import random
import sys
from typing import Any

import pytest

from looplab import burn, run
from looplab.priority import (
    DEFAULT_PRIORITY,
    ByDeadline,
    ByPriority,
    PriorityEventLoop,
    PriorityGate,
    PriorityProtocol,
    UnsupportedLoopError,
    VirtualPriorityLoop,
    current_deadline,
    current_priority,
    deadline,
    priority,
)
from ontime.leases import LeaseSettings, consume_many
from tests.fast.looplab.priority.priority_loops import exactly

pytestmark = pytest.mark.virtual_time

# ---------------------------------------------------------------- leases


@pytest.mark.parametrize(
    ("scheduler", "computations"),
    [
        (PriorityProtocol(), 3),
        (PriorityProtocol(settle=1), 2),
        (PriorityProtocol(settle=2), 1),
        (PriorityGate(settle=1), 2),
        (PriorityGate(), 1),
        (ByPriority(), 1),
    ],
)
def test_how_late_a_lease_is_with_the_protocol_and_others(
    scheduler: Any, computations: int
) -> None:
    """Over jitter and cost: three computations are too late, two are not."""
    runs = consume_many(LeaseSettings(), scheduler, runs=2, callback_cost=5e-6)
    assert runs.worst_lateness.max == pytest.approx(computations, abs=0.01)
    assert (runs.lost.min > 0) == (computations == 3)


# ---------------------------------------------------------------- turns


def test_a_name_tells_it_from_another() -> None:
    schedulers = [
        *(
            kind(settle)
            for kind in (PriorityProtocol, PriorityGate)
            for settle in (0, 3)
        ),
        ByPriority(),
        ByPriority(ageing=1),
        ByDeadline(),
    ]
    assert len({scheduler.name for scheduler in schedulers}) == len(schedulers)
    assert "settle=2, 0 " in repr(PriorityProtocol(2)) + repr(PriorityGate(2))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("scheduler", [PriorityProtocol(2), PriorityGate()])
def test_random_turns_go_to_the_most_urgent_that_has_come(
    scheduler: Any, seed: int
) -> None:
    """Each task comes at a time of its own and then computes for 10 ms."""
    rng = random.Random(seed)
    comers = [(rng.randrange(100), level) for level in rng.sample(range(99), 12)]

    async def main() -> list[int]:
        had: list[int] = []

        async def take(when: int, level: int, given: bool) -> None:
            await asyncio.sleep(when / 1000 + level * 1e-6)
            await scheduler.turn(level if given else None)
            had.append(level)
            burn(0.010)

        async with asyncio.TaskGroup() as group:
            for when, level in comers:
                given = rng.random() < 0.5
                with priority(0 if given else level):
                    group.create_task(take(when, level, given))
        return had

    expected: list[int] = []
    now, left = 0.0, [(when / 1000 + level * 1e-6, level) for when, level in comers]
    while left:
        now = max(now, min(left)[0])
        when, level = max((c for c in left if c[0] <= now), key=lambda c: c[1])
        left.remove((when, level))
        expected.append(level)
        now += 0.010
    assert run(main()) == expected


def test_a_gate_serves_one_loop_at_a_time() -> None:
    gate = PriorityGate(0)
    loops = [VirtualPriorityLoop() for _ in range(2)]
    left = loops[0].create_task(gate.turn(1))
    loops[0].call_soon(loops[0].stop)
    loops[0].run_forever()
    assert gate.waiting == 1
    with pytest.raises(RuntimeError, match="make a gate for each loop"):
        loops[1].run_until_complete(gate.turn(1))
    left._log_destroy_pending = False  # type: ignore[attr-defined]
    loops[0].close()  # with the task that is parked
    loops[1].run_until_complete(gate.turn(1))
    assert (gate.waiting, left.done()) == (0, False)
    loops[1].close()


@pytest.mark.parametrize("settle", [0, 1, 3])
@pytest.mark.parametrize("kind", [PriorityProtocol, PriorityGate])
async def test_who_is_cancelled_at_its_turn_holds_up_nobody(
    kind: Any, settle: int
) -> None:
    scheduler = kind(settle)
    had: list[int] = []

    async def take(level: int) -> None:
        await scheduler.turn(level)
        had.append(level)

    urgent = asyncio.create_task(take(9))
    others = [asyncio.create_task(take(level)) for level in (1, 9, 2)]
    await asyncio.sleep(0)
    urgent.cancel()
    await asyncio.wait([urgent, *others])
    assert urgent.cancelled()
    assert had == [9, 2, 1]


@pytest.mark.parametrize("settle", [0, 1, 3])
def test_the_gate_opens_for_nobody_who_was_cancelled(settle: int) -> None:
    """An opening for a task that has gone would cost the others another round."""

    async def main(gone: int) -> int:
        gate = PriorityGate(settle)
        cancelled = [asyncio.create_task(gate.turn(9)) for _ in range(gone)]
        waiting = asyncio.create_task(gate.turn(1))
        await asyncio.sleep(0)
        assert gate.waiting == gone + 1
        for task in cancelled:
            task.cancel()
        assert gate.waiting == 1
        await waiting
        return gate.yields

    assert run(main(5)) == run(main(0))


# ---------------------------------------------------------------- order


async def test_a_loser_that_is_cancelled_leaves_the_bid_of_the_winner() -> None:
    protocol = PriorityProtocol(settle=1)
    winner = asyncio.create_task(protocol.turn(9))
    loser = asyncio.create_task(protocol.turn(1))
    await asyncio.sleep(0)
    loser.cancel()
    await winner
    assert protocol.yields == 3, "the winner bids once and settles once, the loser bids"


def test_code_without_a_deadline_comes_last() -> None:
    assert (current_priority(), current_deadline()) == (DEFAULT_PRIORITY, math.inf)

    async def main() -> list[str]:
        order: list[str] = []
        loop = asyncio.get_running_loop()
        loop.call_soon(order.append, "never")
        with deadline(10):
            loop.call_soon(order.append, "due")
        await asyncio.sleep(0.001)
        return order

    assert exactly(main, ByDeadline()) == ["due", "never"]


@pytest.mark.parametrize("version", [(3, 10, 9), (3, 15, 0)])
def test_another_python_is_refused(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, ...]
) -> None:
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(UnsupportedLoopError, match=r"3\.11 to 3\.14.*PriorityGate"):
        PriorityEventLoop()
