"""Runs measurements: each in a fresh process, the contestants in turn."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import statistics
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.workloads import OURS, Contestant, Workload
from ontime.measuring.counters import COUNTERS, Counter, first_that_counts
from tools.common import ROOT, ToolError

__all__ = [
    "Counter",
    "Results",
    "baseline_of",
    "count",
    "find_counter",
    "group",
    "time",
]


@dataclass
class Results:
    """The values of one workload: for each contestant one per round, or why not."""

    workload: Workload
    size: int
    values: dict[str, list[float]] = field(default_factory=dict)
    why: dict[str, str] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)

    def fail(self, name: str, why: str) -> None:
        """Note why a contestant has no values."""
        self.values.pop(name, None)
        self.why[name] = why


def environ() -> dict[str, str]:
    """The variables of a measurement: nothing of the user's Python settings."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    paths = [str(ROOT), str(ROOT / "src")]
    return kept | {
        "PYTHONHASHSEED": "0",
        "PYTHONNOUSERSITE": "1",
        "PYTHONPATH": os.pathsep.join(paths),
    }


def call(
    command: Sequence[str], timeout: float, folder: Path = ROOT
) -> tuple[int, str, str] | None:
    """Run a command and all that it starts; None if it took longer than *timeout*."""
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environ(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            stop(process)
    return process.returncode, out, err


def stop(process: subprocess.Popen[str]) -> None:
    """End a process that still runs, with those that it started."""
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.communicate()


def work(
    python: Sequence[str], workload: Workload, row: Contestant, size: int
) -> list[str]:
    """The command of one measurement."""
    module = ["-m", "benchmarks.worker"]
    return [*python, *module, workload.key, row.name, str(size)]


def read(done: tuple[int, str, str] | None, timeout: float) -> dict[str, Any]:
    """What a measurement answered: the same keys as the worker's."""
    if done is None:
        return {"why": f"took longer than {timeout:g} s"}
    code, out, err = done
    try:
        return dict(json.loads(out.splitlines()[-1]))
    except (IndexError, ValueError):
        detail = (err.strip() or out.strip() or "no output").splitlines()[-1]
        return {"why": f"ended with status {code}", "detail": detail}


def time(
    python: Sequence[str],
    workload: Workload,
    *,
    size: int,
    rounds: int,
    timeout: float,
    rows: Sequence[Contestant] = (),
    say: Callable[[str], None] = print,
) -> Results:
    """Measure CPU time in interleaved rounds.

    Args:
        python: The words that start the interpreter.
        workload: What to measure.
        size: How many units.
        rounds: How many measurements of each contestant.
        timeout: Seconds of real time that one measurement may take.
        rows: The contestants; the default is all of the workload.
        say: Takes lines of progress.
    """
    results = Results(workload, size)
    rows = list(rows or workload.contestants)
    for number in range(rounds):
        turn = number % len(rows)  # nobody is always first
        for row in [*rows[turn:], *rows[:turn]]:
            if row.name in results.why:
                continue
            answer = read(call(work(python, workload, row, size), timeout), timeout)
            if "cpu" in answer:
                results.values.setdefault(row.name, []).append(float(answer["cpu"]))
                if answer["version"]:
                    results.versions[row.package] = answer["version"]
            else:
                results.fail(row.name, answer["why"])
                say(f"    {row.name}: {answer.get('detail') or answer['why']}")
        say(f"  {workload.title(size)}: round {number + 1} of {rounds}")
    return results


# -- instructions --------------------------------------------------------------------


def find_counter(
    python: Sequence[str], counters: Sequence[Counter] = COUNTERS
) -> Counter:
    """The first counter that works here.

    Raises:
        ToolError: None does.
    """

    def behind(words: Sequence[str]) -> str | None:
        done = call([*words, *python, "-c", "pass"], 120)
        return done[2] if done and done[0] == 0 else None

    counter = first_that_counts(behind, counters)
    if counter is not None:
        return counter
    raise ToolError(
        "--instructions needs perf with hardware counters, or Valgrind, and neither "
        "works here: install Valgrind, or leave the option out."
    )


def count(
    python: Sequence[str],
    workload: Workload,
    counter: Counter,
    *,
    timeout: float,
    rows: Sequence[Contestant] = (),
    say: Callable[[str], None] = print,
) -> Results:
    """Count instructions per unit: the difference between two sizes.

    What the start of Python and the imports cost is the same in both, and a bare worker
    ends where the work does.
    """
    small, large = workload.counted
    results = Results(workload, large - small)
    for row in rows or workload.contestants:
        counts: list[int] = []
        command = work(python, workload, row, small)
        call(command, timeout)  # compiles what was edited since the last run
        for size in (small, large):
            command = [*counter.command, *work(python, workload, row, size), "bare"]
            done = call(command, timeout)
            answer = read(done, timeout)
            number = counter.find(done[2]) if done else None
            if "cpu" not in answer or number is None:
                why = answer.get("why", f"{counter.name} gave no count")
                results.fail(row.name, why)
                say(f"    {row.name}: {answer.get('detail') or why}")
                break
            counts.append(number)
        else:
            results.values[row.name] = [(counts[1] - counts[0]) / (large - small)]
            say(f"  instructions per {workload.what}: {row.name}")
    return results


# -- arithmetic ----------------------------------------------------------------------


def short(value: float, digits: int = 4) -> float:
    """*value* with so many significant digits."""
    return float(f"{value:.{digits}g}")


def baseline_of(results: Results) -> str | None:
    """The row whose ratio is 1: the fastest peer, or what is not traced."""
    rows = results.workload.contestants
    rivals = [row.name for row in rows if row.peer and row.name in results.values]
    if rivals:
        return min(rivals, key=lambda name: statistics.median(results.values[name]))
    for name in ("untraced", "stock loop", OURS):
        if name in results.values:
            return name
    return None


def ratios(values: Sequence[float], baseline: Sequence[float]) -> list[float]:
    """The ratio of each round."""
    return [one / other for one, other in zip(values, baseline, strict=True)]


def group(results: Results, counter: Counter | None = None) -> dict[str, Any]:
    """One group of the results file; its schema is in benchmarks/schema.py."""
    workload = results.workload
    baseline = baseline_of(results)
    scale = 1e6 / results.size if workload.each and counter is None else 1.0
    rows = []
    for row in workload.contestants:
        values = results.values.get(row.name)
        if values is None:
            if row.name in results.why:
                why = results.why[row.name]
                rows.append({"name": row.name, "value": None, "note": why})
            continue
        scaled = [value * scale for value in values]
        line: dict[str, Any] = {
            "name": row.name,
            "value": short(statistics.median(scaled)),
        }
        if baseline is not None:
            each = ratios(values, results.values[baseline])
            line["ratio"] = short(statistics.median(each))
            if len(values) > 1:
                line["paired"] = True
                line["ratio_spread"] = [short(min(each)), short(max(each))]
        if len(values) > 1:
            line["spread"] = [short(min(scaled)), short(max(scaled))]
        if row.note:
            line["note"] = row.note
        rows.append(line)
    title, unit, method = words(results, counter)
    out: dict[str, Any] = {"title": title, "unit": unit, "method": method}
    if baseline is not None:
        out["baseline"] = baseline
        if workload.aim and (counter or workload.aim_on_time):
            name, at_most, text = workload.aim
            if any(line["name"] == name for line in rows):
                out["aim"] = {"name": name, "at_most": at_most, "text": text}
    return out | {"rows": rows}


def words(results: Results, counter: Counter | None) -> tuple[str, str, str]:
    """Title, unit and method of a group."""
    workload = results.workload
    if counter:
        unit = f"instructions per {workload.what}"
        small, large = workload.counted
        method = (
            f"Instructions counted by {counter.name}, per {workload.what}: the "
            f"difference between a run of {large:,} and one of {small:,}. "
        )
        return workload.counted_about, unit, method + workload.remark
    unit = f"µs per {workload.what}" if workload.each else "s"
    rounds = max(map(len, results.values.values()), default=0)
    method = (
        "CPU time of the work alone, without the start of Python and the imports: the "
        f"median of {rounds} round{'s' * (rounds != 1)}. In a round each row runs "
        "once, in a fresh process, and ratios are taken within the round. "
    )
    return workload.title(results.size), unit, method + workload.remark


def packages(results: Sequence[Results]) -> dict[str, str]:
    """The versions of all that ran."""
    return {name: one.versions[name] for one in results for name in one.versions}


def relative(path: Path) -> str:
    """*path* as the reader names it."""
    try:
        return str(path.resolve().relative_to(ROOT))
    except ValueError:
        return str(path)
