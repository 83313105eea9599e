"""Ready queues of a program that gives no priorities: as on asyncio's own loop.

When the first callback with a priority comes, all that waits is put in order.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from looplab.priority.context import DEFAULT_PRIORITY, PRIORITY
from looplab.priority.levels import Level
from looplab.priority.queue import ReadyQueue
from looplab.priority.urgency import Urgency

__all__ = ["Plain", "VirtualQueue", "is_default"]


class Plain:
    """First come, first served, until the program gives a priority.

    Args:
        start: puts another queue in the place of this one, and returns that.
    """

    __slots__ = (
        "_start",
        "append",
        "known_plumbing",
        "look_at",
        "popleft",
        "top",
    )

    in_use = False

    def __init__(self, start: Callable[[], ReadyQueue]) -> None:
        self._start = start
        self.top = waiting = Level(DEFAULT_PRIORITY)
        self.append = waiting.append
        self.popleft = waiting.popleft
        self.look_at = 0.0  # nobody asks
        self.known_plumbing = None  # the loop looks once a batch: nothing comes twice

    def file(self, handle: asyncio.Handle) -> None:
        """Add a callback that may be the first one with a priority."""
        if is_default(handle):
            self.append(handle)
        else:
            self._start().append(handle)

    def reorder(self) -> None:
        """An order of urgency would be no other."""

    def clear(self) -> None:
        """Forget every callback."""
        self.top.clear()

    def __len__(self) -> int:
        return len(self.top)

    def __iter__(self) -> Iterator[asyncio.Handle]:
        return iter(tuple(self.top))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} callbacks>"


def is_default(handle: asyncio.Handle) -> bool:
    """Whether a callback would run first come, first served."""
    value = handle._context.get(PRIORITY)  # type: ignore[attr-defined]
    if not isinstance(value, Urgency):
        return value is None or value == DEFAULT_PRIORITY
    return value.key is None and value.level == DEFAULT_PRIORITY


class VirtualQueue(ReadyQueue):
    """The same on the virtual clock, where no other thread and no I/O adds anything.

    It is first come, first served itself until the program gives a priority.
    """

    __slots__ = ("_plain",)

    def __init__(self, loop: Any) -> None:
        super().__init__(loop)
        self.in_use = False
        self._plain: deque[asyncio.Handle] = deque()

    def append(self, handle: asyncio.Handle) -> None:
        """Add a callback; the first one that has a priority puts all in order."""
        if not self.in_use:
            if is_default(handle):
                self._plain.append(handle)
                return
            self.start()
        super().append(handle)

    def start(self) -> None:
        """From here on there is an order of urgency."""
        self.in_use = True
        self.adopt(self._plain)

    def popleft(self) -> asyncio.Handle:
        """Take the most urgent callback.

        Raises:
            IndexError: there is none.
        """
        return super().popleft() if self.in_use else self._plain.popleft()

    def reorder(self) -> None:
        """Put what waits in order again before the next callback: levels have risen."""
        if self.in_use:
            super().reorder()

    def __len__(self) -> int:
        return super().__len__() if self.in_use else len(self._plain)

    def __bool__(self) -> bool:
        return super().__bool__() if self.in_use else bool(self._plain)

    def __iter__(self) -> Iterator[asyncio.Handle]:
        return super().__iter__() if self.in_use else iter(tuple(self._plain))

    def clear(self) -> None:
        """Forget every callback."""
        super().clear()
        self._plain.clear()
