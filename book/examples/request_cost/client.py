"""Starts the service, puts a load on it, and says what that cost."""

from __future__ import annotations

import json
import math
import os
import random
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

__all__ = ["Load", "Server"]

CONNECTIONS = 16  # so many requests are under way at once, at most
PATIENCE = 600  # seconds for one answer
SEED = 1  # of the moments at which requests come
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Load:
    """What the service did in one window of time.

    Attributes:
        answers: how many requests it answered.
        wall: seconds from the first request to the last answer.
        cpu: CPU seconds of its process in that time.
        sleeps: how often it had nothing to do and slept; NaN where the system does
            not tell.
    """

    answers: int
    wall: float
    cpu: float
    sleeps: float

    @property
    def rate(self) -> float:
        """Answers in a second of wall time."""
        return self.answers / self.wall

    @property
    def each(self) -> float:
        """CPU seconds for one request."""
        return self.cpu / self.answers

    @property
    def sleeps_each(self) -> float:
        """How often the service slept, for one request."""
        return self.sleeps / self.answers


class Server:
    """The service in a process of its own; a context manager that ends it.

    Where there are two cores or more, and the system ties a process to one, the service
    has a core for itself and the load comes from another; :attr:`apart` says whether.
    If this process dies, the service sees its standard input closed and stops.

    Args:
        seconds: after which the service ends in any case.

    Attributes:
        core: the number of the service's core; None where it has none of its own.
    """

    def __init__(self, seconds: float = 3600) -> None:
        self._seconds = seconds
        self.core: int | None = None
        self._others: set[int] = set()
        self._started: list[subprocess.Popen[bytes]] = []

    @property
    def apart(self) -> bool:
        """Whether the service and the load have a core each."""
        return bool(self._others)

    def __enter__(self) -> Server:
        try:
            self._process = self._start("service", str(self._seconds))
            self._port = int(self._line_of("service"))
            if hasattr(os, "sched_setaffinity"):
                *others, core = sorted(os.sched_getaffinity(0))
                if others:
                    os.sched_setaffinity(self._process.pid, {core})
                    self._others = set(others)
                    self.core = core
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self, module: str, *words: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", f"request_cost.{module}", *words],
            cwd=HERE.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._started.append(process)
        return process

    def _line_of(self, module: str) -> bytes:
        stream = self._started[-1].stdout
        assert stream is not None
        line = stream.readline()
        if not line:
            raise RuntimeError(f"{module}.py did not start: see its message above")
        return line

    def __exit__(self, *_: object) -> None:
        while self._started:
            self._end_last()

    def _end_last(self) -> None:
        process = self._started.pop()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        try:
            process.wait(3)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    @contextmanager
    def kept_awake(self) -> Iterator[bool]:
        """Keep the service's core from resting for a while.

        Another program computes there whenever the service sleeps, at the lowest
        priority.  Gives whether it could be done: it needs a core and Linux.
        """
        if self.core is None or not hasattr(os, "SCHED_IDLE"):
            yield False
            return
        self._start("awake", str(self.core), str(self._seconds))
        try:
            self._line_of("awake")
            yield True
        finally:
            self._end_last()

    def drive(
        self,
        way: str,
        parts: int,
        rounds: int,
        seconds: float,
        rate: float | None = None,
        together: int = 1,
    ) -> Load:
        """Put a load on the service for a time.

        Args:
            way: ``sequence`` or ``gather``.
            parts: of each request.
            rounds: of work in each part.
            seconds: how long requests are sent; one is sent in any case.
            rate: requests in a second, at random moments, as from clients who know
                nothing of each other. ``None`` saturates the service: each of 16
                connections sends its next request as soon as it has an answer.
            together: with a rate, so many requests come at the same moment.

        Raises:
            RuntimeError: an answer was wrong, or did not come.
        """
        path = f"/{way}/{parts}/{rounds}"
        request = f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode()
        body = json.dumps({"parts": parts}, separators=(",", ":")).encode()
        with ExitStack() as stack:
            stack.enter_context(self._off_its_core())
            control = stack.enter_context(_Connection(self._port))
            lines = [
                stack.enter_context(_Connection(self._port)) for _ in range(CONNECTIONS)
            ]
            for line in lines:  # accepted, and warm
                line.ask(request, body)
            before, begun = control.ask_cpu(), time.monotonic()
            moments = _moments(begun, rate, together)
            end, paced = begun + seconds, rate is not None
            answers = _send(lines, request, body, end, moments, paced)
            wall = time.monotonic() - begun
            after = control.ask_cpu()
        sleeps = math.nan
        if before["sleeps"] is not None:
            sleeps = after["sleeps"] - before["sleeps"]
        return Load(answers, wall, after["cpu"] - before["cpu"], sleeps)

    @contextmanager
    def _off_its_core(self) -> Iterator[None]:
        """Keep this thread off the core of the service for a while."""
        if not self.apart:
            yield
            return
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, self._others)
        try:
            yield
        finally:
            os.sched_setaffinity(0, allowed)


def _moments(begun: float, rate: float | None, together: int) -> Iterator[float]:
    """When each request is due."""
    if rate is None:
        yield from repeat(begun)
        return
    chance, due = random.Random(SEED), begun  # some come at once
    while True:
        yield from repeat(due, together)
        due += chance.expovariate(rate / together)


def _send(
    lines: list[_Connection],
    request: bytes,
    body: bytes,
    end: float,
    moments: Iterator[float],
    paced: bool,
) -> int:
    """Send requests until *end*, and return how many were answered: all of them.

    With a pace each that is due before is sent, however late this thread may be.
    """
    idle, answers, due = list(lines), 0, next(moments)
    any_sent = False  # this thread may stand still until after the end
    with selectors.DefaultSelector() as selector:
        for line in lines:
            selector.register(line.socket, selectors.EVENT_READ, line)
        while True:
            now = time.monotonic()
            while idle and due <= now:
                if any_sent and (due if paced else now) >= end:
                    break
                idle.pop().send(request)
                any_sent = True
                due = next(moments)
            over = now >= end and any_sent and not (paced and due < end)
            if over and len(idle) == len(lines):
                return answers
            # Either a request is due next, or an answer must come.
            nothing_due = over or not idle
            until = min(due, end) if any_sent else due
            waits = PATIENCE if nothing_due else max(0.0, until - now)
            ready = selector.select(waits)
            if nothing_due and not ready:
                raise RuntimeError(f"no answer to {request!r} for {PATIENCE} s")
            for key, _ in ready:
                if key.data.receive(body):
                    idle.append(key.data)
                    answers += 1


class _Connection:
    """One connection with at most one request under way."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._answer = b""
        self._request = b""

    def __enter__(self) -> _Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, request: bytes) -> None:
        self._request = request
        self.socket.sendall(request)

    def receive(self, body: bytes | None) -> bytes:
        """What has come, when the answer is whole; else nothing.

        Raises:
            RuntimeError: the answer is another one, or the server hung up.
        """
        more = self.socket.recv(65_536)
        self._answer += more
        path = self._request.split()[1].decode()
        if not more:
            raise RuntimeError(f"{path}: the server hung up")
        head, _, content = self._answer.partition(b"\r\n\r\n")
        if not head.startswith(b"HTTP/1.1 200 "):
            status = head.split()[1].decode() if head.split()[1:] else "missing"
            raise RuntimeError(f"{path}: status {status}")
        if not content.endswith(b"}"):  # of the JSON
            return b""
        if body is not None and content != body:
            raise RuntimeError(f"{path}: answered {content!r}")
        self._answer = b""
        return content

    def ask(self, request: bytes, body: bytes | None = None) -> bytes:
        """Send a request and wait for its answer."""
        self.send(request)
        while not (answer := self.receive(body)):
            pass
        return answer

    def ask_cpu(self) -> dict[str, Any]:
        """What the service has used so far."""
        answer = self.ask(b"GET /cpu HTTP/1.1\r\nHost: here\r\n\r\n")
        used: dict[str, Any] = json.loads(answer)
        return used
