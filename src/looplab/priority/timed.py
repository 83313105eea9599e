"""The ready queue of a loop in real time."""

from __future__ import annotations

import asyncio
import time

from looplab.priority.queue import ReadyQueue

__all__ = ["TimedQueue"]

_monotonic = time.monotonic


class TimedQueue(ReadyQueue):
    """The most urgent callback first, on a loop in real time.

    To ask the clock costs less than to look, so it asks first.
    """

    __slots__ = ()

    def popleft(self) -> asyncio.Handle:
        """Take the most urgent callback.

        Raises:
            IndexError: there is none.
        """
        now = _monotonic()
        timers = now >= self.look_at and self._loop._look()
        if self.aside:
            if now < self._lot_ends and not (timers or self.pending) and self._batch:
                handle = self._batch.popleft()  # amid a lot of plumbing
                self.known_plumbing.discard(handle)
                return handle
            if self.charge is None:  # _beside() would ask, at the cost of a call
                return self._take(now, timers)
            return self._beside(now, timers)
        try:
            return self.top.popleft()  # type: ignore[no-any-return]
        except IndexError:
            return self._next()
