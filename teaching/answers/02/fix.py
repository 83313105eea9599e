"""Answers to exercise 02-fix, right and wrong."""

STUB = "hand over the function and its argument"

RIGHT = {
    "answer": """
async def answer(requests, work, offload):
    tasks = [asyncio.ensure_future(offload(work, each)) for each in requests]
    return [await task for task in tasks]
""",
}

WRONG = {
    "a thread of its own": (
        """
async def answer(requests, work, offload):
    return await asyncio.gather(*(asyncio.to_thread(work, n) for n in requests))
""",
        "runs it elsewhere",
    ),
    "a lock around each": (
        """
async def answer(requests, work, offload):
    lock = asyncio.Lock()
    async def one(r):
        async with lock:
            return await offload(work, r)
    return await asyncio.gather(*map(one, requests))
""",
        "start all of them before you wait for the first",
    ),
    "hands over the function, one after the other": (
        """
async def answer(requests, work, offload):
    results = []
    for request in requests:
        results.append(await offload(work, request))
    return results
""",
        "start all of them before you wait for the first",
    ),
    "gathers the work done on the loop": (
        """
async def answer(requests, work, offload):
    async def one(request):
        return work(request)
    return await asyncio.gather(*(one(request) for request in requests))
""",
        "work() must not be called here",
    ),
    "forgets to wait": (
        """
async def answer(requests, work, offload):
    return [offload(work, request) for request in requests]
""",
        "return the list of results in the order of the requests",
    ),
    "hands over a lambda that returns a coroutine": (
        """
async def answer(requests, work, offload):
    jobs = [offload(offload, work, request) for request in requests]
    return await asyncio.gather(*jobs)
""",
        "return the list of results in the order of the requests",
    ),
    "in the order in which they end": (
        """
async def answer(requests, work, offload):
    jobs = [offload(work, request) for request in requests]
    return [await job for job in asyncio.as_completed(jobs)]
""",
        "return the list of results in the order of the requests",
    ),
    "notes each result when it comes": (
        """
async def answer(requests, work, offload):
    results = []

    async def one(request):
        results.append(await offload(work, request))

    async with asyncio.TaskGroup() as group:
        for request in requests:
            group.create_task(one(request))
    return results
""",
        "return the list of results in the order of the requests",
    ),
    "a dictionary of the results, and two requests alike": (
        """
async def answer(requests, work, offload):
    found = {}
    async def one(request):
        found[request] = await offload(work, request)
    await asyncio.gather(*(one(request) for request in requests))
    return list(found.values())
""",
        "return the list of results in the order of the requests",
    ),
    "on the loop": (
        """
async def answer(requests, work, offload):
    return [work(each) for each in requests]
""",
        "the heartbeat is",
    ),
    "called": (
        """
async def answer(requests, work, offload):
    return [await offload(work(each)) for each in requests]
""",
        "hand over the function and its argument",
    ),
    "half": (
        """
async def answer(requests, work, offload):
    return await asyncio.gather(*(offload(work, n) for n in requests[::2]))
""",
        "in the order of the requests",
    ),
    "elsewhere": (
        """
async def answer(requests, work, offload):
    return [each * each for each in requests]
""",
        "0 of 8 jobs",
    ),
    "leaves": (
        """
async def answer(requests, work, offload):
    asyncio.get_running_loop().create_task(asyncio.sleep(9))
    return await asyncio.gather(*(offload(work, n) for n in requests))
""",
        "leaves tasks behind",
    ),
    "plain": (
        """
def answer(requests, work, offload):
    return []
""",
        "async def",
    ),
    "5": ("answer = 5", "not a function"),
}
