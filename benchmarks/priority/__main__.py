"""The command: ``python -m benchmarks.priority``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

if sys.version_info < (3, 11):  # noqa: UP036 - one clear line for who runs it by hand
    sys.exit("error: Python 3.11 or newer is needed to run the benchmarks")

from benchmarks import commands, environment, report, runner
from benchmarks.priority import leases, loops
from tools.common import ROOT, ToolError, say

__all__ = ["PARTS", "main"]

RESULTS = ROOT / "benchmarks" / "priority_results.json"
ROUNDS = 5
SPOKEN = "python -m benchmarks.priority"

Part = Callable[[str, int, float, dict[str, str]], list[dict[str, Any]]]

#: The parts of the results, in their order.
PARTS: dict[str, Part] = {
    "loops": loops.side_by_side,
    "growth": lambda python, rounds, timeout, _: [
        leases.growth(python, rounds, timeout)
    ],
    "replay": lambda python, rounds, timeout, _: [
        leases.replay(python, rounds, timeout)
    ],
    "callbacks": lambda python, rounds, timeout, _: leases.callbacks(
        python, rounds, timeout
    ),
}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser(
        prog=SPOKEN,
        description=(
            "Measure the priority loop beside asyncio's own and asynkit's, and how the "
            "simulator grows; print tables and write benchmarks/priority_results.json."
        ),
    )
    commands.add_measuring(top, ROUNDS)
    top.add_argument(
        "--only",
        choices=PARTS,
        help="measure these tables only; the others of the file stay as they are",
    )
    return top


def published(path: Path, here: dict[str, Any]) -> dict[str, Any]:
    """The results of a file that were measured as these are.

    Raises:
        ToolError: There are none, or they are of another machine or Python.
    """
    try:
        old: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ToolError(
            f"{runner.relative(path)} is missing: leave --only out."
        ) from None
    for what in ("machine", "python"):
        if old[what] != here[what]:
            raise ToolError(
                f"the {what} of {runner.relative(path)} is {old[what]}, and here it is "
                f"{here[what]}: leave --only out, so all are measured alike."
            )
    return old


def merged(
    old: list[dict[str, Any]], new: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The old tables, each replaced by a new one of its title, and the other new."""
    by_title = {group["title"]: group for group in new}
    kept = [by_title.pop(group["title"], group) for group in old]
    return [*kept, *by_title.values()]


def run(options: argparse.Namespace) -> None:
    """Measure, print, write.

    Raises:
        ToolError: There is no counter, or a row that must work failed.
    """
    if os.name != "posix":
        raise ToolError("the priority loop is measured on Linux and macOS only.")
    python = str(environment.ensure(options.python))
    facts = environment.about(python)
    results = {
        "machine": report.machine(facts["optimised"]),
        "python": facts["name"],
        "command": SPOKEN,
    }
    path = options.output or (RESULTS if options.rounds >= ROUNDS else None)
    old: dict[str, Any] = {"packages": {}, "groups": []}
    if options.only is not None:
        old = published(RESULTS, results)
    packages: dict[str, str] = dict(old["packages"])
    groups: list[dict[str, Any]] = []
    for name, measure in PARTS.items():
        if options.only in (None, name):
            groups += measure(python, options.rounds, options.timeout, packages)
    for one in groups:
        say("\n" + report.as_text(one) + "\n")
    whole = results | {"packages": packages, "groups": merged(old["groups"], groups)}
    commands.publish(whole, path)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    return commands.status(run, parser().parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
