"""Plausible wrong answers to the exercises of chapter 2; each must fail its check."""

ANSWERS = {
    "02-predict": {
        "one job in a chain": """
def worst(way, jobs, seconds):
    return seconds if way == "chain" else jobs * seconds
""",
        "three jobs even if there are fewer": """
def worst(way, jobs, seconds):
    return 3 * seconds if way == "chain" else jobs * seconds
""",
        "all jobs, whatever the way": """
def worst(way, jobs, seconds):
    return jobs * seconds
""",
        "half of them, as a mean": """
def worst(way, jobs, seconds):
    return (min(jobs, 3) if way == "chain" else jobs) * seconds / 2
""",
        "a number instead of a function": "worst = 4.5",
    },
    "02-parsons": {
        "calls the product on the loop": "order = [4, 2, 8, 6, 3, 9, 1]",
        "asks for results that are not there": "order = [4, 2, 8, 6, 7, 9, 5]",
        "no pool": "order = [4, 2, 6, 7, 9, 1]",
        "the pool before the loop": "order = [4, 8, 2, 6, 7, 9, 1]",
        "gathers first": "order = [4, 2, 8, 1, 6, 7, 9]",
    },
    "02-fix": {
        "hands over the function, one after the other": """
async def answer(requests, work, offload):
    results = []
    for request in requests:
        results.append(await offload(work, request))
    return results
""",
        "gathers the work done on the loop": """
async def answer(requests, work, offload):
    async def one(request):
        return work(request)
    return await asyncio.gather(*(one(request) for request in requests))
""",
        "forgets to wait": """
async def answer(requests, work, offload):
    return [offload(work, request) for request in requests]
""",
        "hands over a lambda that returns a coroutine": """
async def answer(requests, work, offload):
    jobs = [offload(offload, work, request) for request in requests]
    return await asyncio.gather(*jobs)
""",
        "in the order in which they end, doubled": """
async def answer(requests, work, offload):
    jobs = [offload(work, request) for request in requests]
    return [await job for job in asyncio.as_completed(jobs)][::-1]
""",
    },
    "02-modify": {
        "a pause after each number": """
async def total(numbers, square, pause):
    result = 0
    for number in numbers:
        result += square(number)
        await pause()
    return result
""",
        "slices for one iteration, not for three": """
async def total(numbers, square, pause):
    result = 0
    for count, number in enumerate(numbers, start=1):
        result += square(number)
        if count % 50 == 0:
            await pause()
    return result
""",
        "sleeps instead of pausing, and too seldom": """
async def total(numbers, square, pause):
    result = 0
    for count, number in enumerate(numbers, start=1):
        result += square(number)
        if count % 100 == 0:
            await asyncio.sleep(0.001)
    return result
""",
        "leaves the rest out": """
async def total(numbers, square, pause):
    result = 0
    for start in range(0, len(numbers) - 15, 16):
        result += sum(map(square, numbers[start:start + 16]))
        await pause()
    return result
""",
        "gathers: all in one iteration": """
async def total(numbers, square, pause):
    async def one(number):
        return square(number)
    return sum(await asyncio.gather(*map(one, numbers)))
""",
    },
    "02-make": {
        "no limit": """
async def spread_out(offload, work, items, workers):
    return await asyncio.gather(*(offload(work, item) for item in items))
""",
        "one after the other": """
async def spread_out(offload, work, items, workers):
    return [await offload(work, item) for item in items]
""",
        "in batches, which wait for their slowest": """
async def spread_out(offload, work, items, workers):
    results = []
    for start in range(0, len(items), workers + 1):
        batch = items[start:start + workers + 1]
        results += await asyncio.gather(*(offload(work, i) for i in batch))
    return results
""",
        "a semaphore that is not held": """
async def spread_out(offload, work, items, workers):
    free = asyncio.Semaphore(workers)
    async def one(item):
        async with free:
            pass
        return await offload(work, item)
    return await asyncio.gather(*map(one, items))
""",
        "swallows the error": """
async def spread_out(offload, work, items, workers):
    free = asyncio.Semaphore(workers)
    async def one(item):
        async with free:
            return await offload(work, item)
    return await asyncio.gather(*map(one, items), return_exceptions=True)
""",
        "goes on after an error": """
async def spread_out(offload, work, items, workers):
    free = asyncio.Semaphore(workers)
    async def one(item):
        async with free:
            return await offload(work, item)
    return await asyncio.gather(*map(one, items))
""",
        "results in the order in which they come": """
async def spread_out(offload, work, items, workers):
    results, waiting = [], list(items)
    async def worker():
        while waiting:
            results.append(await offload(work, waiting.pop()))
    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return results
""",
    },
}
