"""Run a recording again on the virtual clock, unchanged or with a change.

Each callback of the recording becomes one on a virtual loop that burns as long as the
callback held the loop, makes ready what it made ready, and sets the timers that it set:
:mod:`.plan` finds out what those are.  What came from outside comes when it came.  So
the loop decides anew who waits for whom.

A replay keeps the arrivals: a client that waits for its answer before it asks again
would ask sooner after a fix.  It keeps what each callback did, too.  On a recording of
the virtual clock the unchanged replay is the recording, to the nanosecond.

The module uses the standard library only and runs in a browser.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextvars import Context
from dataclasses import replace
from functools import partial
from heapq import heapreplace
from typing import TYPE_CHECKING, Any

from looplab import clock as _clock
from looplab._numbers import NS

from .plan import Gate, Job, NothingMatchesError, Plan
from .recording import Callback, Code, Recording, RequestNote

if TYPE_CHECKING:
    from .changes import Change

__all__ = ["NothingMatchesError", "replay"]

_SWITCH_NS = 5_000_000  # how long a thread keeps the interpreter while others want it
_THREAD = Code("(a thread is done)")


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

    Raises:
        NothingMatchesError: if nothing ran that a change names.
    """
    again = _Replay(Plan(recording, changes), lock_held)
    again.seed = seed
    return again.run()


class _Replay:
    def __init__(self, plan: Plan, lock_held: bool) -> None:
        self.plan = plan
        self.jobs, self.pools = plan.jobs, plan.pools
        self.lock_held = lock_held
        self.log: list[Callback] = []
        self.first: dict[int, int] = {}  # of each callback, where it is in the log
        self.last: dict[int, int] = {}
        self.computing: deque[list[Any]] = deque()  # threads that hold the lock
        self.left = 0
        self.seed = -1
        self.urgent: Context | None = None
        self.ordinary: Context | None = None

    # -- the run ---------------------------------------------------------------------

    def run(self) -> Recording:
        """Run the plan; return it as a recording."""
        recording = self.plan.recording
        settings: dict[str, Any] = {"max_stalled": None}
        if any(job.urgent for job in self.jobs.values()):
            from looplab.priority import VirtualPriorityLoop
            from looplab.priority.context import context_with

            settings = {"loop_factory": partial(VirtualPriorityLoop, max_stalled=None)}
            self.urgent, self.ordinary = context_with(1), context_with(0)
        if self.seed >= 0:  # the system rounds a wait up to a millisecond
            settings |= {"jitter": 0.0011, "seed": self.seed}
        _clock.run(self._main(), **settings)
        notes = []
        for note in recording.notes:
            first, last = self.first.get(note.first), self.last.get(note.last)
            if first is None or last is None:
                continue
            notes.append(self._note(note, first, last))
        return replace(
            recording,
            callbacks=self.log,
            notes=notes,
            samples=[],
            pauses=[],
            threads=[],
            clock="virtual",
            end_ns=0,
            dropped=0,
        )

    def _note(self, note: RequestNote, first: int, last: int) -> RequestNote:
        callback, then = self.log[first], self.jobs[note.first].callback
        began = callback.run_ns + min(note.began_ns - then.run_ns, callback.held_ns)
        end, was = self.log[last], self.jobs[note.last].callback
        after = max(0, was.ended_ns - note.ended_ns)
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

    def _context(self, index: int) -> Context | None:
        return self.urgent if self.jobs[index].urgent else self.ordinary

    def _soon(self, index: int, ready: int, by: int | None, piece: int = 0) -> None:
        self.left += 1
        self.loop.call_soon(
            self._go, index, ready, by, None, piece, context=self._context(index)
        )

    def _later(self, at: int, index: int, by: int | None, due: int | None) -> None:
        self.left += 1
        self.loop.call_at(
            at / NS, self._fired, index, by, due, context=self._context(index)
        )

    def _fired(self, index: int, by: int | None, due: int | None) -> None:
        self._go(index, self.loop.time_ns(), by, due, 0)

    def _go(
        self, index: int, ready: int, by: int | None, due: int | None, piece: int
    ) -> None:
        job = self.jobs[index]
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
                    self._write(job, ready, self.loop.time_ns(), by, due)
                    gate.parked.append((index, key))
                    self._ended()
                    return
                gate.free -= 1
                gate.begun.add(key)
        run = self.loop.time_ns()
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
        self, job: Job, ready: int, run: int, by: int | None, due: int | None
    ) -> None:
        callback = job.callback
        outside = by is None
        self.log.append(
            Callback(
                index=len(self.log),
                ready_ns=min(ready, run),
                run_ns=run,
                ended_ns=run,
                cpu_ns=None,
                cause=callback.cause if outside or due is not None else "call",
                by=by,
                code=callback.code,
                task=callback.task,
                tag=callback.tag,
                due_ns=due if callback.cause == "timer" else None,
                arrived_ns=due if callback.cause == "io" else None,
                accepted=callback.accepted,
            )
        )

    def _work(self, job: Job, number: int, piece: int) -> bool:
        """Do the work of a callback, or of one piece of it; whether more is to come."""
        change, held = job.change, job.held
        if change is not None and change.kind == "chunk" and held > change.amount:
            size = int(change.amount)
            start, end = piece * size, min((piece + 1) * size, held)
            self._burn(job, number, start, end, inclusive=piece == 0)
            if end < held:
                self._soon(job.callback.index, self.loop.time_ns(), number, piece + 1)
                return True
            return False
        if change is not None and change.kind == "move":
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
        self._burn(job, number, 0, held, inclusive=True)
        return False

    def _burn(
        self, job: Job, number: int, start: int, end: int, *, inclusive: bool
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

    # -- threads ---------------------------------------------------------------------

    def _to_thread(self, job: Job, number: int, change: Change) -> None:
        pool, now = self.pools[change], self.loop.time_ns()
        start, stop = job.part or (0, job.held)
        held = stop - start
        self.left += 1
        if self.lock_held or job.kept:
            self.computing.append([job, number, held, pool])
            if len(self.computing) == 1:
                self.loop.call_soon(self._compute, context=self.ordinary)
            return
        end = max(now, pool[0]) + held
        heapreplace(pool, end)
        context = self._context(job.callback.index)
        self.loop.call_at(end / NS, self._computed, job, number, context=context)

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
        if self.computing:
            self.loop.call_soon(self._compute, context=self.ordinary)

    def _computed(self, job: Job, number: int) -> None:
        """A thread is done: the task that waits for it is woken."""
        now = self.loop.time_ns()
        self.log.append(
            Callback(
                index=len(self.log),
                ready_ns=now,
                run_ns=now,
                ended_ns=now,
                cpu_ns=None,
                cause="thread",
                by=number,
                code=_THREAD,
                task=None,
                tag=job.callback.tag,
            )
        )
        self._soon(job.callback.index, now, len(self.log) - 1, 1)
        self._ended()

    # -- the end ---------------------------------------------------------------------

    def _leave(self, gate: Gate, key: Any) -> None:
        gate.instances[key] -= 1
        if gate.instances[key] or key not in gate.begun:
            return
        if gate.parked:  # the next one runs in the next iteration
            self._admit(gate)
            return
        if gate.yields:
            self.left += 1
            self.loop.call_soon(self._release, gate, context=self.ordinary)
            return
        # Work that ends without waiting gives its place back at once, as a semaphore
        # or a worker at a queue that is not empty does: nobody else gets a turn.
        gate.free += 1

    def _release(self, gate: Gate) -> None:
        if gate.parked:
            self._admit(gate)
        else:
            gate.free += 1
        self._ended()

    def _admit(self, gate: Gate) -> None:
        index, key = gate.parked.popleft()
        gate.begun.add(key)
        gate.waking.add(key)
        self._soon(index, self.loop.time_ns(), len(self.log) - 1)

    def _ended(self) -> None:
        self.left -= 1
        if not self.left:
            self.done.set()
