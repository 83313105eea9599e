"""asyncio's own loop, for a Python that shares its thread with a browser's worker.

Order, timers, debug mode and every error are CPython's, since the code is.  Only the
waiting is ours: there are no sockets to wait for, and a long wait gives the thread back
to the worker, which calls again in time.
"""

from __future__ import annotations

import asyncio
import math
import time
import warnings
from collections.abc import Coroutine
from typing import Any

from ._guard import own_builtins

__all__ = ["CellLoop", "Driver", "take_over"]

__builtins__ = own_builtins  # type: ignore[assignment]

SHORT = 0.02  # seconds; a timer of a browser is not exact enough for less


class CellLoop(asyncio.BaseEventLoop):
    """A loop without sockets.

    Args:
        driven: whether a :class:`Driver` runs it piece by piece.  Else it waits by
            sleeping, as any loop does.
    """

    def __init__(self, *, driven: bool = False) -> None:
        super().__init__()
        self._selector = _Waiter(self, driven)

    def _process_events(self, event_list: list[Any]) -> None:
        """There are none."""

    def _write_to_self(self) -> None:
        """There is no other thread that could wake this one."""


class _Waiter:
    """What stands where other loops have a selector."""

    def __init__(self, loop: CellLoop, driven: bool) -> None:
        self._loop = loop
        self._driven = driven
        self.wait = 0.0  # seconds that the loop could be left alone when it stopped

    def select(self, timeout: float | None) -> list[Any]:
        wait = math.inf if timeout is None else timeout
        if self._driven and wait > SHORT:
            self.wait = wait
            self._loop.stop()
        elif wait > 0:
            time.sleep(min(wait, 3600))
        return []


class Driver:
    """Runs one coroutine after the other on a loop, in pieces."""

    def __init__(self) -> None:
        self.loop = CellLoop(driven=True)
        self._task: asyncio.Task[str] | None = None

    def begin(self, work: Coroutine[Any, Any, str]) -> None:
        """Give the loop something to run."""
        self._task = self.loop.create_task(work)
        self._task.add_done_callback(lambda _: self.loop.stop())

    @property
    def result(self) -> str | None:
        """What the coroutine returned; None as long as it runs."""
        if self._task is None or not self._task.done():
            return None
        return self._task.result()

    def step(self) -> float:
        """Run until the work is done, or until there is nothing to do for a while.

        Returns:
            How many seconds the loop may be left alone; infinite where no timer waits.
        """
        waiter = self.loop._selector
        waiter.wait = 0.0
        # A task that a cell left behind may raise what ends other programs.
        try:
            self.loop.run_forever()
        except (SystemExit, KeyboardInterrupt):
            return 0.0
        return waiter.wait


def take_over() -> Driver:
    """Make :class:`CellLoop` the loop of this Python, and undo what Pyodide changed.

    Without stack switching nothing can wait inside a synchronous call, so Pyodide's
    ``asyncio.run`` and ``time.sleep`` are CPython's again.
    """
    asyncio._set_running_loop(None)
    asyncio.run = asyncio.runners.run
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        if hasattr(asyncio, "set_event_loop_policy"):
            policy = asyncio.DefaultEventLoopPolicy()
            policy._loop_factory = CellLoop  # type: ignore[attr-defined]
            asyncio.set_event_loop_policy(policy)
    driver = Driver()
    asyncio.set_event_loop(driver.loop)
    return driver
