"""Run a recording again on the virtual clock, unchanged or with a change.

A :class:`Plan` says what led to each callback, and what changes.  Each callback becomes
one on a virtual loop that burns as long as the callback held the loop, makes ready what
it made ready, and sets the timers that it set.  What came from outside comes when it
came.  So the loop decides anew who waits for whom.

A replay keeps the arrivals: a client that waits for its answer before it asks again
would ask sooner after a fix.  It keeps what each callback did, too.  On a recording of
the virtual clock the unchanged replay is the recording, to the nanosecond.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from heapq import heapreplace
from typing import TYPE_CHECKING, Any

from looplab import clock as _clock
from looplab._numbers import NS

from .events import Callback, Code, RequestNote, Sample
from .naming import matches, shows

if TYPE_CHECKING:
    from .changes import Change
    from .ledger import Span
    from .recording import Recording

_SMALL_NS = 1_000_000  # on a real clock, what takes less is not worth a thread
_STALL_NS = 3_000_000  # what kept the loop for less is of the loop itself
_SWITCH_NS = 5_000_000  # how long a thread keeps the interpreter while others want it
_NEAR = 200  # callbacks between what a thread brings and the task that it wakes
_THREAD = Code("(a thread is done)")
_STALL = Code("(nothing ran)")


class NothingMatchesError(ValueError):
    """A change names something that did not run in the recording."""


@dataclass(slots=True)
class _Job:
    """A callback of the recording, and what it led to."""

    callback: Callback
    held: int
    soon: bool = True  # it was made ready by another; else a timer or the outside did
    delay: int = 0  # of its timer
    not_before: int = 0  # when its data come
    children: list[tuple[int, int]] = field(default_factory=list)  # (offset, index)
    change: Change | None = None
    gate: _Gate | None = None
    instance: Any = None  # the piece of work that it belongs to, at a gate
    kept: int = 0  # how long it kept the interpreter at a time: no thread helps then
    part: tuple[int, int] | None = None  # of its work, what a change is about


@dataclass(slots=True)
class _Gate:
    """Lets so many pieces of work begin at a time."""

    free: int
    yields: bool  # others get a turn before the next piece begins
    parked: deque[tuple[int, Any]] = field(default_factory=deque)
    instances: dict[Any, int] = field(default_factory=dict)  # callbacks left of each
    begun: set[Any] = field(default_factory=set)
    waking: set[Any] = field(default_factory=set)  # of these, those not gone on yet


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
        self.jobs = {each.index: _Job(each, each.held_ns) for each in recording}
        self.roots: list[tuple[int, int]] = []
        self.pools: dict[Change, list[int]] = {}
        self.warnings: list[str] = []
        self._link()
        self._stalls()
        for change in changes:
            self._apply(change)

    def _maker(self, callback: Callback) -> _Job | None:
        """What made it ready, set its timer or began to watch its descriptor."""
        return None if callback.by is None else self.jobs.get(callback.by)

    def _link(self) -> None:
        """Find out what led to each callback."""
        of_task: dict[str, Callback] = {}
        for callback in self.recording:
            maker = self._maker(callback)
            job, was_set = self.jobs[callback.index], callback.set_ns
            job.soon = callback.cause == "call" and maker is not None
            if maker is not None and job.soon:
                self._child(maker, callback.ready_ns, callback.index)
            elif (
                maker is not None and callback.cause == "timer" and was_set is not None
            ):
                job.delay = max(0, (callback.due_ns or callback.ready_ns) - was_set)
                self._child(maker, was_set, callback.index)
            else:
                self._root(callback, of_task)
            if callback.task is not None:
                of_task[callback.task] = callback
        self._accept_one_by_one()
        for job in self.jobs.values():
            job.children.sort()

    def _accept_one_by_one(self) -> None:
        """Let each connection be accepted when it came.

        A loop that is held finds several at its next look, and one callback accepts
        them all.  A loop that is held for less would have found them one by one.  Of a
        connection whose first data lay there at that look it is known that it came
        before its data did.
        """
        moved = set()
        for callback in self.recording:
            led, maker = None, self._maker(callback)
            if callback.cause != "io" or not callback.accepted:
                continue
            while maker is not None and maker.soon:
                led, maker = maker.callback.index, self._maker(maker.callback)
            if maker is None or led is None or maker.callback.cause != "io":
                continue
            accepting, at = maker.callback, callback.waits_from_ns
            if accepting.waits_from_ns < at < accepting.run_ns and led not in moved:
                moved.add(led)
                share = maker.held // max(1, len(maker.children))
                maker.held -= share
                maker.children = [
                    (min(offset, maker.held), child)
                    for offset, child in maker.children
                    if child != led
                ]
                self._begin(accepting, at, share, [(share, led)])

    def _begin(
        self, like: Callback, at: int, held: int, children: list[tuple[int, int]]
    ) -> None:
        """Add a callback *like* one, which nothing recorded led to."""
        number = -1 - len(self.jobs)  # none that is recorded is below 0
        own = replace(like, index=number)
        self.jobs[number] = _Job(own, held, soon=False, children=children)
        self.roots.append((at, number))

    def _stalls(self) -> None:
        """What kept the loop from running while somebody waited and no callback held
        it is a callback of its own: a thread, a lack of cores, a stop."""
        gaps = self.recording.ledger.gaps if self.recording.clock == "real" else []
        for start, end in gaps:
            if end - start >= _STALL_NS:
                times = start, start, end
                stall = Callback(-1, *times, None, "io", None, _STALL, None)
                self._begin(stall, start, end - start, [])
        self.roots.sort()

    def _child(self, maker: _Job, at: int, index: int) -> None:
        offset = min(max(0, at - maker.callback.run_ns), maker.held)
        maker.children.append((offset, index))

    def _root(self, callback: Callback, of_task: dict[str, Callback]) -> None:
        """Something from outside: a request, or the answer to what a task asked."""
        job, watcher = self.jobs[callback.index], self._maker(callback)
        at = min(callback.waits_from_ns, callback.ready_ns)
        accepted = callback.cause == "io" and callback.accepted
        if accepted and watcher is not None:
            job.not_before = at
            self._child(watcher, watcher.callback.ended_ns, callback.index)
            return
        asker = None
        if callback.cause == "thread" or (callback.cause == "io" and not accepted):
            asker = self._asker(callback, of_task)
        if asker is None:
            self.roots.append((at, callback.index))
            return
        asked = min(max(at, asker.run_ns), asker.ended_ns)
        job.delay = max(0, at - asked)
        self._child(self.jobs[asker.index], asked, callback.index)

    def _asker(self, answer: Callback, of_task: dict[str, Callback]) -> Callback | None:
        """The callback that asked for what *answer* brings: the step before of the task
        that it woke."""
        woken = {answer.index}
        first = (self.recording.place_of(answer.index) or 0) + 1
        for later in self.recording.callbacks[first : first + _NEAR]:
            if later.cause == "call" and later.by in woken:
                if later.task is not None:
                    return of_task.get(later.task)
                woken.add(later.index)
        return None

    def _apply(self, change: Change) -> None:
        parts = _parts(self.recording, change.pattern)
        if not parts:
            raise NothingMatchesError(
                f"nothing in the recording matches {change.pattern!r}: name a tag, a "
                "function, a task or file.py:12 as `looplab who` shows it"
            )
        jobs = [self.jobs[index] for index in parts]
        for job in jobs:
            job.part = parts[job.callback.index] or job.part
        if change.kind in ("workers", "yields"):
            self._behind(jobs, change)
            return
        small = 0 if self.recording.clock == "virtual" else _SMALL_NS
        for job in jobs:
            if job.change is None and job.held > small:
                job.change = change
                if change.kind == "faster":
                    _speed_up(job, change.amount)
        if change.kind == "move":
            self._move(change, jobs)

    def _behind(self, jobs: list[_Job], change: Change) -> None:
        """Put *jobs* behind a gate: a request is one piece of work, where the change
        names an endpoint; else a task is, of which a request may have started many."""
        gate = _Gate(int(change.amount), change.kind == "yields")
        for job in jobs:
            callback = job.callback
            if not (callback.tag or callback.task):
                continue  # a timer that wakes one of them is no work of its own
            tag = self.recording.tag_of(callback)
            named = tag is not None and fnmatchcase(tag, change.pattern)
            key = callback.tag if named or not callback.task else callback.task
            job.gate, job.instance = gate, key
            gate.instances[key] = gate.instances.get(key, 0) + 1

    def _move(self, change: Change, jobs: list[_Job]) -> None:
        """Let *jobs* compute in threads; some keep the interpreter while they do."""
        kept = self.recording.ledger.kept
        for job in jobs:
            job.kept = kept.get(self.recording.place_of(job.callback.index) or 0, 0)
        if sum(job.held for job in jobs if job.kept) > 0.5 * sum(
            job.held for job in jobs
        ):
            self.warnings.append(
                f"{change.pattern} keeps the interpreter while it computes: a "
                "thread gains nothing, a process will"
            )
        self.pools[change] = [0] * int(change.amount)


def _speed_up(job: _Job, times: float) -> None:
    """Let the part of *job* that a change is about take one *times*-th."""
    start, end = job.part or (0, job.held)

    def then(offset: int) -> int:
        inside = min(max(offset, start), end) - start
        return offset - inside + round(inside / times)

    job.children = [(then(offset), index) for offset, index in job.children]
    job.held = then(job.held)


def _parts(recording: Recording, pattern: str) -> dict[int, Span | None]:
    """The callbacks that *pattern* names, and of each what part, if not the whole."""
    cut = {mark.callback for mark in recording.marks}
    parts: dict[int, Span | None] = {}
    for start, end, name, place, _ in recording.ledger.segments if cut else ():
        callback = recording[place]
        if callback.index in cut and (
            fnmatchcase(name, pattern)
            or matches(recording, replace(callback, tag=0), pattern)
        ):
            begun, _ = parts.get(callback.index) or (start - callback.run_ns, 0)
            parts[callback.index] = begun, end - callback.run_ns
    for callback in recording:
        if callback.index not in cut and matches(recording, callback, pattern):
            parts[callback.index] = None
    return parts or _seen(recording, pattern)


def _seen(recording: Recording, pattern: str) -> dict[int, Span | None]:
    """Callbacks in which *pattern*, a function or a line, was seen, and when."""
    looks: dict[int, list[Sample]] = {}
    for sample in recording.samples:
        looks.setdefault(sample.callback, []).append(sample)
    parts: dict[int, Span | None] = {}
    for index, of in looks.items():
        callback = recording.numbered(index)
        hits = [
            at
            for at, sample in enumerate(of)
            for code in sample.stack
            if fnmatchcase(code.name, pattern) or shows(code, pattern)
        ]
        if callback is None or not hits:
            continue
        # A look sees what went on until it, and the rest is of the same.
        start, end, after = 0, callback.held_ns, of[hits[-1] + 1 :]
        if hits[0]:
            start = of[hits[0] - 1].at_ns - callback.run_ns
        if after:
            end = after[0].at_ns - after[0].weight_ns - callback.run_ns
        parts[index] = max(0, start), min(callback.held_ns, end)
    return parts


def replay(
    recording: Recording, *changes: Change, lock_held: bool = False, seed: int = -1
) -> Recording:
    """Return what the loop would have done after *changes*.

    Args:
        recording: what it did.
        changes: from :mod:`looplab.diagnose.changes`; of several that concern a
            callback's work the first counts.
        lock_held: work that is moved to a thread keeps the interpreter lock, as pure
            Python does; else it releases the lock, as sleeping and hashing do.
        seed: of how the system rounds what a selector waits; -1: not at all.

    Raises:
        NothingMatchesError: if nothing ran that a change names.
    """
    return _Replay(Plan(recording, changes), lock_held, seed).run()


class _Replay:
    def __init__(self, plan: Plan, lock_held: bool, seed: int) -> None:
        self.plan = plan
        self.jobs, self.pools = plan.jobs, plan.pools
        self.lock_held, self.seed = lock_held, seed
        self.log: list[Callback] = []
        self.first: dict[int, int] = {}  # of each callback, where it is in the log
        self.last: dict[int, int] = {}
        self.computing: deque[list[Any]] = deque()  # threads that hold the lock
        self.left = 0

    def run(self) -> Recording:
        """Run the plan; return it as a recording."""
        recording = self.plan.recording
        settings: dict[str, Any] = {"max_stalled": None}
        if self.seed >= 0:  # the system rounds a wait up to a millisecond
            settings |= {"jitter": 0.0011, "seed": self.seed}
        _clock.run(self._main(), **settings)
        notes = [
            self._note(note)
            for note in recording.notes
            if note.first in self.first and note.last in self.last
        ]
        nothing: Any = {"samples": [], "pauses": [], "threads": [], "dropped": 0}
        nothing |= {"clock": "virtual", "end_ns": 0}
        return replace(recording, callbacks=self.log, notes=notes, **nothing)

    def _note(self, note: RequestNote) -> RequestNote:
        first, last = self.first[note.first], self.last[note.last]
        begin, end = self.log[first], self.log[last]
        was, then = self.jobs[note.first].callback, self.jobs[note.last].callback
        began = begin.run_ns + min(note.began_ns - was.run_ns, begin.held_ns)
        after = max(0, then.ended_ns - note.ended_ns)
        ended = max(began, end.ended_ns - min(after, end.held_ns))
        return RequestNote(note.tag, first, last, began, ended, note.arrived_ns)

    async def _main(self) -> None:
        self.loop: Any = asyncio.get_running_loop()
        self.done: asyncio.Event = asyncio.Event()
        for at, index in self.plan.roots:
            if at <= 0:
                self._soon(index, 0, None)
            else:
                self._later(at, index, None, at)
        if self.left:
            await self.done.wait()

    def _soon(self, index: int, ready: int, by: int | None, piece: int = 0) -> None:
        self.left += 1
        self.loop.call_soon(self._go, index, ready, by, None, piece)

    def _later(self, at: int, index: int, by: int | None, due: int | None) -> None:
        self.left += 1
        self.loop.call_at(at / NS, self._go, index, None, by, due, 0)

    def _go(
        self,
        index: int,
        ready: int | None,
        by: int | None,
        due: int | None,
        piece: int,
    ) -> None:
        job, run = self.jobs[index], self.loop.time_ns()
        ready = run if ready is None else ready
        gate = job.gate
        if gate is not None and piece == 0:
            key = job.instance
            if key in gate.waking:
                gate.waking.discard(key)
                if gate.free and gate.parked:
                    gate.free -= 1
                    self._admit(gate)
            elif key not in gate.begun:
                # As at asyncio's semaphore: nobody goes before one that was woken.
                if not gate.free or gate.waking:
                    self._write(job, ready, run, by, due)
                    gate.parked.append((index, key))
                    self._ended()
                    return
                gate.free -= 1
                gate.begun.add(key)
        number = len(self.log)
        self.first.setdefault(index, number)
        self._write(job, ready, run, by, due)
        more = self._work(job, number, piece)
        self.log[number].ended_ns = self.loop.time_ns()
        self.last[index] = number
        if gate is not None and not more:
            self._leave(gate, job.instance)
        self._ended()

    def _write(
        self, job: _Job, ready: int, run: int, by: int | None, due: int | None
    ) -> None:
        was = job.callback
        callback = replace(was, index=len(self.log), by=by, cpu_ns=None, set_ns=None)
        callback.ready_ns, callback.run_ns = min(ready, run), run
        callback.ended_ns = run
        callback.cause = was.cause if by is None or due is not None else "call"
        callback.due_ns = due if was.cause == "timer" else None
        callback.arrived_ns = due if was.cause == "io" else None
        self.log.append(callback)

    def _work(self, job: _Job, number: int, piece: int) -> bool:
        """Do the work of a callback, or of one piece of it; whether more is to come."""
        change, held = job.change, job.held
        if change is not None and change.kind == "chunk" and held > change.amount:
            size = int(change.amount)
            start, end = piece * size, min((piece + 1) * size, held)
            self._burn(job, number, start, end, inclusive=piece == 0)
            if end < held:
                self._soon(job.callback.index, self.loop.time_ns(), number, piece + 1)
            return end < held
        if change is None or change.kind != "move":
            self._burn(job, number, 0, held, inclusive=True)
            return False
        start, end = job.part or (0, held)
        if piece == 0:
            self._burn(job, number, 0, start, inclusive=True)
            self._to_thread(job, number, change)
            return True
        for offset, child in job.children:
            if start < offset <= end:
                self._start(child, number)
        self._burn(job, number, end, held, inclusive=False)
        return False

    def _burn(
        self, job: _Job, number: int, start: int, end: int, *, inclusive: bool
    ) -> None:
        """Hold the loop from *start* to *end* of a callback, and start its children."""
        at = start
        for offset, child in job.children:
            if offset > end or offset < start or (offset == start and not inclusive):
                continue
            if offset > at:
                self.loop.burn((offset - at) / NS)
                at = offset
            self._start(child, number)
        if end > at:
            self.loop.burn((end - at) / NS)

    def _start(self, index: int, by: int) -> None:
        job, now = self.jobs[index], self.loop.time_ns()
        if job.soon:
            self._soon(index, now, by)
        else:
            at = max(now + job.delay, job.not_before)
            self._later(at, index, by, job.not_before or at)

    def _to_thread(self, job: _Job, number: int, change: Change) -> None:
        pool, now = self.pools[change], self.loop.time_ns()
        start, stop = job.part or (0, job.held)
        held = stop - start
        self.left += 1
        if self.lock_held or job.kept:
            self.computing.append([job, number, held, pool])
            if len(self.computing) == 1:
                self.loop.call_soon(self._compute)
            return
        end = max(now, pool[0]) + held
        heapreplace(pool, end)
        self.loop.call_at(end / NS, self._computed, job, number)

    def _compute(self) -> None:
        """A thread has the interpreter: the loop waits until it gives it up."""
        threads = len(self.computing[0][3])
        waiting = self.computing.popleft()
        job, number, left, _ = waiting
        size = min(left, max(_SWITCH_NS, job.kept))
        self.loop.burn(size / NS)
        if left > size:
            waiting[2] = left - size
            # Those that have a thread take turns; the others wait for one.
            self.computing.insert(min(threads - 1, len(self.computing)), waiting)
        else:
            self._computed(job, number)
        if self.computing and self.lock_held and job.kept:
            self._compute()  # nobody says who is next: it may be another thread
        elif self.computing:
            self.loop.call_soon(self._compute)

    def _computed(self, job: _Job, number: int) -> None:
        """A thread is done: the task that waits for it is woken."""
        now, by = self.loop.time_ns(), len(self.log)
        done = Callback(by, now, now, now, None, "thread", number, _THREAD, None)
        done.tag = job.callback.tag
        self.log.append(done)
        self._soon(job.callback.index, now, by, 1)
        self._ended()

    def _leave(self, gate: _Gate, key: Any) -> None:
        gate.instances[key] -= 1
        if gate.instances[key] or key not in gate.begun:
            return
        if gate.parked:  # the next one runs in the next iteration
            self._admit(gate)
            return
        if gate.yields:
            self.left += 1
            self.loop.call_soon(self._release, gate)
            return
        # Work that ends without waiting gives its place back at once, as a semaphore
        # or a worker at a queue that is not empty does: nobody else gets a turn.
        gate.free += 1

    def _release(self, gate: _Gate) -> None:
        if gate.parked:
            self._admit(gate)
        else:
            gate.free += 1
        self._ended()

    def _admit(self, gate: _Gate) -> None:
        index, key = gate.parked.popleft()
        gate.begun.add(key)
        gate.waking.add(key)
        self._soon(index, self.loop.time_ns(), len(self.log) - 1)

    def _ended(self) -> None:
        self.left -= 1
        if not self.left:
            self.done.set()
