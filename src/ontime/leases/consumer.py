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

Where messages come from is a :class:`Source`: :mod:`ontime.leases.simulator` has one
that is a number, :mod:`ontime.bus` real ones.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

from looplab.clock import elapsed
from looplab.priority import priority
from looplab.priority.context import DEADLINE, context_with
from ontime.leases.results import LeaseCheck, MessageRecord, Outcome
from ontime.leases.schedulers import Machine
from ontime.leases.settings import LeaseSettings

__all__ = ["Consumer", "Source"]

T = TypeVar("T")


class Source:
    """Where messages come from; unless told otherwise, its leases never run out.

    Attributes:
        remote: whether its calls are answered from elsewhere, so that a task asks for
            its turn after each, and the source decides whether a lease has run out.
    """

    remote = False

    async def receive(self) -> tuple[Any, str] | None:
        """Return the next message and a label for it, or ``None``."""
        raise NotImplementedError

    async def empty(self) -> bool:
        """Whether there is nothing left to receive."""
        raise NotImplementedError

    def holds(self, message: MessageRecord) -> bool:
        """Whether its lease has not run out, as far as is known here."""
        return True

    async def refresh(self, message: MessageRecord) -> bool:
        """Renew its lease; return whether it had not run out."""
        return True

    async def acknowledge(self, message: MessageRecord) -> bool:
        """Say that it is done; return whether it still was this consumer's."""
        return True


class Consumer:
    """One run of the consumer.

    Args:
        settings: what there is to do.
        machine: what the tasks ask for the thread.
        source: where the messages come from.
        receivers: how many tasks receive.
        most_rounds: the run ends when it has computed so many rounds.
    """

    def __init__(
        self,
        settings: LeaseSettings,
        machine: Machine,
        source: Source,
        *,
        receivers: int = 1,
        most_rounds: float = math.inf,
    ) -> None:
        self._settings = settings
        self._machine = machine
        self._source = source
        self._receivers = receivers
        self._most_rounds = most_rounds
        #: In the order of receipt.
        self.messages: list[MessageRecord] = []
        #: For each wait of a lease's task that ended, run at - due at.
        self.lateness: list[float] = []
        self.most_held = 0
        self._rounds = 0
        self._held = 0
        self._kept = 0  # leases whose task has not ended
        limit = settings.limit
        self._places = None if limit is None else asyncio.Semaphore(limit)
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
        if self._places is not None:
            await self._places.acquire()
        if machine.opening:
            await asyncio.sleep(0)
        await machine.enter(level)
        machine.leave()
        await self._wait(settings.receive, level)
        received = None
        if not (ended := self._rounds >= self._most_rounds):
            # The lease runs from the moment that the source hands a message out, so
            # its keeper has to be started as urgently as it is to run.
            with priority(urgent):
                received = await self._ask(self._source.receive(), urgent)
        if received is not None:
            self._hold(*received)
            machine.leave()
            return True
        self._free_place()
        if not ended and not self._kept:
            ended = await self._ask(self._source.empty(), level)
        machine.leave()
        return not ended

    def _hold(self, token: Any, label: str) -> None:
        settings, now = self._settings, self._now()
        message = MessageRecord(len(self.messages), now, token)
        self.messages.append(message)
        self._held += 1
        self._kept += 1
        self.most_held = max(self.most_held, self._held)
        self._start(
            self._keep_lease(message),
            f"lease-{label}",
            settings.lease_priority,
            now + settings.lease,
        )
        self._start(
            self._process(message),
            f"message-{label}",
            settings.work_priority,
            math.inf
            if settings.work_deadline is None
            else now + settings.work_deadline,
        )

    def _free_place(self) -> None:
        if self._places is not None:
            self._places.release()

    def _let_go(self) -> None:
        self._held -= 1
        self._free_place()

    # -- keeping the lease -----------------------------------------------------------

    async def _keep_lease(self, message: MessageRecord) -> None:
        await self._machine.enter(self._settings.lease_priority)
        if not await self._kept_to_the_end(message):
            message.lost_at = self._now()
        message.closed_at = self._now()
        self._kept -= 1
        if not self._source.remote:
            self._let_go()
        self._machine.leave()

    async def _kept_to_the_end(self, message: MessageRecord) -> bool:
        """Renew the lease while the work lasts; return whether that went well.

        A source that is elsewhere knows that the work is done, and *refresh* stands for
        the way to it.  As published, the end is noticed only after a renewal.
        """
        settings, machine, source = self._settings, self._machine, self._source
        level = settings.lease_priority
        while message.outcome is None:
            machine.leave()
            due = await self._wait(settings.refresh_every, level)
            if source.remote and message.outcome is not None:
                break
            now = self._now()
            self.lateness.append(now - due)
            message.checks.append(LeaseCheck(due, now, now - message.renewed_at))
            if not source.holds(message):
                return False
            machine.leave()
            due = await self._wait(settings.refresh, level)
            if source.remote and message.outcome is not None:
                break
            self.lateness.append(self._now() - due)
            if await self._ask(source.refresh(message), level):
                message.renewals.append(self._now())
                DEADLINE.set(self._began + message.renewals[-1] + settings.lease)
            elif message.outcome is None:
                return False
        return True

    # -- processing ------------------------------------------------------------------

    async def _process(self, message: MessageRecord) -> None:
        settings, machine = self._settings, self._machine
        level = settings.work_priority
        await machine.enter(level)
        outcome: Outcome = "done"
        for _ in range(settings.rounds):
            if message.lost_at is not None:
                break
            if self._rounds >= self._most_rounds:
                outcome = "stopped"
                break
            await machine.compute(settings.cpu)
            message.rounds += 1
            self._rounds += 1
            machine.leave()
            await self._wait(settings.io, level)
        if message.lost_at is not None or (
            outcome == "done"
            and self._source.remote
            and not await self._ask(self._source.acknowledge(message), level)
        ):
            outcome = "lost"
        message.outcome = outcome
        message.ended_at = self._now()
        if self._source.remote:
            self._let_go()
        machine.leave()
