"""CPU time of the same work before and after a rest, by how much memory it touches.

``python -m request_cost.rested [CORE]`` prints JSON: for *few* and for *many*, the CPU
seconds of one piece of work, right after another one and after a rest of 20 ms.  Both
add up 2,000 numbers, each in a list of its own, with the same code.
*few* has 20 such lists, again and again; *many* has 2,000, scattered in memory.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

__all__ = ["REST", "cpu_after_a_rest"]

REST = 0.020  # seconds
NUMBERS = 2000
ROUNDS = 60
HERE = Path(__file__).resolve().parent


def measure() -> dict[str, list[float]]:
    """Seconds of CPU time: without a rest, and after one."""
    boxes = [[float(number)] for number in range(200_000)]
    works = {
        "few": boxes[:20] * (NUMBERS // 20),
        "many": random.Random(1).sample(boxes, NUMBERS),
    }
    taken_by: dict[str, list[list[float]]] = {name: [[], []] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            for taken, rest in zip(taken_by[name], (0.0, REST), strict=True):
                add_up(work)
                add_up(work)
                if rest:
                    time.sleep(rest)
                before = time.thread_time()
                add_up(work)
                taken.append(time.thread_time() - before)
    return {name: [median(costs) for costs in pair] for name, pair in taken_by.items()}


def add_up(boxes: list[list[float]]) -> float:
    """The work."""
    total = 0.0
    for box in boxes:
        total += box[0]
    return total


def cpu_after_a_rest(core: int | None) -> dict[str, list[float]]:
    """The same in a fresh process, on that core or wherever there is room."""
    command = [sys.executable, "-m", "request_cost.rested"]
    if core is not None:
        command.append(str(core))
    printed = subprocess.check_output(command, cwd=HERE.parent, text=True)
    taken_by: dict[str, list[float]] = json.loads(printed)
    return taken_by


if __name__ == "__main__":
    if sys.argv[1:]:
        os.sched_setaffinity(0, {int(sys.argv[1])})
    print(json.dumps(measure()))
