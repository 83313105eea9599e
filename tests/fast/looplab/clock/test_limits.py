"""Deadlock, livelock and the limits of a run."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from looplab.clock import (
    DeadlockError,
    LivelockError,
    StepLimitError,
    VirtualTimeLoop,
    run,
)


def test_deadlock_names_who_waits_and_where() -> None:
    async def get(queue: asyncio.Queue[int]) -> None:
        await queue.get()

    class Odd:
        """What is awaited need be no coroutine and have no frame."""

        def __await__(self) -> Any:
            return iter(asyncio.get_running_loop().create_future())

    async def odd() -> None:
        await Odd()

    async def main() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(get(asyncio.Queue()), name="reader")
            group.create_task(odd(), name="odd")
            await asyncio.sleep(1.5)

    line = get.__code__.co_firstlineno + 1
    with pytest.raises(DeadlockError) as caught:
        run(main())
    text = str(caught.value)
    assert text.startswith("at 1.5 s nothing is ready and no timer is set, but 3 tasks")
    assert f"  reader: get, line {line}, in Queue.get\n" in text
    assert "  Task-1: main, line " in text
    assert "  odd: odd, line " in text


def test_deadlock_of_many_tasks_names_the_first() -> None:
    async def main() -> None:
        event = asyncio.Event()
        await asyncio.gather(*(event.wait() for _ in range(50)))

    with pytest.raises(DeadlockError, match=r"51 tasks wait:(.|\n)*… and 41 more"):
        run(main())


def test_after_a_deadlock_the_loop_is_usable(loop: VirtualTimeLoop) -> None:
    with pytest.raises(DeadlockError, match="there is no task"):
        loop.run_forever()
    loop.run_until_complete(asyncio.sleep(1))
    assert loop.time() == 1.0


async def poll(turns: int, times: int = 1) -> int:
    polls = 0
    for _ in range(times):
        for _ in range(turns):
            await asyncio.sleep(0)
            polls += 1
        await asyncio.sleep(0.001)
    return polls


def test_polling_at_one_instant_is_a_livelock() -> None:
    with pytest.raises(LivelockError, match=r"1,000 iterations .* at 0 s"):
        run(poll(2_000), max_stalled=1000)
    # Its start, its turns, and one more in which it goes to sleep.
    assert run(poll(50, times=20), max_stalled=52) == 1000
    with pytest.raises(LivelockError):
        run(poll(50, times=20), max_stalled=51)


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


@pytest.mark.parametrize("limit", [1, 2, 7, 100])
def test_max_steps_is_exact(limit: int) -> None:
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


@pytest.mark.parametrize("name", ["max_steps", "max_stalled"])
def test_bad_limits(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is 0"):
        VirtualTimeLoop(**{name: 0})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=f"expected {name} as a whole number, or None"):
        VirtualTimeLoop(**{name: 1.5})  # type: ignore[arg-type]
