"""The ways to await."""

from __future__ import annotations

from ontime.cost import (
    variant_source,
)


def test_the_source_of_a_variant() -> None:
    assert variant_source("in sequence") == (
        "async def variant():\n    await work()\n    await work()\n"
    )
    assert variant_source("gather", 3) == (
        "async def variant():\n    await asyncio.gather(work(), work(), work())\n"
    )
    assert max(map(len, variant_source("wait").splitlines())) < 79
