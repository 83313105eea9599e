"""Sessions: they answer, they end, and what is measured of them."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator

import pytest

from looplab.idle import count_turns
from ontime.crossthread import (
    WAYS,
    Session,
    Spinner,
    measure_hops,
    measure_idle,
    measure_messages,
    measure_wakes,
    missing,
    on_cores,
    pinned,
    sessions,
    switch_interval,
)
from tests.contract.looplab.idle.opened import wait_until

linux = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="only Linux pins threads"
)


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    for thread in set(threading.enumerate()) - before:  # of a library, about to end
        thread.join()


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if why := missing(name):
        pytest.skip(why)
    return name


def test_a_session_answers(way: str) -> None:
    with Session(way, name="mine") as opened:
        assert opened.loop.is_running()
        assert "mine" in [thread.name for thread in threading.enumerate()]
        assert opened.hop() > 0
        assert opened.ask("hello") == "hello"
        assert opened.ask(None) is None
        assert opened.call(threading.get_ident) != threading.get_ident()
        loop = opened.loop
    assert loop.is_closed()
    with opened:  # again
        assert opened.ask(1) == 1


def test_which_ways_turn_while_idle(way: str) -> None:
    """One that waits turns for its messages alone, some turns for each."""
    with Session(way) as opened, count_turns(opened.loop) as turns:
        for number in range(10):
            opened.ask(number)
        if way in ("poll", "nap"):
            at_ten = turns.most
            wait_until(lambda: turns.most > at_ten + 20)
        else:
            assert turns.most <= 40


def test_what_a_call_raises_comes_out() -> None:
    with Session("queue") as opened:
        with pytest.raises(ZeroDivisionError):
            opened.call(lambda: 1 // 0)
        with pytest.raises(SystemExit):
            opened.call(sys.exit)
        assert opened.ask(2) == 2


def test_an_error_in_the_block_ends_the_threads() -> None:
    with pytest.raises(KeyboardInterrupt), sessions("poll", 3) as opened, Spinner():
        raise KeyboardInterrupt
    assert all(each.loop.is_closed() for each in opened)


@linux
def test_cores_and_the_switch_interval_come_back() -> None:
    everywhere = os.sched_getaffinity(0)
    core = max(everywhere)
    with Session("queue", cpu=core) as opened:
        assert opened.call(lambda: os.sched_getaffinity(0)) == {core}
        assert os.sched_getaffinity(0) == everywhere
        assert len(measure_hops([opened], hops=3, cpu=core).taken) == 3
        assert os.sched_getaffinity(0) == everywhere
    interval = sys.getswitchinterval()
    with pytest.raises(ZeroDivisionError), pinned(core), switch_interval(0.1):
        assert os.sched_getaffinity(0) == {core}
        assert sys.getswitchinterval() == pytest.approx(0.1)
        raise ZeroDivisionError
    assert sys.getswitchinterval() == interval
    with on_cores(1), Session("queue") as opened:
        inherited = opened.call(lambda: os.sched_getaffinity(0))
    assert inherited == {min(everywhere)}
    assert os.sched_getaffinity(0) == everywhere


# -- what is measured ------------------------------------------------------------------


def test_hops_and_messages_end_at_their_number() -> None:
    with sessions("queue", 3) as opened:
        hops = measure_hops(opened, seconds=600, hops=7)
        assert len(hops.taken) == 7
        assert hops.median <= hops.worst <= hops.total
        assert len(measure_messages(opened, seconds=600, messages=7).taken) == 7
        # Each session is called once, however short the time.
        assert len(measure_hops(opened, seconds=1e-9).taken) == 3
        assert len(measure_idle(opened, 0.01).turns) == 3
    assert len(measure_wakes(5).taken) == 5
