"""Follow links from one page to all others."""

from asyncio import Queue, Task, create_task, sleep
from dataclasses import dataclass, field

from .web import Page, fetch


@dataclass
class Crawl:
    """The pages of a site, one after the other, to whoever reads them."""

    start: str
    pages: Queue[Page | None] = field(default_factory=Queue)
    task: Task[None] | None = None

    async def run(self) -> None:
        """Fetch every page that can be reached, then put None."""
        frontier, seen = Queue[str](), {self.start}
        await frontier.put(self.start)
        while not frontier.empty():
            page = await fetch(await frontier.get())
            await self.pages.put(page)
            for link in page.links:
                if link not in seen:
                    seen.add(link)
                    await frontier.put(link)
        await self.pages.put(None)


async def started(crawl: Crawl) -> Crawl:
    """Start a crawl in the background."""
    crawl.task = create_task(crawl.run())
    await sleep(0)
    return crawl
