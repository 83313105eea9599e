"""Turns what the recorders noted into lines of the file format.

It runs in a thread beside the loop and in small portions, so that it never keeps the
interpreter for long.  :mod:`.fileformat` says what the lines mean.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from types import CodeType
from typing import Any

from .recorder import IO, TIMER, Note

__all__ = ["PORTION", "Encoder"]

PORTION = 200  # callbacks in a line: well under a millisecond to encode

_DEFAULT_NAME = re.compile(r"Task-([1-9]\d{0,17})")


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

    def stack(self, frames: tuple[Any, ...]) -> int:
        """The number of a stack of (code object, line), the innermost first."""
        key = tuple([_key(one) for one in frames])
        number = self._stacks.get(key)
        if number is None:
            codes = [self.code(one) for one in frames]
            number = self._stacks[key] = len(self._stacks)
            self._new["stacks"].append(codes)
        return number

    def task(self, name: str | None) -> int:
        """How a task is written."""
        if name is None:
            return 0
        known = self._names.get(name)
        if known is None:
            default = _DEFAULT_NAME.fullmatch(name)
            if default:
                return int(default[1])
            known = self.name(name)
        return -1 - known

    # -- lines -----------------------------------------------------------------------

    def line(self, loop: int, parts: dict[str, Any], rows: str = "") -> str:
        """A line about *loop*; the new names that it needs stand in it."""
        about: dict[str, Any] = {k: v for k, v in self._new.items() if v}
        self._new = {"codes": [], "names": [], "stacks": []}
        about["loop"] = loop
        about |= {name: part for name, part in parts.items() if part != []}
        text = json.dumps(about, separators=(",", ":"))
        return f'{text[:-1]},"rows":[{rows}]}}\n' if rows else f"{text}\n"

    def rows(self, notes: Iterable[Note], at_ns: int, first: int) -> str:
        """The text of the rows for notes of callbacks in a row.

        Args:
            notes: of the callbacks.
            at_ns: when the callback before the first one ended.
            first: the number of the first of them.
        """
        rows = []
        last, index = at_ns, first
        codes = self._codes
        for note in notes:
            (
                ready,
                cause,
                by,
                run,
                task,
                code,
                due,
                was_set,
                arrived,
                accepted,
                ended,
                cpu,
                tag,
            ) = note
            number = codes.get(id(code))
            if number is None:
                number = self.code(code)
            whose = 0 if task is None else self.task(task)
            ago = index - by if by >= 0 else 0
            # Twice as fast as json.dumps() of a list of the same numbers.
            text = (
                f"[{run - last},{run - ready},{ended - run},{cpu},{cause},{ago},"
                f"{whose},{number},{tag}"
            )
            if cause == TIMER:
                late = run - (ready if due is None else due)
                text += f",{late},{-1 if was_set is None else run - was_set}"
            elif cause == IO:
                since = run - (ready if arrived is None else arrived)
                text += f",{since},{1 if accepted else 0}"
            rows.append(f"{text}]")
            last = ended
            index += 1
        return ",".join(rows)

    def encode(self, loop: int, part: dict[str, Any]) -> str:
        """The line for what :class:`.session.Session` keeps about *loop*."""
        made: dict[str, Any] = {}
        rows = ""
        zero = self.origin_ns
        for what, value in part.items():
            if what == "rows":
                first, at_ns, callbacks = value
                made |= {"from": first, "at": at_ns - zero}
                rows = self.rows(callbacks, at_ns, first)
            elif what == "tags":
                made.setdefault("tags", []).extend([t.number, t.name] for t in value)
            elif what == "done":
                done = [
                    [
                        tag.number,
                        first,
                        last,
                        at - zero,
                        end - zero,
                        None if arrived is None else arrived - zero,
                    ]
                    for tag, first, last, at, end, arrived in value
                ]
                made["done"] = done
                made.setdefault("tags", []).extend(
                    [one[0].number, one[0].name] for one in value
                )
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
        return self.line(loop, made, rows)


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
