"""Read recordings while they are written."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from looplab._numbers import percentile
from looplab._words import seconds

from .fileformat import Tables, take
from .naming import own_line, waits_from
from .recording import Callback, Code, Recording

__all__ = ["Follower", "Held", "line_of"]

_LONG = 0.3  # of a period: a loop that is held for so long is what a line is about


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
        ended: list[Callback] = []
        held: list[Held] = []
        for file in self._files.values():
            ended += file.read()
            held += file.held()
        return ended, held


class Held(NamedTuple):
    """A callback that has not ended: how long it was seen, and where most."""

    ns: int
    place: Code


class _File:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._begin()

    def _begin(self) -> None:
        self._file: TextIO = self._path.open(encoding="utf-8", errors="replace")
        self._number = os.fstat(self._file.fileno()).st_ino
        self._tables: Tables | None = None
        self._half = ""  # of a line
        self._last: dict[int, int] = {}  # of each loop, the callback that ended last
        self._held: dict[int, list[int]] = {}  # of each loop: callback, from, until
        self._lines: dict[tuple[int, int], Counter[Code]] = {}

    def read(self) -> list[Callback]:
        """What ended, each at the line at which it was seen most."""
        loops: dict[int, Recording] = {}
        self._rest(loops)
        try:
            moved = self._path.stat().st_ino != self._number
        except OSError:
            moved = False
        if moved:  # a bound on the size moved the file aside
            self._rest(loops)  # what came before that
            left = self._file
            with suppress(FileNotFoundError):  # moved again: at the next look
                self._begin()
                left.close()
                self._rest(loops)
        ended: list[Callback] = []
        for number, loop in loops.items():
            for sample in loop.samples:
                where = own_line(sample.stack)
                key = number, sample.callback
                if where is not None:
                    lines = self._lines.setdefault(key, Counter())
                    lines[where] += sample.weight_ns
                since = self._held.get(number, [-1, 0, 0])
                begin = sample.at_ns - sample.weight_ns
                if since[0] == sample.callback:
                    begin = since[1]
                self._held[number] = [sample.callback, begin, sample.at_ns]
            for callback in loop.callbacks:
                self._last[number] = callback.index
                seen = self._lines.pop((number, callback.index), None)
                if seen:
                    callback.code = seen.most_common(1)[0][0]
                ended.append(callback)
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
    return f"{code.name} {'/'.join(code.place.split('/')[-2:])}".rstrip()
