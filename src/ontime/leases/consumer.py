"""The consumer of messages under leases: three functions that share a thread.

* *Receiving*: yield, wait ``receive`` seconds, take a message if there is one, start
  the two tasks below, repeat, also after the last message.
* *Keeping the lease*, while the message is not finished: wait ``refresh_every``.  If
  the lease has run out, the message is lost.  Else wait ``refresh`` and renew it.
* *Processing*: ``rounds`` times compute for ``cpu`` and wait for ``io``, and stop early
  if the message is lost.

In the published program each of the three begins with a bare yield.  Where a task is
made, ``create_task()`` is that yield: both put the rest at the end of the queue.
Receiving is awaited, so there it has to be said.  After the yield, and after each wait,
a task asks for its turn, if there is anybody to ask.

Where messages come from is a :class:`Source`: :mod:`ontime.leases.simulator` has one
that is a number, :mod:`ontime.bus` real ones.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Coroutine
from typing import Any, Protocol, TypeVar

from looplab.clock import elapsed
from looplab.priority import priority
from looplab.priority.context import DEADLINE, context_with
from ontime.leases.results import LeaseCheck, Outcome
from ontime.leases.schedulers import Machine
from ontime.leases.settings import LeaseSettings

__all__ = ["Consumer", "Held", "Source"]

T = TypeVar("T")


class Held:
    """A message in the consumer's hands.  Times are seconds from the start.

    Attributes:
        token: what the source knows it by.
        label: for the names of its tasks.
        received_at: when it was received.
        renewed_at: when its lease was renewed last.
        ended_at: when its processing ended; ``None`` while it goes on.
        closed_at: when the task that keeps its lease ended.
        lost_at: when its lease was found to have run out.
        rounds: how many rounds were computed.
        checks: the checks of its lease.
        renewals: when it was renewed.
        outcome: ``None`` while it is processed.
    """

    __slots__ = (
        "checks", "closed_at", "ended_at", "label", "lost_at", "outcome",
        "received_at", "renewals", "renewed_at", "rounds", "token",
    )  # fmt: skip

    def __init__(self, token: Any, label: str, received_at: float) -> None:
        self.token = token
        self.label = label
        self.received_at = self.renewed_at = received_at
        self.ended_at: float | None = None
        self.closed_at: float | None = None
        self.lost_at: float | None = None
        self.outcome: Outcome | None = None
        self.rounds = 0
        self.checks: list[LeaseCheck] = []
        self.renewals: list[float] = []


class Source(Protocol):
    """Where messages come from.

    Attributes:
        remote: whether its calls are answered from elsewhere, so that a task asks for
            its turn after each, and the source decides whether a lease has run out.
    """

    remote: bool

    async def receive(self) -> tuple[Any, str] | None:
        """Return the next message and a label for it, or ``None``."""

    async def empty(self) -> bool:
        """Whether there is nothing left to receive."""

    def holds(self, held: Held) -> bool:
        """Whether its lease has not run out, as far as is known here."""

    async def refresh(self, held: Held) -> bool:
        """Renew its lease; return whether it had not run out."""

    async def acknowledge(self, held: Held) -> bool:
        """Say that it is done; return whether it still was this consumer's."""


class Consumer:
    """One run of the consumer.

    Args:
        settings: what there is to do.
        machine: what the tasks ask for the thread.
        source: where the messages come from.
        receivers: how many tasks receive.
        most_rounds: the run ends when it has computed so many rounds.
        stop_after: seconds after which the run ends.
    """

    def __init__(
        self,
        settings: LeaseSettings,
        machine: Machine,
        source: Source,
        *,
        receivers: int = 1,
        most_rounds: float = math.inf,
        stop_after: float = math.inf,
    ) -> None:
        self._settings = settings
        self._machine = machine
        self._source = source
        self._receivers = receivers
        self.most_rounds = most_rounds
        self._stop_after = stop_after
        #: In the order of receipt.
        self.messages: list[Held] = []
        #: For each wait of a lease's task that ended, run at - due at.
        self.lateness: list[float] = []
        self.most_held = 0
        self._rounds = 0
        self._held = 0
        self._open = 0
        self._places_taken = 0
        self._wants_place: deque[asyncio.Future[None]] = deque()
        self._began = 0.0

    async def run(self) -> float:
        """Consume until there is nothing left, and return the seconds that it took."""
        self._began = elapsed()
        async with asyncio.TaskGroup() as self._tasks:
            for number in range(self._receivers):
                name = "receive" if self._receivers == 1 else f"receive-{number}"
                self._start(self._receive(), name, self._settings.receive_priority)
        del self._tasks
        return self._now()

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
        with priority(self._settings.lease_priority):
            self._tasks.create_task(work, name=name, context=context)

    def _enough(self) -> bool:
        return self._rounds >= self.most_rounds or self._now() >= self._stop_after

    async def _wait(self, seconds: float, level: int) -> float:
        """Wait, then for the thread; return when the wait was due to end."""
        due = self._now() + seconds
        await self._machine.wait(seconds)
        await self._machine.enter(level)
        return due

    async def _ask(self, call: Awaitable[T], level: int) -> T:
        """Call the source, and wait for the thread if the answer came from elsewhere.

        A source that is a number answers at once, and keeps the thread.
        """
        if not self._source.remote:
            return await call
        self._machine.leave()
        answer = await call
        await self._machine.enter(level)
        return answer

    # -- receiving -------------------------------------------------------------------

    async def _receive(self) -> None:
        while await self._receive_one():
            pass

    async def _receive_one(self) -> bool:
        """Receive a message, if there is one; return whether there may be more."""
        settings, machine = self._settings, self._machine
        level, urgent = settings.receive_priority, settings.lease_priority
        await self._take_place()
        if machine.opening:
            await asyncio.sleep(0)
        await machine.enter(level)
        machine.leave()
        await self._wait(settings.receive, level)
        found = None
        if not (ended := self._enough()):
            # The lease runs from the moment that the source hands a message out, so
            # its keeper has to be started as urgently as it is to run.
            with priority(urgent):
                found = await self._ask(self._source.receive(), urgent)
        if found is not None:
            self._hold(Held(*found, self._now()))
            machine.leave()
            return True
        self._give_place_back()
        if not ended and not self._open:
            ended = await self._ask(self._source.empty(), level)
        machine.leave()
        return not ended

    def _hold(self, held: Held) -> None:
        settings = self._settings
        self.messages.append(held)
        self._held += 1
        self._open += 1
        self.most_held = max(self.most_held, self._held)
        self._start(
            self._keep_lease(held),
            f"lease-{held.label}",
            settings.lease_priority,
            held.received_at + settings.lease,
        )
        self._start(
            self._process(held),
            f"message-{held.label}",
            settings.work_priority,
            math.inf
            if settings.work_deadline is None
            else held.received_at + settings.work_deadline,
        )

    # A receiver takes its place before it waits, or others would take it meanwhile.

    async def _take_place(self) -> None:
        limit = self._settings.limit
        while limit is not None and self._places_taken >= limit:
            place = asyncio.get_running_loop().create_future()
            self._wants_place.append(place)
            await place
        self._places_taken += 1

    def _give_place_back(self) -> None:
        self._places_taken -= 1
        while self._wants_place:
            place = self._wants_place.popleft()
            if not place.done():
                place.set_result(None)
                break

    def _let_go(self) -> None:
        self._held -= 1
        self._give_place_back()

    # -- keeping the lease -----------------------------------------------------------

    async def _keep_lease(self, held: Held) -> None:
        await self._machine.enter(self._settings.lease_priority)
        if not await self._kept_to_the_end(held):
            held.lost_at = self._now()
        held.closed_at = self._now()
        self._open -= 1
        if not self._source.remote:
            self._let_go()
        self._machine.leave()

    async def _kept_to_the_end(self, held: Held) -> bool:
        """Renew the lease while the work lasts; return whether that went well.

        A source that is elsewhere knows that the work is done, and *refresh* stands for
        the way to it.  As published, the end is noticed only after a renewal.
        """
        settings, machine, source = self._settings, self._machine, self._source
        while held.outcome is None:
            machine.leave()
            await self._wait_for_lease(held, settings.refresh_every, check=True)
            if source.remote and held.outcome is not None:
                break
            if not source.holds(held):
                return False
            machine.leave()
            await self._wait_for_lease(held, settings.refresh)
            if source.remote and held.outcome is not None:
                break
            if not await self._renew(held) and held.outcome is None:
                return False
        return True

    async def _wait_for_lease(
        self, held: Held, seconds: float, check: bool = False
    ) -> None:
        due = await self._wait(seconds, self._settings.lease_priority)
        now = self._now()
        if self._source.remote and held.outcome is not None:
            return
        self.lateness.append(now - due)
        if check:
            held.checks.append(LeaseCheck(due, now, now - held.renewed_at))

    async def _renew(self, held: Held) -> bool:
        settings = self._settings
        kept = await self._ask(self._source.refresh(held), settings.lease_priority)
        if kept:
            held.renewed_at = self._now()
            held.renewals.append(held.renewed_at)
            DEADLINE.set(self._began + held.renewed_at + settings.lease)
        return kept

    # -- processing ------------------------------------------------------------------

    async def _process(self, held: Held) -> None:
        settings, machine = self._settings, self._machine
        level = settings.work_priority
        await machine.enter(level)
        outcome: Outcome = "done"
        for _ in range(settings.rounds):
            if held.lost_at is not None:
                break
            if self._enough():
                outcome = "stopped"
                break
            await machine.compute(settings.cpu)
            held.rounds += 1
            self._rounds += 1
            machine.leave()
            await self._wait(settings.io, level)
        if held.lost_at is not None or (
            outcome == "done"
            and self._source.remote
            and not await self._ask(self._source.acknowledge(held), level)
        ):
            outcome = "lost"
        held.outcome = outcome
        held.ended_at = self._now()
        if self._source.remote:
            self._let_go()
        machine.leave()
