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
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

__all__ = ["Observed", "Observer"]


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


def _one_call(name: str, observers: list[Observer]) -> Callable[..., None] | None:
    """Return what calls the method *name* of *observers*; None if nobody has it."""
    idle = getattr(Observer, name)
    methods = [getattr(observer, name) for observer in observers]
    wanted = [one for one in methods if getattr(one, "__func__", None) is not idle]
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


def _telling(queue: Any, tell: Callable[[asyncio.Handle], None] | None) -> Any:
    """Return *queue* such that it tells what joins it, unless *tell* is ``None``.

    Both stand for the same callbacks, so either may be used, and nothing moves.
    """
    if isinstance(queue, _Telling):
        queue = queue._queue
    return queue if tell is None else _Telling(queue, tell)


class Observed(asyncio.BaseEventLoop):
    """A loop that has observers, and probes whose timers are no progress."""

    if TYPE_CHECKING:
        _ready: deque[asyncio.Handle]
        _tell_burned: Callable[[], None] | None
        _tell_iteration: Callable[[], None] | None
        _tell_joined: Callable[[asyncio.Handle], None] | None
        _tell_left: Callable[[asyncio.Handle], None] | None

    def __init__(self) -> None:
        self._observers: list[Observer] = []
        self._tell_joined = self._tell_left = None
        self._tell_iteration = self._tell_burned = None
        self._probes: list[asyncio.Task[Any]] = []
        super().__init__()

    def add_observer(self, observer: Observer) -> None:
        """Tell *observer* from now on what the loop does, amid an iteration too.

        Raises:
            TypeError: *observer* is no :class:`Observer`.
            ValueError: it observes this loop already.
        """
        if not isinstance(observer, Observer):
            raise TypeError(f"expected an Observer, got {observer!r:.60}")
        if observer in self._observers:
            raise ValueError(f"{observer!r:.60} observes {self!r} already")
        self._observe([*self._observers, observer])

    def remove_observer(self, observer: Observer) -> None:
        """Tell *observer* nothing more.

        Raises:
            ValueError: it does not observe this loop.
        """
        if observer not in self._observers:
            raise ValueError(f"{observer!r:.60} does not observe {self!r}")
        self._observe([one for one in self._observers if one is not observer])

    def _observe(self, observers: list[Observer]) -> None:
        self._observers = observers
        self._tell_joined = _one_call("joined", observers)
        self._tell_left = _one_call("left", observers)
        self._tell_iteration = _one_call("iteration", observers)
        self._tell_burned = _one_call("burned", observers)
        self._ready = _telling(self._ready, self._tell_joined)

    def add_probe(self, task: asyncio.Task[Any]) -> None:
        """Count no timer for which *task* sleeps as progress.

        A probe measures the loop and does nothing else.  With only probes' timers set
        nothing can happen, so the loop raises :exc:`DeadlockError` as if there were
        none.
        """
        self._probes.append(task)

    def remove_probe(self, task: asyncio.Task[Any]) -> None:
        """Count the timers of *task* again, if it is a probe: somebody waits for it."""
        if task in self._probes:
            self._probes.remove(task)
