"""Starts the service, sends it a bounded load, and asks what that cost."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

__all__ = ["Server"]

CONNECTIONS = 4
SATURATING = 16  # connections: a busy server has the next request waiting
HERE = Path(__file__).resolve().parent


class Server:
    """The service in a process of its own; a context manager that ends it.

    If this process dies, the service sees its standard input closed and stops.
    """

    def __init__(self, seconds: float = 120) -> None:
        self._seconds = seconds

    def __enter__(self) -> Server:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "request_cost.service", str(self._seconds)],
            cwd=HERE.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        try:
            assert self._process.stdout is not None
            line = self._process.stdout.readline()
            if not line:
                raise RuntimeError("the service did not start: see its message above")
            self._port = int(line)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def cost(self, way: str, parts: int, rounds: int, requests: int) -> float:
        """CPU seconds of the server for a request, over so many of them."""
        path = f"/{way}/{parts}/{rounds}"
        shares = [requests // CONNECTIONS] * CONNECTIONS
        before = self._ask(["/cpu"])[0]["cpu"]
        with ThreadPoolExecutor(CONNECTIONS) as threads:
            answers = list(threads.map(lambda n: self._ask([path] * n), shares))
        after = self._ask(["/cpu"])[0]["cpu"]
        done = [answer["parts"] for some in answers for answer in some]
        if done != [parts] * len(done):
            raise RuntimeError(f"{path} did not do its {parts} parts each time")
        return float(after - before) / len(done)

    def saturate(
        self, way: str, parts: int, rounds: int, seconds: float
    ) -> tuple[float, float]:
        """Keep the server busy for a time, with a next request always at hand.

        Returns:
            Answers in a second of wall time, and the server's share of a core.
        """
        path = f"/{way}/{parts}/{rounds}"
        self._ask([path])  # a status other than 200 raises here
        request = f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode()
        before, begun = self._ask(["/cpu"])[0]["cpu"], time.monotonic()

        def client(_: int) -> int:
            answers = 0
            with socket.create_connection(("127.0.0.1", self._port), 10) as sock:
                while time.monotonic() < begun + seconds:
                    sock.sendall(request)
                    answer = b""
                    while not answer.endswith(b"}"):  # of the JSON
                        more = sock.recv(65_536)
                        if not more:
                            raise RuntimeError(f"{path}: the server hung up")
                        answer += more
                    answers += 1
            return answers

        with ThreadPoolExecutor(SATURATING) as threads:
            answers = sum(threads.map(client, range(SATURATING)))
        wall = time.monotonic() - begun
        used = self._ask(["/cpu"])[0]["cpu"] - before
        return answers / wall, used / wall

    def _ask(self, paths: list[str]) -> list[Any]:
        """The answers to requests on one connection."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=10)
        answers = []
        try:
            for path in paths:
                connection.request("GET", path)
                response = connection.getresponse()
                body = response.read()
                if response.status != 200:
                    raise RuntimeError(f"{path}: status {response.status}")
                answers.append(json.loads(body))
        finally:
            connection.close()
        return answers
