"""Timers that are cancelled, and timers that fire late."""

from __future__ import annotations

import asyncio
import contextlib
import random

from looplab.clock import (
    DeadlockError,
    VirtualTimeLoop,
    run,
)

# Cancelled timers


def test_cancelled_among_equals(loop: VirtualTimeLoop) -> None:
    order: list[int] = []
    timers = [loop.call_later(1, order.append, number) for number in range(6)]
    timers[0].cancel()
    timers[3].cancel()
    loop.call_soon(timers[5].cancel)
    loop.call_later(1, loop.stop)
    loop.run_forever()
    assert order == [1, 2, 4]


def test_cancelled_timers_are_swept_out() -> None:
    async def main() -> int:
        keep = [asyncio.get_running_loop().call_later(9_999, int) for _ in range(500)]
        most = 0
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        for number in range(20_000):
            loop.call_later(1_000 + number, int).cancel()
            most = max(most, sum(map(len, loop._timers.values())))
        assert not any(timer.cancelled() for timer in keep)
        assert sorted(loop._timers) == sorted(loop._due_heap)
        return most

    assert run(main()) <= 500 + 502


def test_a_sweep_keeps_order_and_time(loop: VirtualTimeLoop) -> None:
    dice = random.Random(8)
    order: list[tuple[float, int]] = []
    expected = []
    timers = []
    for number in range(5_000):
        due = dice.randrange(1, 300) / 10
        timers.append(loop.call_at(due, order.append, (due, number)))
        expected.append((due, number))
    dropped = set(dice.sample(range(5_000), 4_000))
    for number in dropped:
        timers[number].cancel()
    loop.call_at(31, loop.stop)
    loop.run_forever()
    assert order == sorted(e for e in expected if e[1] not in dropped)


# Jitter


def jittered(seed: int, jitter: float = 0.01) -> list[tuple[float, float]]:
    """Due and real time of 200 timers."""
    loop = VirtualTimeLoop(jitter=jitter, seed=seed)
    seen: list[tuple[float, float]] = []

    def note(number: int) -> None:
        seen.append((timers[number].when(), loop.time()))

    timers = [loop.call_later(1 + 0.1 * number, note, number) for number in range(200)]
    with contextlib.suppress(DeadlockError):
        loop.run_forever()
    loop.close()
    return seen


def test_jitter_is_seeded() -> None:
    assert jittered(1) == jittered(1)
    assert jittered(1) != jittered(2)
    assert all(due == ran for due, ran in jittered(1, jitter=0.0))


def test_jitter_fires_late_by_up_to_its_bound() -> None:
    late = [ran - due for due, ran in jittered(3)]
    assert all(0 <= each <= 0.01 + 1e-9 for each in late)
    assert max(late) > 0.009
    assert min(late) < 0.001
    assert [round(due, 6) for due, _ in jittered(3)] == [
        round(1 + 0.1 * number, 6) for number in range(200)
    ]
