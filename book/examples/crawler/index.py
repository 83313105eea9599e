"""Count the words of pages."""

import asyncio
from collections import Counter

from .crawl import Crawl, started

NO_LIMIT = 0


async def count_words(pages: asyncio.Queue, counts: asyncio.Queue) -> None:
    """Read pages and put the number of each word."""
    while (page := await pages.get()) is not None:
        await counts.put(Counter(page.text.split()))
    await counts.put(None)


async def build_index(start: str) -> Counter[str]:
    """The number of each word on all pages that can be reached."""
    crawl = await started(Crawl(start))
    counts: asyncio.Queue = asyncio.Queue(maxsize=NO_LIMIT)
    counting = asyncio.create_task(count_words(crawl.pages, counts))
    total: Counter[str] = Counter()
    while True:
        if counts.empty():
            await asyncio.sleep(0)
            continue
        part = counts.get_nowait()
        if part is None:
            break
        total.update(part)
    await counting
    return total
