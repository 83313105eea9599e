"""Answers to exercise 02-make, right and wrong."""

STUB = "one result for each item"

RIGHT = {
    "spread out": """
async def spread_out(offload, work, items, workers):
    results = {}
    waiting = iter(enumerate(items))

    async def worker():
        for index, item in waiting:
            results[index] = await offload(work, item)
    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return [results[index] for index in range(len(items))]
""",
}

WRONG = {
    "polls for a free worker": (
        """
async def spread_out(offload, work, items, workers):
    busy = 0
    async def one(item):
        nonlocal busy
        try:
            return await offload(work, item)
        finally:
            busy -= 1
    tasks = []
    async with asyncio.TaskGroup() as group:
        for item in items:
            while busy >= workers:
                await asyncio.sleep(0.001)
            busy += 1
            tasks.append(group.create_task(one(item)))
    return [task.result() for task in tasks]
""",
        "whether a worker is free",
    ),
    "cancels and does not wait": (
        """
async def spread_out(offload, work, items, workers):
    limit = asyncio.Semaphore(workers)
    async def one(item):
        async with limit:
            return await offload(work, item)
    tasks = [asyncio.create_task(one(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        raise
""",
        "cancels the others and waits for them",
    ),
    "each item once, however often it comes": (
        """
async def spread_out(offload, work, items, workers):
    free = asyncio.Semaphore(workers)
    async def one(item):
        async with free:
            return await offload(work, item)
    async with asyncio.TaskGroup() as group:
        tasks = {item: group.create_task(one(item)) for item in set(items)}
    return [tasks[item].result() for item in items]
""",
        "each item needs one of its own",
    ),
    "an error that comes when all are done": (
        """
async def spread_out(offload, work, items, workers):
    results = [None] * len(items)
    todo = iter(enumerate(items))
    async def worker():
        for n, item in todo:
            try:
                results[n] = await offload(work, item)
            except ValueError as error:
                results[n] = error
    await asyncio.gather(*(worker() for _ in range(workers)))
    for r in results:
        if isinstance(r, Exception):
            raise r
    return results
""",
        "others were still done",
    ),
    "sorts what comes as it ends": (
        """
async def spread_out(offload, work, items, workers):
    limit = asyncio.Semaphore(workers)
    results = []
    async def one(item):
        async with limit:
            results.append(await offload(work, item))
    async with asyncio.TaskGroup() as group:
        for item in items:
            group.create_task(one(item))
    return sorted(results)
""",
        "one result for each item",
    ),
    "takes the results from a set": (
        """
async def spread_out(offload, work, items, workers):
    limit = asyncio.Semaphore(workers)
    async def one(item):
        async with limit:
            return await offload(work, item)
    async with asyncio.TaskGroup() as group:
        tasks = {group.create_task(one(item)) for item in items}
    return [task.result() for task in tasks]
""",
        "one result for each item",
    ),
    "a share for each worker": (
        """
async def spread_out(offload, work, items, workers):
    async def share(first):
        return [await offload(work, i) for i in items[first::workers]]

    shares = await asyncio.gather(*(share(n) for n in range(workers)))
    return [shares[n % workers][n // workers] for n in range(len(items))]
""",
        "as long as there are items",
    ),
    "one worker fewer": (
        """
async def spread_out(offload, work, items, workers):
    free = asyncio.Semaphore(max(1, workers - 1))
    async def one(item):
        async with free:
            return await offload(work, item)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(item)) for item in items]
    return [task.result() for task in tasks]
""",
        "as long as there are items",
    ),
    "hides which job raised": (
        """
async def spread_out(offload, work, items, workers):
    free = asyncio.Semaphore(workers)
    async def one(item):
        async with free:
            try:
                return await offload(work, item)
            except ValueError:
                return None
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(item)) for item in items]
    return [task.result() for task in tasks]
""",
        "let the error through",
    ),
    "no limit": (
        """
async def spread_out(offload, work, items, workers):
    return await asyncio.gather(*(offload(work, item) for item in items))
""",
        "a semaphore held during the offload",
    ),
    "a semaphore that is not held": (
        """
async def spread_out(offload, work, items, workers):
    free = asyncio.Semaphore(workers)
    async def one(item):
        async with free:
            pass
        return await offload(work, item)
    return await asyncio.gather(*map(one, items))
""",
        "a semaphore held during the offload",
    ),
    "swallows the error": (
        """
async def spread_out(offload, work, items, workers):
    free = asyncio.Semaphore(workers)
    async def one(item):
        async with free:
            return await offload(work, item)
    return await asyncio.gather(*map(one, items), return_exceptions=True)
""",
        "let the error through",
    ),
    "goes on after an error": (
        """
async def spread_out(offload, work, items, workers):
    free = asyncio.Semaphore(workers)
    async def one(item):
        async with free:
            return await offload(work, item)
    return await asyncio.gather(*map(one, items))
""",
        "a TaskGroup cancels the others and waits for them",
    ),
    "goes on": (
        """
async def limited(items, workers, offload, work, **options):
    limit = asyncio.Semaphore(workers)

    async def one(item):
        async with limit:
            return await offload(work, item)
    return await asyncio.gather(*map(one, items), **options)
async def spread_out(offload, work, items, workers):
    return await limited(items, workers, offload, work)
""",
        "tasks went on",
    ),
    "nothing": (
        """
async def spread_out(offload, work, items, workers):
    ...
""",
        "returned None",
    ),
    "lambda *_: 3": ("spread_out = lambda *_: 3", "async def"),
}
