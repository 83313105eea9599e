"""What the benchmarks' commands share: their options, their file and how they end."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import readme, report, runner
from tools.common import ended, say

__all__ = ["add_measuring", "add_python", "publish", "status"]


def add_measuring(top: argparse.ArgumentParser, rounds: int) -> None:
    """Add the options of a benchmark that measures another Python in *rounds*."""
    top.add_argument(
        "--rounds",
        type=int,
        choices=range(1, 101),
        default=rounds,
        metavar="ROUNDS",
        help="measurements of each row (default: %(default)s); fewer write no file",
    )
    add_python(top)
    top.add_argument(
        "--timeout",
        type=float,
        default=300.0,
        metavar="SECONDS",
        help="longest real time of one measurement (default: %(default)g)",
    )
    top.add_argument("--output", type=Path, help="write the results here")


def add_python(top: argparse.ArgumentParser) -> None:
    """Add the option that names the Python to measure."""
    top.add_argument(
        "--python",
        default=sys.executable,
        help="the Python that is measured (default: the one that runs this)",
    )


def publish(results: dict[str, Any], path: Path | None) -> None:
    """Write the results, and what follows from the published ones; None: nowhere."""
    if path is None:
        return
    report.write(results, path)
    readme.follow(path)
    say(f"Written to {runner.relative(path)}.")


def status(
    run: Callable[[argparse.Namespace], None], options: argparse.Namespace
) -> int:
    """Run the command and return its exit status."""
    return ended(lambda: run(options), "\nstopped; no results were written")
