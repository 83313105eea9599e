"""In-memory streams: two ends of a connection that takes time on the loop's clock."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from looplab._numbers import count_of, number_of, seconds_of

__all__ = ["Stream", "open_pair"]

#: One end of a connection: what :func:`asyncio.open_connection` returns.
Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]

_HIGH_WATER = 64 * 1024  # bytes, as asyncio's own transports


def open_pair(
    *,
    latency: float = 0.0,
    bandwidth: float | None = None,
    limit: int = 64 * 1024,
) -> tuple[Stream, Stream]:
    """Return the two ends of a new connection, each a reader and a writer.

    ::

        client, server = open_pair(latency=0.05, bandwidth=10_000)

    What one end writes is sent at *bandwidth*, one write after the other, and reaches
    the other end *latency* later.  ``drain()`` waits while more than 64 KiB are unsent
    or the other end does not read.  It touches no socket, so it works on the virtual
    clock; on a real loop it takes real time.

    Args:
        latency: seconds from the end of sending to arrival, each way.
        bandwidth: bytes per second, each way; ``None`` for no limit.
        limit: of the readers, in bytes, as for :func:`asyncio.open_connection`.

    Raises:
        TypeError: a number is not one.
        ValueError: *latency* is negative or infinite, *bandwidth* or *limit* is not
            above 0.
        RuntimeError: no loop is running.
    """
    loop = asyncio.get_running_loop()
    seconds_of(latency, "latency")
    if bandwidth is not None:
        kind = "number of bytes per second"
        number_of(bandwidth, "bandwidth", kind, above=True, none="no limit")
    count_of(limit, "limit")
    ends = [_Transport(loop, latency, bandwidth) for _ in range(2)]
    streams = []
    for near, far in (ends, reversed(ends)):
        near.peer = far
        reader = asyncio.StreamReader(limit=limit, loop=loop)
        near.protocol = protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
        protocol.connection_made(near)
        streams.append((reader, asyncio.StreamWriter(near, protocol, reader, loop)))
    return streams[0], streams[1]


class _Transport(asyncio.Transport):
    """One end; what it writes is on its way until it reaches the peer."""

    peer: _Transport
    protocol: Any

    def __init__(
        self, loop: asyncio.AbstractEventLoop, latency: float, bandwidth: float | None
    ) -> None:
        super().__init__()
        self._loop = loop
        self._latency = latency
        self._bandwidth = bandwidth
        self._free_at = loop.time()  # when all that was written has been sent
        self._unread = 0  # bytes that are on their way, or wait for the peer to read
        # In their order, whatever that of timers due at one time; None for the end.
        self._on_the_way: deque[bytes | None] = deque()
        self._arrived: deque[bytes | None] = deque()
        self._reading = True
        self._writing = True
        self._wrote_eof = False
        self._closing = False
        self._lost = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return f"<in memory {id(self):#x}>" if name == "peername" else default

    # -- sending ---------------------------------------------------------------------

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if self._lost or not data:
            return
        if self._wrote_eof:
            raise RuntimeError("write() was called after write_eof() or close()")
        piece = bytes(data)
        self._unread += len(piece)
        self._send(piece)
        if self._unread > _HIGH_WATER and self._writing:
            self._writing = False
            self.protocol.pause_writing()

    def _send(self, piece: bytes | None) -> None:
        self._free_at = max(self._free_at, self._loop.time())
        if self._bandwidth is not None and piece is not None:
            self._free_at += len(piece) / self._bandwidth
        self._on_the_way.append(piece)
        self._loop.call_at(self._free_at + self._latency, self._hand_over)

    def _hand_over(self) -> None:
        piece, peer = self._on_the_way.popleft(), self.peer
        if peer._lost:
            if piece is not None:  # nobody is there to read it
                after = self._loop.time() + self._latency
                self._loop.call_at(after, self._lose, ConnectionResetError())
            return
        peer._arrived.append(piece)
        peer._deliver()

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        if not self._wrote_eof:
            self._wrote_eof = True
            self._send(None)

    def get_write_buffer_size(self) -> int:
        return self._unread

    def _was_read(self, size: int) -> None:
        self._unread -= size
        if not self._writing and self._unread <= _HIGH_WATER // 4:
            self._writing = True
            self.protocol.resume_writing()

    # -- receiving -------------------------------------------------------------------

    def _deliver(self) -> None:
        while self._arrived and self._reading and not self._lost:
            piece = self._arrived.popleft()
            if piece is None:
                if not self.protocol.eof_received():
                    self.close()
                continue
            self.peer._was_read(len(piece))
            if not self._closing:
                self.protocol.data_received(piece)

    def is_reading(self) -> bool:
        return self._reading and not self._closing

    def pause_reading(self) -> None:
        self._reading = False

    def resume_reading(self) -> None:
        self._reading = True
        self._loop.call_soon(self._deliver)

    # -- ending ----------------------------------------------------------------------

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        """Close this end when all it has written is sent; the peer can read it all."""
        if not self._closing:
            self._closing = True
            self._reading = True
            self.write_eof()
            self._loop.call_at(max(self._free_at, self._loop.time()), self._lose, None)

    def abort(self) -> None:
        """Close this end at once; the peer's reads fail after the latency."""
        self._closing = self._wrote_eof = True
        if not self._lost:
            self._lose(None)
            after = self._loop.time() + self._latency
            self._loop.call_at(after, self.peer._lose, ConnectionResetError())

    def _lose(self, error: Exception | None) -> None:
        if not self._lost:
            self._lost = self._closing = self._wrote_eof = True
            self._arrived.clear()
            self.protocol.connection_lost(error)
