"""The calls that would leave the virtual clock, each refused where it is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from looplab.clock.errors import OutsideCallError

__all__ = ["INSTEAD", "outside"]

#: What each call of the loop needs that the virtual clock cannot time.
INSTEAD = {
    "run_in_executor": "a thread or a process pool",
    "getaddrinfo": "the name service",
    "getnameinfo": "the name service",
    "subprocess_exec": "another process",
    "subprocess_shell": "another process",
    "add_signal_handler": "a signal of the operating system",
    "remove_signal_handler": "a signal of the operating system",
    "connect_read_pipe": "a pipe",
    "connect_write_pipe": "a pipe",
    "sendfile": "a file",
} | dict.fromkeys(
    [
        "add_reader",
        "add_writer",
        "connect_accepted_socket",
        "create_connection",
        "create_datagram_endpoint",
        "create_server",
        "create_unix_connection",
        "create_unix_server",
        "remove_reader",
        "remove_writer",
        "sock_accept",
        "sock_connect",
        "sock_recv",
        "sock_recv_into",
        "sock_recvfrom",
        "sock_recvfrom_into",
        "sock_sendall",
        "sock_sendfile",
        "sock_sendto",
        "start_tls",
    ],
    "a socket",
)


def outside(name: str) -> Callable[..., NoReturn]:
    """Return the method of that name: it refuses."""

    def refuse(self: object, *args: Any, **options: Any) -> NoReturn:
        raise OutsideCallError(
            f"loop.{name}() needs {INSTEAD[name]}, which the virtual clock cannot "
            "time: model the wait with asyncio.sleep() and CPU work with burn(), or "
            "use run_real()"
        )

    refuse.__name__ = name
    refuse.__qualname__ = f"VirtualTimeLoop.{name}"
    refuse.__doc__ = "Raise :exc:`OutsideCallError`."
    return refuse
