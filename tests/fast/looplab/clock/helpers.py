"""Helpers of the tests of the clock."""

from __future__ import annotations


async def nothing() -> None:
    pass
