"""A session: an event loop in a thread of its own, whose task waits for messages.

This is the case of chapter 6 without its web framework.  A test client runs the
application on a loop in a thread; the test calls it from another.  All that differs
between the *ways* of :mod:`.inboxes` is how the task on the loop waits for what the
caller sends.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from types import TracebackType
from typing import TypeVar

from looplab._numbers import count_of, seconds_of

from .conditions import check_cpu
from .inboxes import INBOXES, PACKAGES, Inbox, Question, missing
from .windows import BusySelector, LingeringSelector

__all__ = ["TIMEOUT", "Session", "sessions"]

T = TypeVar("T")

#: Seconds after which a caller stops waiting for a loop that does not answer.
TIMEOUT = 300.0


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
        window: seconds that the loop lets others have the interpreter in each
            iteration, at least.  0 is asyncio's own way: as long as a look at the
            sockets takes.
        busy: whether the loop computes in the window, without the interpreter's lock,
            and keeps its core (about as long as *window* says).  By default it sleeps.
        name: name of the thread.

    Raises:
        TypeError: *cpu* or *window* is not a number, *busy* is not a bool.
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
            raise ModuleNotFoundError(why, name=PACKAGES[way])
        if cpu is not None:
            check_cpu(cpu)
        window = seconds_of(window, "window")
        if window >= 1:
            raise ValueError(
                f"window is {window:g} s: give less than 1 s, because the loop pays "
                "it in every iteration"
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
        self._inbox: Inbox

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
            TimeoutError: the loop did not answer within five minutes.
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
        self._inbox.put(Question(message, answer))
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
            kind = BusySelector if self._busy else LingeringSelector
            return asyncio.SelectorEventLoop(kind(self._window))
        return asyncio.new_event_loop()

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        self._inbox = INBOXES[self.way](loop)
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
        TypeError: *count* is not a whole number; and as :class:`Session`.
        ValueError: *count* is out of range; and as :class:`Session`.
    """
    count_of(count, "count", most=64)
    with ExitStack() as stack:
        yield [
            stack.enter_context(
                Session(way, cpu=cpu, window=window, busy=busy, name=f"{way}-{number}")
            )
            for number in range(1, count + 1)
        ]
