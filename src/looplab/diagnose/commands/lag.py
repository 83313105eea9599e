"""The command ``looplab lag``."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ..follow import Follower, line_of
from ..launch import LaunchError, command_of, leave_as, new_session, run_recorded
from ..options import UVLOOP, Options
from .trace import time_argument

__all__ = ["add_arguments", "run"]

_ABOUT = """\
Show how late the event loops of a program are, live: a line for each period.

The program runs as under `looplab trace`, and its exit status is kept. Lateness is that
of timers, of data and of what threads hand over. The lines go to standard error.
"""
_KEPT = 20_000_000  # bytes of recording that lie in the temporary folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.description = _ABOUT
    parser.usage = "looplab lag [OPTIONS] (-m MODULE | SCRIPT | COMMAND) ARGS…"
    add = parser.add_argument
    add(
        "--every",
        type=time_argument,
        default=1.0,
        metavar="TIME",
        help="the period (default: 1s)",
    )
    add("--uvloop", choices=UVLOOP, default="replace", help="as of `looplab trace`")
    add("-m", dest="module", action="store_true", help="what follows is a module")
    add("words", nargs=argparse.REMAINDER, metavar="PROGRAM", help="what to run")


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run the program and show its lateness; return its exit status."""
    if not options.words:
        parser.error("name a script, a command, or -m MODULE")
    with tempfile.TemporaryDirectory(prefix="looplab-") as folder:
        path = Path(folder) / "lag.jsonl"
        asked = Options(
            output=str(path),
            session=new_session(),
            uvloop=options.uvloop,
            max_bytes=_KEPT,
        )
        try:
            command = command_of(options.words, module=options.module)
            status = run_recorded(command, asked, _watch(path, options.every))
        except LaunchError as exc:
            print(f"looplab: {exc}", file=sys.stderr)
            return 2
    return leave_as(status)


def _watch(path: Path, every: float) -> Callable[[subprocess.Popen[bytes]], int]:
    follower = Follower(path)
    at_once = sys.stderr.isatty()

    def show() -> None:
        ended, held = follower.read()
        if ended or held or at_once:
            now = time.strftime("%H:%M:%S")
            text = line_of(ended, every, held)
            print(f"{now}  {text}", file=sys.stderr, flush=True)

    def watch(process: subprocess.Popen[bytes]) -> int:
        while True:
            try:
                status = process.wait(timeout=every)
            except subprocess.TimeoutExpired:
                show()
                continue
            show()
            return status

    return watch
