"""run(), run_real(), run_on(), burn() and elapsed()."""

from __future__ import annotations

import asyncio
import gc
import inspect
import itertools
import random
import signal
import threading
from typing import Any

import pytest

from looplab.clock import (
    VirtualTimeLoop,
    burn,
    elapsed,
    run,
    run_on,
    run_real,
    running,
)
from tests.fast.looplab.clock.random_programs import StockLoop
from tests.fast.looplab.jobs.shared import on_stock_loop


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
    assert run(main(), loop_factory=lambda: OwnLoop(start=5)) == ("OwnLoop", 1)


def test_run_leaves_no_loop_running_and_closes_its_own() -> None:
    async def main() -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    assert run(main()).is_closed()
    assert isinstance(run_on("virtual", main(), seed=1), VirtualTimeLoop)
    for wants_a_loop in (asyncio.get_running_loop, elapsed):
        with pytest.raises(RuntimeError, match="no running event loop"):
            wants_a_loop()


async def main() -> None: ...


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: run(main), TypeError, r"call it: run\(main\(\)\)"),  # type: ignore[arg-type]
        (lambda: run(3), TypeError, "not this int"),  # type: ignore[arg-type]
        (lambda: run_real(main), TypeError, r"call it: run_real\(main\(\)\)"),  # type: ignore[arg-type]
        (lambda: run(main(), jitter=-1), ValueError, "jitter is -1"),
        (
            lambda: run(main(), loop_factory=VirtualTimeLoop, jitter=0.5, seed=1),
            TypeError,
            r"jitter and seed beside .*\(jitter=0\.5\)",
        ),
        (
            lambda: run(main(), loop_factory=StockLoop),  # type: ignore[arg-type]
            TypeError,
            r"virtual clock, got <.*use run_real\(\)",
        ),
        (
            lambda: run_on("wall", main()),  # type: ignore[arg-type]
            ValueError,
            "clock is 'wall': give \"virtual\" or",
        ),
    ],
)
def test_bad_input_is_named_and_no_coroutine_is_left(
    call: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        call()
    gc.collect()


def test_run_cancels_what_is_left_in_order(caplog: pytest.LogCaptureFixture) -> None:
    ended: list[int] = []

    async def wait(number: int) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(number)
            if number == 100:
                raise LookupError("too late")

    async def main() -> list[asyncio.Task[None]]:
        tasks = [asyncio.create_task(wait(i)) for i in range(200)]
        await asyncio.sleep(1)
        return random.Random(1).sample(tasks, 200)

    tasks = run(main())
    assert ended == list(range(200))
    assert sum(task.cancelled() for task in tasks) == 199
    assert "unhandled exception during run() shutdown" in caplog.text
    assert "too late" in caplog.text


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


def test_an_interrupt_before_there_is_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(thread: threading.Thread) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    # Nobody ever sets the event that it would wait for.
    monkeypatch.setattr(threading.Event, "wait", lambda event, _=None: event.is_set())
    began = main()
    with pytest.raises(KeyboardInterrupt):
        run_real(began)
    assert inspect.getcoroutinestate(began) == inspect.CORO_CLOSED


def test_burn_holds_any_loop_by_the_time_of_its_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A look at the clock takes 7 ns there."""
    looks = itertools.count(0, 7)
    monkeypatch.setattr(running, "_cpu_time_ns", looks.__next__)

    async def main() -> list[str]:
        loop: Any = asyncio.get_running_loop()
        loop.call_later(0, order.append, "timer")
        burn(100e-9)
        order.append("burnt")
        assert next(looks) == 112  # it stopped at 105
        await asyncio.sleep(1)
        return order

    order: list[str] = []
    assert on_stock_loop(main()) == ["burnt", "timer"]
    with pytest.raises(ValueError, match=r"burn\(\) is -1 s"):
        burn(-1)


def test_elapsed_begins_with_the_first_call_where_looplab_runs_nothing() -> None:
    async def main() -> tuple[float, float]:
        await asyncio.sleep(3)
        first = elapsed()
        await asyncio.sleep(0.5)
        return first, elapsed()

    assert on_stock_loop(main()) == (0, 0.5)
