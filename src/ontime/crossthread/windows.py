"""Selectors that let others have the interpreter for a while in each iteration."""

from __future__ import annotations

import hashlib
import math
import selectors
import time
from typing import Any

__all__ = ["BusySelector", "LingeringSelector"]


class LingeringSelector(selectors.SelectSelector):
    """A selector that never looks and returns at once: it waits a little, always.

    It is made of ``select``, which waits for microseconds where it is told so.  Those
    of ``epoll`` and ``poll`` round up to a millisecond.
    """

    def __init__(self, window: float) -> None:
        super().__init__()
        self._window = window

    def select(self, timeout: float | None = None) -> Any:
        if timeout is not None:
            timeout = max(timeout, self._window)
        return super().select(timeout)


class BusySelector(selectors.DefaultSelector):
    """A selector that, before it looks, computes without the interpreter's lock.

    Others get the interpreter for that time, as beside :class:`LingeringSelector`, and
    the loop keeps its core: what helps then is the gap and not the free core.
    """

    def __init__(self, window: float) -> None:
        super().__init__()
        # A digest of more than 2 KB is computed without the lock.
        probe = bytes(1_000_000)
        best = math.inf  # of a few tries: another process may take the core in one
        for _ in range(5):
            started = time.perf_counter()
            hashlib.sha256(probe)
            best = min(best, time.perf_counter() - started)
        rate = len(probe) / best
        self._data = bytes(min(100_000_000, max(4096, round(rate * window))))

    def select(self, timeout: float | None = None) -> Any:
        if timeout is not None and timeout <= 0:
            hashlib.sha256(self._data)
        return super().select(timeout)
