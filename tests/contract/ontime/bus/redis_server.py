"""A Redis server for one test or one module, on a socket in a folder of its own."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

import pytest


def need_redis() -> str:
    """The path of redis-server; skip, or fail where nothing may be missing."""
    program = shutil.which("redis-server")
    if program and importlib.util.find_spec("redis"):
        return program
    reason = "this needs redis-server (Debian's redis-server) and the package redis"
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
        self.url = f"unix://{folder}/socket"
        self._command = [
            need_redis(),
            *("--port", "0", "--unixsocket", f"{folder}/socket"),
            *("--dir", str(folder), "--save", "", "--daemonize", "no"),
            *options,
        ]

    def start(self) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(self._command, stdout=pipe, text=True)
        # So that no server is left behind when the tests themselves are killed.
        guard = f"read end; kill {self._process.pid}"
        self._guard = subprocess.Popen(["sh", "-c", guard], stdin=pipe)
        assert self._process.stdout is not None
        printed = []
        for line in self._process.stdout:
            printed.append(line)
            if "eady to accept connections" in line:
                return
        pytest.fail("".join(printed))

    def stop(self) -> None:
        self._guard.kill()
        self._guard.communicate()
        self._process.terminate()
        self._process.communicate()

    def __enter__(self) -> RedisServer:
        self.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()
