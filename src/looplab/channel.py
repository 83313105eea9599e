"""A channel without a buffer: ``put`` returns when the item has been taken.

An ``asyncio.Queue`` always has room for at least one item, so its ``put`` returns
before anybody has the item.  Over a :class:`Channel` producer and consumer meet: what
``put`` returned for is in a consumer's hands, and nothing can be left behind in
between.

>>> import asyncio
>>> from looplab import run
>>> from looplab.channel import Channel
>>> async def main():
...     async def produce(channel):
...         for item in "abc":
...             await channel.put(item)
...         channel.close()
...     channel = Channel()
...     producer = asyncio.create_task(produce(channel))
...     return [item async for item in channel]
>>> run(main())
['a', 'b', 'c']

The module uses the standard library only, and runs on any loop.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from typing import Generic, TypeVar

__all__ = ["Channel", "ChannelClosedError"]

T = TypeVar("T")


class ChannelClosedError(Exception):
    """The channel is closed: nothing more can be put, or nothing more will come."""


class _Offer(Generic[T]):
    """An item that its producer still holds, and the future that says it was taken."""

    __slots__ = ("item", "taken")

    def __init__(self, item: T, taken: asyncio.Future[None]) -> None:
        self.item = item
        self.taken = taken


class Channel(Generic[T]):
    """An unbuffered channel between tasks of one loop.

    Items are taken in the order in which they were put, each by one consumer, and
    consumers are served in the order in which they asked.  ``async for`` takes items
    until the channel is closed.

    Introduced in the chapter *Bound every channel*.
    """

    def __init__(self) -> None:
        # A cancelled put leaves its offer here until it runs again, so an offer counts
        # only while its future is not done.
        self._offers: deque[_Offer[T]] = deque()
        self._getters: deque[asyncio.Future[None]] = deque()
        self._closed = False

    def __repr__(self) -> str:
        state = "closed" if self._closed else "open"
        return f"<Channel {state}, {self.waiting} to be taken>"

    @property
    def closed(self) -> bool:
        """Whether :meth:`close` has been called."""
        return self._closed

    @property
    def waiting(self) -> int:
        """How many producers wait in :meth:`put`."""
        return sum(not offer.taken.done() for offer in self._offers)

    async def put(self, item: T) -> None:
        """Offer *item* and wait until a consumer has taken it.

        A put that is cancelled while it waits withdraws the item.  If the item has been
        taken in the same iteration, it stays taken, and the cancellation still raises.

        Raises:
            ChannelClosedError: the channel is closed, or was closed while this waited;
                the item has not been taken.
        """
        if self._closed:
            raise ChannelClosedError("put() after close(): the item was not taken")
        offer = _Offer(item, asyncio.get_running_loop().create_future())
        self._offers.append(offer)
        self._wake_a_getter()
        try:
            await offer.taken
        finally:
            if offer in self._offers:  # nobody took it
                self._offers.remove(offer)

    async def get(self) -> T:
        """Wait for an item and take it.  A get that is cancelled takes none.

        Raises:
            ChannelClosedError: the channel is closed, or was closed while this waited.
        """
        while (offer := self._next_offer()) is None:
            if self._closed:
                raise ChannelClosedError("get() after close(): nothing more will come")
            getter = asyncio.get_running_loop().create_future()
            self._getters.append(getter)
            try:
                await getter
            except BaseException:
                if getter in self._getters:
                    self._getters.remove(getter)
                elif self._next_offer() is not None:
                    self._wake_a_getter()  # woken and cancelled: let the next one try
                raise
        self._offers.popleft()
        offer.taken.set_result(None)
        return offer.item

    def close(self) -> None:
        """Let nothing more through: waiting puts and gets raise, ``async for`` ends.

        A second call does nothing.
        """
        self._closed = True
        for offer in self._offers:
            if not offer.taken.done():
                offer.taken.set_exception(
                    ChannelClosedError("the channel was closed: the item was not taken")
                )
        self._offers.clear()
        while self._getters:
            self._wake_a_getter()

    def __aiter__(self) -> AsyncIterator[T]:
        return self

    async def __anext__(self) -> T:
        try:
            return await self.get()
        except ChannelClosedError:
            raise StopAsyncIteration from None

    def _next_offer(self) -> _Offer[T] | None:
        """The first offer whose producer still waits."""
        while self._offers and self._offers[0].taken.done():
            self._offers.popleft()
        return self._offers[0] if self._offers else None

    def _wake_a_getter(self) -> None:
        while self._getters:
            getter = self._getters.popleft()
            if not getter.done():
                getter.set_result(None)
                return
