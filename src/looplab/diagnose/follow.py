"""Read recordings while they are written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from looplab._numbers import percentile
from looplab._words import seconds

from .fileformat import Tables, callbacks_of
from .naming import waits_from
from .recording import Callback

__all__ = ["Follower", "line_of"]


class Follower:
    """Returns what was written since the last look, file by file.

    Args:
        path: the file of the first process; those of other processes, beside it with
            their numbers, are read too.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files: dict[Path, _File] = {}

    def read(self) -> list[Callback]:
        """Return the callbacks that were written since the last look."""
        path = self._path
        for one in [path, *path.parent.glob(f"{path.stem}-*{path.suffix}")]:
            if one not in self._files:
                with suppress(FileNotFoundError):  # it is not there yet, or was moved
                    self._files[one] = _File(one)
        found: list[Callback] = []
        for file in self._files.values():
            found += file.read()
        return found


class _File:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._begin()

    def _begin(self) -> None:
        self._file: TextIO = self._path.open(encoding="utf-8", errors="replace")
        self._number = os.fstat(self._file.fileno()).st_ino
        self._tables: Tables | None = None
        self._half = ""  # of a line

    def read(self) -> Iterator[Callback]:
        yield from self._rest()
        try:
            moved = self._path.stat().st_ino != self._number
        except OSError:
            return
        if moved:  # a bound on the size moved the file aside
            yield from self._rest()  # what came before that
            left = self._file
            try:
                self._begin()
            except FileNotFoundError:  # moved again: at the next look
                return
            left.close()
            yield from self._rest()

    def _rest(self) -> Iterator[Callback]:
        for text in self._file:
            self._half += text
            if not text.endswith("\n"):
                return
            line: Any = json.loads(self._half)
            self._half = ""
            if self._tables is None:
                self._tables = Tables(line)
                continue
            self._tables.learn(line)
            if "rows" in line:
                yield from callbacks_of(line, self._tables)


def line_of(found: list[Callback], period: float) -> str:
    """Say in a line how late the callbacks *found* were, and who held the loop.

    Args:
        found: what ran in the period.
        period: its seconds.
    """
    late = [
        max(0, one.run_ns - waits_from(one)) / 1e9
        for one in found
        if one.cause in ("timer", "io", "thread")
    ]
    if not late:
        return "nothing ran"
    busy = sum(one.held_ns for one in found) / 1e9 / period
    worst = max(found, key=lambda one: one.held_ns)
    text = (
        f"late p50 {seconds(percentile(late, 50)):>8}  "
        f"p99 {seconds(percentile(late, 99)):>8}  "
        f"worst {seconds(max(late)):>8}  busy {min(busy, 1):>4.0%}  "
        f"longest {seconds(worst.held_ns / 1e9)} {worst.code.name}"
    )
    place = worst.code.place
    return f"{text} {'/'.join(place.split('/')[-2:])}" if place else text
