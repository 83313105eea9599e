"""A program that the system stops for the whole of a first count of a guard.

Its loop polls all the time, and yet hardly turns in that count.
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

SECONDS = 0.3  # of a count


async def poll() -> None:
    while True:
        await asyncio.sleep(0.005)


def sleep(seconds: float, counts: list[float]) -> None:
    if seconds == SECONDS:
        counts.append(seconds)
        if len(counts) == 1:
            os.kill(os.getpid(), signal.SIGSTOP)
            return
    time.sleep(seconds)


def main(name: str) -> None:
    guard = importlib.import_module(name)
    loop = asyncio.new_event_loop()
    counts: list[float] = []
    guard.time = SimpleNamespace(  # type: ignore[attr-defined]
        perf_counter=time.perf_counter, sleep=lambda seconds: sleep(seconds, counts)
    )

    def run() -> None:
        asyncio.set_event_loop(loop)
        polling = loop.create_task(poll())
        polling.add_done_callback(lambda task: loop.stop())
        loop.run_forever()

    thread = threading.Thread(target=run)
    thread.start()
    while not loop.is_running():
        time.sleep(0.01)
    try:
        guard.assert_idle(seconds=SECONDS)
    except AssertionError:
        print("failed", len(counts))
    else:
        print("passed", len(counts))
    finally:
        for task in asyncio.all_tasks(loop):
            loop.call_soon_threadsafe(task.cancel)
        thread.join()
        loop.close()


if __name__ == "__main__":
    main(sys.argv[1])
