"""Priorities: what the protocol, the gate and the loop promise, and bad input."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from looplab.priority import (
    DEFAULT_PRIORITY,
    PriorityEventLoop,
    PriorityGate,
    PriorityProtocol,
    VirtualPriorityLoop,
    current_priority,
    priority,
)


def on(loop_factory: Callable[[], asyncio.AbstractEventLoop], main: Any) -> Any:
    """Run ``main()`` on a loop of its own."""
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        return runner.run(main())


LOOPS = pytest.mark.parametrize("loop", [VirtualPriorityLoop, PriorityEventLoop])


# ---------------------------------------------------------------- turns


async def turns_after_a_cancellation(scheduler: Any) -> list[int]:
    """The most urgent is cancelled while it waits; return who has had a turn."""
    had: list[int] = []

    async def one(level: int) -> None:
        await scheduler.turn(level)
        had.append(level)

    urgent = asyncio.create_task(one(9))
    others = [asyncio.create_task(one(level)) for level in (1, 9, 2)]
    await asyncio.sleep(0)
    urgent.cancel()
    await asyncio.wait([urgent, *others], timeout=600)
    assert urgent.cancelled()
    for task in others:
        task.cancel()
    return had


@pytest.mark.parametrize("settle", [0, 1, 3])
@pytest.mark.parametrize("kind", [PriorityProtocol, PriorityGate])
def test_who_is_cancelled_at_its_turn_holds_up_nobody(kind: Any, settle: int) -> None:
    assert asyncio.run(turns_after_a_cancellation(kind(settle))) == [9, 2, 1]


@pytest.mark.parametrize("settle", [0, 1, 2, 3])
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
        await asyncio.wait_for(waiting, 600)
        return gate.yields

    errors: list[Any] = []
    with asyncio.Runner() as runner:
        runner.get_loop().set_exception_handler(lambda _, facts: errors.append(facts))
        assert runner.run(main(5)) == runner.run(main(0))
    assert errors == []


# ---------------------------------------------------------------- order


@LOOPS
def test_ready_callbacks_run_by_priority_and_first_come_within_one(loop: Any) -> None:
    async def main() -> list[str]:
        order: list[str] = []
        here = asyncio.get_running_loop()
        for level, name in ((1, "low"), (3, "high"), (2, "middle")):
            for number in range(3):
                with priority(level):
                    here.call_soon(order.append, f"{name}-{number}")
        with priority(0):
            await asyncio.create_task(asyncio.sleep(0))
        return order

    order = on(loop, main)
    expected = [f"{name}-{i}" for name in ("high", "middle", "low") for i in range(3)]
    assert order == expected


@LOOPS
def test_a_child_task_inherits_and_can_choose(loop: Any) -> None:
    async def main() -> list[int]:
        async def level() -> int:
            return current_priority()

        with priority(7):
            inherited = await asyncio.create_task(level())
            with priority(2):
                own = await asyncio.create_task(level())
        return [inherited, own, current_priority()]

    assert on(loop, main) == [7, 2, DEFAULT_PRIORITY]


# ---------------------------------------------------------------- real programs


def test_sockets_threads_and_executors_work_on_the_real_loop() -> None:
    async def main() -> list[Any]:
        async def answer(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter
        ) -> None:
            writer.write((await reader.readline()).upper())
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"hello\n")
        line = await reader.readline()
        writer.close()
        server.close()
        await server.wait_closed()

        here = asyncio.get_running_loop()
        called = here.create_future()
        thread = threading.Thread(
            target=lambda: here.call_soon_threadsafe(called.set_result, "called")
        )
        thread.start()
        worked = await asyncio.to_thread(sum, [1, 2, 3])
        answers = [line, await called, worked]
        thread.join()
        return answers

    assert on(PriorityEventLoop, main) == [b"HELLO\n", "called", 6]


def test_io_is_served_while_callbacks_of_high_priority_never_end() -> None:
    async def main() -> str:
        here = asyncio.get_running_loop()
        spinning = True

        async def spin() -> None:
            while spinning:
                await asyncio.sleep(0)

        with priority(9):
            task = asyncio.create_task(spin())
        received, sender = await asyncio.wait_for(_pipe(here), 600)
        sender.write(b"x")
        text = await asyncio.wait_for(received.readexactly(1), 600)
        spinning = False
        await task
        for stream in kept:
            stream.close()
            await stream.wait_closed()
        return text.decode()

    kept: list[asyncio.StreamWriter] = []  # one that nobody holds is closed

    async def _pipe(here: Any) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        made = here.create_future()
        server = await asyncio.start_server(
            lambda *streams: made.set_result(streams), "127.0.0.1", 0
        )
        address = server.sockets[0].getsockname()
        _, writer = await asyncio.open_connection(*address)
        streams = await made
        kept.extend([streams[1], writer])
        server.close()
        return streams[0], writer

    with priority(9):
        assert on(PriorityEventLoop, main) == "x"
