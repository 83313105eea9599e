"""The command ``looplab lag``: read recordings while they are written."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from looplab._numbers import percentile
from looplab._words import seconds

from ..events import Callback, Code
from ..fileformat import Tables, take
from ..launch import LaunchError, leave_as, run_recorded
from ..naming import own_line, waits_from
from ..options import Options, seconds_of
from ..recording import Recording
from ..report import short
from . import argument, stop
from .trace import add_program, program_of

__all__ = ["ABOUT", "Follower", "Held", "add_arguments", "line_of", "run"]

ABOUT = """\
Show how late the event loops of a program are, live: a line for each period.

The program runs as under `looplab trace`, and its exit status is kept. Lateness is that
of timers, of data and of what threads hand over. The lines go to standard error.
"""
_KEPT = 20_000_000  # bytes of recording that lie in the temporary folder
_LONG = 0.3  # of a period: a loop that is held for so long is what a line is about


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "--every",
        type=argument(seconds_of),
        default=1.0,
        metavar="TIME",
        help="the period (default: 1s)",
    )
    add_program(parser, "lag")


def run(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    """Run the program and show its lateness; return its exit status."""
    with tempfile.TemporaryDirectory(prefix="looplab-") as folder:
        path = Path(folder) / "lag.jsonl"
        asked = Options(str(path), max_bytes=_KEPT)
        try:
            command = program_of(options, parser)
            status = run_recorded(command, asked, _watch(path, options.every))
        except LaunchError as exc:
            stop(exc)
    return leave_as(status)


def _watch(path: Path, every: float) -> Callable[[subprocess.Popen[bytes]], int]:
    follower = Follower(path)
    at_once = sys.stderr.isatty()

    def watch(process: subprocess.Popen[bytes]) -> int:
        status = None
        while status is None:
            with suppress(subprocess.TimeoutExpired):
                status = process.wait(timeout=every)
            ended, held = follower.read()
            if ended or held or at_once:
                line = f"{time.strftime('%H:%M:%S')}  {line_of(ended, every, held)}"
                print(line, file=sys.stderr, flush=True)
        return status

    return watch


class Held(NamedTuple):
    """A callback that has not ended: how long it was seen, and where most."""

    ns: int
    place: Code


class Follower:
    """Returns what was written since the last look, file by file.

    Args:
        path: the file of the first process; those of other processes, beside it with
            their numbers, are read too.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files: dict[Path, _File] = {}

    def read(self) -> tuple[list[Callback], list[Held]]:
        """Return the callbacks that were written since the last look, and what holds
        the loops now."""
        path = self._path
        for part in [path, *path.parent.glob(f"{path.stem}-*{path.suffix}")]:
            if part not in self._files:
                with suppress(FileNotFoundError):  # it is not there yet, or was moved
                    self._files[part] = _File(part)
        files = self._files.values()
        ended = [callback for file in files for callback in file.read()]
        return ended, [held for file in files for held in file.held()]


class _File:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._begin()

    def _begin(self) -> None:
        self._file: TextIO = self._path.open(encoding="utf-8", errors="replace")
        self._tables: Tables | None = None
        self._half = ""  # of a line
        self._last: dict[int, int] = {}  # of each loop, the callback that ended last
        self._held: dict[int, tuple[int, int, int]] = {}  # callback, from, until
        self._lines: dict[tuple[int, int], Counter[Code]] = {}

    def read(self) -> list[Callback]:
        """What ended, each at the line at which it was seen most."""
        loops: dict[int, Recording] = {}
        self._rest(loops)
        with suppress(FileNotFoundError):  # moved again: at the next look
            if self._path.stat().st_ino != os.fstat(self._file.fileno()).st_ino:
                self._rest(loops)  # a bound on the size moved the file aside
                left = self._file
                self._begin()
                left.close()
                self._rest(loops)
        ended: list[Callback] = []
        for number, loop in loops.items():
            for at, running, weight, stack, _ in loop.samples:
                line = own_line(stack)
                if line is not None:
                    lines = self._lines.setdefault((number, running), Counter())
                    lines[line] += weight
                callback, since, _ = self._held.get(number, (-1, 0, 0))
                begin = since if callback == running else at - weight
                self._held[number] = running, begin, at
            for each in loop.callbacks:
                self._last[number] = each.index
                seen = self._lines.pop((number, each.index), None)
                if seen:
                    each.code = seen.most_common(1)[0][0]
                ended.append(each)
        return ended

    def held(self) -> list[Held]:
        """What holds a loop of this process now."""
        return [
            Held(until - since, self._lines[loop, callback].most_common(1)[0][0])
            for loop, (callback, since, until) in self._held.items()
            if callback > self._last.get(loop, -1) and (loop, callback) in self._lines
        ]

    def _rest(self, loops: dict[int, Recording]) -> None:
        for text in self._file:
            self._half += text
            if not text.endswith("\n"):
                return
            line: Any = json.loads(self._half)
            self._half = ""
            if self._tables is None:
                self._tables = Tables(line)
            else:
                take(line, self._tables, loops)


def line_of(ended: list[Callback], period: float, held: Sequence[Held] = ()) -> str:
    """Say in a line how late the callbacks *ended* were, and who held the loop.

    Args:
        ended: what ran in the period.
        period: its seconds.
        held: what holds a loop still.
    """
    late = [
        max(0, callback.run_ns - waits_from(callback)) / 1e9
        for callback in ended
        if callback.cause in ("timer", "io", "thread")
    ]
    now = max(held, default=None)
    if now is not None and now.ns >= _LONG * period * 1e9:
        return f"held for {seconds(now.ns / 1e9)} so far by {_at(now.place)}"
    if not late:
        return "nothing ran"
    busy = sum(callback.held_ns for callback in ended) / 1e9 / period
    worst = max(ended, key=lambda callback: callback.held_ns)
    return (
        f"late p50 {seconds(percentile(late, 50)):>8}  "
        f"p99 {seconds(percentile(late, 99)):>8}  "
        f"worst {seconds(max(late)):>8}  busy {min(busy, 1):>4.0%}  "
        f"longest {seconds(worst.held_ns / 1e9)} {_at(worst.code)}"
    )


def _at(code: Code) -> str:
    return f"{code.name} {short(code.place)}".rstrip()
