"""Crawl the site and print how many words it has."""

import asyncio

from .index import build_index, most_common


async def main() -> None:
    """Build the index and say what is in it."""
    words = await build_index("/0")
    print(f"{words.total()} words, most often {await most_common(words)!r}")


if __name__ == "__main__":
    asyncio.run(main())
