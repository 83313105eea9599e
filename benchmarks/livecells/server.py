"""A server like the usual static host, which counts what it sends.

It compresses what shrinks, lets the browser keep files for ten minutes, and answers 304
afterwards. Python's own server would do neither, and most hosts do both.
"""

from __future__ import annotations

import gzip
import http.server
import mimetypes
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.utils import formatdate
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tools.serving import answering

__all__ = ["Counted", "serve"]

TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".svg": "image/svg+xml"}
TYPES |= {".wasm": "application/wasm", ".whl": "application/zip", ".css": "text/css"}
LEVEL = 6  # of gzip; a host's usual choice


class Counted:
    """The files of a folder and what was sent of them.

    Args:
        folder: What is served.
        extra: More pages, by path.
    """

    def __init__(self, folder: Path, extra: dict[str, str] | None = None) -> None:
        self.folder = folder.resolve()
        self.extra = extra or {}
        self.sent: list[tuple[float, str, int]] = []
        self.origin = ""
        self._bodies: dict[str, tuple[bytes, bool]] = {}
        self._lock = threading.Lock()

    def body(self, name: str) -> tuple[bytes, bool] | None:
        """The bytes for a path, and whether they are compressed; None if missing."""
        with self._lock:
            if name not in self._bodies:
                path = (self.folder / name).resolve()
                if name in self.extra:
                    raw = self.extra[name].encode()
                elif path.is_file() and path.is_relative_to(self.folder):
                    raw = path.read_bytes()
                else:
                    return None
                packed = gzip.compress(raw, LEVEL, mtime=0)
                small = len(packed) < 0.95 * len(raw)
                self._bodies[name] = (packed, True) if small else (raw, False)
            return self._bodies[name]

    def take(self) -> list[tuple[float, str, int]]:
        """What was sent since the last call: when (as ``time.time()``), path, bytes."""
        sent, self.sent = self.sent, []
        return sent


class _Handler(http.server.BaseHTTPRequestHandler):
    counted: Counted
    protocol_version = "HTTP/1.1"
    started = formatdate(usegmt=True)

    def do_GET(self) -> None:
        name = unquote(urlsplit(self.path).path).lstrip("/")
        if not name or name.endswith("/"):
            name += "index.html"
        found = self.counted.body(name)
        if found is None:
            self._send(HTTPStatus.NOT_FOUND, b"", {})
            return
        body, packed = found
        headers = {"Cache-Control": "max-age=600", "Last-Modified": self.started}
        if self.headers.get("If-Modified-Since") == self.started:
            self._send(HTTPStatus.NOT_MODIFIED, b"", headers)
            return
        suffix = Path(name).suffix
        kind = TYPES.get(suffix) or mimetypes.guess_type(name)[0]
        headers["Content-Type"] = kind or "application/octet-stream"
        headers["Vary"] = "Accept-Encoding"
        if packed:
            headers["Content-Encoding"] = "gzip"
        self.counted.sent.append((time.time(), name, len(body)))
        self._send(HTTPStatus.OK, body, headers)

    def _send(self, status: HTTPStatus, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(body)))
        with suppress(ConnectionError):
            self.end_headers()
            self.wfile.write(body)

    def handle(self) -> None:
        with suppress(ConnectionError):
            super().handle()

    def log_message(self, *_: object) -> None:
        """Stay quiet."""


@contextmanager
def serve(counted: Counted) -> Iterator[str]:
    """Serve on a free port of this machine; yields the origin."""

    handler = type("Handler", (_Handler,), {"counted": counted})
    with answering(handler) as counted.origin:
        yield counted.origin
