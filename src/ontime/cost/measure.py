"""The functions that measure: one function, or several ways to await one."""

from __future__ import annotations

import importlib.util
import inspect
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ontime.measuring import counters, fresh
from ontime.measuring.machine import machine

from .child import Order, Trial
from .table import Cost, CostTable
from .variants import VARIANTS

__all__ = ["compare_variants", "cpu_cost"]

CoroutineFunction = Callable[..., Awaitable[object]]


def cpu_cost(
    coro_fn: CoroutineFunction | str,
    *,
    args: tuple[Any, ...] = (),
    loop: str = "asyncio",
    setup: Callable[[], object] | str | None = None,
    **rounds: Any,
) -> CostTable:
    """Measure the CPU time of a call of a coroutine function (chapter 3).

    It is awaited many times in clean interpreters.  A function of a module is imported
    there by name.  One of a script or a notebook, or one inside a function, is copied,
    together with what it uses.

    Args:
        coro_fn: a coroutine function, or ``"module:name"``.
        args: its arguments; they must pickle, and every call gets the same ones.
        loop: ``"asyncio"`` or ``"uvloop"``.
        setup: a plain function, called once in each process before anything else.
        rounds: how much is measured, by these names: ``calls``, how many calls make one
            value (as many as take 20 ms); ``values``, how many values each process
            gives (4); ``processes``, how many processes, one after the other (3);
            ``instructions``, whether they are counted too, with perf where it has
            hardware counters, else with Valgrind, else not at all (no); ``timeout``,
            seconds that one process may take (600).

    Returns:
        A table of one row.

    Raises:
        TypeError: *coro_fn* is a coroutine.
        UnpicklableError: the function or *args* cannot be sent to another process.
        WorkFailedError: the function raised; its traceback is in the error.
        TimeoutError: a process took longer than *timeout*.
        MeasurementError: a process ended without a result.

    Whatever ends the call, no process of it is left then.
    """
    name, reference = _refer(coro_fn)
    order = Order(reference, fresh.pack(args, "args"), loop, _packed(setup), None, 1)
    return _measure({name: order}, [loop], Rounds(**rounds), lenient=False)


def compare_variants(
    coro_fn: CoroutineFunction | str = "ontime.cost.works:nothing",
    *,
    args: tuple[Any, ...] = (),
    times: int = 2,
    variants: Sequence[str] = tuple(VARIANTS),
    loops: Sequence[str] = ("asyncio",),
    setup: Callable[[], object] | str | None = None,
    **rounds: Any,
) -> CostTable:
    """Measure the ways to await one coroutine function several times (chapter 3).

    :func:`variant_source` shows the code of each.  They take turns, so that a slow
    spell of the machine hits all of them.  A variant that this Python, or a package
    that is not installed, does not offer has a row that says so, and so has one that
    fails on that loop although the first variant works there.

    Args:
        coro_fn: the function to await; by default one that returns at once.
        args: its arguments.
        times: how many awaits.
        variants: keys of :data:`VARIANTS`; ratios are to the first.
        loops: ``"asyncio"``, ``"uvloop"`` or both.
        setup: as for :func:`cpu_cost`.
        rounds: as for :func:`cpu_cost`.

    Raises:
        Exception: as :func:`cpu_cost`.
    """
    packed = fresh.pack(args, "args")
    sent = _refer(coro_fn)[1], packed, loops[0], _packed(setup)
    orders = {variant: Order(*sent, variant, times) for variant in variants}
    return _measure(orders, loops, Rounds(**rounds), lenient=True)


# -- what goes to the other process ----------------------------------------------------


def _refer(function: CoroutineFunction | str) -> tuple[str, str | bytes]:
    """The name of a coroutine function, and what leads the other process to it."""
    if isinstance(function, str):
        return function.rpartition(":")[2], function
    if inspect.iscoroutine(function):
        function.close()
        raise TypeError(
            "coro_fn is a coroutine, which can run only once: hand over the function, "
            "without calling it"
        )
    name = getattr(function, "__qualname__", "").rpartition("<locals>.")[2]
    return name, fresh.pack(function, f"coro_fn {name}")


def _packed(setup: Callable[[], object] | str | None) -> str | bytes | None:
    return fresh.pack(setup, "setup") if callable(setup) else setup


def _lacks(order: Order) -> str:
    """What is not there for an order, or an empty string."""
    variant = order.variant or ""
    if variant.endswith("eager") and sys.version_info < (3, 12):
        return "needs Python 3.12 or newer"
    for package, needed in (
        ("uvloop", order.loop == "uvloop"),
        ("anyio", variant.startswith("anyio")),
    ):
        if needed and importlib.util.find_spec(package) is None:
            return f"{package} is not installed: pip install {package}"
    return ""


# -- the measurement -------------------------------------------------------------------

_Key = tuple[str, str]  # the name of an order, and the loop


@dataclass(frozen=True)
class Rounds:
    """How much is measured: see :func:`cpu_cost`."""

    calls: int | None = None
    values: int = 4
    processes: int = 3
    instructions: bool = False
    timeout: float = 600.0

    def call(
        self, what: str, name: str, *request: object, before: Sequence[str] = ()
    ) -> tuple[Any, str]:
        """Call a function of :mod:`.child` in a fresh interpreter."""
        target, timeout = f"ontime.cost.child:{what}", self.timeout
        return fresh.call(target, request, name=name, timeout=timeout, before=before)


def _measure(
    named: dict[str, Order], loops: Sequence[str], rounds: Rounds, *, lenient: bool
) -> CostTable:
    """Measure orders on loops, in turns; ratios are to the first.

    With *lenient*, one that is unavailable here, or that fails where its baseline does
    not, has a row that says why.
    """
    baseline = next(iter(named))
    orders = {
        (name, loop): replace(order, loop=loop)
        for loop in loops
        for name, order in named.items()
    }
    reasons = {key: _lacks(order) for key, order in orders.items()}
    trials: dict[_Key, Trial] = {}
    for key, order in orders.items():
        if reasons[key]:
            continue
        try:
            trials[key] = rounds.call("trial", key[0], order, rounds.calls)[0]
        except fresh.WorkFailedError as error:
            if not lenient or key[0] == baseline:
                raise
            reasons[key] = f"failed: {str(error).rpartition(' raised ')[2]}"
    cpus: dict[_Key, list[float]] = {key: [] for key in trials}
    walls: dict[_Key, list[float]] = {key: [] for key in trials}
    for _ in range(rounds.processes):
        for key, (calls, _) in trials.items():
            request = orders[key], calls, rounds.values
            values, _ = rounds.call("values", key[0], *request)
            cpus[key] += values[0]
            walls[key] += values[1]
    counts: dict[_Key, float] = {}
    notes = []
    if any(trial.tasks != "_asyncio" for trial in trials.values()):
        notes.append(
            "The tasks measured are those written in Python: asyncio was patched."
        )
    if rounds.instructions:
        counts, note = _count({key: orders[key] for key in trials}, rounds)
        notes.append(note)
    rows = [
        Cost(*key, unavailable=reasons[key])
        if key not in trials
        else Cost(
            *key, tuple(cpus[key]), tuple(walls[key]), trials[key].calls,
            counts.get(key), trials[key].tasks,
        )
        for key in orders
    ]  # fmt: skip
    on = machine(*(["uvloop"] if any(key[1] == "uvloop" for key in trials) else []))
    return CostTable(tuple(rows), on, baseline, " ".join(notes))


def _count(orders: dict[_Key, Order], rounds: Rounds) -> tuple[dict[_Key, float], str]:
    """Instructions of a call: the difference between two numbers of calls."""
    counter = counters.first_that_counts(fresh.environ(), rounds.timeout)
    if counter is None:
        return {}, (
            "Instructions were not counted: perf has no hardware counters here, and "
            "Valgrind is not installed."
        )
    per_call = {}
    few, many = 50, 450
    for key, order in orders.items():
        counts = [
            counter.find(
                rounds.call("count", key[0], order, n, before=counter.command)[1]
            )
            for n in (few, many)
        ]
        if counts[0] is not None and counts[1] is not None:
            per_call[key] = (counts[1] - counts[0]) / (many - few)
    return per_call, f"Instructions counted by {counter.name}."
