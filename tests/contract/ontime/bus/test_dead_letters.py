"""Messages that fail, on every bus."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ontime.bus import Bus, Counts, DeadLetter
from tests.fast.ontime.bus.buses import SHORT, Kind, received, with_bus


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


def test_a_message_that_failed_too_often_is_a_dead_letter(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        ids = await bus.put("poison", "fine")
        for number in (1, 2):
            assert (await bus.counts()).dead == 0
            one = await received(bus)
            assert (one.id, one.number) == (ids[0], number)
            assert await bus.give_back(one)
        assert await bus.counts() == Counts(1, 0, 1)
        assert await bus.dead_letters() == [DeadLetter(ids[0], "poison", 2)]
        assert (await received(bus)).body == "fine"
        assert await bus.receive() is None
        assert await bus.bury("0", ids[1]) == 0
        assert await bus.bury(ids[0]) == 1
        assert await bus.dead_letters() == []
        assert await bus.bury() == 0

    with_bus(kind(most=2), story)


def test_a_message_whose_lease_ran_out_too_often_is_a_dead_letter(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        [poison, _] = await bus.put("poison", "fine")
        for number in (1, 2):
            one = await received(bus)
            assert (one.id, one.number) == (poison, number)
            await asyncio.sleep(2 * SHORT)
        assert await bus.counts() == Counts(2, 0), "nobody has looked yet"
        assert (await received(bus)).body == "fine"
        assert await bus.dead_letters() == [DeadLetter(poison, "poison", 2)]
        assert not await bus.acknowledge(one)

    with_bus(kind(SHORT, most=2), story)


def test_the_last_delivery_may_still_be_acknowledged(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        await bus.put("a")
        one = await received(bus)
        assert await bus.refresh(one)
        assert await bus.acknowledge(one)
        assert await bus.counts() == Counts(0, 0)

    with_bus(kind(most=1), story)


@pytest.mark.parametrize(
    ("most", "error", "says"),
    [
        (0, ValueError, "max_deliveries is 0: give 1 or more, or None for any number"),
        (1.5, TypeError, "max_deliveries as a whole number, or None for any number"),
    ],
)
def test_bad_numbers_of_deliveries(
    kind: Kind, most: Any, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        kind(most=most)


def test_bad_limits_of_dead_letters(kind: Kind) -> None:
    async def story(bus: Bus) -> None:
        with pytest.raises(ValueError, match="limit is 0"):
            await bus.dead_letters(0)
        with pytest.raises(TypeError, match="limit as a whole number"):
            await bus.dead_letters("2")  # type: ignore[arg-type]

    with_bus(kind(), story)
