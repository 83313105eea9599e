"""Turns what the recorders noted into lines of the file format.

It runs in a thread beside the loop and in small portions, so that it never keeps the
interpreter for long.  :mod:`.fileformat` says what the lines mean.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import compress, count, zip_longest
from types import CodeType
from typing import Any

from .columns import pack
from .fileformat import DONE, ROWS
from .recorder import TIMER, Note, RequestRow
from .sampler import Stack, lines_of

__all__ = ["PORTION", "Encoder"]

PORTION = 200  # callbacks in a line: well under a millisecond to encode

_says_more = (3).__lt__  # whether the length of a reason is above that of a plain one


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
            number = self._codes[key] = self._numbered
            self._numbered += 1
            self._kept.append(what)
            self._new["codes"].append(_described(what))
            if key is what:  # a name: the same one is found by its identity, too
                self._codes[id(what)] = number
        return number

    def name(self, text: str) -> int:
        """The number of the name of a request or a thread."""
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

    def rows(self, notes: Collection[Note]) -> tuple[str, dict[str, Any]]:
        """What is written of callbacks in a row.

        A column is handled at a time, since C does that in a fifth of the time that
        Python takes for its rows.

        Args:
            notes: of the callbacks; not empty.

        Returns:
            The text of the rows, and what the line says beside them.
        """
        whys, run, ended, cpu, task, code, tag = zip(*notes, strict=True)
        ready, cause, by, *more = zip_longest(*whys)
        said = self._said(whys, run) if more else {}
        codes = _numbers(self._codes, map(id, code), code, self.code)
        columns = ready, run, ended, cpu, by, tag, codes, cause
        return pack(ROWS, columns), {"tasks": task, **said}

    def _said(self, whys: Sequence[Any], run: Sequence[int]) -> dict[str, Any]:
        """What is known beside the rows of timers, and of data."""
        due, came = [], []
        for place in compress(count(), map(_says_more, map(len, whys))):
            ready, cause, _, moment, more = whys[place]
            if cause == TIMER:
                late = run[place] - (ready if moment is None else moment)
                due.append((place, late, -1 if more is None else run[place] - more))
            elif moment is not None or not more:
                since = run[place] - (ready if moment is None else moment)
                came.append((place, since, 1 if more else 0))
        return {"due": due, "came": came}

    def done(self, requests: Collection[RequestRow]) -> str:
        """What is written of requests that ended."""
        *columns, name = zip(*requests, strict=True)
        names = _numbers(self._names, name, name, self.name)
        return pack(DONE, [*columns, names])

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


def _numbers(
    known: dict[Any, int],
    keys: Iterable[Any],
    values: Collection[Any],
    number: Callable[[Any], int],
) -> list[int]:
    """The number of each value: C finds all by their keys where all are known."""
    found: list[Any] = list(map(known.get, keys))
    return [number(one) for one in values] if None in found else found


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
