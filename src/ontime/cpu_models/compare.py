"""Compare models on a function: what each costs, and how late it makes the loop."""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ontime.measuring.cores import free_cores
from ontime.measuring.records import machine, usable_cores

from .fresh import dump, in_fresh_process
from .measure import Measurement
from .models import (
    DEFAULT_MODELS,
    MOST_JOBS,
    Model,
    ModelUnavailableError,
)
from .table import Comparison, Row

__all__ = ["compare_models"]


def compare_models(
    function: Callable[..., Any],
    args: Sequence[Any] = (),
    *,
    count: int = 8,
    models: Iterable[Model | str] | None = None,
    repeats: int = 1,
    interval: float = 0.01,
    timeout: float = 120.0,
    patience: float | None = None,
    report: Callable[[str], object] | None = None,
) -> Comparison:
    """Run the same jobs in several models, and measure each.

    A job is ``function(*args)``.  Every run of a model has a fresh Python process with
    an event loop, a heartbeat on that loop, and the jobs beside it.  When the call
    returns or raises, all processes that it has started have ended; if this process is
    killed, they end too.  The processes that a job starts end with them, unless the job
    has put one into a session or group of its own.

    What the jobs print is dropped.

    Args:
        function: a plain function that other processes can import.
        args: its arguments.
        count: how many jobs, 1 to 1000.
        models: a :class:`Model` or the name of a kind for each row.  By default one of
            each kind; those that are not available here are named in the table and not
            run.
        repeats: how many runs of each model.  They take turns.
        interval: seconds between two beats.
        timeout: seconds that one run may take, its start included.
        patience: if given, a run counts only if at least 0.9 of the usable cores were
            free just before and just after it, as :func:`free_cores` tells; other runs
            are repeated, for at most so many seconds each.
        report: called with a line before each run, such as ``print``.

    Returns:
        The table.

    Raises:
        TypeError: if *function* is not a plain function.
        UnpicklableError: if *function* or *args* cannot be sent to another process.
        ValueError: if there is no such model, a model is asked for twice, or *count* is
            not in its range.
        ModelUnavailableError: if a model in *models* needs a newer Python or a package
            that is not installed.
        WorkError: if *function* raised, or a worker died; ``__cause__`` says more.
        TimeoutError: if a run took too long, or the cores were not free in time.
        MeasurementError: if a measuring process died.

    Introduced in the chapter *Move CPU work off the loop*.
    """
    if not callable(function) or inspect.iscoroutinefunction(function):
        raise TypeError(
            f"the work is {function!r}: give a plain function, which other processes "
            "can import, and its arguments as args=(…)"
        )
    if not 1 <= count <= MOST_JOBS:
        raise ValueError(f"count is {count}: give 1 to {MOST_JOBS}")
    args = tuple(args)
    chosen = _choose(models)
    reasons = {model: model.unavailable() for model in chosen}
    if models is not None:
        for reason in filter(None, reasons.values()):
            raise ModelUnavailableError(reason)
    dump(function, (function, args))

    runs: dict[Model, list[Measurement]] = {model: [] for model in chosen}
    for turn in range(1, repeats + 1):
        for model in chosen:
            if reasons[model]:
                continue
            if report is not None:
                which = f" ({turn} of {repeats})" if repeats > 1 else ""
                report(f"{model.name}{which}")
            run = functools.partial(
                in_fresh_process, model, function, args, count, interval, timeout
            )
            runs[model].append(run() if patience is None else _in_quiet(run, patience))
    rows = tuple(
        Row(model, model.name, tuple(runs[model]), reasons[model]) for model in chosen
    )
    packages = ["distributed"] if any(m.kind == "dask" for m in chosen) else []
    return Comparison(_in_words(function, args), count, rows, machine(*packages))


def _in_quiet(run: Callable[[], Measurement], patience: float) -> Measurement:
    """Run when nothing else does, and again if something came in between."""
    enough = 0.9 * usable_cores()
    limit = time.monotonic() + patience
    while True:
        if free_cores() >= enough:
            measured = run()
            if free_cores() >= enough:
                return measured
        if time.monotonic() > limit:
            raise TimeoutError(
                f"the cores were not free within {patience:g} s: close other programs, "
                "or measure without patience and do not trust the wall times"
            )
        time.sleep(2)  # to ask takes CPU time from the others


def _choose(models: Iterable[Model | str] | None) -> list[Model]:
    if models is None:
        return list(DEFAULT_MODELS)
    chosen = [Model(kind) if isinstance(kind, str) else kind for kind in models]
    names = [model.name for model in chosen]
    if len(set(names)) < len(names):
        raise ValueError(f"a model is there twice in {names}: use repeats=2 instead")
    return chosen


def _in_words(function: Any, args: tuple[Any, ...]) -> str:
    while isinstance(function, functools.partial):
        function, args = function.func, (*function.args, *args)
    name = getattr(function, "__qualname__", type(function).__name__)
    listed = ", ".join(_short(argument) for argument in args)
    return f"{name}({listed})"


def _short(value: object) -> str:
    text = f"{value:,}".replace(",", "_") if type(value) is int else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…"
