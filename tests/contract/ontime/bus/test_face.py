"""What every bus does."""

from __future__ import annotations

import asyncio

import pytest

from ontime.bus import Bus, Counts, Delivery
from tests.fast.ontime.bus.buses import Kind, received, run_out, with_bus


def test_first_in_first_out_then_none(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        assert await bus.put() == []
        assert await bus.counts() == Counts(0, 0)
        ids = await bus.put("a", "b")
        ids += await bus.put("c")
        deliveries = [await received(bus) for _ in range(2)]
        assert await bus.counts() == Counts(1, 2)
        deliveries.append(await received(bus))
        assert deliveries == [
            Delivery(id_, body, 1) for id_, body in zip(ids, "abc", strict=True)
        ]
        assert len(set(ids)) == 3
        assert await bus.receive() is None
        assert await bus.acknowledge(deliveries[1])
        assert await bus.counts() == Counts(0, 2)
        made_up = Delivery("1000", "a", 1)
        assert not await bus.refresh(made_up)
        assert not await bus.acknowledge(made_up)

    with_bus(kind(), story)


@pytest.mark.parametrize("body", ["", "\0a\0", "é ☂ \U0001f600", "a\r\nb", "x" * 10**6])
def test_a_body_comes_back_as_it_was(kind: Kind, body: str) -> None:
    async def story(bus: Bus) -> None:
        await bus.put(body)
        assert (await received(bus)).body == body

    with_bus(kind(), story)


def test_a_lease_that_ran_out(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put("a", "b")
        first = await received(bus)
        assert await bus.refresh(first)
        await run_out(bus, first)
        assert await bus.counts() == Counts(2, 0)
        assert not await bus.refresh(first)  # nobody has it, but it is too late
        async with kind() as other:
            again = await received(other)  # before the new one
            assert again == Delivery(first.id, "a", 2)
            assert not await bus.refresh(first)
            assert not await bus.acknowledge(first)
            # The latest holder can say that it is done, also when late.
            await run_out(other, again)
            assert await other.acknowledge(again)
            assert not await other.acknowledge(again)
            assert not await other.refresh(again)
        assert await bus.counts() == Counts(1, 0)

    with_bus(kind(), story)


def test_each_message_goes_to_one_of_many(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put(*map(str, range(50)))
        taken: list[str] = []

        async def take() -> None:
            async with kind() as mine:
                while (delivery := await mine.receive()) is not None:
                    taken.append(delivery.body)
                    assert await mine.acknowledge(delivery)
                    await asyncio.sleep(0)

        await asyncio.gather(*(take() for _ in range(5)))
        assert sorted(taken, key=int) == [str(n) for n in range(50)]

    with_bus(kind(), story)
