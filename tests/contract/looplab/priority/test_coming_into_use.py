"""Priorities come into use while other threads add callbacks."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator

import pytest

from looplab.priority import PriorityEventLoop, priority

EACH, THREADS = 60, 3


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads take turns as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def come_into_use() -> list[tuple[int, int]]:
    ran: list[tuple[int, int]] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        go = threading.Event()

        def send(who: int) -> None:
            go.wait()
            for number in range(EACH):
                loop.call_soon_threadsafe(ran.append, (who, number))

        senders = [threading.Thread(target=send, args=(n,)) for n in range(THREADS)]
        for sender in senders:
            sender.start()
        go.set()
        await asyncio.sleep(0)
        with priority(5):
            await asyncio.create_task(asyncio.sleep(0))
        while len(ran) < EACH * THREADS and any(
            map(threading.Thread.is_alive, senders)
        ):
            await asyncio.sleep(0)
        for sender in senders:
            sender.join()
        for _ in range(50):
            await asyncio.sleep(0)

    with asyncio.Runner(loop_factory=PriorityEventLoop) as runner:
        runner.run(main())
    return ran


@pytest.mark.usefixtures("switching")
def test_nothing_is_lost_and_each_thread_keeps_its_order() -> None:
    for _ in range(200):
        ran = come_into_use()
        for who in range(THREADS):
            assert [number for one, number in ran if one == who] == list(range(EACH))
