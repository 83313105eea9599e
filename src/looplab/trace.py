"""Every callback that an event loop ran: when it was due, when ready, when it ran.

An event loop is one thread that runs callbacks, one at a time, off a ready queue.  The
tracer puts a queue that keeps notes in the place of the loop's own, so it sees each
callback join the queue and leave it.  It works on :class:`looplab.VirtualTimeLoop`,
where the times are exact, and on asyncio's own loops, where they are measured.

>>> import asyncio
>>> from looplab.trace import record
>>> async def main():
...     await asyncio.sleep(1)
>>> [(one.label, one.run_at) for one in record(main())]
[('main', 0.0), ('_set_result_unless_cancelled', 1.0), ('main', 1.0)]

What the times mean
-------------------
*Ready at* is when the callback joined the ready queue.  *Due at* is when its timer
asked for it: a callback has it if a timer set it off, and so has the step of a task
that such a callback wakes.  It is carried that one hop only, which is what makes the
lateness of ``asyncio.sleep()`` visible.  *Ran at* is when the loop took the callback
from the queue, and *ended at* when it came back for the next one or looked whether
there is one.  On a real clock *ended at* therefore includes the loop's own work between
two callbacks, about a microsecond.

What is not seen
----------------
A cancelled handle is not a callback that ran.  The first step of an eager task runs
inside the callback that makes it and is part of that one.  Names are kept, never tasks,
coroutines or callbacks, so that tracing does not change when objects are freed.

The module uses the standard library only.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from operator import attrgetter
from types import FunctionType, MappingProxyType, TracebackType
from typing import Any, Literal, NamedTuple, TypeVar, overload

from looplab import clock as _clock

__all__ = ["LoopTracer", "Record", "TaskSummary", "Trace", "record"]

T = TypeVar("T")
_Queue = deque[asyncio.Handle]
Clock = Literal["virtual", "real"]

_NS = 1_000_000_000
_FORMAT = "looplab-trace/1"
_FIELDS = ("ready_ns", "due_ns", "run_ns", "ended_ns", "task", "label")


@dataclass(frozen=True, slots=True)
class Record:
    """One callback that ran.  Times count from the start of the trace.

    The fields are whole nanoseconds; the properties are the same in seconds.

    Attributes:
        ready_ns: when it joined the ready queue; 0 if it was there before the trace.
        due_ns: when its timer was due; ``None`` if no timer set it off.
        run_ns: when it began to run.
        ended_ns: when it gave the thread back to the loop.
        task: the name of its task; ``None`` for a callback of no task.
        label: the qualified name of the task's coroutine, or of the callback.
    """

    ready_ns: int
    due_ns: int | None
    run_ns: int
    ended_ns: int
    task: str | None
    label: str

    @property
    def ready_at(self) -> float:
        """Seconds until it joined the ready queue."""
        return self.ready_ns / _NS

    @property
    def due_at(self) -> float | None:
        """Seconds until its timer was due, or ``None``."""
        return None if self.due_ns is None else self.due_ns / _NS

    @property
    def run_at(self) -> float:
        """Seconds until it began to run."""
        return self.run_ns / _NS

    @property
    def ended_at(self) -> float:
        """Seconds until it gave the thread back."""
        return self.ended_ns / _NS

    @property
    def lateness(self) -> float | None:
        """Seconds from due to run, or ``None`` if no timer set it off."""
        return None if self.due_ns is None else (self.run_ns - self.due_ns) / _NS

    @property
    def queueing_delay(self) -> float:
        """Seconds that it waited in the ready queue."""
        return (self.run_ns - self.ready_ns) / _NS

    @property
    def duration(self) -> float:
        """Seconds that it held the thread."""
        return (self.ended_ns - self.run_ns) / _NS

    def __repr__(self) -> str:
        who = self.label if self.task is None else f"{self.label} in {self.task}"
        late = self.lateness
        return (
            f"<Record {who}: ran {self.run_at:.9g} to {self.ended_at:.9g} s"
            + (f", {late:.9g} s late" if late else "")
            + (f", {self.queueing_delay:.9g} s in the queue" if late is None else "")
            + ">"
        )


class TaskSummary(NamedTuple):
    """What one task did in a trace.  Times are in seconds."""

    callbacks: int
    busy: float
    longest: float
    worst_lateness: float | None
    worst_queueing_delay: float


class Trace(Sequence[Record]):
    """The callbacks that a loop ran, in the order in which they ran.

    It is a sequence of :class:`Record`; a slice of it is a :class:`Trace` too.

    Args:
        records: in the order in which they ran.
        end_ns: when tracing stopped; the default is when the last callback ended.
        clock: ``"virtual"`` if the times are exact, ``"real"`` if measured.
        dropped: how many older records a limit left out.
        result: what the traced coroutine returned.

    Raises:
        ValueError: if the records are not in the order in which they ran.
    """

    __slots__ = ("_records", "clock", "dropped", "end_ns", "result")

    def __init__(
        self,
        records: Iterable[Record],
        *,
        end_ns: int | None = None,
        clock: Clock = "virtual",
        dropped: int = 0,
        result: Any = None,
    ) -> None:
        self._records = tuple(records)
        last = 0
        for one in self._records:
            if one.run_ns < last:
                raise ValueError(
                    f"{one!r} ran before the one that it follows ended: give the "
                    "records in the order in which they ran"
                )
            if one.ended_ns < one.run_ns:
                raise ValueError(f"{one!r} ended before it ran")
            last = one.ended_ns
        #: Nanoseconds from the start of the trace to its end.
        self.end_ns = last if end_ns is None else max(end_ns, last)
        #: ``"virtual"``: the times are exact; ``"real"``: they are measured.
        self.clock: Clock = clock
        #: How many older records the tracer's limit left out.
        self.dropped = dropped
        #: What the traced coroutine returned, if :func:`record` made the trace.
        self.result = result

    # -- the sequence ----------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._records)

    @overload
    def __getitem__(self, index: int) -> Record: ...
    @overload
    def __getitem__(self, index: slice) -> Trace: ...
    def __getitem__(self, index: int | slice) -> Record | Trace:
        if not isinstance(index, slice):
            return self._records[index]
        if index.step is not None and index.step < 0:
            raise ValueError(
                "a trace runs forwards: use reversed() to walk it backwards"
            )
        return self._part(self._records[index])

    def __iter__(self) -> Iterator[Record]:
        return iter(self._records)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trace):
            return NotImplemented
        return (
            self._records == other._records
            and self.end_ns == other.end_ns
            and self.clock == other.clock
            and self.dropped == other.dropped
        )

    def __hash__(self) -> int:
        return hash((self._records, self.end_ns, self.clock, self.dropped))

    def _part(self, records: Iterable[Record]) -> Trace:
        return Trace(
            records,
            end_ns=self.end_ns,
            clock=self.clock,
            dropped=self.dropped,
            result=self.result,
        )

    def filter(
        self,
        where: Callable[[Record], object] | None = None,
        *,
        task: str | None = None,
        label: str | None = None,
    ) -> Trace:
        """Return the records of one task, with one label, or for which *where* is true.

        The part spans the same time as the whole.
        """
        return self._part(
            one
            for one in self._records
            if (task is None or one.task == task)
            and (label is None or one.label == label)
            and (where is None or where(one))
        )

    # -- summary numbers, in seconds -------------------------------------------------

    @property
    def duration(self) -> float:
        """Seconds from the start of the trace to its end."""
        return self.end_ns / _NS

    @property
    def busy(self) -> float:
        """Seconds in which a callback of this trace held the thread."""
        return sum(one.ended_ns - one.run_ns for one in self._records) / _NS

    @property
    def idle(self) -> float:
        """Seconds in which none did."""
        ran = sum(one.ended_ns - one.run_ns for one in self._records)
        return (self.end_ns - ran) / _NS

    @property
    def latest(self) -> Record | None:
        """The record with the worst lateness; ``None`` if no timer fired."""
        timed = [one for one in self._records if one.due_ns is not None]
        return max(timed, key=lambda one: one.run_ns - (one.due_ns or 0), default=None)

    @property
    def worst_lateness(self) -> float | None:
        """Seconds of the worst lateness; ``None`` if no timer fired."""
        latest = self.latest
        return None if latest is None else latest.lateness

    @property
    def worst_queueing_delay(self) -> float:
        """Seconds of the longest wait in the ready queue."""
        return max((one.queueing_delay for one in self._records), default=0.0)

    @property
    def longest(self) -> Record | None:
        """The callback that held the thread longest."""
        return max(self._records, key=attrgetter("duration"), default=None)

    def by_task(self) -> Mapping[str | None, TaskSummary]:
        """Return a summary for each task name, in the order in which they first ran.

        The callbacks of no task are under ``None``.
        """
        of: dict[str | None, list[Record]] = {}
        for one in self._records:
            of.setdefault(one.task, []).append(one)
        return MappingProxyType(
            {
                name: TaskSummary(
                    callbacks=len(ones),
                    busy=sum(one.ended_ns - one.run_ns for one in ones) / _NS,
                    longest=max(one.duration for one in ones),
                    worst_lateness=max(
                        (late for one in ones if (late := one.lateness) is not None),
                        default=None,
                    ),
                    worst_queueing_delay=max(one.queueing_delay for one in ones),
                )
                for name, ones in of.items()
            }
        )

    # -- how it looks ----------------------------------------------------------------

    def _facts(self) -> list[tuple[str, str]]:
        how = "exact" if self.clock == "virtual" else "measured"
        worst = self.worst_lateness
        facts = [
            ("callbacks", f"{len(self):,}"),
            ("time", f"{self.duration:.9g} s ({self.clock} clock, {how})"),
            ("busy", f"{self.busy:.9g} s"),
            ("idle", f"{self.idle:.9g} s"),
            ("worst lateness", "no timer" if worst is None else f"{worst:.9g} s"),
        ]
        if self.dropped:
            facts.append(("older records dropped", f"{self.dropped:,}"))
        return facts

    def __repr__(self) -> str:
        return f"<Trace {', '.join(f'{name}: {text}' for name, text in self._facts())}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th scope="row">{escape(name)}</th><td>{escape(text)}</td></tr>'
            for name, text in self._facts()
        )
        return f"<table><tbody>{rows}</tbody></table>"

    def to_json(self) -> str:
        """Return the trace as JSON, without its result; times in nanoseconds."""
        return json.dumps(
            {
                "format": _FORMAT,
                "clock": self.clock,
                "end_ns": self.end_ns,
                "dropped": self.dropped,
                "fields": _FIELDS,
                "records": [
                    [getattr(one, name) for name in _FIELDS] for one in self._records
                ],
            },
            separators=(",", ":"),
        )

    @classmethod
    def from_json(cls, text: str) -> Trace:
        """Return the trace that :meth:`to_json` wrote.

        Raises:
            ValueError: if *text* is not such a trace.
        """
        data = json.loads(text)
        if not isinstance(data, dict) or data.get("format") != _FORMAT:
            raise ValueError(f"this is not a trace in the format {_FORMAT}")
        return cls(
            (Record(*row) for row in data["records"]),
            end_ns=data["end_ns"],
            clock=data["clock"],
            dropped=data["dropped"],
        )


# What the queue notes beside a time.  A callback that began is noted as its label, or
# as (task, label, due) if there is more to say, or as None if its handle was cancelled.
class _Mark:
    __slots__ = ()


_PAUSE = _Mark()  # the loop asked whether anything is ready
_MOVED = _Mark()  # the virtual clock was moved, by burn()
_Begun = str | tuple[str | None, str, int | None] | None


class _Reader:
    """Turns the notes of a queue into records.

    The ready queue is first in, first out, so the first to have joined is the first to
    leave and the notes need not say which callback they are about.
    """

    def __init__(self, origin_ns: int, limit: int | None) -> None:
        self.origin_ns = origin_ns
        self.count = 0
        self.rows: deque[Record] = deque(maxlen=limit)
        self._waiting: deque[tuple[int, int | None]] = deque()  # ready at, woken for
        self._running: tuple[int, int | None, int, str | None, str] | None = None
        self._timer_due: int | None = None  # of the callback that runs
        self._left = 0  # how many have left the queue
        self._joined = 0
        self._at: int | None = None  # the time, while a callback runs

    def begin(self, at: int, what: _Begun, ready: int, woken_for: int | None) -> None:
        if what is None:
            return
        if isinstance(what, str):
            self._running = (ready, None, at, None, what)
            return
        task, label, due = what
        self._timer_due = due
        if due is None and task is not None:
            due = woken_for
        self._running = (ready, due, at, task, label)

    def end(self, at: int) -> None:
        running, zero = self._running, self.origin_ns
        self._running = self._timer_due = None
        if running is None:
            return
        ready, due, run, task, label = running
        self.count += 1
        self.rows.append(
            Record(
                ready - zero,
                None if due is None else due - zero,
                run - zero,
                at - zero,
                task,
                label,
            )
        )

    def read_stamped(self, notes: list[Any]) -> None:
        """Read notes in which each callback that joins the queue has a time stamp."""
        waiting = self._waiting
        stamp: int | None = None  # a time whose meaning the next note tells
        for note in notes:
            if isinstance(note, int):
                if stamp is not None:
                    waiting.append((stamp, self._timer_due))
                stamp = note
                continue
            at = stamp if stamp is not None else self.origin_ns
            stamp = None
            self.end(at)
            if note is not _PAUSE:
                ready, woken_for = waiting.popleft() if waiting else (at, None)
                self.begin(at, note, ready, woken_for)
        if stamp is not None:
            waiting.append((stamp, self._timer_due))

    def read_counted(self, notes: list[Any]) -> None:
        """Read notes that give the length of the queue when it may matter.

        Whatever joined the queue between two such lengths did so at one and the same
        time and for one and the same reason: the length is noted when the clock moves,
        when a timer's callback begins, and between iterations.  That is enough, since
        in an iteration timers come last.
        """
        waiting = self._waiting
        rest = iter(notes)
        for at in rest:
            note = next(rest)
            length: int | None = None
            if isinstance(note, int):
                length, note = note, next(rest)
            begins = not isinstance(note, _Mark)
            self._left += begins
            if length is not None and self._left + length > self._joined:
                # Between iterations only the loop adds callbacks: timers, once it has
                # moved the clock to the time that this note has.
                ready = at if self._at is None else self._at
                joined = self._left + length - self._joined
                waiting.extend([(ready, self._timer_due)] * joined)
                self._joined += joined
            if note is _MOVED:
                if self._at is not None:
                    self._at = at
                continue
            self.end(at)
            self._at = None
            if begins:
                ready, woken_for = waiting.popleft()
                self.begin(at, note, ready, woken_for)
                self._at = at

    def already_running(self, at: int, task: str | None, label: str) -> None:
        self._running = (at, None, at, task, label)
        self._at = at


def _describe(handle: asyncio.Handle) -> tuple[str | None, str, int | None] | None:
    """Return task name, label and ``None`` for the due time; ``None`` if cancelled."""
    if handle._cancelled:
        return None
    callback: Any = handle._callback  # type: ignore[attr-defined]
    owner = getattr(callback, "__self__", None)
    if owner is not None and (
        type(callback).__name__ == "TaskStepMethWrapper"
        or getattr(callback, "__name__", "") in _STEPS
    ):
        try:
            return owner.get_name(), _coroutine_name(owner.get_coro()), None
        except AttributeError:  # not a task after all
            pass
    while isinstance(callback, partial):
        callback = callback.func
    try:
        label = callback.__qualname__
    except AttributeError:
        label = type(callback).__qualname__
    return None, label, None


# The callbacks that run a step of a task: of C and of Python tasks.
_STEPS = frozenset(
    ["task_wakeup", "__step", "__wakeup", "_Task__step", "_Task__wakeup"]
)


def _coroutine_name(coro: Any) -> str:
    name = getattr(coro, "__qualname__", None)
    return name if isinstance(name, str) else type(coro).__qualname__


class LoopTracer:
    """Records every callback that a loop runs, from ``with`` to the end of its block.

    >>> import asyncio
    >>> from looplab import run
    >>> async def main():
    ...     with LoopTracer() as tracer:
    ...         await asyncio.sleep(1)
    ...     return tracer.trace.duration
    >>> run(main())
    1.0

    Without *loop* it attaches to the loop that is running.  Then the first record is
    the rest of the callback that is running, from the attaching on, and the last one
    ends with the block.  With *loop*, a loop that does not run yet, everything that it
    runs inside the block is seen.

    Args:
        loop: the loop to attach to; the default is the running one.
        limit: keep this many records, the newest; :attr:`Trace.dropped` counts the
            others.  Without it every record is kept, in about 0.3 kB each, and the
            notes are read after the last callback.  With it they are read now and then
            between two iterations, which takes about a microsecond a callback.

    Raises:
        RuntimeError: on entering, if there is no loop, if it is closed, runs in another
            thread or is traced already.
        TypeError: on entering, if the loop has no ready queue that Python can see, as
            uvloop's has not.

    Introduced in the chapter *Keep the heartbeat on time*.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop | None = None,
        *,
        limit: int | None = None,
    ) -> None:
        if limit is not None and limit < 1:
            raise ValueError(f"limit is {limit}: give 1 or more, or None for no limit")
        self._wanted = loop
        self._limit = limit
        self._detach: Callable[[], Trace] | None = None
        self._trace: Trace | None = None

    @property
    def trace(self) -> Trace:
        """What was recorded.

        Raises:
            RuntimeError: before the end of the ``with`` block.
        """
        if self._trace is None:
            raise RuntimeError(
                "there is no trace yet: read tracer.trace after the with block"
            )
        return self._trace

    def __enter__(self) -> LoopTracer:
        if self._detach is not None:
            raise RuntimeError("this tracer is attached already: make another one")
        loop = self._find_loop()
        self._trace = None
        self._detach = _attach(loop, self._limit)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        detach, self._detach = self._detach, None
        if detach is not None:
            self._trace = detach()

    def _find_loop(self) -> Any:
        running = asyncio.events._get_running_loop()
        loop: Any = running if self._wanted is None else self._wanted
        if loop is None:
            raise RuntimeError(
                "no event loop is running here: use LoopTracer() inside a coroutine, "
                "or name the loop, as in LoopTracer(loop)"
            )
        if isinstance(getattr(loop, "_ready", None), _NotingQueue):
            raise RuntimeError(f"{loop!r} is traced already: one tracer at a time")
        if not isinstance(getattr(loop, "_ready", None), deque):
            kind = f"{type(loop).__module__}.{type(loop).__qualname__}"
            raise TypeError(
                f"a {kind} keeps its ready queue where Python cannot see it: trace on "
                "asyncio's own loop or on looplab.VirtualTimeLoop"
            )
        if loop.is_closed():
            raise RuntimeError(f"{loop!r} is closed: nothing will run on it")
        if loop.is_running() and loop is not running:
            raise RuntimeError(
                f"{loop!r} runs in another thread or is set aside: enter the tracer "
                "inside a coroutine of that loop"
            )
        return loop


class _NotingQueue(deque[asyncio.Handle]):
    """Marks the queues that stand in for a loop's own."""

    __slots__ = ()


def _attach(loop: Any, limit: int | None) -> Callable[[], Trace]:
    """Put a queue that keeps notes into *loop*; return what undoes it.

    The queue's methods run once for each callback, so they do as little as can be: they
    append to one flat list and read it only later.  They are made here, anew for each
    tracer, because a name of an enclosing function is looked up faster than an
    attribute.
    """
    virtual = isinstance(loop, _clock.VirtualTimeLoop)
    now, due_of = _clocks(loop)
    origin = now()
    reader = _Reader(origin, limit)
    read = reader.read_counted if virtual else reader.read_stamped
    if loop.is_running():
        task = asyncio.current_task(loop)
        if task is None:
            reader.already_running(origin, None, "(running when the trace began)")
        else:
            label = _coroutine_name(task.get_coro())
            reader.already_running(origin, task.get_name(), label)

    notes: list[Any] = []
    note = notes.append
    enough = None if limit is None else 10 * limit + 1000
    leave: Callable[[_Queue], asyncio.Handle] = deque.popleft
    size = deque.__len__
    # Functions in handles of this type take the short way.  None do if the virtual
    # clock moves with each callback, so that the length of the queue matters each time.
    plain: type[asyncio.Handle] | None = asyncio.Handle
    if virtual and loop._callback_cost_ns:
        plain = None
    own: _Queue = loop._ready

    def describe(handle: asyncio.Handle) -> _Begun:
        nonlocal plain
        about = _describe(handle)
        if about is None:
            return None
        if isinstance(handle, asyncio.TimerHandle):
            return about[0], about[1], due_of(handle)
        if plain is not None:
            plain = type(handle)
        return about

    def catch_up() -> None:
        seen = notes[:]
        del notes[: len(seen)]
        read(seen)

    if virtual:

        class Queue(_NotingQueue):
            __slots__ = ()

            def popleft(self) -> asyncio.Handle:
                handle = leave(self)
                callback = handle._callback  # type: ignore[attr-defined]
                note(loop._now_ns)
                if type(handle) is plain and type(callback) is FunctionType:
                    note(callback.__qualname__)
                else:
                    note(len(self))
                    note(describe(handle))
                return handle

            def __bool__(self) -> bool:
                length = len(self)
                notes.extend((loop._now_ns, length, _PAUSE))
                if enough is not None and len(notes) > enough:
                    catch_up()
                return length > 0

            def clear(self) -> None:
                while size(self):
                    leave(self)
                    notes.extend((loop._now_ns, len(self), None))

    else:

        class Queue(_NotingQueue):  # type: ignore[no-redef]
            __slots__ = ()

            def append(self, handle: asyncio.Handle, /) -> None:
                note(now())
                join(handle)

            def popleft(self) -> asyncio.Handle:
                handle = leave(self)
                callback = handle._callback  # type: ignore[attr-defined]
                if type(handle) is plain and type(callback) is FunctionType:
                    note(now())
                    note(callback.__qualname__)
                else:
                    about = describe(handle)
                    note(now())
                    note(about)
                return handle

            def __bool__(self) -> bool:
                while own:  # a thread had hold of the loop's own queue as we came
                    self.append(own.popleft())
                note(now())
                note(_PAUSE)
                if enough is not None and len(notes) > enough:
                    catch_up()
                return size(self) > 0

            def clear(self) -> None:
                while size(self):
                    leave(self)
                    note(now())
                    note(None)

    queue = Queue()
    join = super(Queue, queue).append
    # Another thread may add a callback at any moment.  So the queues are exchanged
    # first and emptied afterwards, and what was there before goes before what arrives.
    loop._ready = queue
    moved = [own.popleft() for _ in range(len(own))]
    queue.extendleft(reversed(moved))
    if not virtual:
        notes.extend([origin] * len(moved))
    if virtual:
        burn = loop.burn

        def noting_burn(seconds: float) -> None:
            burn(seconds)
            notes.extend((loop._now_ns, len(queue), _MOVED))

        loop.burn = noting_burn

    def detach() -> Trace:
        nonlocal join, leave
        if virtual:
            del loop.burn
        if loop._ready is not queue:
            raise RuntimeError(
                f"the ready queue of {loop!r} was replaced while it was traced: undo "
                "that before the tracer's with block ends"
            )
        end = now()
        if virtual:
            notes.extend((end, len(queue), _PAUSE))
        else:
            notes.extend((end, _PAUSE))
        # From here on the old queue passes on what a slow thread still puts into it,
        # and a loop that holds on to it for the rest of an iteration is served.
        join = own.append
        remaining = deque(queue)
        deque.clear(queue)
        own.extendleft(reversed(remaining))
        loop._ready = own
        leave = lambda _: own.popleft()  # noqa: E731
        read(notes)
        return Trace(
            reader.rows,
            end_ns=end - origin,
            clock="virtual" if virtual else "real",
            dropped=reader.count - len(reader.rows),
        )

    return detach


def _clocks(
    loop: Any,
) -> tuple[Callable[[], int], Callable[[asyncio.TimerHandle], int]]:
    """Return what tells the time, in nanoseconds, and when a timer is due by it."""
    if isinstance(loop, _clock.VirtualTimeLoop):

        def exact_due(timer: asyncio.TimerHandle) -> int:
            due: int | None = getattr(timer, "_due_ns", None)
            return round(timer.when() * _NS) if due is None else due

        return loop.time_ns, exact_due
    if type(loop).time is not asyncio.BaseEventLoop.time:
        # A loop with a clock of its own.
        return lambda: round(loop.time() * _NS), lambda timer: round(timer.when() * _NS)
    if time.get_clock_info("monotonic").resolution <= 1e-6:
        return time.monotonic_ns, lambda timer: round(timer.when() * _NS)
    # Windows: the loop's clock ticks every 16 ms, too coarse to time a callback with.
    ahead = time.perf_counter_ns() - time.monotonic_ns()
    return time.perf_counter_ns, lambda timer: round(timer.when() * _NS) + ahead


class _TracedCoroutine(Coroutine[Any, Any, T]):
    """A coroutine that is traced from its first step to its last.

    It is not a coroutine around the other one, so tracebacks, task labels and the
    errors of the virtual clock show the program as it is without a tracer.
    """

    def __init__(self, main: Coroutine[Any, Any, T], tracer: LoopTracer) -> None:
        self._main = main
        self._tracer = tracer
        self._attached = False
        self.__qualname__ = _coroutine_name(main)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._main, name)

    def __repr__(self) -> str:
        return repr(self._main)

    def _step(self, method: Callable[..., Any], *args: Any) -> Any:
        if not self._attached:
            self._attached = True
            self._tracer.__enter__()
        try:
            return method(*args)
        except BaseException:  # StopIteration, with the result, is one
            self._tracer.__exit__(None, None, None)
            raise

    def send(self, value: Any) -> Any:
        return self._step(self._main.send, value)

    def throw(self, *error: Any) -> Any:
        return self._step(self._main.throw, *error)

    def close(self) -> None:
        self._main.close()
        self._tracer.__exit__(None, None, None)

    def __await__(self) -> Any:
        raise RuntimeError("a traced coroutine runs as a task")


def record(
    main: Coroutine[Any, Any, T],
    *,
    clock: Clock = "virtual",
    limit: int | None = None,
    **settings: Any,
) -> Trace:
    """Run *main* and return the trace of it, from its first callback to its last.

    What *main* returned is the trace's ``result``.  If *main* raises, so does this.
    The clean-up after *main* has ended is not part of the trace.

    Args:
        main: a coroutine.
        clock: ``"virtual"`` runs it with :func:`looplab.run` and the times are exact;
            ``"real"`` runs it with :func:`looplab.run_real` and they are measured.
        limit: keep this many records, the newest; see :class:`LoopTracer`.
        settings: passed on to :func:`looplab.run` or :func:`looplab.run_real`.

    Raises:
        ValueError: if *clock* is neither.
        TypeError: if *main* is not a coroutine.

    Introduced in the chapter *Keep the heartbeat on time*.
    """
    if clock not in ("virtual", "real"):
        if asyncio.iscoroutine(main):
            main.close()
        raise ValueError(f'clock is {clock!r}: give "virtual" or "real"')
    if not asyncio.iscoroutine(main):
        name = getattr(main, "__name__", None)
        fix = f"call it: record({name}())" if name and callable(main) else "pass main()"
        raise TypeError(f"record() takes a coroutine, not {main!r:.60}: {fix}")
    try:
        tracer = LoopTracer(limit=limit)
    except (TypeError, ValueError):
        main.close()
        raise
    traced = _TracedCoroutine(main, tracer)
    runner: Callable[..., T] = _clock.run if clock == "virtual" else _clock.run_real
    result = runner(traced, **settings)
    trace = tracer.trace
    trace.result = result
    return trace
