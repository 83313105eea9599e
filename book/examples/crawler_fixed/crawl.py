"""Follow links from one page to all others."""

from asyncio import Queue
from collections import deque
from dataclasses import dataclass, field

from crawler.web import Page, fetch


@dataclass
class Crawl:
    """The pages of a site, one after the other, to whoever reads them."""

    start: str
    pages: Queue[Page | None] = field(default_factory=lambda: Queue(maxsize=1))

    async def run(self) -> None:
        """Fetch every page that can be reached, then put None."""
        frontier, seen = deque([self.start]), {self.start}
        while frontier:
            page = await fetch(frontier.popleft())
            await self.pages.put(page)
            for link in page.links:
                if link not in seen:
                    seen.add(link)
                    frontier.append(link)
        await self.pages.put(None)
