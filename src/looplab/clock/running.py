"""Run a coroutine on the virtual clock or on the real one, and burn its CPU time."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
import weakref
from asyncio import events, tasks
from collections.abc import Callable, Coroutine, Iterator
from contextvars import copy_context
from typing import Any, Literal, TypeVar

from looplab._numbers import NS
from looplab.clock.loop import VirtualTimeLoop
from looplab.clock.times import nanoseconds

__all__ = ["Clock", "burn", "check_clock", "elapsed", "run", "run_on", "run_real"]

T = TypeVar("T")
#: Which clock a program runs on: ``"virtual"``, exact, or ``"real"``, measured.
Clock = Literal["virtual", "real"]


@contextlib.contextmanager
def running_loop_set_aside() -> Iterator[None]:
    """Let another loop run in this thread although one is running already."""
    outer = events._get_running_loop()
    if outer is None:
        yield
        return
    task = asyncio.current_task(outer)
    # The task is left first: from Python 3.14 it cannot be left without its loop.
    if task is not None:
        tasks._leave_task(outer, task)
    events._set_running_loop(None)
    try:
        yield
    finally:
        events._set_running_loop(outer)
        if task is not None:
            tasks._enter_task(outer, task)


def require_coroutine(main: object, function: str) -> None:
    """Raise :exc:`TypeError` unless *main*, given to *function*, is a coroutine."""
    if asyncio.iscoroutine(main):
        return
    name = getattr(main, "__name__", None)
    if name is not None and callable(main):
        fix = f"call it: {function}({name}())"
    else:
        fix = f"pass what an async function returns: {function}(main())"
    kind = type(main).__name__
    raise TypeError(f"{function}() takes a coroutine, not this {kind}: {fix}")


def check_clock(clock: object) -> None:
    """Raise :exc:`ValueError` unless *clock* is ``"virtual"`` or ``"real"``."""
    if clock not in ("virtual", "real"):
        raise ValueError(f'clock is {clock!r}: give "virtual" or "real"')


def run_on(clock: Clock, main: Coroutine[Any, Any, T], **settings: Any) -> T:
    """Run *main* with :func:`run` or with :func:`run_real`, as *clock* says.

    Args:
        clock: ``"virtual"``: the times are exact; ``"real"``: they are measured.
        main: a coroutine.
        settings: those of the function that runs it.

    Raises:
        ValueError: if *clock* is neither.
        TypeError: if *main* is not a coroutine.

    Introduced in the chapter *Keep the heartbeat on time*.
    """
    try:
        check_clock(clock)
    except ValueError:
        if asyncio.iscoroutine(main):
            main.close()
        raise
    return (run if clock == "virtual" else run_real)(main, **settings)


def run(
    main: Coroutine[Any, Any, T],
    *,
    debug: bool | None = None,
    jitter: float = 0.0,
    seed: int = 0,
    callback_cost: float = 0.0,
    max_steps: int | None = None,
    max_stalled: int | None = 1_000_000,
    loop_factory: Callable[[], VirtualTimeLoop] | None = None,
) -> T:
    """Run *main* on a new :class:`VirtualTimeLoop` and return its result.

    Like :func:`asyncio.run`, but on the virtual clock, and it also works where a loop
    is running already: in a notebook cell, or inside a coroutine, which it blocks.

    Args:
        main: a coroutine.
        debug: asyncio's debug mode.
        jitter: this and the other settings are those of :class:`VirtualTimeLoop`.
        seed: see there.
        callback_cost: see there.
        max_steps: see there.
        max_stalled: see there.
        loop_factory: makes the loop, called without arguments, such as
            :class:`looplab.priority.VirtualPriorityLoop`.  A factory gives its loop its
            settings itself: ``lambda: VirtualPriorityLoop(jitter=0.01)``.

    Raises:
        TypeError: if *main* is not a coroutine, if a setting comes beside a
            *loop_factory*, or if that makes a loop without a virtual clock.
        ClockError: see :class:`VirtualTimeLoop`.

    Introduced in the chapter *Keep the heartbeat on time*.
    """
    require_coroutine(main, "run")
    settings = {
        "jitter": jitter,
        "seed": seed,
        "callback_cost": callback_cost,
        "max_steps": max_steps,
        "max_stalled": max_stalled,
    }

    def new_loop() -> VirtualTimeLoop:
        if loop_factory is None:
            return VirtualTimeLoop(**settings)  # type: ignore[arg-type]
        changed = [name for name in settings if settings[name] != _DEFAULTS[name]]
        if changed:
            raise TypeError(
                f"run() got {' and '.join(changed)} beside a loop_factory: let the "
                f"factory set it, as in lambda: VirtualTimeLoop({changed[0]}="
                f"{settings[changed[0]]!r})"
            )
        loop = loop_factory()
        if not isinstance(loop, VirtualTimeLoop):
            loop.close()
            raise TypeError(
                f"run() expected a loop with a virtual clock, got {loop!r:.60}: use "
                "run_real() for a clock that is real"
            )
        return loop

    with (
        contextlib.closing(main),
        running_loop_set_aside(),
        asyncio.Runner(debug=debug, loop_factory=new_loop) as runner,
    ):
        try:
            return runner.run(main)
        finally:
            _cancel_leftovers(runner.get_loop())


_DEFAULTS = {**(run.__kwdefaults__ or {})}


def _cancel_leftovers(loop: asyncio.AbstractEventLoop) -> None:
    """Do in order of creation what the runner would do in the order of a set.

    That order is not quite the program's own: asyncio gathers the set from the tasks of
    all loops, and another loop's tasks, a notebook's say, change how it comes out.
    """
    leftovers = sorted(asyncio.all_tasks(loop), key=hash)
    if not leftovers:
        return
    for task in leftovers:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*leftovers, return_exceptions=True))
    for task in leftovers:
        if not task.cancelled() and task.exception() is not None:
            loop.call_exception_handler(
                {
                    "message": "unhandled exception during run() shutdown",
                    "exception": task.exception(),
                    "task": task,
                }
            )


_run_starts: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, float] = (
    weakref.WeakKeyDictionary()
)


def run_real(
    main: Coroutine[Any, Any, T],
    *,
    debug: bool | None = None,
    loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None,
) -> T:
    """Run *main* in real time on a stock loop in a thread of its own.

    The thread keeps the measurement away from a loop that is running here already, such
    as a notebook's.  The call returns when *main* has ended.  An interrupt cancels it.

    Args:
        main: a coroutine.
        debug: asyncio's debug mode.
        loop_factory: makes the loop; the default is asyncio's own.

    Raises:
        TypeError: if *main* is not a coroutine.
        RuntimeError: if ``nest_asyncio`` has patched asyncio in this process, which
            makes every task slower: measure in another process; or if no thread can be
            started, as in a browser.

    Introduced in the chapter *Keep the heartbeat on time*.
    """
    require_coroutine(main, "run_real")
    if getattr(asyncio, "_nest_patched", False):
        main.close()
        raise RuntimeError(
            "nest_asyncio.apply() has replaced asyncio's tasks with slower ones in "
            "this process: measure in a fresh process, or restart the kernel"
        )
    results: list[T] = []
    errors: list[BaseException] = []
    started: list[asyncio.AbstractEventLoop] = []
    # An interrupted join() would take the thread for dead (before Python 3.13).
    begun, ended, interrupted = (threading.Event() for _ in range(3))

    def measure() -> None:
        begun.set()
        try:
            with asyncio.Runner(debug=debug, loop_factory=loop_factory) as runner:
                loop = runner.get_loop()
                _run_starts[loop] = loop.time()
                started.append(loop)
                if not interrupted.is_set():
                    results.append(runner.run(main))
        except BaseException as exc:
            errors.append(exc)
        finally:
            main.close()
            ended.set()

    context = copy_context()
    thread = threading.Thread(target=context.run, args=(measure,), name="run_real")
    try:
        try:
            thread.start()
        except RuntimeError as exc:
            main.close()
            begun.set()
            ended.set()
            raise RuntimeError(
                "run_real() needs a thread of its own and could not start one; in a "
                "browser there are none: use run(), or Python on your own machine"
            ) from exc
        while not ended.wait(0.5):
            pass  # some interrupts are noticed only between two waits
    except BaseException:
        interrupted.set()
        for loop in started:
            with contextlib.suppress(RuntimeError):  # closed already
                loop.call_soon_threadsafe(_cancel_all, loop)
        if begun.wait(1):
            ended.wait()
            if thread.is_alive():
                thread.join()
        else:  # there never will be a thread, or it will not run it
            main.close()
        raise
    thread.join()
    if errors:
        try:
            raise errors[0]
        finally:
            errors.clear()  # breaks the cycle of error, traceback and frame
    return results[0]


def _cancel_all(loop: asyncio.AbstractEventLoop) -> None:
    for task in asyncio.all_tasks(loop):
        task.cancel()


def burn(seconds: float) -> None:
    """Hold the event loop for *seconds* of CPU work.

    On a :class:`VirtualTimeLoop` the clock moves by exactly *seconds* and the call
    returns at once.  Anywhere else the call spins until this thread has used that much
    CPU, so one experiment runs on both clocks.

    Args:
        seconds: 0 or more; whole nanoseconds count.

    Raises:
        TimeValueError: if *seconds* is negative, infinite or not a number.

    Introduced in the chapter *Keep the heartbeat on time*.
    """
    loop = events._get_running_loop()
    if isinstance(loop, VirtualTimeLoop):
        loop.burn(seconds)
        return
    end_ns = _cpu_time_ns() + nanoseconds(seconds, "burn()")
    while _cpu_time_ns() < end_ns:
        pass


def _finest_cpu_clock() -> Callable[[], int]:
    """This thread's CPU time; where that is too coarse or missing, the wall clock."""
    try:
        if time.get_clock_info("thread_time").resolution <= 1e-5:
            return time.thread_time_ns
    except (AttributeError, ValueError):
        pass
    return time.perf_counter_ns


_cpu_time_ns = _finest_cpu_clock()


def elapsed() -> float:
    """Return the seconds since the running loop began to run.

    Under :func:`run` and :func:`run_real` that is since the call.  On any other loop it
    is since the first call of ``elapsed()`` there, which returns 0.

    Raises:
        RuntimeError: if no loop is running.
    """
    loop = asyncio.get_running_loop()
    if isinstance(loop, VirtualTimeLoop):
        return (loop.time_ns() - loop.start_ns) / NS
    now = loop.time()
    return now - _run_starts.setdefault(loop, now)
