"""The file format ``looplab-trace/6``: lines of JSON, each of use without the next.

The first line is an object with ``format``, ``clock``, ``origin_ns``, ``argv``,
``python``, ``pid`` …  Each later line is an object too:

========  ==============================================================================
``codes`` new kinds of callback, ``[name, file, line]``; they count from 0
``names`` new names of threads and requests; they count from 0
``stacks``  new stacks, each a list of codes, the innermost first, out to the first one
          of the program itself
``loop``  the number of the loop that the rest of the line is about
``kind``  the class of the loop, and ``thread``, the name of its thread
``from``  number of the first callback
``rows``  callbacks, see below
``tasks`` the name of the task of each, or null
``due``   of timers among them: ``[number, by, due, set]``, see below
``came``  of data among them: ``[number, arrived, accepted]``, see below
``tags``  ``[number, name]`` of tags that were made
``done``  requests that ended, see below
``end``   when the recording of the loop ended, the last line of a loop
========  ==============================================================================

and the :data:`.events.PARTS`, whose rows hold the fields of their classes in order.

``rows`` are columns of numbers (:mod:`.columns`): when each callback was *ready*, *run*
and *ended*; the *CPU* time in seconds from the end of the one before to its own (it
computed at most that, and at most for as long as it ran); *by* which callback it was
made ready (below 0: see :func:`.recorder.cause_of`), its *tag* and its *code*.  Of a
timer *by* is who set it (-1: unknown), *due* for when, *set* when (null: unknown).
*Arrived* is when data came, *accepted* false on a connection that was opened here; data
of which nothing is said came as it was ready, on one that somebody else opened.

``done`` are columns too: when the request *began* and *ended*, when its data *arrived*
(-1: unknown; -2: it is a block of ``tag()``), its *tag*, its *first* and *last*
callback, and the number of its *name*.

Times are whole nanoseconds: of columns, of ``due`` and of ``came`` those of the
monotonic clock, whose value at the beginning is ``origin_ns``, and all others from
there.  A killed program loses what was not written yet, at most a second.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from looplab._numbers import NS

from .columns import unpack
from .events import FORMAT, PARTS, Callback, Code, OtherThread, RequestNote
from .recorder import cause_of
from .recording import Recording
from .tags import BLOCK

_MET = 100_000  # values that are remembered, so that equal ones are one


class NotATraceError(ValueError):
    """What was given is no trace that this version can read."""


def parts_of(path: Path) -> list[Path]:
    """The files of one recording: what a bound on its size moved aside, and itself."""
    if not path.name:  # the folder `.`: opening it says what is wrong
        return [path]
    older = path.with_name(path.name + ".1")
    return [older, path] if older.exists() else [path]


def load(path: str | Path) -> list[Recording]:
    """Return the recordings in a file: one a loop, the one with most callbacks first.

    A damaged line is left out, and so is the last one of a killed program, which may be
    cut off; :attr:`Recording.damaged` says how many were.  One that may have named
    something ends what is read, since later lines would speak of the wrong names.

    Raises:
        OSError: if the file cannot be read.
        NotATraceError: if it is no trace in the format ``looplab-trace/6``, or no loop
            ran in it.
    """
    path = Path(path)
    loops: dict[int, Recording] = {}
    for part in parts_of(path):
        with part.open(encoding="utf-8", errors="replace") as file:
            _read(file, str(part), loops)
    return _finished(loops, str(path))


def loads(text: str, name: str = "this text") -> list[Recording]:
    """Return the recordings in *text*, as :func:`load` does of a file.

    Raises:
        NotATraceError: as :func:`load`.
    """
    loops: dict[int, Recording] = {}
    _read(iter(text.splitlines()), name, loops)
    return _finished(loops, name)


def _finished(loops: dict[int, Recording], name: str) -> list[Recording]:
    recordings = [recording for recording in loops.values() if recording.callbacks]
    if not recordings:
        raise NotATraceError(
            f"{name} holds no callback: no asyncio loop ran, or not long"
        )
    for recording in recordings:
        recording.dropped = recording.callbacks[0].index
        recording.settle()
    return sorted(recordings, key=len, reverse=True)


def _read(lines: Iterable[str], name: str, loops: dict[int, Recording]) -> None:
    rest = iter(lines)
    try:
        about: Any = json.loads(next(rest, ""))
    except ValueError:
        about = None
    known = isinstance(about, dict)
    if not known or about.get("format") != FORMAT:
        kind = f" (its format is {about.get('format')!r})" if known else ""
        raise NotATraceError(
            f"{name} is not a trace of looplab{kind}: give a file that "
            "`looplab trace` wrote"
        )
    reader = _Reader(about, loops)
    damaged = 0
    for text in rest:
        try:
            reader.take(json.loads(text))
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            damaged += 1
            # Before the loop it names things, and nobody knows what they were.
            if not text.startswith('{"loop":'):
                damaged += sum(1 for _ in rest)
    for loop in loops.values():
        loop.damaged += damaged


class _Reader:
    """Reads the lines of one file into *loops*.

    Args:
        about: its first line.
        loops: the recordings, by the numbers of the loops.
    """

    def __init__(self, about: dict[str, Any], loops: dict[int, Recording]) -> None:
        self._about = about
        self._loops = loops
        self._origin_ns: int = about.get("origin_ns", 0)
        self._codes: list[Code] = []
        self._names: list[str] = []
        self._stacks: list[tuple[Code, ...]] = []
        self._met: dict[Any, Any] = {}
        # What is equal to a value that was met not long ago takes memory once.
        self._known: Any = self._met.setdefault

    def take(self, line: dict[str, Any]) -> None:
        """Take over what *line* names, and what it says of a loop."""
        self._codes += [Code(*code) for code in line.get("codes", ())]
        self._names += line.get("names", ())
        for stack in line.get("stacks", ()):
            self._stacks.append(tuple(self._codes[code] for code in stack))
        if "loop" not in line:
            return
        number, about = line["loop"], self._about
        loop = self._loops.get(number)
        if loop is None:
            clock = about.get("clock", "real")
            loop = Recording([], clock=clock, about=about, loop=number, complete=False)
            self._loops[number] = loop
        if "rows" in line:
            loop.complete = False
            loop.callbacks += self._callbacks(line)
        if "kind" in line:
            loop.about = {**loop.about, "kind": line["kind"], "thread": line["thread"]}
        loop.tags.update((number, name) for number, name in line.get("tags", ()))
        if len(self._met) > _MET:
            self._met.clear()
        zero = self._origin_ns
        done = unpack(line["done"]) if line.get("done") else ()
        for began, ended, arrived, tag, first, last, name in done:
            came = None if arrived < 0 else arrived - zero
            notes = loop.blocks if arrived == BLOCK else loop.notes
            row = tag, first, last, began - zero, ended - zero, came
            note = RequestNote(*map(self._known, row, row))
            loop.tags[note.tag] = self._names[name]
            notes.append(note)
        for part, form in PARTS.items():
            if part in line:
                rows: list[Any] = getattr(loop, part)
                rows += [self._row(*form, row) for row in line[part]]
        if "end" in line:
            loop.end_ns = max(loop.end_ns, line["end"])
            loop.complete = True

    def _row(self, kind: Any, fields: str, inner: str, row: list[Any]) -> Any:
        """A row of one of the :data:`PARTS`."""
        values = [self._meant(*pair) for pair in zip(fields, row, strict=False)]
        if inner:
            rest = OtherThread if len(inner) == 4 else _pair
            values.append(tuple(self._row(rest, inner, "", each) for each in row[-1]))
        return kind(*values)

    def _meant(self, field: str, value: Any) -> Any:
        if field == "n":
            return self._names[value]
        if field == "s":
            return self._stacks[value]
        if field in "cf":
            return None if value < 0 else self._codes[value]
        return self._known(value, value)

    def _callbacks(self, line: dict[str, Any]) -> Iterator[Callback]:
        """The callbacks in a line that has rows."""
        zero = self._origin_ns
        timers = {number: rest for number, *rest in line.get("due", ())}
        data = {number: rest for number, *rest in line.get("came", ())}
        rows = zip(unpack(line["rows"]), line["tasks"], strict=True)
        for index, (row, task) in enumerate(rows, line["from"]):
            ready, run, ended, cpu, by, tag, number = row
            cause, maker = cause_of(by)
            computed = min(round(cpu * NS), ended - run)
            code = self._codes[number]
            times = index, ready - zero, run - zero, ended - zero, computed
            rest: Any = cause, maker, code, task, tag
            own = *times, *rest
            callback = Callback(*map(self._known, own, own))
            if cause == "timer":
                by, due, was_set = timers[index]
                callback.by = self._known(by, by) if by >= 0 else None
                callback.due_ns = due - zero
                callback.set_ns = None if was_set is None else was_set - zero
            elif index in data:
                arrived, callback.accepted = data[index]
                callback.arrived_ns = arrived - zero
            yield callback


def _pair(*fields: Any) -> tuple[Any, ...]:
    return fields
