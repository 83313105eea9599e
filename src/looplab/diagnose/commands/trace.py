"""The command ``looplab trace``."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..options import Options, bytes_of, seconds_of
from . import argument
from .launch import check_output, command_of, files_of, leave_as, run_recorded

ABOUT = """\
Run a program and record every callback of its event loops.

The program runs unchanged, and so do the Python processes that it starts: each writes a
file of its own. The recording is written while it runs, so that a killed program loses
the last moments only. Read it with `looplab who FILE`.
"""
_EPILOG = """\
examples:
  looplab trace uvicorn app:app
  looplab trace -o slow.jsonl --for 60s -m aiohttp.web app:main

exit status: that of the program; 2 if it could not be started. Times are written
200ms, 30s, 5m; sizes 500MB, 2GB.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.epilog = _EPILOG
    add_output(parser, "stop recording after so long; the program goes on")
    parser.add_argument(
        "--max-size",
        type=argument(bytes_of),
        default=1_000_000_000,
        metavar="SIZE",
        help="disk for each process; the oldest goes first (default: 1GB)",
    )
    add_program(parser, "trace")


def add_output(
    parser: argparse.ArgumentParser, text: str, seconds: float | None = None
) -> None:
    """A command that leaves a recording takes these; *text* says what ``--for`` does,
    and *seconds* is its default."""
    unnamed = Path(time.strftime("looplab-%Y%m%d-%H%M%S.jsonl"))
    to: Any = {"type": Path, "metavar": "FILE", "default": unnamed}
    parser.add_argument("-o", "--output", help="the file", **to)
    how: Any = {"type": argument(seconds_of), "metavar": "TIME", "default": seconds}
    parser.add_argument("--for", dest="seconds", help=text, **how)


def add_program(parser: argparse.ArgumentParser, name: str) -> None:
    """The command *name*, which runs a program, takes these."""
    parser.usage = f"looplab {name} [OPTIONS] (-m MODULE | SCRIPT | COMMAND) ARGS…"
    add = parser.add_argument
    add("-m", dest="module", action="store_true", help="what follows is a module")
    add("words", nargs=argparse.REMAINDER, metavar="PROGRAM", help="what to run")


def program_of(
    options: argparse.Namespace, parser: argparse.ArgumentParser
) -> list[str]:
    """The command that runs the program of the command line."""
    if not options.words:
        parser.error("name a script, a command, or -m MODULE")
    return command_of(options.words, module=options.module)


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run the program; return its exit status."""
    command = program_of(options, parser)
    output = str(check_output(options.output))
    asked = Options(output, seconds=options.seconds, max_bytes=options.max_size)
    status = run_recorded(command, asked)
    for line in _summary(asked, options.output):
        print(f"looplab: {line}", file=sys.stderr)
    return leave_as(status)


def _summary(asked: Options, output: Path) -> Iterator[str]:
    """What was recorded, and what to type next."""
    files = files_of(asked)
    if not files:
        yield (
            "nothing recorded: no asyncio loop ran that can be seen, or it ran in a "
            "Python that does not read PYTHONPATH (python -I, for example)"
        )
        return
    # Written as the user wrote the name of the first.
    names = [str(output.with_name(path.name)) for path in files]
    many = f" {len(names)} processes" if len(names) > 1 else ""
    cut = "" if all(map(has_end, files)) else " (not to the end: killed, or no space)"
    yield f"recorded{many}{cut}; next: looplab who {names[0]}"
    if many:
        yield "the others: " + " ".join(names[1:])


def has_end(path: Path) -> bool:
    """Whether the recording in *path* was ended."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 10_000))
        return b'"end":' in file.read()
