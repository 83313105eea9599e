"""Answers to exercise 04-fix, right and wrong."""

STUB = "a free semaphore does not yield"

RIGHT = {
    "fixed by hand": """
async def process(jobs):
    queue = asyncio.Queue(maxsize=1)

    async def worker():
        while True:
            job = await queue.get()
            await job()
            queue.task_done()
    workers = [asyncio.create_task(worker()) for _ in range(4)]
    for job in jobs:
        await queue.put(job)
    await queue.join()
    for task in workers:
        task.cancel()
""",
    "fixed with the job queue": """
async def process(jobs):
    async with JobQueue(workers=4, maxsize=1) as queue:
        for job in jobs:
            await queue.put(job)
""",
}

WRONG = {
    "workers without a queue, which never yield": (
        """
async def process(jobs):
    todo = iter(jobs)
    async def worker():
        for job in todo:
            await job()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(4):
            tasks.create_task(worker())
""",
        "a free semaphore does not yield",
    ),
    "a yield before each job": (
        """
async def process(jobs):
    guard = asyncio.Semaphore(4)
    async def limited(job):
        async with guard:
            await asyncio.sleep(0)
            await job()
    async with asyncio.TaskGroup() as tasks:
        for job in jobs:
            tasks.create_task(limited(job))
""",
        "a free semaphore does not yield",
    ),
    "gathers in batches of four": (
        """
async def process(jobs):
    for start in range(0, len(jobs), 4):
        await asyncio.gather(*(job() for job in jobs[start:start + 4]))
""",
        "no batch, but workers",
    ),
    "a group for each four": (
        """
async def process(jobs):
    while jobs:
        four, jobs = jobs[:4], jobs[4:]
        async with asyncio.TaskGroup() as tasks:
            for job in four:
                tasks.create_task(job())
""",
        "while one job waits long",
    ),
    "one after the other": (
        """
async def process(jobs):
    for job in jobs:
        await job()
        await asyncio.sleep(0)
""",
        "several workers wait",
    ),
    "does not wait for the jobs": (
        """
async def process(jobs):
    for job in jobs:
        asyncio.create_task(job())
        await asyncio.sleep(0)
""",
        "is the body still three dots",
    ),
    "too many workers": (
        """
async def process(jobs):
    async with JobQueue(workers=50) as queue:
        for job in jobs:
            await queue.put(job)
""",
        "too many jobs wake at the same moment",
    ),
    "six workers": (
        """
async def process(jobs):
    queue = asyncio.Queue(maxsize=1)

    async def worker():
        while True:
            job = await queue.get()
            await job()
            queue.task_done()

    crew = [asyncio.create_task(worker()) for _ in range(6)]
    for job in jobs:
        await queue.put(job)
    await queue.join()
    for task in crew:
        task.cancel()
""",
        "too many jobs wake at the same moment",
    ),
    "stub process": (
        """
async def process(jobs):
    ...
""",
        "not one job was done",
    ),
    "plain process": (
        """
def process(jobs):
    ...
""",
        "async def",
    ),
    "workers left": (
        """
async def process(jobs):
    queue = asyncio.Queue(maxsize=1)

    async def worker():
        while True:
            job = await queue.get()
            await job()
            queue.task_done()
    workers = [asyncio.create_task(worker()) for _ in range(4)]
    for job in jobs:
        await queue.put(job)
    await queue.join()
    assert workers
""",
        "left 4 tasks behind",
    ),
    "no workers": (
        """
async def process(jobs):
    queue = asyncio.Queue(maxsize=1)
    for job in jobs:
        await queue.put(job)
""",
        "waits for ever",
    ),
    "polls": (
        """
async def process(jobs):
    while jobs:
        await asyncio.sleep(0)
""",
        "does not come to an end",
    ),
    "every job twice": (
        """
async def fixed_by_hand(jobs):
    queue = asyncio.Queue(maxsize=1)

    async def worker():
        while True:
            job = await queue.get()
            await job()
            queue.task_done()
    workers = [asyncio.create_task(worker()) for _ in range(4)]
    for job in jobs:
        await queue.put(job)
    await queue.join()
    for task in workers:
        task.cancel()
async def process(jobs):
    await fixed_by_hand(jobs + jobs)
""",
        "twice",
    ),
}
