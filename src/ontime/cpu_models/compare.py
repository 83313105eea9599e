"""Compare models on a function: what each costs, and how late it makes the loop."""

from __future__ import annotations

import functools
import multiprocessing.spawn
import pickle
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from ontime.measuring import fresh
from ontime.measuring.machine import free_cores, machine, usable_cores

from .measure import Measurement
from .models import DEFAULT_MODELS, Model
from .table import Comparison, Row

__all__ = ["compare_models"]


def compare_models(
    function: Callable[..., Any],
    args: Sequence[Any] = (),
    *,
    count: int = 8,
    models: Iterable[Model | str] = DEFAULT_MODELS,
    repeats: int = 1,
    timeout: float = 120.0,
    patience: float | None = None,
    report: Callable[[str], object] = str,
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
        count: how many jobs.
        models: a :class:`Model` or the name of a kind for each row; by default one of
            each kind.  Those that are not available here are named in the table and
            not run.
        repeats: how many runs of each model.  They take turns.
        timeout: seconds that one run may take, its start included.
        patience: if given, a run counts only if at least 0.9 of the usable cores were
            free just before and just after it, as :func:`free_cores` tells; other runs
            are repeated, for at most so many seconds each.
        report: called with a line before each run, such as ``print``.

    Returns:
        The table.

    Raises:
        UnpicklableError: if *function* or *args* cannot be sent to another process.
        KeyError: if there is no such model.
        WorkFailedError: if *function* raised, or a worker died; ``__cause__`` says
            more.
        TimeoutError: if a run took too long, or the cores were not free in time.
        MeasurementError: if a measuring process died.

    Introduced in the chapter *Move CPU work off the loop*.
    """
    args = tuple(args)
    chosen = [Model(kind) if isinstance(kind, str) else kind for kind in models]
    reasons = {model: model.unavailable() for model in chosen}
    work = _dump(function, args)
    runs: dict[Model, list[Measurement]] = {model: [] for model in chosen}
    for turn in range(1, repeats + 1):
        for model in chosen:
            if reasons[model]:
                continue
            report(f"{model.name} ({turn} of {repeats})")
            name = f"{function.__qualname__} in {model.name}"
            run = functools.partial(_run, name, (model, count, work), timeout)
            runs[model].append(run() if patience is None else _in_quiet(run, patience))
    rows = tuple(
        Row(model, model.name, tuple(runs[model]), reasons[model]) for model in chosen
    )
    packages = ["distributed"] if any(m.kind == "dask" for m in chosen) else []
    words = f"{function.__qualname__}({', '.join(map(_short, args))})"
    return Comparison(rows, machine(*packages), words, count)


def _run(name: str, request: tuple[Model, int, bytes], timeout: float) -> Measurement:
    prepare: dict[str, Any] = multiprocessing.spawn.get_preparation_data("measuring")
    # The method is ours to choose in each measurement.
    prepare.pop("start_method", None)
    # This type refuses to be sent; the child makes one again.
    prepare["authkey"] = bytes(prepare["authkey"])
    if not _main_is_a_file():
        prepare.pop("init_main_from_path", None)
    target = "ontime.cpu_models.measure:measure_sent"
    measured, _ = fresh.call(target, (prepare, *request), name=name, timeout=timeout)
    assert isinstance(measured, Measurement)
    return measured


def _dump(function: Any, args: tuple[Any, ...]) -> bytes:
    """The work as bytes.  It goes by its name, in the way of ``multiprocessing``.

    A pool in the fresh process has to send it once more, and cannot send a copy.
    """
    name = function.__qualname__
    if function.__module__ == "__main__" and not _main_is_a_file():
        raise fresh.UnpicklableError(
            f"{name} was defined in a notebook or at a prompt, where another process "
            "cannot import it: write it to a module (in a notebook with %%writefile "
            "jobs.py) and import it from there"
        )
    try:
        return pickle.dumps((function, args))
    except Exception as error:
        raise fresh.UnpicklableError(
            f"{name} or its arguments cannot be sent to another process ({error}): use "
            "a function defined at the top level of a module, and arguments that "
            "pickle can copy"
        ) from error


def _main_is_a_file() -> bool:
    """Whether another process can import what is the main program of this one."""
    path = getattr(sys.modules.get("__main__"), "__file__", None)
    return path is not None and Path(path).exists()


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


def _short(value: object) -> str:
    text = f"{value:_}" if type(value) is int else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}…"
