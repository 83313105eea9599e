"""A session: an event loop in a thread of its own, whose task waits for messages.

This is the case of chapter 6 without its web framework.  A test client runs the
application on a loop in a thread; the test calls it from another.  All that differs
between the *ways* of :mod:`.inboxes` is how the task on the loop waits for what the
caller sends.  A :class:`Spinner` is the thread that the wrong hypothesis describes.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import hashlib
import os
import queue
import selectors
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import KW_ONLY, dataclass
from typing import Any, TypeVar

from .inboxes import INBOXES, Inbox, Question

__all__ = ["Session", "Spinner", "sessions"]

T = TypeVar("T")

#: Seconds after which a caller stops waiting for a loop that does not answer.
TIMEOUT = 300.0


def seconds_of(function: Callable[[T], object], argument: T) -> float:
    """How long a call takes."""
    started = time.perf_counter()
    function(argument)
    return time.perf_counter() - started


class _Lingering(selectors.SelectSelector):
    """A selector that never looks and returns at once: it waits a little, always.

    It is made of ``select``, which waits for microseconds where it is told so.  Those
    of ``epoll`` and ``poll`` round up to a millisecond.
    """

    def __init__(self, window: float) -> None:
        super().__init__()
        self._window = window

    def select(self, timeout: float | None = None) -> Any:
        if timeout is not None:
            timeout = max(timeout, self._window)
        return super().select(timeout)


class _Busy(selectors.DefaultSelector):
    """A selector that, before it looks, computes without the interpreter's lock.

    Others get the interpreter for that time, as beside :class:`_Lingering`, and the
    loop keeps its core: what helps then is the gap and not the free core.
    """

    def __init__(self, window: float) -> None:
        super().__init__()
        # A digest of more than 2 KB is computed without the lock.
        probe = bytes(1_000_000)

        # The best of a few: another process may take the core in one.
        rate = len(probe) / min(seconds_of(hashlib.sha256, probe) for _ in range(5))
        self._data = bytes(min(100_000_000, max(4096, round(rate * window))))

    def select(self, timeout: float | None = None) -> Any:
        if timeout is not None and timeout <= 0:
            hashlib.sha256(self._data)
        return super().select(timeout)


@dataclass(eq=False)
class Session:
    """An event loop in a thread of its own, with a task that waits for messages.

    A context manager: the thread runs inside the ``with`` block and has ended after it,
    whatever happened in between::

        with Session("poll") as session:
            session.hop()
            session.ask("hello")

    Args:
        way: how the task waits, one of :data:`WAYS`.
        cpu: the core that the thread is to run on (Linux); any core if None.
        window: seconds that the loop lets others have the interpreter in each
            iteration, at least.  0 is asyncio's own way: as long as a look at the
            sockets takes.
        busy: whether the loop computes in the window, without the interpreter's lock,
            and keeps its core (about as long as *window* says).  By default it sleeps.
        name: name of the thread.

    Introduced in the chapter *Find the loop that spins*.
    """

    way: str = "poll"
    _: KW_ONLY
    cpu: int | None = None
    window: float = 0.0
    busy: bool = False
    name: str = "session"

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop of the open session."""
        return self._ready.result()

    def __enter__(self) -> Session:
        """Start the thread; the task waits for messages when this returns."""
        self._ready: concurrent.futures.Future[asyncio.AbstractEventLoop]
        self._ready = concurrent.futures.Future()
        # A daemon, so that a caller who is killed in between does not hang.
        self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
        self._thread.start()
        try:
            self._ready.result(TIMEOUT)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc_info: object) -> None:
        """Stop the loop and wait for its thread."""
        if self._ready.done() and self._ready.exception() is None:
            with suppress(RuntimeError):  # the loop is closed already
                self._ready.result().call_soon_threadsafe(self._task.cancel)
        self._thread.join()

    def hop(self) -> float:
        """Call a function on the loop and wait until it has run; seconds it took.

        Raises:
            TimeoutError: the loop did not answer within five minutes.
        """
        return seconds_of(self.call, int)

    def call(self, function: Callable[[], T]) -> T:
        """Call *function* on the loop and return what it returned.

        Raises:
            TimeoutError: as :meth:`hop`.
            Exception: what *function* raised.
        """
        answer: concurrent.futures.Future[T] = concurrent.futures.Future()

        def run() -> None:
            try:
                answer.set_result(function())
            except BaseException as error:
                answer.set_exception(error)

        self.loop.call_soon_threadsafe(run)
        return answer.result(TIMEOUT)

    def ask(self, message: T) -> T:
        """Send *message* to the task, which sends it back.

        Raises:
            TimeoutError: as :meth:`hop`.
        """
        answer: concurrent.futures.Future[T] = concurrent.futures.Future()
        self._inbox.put(Question(message, answer))
        return answer.result(TIMEOUT)

    def _run(self) -> None:
        try:
            if self.cpu is not None:
                os.sched_setaffinity(0, {self.cpu})  # of this thread alone
            with asyncio.Runner(loop_factory=self._new_loop) as runner:
                runner.run(self._serve())
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)
            elif not isinstance(error, asyncio.CancelledError):
                raise

    def _new_loop(self) -> asyncio.AbstractEventLoop:
        if self.window:
            kind = _Busy if self.busy else _Lingering
            return asyncio.SelectorEventLoop(kind(self.window))
        return asyncio.new_event_loop()

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        self._inbox: Inbox = INBOXES[self.way](loop)
        self._task: asyncio.Task[Any] = asyncio.current_task()  # type: ignore[assignment]
        self._task.set_name("receive")
        self._ready.set_result(loop)
        try:
            while True:
                question = await self._inbox.get()
                question.answer.set_result(question.message)
        finally:
            await self._inbox.close()


@contextmanager
def sessions(way: str, count: int, **options: Any) -> Iterator[list[Session]]:
    """Open *count* sessions at once, and close them all at the end of the block.

    Args:
        way: how their tasks wait, one of :data:`WAYS`.
        count: how many.
        options: for all of them: *window* and *busy*, as of :class:`Session`.
    """
    with ExitStack() as stack:
        yield [
            stack.enter_context(Session(way, name=f"{way}-{number}", **options))
            for number in range(1, count + 1)
        ]


class Spinner:
    """A thread that waits for a queue and never lets go of the interpreter by itself.

    ``while queue.empty(): pass``: the program that the wrong hypothesis of chapter 6
    describes.  A context manager, like :class:`Session`; when its block begins, it
    spins.
    """

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._spinning = threading.Event()
        self._thread = threading.Thread(target=self._spin, name="spinner", daemon=True)

    def __enter__(self) -> Spinner:
        self._thread.start()
        try:
            self._spinning.wait(TIMEOUT)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._queue.put(None)
        self._thread.join()

    def _spin(self) -> None:
        empty = self._queue.empty
        self._spinning.set()
        while empty():
            pass
        self._queue.get()
