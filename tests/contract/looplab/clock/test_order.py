"""The order of events, and times that are not times."""

from __future__ import annotations

import asyncio
import math

import pytest

from looplab.clock import (
    TimeValueError,
    burn,
    run,
    run_real,
)

# The order of events


# Times that are none


@pytest.mark.parametrize("value", [-1, math.nan, math.inf])
def test_bad_times_in_a_coroutine(value: float) -> None:
    async def burning() -> None:
        burn(value)

    async def timing_out() -> None:
        async with asyncio.timeout(value):
            await asyncio.sleep(0)

    with pytest.raises(TimeValueError):
        run(burning())
    with pytest.raises(TimeValueError):
        burn(value)
    with pytest.raises(TimeValueError):
        run_real(burning())
    if value == math.inf:  # Python itself answers a deadline that has passed
        with pytest.raises(TimeValueError, match="to wait for ever, wait for an"):
            run(timing_out())
        with pytest.raises(TimeValueError):
            run(asyncio.sleep(value))
