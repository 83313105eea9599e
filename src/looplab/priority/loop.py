"""Event loops whose ready queue is in order of urgency.

:class:`PriorityEventLoop` is asyncio's selector loop, and
:class:`VirtualPriorityLoop` the virtual clock, with the same ready queue.  The
coroutines do not change: a task has the priority of the code that made it, see
:func:`looplab.priority.priority`.
"""

from __future__ import annotations

import asyncio
import contextlib
import selectors
import sys
import time
from asyncio import base_subprocess, selector_events
from collections.abc import Callable, Coroutine
from contextvars import Context, copy_context
from dataclasses import dataclass
from functools import partial
from heapq import heappop
from typing import TYPE_CHECKING, Any, TypeVar

from looplab import clock as _clock
from looplab.priority.context import DEFAULT_PRIORITY, PRIORITY
from looplab.priority.endings import adopt, call_in, made_before_lost
from looplab.priority.queue import (
    KeyedQueue,
    ReadyQueue,
    TimedQueue,
    ageing,
    deadline_of,
)

__all__ = [
    "ByDeadline",
    "ByPriority",
    "PriorityEventLoop",
    "UnsupportedLoopError",
    "VirtualPriorityLoop",
]

T = TypeVar("T")

_LOOK_EVERY = 0.001  # seconds


class UnsupportedLoopError(RuntimeError):
    """This Python's event loop is not the one that the priority loop was made for."""


@dataclass(frozen=True, slots=True)
class ByPriority:
    """Serve the highest priority first, first in first out among equals.

    Args:
        ageing: seconds after which a callback that waits counts as one priority higher;
            ``None`` for never.  With it the lowest priority is served in the end even
            if higher ones never stop.  Too short a time takes the meaning out of
            priorities.

    Raises:
        TypeError: *ageing* is not a number.
        ValueError: *ageing* is not above 0 or not finite.

    Introduced in the chapter *Put the lease first*.
    """

    ageing: float | None = None

    def __post_init__(self) -> None:
        if self.ageing is None:
            return
        if isinstance(self.ageing, bool) or not isinstance(self.ageing, (int, float)):
            raise TypeError(
                f"ageing is {self.ageing!r}, a {type(self.ageing).__name__}: give a "
                "number of seconds, or None for never"
            )
        if not 0 < self.ageing < float("inf"):
            raise ValueError(
                f"ageing is {self.ageing} s: give a finite number of seconds above 0, "
                "or None for never"
            )

    @property
    def name(self) -> str:
        """What it is, in words."""
        if self.ageing is None:
            return "the priority loop"
        return f"the priority loop, ageing {self.ageing:g} s"

    def _queue(
        self, loop: asyncio.AbstractEventLoop, plain: type[ReadyQueue]
    ) -> ReadyQueue:
        if self.ageing is None:
            return plain(loop)
        now_ns = time.monotonic_ns
        if isinstance(loop, _clock.VirtualTimeLoop):
            now_ns = loop.time_ns
        return KeyedQueue(loop, ageing(now_ns, self.ageing))


@dataclass(frozen=True, slots=True)
class ByDeadline:
    """Serve the earliest deadline first, see :func:`looplab.priority.deadline`.

    Code without a deadline comes last.  Priorities are not looked at.

    Introduced in the chapter *Put the lease first*.
    """

    @property
    def name(self) -> str:
        """What it is, in words."""
        return "the loop, earliest deadline first"

    def _queue(
        self, loop: asyncio.AbstractEventLoop, plain: type[ReadyQueue]
    ) -> ReadyQueue:
        return KeyedQueue(loop, deadline_of)


Policy = ByPriority | ByDeadline


def _check_policy(policy: object) -> Policy:
    if policy is None:
        return ByPriority()
    if isinstance(policy, (ByPriority, ByDeadline)):
        return policy
    raise TypeError(
        f"policy is {policy!r:.60}: give ByPriority(), ByPriority(ageing=10) or "
        "ByDeadline()"
    )


def _in_priority_context(
    create: Callable[..., T], context: Context | None, *args: Any, **options: Any
) -> T:
    """Make a task; one that nobody gave a priority, the first of a program, gets 0."""
    if context is not None:
        if PRIORITY not in context:
            try:
                context.run(PRIORITY.set, DEFAULT_PRIORITY)
            except RuntimeError:  # it is the one that runs
                PRIORITY.set(DEFAULT_PRIORITY)
        return create(*args, context=context, **options)
    if PRIORITY.get(None) is not None:
        return create(*args, **options)
    context = copy_context()
    context.run(PRIORITY.set, DEFAULT_PRIORITY)
    return context.run(create, *args, **options)


class VirtualPriorityLoop(_clock.VirtualTimeLoop):
    """The virtual clock with a ready queue in order of urgency.

    Args:
        policy: :class:`ByPriority`, which is the default, or :class:`ByDeadline`.
        settings: as for :class:`looplab.VirtualTimeLoop`.

    Raises:
        TypeError: *policy* is something else.
        TimeValueError: a time is negative, infinite or not a number.

    Rules 1 to 4 of :mod:`looplab.clock` give way to the policy; the others hold.

    Introduced in the chapter *Put the lease first*.
    """

    if TYPE_CHECKING:
        _cancelled_timers: int

    def __init__(self, policy: Policy | None = None, **settings: Any) -> None:
        self.policy = _check_policy(policy)
        super().__init__(**settings)
        self._ready: Any = self.policy._queue(self, ReadyQueue)

    def _look(self) -> bool:
        """Move due timers to the ready queue; return whether there were any."""
        due_heap = self._due_heap
        any_due = False
        while due_heap and due_heap[0] <= self._now_ns:
            for timer in self._timers.pop(heappop(due_heap)):
                timer._scheduled = False
                if timer._cancelled:
                    self._cancelled_timers -= 1
                else:
                    self._ready.append(timer)
                    any_due = True
        return any_due

    def create_task(  # type: ignore[override]
        self,
        coro: Coroutine[Any, Any, T],
        *,
        context: Context | None = None,
        **options: Any,
    ) -> asyncio.Task[T]:
        """Schedule *coro* as a task; see :meth:`looplab.VirtualTimeLoop.create_task`.

        It has the priority of the code that calls this, or that of *context*.
        """
        return _in_priority_context(super().create_task, context, coro, **options)

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Like ``call_soon()``, from another thread or a signal handler.

        The callback goes first, as on :class:`PriorityEventLoop`.
        """
        self._check_closed()
        handle = asyncio.Handle(callback, args, self, context)
        self._ready.inbox.append(handle)
        self._write_to_self()
        return handle


# -- the loop of real programs -------------------------------------------------------

# What the stock loop must have for this one to work, and where.
_NEEDED = (
    "_clock_resolution",
    "_ready",
    "_scheduled",
    "_selector",
    "_timer_cancelled_count",
)
_METHODS = (
    "_add_callback",
    "_add_callback_signalsafe",
    "_check_callback",
    "_check_closed",
    "_make_subprocess_transport",
    "_process_events",
    "_run_once",
    "_start_serving",
    "_write_to_self",
)
_HANDLE = {
    "__weakref__",
    "_args",
    "_callback",
    "_cancelled",
    "_context",
    "_loop",
    "_repr",
    "_source_traceback",
}
_USED_BY_RUN_ONCE = ("_ready", "_scheduled", "_process_events", "popleft", "append")


def _check_stock_loop() -> None:
    """Raise unless asyncio's loop is built as this module expects.

    Raises:
        UnsupportedLoopError: it is not.
    """
    base: Any = asyncio.SelectorEventLoop
    missing = [name for name in _METHODS if not hasattr(base, name)]
    code = getattr(getattr(base, "_run_once", None), "__code__", None)
    if code is not None:
        missing += [
            f"{name} in _run_once()"
            for name in _USED_BY_RUN_ONCE
            if name not in code.co_names
        ]
    if not hasattr(base_subprocess.BaseSubprocessTransport, "_call"):
        missing.append("_call() of subprocesses")
    transport: Any = getattr(selector_events, "_SelectorSocketTransport", None)
    if not hasattr(transport, "_call_connection_lost"):
        missing.append("_call_connection_lost() of connections")
    if set(asyncio.Handle.__slots__) != _HANDLE:
        missing.append("Handle of the known slots")
    if missing or code is None:
        raise UnsupportedLoopError(
            "PriorityEventLoop puts a queue of its own into asyncio's selector loop, "
            f"and in Python {sys.version.split()[0]} that loop has no "
            f"{', '.join(missing) or '_run_once() in Python'}: use a Python from 3.11 "
            "to 3.14, or PriorityGate, which needs no private part of asyncio"
        )


_new_handle = asyncio.Handle.__new__


class PriorityEventLoop(asyncio.SelectorEventLoop):
    """asyncio's selector loop with a ready queue in order of urgency.

    It runs what the stock loop runs.  Give it to a runner::

        asyncio.run(main(), loop_factory=PriorityEventLoop)      # Python 3.12
        with asyncio.Runner(loop_factory=PriorityEventLoop) as runner:
            runner.run(main())

    A program that gives no priorities runs first come, first served; only timers and
    I/O join the line sooner than on the stock loop.  In a program that does, the
    callbacks of file descriptors and signals go first, and those that came through
    :meth:`call_soon_threadsafe`, whoever made them: they wake tasks, and the tasks have
    priorities.  So I/O never starves.  Work of a thread that must wait for its turn
    belongs in a task: :func:`asyncio.run_coroutine_threadsafe` makes one.

    Between two callbacks the loop looks for timers that are due, so an urgent *timer*
    waits for at most one callback, or, while I/O keeps coming, for two.  It looks for
    I/O between two callbacks too, if *look_every* has passed since it did.

    The callbacks of a subprocess have the priority of the code that started it.  A
    server that closes its clients does so with the priority of the code that let it
    serve.

    A callback that is running is never interrupted.  A priority that never stops being
    ready keeps the lower ones waiting for ever, unless the policy has an ageing.

    Args:
        policy: :class:`ByPriority`, which is the default, or :class:`ByDeadline`.
        selector: as for asyncio's own loop.
        look_every: seconds; see above.  A look costs a call of the operating system.

    Raises:
        UnsupportedLoopError: this Python's loop is built in another way.
        TypeError: *policy* is something else.
        TimeValueError: *look_every* is negative, infinite or not a number.

    Introduced in the chapter *Put the lease first*.
    """

    if TYPE_CHECKING:
        _clock_resolution: float
        _closed: bool
        _debug: bool
        _scheduled: list[asyncio.TimerHandle]
        _selector: selectors.BaseSelector
        _timer_cancelled_count: int

        def _check_closed(self) -> None: ...
        def _check_callback(self, callback: Any, method: str) -> None: ...
        def _process_events(self, event_list: Any) -> None: ...
        def _write_to_self(self) -> None: ...

    _closed = True  # until it is made: __del__() asks, also where a setting was wrong

    def __init__(
        self,
        policy: Policy | None = None,
        *,
        selector: selectors.BaseSelector | None = None,
        look_every: float = _LOOK_EVERY,
    ) -> None:
        self.policy = _check_policy(policy)
        self._look_every = _clock._nanoseconds(look_every, "look_every") / 1e9
        _check_stock_loop()
        # The callback that reads the wake-up pipe is nobody's.
        Context().run(super().__init__, selector)
        missing = [name for name in _NEEDED if not hasattr(self, name)]
        if missing:
            with contextlib.suppress(Exception):  # the cause is the error below
                super().close()
            raise UnsupportedLoopError(
                f"asyncio's selector loop has no {', '.join(missing)} in Python "
                f"{sys.version.split()[0]}: use PriorityGate"
            )
        self._ready: Any = self.policy._queue(self, TimedQueue)

    def _look(self) -> bool:
        """Move what is ready to the ready queue; return whether timers were."""
        queue = self._ready
        any_due = False
        scheduled = self._scheduled
        if scheduled:
            end_time = self.time() + self._clock_resolution
            while scheduled and scheduled[0]._when < end_time:  # type: ignore[attr-defined]
                timer = heappop(scheduled)
                timer._scheduled = False  # type: ignore[attr-defined]
                if timer._cancelled:
                    self._timer_cancelled_count -= 1
                else:
                    queue.append(timer)
                    any_due = True
        now = time.monotonic()
        if now >= queue.look_again:
            queue.look_again = now + self._look_every
            events = self._selector.select(0)
            if events:
                self._process_events(events)
        return any_due

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Put *callback* into the ready queue."""
        if self._debug or self._closed:
            stock: Any = super().call_soon(callback, *args, context=context)
            if stock._source_traceback:
                del stock._source_traceback[-1]  # this frame is no news
            return stock  # type: ignore[no-any-return]
        # The stock handle, made without its look-up of debug mode: half the time.  The
        # type is the same, since the loop's own lines run slower if types are mixed.
        handle: Any = _new_handle(asyncio.Handle)
        if context is None:
            context = copy_context()
        handle._context = context
        handle._loop = self
        handle._callback = callback
        handle._args = args
        handle._cancelled = False
        handle._repr = handle._source_traceback = None
        queue = self._ready
        top = queue.top
        level = context.get(PRIORITY)
        if level is top.level and not queue.inbox:
            top.append(handle)
        else:
            queue.append(handle)
        return handle  # type: ignore[no-any-return]

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Like :meth:`call_soon`, from another thread or a signal handler.

        The callback goes first, see :class:`PriorityEventLoop`; its context has its
        priority all the same, and tasks that it makes inherit that.
        """
        self._check_closed()
        if self._debug:
            self._check_callback(callback, "call_soon_threadsafe")
        handle: Any = asyncio.Handle(callback, args, self, context)
        if handle._source_traceback:
            del handle._source_traceback[-1]
        self._ready.inbox.append(handle)
        self._write_to_self()
        return handle  # type: ignore[no-any-return]

    def create_task(  # type: ignore[override]
        self,
        coro: Coroutine[Any, Any, T],
        *,
        context: Context | None = None,
        **options: Any,
    ) -> asyncio.Task[T]:
        """Schedule *coro* as a task.

        It has the priority of the code that calls this, or that of *context*.
        """
        return _in_priority_context(super().create_task, context, coro, **options)

    # See looplab.priority.endings.

    def _start_serving(
        self,
        protocol_factory: Any,
        sock: Any,
        sslcontext: Any = None,
        server: Any = None,
        *args: Any,
        **options: Any,
    ) -> None:
        adopt(server)
        base: Any = super()
        base._start_serving(
            protocol_factory, sock, sslcontext, server, *args, **options
        )

    async def start_tls(self, transport: Any, *args: Any, **options: Any) -> Any:
        """Put TLS over a connection, as on the stock loop."""
        with made_before_lost(self, transport):
            return await super().start_tls(transport, *args, **options)

    # A process ends with several callbacks, and the last of them must come last.  Code
    # of any priority may close a pipe, and a thread may notice the exit.  So all of
    # them get the priority of the code that started the process: first in, first out.

    async def _make_subprocess_transport(self, *args: Any, **options: Any) -> Any:
        base: Any = super()
        transport = await base._make_subprocess_transport(*args, **options)
        transport._call = partial(call_in, self, copy_context())
        return transport

    @property
    def _child_watcher_callback(self) -> Callable[..., None]:
        base: Any = super()
        return partial(copy_context().run, base._child_watcher_callback)

    def _add_callback(self, handle: asyncio.Handle) -> None:
        """Add the callback of a file descriptor, unless it waits already."""
        if handle._cancelled:
            return
        queue = self._ready
        top = queue.top
        level = handle._context.get(PRIORITY)  # type: ignore[attr-defined]
        if level is not top.level or queue.in_use or queue.inbox:
            queue.append_io(handle)
        elif handle not in queue.known_plumbing:
            queue.known_plumbing.add(handle)
            top.append(handle)

    def _add_callback_signalsafe(self, handle: asyncio.Handle) -> None:
        if not handle._cancelled:
            self._ready.inbox.append(handle)
        self._write_to_self()
