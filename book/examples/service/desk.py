"""Logins, baskets and reports: the work that a request does itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType

from looplab import JobQueue

from .settings import Settings
from .work import compute_part, hash_password, price_line

__all__ = ["Desk"]


class Desk:
    """Answers requests.  Use it inside ``async with``: it has a worker for reports.

    Args:
        settings: which faults it has.
        hasher: hashes a password, ``hasher(password, rounds)``.
        part: computes one part of a report, ``part(rounds)``.
    """

    def __init__(
        self,
        settings: Settings,
        hasher: Callable[[str, int], str] = hash_password,
        part: Callable[[int], object] = compute_part,
    ) -> None:
        self._settings = settings
        self._hasher = hasher
        self._part = part
        self._jobs = JobQueue(1, maxsize=1, fail_fast=False, keep=False, name="report")

    async def __aenter__(self) -> Desk:
        await self._jobs.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._jobs.__aexit__(exc_type, exc, traceback)

    async def login(self, password: str) -> str:
        """The hash of *password*."""
        rounds = self._settings.hash_rounds
        if self._settings.has("hash"):
            return self._hasher(password, rounds)
        return await asyncio.to_thread(self._hasher, password, rounds)

    async def price(self, lines: int) -> float:
        """The price of a basket of so many lines."""
        parts = (self._price_line(number) for number in range(lines))
        if self._settings.has("gather"):
            return sum(await asyncio.gather(*parts))
        return sum([await part for part in parts])

    async def _price_line(self, number: int) -> float:
        return price_line(number)  # nothing to wait for

    async def report(self) -> int:
        """Compute a report and return how many parts it has."""
        count = self._settings.report_parts
        if self._settings.has("storm"):
            await asyncio.gather(*(self._report_part() for _ in range(count)))
        else:
            tickets = [await self._jobs.put(self._report_part) for _ in range(count)]
            for ticket in tickets:
                await ticket
        return count

    async def _report_part(self) -> None:
        self._part(self._settings.part_rounds)
