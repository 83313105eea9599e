"""What priorities cost: ``python -m benchmarks.priority``.

It makes or uses ``.venv-bench``, measures the priority loop beside asyncio's own and
asynkit's, how the simulator of chapter 7 grows, and what its ways to serve the most
urgent first cost there; prints tables and writes ``benchmarks/priority_results.json``.

With ``--only callbacks`` it measures those tables only and leaves the others of the
file as they are.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

if sys.version_info < (3, 11):  # noqa: UP036 - one clear line for who runs it by hand
    sys.exit("error: Python 3.11 or newer is needed to run the benchmarks")

from benchmarks import environment, readme, report, runner
from benchmarks.priority_worker import (
    ASYNKIT,
    CHAINS,
    CLIENTS,
    IN_USE,
    LONG_LEASE,
    OURS,
    STOCK,
    WAYS,
)
from tools.common import ROOT, ToolError, say

__all__ = ["AIMS", "PARTS", "ROWS", "WORKLOADS", "Workload", "main", "table"]

RESULTS = ROOT / "benchmarks" / "priority_results.json"
ROUNDS = 5
SPOKEN = "python -m benchmarks.priority"
ROWS = (STOCK, OURS, IN_USE, ASYNKIT)
# The highest ratio of instructions, where no work has a priority and where some has.
AIMS = {OURS: 1.05, IN_USE: 1.1}
NOTES = {ASYNKIT: "its own heap; a timer waits for the whole batch"}
VALGRIND_IS_SLOWER = 50  # times, about; the priority loop looks at a clock
LOOK_EVERY = 0.001
MESSAGES = (100, 1_000, 10_000)
GROWTH = 1.1
REPLAYS = 20  # of experiment E5 in one measurement: one takes some 50 ms


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


class NotDoneError(Exception):
    """A row failed or took too long."""

    def __init__(self, why: str, detail: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.detail = detail


def command(python: str, *words: object) -> list[str]:
    """The command of one measurement."""
    return [python, "-m", "benchmarks.priority_worker", *map(str, words)]


def seconds(
    python: str, work: str, row: str, size: int, timeout: float
) -> tuple[float, str | None]:
    """CPU seconds of one measurement, and the peer's version.

    Raises:
        NotDoneError: It failed, or took too long.
    """
    done = runner.call(command(python, work, row, size), timeout)
    facts = runner.read(done, timeout)
    if "cpu" not in facts:
        raise NotDoneError(facts["why"], facts.get("detail", ""))
    return float(facts["cpu"]), facts["version"]


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


def row_of(name: str, own: list[float], base: list[float]) -> dict[str, Any]:
    """One row: the median, its ratio to another row's by rounds, and the spreads."""
    each = runner.ratios(own, base)
    row: dict[str, Any] = {
        "name": name,
        "value": runner.short(statistics.median(own)),
        "ratio": runner.short(statistics.median(each)),
    }
    if len(own) > 1:
        row["paired"] = True
        row["ratio_spread"] = [runner.short(min(each)), runner.short(max(each))]
        row["spread"] = [runner.short(min(own)), runner.short(max(own))]
    return row


def table(
    title: str,
    unit: str,
    method: str,
    values: dict[str, list[float]],
    why: dict[str, str],
    *,
    rows: Sequence[str] = ROWS,
    judged: str | None = None,
) -> dict[str, Any]:
    """One group of the results file; its schema is in benchmarks/schema.py.

    Args:
        title: The head of the table.
        unit: Of the values.
        method: How they were measured.
        values: For each row one value a round.
        why: For each row without values, why it has none.
        rows: The rows that it shows.
        judged: The row whose ratio to the stock loop has an aim.
    """
    made: list[dict[str, Any]] = []
    for name in rows:
        own = values.get(name)
        if own is None:
            made.append({"name": name, "value": None, "note": why[name]})
            continue
        row = row_of(name, own, values[STOCK])
        if name in NOTES:
            row["note"] = NOTES[name]
        made.append(row)
    group: dict[str, Any] = {"title": title, "unit": unit, "method": method}
    group["baseline"] = STOCK
    if judged is not None:
        text = f"at most {AIMS[judged]:g} of asyncio's own loop"
        group["aim"] = {"name": judged, "at_most": AIMS[judged], "text": text}
    return group | {"rows": made}


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


def give_up(
    row: str,
    error: NotDoneError,
    values: dict[str, list[float]],
    why: dict[str, str],
) -> None:
    """Note why a row has no figure.

    Raises:
        ToolError: It is the one that the others are compared with.
    """
    say(f"    {row}: {error.detail or error.why}")
    if row == STOCK:
        raise ToolError(f"the stock loop could not be measured: {error.why}.")
    values.pop(row, None)
    why[row] = error.why


def growth(python: str, rounds: int, timeout: float) -> dict[str, Any]:
    """How the simulator of the lease consumer grows with the number of messages.

    Raises:
        ToolError: A run failed.
    """
    values: dict[int, list[float]] = {size: [] for size in MESSAGES}
    for number in range(rounds):
        for size in MESSAGES:
            try:
                values[size].append(seconds(python, "leases", "loop", size, timeout)[0])
            except NotDoneError as error:
                raise ToolError(f"{error.why}: {error.detail}.") from None
        say(f"  messages in the simulator: round {number + 1} of {rounds}")
    names = {size: f"{size:,} messages" for size in MESSAGES}
    few, many = MESSAGES[0], MESSAGES[-1]
    limit = runner.short(GROWTH * many * log(many) / (few * log(few)))
    rows = [row_of(names[size], values[size], values[few]) for size in MESSAGES]
    return {
        "title": "The lease consumer in the simulator, by the number of messages",
        "unit": "s",
        "method": (
            f"CPU time of one run on the priority loop: the median of {rounds} "
            f"round{'s' * (rounds != 1)}, each run in a fresh process. The settings "
            "are the published ones, and only the number of messages changes."
        ),
        "baseline": names[few],
        "aim": {
            "name": names[many],
            "at_most": limit,
            "text": f"at most {GROWTH:g} of n log n, which is {limit:g}",
        },
        "rows": rows,
    }


def replay(python: str, rounds: int, timeout: float) -> dict[str, Any]:
    """How long experiment E5 takes, by each of the three ways.

    Raises:
        ToolError: A run failed.
    """
    rows = []
    for row in ("protocol", "gate", "loop"):
        try:
            each = [
                seconds(python, "leases", row, 100, timeout)[0] for _ in range(rounds)
            ]
        except NotDoneError as error:
            raise ToolError(f"{error.why}: {error.detail}.") from None
        rows.append(
            {
                "name": row,
                "value": runner.short(statistics.median(each)),
                "spread": [runner.short(min(each)), runner.short(max(each))],
            }
        )
    say("  experiment E5 replayed")
    return {
        "title": "Experiment E5 replayed, about 2,000 s of it",
        "unit": "s",
        "method": (
            f"CPU time of one run on the virtual clock: the median of {rounds} "
            f"run{'s' * (rounds != 1)}, each in a fresh process."
        ),
        "aim": {"name": "protocol", "value_at_most": 1, "text": "at most a second"},
        "rows": rows,
    }


def callbacks(python: str, rounds: int, timeout: float) -> list[dict[str, Any]]:
    """What the ways to serve the most urgent first cost in experiment E5.

    Raises:
        ToolError: A run failed.
    """
    counts: dict[str, int] = {}
    values: dict[str, list[float]] = {row: [] for row in WAYS}
    for number in range(rounds):
        turn = number % len(WAYS)  # nobody is always first
        for row in (*WAYS[turn:], *WAYS[:turn]):
            done = runner.call(command(python, "callbacks", row, REPLAYS), timeout)
            facts = runner.read(done, timeout)
            if "cpu" not in facts:
                raise ToolError(f"{facts['why']}: {facts.get('detail', '')}.")
            values[row].append(facts["callbacks"] / facts["cpu"])
            one = facts["callbacks"] // REPLAYS
            if counts.setdefault(row, one) != one:
                raise ToolError(
                    f"{row}: {one:,} callbacks, and {counts[row]:,} before."
                )
        say(f"  callbacks of experiment E5: round {number + 1} of {rounds}")
    work = (
        "The consumer of experiment E5 on the virtual clock with the published "
        f"settings, but a lease of {LONG_LEASE:,} s: so the stock loop loses no "
        "message either, and all process the same rounds."
    )
    total = {row: [float(count)] for row, count in counts.items()}
    return [
        {
            "title": "Callbacks of the lease consumer",
            "unit": "callbacks",
            "method": (
                f"{work} How many callbacks the loop runs: counted, and the same in "
                "every run."
            ),
            "baseline": STOCK,
            "rows": [
                row_of(row, total[row], total[STOCK]) | {"value": counts[row]}
                for row in WAYS
            ],
        },
        {
            "title": "Callbacks of the lease consumer in a second",
            "unit": "callbacks per second of CPU time",
            "method": (
                f"{work} CPU time of {REPLAYS} runs, so what waits for the processor "
                f"does not count: the median of {rounds} round{'s' * (rounds != 1)}. "
                "In a round each row runs once, in a fresh process; ratios are taken "
                "within the round."
            ),
            "baseline": STOCK,
            "rows": [row_of(row, values[row], values[STOCK]) for row in WAYS],
        },
    ]


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog=SPOKEN,
        description=(
            "Measure the priority loop beside asyncio's own and asynkit's, and how the "
            "simulator grows; print tables and write benchmarks/priority_results.json."
        ),
    )
    top.add_argument(
        "--rounds",
        type=int,
        choices=range(1, 101),
        default=ROUNDS,
        metavar="ROUNDS",
        help="measurements of each row (default: %(default)s); fewer write no file",
    )
    top.add_argument(
        "--python",
        default=sys.executable,
        help="the Python that is measured (default: the one that runs this)",
    )
    top.add_argument(
        "--timeout",
        type=float,
        default=300.0,
        metavar="SECONDS",
        help="longest real time of one measurement (default: %(default)g)",
    )
    top.add_argument(
        "--only",
        choices=PARTS,
        help="measure these tables only; the others of the file stay as they are",
    )
    top.add_argument("--output", type=Path, help="write the results here")
    return top


def stock_work(
    python: str, options: argparse.Namespace, packages: dict[str, str]
) -> list[dict[str, Any]]:
    """The loops beside one another."""
    counter = runner.find_counter([python])
    groups: list[dict[str, Any]] = []
    for load in WORKLOADS:
        groups += counted(python, load, counter, options.timeout)
        groups.append(timed(python, load, options.rounds, options.timeout, packages))
    return groups


Part = Callable[[str, argparse.Namespace, dict[str, str]], list[dict[str, Any]]]

#: The parts of the results, in their order.
PARTS: dict[str, Part] = {
    "loops": stock_work,
    "growth": lambda python, options, _: [
        growth(python, options.rounds, options.timeout)
    ],
    "replay": lambda python, options, _: [
        replay(python, options.rounds, options.timeout)
    ],
    "callbacks": lambda python, options, _: callbacks(
        python, options.rounds, options.timeout
    ),
}


def published(path: Path, here: dict[str, Any]) -> dict[str, Any]:
    """The results of a file that were measured as these are.

    Raises:
        ToolError: There are none, or they are of another machine or Python.
    """
    try:
        old: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ToolError(
            f"{runner.relative(path)} is missing: leave --only out."
        ) from None
    for what in ("machine", "python"):
        if old[what] != here[what]:
            raise ToolError(
                f"the {what} of {runner.relative(path)} is {old[what]}, and here it is "
                f"{here[what]}: leave --only out, so all are measured alike."
            )
    return old


def merged(
    old: list[dict[str, Any]], new: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The old tables, each replaced by a new one of its title, and the other new."""
    by_title = {group["title"]: group for group in new}
    kept = [by_title.pop(group["title"], group) for group in old]
    return [*kept, *by_title.values()]


def run(options: argparse.Namespace) -> None:
    """Measure, print, write.

    Raises:
        ToolError: There is no counter, or a row that must work failed.
    """
    if os.name != "posix":
        raise ToolError("the priority loop is measured on Linux and macOS only.")
    python = str(environment.ensure(options.python))
    facts = environment.about(python)
    results = {
        "machine": report.machine(facts["optimised"]),
        "python": facts["name"],
        "command": SPOKEN,
    }
    path = options.output or (RESULTS if options.rounds >= ROUNDS else None)
    old: dict[str, Any] = {"packages": {}, "groups": []}
    if options.only is not None:
        old = published(RESULTS, results)
    packages: dict[str, str] = dict(old["packages"])
    groups: list[dict[str, Any]] = []
    for name, measure in PARTS.items():
        if options.only in (None, name):
            groups += measure(python, options, packages)
    for one in groups:
        say("\n" + report.as_text(one) + "\n")
    whole = results | {"packages": packages, "groups": merged(old["groups"], groups)}
    if path is not None:
        report.write(whole, path)
        readme.follow(path)
        say(f"Written to {runner.relative(path)}.")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    options = parser().parse_args(argv)
    try:
        run(options)
    except ToolError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print("\nstopped; no results were written", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
