"""Run all messages of chapter 7 in real time: ``python -m benchmarks.leases``.

The lab runs a few messages, since a run with the published settings takes 40 s even at
1/50 of the time.  This command runs all of them and keeps what they did in
``book/figures/leases_real.json``, from which the lab reads it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from typing import Any

from looplab.priority import ByPriority, PriorityGate, PriorityProtocol
from ontime.leases import LeaseSettings, consume
from ontime.measuring.machine import free_cores, machine
from tools.common import ROOT, say

RECORD = ROOT / "book" / "figures" / "leases_real.json"
SCALE = 1 / 50
LIGHT, HEAVY = LeaseSettings(cpu=0.1), LeaseSettings()
HEAVIER = LeaseSettings(cpu=1.75)

#: For each name: the settings, what makes the scheduler, and how often it is run.
RUNS: dict[str, tuple[LeaseSettings, Callable[[], Any], int]] = {
    "E3 stock": (LIGHT, lambda: None, 5),
    "E4 stock": (HEAVY, lambda: None, 3),
    "E5 protocol as it stands": (HEAVY, PriorityProtocol, 1),
    "E5 protocol, settle=1": (HEAVY, lambda: PriorityProtocol(settle=1), 1),
    "E5 gate": (HEAVY, PriorityGate, 1),
    "E5 priority loop": (HEAVY, ByPriority, 1),
    "1.75 s, protocol as it stands": (HEAVIER, PriorityProtocol, 1),
    "1.75 s, priority loop": (HEAVIER, ByPriority, 1),
}


def measure(settings: LeaseSettings, scheduler: Any) -> dict[str, Any]:
    """Run the consumer once in real time, and say what it did.

    Args:
        settings: with the published times, which are scaled here.
        scheduler: see :func:`ontime.leases.consume`.

    Returns:
        The counts, and the times in seconds as if they had not been scaled; ``free``
        is how many cores other programs had left, just before and just after.
    """
    before = free_cores()
    run = consume(settings.scaled(SCALE), scheduler, clock="real")
    return {
        "messages": len(run.messages),
        "lost": run.lost,
        "held": run.held,
        "makespan": round(run.makespan / SCALE, 3),
        "worst_lateness": round(run.worst_lateness / SCALE, 3),
        "free": [round(before, 2), round(free_cores(), 2)],
    }


def main(words: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=RUNS, action="append", help="what is run")
    options = parser.parse_args(words)
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    record |= {"scale": SCALE, "machine": machine()}
    for name in options.only or RUNS:
        settings, new_scheduler, times = RUNS[name]
        record["runs"][name] = [
            measure(settings, new_scheduler()) for _ in range(times)
        ]
        for run in record["runs"][name]:
            say(f"{name}: {run['lost']} of {run['messages']} lost, free {run['free']}")
        # After each, so that an interrupted command keeps what it has measured.
        text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
        RECORD.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
