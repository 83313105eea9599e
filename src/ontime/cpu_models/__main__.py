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
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from looplab._numbers import count_of
from ontime.measuring import processes
from ontime.measuring.cores import free_cores
from ontime.measuring.records import record_path, usable_cores

from .compare import compare_models
from .fresh import SOURCE
from .models import KINDS, Model
from .table import Comparison
from .work import product

__all__ = ["FULL_MODELS", "add_arguments", "main", "run"]

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
#: Asked of another interpreter before anything is measured.
_TRIAL = """
import sys
if sys.version_info < (3, 11):
    sys.exit("it is Python %d.%d: looplab needs 3.11 or newer" % sys.version_info[:2])
import ontime.cpu_models
"""
_TRIAL_LIMIT = 600.0  # seconds


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
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run the command; 0 if it has measured, 1 if not, 2 for bad options.

    What can be known to fail is refused before the first run.  If another interpreter
    fails later on, the result is kept without its rows.
    """
    jobs, limit = _FULL if options.full else _SMALL
    jobs = jobs if options.jobs is None else options.jobs
    limit = limit if options.limit is None else options.limit
    for option, value in (("--jobs", jobs), ("--limit", limit)):
        try:
            count_of(value, option)
        except ValueError as error:
            parser.error(str(error))
    models = _models(options, parser)
    pythons = [_found(python, parser) for python in options.python]
    if options.save:
        try:
            record_path(options.save)
        except (ValueError, OSError) as error:
            parser.error(f"--save: {error}")
    say = _quiet if options.json else _say
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
        _tell(error)
        return 1
    for python in pythons:
        try:
            result = _with(result, python, jobs, limit, options, say)
        except (ValueError, RuntimeError, OSError) as error:
            _tell(error)
            failed = 1
    after = free_cores()
    if options.patience:
        result.machine["free"] = "at least 0.9 of the cores free before and after each"
    else:
        result.machine["free"] = f"{free:.1f} cores free before, {after:.1f} after"
    if options.save:
        result.save(options.save)
    if options.json:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "result.json"
            result.save(path)
            print(path.read_text(encoding="utf-8"), end="")
    else:
        print(result)
    return failed


def _models(
    options: argparse.Namespace, parser: argparse.ArgumentParser
) -> list[Model]:
    if options.models:
        words = [word.strip() for word in options.models.split(",")]
        for word in words:
            if word not in KINDS:
                parser.error(
                    f"there is no model {word!r}; there are {', '.join(KINDS)}"
                )
        models = [Model(word) for word in words]
    else:
        models = list(FULL_MODELS if options.full else map(Model, KINDS))
    if options.skip or not options.models:
        models = [model for model in models if not model.unavailable()]
    return models


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": SOURCE}


def _found(python: str, parser: argparse.ArgumentParser) -> str:
    """The path of another interpreter, which has been seen to run this package."""
    path = shutil.which(python)
    if path is None:
        parser.error(f"--python {python}: there is no such program")
    try:
        status, said = processes.run([path, "-c", _TRIAL], _environment(), _TRIAL_LIMIT)
    except OSError as error:
        parser.error(f"--python {python}: {error}")
    if status:
        parser.error(f"--python {python}: {processes.last_line(said)}")
    return path


def _with(
    result: Comparison,
    python: str,
    jobs: int,
    limit: int,
    options: argparse.Namespace,
    say: Callable[[str], object],
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
            status, said = processes.run(
                [*command, "--save", str(path)],
                _environment(),
                _TRIAL_LIMIT + runs * (longest + _TRIAL_LIMIT),
            )
        except TimeoutError as error:
            raise TimeoutError(f"{python} did not measure: {error}") from None
        if status:
            raise RuntimeError(f"{python} did not measure: {processes.last_line(said)}")
        other = Comparison.load(path)
    label = other.machine["python"]
    if "build" in other.machine:
        label += ", " + other.machine["build"]
    rows = [replace(row, name=f"{row.name}, {label}") for row in other]
    return Comparison(result.work, result.count, (*result.rows, *rows), result.machine)


def _tell(error: BaseException) -> None:
    print(f"error: {error}", file=sys.stderr)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _quiet(text: str) -> None:
    pass


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m ontime.cpu_models",
        description="Run CPU work in several models beside an event loop, and compare.",
    )
    add_arguments(parser)
    try:
        return run(parser.parse_args(words), parser)
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
