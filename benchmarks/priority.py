"""What priorities cost: ``python -m benchmarks.priority``.

It measures the priority loop beside asyncio's own and asynkit's, how the simulator of
chapter 7 grows, and what its ways to serve the most urgent first cost there; prints
tables and writes ``benchmarks/priority_results.json``.  With ``--only callbacks`` it
measures those tables only and leaves the others of the file as they are.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from math import log
from time import process_time
from typing import Any
from unittest import mock

from benchmarks import common, readme
from benchmarks.common import finish, settle
from tools.common import ToolError, say

RESULTS = common.FOLDER / "priority_results.json"
ROUNDS = 5
STOCK = "stock loop"
OURS = "PriorityEventLoop"
IN_USE = "PriorityEventLoop, priorities in use"
ASYNKIT = "asynkit"
ROWS = (STOCK, OURS, IN_USE, ASYNKIT)
NOTES = {ASYNKIT: "its own heap; a timer waits for the whole batch"}
# The highest ratio of instructions, where no work has a priority and where some has.
AIMS = {OURS: 1.05, IN_USE: 1.1}
CHAINS = 100  # callbacks, or tasks, that are ready at any time
CLIENTS = 10
#: Of each work: its title, one unit, how many are timed, two sizes that are counted,
#: what a reader must know, and whether its instructions have an aim.
WORKS: dict[str, tuple[str, str, int, tuple[int, int], str, bool]] = {
    "soon": (
        "Calls of call_soon",
        "call",
        200_000,
        (1_000, 11_000),
        f"{CHAINS} callbacks are ready at any time, and each schedules the next.",
        True,
    ),
    "yields": (
        "Tasks that yield",
        "yield",
        200_000,
        (1_000, 11_000),
        f"{CHAINS} tasks, each of which awaits sleep(0) again and again.",
        False,
    ),
    "echo": (
        "TCP echo",
        "round trip",
        10_000,
        (200, 1_200),
        f"{CLIENTS} clients and a server on one loop; 64 bytes there and back.",
        True,
    ),
}
VALGRIND_IS_SLOWER = 50  # times, about; the priority loop looks at a clock
LOOK_EVERY = 0.001

MESSAGES = (100, 1_000, 10_000)
GROWTH = 1.1
LONG_LEASE = 10_000  # seconds: the stock loop loses no message either, and works on
REPLAYS = 20  # of experiment E5 in one measurement: one takes some 50 ms
WAYS = (STOCK, "protocol", "protocol, settle=1", "gate", "priority loop")
CALLBACK_WORK = (
    "The consumer of experiment E5 on the virtual clock with the published settings, "
    f"but a lease of {LONG_LEASE:,} s: so the stock loop loses no message either, and "
    "all process the same rounds."
)


# -- the worker ----------------------------------------------------------------------


def new_loop(row: str) -> asyncio.AbstractEventLoop:
    """The loop of a row."""
    if row == STOCK:
        return asyncio.SelectorEventLoop()
    if row in (OURS, IN_USE):
        from looplab.priority import PriorityEventLoop

        every = os.environ.get("LOOK_EVERY")
        if every is None:
            return PriorityEventLoop()
        return PriorityEventLoop(look_every=float(every))
    from asynkit.experimental.priority import PrioritySelectorEventLoop

    loop: asyncio.AbstractEventLoop = PrioritySelectorEventLoop()
    return loop


async def soon(size: int) -> int:
    """Callbacks that schedule the next one."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    left, ran = size, 0

    def callback() -> None:
        nonlocal left, ran
        ran += 1
        if left:
            left -= 1
            loop.call_soon(callback)
        elif not done.done():
            done.set_result(None)

    left -= CHAINS
    for _ in range(CHAINS):
        loop.call_soon(callback)
    await done
    return ran


async def yields(size: int) -> int:
    """Tasks that give their turn back."""
    ran = 0

    async def give_back() -> None:
        nonlocal ran
        for _ in range(size // CHAINS):
            await asyncio.sleep(0)
            ran += 1

    await asyncio.gather(*(give_back() for _ in range(CHAINS)))
    return ran


async def echo(size: int) -> int:
    """Clients that send 64 bytes over TCP and wait for them to come back."""
    answered = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(64):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def client() -> None:
        nonlocal answered
        reader, writer = await asyncio.open_connection(*address)
        for _ in range(size // CLIENTS):
            writer.write(b"x" * 64)
            await reader.readexactly(64)
            answered += 1
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    address = server.sockets[0].getsockname()[:2]
    await asyncio.gather(*(client() for _ in range(CLIENTS)))
    server.close()
    return answered


def on_loop(work: str, row: str, size: int) -> float:
    """CPU seconds of the work on a loop."""
    loop = new_loop(row)

    async def main() -> tuple[int, float]:
        if row == IN_USE:
            from looplab.priority.context import context_with

            # The work itself has priority 0: what waits elsewhere brings them into use.
            loop.call_later(3_600, int, context=context_with(1))
        settle()
        start = process_time()
        done = await {"soon": soon, "yields": yields, "echo": echo}[work](size)
        cpu = finish(start)
        await asyncio.sleep(0.05)  # the server's last lines
        return done, cpu

    try:
        done, cpu = loop.run_until_complete(main())
    finally:
        loop.close()
    if not size <= done < size + CHAINS:
        raise AssertionError(f"{done} of {size} were done")
    return cpu


def replay(row: str, **settings: Any) -> Any:
    """One run of experiment E5 by a way."""
    from looplab.priority import ByPriority, PriorityGate, PriorityProtocol
    from ontime.leases import LeaseSettings, consume

    scheduler: Any = {
        STOCK: lambda: None,
        "protocol": PriorityProtocol,
        "protocol, settle=1": lambda: PriorityProtocol(settle=1),
        "gate": PriorityGate,
        "priority loop": ByPriority,
    }[row]()
    run = consume(LeaseSettings(**settings), scheduler)
    if run.processed != run.settings.messages:
        raise AssertionError(f"{run.processed} messages were processed")
    return run


def callbacks(row: str, runs: int) -> dict[str, Any]:
    """CPU seconds of so many runs, and the callbacks in them, the same in every run."""
    from looplab.clock import VirtualTimeLoop

    loops: list[Any] = []
    make, enough = VirtualTimeLoop.__init__, 10**12

    def make_counting(loop: Any, *args: Any, **options: Any) -> None:
        make(loop, *args, **options, max_steps=enough)
        loops.append(loop)

    with mock.patch.object(VirtualTimeLoop, "__init__", make_counting):
        replay(row, lease=LONG_LEASE)
    settle()
    start = process_time()
    for _ in range(runs):
        replay(row, lease=LONG_LEASE)
    cpu = process_time() - start
    count = sum(enough - loop._steps_left for loop in loops)
    return {"cpu": cpu, "callbacks": runs * count}


def measure(work: str, row: str, size: int) -> Any:
    """CPU seconds of the work, or more."""
    if work == "callbacks":
        return callbacks(row, size)
    if work in ("growth", "replay"):
        settle()
        start = process_time()
        replay(row, messages=size)
        return process_time() - start
    return on_loop(work, row, size)


# -- the tables ----------------------------------------------------------------------


def side_by_side(contest: common.Contest, rounds: int) -> list[dict[str, Any]]:
    """The priority loop beside asyncio's own and asynkit's: instructions and time."""
    counter = common.find_counter(contest.words[0])
    slower = VALGRIND_IS_SLOWER if counter.name == "Valgrind" else 1
    groups = []
    for work, (title, unit, size, counted, about, judged) in WORKS.items():
        before = ["env", f"LOOK_EVERY={LOOK_EVERY * slower}"]
        counts = contest.instructions(work, ROWS, counted, counter, before)
        method = (
            f"Instructions counted by {counter.name}, per {unit}: the difference "
            f"between a run of {counted[1]:,} and one of {counted[0]:,}. {about}"
        )
        if slower > 1:
            method += (
                f" A program runs about {slower} times slower under Valgrind, so the "
                "priority loop's time between two looks for I/O is as many times "
                "longer."
            )
        for row, rows, extra in (
            (OURS, ROWS, ""),
            (IN_USE, (STOCK, IN_USE), ", priorities in use"),
        )[: 2 if judged else 1]:
            aim = (row, AIMS[row], f"at most {AIMS[row]:g} of asyncio's own loop")
            groups.append(
                common.group(
                    f"{title}: instructions{extra}",
                    f"instructions per {unit}",
                    method,
                    counts,
                    STOCK,
                    rows=rows,
                    why=contest.why,
                    notes=NOTES,
                    aim=aim if judged else None,
                )
            )
        times = contest.seconds(work, ROWS, size, rounds, title)
        groups.append(
            common.group(
                f"{title}: time",
                f"µs per {unit}",
                f"CPU time, that of the system too, per {unit} of {size:,}: the "
                f"median of {rounds} rounds. In a round each row runs once, in a "
                f"fresh process; ratios are taken within the round. {about}",
                {row: [cpu * 1e6 / size for cpu in own] for row, own in times.items()},
                STOCK,
                rows=ROWS,
                why=contest.why,
                notes=NOTES,
            )
        )
    return groups


def growth(contest: common.Contest, rounds: int) -> list[dict[str, Any]]:
    """How the simulator of the lease consumer grows with the number of messages."""
    values = {}
    for size in MESSAGES:
        name = f"{size:,} messages"
        own = contest.seconds("growth", ["priority loop"], size, rounds, name)
        values[name] = own["priority loop"]
    few, many = MESSAGES[0], MESSAGES[-1]
    limit = common.short(GROWTH * many * log(many) / (few * log(few)))
    return [
        common.group(
            "The lease consumer in the simulator, by the number of messages",
            "s",
            f"CPU time of one run on the priority loop: the median of {rounds} "
            "rounds, each run in a fresh process. The settings are the published "
            "ones, and only the number of messages changes.",
            values,
            f"{few:,} messages",
            aim=(
                f"{many:,} messages",
                limit,
                f"at most {GROWTH:g} of n log n, which is {limit:g}",
            ),
        )
    ]


def replays(contest: common.Contest, rounds: int) -> list[dict[str, Any]]:
    """How long experiment E5 takes, by each of the three ways."""
    ways = {"protocol": "protocol", "gate": "gate", "priority loop": "loop"}
    times = contest.seconds("replay", list(ways), 100, rounds, "E5 replayed")
    return [
        common.group(
            "Experiment E5 replayed, about 2,000 s of it",
            "s",
            f"CPU time of one run on the virtual clock: the median of {rounds} runs, "
            "each in a fresh process.",
            {name: times[row] for row, name in ways.items()},
            aim=("protocol", 1, "at most a second"),
            of_value=True,
        )
    ]


def of_callbacks(contest: common.Contest, rounds: int) -> list[dict[str, Any]]:
    """What the ways to serve the most urgent first cost in experiment E5."""
    answers = contest.rounds("callbacks", WAYS, REPLAYS, rounds, "callbacks of E5")
    counts: common.Values = {}
    for row, own in answers.items():
        (count,) = {answer["callbacks"] for answer in own}
        counts[row] = [count // REPLAYS]
    rates = {
        row: [answer["callbacks"] / answer["cpu"] for answer in own]
        for row, own in answers.items()
    }
    counted = common.group(
        "Callbacks of the lease consumer",
        "callbacks",
        f"{CALLBACK_WORK} How many callbacks the loop runs: counted, and the same in "
        "every run.",
        counts,
        STOCK,
    )
    for row in counted["rows"]:
        row["value"] = counts[row["name"]][0]
    return [
        counted,
        common.group(
            "Callbacks of the lease consumer in a second",
            "callbacks per second of CPU time",
            f"{CALLBACK_WORK} CPU time of {REPLAYS} runs, so what waits for the "
            f"processor does not count: the median of {rounds} rounds. In a round "
            "each row runs once, in a fresh process; ratios are taken within the "
            "round.",
            rates,
            STOCK,
        ),
    ]


PARTS = {
    "loops": side_by_side,
    "growth": growth,
    "replay": replays,
    "callbacks": of_callbacks,
}


def run(words: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    top = common.parser("benchmarks.priority", __doc__, ROUNDS)
    top.add_argument("--only", choices=PARTS, help="leave the file's other tables")
    options = top.parse_args(words)
    python = common.environment(options.python)
    facts = common.about(python, "python -m benchmarks.priority")
    old = {"packages": {}, "groups": []}
    if options.only:
        old = json.loads(RESULTS.read_text(encoding="utf-8"))
        if any(old[what] != facts[what] for what in ("machine", "python")):
            raise ToolError("the file is of another machine or Python: no --only.")
    contest = common.Contest("benchmarks.priority", python, options.timeout)
    groups = {group["title"]: group for group in old["groups"]}
    for name, part in PARTS.items():
        if options.only in (None, name):
            for group in part(contest, options.rounds):
                groups[group["title"]] = group
                say(f"\n{readme.section(group)}\n")
    results = facts | {
        "packages": old["packages"] | contest.versions,
        "groups": list(groups.values()),
    }
    path = options.output or (RESULTS if options.rounds >= ROUNDS else None)
    common.publish(results, path)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        sys.exit(common.worker(measure, {ASYNKIT: "asynkit"}))
    sys.exit(common.status(run))
