"""One measurement, in a process of its own.

``python -m benchmarks.worker WORKLOAD CONTESTANT SIZE`` prints one line of JSON:
``{"cpu": seconds, "version": ...}`` or ``{"why": ..., "detail": ...}``.

It times the work only, not the start of Python, the imports or the making of the loop,
and checks afterwards that the work was done.  With one more word, ``bare``, the process
ends where the work does, unchecked: a count of its instructions has no clean-up in it.
"""

from __future__ import annotations

import asyncio
import gc
import importlib.metadata
import json
import os
import random
import sys
from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

from benchmarks.workloads import BATCH, CHAINS, TASKS, WORKLOADS

__all__ = ["main"]


class NotDoneError(Exception):
    """The contestant did not do the work that it was given."""


def delays_of(size: int, *, equal: bool) -> list[list[float]]:
    """The delays of each task, in seconds."""
    rounds = size // TASKS
    if equal:
        return [[0.1] * rounds for _ in range(TASKS)]
    draw = random.Random(2026).uniform
    delays = [[draw(0.001, 1.0) for _ in range(rounds)] for _ in range(TASKS)]
    if len({one for some in delays for one in some}) != rounds * TASKS:
        raise AssertionError("two delays are the same: take another seed")
    return delays


def check_clock(moved: float, delays: Sequence[Sequence[float]]) -> None:
    """Raise unless the clock moved by the longest task; some clocks are coarse."""
    wanted = max(map(sum, delays))
    if abs(moved - wanted) > 0.01 * wanted:
        raise NotDoneError(f"the clock moved by {moved:g} s instead of {wanted:g} s")


def settle() -> None:
    """Keep what the imports made away from the garbage collector, then begin."""
    gc.collect()
    gc.freeze()


def finish(start: float) -> float:
    """The CPU seconds since *start*; a bare process ends here."""
    cpu = process_time() - start
    if sys.argv[4:] == ["bare"]:
        print(json.dumps({"cpu": cpu, "version": None}), flush=True)
        os._exit(0)
    return cpu


# -- asyncio -------------------------------------------------------------------------


def new_loop(name: str) -> asyncio.AbstractEventLoop:
    """The loop of a contestant."""
    if name == "VirtualTimeLoop":
        from looplab import VirtualTimeLoop

        return VirtualTimeLoop()
    if name == "looptime":
        import looptime

        return looptime.new_event_loop()
    if name == "async-solipsism":
        import async_solipsism

        return async_solipsism.EventLoop()
    if name == "seedloop":
        from seedloop._loop import DeterministicLoop

        return DeterministicLoop()
    if name == "simloop":
        import simloop

        return simloop.SimLoop()
    return asyncio.new_event_loop()


def on_asyncio(name: str, work: Callable[[], Any]) -> float:
    """Run *work*, which returns a coroutine, on the loop of a contestant."""

    async def patched() -> float:
        from aiotools import VirtualClock

        with VirtualClock().patch_loop():
            return float(await work())

    loop = new_loop(name)
    try:
        return float(
            loop.run_until_complete(patched() if name == "aiotools" else work())
        )
    finally:
        loop.close()


def sleeps(delays: list[list[float]]) -> Callable[[], Any]:
    """Tasks that sleep."""

    async def sleeper(some: list[float]) -> None:
        for delay in some:
            await asyncio.sleep(delay)

    async def work() -> float:
        loop = asyncio.get_running_loop()
        settle()
        at = loop.time()
        start = process_time()
        tasks = [loop.create_task(sleeper(some)) for some in delays]
        for task in tasks:
            await task
        cpu = finish(start)
        check_clock(loop.time() - at, delays)
        return cpu

    return work


def soon(size: int) -> Callable[[], Any]:
    """Chains of callbacks."""

    async def work() -> float:
        loop = asyncio.get_running_loop()
        call_soon = loop.call_soon
        done = loop.create_future()
        running = CHAINS

        def step(left: int) -> None:
            nonlocal running
            if left:
                call_soon(step, left - 1)
                return
            running -= 1
            if not running:
                done.set_result(None)

        settle()
        start = process_time()
        for _ in range(CHAINS):
            call_soon(step, size // CHAINS - 1)
        await done
        return finish(start)

    return work


# -- trio ----------------------------------------------------------------------------


def on_trio(workload: str, size: int) -> float:
    """The same on Trio's clock that jumps."""
    import trio
    from trio.testing import MockClock

    delays = delays_of(size, equal=workload == "equal") if workload != "soon" else []

    async def sleeper(some: list[float]) -> None:
        for delay in some:
            await trio.sleep(delay)

    async def passer() -> None:
        for _ in range(size // CHAINS):
            await trio.lowlevel.checkpoint()

    async def work() -> float:
        settle()
        at = trio.current_time()
        start = process_time()
        async with trio.open_nursery() as nursery:
            for some in delays:
                nursery.start_soon(sleeper, some)
            if not delays:
                for _ in range(CHAINS):
                    nursery.start_soon(passer)
        cpu = finish(start)
        if delays:
            check_clock(trio.current_time() - at, delays)
        return cpu

    return float(trio.run(work, clock=MockClock(autojump_threshold=0)))


# -- tracers -------------------------------------------------------------------------


def null() -> None:
    """The callback that does nothing."""


def traced(tracer: str, loop: asyncio.AbstractEventLoop, size: int) -> float:
    """Null callbacks under a tracer."""

    read = tracer.endswith("read")

    async def callbacks() -> None:
        call_soon = loop.call_soon
        for _ in range(size // BATCH):
            for _ in range(BATCH):
                call_soon(null)
            await asyncio.sleep(0)

    async def plain() -> float:
        settle()
        start = process_time()
        await callbacks()
        return finish(start)

    async def looptracer() -> float:
        from looplab.trace import LoopTracer

        settle()
        with LoopTracer() as one:
            start = process_time()
            await callbacks()
            if not read:
                cpu = finish(start)
        if read:
            cpu = finish(start)
        ran = sum(record.label == "null" for record in one.trace)
        if ran != size:
            raise NotDoneError(f"the trace has {ran} of {size} null callbacks")
        return cpu

    async def viztracer() -> float:
        from viztracer import VizTracer

        one = VizTracer(verbose=0)
        settle()
        one.start()
        start = process_time()
        await callbacks()
        if not read:
            cpu = finish(start)
        one.stop()
        events = one.parse()
        if read:
            cpu = finish(start)
        if events < size:
            raise NotDoneError(f"VizTracer has {events} events of {size} callbacks")
        return cpu

    if tracer.startswith("LoopTracer"):
        work = looptracer
    elif tracer.startswith("VizTracer"):
        work = viztracer
    else:
        work = plain
        loop.set_debug(tracer == "asyncio debug mode")
    try:
        return float(loop.run_until_complete(work()))
    finally:
        loop.close()


# -- the process ---------------------------------------------------------------------


def measure(workload: str, name: str, size: int) -> float:
    """CPU seconds of the work."""
    if workload.startswith("trace"):
        kind = "VirtualTimeLoop" if workload == "trace-virtual" else "stock loop"
        return traced(name, new_loop(kind), size)
    if name == "trio MockClock":
        return on_trio(workload, size)
    if workload == "soon":
        return on_asyncio(name, soon(size))
    return on_asyncio(name, sleeps(delays_of(size, equal=workload == "equal")))


def answer(workload: str, name: str, size: int) -> dict[str, Any]:
    """What the process prints."""
    rows = next(one.contestants for one in WORKLOADS if one.key == workload)
    row = next(one for one in rows if one.name == name)
    if sys.version_info < row.needs:
        return {"why": "needs Python {}.{} or newer".format(*row.needs)}
    try:
        cpu = measure(workload, name, size)
    except ModuleNotFoundError as error:
        return {"why": "not installed", "detail": str(error)}
    except Exception as error:
        kind = type(error).__name__
        return {"why": f"failed with {kind}", "detail": f"{kind}: {error}"}
    version = importlib.metadata.version(row.package) if row.package else None
    return {"cpu": cpu, "version": version}


def main() -> None:
    """Measure what the command line names."""
    workload, name, size = sys.argv[1:4]
    print(json.dumps(answer(workload, name, int(size))))


if __name__ == "__main__":
    main()
