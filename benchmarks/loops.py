"""What our loops and the tracer cost, in instructions: ``make bench``.

It makes an environment of its own, runs each row in fresh processes under a counter of
instructions, prints the tables and writes ``benchmarks/results.json``.  A count has no
start of Python, no imports and no making of the loop in it: it is the difference
between a long run and a short one.  With words it measures only those tables, and
leaves the others of the file as they are.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import Awaitable, Callable, Sequence
from time import process_time
from typing import Any

from benchmarks import common, readme
from benchmarks.common import finish, settle
from tools.common import ToolError, say

RESULTS = common.FOLDER / "results.json"
STOCK, OURS = "stock loop", "PriorityEventLoop"
IN_USE = "PriorityEventLoop, priorities in use"
VIRTUAL, ORDERED = "VirtualTimeLoop", "VirtualPriorityLoop"
SOLIPSISM, ASYNKIT = "async-solipsism", "asynkit"
LOCK, OUR_LOCK = "asyncio.Lock", "PriorityLock"
PACKAGES = {name: name for name in (SOLIPSISM, ASYNKIT)}
UNTRACED, TRACED = "untraced", "LoopTracer"
CHAINS, CLIENTS, TASKS, BATCH = 100, 10, 1_000, 1_000
# A program runs about 50 times slower under Valgrind; the loop looks at a clock.
LOOK_EVERY = 0.05  # seconds


def new_loop(row: str) -> Any:
    """The loop of a row."""
    if row in (OURS, IN_USE, LOCK, OUR_LOCK):
        from looplab.priority import PriorityEventLoop

        return PriorityEventLoop(look_every=LOOK_EVERY)
    if row == VIRTUAL:
        from looplab import VirtualTimeLoop

        return VirtualTimeLoop()
    if row == ORDERED:
        from looplab.priority import VirtualPriorityLoop

        return VirtualPriorityLoop()
    if row == SOLIPSISM:
        import async_solipsism

        return async_solipsism.EventLoop()
    if row == ASYNKIT:
        from asynkit.experimental.priority import PrioritySelectorEventLoop

        return PrioritySelectorEventLoop()
    return asyncio.SelectorEventLoop()


# -- the works: each does `size` units, and returns how many it did ------------------


async def chain(size: int, row: str, at_once: int = 1) -> int:
    """A callback that schedules itself."""
    loop = asyncio.get_running_loop()
    done = loop.create_future()
    ran = 0

    def callback() -> None:
        nonlocal ran
        ran += 1
        if ran < size:
            loop.call_soon(callback)
        elif not done.done():
            done.set_result(None)

    for _ in range(at_once):
        loop.call_soon(callback)
    await done
    return size


async def chains(size: int, row: str) -> int:
    """A hundred of them, all ready."""
    return await chain(size, row, CHAINS)


async def awaits(size: int, row: str) -> int:
    """A task that makes another one and awaits it."""

    async def child() -> int:
        return 1

    return sum([await asyncio.create_task(child()) for _ in range(size)])


async def echo(size: int, row: str) -> int:
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


async def waiters(size: int, row: str) -> int:
    """Tasks that wait for one lock, each of which holds it for a moment."""
    from looplab.priority import PriorityLock

    lock: Any = PriorityLock() if row == OUR_LOCK else asyncio.Lock()
    held = 0

    async def task() -> None:
        nonlocal held
        async with lock:
            held += 1
            await asyncio.sleep(0)

    await asyncio.gather(*(task() for _ in range(size)))
    return held


async def sleeper(delays: Sequence[float]) -> None:
    """Sleep for these seconds, one after another."""
    for delay in delays:
        await asyncio.sleep(delay)


async def sleeps(size: int, row: str) -> int:
    """One task that sleeps again and again."""
    loop = asyncio.get_running_loop()
    before = loop.time()
    await sleeper([0.1] * size)
    return round(10 * (loop.time() - before))


async def thousand(size: int, row: str) -> int:
    """A thousand tasks that sleep, each for times of its own."""
    loop, draw = asyncio.get_running_loop(), random.Random(2026).uniform
    delays = [[draw(0.001, 1) for _ in range(size // TASKS)] for _ in range(TASKS)]
    before, longest = loop.time(), max(map(sum, delays))
    await asyncio.gather(*map(sleeper, delays))
    return size if abs(loop.time() - before - longest) < 0.01 * longest else 0


async def null_callbacks(size: int, row: str) -> int:
    """Callbacks that do nothing, a thousand of which are ready at once."""
    from looplab.trace import LoopTracer

    async def callbacks() -> None:
        for _ in range(size // BATCH):
            for _ in range(BATCH):
                asyncio.get_running_loop().call_soon(int)
            await asyncio.sleep(0)

    if row == UNTRACED:
        await callbacks()
        return size
    with LoopTracer() as tracer:
        await callbacks()
    if sys.argv[-1] == "bare":  # to read the trace is not counted
        return size
    return sum(record.label.startswith("int") for record in tracer.trace)


Work = Callable[[int, str], Awaitable[int]]
#: Of each table: its title, what does the work, one unit, the rows, of which the first
#: is the baseline, two sizes, and the highest ratios of the rows that have an aim.
TABLES: dict[str, tuple[str, Work, str, tuple[str, ...], tuple[int, int], Any]] = {
    "chain": (
        "A chain of callbacks", chain, "callback",
        (STOCK, OURS, IN_USE), (500, 2_500), {OURS: 1.05, IN_USE: 1.1},
    ),
    "chains": (
        "A hundred chains of callbacks", chains, "callback",
        (STOCK, OURS, IN_USE, ASYNKIT), (500, 2_500), {OURS: 1.05, IN_USE: 1.1},
    ),
    "awaits": (
        "A task awaits a task", awaits, "task",
        (STOCK, OURS, IN_USE), (200, 1_000), {OURS: 1.25, IN_USE: 1.25},
    ),
    "echo": (
        "TCP echo", echo, "round trip",
        (STOCK, OURS, IN_USE), (100, 500), {},
    ),
    "lock": (
        "Waiters for a lock, 1,000 and 4,000", waiters, "waiter",
        (LOCK, OUR_LOCK), (1_000, 4_000), {OUR_LOCK: 2},
    ),
    "sleeps": (
        "Virtual sleeps one after another", sleeps, "sleep",
        (SOLIPSISM, VIRTUAL, ORDERED), (500, 2_000), {VIRTUAL: 0.55},
    ),
    "thousand": (
        "Virtual sleeps of a thousand tasks", thousand, "sleep",
        (SOLIPSISM, VIRTUAL, ORDERED), (2_000, 5_000), {VIRTUAL: 0.65},
    ),
    "trace": (
        "Null callbacks on the stock loop, traced", null_callbacks, "callback",
        (UNTRACED, TRACED), (2_000, 8_000), {TRACED: 1.5},
    ),
}  # fmt: skip


def measure(table: str, row: str, size: int) -> float:
    """CPU seconds of the work of a table."""
    work = TABLES[table][1]
    loop = new_loop(row)

    async def main() -> tuple[int, float]:
        if row in (IN_USE, LOCK, OUR_LOCK):
            from looplab.priority.context import context_with

            # The work itself has priority 0: what waits elsewhere brings them into use.
            loop.call_later(3_600, int, context=context_with(1))
        settle()
        start = process_time()
        return await work(size, row), finish(start)

    done, cpu = loop.run_until_complete(main())
    if done != size:
        raise AssertionError(f"{done} of {size} were done")
    return float(cpu)


def run(words: Sequence[str] | None = None) -> None:
    """Measure, print, write."""
    top = common.parser("benchmarks", __doc__, 1)
    top.add_argument("tables", nargs="*", help=f"of {', '.join(TABLES)}; default: all")
    options = top.parse_args(words)
    python = common.environment(options.python)
    counter = common.find_counter(python)
    contest = common.Contest("benchmarks.loops", python, options.timeout)
    groups = []
    for key in options.tables or TABLES:
        title, work, unit, rows, sizes, aims = TABLES[key]
        counts = contest.instructions(key, rows, sizes, counter)
        group = common.group(
            f"{title}: instructions",
            f"instructions per {unit}",
            f"{work.__doc__} Counted by {counter.name}: the difference between "
            f"{sizes[1]:,} and {sizes[0]:,}.",
            counts,
            rows[0],
            rows=rows,
            why=contest.why,
            notes={row: f"aim: at most {aim:g}" for row, aim in aims.items()},
        )
        groups.append(group)
        say(f"\n{readme.section(group)}\n")
        for row in group["rows"]:
            if row["name"] in aims and row.get("ratio", 99) > aims[row["name"]]:
                say(f"NOT MET: {title}, {row['name']}: {row.get('ratio')}")
    facts = common.about(python, "make bench")
    packages = {PACKAGES[row]: text for row, text in contest.versions.items()}
    if options.tables and options.output is None:
        old = json.loads(RESULTS.read_text(encoding="utf-8"))
        if any(old[what] != facts[what] for what in ("machine", "python")):
            raise ToolError("the file is of another machine or Python: measure all")
        new = {group["title"]: group for group in groups}
        titles = [f"{entry[0]}: instructions" for entry in TABLES.values()]
        tables = {group["title"]: group for group in old["groups"]} | new
        groups = [tables[title] for title in titles if title in tables]
        packages = old["packages"] | packages
    results = facts | {"packages": packages, "groups": groups}
    common.publish(results, options.output or RESULTS)


def main() -> int:
    """Run the command, or measure for it."""
    if sys.argv[1:2] == ["--worker"]:
        return common.worker(measure, PACKAGES)
    return common.status(run)


if __name__ == "__main__":
    sys.exit(main())
