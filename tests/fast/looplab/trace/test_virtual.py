"""Exact records on the virtual clock."""

from __future__ import annotations

import asyncio
import itertools
import random
from typing import Any

import pytest

from looplab.clock import VirtualTimeLoop, burn
from looplab.trace import LoopTracer, record
from tests.fast.looplab.trace.helpers import (
    MS,
    TIMER,
    S,
    bare,
    nothing,
    rows,
    small_storm,
)


def test_the_storm_is_exact() -> None:
    trace = record(small_storm())
    ms = [
        (ready // MS, None if due is None else due // MS, run_at // MS, end // MS, *who)
        for ready, due, run_at, end, *who in rows(trace)
    ]
    assert ms == [
        (0, None, 0, 0, "Task-1", "small_storm"),
        (0, None, 0, 0, "heartbeat", "heartbeat"),
        (750, 750, 750, 750, None, TIMER),
        (750, 750, 750, 750, "Task-1", "small_storm"),
        (750, None, 750, 1250, "job-0", "job"),
        (750, None, 1250, 1750, "job-1", "job"),
        (750, None, 1750, 2250, "job-2", "job"),
        (2250, 1000, 2250, 2250, None, TIMER),
        (2250, 1000, 2250, 2250, "heartbeat", "heartbeat"),
        (2750, 2750, 2750, 2750, None, TIMER),
        (2750, 2750, 2750, 2750, "Task-1", "small_storm"),
    ]
    assert trace.result == "done"
    assert trace.worst_lateness == 1.25
    assert (trace.busy, trace.idle, trace.duration) == (1.5, 1.25, 2.75)


def test_ready_at_is_when_it_joined_even_amid_a_burn() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        burn(0.1)
        loop.call_soon(first)
        burn(0.2)
        loop.call_soon(second)
        loop.call_soon(third)
        burn(0.3)
        await asyncio.sleep(0)

    def first() -> None:
        burn(0.01)

    def second() -> None: ...
    def third() -> None: ...

    ready_and_run = {
        bare(r.label): (r.ready_ns // MS, r.run_ns // MS)
        for r in record(main())
        if r.task is None
    }
    assert ready_and_run == {
        "first": (100, 600),
        "second": (300, 610),
        "third": (300, 610),
    }


def test_a_callback_cost_is_part_of_each_callback() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(nothing)
        loop.call_soon(nothing)
        await asyncio.sleep(0)

    trace = record(main(), callback_cost=0.001)
    assert [(r.ready_ns, r.run_ns, r.ended_ns) for r in trace] == [
        (0, 0, 1 * MS),
        (0, 1 * MS, 2 * MS),
        (0, 2 * MS, 3 * MS),
        (0, 3 * MS, 3 * MS),  # main ends the trace from inside
    ]


def test_jitter_is_lateness_not_a_later_due_time() -> None:
    async def main() -> None:
        for _ in range(20):
            await asyncio.sleep(1)

    trace = record(main(), jitter=0.001, seed=3).filter(label=TIMER)
    late = [r.lateness for r in trace]
    assert all(x is not None and 0 <= x <= 0.001 for x in late)
    assert len(set(late)) > 10
    assert all(r.queueing_delay == 0 for r in trace)


def test_the_due_time_is_carried_one_hop() -> None:
    async def main() -> None:
        flag = asyncio.Event()

        async def sleeper() -> None:
            await asyncio.sleep(1)
            flag.set()

        async def waiter() -> None:
            await flag.wait()

        await asyncio.gather(sleeper(), waiter())

    due = [(bare(r.label), r.due_at) for r in record(main())]
    assert due == [
        ("main", None),
        ("sleeper", None),
        ("waiter", None),
        (TIMER, 1.0),
        ("sleeper", 1.0),
        ("waiter", None),
        ("_done_callback", None),
        ("_done_callback", None),
        ("main", None),
    ]


def test_a_plain_callback_that_a_timer_adds_is_not_late() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.call_later(1, loop.call_soon, nothing)
        await asyncio.sleep(2)

    [added] = record(main()).filter(label="nothing")
    assert (added.due_at, added.ready_at) == (None, 1.0)


class NotingLoop(VirtualTimeLoop):
    """Notes for itself when, and by what kind of callback, each callback was added."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.added: dict[str, tuple[int, int | None]] = {}
        self.timer_due: int | None = None

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Any = None
    ) -> Any:
        task = getattr(callback, "__self__", None)
        name = args[0] if args and isinstance(args[0], str) else None
        if isinstance(task, asyncio.Task):
            name = f"{task.get_name()} {self.time_ns()}"
        if name is not None:
            self.added[name] = (self.time_ns(), self.timer_due)
        return super().call_soon(callback, *args, context=context)


@pytest.mark.parametrize("cost", [0.0, 0.0007])
@pytest.mark.parametrize("seed", range(40))
def test_random_programs_against_what_the_loop_itself_noted(
    seed: int, cost: float
) -> None:
    chance = random.Random(seed)
    loop = NotingLoop(callback_cost=cost)
    numbers = itertools.count()
    flags: list[asyncio.Event] = []

    def act(depth: int) -> None:
        for _ in range(chance.randrange(4)):
            if chance.random() < 0.3:
                burn(chance.randrange(5) * 0.001)
            choice = chance.randrange(5)
            if choice == 0 and depth:
                loop.call_soon(plain, f"plain-{next(numbers)}", depth - 1)
            elif choice == 1 and depth:
                due = loop.time() + chance.randrange(9) * 0.001
                loop.call_at(due, timed, round(due * S), depth - 1)
            elif choice == 2 and flags:
                chance.choice(flags).set()
            elif choice == 3:
                loop.call_soon(nothing).cancel()

    def plain(name: str, depth: int) -> None:
        act(depth)

    def timed(due_ns: int, depth: int) -> None:
        loop.timer_due = due_ns
        act(depth)
        loop.timer_due = None

    async def waiter(flag: asyncio.Event) -> None:
        for _ in range(5):
            await flag.wait()
            flag.clear()
            act(1)

    async def main() -> None:
        for i in range(5):
            flags.append(asyncio.Event())
            asyncio.create_task(waiter(flags[-1]), name=f"waiter-{i}")
        for _ in range(30):
            act(3)
            await asyncio.sleep(0.01)

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.get_loop()
        with LoopTracer(loop) as tracer:
            runner.run(main())
    seen = {
        f"{r.task} {r.ready_ns}": (r.ready_ns, r.due_ns)
        for r in tracer.trace
        if r.task is not None and r.task.startswith("waiter") and r.ready_ns > 0
    }
    known = {name: what for name, what in loop.added.items() if "waiter" in name}
    assert seen.items() <= known.items()
    assert seen
    added = sorted(
        (int(name.partition("-")[2]), at)
        for name, (at, _) in loop.added.items()
        if name.startswith("plain")
    )
    ran = [r.ready_ns for r in tracer.trace if bare(r.label) == "plain"]
    # First in, first out; what the end of the run left in the queue did not run.
    assert ran == [at for _, at in added][: len(ran)]
