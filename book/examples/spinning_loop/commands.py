"""The command line of the captures.

Exit status: 0 all of it ran; 1 something failed; 2 wrong usage; 3 some parts cannot run
on this machine and were left out (each is named); 130 interrupted.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from spinning_loop import free, fresh, guard, realcase, toolbox, yields
from spinning_loop.environments import cache_folder
from spinning_loop.programs import CaptureError, SkippedError, start_up

__all__ = ["main"]

HERE = Path(__file__).resolve().parent
PARTS = ("fresh", "real", "tools", "guard", "free", "yields", "render")


def say(line: str) -> None:
    print(f"  {line}", file=sys.stderr, flush=True)


def parser() -> argparse.ArgumentParser:
    found = argparse.ArgumentParser(
        prog="capture.py",
        description="Make the captures of chapter 6 again.",
        epilog="Exit status: 0 all ran, 1 something failed, 2 wrong usage, "
        "3 parts were left out because something is missing, 130 interrupted.",
    )
    found.add_argument(
        "parts",
        nargs="*",
        metavar="part",
        help="fresh: the published test, each time in a fresh process; real: warm "
        "repeats with old and new libraries; tools: each tool on the distilled case; "
        "guard: the guard on both libraries; free: hops without the GIL; yields: hops "
        "on one core without sched_yield; render: the table of tools. All by default.",
    )
    found.add_argument(
        "--folder",
        type=Path,
        default=None,
        help="where the pinned environments are kept (default: the user's cache)",
    )
    found.add_argument(
        "--output",
        type=Path,
        default=HERE / "captures",
        help="where the captures are written (default: beside this program)",
    )
    found.add_argument("--quick", action="store_true", help="measure less, in a minute")
    found.add_argument(
        "--only", metavar="TOOL", help="with tools: this one only", default=None
    )
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the parts that were asked for; the exit status is that of the module."""
    line = parser()
    options = line.parse_args(arguments)
    parts = options.parts or list(PARTS)
    wrong = [part for part in parts if part not in PARTS]
    if wrong:
        line.error(f"no part {wrong[0]!r}: choose from {', '.join(PARTS)}")
    if options.only is not None and options.only not in toolbox.TOOLS:
        line.error(f"no tool {options.only!r}: choose from {', '.join(toolbox.TOOLS)}")
    start_up()
    status = 0
    try:
        for part in parts:
            status = max(status, one_part(part, options), key=(0, 3, 1).index)
    except KeyboardInterrupt:
        print("capture.py: interrupted; nothing is left running", file=sys.stderr)
        return 130
    return status


def one_part(part: str, options: argparse.Namespace) -> int:
    folder = options.folder or cache_folder()
    try:
        if part == "fresh":
            return fresh_processes(options, folder)
        if part == "real":
            return real(options, folder)
        if part == "tools":
            only = None if options.only is None else [options.only]
            return toolbox.capture(options.output, folder, say, only)
        if part == "guard":
            return guard.capture(options.output, folder, say)
        if part == "free":
            return free.capture(options.output, say)
        if part == "yields":
            return yields.capture(options.output, say)
        toolbox.render(options.output)
        return 0
    except SkippedError as error:
        print(f"capture.py: {part} left out: {error}", file=sys.stderr)
        return 3
    except CaptureError as error:
        print(f"capture.py: {part} failed: {error}", file=sys.stderr)
        return 1


def fresh_processes(options: argparse.Namespace, folder: Path) -> int:
    size = fresh.QUICK if options.quick else fresh.Size()
    found = fresh.measure(folder, size, say)
    print(fresh.table(found), end="")
    fresh.write(found, options.output)
    if realcase.failed(found):
        return 1
    return 3 if realcase.skipped(found) else 0


def real(options: argparse.Namespace, folder: Path) -> int:
    size = realcase.QUICK if options.quick else realcase.Size()
    found = realcase.measure(folder, size, say)
    print(realcase.table(found), end="")
    realcase.write(found, options.output)
    if realcase.failed(found):
        return 1
    return 3 if realcase.skipped(found) else 0
