"""The clean interpreters of a measurement: their orders, their log, their results.

:func:`ontime.measuring.processes.run` runs each, and leaves no process behind.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ontime.measuring import counters, processes

from .plan import SPEC, Job, Plan
from .table import Cost, CostTable, this_machine

__all__ = ["CostError", "WorkFailedError", "measure_jobs"]

WARMUPS = 1

_SOURCE = str(Path(__file__).resolve().parents[2])

_BOOT = (
    f"import sys; sys.path.insert(0, {_SOURCE!r}); "
    "from ontime.cost.child import main; main()"
)


# Settings that make every task slower, or the interpreter another one.
_DROPPED = (
    "PYTHONASYNCIODEBUG",
    "PYTHONBREAKPOINT",
    "PYTHONDEVMODE",
    "PYTHONFAULTHANDLER",
    "PYTHONINSPECT",
    "PYTHONPROFILEIMPORTTIME",
    "PYTHONSTARTUP",
    "PYTHONTRACEMALLOC",
    "PYTHONWARNINGS",
)


class CostError(RuntimeError):
    """A measurement ended without a result."""


class WorkFailedError(CostError):
    """The function to be measured raised, or could not be imported.

    Its traceback is in :attr:`traceback`, as text.
    """

    def __init__(self, message: str, traceback: str = "") -> None:
        super().__init__(message)
        self.traceback = traceback


def environ(**added: str) -> dict[str, str]:
    """The variables of a clean interpreter: ours without those that change asyncio."""
    kept = {key: value for key, value in os.environ.items() if key not in _DROPPED}
    return kept | {"PYTHONHASHSEED": "0"} | added


def _find_counter(timeout: float) -> counters.Counter | None:
    """The first tool that counts here; each is tried for *timeout* seconds at most."""

    def behind(words: Sequence[str]) -> str | None:
        # "true" is no Python: the question is whether the tool counts at all.
        try:
            status, printed = processes.run([*words, "true"], environ(), timeout)
        except TimeoutError:
            return None
        return printed if status == 0 else None

    return counters.first_that_counts(behind, counters.COUNTERS)


def measure_jobs(
    jobs: Sequence[Job], plan: Plan, *, baseline: str, lenient: bool = False
) -> CostTable:
    """Measure the jobs.

    With *lenient*, a job that is unavailable here, or that fails where its baseline
    does not, has a row that says why.
    """
    with tempfile.TemporaryDirectory(prefix="ontime-cost-") as folder:
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

    def __init__(self, folder: Path, jobs: Sequence[Job], plan: Plan) -> None:
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
        values = {}
        for number in counts:
            own = [record for record in records if record["work"] == number]
            cpus = [value for record in own for value in record.get("values", ())]
            by_process: dict[int, list[float]] = {}
            for record in own:
                if "wall" in record:
                    by_process.setdefault(record["pid"], []).append(record["wall"])
            walls = [w for each in by_process.values() for w in each[WARMUPS:]]
            if not cpus:
                raise CostError(f"pyperf gave no values for {self._jobs[number].name}")
            values[number] = tuple(cpus), tuple(walls)
        return values

    def count(self, numbers: Sequence[int]) -> tuple[dict[int, float], str]:
        """Instructions of a call: the difference between two numbers of calls."""
        counter = _find_counter(self._left())
        if counter is None:
            return {}, (
                "Instructions were not counted: perf has no hardware counters here, "
                "and Valgrind is not installed."
            )
        per_call = {}
        few, many = 50, 450
        for number in numbers:
            counts: list[int] = []
            for calls in (few, many):
                words = ["count", str(number), str(calls)]
                printed = self._run_raw(words, number, counter.command)
                counts += filter(None, [counter.find(printed)])
            if len(counts) == 2:
                per_call[number] = (counts[1] - counts[0]) / (many - few)
        return per_call, f"Instructions counted by {counter.name}."

    def _run(self, words: list[str], number: int | None) -> list[dict[str, Any]]:
        printed = self._run_raw(words, number)
        records = self._records()
        if not records:
            raise self._lost(number, printed)
        return records

    def _run_raw(
        self, words: list[str], number: int | None, before: Sequence[str] = ()
    ) -> str:
        self._file.write_bytes(pickle.dumps(self._spec))
        command = [*before, sys.executable, "-c", _BOOT, *words]
        env = environ(**{SPEC: str(self._file)})
        try:
            status, printed = processes.run(command, env, self._left())
        except TimeoutError:
            what = "the measurement" if number is None else self._jobs[number].name
            raise TimeoutError(
                f"{what} was not done after {self._plan.timeout:g} s: "
                "give it less to do, fewer values, or a longer timeout"
            ) from None
        except ChildProcessError as error:
            raise CostError(
                f"the clean interpreter could not be started: {error}"
            ) from None
        if status:
            for record in self._records():
                if "error" in record:
                    name = self._jobs[record["work"]].name
                    failed = WorkFailedError(
                        f"{name} raised {record['error']}", record["traceback"]
                    )
                    failed.add_note("In the clean interpreter:\n" + failed.traceback)
                    raise failed
            raise self._lost(number, printed, status)
        return printed

    def _lost(self, number: int | None, printed: str, status: int = 0) -> CostError:
        name = "pyperf" if number is None else self._jobs[number].name
        last = f"; it said: {processes.last_line(printed)}" if printed.strip() else ""
        how = f"signal {-status}" if status < 0 else f"status {status}"
        return CostError(f"{name}: the clean interpreter ended with {how}{last}")

    def _records(self) -> list[dict[str, Any]]:
        """What was logged since the last time."""
        lines = self._log.read_text(encoding="utf-8").splitlines()
        new, self._read = lines[self._read :], len(lines)
        return [json.loads(line) for line in new]

    def _left(self) -> float:
        return max(0.01, self._ends - time.monotonic())
