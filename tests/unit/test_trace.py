"""looplab.trace: exact on the virtual clock, the same story on the stock loop."""

from __future__ import annotations

import asyncio
import gc
import itertools
import json
import random
import sys
import threading
import time
import weakref
from collections import deque
from functools import partial
from typing import Any

import pytest

from looplab.clock import DeadlockError, VirtualTimeLoop, burn, run, run_real
from looplab.trace import LoopTracer, Record, Trace, record

MS = 1_000_000
S = 1_000_000_000
TIMER = "_set_result_unless_cancelled"

both_clocks = pytest.mark.parametrize("clock", ["virtual", "real"])
both_loops = pytest.mark.parametrize(
    "new_loop", [VirtualTimeLoop, asyncio.SelectorEventLoop], ids=["virtual", "stock"]
)


def nothing(*_: object) -> None: ...


def bare(label: str) -> str:
    return label.rpartition("<locals>.")[2]


def rows(trace: Trace) -> list[tuple[int, int | None, int, int, str | None, str]]:
    return [
        (r.ready_ns, r.due_ns, r.run_ns, r.ended_ns, r.task, bare(r.label))
        for r in trace
    ]


def story(trace: Trace) -> list[tuple[bool, bool, str]]:
    """What ran, in order: has a task, was timed, label.

    Default task names count per process on the stock loop, so they are left out.
    """
    return [(r.task is not None, r.due_ns is not None, bare(r.label)) for r in trace]


# -- exact records on the virtual clock ------------------------------------------------


def test_a_sleep_is_three_callbacks() -> None:
    async def main() -> None:
        await asyncio.sleep(1)

    assert rows(record(main())) == [
        (0, None, 0, 0, "Task-1", "main"),
        (S, S, S, S, None, TIMER),
        (S, S, S, S, "Task-1", "main"),
    ]


async def small_storm() -> str:
    async def heartbeat() -> None:
        while True:
            await asyncio.sleep(1)

    async def job() -> None:
        burn(0.5)

    beat = asyncio.create_task(heartbeat(), name="heartbeat")
    await asyncio.sleep(0.75)
    for number in range(3):
        asyncio.create_task(job(), name=f"job-{number}")
    await asyncio.sleep(2)
    beat.cancel()
    return "done"


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
    assert trace.worst_queueing_delay == 1.0
    assert (trace.busy, trace.idle, trace.duration) == (1.5, 1.25, 2.75)
    beat = trace.by_task()["heartbeat"]
    assert (beat.callbacks, beat.worst_lateness, beat.busy) == (2, 1.25, 0.0)


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


def test_a_timeout_is_a_timer_too() -> None:
    async def main() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await asyncio.Event().wait()

    last = record(main())[-1]
    assert (last.task, last.due_at, last.lateness) == ("Task-1", 1.0, 0.0)


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


def test_the_same_program_gives_the_same_trace() -> None:
    assert record(small_storm()) == record(small_storm())
    assert hash(record(small_storm())) == hash(record(small_storm()))


# -- the stock loop --------------------------------------------------------------------


async def small_program() -> None:
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[int] = asyncio.Queue(1)

    async def producer() -> None:
        for i in range(3):
            await queue.put(i)
            await asyncio.sleep(0)

    async def consumer() -> None:
        for _ in range(3):
            await queue.get()
            burn(0.002)

    loop.call_soon(partial(nothing, 1))
    loop.call_soon(nothing).cancel()
    async with asyncio.TaskGroup() as group:
        group.create_task(producer(), name="producer")
        group.create_task(consumer(), name="consumer")
    # Set last and due in this order, so that a slow machine runs them in this order.
    loop.call_later(0.1, partial(partial(nothing, 1), 2))
    await asyncio.sleep(0.3)


def test_both_clocks_tell_the_same_story() -> None:
    virtual, real = record(small_program()), record(small_program(), clock="real")
    assert story(virtual) == story(real)
    assert len(virtual) > 10
    assert [r.task for r in virtual if r.task == "consumer"] == [
        r.task for r in real if r.task == "consumer"
    ]
    assert (virtual.clock, real.clock) == ("virtual", "real")


def test_real_times_make_sense() -> None:
    trace = record(small_program(), clock="real")
    before = 0
    for r in trace:
        assert 0 <= r.ready_ns <= r.run_ns <= r.ended_ns
        assert before <= r.run_ns
        before = r.ended_ns
    timers = [r for r in trace if r.due_ns is not None]
    early, late, woken = (r.due_ns for r in timers)
    assert early is not None and late is not None
    assert early + 199 * MS < late == woken
    # A timer may fire early by the resolution of the loop's clock.
    assert all(r.lateness is not None and -0.02 < r.lateness < 5 for r in timers)
    assert sum(r.duration for r in trace if r.task == "consumer") >= 0.006
    assert trace.duration >= 0.29
    assert trace.busy + trace.idle == pytest.approx(trace.duration)


def test_a_timer_wakes_the_select_but_idle_time_is_not_busy_time() -> None:
    async def main() -> None:
        await asyncio.sleep(0.2)

    trace = record(main(), clock="real")
    assert trace.idle > 0.15
    assert trace.busy < 0.15


def test_python_tasks_have_names_too() -> None:
    async def main() -> None:
        async def inner() -> None:
            await asyncio.sleep(0.001)

        loop = asyncio.get_running_loop()
        loop.set_task_factory(
            lambda loop, coro, **options: asyncio.tasks._PyTask(  # type: ignore[attr-defined]
                coro, loop=loop, **options
            )
        )
        task = loop.create_task(inner())
        task.set_name("slow-but-readable")
        await task

    trace = record(main(), clock="real").filter(task="slow-but-readable")
    assert [bare(r.label) for r in trace] == ["inner", "inner"]


# -- labels ----------------------------------------------------------------------------


class Caller:
    def __call__(self) -> None: ...
    def method(self) -> None: ...


@both_clocks
def test_labels(clock: Any) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        assert task is not None
        for callback in (
            Caller(),
            Caller().method,
            partial(partial(Caller().method)),
            [].clear,
            task.cancelled,  # bound to a task but no step of it
            lambda: None,
        ):
            loop.call_soon(callback)
        await asyncio.sleep(0)

    labels = [bare(r.label) for r in record(main(), clock=clock) if r.task is None]
    assert [label.replace("_Numbered", "") for label in labels] == [
        "Caller",
        "Caller.method",
        "Caller.method",
        "list.clear",
        "Task.cancelled",
        "<lambda>",
    ]


@both_clocks
def test_cancelled_handles_do_not_count(clock: Any) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(nothing).cancel()
        loop.call_later(0.001, nothing).cancel()
        loop.call_soon(nothing)
        await asyncio.sleep(0.01)

    assert len(record(main(), clock=clock).filter(label="nothing")) == 1


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks came with 3.12")
@both_clocks
def test_the_first_step_of_an_eager_task_belongs_to_its_maker(clock: Any) -> None:
    async def main() -> None:
        async def inner() -> None:
            burn(0.01)
            await asyncio.sleep(0)

        factory = asyncio.eager_task_factory  # type: ignore[attr-defined]
        asyncio.get_running_loop().set_task_factory(factory)
        await asyncio.create_task(inner(), name="eager")

    trace = record(main(), clock=clock)
    assert len(trace.filter(task="eager")) == 1
    assert trace[0].duration >= 0.01


# -- attaching and detaching -----------------------------------------------------------


@both_loops
def test_attaching_amid_an_iteration_keeps_the_order(new_loop: Any) -> None:
    async def program(traced: bool) -> list[Any]:
        loop = asyncio.get_running_loop()
        seen: list[Any] = []

        async def tracing() -> None:
            seen.append("tracing")
            if traced:
                with LoopTracer():
                    await asyncio.sleep(0)
                    seen.append("inside")
            else:
                await asyncio.sleep(0)
                seen.append("inside")
            loop.call_soon(seen.append, "after")

        def add(name: str) -> None:
            seen.append(name)
            loop.call_soon(seen.append, f"{name}'s")

        loop.call_soon(add, "a")
        loop.call_soon(add, "b").cancel()
        task = asyncio.create_task(tracing())
        loop.call_soon(add, "c")
        loop.call_later(0, seen.append, "timer")
        loop.call_soon(add, "d")
        await task
        await asyncio.sleep(0.01)
        return seen

    with asyncio.Runner(loop_factory=new_loop) as runner:
        untraced = runner.run(program(False))
        assert runner.run(program(True)) == untraced
        assert set(untraced) == {
            *("a", "a's", "c", "c's", "d", "d's"),
            *("tracing", "inside", "after", "timer"),
        }


@both_loops
def test_the_loops_own_queue_comes_back(new_loop: Any) -> None:
    loop = new_loop()
    own = loop._ready
    assert type(own) is deque
    with LoopTracer(loop) as tracer:
        assert loop._ready is not own
        loop.call_soon(nothing)
        with pytest.raises(RuntimeError, match="no trace yet"):
            _ = tracer.trace
    assert loop._ready is own
    assert len(own) == 1  # still to run
    assert len(tracer.trace) == 0
    loop.call_soon(loop.stop)
    loop.run_forever()
    assert "burn" not in vars(loop)
    loop.close()


@both_loops
def test_a_loop_that_does_not_run_yet_is_seen_from_the_start(new_loop: Any) -> None:
    async def main() -> int:
        await asyncio.sleep(0)
        return 7

    loop = new_loop()
    with LoopTracer(loop) as tracer:
        assert loop.run_until_complete(main()) == 7
    loop.close()
    assert [bare(r.label) for r in tracer.trace] == [
        "main",
        "main",
        "_run_until_complete_cb",
    ]


@both_loops
def test_an_error_in_the_block_detaches(new_loop: Any) -> None:
    async def main() -> None:
        loop: Any = asyncio.get_running_loop()
        tracer = LoopTracer()
        with pytest.raises(ZeroDivisionError), tracer:
            _ = 1 / 0
        assert type(loop._ready) is deque
        assert len(tracer.trace) == 1
        with tracer:  # it may be used again
            await asyncio.sleep(0)
        assert len(tracer.trace) == 2

    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(main())


@both_loops
@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
def test_an_exit_through_the_loop_detaches(new_loop: Any, error: Any) -> None:
    def leave() -> None:
        raise error

    loop = new_loop()
    with pytest.raises(error), LoopTracer(loop) as tracer:
        loop.call_soon(leave)
        loop.call_soon(nothing)
        loop.run_forever()
    assert [bare(r.label) for r in tracer.trace] == ["leave"]
    assert len(loop._ready) == 1
    loop.close()


@both_loops
def test_closing_the_loop_in_the_block(new_loop: Any) -> None:
    loop = new_loop()
    with LoopTracer(loop) as tracer:
        loop.call_soon(nothing)
        loop.close()
    assert len(tracer.trace) == 0


def test_a_second_tracer_is_refused() -> None:
    async def main() -> None:
        with (
            LoopTracer() as tracer,
            pytest.raises(RuntimeError, match="traced already"),
            LoopTracer(),
        ):
            pass  # pragma: no cover
        assert len(tracer.trace) == 1

    run(main())
    asyncio.run(main())


def test_what_cannot_be_traced() -> None:
    class OtherLoop:  # uvloop keeps its queue in C
        def is_closed(self) -> bool:
            return False

    with pytest.raises(TypeError, match=r"OtherLoop keeps its ready queue where"):
        LoopTracer(OtherLoop()).__enter__()  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="no event loop is running here"):
        LoopTracer().__enter__()
    loop = VirtualTimeLoop()
    loop.close()
    with pytest.raises(RuntimeError, match="is closed"):
        LoopTracer(loop).__enter__()
    with pytest.raises(ValueError, match="limit is 0"):
        LoopTracer(limit=0)


def test_a_loop_in_another_thread_is_refused() -> None:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        while not loop.is_running():
            time.sleep(0.001)
        with pytest.raises(RuntimeError, match="runs in another thread"):
            LoopTracer(loop).__enter__()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def test_a_queue_that_somebody_replaced_is_reported() -> None:
    loop: Any = VirtualTimeLoop()
    with pytest.raises(RuntimeError, match="was replaced"), LoopTracer(loop):
        loop._ready = deque(loop._ready)
    loop.close()


def test_threads_lose_nothing() -> None:
    """Two threads add callbacks while tracers come and go."""
    each, threads = 3000, 2
    ran: list[tuple[int, int]] = []

    def send(loop: asyncio.AbstractEventLoop, who: int) -> None:
        for i in range(each):
            loop.call_soon_threadsafe(ran.append, (who, i))

    async def main() -> int:
        loop = asyncio.get_running_loop()
        senders = [
            threading.Thread(target=send, args=(loop, i)) for i in range(threads)
        ]
        for sender in senders:
            sender.start()
        seen = 0
        while any(sender.is_alive() for sender in senders):
            with LoopTracer() as tracer:
                await asyncio.sleep(0.001)
            seen += len(tracer.trace.filter(label="list.append"))
        for sender in senders:
            sender.join()
        await asyncio.sleep(0.05)
        return seen

    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # switch as often as can be
    try:
        seen = asyncio.run(main())
    finally:
        sys.setswitchinterval(old)
    for who in range(threads):
        assert [i for w, i in ran if w == who] == list(range(each))
    assert 0 < seen <= each * threads


@both_clocks
def test_tracing_keeps_no_task_and_no_coroutine(clock: Any) -> None:
    class Token: ...

    refs: list[weakref.ref[Any]] = []

    async def job(token: Token) -> None:
        await asyncio.sleep(0)

    async def main() -> list[bool]:
        with LoopTracer() as tracer:
            token = Token()
            task = asyncio.create_task(job(token))
            refs.extend([weakref.ref(token), weakref.ref(task)])
            await task
            del token, task
            await asyncio.sleep(0)  # the handle that woke us up held the task
            gc.collect()
            gone = [ref() is None for ref in refs]
        assert len(tracer.trace)
        return gone

    runner = run if clock == "virtual" else run_real
    assert runner(main()) == [True, True]


# -- record() --------------------------------------------------------------------------


@both_clocks
def test_an_error_in_main_propagates(clock: Any) -> None:
    async def main() -> None:
        await asyncio.sleep(0)
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        record(main(), clock=clock)


@both_clocks
def test_main_may_be_cancelled(clock: Any) -> None:
    async def main() -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(1)

    with pytest.raises(asyncio.CancelledError):
        record(main(), clock=clock)


@pytest.mark.filterwarnings("error")
def test_wrong_arguments() -> None:
    async def main() -> None: ...

    with pytest.raises(TypeError, match=r"call it: record\(main\(\)\)"):
        record(main)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="takes a coroutine, not 7"):
        record(7)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"clock is 'atomic': give \"virtual\""):
        record(main(), clock="atomic")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="limit is -1"):
        record(main(), limit=-1)
    gc.collect()  # a coroutine that was never awaited would warn here


def test_errors_of_the_virtual_clock_do_not_show_the_tracer() -> None:
    async def main() -> None:
        await asyncio.Event().wait()

    with pytest.raises(DeadlockError) as plain:
        run(main())
    with pytest.raises(DeadlockError) as traced:
        record(main())
    assert str(traced.value) == str(plain.value)


@both_clocks
def test_it_works_where_a_loop_runs_already(clock: Any) -> None:
    async def cell() -> Trace:
        return record(small_program(), clock=clock)

    assert story(asyncio.run(cell())) == story(record(small_program()))


# -- a limit ---------------------------------------------------------------------------


@both_clocks
def test_a_limit_keeps_the_newest_and_counts_the_others(clock: Any) -> None:
    async def main() -> None:
        for _ in range(3000):
            await asyncio.sleep(0)
        await small_program()

    trace = record(main(), clock=clock, limit=20)
    whole = record(main(), clock=clock)
    assert (len(trace), len(trace) + trace.dropped) == (20, len(whole))
    assert story(trace) == story(whole[-20:])
    if clock == "virtual":
        assert rows(trace) == rows(whole[-20:])
    assert "dropped: 2" in repr(trace).replace(",", "")
    assert whole.dropped == 0
    assert "dropped" not in repr(whole)


def test_a_limit_bounds_the_memory() -> None:
    async def main() -> int:
        with LoopTracer(limit=10):
            cells: Any = asyncio.get_running_loop()._ready.__bool__.__func__.__closure__  # type: ignore[attr-defined]
            notes = next(
                c.cell_contents for c in cells if isinstance(c.cell_contents, list)
            )
            worst = 0
            for _ in range(5000):
                await asyncio.sleep(0)
                worst = max(worst, len(notes))
        return worst

    assert run(main()) < 2000
    assert asyncio.run(main()) < 2000


# -- Trace -----------------------------------------------------------------------------


def make(
    run_ns: int, end_ns: int, *, due: int | None = None, task: str = "t"
) -> Record:
    return Record(min(run_ns, due or run_ns), due, run_ns, end_ns, task, "job")


def test_a_record_in_seconds() -> None:
    one = Record(1 * MS, 500_000, 3 * MS, 7 * MS, "t", "job")
    assert (one.ready_at, one.due_at, one.run_at, one.ended_at) == (
        0.001,
        0.0005,
        0.003,
        0.007,
    )
    assert (one.lateness, one.queueing_delay, one.duration) == (0.0025, 0.002, 0.004)
    assert make(5, 6).lateness is None
    assert repr(one) == "<Record job in t: ran 0.003 to 0.007 s, 0.0025 s late>"
    with pytest.raises(AttributeError):
        one.task = "other"  # type: ignore[misc]
    assert not hasattr(one, "__dict__")


def test_a_trace_is_a_sequence() -> None:
    trace = Trace([make(0, 1), make(2, 4, due=1), make(4, 9, task="u")], end_ns=20)
    assert (len(trace), trace[1].run_ns, trace[-1].task) == (3, 2, "u")
    part = trace[1:]
    assert isinstance(part, Trace)
    assert (list(part), part.end_ns) == ([trace[1], trace[2]], 20)
    assert trace[1] in trace
    assert list(reversed(trace)) == list(trace)[::-1]
    with pytest.raises(ValueError, match="runs forwards"):
        trace[::-1]
    assert list(trace.filter(task="u")) == [trace[2]]
    assert list(trace.filter(lambda r: r.duration > 1e-9, label="job")) == list(part)
    assert trace.latest == trace[1]
    assert trace.longest == trace[2]
    assert (trace.busy, trace.idle) == (8e-9, 12e-9)


def test_an_empty_trace_has_numbers() -> None:
    trace = Trace([])
    assert (trace.busy, trace.idle, trace.duration) == (0, 0, 0)
    assert (trace.worst_lateness, trace.latest, trace.longest) == (None, None, None)
    assert trace.worst_queueing_delay == 0
    assert dict(trace.by_task()) == {}


def test_records_out_of_order_are_refused() -> None:
    with pytest.raises(ValueError, match="in the order in which they ran"):
        Trace([make(5, 6), make(0, 1)])
    with pytest.raises(ValueError, match="ended before it ran"):
        Trace([make(5, 4)])


def test_json_and_back() -> None:
    trace = record(small_storm())
    data = json.loads(trace.to_json())
    assert data["fields"][2] == "run_ns"
    assert len(data["records"]) == len(trace)
    again = Trace.from_json(trace.to_json())
    assert again == trace
    assert again.result is None
    with pytest.raises(ValueError, match="not a trace"):
        Trace.from_json("[]")


def test_how_a_trace_shows_itself() -> None:
    trace = record(small_storm())
    assert repr(trace) == (
        "<Trace callbacks: 11, time: 2.75 s (virtual clock, exact), busy: 1.5 s, "
        "idle: 1.25 s, worst lateness: 1.25 s>"
    )
    html = trace._repr_html_()
    assert '<th scope="row">worst lateness</th><td>1.25 s</td>' in html
    assert "measured" in repr(record(small_program(), clock="real"))
