"""A process pool for coroutines: made once, at the start, and closed at the end."""

import asyncio
from concurrent.futures import ProcessPoolExecutor


def squares(numbers: list[int]) -> list[int]:
    """The CPU work, in a batch: one trip for all of these numbers."""
    return [number * number for number in numbers]


async def handle(pool: ProcessPoolExecutor, numbers: list[int]) -> list[int]:
    """A request: it waits for another process, and the loop goes on."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(pool, squares, numbers)


async def serve(pool: ProcessPoolExecutor) -> None:
    """Two requests at once, on one loop."""
    print(await asyncio.gather(handle(pool, [1, 2, 3]), handle(pool, [4, 5])))


if __name__ == "__main__":
    with ProcessPoolExecutor(max_workers=2) as pool:  # before there is a loop
        asyncio.run(serve(pool))  # it is over when the pool is closed
