"""The guard: a loop that polls fails it, one that waits passes it.

The loops of other threads are here as well, and turn while the guard sleeps.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterator
from typing import Any

import pytest

from looplab import VirtualTimeLoop, run
from looplab.idle import (
    BusyLoopError,
    assert_idle,
    assert_idle_here,
    count_turns,
    counting,
    guard,
    running_loops,
)
from looplab.priority import VirtualPriorityLoop
from tests.fast.book.spinning_loop.example import idle_guard
from tests.fast.looplab.idle.elsewhere import Machine
from tests.fast.looplab.jobs.shared import on_stock_loop


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    made = Machine(monkeypatch, guard, counting, idle_guard)
    monkeypatch.setattr(guard, "running_loops", made.all_loops)
    monkeypatch.setattr(counting, "all_running", made.all_loops)
    monkeypatch.setattr(idle_guard, "running_loops", made.all_loops)
    yield made
    made.close()


async def poll() -> None:
    while True:
        await asyncio.sleep(0)


async def wait() -> None:
    await asyncio.Event().wait()


async def tick(every: float = 0.1) -> None:
    while True:
        await asyncio.sleep(every)


def test_a_loop_that_polls_fails(machine: Machine) -> None:
    loop = machine.loop(poll(), "poller")
    with pytest.raises(BusyLoopError) as caught:
        assert_idle(turns=299)
    words = str(caught.value)
    assert "1 loop turned while idle; 299 turns are allowed in 0.30 s" in words
    assert "task 'poller' at test_guard.py:" in words
    assert "in poll" in words
    assert caught.value.turns.by_loop[loop].turns == 300
    assert isinstance(caught.value, AssertionError)
    with pytest.raises(AssertionError, match=r"turned 30[01] times in 0\.3 s, 10 are"):
        idle_guard.assert_idle()


def test_a_loop_that_waits_passes(machine: Machine) -> None:
    loop = machine.loop(wait())
    turns = assert_idle()
    assert turns.most <= 2
    assert list(turns.by_loop) == [loop]
    assert turns.seconds == pytest.approx(0.3)
    assert repr(turns).startswith(f"{turns.total} turn")
    assert assert_idle(loop).most <= 2
    idle_guard.assert_idle()


def test_a_timer_is_allowed_its_turns_and_callbacks_are_named(machine: Machine) -> None:
    def again(loop: asyncio.AbstractEventLoop) -> None:
        loop.call_soon(again, loop)

    loop = machine.loop(tick())
    assert 3 <= assert_idle(turns=10).most <= 10
    with pytest.raises(BusyLoopError):
        assert_idle(turns=1)
    again(loop)
    with pytest.raises(BusyLoopError, match=r"busy with callback .*again"):
        assert_idle()


def test_each_loop_is_named_the_busiest_first(machine: Machine) -> None:
    slow = machine.loop(tick(0.01), "slow")
    fast = machine.loop(poll(), "fast")
    good = machine.loop(wait(), "good")
    with pytest.raises(BusyLoopError, match="2 loops turned") as caught:
        assert_idle()
    _, first, second, _ = str(caught.value).splitlines()
    assert "'fast'" in first and "'slow'" in second
    assert assert_idle(good).most <= 2  # only the loops that are given
    counts = caught.value.turns.by_loop
    assert counts[fast].turns > counts[slow].turns > 10


@pytest.mark.parametrize("still", [1, 4])
def test_a_machine_that_stood_still_is_no_idle_loop(
    machine: Machine, still: int
) -> None:
    """A loop that had no core for a whole count is counted again."""
    machine.loop(poll())
    machine.stands_still = [0, *[0.06] * still]
    with pytest.raises(BusyLoopError):
        assert_idle()
    assert not machine.stands_still
    machine.stands_still = [0, *[0.06] * still]
    with pytest.raises(AssertionError, match=r"turned 30[01] times"):
        idle_guard.assert_idle()


def test_a_sleep_that_is_hardly_late_is_believed(machine: Machine) -> None:
    machine.loop(wait())
    machine.stands_still = [0, 0.04, 7.0]
    assert_idle()
    assert machine.stands_still == [7.0]
    machine.stands_still = [0, *[0.06] * 5, 7.0]
    assert_idle()  # five counts are enough
    assert machine.stands_still == [7.0]


def test_a_loop_that_ends_during_the_count_is_refused(machine: Machine) -> None:
    async def ends() -> None:
        await asyncio.sleep(0.2)
        machine.loops[0].running = False

    machine.loop(ends())
    with pytest.raises(RuntimeError, match="ended during the count"):
        assert_idle()
    machine.loops.pop().end()
    machine.loop(ends())
    with pytest.raises(RuntimeError, match="ran in another thread all the time"):
        idle_guard.assert_idle()


def test_a_guard_that_cannot_fail_is_refused(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(RuntimeError, match="could never fail"):
        assert_idle()
    loop = machine.loop(wait())
    loop.running = False
    with pytest.raises(RuntimeError, match=r"does not run.* start it, in a thread"):
        assert_idle(loop)
    monkeypatch.setattr(loop, "_closed", True)
    with pytest.raises(RuntimeError, match="is closed"):
        assert_idle(loop)
    monkeypatch.undo()
    with pytest.raises(TypeError, match="'app' is not an event loop"):
        assert_idle("app")  # type: ignore[arg-type]


def test_the_callers_own_loop_is_not_asked(machine: Machine) -> None:
    """A cell of a notebook blocks the kernel's loop: it cannot turn."""

    async def cell() -> None:
        own = asyncio.get_running_loop()
        machine.others = [own]
        with pytest.raises(RuntimeError, match="no event loop runs in another thread"):
            assert_idle()
        with pytest.raises(RuntimeError, match="await assert_idle_here"):
            assert_idle(own)

    on_stock_loop(cell())


def test_on_the_loop_itself(machine: Machine) -> None:
    async def main(*, polls: bool) -> Any:
        loop: Any = asyncio.get_running_loop()
        select = loop.select
        loop.select = lambda timeout: (loop.charge(0.001), select(timeout))[1]
        task = asyncio.create_task(poll() if polls else wait(), name="poller")
        try:
            return await assert_idle_here()
        finally:
            task.cancel()

    assert on_stock_loop(main(polls=False)).most <= 4
    with pytest.raises(BusyLoopError, match="'poller' at test_guard"):
        on_stock_loop(main(polls=True))


def test_turns_are_counted_and_nothing_is_left(machine: Machine) -> None:
    loop = machine.loop(poll())
    before = vars(loop).keys()
    with count_turns(loop, loop) as outer:
        with count_turns() as inner:
            machine.sleep(0.02)
        machine.sleep(0.02)
        (counter,) = counting._counters[loop]
    assert (inner.most, outer.most, len(outer.by_loop)) == (20, 40, 1)
    # One that has begun and not yet counted itself comes too late.
    counter.turn(loop)
    assert outer.total == 40
    with pytest.raises(ZeroDivisionError), count_turns(loop):
        assert "_run_once" in vars(loop)
        raise ZeroDivisionError
    assert vars(loop).keys() == before
    assert not counting._counters

    async def main() -> int:
        """A coroutine counts its own loop."""
        machine.others = [asyncio.get_running_loop()]
        with count_turns() as turns:
            for _ in range(50):
                await asyncio.sleep(0)
        return turns.most

    assert on_stock_loop(main()) == 50


def test_loops_whose_turns_cannot_be_seen_are_refused(machine: Machine) -> None:
    class Foreign(asyncio.AbstractEventLoop):
        def is_running(self) -> bool:
            return True

    async def watch_itself() -> None:
        with pytest.raises(TypeError, match=r"Virtual.*Loop cannot be counted"):
            await assert_idle_here(settle=0)

    machine.others = [Foreign()]  # type: ignore[abstract]
    with pytest.raises(TypeError, match="Foreign cannot be counted"):
        assert_idle()
    for new_loop in (VirtualTimeLoop, VirtualPriorityLoop):
        run(watch_itself(), loop_factory=new_loop)
        loop = new_loop()
        with pytest.raises(TypeError, match="cannot be counted"), count_turns(loop):
            pass
        loop.close()


def test_after_gc_freeze_nobody_looks_for_loops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    frozen = gc.get_freeze_count()  # Python 3.12 has some of its own
    monkeypatch.setattr(gc, "get_freeze_count", lambda: frozen + 1)
    with pytest.raises(RuntimeError, match=r"gc\.freeze\(\) has hidden .*unfreeze"):
        running_loops()


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"seconds": 0}, ValueError, "seconds must be above 0, not 0"),
        ({"seconds": float("inf")}, ValueError, "finite"),
        ({"seconds": True}, TypeError, "seconds as a number of seconds, got True"),
        ({"settle": -0.1}, ValueError, "settle must be 0 or more, not -0.1"),
        ({"turns": -1}, ValueError, "turns must be 0 or more, not -1"),
        ({"turns": 1.5}, TypeError, "expected turns as a whole number, got 1.5"),
    ],
)
def test_settings_of_the_guard(options: Any, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        assert_idle(**options)
    with pytest.raises(error, match=words):
        on_stock_loop(assert_idle_here(**options))
