"""What every bus does."""

from __future__ import annotations

import asyncio

import pytest

from ontime.bus import Bus, Counts, Delivery
from tests.fast.ontime.bus.buses import Kind, received, with_bus

SHORT = 0.05  # seconds of a lease that is to run out


async def run_out(bus: Bus) -> None:
    """Wait until the bus says that no lease is held any more."""
    while (await bus.counts()).leased:
        await asyncio.sleep(0)


def test_first_in_first_out_then_none(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        ids = await bus.put("a", "b")
        ids += await bus.put("c")
        deliveries = [await received(bus) for _ in range(3)]
        assert [delivery.id for delivery in deliveries] == ids
        assert [delivery.body for delivery in deliveries] == ["a", "b", "c"]
        assert [delivery.number for delivery in deliveries] == [1, 1, 1]
        assert len(set(ids)) == 3
        assert await bus.receive() is None

    with_bus(kind(), story)


@pytest.mark.parametrize(
    "body", ["", " ", "\0a\0", "é ☂ \U0001f600", "a\r\nb", "x" * 1_000_000]
)
def test_a_body_comes_back_as_it_was(kind: Kind, body: str) -> None:
    async def story(bus: Bus) -> None:
        await bus.put(body)
        assert (await received(bus)).body == body

    with_bus(kind(), story)


def test_counts(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        assert await bus.counts() == Counts(0, 0)
        await bus.put("a", "b", "c")
        assert await bus.counts() == Counts(3, 0)
        first = await received(bus)
        await received(bus)
        assert await bus.counts() == Counts(1, 2)
        await bus.acknowledge(first)
        assert await bus.counts() == Counts(1, 1)
        assert (await bus.counts()).total == 2

    with_bus(kind(), story)


def test_messages_survive_the_object(kind: Kind) -> None:
    async def put(bus: Bus) -> None:
        await bus.put("a", "b")
        await received(bus)

    async def look(bus: Bus) -> None:
        assert await bus.counts() == Counts(1, 1)
        assert (await received(bus)).body == "b"

    with_bus(kind(), put)
    with_bus(kind(), look)


def test_nobody_else_receives_a_leased_message(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put("a")
        await received(bus)
        async with kind() as other:
            assert await other.receive() is None

    with_bus(kind(), story)


def test_a_lease_that_ran_out(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put("a", "b")
        first = await received(bus)
        await run_out(bus)
        assert await bus.counts() == Counts(2, 0)
        assert not await bus.refresh(first)  # nobody has it, but it is too late
        async with kind(SHORT) as other:
            again = await received(other)  # before the new one
            assert (again.id, again.body, again.number) == (first.id, "a", 2)
        assert not await bus.refresh(first)
        assert not await bus.acknowledge(first)
        assert (await bus.counts()).total == 2
        # The latest holder can say that it is done, also when late.
        await run_out(bus)
        third = await received(bus)
        assert (third.id, third.number) == (first.id, 3)
        await run_out(bus)
        assert await bus.acknowledge(third)
        assert not await bus.acknowledge(third)
        assert not await bus.refresh(third)
        assert (await bus.counts()).total == 1

    with_bus(kind(SHORT), story)


def test_a_message_given_back_is_the_next_to_be_received(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put("a", "b")
        first = await received(bus)
        assert await bus.give_back(first)
        assert await bus.counts() == Counts(2, 0)
        assert not await bus.refresh(first)
        assert not await bus.give_back(first)
        again = await received(bus)
        assert (again.id, again.number) == (first.id, 2)
        assert not await bus.give_back(first), "it is somebody else's"
        assert await bus.acknowledge(again)
        assert not await bus.give_back(again)
        assert await bus.counts() == Counts(1, 0)

    with_bus(kind(), story)


def test_the_same_object_twice_is_two_deliveries(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put("a")
        first = await received(bus)
        await run_out(bus)
        second = await received(bus)
        assert (first.number, second.number) == (1, 2)
        assert not await bus.acknowledge(first)
        assert await bus.acknowledge(second)

    with_bus(kind(SHORT), story)


def test_a_hundred_deliveries_held_at_once(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put(*map(str, range(120)))
        held = [await received(bus) for _ in range(100)]
        assert await bus.counts() == Counts(20, 100)
        assert all(await asyncio.gather(*map(bus.refresh, held)))
        assert (await received(bus)).body == "100"
        assert all(await asyncio.gather(*map(bus.acknowledge, held)))
        assert await bus.counts() == Counts(19, 1)

    with_bus(kind(), story)


def test_each_message_goes_to_one_of_many(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put(*map(str, range(200)))
        taken: list[str] = []

        async def take() -> None:
            async with kind() as mine:
                while (delivery := await mine.receive()) is not None:
                    taken.append(delivery.body)
                    assert await mine.acknowledge(delivery)
                    await asyncio.sleep(0)

        await asyncio.gather(*(take() for _ in range(5)))
        assert sorted(taken, key=int) == [str(n) for n in range(200)]

    with_bus(kind(), story)


def test_put_nothing(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        assert await bus.put() == []
        assert await bus.counts() == Counts(0, 0)

    with_bus(kind(), story)


def test_a_delivery_that_was_made_up(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        for method in bus.refresh, bus.acknowledge, bus.give_back:
            assert not await method(Delivery("1", "a", 1))

    with_bus(kind(), story)
