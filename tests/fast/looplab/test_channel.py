"""A channel without a buffer: who waits for whom, cancellation, closing."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from looplab import DeadlockError, elapsed, run
from looplab.channel import Channel, ChannelClosedError
from tests.fast.looplab.jobs.shared import on_stock_loop


async def collect(channel: Channel[Any], into: list[Any], pause: float = 0.0) -> None:
    async for item in channel:
        into.append((elapsed(), item))
        if pause:
            await asyncio.sleep(pause)


def test_put_returns_when_the_item_is_taken() -> None:
    async def main() -> list[float]:
        channel: Channel[str] = Channel()
        consumer = asyncio.create_task(collect(channel, taken := [], pause=1))
        returned = []
        for item in "abc":
            await channel.put(item)
            returned.append(elapsed())
        assert taken == [(0, "a"), (1, "b"), (2, "c")]
        consumer.cancel()
        return returned

    assert run(main()) == [0, 1, 2]


def test_a_queue_of_one_is_an_item_ahead() -> None:
    """What the chapter says of the difference."""

    async def main() -> list[float]:
        queue: asyncio.Queue[str] = asyncio.Queue(maxsize=1)

        async def consume() -> None:
            while True:
                await queue.get()
                await asyncio.sleep(1)

        consumer = asyncio.create_task(consume())
        returned = []
        for item in "abc":
            await queue.put(item)
            returned.append(elapsed())
        assert queue.qsize() == 1
        consumer.cancel()
        return returned

    assert run(main()) == [0, 0, 1]


def test_without_a_consumer_put_waits_for_ever() -> None:
    with pytest.raises(DeadlockError, match=r"main, line \d+, in Channel.put"):

        async def main() -> None:
            await Channel[int]().put(1)

        run(main())


def test_without_a_producer_get_waits_for_ever() -> None:
    async def main() -> None:
        await Channel[int]().get()

    with pytest.raises(DeadlockError, match=r"in Channel.get"):
        run(main())


def test_items_and_consumers_in_order() -> None:
    async def main() -> list[Any]:
        channel: Channel[int] = Channel()
        got: list[Any] = []

        async def consume(name: str) -> None:
            got.append((name, await channel.get()))

        async with asyncio.TaskGroup() as tasks:
            for name in "xyz":
                tasks.create_task(consume(name))
            for item in range(3):
                tasks.create_task(channel.put(item))
        return got

    assert run(main()) == [("x", 0), ("y", 1), ("z", 2)]


def test_none_is_an_item() -> None:
    async def main() -> object:
        channel: Channel[None] = Channel()
        consumer = asyncio.create_task(channel.get())
        await channel.put(None)
        return await consumer

    assert run(main()) is None


def test_a_cancelled_put_withdraws_its_item() -> None:
    async def main() -> list[Any]:
        channel: Channel[str] = Channel()
        first = asyncio.create_task(channel.put("a"))
        second = asyncio.create_task(channel.put("b"))
        await asyncio.sleep(1)
        assert channel.waiting == 2
        first.cancel()
        # Before the cancelled task has run again: its item must not be taken.
        taken = [await channel.get()]
        await second
        assert channel.waiting == 0
        assert first.cancelled()
        return taken

    assert run(main()) == ["b"]


def test_a_put_cancelled_by_a_timeout() -> None:
    async def main() -> int:
        channel: Channel[str] = Channel()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(channel.put("a"), timeout=1)
        return channel.waiting

    assert run(main()) == 0


def test_a_cancelled_get_takes_nothing() -> None:
    async def main() -> tuple[str, bool]:
        channel: Channel[str] = Channel()
        first = asyncio.create_task(channel.get())
        second = asyncio.create_task(channel.get())
        await asyncio.sleep(1)
        putting = asyncio.create_task(channel.put("a"))
        await asyncio.sleep(0)  # the put has woken the first get, which has not run
        first.cancel()
        await putting
        return await second, first.cancelled()

    assert run(main()) == ("a", True)


def test_close_wakes_everybody() -> None:
    async def main() -> list[str]:
        channel: Channel[int] = Channel()
        waiting = [asyncio.create_task(channel.put(n)) for n in range(2)]
        await asyncio.sleep(1)
        channel.close()
        channel.close()
        said = [str(e) for e in await asyncio.gather(*waiting, return_exceptions=True)]
        assert channel.closed
        assert channel.waiting == 0
        assert repr(channel) == "<Channel closed, 0 to be taken>"
        with pytest.raises(ChannelClosedError, match="not taken"):
            await channel.put(3)
        with pytest.raises(ChannelClosedError, match="nothing more will come"):
            await channel.get()
        return said

    assert run(main()) == ["the channel was closed: the item was not taken"] * 2


def test_close_ends_all_consumers() -> None:
    async def main() -> int:
        channel: Channel[int] = Channel()
        got: list[Any] = []
        async with asyncio.TaskGroup() as tasks:
            for _ in range(3):
                tasks.create_task(collect(channel, got))
            for item in range(7):
                await channel.put(item)
            channel.close()
        return len(got)

    assert run(main()) == 7


def test_repr_counts_what_waits() -> None:
    async def main() -> str:
        channel: Channel[int] = Channel()
        putting = asyncio.create_task(channel.put(1))
        await asyncio.sleep(0)
        text = repr(channel)
        putting.cancel()
        return text

    assert run(main()) == "<Channel open, 1 to be taken>"


@pytest.mark.parametrize("seed", range(30))
def test_nothing_is_lost_and_nothing_comes_twice(seed: int) -> None:
    """Random producers, consumers and cancellations: what put returned for was taken,
    once, and what was cancelled while it waited was not."""
    chance = random.Random(seed)

    async def main() -> None:
        channel: Channel[int] = Channel()
        returned: list[int] = []
        taken: list[int] = []
        cancelled: list[int] = []

        async def produce(item: int) -> None:
            await asyncio.sleep(chance.randrange(20) / 10)
            try:
                async with asyncio.timeout(chance.randrange(1, 20) / 10):
                    await channel.put(item)
            except TimeoutError:
                cancelled.append(item)
            else:
                returned.append(item)

        async def consume() -> None:
            while True:
                try:
                    async with asyncio.timeout(chance.randrange(1, 10) / 10):
                        taken.append(await channel.get())
                except TimeoutError:
                    pass
                await asyncio.sleep(chance.randrange(5) / 10)

        crew = [asyncio.create_task(consume()) for _ in range(3)]
        async with asyncio.TaskGroup() as tasks:
            for item in range(60):
                tasks.create_task(produce(item))
        for task in crew:
            task.cancel()
        assert sorted(taken) == sorted(set(taken)), "nothing comes twice"
        assert set(returned) <= set(taken), "put returned, so somebody has it"
        # A put whose timeout falls into the iteration in which its item was taken
        # raises all the same, as its documentation says.
        assert set(taken) - set(returned) <= set(cancelled)
        assert channel.waiting == 0
        assert returned

    run(main())


def test_on_the_stock_loop() -> None:
    async def main() -> list[int]:
        channel: Channel[int] = Channel()
        got: list[int] = []

        async def consume() -> None:
            async for item in channel:
                got.append(item)

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(consume())
            for item in range(100):
                await channel.put(item)
            channel.close()
        return got

    assert on_stock_loop(main()) == list(range(100))
