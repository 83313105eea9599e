"""The virtual loop against its peers, the tracer against others: ``make bench``.

It makes an environment of its own, measures each row in a fresh process, prints tables,
and, in a full run, writes ``benchmarks/results.json``.  It times the work only, not the
start of Python, the imports or the making of the loop, and checks that it was done.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

from benchmarks import common, readme
from benchmarks.common import finish, settle
from tools.common import say

OURS = "VirtualTimeLoop"
TASKS = 1000  # that sleep
CHAINS = 100  # of callbacks, each of which schedules the next
BATCH = 1000  # null callbacks that are ready at once
ROUNDS, QUICK_ROUNDS = 5, 3

LOOPS = {
    OURS: "charges CPU time; default settings",
    "seedloop": "charges no CPU time; its inner loop alone",
    "aiotools": "charges no CPU time",
    "async-solipsism": "charges no CPU time",
    "looptime": "charges no CPU time",
    "simloop": ("charges no CPU time; shuffles its ready queue, records each callback"),
    "trio MockClock": (
        "not asyncio; charges no CPU time, but a program can move the clock"
    ),
}
STOCK = {"stock loop": "asyncio's own, in real time"}
TRACERS = {
    "untraced": "",
    "LoopTracer": "while it records",
    "LoopTracer, read": "and makes its Trace afterwards",
    "VizTracer": "while it records function calls",
    "VizTracer, read": "and parses its data afterwards",
    "asyncio debug mode": "keeps where each callback was made",
}
#: The asyncio loops with a virtual clock of somebody else.
PEERS = ("seedloop", "aiotools", "async-solipsism", "looptime", "simloop")
PACKAGES = {peer: peer for peer in PEERS} | {
    "trio MockClock": "trio",
    "VizTracer": "viztracer",
    "VizTracer, read": "viztracer",
}


@dataclass(frozen=True)
class Workload:
    """One table of times, and one of instructions.

    Attributes:
        choice: the word after ``--only`` that selects it.
        about: the title of the times, with a place for the size.
        counted_about: the title of the instructions.
        what: one unit of the size.
        rows: the contestants with their notes.
        sizes: how many units a full run has, and a quick one.
        counted: two sizes; instructions are the difference between them.
        aim: the row that is judged, its highest ratio, and that in words.
        aim_on_time: whether times are judged too.
        each: whether a time is given per unit, in microseconds.
        remark: a sentence for the method.
    """

    choice: str
    about: str
    counted_about: str
    what: str
    rows: dict[str, str]
    sizes: tuple[int, int]
    counted: tuple[int, int]
    aim: tuple[str, float, str] | None
    remark: str
    aim_on_time: bool = True
    each: bool = False


def of_sleeps(which: str, aim: tuple[str, float, str] | None, remark: str) -> Workload:
    """Tasks that sleep."""
    return Workload(
        "sleeps",
        f"{{:,}} sleeps over {TASKS:,} tasks, all delays {which}",
        f"Instructions per sleep, {TASKS:,} tasks, all delays {which}",
        "sleep",
        LOOPS,
        (100_000, 10_000),
        (2_000, 12_000),
        aim,
        remark,
    )


def of_trace(where: str) -> Workload:
    """Null callbacks under a tracer."""
    return Workload(
        "trace",
        f"{{:,}} null callbacks on {where}, traced",
        f"Instructions per null callback on {where}, traced",
        "callback",
        TRACERS,
        (50_000, 20_000),
        (4_000, 24_000),
        ("LoopTracer", 1.4, "at most 1.4 of an untraced null callback"),
        "A null callback is made with call_soon and run; it does nothing. "
        f"{BATCH:,} of them are ready at once.",
        aim_on_time=False,
        each=True,
    )


AIM = (OURS, 0.9, "at most 0.9 of the fastest peer on asyncio")
WORKLOADS = {
    "sleeps": of_sleeps("different", AIM, "The delays are random with a fixed seed."),
    "equal": of_sleeps("equal", None, "All tasks wake at the same instants."),
    "soon": Workload(
        "soon",
        "{:,} calls of call_soon",
        "Instructions per call of call_soon",
        "callback",
        LOOPS | STOCK,
        (1_000_000, 100_000),
        (10_000, 60_000),
        AIM,
        f"{CHAINS} chains, in which each callback schedules the next. Trio has no "
        f"call_soon: there, {CHAINS} tasks pass checkpoints, the nearest it has.",
    ),
    "trace-stock": of_trace("the stock loop"),
    "trace-virtual": of_trace(OURS),
}


# -- the worker: loops ---------------------------------------------------------------


def delays_of(size: int, *, equal: bool) -> list[list[float]]:
    """The delays of each task, in seconds."""
    rounds = size // TASKS
    if equal:
        return [[0.1] * rounds for _ in range(TASKS)]
    draw = random.Random(2026).uniform
    return [[draw(0.001, 1.0) for _ in range(rounds)] for _ in range(TASKS)]


def check_clock(moved: float, delays: Sequence[Sequence[float]]) -> None:
    """Raise unless the clock moved by the longest task; some clocks are coarse."""
    wanted = max(map(sum, delays))
    if abs(moved - wanted) > 0.01 * wanted:
        raise AssertionError(f"the clock moved by {moved:g} s instead of {wanted:g} s")


def new_loop(name: str) -> Any:
    """The loop of a contestant."""
    if name == OURS:
        from looplab import VirtualTimeLoop

        return VirtualTimeLoop()
    if name == "looptime":
        import looptime

        return looptime.new_event_loop()
    if name == "async-solipsism":
        import async_solipsism

        return async_solipsism.EventLoop()
    if name == "seedloop":
        from seedloop._loop import DeterministicLoop

        return DeterministicLoop()
    if name == "simloop":
        import simloop

        return simloop.SimLoop()
    return asyncio.new_event_loop()


def on_asyncio(name: str, work: Callable[[], Any]) -> float:
    """Run *work*, which returns a coroutine, on the loop of a contestant."""

    async def patched() -> float:
        from aiotools import VirtualClock

        with VirtualClock().patch_loop():
            return float(await work())

    loop = new_loop(name)
    try:
        main = patched() if name == "aiotools" else work()
        return float(loop.run_until_complete(main))
    finally:
        loop.close()


def sleeps(delays: list[list[float]]) -> Callable[[], Any]:
    """Tasks that sleep."""

    async def sleeper(own: list[float]) -> None:
        for delay in own:
            await asyncio.sleep(delay)

    async def work() -> float:
        loop = asyncio.get_running_loop()
        settle()
        at = loop.time()
        start = process_time()
        tasks = [loop.create_task(sleeper(own)) for own in delays]
        for task in tasks:
            await task
        cpu = finish(start)
        check_clock(loop.time() - at, delays)
        return cpu

    return work


def soon(size: int) -> Callable[[], Any]:
    """Chains of callbacks."""

    async def work() -> float:
        loop = asyncio.get_running_loop()
        call_soon = loop.call_soon
        done = loop.create_future()
        running = CHAINS

        def step(left: int) -> None:
            nonlocal running
            if left:
                call_soon(step, left - 1)
                return
            running -= 1
            if not running:
                done.set_result(None)

        settle()
        start = process_time()
        for _ in range(CHAINS):
            call_soon(step, size // CHAINS - 1)
        await done
        return finish(start)

    return work


def on_trio(workload: str, size: int) -> float:
    """The same on Trio's clock that jumps."""
    import trio
    from trio.testing import MockClock

    delays = delays_of(size, equal=workload == "equal") if workload != "soon" else []

    async def sleeper(own: list[float]) -> None:
        for delay in own:
            await trio.sleep(delay)

    async def passer() -> None:
        for _ in range(size // CHAINS):
            await trio.lowlevel.checkpoint()

    async def work() -> float:
        settle()
        at = trio.current_time()
        start = process_time()
        async with trio.open_nursery() as nursery:
            for own in delays:
                nursery.start_soon(sleeper, own)
            if not delays:
                for _ in range(CHAINS):
                    nursery.start_soon(passer)
        cpu = finish(start)
        if delays:
            check_clock(trio.current_time() - at, delays)
        return cpu

    return float(trio.run(work, clock=MockClock(autojump_threshold=0)))


# -- the worker: tracers -------------------------------------------------------------


def null() -> None:
    """The callback that does nothing."""


def traced(tracer: str, loop: Any, size: int) -> float:
    """Null callbacks under a tracer."""
    read = tracer.endswith("read")

    async def callbacks() -> None:
        call_soon = loop.call_soon
        for _ in range(size // BATCH):
            for _ in range(BATCH):
                call_soon(null)
            await asyncio.sleep(0)

    async def plain() -> float:
        settle()
        start = process_time()
        await callbacks()
        return finish(start)

    async def looptracer() -> float:
        from looplab.trace import LoopTracer

        settle()
        with LoopTracer() as recorder:
            start = process_time()
            await callbacks()
            if not read:
                cpu = finish(start)
        if read:
            cpu = finish(start)
        ran = sum(record.label == "null" for record in recorder.trace)
        if ran != size:
            raise AssertionError(f"the trace has {ran} of {size} null callbacks")
        return cpu

    async def viztracer() -> float:
        from viztracer import VizTracer

        recorder = VizTracer(verbose=0)
        settle()
        recorder.start()
        start = process_time()
        await callbacks()
        if not read:
            cpu = finish(start)
        recorder.stop()
        events = recorder.parse()
        if read:
            cpu = finish(start)
        if events < size:
            raise AssertionError(f"VizTracer has {events} events of {size} callbacks")
        return cpu

    work = {"LoopTracer": looptracer, "VizTracer": viztracer}.get(
        tracer.partition(",")[0], plain
    )
    if work is plain:
        loop.set_debug(tracer == "asyncio debug mode")
    try:
        return float(loop.run_until_complete(work()))
    finally:
        loop.close()


def measure(workload: str, name: str, size: int) -> float:
    """CPU seconds of the work."""
    if workload.startswith("trace"):
        kind = OURS if workload == "trace-virtual" else "stock loop"
        return traced(name, new_loop(kind), size)
    if name == "trio MockClock":
        return on_trio(workload, size)
    if workload == "soon":
        return on_asyncio(name, soon(size))
    return on_asyncio(name, sleeps(delays_of(size, equal=workload == "equal")))


# -- the command ---------------------------------------------------------------------


def table(
    load: Workload, values: common.Values, why: dict[str, str], size: int, counter: str
) -> dict[str, Any]:
    """The table of times, or with a *counter* that of instructions."""
    medians = {row: statistics.median(own) for row, own in values.items()}
    # Beside the fastest peer, or what is not traced.
    rivals = [row for row in PEERS if row in medians and row in load.rows]
    baseline = min(rivals, key=medians.__getitem__) if rivals else "untraced"
    if counter:
        small, large = load.counted
        title, unit = load.counted_about, f"instructions per {load.what}"
        method = (
            f"Instructions counted by {counter}, per {load.what}: the difference "
            f"between a run of {large:,} and one of {small:,}. "
        )
    else:
        title = load.about.format(size)
        unit = f"µs per {load.what}" if load.each else "s"
        if load.each:
            values = {
                row: [seconds * 1e6 / size for seconds in own]
                for row, own in values.items()
            }
        rounds = max(map(len, values.values()))
        method = (
            "CPU time of the work alone, without the start of Python and the imports: "
            f"the median of {rounds} rounds. In a round each row runs once, in a fresh "
            "process, and ratios are taken within the round. "
        )
    return common.group(
        title,
        unit,
        method + load.remark,
        values,
        baseline,
        rows=list(load.rows),
        why=why,
        notes=load.rows,
        aim=load.aim if counter or load.aim_on_time else None,
    )


def run(words: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    top = common.parser("benchmarks", __doc__, ROUNDS)
    top.add_argument("--quick", action="store_true", help="small; writes no file")
    choices = dict.fromkeys(load.choice for load in WORKLOADS.values())
    top.add_argument("--only", choices=choices, help="one part; writes no file")
    top.add_argument("--instructions", action="store_true", help="count them too")
    options = top.parse_args(words)
    python = common.environment(options.python)
    counter = common.find_counter(python) if options.instructions else None
    rounds = min(options.rounds, QUICK_ROUNDS) if options.quick else options.rounds
    contest = common.Contest("benchmarks.loops", python, options.timeout)
    groups = []
    for key, load in WORKLOADS.items():
        if options.only not in (None, load.choice):
            continue
        size = load.sizes[options.quick]
        title = load.about.format(size)
        values = contest.seconds(key, list(load.rows), size, rounds, title)
        groups.append(table(load, values, contest.why, size, ""))
        say(f"\n{readme.section(groups[-1])}\n")
        if counter:
            counts = contest.instructions(key, list(load.rows), load.counted, counter)
            groups.append(table(load, counts, contest.why, size, counter.name))
            say(f"\n{readme.section(groups[-1])}\n")
    spoken = "make bench ARGS=--instructions" if counter else "make bench"
    results = common.about(python, spoken) | {
        "packages": {PACKAGES[row]: text for row, text in contest.versions.items()},
        "groups": groups,
    }
    whole = not (options.quick or options.only)
    path = options.output or (common.FOLDER / "results.json" if whole else None)
    common.publish(results, path)


def main() -> int:
    """Run the command, or measure for it."""
    if sys.argv[1:2] == ["--worker"]:
        return common.worker(measure, PACKAGES)
    return common.status(run)


if __name__ == "__main__":
    sys.exit(main())
