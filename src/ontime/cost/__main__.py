"""Compare the ways to await in a terminal: ``python -m ontime.cost``.

``python -m ontime.cost mypackage.service:handle`` measures them with a function of
yours.  ``--save FILE.json`` keeps the table, and as text in FILE.txt.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from ontime.measuring.records import record_path

from .measure import compare_variants
from .plan import LOOPS
from .variants import VARIANTS

__all__ = ["add_arguments", "main", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command to *parser*."""
    parser.add_argument(
        "function",
        nargs="?",
        default="ontime.cost.works:nothing",
        metavar="MODULE:FUNCTION",
        help="the coroutine function to await; by default one that returns at once",
    )
    parser.add_argument(
        "--variants",
        default=",".join(VARIANTS),
        metavar="A,B",
        help=f"only these ways, of {', '.join(VARIANTS)}; a comma in a name is kept",
    )
    parser.add_argument(
        "--loops",
        default="asyncio",
        metavar="A,B",
        help=f"on these loops, of {', '.join(LOOPS)}",
    )
    parser.add_argument("--times", type=int, default=2, metavar="N", help="awaits")
    parser.add_argument(
        "--values", type=int, default=4, metavar="N", help="values of each process"
    )
    parser.add_argument(
        "--processes", type=int, default=3, metavar="N", help="processes, in turn"
    )
    parser.add_argument(
        "--instructions", action="store_true", help="count instructions too"
    )
    parser.add_argument(
        "--timeout", type=float, default=600.0, metavar="S", help="seconds in all"
    )
    parser.add_argument(
        "--save", metavar="FILE.json", help="keep the table, and as text beside it"
    )


def run(options: argparse.Namespace) -> int:
    """Run the command; 0 if it has measured, 1 if not."""
    try:
        if options.save:
            # Before the measurement: its result must not be lost.
            record_path(options.save)
        table = compare_variants(
            options.function,
            times=options.times,
            variants=_names(options.variants),
            loops=[word.strip() for word in options.loops.split(",")],
            values=options.values,
            processes=options.processes,
            instructions=options.instructions,
            timeout=options.timeout,
        )
        if options.save:
            table.save(options.save)
    except (
        KeyError,
        ImportError,
        OSError,
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(table)
    return 0


def _names(text: str) -> list[str]:
    """Split at commas; that of ``tasks, eager`` is a part of the name."""
    names: list[str] = []
    for word in map(str.strip, text.split(",")):
        if names and f"{names[-1]}, {word}" in VARIANTS:
            names[-1] += f", {word}"
        else:
            names.append(word)
    return names


def main(words: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m ontime.cost",
        description="Measure the CPU time of each way to await a coroutine function.",
    )
    add_arguments(parser)
    try:
        return run(parser.parse_args(words))
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
