"""Two event loops in two threads, played on one virtual clock."""

from __future__ import annotations

import concurrent.futures
import contextvars
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from looplab.clock import VirtualTimeLoop
from ontime.check.verdict import NotYet

__all__ = ["SIDE", "Here", "There", "nobody_blocks"]

#: Whose thread runs: "here", "there", or "" where a loop was told by the safe way.
SIDE: contextvars.ContextVar[str] = contextvars.ContextVar("side", default="here")


class Here(VirtualTimeLoop):
    """One virtual clock for two threads; it knows whose code runs."""

    careless = False

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Any = None
    ) -> Any:
        side = SIDE.get()
        of = context.get(SIDE, "here") if context is not None else side
        if side and of and side != of:
            self.careless = True
        return super().call_soon(callback, *args, context=context)

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Any = None
    ) -> Any:
        return self.hand_over("", callback, args)

    def hand_over(self, side: str, callback: Any, args: Any) -> Any:
        context = contextvars.copy_context()
        context.run(SIDE.set, side)
        return super().call_soon(callback, *args, context=context)


class There:
    """The face of a loop that runs in another thread."""

    def __init__(self, loop: Here) -> None:
        self._loop = loop

    def call_soon_threadsafe(
        self, callback: Any, *args: Any, context: Any = None
    ) -> Any:
        return self._loop.hand_over("there", callback, args)

    def create_task(self, work: Any, **options: Any) -> Any:
        if SIDE.get() != "there":
            self._loop.careless = True
        return self._loop.create_task(work, **options)

    def call_soon(self, callback: Any, *args: Any, context: Any = None) -> Any:
        self._loop.careless = True
        return self._loop.hand_over("there", callback, args)

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return False

    def get_debug(self) -> bool:
        return False


@contextmanager
def nobody_blocks() -> Iterator[None]:
    """A thread that waits for a future of the other loop holds its own loop."""
    kind = concurrent.futures.Future
    result, exception = kind.result, kind.exception

    def refuse(self: Any) -> None:
        if not self.done():
            raise NotYet(
                "ask() waits for the answer with its thread: its own loop stands "
                "still until the other one has answered.",
                "asyncio.wrap_future(future) can be awaited",
            )

    def guarded(original: Callable[..., Any]) -> Any:
        def read(self: Any, timeout: float | None = None) -> Any:
            refuse(self)
            return original(self, timeout)

        return read

    kind.result = guarded(result)  # type: ignore[method-assign]
    kind.exception = guarded(exception)  # type: ignore[method-assign]
    try:
        yield
    finally:
        kind.result = result  # type: ignore[method-assign]
        kind.exception = exception  # type: ignore[method-assign]
