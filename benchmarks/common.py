"""What the benchmarks share: an environment, a fresh process, rounds, counts, a table.

A contest is a module that measures itself: ``python -m MODULE --worker WORK ROW SIZE``
runs one contestant in a process of its own and prints one line of JSON, ``{"cpu":
seconds, "version": ...}``.  With one more word, ``bare``, the process ends where the
work does, so that a count of its instructions has no clean-up in it.
"""

from __future__ import annotations

import argparse
import gc
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any

from ontime.measuring import processes
from ontime.measuring.counters import Counter, first_that_counts
from ontime.measuring.records import machine
from tools.common import ROOT, ToolError, ended, say
from tools.environment import make_venv, venv_python

FOLDER = ROOT / "benchmarks"
ASK = """\
import json, platform, sysconfig
words = sysconfig.get_config_var("CONFIG_ARGS") or ""
how = "with" if "--enable-optimizations" in words else "without"
name = platform.python_implementation() + " " + platform.python_version()
print(json.dumps([name, how + " profile-guided optimisation"]))
"""
Values = dict[str, list[float]]


# -- the process ---------------------------------------------------------------------


def environment(
    python: str = sys.executable,
    name: str = ".venv-bench",
    pins: Path = FOLDER / "requirements.txt",
) -> str:
    """The interpreter of the benchmarks' own environment, which is made if need be."""
    install = ["--no-deps", "-r", str(pins)]
    return str(venv_python(make_venv(ROOT / name, [pins], [install], python)))


def fresh(
    words: Sequence[str], timeout: float = 600, folder: Path = ROOT, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a process with nothing of the user's Python settings.

    Raises:
        ToolError: It took longer than *timeout* seconds.
    """
    kept = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    kept |= {"PYTHONHASHSEED": "0", "PYTHONNOUSERSITE": "1", "PYTHONPATH": path}
    try:
        return processes.run(words, kept | variables, timeout, folder)
    except TimeoutError:
        raise ToolError(f"{words[-1]} took longer than {timeout:g} s.") from None


def find_counter(python: str) -> Counter:
    """The first counter of instructions that works here.

    Raises:
        ToolError: None does.
    """

    def behind(words: Sequence[str]) -> str | None:
        done = fresh([*words, python, "-c", "pass"])
        return None if done.returncode else done.stderr

    counter = first_that_counts(behind)
    if counter is None:
        raise ToolError("counting needs perf with hardware counters, or Valgrind.")
    return counter


# -- the worker's side ---------------------------------------------------------------


def settle() -> None:
    """Keep what the imports made away from the garbage collector, then begin."""
    # A socket's buffer of 256 KiB comes from the system each time, until the C library
    # has seen a greater block go.  Some imports show it one; so does this, for all.
    bytes(bytearray(1 << 20))
    gc.collect()
    gc.freeze()


def finish(start: float) -> float:
    """The CPU seconds since *start*; a bare process ends here."""
    cpu = process_time() - start
    if sys.argv[-1] == "bare":
        print(json.dumps({"cpu": cpu, "version": None}), flush=True)
        os._exit(0)
    return cpu


def worker(measure: Callable[[str, str, int], Any], packages: Mapping[str, str]) -> int:
    """Measure what the command line names, and print it.

    Args:
        measure: Takes the work, the row and the size; returns CPU seconds, or more.
        packages: The distribution that a row comes from, if any.
    """
    work, row, size = sys.argv[2:5]
    try:
        value = measure(work, row, int(size))
    except Exception as error:  # the table says so, and the other rows go on
        why = "not installed" if isinstance(error, ModuleNotFoundError) else repr(error)
        print(json.dumps({"why": why}))
        return 0
    facts = value if isinstance(value, dict) else {"cpu": value}
    package = packages.get(row, "")
    version = importlib.metadata.version(package) if package else None
    print(json.dumps({"version": version} | facts))
    return 0


# -- contests ------------------------------------------------------------------------


class Contest:
    """Contestants that a module measures, each in a fresh process.

    Args:
        module: The module.
        python: The interpreter that is measured.
        timeout: The longest real time of one measurement, in seconds.
    """

    def __init__(self, module: str, python: str, timeout: float = 600) -> None:
        self.words = [python, "-m", module, "--worker"]
        self.timeout = timeout
        self.why: dict[str, str] = {}
        self.versions: dict[str, str] = {}

    def run(
        self, *words: object, before: Sequence[str] = ()
    ) -> tuple[dict[str, Any], str]:
        """One measurement: what it answered, and what the counter printed."""
        done = fresh([*before, *self.words, *map(str, words)], self.timeout)
        try:
            return dict(json.loads(done.stdout.splitlines()[-1])), done.stderr
        except (IndexError, ValueError):
            say(done.stderr)
            return {"why": f"ended with status {done.returncode}"}, done.stderr

    def instructions(
        self,
        work: str,
        rows: Sequence[str],
        sizes: tuple[int, int],
        counter: Counter,
    ) -> Values:
        """Instructions per unit of each row: the difference between two sizes."""
        values: Values = {}
        self.why = {}
        for row in rows:
            answer, _ = self.run(work, row, sizes[0])  # compiles what was edited
            if "why" in answer:
                self.why[row] = answer["why"]
                say(f"    {row}: {self.why[row]}")
                continue
            if answer["version"]:
                self.versions[row] = answer["version"]
            counts = []
            for size in sizes:
                answer, text = self.run(work, row, size, "bare", before=counter.command)
                number = counter.find(text)
                if "why" in answer or number is None:
                    self.why[row] = answer.get("why", f"{counter.name} gave no count")
                    say(f"    {row}: {self.why[row]}")
                    break
                counts.append(number)
            else:
                values[row] = [(counts[1] - counts[0]) / (sizes[1] - sizes[0])]
                say(f"  instructions of {work}: {row}")
        return values


# -- tables --------------------------------------------------------------------------


def short(value: float) -> float:
    """*value* with four significant digits."""
    return float(f"{value:.4g}")


def row_of(
    name: str, own: Sequence[float], base: Sequence[float] = (), note: str = ""
) -> dict[str, Any]:
    """One row: the median, its ratio to another row's by rounds, and the spreads."""
    row: dict[str, Any] = {"name": name, "value": short(statistics.median(own))}
    several = len(own) > 1
    if base:
        ratios = [a / b for a, b in zip(own, base, strict=True)]
        row["ratio"] = short(statistics.median(ratios))
        if several:
            row["paired"] = True
            row["ratio_spread"] = [short(min(ratios)), short(max(ratios))]
    if several:
        row["spread"] = [short(min(own)), short(max(own))]
    return row | ({"note": note} if note else {})


def group(
    title: str,
    unit: str,
    method: str,
    values: Mapping[str, Sequence[float]],
    baseline: str = "",
    *,
    rows: Sequence[str] = (),
    why: Mapping[str, str] | None = None,
    notes: Mapping[str, str] | None = None,
    aim: tuple[str, float, str] | None = None,
    of_value: bool = False,
) -> dict[str, Any]:
    """One table of a file of results.

    Args:
        title: Its head.
        unit: Of the values.
        method: How they were measured.
        values: For each row one value a round.
        baseline: The row whose ratio is 1.
        rows: Their order; the default is that of *values*.
        why: For each row without values, why it has none.
        notes: What the reader must know to read a row right.
        aim: The row that is judged, its highest ratio, and that in words.
        of_value: Whether the aim is about the value and not about the ratio.
    """
    why, notes, base = why or {}, notes or {}, values.get(baseline, ())
    made = [
        row_of(name, values[name], base, notes.get(name, ""))
        if name in values
        else {"name": name, "value": None, "note": why[name]}
        for name in rows or values
    ]
    facts: dict[str, Any] = {"title": title, "unit": unit, "method": method}
    facts |= {"baseline": baseline} if baseline else {}
    if aim:
        limit = "value_at_most" if of_value else "at_most"
        facts["aim"] = {"name": aim[0], limit: aim[1], "text": aim[2]}
    return facts | {"rows": made}


# -- commands ------------------------------------------------------------------------


def parser(module: str, text: str | None, rounds: int) -> argparse.ArgumentParser:
    """The options of a benchmark that measures another Python in *rounds*."""
    top = argparse.ArgumentParser(prog=f"python -m {module}", description=text)
    top.add_argument("--rounds", type=int, default=rounds, help="of each row")
    top.add_argument("--python", default=sys.executable, help="what is measured")
    top.add_argument("--timeout", type=float, default=600, help="seconds for one")
    top.add_argument("--output", type=Path, help="write the results here")
    return top


def machine_facts() -> dict[str, str]:
    """What the reader must know of the machine; nothing that names it."""
    facts = machine()
    return {
        "Processor": f"{facts['processor']}, {facts['cores']}",
        "System": f"{facts['system']} {platform.machine()}",
    }


def about(python: str, command: str) -> dict[str, Any]:
    """What a reader must know of the machine and the interpreter *python*."""
    name, build = json.loads(fresh([python, "-c", ASK]).stdout)
    return {
        "machine": machine_facts() | {"Build of Python": build},
        "python": name,
        "command": command,
    }


def publish(results: dict[str, Any], path: Path | None) -> None:
    """Write the results, and put those that the page shows into it; None: nowhere."""
    if path is None:
        return
    from benchmarks import readme

    text = json.dumps(results, indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8")
    readme.follow(path)
    say(f"Written to {path}.")


def status(run: Callable[[], object]) -> int:
    """Run a command and return its exit status; an error is one line."""
    return ended(run, "\nstopped; no results were written")
