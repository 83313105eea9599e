"""Small coroutine functions to measure."""

from __future__ import annotations

import asyncio

__all__ = ["compute", "nap", "nothing"]


async def nothing() -> int:
    """Return at once: the work of experiments B1 to B3."""
    return 0


async def nap(seconds: float = 0.001) -> int:
    """Wait, and nothing else."""
    await asyncio.sleep(seconds)
    return 0


async def compute(rounds: int = 1000) -> int:
    """Add up numbers: CPU work that never waits."""
    return sum(number * number for number in range(rounds))
