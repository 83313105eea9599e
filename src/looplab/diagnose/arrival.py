"""When did the data arrive?  On Linux the kernel knows, for a TCP connection.

Data that comes while a callback holds the loop becomes *ready* only at the loop's next
look at its selector.  ``TCP_INFO`` tells how many milliseconds ago the last data came.
The kernel counts them in steps of about 4 ms.  It is the age of the *last* packet, so
the arrival of a long request is seen too late, never too early.

:func:`arrival_asker` returns what is called with a selector's key.
"""

from __future__ import annotations

import socket
import sys
from typing import Any

_LISTEN, _CLOSE_WAIT = 10, 8  # in tcpi_state, the first byte
_LAST_DATA_RECV = 52  # offset of tcpi_last_data_recv, in milliseconds
_STEP_NS = 5_000_000  # a younger age says nothing
_MS = 1_000_000
_SCAN_NS = 1_000_000_000  # between two searches for listening sockets
_KNOWN = 100_000  # file descriptors that are remembered


class Asker:
    """Asks for the arrival of data at the keys of *selector*."""

    def __init__(self, selector: Any) -> None:
        # (identity of the reader, accepted, is a TCP connection) by file descriptor
        self._known: dict[int, tuple[int, bool, bool]] = {}
        #: By file descriptor the identity of the reader, if it was accepted here.
        self.accepted: dict[int, int] = {}
        self._selector = selector
        self._listening: set[int] = set()  # ports
        self._scanned_at = -_SCAN_NS

    def __call__(
        self, key: Any, at: int, before: int, wanted: bool
    ) -> tuple[int | None, bool]:
        """When did the last data at *key* arrive?  And was it accepted here?

        Takes the time now, the time of the look before, both in nanoseconds, and
        whether the arrival is wanted.  It is None if that is just now, unknown, or not
        wanted.  The second answer is whether the connection was accepted here rather
        than opened here.
        """
        fd, reader = key[1], id(key[3][0])
        known = self._known.get(fd)
        fresh = known is None or known[0] != reader
        if known is None or fresh:
            if len(self._known) > _KNOWN:
                self._known.clear()
                self.accepted.clear()
            known = self._known[fd] = (reader, *self._classify(fd, at))
            self.accepted[fd] = reader if known[1] else 0
        _, accepted, connected = known
        age = age_ns(fd) if wanted and connected else -1
        if age < _STEP_NS:
            return None, accepted
        # What came before the last look would have been found by it, unless the loop
        # did not watch this connection then.
        return at - age if fresh else max(at - age, before), accepted

    def _classify(self, fd: int, at: int) -> tuple[bool, bool]:
        info, port = _tcp_of(fd)
        if not info or info[0] == _LISTEN:
            return True, False
        if port not in self._listening and at - self._scanned_at >= _SCAN_NS:
            self._scanned_at = at
            for each in list(self._selector.get_map()):
                info, listens_at = _tcp_of(each)
                if info and info[0] == _LISTEN:
                    self._listening.add(listens_at)
        return port in self._listening, True


def arrival_asker(selector: Any) -> Asker | None:
    """Return what tells the arrival at a key of *selector*; None where nobody knows."""
    tells = sys.platform == "linux" and hasattr(socket, "TCP_INFO")
    return Asker(selector) if tells else None


def _tcp_of(fd: int) -> tuple[bytes, int]:
    """What the kernel tells of a TCP socket, and its local port; nothing of others."""
    try:
        connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0, fileno=fd)
    except OSError:  # a pipe, or closed
        return b"", 0
    try:
        info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 56)
        return info, connection.getsockname()[1]
    except OSError:
        return b"", 0
    finally:
        connection.detach()


def age_ns(fd: int) -> int:
    """Return how long ago the last data came, in nanoseconds; -1 if unknown."""
    info, _ = _tcp_of(fd)
    if len(info) < 56 or info[0] == _CLOSE_WAIT:
        return -1  # its end came, and when, nobody says
    age = info[_LAST_DATA_RECV : _LAST_DATA_RECV + 4]
    return int.from_bytes(age, sys.byteorder) * _MS
