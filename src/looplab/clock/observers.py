"""The hook for observers of a virtual loop.

A virtual loop tells those who ask what it does, and when::

    class Counter(Observer):
        count = 0

        def left(self, handle):
            self.count += 1

    counter = Counter()
    loop.add_observer(counter)

A loop that nobody observes pays next to nothing for the hook, and only the methods
that an observer overrides are called.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["Observer", "one_call", "telling"]


class Observer:
    """What a virtual loop tells.  Override what you want to hear.

    The methods are called on the loop's thread, in the order in which things happen;
    ``loop.time_ns()`` is the time at which they do.  They must not call the loop back.
    What one of them raises ends the run: it comes out of ``run_forever()``.
    """

    def joined(self, handle: asyncio.Handle, /) -> None:
        """*handle* is about to join the ready queue."""

    def left(self, handle: asyncio.Handle, /) -> None:
        """*handle* has left the ready queue: it runs now, unless it is cancelled.

        It has ended when the next one leaves or an iteration begins.
        """

    def iteration(self) -> None:
        """An iteration begins: the clock may jump now, if nothing is ready."""

    def burned(self) -> None:
        """The callback that is running has moved the clock with ``burn()``."""


def one_call(name: str, observers: list[Observer]) -> Callable[..., None] | None:
    """Return what calls the method *name* of *observers*; None if nobody has it."""
    idle = getattr(Observer, name)
    methods = [getattr(observer, name) for observer in observers]
    wanted = [
        method for method in methods if getattr(method, "__func__", None) is not idle
    ]
    if len(wanted) < 2:
        return wanted[0] if wanted else None

    def call_each(*args: Any) -> None:
        for method in wanted:
            method(*args)

    return call_each


class _Telling:
    """A ready queue that says of each callback that it joins."""

    __slots__ = ("_queue", "_tell", "popleft")

    def __init__(self, queue: Any, tell: Callable[[asyncio.Handle], None]) -> None:
        self._queue = queue
        self._tell = tell
        self.popleft = queue.popleft

    def append(self, handle: asyncio.Handle) -> None:
        self._tell(handle)
        self._queue.append(handle)

    def clear(self) -> None:
        self._queue.clear()

    def __len__(self) -> int:
        return len(self._queue)

    def __bool__(self) -> bool:
        return bool(self._queue)

    def __iter__(self) -> Iterator[asyncio.Handle]:
        return iter(self._queue)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)


def telling(queue: Any, tell: Callable[[asyncio.Handle], None] | None) -> Any:
    """Return *queue* such that it tells what joins it, unless *tell* is ``None``.

    Both stand for the same callbacks, so either may be used, and nothing moves.
    """
    if isinstance(queue, _Telling):
        queue = queue._queue
    return queue if tell is None else _Telling(queue, tell)
