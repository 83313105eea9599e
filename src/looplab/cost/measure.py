"""The functions that measure: one function, several, or several ways to await one."""

from __future__ import annotations

import base64
import importlib.util
import json
import math
import os
import pickle
import re
import reprlib
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .clean import SPEC, CostError, WorkFailedError, environ, run
from .send import UnsendableError, describe
from .table import Cost, CostTable, this_machine
from .variants import VARIANTS, variant_source

__all__ = [
    "MissingPackageError",
    "compare_costs",
    "compare_variants",
    "cpu_cost",
]

CoroutineFunction = Callable[..., Awaitable[object]]

LOOPS = ("asyncio", "uvloop")
WARMUPS = 1
_SOURCE = str(Path(__file__).resolve().parents[2])
_BOOT = (
    f"import sys; sys.path.insert(0, {_SOURCE!r}); "
    "from looplab.cost.child import main; main()"
)


class MissingPackageError(ImportError):
    """An optional package is not installed; the message says how to get it."""


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
    timeout: float = 60.0,
) -> CostTable:
    """Measure the CPU time of a call of a coroutine function (chapter 3).

    It is awaited many times in clean interpreters.  A function of a module is imported
    there by name, and one of a script from the script's file (keep the script's own
    doings under ``if __name__ == "__main__":``).  One of a notebook is sent as source
    code, with the imports, plain constants and functions that it uses.  Methods,
    lambdas, functions inside functions, and objects that a notebook holds cannot be
    sent.

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
    reference = describe(coro_fn)
    job = _Job(_name_of(reference), reference, args, loop, _setup(setup))
    plan = _Plan(calls, values, processes, instructions, timeout)
    _need(plan, [job])
    return _measure([job], plan, baseline=job.name)


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
    timeout: float = 120.0,
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
        reference = describe(function)
        named = str(name) if name is not None else _name_of(reference)
        jobs.append(_Job(named, reference, args, loop, prepared))
    if not jobs:
        raise ValueError("coro_fns is empty: give at least one coroutine function")
    if len({job.name for job in jobs}) < len(jobs):
        raise ValueError("two coro_fns have the same name: give a dict of names")
    plan = _Plan(calls, values, processes, instructions, timeout)
    _need(plan, jobs)
    return _measure(jobs, plan, baseline=jobs[0].name)


def compare_variants(
    coro_fn: CoroutineFunction | str = "looplab.cost.works:nothing",
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
    timeout: float = 180.0,
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
    reference = describe(coro_fn)
    prepared = _setup(setup)
    names, loop_names = _words(variants, "variants"), _words(loops, "loops")
    for name in names:
        variant_source(name, times)
    jobs = [
        _Job(name, reference, args, loop, prepared, name, times)
        for loop in loop_names
        for name in names
    ]
    plan = _Plan(calls, values, processes, instructions, timeout)
    _need(plan, [replace(job, loop=loop_names[0]) for job in jobs[:1]])
    return _measure(jobs, plan, baseline=names[0], lenient=True)


# ------------------------------------------------------------------- checking


@dataclass(frozen=True)
class _Job:
    """One row to be."""

    name: str
    function: dict[str, Any]
    args: tuple[Any, ...]
    loop: str
    setup: dict[str, Any] | None
    variant: str | None = None
    times: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.args, tuple):
            raise TypeError(
                f"args must be a tuple, not {reprlib.repr(self.args)}: "
                "write args=(x,) for one argument"
            )
        if self.loop not in LOOPS:
            raise ValueError(f"loop is {self.loop!r}: there are {' and '.join(LOOPS)}")

    def order(self) -> dict[str, Any]:
        """The job for the other side."""
        try:
            args = base64.b64encode(pickle.dumps(self.args)).decode()
        except Exception as error:
            raise UnsendableError(
                f"args cannot be sent to another process ({error}): give values that "
                "pickle can copy"
            ) from error
        return {
            "function": self.function,
            "args": args,
            "loop": self.loop,
            "setup": self.setup,
            "variant": self.variant,
            "times": self.times,
        }

    def lacks(self) -> str:
        """What is not there for this job, or an empty string."""
        if self.loop == "uvloop" and not _installed("uvloop"):
            return "uvloop is not installed: pip install uvloop"
        if self.variant is not None:
            variant = VARIANTS[self.variant]
            if sys.version_info < variant.needs:
                return "needs Python {}.{} or newer".format(*variant.needs)
            if variant.package and not _installed(variant.package):
                return (
                    f"{variant.package} is not installed: pip install {variant.package}"
                )
        return ""


@dataclass(frozen=True)
class _Plan:
    """How much to measure."""

    calls: int | None
    values: int
    processes: int
    instructions: bool
    timeout: float

    def __post_init__(self) -> None:
        for name in ("calls", "values", "processes"):
            count = getattr(self, name)
            if name == "calls" and count is None:
                continue
            if isinstance(count, bool) or not isinstance(count, int):
                raise TypeError(
                    f"{name} must be a whole number, not {count!r} "
                    f"({type(count).__name__})"
                )
            if count < 1:
                raise ValueError(f"{name} must be at least 1, not {count}")
        seconds: object = self.timeout
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
            raise TypeError(
                f"timeout must be seconds, not {seconds!r} ({type(seconds).__name__})"
            )
        if not (math.isfinite(seconds) and seconds > 0):
            raise ValueError(f"timeout must be above 0 s and finite, not {seconds:g}")


def _need(plan: _Plan, jobs: Sequence[_Job]) -> None:
    if os.environ.get(SPEC):
        raise RuntimeError(
            "the script measures while it is being imported for a measurement: put the "
            'call under if __name__ == "__main__":'
        )
    if not _installed("pyperf"):
        raise MissingPackageError(
            "looplab.cost measures with pyperf, which is not installed: "
            "pip install pyperf"
        )
    for job in jobs:
        if lacks := job.lacks():
            raise MissingPackageError(lacks)


def _installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _setup(setup: Callable[[], object] | str | None) -> dict[str, Any] | None:
    return None if setup is None else describe(setup, what="setup", is_async=False)


def _name_of(reference: dict[str, Any]) -> str:
    return str(reference["name"])


def _words(words: Sequence[str], what: str) -> list[str]:
    if isinstance(words, str):
        raise TypeError(f"{what} must be several words: write {what}=({words!r},)")
    listed = list(words)
    if not listed:
        raise ValueError(f"{what} is empty: give at least one")
    if len(set(listed)) < len(listed):
        raise ValueError(f"{what} has a word twice: {', '.join(listed)}")
    return listed


# ------------------------------------------------------------------ measuring


def _measure(
    jobs: Sequence[_Job], plan: _Plan, *, baseline: str, lenient: bool = False
) -> CostTable:
    """Measure the jobs.

    With *lenient*, a job that is not to be had here, or fails where its baseline does
    not, has a row that says why.
    """
    with tempfile.TemporaryDirectory(prefix="looplab-cost-") as folder:
        lab = _Lab(Path(folder), jobs, plan)
        rows: dict[int, Cost] = {}
        trials: dict[int, dict[str, Any]] = {}
        for number, job in enumerate(jobs):
            if lacks := job.lacks():
                rows[number] = Cost(job.name, job.loop, unavailable=lacks)
                continue
            try:
                trials[number] = lab.trial(number)
            except WorkFailedError as error:
                if not lenient or job.name == baseline:
                    raise
                reason = f"failed: {str(error).rpartition(' raised ')[2]}"
                rows[number] = Cost(job.name, job.loop, unavailable=reason)
        measured = lab.bench({number: trials[number]["calls"] for number in trials})
        counts, note = lab.count(list(trials)) if plan.instructions else ({}, "")
    for number, (cpus, walls) in measured.items():
        job, trial = jobs[number], trials[number]
        rows[number] = Cost(
            job.name,
            job.loop,
            cpus=cpus,
            walls=walls,
            calls=trial["calls"],
            instructions=counts.get(number),
            tasks=trial["tasks"],
        )
    loops = {
        jobs[number].loop: trial["loop"]
        for number, trial in trials.items()
        if trial["loop"]
    }
    if any(trial["tasks"] != "_asyncio" for trial in trials.values()):
        slow = "The tasks measured are those written in Python: asyncio was patched."
        note = f"{slow} {note}".strip()
    return CostTable(
        tuple(rows[number] for number in range(len(jobs))),
        baseline=baseline,
        machine=this_machine(loops),
        note=note,
    )


class _Lab:
    """One folder with orders and a log, and the clean interpreters that use them."""

    def __init__(self, folder: Path, jobs: Sequence[_Job], plan: _Plan) -> None:
        self._plan = plan
        self._jobs = jobs
        self._log = folder / "log"
        self._file = folder / "spec"
        self._read = 0
        self._ends = time.monotonic() + plan.timeout
        self._spec: dict[str, Any] = {
            # An empty entry is the current directory, which is the same there.
            "path": [str(entry) for entry in sys.path],
            "works": [job.order() for job in jobs],
            "calls": plan.calls,
            "log": str(self._log),
            "boot": _BOOT,
        }
        self._log.touch()

    def trial(self, number: int) -> dict[str, Any]:
        """Call a job once, and find out how many calls make a value."""
        return self._run(["trial", str(number)], number)[-1]

    def bench(
        self, counts: dict[int, int]
    ) -> dict[int, tuple[tuple[float, ...], tuple[float, ...]]]:
        """CPU and wall seconds of a call, for each job and value.

        The jobs take turns, a process each: a machine that is slow for some seconds
        is then slow for all of them.
        """
        if not counts:
            return {}
        plan = self._plan
        self._spec["bench"] = list(counts)
        self._spec["counts"] = list(counts.values())
        self._spec["options"] = [
            *("--processes", "1", "--values", str(plan.values)),
            *("--warmups", str(WARMUPS), "--loops", "1", "--copy-env", "--quiet"),
        ]
        records = [
            record
            for _ in range(plan.processes)
            for record in self._run(["bench"], None)
        ]
        found = {}
        for number in counts:
            mine = [record for record in records if record["work"] == number]
            cpus = [value for one in mine for value in one.get("values", ())]
            by_process: dict[int, list[float]] = {}
            for record in mine:
                if "wall" in record:
                    by_process.setdefault(record["pid"], []).append(record["wall"])
            walls = [w for some in by_process.values() for w in some[WARMUPS:]]
            if not cpus:
                raise CostError(f"pyperf gave no values for {self._jobs[number].name}")
            found[number] = tuple(cpus), tuple(walls)
        return found

    def count(self, numbers: Sequence[int]) -> tuple[dict[int, float], str]:
        """Instructions of a call: the difference between two numbers of calls."""
        counter = _find_counter(self._left())
        if counter is None:
            return {}, (
                "Instructions were not counted: perf has no hardware counters here, "
                "and Valgrind is not installed."
            )
        found = {}
        few, many = 50, 450
        for number in numbers:
            counts: list[int] = []
            for calls in (few, many):
                words = ["count", str(number), str(calls)]
                said = self._run_raw(words, number, counter.command)
                counts += filter(None, [counter.find(said)])
            if len(counts) == 2:
                found[number] = (counts[1] - counts[0]) / (many - few)
        return found, f"Instructions counted by {counter.name}."

    def _run(self, words: list[str], number: int | None) -> list[dict[str, Any]]:
        said = self._run_raw(words, number)
        records = self._records()
        if not records:
            raise self._lost(number, said)
        return records

    def _run_raw(
        self, words: list[str], number: int | None, before: Sequence[str] = ()
    ) -> str:
        self._file.write_text(json.dumps(self._spec), encoding="utf-8")
        command = [*before, sys.executable, "-c", _BOOT, *words]
        env = environ(**{SPEC: str(self._file)})
        try:
            status, said = run(command, env, self._left())
        except TimeoutError:
            what = "the measurement" if number is None else self._jobs[number].name
            raise TimeoutError(
                f"{what} was not done after {self._plan.timeout:g} s: "
                "give it less to do, fewer values, or a longer timeout"
            ) from None
        if status:
            for record in self._records():
                if "error" in record:
                    name = self._jobs[record["work"]].name
                    error = WorkFailedError(
                        f"{name} raised {record['error']}", record["traceback"]
                    )
                    error.add_note("In the clean interpreter:\n" + error.traceback)
                    raise error
            raise self._lost(number, said, status)
        return said

    def _lost(self, number: int | None, said: str, status: int = 0) -> CostError:
        name = "pyperf" if number is None else self._jobs[number].name
        lines = said.strip().splitlines()
        last = f"; it said: {lines[-1].strip()}" if lines else ""
        how = f"signal {-status}" if status < 0 else f"status {status}"
        return CostError(f"{name}: the clean interpreter ended with {how}{last}")

    def _records(self) -> list[dict[str, Any]]:
        """What was logged since the last time."""
        lines = self._log.read_text(encoding="utf-8").splitlines()
        new, self._read = lines[self._read :], len(lines)
        return [json.loads(line) for line in new]

    def _left(self) -> float:
        return max(0.01, self._ends - time.monotonic())


# ----------------------------------------------------------------- counting


@dataclass(frozen=True)
class _Counter:
    name: str
    command: tuple[str, ...]
    pattern: str

    def find(self, said: str) -> int | None:
        found = re.search(self.pattern, said, re.MULTILINE)
        return int(found[1].replace(",", "")) if found else None


_COUNTERS = (
    _Counter(
        "perf",
        ("perf", "stat", "-x", ";", "-e", "instructions:u"),
        r"^(\d+);.*instructions",
    ),
    _Counter(
        "Valgrind",
        (
            "valgrind",
            "--tool=cachegrind",
            "--cache-sim=no",
            f"--cachegrind-out-file={os.devnull}",
        ),
        r"I +refs: +([\d,]+)",
    ),
)


def _find_counter(timeout: float) -> _Counter | None:
    for counter in _COUNTERS:
        if shutil.which(counter.command[0]) is None:
            continue
        # "true" is no Python: the question is whether the tool counts at all.
        status, said = run([*counter.command, "true"], environ(), timeout)
        if status == 0 and counter.find(said):
            return counter
    return None
