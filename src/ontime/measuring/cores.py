"""How many cores are free: ask before you believe a measurement of several."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack

from looplab._numbers import seconds_of

from .records import usable_cores

__all__ = ["free_cores"]


def free_cores(seconds: float = 0.3) -> float:
    """How many cores other programs leave to this process, at this moment.

    One process for each usable core spins for *seconds*; what CPU time they got
    together, by that time, is the answer.  On a machine where nothing else runs it is
    close to the number of usable cores.  Ask before you believe a speed-up.

    Raises:
        TypeError: *seconds* is not a number.
        ValueError: *seconds* is not above 0 and finite.

    Introduced in the chapter *Move CPU work off the loop*.
    """
    seconds = seconds_of(seconds, "seconds", above=True)
    # All begin together: each waits until its input ends.
    spin = (
        "import sys, time\nsys.stdin.read()\nbegun = time.process_time()\n"
        "end = time.monotonic() + float(sys.argv[1])\n"
        "while time.monotonic() < end: pass\n"
        "print(time.process_time() - begun)"
    )
    command = [sys.executable, "-S", "-E", "-c", spin, repr(seconds)]
    pipe = subprocess.PIPE
    with ExitStack() as stack:
        spinners = []
        for _ in range(usable_cores()):
            spinner = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
            stack.callback(_close, spinner)
            spinners.append(spinner)
        for spinner in spinners:
            assert spinner.stdin is not None
            spinner.stdin.close()
        got = 0.0
        for spinner in spinners:
            assert spinner.stdout is not None
            got += float(spinner.stdout.read())
    return got / seconds


def _close(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
