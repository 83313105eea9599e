"""The simulator of chapter 7: how it grows, and what its ways cost there."""

from __future__ import annotations

import statistics
from math import log
from typing import Any

from benchmarks import runner
from benchmarks.priority.rows import NotDoneError, command, row_of, seconds
from benchmarks.priority.worker import LONG_LEASE, STOCK, WAYS
from tools.common import ToolError, say

__all__ = ["REPLAYS", "callbacks", "growth", "replay"]

MESSAGES = (100, 1_000, 10_000)
GROWTH = 1.1
REPLAYS = 20  # of experiment E5 in one measurement: one takes some 50 ms


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
