"""The command ``looplab trace``."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from ..launch import (
    LaunchError,
    check_output,
    command_of,
    files_of,
    leave_as,
    new_session,
    run_recorded,
)
from ..options import UVLOOP, Options, bytes_of, seconds_of

__all__ = ["add_arguments", "run"]

_ABOUT = """\
Run a program and record every callback of its event loops.

The program runs unchanged, and so do the Python processes that it starts: each writes a
file of its own. The recording is written while it runs, so that a killed program loses
the last moments only. Read it with `looplab who FILE`.
"""
_EPILOG = """\
examples:
  looplab trace uvicorn app:app
  looplab trace -o slow.jsonl --for 60s -m aiohttp.web app:main
  looplab trace --when-late 200ms service.py --port 8000

exit status: that of the program; 2 if it could not be started. Times are written
200ms, 30s, 5m; sizes 500MB, 2GB.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description, parser.epilog = _ABOUT, _EPILOG
    parser.usage = "looplab trace [OPTIONS] (-m MODULE | SCRIPT | COMMAND) ARGS…"
    add = parser.add_argument
    add("-o", "--output", type=Path, metavar="FILE", help="where to write")
    add(
        "--for",
        dest="seconds",
        type=time_argument,
        metavar="TIME",
        help="stop recording after so long; the program goes on",
    )
    add(
        "--when-late",
        type=time_argument,
        metavar="TIME",
        help="write only what surrounds a callback that was late by more than this",
    )
    add(
        "--keep",
        type=time_argument,
        default=60.0,
        metavar="TIME",
        help="with --when-late: how much before it is kept (default: 60s)",
    )
    add(
        "--sample",
        type=_sample,
        default=0.005,
        metavar="TIME",
        help="how often to look at which line the loop is (default: 5ms; 0: never)",
    )
    add(
        "--max-size",
        type=_size,
        default=1_000_000_000,
        metavar="SIZE",
        help="disk for each process; the oldest goes first (default: 1GB)",
    )
    add(
        "--uvloop",
        choices=UVLOOP,
        default="replace",
        help="run asyncio's own loop instead (default), or do not record it",
    )
    add("-m", dest="module", action="store_true", help="what follows is a module")
    add("words", nargs=argparse.REMAINDER, metavar="PROGRAM", help="what to run")


def time_argument(text: str) -> float:
    """A time of the command line, in seconds."""
    try:
        return seconds_of(text)
    except ValueError as exc:
        raise argparse.ArgumentTypeError(str(exc)) from None


def _sample(text: str) -> float:
    if text.strip() in ("0", "0s", "0ms"):
        return 0.0
    seconds = time_argument(text)
    if seconds < 0.001:
        raise argparse.ArgumentTypeError(f"{text} is too often: 1ms is the least, or 0")
    if seconds > 1:
        raise argparse.ArgumentTypeError(f"{text} is {seconds:g} s: 1s is the most")
    return seconds


def _size(text: str) -> int:
    try:
        return bytes_of(text)
    except ValueError as exc:
        raise argparse.ArgumentTypeError(str(exc)) from None


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run the program; return its exit status."""
    if not options.words:
        parser.error("name a script, a command, or -m MODULE")
    output = options.output or Path(time.strftime("looplab-%Y%m%d-%H%M%S.jsonl"))
    try:
        command = command_of(options.words, module=options.module)
        asked = Options(
            output=str(check_output(output)),
            session=new_session(),
            seconds=options.seconds,
            keep=options.keep,
            when_late=options.when_late,
            sample=options.sample,
            uvloop=options.uvloop,
            max_bytes=options.max_size,
        )
        status = run_recorded(command, asked)
    except LaunchError as exc:
        print(f"looplab: {exc}", file=sys.stderr)
        return 2
    for line in _summary(asked, output):
        print(f"looplab: {line}", file=sys.stderr)
    return leave_as(status)


def _summary(asked: Options, output: Path) -> list[str]:
    files = files_of(asked)
    folder = output.parent
    names = [
        str(folder / path.name) if str(folder) != "." else path.name for path in files
    ]
    if not names:
        return [
            "nothing recorded: no asyncio loop ran that can be seen, or it ran in a "
            "Python that does not read PYTHONPATH (python -I, for example)"
        ]
    if asked.when_late is not None and not any(map(_has_rows, files)):
        return [
            f"nothing was late by more than {asked.when_late:g} s: "
            f"{names[0]} has its first line only"
        ]
    cut = "" if all(map(has_end, files)) else " (not to the end: killed, or no space)"
    if len(names) == 1:
        return [f"recorded{cut}; next: looplab who {names[0]}"]
    return [
        f"recorded {len(names)} processes{cut}; next: looplab who {names[0]}",
        "the others: " + " ".join(names[1:]),
    ]


def has_end(path: Path) -> bool:
    """Whether the recording in *path* was ended."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 10_000))
        return b'"end":' in file.read()


def _has_rows(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as file:
        return any('"rows":' in line for line in file)
