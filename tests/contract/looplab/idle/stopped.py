"""A program that the system stops for the whole of a first count of a guard.

Its loop polls all the time, but for that count, in which it gets no core.  Each other
count lasts until the loop has polled often enough to be seen.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import signal
import sys
import threading
import time
from types import SimpleNamespace

from tests.contract.looplab.idle.opened import in_thread

SECONDS = 0.3  # of a count
POLLS = 20  # in a count that must see them


def main(name: str) -> None:
    guard = importlib.import_module(name)
    counts = polls = 0
    has_core, stands_still = threading.Event(), threading.Event()
    has_core.set()

    async def poll() -> None:
        nonlocal polls
        while True:
            await asyncio.sleep(0.005)
            polls += 1
            if not has_core.is_set():
                stands_still.set()
                has_core.wait()

    def sleep(seconds: float) -> None:
        nonlocal counts
        if seconds != SECONDS:  # the wait before the first count
            has_core.clear()
            stands_still.wait()
            return
        counts += 1
        if counts == 1:
            os.kill(os.getpid(), signal.SIGSTOP)
            return
        has_core.set()
        enough = polls + POLLS
        while polls < enough:
            time.sleep(0.001)

    guard.time = SimpleNamespace(  # type: ignore[attr-defined]
        perf_counter=time.perf_counter, sleep=sleep
    )
    with in_thread(poll):
        try:
            guard.assert_idle(seconds=SECONDS)
        except AssertionError:
            print("failed", counts)
        else:
            print("passed", counts)
        finally:
            has_core.set()


if __name__ == "__main__":
    main(sys.argv[1])
