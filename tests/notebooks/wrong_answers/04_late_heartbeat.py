"""Plausible wrong answers to the exercises of chapter 4; each must fail its check."""

ANSWERS = {
    "04-predict": {
        "takes off the whole interval": (
            """
def lateness(jobs, cpu, beat_phase, interval):
    return max(0.0, jobs * cpu - interval)
""",
            "had passed when the storm began",
        ),
        # With intervals of 1 s it would agree; the check has others.
        "the phase as a share of the interval": (
            """
def lateness(jobs, cpu, beat_phase, interval):
    return max(0.0, jobs * cpu - interval * (1 - beat_phase))
""",
            "interval 0.5 s",
        ),
        "one job": """
def lateness(jobs, cpu, beat_phase, interval):
    return cpu if jobs else 0.0
""",
        "the whole storm": (
            """
def lateness(jobs, cpu, beat_phase, interval):
    return jobs * cpu
""",
            "how long the whole storm",
        ),
        "takes off what has passed instead of what is left": (
            """
def lateness(jobs, cpu, beat_phase, interval):
    return max(0.0, jobs * cpu - beat_phase)
""",
            "what is left of the interval",
        ),
        "never in time": (
            """
def lateness(jobs, cpu, beat_phase, interval):
    return jobs * cpu - (interval - beat_phase)
""",
            "never less",
        ),
    },
    "04-parsons": {
        "workers before anybody can be told": (
            """
order = [7, 13, 4, 10, 6, 14, 2, 11, 1, 8, 5, 15, 9]
""",
            "waits for ever",
        ),
        "waits before anything is put": (
            """
order = [7, 13, 4, 10, 6, 14, 2, 8, 5, 11, 1, 15, 9]
""",
            "of 20 jobs were done",
        ),
        "never says that a job is done": (
            """
order = [7, 13, 4, 10, 6, 14, 8, 11, 1, 5, 15, 9]
""",
            "waits for ever",
        ),
        "a queue without a bound": (
            """
order = [7, 3, 4, 10, 6, 14, 2, 8, 11, 1, 5, 15, 9]
""",
            "s late",
        ),
        "get() without await": (
            """
order = [7, 13, 4, 10, 12, 14, 2, 8, 11, 1, 5, 15, 9]
""",
            "without await",
        ),
        "nobody cancels the workers": (
            """
order = [7, 13, 4, 10, 6, 14, 2, 8, 11, 1, 5]
""",
            "still wait for more",
        ),
        "a job is called done before it is": (
            """
order = [7, 13, 4, 10, 6, 2, 14, 8, 11, 1, 5, 15, 9]
""",
            "before it is",
        ),
    },
    "04-fix": {
        "workers without a queue, which never yield": """
async def process(jobs):
    todo = iter(jobs)
    async def worker():
        for job in todo:
            await job()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(4):
            tasks.create_task(worker())
""",
        "a yield before each job": """
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
        "gathers in batches of four": (
            """
async def process(jobs):
    for start in range(0, len(jobs), 4):
        await asyncio.gather(*(job() for job in jobs[start:start + 4]))
""",
            "no batch, but workers",
        ),
        "a group for each four": """
async def process(jobs):
    while jobs:
        four, jobs = jobs[:4], jobs[4:]
        async with asyncio.TaskGroup() as tasks:
            for job in four:
                tasks.create_task(job())
""",
        "a storm in two halves": """
async def process(jobs):
    half = len(jobs) // 2
    for part in (jobs[:half], jobs[half:]):
        await asyncio.gather(*(job() for job in part))
""",
        "four shares, one for each worker": """
async def process(jobs):
    async def worker(share):
        for job in share:
            await job()
            await asyncio.sleep(0)

    async with asyncio.TaskGroup() as tasks:
        for n in range(4):
            tasks.create_task(worker(jobs[n::4]))
""",
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
        "one after the other": (
            """
async def process(jobs):
    for job in jobs:
        await job()
        await asyncio.sleep(0)
""",
            "several workers wait",
        ),
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
        "six workers": """
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
        "a job queue with six workers": """
async def process(jobs):
    async with JobQueue(workers=6, maxsize=1) as queue:
        for job in jobs:
            await queue.put(job)
""",
    },
    "04-modify": {
        "five workers: late at a phase that ten samples miss": (
            """
workers, maxsize = 5, 1
""",
            "with 5 workers the heartbeat",
        ),
        "five workers and a queue of two": "workers, maxsize = 5, 2",
        "three workers, too slow": ("workers, maxsize = 3, 1", "fill the waiting time"),
        "a queue of three": (
            "workers, maxsize = 4, 3",
            "takes all that is in the queue",
        ),
        "one worker, on time and slow": ("workers, maxsize = 1, 1", "the jobs take 6."),
        "a worker for every job": ("workers, maxsize = 200, 1", "workers x CPU"),
        "no bound": ("workers, maxsize = 4, 0", "no bound at all"),
        "a bound that is not small": "workers, maxsize = 4, 10",
    },
    "04-make": {
        "results by item": """
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
        "sorts the results": """
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
        "batches": """
async def map_bounded(fn, items, limit):
    items, results = list(items), []
    for start in range(0, len(items), limit):
        batch = items[start:start + limit]
        results += await asyncio.gather(*(fn(item) for item in batch))
    return results
""",
        "takes all items before it begins": """
async def map_bounded(fn, items, limit):
    items = list(items)
    async with JobQueue(limit) as jobs:
        for item in items:
            await jobs.put(fn, item)
    return jobs.results
""",
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
        "a task for every item": (
            """
async def map_bounded(fn, items, limit):
    guard = asyncio.Semaphore(limit)

    async def call(item):
        async with guard:
            return await fn(item)

    return await asyncio.gather(*(call(item) for item in items))
""",
            "that is no backpressure",
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
