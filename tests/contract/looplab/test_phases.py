"""The spread of an experiment over phases and jitter."""

from __future__ import annotations

import asyncio

from looplab.phases import Spread, spread
from tests.fast.looplab.test_phases import lateness

# Spread


# spread()


def test_works_inside_a_running_loop() -> None:
    async def cell() -> Spread:
        return spread(lateness, runs=3)

    assert asyncio.run(cell()).values == spread(lateness, runs=3).values
