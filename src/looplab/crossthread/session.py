"""A session: an event loop in a thread of its own, whose task waits for messages.

This is the case of chapter 6 without its web framework.  A test client runs the
application on a loop in a thread; the test calls it from another.  All that differs
between the *ways* is how the task on the loop waits for what the caller sends.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import hashlib
import importlib
import importlib.util
import math
import os
import queue
import selectors
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

__all__ = ["WAYS", "Session", "Spinner", "missing", "sessions"]

T = TypeVar("T")

#: Seconds after which a caller stops waiting for a loop that does not answer.
TIMEOUT = 60.0
_NAP = 0.001


@dataclass(frozen=True, slots=True)
class _Question:
    """A message of the caller, and where the answer goes."""

    message: Any
    answer: concurrent.futures.Future[Any]


class _Inbox(ABC):
    """Takes messages from any thread and gives them to a task of the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop

    @abstractmethod
    def put(self, item: _Question) -> None: ...

    @abstractmethod
    async def get(self) -> _Question: ...

    async def close(self) -> None:
        """On the loop, when nothing more will be taken."""
        return


class _Poll(_Inbox):
    """What the old test client did: ask in every turn whether something is there."""

    pause = 0.0

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.queue: queue.Queue[_Question] = queue.Queue()

    def put(self, item: _Question) -> None:
        self.queue.put(item)

    async def get(self) -> _Question:
        while self.queue.empty():  # noqa: ASYNC110 - this is the case
            await asyncio.sleep(self.pause)
        return self.queue.get_nowait()


class _Nap(_Poll):
    """The quick fix: the same with a real sleep."""

    pause = _NAP


class _Queue(_Inbox):
    """The loop's own queue; the caller asks the loop to put the message into it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        # No bound: one caller, who waits for each answer.
        self.queue: asyncio.Queue[_Question] = asyncio.Queue()  # noqa: LAG101

    def put(self, item: _Question) -> None:
        self.loop.call_soon_threadsafe(self.queue.put_nowait, item)

    async def get(self) -> _Question:
        return await self.queue.get()


class _Event(_Poll):
    """A thread queue, and an event of the loop that says when to look into it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.arrived = asyncio.Event()

    def put(self, item: _Question) -> None:
        self.queue.put(item)
        self.loop.call_soon_threadsafe(self.arrived.set)

    async def get(self) -> _Question:
        while self.queue.empty():
            self.arrived.clear()
            await self.arrived.wait()
        return self.queue.get_nowait()


class _AnyIO(_Inbox):
    """A pair of memory object streams of anyio."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        anyio = importlib.import_module("anyio")
        self.sender, self.receiver = anyio.create_memory_object_stream(math.inf)

    def put(self, item: _Question) -> None:
        self.loop.call_soon_threadsafe(self.sender.send_nowait, item)

    async def get(self) -> _Question:
        question: _Question = await self.receiver.receive()
        return question

    async def close(self) -> None:
        self.sender.close()
        self.receiver.close()


class _Janus(_Inbox):
    """A queue of janus, which has a face for threads and one for tasks."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(loop)
        self.queue: Any = importlib.import_module("janus").Queue()

    def put(self, item: _Question) -> None:
        self.queue.sync_q.put(item)

    async def get(self) -> _Question:
        question: _Question = await self.queue.async_q.get()
        return question

    async def close(self) -> None:
        await self.queue.aclose()


_INBOXES: dict[str, type[_Inbox]] = {
    "poll": _Poll,
    "nap": _Nap,
    "queue": _Queue,
    "event": _Event,
    "anyio": _AnyIO,
    "janus": _Janus,
}
_NEEDS = {"anyio": "anyio", "janus": "janus"}

#: The ways in which a session's task can wait.
WAYS: tuple[str, ...] = tuple(_INBOXES)


def missing(way: str) -> str:
    """Why *way* cannot run here, as a sentence; empty if it can.

    Raises:
        ValueError: there is no such way.
    """
    _known(way)
    package = _NEEDS.get(way)
    if package is None or importlib.util.find_spec(package) is not None:
        return ""
    return f"the way {way!r} needs the package {package}: pip install {package}"


class _LingeringSelector(selectors.SelectSelector):
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


class _BusySelector(selectors.DefaultSelector):
    """A selector that, before it looks, computes without the interpreter's lock.

    Others get the interpreter for that time, as beside :class:`_LingeringSelector`, and
    the loop keeps its core: what helps then is the gap and not the free core.
    """

    def __init__(self, window: float) -> None:
        super().__init__()
        # A digest of more than 2 KB is computed without the lock.
        probe = bytes(1_000_000)
        started = time.perf_counter()
        hashlib.sha256(probe)
        rate = len(probe) / (time.perf_counter() - started)
        self._data = bytes(min(100_000_000, max(4096, round(rate * window))))

    def select(self, timeout: float | None = None) -> Any:
        if timeout is not None and timeout <= 0:
            hashlib.sha256(self._data)
        return super().select(timeout)


class Session:
    """An event loop in a thread of its own, with a task that waits for messages.

    A context manager: the thread runs inside the ``with`` block and has ended after it,
    whatever happened in between::

        with Session("poll") as session:
            session.hop()
            session.ask("hello")

    Args:
        way: how the task waits, one of :data:`WAYS`.
        cpu: the core that the thread is to run on; any core if None.
        window: seconds that the loop lets others have the interpreter in each turn, at
            least.  0 is asyncio's own way: as long as a look at the sockets takes.
        busy: whether the loop computes in the window, without the interpreter's lock,
            and keeps its core (about as long as *window* says).  By default it sleeps.
        name: name of the thread.

    Raises:
        TypeError: *cpu* or *window* is no number, *busy* is no bool.
        ValueError: *way*, *cpu* or *window* has no such value here.
        ModuleNotFoundError: the way needs a package that is not there.
        NotImplementedError: *cpu* was given and the system pins no threads.

    Introduced in the chapter *Find the loop that spins*.
    """

    def __init__(
        self,
        way: str = "poll",
        *,
        cpu: int | None = None,
        window: float = 0.0,
        busy: bool = False,
        name: str = "session",
    ) -> None:
        if why := missing(way):
            raise ModuleNotFoundError(why, name=_NEEDS[way])
        if cpu is not None:
            check_cpu(cpu)
        if isinstance(window, bool) or not isinstance(window, (int, float)):
            raise TypeError(f"window must be a number of seconds, not {window!r}")
        if not 0 <= window < 1:
            raise ValueError(
                f"window must be from 0 s to below 1 s, not {window:g} s: the loop "
                "pays it in every turn"
            )
        if not isinstance(busy, bool):
            raise TypeError(f"busy must be True or False, not {busy!r}")
        if busy and not window:
            raise ValueError("busy=True needs a window above 0 s: give window=0.0001")
        self.way = way
        self._cpu = cpu
        self._window = window
        self._busy = busy
        self._name = name
        self._thread: threading.Thread | None = None
        self._ready: concurrent.futures.Future[asyncio.AbstractEventLoop]
        self._inbox: _Inbox

    def __repr__(self) -> str:
        state = "open" if self._thread is not None else "closed"
        return f"<Session {self.way} {state}>"

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The event loop.

        Raises:
            RuntimeError: the session is not open.
        """
        if self._thread is None:
            raise RuntimeError(
                "the session is not open: use it inside `with Session(...) as session:`"
            )
        return self._ready.result()

    def __enter__(self) -> Session:
        """Start the thread; the task waits for messages when this returns."""
        if self._thread is not None:
            raise RuntimeError("the session is open already: make a second Session()")
        self._ready = concurrent.futures.Future()
        # A daemon, so that a caller who is killed in between does not hang.
        thread = threading.Thread(target=self._run, name=self._name, daemon=True)
        thread.start()
        self._thread = thread
        try:
            self._ready.result(TIMEOUT)
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Stop the loop and wait for its thread."""
        self._stop()

    def hop(self) -> float:
        """Call a function on the loop and wait until it has run; seconds it took.

        Raises:
            RuntimeError: the session is not open, or this is its own thread.
            TimeoutError: the loop did not answer within a minute.
        """
        started = time.perf_counter()
        self.call(int)
        return time.perf_counter() - started

    def call(self, function: Callable[[], T]) -> T:
        """Call *function* on the loop and return what it returned.

        Raises:
            RuntimeError: as :meth:`hop`.
            TimeoutError: as :meth:`hop`.
            Exception: what *function* raised.
        """
        answer: concurrent.futures.Future[T] = concurrent.futures.Future()

        def run() -> None:
            try:
                answer.set_result(function())
            except BaseException as error:
                answer.set_exception(error)

        self._refuse_own_thread()
        self.loop.call_soon_threadsafe(run)
        return self._wait(answer)

    def ask(self, message: T) -> T:
        """Send *message* to the task, which sends it back.

        Raises:
            RuntimeError: as :meth:`hop`.
            TimeoutError: as :meth:`hop`.
        """
        self._refuse_own_thread()
        answer: concurrent.futures.Future[T] = concurrent.futures.Future()
        assert self.loop
        self._inbox.put(_Question(message, answer))
        return self._wait(answer)

    def _refuse_own_thread(self) -> None:
        if threading.current_thread() is self._thread:
            raise RuntimeError(
                "a session cannot wait for itself: call it from another thread"
            )

    def _wait(self, answer: concurrent.futures.Future[T]) -> T:
        try:
            return answer.result(TIMEOUT)
        except concurrent.futures.TimeoutError:
            if answer.done():  # the function itself raised it
                raise
            raise TimeoutError(
                f"the loop of {self!r} did not answer within {TIMEOUT:g} s"
            ) from None

    def _run(self) -> None:
        try:
            if self._cpu is not None:
                os.sched_setaffinity(0, {self._cpu})  # of this thread alone
            with asyncio.Runner(loop_factory=self._new_loop) as runner:
                runner.run(self._serve())
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)
            elif not isinstance(error, asyncio.CancelledError):
                raise

    def _new_loop(self) -> asyncio.AbstractEventLoop:
        if self._window:
            kind = _BusySelector if self._busy else _LingeringSelector
            return asyncio.SelectorEventLoop(kind(self._window))
        return asyncio.new_event_loop()

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        self._inbox = _INBOXES[self.way](loop)
        self._task = asyncio.current_task()
        if self._task is not None:
            self._task.set_name("receive")
        self._ready.set_result(loop)
        try:
            while True:
                question = await self._inbox.get()
                question.answer.set_result(question.message)
        finally:
            await self._inbox.close()

    def _stop(self) -> None:
        thread = self._thread
        if thread is None:
            return
        if self._ready.done() and self._ready.exception() is None:
            with suppress(RuntimeError):  # the loop is closed already
                self._ready.result().call_soon_threadsafe(self._cancel)
        thread.join()
        self._thread = None

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()


@contextmanager
def sessions(
    way: str = "poll",
    count: int = 2,
    *,
    cpu: int | None = None,
    window: float = 0.0,
    busy: bool = False,
) -> Iterator[list[Session]]:
    """Open *count* sessions at once, and close them all at the end of the block.

    Args:
        way: how their tasks wait, one of :data:`WAYS`.
        count: how many, from 1 to 64.
        cpu: as in :class:`Session`, for all of them.
        window: as in :class:`Session`, for all of them.
        busy: as in :class:`Session`, for all of them.

    Raises:
        TypeError: *count* is no whole number; and as :class:`Session`.
        ValueError: *count* is out of range; and as :class:`Session`.
    """
    check_count(count, "count", 64)
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                Session(way, cpu=cpu, window=window, busy=busy, name=f"{way}-{number}")
            )
            for number in range(1, count + 1)
        ]


class Spinner:
    """A thread that waits for a queue and never lets go of the interpreter by itself.

    ``while queue.empty(): pass``: the program that the wrong hypothesis of chapter 6
    describes.  A context manager, like :class:`Session`; when its block begins, it
    spins.
    """

    def __init__(self, *, name: str = "spinner") -> None:
        self._queue: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._spinning = threading.Event()
        self._name = name
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Spinner:
        if self._thread is not None:
            raise RuntimeError("the spinner spins already: make a second Spinner()")
        thread = threading.Thread(target=self._spin, name=self._name, daemon=True)
        thread.start()
        self._thread = thread
        try:
            self._spinning.wait(TIMEOUT)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._queue.put(None)
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _spin(self) -> None:
        empty = self._queue.empty
        self._spinning.set()
        while empty():
            pass
        self._queue.get()


# Checks of settings, shared with the measurements


def _known(way: str) -> None:
    if way not in _INBOXES:
        raise ValueError(f"there is no way {way!r}: choose from {', '.join(WAYS)}")


def check_count(value: int, what: str, most: int) -> int:
    """*value*, if it is a whole number from 1 to *most*."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{what} must be a whole number, not {value!r}")
    if not 1 <= value <= most:
        raise ValueError(f"{what} must be from 1 to {most:,}, not {value:,}")
    return value


def check_cpu(cpu: int) -> None:
    """Refuse a core that this process may not use."""
    if isinstance(cpu, bool) or not isinstance(cpu, int):
        raise TypeError(f"cpu must be the number of a core, not {cpu!r}")
    if not hasattr(os, "sched_getaffinity"):
        raise NotImplementedError(
            "this system cannot pin a thread to a core: leave cpu out (Linux can)"
        )
    allowed = sorted(os.sched_getaffinity(0))
    if cpu not in allowed:
        raise ValueError(
            f"this process may not use core {cpu}: choose from "
            f"{', '.join(map(str, allowed))}"
        )
