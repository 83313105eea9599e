"""A channel without a buffer: who waits for whom, cancellation, closing."""

from __future__ import annotations

import asyncio
import gc
import random
import weakref
from typing import Any

import pytest

from looplab import DeadlockError, elapsed, run
from looplab.channel import Channel, ChannelClosedError
from tests.fast.looplab.jobs.shared import on_stock_loop

pytestmark = pytest.mark.virtual_time


async def collect(channel: Channel[Any], into: list[Any], pause: float = 0.0) -> None:
    async for item in channel:
        into.append((elapsed(), item))
        if pause:
            await asyncio.sleep(pause)


async def test_put_returns_when_the_item_is_taken() -> None:
    channel: Channel[str] = Channel()
    consumer = asyncio.create_task(collect(channel, taken := [], pause=1))
    returned = []
    for item in "abc":
        await channel.put(item)
        returned.append(elapsed())
    assert taken == [(0, "a"), (1, "b"), (2, "c")]
    consumer.cancel()
    assert returned == [0, 1, 2]


@pytest.mark.parametrize("method", ["put", "get"])
def test_who_meets_nobody_waits_for_ever(method: str) -> None:
    async def main() -> None:
        channel: Channel[int] = Channel()
        await (channel.put(1) if method == "put" else channel.get())

    with pytest.raises(DeadlockError, match=rf"main, line \d+, in Channel.{method}"):
        run(main())


async def test_items_and_consumers_in_order() -> None:
    channel: Channel[int | None] = Channel()
    got: list[Any] = []

    async def consume(name: str) -> None:
        got.append((name, await channel.get()))

    async with asyncio.TaskGroup() as tasks:
        for name in "xyz":
            tasks.create_task(consume(name))
        for item in (None, 1, 2):  # None is an item like any other
            tasks.create_task(channel.put(item))
    assert got == [("x", None), ("y", 1), ("z", 2)]


async def test_a_cancelled_put_withdraws_its_item() -> None:
    channel: Channel[str] = Channel()
    first, second, third = (asyncio.create_task(channel.put(item)) for item in "abc")
    await asyncio.sleep(1)
    assert repr(channel) == "<Channel open, 3 to be taken>"
    first.cancel()
    # Before the cancelled task has run again: its item must not be taken.
    assert channel.waiting == 2
    taken = [await channel.get()]
    await second
    third.cancel()
    channel.close()  # nor told that the channel is closed
    await asyncio.wait([third])
    assert channel.waiting == 0
    assert first.cancelled() and third.cancelled()
    assert taken == ["b"]


async def test_a_channel_keeps_no_item_whose_put_was_cancelled() -> None:
    class Item: ...

    channel: Channel[Item] = Channel()
    item = Item()
    left = weakref.ref(item)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(channel.put(item), timeout=1)
    del item
    gc.collect()
    assert left() is None


async def test_a_cancelled_get_takes_nothing() -> None:
    channel: Channel[str] = Channel()
    first = asyncio.create_task(channel.get())
    second = asyncio.create_task(channel.get())
    await asyncio.sleep(1)
    putting = asyncio.create_task(channel.put("a"))
    await asyncio.sleep(0)  # the put has woken the first get, which has not run
    first.cancel()
    await putting
    assert (await second, first.cancelled()) == ("a", True)


async def test_close_wakes_everybody() -> None:
    channel: Channel[int] = Channel()
    waiting = [asyncio.create_task(channel.put(n)) for n in range(2)]
    await asyncio.sleep(1)
    for _ in range(2):
        channel.close()
    for error in await asyncio.gather(*waiting, return_exceptions=True):
        assert isinstance(error, ChannelClosedError)
        assert "not taken" in str(error)
    assert channel.closed
    assert repr(channel) == "<Channel closed, 0 to be taken>"
    with pytest.raises(ChannelClosedError, match="not taken"):
        await channel.put(3)
    with pytest.raises(ChannelClosedError, match="nothing more will come"):
        await channel.get()


async def test_close_ends_all_consumers() -> None:
    channel: Channel[int] = Channel()
    got: list[Any] = []
    async with asyncio.TaskGroup() as tasks:
        for _ in range(3):
            tasks.create_task(collect(channel, got))
        for item in range(7):
            await channel.put(item)
        channel.close()
    assert len(got) == 7


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("runner", [run, on_stock_loop])
def test_nothing_is_lost_and_nothing_comes_twice(runner: Any, seed: int) -> None:
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

    runner(main())
