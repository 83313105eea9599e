"""A server like the usual static host, which counts what it sends.

It compresses what shrinks, lets the browser keep files for ten minutes, and answers 304
afterwards. Python's own server would do neither, and most hosts do both.
"""

from __future__ import annotations

import gzip
import http.server
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.utils import formatdate
from functools import cache
from http import HTTPStatus
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tools.serving import Handler, answering

__all__ = ["Counted", "serve"]

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
        self.sent: list[tuple[float, int]] = []
        self.origin = ""
        self.body = cache(self._body)

    def _body(self, name: str) -> tuple[bytes, bool] | None:
        """The bytes for a path, and whether they are compressed; None if missing."""
        path = (self.folder / name).resolve()
        if name in self.extra:
            raw = self.extra[name].encode()
        elif path.is_file() and path.is_relative_to(self.folder):
            raw = path.read_bytes()
        else:
            return None
        packed = gzip.compress(raw, LEVEL, mtime=0)
        return (packed, True) if len(packed) < 0.95 * len(raw) else (raw, False)

    def take(self) -> list[tuple[float, int]]:
        """What was sent since the last call: when (as ``time.time()``), and bytes."""
        sent, self.sent = self.sent, []
        return sent


class _Handler(Handler):
    counted: Counted
    protocol_version = "HTTP/1.1"
    started = formatdate(usegmt=True)

    def do_GET(self) -> None:  # noqa: N802 - the base class has it so
        name = unquote(urlsplit(self.path).path).lstrip("/")
        if not name or name.endswith("/"):
            name += "index.html"
        answer = self.counted.body(name)
        if answer is None:
            self._send(HTTPStatus.NOT_FOUND, b"", {})
            return
        body, packed = answer
        headers = {"Cache-Control": "max-age=600", "Last-Modified": self.started}
        if self.headers.get("If-Modified-Since") == self.started:
            self._send(HTTPStatus.NOT_MODIFIED, b"", headers)
            return
        headers |= {"Content-Type": self.guess_type(name), "Vary": "Accept-Encoding"}
        headers |= {"Content-Encoding": "gzip"} if packed else {}
        self.counted.sent.append((time.time(), len(body)))
        self._send(HTTPStatus.OK, body, headers)

    def _send(self, status: HTTPStatus, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self) -> None:
        with suppress(ConnectionError):  # a browser that leaves a page
            super().handle()


@contextmanager
def serve(counted: Counted) -> Iterator[str]:
    """Serve on a free port of this machine; yields the origin."""
    handler: type[http.server.BaseHTTPRequestHandler]
    handler = type("Handler", (_Handler,), {"counted": counted})
    with answering(handler) as counted.origin:
        yield counted.origin
