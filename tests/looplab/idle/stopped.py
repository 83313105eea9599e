"""A program that the system stops for the whole of a first count of a guard.

Its loop polls all the time, but for that count, in which it gets no core.
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

from tests.looplab.idle.opened import in_thread

SECONDS = 0.3  # of a count


def main(name: str) -> None:
    guard = importlib.import_module(name)
    counts = 0
    has_core = threading.Event()
    has_core.set()

    async def poll() -> None:
        while True:
            await asyncio.sleep(0.005)
            has_core.wait()

    def sleep(seconds: float) -> None:
        nonlocal counts
        if seconds == SECONDS:
            counts += 1
            if counts == 1:
                has_core.clear()
                os.kill(os.getpid(), signal.SIGSTOP)
                return
            has_core.set()
        time.sleep(seconds)

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
