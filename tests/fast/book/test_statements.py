"""What the pages of chapters 4 and 5 state beside their cells."""

from __future__ import annotations

import asyncio
import logging
import sys

import pytest

from looplab import Heartbeat, burn, run


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks came with 3.12")
def test_an_eager_storm_is_one_callback_and_as_late(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def job() -> None:
        burn(0.010)

    async def storm(eager: bool) -> float:
        loop = asyncio.get_running_loop()
        async with Heartbeat(1) as heart:
            await asyncio.sleep(2.5)
            if eager:
                loop.set_task_factory(asyncio.eager_task_factory)
            async with asyncio.TaskGroup() as tasks:
                for _ in range(200):
                    tasks.create_task(job())
            loop.set_task_factory(None)
            await asyncio.sleep(2)
        return round(heart.worst, 6)

    with caplog.at_level(logging.WARNING, logger="asyncio"):
        assert run(storm(False), debug=True) == 1.5
        assert not caplog.records
        assert run(storm(True), debug=True) == 1.5
        assert len(caplog.records) == 1


def test_put_nowait_overtakes_whoever_waits_in_put() -> None:
    async def main() -> list[int]:
        queue: asyncio.Queue[int] = asyncio.Queue(maxsize=1)
        await queue.put(0)
        waiting = asyncio.create_task(queue.put(1))
        await asyncio.sleep(0)
        taken = [queue.get_nowait()]
        queue.put_nowait(2)
        taken += [await queue.get(), await queue.get()]
        await waiting
        return taken

    assert run(main()) == [0, 2, 1]


@pytest.mark.parametrize(("wait", "most"), [("free lock", 0), ("timer", 998)])
def test_only_a_wait_of_more_than_an_iteration_lets_the_queue_grow(
    wait: str, most: int
) -> None:
    async def main() -> int:
        queue: asyncio.Queue[int] = asyncio.Queue()
        lock, left = asyncio.Lock(), list[int]()

        async def consumer() -> None:
            for _ in range(1000):
                await queue.get()
                left.append(queue.qsize())
                if wait == "timer":
                    await asyncio.sleep(1e-6)
                else:
                    async with lock:
                        pass

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(consumer())
            for item in range(1000):
                await queue.put(item)
                await asyncio.sleep(0)
        return max(left)

    assert run(main()) == most
