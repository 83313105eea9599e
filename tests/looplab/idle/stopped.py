"""A program that the system stops for the whole of a first count of a guard.

Its loop polls all the time, and yet hardly turns in that count.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import time
from types import SimpleNamespace

from tests.looplab.idle.opened import Poller, in_thread

SECONDS = 0.3  # of a count


def main(name: str) -> None:
    guard = importlib.import_module(name)
    counts = 0

    def sleep(seconds: float) -> None:
        nonlocal counts
        if seconds == SECONDS:
            counts += 1
            if counts == 1:
                os.kill(os.getpid(), signal.SIGSTOP)
                return
        time.sleep(seconds)

    guard.time = SimpleNamespace(  # type: ignore[attr-defined]
        perf_counter=time.perf_counter, sleep=sleep
    )
    with in_thread(Poller(0.005).poll):
        try:
            guard.assert_idle(seconds=SECONDS)
        except AssertionError:
            print("failed")
        else:
            print("passed")


if __name__ == "__main__":
    main(sys.argv[1])
