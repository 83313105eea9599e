"""How many cores there are, and how many are free."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack

__all__ = ["free_cores", "usable_cores"]


def usable_cores() -> int:
    """How many cores this process may use, which can be fewer than the machine has."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS or Windows
        return os.cpu_count() or 1


# All begin together: each waits until its input ends.
_SPIN = """\
import sys, time
sys.stdin.read()
begun = time.process_time()
end = time.monotonic() + float(sys.argv[1])
while time.monotonic() < end: pass
print(time.process_time() - begun)
"""


def free_cores(seconds: float = 0.3) -> float:
    """How many cores other programs leave to this process, at this moment.

    One process for each usable core spins for *seconds*; what CPU time they got
    together, by that time, is the answer.  On a machine where nothing else runs it is
    close to the number of usable cores.  Ask before you believe a speed-up.

    Introduced in the chapter *Move CPU work off the loop*.
    """
    command = [sys.executable, "-S", "-E", "-c", _SPIN, repr(seconds)]
    pipe = subprocess.PIPE
    with ExitStack() as stack:
        spinners = [
            stack.enter_context(
                subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
            )
            for _ in range(usable_cores())
        ]
        for spinner in spinners:
            assert spinner.stdin is not None
            spinner.stdin.close()
        got = 0.0
        for spinner in spinners:
            assert spinner.stdout is not None
            got += float(spinner.stdout.read())
    return got / seconds
