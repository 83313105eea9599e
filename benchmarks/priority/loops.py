"""The priority loop beside asyncio's own and asynkit's: time and instructions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmarks import runner
from benchmarks.priority.rows import (
    ROWS,
    NotDoneError,
    command,
    give_up,
    seconds,
    table,
)
from benchmarks.priority.worker import CHAINS, CLIENTS, IN_USE, OURS, STOCK
from tools.common import say

__all__ = ["LOOK_EVERY", "WORKLOADS", "Workload", "counted", "side_by_side", "timed"]

VALGRIND_IS_SLOWER = 50  # times, about; the priority loop looks at a clock
LOOK_EVERY = 0.001


@dataclass(frozen=True)
class Workload:
    """What the loops do.

    Args:
        key: Its name in the worker.
        title: The head of its tables.
        unit: What one of them is.
        size: How many are timed.
        counted: How many are run to count instructions: the difference counts.
        about: What the reader must know.
        is_judged: Whether its instructions have an aim.
    """

    key: str
    title: str
    unit: str
    size: int
    counted: tuple[int, int]
    about: str
    is_judged: bool


WORKLOADS = (
    Workload(
        "soon",
        "Calls of call_soon",
        "call",
        200_000,
        (1_000, 11_000),
        f"{CHAINS} callbacks are ready at any time, and each schedules the next.",
        True,
    ),
    Workload(
        "yields",
        "Tasks that yield",
        "yield",
        200_000,
        (1_000, 11_000),
        f"{CHAINS} tasks, each of which awaits sleep(0) again and again.",
        False,
    ),
    Workload(
        "echo",
        "TCP echo",
        "round trip",
        10_000,
        (200, 1_200),
        f"{CLIENTS} clients and a server on one loop; 64 bytes there and back.",
        True,
    ),
)


def instructions(
    python: str, load: Workload, row: str, counter: runner.Counter, timeout: float
) -> float:
    """Instructions for one unit of work.

    Raises:
        NotDoneError: It failed, or took too long.
    """
    look = LOOK_EVERY * (VALGRIND_IS_SLOWER if counter.name == "Valgrind" else 1)
    prefix = ["env", f"LOOK_EVERY={look}", *counter.command]
    small, large = load.counted
    # This compiles what was edited since the last run.
    runner.call(command(python, load.key, row, small), timeout)
    counts = []
    for size in load.counted:
        words = command(python, load.key, row, size, "bare")
        done = runner.call([*prefix, *words], timeout)
        facts = runner.read(done, timeout)
        if "cpu" not in facts:
            raise NotDoneError(facts["why"], facts.get("detail", ""))
        number = counter.find(done[2]) if done else None
        if number is None:
            raise NotDoneError(f"{counter.name} gave no count")
        counts.append(number)
    if counts[1] <= counts[0]:
        raise NotDoneError("the greater run took fewer instructions")
    return (counts[1] - counts[0]) / (large - small)


def timed(
    python: str, load: Workload, rounds: int, timeout: float, packages: dict[str, str]
) -> dict[str, Any]:
    """The table of CPU time.

    Raises:
        ToolError: The stock loop itself could not be measured.
    """
    values: dict[str, list[float]] = {}
    why: dict[str, str] = {}
    for number in range(rounds):
        turn = number % len(ROWS)  # nobody is always first
        for row in (*ROWS[turn:], *ROWS[:turn]):
            if row in why:
                continue
            try:
                cpu, version = seconds(python, load.key, row, load.size, timeout)
            except NotDoneError as error:
                give_up(row, error, values, why)
                continue
            values.setdefault(row, []).append(cpu * 1e6 / load.size)
            if version:
                packages[row] = version
        say(f"  {load.title}: round {number + 1} of {rounds}")
    method = (
        f"CPU time, that of the system too, per {load.unit} of {load.size:,}: the "
        f"median of {rounds} round{'s' * (rounds != 1)}. In a round each row runs "
        "once, in a fresh process; ratios are taken within the round. "
        f"{load.about}"
    )
    return table(f"{load.title}: time", f"µs per {load.unit}", method, values, why)


def counted(
    python: str, load: Workload, counter: runner.Counter, timeout: float
) -> list[dict[str, Any]]:
    """The tables of instructions: one of all rows, one where priorities are in use.

    Raises:
        ToolError: The stock loop itself could not be measured.
    """
    values: dict[str, list[float]] = {}
    why: dict[str, str] = {}
    for row in ROWS:
        try:
            values[row] = [instructions(python, load, row, counter, timeout)]
        except NotDoneError as error:
            give_up(row, error, values, why)
        say(f"  {load.title}: instructions of {row}")
    small, large = load.counted
    method = (
        f"Instructions counted by {counter.name}, per {load.unit}: the difference "
        f"between a run of {large:,} and one of {small:,}. {load.about}"
    )
    if counter.name == "Valgrind":
        method += (
            f" A program runs about {VALGRIND_IS_SLOWER} times slower under Valgrind, "
            "so the priority loop's time between two looks for I/O is as many times "
            "longer."
        )
    unit = f"instructions per {load.unit}"
    name = f"{load.title}: instructions"
    if not load.is_judged:
        return [table(name, unit, method, values, why)]
    few = [STOCK, IN_USE]
    return [
        table(name, unit, method, values, why, judged=OURS),
        table(
            f"{name}, priorities in use",
            unit,
            method,
            values,
            why,
            rows=few,
            judged=IN_USE,
        ),
    ]


def side_by_side(
    python: str, rounds: int, timeout: float, packages: dict[str, str]
) -> list[dict[str, Any]]:
    """All tables of the loops.

    Raises:
        ToolError: There is no counter, or the stock loop could not be measured.
    """
    counter = runner.find_counter([python])
    groups: list[dict[str, Any]] = []
    for load in WORKLOADS:
        groups += counted(python, load, counter, timeout)
        groups.append(timed(python, load, rounds, timeout, packages))
    return groups
