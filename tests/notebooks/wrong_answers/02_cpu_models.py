"""Plausible wrong answers to the exercises of chapter 2; each must fail its check."""

ANSWERS = {
    "02-predict": {
        "two jobs of a chain": """
def worst(way, jobs, seconds):
    return (min(jobs, 2) if way == "chain" else jobs) * seconds
""",
        "all but the job in which it fell due": """
def worst(way, jobs, seconds):
    return (min(jobs, 3) if way == "chain" else jobs - 1) * seconds
""",
        "never late beside a chain": """
def worst(way, jobs, seconds):
    return 0 if way == "chain" else jobs * seconds
""",
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
        "calls the product on the loop": "order = [4, 2, 6, 3, 9, 1]",
        "asks for results that are not there": "order = [4, 2, 6, 7, 9, 5]",
        "a pool of its own": "order = [4, 2, 8, 6, 7, 9, 1]",
        "a pool of its own, before the loop": "order = [4, 8, 2, 6, 7, 9, 1]",
        "no loop": "order = [4, 6, 7, 9, 1]",
        "gathers first": "order = [4, 2, 1, 6, 7, 9]",
        "the numbers before the futures": "order = [4, 2, 6, 9, 7, 1]",
    },
    "02-fix": {
        "a lock around each": """
async def answer(requests, work, offload):
    lock = asyncio.Lock()
    async def one(r):
        async with lock:
            return await offload(work, r)
    return await asyncio.gather(*map(one, requests))
""",
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
        "in the order in which they end": """
async def answer(requests, work, offload):
    jobs = [offload(work, request) for request in requests]
    return [await job for job in asyncio.as_completed(jobs)]
""",
        "notes each result when it comes": """
async def answer(requests, work, offload):
    results = []

    async def one(request):
        results.append(await offload(work, request))

    async with asyncio.TaskGroup() as group:
        for request in requests:
            group.create_task(one(request))
    return results
""",
        "in pairs, which wait for the slower": """
async def answer(requests, work, offload):
    results = []
    for start in range(0, len(requests), 2):
        pair = requests[start:start + 2]
        results += await asyncio.gather(*(offload(work, n) for n in pair))
    return results
""",
        "half of them to each process": """
async def answer(requests, work, offload):
    async def some(part):
        return [await offload(work, request) for request in part]
    first, second = await asyncio.gather(
        some(requests[::2]), some(requests[1::2]))
    results = [None] * len(requests)
    results[::2], results[1::2] = first, second
    return results
""",
        "sorts what comes as it ends": """
async def answer(requests, work, offload):
    jobs = [offload(work, request) for request in requests]
    return sorted([await job for job in asyncio.as_completed(jobs)])
""",
        "takes the results from a set": """
async def answer(requests, work, offload):
    if not requests:
        return []
    tasks = [asyncio.ensure_future(offload(work, one)) for one in requests]
    done, _ = await asyncio.wait(tasks)
    return [task.result() for task in done]
""",
        "a dictionary of the results, and two requests alike": """
async def answer(requests, work, offload):
    found = {}
    async def one(request):
        found[request] = await offload(work, request)
    await asyncio.gather(*(one(request) for request in requests))
    return list(found.values())
""",
    },
    "02-modify": {
        "a sleep of its own after each number": """
async def total(numbers, square, pause):
    result = 0
    for number in numbers:
        result += square(number)
        await asyncio.sleep(0)
    return result
""",
        "one square too many in a slice": """
async def total(numbers, square, pause):
    result = 0
    for count, number in enumerate(numbers, start=1):
        result += square(number)
        if count % 17 == 0:
            await pause()
    return result
""",
        "forgets to await the pauses": """
async def total(numbers, square, pause):
    result = 0
    for count, number in enumerate(numbers, start=1):
        result += square(number)
        if count % 16 == 0:
            pause()
    return result
""",
        "pauses by a number's value": """
async def total(numbers, square, pause):
    result = 0
    for number in numbers:
        result += square(number)
        if number % 16 == 0:
            await pause()
    return result
""",
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
        "sorts what comes as it ends": """
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
        "takes the results from a set": """
async def spread_out(offload, work, items, workers):
    limit = asyncio.Semaphore(workers)
    async def one(item):
        async with limit:
            return await offload(work, item)
    async with asyncio.TaskGroup() as group:
        tasks = {group.create_task(one(item)) for item in items}
    return [task.result() for task in tasks]
""",
        "a share for each worker": """
async def spread_out(offload, work, items, workers):
    async def share(first):
        return [await offload(work, i) for i in items[first::workers]]

    shares = await asyncio.gather(*(share(n) for n in range(workers)))
    return [shares[n % workers][n // workers] for n in range(len(items))]
""",
        "one worker fewer": """
async def spread_out(offload, work, items, workers):
    free = asyncio.Semaphore(max(1, workers - 1))
    async def one(item):
        async with free:
            return await offload(work, item)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(item)) for item in items]
    return [task.result() for task in tasks]
""",
        "hides which job raised": """
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
    for start in range(0, len(items), workers):
        batch = items[start:start + workers]
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
