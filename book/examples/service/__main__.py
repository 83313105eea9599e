"""Serve the shop on the loopback interface until Ctrl-C."""

from __future__ import annotations

import argparse
import os
import socket
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import uvicorn

from .app import make_app
from .settings import FAULTS, Settings

GRACE = 5  # seconds for open requests when the service ends


def parse(words: list[str] | None = None) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        prog="python -m service",
        description="Serve a small shop; without options it has all its faults.",
        epilog="; ".join(f"{name}: {text}" for name, text in FAULTS.items()),
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--fault", nargs="*", choices=FAULTS, help="these, and no other")
    which.add_argument("--fix", nargs="*", choices=FAULTS, help="all others")
    parser.add_argument("--port", type=int, default=0, help="0 for any that is free")
    parser.add_argument(
        "--lease",
        type=float,
        default=Settings().lease,
        help="seconds for which the bus hands out an order",
    )
    parser.add_argument("--folder", type=Path, help="where orders are kept")
    parser.add_argument(
        "--until-closed", action="store_true", help="stop when standard input is closed"
    )
    return parser.parse_args(words)


def settings_of(options: argparse.Namespace) -> Settings:
    """The settings that the options ask for."""
    if options.fault is not None:
        faults = frozenset(options.fault)
    else:
        faults = frozenset(FAULTS) - frozenset(options.fix or ())
    return Settings(faults=faults, lease=options.lease)


def main() -> None:
    """Serve, and print the port first."""
    options = parse()
    with tempfile.TemporaryDirectory(prefix="service-") as temporary:
        folder = options.folder or Path(temporary)
        app = make_app(settings_of(options), folder)
        config = uvicorn.Config(
            app, loop="asyncio", log_level="error", timeout_graceful_shutdown=GRACE
        )
        server = uvicorn.Server(config)
        if options.until_closed:
            threading.Thread(
                target=end_when_closed, args=(server,), daemon=True
            ).start()
        # asyncio switches Nagle's delay off only where the protocol is given.
        with socket.socket(proto=socket.IPPROTO_TCP) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind(("127.0.0.1", options.port))
            except OSError as error:
                sys.exit(f"cannot serve on port {options.port}: {error.strerror}")
            listener.listen()  # who comes early waits
            print(listener.getsockname()[1], flush=True)
            with suppress(KeyboardInterrupt):  # uvicorn raises Ctrl-C again at its end
                server.run(sockets=[listener])


def end_when_closed(server: uvicorn.Server) -> None:
    """End the service when nobody holds its standard input open."""
    while os.read(0, 1024):
        pass
    server.should_exit = True


if __name__ == "__main__":
    main()
