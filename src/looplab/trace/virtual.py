"""Trace a virtual loop: an observer that takes notes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from looplab._numbers import NS
from looplab.clock.loop import VirtualTimeLoop
from looplab.clock.observers import Observer
from looplab.trace.labels import describe
from looplab.trace.reader import JOINED, MOVED, PAUSE, Begun, Reader
from looplab.trace.record import Trace
from looplab.trace.stock import NAMED

__all__ = ["attach_to_virtual"]


def attach_to_virtual(
    loop: VirtualTimeLoop, reader: Reader, limit: int | None
) -> Callable[[], Callable[[], Trace]]:
    """Let an observer of *loop* take notes; return what ends that, and then returns
    what reads them."""
    notes: list[Any] = []
    take = _counted if loop.first_in_first_out else _named
    read = reader.read_counted if loop.first_in_first_out else reader.read_named
    enough = None if limit is None else 10 * limit + 1000

    def catch_up() -> None:
        if enough is not None and len(notes) > enough:
            seen = notes[:]
            notes.clear()
            read(seen)

    observer = take(loop, notes, catch_up)
    loop.add_observer(observer)

    def detach() -> Callable[[], Trace]:
        loop.remove_observer(observer)
        observer.iteration()
        end = loop.time_ns()

        def trace() -> Trace:
            read(notes)
            return reader.trace(end, "virtual")

        return trace

    return detach


def _due_ns(handle: asyncio.Handle) -> int | None:
    if not isinstance(handle, asyncio.TimerHandle):
        return None
    due: int | None = getattr(handle, "_due_ns", None)
    return round(handle.when() * NS) if due is None else due


def _about(handle: asyncio.Handle) -> Begun:
    begun = describe(handle)
    return None if begun is None else (begun[0], begun[1], _due_ns(handle))


def _counted(loop: Any, notes: list[Any], catch_up: Callable[[], None]) -> Observer:
    """Notes for a ready queue that is first in, first out.

    They say how long the queue was when that may matter, see
    :meth:`Reader.read_counted`.  The methods run once for each callback, so they do as
    little as can be; they are made here because a name of an enclosing function is
    looked up faster than an attribute.
    """
    note, extend = notes.append, notes.extend
    # Functions in handles of this type take the short way: of the type of the first
    # handle whose note had the length.  None do if the virtual clock moves with each
    # callback, so that the length of the queue matters each time.
    plain: type[Any] | None = None if loop._callback_cost_ns else type(None)

    class Notes(Observer):
        def left(self, handle: asyncio.Handle, /) -> None:
            nonlocal plain
            callback = handle._callback  # type: ignore[attr-defined]
            note(loop._now_ns)
            if type(handle) is plain and type(callback) in NAMED:
                note(callback.__qualname__)
                return
            note(len(loop._ready))
            about = _about(handle)
            note(about)
            if plain is not None and about is not None and about[2] is None:
                plain = type(handle)

        def iteration(self) -> None:
            extend((loop._now_ns, len(loop._ready), PAUSE))
            catch_up()

        def burned(self) -> None:
            extend((loop._now_ns, len(loop._ready), MOVED))

    return Notes()


def _named(loop: Any, notes: list[Any], catch_up: Callable[[], None]) -> Observer:
    """Notes for a ready queue in which one callback may overtake another."""

    class Notes(Observer):
        def joined(self, handle: asyncio.Handle, /) -> None:
            notes.append((loop._now_ns, JOINED, id(handle)))

        def left(self, handle: asyncio.Handle, /) -> None:
            notes.append((loop._now_ns, _about(handle), id(handle)))

        def iteration(self) -> None:
            notes.append((loop._now_ns, PAUSE, 0))
            catch_up()

    return Notes()
