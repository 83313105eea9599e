"""What runs in a fresh interpreter: a trial, some values, calls to be counted."""

from __future__ import annotations

import asyncio
import functools
import gc
import importlib
import inspect
import operator
import pickle
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any, NamedTuple

from .variants import variant_source

__all__ = ["TARGET", "Order", "Trial", "count", "trial", "values"]

#: One value takes at least so many seconds, of CPU time or of waiting.
TARGET = 0.02


@dataclass(frozen=True)
class Order:
    """What the fresh interpreter is to call.

    Attributes:
        function: a coroutine function by its name, ``"module:name"``, or packed.
        args: its arguments, packed.
        loop: ``"asyncio"`` or ``"uvloop"``.
        setup: a function that is called before anything else, in the same two forms.
        variant: the way to await it, or None for the function itself.
        times: how many awaits of a variant.
    """

    function: str | bytes
    args: bytes
    loop: str
    setup: str | bytes | None
    variant: str | None
    times: int


class Trial(NamedTuple):
    """How many calls make a value, and the module that the tasks come from."""

    calls: int
    tasks: str


def _resolve(reference: str | bytes) -> Callable[..., Any]:
    if isinstance(reference, bytes):
        return pickle.loads(reference)  # type: ignore[no-any-return]
    module, _, name = reference.partition(":")
    function: Any = operator.attrgetter(name)(importlib.import_module(module))
    return function  # type: ignore[no-any-return]


@functools.cache
def _work(order: Order) -> Callable[[], Awaitable[object]]:
    """The function of which a call is measured, without the rubbish of the imports."""
    if order.setup is not None:
        _resolve(order.setup)()
    function = _resolve(order.function)
    if not inspect.iscoroutinefunction(function):
        raise TypeError(f"{order.function!r} is not a coroutine function (async def)")
    args = pickle.loads(order.args)
    # A call without arguments must not pay for them.
    work: Any = functools.partial(function, *args) if args else function
    if order.variant is not None:
        space: dict[str, Any] = {"asyncio": asyncio, "work": work}
        if order.variant.startswith("anyio"):
            space["anyio"] = importlib.import_module("anyio")
        exec(variant_source(order.variant, order.times), space)
        work = space["variant"]
    gc.collect()
    gc.freeze()
    return work  # type: ignore[no-any-return]


def _sample(order: Order, calls: int) -> tuple[float, float]:
    """CPU and wall seconds of so many calls; a loop and its end are not in them."""
    work = _work(order)
    module: Any = asyncio
    if order.loop == "uvloop":
        module = importlib.import_module("uvloop")
    eager = order.variant is not None and order.variant.endswith("eager")

    async def main() -> tuple[float, float]:
        if eager:
            asyncio.get_running_loop().set_task_factory(
                vars(asyncio)["eager_task_factory"]  # since 3.12
            )
        wall, cpu = perf_counter(), process_time()
        for _ in range(calls):
            await work()
        return process_time() - cpu, perf_counter() - wall

    with asyncio.Runner(loop_factory=module.new_event_loop) as runner:
        return runner.run(main())


def _undisturbed(order: Order, calls: int) -> tuple[float, float]:
    """CPU and wall seconds of so many calls, without a stop in between.

    A process that had to wait for a core is told from work that waits by trying again.
    """
    samples = [_sample(order, calls)]
    while samples[-1][0] < samples[-1][1] / 2 and len(samples) < 3:
        samples.append(_sample(order, calls))
    return min(samples, key=operator.itemgetter(1))


def trial(request: tuple[Order, int | None]) -> Trial:
    """Call the work once, and find out how many calls make a value, unless told."""
    order, calls = request
    cpu, wall = _sample(order, 1)
    if calls is None:
        calls = 1
        if wall < 1 or TARGET <= cpu < 1:
            # The first call may import and fill caches: it says little.
            cpu, wall = _undisturbed(order, calls)
        while max(cpu, wall) < TARGET and calls < 10_000_000:
            # At most tenfold at a time: the first calls are the slow ones.
            calls *= min(10, max(2, round(TARGET / max(cpu, wall, 1e-9)) + 1))
            cpu, wall = _undisturbed(order, calls)
        calls = max(1, min(calls, round(calls * 1.2 * TARGET / max(cpu, wall))))
    return Trial(calls, asyncio.Task.__module__)


def values(
    request: tuple[Order, int, int],
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """CPU and wall seconds of a call, for each of so many values, by ``pyperf``."""
    order, calls, count = request
    pyperf = importlib.import_module("pyperf")
    walls: list[float] = []

    def measure(loops: int) -> float:
        cpu, wall = _sample(order, calls * loops)
        walls.append(wall / calls)
        return max(cpu, 1e-9)

    runner = pyperf.Runner()
    # This process is the fresh one that pyperf would start.
    # The first value is dropped: it imports, and fills caches.
    words = f"--worker --quiet --loops 1 --warmups 1 --values {count}"
    runner.parse_args(words.split())
    timed = runner.bench_time_func("work", measure, inner_loops=calls)
    return tuple(timed.get_values()), tuple(walls[1:])


def count(request: tuple[Order, int]) -> None:
    """Call the work so often, for a tool that counts the process's instructions."""
    _sample(*request)
