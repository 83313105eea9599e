"""Fair shares within a level: who has used the thread for the least time goes first."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from heapq import heappop, heappush

from looplab.priority.context import PRIORITY, Urgency

__all__ = ["Charge", "FairLevel"]

_MANY = 64  # shares: below that none is forgotten


class Share:
    """What one key has waiting, and how much of the thread it has used.

    Args:
        number: in what order the shares were made.
    """

    __slots__ = ("lined_up", "number", "used", "waiting")

    def __init__(self, number: int) -> None:
        self.number = number
        self.waiting: deque[asyncio.Handle] = deque()
        #: Seconds, and what the others had used when it came.
        self.used = 0.0
        self.lined_up = False  # it is in the heap


class Charge:
    """Charges the time of the callback that runs to its share.

    Args:
        clock: seconds; the loop's.
    """

    __slots__ = ("_clock", "_share", "_since")

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._share: Share | None = None
        self._since = 0.0

    def begin(self, share: Share | None) -> None:
        """A callback of that share begins."""
        self._share, self._since = share, self._clock()

    def end(self) -> None:
        """It has ended, if one has begun."""
        if self._share is not None:
            self._share.used += self._clock() - self._since
            self._share = None


class FairLevel:
    """The callback of the key first that has used the thread for the least time.

    A key that comes starts where the one that was served last stood, unless it has
    used more itself: it cannot save up time, nor shake off what it has used while
    others wait.  When nobody waits, all is forgiven.
    """

    __slots__ = (
        "_forget_at",
        "_line",
        "_made",
        "_now",
        "_shares",
        "_size",
        "level",
        "served",
    )

    def __init__(self) -> None:
        #: No context's value is this, so no callback joins without being looked at.
        self.level = object()
        self._shares: dict[Hashable, Share] = {}
        # What a share had used when it lined up; it may have used more since.
        self._line: list[tuple[float, int, Share]] = []
        self._now = 0.0
        self._made = 0
        self._size = 0
        self._forget_at = _MANY
        #: The share of the callback that was taken last.
        self.served: Share | None = None

    def append(self, handle: asyncio.Handle) -> None:
        """Add a callback to its share."""
        value = handle._context.get(PRIORITY)  # type: ignore[attr-defined]
        key = value.key if isinstance(value, Urgency) else None
        share = self._shares.get(key)
        if not self._size and self.served is not None:
            self._now = max(self._now, self.served.used)
        if share is None:
            if len(self._shares) >= self._forget_at:
                self._forget()
            self._made += 1
            share = self._shares.setdefault(key, Share(self._made))
        share.waiting.append(handle)
        self._size += 1
        if not share.lined_up:
            share.lined_up = True
            share.used = max(share.used, self._now)
            heappush(self._line, (share.used, share.number, share))

    def _forget(self) -> None:
        """Drop the shares that would start as a new one does."""
        for key, share in list(self._shares.items()):
            if not share.lined_up and share.used <= self._now:
                del self._shares[key]
        self._forget_at = max(_MANY, 2 * len(self._shares))

    def popleft(self) -> asyncio.Handle:
        """Take the next callback.

        Raises:
            IndexError: there is none.
        """
        while True:
            used, number, share = heappop(self._line)
            if not share.waiting:
                share.lined_up = False
                continue
            if share.used > used:
                heappush(self._line, (share.used, number, share))
                continue
            self._now = used
            handle = share.waiting.popleft()
            self._size -= 1
            self.served = share
            # What it is charged for this one is looked at when its turn comes.
            heappush(self._line, (used, number, share))
            return handle

    def take(self, wanted: Callable[[asyncio.Handle], bool]) -> list[asyncio.Handle]:
        """Take out the callbacks that are wanted; the others keep their order."""
        taken = []
        for share in list(self._shares.values()):
            for _ in range(len(share.waiting)):
                handle = share.waiting.popleft()
                if wanted(handle):
                    taken.append(handle)
                    self._size -= 1
                else:
                    share.waiting.append(handle)
        return taken

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[asyncio.Handle]:
        for share in sorted(self._shares.values(), key=lambda one: one.used):
            yield from tuple(share.waiting)
