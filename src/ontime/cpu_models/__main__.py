"""Compare CPU models in a terminal: ``python -m ontime.cpu_models``.

``--full`` runs the published work: 20 products of 1 to 39,999, in every model, which
takes some minutes.  ``--save FILE.json`` keeps the result, and as text in FILE.txt.
``--python PATH`` adds the threads, the interpreters and, to compare them with, a pool
of processes of another Python.  What this command starts ends with it, also if it is
killed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ontime.measuring import processes
from ontime.measuring.cores import free_cores
from ontime.measuring.records import record_path, usable_cores

from .compare import compare_models
from .fresh import SOURCE
from .models import KINDS, Model
from .table import Comparison
from .work import product

__all__ = ["FULL_MODELS", "main", "run"]

#: The models of the full-size run.
FULL_MODELS: tuple[Model, ...] = (
    Model("chain"),
    Model("at once"),
    Model("threads"),
    Model("to_thread"),
    Model("thread pool", 2),
    Model("thread pool", 20),
    *(Model("pool", workers) for workers in (1, 2, 4, 8, 20)),
    Model("process pool", 2),
    Model("process pool", 2, "spawn"),
    Model("interpreters", 2),
    Model("dask", 2),
)
#: What another interpreter may do differently.
_OF_THE_INTERPRETER = ("threads", "thread pool", "interpreters", "pool")
_FULL = (20, 40_000)
_SMALL = (20, 12_000)
_START_LIMIT = 600.0  # seconds


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command to *parser*."""
    parser.add_argument(
        "--full",
        action="store_true",
        help="the published work, 20 products of 1 to 39,999, in every model: minutes",
    )
    parser.add_argument(
        "--models",
        metavar="A,B",
        help=f"only these kinds, of {', '.join(KINDS)}",
    )
    parser.add_argument(
        "--skip", action="store_true", help="leave out what is not available here"
    )
    parser.add_argument("--jobs", type=int, metavar="N", help="how many products")
    parser.add_argument(
        "--limit", type=int, metavar="N", help="multiply the integers below N"
    )
    parser.add_argument(
        "--repeats", type=int, default=1, metavar="N", help="runs of each model"
    )
    parser.add_argument(
        "--timeout", type=float, default=300.0, metavar="S", help="seconds for one run"
    )
    parser.add_argument(
        "--patience",
        type=float,
        metavar="S",
        help="count a run only if the cores were free; wait S seconds for it at most",
    )
    parser.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="PATH",
        help="measure with this Python too, such as a free-threaded one",
    )
    parser.add_argument(
        "--save", metavar="FILE.json", help="keep the result, and as text beside it"
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; 0 if it has measured, 1 if not.

    If another interpreter fails, the result is kept without its rows.
    """
    jobs, limit = _FULL if options.full else _SMALL
    jobs = jobs if options.jobs is None else options.jobs
    limit = limit if options.limit is None else options.limit
    try:
        models = _models(options)
        if options.save:
            record_path(options.save)  # first: the result must not be lost
    except (ValueError, OSError) as error:
        say(f"error: {error}")
        return 1
    free = free_cores()
    cores = usable_cores()
    say(f"{free:.1f} of {cores} cores are free")
    if free < 0.9 * cores:
        say("other programs are running: wall times are not to be trusted")
    failed = 0
    try:
        result = compare_models(
            product,
            (limit,),
            count=jobs,
            models=models,
            repeats=options.repeats,
            timeout=options.timeout,
            patience=options.patience,
            report=say,
        )
    except (ValueError, TypeError, RuntimeError, OSError) as error:
        say(f"error: {error}")
        return 1
    for python in options.python:
        try:
            result = _with(result, python, jobs, limit, options)
        except (ValueError, RuntimeError, OSError) as error:
            say(f"error: {error}")
            failed = 1
    after = free_cores()
    if options.patience:
        result.machine["free"] = "at least 0.9 of the cores free before and after each"
    else:
        result.machine["free"] = f"{free:.1f} cores free before, {after:.1f} after"
    if options.save:
        result.save(options.save)
    print(result)
    return failed


def _models(options: argparse.Namespace) -> list[Model]:
    if options.models:
        models = [Model(word.strip()) for word in options.models.split(",")]
    else:
        models = list(FULL_MODELS if options.full else map(Model, KINDS))
    if options.skip or not options.models:
        models = [model for model in models if not model.unavailable()]
    return models


def _with(
    result: Comparison,
    python: str,
    jobs: int,
    limit: int,
    options: argparse.Namespace,
) -> Comparison:
    """*result* with the threads of another interpreter."""
    command = [python, "-m", "ontime.cpu_models"]
    command += ["--models", ",".join(_OF_THE_INTERPRETER), "--skip"]
    command += ["--jobs", str(jobs)]
    command += ["--limit", str(limit), "--repeats", str(options.repeats)]
    command += ["--timeout", str(options.timeout)]
    longest = options.timeout
    if options.patience:
        command += ["--patience", str(options.patience)]
        longest += options.patience
    runs = len(_OF_THE_INTERPRETER) * options.repeats
    say(f"{Path(python).name}: threads and interpreters, and a pool of processes")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "other.json"
        try:
            status, printed = processes.run(
                [*command, "--save", str(path)],
                {**os.environ, "PYTHONPATH": SOURCE},
                _START_LIMIT + runs * (longest + _START_LIMIT),
            )
        except TimeoutError as error:
            raise TimeoutError(f"{python} did not measure: {error}") from None
        if status:
            raise RuntimeError(
                f"{python} did not measure: {processes.last_line(printed)}"
            )
        other = Comparison.load(path)
    label = other.machine["python"]
    if "build" in other.machine:
        label += ", " + other.machine["build"]
    rows = [replace(row, name=f"{row.name}, {label}") for row in other]
    return Comparison(result.work, result.count, (*result.rows, *rows), result.machine)


def say(text: object) -> None:
    """Print a line of progress, or what is wrong."""
    print(text, file=sys.stderr, flush=True)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m ontime.cpu_models",
        description="Run CPU work in several models beside an event loop, and compare.",
    )
    add_arguments(parser)
    try:
        return run(parser.parse_args(words))
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
