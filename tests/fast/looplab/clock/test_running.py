"""run(), run_real(), run_on(), burn() and elapsed()."""

from __future__ import annotations

import asyncio
import gc
import inspect
import random
import signal
import threading
import warnings
from collections.abc import Iterator

import pytest

from looplab.clock import (
    TimeValueError,
    VirtualTimeLoop,
    burn,
    elapsed,
    run,
    run_real,
)
from tests.fast.looplab.clock.helpers import nothing


def test_run_makes_the_loop_that_it_is_told_to() -> None:
    class OwnLoop(VirtualTimeLoop):
        pass

    async def main() -> tuple[str, float]:
        await asyncio.sleep(1)
        return type(asyncio.get_running_loop()).__name__, elapsed()

    assert run(main(), loop_factory=OwnLoop) == ("OwnLoop", 1)
    name, late = run(main(), loop_factory=lambda: OwnLoop(jitter=0.5, seed=1))
    assert name == "OwnLoop"
    assert 1 < late < 1.5
    assert run(main()) == ("VirtualTimeLoop", 1)


def test_run_leaves_no_loop_running_and_closes_its_own() -> None:
    async def main() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    assert run(main()).is_closed()
    with pytest.raises(RuntimeError, match="no running event loop"):
        asyncio.get_running_loop()


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


def test_an_interrupt_before_there_is_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(thread: threading.Thread) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    main = nothing()
    with pytest.raises(KeyboardInterrupt):
        run_real(main)
    assert inspect.getcoroutinestate(main) == inspect.CORO_CLOSED


# burn() and elapsed()


def test_burn_is_exact_on_the_virtual_clock() -> None:
    async def main() -> tuple[float, int]:
        for _ in range(1000):
            burn(0.001)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        return elapsed(), loop.time_ns()

    assert run(main()) == (1.0, 1_000_000_000)
