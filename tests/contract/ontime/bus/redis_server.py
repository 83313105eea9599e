"""A Redis server for one test or one module, on loopback, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import pytest

from tests.contract.left import SLOW


def need_redis() -> str:
    """Return the path of redis-server; skip, or fail where the full tests are asked."""
    found = shutil.which("redis-server")
    reason = "redis-server is not installed (Debian's package redis-server)"
    try:
        import redis.asyncio  # noqa: F401
    except ImportError:
        found, reason = None, "the package redis is not installed"
    if found is not None:
        return found
    if os.environ.get("ON_TIME_REQUIRE"):
        pytest.fail(f"{reason} (and ON_TIME_REQUIRE is set)", pytrace=False)
    pytest.skip(reason)


class RedisServer:
    """A server that can be stopped and started again.  Use it in ``with``.

    Args:
        folder: an empty folder for its files.
        options: of the server, such as ``"--appendonly", "yes"``.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        self._program = need_redis()
        self._folder = folder
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None
        self._log = folder / "log"
        self._began = False
        self._take_port()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        for _ in range(5):
            self._said = self._log.stat().st_size if self._log.exists() else 0
            self._process = subprocess.Popen(
                [
                    self._program,
                    *("--bind", "127.0.0.1", "--port", str(self.port)),
                    *("--dir", str(self._folder), "--save", "", "--daemonize", "no"),
                    *self._options,
                ],
                stdin=subprocess.DEVNULL,
                stdout=self._log.open("ab"),
                stderr=subprocess.STDOUT,
            )
            # So that no server is left behind when the tests themselves are killed.
            self._guard = subprocess.Popen(
                ["sh", "-c", f"read end; kill {self._process.pid}"],
                stdin=subprocess.PIPE,
            )
            if self._listens():
                self._began = True
                return
            self.stop()
            if not self._began:  # somebody else was faster
                self._held.close()
                self._take_port()
        pytest.fail(self._log.read_text())

    def stop(self, how: int = signal.SIGTERM) -> None:
        """Stop it; by SIGTERM, which lets it write its files, or by SIGKILL."""
        process, self._process = self._process, None
        if process is None:
            return
        self._guard.kill()
        self._guard.communicate()
        process.send_signal(how)
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def _listens(self) -> bool:
        """Whether it comes to say so itself: another server may have the port."""
        assert self._process is not None
        give_up = time.monotonic() + SLOW
        while self._process.poll() is None and time.monotonic() < give_up:
            if b"Ready to accept connections" in self._log.read_bytes()[self._said :]:
                return True
            time.sleep(0.02)
        return False

    def _take_port(self) -> None:
        """Choose a free port, and on Linux hold it: a server can still listen there."""
        self._held = socket.socket()
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._held.bind(("127.0.0.1", 0))
        self.port: int = self._held.getsockname()[1]
        if sys.platform != "linux":
            self._held.close()

    def __enter__(self) -> RedisServer:
        self.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()
        self._held.close()
