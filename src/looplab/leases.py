"""A consumer that must renew the lease of each message while it computes.

A message bus hands out a message for a limited time, the *lease*.  Whoever works on the
message renews the lease while the work lasts; if a renewal comes too late, the bus
gives the message to somebody else and the work was for nothing.  On one thread the
renewals and the work wait for each other, so the order in which the thread serves them
decides how many messages are lost (chapter 7).

>>> from looplab.leases import LeaseSettings, consume
>>> consume(LeaseSettings(messages=3, cpu=0.1))
<LeaseRun 3 processed, 0 lost in 23.35 s, first come first served>

The consumer
------------
* *Receiving*: wait ``receive`` seconds, take a message, start the two tasks below,
  repeat until no message is left.
* *Keeping the lease*, while the message is not finished: wait ``refresh_every``.  If
  the last refresh is more than ``lease`` ago, the message is lost.  Else wait
  ``refresh`` and note the time: the lease is renewed.
* *Processing*: ``rounds`` times compute for ``cpu`` and wait for ``io``, and stop early
  if the message is lost.

:func:`consume` runs it on the virtual clock, where it is exact, and takes the scheduler
as an argument: the plain event loop, a model of a thread pool, or anything of
:mod:`looplab.priority`.

The module uses the standard library only.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from statistics import median
from types import MappingProxyType
from typing import Any, Literal, Protocol

from looplab import clock as _clock
from looplab.phases import Spread
from looplab.priority import (
    ByDeadline,
    ByPriority,
    PriorityEventLoop,
    PriorityProtocol,
    VirtualPriorityLoop,
)
from looplab.priority.context import DEADLINE, check_priority, context_with
from looplab.timeline import Timeline
from looplab.trace import Record, Trace

__all__ = [
    "EXPERIMENTS",
    "Experiment",
    "LeaseCheck",
    "LeaseRun",
    "LeaseRuns",
    "LeaseSettings",
    "MessageRecord",
    "ThreadPool",
    "consume",
    "consume_many",
]

_NS = 1_000_000_000
Clock = Literal["virtual", "real"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseSettings:
    """What the consumer has to do.  All times are in seconds.

    The defaults are the published settings with one second of CPU a round.

    Args:
        messages: how many messages there are.
        rounds: how many rounds of computing and waiting each needs.
        cpu: what a round computes.
        io: what a round waits.
        receive: what it takes to receive a message.
        refresh_every: the wait between a refresh and the next check of the lease.
        refresh: what the call that renews the lease takes.
        lease: a lease older than this at the check is lost.
        limit: how many messages may be held at once; ``None`` for any number.
        lease_priority: priority of keeping a lease, the greater the more urgent.
        work_priority: priority of processing.
        receive_priority: priority of receiving.
        work_deadline: seconds from the receipt of a message to the deadline of its
            processing; ``None`` for none.  Only a scheduler that serves the earliest
            deadline first looks at it.  The deadline of a lease is its end.

    Raises:
        TypeError: a value is not a number, or not a whole one where it must be.
        ValueError: a value is negative, infinite or not a number; a count is below 1.

    Introduced in the chapter *Put the lease first*.
    """

    messages: int = 100
    rounds: int = 20
    cpu: float = 1.0
    io: float = 1.0
    receive: float = 0.25
    refresh_every: float = 2.0
    refresh: float = 0.25
    lease: float = 5.0
    limit: int | None = None
    lease_priority: int = 3
    work_priority: int = 2
    receive_priority: int = 1
    work_deadline: float | None = None

    def __post_init__(self) -> None:
        for what in ("messages", "rounds"):
            _check_count(getattr(self, what), what)
        if self.limit is not None:
            _check_count(self.limit, "limit", ", or None for any number")
        for what in _TIMES:
            _check_time(getattr(self, what), what)
        if self.work_deadline is not None:
            _check_time(self.work_deadline, "work_deadline")
        if not self.refresh_every + self.refresh:
            raise ValueError(
                "refresh_every and refresh are both 0 s: the lease would be checked "
                "for ever at one instant; give one of them a time"
            )
        for what in ("lease_priority", "work_priority", "receive_priority"):
            check_priority(getattr(self, what), what)

    @property
    def floor(self) -> float:
        """Seconds of CPU that all messages need: one thread cannot be faster."""
        return self.messages * self.rounds * self.cpu

    def scaled(self, factor: float) -> LeaseSettings:
        """Return the same settings with every time multiplied by *factor*.

        Raises:
            ValueError: *factor* is not above 0 or not finite.
        """
        if not 0 < factor < math.inf:
            raise ValueError(f"factor is {factor}: give a finite number above 0")
        times = {what: getattr(self, what) * factor for what in _TIMES}
        if self.work_deadline is not None:
            times["work_deadline"] = self.work_deadline * factor
        return replace(self, **times)


_TIMES = ("cpu", "io", "receive", "refresh_every", "refresh", "lease")


def _check_count(value: object, what: str, more: str = "") -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(
            f"{what} is {value!r}, a {type(value).__name__}: give a whole number{more}"
        )
    if value < 1:
        raise ValueError(f"{what} is {value}: give 1 or more{more}")


def _check_time(value: object, what: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(
            f"{what} is {value!r}, a {type(value).__name__}: give a number of seconds"
        )
    if not 0 <= value < math.inf:
        raise ValueError(
            f"{what} is {value} s: give a finite number of seconds, 0 or more"
        )


# -- the result ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LeaseCheck:
    """One check of a lease.  Times are in seconds from the start of the run.

    Attributes:
        due_at: when the wait before the check should have ended.
        ran_at: when the check ran.
        age: how long ago the lease had been renewed last.
    """

    due_at: float
    ran_at: float
    age: float

    @property
    def lateness(self) -> float:
        """Seconds from due to run."""
        return self.ran_at - self.due_at


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """What became of one message.  Times are in seconds from the start of the run.

    Attributes:
        number: its place in the order of receipt, from 0.
        received_at: when it was received.
        ended_at: when its processing ended, with its last round or because it was lost.
        lost_at: when a check found its lease too old; ``None`` if none did.
        rounds: how many rounds of its work were computed.
        checks: the checks of its lease.
    """

    number: int
    received_at: float
    ended_at: float
    lost_at: float | None
    rounds: int
    checks: tuple[LeaseCheck, ...]

    @property
    def lost(self) -> bool:
        """Whether its lease ran out."""
        return self.lost_at is not None

    @property
    def seconds(self) -> float:
        """Seconds from its receipt to the end of its processing."""
        return self.ended_at - self.received_at


@dataclass(frozen=True)
class LeaseRun:
    """What one run of the consumer did.  Times are in seconds.

    Attributes:
        settings: what it had to do.
        scheduler: the name of what decided the order.
        messages: one record for each message, in the order of receipt.
        makespan: from the start until everything had ended, the last lease too.
        held: how many messages were held at once, at most.
        yields: how often a task gave its turn back, if the scheduler counts that.
        refresh_lateness: for each timer of a lease that ended, how late its task ran:
            run at - due at.
        threads: how many threads a modelled pool had at the end.
        clock: ``"virtual"`` if the times are exact, ``"real"`` if they are measured.
        jitter: by how much timers could fire late.
        seed: of the jitter.
    """

    settings: LeaseSettings
    scheduler: str
    messages: tuple[MessageRecord, ...]
    makespan: float
    held: int
    yields: int | None = None
    refresh_lateness: tuple[float, ...] = field(default=(), repr=False)
    threads: int | None = None
    clock: Clock = "virtual"
    jitter: float = 0.0
    seed: int = 0
    _rows: tuple[tuple[Any, ...], ...] | None = field(
        default=None, repr=False, compare=False
    )

    @property
    def processed(self) -> int:
        """How many messages were finished under a lease."""
        return len(self.messages) - self.lost

    @property
    def lost(self) -> int:
        """How many messages lost their lease."""
        return sum(message.lost for message in self.messages)

    @property
    def floor(self) -> float:
        """Seconds of CPU that all messages need: one thread cannot be faster."""
        return self.settings.floor

    @property
    def stretch(self) -> float:
        """The makespan as a multiple of the floor; infinite if the floor is 0."""
        return self.makespan / self.floor if self.floor else math.inf

    @property
    def lease_ages(self) -> tuple[float, ...]:
        """Seconds since the last renewal, for each check, in the order of messages."""
        return tuple(check.age for one in self.messages for check in one.checks)

    @property
    def oldest_lease(self) -> float:
        """The greatest age of a lease at a check; 0 if none was checked."""
        return max(self.lease_ages, default=0.0)

    @property
    def worst_lateness(self) -> float:
        """The worst lateness of a refresh: how long a lease waited for the thread."""
        return max(self.refresh_lateness, default=0.0)

    @property
    def times(self) -> tuple[float, ...]:
        """Seconds that each processed message took, from receipt to its last round."""
        return tuple(one.seconds for one in self.messages if not one.lost)

    @cached_property
    def trace(self) -> Trace:
        """The turns of the consumer's tasks, as records of a trace.

        Each record is one turn: from the moment a task has the thread to its next wait.
        Its due time is when the wait before it should have ended.  The loop's own
        callbacks are not among them.

        Raises:
            ValueError: the run kept no trace, or threads ran side by side.
        """
        if self.threads is not None:
            raise ValueError(
                "a trace is the work of one thread, and this run had up to "
                f"{self.threads}: run the consumer on a loop"
            )
        if self._rows is None:
            raise ValueError("this run kept no trace: give consume() trace=True")
        return Trace(
            (Record(*row) for row in self._rows),
            end_ns=round(self.makespan * _NS),
            clock=self.clock,
        )

    def timeline(self, **settings: Any) -> Timeline:
        """Return the run as a picture.

        Args:
            settings: passed on to :class:`looplab.Timeline`: ``start``, ``end``, …

        Raises:
            ValueError: see :attr:`trace` and :class:`looplab.Timeline`.
        """
        settings.setdefault("roles", {"lease": "heartbeat", "receive": "leases"})
        return Timeline(self.trace, **settings)

    def _facts(self) -> list[tuple[str, str]]:
        how = "exact" if self.clock == "virtual" else "measured"
        facts = [
            ("scheduler", self.scheduler),
            ("processed", f"{self.processed:,}"),
            ("lost", f"{self.lost:,}"),
            ("makespan", f"{_seconds(self.makespan)} ({how})"),
            ("floor, if none is lost", f"{_seconds(self.floor)} of CPU"),
        ]
        if self.times:
            facts.append(("a processed message", _range(self.times)))
        facts.append(("messages held at once", f"up to {self.held:,}"))
        if self.lease_ages:
            facts.append(("oldest lease at a check", _seconds(self.oldest_lease)))
        facts.append(("worst refresh lateness", _seconds(self.worst_lateness)))
        if self.yields is not None:
            facts.append(("yields", f"{self.yields:,}"))
        if self.threads is not None:
            facts.append(("threads", f"up to {self.threads:,}"))
        return facts

    def table(self) -> str:
        """Return the figures as text: a line for each, for a terminal.

        A notebook shows the same as a table of its own when a run is the last value of
        a cell; ``str()`` and ``repr()`` are one line.
        """
        return aligned(self._facts(), str.ljust)

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} {self.processed} processed, {self.lost} lost "
            f"in {_seconds(self.makespan)}, {self.scheduler}>"
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr><th scope="row">{escape(name)}</th><td>{escape(text)}</td></tr>'
            for name, text in self._facts()
        )
        return f'<table class="looplab-leases"><tbody>{rows}</tbody></table>'


def _seconds(value: float) -> str:
    """A time to the millisecond, without zeros at the end."""
    return f"{value:,.3f}".rstrip("0").rstrip(".") + " s"


def _range(values: tuple[float, ...]) -> str:
    low, middle, high = min(values), median(values), max(values)
    return f"{_seconds(low)} to {_seconds(high)}, median {_seconds(middle)}"


def aligned(
    rows: Sequence[Sequence[str]], across: Callable[[str, int], str] = str.rjust
) -> str:
    """Return rows as text: the first column to the left, the others by *across*."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0])]
            + [
                across(cell, width)
                for cell, width in zip(row[1:], widths[1:], strict=True)
            ]
        ).rstrip()
        for row in rows
    )


@dataclass(frozen=True)
class LeaseRuns:
    """The same experiment over many jitters: what is luck, and what is not.

    A sequence of :class:`LeaseRun`, with the spread of their figures.
    """

    runs: tuple[LeaseRun, ...]

    def __len__(self) -> int:
        return len(self.runs)

    def __iter__(self) -> Iterator[LeaseRun]:
        return iter(self.runs)

    def __getitem__(self, index: int) -> LeaseRun:
        return self.runs[index]

    def spread(self, figure: Callable[[LeaseRun], float]) -> Spread:
        """Return the spread of any figure of the runs."""
        count = len(self.runs)
        return Spread(
            (index / count for index in range(count)),
            (figure(run) for run in self.runs),
        )

    @property
    def lost(self) -> Spread:
        """How many messages lost their lease."""
        return self.spread(lambda run: run.lost)

    @property
    def makespan(self) -> Spread:
        """Seconds until everything had ended."""
        return self.spread(lambda run: run.makespan)

    @property
    def worst_lateness(self) -> Spread:
        """Seconds by which the latest refresh was late."""
        return self.spread(lambda run: run.worst_lateness)

    @property
    def held(self) -> Spread:
        """Messages held at once, at most."""
        return self.spread(lambda run: run.held)

    def _table(self) -> list[tuple[str, str, str, str]]:
        rows = [(f"{len(self)} runs", "least", "median", "most")]
        for name, spread, form in (
            ("lost", self.lost, ",.9g"),
            ("makespan, s", self.makespan, ",.3f"),
            ("worst refresh lateness, s", self.worst_lateness, ".3f"),
            ("messages held at once", self.held, ",.9g"),
        ):
            low, middle, high = spread.min, spread.median, spread.max
            rows.append(
                (name, format(low, form), format(middle, form), format(high, form))
            )
        return rows

    def table(self) -> str:
        """Return the spread of the figures as text, for a terminal.

        See :meth:`LeaseRun.table`.
        """
        return aligned(self._table())

    def __repr__(self) -> str:
        lost = self.lost
        name = self.runs[0].scheduler
        return (
            f"<{type(self).__name__} lost {lost.min:g} to {lost.max:g}, median "
            f"{lost.median:g} of {len(self.runs[0].messages)} in {len(self)} runs, "
            f"{name}>"
        )

    def _repr_html_(self) -> str:
        titles, *table = self._table()
        head = "".join(f'<th scope="col">{name}</th>' for name in titles)
        rows = "".join(
            f'<tr><th scope="row">{escape(name)}</th>'
            + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            + "</tr>"
            for name, *cells in table
        )
        return (
            f'<table class="looplab-leases"><thead><tr>{head}</tr></thead>'
            f"<tbody>{rows}</tbody></table>"
        )


# -- schedulers ----------------------------------------------------------------------


class _Turns(Protocol):
    """What the consumer asks before each piece of its work."""

    async def turn(self, priority: int | None = None) -> None: ...


@dataclass(frozen=True, slots=True)
class ThreadPool:
    """A model of a thread pool in which "computing" is a thread that sleeps.

    Such threads never compete for a core, so a pool of a hundred computes a hundred
    times as fast as one thread.  Whatever goes on after a wait needs a thread, first
    come first served, and keeps it until its next wait.

    Args:
        threads: how many threads there are at the start; ``None`` for any number.
        grow_every: seconds after which one more thread is made, if work waits for one;
            ``None`` for never.

    Raises:
        TypeError: a value is not a number.
        ValueError: *threads* is below 1, or *grow_every* is not above 0, or the pool
            has any number of threads already and cannot grow.

    Introduced in the chapter *Put the lease first*.
    """

    threads: int | None = None
    grow_every: float | None = None

    def __post_init__(self) -> None:
        if self.threads is not None:
            _check_count(self.threads, "threads", ", or None for any number")
        if self.grow_every is not None:
            _check_time(self.grow_every, "grow_every")
            if not self.grow_every:
                raise ValueError("grow_every is 0 s: give a time above 0, or None")
            if self.threads is None:
                raise ValueError(
                    "a pool of any number of threads cannot grow: give the threads "
                    "that it starts with, or leave grow_every out"
                )

    @property
    def name(self) -> str:
        """What it is, in words."""
        if self.threads is None:
            return "a pool of any number of threads"
        if self.grow_every is None:
            return f"a pool of {_threads(self.threads)}"
        return (
            f"a pool of {_threads(self.threads)} and one more every "
            f"{self.grow_every:g} s"
        )


def _threads(count: int) -> str:
    return "1 thread" if count == 1 else f"{count:,} threads"


class _OneThread:
    """The tasks share the thread of the loop; *turns*, if any, says who is next."""

    threads: int | None = None

    def __init__(self, turns: _Turns | None) -> None:
        self._turns = turns

    async def enter(self, priority: int) -> None:
        if self._turns is not None:
            await self._turns.turn(priority)

    async def compute(self, seconds: float) -> None:
        _clock.burn(seconds)

    def leave(self) -> None:
        pass


class _Pool:
    """The tasks share a pool of threads that are modelled."""

    def __init__(self, pool: ThreadPool) -> None:
        self._size: float = math.inf if pool.threads is None else pool.threads
        self._grow_every = pool.grow_every
        self._busy = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._growing = False
        self.threads = 0  # the most that were busy at once

    async def enter(self, priority: int) -> None:
        if self._busy < self._size:
            self._take()
            return
        loop = asyncio.get_running_loop()
        thread = loop.create_future()
        self._waiting.append(thread)
        if not self._growing and self._grow_every is not None:
            self._growing = True
            loop.call_later(self._grow_every, self._grow)
        await thread

    def _take(self) -> None:
        self._busy += 1
        self.threads = max(self.threads, self._busy)

    def _grow(self) -> None:
        self._growing = False
        if not self._waiting:
            return
        self._size += 1
        self._hand_over()
        if self._waiting:
            assert self._grow_every is not None
            self._growing = True
            asyncio.get_running_loop().call_later(self._grow_every, self._grow)

    async def compute(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def leave(self) -> None:
        self._busy -= 1
        self._hand_over()

    def _hand_over(self) -> None:
        while self._waiting and self._busy < self._size:
            self._take()
            self._waiting.popleft().set_result(None)


# -- the consumer --------------------------------------------------------------------


class _Message:
    __slots__ = (
        "checks", "ended_at", "finished", "lost_at", "number", "received_at", "rounds"
    )  # fmt: skip

    def __init__(self, number: int, received_at: float) -> None:
        self.number = number
        self.received_at = received_at
        self.ended_at = received_at
        self.lost_at: float | None = None
        self.finished = False
        self.rounds = 0
        self.checks: list[LeaseCheck] = []


class _Consumer:
    def __init__(
        self, settings: LeaseSettings, machine: _OneThread | _Pool, trace: bool
    ) -> None:
        self._settings = settings
        self._machine = machine
        self._messages: list[_Message] = []
        self._lateness: list[float] = []
        self._held = self._most_held = 0
        self._room: asyncio.Future[None] | None = None
        self._rows: list[tuple[Any, ...]] | None = [] if trace else None

    async def run(self) -> float:
        """Consume all messages and return the seconds that it took."""
        settings = self._settings
        loop = asyncio.get_running_loop()
        self._now = _clock.elapsed
        _clock.elapsed()
        async with asyncio.TaskGroup() as self._tasks:
            self._start(self._receive(), "receive", settings.receive_priority)
        del self._tasks, loop
        return _clock.elapsed()

    def _start(
        self,
        work: Coroutine[Any, Any, None],
        name: str,
        priority: int,
        deadline: float = math.inf,
    ) -> None:
        context = context_with(priority, deadline)
        self._tasks.create_task(work, name=name, context=context)

    def _note(self, due: float | None, ran: float, task: str, label: str) -> None:
        if self._rows is not None:
            due_ns = None if due is None else round(due * _NS)
            ran_ns, ended_ns = round(ran * _NS), round(self._now() * _NS)
            ready_ns = ran_ns if due_ns is None else min(due_ns, ran_ns)
            self._rows.append((ready_ns, due_ns, ran_ns, ended_ns, task, label))

    async def _receive(self) -> None:
        settings, machine = self._settings, self._machine
        for number in range(settings.messages):
            if settings.limit is not None and self._held >= settings.limit:
                self._room = asyncio.get_running_loop().create_future()
                await self._room
            due = self._now() + settings.receive
            await asyncio.sleep(settings.receive)
            await machine.enter(settings.receive_priority)
            now = self._now()
            message = _Message(number, now)
            self._messages.append(message)
            self._held += 1
            self._most_held = max(self._most_held, self._held)
            self._start(
                self._keep_lease(message),
                f"lease-{number}",
                settings.lease_priority,
                now + settings.lease,
            )
            self._start(
                self._process(message),
                f"message-{number}",
                settings.work_priority,
                math.inf
                if settings.work_deadline is None
                else now + settings.work_deadline,
            )
            self._note(due, now, "receive", "receive")
            machine.leave()

    async def _keep_lease(self, message: _Message) -> None:
        settings = self._settings
        refreshed = message.received_at
        name = f"lease-{message.number}"
        while not message.finished:
            due, now = await self._wait_for_lease(settings.refresh_every)
            age = now - refreshed
            message.checks.append(LeaseCheck(due, now, age))
            self._note(due, now, name, "keep_lease")
            self._machine.leave()
            # Whole nanoseconds, as the clock has them: 0.3 is not 0.1 + 0.2.
            if round(age * _NS) > round(settings.lease * _NS):
                message.lost_at = now
                break
            due, refreshed = await self._wait_for_lease(settings.refresh)
            DEADLINE.set(refreshed + settings.lease)
            self._note(due, refreshed, name, "keep_lease")
            self._machine.leave()
        self._held -= 1
        if self._room is not None and not self._room.done():
            self._room.set_result(None)

    async def _wait_for_lease(self, seconds: float) -> tuple[float, float]:
        due = self._now() + seconds
        await asyncio.sleep(seconds)
        await self._machine.enter(self._settings.lease_priority)
        now = self._now()
        self._lateness.append(now - due)
        return due, now

    async def _process(self, message: _Message) -> None:
        settings, machine = self._settings, self._machine
        name = f"message-{message.number}"
        due: float | None = None
        await machine.enter(settings.work_priority)
        for _ in range(settings.rounds):
            ran = self._now()
            await machine.compute(settings.cpu)
            message.rounds += 1
            self._note(due, ran, name, "process")
            machine.leave()
            due = self._now() + settings.io
            await asyncio.sleep(settings.io)
            await machine.enter(settings.work_priority)
            if message.lost_at is not None:
                break
        message.finished = True
        message.ended_at = self._now()
        self._note(due, message.ended_at, name, "process")
        machine.leave()

    def records(self) -> tuple[MessageRecord, ...]:
        return tuple(
            MessageRecord(
                one.number,
                one.received_at,
                one.ended_at,
                one.lost_at,
                one.rounds,
                tuple(one.checks),
            )
            for one in self._messages
        )


def consume(
    settings: LeaseSettings | None = None,
    scheduler: Any = None,
    *,
    jitter: float = 0.0,
    seed: int = 0,
    callback_cost: float = 0.0,
    clock: Clock = "virtual",
    trace: bool = False,
) -> LeaseRun:
    """Run the consumer and return what became of its messages.

    Args:
        settings: what there is to do; the published settings if not given.
        scheduler: what decides who has the thread next:

            * ``None``: the loop's own order, first come first served;
            * a :class:`ThreadPool`: threads, modelled;
            * a ``PriorityProtocol`` or a ``PriorityGate``;
            * ``ByPriority`` or ``ByDeadline``: the policy of a priority loop; the class
              ``PriorityEventLoop`` stands for ``ByPriority()``.

        jitter: seconds; every timer fires late by a random time from 0 to this.
        seed: seeds the jitter: the same seed gives the same run.
        callback_cost: seconds of CPU charged for every callback of the loop.
        clock: ``"virtual"``: exact, in a moment; ``"real"``: measured, in real time, on
            a loop in a thread of its own, where computing is a busy loop.
        trace: keep what :attr:`LeaseRun.trace` and :meth:`LeaseRun.timeline` show.

    Raises:
        TypeError: *scheduler* or *settings* is something else.
        ValueError: *clock* is neither, or a real clock is asked for jitter, for a
            callback cost or for a modelled pool.
        TimeValueError: a time is negative, infinite or not a number.

    Introduced in the chapter *Put the lease first*.
    """
    if settings is None:
        settings = LeaseSettings()
    if not isinstance(settings, LeaseSettings):
        raise TypeError(
            f"consume() takes LeaseSettings, not {type(settings).__name__}: write "
            "LeaseSettings(cpu=0.1)"
        )
    if clock not in ("virtual", "real"):
        raise ValueError(f'clock is {clock!r}: give "virtual" or "real"')
    if scheduler is PriorityEventLoop or scheduler is VirtualPriorityLoop:
        scheduler = ByPriority()
    elif isinstance(scheduler, type):
        scheduler = scheduler()
    if clock == "real":
        for what, value in ("jitter", jitter), ("callback_cost", callback_cost):
            if value:
                raise ValueError(
                    f"{what} is {value} s: a real clock has its own, so leave it out"
                )
        if isinstance(scheduler, ThreadPool):
            raise ValueError(
                "a ThreadPool is a model for the virtual clock: leave clock out"
            )
    name, machine, new_loop = _resolve(scheduler, clock, jitter, seed, callback_cost)
    yields_before = getattr(scheduler, "yields", None)
    consumer = _Consumer(settings, machine, trace)
    if clock == "real":
        makespan = _clock.run_real(consumer.run(), loop_factory=new_loop)
    else:
        makespan = _run_on(new_loop, consumer.run())
    yields = None
    if yields_before is not None:
        yields = scheduler.yields - yields_before
    return LeaseRun(
        settings=settings,
        scheduler=name,
        messages=consumer.records(),
        makespan=makespan,
        held=consumer._most_held,
        yields=yields,
        refresh_lateness=tuple(consumer._lateness),
        threads=machine.threads,
        clock=clock,
        jitter=jitter,
        seed=seed,
        _rows=None if consumer._rows is None else tuple(consumer._rows),
    )


def _run_on(
    new_loop: Callable[[], asyncio.AbstractEventLoop] | None,
    main: Coroutine[Any, Any, float],
) -> float:
    with (
        _clock._running_loop_set_aside(),
        asyncio.Runner(loop_factory=new_loop) as runner,
    ):
        return runner.run(main)


def _resolve(
    scheduler: Any, clock: Clock, jitter: float, seed: int, callback_cost: float
) -> tuple[
    str,
    _OneThread | _Pool,
    Callable[[], asyncio.AbstractEventLoop] | None,
]:
    """Return the scheduler's name, what the tasks ask for the thread, and the loop."""

    def virtual_loop() -> _clock.VirtualTimeLoop:
        return _clock.VirtualTimeLoop(
            jitter=jitter, seed=seed, callback_cost=callback_cost
        )

    stock = virtual_loop if clock == "virtual" else None
    if scheduler is None:
        return "first come first served", _OneThread(None), stock
    if isinstance(scheduler, ThreadPool):
        return scheduler.name, _Pool(scheduler), virtual_loop
    if isinstance(scheduler, (ByPriority, ByDeadline)):

        def priority_loop() -> asyncio.AbstractEventLoop:
            if clock == "real":
                return PriorityEventLoop(scheduler)
            return VirtualPriorityLoop(
                scheduler, jitter=jitter, seed=seed, callback_cost=callback_cost
            )

        return scheduler.name, _OneThread(None), priority_loop
    if callable(getattr(scheduler, "turn", None)):
        return _name_of(scheduler), _OneThread(scheduler), stock
    raise TypeError(
        f"{scheduler!r:.60} is no scheduler: give None, a ThreadPool, or an object of "
        "looplab.priority"
    )


def _name_of(scheduler: Any) -> str:
    name = getattr(scheduler, "name", None)
    return name if isinstance(name, str) else type(scheduler).__name__


def consume_many(
    settings: LeaseSettings | None = None,
    scheduler: Any = None,
    *,
    runs: int = 20,
    jitter: float = 0.001,
    seed: int = 0,
    callback_cost: float = 0.0,
) -> LeaseRuns:
    """Run the consumer *runs* times, each with another jitter, and return the runs.

    An exact run is exact for one set-up.  Where timers fall on round numbers, two of
    them can meet by coincidence; the spread over jitter shows how much of an answer is
    that.  The jitter is seeded, so the spread is as exact as a single run.

    Args:
        settings: what there is to do; the published settings if not given.
        scheduler: see :func:`consume`.
        runs: how many runs, 1 or more.
        jitter: seconds; every timer fires late by a random time from 0 to this.
        seed: seeds the seeds of the runs.
        callback_cost: seconds of CPU charged for every callback of the loop.

    Raises:
        TypeError: *runs* is not a whole number; or see :func:`consume`.
        ValueError: *runs* is below 1; or see :func:`consume`.

    Introduced in the chapter *Put the lease first*.
    """
    _check_count(runs, "runs")
    seeds = random.Random(seed)
    return LeaseRuns(
        tuple(
            consume(
                settings,
                scheduler,
                jitter=jitter,
                seed=seeds.getrandbits(64),
                callback_cost=callback_cost,
            )
            for _ in range(runs)
        )
    )


# -- the published experiments -------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Experiment:
    """One of the published experiments: its settings and its scheduler."""

    id: str
    title: str
    settings: LeaseSettings
    scheduler: Any = None

    def run(self, scheduler: Any = ..., **options: Any) -> LeaseRun:
        """Run it once; with another *scheduler*, if one is given.

        Args:
            scheduler: see :func:`consume`; the experiment's own if not given.
            options: passed on to :func:`consume`.
        """
        chosen = self.scheduler if scheduler is ... else scheduler
        return consume(self.settings, chosen, **options)

    def run_many(self, scheduler: Any = ..., **options: Any) -> LeaseRuns:
        """Run it over many jitters; with another *scheduler*, if one is given.

        Args:
            scheduler: see :func:`consume`; the experiment's own if not given.
            options: passed on to :func:`consume_many`.
        """
        chosen = self.scheduler if scheduler is ... else scheduler
        return consume_many(self.settings, chosen, **options)


#: The published experiments by id.  E1 and E2 have a pool that grows, as theirs did.
EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType(
    {
        one.id: one
        for one in (
            Experiment(
                "E1",
                "a thread pool, little CPU",
                LeaseSettings(cpu=0.1),
                ThreadPool(4, grow_every=2),
            ),
            Experiment(
                "E2",
                "a thread pool, much CPU",
                LeaseSettings(cpu=1.0),
                ThreadPool(4, grow_every=2),
            ),
            Experiment("E3", "one thread, little CPU", LeaseSettings(cpu=0.1)),
            Experiment("E4", "one thread, much CPU", LeaseSettings(cpu=1.0)),
            Experiment(
                "E5",
                "one thread, much CPU, with priorities",
                LeaseSettings(cpu=1.0),
                PriorityProtocol,
            ),
        )
    }
)
