"""Timers: their order, times that are none, cancelled ones, late ones."""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import looplab
from looplab.clock import (
    ClockError,
    DeadlockError,
    LivelockError,
    OutsideCallError,
    StepLimitError,
    TimeValueError,
    VirtualTimeLoop,
    run,
)
from tests.fast.looplab.clock.helpers import nothing


def test_timers_run_by_time_and_then_in_the_order_they_were_set(
    loop: VirtualTimeLoop,
) -> None:
    """Most of them are cancelled, so they are swept out meanwhile."""
    dice = random.Random(8)
    order: list[tuple[float, int]] = []
    timers = []
    for number in range(10_000):
        due = dice.randrange(1, 300) / 10
        at = loop.call_at if dice.random() < 0.5 else loop.call_later
        timers.append((due, number, at(due, order.append, (due, number))))
    dropped = set(dice.sample(range(10_000), 6_000))
    for number in dropped:
        timers[number][2].cancel()
    loop.call_soon(timers[min(set(range(10_000)) - dropped)][2].cancel)
    loop.call_at(31, loop.stop)
    loop.run_forever()
    expected = [(due, number) for due, number, _ in timers if number not in dropped]
    expected.remove(min(expected, key=lambda timer: timer[1]))
    assert order == sorted(expected)


def test_cancelled_timers_are_swept_out(loop: VirtualTimeLoop) -> None:
    keep = [loop.call_later(9_999, int) for _ in range(500)]
    most = 0
    for number in range(20_000):
        loop.call_later(1_000 + number, int).cancel()
        most = max(most, sum(map(len, loop._timers.values())))
    assert not any(timer.cancelled() for timer in keep)
    assert sorted(loop._timers) == sorted(loop._due_heap)
    assert most <= 500 + 502


@pytest.mark.virtual_time
async def test_sleeps_add_up_exactly() -> None:
    for _ in range(1000):
        await asyncio.sleep(0.1)
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    assert (loop.time(), loop.time_ns()) == (100.0, 100_000_000_000)


@pytest.mark.parametrize("seconds", [2e7, 1e12, 1e300, 10**30, Fraction(1, 3), 1e-9, 0])
def test_long_and_short_sleeps_end(seconds: Any) -> None:
    async def main() -> float:
        await asyncio.sleep(seconds)
        await asyncio.sleep(seconds)
        return asyncio.get_running_loop().time()

    assert math.isclose(run(main()), float(2 * seconds), rel_tol=1e-15, abs_tol=1e-9)


def test_timer_says_when_it_is_due(loop: VirtualTimeLoop) -> None:
    timer = loop.call_later(1.5, nothing)
    assert timer.when() == 1.5
    assert isinstance(timer, asyncio.TimerHandle)
    assert repr(timer).startswith("<TimerHandle when=1.5 ")
    timer.cancel()
    assert repr(timer).startswith("<TimerHandle cancelled when=1.5")
    assert timer < loop.call_at(2.0, nothing)


BAD_TIMES = [
    (-1, TimeValueError),
    (-1e-9, TimeValueError),
    (math.nan, TimeValueError),
    (math.inf, TimeValueError),
    (-math.inf, TimeValueError),
    ("1", TypeError),
    (None, TypeError),
    (Decimal("1.5"), TypeError),
    (1j, TypeError),
    ([1], TypeError),
]


@pytest.mark.parametrize(("value", "error"), BAD_TIMES)
def test_bad_times(loop: VirtualTimeLoop, value: Any, error: type[Exception]) -> None:
    calls: dict[str, Callable[[], object]] = {
        "jitter": lambda: VirtualTimeLoop(jitter=value),
        "callback_cost": lambda: VirtualTimeLoop(callback_cost=value),
        "burn()": lambda: loop.burn(value),
    }
    if error is TypeError or math.isnan(value):
        calls["delay"] = lambda: loop.call_later(value, nothing)
        calls["when"] = lambda: loop.call_at(value, nothing)
    for what, call in calls.items():
        with pytest.raises(error) as caught:
            call()
        assert str(caught.value).startswith(what)
        if error is TimeValueError:
            assert f"is {value} s" in str(caught.value)
        else:
            assert type(value).__name__ in str(caught.value)
    assert loop.time_ns() == 0


def test_a_time_that_has_passed_is_at_once_in_the_order_of_the_times(
    loop: VirtualTimeLoop,
) -> None:
    async def program() -> list[float]:
        looplab.burn(2)
        seen: list[float] = []
        for delay in (0, -1e-9, -1, 0.5, -math.inf, math.inf, -0.5, -1e300):
            loop.call_later(delay, seen.append, delay)
        loop.call_at(-3, seen.append, -3)
        waiting = asyncio.ensure_future(asyncio.sleep(math.inf))
        assert await asyncio.wait([waiting], timeout=-1)
        waiting.cancel()
        await asyncio.sleep(1)
        return seen

    order = loop.run_until_complete(program())
    assert order == [-math.inf, -1e300, -3, -1, -0.5, -1e-9, 0, 0.5]


def test_a_timer_that_never_comes_is_no_progress(loop: VirtualTimeLoop) -> None:
    with pytest.raises(DeadlockError, match="sleep"):
        loop.run_until_complete(asyncio.sleep(math.inf))
    assert loop.time_ns() == 0


def test_never_can_be_cancelled_and_rescheduled(loop: VirtualTimeLoop) -> None:
    async def program() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(math.inf) as limit:
                await asyncio.sleep(1)
                limit.reschedule(loop.time() + 1)
                await asyncio.sleep(math.inf)
        async with asyncio.timeout(math.inf):
            await asyncio.sleep(1)
        return loop.time()

    assert loop.run_until_complete(program()) == 3
    assert not loop._never


@pytest.mark.parametrize(
    ("error", "families"),
    [
        (DeadlockError, {ClockError, RuntimeError}),
        (LivelockError, {ClockError, RuntimeError}),
        (OutsideCallError, {ClockError, NotImplementedError}),
        (StepLimitError, {ClockError, RuntimeError}),
        (TimeValueError, {ClockError, ValueError}),
    ],
)
def test_errors_are_of_the_families_they_belong_to(error: Any, families: Any) -> None:
    assert families < {*error.__mro__}


def jittered(seed: int, jitter: float = 0.01) -> list[tuple[float, float]]:
    """Due and real time of 200 timers."""
    loop = VirtualTimeLoop(jitter=jitter, seed=seed)
    seen: list[tuple[float, float]] = []

    def note(number: int) -> None:
        seen.append((timers[number].when(), loop.time()))

    timers = [loop.call_later(1 + 0.1 * number, note, number) for number in range(200)]
    with pytest.raises(DeadlockError):
        loop.run_forever()
    loop.close()
    return seen


def test_jitter_is_seeded_and_fires_late_by_up_to_its_bound() -> None:
    assert jittered(1) == jittered(1) != jittered(2)
    assert all(due == ran for due, ran in jittered(1, jitter=0.0))
    late = [ran - due for due, ran in jittered(3)]
    assert all(0 <= each <= 0.01 + 1e-9 for each in late)
    assert max(late) > 0.009
    assert min(late) < 0.001
    dues = [1 + 0.1 * number for number in range(200)]
    assert [due for due, _ in jittered(3)] == pytest.approx(dues, abs=1e-6)
