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

RIGHT = """
## two workers that share an iterator
async def in_batches(offload, work, items, size):
    starts, results = iter(range(0, len(items), size)), {}
    async def worker():
        for start in starts:
            results[start] = await offload(work, items[start : start + size])
    async with asyncio.TaskGroup() as group:
        for _ in range(2):
            group.create_task(worker())
    return [result for start in sorted(results) for result in results[start]]
"""

WRONG = """
## another sum than start + size => len(items
-        tasks = [
-            group.create_task(one(items[start : start + size]))
-            for start in range(0, len(items), size)
-        ]
+        tasks = [group.create_task(one(items[start:start - size])) for start in range(0, len(items), size)]
## loses the last batch => 10 items in batches of 3: the result is
async def in_batches(offload, work, items, size):
    results = []
    for start in range(0, len(items) - size + 1, size):
        results += await offload(work, items[start:start + size])
    return results
## one after the other => 1 batches were out at a time
async def in_batches(offload, work, items, size):
    results = []
    for start in range(0, len(items), size):
        results += await offload(work, items[start:start + size])
    return results
## all at once => 4 batches were out at a time
async def in_batches(offload, work, items, size):
    batches = [items[i:i + size] for i in range(0, len(items), size)]
    parts = await asyncio.gather(*(offload(work, b) for b in batches))
    return [result for part in parts for result in part]
## in the order in which they end => in the order of the items
async def in_batches(offload, work, items, size):
    workers, results = asyncio.Semaphore(2), []
    async def one(batch):
        async with workers:
            results.extend(await offload(work, batch))
    async with asyncio.TaskGroup() as group:
        for start in range(0, len(items), size):
            group.create_task(one(items[start:start + size]))
    return results
## a list of lists => one flat list
async def in_batches(offload, work, items, size):
    workers = asyncio.Semaphore(2)
    async def one(batch):
        async with workers:
            return await offload(work, batch)
    batches = [items[i:i + size] for i in range(0, len(items), size)]
    return await asyncio.gather(*map(one, batches))
## batches are tuples => a slice of a list is a list
-            return await offload(work, batch)
+            return await offload(work, tuple(batch))
## a clock that nobody stops => wait for all you start
+    asyncio.create_task(asyncio.sleep(3600))
     workers = asyncio.Semaphore(2)
"""
