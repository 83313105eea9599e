"""The recorder of asyncio's own loops, inside this process."""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import closing, contextmanager
from itertools import pairwise
from typing import NamedTuple

import pytest

from looplab.diagnose import stock
from looplab.diagnose.arrival import arrival_asker
from looplab.diagnose.recorder import DATA, TIMER, WATCHED, WIDTH
from looplab.diagnose.stock import LoopRecorder
from looplab.trace.stock import real_clock

HOOKS = {"_process_events", "_add_reader", "_add_writer", "call_at"}


class Note(NamedTuple):
    """What is noted of a callback."""

    ready: int
    by: int
    run: int
    ended: int
    cpu: float
    task: str | None
    code: object
    tag: int
    timer: tuple | None  # (by, due, set)
    came: tuple | None  # (arrived, accepted)


def notes_of(recorder):
    timers = {number: tuple(rest) for number, *rest in recorder.due}
    came = {number: tuple(rest) for number, *rest in recorder.came}
    flat = recorder.notes
    rows = [flat[begin : begin + WIDTH] for begin in range(0, len(flat), WIDTH)]
    return [Note(*row, timers.get(n), came.get(n)) for n, row in enumerate(rows)]


def recorded(coroutine, loop, arrival=None):
    """What is noted while *loop* runs the coroutine."""
    with closing(loop):
        recorder = LoopRecorder(loop, arrival=arrival)
        loop.run_until_complete(coroutine)
        recorder.detach()
        assert type(loop._ready).__name__ == "deque"
        assert not HOOKS & set(vars(loop))
        assert "select" not in vars(loop._selector)
    return notes_of(recorder)


def noted(notes, function):
    return [note for note in notes if note.code is function.__code__]


def nothing():
    pass


@contextmanager
def pair():
    """Two sockets that are connected."""
    one, other = socket.socketpair()
    one.setblocking(False)
    with one, other:
        yield one, other


# -- what a callback is -------------------------------------------------------------


class PythonTask(asyncio.tasks._PyTask):
    pass


@pytest.mark.parametrize("kind", [asyncio.Task, PythonTask])
def test_a_task_is_named_at_each_of_its_steps(kind):
    async def work():
        await asyncio.sleep(0)
        await asyncio.sleep(0.001)

    async def main():
        await kind(work(), loop=asyncio.get_running_loop(), name="it")

    steps = noted(recorded(main(), asyncio.new_event_loop()), work)
    assert [step.task for step in steps] == ["it"] * 3


# -- where it came from -------------------------------------------------------------


def test_causes():
    async def main():
        loop = asyncio.get_running_loop()
        with pair() as (one, other):
            seen = asyncio.Event()

            def arrived():
                one.recv(1)
                seen.set()

            loop.add_reader(one, arrived)
            before = now()
            timers.append(loop.call_later(0.001, other.send, b"x"))
            stamps.extend((before, now()))
            loop.call_soon(nothing)
            await seen.wait()
            loop.remove_reader(one)
        arrived_code.append(arrived)

    arrived_code, timers, stamps = [], [], []
    now = real_clock()[0]
    loop = asyncio.SelectorEventLoop()
    notes = recorded(main(), loop, arrival_asker(loop._selector))
    [soon] = noted(notes, nothing)
    [io] = noted(notes, *arrived_code)
    [timer] = [note for note in notes if note.by == TIMER]
    by = notes.index(noted(notes, main)[0])
    assert (soon.by, io.by) == (by, WATCHED - by)
    maker, due, was_set = timer.timer
    assert maker == by
    before, after = stamps
    assert before <= was_set <= after
    assert due <= timer.run
    if now is time.monotonic_ns:  # the clock by which timers are set
        assert due == round(timers[0].when() * 1e9)
    assert all(a.ended <= b.run for a, b in pairwise(notes))


def test_a_timer_is_one_whoever_makes_it_ready():
    """A loop of somebody else's may do it while a callback seems to run."""

    async def main():
        loop = asyncio.get_running_loop()
        timer = asyncio.TimerHandle(loop.time(), nothing, (), loop)
        loop._ready.append(timer)
        await asyncio.sleep(0)

    [note] = noted(recorded(main(), asyncio.new_event_loop()), nothing)
    assert note.by == TIMER
    assert note.timer[1:] == (note.timer[1], None)


def test_both_directions_of_a_connection_and_one_that_is_given_up():
    """What the selector found joins the queue as on the stock loop."""
    called = []

    async def main():
        loop = asyncio.get_running_loop()
        with pair() as (one, other), pair() as (more, last):
            other.send(b"x")
            last.send(b"x")

            def write():
                called.append("write")
                loop.remove_writer(one)

            def read():
                called.append(one.recv(1))

            loop.add_reader(one, read)
            loop.add_writer(one, write)
            loop.add_reader(more, called.append, "never")
            # Cancelled where nobody takes it out of the selector.
            loop._selector.get_key(more).data[0].cancel()
            while len(called) < 2:
                await asyncio.sleep(0)
            assert more.fileno() not in loop._selector.get_map()
            loop.remove_reader(one)
        functions.extend((read, write))

    functions = []
    notes = recorded(main(), asyncio.SelectorEventLoop())
    assert sorted(map(str, called)) == ["b'x'", "write"]
    [read], [write] = (noted(notes, function) for function in functions)
    by = notes.index(noted(notes, main)[0])
    assert (read.by, read.came) == (WATCHED - by, None)
    assert (write.by, write.came) == (DATA, (write.ready, False))
    assert read.ready <= read.run


def test_data_that_came_while_a_callback_held_the_loop(monkeypatch):
    monkeypatch.setattr(stock, "SLOW_NS", -1)  # each arrival is wanted
    asked = []

    def arrival(key, at, before, wanted):
        asked.append((at, before, wanted))
        return before + 1, False

    arrival.accepted = {}

    async def main():
        loop = asyncio.get_running_loop()
        with pair() as (one, other):
            seen = asyncio.Event()
            loop.add_reader(one, seen.set)
            await asyncio.sleep(0.001)
            other.send(b"x")
            await seen.wait()
            loop.remove_reader(one)

    notes = recorded(main(), asyncio.SelectorEventLoop(), arrival)
    [data] = [note for note in notes if note.by <= DATA and note.by != TIMER]
    assert all(wanted for _, _, wanted in asked)
    at, before, _ = asked[0]
    assert data.ready == at > before
    assert data.came == (before + 1, False)


@pytest.mark.parametrize("lacking", ["_ready", "_selector"])
def test_a_loop_that_nobody_can_look_into(lacking):
    with closing(asyncio.SelectorEventLoop()) as loop:
        kept = getattr(loop, lacking)
        setattr(loop, lacking, object())
        with pytest.raises(TypeError, match="where nobody can see it"):
            LoopRecorder(loop)
        setattr(loop, lacking, kept)


# -- while an iteration runs --------------------------------------------------------


@pytest.mark.parametrize("detached", [False, True])
def test_it_comes_and_goes_in_the_middle_of_an_iteration(detached):
    order = []
    recorders = []

    async def main():
        loop = asyncio.get_running_loop()
        for number in range(12):
            if number == 4:
                loop.call_soon(lambda: recorders.append(LoopRecorder(loop)))
            if number == 8 and detached:
                loop.call_soon(lambda: recorders[0].detach())
            loop.call_soon(order.append, number)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        recorders[0].detach()
        assert type(loop._ready).__name__ == "deque"

    asyncio.run(main())
    assert order == list(range(12))
    appended = [n for n in notes_of(recorders[0]) if n.code == "list.append"]
    assert len(appended) == (4 if detached else 8)


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_ends_the_program_ends_it_and_the_loop_can_go_on(error):
    def fail():
        raise error

    async def main():
        asyncio.get_running_loop().call_soon(fail)
        await asyncio.sleep(3600)

    with closing(asyncio.SelectorEventLoop()) as loop:
        recorder = LoopRecorder(loop)
        task = loop.create_task(main())
        with pytest.raises(error):
            loop.run_until_complete(task)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            loop.run_until_complete(task)
        recorder.detach()
    assert len(noted(notes_of(recorder), fail)) == 1


def test_a_slow_thread_loses_nothing_from_one_recorder_to_the_next():
    """It has hold of the queue of the first one, and goes on when there is another."""
    ran = []

    async def main():
        loop = asyncio.get_running_loop()
        recorder = LoopRecorder(loop)
        slow = loop._ready
        recorder.detach()
        other = LoopRecorder(loop)
        slow.append(asyncio.Handle(ran.append, (1,), loop))
        loop.call_soon(ran.append, 2)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        other.detach()

    asyncio.run(main())
    assert ran == [1, 2]
