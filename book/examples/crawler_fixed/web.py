"""A make-believe web, so that the crawler runs anywhere."""

import asyncio
from dataclasses import dataclass

PAGES = 60


@dataclass(frozen=True)
class Page:
    """A page: its address, its text, the addresses it links to."""

    url: str
    text: str
    links: tuple[str, ...]


async def fetch(url: str) -> Page:
    """Fetch a page, which takes a millisecond."""
    await asyncio.sleep(0.001)
    number = int(url.removeprefix("/"))
    links = tuple(f"/{n}" for n in (2 * number + 1, 2 * number + 2) if n < PAGES)
    return Page(url, f"page {number} " * (number % 5 + 1), links)
