"""One program, one trace: in fresh processes, with other hash seeds and addresses.

``determinism_program.py`` walks sets of tasks wherever asyncio does: task groups that
abort, ``wait``, ``as_completed``, shutdown.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.contract.left import SLOW

PROGRAM = Path(__file__).with_name("determinism_program.py")
SOURCE = Path(__file__).parents[4] / "src"
PROCESSES = 8


def trace_of_fresh_process(kind: str, seed: int) -> str:
    done = subprocess.run(
        [sys.executable, "-S", str(PROGRAM), kind, str(SOURCE), str(seed)],
        env=os.environ | {"PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def traces(kind: str, processes: int) -> Counter[str]:
    with ThreadPoolExecutor(2) as pool:
        return Counter(
            pool.map(lambda seed: trace_of_fresh_process(kind, seed), range(processes))
        )


def test_same_trace_in_every_process() -> None:
    found = traces("numbered", PROCESSES)
    assert len(found) == 1, f"{len(found)} different traces: {found.values()}"
    (trace,) = found
    for part in [
        "child 3 cancelled",  # by the group
        "failed (ValueError('child 23'),)",
        "wait 29 done",
        "future 19",
        "each 24 came",
        "taker 2 took",
        "left 64 cancelled",  # at shutdown
        "generator 11 closed",
    ]:
        assert part in trace


def test_plain_tasks_make_the_traces_differ() -> None:
    """The program would notice: with tasks that hash by address it has many traces."""
    assert len(traces("plain", 8)) > 1
