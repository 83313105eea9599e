"""asyncio's selector loop with a ready queue in order of urgency.

The coroutines do not change: a task has the priority of the code that made it, see
:func:`looplab.priority.priority`.
"""

from __future__ import annotations

import asyncio
import selectors
import sys
import time
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context, copy_context
from functools import partial
from heapq import heappop
from typing import TYPE_CHECKING, Any, TypeVar

from looplab.clock.times import nanoseconds
from looplab.priority.context import PRIORITY, own_context
from looplab.priority.policies import Policy, check_policy
from looplab.priority.ready import ReadyQueue
from looplab.priority.tasks import RaisableTask, context_of_wake_up

__all__ = ["PriorityEventLoop", "PriorityLoop", "UnsupportedLoopError"]

T = TypeVar("T")

_LOOK_EVERY = 0.001  # seconds

_Task = asyncio.Task  # who replaces it, as nest_asyncio does, gets that kind
_Handle = asyncio.Handle
_new_handle = asyncio.Handle.__new__
_monotonic = time.monotonic
_READ = selectors.EVENT_READ
_Builtin: type = type([].append)  # set_result() of a future in C is one
# From Python 3.14 on, one that another thread may cancel.
_ThreadsHandle: type[asyncio.Handle] = getattr(
    asyncio.events, "_ThreadSafeHandle", asyncio.Handle
)


class PriorityLoop(asyncio.AbstractEventLoop):
    """The face of a priority loop, whatever its clock."""

    _ready: Any
    _program: Any = None  # the task that is run until it is complete

    def _descriptors(self) -> set[asyncio.Handle]:
        """The callbacks of file descriptors."""
        return set()

    def run_until_complete(self, future: Generator[Any, None, T] | Any) -> T:
        """Run until *future* is done, and return its result.

        If it is a task, to cancel it ends the program, so nothing goes before it then.
        """
        before, self._program = self._program, future
        try:
            return super().run_until_complete(future)  # type: ignore[no-any-return]
        finally:
            self._program = before


def in_priority_context(
    create: Callable[..., T], context: Context | None, *args: Any, **options: Any
) -> T:
    """Make a task by a factory; the first of a program has priority 0."""
    if context is not None:
        return create(*args, context=own_context(context), **options)
    if PRIORITY.get(None) is not None:
        return create(*args, **options)
    return own_context(None).run(create, *args, **options)


class UnsupportedLoopError(RuntimeError):
    """This Python's event loop is not the one that the priority loop was made for."""


def _check_python() -> None:
    """Raise unless this module was made for this Python's asyncio.

    Raises:
        UnsupportedLoopError: it was not.
    """
    if not (3, 11) <= sys.version_info[:2] <= (3, 14):
        raise UnsupportedLoopError(
            "PriorityEventLoop puts a queue of its own into asyncio's selector loop, "
            f"and the loop of Python {sys.version.split()[0]} is not known to take it: "
            "use a Python from 3.11 to 3.14, or PriorityGate, which needs no private "
            "part of asyncio"
        )


class PriorityEventLoop(PriorityLoop, asyncio.SelectorEventLoop):
    """asyncio's selector loop with a ready queue in order of urgency.

    It runs what the stock loop runs.  Give it to a runner::

        asyncio.run(main(), loop_factory=PriorityEventLoop)      # Python 3.12
        with asyncio.Runner(loop_factory=PriorityEventLoop) as runner:
            runner.run(main())

    A program that gives no priorities runs as on the stock loop.  In a program that
    does, the callbacks of file descriptors and signals go first, whoever made them:
    they wake tasks, and the tasks have priorities.  So I/O never starves.  They go in
    lots of a millisecond, so a flood of them delays the most urgent other callback by
    that or by one of them.

    What comes through :meth:`call_soon_threadsafe` has the priority of its context, and
    within a level it keeps its place among the callbacks of :meth:`call_soon`.  A
    thread has priority 0 unless it is given another.  Where its callback ends a future,
    as the end of :func:`asyncio.to_thread` does, or sets an :class:`asyncio.Event`, it
    is as urgent as whoever waits for that.

    Between two callbacks the loop looks for timers that are due, so an urgent *timer*
    waits for at most one callback, or, while I/O keeps coming, for two.  It looks for
    I/O between two callbacks too, if *look_every* has passed since it did.

    The callbacks of a subprocess have the priority of the code that started it.

    Who waits for a task, by ``await``, ``asyncio.gather()``, ``wait()``, ``wait_for()``
    or ``shield()``, lends it its priority as long as it waits.  A task group lends its
    tasks nothing, or no order would be left among them, and whoever will set an
    :class:`asyncio.Event` or fill a queue is not known: give such code its priority.

    A task that is cancelled is raised to the priority of the code that cancels it, or
    to its deadline, until it is done: so :func:`asyncio.wait_for` and task groups do
    not wait for a task that waits itself.  Cancelled by a signal, by a thread, or as
    the task that the program runs, it goes before all others.  A task factory of your
    own makes tasks that are not raised; ``asyncio.eager_task_factory`` keeps the rule.

    A callback that is running is never interrupted.  A priority that never stops being
    ready keeps the lower ones waiting for ever, unless the policy has an ageing.

    Args:
        selector: as for asyncio's own loop.
        policy: :class:`ByPriority`, which is the default, or :class:`ByDeadline`.
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
        _task_factory: Any
        _timer_cancelled_count: int

        def _check_closed(self) -> None: ...
        def _check_callback(self, callback: Any, method: str) -> None: ...
        def _write_to_self(self) -> None: ...

    _closed = True  # until it is made: __del__() asks, also where a setting was wrong

    def __init__(
        self,
        selector: selectors.BaseSelector | None = None,
        *,
        policy: Policy | None = None,
        look_every: float = _LOOK_EVERY,
    ) -> None:
        if isinstance(selector, Policy):
            raise TypeError(
                f"selector is {selector!r}: a policy has a name, policy={selector!r}"
            )
        self.policy = check_policy(policy)
        self._look_every = nanoseconds(look_every, "look_every") / 1e9
        self._look_again = 0.0
        _check_python()
        # The callback that reads the wake-up pipe is nobody's.
        Context().run(super().__init__, selector)
        self._ready: Any = ReadyQueue(self, self.policy._key_of(self), _monotonic)

    def _descriptors(self) -> set[asyncio.Handle]:
        keys = (self._selector.get_map() or {}).values()
        return {handle for key in list(keys) for handle in key.data if handle}

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
        now = _monotonic()
        if now >= self._look_again:
            self._look_again = now + self._look_every
            events = self._selector.select(0)
            if events:
                self._process_events(events)
        queue.look_at = self._look_again
        if scheduled and scheduled[0]._when < queue.look_at:  # type: ignore[attr-defined]
            queue.look_at = scheduled[0]._when  # type: ignore[attr-defined]
        return any_due

    def call_soon(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Put *callback* into the ready queue."""
        if self._debug or self._closed:
            stock: Any = super().call_soon(callback, *args, context=context)
            if stock._source_traceback:
                del stock._source_traceback[-1]  # this frame
            return stock  # type: ignore[no-any-return]
        # The stock handle, made without its look-up of debug mode: half the time.  The
        # type is the same, since the loop's own lines run slower if types are mixed.
        handle: Any = _new_handle(_Handle)
        own = copy_context() if context is None else context
        handle._context = own
        handle._loop = self
        handle._callback = callback
        handle._args = args
        handle._cancelled = False
        handle._repr = handle._source_traceback = None
        queue = self._ready
        top = queue.top
        if own.get(PRIORITY) is top.level:
            top.append(handle)
            queue.add_token(None)
        else:
            if context is None and PRIORITY not in own and not self.is_running():
                own_context(own)  # it begins the program, and is no plumbing
            queue.append(handle)
        return handle  # type: ignore[no-any-return]

    def call_at(  # type: ignore[override]
        self, when: float, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Call *callback* at *when* on the loop's clock."""
        timer: Any = super().call_at(when, callback, *args, context=context)
        if timer._source_traceback:
            del timer._source_traceback[-1]
        queue = self._ready
        queue.expect(timer)
        if when < queue.look_at and queue.in_use:
            queue.look_at = when
        return timer  # type: ignore[no-any-return]

    def call_soon_threadsafe(  # type: ignore[override]
        self, callback: Any, *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Like :meth:`call_soon`, from another thread or a signal handler.

        It is as urgent as its context, or as whom it wakes: see
        :class:`PriorityEventLoop`.
        """
        self._check_closed()
        if self._debug:
            self._check_callback(callback, "call_soon_threadsafe")
        if context is None:
            context = context_of_wake_up(callback, args)
        handle: Any = _ThreadsHandle(callback, args, self, context)
        if handle._source_traceback:  # without this frame and its own __init__()
            del handle._source_traceback[-1 if _ThreadsHandle is _Handle else -2 :]
        self._ready.append_threadsafe(handle)
        self._write_to_self()
        return handle  # type: ignore[no-any-return]

    def create_task(  # type: ignore[override]
        self,
        coro: Coroutine[Any, Any, T],
        *,
        name: str | None = None,
        context: Context | None = None,
        **options: Any,
    ) -> asyncio.Task[T]:
        """Schedule *coro* as a task.

        It has the priority of the code that calls this, or that of *context*.
        """
        if self._task_factory is not None or asyncio.tasks.Task is not _Task:
            if name is not None:
                options["name"] = name
            return in_priority_context(super().create_task, context, coro, **options)
        if self._closed:
            self._check_closed()
        if context is None:
            context = copy_context()
        if PRIORITY not in context:
            context = own_context(context)
        task: Any
        if options:
            task = RaisableTask(coro, loop=self, name=name, context=context, **options)
        else:  # a hot path, and this is faster
            task = RaisableTask(coro, loop=self, name=name, context=context)
        task.context_ = context
        if self._debug and task._source_traceback:
            del task._source_traceback[-1]
        try:
            return task  # type: ignore[no-any-return]
        finally:
            del task  # or an exception's traceback would keep it alive

    def set_task_factory(self, factory: Any) -> None:
        """Set the task factory, as on the stock loop."""
        if sys.version_info >= (3, 12) and factory is asyncio.eager_task_factory:
            factory = asyncio.create_eager_task_factory(RaisableTask)
        super().set_task_factory(factory)

    # A process ends with several callbacks, and the last of them must come last.  Code
    # of any priority may close a pipe, and a thread may notice the exit.  So all of
    # them get the priority of the code that started the process: first in, first out.

    async def _make_subprocess_transport(self, *args: Any, **options: Any) -> Any:
        base: Any = super()
        transport = await base._make_subprocess_transport(*args, **options)
        context = copy_context()
        transport._call = lambda callback, *args: self.call_soon(
            callback, *args, context=context.copy()
        )
        return transport

    async def connect_read_pipe(self, protocol_factory: Any, pipe: Any) -> Any:
        """Read from a pipe, as on the stock loop."""
        return await self._connected(super().connect_read_pipe, protocol_factory, pipe)

    async def connect_write_pipe(self, protocol_factory: Any, pipe: Any) -> Any:
        """Write to a pipe, as on the stock loop."""
        return await self._connected(super().connect_write_pipe, protocol_factory, pipe)

    async def _connected(
        self, connect: Callable[..., Any], protocol_factory: Any, pipe: Any
    ) -> Any:
        """Connect a pipe, and let a process hear of its end in any case.

        asyncio's transport of a process takes note of a pipe once that is connected,
        and has ended when all the pipes of its note have.  A look between two callbacks
        can see the end of a pipe before that: it would be waited for for ever.
        """
        protocol = protocol_factory()
        process = getattr(protocol, "proc", None)  # it forgets it at the end
        pair = await connect(lambda: protocol, pipe)
        if process is not None and getattr(protocol, "disconnected", False):
            # When the pipe was noted.
            self.call_soon(lambda: process._finished or process._try_finish())
        return pair

    @property
    def _child_watcher_callback(self) -> Callable[..., None]:
        base: Any = super()
        return partial(copy_context().run, base._child_watcher_callback)

    def _process_events(self, event_list: Any) -> None:
        """Add the callbacks of file descriptors, unless they wait already."""
        if not event_list:  # in most iterations
            return
        for event in event_list:
            reader = event[0].data[0] if event[1] == _READ else None
            if not reader or reader._cancelled or type(reader._callback) is _Builtin:
                super()._process_events([event])  # type: ignore[misc]
            else:  # the stock loop's way there is long
                self._ready.append_io(reader)

    def _add_callback(self, handle: asyncio.Handle) -> None:
        """Add the callback of a file descriptor, unless it waits already."""
        queue = self._ready
        if not (handle._cancelled or (queue.in_use and _is_spent(handle))):
            queue.append_io(handle)

    def _add_callback_signalsafe(self, handle: asyncio.Handle) -> None:
        if not handle._cancelled:
            self._ready.append_plumbing(handle)
        self._write_to_self()


def _is_spent(handle: asyncio.Handle) -> bool:
    """Whether the callback of a descriptor would end a future that is done.

    On the stock loop the task that waits for it goes on, and takes the callback away,
    before the descriptor is looked at again.  Here the descriptor would be first.
    """
    callback: Any = handle._callback  # type: ignore[attr-defined]
    if type(callback) is not _Builtin:  # most are not
        return False
    future = getattr(callback, "__self__", None)
    return isinstance(future, asyncio.Future) and future.done()
