"""The order of events, and times that are not times."""

from __future__ import annotations

import math

import pytest

from looplab.clock import (
    TimeValueError,
    burn,
    run,
    run_real,
)

# Times that are none


@pytest.mark.parametrize("value", [-1, math.nan, math.inf])
def test_bad_times_in_a_coroutine(value: float) -> None:
    async def burning() -> None:
        burn(value)

    with pytest.raises(TimeValueError):
        run(burning())
    with pytest.raises(TimeValueError):
        burn(value)
    with pytest.raises(TimeValueError):
        run_real(burning())
