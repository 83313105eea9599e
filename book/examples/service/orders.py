"""Orders: they are saved in a bus, and worked off under leases."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable

from looplab.priority import PriorityGate
from ontime.bus import Bus, Delivery

from .settings import Settings
from .work import compute_part

__all__ = ["FullError", "Inbox", "Workshop"]

LEASE, WORK, RECEIVE = 3, 2, 1  # what is urgent, the greater the more


class FullError(RuntimeError):
    """There is no room for another order; the client should ask again later."""


class Inbox:
    """Orders that wait to be saved in the bus.

    Args:
        settings: whether it has a bound.
        bus: one that is open.
    """

    def __init__(self, settings: Settings, bus: Bus) -> None:
        self._bus = bus
        self._orders: asyncio.Queue[str]
        if settings.has("unbounded"):
            self._orders = asyncio.Queue()
        else:
            self._orders = asyncio.Queue(settings.most_waiting)
        self.most_waiting = 0
        self.saved = 0

    def accept(self, order: str) -> None:
        """Take an order.

        Raises:
            FullError: as many wait as may.
        """
        try:
            self._orders.put_nowait(order)
        except asyncio.QueueFull:
            raise FullError(f"{self._orders.qsize()} orders wait already") from None
        self.most_waiting = max(self.most_waiting, self._orders.qsize())

    async def save(self) -> None:
        """Save orders one by one, for ever."""
        while True:
            await self._bus.put(await self._orders.get())
            self.saved += 1


class Workshop:
    """Works orders off: each is held under a lease that is kept while it is computed.

    Args:
        settings: how long a lease is, and whether it goes before the work.
        bus: one that is open, with that lease.
        part: computes one piece, ``part(rounds)``.
        done: is called with the order when it is done.
    """

    def __init__(
        self,
        settings: Settings,
        bus: Bus,
        part: Callable[[int], object] = compute_part,
        done: Callable[[str], object] = lambda order: None,
    ) -> None:
        self._settings = settings
        self._bus = bus
        self._part = part
        self._done = done
        self._gate = PriorityGate()
        self._places = asyncio.Semaphore(settings.held)
        self.deliveries: Counter[str] = Counter()
        self.done = 0
        self.lost = 0

    async def _turn(self, level: int) -> None:
        """Wait for the thread: behind all that is ready, or what is more urgent."""
        if self._settings.has("leases"):
            await asyncio.sleep(0)
        else:
            await self._gate.turn(level)

    async def run(self) -> None:
        """Receive orders and work them off, for ever."""
        async with asyncio.TaskGroup() as tasks:
            while True:
                await self._places.acquire()
                await self._turn(RECEIVE)
                while (order := await self._bus.receive()) is None:  # noqa: ASYNC110
                    await asyncio.sleep(self._settings.refresh_every / 4)
                self.deliveries[order.id] += 1
                tasks.create_task(self._hold(order), name="order")

    async def _hold(self, order: Delivery) -> None:
        keeper = asyncio.create_task(self._keep(order), name="lease")
        try:
            for _ in range(self._settings.pieces):
                await self._turn(WORK)
                self._part(self._settings.part_rounds)
                if keeper.done():
                    break
            if not keeper.done() and await self._bus.acknowledge(order):
                self.done += 1
                self._done(order.body)
            else:
                self.lost += 1
        finally:
            keeper.cancel()
            self._places.release()

    async def _keep(self, order: Delivery) -> None:
        """Renew the lease until it is lost."""
        while True:
            await asyncio.sleep(self._settings.refresh_every)
            await self._turn(LEASE)
            if not await self._bus.refresh(order):
                return
