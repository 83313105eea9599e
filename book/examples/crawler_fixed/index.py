"""Count the words of pages."""

import asyncio
from collections import Counter

from .crawl import Crawl


async def count_words(pages: asyncio.Queue, counts: asyncio.Queue) -> None:
    """Read pages and put the number of each word."""
    while (page := await pages.get()) is not None:
        await counts.put(Counter(page.text.split()))
    await counts.put(None)


async def build_index(start: str) -> Counter[str]:
    """The number of each word on all pages that can be reached."""
    crawl = Crawl(start)
    counts: asyncio.Queue = asyncio.Queue(maxsize=1)
    total: Counter[str] = Counter()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(crawl.run())
        tasks.create_task(count_words(crawl.pages, counts))
        while (part := await counts.get()) is not None:
            total.update(part)
    return total


async def most_common(words: Counter[str], parts: int = 100) -> str:
    """The word that is there most often, found in parts, so that others may run."""
    listed = sorted(words)
    best = listed[0]
    for first in range(0, len(listed), parts):
        best = max([best, *listed[first : first + parts]], key=words.__getitem__)
        await asyncio.sleep(0)  # the others may run between two parts
    return best
