"""One program, one trace: in fresh processes, with other hash seeds and addresses.

``determinism_program.py`` walks sets of tasks wherever asyncio does: task groups that
abort, ``wait``, ``as_completed``, shutdown.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.contract.left import SLOW

PROGRAM = Path(__file__).with_name("determinism_program.py")
SOURCE = Path(__file__).parents[4] / "src"


def trace(seed: int) -> str:
    done = subprocess.run(
        [sys.executable, "-S", str(PROGRAM), str(SOURCE), str(seed)],
        env=os.environ | {"PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
        timeout=SLOW,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_same_trace_in_every_process() -> None:
    (same,) = {trace(seed) for seed in range(3)}
    for part in [
        "child 3 cancelled",  # by the group
        "failed (ValueError('child 23'),)",
        "wait 29 done",
        "future 19",
        "each 24 came",
        "left 64 cancelled",  # at shutdown
        "generator 11 closed",
    ]:
        assert part in same
