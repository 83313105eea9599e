"""A Redis server for one test or one module, on loopback, in a folder of its own."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType

import pytest


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
    if os.environ.get("ON_TIME_FULL"):
        pytest.fail(f"{reason} (and ON_TIME_FULL is set)", pytrace=False)
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
        self.port = _free_port()
        self._began = False

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        for _ in range(5):
            self._process = subprocess.Popen(
                [
                    self._program,
                    *("--bind", "127.0.0.1", "--port", str(self.port)),
                    *("--dir", str(self._folder), "--save", "", "--daemonize", "no"),
                    *self._options,
                ],
                stdin=subprocess.DEVNULL,
                stdout=(self._folder / "log").open("ab"),
                stderr=subprocess.STDOUT,
            )
            # So that no server is left behind when the tests themselves are killed.
            self._guard = subprocess.Popen(
                ["sh", "-c", f"read end; kill {self._process.pid}"],
                stdin=subprocess.PIPE,
            )
            if self._answers():
                self._began = True
                return
            self.stop()
            if not self._began:  # somebody else was faster
                self.port = _free_port()
        pytest.fail((self._folder / "log").read_text())

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

    def _answers(self) -> bool:
        assert self._process is not None
        give_up = time.monotonic() + 120
        while self._process.poll() is None and time.monotonic() < give_up:
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1) as client:
                    client.sendall(b"PING\r\n")
                    if client.recv(7).startswith((b"+PONG", b"-NOAUTH")):
                        return True
            except OSError:
                pass
            time.sleep(0.02)
        return False

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


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
