"""The case distilled: event loops that poll a queue, and a thread that calls them.

Each loop runs in a thread of its own and polls a thread queue with ``sleep(0)``, as the
old test client did.  The main thread calls a function on each loop in turn and waits
for the answer: a *hop*.  The tools of this folder look at this program from outside.

The program prints ``ready``, waits for a line on its standard input, works for some
seconds and prints one JSON object.  Times are seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import faulthandler
import json
import logging
import os
import queue
import resource
import statistics
import sys
import threading
import time
from collections import Counter
from concurrent.futures import Future
from pathlib import Path
from typing import Any


class PollingLoop(threading.Thread):
    """An event loop in a thread; its only task polls a queue."""

    def __init__(self, number: int) -> None:
        super().__init__(name=f"loop-{number}", daemon=True)
        self.queue: queue.Queue[None] = queue.Queue()
        self.loop = asyncio.new_event_loop()

    def run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self.loop) as runner:
            runner.run(self.poll())

    async def poll(self) -> None:
        while self.queue.empty():  # noqa: ASYNC110 - this is the case
            await asyncio.sleep(0)  # noqa: LAG201

    def hop(self) -> None:
        """Call a function on the loop and wait until it has run."""
        answer: Future[None] = Future()
        self.loop.call_soon_threadsafe(answer.set_result, None)
        answer.result()

    def stop(self) -> None:
        self.queue.put(None)
        self.join()


def hop_for(loops: list[PollingLoop], seconds: float) -> list[float]:
    """Hop from loop to loop; how long each hop took."""
    taken = []
    end = time.perf_counter() + seconds
    while not taken or time.perf_counter() < end:
        for loop in loops:
            started = time.perf_counter()
            loop.hop()
            taken.append(time.perf_counter() - started)
    return taken


def hops(loops: list[PollingLoop], seconds: float) -> dict[str, Any]:
    """Hop latency, and what the system counted meanwhile for caller and process."""
    # A thread alone is counted on Linux only.
    kinds = {"caller": "RUSAGE_THREAD", "process": "RUSAGE_SELF"}
    counted = {name: getattr(resource, kind, None) for name, kind in kinds.items()}
    before = {n: resource.getrusage(k) for n, k in counted.items() if k is not None}
    started = time.perf_counter()
    taken = hop_for(loops, seconds)
    wall = time.perf_counter() - started
    figures = described(taken)
    for name, first in before.items():
        last = resource.getrusage(counted[name])
        if name == "caller":
            each = (last.ru_nvcsw - first.ru_nvcsw) / len(taken)
            figures["caller_voluntary_switches_per_hop"] = round(each, 1)
        cpu = last.ru_utime + last.ru_stime - first.ru_utime - first.ru_stime
        figures[f"{name}_cpu_share"] = round(cpu / wall, 3)
    return figures


def described(taken: list[float]) -> dict[str, Any]:
    return {
        "hops": len(taken),
        "median_ms": round(statistics.median(taken) * 1000, 3),
        "worst_ms": round(max(taken) * 1000, 3),
    }


def frames(loops: list[PollingLoop], seconds: float) -> dict[str, Any]:
    """Look at ``sys._current_frames()`` a hundred times; the innermost functions."""
    seen: dict[str, Counter[str]] = {}
    main = threading.main_thread().ident
    names = {loop.ident: "loop" for loop in loops} | {main: "main"}
    over = threading.Event()

    def look() -> None:
        while not over.wait(seconds / 100):
            for ident, frame in sys._current_frames().items():
                if ident in names:
                    at = f"{frame.f_code.co_name} line {frame.f_lineno}"
                    file = Path(frame.f_code.co_filename).name
                    seen.setdefault(names[ident], Counter())[f"{file} {at}"] += 1

    looker = threading.Thread(target=look)
    looker.start()
    try:
        taken = hop_for(loops, seconds)
    finally:
        over.set()
        looker.join()
    common = {name: dict(count.most_common(4)) for name, count in seen.items()}
    return {**described(taken), "innermost": common}


def dump(loops: list[PollingLoop], seconds: float) -> dict[str, Any]:
    """Have the watchdog of ``faulthandler`` dump all stacks once, to standard error."""
    faulthandler.dump_traceback_later(seconds / 2)
    taken = hop_for(loops, seconds)
    faulthandler.cancel_dump_traceback_later()
    return described(taken)


def lag(loops: list[PollingLoop], seconds: float) -> dict[str, Any]:
    """A heartbeat on every loop: how late is it, while the caller waits for hops?"""
    from looplab.heartbeat import Heartbeat

    async def listen() -> Heartbeat:
        async with Heartbeat(0.02) as heart:
            await asyncio.sleep(seconds)
        return heart

    pending = [asyncio.run_coroutine_threadsafe(listen(), loop.loop) for loop in loops]
    taken = hop_for(loops, seconds)
    hearts = [answer.result() for answer in pending]
    late = [heart.summary() for heart in hearts]
    return {
        **described(taken),
        "beats": sum(part.count for part in late),
        "worst_lateness_ms": round(max(part.worst or 0.0 for part in late) * 1000, 3),
        "median_lateness_ms": round(
            statistics.median(part.p50 or 0.0 for part in late) * 1000, 3
        ),
    }


def debug(loops: list[PollingLoop], seconds: float) -> dict[str, Any]:
    """The same in asyncio's debug mode: how many warnings does it log?"""
    lines: list[str] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(f"{record.levelname} {record.getMessage()}")

    logging.getLogger("asyncio").addHandler(Keep())
    taken = hop_for(loops, seconds)
    return {
        **described(taken),
        "debug": all(loop.loop.get_debug() for loop in loops),
        "warnings": len(lines),
        "lines": lines[:5],
    }


WORK = {"hops": hops, "frames": frames, "dump": dump, "lag": lag, "debug": debug}


def main() -> None:
    parser = argparse.ArgumentParser(description="Loops that poll, and their caller.")
    parser.add_argument("work", choices=list(WORK))
    parser.add_argument("--loops", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2.0)
    options = parser.parse_args()
    print("ready", os.getpid(), flush=True)
    if not sys.stdin.readline():
        return
    loops = [PollingLoop(number) for number in range(1, options.loops + 1)]
    for loop in loops:
        loop.start()
    figures = WORK[options.work](loops, options.seconds)
    for loop in loops:
        loop.stop()
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
