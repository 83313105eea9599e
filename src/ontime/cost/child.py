"""What runs inside the clean interpreter: a trial, the measurement, a count.

``trial N`` calls the work once, then finds out how often it must be called for one
value.  ``bench`` measures everything with pyperf, which starts a process of its own for
each few values.  ``count N CALLS`` calls the work so often and ends there, for a tool
that counts instructions.  The orders are in a file; results go to a log beside it, so
that nothing the work prints can be taken for a result.
"""

from __future__ import annotations

import asyncio
import functools
import gc
import importlib
import importlib.metadata
import json
import os
import pickle
import platform
import sys
import traceback
from collections.abc import Awaitable, Callable
from operator import itemgetter
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, cast

from ontime.measuring.sending import unpack

from .plan import SPEC, Order
from .variants import VARIANTS

__all__ = ["main"]

Work = Callable[[], Awaitable[object]]

#: One value takes at least so many seconds, of CPU time or of waiting.
TARGET = 0.02


def main() -> None:
    """Do what the command line says."""
    spec = pickle.loads(Path(os.environ[SPEC]).read_bytes())
    sys.path[:] = spec["path"]
    command, *numbers = sys.argv[1:]
    if command == "bench" or command.startswith("-"):
        _bench(spec)
        return
    number = int(numbers[0])
    with _Reported(spec, number):
        if command == "trial":
            _trial(spec, number)
        else:
            _sample(spec["works"][number], int(numbers[1]))
    # What the work has left behind must not hold the result back, nor be counted.
    os._exit(0)


class _Reported:
    """What the work raises is written to the log, and ends the process."""

    def __init__(self, spec: dict[str, Any], number: int) -> None:
        self._spec, self._number = spec, number

    def __enter__(self) -> None: ...

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if error is None:
            return
        line = f"{type(error).__name__}: {error}".splitlines()[0].rstrip(": ")
        record = {
            "error": line,
            "traceback": "".join(traceback.format_exception(error)),
            "work": self._number,
        }
        _log(self._spec, record)
        os._exit(1)


def _log(spec: dict[str, Any], record: dict[str, Any]) -> None:
    with Path(spec["log"]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def _make(order: Order) -> Work:
    """The function of which a call is measured."""
    if order.setup is not None:
        order.setup.resolve()()
    function = order.function.resolve()
    args = unpack(order.args)
    # A call without arguments must not pay for them.
    work: Any = functools.partial(function, *args) if args else function
    if order.variant is None:
        return work  # type: ignore[no-any-return]
    space: dict[str, Any] = {"asyncio": asyncio, "work": work}
    variant = VARIANTS[order.variant]
    if variant.package:
        space[variant.package] = importlib.import_module(variant.package)
    exec(variant.source(order.times), space)
    return space["variant"]  # type: ignore[no-any-return]


def _loop_factory(order: Order) -> Callable[[], asyncio.AbstractEventLoop]:
    if order.loop == "uvloop":
        factory = importlib.import_module("uvloop").new_event_loop
        return cast("Callable[[], asyncio.AbstractEventLoop]", factory)
    return asyncio.new_event_loop


def _sample(order: Order, calls: int) -> tuple[float, float]:
    """CPU and wall seconds of so many calls; a loop and its end are not in them."""
    work = _made(order)
    variant = VARIANTS.get(order.variant or "")
    eager = variant is not None and variant.eager

    async def main() -> tuple[float, float]:
        if eager:
            asyncio.get_running_loop().set_task_factory(
                vars(asyncio)["eager_task_factory"]  # since 3.12
            )
        wall, cpu = perf_counter(), process_time()
        for _ in range(calls):
            await work()
        return process_time() - cpu, perf_counter() - wall

    with asyncio.Runner(loop_factory=_loop_factory(order)) as runner:
        return runner.run(main())


def _undisturbed(order: Order, calls: int) -> tuple[float, float]:
    """CPU and wall seconds of so many calls, without a stop in between.

    Work that waits is told from a process that had to wait for a core by trying again.
    """
    best = _sample(order, calls)
    for _ in range(2):
        cpu, wall = best
        # Many calls are only asked for where fewer took less than the aim.
        known_long = calls == 1 and wall > 20 * TARGET
        if wall < TARGET or cpu > wall / 2 or known_long:
            break
        best = min(best, _sample(order, calls), key=itemgetter(1))
    return best


@functools.cache
def _made(order: Order) -> Work:
    """Made once, with the rubbish of the imports out of the way."""
    work = _make(order)
    gc.collect()
    gc.freeze()
    return work


def _trial(spec: dict[str, Any], number: int) -> None:
    """Call the work, and find out how many calls make a value."""
    order = spec["works"][number]
    calls = 1
    cpu, wall = _sample(order, calls)
    if spec["calls"] is None:
        if wall < 1 or TARGET <= cpu < 1:
            # The first call may import and fill caches: it says little.
            cpu, wall = _undisturbed(order, calls)
        while max(cpu, wall) < TARGET and calls < 10_000_000:
            # At most tenfold at a time: the first calls are the slow ones.
            calls *= min(10, max(2, round(TARGET / max(cpu, wall, 1e-9)) + 1))
            cpu, wall = _undisturbed(order, calls)
        calls = max(1, min(calls, round(calls * 1.2 * TARGET / max(cpu, wall))))
    else:
        calls = spec["calls"]
    version = importlib.metadata.version("uvloop") if order.loop == "uvloop" else ""
    record = {
        "work": number,
        "calls": calls,
        "tasks": asyncio.Task.__module__,
        "loop": version,
        "python": platform.python_version(),
    }
    _log(spec, record)


def _bench(spec: dict[str, Any]) -> None:
    """Measure every work with pyperf; its own processes come through here too."""
    pyperf = importlib.import_module("pyperf")

    boot = spec["boot"]
    runner = pyperf.Runner(program_args=("-c", boot))
    runner.parse_args(
        [word for word in sys.argv[1:] if word != "bench"] or spec["options"]
    )
    for place, number in enumerate(spec["bench"]):
        order, calls = spec["works"][number], spec["counts"][place]

        def measure(
            loops: int,
            order: Order = order,
            calls: int = calls,
            number: int = number,
        ) -> float:
            with _Reported(spec, number):
                cpu, wall = _sample(order, calls * loops)
            _log(spec, {"work": number, "pid": os.getpid(), "wall": wall / calls})
            return max(cpu, 1e-9)

        timed = runner.bench_time_func(f"work {number}", measure, inner_loops=calls)
        if timed is not None and not runner.args.worker:
            _log(spec, {"work": number, "values": list(timed.get_values())})
