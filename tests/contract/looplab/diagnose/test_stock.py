"""The recorder of asyncio's own loops, inside this process."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from contextlib import closing, contextmanager
from itertools import pairwise

import pytest

from looplab.diagnose import Code, loads, stock
from looplab.diagnose.arrival import arrival_asker
from looplab.diagnose.events import FORMAT
from looplab.diagnose.options import Options
from looplab.diagnose.recorder import WIDTH, Recorder
from looplab.diagnose.session import Session
from looplab.diagnose.stock import LoopRecorder
from looplab.diagnose.tags import tag
from looplab.diagnose.writer import PORTION, Encoder
from looplab.trace.stock import real_clock

HOOKS = {"_process_events", "_add_reader", "_add_writer", "call_at"}


def callbacks_of(recorder):
    """What is noted, as it is read from a file."""
    rows = 0, recorder.notes, recorder.due, recorder.came
    head, line = json.dumps({"format": FORMAT}), Encoder(0).encode(1, {"rows": rows})
    return list(loads(f"{head}\n{line.decode()}")[0])


def recorded(coroutine, loop, arrival=None):
    """What is noted while *loop* runs the coroutine."""
    with closing(loop):
        recorder = LoopRecorder(loop, arrival=arrival)
        loop.run_until_complete(coroutine)
        recorder.detach()
        assert type(loop._ready).__name__ == "deque"
        assert not HOOKS & set(vars(loop))
        assert "select" not in vars(loop._selector)
    return callbacks_of(recorder)


def those_of(callbacks, function):
    code = Code.of(function.__code__)
    return [callback for callback in callbacks if callback.code == code]


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

    steps = those_of(recorded(main(), asyncio.new_event_loop()), work)
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
    callbacks = recorded(main(), loop, arrival_asker(loop._selector))
    [soon] = those_of(callbacks, nothing)
    [io] = those_of(callbacks, *arrived_code)
    [timer] = [each for each in callbacks if each.cause == "timer"]
    by = those_of(callbacks, main)[0].index
    assert (soon.cause, io.cause) == ("call", "io")
    assert soon.by == io.by == timer.by == by
    before, after = stamps
    assert before <= timer.set_ns <= after
    assert timer.due_ns <= timer.run_ns
    if now is time.monotonic_ns:  # the clock by which timers are set
        assert timer.due_ns == round(timers[0].when() * 1e9)
    assert all(a.ended_ns <= b.run_ns for a, b in pairwise(callbacks))


def test_a_timer_is_one_whoever_makes_it_ready():
    """A loop of somebody else's may do it while a callback seems to run."""

    async def main():
        loop = asyncio.get_running_loop()
        timer = asyncio.TimerHandle(loop.time(), nothing, (), loop)
        loop._ready.append(timer)
        await asyncio.sleep(0)

    [timer] = those_of(recorded(main(), asyncio.new_event_loop()), nothing)
    assert (timer.cause, timer.by, timer.set_ns) == ("timer", None, None)
    assert timer.due_ns <= timer.run_ns


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
    callbacks = recorded(main(), asyncio.SelectorEventLoop())
    assert sorted(map(str, called)) == ["b'x'", "write"]
    [read], [write] = (those_of(callbacks, function) for function in functions)
    watched = "io", those_of(callbacks, main)[0].index, None, True
    assert (read.cause, read.by, read.arrived_ns, read.accepted) == watched
    sent = "io", None, write.ready_ns, False
    assert (write.cause, write.by, write.arrived_ns, write.accepted) == sent
    assert read.ready_ns <= read.run_ns


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

    callbacks = recorded(main(), asyncio.SelectorEventLoop(), arrival)
    [data] = [each for each in callbacks if each.cause == "io"]
    assert all(wanted for _, _, wanted in asked)
    at, before, _ = asked[0]
    assert data.ready_ns == at > before
    assert (data.arrived_ns, data.accepted) == (before + 1, False)


def test_data_on_a_connection_that_is_known_ask_nobody(monkeypatch):
    monkeypatch.setattr(stock, "SLOW_NS", 1 << 62)  # no arrival is wanted
    asked = []

    def arrival(key, *when):
        asked.append(key.fd)
        arrival.accepted[key.fd] = id(key.data[0])
        return None, True

    arrival.accepted = {}

    async def main():
        one, other = socket.socketpair()
        with one, other:
            reader, writer = await asyncio.open_connection(sock=one)
            for _ in range(3):
                other.send(b"x")
                await reader.readexactly(1)
            asked_of_it.append(asked.count(one.fileno()))
            writer.close()

    asked_of_it = []
    recorded(main(), asyncio.SelectorEventLoop(), arrival)
    assert asked_of_it == [1]


def test_data_on_a_connection_that_was_opened_here_is_told_each_time(monkeypatch):
    monkeypatch.setattr(stock, "SLOW_NS", 1 << 62)  # no arrival is wanted

    async def echo(reader, writer):
        while data := await reader.read(1):
            writer.write(data)
        writer.close()

    async def main():
        server = await asyncio.start_server(echo, "127.0.0.1")
        async with server:
            address = server.sockets[0].getsockname()
            reader, writer = await asyncio.open_connection(*address)
            for _ in range(3):
                writer.write(b"x")
                await reader.readexactly(1)
            writer.close()
            await writer.wait_closed()

    loop = asyncio.SelectorEventLoop()
    callbacks = recorded(main(), loop, arrival_asker(loop._selector))
    name = "StreamReaderProtocol.data_received"
    received = [each.accepted for each in callbacks if each.code.name == name]
    assert received.count(False) == 3


def test_a_block_that_ends_in_its_callback_names_it():
    def work():
        with tag("work"):
            pass

    async def main():
        loop = asyncio.get_running_loop()
        loop.call_soon(work)
        loop.call_soon(nothing)
        await asyncio.sleep(0)

    callbacks = recorded(main(), asyncio.SelectorEventLoop())
    tags = {each.code: each.tag for each in callbacks}
    assert tags[Code.of(work.__code__)] > 0 == tags[Code.of(nothing.__code__)]


def test_what_is_noted_is_written_in_portions():
    recorder = Recorder(None, 1)
    recorder.notes.extend(range(WIDTH * (2 * PORTION + 1)))
    session = Session(Options("unused"))
    *parts, _ = session._drained(recorder, end=True)
    sizes = [(first, len(notes)) for first, notes, *_ in (p["rows"] for p in parts)]
    of = PORTION * WIDTH
    assert sizes == [(0, of), (PORTION, of), (2 * PORTION, WIDTH)]
    assert recorder.notes == []


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
    names = [each.code.name for each in callbacks_of(recorders[0])]
    assert names.count("list.append") == (4 if detached else 8)


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
    assert len(those_of(callbacks_of(recorder), fail)) == 1


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
