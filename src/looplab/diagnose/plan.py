"""What a replay runs: what led to each callback of a recording, and what changes.

The module uses the standard library only and runs in a browser.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from heapq import heapify
from itertools import count
from typing import TYPE_CHECKING, Any

from .naming import matches, places_of
from .recording import Callback, Code, Mark

if TYPE_CHECKING:
    from .changes import Change
    from .recording import Recording

__all__ = ["Gate", "Job", "NothingMatchesError", "Plan"]

_SMALL_NS = 1_000_000  # on a real clock, what takes less is not worth a thread


class NothingMatchesError(ValueError):
    """A change names something that did not run in the recording."""


@dataclass(slots=True)
class Job:
    """A callback of the recording, and what it led to."""

    callback: Callback
    held: int
    soon: bool = True  # it was made ready by another; else a timer or the outside did
    delay: int = 0  # of its timer
    not_before: int = 0  # when its data come
    children: list[tuple[int, int]] = field(default_factory=list)  # (offset, index)
    change: Change | None = None
    gate: Gate | None = None
    instance: Any = None  # the piece of work that it belongs to, at a gate
    urgent: bool = False
    kept: int = 0  # how long it kept the interpreter at a time: no thread helps then
    part: tuple[int, int] | None = None  # of its work, what a change is about


class Gate:
    """Lets so many pieces of work begin at a time."""

    def __init__(self, count: int, *, yields: bool = False) -> None:
        self.free = count
        self.yields = yields  # others get a turn before the next piece begins
        self.parked: deque[tuple[Any, ...]] = deque()
        self.instances: dict[Any, int] = {}  # callbacks that an instance has to run
        self.begun: set[Any] = set()
        self.waking: set[Any] = set()  # of these, those that have not gone on yet


class Plan:
    """The callbacks of *recording*, who makes each of them ready, and *changes*.

    Attributes:
        recording: what ran.
        jobs: its callbacks, by their index.
        roots: those that nothing in the recording led to, as (when, index).
        pools: of each change that moves work to threads, when each thread is free.
        warnings: what no replay can show.

    Raises:
        NothingMatchesError: if nothing ran that a change names.
    """

    def __init__(self, recording: Recording, changes: tuple[Change, ...]) -> None:
        self.recording = recording
        self.jobs = {
            callback.index: Job(callback, callback.held_ns)
            for callback in recording.callbacks
        }
        self.roots: list[tuple[int, int]] = []
        self.pools: dict[Change, list[int]] = {}
        self.warnings: list[str] = []
        self._cut = {mark.callback for mark in recording.marks}
        self._spare = count(-1, -1)  # numbers that no recorded callback has
        self._link()
        self._stalls()
        for change in changes:
            self._apply(change)

    def _maker(self, callback: Callback) -> Job | None:
        """What made it ready, set its timer or began to watch its descriptor."""
        return None if callback.by is None else self.jobs.get(callback.by)

    def _link(self) -> None:
        """Find out what led to each callback."""
        of_task: dict[str, Callback] = {}
        for callback in self.recording.callbacks:
            maker = self._maker(callback)
            job = self.jobs[callback.index]
            if callback.cause == "call" and maker is not None:
                self._child(maker, callback.ready_ns, callback.index)
            elif (
                callback.cause == "timer"
                and maker is not None
                and callback.set_ns is not None
            ):
                job.soon = False
                job.delay = max(
                    0, (callback.due_ns or callback.ready_ns) - callback.set_ns
                )
                self._child(maker, callback.set_ns, callback.index)
            else:
                self._root(callback, of_task)
            if callback.task is not None:
                of_task[callback.task] = callback
        self._accept_one_by_one()
        for job in self.jobs.values():
            job.children.sort()
        self.roots.sort()

    def _accept_one_by_one(self) -> None:
        """Let each connection be accepted when it came.

        A loop that is held finds several connections at its next look, and one callback
        accepts them all.  A loop that is held for less would have found them one by
        one.  Of a connection whose first data lay there at that look it is known that
        it came before its data did.
        """
        came: dict[int, dict[int, int]] = {}  # who accepted, what it led to, when
        for callback in self.recording.callbacks:
            if callback.cause != "io" or not callback.accepted:
                continue
            led, maker = None, self._maker(callback)
            while maker is not None and maker.callback.cause == "call":
                led, maker = maker, self._maker(maker.callback)
            at = callback.waits_from_ns
            if led is None or maker is None or maker.callback.cause != "io":
                continue
            if maker.callback.waits_from_ns < at < maker.callback.run_ns:
                came.setdefault(maker.callback.index, {})[led.callback.index] = at
        for index, later in came.items():
            self._split(self.jobs[index], later)

    def _split(self, accepting: Job, later: dict[int, int]) -> None:
        """Take the connections that came *later* out of what accepted them all."""
        share = accepting.held // max(1, len(accepting.children))
        kept: list[tuple[int, int]] = []
        for offset, child in accepting.children:
            at = later.get(child)
            if at is None:
                kept.append((min(offset, share * (len(kept) + 1)), child))
                continue
            index = next(self._spare)
            own = replace(accepting.callback, index=index)
            self.jobs[index] = Job(own, share, soon=False, children=[(share, child)])
            self.roots.append((at, index))
        accepting.held -= share * (len(accepting.children) - len(kept))
        accepting.children = kept

    def _stalls(self) -> None:
        """What kept the loop from running while somebody waited and no callback held
        it is a callback of its own: a thread, a lack of cores, a stop."""
        if self.recording.clock != "real":
            return
        for start, end in self.recording.ledger.gaps:
            if end - start < 3_000_000:
                continue
            index = next(self._spare)
            stall = Code("(nothing ran)")
            callback = Callback(index, start, start, end, None, "io", None, stall, None)
            self.jobs[index] = Job(callback, end - start, soon=False)
            self.roots.append((start, index))
        self.roots.sort()

    def _child(self, maker: Job, at: int, index: int) -> None:
        offset = min(max(0, at - maker.callback.run_ns), maker.held)
        maker.children.append((offset, index))

    def _root(self, callback: Callback, of_task: dict[str, Callback]) -> None:
        """Something from outside: a request, or the answer to what a task asked."""
        job = self.jobs[callback.index]
        job.soon = False
        at = min(callback.waits_from_ns, callback.ready_ns)
        watcher = self._maker(callback)
        if callback.cause == "io" and callback.accepted and watcher is not None:
            job.not_before = at
            self._child(watcher, watcher.callback.ended_ns, callback.index)
            return
        answered = None
        if callback.cause == "thread" or (
            callback.cause == "io" and not callback.accepted
        ):
            answered = self._asker(callback, of_task)
        if answered is None:
            self.roots.append((at, callback.index))
            return
        asker = self.jobs[answered.index]
        asked = min(max(at, answered.run_ns), answered.ended_ns)
        job.delay = max(0, at - asked)
        self._child(asker, asked, callback.index)

    def _asker(
        self, callback: Callback, of_task: dict[str, Callback]
    ) -> Callback | None:
        """The callback that asked for what *callback* brings: the step before of the
        task that it woke."""
        index = callback.index
        seen = {index}
        for later in self.recording.callbacks[
            self.recording.position(index) + 1 : self.recording.position(index) + 200
        ]:
            if later.cause == "call" and later.by in seen:
                if later.task is not None:
                    return of_task.get(later.task)
                seen.add(later.index)
        return None

    def _apply(self, change: Change) -> None:
        recording = self.recording
        tagged = tagged_parts(recording, change.pattern)
        matching = [
            callback
            for callback in recording.callbacks
            if callback.index in tagged
            or (
                callback.index not in self._cut
                and matches(recording, callback, change.pattern)
            )
        ]
        for index, part in tagged.items():
            self.jobs[index].part = part
        if not matching:
            parts = parts_of(recording, change.pattern)
            matching = [
                callback for callback in recording.callbacks if callback.index in parts
            ]
            for callback in matching:
                self.jobs[callback.index].part = parts[callback.index]
        if not matching:
            raise NothingMatchesError(
                f"nothing in the recording matches {change.pattern!r}: name a tag, a "
                "function, a task or file.py:12 as `looplab who` shows it"
            )
        gate = None
        if change.kind in ("workers", "yields"):
            gate = Gate(int(change.amount), yields=change.kind == "yields")
        small = 0 if recording.clock == "virtual" else _SMALL_NS
        for callback in matching:
            job = self.jobs[callback.index]
            if gate is not None:
                if not (callback.tag or callback.task):
                    continue  # a timer that wakes one of them is no work of its own
                key = self._instance(callback, change.pattern)
                job.gate, job.instance = gate, key
                gate.instances[key] = gate.instances.get(key, 0) + 1
            elif change.kind == "first":
                job.urgent = True
            elif job.change is None and job.held > small:
                job.change = change
        if change.kind == "faster":
            for callback in matching:
                job = self.jobs[callback.index]
                if job.change is change:
                    _speed_up(job, change.amount)
        if change.kind == "move":
            kept = {
                recording[place].index: ns
                for place, ns in recording.ledger.kept.items()
            }
            for callback in matching:
                self.jobs[callback.index].kept = kept.get(callback.index, 0)
            whole = sum(callback.held_ns for callback in matching)
            held = sum(
                callback.held_ns for callback in matching if callback.index in kept
            )
            if held > 0.5 * whole:
                self.warnings.append(
                    f"{change.pattern} keeps the interpreter while it computes: a "
                    "thread gains nothing, a process will"
                )
            self.pools[change] = [0] * int(change.amount)
            heapify(self.pools[change])

    def _instance(self, callback: Callback, pattern: str) -> Any:
        """The piece of work that it belongs to: the request, where the change names an
        endpoint; else the task, of which a request may have started many."""
        tag = self.recording.tag_of(callback)
        if callback.task is None or (tag is not None and fnmatchcase(tag, pattern)):
            return callback.tag
        return callback.task


def _speed_up(job: Job, times: float) -> None:
    """Let the part of *job* that a change is about take one *times*-th."""
    start, end = job.part or (0, job.held)

    def then(offset: int) -> int:
        inside = min(max(offset, start), end) - start
        return offset - inside + round(inside / times)

    job.children = [(then(offset), index) for offset, index in job.children]
    job.held = then(job.held)


def tagged_parts(recording: Recording, pattern: str) -> dict[int, tuple[int, int]]:
    """Callbacks in which the tag changed, and the part of each that *pattern* names."""
    marks: dict[int, list[Mark]] = {}
    for mark in recording.marks:
        marks.setdefault(mark.callback, []).append(mark)
    parts: dict[int, tuple[int, int]] = {}
    for index, changes in marks.items():
        callback = recording.numbered(index)
        if callback is None:
            continue
        at, last = callback.run_ns, 0
        pieces = []
        for mark in changes:
            pieces.append((at, mark.at_ns, mark.old))
            at, last = mark.at_ns, mark.new
        pieces.append((at, callback.ended_ns, last))
        for start, end, tag in pieces:
            piece = replace(callback, tag=tag)
            if end > start and matches(recording, piece, pattern):
                begun, _ = parts.get(index, (start - callback.run_ns, 0))
                parts[index] = begun, min(callback.held_ns, end - callback.run_ns)
    return parts


def parts_of(recording: Recording, pattern: str) -> dict[int, tuple[int, int]]:
    """Callbacks in which *pattern*, a function or a line, was seen, and when."""
    seen: dict[int, list[tuple[int, int, bool]]] = {}
    for sample in recording.samples:
        hit = any(
            fnmatchcase(text, pattern)
            for code in sample.stack
            for text in (
                code.name,
                code.name.rpartition("<locals>.")[2],
                *places_of(code),
            )
        )
        look = sample.at_ns - sample.weight_ns, sample.at_ns, hit
        seen.setdefault(sample.callback, []).append(look)
    parts = {}
    for index, looks in seen.items():
        callback = recording.numbered(index)
        hits = [(a, b) for a, b, hit in looks if hit]
        if callback is None or not hits:
            continue
        start, end = min(a for a, _ in hits), max(b for _, b in hits)
        before = [b for a, b, hit in looks if not hit and b <= start]
        after = [a for a, b, hit in looks if not hit and a >= end]
        # A look sees what went on until it, and the rest is of the same.
        start = callback.run_ns if not before else max(before)
        end = callback.ended_ns if not after else min(after)
        parts[index] = (
            max(0, start - callback.run_ns),
            min(callback.held_ns, end - callback.run_ns),
        )
    return parts
