"""Answers to exercise 04-make, right and wrong."""

STUB = "collect the results and return the list"

RIGHT = {
    "map with the job queue": """
async def map_bounded(fn, items, limit):
    async with JobQueue(workers=limit, maxsize=1) as jobs:
        for item in items:
            await jobs.put(fn, item)
    return jobs.results
""",
    "map by hand": """
async def map_bounded(fn, items, limit):
    queue = asyncio.Queue(maxsize=1)
    results = {}

    async def worker():
        while True:
            number, item = await queue.get()
            results[number] = await fn(item)
            queue.task_done()
    async with asyncio.TaskGroup() as group:
        workers = [group.create_task(worker()) for _ in range(limit)]
        for numbered in enumerate(items):
            await queue.put(numbered)
        await queue.join()
        for task in workers:
            task.cancel()
    return [results[number] for number in sorted(results)]
""",
}

WRONG = {
    "results by item": (
        """
async def map_bounded(fn, items, limit):
    results = {}
    queue = asyncio.Queue(maxsize=1)
    async def worker():
        while True:
            item = await queue.get()
            results[item] = await fn(item)
            queue.task_done()
    async with asyncio.TaskGroup() as tasks:
        crew = [tasks.create_task(worker()) for _ in range(limit)]
        for item in items:
            await queue.put(item)
        await queue.join()
        for task in crew:
            task.cancel()
    return [results[item] for item in sorted(results)]
""",
        "wait for every call and keep what it returns",
    ),
    "sorts the results": (
        """
async def map_bounded(fn, items, limit):
    results = []
    queue = asyncio.Queue(maxsize=1)
    async def worker():
        while True:
            item = await queue.get()
            results.append(await fn(item))
            queue.task_done()
    async with asyncio.TaskGroup() as tasks:
        crew = [tasks.create_task(worker()) for _ in range(limit)]
        for item in items:
            await queue.put(item)
        await queue.join()
        for task in crew:
            task.cancel()
    return sorted(results, key=lambda text: int(text.split()[-1]))
""",
        "remember the position of each item and put its result there",
    ),
    "batches": (
        """
async def map_bounded(fn, items, limit):
    items, results = list(items), []
    for start in range(0, len(items), limit):
        batch = items[start:start + limit]
        results += await asyncio.gather(*(fn(item) for item in batch))
    return results
""",
        "that is no backpressure",
    ),
    "takes all items before it begins": (
        """
async def map_bounded(fn, items, limit):
    items = list(items)
    async with JobQueue(limit) as jobs:
        for item in items:
            await jobs.put(fn, item)
    return jobs.results
""",
        "that is no backpressure",
    ),
    "hides the error": (
        """
async def map_bounded(fn, items, limit):
    async def safe(item):
        try:
            return await fn(item)
        except Exception:
            return None

    async with JobQueue(limit) as jobs:
        for item in items:
            await jobs.put(safe, item)
    return jobs.results
""",
        "as if nothing had been",
    ),
    "results in the order in which calls end": (
        """
async def map_bounded(fn, items, limit):
    results = []
    async with JobQueue(limit) as jobs:

        async def call(item):
            results.append(await fn(item))

        for item in items:
            await jobs.put(call, item)
    return results
""",
        "order in which calls ended",
    ),
    "one after the other": (
        """
async def map_bounded(fn, items, limit):
    return [await fn(item) for item in items]
""",
        "never more than 1 ran at once",
    ),
    "leaves its workers behind": (
        """
async def map_bounded(fn, items, limit):
    results = {}
    queue = asyncio.Queue(maxsize=1)

    async def worker():
        while True:
            place, item = await queue.get()
            results[place] = await fn(item)
            queue.task_done()

    crew = [asyncio.create_task(worker()) for _ in range(limit)]
    for pair in enumerate(items):
        await queue.put(pair)
    await queue.join()
    return [results[place] for place in sorted(results)]
""",
        "cancel the workers at the end",
    ),
    "stub map": (
        """
async def map_bounded(fn, items, limit):
    ...
""",
        "returned None",
    ),
    "map gather": (
        """
async def map_bounded(fn, items, limit):
    return await asyncio.gather(*(fn(item) for item in items))
""",
        "12 calls ran at once",
    ),
    "map invents": (
        """
async def map_bounded(fn, items, limit):
    return [f'result {item}' for item in items]
""",
        "not called for every item",
    ),
    "map calls twice": (
        """
async def map_with_the_job_queue(fn, items, limit):
    async with JobQueue(workers=limit, maxsize=1) as jobs:
        for item in items:
            await jobs.put(fn, item)
    return jobs.results
async def map_bounded(fn, items, limit):

    async def twice(item):
        await fn(item)
        return await fn(item)
    return await map_with_the_job_queue(twice, items, limit)
""",
        "1 item, limit 1: fn was called 2 times",
    ),
    "map fails late": (
        """
async def map_bounded(fn, items, limit):
    async with JobQueue(limit, fail_fast=False) as jobs:
        for item in items:
            await jobs.put(fn, item)
    return jobs.results
""",
        "100 s later",
    ),
    "map loose workers": (
        """
async def map_bounded(fn, items, limit):
    iterator = enumerate(items)
    results = {}

    async def worker():
        for number, item in iterator:
            results[number] = await fn(item)
    await asyncio.gather(*(worker() for _ in range(limit)))
    return [results[number] for number in sorted(results)]
""",
        "afterwards others were still started",
    ),
    "map uncancellable": (
        """
async def map_with_the_job_queue(fn, items, limit):
    async with JobQueue(workers=limit, maxsize=1) as jobs:
        for item in items:
            await jobs.put(fn, item)
    return jobs.results
async def map_bounded(fn, items, limit):
    task = asyncio.create_task(map_with_the_job_queue(fn, items, limit))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        return await task
""",
        "was cancelled and",
    ),
    "map abandons": (
        """
async def map_with_the_job_queue(fn, items, limit):
    async with JobQueue(workers=limit, maxsize=1) as jobs:
        for item in items:
            await jobs.put(fn, item)
    return jobs.results
async def map_bounded(fn, items, limit):
    return await asyncio.shield(map_with_the_job_queue(fn, items, limit))
""",
        "its calls went on",
    ),
    "map shared iterator": (
        """
async def map_bounded(fn, items, limit):
    shared = enumerate(items)
    found = {}

    async def worker():
        for number, item in shared:
            found[number] = await fn(item)
    async with asyncio.TaskGroup() as group:
        for _ in range(limit):
            group.create_task(worker())
    return [found[number] for number in sorted(found)]
""",
        "nothing yields between one call and the next",
    ),
    "lambda fn, items, limit: []": (
        "map_bounded = lambda fn, items, limit: []",
        "async def",
    ),
    "it looks each millisecond": (
        """
async def map_bounded(fn, items, limit):
    running, results, count = {}, {}, 0
    try:
        for place, item in enumerate(items):
            running[place] = asyncio.ensure_future(fn(item))
            while len(running) >= limit:
                await collect(running, results)
        while running:
            await collect(running, results)
    finally:
        for task in running.values():
            task.cancel()
    return [results[place] for place in sorted(results)]

async def collect(running, results):
    for place, task in list(running.items()):
        if task.done():
            results[place] = running.pop(place).result()
    await asyncio.sleep(0.001)
""",
        "sleeps and looks again polls",
    ),
}
