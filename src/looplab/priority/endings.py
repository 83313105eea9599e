"""The callbacks of a connection or a process in their order, whoever ends it.

asyncio tells a protocol of its connection, and later of the end, by two callbacks that
it schedules one after the other.  If code of another priority ends the connection
between the two, the end would overtake the beginning.  So here the end has the priority
of the code that made the beginning: first in, first out.  A loop that looks for I/O
between two callbacks can also see the end of a pipe sooner than the stock loop would.
"""

from __future__ import annotations

import asyncio
import contextlib
from asyncio import base_events
from collections.abc import Callable, Iterator
from contextvars import Context, copy_context
from typing import Any

from looplab.priority.context import DEFAULT_PRIORITY, PRIORITY

__all__ = ["Server", "adopt", "call_in", "connected", "made_before_lost"]


def call_in(
    loop: asyncio.AbstractEventLoop, context: Context, callback: Any, *args: Any
) -> None:
    """Schedule a callback with the priority of *context*."""
    loop.call_soon(callback, *args, context=context.copy())


async def connected(
    loop: asyncio.AbstractEventLoop,
    connect: Callable[..., Any],
    protocol_factory: Callable[[], Any],
    pipe: Any,
) -> Any:
    """Connect *pipe* by *connect*, and let a process hear of its end in any case.

    asyncio's transport of a process takes note of a pipe once that is connected, and
    has ended when all the pipes of its note have.  One that ends before it is noted
    would be waited for for ever.
    """
    protocol = protocol_factory()
    process = getattr(protocol, "proc", None)  # it forgets it at the end
    pair = await connect(lambda: protocol, pipe)
    if process is not None and getattr(protocol, "disconnected", False):
        loop.call_soon(_finish, process)  # when the pipe was noted
    return pair


def _finish(process: Any) -> None:
    if not process._finished:
        process._try_finish()


class Server(base_events.Server):
    """A server that ends its clients' connections with its own priority.

    From Python 3.13 on a server knows a connection before the protocol does.
    """

    _serves_in: Context

    def close_clients(self) -> None:
        """Close the connections."""
        self._end(super(), "close_clients")

    def abort_clients(self) -> None:
        """Close the connections at once, and lose what was not sent."""
        self._end(super(), "abort_clients")

    def _end(self, stock: Any, method: str) -> None:
        end: Callable[[], None] = getattr(stock, method)
        self._serves_in.copy().run(end)


def adopt(server: Any) -> None:
    """Let a server that begins to serve end its clients with this code's priority."""
    if not isinstance(server, base_events.Server):
        return
    if not hasattr(base_events.Server, "abort_clients"):  # before Python 3.13
        return
    if type(server) is base_events.Server:
        server.__class__ = Server
    if isinstance(server, Server):
        context = copy_context()
        if PRIORITY not in context:  # the task of each connection will get this one
            context.run(PRIORITY.set, DEFAULT_PRIORITY)
        server._serves_in = context


@contextlib.contextmanager
def made_before_lost(loop: asyncio.AbstractEventLoop, transport: Any) -> Iterator[None]:
    """Within this TLS over a connection begins before the connection ends.

    Args:
        loop: the connection's.
        transport: the connection, or a TLS layer over it.
    """
    below = transport
    while (layer := getattr(below, "_ssl_protocol", None)) is not None:
        below = layer._transport
    lost = getattr(below, "_call_connection_lost", None)
    if lost is None:  # it has ended already
        yield
        return
    context = copy_context()

    def tell(exc: Exception | None) -> None:
        # The new layer has a transport once it was told that the connection is made.
        made = getattr(transport.get_protocol(), "_transport", None) is not None
        if made:  # at once: the loop may be about to stop
            lost(exc)
        else:
            call_in(loop, context, lost, exc)

    below._call_connection_lost = tell
    try:
        yield
    finally:
        with contextlib.suppress(AttributeError):  # two at once: an error elsewhere
            del below._call_connection_lost
