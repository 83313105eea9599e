"""Plausible wrong answers to the exercises of chapter 4; each must fail its check."""

ANSWERS = {
    "04-predict": {
        "the whole storm": """
def lateness(jobs, cpu, beat_phase, interval):
    return jobs * cpu
""",
        "takes off what has passed instead of what is left": """
def lateness(jobs, cpu, beat_phase, interval):
    return max(0.0, jobs * cpu - beat_phase)
""",
        "never in time": """
def lateness(jobs, cpu, beat_phase, interval):
    return jobs * cpu - (interval - beat_phase)
""",
    },
    "04-parsons": {
        "a queue without a bound": """
order = [7, 3, 4, 10, 6, 14, 2, 8, 11, 1, 5, 15, 9]
""",
        "get() without await": """
order = [7, 13, 4, 10, 12, 14, 2, 8, 11, 1, 5, 15, 9]
""",
        "nobody cancels the workers": """
order = [7, 13, 4, 10, 6, 14, 2, 8, 11, 1, 5]
""",
        "a job is called done before it is": """
order = [7, 13, 4, 10, 6, 2, 14, 8, 11, 1, 5, 15, 9]
""",
    },
    "04-fix": {
        "a smaller semaphore": """
async def process(jobs):
    guard = asyncio.Semaphore(1)

    async def limited(job):
        async with guard:
            await job()

    async with asyncio.TaskGroup() as tasks:
        for job in jobs:
            tasks.create_task(limited(job))
""",
        "a queue without a bound": """
async def process(jobs):
    queue = asyncio.Queue()

    async def worker():
        while True:
            await (await queue.get())()
            queue.task_done()

    crew = [asyncio.create_task(worker()) for _ in range(4)]
    for job in jobs:
        await queue.put(job)
    await queue.join()
    for task in crew:
        task.cancel()
""",
        "one after the other": """
async def process(jobs):
    for job in jobs:
        await job()
        await asyncio.sleep(0)
""",
        "does not wait for the jobs": """
async def process(jobs):
    for job in jobs:
        asyncio.create_task(job())
        await asyncio.sleep(0)
""",
        "too many workers": """
async def process(jobs):
    async with JobQueue(workers=50) as queue:
        for job in jobs:
            await queue.put(job)
""",
    },
    "04-modify": {
        "one worker, on time and slow": "workers, maxsize = 1, 1",
        "a worker for every job": "workers, maxsize = 200, 1",
        "no bound": "workers, maxsize = 4, 0",
        "a bound that is not small": "workers, maxsize = 4, 10",
    },
    "04-make": {
        "a task for every item": """
async def map_bounded(fn, items, limit):
    guard = asyncio.Semaphore(limit)

    async def call(item):
        async with guard:
            return await fn(item)

    return await asyncio.gather(*(call(item) for item in items))
""",
        "results in the order in which calls end": """
async def map_bounded(fn, items, limit):
    results = []
    async with JobQueue(limit) as jobs:

        async def call(item):
            results.append(await fn(item))

        for item in items:
            await jobs.put(call, item)
    return results
""",
        "one after the other": """
async def map_bounded(fn, items, limit):
    return [await fn(item) for item in items]
""",
        "leaves its workers behind": """
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
    },
}
