"""Priorities: what the protocol, the gate and the loop promise, and bad input."""

from __future__ import annotations

import asyncio
import math
import threading
from collections.abc import Callable
from typing import Any

import pytest

from looplab import Heartbeat, burn, run
from looplab.priority import (
    DEFAULT_PRIORITY,
    ByDeadline,
    ByPriority,
    PriorityEventLoop,
    PriorityGate,
    PriorityProtocol,
    VirtualPriorityLoop,
    current_deadline,
    current_priority,
    deadline,
    priority,
)
from ontime.leases import EXPERIMENTS, LeaseSettings, consume, consume_many


def on(loop_factory: Callable[[], asyncio.AbstractEventLoop], main: Any) -> Any:
    """Run ``main()`` on a loop of its own."""
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        return runner.run(main())


LOOPS = pytest.mark.parametrize("loop", [VirtualPriorityLoop, PriorityEventLoop])


# ---------------------------------------------------------------- leases


@pytest.mark.parametrize("scheduler", [PriorityGate, PriorityEventLoop])
def test_the_gate_and_the_loop_keep_every_lease_close_to_the_floor(
    scheduler: Any,
) -> None:
    run = EXPERIMENTS["E4"].run(scheduler)
    assert (run.processed, run.lost) == (100, 0)
    assert run.stretch <= 1.015
    assert run.worst_lateness <= 1.0, "a refresh waits for one computation at most"
    assert [one.lost for one in consume_many(LeaseSettings(), scheduler, runs=5)] == [
        0
    ] * 5


def test_the_protocol_as_it_stands_keeps_them_by_exact_ties_only() -> None:
    exact = consume(LeaseSettings(), PriorityProtocol)
    assert exact.lost == 0
    jitter_alone = consume_many(LeaseSettings(), PriorityProtocol, runs=12)
    assert jitter_alone.lost.max == 0
    assert jitter_alone.worst_lateness.max <= 3, "three computations, no more"
    cost_alone = consume(LeaseSettings(), PriorityProtocol, callback_cost=1e-6)
    assert cost_alone.lost == 0
    both = consume_many(LeaseSettings(), PriorityProtocol, runs=12, callback_cost=5e-6)
    assert both.lost.min > 0
    assert both.worst_lateness.max == pytest.approx(3, abs=0.01)


@pytest.mark.parametrize(
    ("scheduler", "computations"),
    [
        (PriorityProtocol(settle=1), 2),
        (PriorityProtocol(settle=2), 1),
        (PriorityGate(settle=1), 2),
        (PriorityGate(), 1),
        (ByPriority(), 1),
    ],
)
def test_the_others_keep_them_over_jitter_and_cost(
    scheduler: Any, computations: int
) -> None:
    runs = consume_many(LeaseSettings(), scheduler, runs=8, callback_cost=5e-6)
    assert runs.lost.max == 0
    assert runs.worst_lateness.max == pytest.approx(computations, abs=0.002)


def test_settling_costs_yields_and_waiters_cost_more() -> None:
    as_it_stands, once, twice = (
        consume(LeaseSettings(), PriorityProtocol(settle=settle)).yields
        for settle in range(3)
    )
    assert as_it_stands is not None and once is not None and twice is not None
    assert 100 * 20 < as_it_stands < once < twice
    # Received before anything else, all messages are held and wait for their turns.
    small = LeaseSettings(messages=10, receive_priority=4)
    large = LeaseSettings(messages=20, receive_priority=4)
    few = consume(small, PriorityProtocol(settle=1))
    many = consume(large, PriorityProtocol(settle=1))
    assert few.yields is not None and many.yields is not None
    assert (few.held, many.held) == (10, 20)
    assert many.yields > 3 * few.yields, "grows faster than the work"


def test_without_priorities_the_same_settings_lose_most() -> None:
    assert consume(LeaseSettings()).lost > 80


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


def test_a_heartbeat_in_a_storm_is_late_by_one_job_at_most() -> None:
    async def main() -> float:
        async def job() -> None:
            burn(0.010)

        with priority(9):
            heartbeat = Heartbeat(1.0)
            async with heartbeat:
                await asyncio.sleep(2.5)
                with priority(1):
                    async with asyncio.TaskGroup() as group:
                        for _ in range(200):
                            group.create_task(job())
                await asyncio.sleep(1)
        return heartbeat.worst

    assert run(main()) == pytest.approx(1.5)
    assert on(VirtualPriorityLoop, main) <= 0.010 + 1e-9


def test_the_earliest_deadline_goes_first() -> None:
    async def main() -> list[str]:
        order: list[str] = []
        here = asyncio.get_running_loop()
        for when, name in (
            (30, "late"),
            (10, "early"),
            (math.inf, "never"),
            (20, "mid"),
        ):
            with deadline(when):
                here.call_soon(order.append, name)
        while len(order) < 4:
            await asyncio.sleep(0.001)
        return order

    made = on(lambda: VirtualPriorityLoop(ByDeadline()), main)
    assert made == ["early", "mid", "late", "never"]


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


# ---------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: priority("high").__enter__(), TypeError, "high"),  # type: ignore[arg-type]
        (lambda: priority(1.5).__enter__(), TypeError, "1.5"),  # type: ignore[arg-type]
        (lambda: priority(True).__enter__(), TypeError, "True"),
        (lambda: deadline("soon").__enter__(), TypeError, "soon"),  # type: ignore[arg-type]
        (lambda: deadline(math.nan).__enter__(), ValueError, "nan"),
        (lambda: PriorityProtocol(settle=-1), ValueError, "settle is -1"),
        (lambda: PriorityGate(settle="2"), TypeError, "settle"),  # type: ignore[arg-type]
        (lambda: VirtualPriorityLoop("fifo"), TypeError, "fifo"),  # type: ignore[arg-type]
        (lambda: ByPriority("x"), TypeError, "x"),  # type: ignore[arg-type]
    ],
)
def test_bad_input_is_named(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_the_defaults_stand_outside_of_any_block() -> None:
    assert current_priority() == DEFAULT_PRIORITY
    assert current_deadline() == math.inf
