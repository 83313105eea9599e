"""Sessions: they answer, they end, and they refuse what they cannot do."""

from __future__ import annotations

import asyncio
import os
import sys
import threading

import pytest

from looplab.idle import (
    BusyLoopError,
    assert_idle,
)
from ontime.crossthread import (
    WAYS,
    Session,
    Spinner,
    inboxes,
    measure_hops,
    pinned,
    sessions,
    unable,
)
from ontime.crossthread import session as session_module

GOOD = [way for way in WAYS if way not in ("poll", "nap")]

SHORT = 0.1

linux = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="only Linux pins threads"
)


@pytest.mark.usefixtures("unfrozen")
def test_the_way_of_each_session(way: str) -> None:
    with sessions(way, 2):
        if way in GOOD:
            assert assert_idle(seconds=SHORT).most <= 2
        else:
            with pytest.raises(BusyLoopError):
                assert_idle(seconds=2)


def test_a_session_answers(way: str) -> None:
    with Session(way, name="here") as session:
        assert session.loop.is_running()
        assert "here" in [thread.name for thread in threading.enumerate()]
        assert session.hop() > 0
        assert session.ask("hello") == "hello"
        assert session.ask(None) is None
        assert session.call(threading.get_ident) != threading.get_ident()
        assert "open" in repr(session)
        loop = session.loop
    assert loop.is_closed()
    assert "closed" in repr(session)


def test_a_session_can_be_opened_again() -> None:
    session = Session("queue")
    for _ in range(2):
        with session:
            assert session.ask(1) == 1


def test_what_a_call_raises_comes_out() -> None:
    with Session("queue") as session:
        with pytest.raises(ZeroDivisionError):
            session.call(lambda: 1 // 0)
        with pytest.raises(SystemExit):
            session.call(sys.exit)
        with pytest.raises(TimeoutError, match="mine"):
            session.call(lambda: (_ for _ in ()).throw(TimeoutError("mine")))
        assert session.ask(2) == 2


def test_an_error_in_the_block_ends_the_thread(way: str) -> None:
    with pytest.raises(ZeroDivisionError), sessions(way, 3) as opened:
        opened[0].hop()
        raise ZeroDivisionError
    assert all("closed" in repr(session) for session in opened)


def test_an_interrupt_in_the_block_ends_the_thread() -> None:
    with pytest.raises(KeyboardInterrupt), sessions("poll", 2), Spinner():
        raise KeyboardInterrupt


def test_an_inbox_that_cannot_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(loop: object) -> None:
        raise OSError("no such thing")

    monkeypatch.setitem(inboxes.INBOXES, "poll", broken)
    with pytest.raises(OSError, match="no such thing"), Session("poll"):
        pass


def test_a_later_session_that_cannot_be_made_closes_the_earlier(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = []

    class Third(inboxes._Poll):
        def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
            made.append(1)
            if len(made) == 3:
                raise OSError("the third")
            super().__init__(loop)

    monkeypatch.setitem(inboxes.INBOXES, "poll", Third)
    with pytest.raises(OSError, match="the third"), sessions("poll", 4):
        pass
    assert len(made) == 3


def test_a_loop_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    with Session("queue") as session:
        monkeypatch.setattr(session_module, "TIMEOUT", 0.05)
        answered = threading.Event()
        session.loop.call_soon_threadsafe(answered.wait)
        with pytest.raises(TimeoutError, match=r"did not answer within 0\.05 s"):
            session.hop()
        answered.set()


def test_a_session_that_is_not_open() -> None:
    session = Session("queue")
    for use in session.hop, lambda: session.ask(1), lambda: session.loop:
        with pytest.raises(RuntimeError, match="not open: use it inside `with"):
            use()
    with session, pytest.raises(RuntimeError, match="open already"), session:
        pass
    with Session("queue") as session:
        with pytest.raises(RuntimeError, match="cannot wait for itself"):
            session.call(session.hop)
        with pytest.raises(RuntimeError, match="cannot wait for itself"):
            session.call(lambda: session.ask(1))
    with Spinner() as spinner, pytest.raises(RuntimeError, match="spins"), spinner:
        pass


@linux
def test_pinning() -> None:
    everywhere = os.sched_getaffinity(0)
    core = max(everywhere)
    with Session("queue", cpu=core) as session:
        assert session.call(lambda: os.sched_getaffinity(0)) == {core}
        assert os.sched_getaffinity(0) == everywhere
        with pytest.raises(ZeroDivisionError), pinned(core):
            assert os.sched_getaffinity(0) == {core}
            raise ZeroDivisionError
        assert os.sched_getaffinity(0) == everywhere
        assert measure_hops([session], hops=3, cpu=core).median > 0
        assert os.sched_getaffinity(0) == everywhere
    cores = len(everywhere)
    assert unable(cores=4096) == (
        f"not run: this needs 4096 cores, and this process may use {cores}: allow it "
        "more (taskset, the CPU limit of a container), or take a machine that has them"
    )
