"""The turns of loops are counted, and nothing of it is left on them."""

from __future__ import annotations

import asyncio

import pytest

from looplab.idle import assert_idle, count_turns
from looplab.idle import counting as module
from tests.contract.looplab.idle.opened import Poller, in_thread, wait, wait_until


def test_the_guard_leaves_nothing_on_the_loop() -> None:
    with in_thread(wait) as mine:
        before = dict(vars(mine.loop))
        assert_idle(seconds=0.1)
        with pytest.raises(ZeroDivisionError), count_turns(mine.loop):
            assert "_run_once" in vars(mine.loop)
            raise ZeroDivisionError
        assert dict(vars(mine.loop)).keys() == before.keys()


def test_two_counts_of_one_loop_at_once() -> None:
    poller = Poller()
    with in_thread(poller.poll) as mine:
        with count_turns(mine.loop) as outer:
            with count_turns(mine.loop) as inner:
                wait_until(poller.asks(20))
            after = inner.most
            wait_until(poller.asks(20))
        assert outer.most > inner.most == after > 10
        assert "_run_once" not in vars(mine.loop)


def test_the_counts_stand_still_after_the_block() -> None:
    """Also where the last turn has begun and not yet counted itself."""
    poller = Poller()
    with in_thread(poller.poll) as mine:
        with count_turns(mine.loop) as turns:
            wait_until(poller.asks(20))
            (counter,) = module._counters[mine.loop]
        found = turns.most, turns.total, turns.by_loop
        counter.turn(mine.loop)
        counter.seen["a late one"] += 1000
        assert (turns.most, turns.total, turns.by_loop) == found
        assert turns.most > 10


def test_the_same_loop_twice_counts_once() -> None:
    with in_thread(wait) as mine, count_turns(mine.loop, mine.loop) as turns:
        assert len(turns.by_loop) == 1


def test_counting_inside_a_coroutine_counts_its_loop() -> None:
    async def main() -> int:
        with count_turns() as turns:
            for _ in range(50):
                await asyncio.sleep(0)
        return turns.most

    assert 49 <= asyncio.run(main()) <= 51
