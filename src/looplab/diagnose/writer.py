"""Turns what the recorders noted into lines of the file format, and writes the file.

It runs in a thread beside the loop and in small portions, so that it never keeps the
interpreter for long.  :mod:`.fileformat` says what the lines mean.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from types import CodeType
from typing import Any, BinaryIO

from .columns import pack
from .events import FORMAT, PARTS, Code
from .options import Options
from .recorder import WIDTH, RequestRow
from .sampler import Stack, source_line

# The kinds of numbers in the columns of ``rows`` and ``done``, most often.
_ROWS, _DONE = "qqqdiii", "qqqiiii"
PORTION = 200  # callbacks in a line: well under a millisecond to encode


class _Numbers(dict[Any, int]):
    """The number of each thing that is asked for; what is new is in *new*, too."""

    def __init__(self, new: list[Any]) -> None:
        self.new = new

    def __missing__(self, what: Any) -> int:
        number = self[what] = len(self)
        self.new.append(what)
        return number


class Encoder:
    """Numbers names, and writes a line for a portion of notes.

    A file that is begun anew needs a new encoder, since numbers count within a file.

    Args:
        origin_ns: the time that counts as 0.
    """

    def __init__(self, origin_ns: int) -> None:
        self.origin_ns = origin_ns
        self._codes: dict[Any, int] = {}
        self._numbered = 0
        self._kept: list[Any] = []  # so that no identity is used twice
        self._places: dict[tuple[int, int], int] = {}
        self._new: dict[str, list[Any]] = {"codes": [], "names": [], "stacks": []}
        self._names = _Numbers(self._new["names"])
        self._stacks = _Numbers(self._new["stacks"])

    def code(self, what: Any) -> int:
        """The number of a code object, of (code object, line), or of a name."""
        # Code objects are compared by what is in them, which takes long.
        key = _key(what)
        number = self._codes.get(key)
        if number is None:
            number = self._codes[key] = self._numbered
            self._numbered += 1
            self._kept.append(what)
            self._new["codes"].append(
                Code.of(*what) if isinstance(what, tuple) else Code.of(what)
            )
            if key is what:  # a name: the same one is found by its identity, too
                self._codes[id(what)] = number
        return number

    def stack(self, stack: Stack) -> int:
        """The number of a stack."""
        numbers: list[int] = []
        for code, place in zip(*stack, strict=True):
            key = id(code), place
            try:
                known = self._places[key]
            except KeyError:  # there are few, and to look for a line takes long
                known = self.code((code, source_line(code, place)))
                self._places[key] = known
                self._kept.append(code)
            numbers.append(known)
        return self._stacks[tuple(numbers)]

    def encode(self, loop: int, part: dict[str, Any]) -> bytes:
        """The line for what :class:`.session.Session` keeps about *loop*; the new names
        that it needs stand in it."""
        made: dict[str, Any] = {}
        packed: dict[str, bytes] = {}  # text in which nothing needs an escape
        for what, value in part.items():
            if what == "rows":
                made["from"], notes, made["due"], made["came"] = value
                packed["rows"], made["tasks"] = self._rows(notes)
            elif what == "tags":
                made["tags"] = [[tag.number, tag.name] for tag in value]
            elif what == "done" and value:
                packed["done"] = self._done(value)
            elif what in PARTS:
                _, fields, inner = PARTS[what]
                made[what] = [self._row(fields, inner, row) for row in value]
            elif what == "end":
                made["end"] = value - self.origin_ns
            elif value:
                made[what] = value
        about: dict[str, Any] = {k: v[:] for k, v in self._new.items() if v}
        for new in self._new.values():
            new.clear()
        about["loop"] = loop
        about |= {name: value for name, value in made.items() if value != []}
        pieces = [json.dumps(about, separators=(",", ":"))[:-1].encode()]
        for name, text in packed.items():
            pieces += f',"{name}":"'.encode(), text, b'"'
        pieces.append(b"}\n")
        return b"".join(pieces)

    def _rows(self, notes: list[Any]) -> tuple[bytes, list[str | None]]:
        """What is written of callbacks, and the names of their tasks.

        A column is handled at a time, since C does that in a fifth of the time that
        Python takes for its rows.
        """
        columns = [notes[place::WIDTH] for place in range(WIDTH)]
        ready, by, run, ended, cpu, task, code, tag = columns
        try:  # C finds all where all are known
            codes = list(map(self._codes.__getitem__, map(id, code)))
        except KeyError:
            codes = [self.code(what) for what in code]
        return pack(_ROWS, [ready, run, ended, cpu, by, tag, codes]), task

    def _done(self, requests: Collection[RequestRow]) -> bytes:
        *columns, name = zip(*requests, strict=True)
        return pack(_DONE, [*columns, [self._names[each] for each in name]])

    def _row(self, fields: str, inner: str, row: Sequence[Any]) -> list[Any]:
        made = [self._number(*pair) for pair in zip(fields, row, strict=False)]
        if inner:
            made.append([self._row(inner, "", part) for part in row[-1]])
        return made

    def _number(self, field: str, value: Any) -> Any:
        """What stands for *value* in the field of a row."""
        if field == "i":
            return value
        if field == "t" or (field == "T" and value):
            return value - self.origin_ns
        if field == "n":
            return self._names[value]
        if field == "s":
            return self.stack(value)
        if field == "f":
            return self.code(_code_of(value))
        return -1 if value is None or field == "T" else self.code(value)


def _code_of(function: Any) -> Any:
    """The code of a job, or its name where it has none."""
    while hasattr(function, "func"):
        inner = function.func
        if getattr(function, "args", None) and getattr(inner, "__name__", "") == "run":
            inner = function.args[0]  # to_thread runs it in a context
        function = inner
    name = getattr(function, "__qualname__", type(function).__name__)
    return getattr(function, "__code__", name)


def _key(what: Any) -> Any:
    if isinstance(what, tuple):
        return id(what[0]), what[1]
    return id(what) if isinstance(what, CodeType) else what


class Store:
    """Writes lines to the first free file for *options*.

    The first process of a run has the file that the user named; another one puts its
    number before the suffix.  When a file has taken half of the bound it is moved to
    the same name with ``.1`` at the end, in place of the one there, and begun anew.

    Raises:
        OSError: here and from all methods, if the file cannot be written.
    """

    def __init__(self, options: Options, about: dict[str, Any], origin_ns: int) -> None:
        self._about = {"format": FORMAT, **about}
        self._origin_ns = origin_ns
        self._half = options.max_bytes // 2
        self.path, self._file = _first_free(Path(options.output).absolute())
        self._begin()

    def _begin(self) -> None:
        self._encoder = Encoder(self._origin_ns)
        line = json.dumps(self._about, separators=(",", ":")).encode() + b"\n"
        self._size = self._file.write(line)
        self._file.flush()

    def write(self, loop: int, part: dict[str, Any]) -> None:
        """Write what is known about *loop*."""
        if self._size > self._half:
            self._file.close()
            self.path.replace(self.path.with_name(self.path.name + ".1"))
            self._file = self.path.open("wb")
            self._begin()
        self._size += self._file.write(self._encoder.encode(loop, part))

    def flush(self) -> None:
        """Hand all lines to the system: they survive a kill of the process."""
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        with contextlib.suppress(OSError):  # it was said when it was flushed
            self._file.close()

    def abandon(self) -> None:
        """Forget the file in a forked process: nothing of its buffer is written."""
        with contextlib.suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._file.fileno())
            os.close(nowhere)
            self._file.close()


def _first_free(path: Path) -> tuple[Path, BinaryIO]:
    beside = path.with_name(f"{path.stem}-{os.getpid()}{path.suffix}")
    try:
        return path, path.open("xb")
    except FileExistsError:
        return beside, beside.open("wb")
