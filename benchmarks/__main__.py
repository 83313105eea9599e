"""The command: ``python -m benchmarks``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

if sys.version_info < (3, 11):  # noqa: UP036 - one clear line for who runs it by hand
    sys.exit("error: Python 3.11 or newer is needed to run the benchmarks")

from benchmarks import commands, environment, report, runner
from benchmarks.workloads import CHOICES, WORKLOADS, Workload
from tools.common import ROOT, ToolError, say

RESULTS = ROOT / "benchmarks" / "results.json"
ROUNDS = 5
QUICK_ROUNDS = 3


def positive(text: str) -> float:
    """A number over 0."""
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"{text} is not over 0")
    return value


def rounds(text: str) -> int:
    """A whole number over 0."""
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if not 1 <= value <= 1000:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and 1000")
    return value


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=(
            "Measure the virtual loop and the tracer against others, print tables and "
            "write benchmarks/results.json (a full run only)."
        ),
    )
    top.add_argument(
        "--quick",
        action="store_true",
        help=f"small sizes and {QUICK_ROUNDS} rounds; writes no file",
    )
    top.add_argument(
        "--only", choices=CHOICES, help="one part of the tables; writes no file"
    )
    top.add_argument(
        "--instructions",
        action="store_true",
        help="count instructions too, with perf or Valgrind (takes 10 minutes more)",
    )
    top.add_argument(
        "--rounds", type=rounds, help=f"measurements of each row (default: {ROUNDS})"
    )
    commands.add_python(top)
    top.add_argument(
        "--timeout",
        type=positive,
        default=600.0,
        metavar="SECONDS",
        help="longest real time of one measurement (default: %(default)g)",
    )
    top.add_argument(
        "--output", type=Path, help="write the results here, whatever was measured"
    )
    return top


def spoken(options: argparse.Namespace) -> str:
    """The command that the reader types for such a run."""
    words = ["--instructions"] if options.instructions else []
    if options.quick:
        words.insert(0, "--quick")
    if options.only:
        words.insert(0, f"--only {options.only}")
    if options.rounds:
        words.append(f"--rounds {options.rounds}")
    given = " ".join(words)
    quoted = f"'{given}'" if " " in given else given
    return f"make bench ARGS={quoted}" if words else "make bench"


def wanted(options: argparse.Namespace) -> list[Workload]:
    """The workloads that the options select."""
    return [one for one in WORKLOADS if options.only in (None, one.choice)]


def place(options: argparse.Namespace) -> Path | None:
    """Where the results go; None for nowhere.

    Raises:
        ToolError: There is no such folder.
    """
    path: Path | None = options.output
    if path is None:
        return None if options.quick or options.only else RESULTS
    if path.is_dir() or not path.parent.is_dir():
        raise ToolError(
            f"--output {path}: give the path of a file in a folder that exists."
        )
    return path


def measure(options: argparse.Namespace, python: str) -> dict[str, Any]:
    """Measure everything that the options ask for."""
    command = [python]
    counter = runner.find_counter(command) if options.instructions else None
    turns = options.rounds or (QUICK_ROUNDS if options.quick else ROUNDS)
    groups: list[dict[str, Any]] = []
    done: list[runner.Results] = []
    for workload in wanted(options):
        size = workload.quick if options.quick else workload.size
        timed = runner.time(
            command,
            workload,
            size=size,
            rounds=turns,
            timeout=options.timeout,
            say=say,
        )
        done.append(timed)
        groups.append(runner.group(timed))
        say("\n" + report.as_text(groups[-1]) + "\n")
        if counter:
            counted = runner.count(
                command, workload, counter, timeout=options.timeout, say=say
            )
            done.append(counted)
            groups.append(runner.group(counted, counter))
            say("\n" + report.as_text(groups[-1]) + "\n")
    for one in done:
        ours = [row for row in one.workload.contestants if not row.package]
        for row in ours:
            if row.name in one.why:
                raise ToolError(
                    f"{row.name} {one.why[row.name]}: its cause is above; no results "
                    "were written."
                )
    facts = environment.about(python)
    return {
        "machine": report.machine(facts["optimised"]),
        "python": facts["name"],
        "command": spoken(options),
        "packages": runner.packages(done),
        "groups": groups,
    }


def run(options: argparse.Namespace) -> None:
    """Measure, print, write."""
    path = place(options)
    python = str(environment.ensure(options.python))
    results = measure(options, python)
    commands.publish(results, path)


def main(words: list[str] | None = None) -> int:
    """Run the command and return its exit status."""
    return commands.status(run, parser().parse_args(words))


if __name__ == "__main__":
    sys.exit(main())
