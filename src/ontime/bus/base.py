"""What a message bus can do, and what can go wrong with it."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import TracebackType
from typing import TypeVar

from looplab._numbers import seconds_of

__all__ = [
    "Bus",
    "BusClosedError",
    "BusError",
    "BusFullError",
    "BusUnavailableError",
    "Counts",
    "Delivery",
    "NotABusError",
]

AnyBus = TypeVar("AnyBus", bound="Bus")


class BusError(RuntimeError):
    """Something is wrong with the bus.  Messages that are in it stay in it."""


class BusUnavailableError(BusError):
    """The bus cannot be reached, or stayed locked for longer than its *patience*."""


class BusFullError(BusError):
    """There is no room left where the bus keeps its messages."""


class NotABusError(BusError):
    """What was found is no bus, is damaged, or would not keep messages safe."""


class BusClosedError(BusError):
    """The bus is not open: its ``async with`` block has not begun or has ended."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message that the bus has handed out for the time of a lease.

    Attributes:
        id: the message's id in the bus.
        body: what was put.
        number: how often the bus has delivered the message, this time included.  It is
            also what the bus knows this delivery by: once there is a later one, this
            one can neither renew the lease nor acknowledge the message.

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

    * A message that has been put stays in the bus until it is acknowledged.
    * Receiving one hands it out for the time of the *lease*.  When the lease has run
      out, the message can be received again, by anybody.
    * Renewing starts the lease anew.  It fails when the lease has run out.
    * Acknowledging takes the message out of the bus.  It fails when somebody has
      received the message again meanwhile.
    * Giving back ends the lease at once: who cannot do a message need not let others
      wait for its lease to run out.

    So a message is never lost, but it can be delivered twice.  Use a bus inside
    ``async with``, on one event loop.

    Args:
        lease: seconds for which a message is handed out.
        patience: seconds for which a call goes on trying while the bus is locked or
            cannot be reached.

    Raises:
        TypeError: a value is not a number.
        ValueError: a time is not a finite number of seconds above 0.

    Introduced in the chapter *Put the lease first*.
    """

    def __init__(self, *, lease: float, patience: float) -> None:
        self.lease = float(seconds_of(lease, "lease", above=True))
        self.patience = float(seconds_of(patience, "patience", above=True))
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    @abstractmethod
    def name(self) -> str:
        """What kind of bus it is, in words."""

    async def __aenter__(self: AnyBus) -> AnyBus:
        """Open the bus.

        Raises:
            BusUnavailableError: it cannot be reached.
            NotABusError: what is there is something else.
            RuntimeError: it is open already.
        """
        if self._loop is not None:
            raise RuntimeError(
                f"{self!r} is open already: make a second object for a second user"
            )
        await self._open()
        self._loop = asyncio.get_running_loop()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the bus.  Leases that are held run out."""
        self._loop = None
        await self._close()

    def _check_open(self) -> None:
        if self._loop is None:
            raise BusClosedError(
                f"{self!r} is not open: use it inside 'async with bus:'"
            )
        if self._loop is not asyncio.get_running_loop():
            raise RuntimeError(
                f"{self!r} was opened on another event loop: make an object for each"
            )

    @abstractmethod
    async def _open(self) -> None: ...

    @abstractmethod
    async def _close(self) -> None: ...

    @abstractmethod
    async def put(self, *bodies: str) -> list[str]:
        """Put messages into the bus, all of them or none, and return their ids.

        If this raises :class:`BusUnavailableError` or is cancelled, they may be in the
        bus or not: putting them again is safe, but may put them twice.

        Raises:
            TypeError: a body is not a string.
            BusFullError: there is no room for them.
            BusError: see the other errors of this module; so has every method.
        """

    @abstractmethod
    async def receive(self) -> Delivery | None:
        """Receive the oldest message that is to be had, or ``None``; do not wait.

        A message whose lease has run out comes before one that is new.
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
    async def give_back(self, delivery: Delivery) -> bool:
        """End the lease now and return whether it still was this delivery's.

        The message is the next to be received, by anybody.
        """

    @abstractmethod
    async def counts(self) -> Counts:
        """Return how many messages the bus holds.

        Others may receive and acknowledge while they are counted.  The loop does not
        wait for it, however many there are.
        """


def check_bodies(bodies: tuple[object, ...]) -> None:
    """Check that all *bodies* are strings that can be stored.

    Raises:
        TypeError: one is not a string.
        ValueError: one has half a surrogate pair.
    """
    for body in bodies:
        if not isinstance(body, str):
            raise TypeError(
                f"a message is a string, not {body!r:.60}, a {type(body).__name__}: "
                "encode it, for example with json.dumps()"
            )
        try:
            body.encode()
        except UnicodeEncodeError as error:
            raise ValueError(
                f"the message {body!r:.60} cannot be written as UTF-8 "
                f"({error.reason}): encode it, for example with json.dumps()"
            ) from error


def check_delivery(delivery: object) -> Delivery:
    """Return *delivery* if it is one.

    Raises:
        TypeError: it is not.
    """
    if not isinstance(delivery, Delivery):
        raise TypeError(
            f"{delivery!r:.60} is no Delivery: give what receive() returned"
        )
    return delivery
