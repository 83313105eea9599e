"""Answers to exercise 02-xbatches, right and wrong."""

# Why this works: Slices of `size` items are the fewest trips. The semaphore is held
# for the whole trip, so two are out at a time; the list of tasks keeps the order.
SOLUTION = """
async def in_batches(offload, work, items, size):
    workers = asyncio.Semaphore(2)

    async def one(batch):
        async with workers:
            return await offload(work, batch)

    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(one(items[start : start + size]))
            for start in range(0, len(items), size)
        ]
    return [result for task in tasks for result in task.result()]
"""

STUB = "as many items as may be share a trip"

RIGHT = {}

WRONG = {
    "another sum than start + size": (
        """
async def in_batches(offload, work, items, size):
    workers = asyncio.Semaphore(2)

    async def one(batch):
        async with workers:
            return await offload(work, batch)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(items[start:start - size])) for start in range(0, len(items), size)]
    return [result for task in tasks for result in task.result()]
""",
        "len(items",
    ),
    "loses the last batch": (
        """
async def in_batches(offload, work, items, size):
    results = []
    for start in range(0, len(items) - size + 1, size):
        results += await offload(work, items[start:start + size])
    return results
""",
        "10 items in batches of 3: the result is",
    ),
    "one after the other": (
        """
async def in_batches(offload, work, items, size):
    results = []
    for start in range(0, len(items), size):
        results += await offload(work, items[start:start + size])
    return results
""",
        "1 batches were out at a time",
    ),
    "all at once": (
        """
async def in_batches(offload, work, items, size):
    batches = [items[i:i + size] for i in range(0, len(items), size)]
    parts = await asyncio.gather(*(offload(work, b) for b in batches))
    return [result for part in parts for result in part]
""",
        "4 batches were out at a time",
    ),
    "in the order in which they end": (
        """
async def in_batches(offload, work, items, size):
    workers, results = asyncio.Semaphore(2), []
    async def one(batch):
        async with workers:
            results.extend(await offload(work, batch))
    async with asyncio.TaskGroup() as group:
        for start in range(0, len(items), size):
            group.create_task(one(items[start:start + size]))
    return results
""",
        "in the order of the items",
    ),
    "a list of lists": (
        """
async def in_batches(offload, work, items, size):
    workers = asyncio.Semaphore(2)
    async def one(batch):
        async with workers:
            return await offload(work, batch)
    batches = [items[i:i + size] for i in range(0, len(items), size)]
    return await asyncio.gather(*map(one, batches))
""",
        "one flat list",
    ),
}
