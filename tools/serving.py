"""One small HTTP server: for a reader, for the printer of pages, and for the tests."""

from __future__ import annotations

import http.server
import os
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

__all__ = ["HOST", "Handler", "Server", "answering", "serving"]

HOST = "127.0.0.1"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files without a log line for each, with types no registry can change."""

    extensions_map = {  # noqa: RUF012 - the base class has it so
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".css": "text/css",
        ".js": "text/javascript",
        ".mjs": "text/javascript",
        ".svg": "image/svg+xml",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


class Server(http.server.ThreadingHTTPServer):
    """A server whose threads end with the process; many connections may wait for it."""

    allow_reuse_address = os.name != "nt"  # on Windows it would share a busy port
    daemon_threads = True
    request_queue_size = 128

    def server_bind(self) -> None:
        """Bind without the base class's look-up of the machine's name."""
        socketserver.TCPServer.server_bind(self)
        host, port = self.server_address[:2]
        self.server_name, self.server_port = str(host), port


@contextmanager
def answering(
    handler: Callable[..., http.server.BaseHTTPRequestHandler],
) -> Iterator[str]:
    """A server on a free port of this machine; yields the origin."""
    with Server((HOST, 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"http://{HOST}:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """A server of a folder on a free port of this machine; yields the origin."""
    with answering(partial(Handler, directory=str(folder))) as origin:
        yield origin
