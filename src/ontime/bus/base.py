"""What a message bus can do, and what can go wrong with it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

__all__ = [
    "Bus", "BusError", "BusFullError", "BusUnavailableError", "Counts", "Delivery",
]  # fmt: skip


class BusError(RuntimeError):
    """Something is wrong with the bus.  Messages that are in it stay in it."""


class BusUnavailableError(BusError):
    """The bus cannot be reached or used, or stayed locked for too long."""


class BusFullError(BusError):
    """There is no room left where the bus keeps its messages."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message that the bus has handed out for the time of a lease.

    Attributes:
        id: the message's id in the bus.
        body: what was put.
        number: how often the bus has delivered the message, this time included.  Once
            there is a later delivery, this one can neither renew the lease nor
            acknowledge the message.

    Introduced in the chapter *Put the lease first*.
    """

    id: str
    body: str
    number: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How many messages are in the bus.

    Attributes:
        waiting: not handed out, or handed out under a lease that has run out.
        leased: handed out under a lease that has not run out.
    """

    waiting: int
    leased: int

    @property
    def total(self) -> int:
        """All messages that are still to be done."""
        return self.waiting + self.leased


class Bus(ABC):
    """A message bus that delivers at least once, under a lease.

    A message that has been put stays in the bus until it is acknowledged.  So it is
    never lost, but it can be delivered twice.  Use a bus inside ``async with``, on one
    event loop.  Every call may raise a :class:`BusError`.

    Args:
        lease: seconds for which a message is handed out.

    Introduced in the chapter *Put the lease first*.
    """

    #: What kind of bus it is, in words.
    name: str

    def __init__(self, *, lease: float) -> None:
        self.lease = lease

    async def __aenter__(self) -> Self:
        """Open the bus."""
        try:
            await self._open()
        except BaseException:
            await self._close()
            raise
        return self

    async def __aexit__(self, *exc: object) -> None:
        """Close the bus.  Leases that are held run out."""
        await self._close()

    async def _open(self) -> None:
        raise NotImplementedError

    async def _close(self) -> None:
        raise NotImplementedError

    @abstractmethod
    async def put(self, *bodies: str) -> list[str]:
        """Put messages into the bus, all of them or none, and return their ids.

        If this raises :class:`BusUnavailableError` or is cancelled, they may be in the
        bus or not: putting them again is safe, but may put them twice.

        Raises:
            BusFullError: there is no room for them.
        """

    @abstractmethod
    async def receive(self) -> Delivery | None:
        """Receive the oldest message that is to be had, or ``None``; do not wait.

        It is handed out for the time of the lease, and to nobody else meanwhile.  A
        message whose lease has run out comes before one that is new.
        """

    @abstractmethod
    async def refresh(self, delivery: Delivery) -> bool:
        """Start the lease anew and return whether it still was this delivery's.

        It is not when the lease has run out, even if nobody has received the message
        again yet: sooner or later somebody will.
        """

    @abstractmethod
    async def acknowledge(self, delivery: Delivery) -> bool:
        """Take the message out of the bus and return whether that was done.

        It is not when somebody has received the message again: it is theirs now.  If
        the lease has run out but nobody has, it is.
        """

    @abstractmethod
    async def counts(self) -> Counts:
        """Return how many messages the bus holds."""
