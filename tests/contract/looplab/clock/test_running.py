"""run_real(), and runs in runs."""

from __future__ import annotations

import _thread
import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from looplab.clock import DeadlockError, elapsed, run, run_on, run_real
from tests.contract.looplab.fresh import python


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


# run_real()


@pytest.mark.filterwarnings("error")
def test_run_real_runs_on_a_stock_loop_in_a_thread_of_its_own() -> None:
    class Loop(asyncio.SelectorEventLoop):
        pass

    async def main() -> tuple[Any, ...]:
        await asyncio.sleep(0.01)
        loop = asyncio.get_running_loop()
        in_main = threading.current_thread() is threading.main_thread()
        return type(loop), loop.get_debug(), in_main, elapsed() > 0

    async def inside() -> Any:
        return run_real(main())

    stock = (asyncio.SelectorEventLoop, False, False, True)
    for done in (run_real(main()), asyncio.run(inside()), run(inside())):
        assert done == stock
    assert run_real(main(), loop_factory=Loop, debug=True)[:2] == (Loop, True)
    assert run_on("real", main(), debug=True)[1] is True
    with pytest.raises(ZeroDivisionError):  # and the coroutine is closed
        run_real(main(), loop_factory=lambda: 1 / 0)  # type: ignore[arg-type,return-value]
    assert not any(thread.name == "run_real" for thread in threading.enumerate())


def test_an_interrupt_cancels_run_real() -> None:
    seen: list[str] = []

    async def main() -> None:
        asyncio.get_running_loop().call_soon(_thread.interrupt_main)
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    with pytest.raises(KeyboardInterrupt):
        run_real(main())
    assert seen == ["cancelled"]


def test_an_interrupt_while_the_thread_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    start = threading.Thread.start

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        raise KeyboardInterrupt

    async def main() -> None:
        ran.append("began")
        try:
            await asyncio.sleep(600)
        except asyncio.CancelledError:
            ran.append("cancelled")
            raise

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_real(main())
    left = [thread for thread in threading.enumerate() if thread.name == "run_real"]
    for thread in left:  # it began after the call had given it up, and runs nothing
        thread.join(300)
    assert not any(thread.is_alive() for thread in left)
    assert ran in ([], ["began", "cancelled"])


def test_run_real_refuses_after_nest_asyncio() -> None:
    done = python(
        "-Werror",
        "-c",
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
    )
    assert done.stdout.startswith("ran\nrefused nest_asyncio.apply() has"), done
    assert done.stderr == ""
