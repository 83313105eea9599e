"""Turns what the recorders noted into lines of the file format.

It runs in a thread beside the loop and in small portions, so that it never keeps the
interpreter for long.  :mod:`.fileformat` says what the lines mean.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from operator import itemgetter
from types import CodeType
from typing import Any

from .columns import pack
from .fileformat import DONE, ROWS
from .recorder import TIMER, Note
from .sampler import Stack, lines_of

__all__ = ["PORTION", "Encoder"]

PORTION = 200  # callbacks in a line: well under a millisecond to encode

_READY, _CAUSE, _BY = map(itemgetter, range(3))  # of why a callback was ready
_PLAIN = 3  # the length of a reason that says no more
_DIGITS = 19  # a longer number is a name like any other


class Encoder:
    """Numbers names, and writes a line for a portion of notes.

    A file that is begun anew needs a new encoder, since numbers count within a file.

    Args:
        origin_ns: the time that counts as 0.
    """

    def __init__(self, origin_ns: int) -> None:
        self.origin_ns = origin_ns
        self._codes: dict[Any, int] = {}
        self._kept: list[Any] = []  # so that no identity is used twice
        self._names: dict[str, int] = {}
        self._stacks: dict[Any, int] = {}
        self._new: dict[str, list[Any]] = {"codes": [], "names": [], "stacks": []}

    # -- numbers of names ------------------------------------------------------------

    def code(self, what: Any) -> int:
        """The number of a code object, of (code object, line), or of a name."""
        # Code objects are compared by what is in them, which takes long.
        key = _key(what)
        number = self._codes.get(key)
        if number is None:
            number = self._codes[key] = len(self._codes)
            self._kept.append(what)
            self._new["codes"].append(_described(what))
        return number

    def name(self, text: str) -> int:
        """The number of the name of a task or a thread."""
        number = self._names.get(text)
        if number is None:
            number = self._names[text] = len(self._names)
            self._new["names"].append(text)
        return number

    def stack(self, stack: Stack) -> int:
        """The number of a stack."""
        codes, places = stack
        key = (*map(id, codes), *places)
        number = self._stacks.get(key)
        if number is None:
            self._kept.append(codes)
            numbers = [self.code(one) for one in lines_of(stack)]
            number = self._stacks[key] = len(self._stacks)
            self._new["stacks"].append(numbers)
        return number

    def task(self, name: str | None) -> int:
        """How a task is written."""
        if name is None:
            return 0
        known = self._names.get(name)
        if known is None:
            number = name[5:] if name[:5] == "Task-" else ""
            default = number.isdecimal() and number.isascii() and number[0] != "0"
            if default and len(number) < _DIGITS:
                return int(number)
            known = self.name(name)
        return -1 - known

    # -- lines -----------------------------------------------------------------------

    def line(self, loop: int, parts: dict[str, Any], packed: dict[str, str]) -> str:
        """A line about *loop*; the new names that it needs stand in it.

        Args:
            loop: the number of the loop.
            parts: what stands in the line.
            packed: what does too and is text in which nothing needs an escape.
        """
        about: dict[str, Any] = {k: v for k, v in self._new.items() if v}
        self._new = {"codes": [], "names": [], "stacks": []}
        about["loop"] = loop
        about |= {name: part for name, part in parts.items() if part != []}
        text = json.dumps(about, separators=(",", ":"))
        more = "".join([f',"{name}":"{one}"' for name, one in packed.items()])
        return f"{text[:-1]}{more}}}\n"

    def rows(self, notes: Iterable[Note]) -> tuple[str, dict[str, Any]]:
        """What is written of callbacks in a row.

        A column is handled at a time, since C does that in a fifth of the time that
        Python takes for its rows.

        Args:
            notes: of the callbacks; not empty.

        Returns:
            The text of the rows, and what the line says beside them.
        """
        whys, run, ended, cpu, task, code, tag = zip(*notes, strict=True)
        numbers: list[Any] = list(map(self._codes.get, map(id, code)))
        if None in numbers:
            numbers = [self.code(one) for one in code]
        tasks = {name: self.task(name) for name in set(task)}
        times = map(_READY, whys), run, ended, cpu
        who = map(_BY, whys), map(tasks.__getitem__, task), tag
        columns = (*times, *who, numbers, map(_CAUSE, whys))
        text = pack(ROWS, len(whys), columns)
        due, came = [], []
        for place, why in enumerate(whys):
            if len(why) == _PLAIN:
                continue
            ready, cause, _, moment, more = why
            if cause == TIMER:
                late = run[place] - (ready if moment is None else moment)
                due.append([place, late, -1 if more is None else run[place] - more])
            elif moment is not None or not more:
                since = run[place] - (ready if moment is None else moment)
                came.append([place, since, 1 if more else 0])
        return text, {"due": due, "came": came}

    def done(self, requests: Iterable[tuple[Any, ...]]) -> str:
        """What is written of requests that ended."""
        rows = [
            (
                tag.number,
                first,
                last,
                at,
                end,
                -1 if arrived is None else arrived,
                self.name(tag.name),
            )
            for tag, first, last, at, end, arrived in requests
        ]
        return pack(DONE, len(rows), zip(*rows, strict=True))

    def encode(self, loop: int, part: dict[str, Any]) -> str:
        """The line for what :class:`.session.Session` keeps about *loop*."""
        made: dict[str, Any] = {}
        packed: dict[str, str] = {}
        zero = self.origin_ns
        for what, value in part.items():
            if what == "rows":
                made["from"], callbacks = value
                packed["rows"], more = self.rows(callbacks)
                made |= more
            elif what == "tags":
                made["tags"] = [[tag.number, tag.name] for tag in value]
            elif what == "done":
                if value:
                    packed["done"] = self.done(value)
            elif what == "samples":
                made["samples"] = [
                    [
                        at - zero,
                        callback,
                        weight,
                        self.stack(stack),
                        [[self.name(name), self.code(place)] for name, place in others],
                    ]
                    for at, callback, weight, stack, others in value
                ]
            elif what == "threads":
                made["threads"] = [
                    [at - zero, self.name(name), cpu, waited]
                    for at, name, cpu, waited in value
                ]
            elif what == "end":
                made["end"] = value - zero
            else:
                made[what] = value
        return self.line(loop, made, packed)


def _key(what: Any) -> Any:
    if isinstance(what, tuple):
        return id(what[0]), what[1]
    return id(what) if isinstance(what, CodeType) else what


def _described(what: Any) -> list[Any]:
    if isinstance(what, CodeType):
        return [what.co_qualname, what.co_filename, what.co_firstlineno]
    if isinstance(what, tuple):
        code, line = what
        return [code.co_qualname, code.co_filename, line]
    return [str(what), "", 0]
