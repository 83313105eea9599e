"""The virtual-time loop: what it promises, name by name."""

from __future__ import annotations

import _thread
import asyncio
import contextlib
import contextvars
import gc
import math
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
import warnings
import weakref
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import looplab
from looplab import clock
from looplab.clock import (
    ClockError,
    DeadlockError,
    LivelockError,
    OutsideCallError,
    StepLimitError,
    TimeValueError,
    VirtualTimeLoop,
    burn,
    elapsed,
    run,
    run_real,
)

SOURCE = Path(__file__).parents[2] / "src"


@pytest.fixture
def loop() -> Iterator[VirtualTimeLoop]:
    loop = VirtualTimeLoop()
    yield loop
    loop.close()


async def nothing() -> None:
    pass


def python(code: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """Run *code* in a fresh interpreter."""
    path = f"import sys; sys.path.insert(0, {str(SOURCE)!r})"
    return subprocess.run(
        [sys.executable, *flags, "-c", f"{path}\n{code}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


# run()


def test_run_returns_the_result_at_once() -> None:
    async def main() -> str:
        await asyncio.sleep(3600)
        assert asyncio.get_running_loop().time() == 3600
        return "done"

    start = time.perf_counter()
    assert run(main()) == "done"
    assert time.perf_counter() - start < 60


def test_run_makes_the_loop_that_it_is_told_to() -> None:
    class OwnLoop(VirtualTimeLoop):
        pass

    async def main() -> tuple[str, float]:
        await asyncio.sleep(1)
        return type(asyncio.get_running_loop()).__name__, elapsed()

    name, late = run(main(), loop_factory=OwnLoop, jitter=0.5, seed=1)
    assert name == "OwnLoop"
    assert 1 < late < 1.5
    assert run(main()) == ("VirtualTimeLoop", 1)


def test_run_raises_what_the_coroutine_raises() -> None:
    async def main() -> None:
        raise LookupError("here")

    with pytest.raises(LookupError, match="here"):
        run(main())


def test_run_leaves_no_loop_running_and_closes_its_own() -> None:
    async def main() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    assert run(main()).is_closed()
    with pytest.raises(RuntimeError, match="no running event loop"):
        asyncio.get_running_loop()


@pytest.mark.parametrize("outer_run", [asyncio.run, run, run_real])
def test_run_inside_a_running_loop(outer_run: Callable[[Any], Any]) -> None:
    """As in a notebook's cell: all that belongs to the outer loop comes back."""

    async def inner() -> float:
        async with asyncio.timeout(2), asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(1))
        assert asyncio.current_task() in asyncio.all_tasks()
        return asyncio.get_running_loop().time()

    async def failing() -> None:
        raise LookupError

    async def numbers() -> AsyncIterator[int]:
        yield 1

    async def outer() -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        hooks = sys.get_asyncgen_hooks()
        async with asyncio.timeout(60):
            assert run(inner()) == 1.0
            with pytest.raises(LookupError):
                run(failing())
            with pytest.raises(DeadlockError):
                run(asyncio.Event().wait())
            await asyncio.sleep(0)
        assert asyncio.get_running_loop() is loop
        assert asyncio.current_task() is task
        assert sys.get_asyncgen_hooks() == hooks
        assert [number async for number in numbers()] == [1]
        await asyncio.sleep(0.001)
        # Deeper: a run in a run in a run.
        assert run(deep(3)) == 3

    async def deep(levels: int) -> int:
        await asyncio.sleep(1)
        return 1 + run(deep(levels - 1)) if levels > 1 else 1

    outer_run(outer())


def test_run_inside_a_callback_of_a_running_loop() -> None:
    """There a loop runs, but no task."""
    results: list[float] = []

    async def inner() -> float:
        await asyncio.sleep(1)
        return elapsed()

    async def outer() -> None:
        asyncio.get_running_loop().call_soon(lambda: results.append(run(inner())))
        await asyncio.sleep(0.01)

    asyncio.run(outer())
    assert results == [1.0]


def test_run_wants_a_coroutine() -> None:
    async def main() -> None: ...

    with pytest.raises(TypeError, match=r"call it: run\(main\(\)\)"):
        run(main)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not this int"):
        run(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"call it: run_real\(main\(\)\)"):
        run_real(main)  # type: ignore[arg-type]


def test_run_closes_the_coroutine_when_a_setting_is_wrong() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TimeValueError):
            run(nothing(), jitter=-1)
        gc.collect()


def test_run_cancels_what_is_left_in_order() -> None:
    ended: list[int] = []

    async def wait(number: int) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(number)

    async def main() -> list[asyncio.Task[None]]:
        tasks = [asyncio.create_task(wait(i)) for i in range(200)]
        random.Random(1).shuffle(tasks)
        await asyncio.sleep(1)
        return tasks

    tasks = run(main())
    assert ended == list(range(200))
    assert all(task.cancelled() for task in tasks)


def test_run_reports_a_leftover_that_fails(caplog: pytest.LogCaptureFixture) -> None:
    async def stubborn() -> None:
        try:
            await asyncio.sleep(10)
        finally:
            raise LookupError("too late")

    async def main() -> asyncio.Task[None]:
        task = asyncio.create_task(stubborn())
        await asyncio.sleep(1)
        return task

    run(main())
    assert "unhandled exception during run() shutdown" in caplog.text
    assert "too late" in caplog.text


def test_run_debug() -> None:
    async def main() -> bool:
        return asyncio.get_running_loop().get_debug()

    assert run(main(), debug=True) is True
    assert run(main(), debug=False) is False


def test_runner_with_the_loop_as_factory() -> None:
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        runner.run(asyncio.sleep(5))
        runner.run(asyncio.sleep(7))
        assert runner.get_loop().time() == 12.0


@pytest.fixture
def interruptible() -> Iterator[None]:
    """A process that was started in the background may ignore interrupts."""
    kept = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, kept)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_during_a_run() -> None:
    """The stock runner's: the first interrupt cancels the main task."""
    seen: list[str] = []

    async def main() -> None:
        asyncio.get_running_loop().call_later(1, signal.raise_signal, signal.SIGINT)
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    with pytest.raises(KeyboardInterrupt):
        run(main())
    assert seen == ["cancelled"]


# run_real()


def test_run_real_runs_on_a_stock_loop_in_a_thread_of_its_own() -> None:
    async def main() -> tuple[bool, bool, bool]:
        await asyncio.sleep(0.01)
        loop = asyncio.get_running_loop()
        return (
            isinstance(loop, VirtualTimeLoop),
            threading.current_thread() is threading.main_thread(),
            elapsed() >= 0.01,
        )

    assert run_real(main()) == (False, False, True)
    assert not any(thread.name == "run_real" for thread in threading.enumerate())


def test_run_real_inside_a_running_loop() -> None:
    async def outer() -> float:
        return run_real(inner())

    async def inner() -> float:
        await asyncio.sleep(0.01)
        return elapsed()

    assert 0.01 <= asyncio.run(outer()) < 30
    assert 0.01 <= run(outer()) < 30


def test_run_real_raises_what_the_coroutine_raises() -> None:
    async def main() -> None:
        raise LookupError("real")

    with pytest.raises(LookupError, match="real") as caught:
        run_real(main())
    assert caught.traceback[-1].name == "main"


def test_run_real_sees_context_variables() -> None:
    variable = contextvars.ContextVar("variable", default=0)
    variable.set(7)

    async def main() -> int:
        return variable.get()

    assert run_real(main()) == 7


def test_run_real_loop_factory_and_debug() -> None:
    class Loop(asyncio.SelectorEventLoop):
        pass

    async def main() -> tuple[bool, bool]:
        loop = asyncio.get_running_loop()
        return isinstance(loop, Loop), loop.get_debug()

    assert run_real(main(), loop_factory=Loop, debug=True) == (True, True)


def test_run_real_closes_the_coroutine_when_the_factory_fails() -> None:
    def broken() -> asyncio.AbstractEventLoop:
        raise LookupError("no loop")

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(LookupError, match="no loop"):
            run_real(nothing(), loop_factory=broken)
        gc.collect()


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_cancels_run_real() -> None:
    seen: list[str] = []

    async def main() -> None:
        threading.Timer(0.05, _thread.interrupt_main).start()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        run_real(main())
    assert time.perf_counter() - start < 30
    assert seen == ["cancelled"]


def test_run_real_refuses_after_nest_asyncio() -> None:
    done = python(
        "import asyncio\n"
        "try:\n"
        "    import nest_asyncio\n"
        "    nest_asyncio.apply()\n"
        "except ImportError:\n"
        "    asyncio._nest_patched = True\n"
        "from looplab import run, run_real\n"
        "async def main(): return 'ran'\n"
        "print(run(main()))\n"
        "try: run_real(main())\n"
        "except RuntimeError as exc: print('refused', exc)\n",
        "-Werror",
    )
    assert done.stdout.startswith("ran\nrefused nest_asyncio.apply() has"), done
    assert done.stderr == ""


# burn() and elapsed()


def test_burn_is_exact_on_the_virtual_clock() -> None:
    async def main() -> tuple[float, int]:
        for _ in range(1000):
            burn(0.001)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        return elapsed(), loop.time_ns()

    assert run(main()) == (1.0, 1_000_000_000)


def test_burn_outside_any_loop_uses_cpu() -> None:
    start = time.process_time()
    burn(0.05)
    assert 0.045 <= time.process_time() - start < 5


def test_burn_on_the_stock_loop_uses_cpu_and_holds_the_loop() -> None:
    async def main() -> tuple[float, list[str]]:
        order: list[str] = []
        asyncio.get_running_loop().call_later(0.001, order.append, "timer")
        start = time.thread_time()
        burn(0.05)
        order.append("burnt")
        used = time.thread_time() - start
        await asyncio.sleep(0.01)
        return used, order

    used, order = run_real(main())
    assert 0.045 <= used < 5
    assert order == ["burnt", "timer"]


def test_burn_holds_the_virtual_loop() -> None:
    async def main() -> list[tuple[str, float]]:
        loop = asyncio.get_running_loop()
        seen: list[tuple[str, float]] = []
        loop.call_later(1, lambda: seen.append(("timer", loop.time())))
        burn(3)
        seen.append(("burnt", loop.time()))
        await asyncio.sleep(0)
        return seen

    assert run(main()) == [("burnt", 3.0), ("timer", 3.0)]


def test_burn_does_not_move_another_threads_virtual_clock() -> None:
    async def main() -> float:
        thread = threading.Thread(target=burn, args=(0.01,))
        thread.start()
        thread.join()
        return elapsed()

    assert run(main()) == 0.0


def test_elapsed() -> None:
    async def virtual() -> float:
        await asyncio.sleep(2)
        burn(0.5)
        return elapsed()

    async def real() -> tuple[float, float]:
        first = elapsed()
        await asyncio.sleep(0.01)
        return first, elapsed()

    assert run(virtual()) == 2.5
    first, second = asyncio.run(real())  # not started by looplab: from the first call
    assert first == 0.0
    assert second >= 0.01
    with pytest.raises(RuntimeError, match="no running event loop"):
        elapsed()


# The order of events


def test_equal_timers_run_in_the_order_they_were_set(loop: VirtualTimeLoop) -> None:
    order: list[int] = []
    dice = random.Random(5)
    for number in range(10_000):
        if dice.random() < 0.5:
            loop.call_later(1.5, order.append, number)
        else:
            loop.call_at(1.5, order.append, number)
    loop.call_later(1.5, loop.stop)
    loop.run_forever()
    assert order == list(range(10_000))


def test_timers_run_in_order_of_due_time(loop: VirtualTimeLoop) -> None:
    dice = random.Random(6)
    delays = [dice.randrange(500) / 1000 for _ in range(5_000)]
    order: list[tuple[float, int]] = []
    for number, delay in enumerate(delays):
        loop.call_later(delay, order.append, (delay, number))
    loop.call_later(1, loop.stop)
    loop.run_forever()
    assert order == sorted(order)
    assert len(order) == 5_000


def test_rules_2_to_4(loop: VirtualTimeLoop) -> None:
    """A timer that falls due goes behind what is ready, and waits for the iteration."""
    order: list[str] = []

    def first() -> None:
        order.append("first")
        loop.call_soon(order.append, "made ready by the first")
        loop.burn(2)

    loop.call_later(1, order.append, "timer")
    loop.call_soon(first)
    loop.call_soon(order.append, "second")
    loop.call_later(3, loop.stop)
    loop.run_forever()
    assert order == ["first", "second", "made ready by the first", "timer"]


def test_clock_does_not_jump_while_anything_is_ready() -> None:
    async def main() -> float:
        sleeper = asyncio.create_task(asyncio.sleep(1))
        for _ in range(1000):
            await asyncio.sleep(0)
        assert not sleeper.done()
        return elapsed()

    assert run(main()) == 0.0


def test_sleeps_add_up_exactly() -> None:
    async def main() -> tuple[float, int]:
        for _ in range(1000):
            await asyncio.sleep(0.1)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        return loop.time(), loop.time_ns()

    assert run(main()) == (100.0, 100_000_000_000)


@pytest.mark.parametrize("seconds", [2e7, 1e12, 1e300, 10**30, Fraction(1, 3), 1e-9, 0])
def test_long_and_short_sleeps_end(seconds: Any) -> None:
    async def main() -> float:
        await asyncio.sleep(seconds)
        await asyncio.sleep(seconds)
        return asyncio.get_running_loop().time()

    assert math.isclose(run(main()), float(2 * seconds), rel_tol=1e-15, abs_tol=1e-9)


def test_call_at_comes_back_to_the_same_nanosecond(loop: VirtualTimeLoop) -> None:
    dice = random.Random(7)
    for _ in range(20_000):
        now_ns = dice.randrange(20 * 86_400 * 10**9)  # 20 days
        assert clock._nanoseconds(now_ns / 10**9, "when") == now_ns


def test_timer_in_the_past_runs_at_once(loop: VirtualTimeLoop) -> None:
    seen: list[float] = []
    loop.burn(10)
    loop.call_at(3, lambda: seen.append(loop.time()))
    loop.call_at(20, loop.stop)
    loop.run_forever()
    assert seen == [10.0]


def test_timer_says_when_it_is_due(loop: VirtualTimeLoop) -> None:
    timer = loop.call_later(1.5, nothing)
    assert timer.when() == 1.5
    assert isinstance(timer, asyncio.TimerHandle)
    assert repr(timer).startswith("<TimerHandle when=1.5 ")
    timer.cancel()
    assert repr(timer).startswith("<TimerHandle cancelled when=1.5")
    assert timer < loop.call_at(2.0, nothing)


# Times that are none


BAD_TIMES = [
    (-1, TimeValueError),
    (-1e-9, TimeValueError),
    (math.nan, TimeValueError),
    (math.inf, TimeValueError),
    (-math.inf, TimeValueError),
    ("1", TypeError),
    (None, TypeError),
    (Decimal("1.5"), TypeError),
    (1j, TypeError),
    ([1], TypeError),
]


@pytest.mark.parametrize(("value", "error"), BAD_TIMES)
def test_bad_times(loop: VirtualTimeLoop, value: Any, error: type[Exception]) -> None:
    calls: dict[str, Callable[[], object]] = {
        "delay": lambda: loop.call_later(value, nothing),
        "when": lambda: loop.call_at(value, nothing),
        "jitter": lambda: VirtualTimeLoop(jitter=value),
        "callback_cost": lambda: VirtualTimeLoop(callback_cost=value),
        "burn()": lambda: loop.burn(value),
    }
    for what, call in calls.items():
        with pytest.raises(error) as caught:
            call()
        assert str(caught.value).startswith(what)
        if error is TimeValueError:
            assert f"is {value} s" in str(caught.value)
        else:
            assert type(value).__name__ in str(caught.value)
    assert loop.time_ns() == 0


@pytest.mark.parametrize("value", [-1, math.nan, math.inf])
def test_bad_times_in_a_coroutine(value: float) -> None:
    async def burning() -> None:
        burn(value)

    async def timing_out() -> None:
        async with asyncio.timeout(value):
            await asyncio.sleep(0)

    with pytest.raises(TimeValueError):
        run(burning())
    with pytest.raises(TimeValueError):
        burn(value)
    with pytest.raises(TimeValueError):
        run_real(burning())
    if value == math.inf:  # Python itself answers a deadline that has passed
        with pytest.raises(TimeValueError, match="to wait for ever, wait for an"):
            run(timing_out())
        with pytest.raises(TimeValueError):
            run(asyncio.sleep(value))


def test_errors_are_of_the_families_they_belong_to() -> None:
    for error in (
        DeadlockError,
        LivelockError,
        OutsideCallError,
        StepLimitError,
        TimeValueError,
    ):
        assert issubclass(error, ClockError)
    assert issubclass(ClockError, RuntimeError)
    assert issubclass(OutsideCallError, NotImplementedError)
    assert issubclass(TimeValueError, ValueError)
    names = {"ClockError", "VirtualTimeLoop", "burn", "elapsed", "run", "run_real"}
    assert names <= set(looplab.__all__)


@pytest.mark.parametrize("name", ["max_steps", "max_stalled"])
def test_bad_limits(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is 0"):
        VirtualTimeLoop(**{name: 0})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=f"{name} must be an int or None, not float"):
        VirtualTimeLoop(**{name: 1.5})  # type: ignore[arg-type]


# Deadlock, livelock, limits


def test_deadlock_names_who_waits_and_where() -> None:
    async def get(queue: asyncio.Queue[int]) -> None:
        await queue.get()

    async def main() -> None:
        queue: asyncio.Queue[int] = asyncio.Queue()
        async with asyncio.TaskGroup() as group:
            group.create_task(get(queue), name="reader")
            await asyncio.sleep(1.5)

    line = get.__code__.co_firstlineno + 1
    with pytest.raises(DeadlockError) as caught:
        run(main())
    text = str(caught.value)
    assert text.startswith("at 1.5 s nothing is ready and no timer is set, but 2 tasks")
    assert f"  reader: get, line {line}, in Queue.get\n" in text
    assert "  Task-1: main, line " in text


def test_deadlock_of_many_tasks_names_the_first() -> None:
    async def main() -> None:
        event = asyncio.Event()
        await asyncio.gather(*(event.wait() for _ in range(50)))

    with pytest.raises(DeadlockError, match=r"51 tasks wait:(.|\n)*… and 41 more"):
        run(main())


def test_deadlock_without_a_task(loop: VirtualTimeLoop) -> None:
    with pytest.raises(DeadlockError, match="there is no task"):
        loop.run_forever()
    # The loop is usable afterwards.
    loop.run_until_complete(asyncio.sleep(1))
    assert loop.time() == 1.0


def test_deadlock_cleans_up() -> None:
    seen: list[str] = []

    async def main() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(5)
            seen.append(f"cleaned at {elapsed()}")

    with pytest.raises(DeadlockError, match="1 task waits"):
        run(main())
    assert seen == ["cleaned at 5.0"]


def test_deadlock_of_a_task_on_a_foreign_awaitable() -> None:
    """What is awaited need be no coroutine and have no frame."""

    class Odd:
        def __await__(self) -> Any:
            return iter(asyncio.get_running_loop().create_future())

    async def main() -> None:
        await Odd()

    with pytest.raises(DeadlockError, match="main, line"):
        run(main())


def test_polling_is_a_livelock() -> None:
    async def main() -> None:
        while True:
            await asyncio.sleep(0)

    with pytest.raises(LivelockError, match=r"1,000 iterations .* at 0 s"):
        run(main(), max_stalled=1000)


def test_livelock_counts_iterations_at_one_instant_only() -> None:
    async def main() -> int:
        polls = 0
        for _ in range(20):
            for _ in range(50):
                await asyncio.sleep(0)
                polls += 1
            await asyncio.sleep(0.001)
        return polls

    assert run(main(), max_stalled=60) == 1000


def test_callback_cost_lets_polling_move_the_clock() -> None:
    async def main() -> int:
        flag = asyncio.Event()
        asyncio.get_running_loop().call_later(1, flag.set)
        polls = 0
        while not flag.is_set():
            await asyncio.sleep(0)
            polls += 1
        return polls

    # The clock passes 1 s after 1,000 callbacks.  The timer then goes behind the poll
    # that is ready, and the one after that sees the flag.
    assert run(main(), callback_cost=0.001, max_stalled=100) == 1001


def test_callback_cost_is_charged_for_every_callback() -> None:
    loop = VirtualTimeLoop(callback_cost=0.25)
    for _ in range(8):
        loop.call_soon(int)
    loop.call_soon(loop.stop)
    loop.run_forever()
    assert loop.time() == 9 * 0.25
    loop.close()


def test_max_steps_is_exact() -> None:
    for limit in (1, 2, 7, 100):
        ran: list[int] = []
        loop = VirtualTimeLoop(max_steps=limit)
        for number in range(200):
            handle = loop.call_soon(ran.append, number)
            if number % 3 == 0:
                handle.cancel()  # does not run, so does not count
        with pytest.raises(StepLimitError, match=f"^{limit} callbacks have run"):
            loop.run_forever()
        assert len(ran) == limit
        loop.close()


def test_max_steps_that_suffices() -> None:
    loop = VirtualTimeLoop(max_steps=11)
    for _ in range(10):
        loop.call_soon(int)
    loop.call_soon(loop.stop)
    loop.run_forever()
    loop.close()


def test_run_cleans_up_after_the_step_limit() -> None:
    seen: list[str] = []

    async def main() -> None:
        try:
            while True:
                await asyncio.sleep(1)
        finally:
            seen.append("cleaned")

    with pytest.raises(StepLimitError, match="50 callbacks have run, as many as"):
        run(main(), max_steps=50)
    assert seen == ["cleaned"]


# Calls into the outside


@pytest.mark.parametrize("name", sorted(clock._INSTEAD))
def test_calls_into_the_outside(loop: VirtualTimeLoop, name: str) -> None:
    assert hasattr(asyncio.AbstractEventLoop, name)
    with pytest.raises(
        OutsideCallError, match=rf"loop\.{name}\(\) needs (a|an|the|another) "
    ) as caught:
        getattr(loop, name)(None, None)
    assert isinstance(caught.value, NotImplementedError)
    assert "asyncio.sleep()" in str(caught.value)


def test_no_call_into_the_outside_is_forgotten() -> None:
    """What the stock Unix loop adds to the base loop's face, we refuse or replace."""
    inside = {"time", "close"}
    stock = asyncio.SelectorEventLoop
    for name in dir(stock):
        if name.startswith("_") or name in inside:
            continue
        if getattr(stock, name) is not getattr(asyncio.BaseEventLoop, name, None):
            assert name in clock._INSTEAD, name


async def to_thread() -> None:
    await asyncio.to_thread(time.sleep, 1)


async def executor() -> None:
    await asyncio.get_running_loop().run_in_executor(None, time.sleep, 1)


async def process() -> None:
    await asyncio.create_subprocess_exec("true")


async def shell() -> None:
    await asyncio.create_subprocess_shell("true")


async def connection() -> None:
    await asyncio.open_connection("localhost", 1)


async def server() -> None:
    async def serve(reader: object, writer: object) -> None: ...

    await asyncio.start_server(serve, "localhost", 0)


async def names() -> None:
    await asyncio.get_running_loop().getaddrinfo("localhost", 1)


@pytest.mark.parametrize(
    "call", [to_thread, executor, process, shell, connection, server, names]
)
def test_asyncios_own_calls_into_the_outside(call: Callable[[], Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # such as "coroutine was never awaited"
        with pytest.raises(OutsideCallError):
            run(call())
        gc.collect()


def test_no_thread_and_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise AssertionError("opened")

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(1))

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "socketpair", refuse)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    VirtualTimeLoop().close()
    run(main())


def test_import_starts_nothing() -> None:
    done = python(
        "import threading\n"
        "from looplab.clock import VirtualTimeLoop\n"
        "VirtualTimeLoop().close()\n"
        "print(threading.active_count(), 'matplotlib' in sys.modules)\n"
    )
    assert done.stdout == "1 False\n", done.stderr


def test_no_resource_is_left_open() -> None:
    done = python(
        "import asyncio, gc\n"
        "from looplab import VirtualTimeLoop, run\n"
        "run(asyncio.sleep(1))\n"
        "loop = VirtualTimeLoop()\n"
        "loop.run_until_complete(asyncio.sleep(1))\n"
        "loop.close()\n"
        "del loop\n"
        "gc.collect()\n",
        "-Xdev",
        "-Werror",
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_closed_loop_refuses_work() -> None:
    loop = VirtualTimeLoop()
    loop.call_later(1, int)
    loop.close()
    loop.close()
    assert repr(loop) == "<VirtualTimeLoop closed at 0 s>"
    for call in (
        lambda: loop.call_soon(int),
        lambda: loop.call_later(1, int),
        lambda: loop.call_at(1, int),
        lambda: loop.call_soon_threadsafe(int),
        loop.run_forever,
    ):
        with pytest.raises(RuntimeError, match="Event loop is closed"):
            call()
    coro = nothing()
    with pytest.raises(RuntimeError, match="Event loop is closed"):
        loop.create_task(coro)
    coro.close()


# Cancelled timers


def test_cancelled_timers_never_move_the_clock(loop: VirtualTimeLoop) -> None:
    for seconds in range(1, 50):
        loop.call_later(seconds, int).cancel()
    with pytest.raises(DeadlockError):
        loop.run_forever()
    assert loop.time() == 0.0


def test_cancelled_among_equals(loop: VirtualTimeLoop) -> None:
    order: list[int] = []
    timers = [loop.call_later(1, order.append, number) for number in range(6)]
    timers[0].cancel()
    timers[3].cancel()
    loop.call_soon(timers[5].cancel)
    loop.call_later(1, loop.stop)
    loop.run_forever()
    assert order == [1, 2, 4]


def test_timer_cancelled_by_an_equal_one(loop: VirtualTimeLoop) -> None:
    order: list[str] = []
    loop.call_later(1, lambda: later.cancel())
    later = loop.call_later(1, order.append, "cancelled")
    loop.call_later(1, loop.stop)
    loop.run_forever()
    assert order == []
    later.cancel()  # again, and after its time: harmless
    assert loop._cancelled_timers == 0


def test_cancelled_timers_are_swept_out() -> None:
    async def main() -> int:
        keep = [asyncio.get_running_loop().call_later(9_999, int) for _ in range(500)]
        most = 0
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        for number in range(20_000):
            loop.call_later(1_000 + number, int).cancel()
            most = max(most, sum(map(len, loop._timers.values())))
        assert not any(timer.cancelled() for timer in keep)
        assert sorted(loop._timers) == sorted(loop._due_heap)
        return most

    assert run(main()) <= 500 + 502


def test_a_sweep_keeps_order_and_time(loop: VirtualTimeLoop) -> None:
    dice = random.Random(8)
    order: list[tuple[float, int]] = []
    expected = []
    timers = []
    for number in range(5_000):
        due = dice.randrange(1, 300) / 10
        timers.append(loop.call_at(due, order.append, (due, number)))
        expected.append((due, number))
    dropped = set(dice.sample(range(5_000), 4_000))
    for number in dropped:
        timers[number].cancel()
    loop.call_at(31, loop.stop)
    loop.run_forever()
    assert order == sorted(e for e in expected if e[1] not in dropped)


def test_memory_of_many_timeouts_is_bounded() -> None:
    async def main() -> int:
        for number in range(8_000):
            async with asyncio.timeout(3600):
                await asyncio.sleep(0.001)
            if number == 1_000:
                tracemalloc.start()
        size, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return size

    assert run(main()) < 500_000


# Threads


def test_call_soon_threadsafe_from_another_thread(loop: VirtualTimeLoop) -> None:
    seen: list[int] = []

    def main() -> None:
        thread = threading.Thread(
            target=lambda: [
                loop.call_soon_threadsafe(seen.append, number) for number in range(1000)
            ]
        )
        thread.start()
        thread.join()
        loop.call_soon(loop.stop)

    loop.call_soon(main)
    loop.run_forever()
    assert seen == list(range(1000))


def test_loops_in_two_threads() -> None:
    async def main() -> float:
        for _ in range(1000):
            await asyncio.sleep(0.001)
        return elapsed()

    results: list[float] = []
    threads = [
        threading.Thread(target=lambda: results.append(run(main()))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [1.0, 1.0]


# Debug mode


def test_debug_mode_logs_slow_callbacks_by_the_virtual_clock(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def main() -> None:
        await asyncio.sleep(50)  # no work
        burn(0.75)
        await asyncio.sleep(0)

    run(main(), debug=True)
    slow = [record.getMessage() for record in caplog.records]
    assert len(slow) == 1
    assert slow[0].startswith("Executing <Task pending name='Task-1'")
    assert slow[0].endswith("took 0.750 seconds")


def test_debug_mode_tracks_origins() -> None:
    def here(stack: Any) -> tuple[str, str]:
        return Path(stack[-1].filename).name, stack[-1].name

    async def main() -> None:
        loop = asyncio.get_running_loop()
        task = loop.create_task(nothing())
        handles: list[Any] = [
            loop.call_soon(int),
            loop.call_later(1, int),
            loop.call_at(1, int),
        ]
        for tracked in (task, *handles):
            place = here(tracked._source_traceback)  # type: ignore[union-attr]
            assert place == ("test_clock.py", "main")
        coroutine = nothing()
        assert coroutine.cr_origin is not None
        await coroutine
        await task

    run(main(), debug=True)


def test_debug_mode_refuses_another_thread(loop: VirtualTimeLoop) -> None:
    loop.set_debug(True)
    errors: list[BaseException] = []

    def elsewhere() -> None:
        for call in (loop.call_soon, lambda f: loop.call_later(1, f)):
            try:
                call(int)
            except RuntimeError as exc:
                errors.append(exc)

    def main() -> None:
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        loop.stop()

    loop.call_soon(main)
    loop.run_forever()
    assert len(errors) == 2
    assert all("Non-thread-safe operation" in str(error) for error in errors)


@pytest.mark.parametrize("debug", [False, True])
def test_failed_task_that_nobody_keeps_is_reported_when_it_ends(debug: bool) -> None:
    """Nothing in the loop keeps the task of the callback that ran last."""
    reports: list[dict[str, Any]] = []

    async def fails() -> None:
        raise LookupError("lost")

    async def main() -> int:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: reports.append(context))
        loop.create_task(fails())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return len(reports)

    assert run(main(), debug=debug) == 1


# Exceptions out of callbacks


def test_exception_in_a_callback_is_reported(loop: VirtualTimeLoop) -> None:
    reports: list[dict[str, Any]] = []
    loop.set_exception_handler(lambda loop, context: reports.append(context))
    handle = loop.call_soon(divmod, 1, 0)
    loop.call_soon(loop.stop)
    loop.run_forever()
    (report,) = reports
    assert isinstance(report["exception"], ZeroDivisionError)
    assert report["handle"] is handle
    assert report["message"].startswith("Exception in callback divmod(")


def test_exception_without_a_handler_is_logged(
    loop: VirtualTimeLoop, caplog: pytest.LogCaptureFixture
) -> None:
    loop.call_soon(divmod, 1, 0)
    loop.call_soon(loop.stop)
    loop.run_forever()
    assert "Exception in callback divmod(" in caplog.text


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt])
@pytest.mark.parametrize("debug", [False, True])
def test_exit_out_of_a_callback(
    loop: VirtualTimeLoop, error: type[BaseException], debug: bool
) -> None:
    seen: list[str] = []

    def leave() -> None:
        raise error

    loop.set_debug(debug)
    loop.call_soon(seen.append, "before")
    loop.call_soon(leave)
    loop.call_soon(seen.append, "after")
    with pytest.raises(error):
        loop.run_forever()
    assert seen == ["before"]
    assert not loop.is_running()
    loop.call_soon(loop.stop)
    loop.run_forever()
    assert seen == ["before", "after"]


# The rest of the stock loop's face


def test_stop_before_run_forever(loop: VirtualTimeLoop) -> None:
    seen: list[int] = []
    loop.call_soon(seen.append, 1)
    loop.call_later(1, seen.append, 2)
    loop.stop()
    loop.run_forever()
    assert seen == [1]
    assert loop.time() == 0.0
    assert not loop.is_running()


def test_stop_ends_the_iteration(loop: VirtualTimeLoop) -> None:
    seen: list[str] = []
    loop.call_soon(loop.stop)
    loop.call_soon(seen.append, "same iteration")
    loop.call_soon(lambda: loop.call_soon(seen.append, "next iteration"))
    loop.run_forever()
    assert seen == ["same iteration"]
    loop.stop()
    loop.run_forever()
    assert seen == ["same iteration", "next iteration"]


def test_run_until_complete_of_a_stopped_loop(loop: VirtualTimeLoop) -> None:
    loop.call_later(1, loop.stop)
    with pytest.raises(RuntimeError, match="stopped before Future completed"):
        loop.run_until_complete(loop.create_future())


def test_repr(loop: VirtualTimeLoop) -> None:
    async def main() -> str:
        await asyncio.sleep(1.25)
        return repr(asyncio.get_running_loop())

    assert repr(loop) == "<VirtualTimeLoop idle at 0 s>"
    assert run(main()) == "<VirtualTimeLoop running at 1.25 s>"


def test_reprs_are_the_stock_ones() -> None:
    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        task = asyncio.create_task(nothing())
        texts = [repr(task), repr(loop.create_future()), repr(loop.call_soon(int))]
        await task
        return texts

    task, future, handle = run(main())
    assert task.startswith("<Task pending name='Task-2' coro=<nothing()")
    assert future == "<Future pending>"
    assert handle == "<Handle int()>"


def test_task_names_count_per_loop() -> None:
    async def main() -> list[str]:
        async def name() -> str:
            task = asyncio.current_task()
            assert task is not None
            return task.get_name()

        return await asyncio.gather(
            name(), name(), asyncio.create_task(name(), name="mine"), name()
        )

    for _ in range(2):
        assert run(main()) == ["Task-3", "Task-4", "mine", "Task-5"]


def test_context_variables() -> None:
    variable = contextvars.ContextVar("variable", default="none")

    async def child() -> str:
        await asyncio.sleep(1)
        before = variable.get()
        variable.set("child's")
        return before

    async def main() -> list[str]:
        loop = asyncio.get_running_loop()
        seen: list[str] = []
        variable.set("main's")
        task = asyncio.create_task(child())
        other = contextvars.Context()
        loop.call_soon(lambda: seen.append(variable.get()), context=other)
        loop.call_later(1, lambda: seen.append(variable.get()), context=other)
        loop.call_at(2, lambda: seen.append(variable.get()))
        variable.set("main's later")
        seen.append(await task)
        await asyncio.sleep(3)
        return [*seen, variable.get()]

    assert run(main()) == ["none", "none", "main's", "main's", "main's later"]


def test_async_generators_are_closed_in_order() -> None:
    closed: list[int] = []

    async def numbers(number: int) -> AsyncIterator[int]:
        try:
            yield number
        finally:
            await asyncio.sleep(1)
            closed.append(number)

    kept = [numbers(number) for number in range(100)]

    async def main() -> None:
        for generator in kept:
            await anext(generator)

    run(main())
    assert closed == list(range(100))


def test_forgotten_async_generator_is_closed() -> None:
    closed: list[str] = []

    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            await asyncio.sleep(0)
            closed.append("closed")

    async def main() -> None:
        async for _ in numbers():
            break
        gc.collect()
        await asyncio.sleep(1)
        assert closed == ["closed"]

    run(main())


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks came with 3.12")
def test_eager_task_factory() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_task_factory(asyncio.eager_task_factory)  # type: ignore[attr-defined,unused-ignore]
        order: list[str] = []

        async def child(name: str) -> None:
            order.append(f"{name} begins")
            task = asyncio.current_task()
            assert task is not None
            assert task.get_name() == {"first": "Task-2", "second": "Task-3"}[name]
            await asyncio.sleep(1)
            order.append(f"{name} ends")

        async with asyncio.TaskGroup() as group:
            first = group.create_task(child("first"))
            order.append("made")
            group.create_task(child("second"))
        assert order == [
            "first begins",
            "made",
            "second begins",
            "first ends",
            "second ends",
        ]
        assert first.get_name() == "Task-2"
        assert hash(first) < 100  # a number, not an address

    run(main())


def test_custom_task_factory(loop: VirtualTimeLoop) -> None:
    made: list[str] = []

    def factory(loop: Any, coro: Any, **options: Any) -> asyncio.Task[Any]:
        made.append(coro.__name__)
        return asyncio.Task(coro, loop=loop, **options)

    loop.set_task_factory(factory)
    loop.run_until_complete(nothing())
    assert made == ["nothing"]


def test_task_group_aborts_its_other_tasks() -> None:
    ended: list[str] = []

    async def child(number: int) -> None:
        try:
            await asyncio.sleep(number)
            if number == 2:
                raise LookupError("two")
        except asyncio.CancelledError:
            ended.append(f"{number} at {elapsed()}")
            raise

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(6):
                group.create_task(child(number))

    with pytest.raises(ExceptionGroup) as caught:
        run(main())
    assert repr(caught.value.exceptions) == "(LookupError('two'),)"
    assert ended == ["3 at 2.0", "4 at 2.0", "5 at 2.0"]


def test_timeout() -> None:
    async def main() -> tuple[float, float]:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.5):
                await asyncio.sleep(10)
        first = elapsed()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 2)
        return first, elapsed()

    assert run(main()) == (1.5, 3.5)


def test_synchronisation_primitives() -> None:
    async def main() -> list[str]:
        seen: list[str] = []
        lock, condition = asyncio.Lock(), asyncio.Condition()
        barrier, queue = asyncio.Barrier(3), asyncio.Queue[str](1)
        semaphore = asyncio.Semaphore(2)

        async def work(name: str) -> None:
            async with lock:
                await asyncio.sleep(1)
                seen.append(f"{name} locked {elapsed():g}")
            async with semaphore:
                await asyncio.sleep(1)
            await barrier.wait()
            seen.append(f"{name} passed {elapsed():g}")
            await queue.put(name)
            async with condition:
                await condition.wait_for(lambda: elapsed() >= 10)
            seen.append(f"{name} notified {elapsed():g}")

        async with asyncio.TaskGroup() as group:
            for name in "abc":
                group.create_task(work(name))
            for _ in range(3):
                seen.append(f"{await queue.get()} came")
            await asyncio.sleep(10 - elapsed())
            async with condition:
                condition.notify_all()
        return seen

    assert run(main()) == [
        "a locked 1",
        "b locked 2",
        "c locked 3",
        "c passed 4",
        "a passed 4",
        "b passed 4",
        "c came",
        "a came",
        "b came",
        "c notified 10",
        "a notified 10",
        "b notified 10",
    ]


def test_wait_and_as_completed() -> None:
    async def sleep(seconds: float) -> float:
        await asyncio.sleep(seconds)
        return seconds

    async def main() -> list[float]:
        tasks = [asyncio.create_task(sleep(s)) for s in (3, 1, 2, 1)]
        done, pending = await asyncio.wait(tasks, return_when="FIRST_COMPLETED")
        assert {tasks.index(task) for task in done} == {1, 3}
        assert {tasks.index(task) for task in pending} == {0, 2}
        return [await each for each in asyncio.as_completed(tasks)]

    assert run(main()) == [1, 1, 2, 3]


def test_shield_and_cancellation() -> None:
    async def main() -> float:
        inner = asyncio.create_task(asyncio.sleep(5))
        outer = asyncio.create_task(asyncio.wait_for(asyncio.shield(inner), 1))
        with pytest.raises(TimeoutError):
            await outer
        await inner
        return elapsed()

    assert run(main()) == 5.0


def test_a_tracer_may_replace_the_ready_queue(loop: VirtualTimeLoop) -> None:
    class Counting(deque[Any]):
        appended = 0

        def append(self, handle: Any) -> None:
            self.appended += 1
            super().append(handle)

    queues: list[Counting] = []

    def replace() -> None:  # as LoopTracer does: what waits moves over
        queues.append(Counting(loop._ready))
        loop._ready.clear()
        loop._ready = queues[0]

    order: list[str] = []
    loop.call_soon(order.append, "before")
    loop.call_soon(replace)
    loop.call_soon(order.append, "after, same iteration")
    loop.call_later(1, order.append, "timer")
    loop.call_later(1, loop.stop)
    loop.run_forever()
    assert order == ["before", "after, same iteration", "timer"]
    assert queues[0].appended == 2


# Jitter


def jittered(seed: int, jitter: float = 0.01) -> list[tuple[float, float]]:
    """Due and real time of 200 timers."""
    loop = VirtualTimeLoop(jitter=jitter, seed=seed)
    seen: list[tuple[float, float]] = []

    def note(number: int) -> None:
        seen.append((timers[number].when(), loop.time()))

    timers = [loop.call_later(1 + 0.1 * number, note, number) for number in range(200)]
    with contextlib.suppress(DeadlockError):
        loop.run_forever()
    loop.close()
    return seen


def test_jitter_is_seeded() -> None:
    assert jittered(1) == jittered(1)
    assert jittered(1) != jittered(2)
    assert all(due == ran for due, ran in jittered(1, jitter=0.0))


def test_jitter_fires_late_by_up_to_its_bound() -> None:
    late = [ran - due for due, ran in jittered(3)]
    assert all(0 <= each <= 0.01 + 1e-9 for each in late)
    assert max(late) > 0.009
    assert min(late) < 0.001
    assert [round(due, 6) for due, _ in jittered(3)] == [
        round(1 + 0.1 * number, 6) for number in range(200)
    ]


# Memory


def test_nothing_keeps_a_finished_task(loop: VirtualTimeLoop) -> None:
    class Payload:
        pass

    payload = Payload()
    gone = weakref.ref(payload)

    async def main(payload: Payload) -> None:
        await asyncio.sleep(1)

    loop.run_until_complete(main(payload))
    del payload
    gc.collect()
    assert gone() is None


def test_a_closed_loop_is_freed() -> None:
    loop = VirtualTimeLoop()
    loop.run_until_complete(asyncio.sleep(1))
    loop.close()
    gone = weakref.ref(loop)
    del loop
    gc.collect()
    assert gone() is None
