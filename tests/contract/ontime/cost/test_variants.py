"""The ways to await."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

from ontime.cost import (
    VARIANTS,
    variant_source,
)


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("times", [1, 2, 5])
def test_every_variant_awaits_so_often(name: str, times: int) -> None:
    variant = VARIANTS[name]
    if sys.version_info < variant.needs:
        pytest.skip("needs a newer Python")
    anyio = pytest.importorskip("anyio") if variant.package else None
    called = 0

    async def work() -> None:
        nonlocal called
        called += 1
        await asyncio.sleep(0)
        called += 100

    space: dict[str, Any] = {"asyncio": asyncio, "anyio": anyio, "work": work}
    exec(variant_source(name, times), space)
    asyncio.run(space["variant"]())
    assert called == 101 * times
