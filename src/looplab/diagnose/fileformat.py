"""The file format ``looplab-trace/6``: lines of JSON, each of use without the next.

The first line is an object with ``format``, ``clock``, ``origin_ns``, ``started`` (Unix
time), ``argv``, ``python``, ``pid``, ``cores`` …  Each later line is an object too:

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
``samples`` ``[at, callback, weight, stack, [[thread, code] …]]``
``pauses``  of the garbage collector: ``[callback, held, generation]``
``marks``   a tag changed within a callback: ``[callback, at, old, new]``
``windows`` what threads did between two looks: ``[from, to, CPU time, waited for a
          core, slices, the same two of the sampler, late, [[thread, CPU time, waited,
          code] …]]``
``awaits``  where work was suspended: ``[at, tag, stack, [[code, threads] …]]``
``jobs``    of executors: ``[tag, callback, submitted, began, ended, code]``
``threads`` ``[at, name, CPU time, time that it waited for a core]``
``end``   when the recording of the loop ended, the last line of a loop
========  ==============================================================================

``rows`` are columns of numbers (:mod:`.columns`): when each callback was *ready*,
*run* and *ended*, the *CPU* time from the end of the one before to its own (it computed
at most that, and at most for as long as it ran), *by* which callback it was made ready,
its *tag* and its *code*.  Where no callback did, *by* is a number below 0 that says
what did (:func:`.recorder.cause_of`).  *By*, *due* and *set* are by which callback a
timer was set (-1: unknown), for when, and when (null: unknown).  *Arrived* is when data
came; *accepted* is false on a connection that was opened here.  Data of which nothing
is said came as it was ready, on one that somebody else opened.

``done`` are columns too: when the request *began* and *ended*, when its data *arrived*
(-1: unknown; -2: it is a block of ``tag()``), its *tag*, its *first* and *last*
callback, and the number of its *name*.

Times of columns, of ``due`` and of ``came`` are of the monotonic clock, whose value at
the beginning is ``origin_ns``; all others are counted from there.  All are whole
nanoseconds, but for the CPU time of ``rows``, which is in seconds.

In ``looplab-trace/2``, which is read too, ``rows`` and ``done`` are lists of rows.  A
task in them is a number: n is ``Task-n``, -1 - i is name i, and 0 is none.

Names are written once, so a day of a busy service stays small; a killed program loses
what was not written yet, at most a second.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from looplab._numbers import NS
from looplab.trace import Trace

from .columns import unpack
from .recorder import BLOCK, cause_of
from .recording import (
    CAUSES,
    Await,
    Callback,
    Code,
    Job,
    Mark,
    OtherThread,
    Pause,
    Recording,
    RequestNote,
    Sample,
    ThreadUse,
    Window,
)

__all__ = [
    "FORMAT",
    "NotATraceError",
    "Tables",
    "callbacks_of",
    "load",
    "loads",
    "parts_of",
]

FORMAT = "looplab-trace/6"
_FIRST, _SECOND = "looplab-trace/1", "looplab-trace/2"


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

    A last line that was cut off, as in the file of a killed program, is left out.

    Raises:
        OSError: if the file cannot be read.
        NotATraceError: if it is no trace in the format ``looplab-trace/1``, ``/2`` or
            ``/6``, or no loop ran in it.
    """
    path = Path(path)
    loops: dict[int, _Loop] = {}
    for part in parts_of(path):
        with part.open(encoding="utf-8", errors="replace") as file:
            _read(file, str(part), loops)
    return _finished(loops, str(path))


def loads(text: str, name: str = "this text") -> list[Recording]:
    """Return the recordings in *text*, as :func:`load` does of a file.

    Raises:
        NotATraceError: as :func:`load`.
    """
    loops: dict[int, _Loop] = {}
    _read(iter(text.splitlines()), name, loops)
    return _finished(loops, name)


def _finished(loops: dict[int, _Loop], name: str) -> list[Recording]:
    recordings = [one.recording() for one in loops.values() if one.rows]
    if not recordings:
        raise NotATraceError(
            f"{name} holds no callback: no asyncio loop ran, or not long"
        )
    return sorted(recordings, key=len, reverse=True)


class _Loop:
    """What was read about one loop."""

    def __init__(self, number: int, about: dict[str, Any]) -> None:
        self.number = number
        self.about = about
        self.rows: list[Callback] = []
        self.tags: dict[int, str] = {}
        self.notes: list[RequestNote] = []
        self.samples: list[Sample] = []
        self.pauses: list[Pause] = []
        self.threads: list[ThreadUse] = []
        self.end_ns = 0
        self.complete = False
        self.blocks: list[RequestNote] = []
        self.marks: list[Mark] = []
        self.windows: list[Window] = []
        self.awaits: list[Await] = []
        self.jobs: list[Job] = []

    def recording(self) -> Recording:
        return Recording(
            self.rows,
            clock=self.about.get("clock", "real"),
            about=self.about,
            tags=self.tags,
            notes=self.notes,
            samples=self.samples,
            pauses=self.pauses,
            threads=self.threads,
            loop=self.number,
            end_ns=self.end_ns,
            dropped=self.rows[0].index,
            complete=self.complete,
            blocks=self.blocks,
            marks=self.marks,
            windows=self.windows,
            awaits=self.awaits,
            jobs=self.jobs,
        )


class Tables:
    """What the lines of one file number.

    Args:
        about: its first line.
    """

    def __init__(self, about: dict[str, Any]) -> None:
        self.origin_ns: int = about.get("origin_ns", 0)
        self.codes: list[Code] = []
        self.names: list[str] = []
        self.stacks: list[tuple[Code, ...]] = []

    def learn(self, line: dict[str, Any]) -> None:
        """Take over what *line* names."""
        self.codes += [Code(*one) for one in line.get("codes", ())]
        self.names += line.get("names", ())
        for stack in line.get("stacks", ()):
            self.stacks.append(tuple(self.codes[one] for one in stack))

    def task(self, number: int) -> str | None:
        """The name of a task."""
        if number == 0:
            return None
        return f"Task-{number}" if number > 0 else self.names[-1 - number]


def _read(lines: Iterable[str], name: str, loops: dict[int, _Loop]) -> None:
    rest = iter(lines)
    first = next(rest, "")
    about = _object(first)
    if about is None or about.get("format") not in (FORMAT, _SECOND, _FIRST):
        found = "" if about is None else f" (its format is {about.get('format')!r})"
        raise NotATraceError(
            f"{name} is not a trace of looplab{found}: give a file that "
            "`looplab trace` wrote"
        )
    if about["format"] == _FIRST:
        _read_first(first + "".join(rest), name, loops)
        return
    tables = Tables(about)
    for number, text in enumerate(rest, 1):
        line = _object(text)
        if line is None:
            if next(rest, None) is None:
                return  # the last line of a killed program
            raise NotATraceError(f"{name}, line {number + 1} is damaged: {text[:40]!r}")
        try:
            tables.learn(line)
            if "loop" in line:
                loop = loops.get(line["loop"])
                if loop is None:
                    loop = loops[line["loop"]] = _Loop(line["loop"], about)
                _take(line, tables, loop)
        except (IndexError, KeyError, TypeError, ValueError) as exc:
            raise NotATraceError(
                f"{name}, line {number + 1} is not what the format says: {exc!r}"
            ) from exc


def _object(text: str) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _read_first(text: str, name: str, loops: dict[int, _Loop]) -> None:
    try:
        recording = Recording.from_trace(Trace.from_json(text))
    except (ValueError, KeyError, TypeError) as exc:
        raise NotATraceError(f"{name} is a damaged trace: {exc}") from exc
    loop = loops[1] = _Loop(1, {"format": _FIRST, "clock": recording.clock})
    loop.rows, loop.end_ns, loop.complete = recording.callbacks, recording.end_ns, True


def _take(line: dict[str, Any], tables: Tables, loop: _Loop) -> None:
    if "rows" in line:
        loop.complete = False
        loop.rows.extend(callbacks_of(line, tables))
    if "kind" in line:
        loop.about = loop.about | {"kind": line["kind"], "thread": line["thread"]}
    loop.tags.update((number, name) for number, name in line.get("tags", ()))
    done = line.get("done", ())
    if isinstance(done, str):
        zero = tables.origin_ns
        for began, ended, arrived, tag, first, last, name in unpack(done):
            loop.tags[tag] = tables.names[name]
            came = None if arrived < 0 else arrived - zero
            note = RequestNote(tag, first, last, began - zero, ended - zero, came)
            (loop.blocks if arrived == BLOCK else loop.notes).append(note)
    else:
        loop.notes += [RequestNote(*one) for one in done]
    for at, callback, weight, stack, others in line.get("samples", ()):
        seen = tuple((tables.names[n], tables.codes[c]) for n, c in others)
        loop.samples.append(Sample(at, callback, weight, tables.stacks[stack], seen))
    loop.pauses += [Pause(*one) for one in line.get("pauses", ())]
    loop.marks += [Mark(*one) for one in line.get("marks", ())]
    for *figures, threads in line.get("windows", ()):
        others = tuple(
            OtherThread(
                tables.names[name], cpu, delay, None if c < 0 else tables.codes[c]
            )
            for name, cpu, delay, c in threads
        )
        loop.windows.append(Window._make([*figures, others]))
    for at, tag, stack, pool in line.get("awaits", ()):
        filled = tuple((tables.codes[code], threads) for code, threads in pool)
        loop.awaits.append(Await(at, tag, tables.stacks[stack], filled))
    for *figures, code in line.get("jobs", ()):
        loop.jobs.append(Job._make([*figures, tables.codes[code]]))
    for at, thread, cpu, waited in line.get("threads", ()):
        loop.threads.append(ThreadUse(at, tables.names[thread], cpu, waited))
    if "end" in line:
        loop.end_ns = max(loop.end_ns, line["end"])
        loop.complete = True


def callbacks_of(line: dict[str, Any], tables: Tables) -> Iterator[Callback]:
    """The callbacks in a line that has rows."""
    if not isinstance(line["rows"], str):
        yield from _callbacks_of_lists(line, tables)
        return
    zero = tables.origin_ns
    timers = {number: said for number, *said in line.get("due", ())}
    data = {number: said for number, *said in line.get("came", ())}
    rows = zip(unpack(line["rows"]), line["tasks"], strict=True)
    for index, (row, task) in enumerate(rows, line["from"]):
        ready, run, ended, cpu, by, tag, code = row
        cause, maker = cause_of(by)
        one = Callback(
            index=index,
            ready_ns=ready - zero,
            run_ns=run - zero,
            ended_ns=ended - zero,
            cpu_ns=min(round(cpu * NS), ended - run),
            cause=cause,
            by=maker,
            code=tables.codes[code],
            task=task,
            tag=tag,
        )
        if cause == "timer":
            by, due, was_set = timers[index]
            one.by = by if by >= 0 else None
            one.due_ns = due - zero
            one.set_ns = None if was_set is None else was_set - zero
        elif index in data:
            arrived, one.accepted = data[index]
            one.arrived_ns = arrived - zero
        yield one


def _callbacks_of_lists(line: dict[str, Any], tables: Tables) -> Iterator[Callback]:
    index, last = line["from"], line["at"]
    for gap, waited, held, cpu, cause, by, task, code, tag, *more in line["rows"]:
        run = last + gap
        last = run + held
        one = Callback(
            index=index,
            ready_ns=run - waited,
            run_ns=run,
            ended_ns=last,
            cpu_ns=cpu,
            cause=CAUSES[cause],
            by=index - by if by else None,
            code=tables.codes[code],
            task=tables.task(task),
            tag=tag,
        )
        if one.cause == "timer":
            late, ago = more
            one.due_ns = one.run_ns - late
            one.set_ns = None if ago < 0 else one.run_ns - ago
        elif one.cause == "io" and more:
            arrived, accepted = more
            one.arrived_ns = one.run_ns - arrived
            one.accepted = bool(accepted)
        yield one
        index += 1
