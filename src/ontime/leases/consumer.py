"""The consumer of messages under leases: three functions that share a thread.

* *Receiving*: yield, wait ``receive`` seconds, take a message if there is one, start
  the two tasks below, repeat, also after the last message.
* *Keeping the lease*, while the message is not finished: wait ``refresh_every``.  If
  the lease has run out, the message is lost.  Else wait ``refresh`` and renew it.
* *Processing*: ``rounds`` times compute for ``cpu`` and wait for ``io``, and stop early
  if the message is lost.

In the published program each of the three begins with a bare yield.  Where a task is
made, ``create_task()`` is that yield: both put the rest at the end of the queue.
Receiving is awaited, so there the yield has to be written.  After it, and after each
wait, a task asks for its turn, if there is anybody to ask.

Where messages come from is a :class:`Source`.
"""

from __future__ import annotations

import asyncio
import math
import sys
from collections import deque
from collections.abc import Awaitable, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from looplab._numbers import NS
from looplab.clock import elapsed
from looplab.priority import priority
from looplab.priority.context import DEADLINE, context_with
from ontime.leases.schedulers import Machine

__all__ = ["Consumer", "LeaseCheck", "LeaseSettings", "MessageRecord", "Source"]

T = TypeVar("T")
_LEASE, _WORK = 3, 2  # priorities
_TIMES = ("cpu", "io", "receive", "refresh_every", "refresh", "lease")


class LeaseCheck(NamedTuple):
    """One check of a lease, in seconds.

    Attributes:
        lateness: of the check: run at - due at.
        age: how long ago the lease had been renewed last.
    """

    lateness: float
    age: float


@dataclass(slots=True)
class MessageRecord:
    """What became of one message.  Times are in seconds from the start of the run.

    The consumer writes it while it runs; what has not happened yet is not a number.

    Attributes:
        received_at: when it was received.
        token: what its source knows it by: of a real bus, the
            :class:`~ontime.bus.Delivery`.
        ended_at: when its processing ended, with its last round or because it was lost.
        closed_at: when the task that keeps its lease ended: it noticed that the work
            was done, or that the lease had run out.
        lost_at: when its lease was found to have run out; ``None`` if it never was.
        outcome: of its processing: ``"done"``, ``"lost"``, or ``"stopped"`` if the run
            ended first.
        rounds: how many rounds of its work were computed.
        checks: the checks of its lease.
        renewals: when its lease was renewed.
    """

    received_at: float
    token: Any = field(repr=False)
    ended_at: float = math.nan
    closed_at: float = math.nan
    lost_at: float | None = None
    outcome: str | None = None
    rounds: int = 0
    checks: list[LeaseCheck] = field(default_factory=list, repr=False)
    renewals: list[float] = field(default_factory=list, repr=False)

    @property
    def lost(self) -> bool:
        """Whether its lease was found to have run out."""
        return self.lost_at is not None

    @property
    def renewed_at(self) -> float:
        """When its lease began to run."""
        return self.renewals[-1] if self.renewals else self.received_at

    @property
    def seconds(self) -> float:
        """Seconds from its receipt to the end of its processing."""
        return self.ended_at - self.received_at


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
        receive_priority: priority of receiving.  Processing has 2, keeping a lease 3.
        work_deadline: seconds from the receipt of a message to the deadline of its
            processing; ``None`` for none.  Only a scheduler that serves the earliest
            deadline first looks at it.  The deadline of a lease is its end.

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
    receive_priority: int = 1
    work_deadline: float | None = None

    @property
    def floor(self) -> float:
        """Seconds of CPU that all messages need; one thread cannot be faster."""
        return self.messages * self.rounds * self.cpu

    def scaled(self, factor: float) -> LeaseSettings:
        """Return the same settings with every wait and the lease times *factor*."""
        return replace(self, **{name: getattr(self, name) * factor for name in _TIMES})


class Source:
    """Where messages come from: so many of them, and leases that are a comparison.

    :mod:`ontime.bus` has one whose calls go to a real bus.

    Attributes:
        remote: whether its calls are answered from elsewhere, so that a task asks for
            its turn after each, and the source decides whether a lease has run out.
    """

    remote = False

    def __init__(self, settings: LeaseSettings) -> None:
        self._waiting = deque(range(settings.messages))
        self._lease_ns = round(settings.lease * NS)

    async def receive(self) -> tuple[Any, str] | None:
        """Return the next message and a label for it, or ``None``."""
        if not self._waiting:
            return None
        number = self._waiting.popleft()
        return number, str(number)

    async def empty(self) -> bool:
        """Whether there is nothing left to receive."""
        return not self._waiting

    def holds(self, message: MessageRecord) -> bool:
        """Whether its lease has not run out, as far as is known here."""
        # Whole nanoseconds, as the clock has them: 0.3 is not 0.1 + 0.2.
        return round(message.checks[-1].age * NS) <= self._lease_ns

    async def refresh(self, message: MessageRecord) -> bool:
        """Renew its lease; return whether it had not run out."""
        return True

    async def acknowledge(self, message: MessageRecord) -> bool:
        """Say that it is done; return whether it still was this consumer's."""
        return True


@dataclass(eq=False)
class Consumer:
    """One run of the consumer.

    Args:
        settings: what there is to do.
        machine: what the tasks ask for the thread.
        source: where the messages come from.
        receivers: how many tasks receive.
        most_rounds: the run ends when it has computed so many rounds.
    """

    settings: LeaseSettings
    machine: Machine
    source: Source
    receivers: int = 1
    most_rounds: float = math.inf

    def __post_init__(self) -> None:
        #: In the order of receipt.
        self.messages: list[MessageRecord] = []
        self._worst_lateness = 0.0  # after a wait of a lease's task
        self._most_held = 0
        self._rounds = 0
        self._held = 0
        self._kept = 0  # leases whose task has not ended
        limit = self.settings.limit
        self._places = asyncio.Semaphore(sys.maxsize if limit is None else limit)

    async def run(self) -> float:
        """Consume until there is nothing left, and return the seconds that it took."""
        self._began = elapsed()
        async with asyncio.TaskGroup() as self._tasks:
            for number in range(self.receivers):
                name = "receive" if self.receivers == 1 else f"receive-{number}"
                self._start(self._receive(), name, self.settings.receive_priority)
        return self._now()

    @property
    def facts(self) -> dict[str, Any]:
        """What a :class:`~ontime.leases.LeaseRun` notes of it at its end."""
        return {
            "settings": self.settings,
            "messages": tuple(self.messages),
            "held": self._most_held,
            "worst_lateness": self._worst_lateness,
        }

    def _now(self) -> float:
        return elapsed() - self._began

    def _start(
        self,
        work: Coroutine[Any, Any, None],
        name: str,
        level: int,
        deadline: float = math.inf,
    ) -> None:
        context = context_with(level, self._began + deadline)
        # The group's callback for the end of a task has the priority of this code, and
        # a failure must not be noticed only after all other work.
        with priority(_LEASE):
            self._tasks.create_task(work, name=name, context=context)

    async def _wait(self, seconds: float, level: int) -> float:
        """Wait without the thread, then for it; return when the wait was to end."""
        self.machine.leave()
        due = self._now() + seconds
        await self.machine.wait(seconds)
        await self.machine.enter(level)
        return due

    async def _ask(self, call: Awaitable[T], level: int) -> T:
        """Call the source, and wait for the thread if the answer came from elsewhere.

        A source that is a number answers at once, and keeps the thread.
        """
        if not self.source.remote:
            return await call
        self.machine.leave()
        answer = await call
        await self.machine.enter(level)
        return answer

    # -- receiving -------------------------------------------------------------------

    async def _receive(self) -> None:
        machine, level = self.machine, self.settings.receive_priority
        ended = False
        while not ended:
            await self._places.acquire()
            if machine.opening:
                await asyncio.sleep(0)
            await machine.enter(level)
            await self._wait(self.settings.receive, level)
            received = None
            if not (ended := self._rounds >= self.most_rounds):
                # The lease runs from the moment that the source hands a message out, so
                # its keeper has to be started as urgently as it is to run.
                with priority(_LEASE):
                    received = await self._ask(self.source.receive(), _LEASE)
            if received is not None:
                self._hold(*received)
            else:
                self._places.release()
                if not ended and not self._kept:
                    ended = await self._ask(self.source.empty(), level)
            machine.leave()

    def _hold(self, token: Any, label: str) -> None:
        now, due = self._now(), self.settings.work_deadline
        message = MessageRecord(now, token)
        self.messages.append(message)
        self._held += 1
        self._kept += 1
        self._most_held = max(self._most_held, self._held)
        keep, end = self._keep_lease(message), now + self.settings.lease
        self._start(keep, f"lease-{label}", _LEASE, end)
        due = math.inf if due is None else now + due
        self._start(self._process(message), f"message-{label}", _WORK, due)

    def _let_go(self) -> None:
        self._held -= 1
        self._places.release()

    # -- keeping the lease -----------------------------------------------------------

    async def _keep_lease(self, message: MessageRecord) -> None:
        await self.machine.enter(_LEASE)
        if not await self._kept_to_the_end(message):
            message.lost_at = self._now()
        message.closed_at = self._now()
        self._kept -= 1
        if not self.source.remote:
            self._let_go()
        self.machine.leave()

    async def _kept_to_the_end(self, message: MessageRecord) -> bool:
        """Renew the lease while the work lasts; return whether that went well.

        A source that is elsewhere knows that the work is done, and *refresh* stands for
        the way to it.  As published, the end is noticed only after a renewal.
        """
        settings, source = self.settings, self.source
        while message.outcome is None:
            due = await self._wait(settings.refresh_every, _LEASE)
            if source.remote and message.outcome is not None:
                break
            now = self._now()
            message.checks.append(LeaseCheck(now - due, now - message.renewed_at))
            self._worst_lateness = max(self._worst_lateness, now - due)
            if not source.holds(message):
                return False
            due = await self._wait(settings.refresh, _LEASE)
            if source.remote and message.outcome is not None:
                break
            self._worst_lateness = max(self._worst_lateness, self._now() - due)
            if await self._ask(source.refresh(message), _LEASE):
                message.renewals.append(self._now())
                DEADLINE.set(self._began + message.renewals[-1] + settings.lease)
            elif message.outcome is None:
                return False
        return True

    # -- processing ------------------------------------------------------------------

    async def _process(self, message: MessageRecord) -> None:
        settings, machine = self.settings, self.machine
        await machine.enter(_WORK)
        outcome = "done"
        for _ in range(settings.rounds):
            if message.lost_at is not None:
                break
            if self._rounds >= self.most_rounds:
                outcome = "stopped"
                break
            await machine.compute(settings.cpu)
            message.rounds += 1
            self._rounds += 1
            await self._wait(settings.io, _WORK)
        if message.lost_at is not None or (
            outcome == "done"
            and not await self._ask(self.source.acknowledge(message), _WORK)
        ):
            outcome = "lost"
        message.outcome = outcome
        message.ended_at = self._now()
        if self.source.remote:
            self._let_go()
        machine.leave()
