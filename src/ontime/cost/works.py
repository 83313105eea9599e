"""Small coroutine functions to measure."""

from __future__ import annotations

import asyncio

__all__ = ["nap", "nothing"]


async def nothing() -> int:
    """Return at once: the work of experiments B1 to B3."""
    return 0


async def nap(seconds: float = 0.001) -> int:
    """Wait, and nothing else."""
    await asyncio.sleep(seconds)
    return 0
