"""The functions that measure: one function, several, or several ways to await one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .lab import measure_jobs
from .plan import Job, Plan, Reference, need, refer
from .table import CostTable
from .variants import VARIANTS, variant_source

__all__ = ["compare_costs", "compare_variants", "cpu_cost"]

CoroutineFunction = Callable[..., Awaitable[object]]


def cpu_cost(
    coro_fn: CoroutineFunction | str,
    *,
    args: tuple[Any, ...] = (),
    loop: str = "asyncio",
    setup: Callable[[], object] | str | None = None,
    calls: int | None = None,
    values: int = 4,
    processes: int = 3,
    instructions: bool = False,
    timeout: float = 600.0,
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
        calls: how many calls make one value; None: as many as take 20 ms.
        values: how many values each process gives.
        processes: how many processes, one after the other.  Several functions or
            variants take turns, so that a slow spell of the machine hits all of them.
        instructions: count instructions too, with perf where it has hardware counters,
            else with Valgrind, else not at all.
        timeout: seconds for the whole measurement.

    Returns:
        A table of one row.

    Raises:
        TypeError: *coro_fn* is not a coroutine function, or another argument is of the
            wrong type.
        ValueError: a count or *timeout* is not above zero, or *loop* is not known.
        UnsendableError: the function or *args* cannot be sent to another process.
        MissingPackageError: pyperf is not installed, or uvloop where it is asked for.
        WorkFailedError: the function raised; its traceback is in the error.
        TimeoutError: it took longer than *timeout*.
        CostError: the measurement ended without a result.

    Whatever ends the call, no process of it is left then.
    """
    reference = refer(coro_fn)
    job = Job(reference.name, reference, args, loop, _setup(setup))
    plan = Plan(calls, values, processes, instructions, timeout)
    need([job])
    return measure_jobs([job], plan, baseline=job.name)


def compare_costs(
    coro_fns: Mapping[str, CoroutineFunction | str] | Sequence[CoroutineFunction | str],
    *,
    args: tuple[Any, ...] = (),
    loop: str = "asyncio",
    setup: Callable[[], object] | str | None = None,
    calls: int | None = None,
    values: int = 4,
    processes: int = 3,
    instructions: bool = False,
    timeout: float = 600.0,
) -> CostTable:
    """Measure several coroutine functions; ratios are to the first (chapter 3).

    Args:
        coro_fns: coroutine functions by the name that the table gives them, or a list
            of them.
        args: the arguments of each.
        loop: as for :func:`cpu_cost`, and so are the others.

    Raises:
        TypeError: as :func:`cpu_cost`.
        ValueError: there is none, or two have the same name; else as :func:`cpu_cost`.
        Exception: as :func:`cpu_cost`.
    """
    if isinstance(coro_fns, str) or callable(coro_fns):
        raise TypeError("coro_fns must be several functions: for one take cpu_cost()")
    prepared = _setup(setup)
    pairs: list[tuple[str | None, CoroutineFunction | str]] = (
        list(coro_fns.items())
        if isinstance(coro_fns, Mapping)
        else [(None, function) for function in coro_fns]
    )
    jobs = []
    for name, function in pairs:
        reference = refer(function)
        named = str(name) if name is not None else reference.name
        jobs.append(Job(named, reference, args, loop, prepared))
    if not jobs:
        raise ValueError("coro_fns is empty: give at least one coroutine function")
    if len({job.name for job in jobs}) < len(jobs):
        raise ValueError("two coro_fns have the same name: give a dict of names")
    plan = Plan(calls, values, processes, instructions, timeout)
    need(jobs)
    return measure_jobs(jobs, plan, baseline=jobs[0].name)


def compare_variants(
    coro_fn: CoroutineFunction | str = "ontime.cost.works:nothing",
    *,
    args: tuple[Any, ...] = (),
    times: int = 2,
    variants: Sequence[str] = tuple(VARIANTS),
    loops: Sequence[str] = ("asyncio",),
    setup: Callable[[], object] | str | None = None,
    calls: int | None = None,
    values: int = 4,
    processes: int = 3,
    instructions: bool = False,
    timeout: float = 600.0,
) -> CostTable:
    """Measure the ways to await one coroutine function several times (chapter 3).

    :func:`variant_source` shows the code of each.  A variant that this Python, or a
    package that is not installed, does not offer has a row that says so, and so has one
    that fails on that loop although the first variant works there.

    Args:
        coro_fn: the function to await; by default one that returns at once.
        args: its arguments.
        times: how many awaits.
        variants: keys of :data:`VARIANTS`; ratios are to the first.
        loops: ``"asyncio"``, ``"uvloop"`` or both.
        setup: as for :func:`cpu_cost`, and so are the others.

    Raises:
        KeyError: there is no such variant.
        ValueError: a sequence is empty or says a word twice; else as :func:`cpu_cost`.
        Exception: as :func:`cpu_cost`.
    """
    reference = refer(coro_fn)
    prepared = _setup(setup)
    names, loop_names = list(variants), list(loops)
    for name in names:
        variant_source(name, times)
    jobs = [
        Job(name, reference, args, loop, prepared, name, times)
        for loop in loop_names
        for name in names
    ]
    plan = Plan(calls, values, processes, instructions, timeout)
    need([replace(job, loop=loop_names[0]) for job in jobs[:1]])
    return measure_jobs(jobs, plan, baseline=names[0], lenient=True)


def _setup(setup: Callable[[], object] | str | None) -> Reference | None:
    return None if setup is None else refer(setup, what="setup", is_async=False)
