"""What our loops and the tracer cost, in instructions: ``make bench``.

It makes an environment of its own and runs each row in fresh processes under a counter
of instructions.  A count has no start of Python, no imports and no making of the loop
in it: it is the difference between a long run and a short one.  The counts go into
``results.json``, and the tables made of them into ``loops.md``.  With words it counts
only those tables, and keeps the others of the file.

The process of a row is ``python -m benchmarks.loops --worker TABLE ROW SIZE``.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib.metadata
import json
import os
import random
import sys
from collections.abc import Awaitable, Callable, Sequence
from pkgutil import resolve_name
from typing import Any

from benchmarks import common, readme
from ontime.measuring.counters import Counter
from tools.common import ToolError, say

RESULTS = common.FOLDER / "results.json"
TABLE = common.FOLDER / "loops.md"
STOCK, OURS = "stock loop", "PriorityEventLoop"
IN_USE = "PriorityEventLoop, priorities in use"
VIRTUAL, ORDERED = "VirtualTimeLoop", "VirtualPriorityLoop"
SOLIPSISM, ASYNKIT = "async-solipsism", "asynkit"
LOCK, OUR_LOCK = "asyncio.Lock", "PriorityLock"
PACKAGES = {name: name for name in (SOLIPSISM, ASYNKIT)}
UNTRACED, TRACED = "untraced", "LoopTracer"
#: Where the loop of a row is, if it is not the stock loop.
PRIORITY = "looplab.priority:PriorityEventLoop"
LOOPS = {
    **dict.fromkeys((OURS, IN_USE, LOCK, OUR_LOCK), PRIORITY),
    VIRTUAL: "looplab:VirtualTimeLoop",
    ORDERED: "looplab.priority:VirtualPriorityLoop",
    SOLIPSISM: "async_solipsism:EventLoop",
    ASYNKIT: "asynkit.experimental.priority:PrioritySelectorEventLoop",
}
CHAINS, CLIENTS, TASKS, BATCH = 100, 10, 1_000, 1_000
# A program runs about 50 times slower under Valgrind; the loop looks at a clock.
LOOK_EVERY = 0.05  # seconds


def new_loop(row: str) -> Any:
    """The loop of a row."""
    where = LOOPS.get(row, "asyncio:SelectorEventLoop")
    options = {"look_every": LOOK_EVERY} if where == PRIORITY else {}
    return resolve_name(where)(**options)


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
    with LoopTracer():
        await callbacks()
    return size  # to read the trace is not counted


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


def work(table: str, row: str, size: int) -> None:
    """Do the work of a table on the loop of a row; the process ends with it."""
    loop = new_loop(row)

    async def main() -> None:
        if row in (IN_USE, LOCK, OUR_LOCK):
            from looplab.priority.context import context_with

            # The work itself has priority 0: what waits elsewhere brings them into use.
            loop.call_later(3_600, int, context=context_with(1))
        # A socket's buffer of 256 KiB comes from the system each time, until the C
        # library has seen a greater block go.  Some imports show it one; so does this.
        bytes(bytearray(1 << 20))
        gc.collect()
        gc.freeze()
        done = await TABLES[table][1](size, row)
        if done != size:
            raise AssertionError(f"{done} of {size} were done")
        sys.stdout.flush()
        os._exit(0)  # what cleans up is not counted

    package = PACKAGES.get(row)
    print(importlib.metadata.version(package) if package else "")
    loop.run_until_complete(main())


def count(counter: Counter, python: str, table: str, row: str) -> tuple[float, str]:
    """Instructions per unit, and the version of the package.

    Raises:
        ToolError: the row cannot be counted.
    """
    counts = []
    words = [python, "-m", "benchmarks.loops", "--worker", table, row]
    short, long = TABLES[table][4]
    for size in (short, short, long):  # the first one compiles what was edited
        done = common.fresh([*counter.command, *words, str(size)])
        number = counter.find(done.stderr)
        if done.returncode or number is None:
            say(done.stderr)
            raise ToolError(f"{table}, {row}: status {done.returncode}, no count")
        counts.append(number)
    return (counts[2] - counts[1]) / (long - short), done.stdout.strip()


def section(table: str, counts: dict[str, float]) -> str:
    """A table in Markdown, with what was counted, and its aims."""
    title, work, unit, rows, sizes, aims = TABLES[table]
    heads = [title, f"instructions per {unit}", f"ratio to {rows[0]}", "aim"]
    lines = [readme.line(heads), "|---|--:|--:|---|"]
    for row in rows:
        ratio = counts[row] / counts[rows[0]]
        aim = ""
        if row in aims:
            met = "met" if ratio <= aims[row] else "**not met**"
            aim = f"at most {aims[row]:g}: {met}"
        number = f"{float(f'{counts[row]:.3g}'):,.0f}"
        lines.append(readme.line([row, number, f"{ratio:.2f}", aim]))
    about = f"{work.__doc__} The difference between {sizes[1]:,} and {sizes[0]:,}."
    return "\n".join([about, "", *lines, ""])


def page(results: dict[str, Any]) -> str:
    """All tables in Markdown, below what they were counted on."""
    machine, packages = results["machine"], results["packages"]
    facts = [*machine.values(), *(f"{name} {packages[name]}" for name in packages)]
    sections = [section(table, counts) for table, counts in results["counts"].items()]
    return "\n".join([", ".join(facts) + ".", "", *sections])


def run(words: Sequence[str] | None = None) -> None:
    """Count, print, write."""
    top = argparse.ArgumentParser(prog="make bench", description=__doc__)
    top.add_argument("tables", nargs="*", help=f"of {', '.join(TABLES)}; default: all")
    top.add_argument("--python", default=sys.executable, help="what is measured")
    options = top.parse_args(words)
    if unknown := set(options.tables) - TABLES.keys():
        raise ToolError(f"no table {', '.join(unknown)}: name {', '.join(TABLES)}")
    python = common.environment(options.python)
    counter = common.find_counter()
    machine = common.about(python) | {"by": f"counted by {counter.name}"}
    results: dict[str, Any] = {"machine": machine, "packages": {}, "counts": {}}
    if options.tables:
        old = json.loads(RESULTS.read_text(encoding="utf-8"))
        if old["machine"] != machine:
            raise ToolError("the file is of another machine or Python: count all")
        results = old
    for table in options.tables or TABLES:
        counts = results["counts"][table] = {}
        for row in TABLES[table][3]:
            counts[row], version = count(counter, python, table, row)
            if version:
                results["packages"][PACKAGES[row]] = version
        say(section(table, counts))
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    readme.write(TABLE, page(results))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        work(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    sys.exit(common.status(run))
