"""Answers to exercise 02-fix, right and wrong."""

STUB = "hand over the function and its argument"

RIGHT = """
## answer
async def answer(requests, work, offload):
    tasks = [asyncio.ensure_future(offload(work, each)) for each in requests]
    return [await task for task in tasks]
"""

WRONG = """
## a thread of its own => runs it elsewhere
async def answer(requests, work, offload):
    return await asyncio.gather(*(asyncio.to_thread(work, n) for n in requests))
## a lock around each => start all of them before you wait for the first
async def answer(requests, work, offload):
    lock = asyncio.Lock()
    async def one(r):
        async with lock:
            return await offload(work, r)
    return await asyncio.gather(*map(one, requests))
## hands over the function, one after the other => start all of them before you wait for the first
async def answer(requests, work, offload):
    results = []
    for request in requests:
        results.append(await offload(work, request))
    return results
## gathers the work done on the loop => work() must not be called here
async def answer(requests, work, offload):
    async def one(request):
        return work(request)
    return await asyncio.gather(*(one(request) for request in requests))
## forgets to wait => return the list of results in the order of the requests
async def answer(requests, work, offload):
    return [offload(work, request) for request in requests]
## hands over a lambda that returns a coroutine => return the list of results in the order of the requests
-    jobs = [offload(work, request) for request in requests]
+    jobs = [offload(offload, work, request) for request in requests]
## in the order in which they end => return the list of results in the order of the requests
-    return await asyncio.gather(*jobs)
+    return [await job for job in asyncio.as_completed(jobs)]
## notes each result when it comes => return the list of results in the order of the requests
async def answer(requests, work, offload):
    results = []
    async def one(request):
        results.append(await offload(work, request))
    async with asyncio.TaskGroup() as group:
        for request in requests:
            group.create_task(one(request))
    return results
## a dictionary of the results, and two requests alike => return the list of results in the order of the requests
async def answer(requests, work, offload):
    found = {}
    async def one(request):
        found[request] = await offload(work, request)
    await asyncio.gather(*(one(request) for request in requests))
    return list(found.values())
## on the loop => the heartbeat is
async def answer(requests, work, offload):
    return [work(each) for each in requests]
## called => hand over the function and its argument
async def answer(requests, work, offload):
    return [await offload(work(each)) for each in requests]
## half => in the order of the requests
async def answer(requests, work, offload):
    return await asyncio.gather(*(offload(work, n) for n in requests[::2]))
## elsewhere => 0 of 8 jobs
async def answer(requests, work, offload):
    return [each * each for each in requests]
## leaves => leaves tasks behind
async def answer(requests, work, offload):
    asyncio.get_running_loop().create_task(asyncio.sleep(9))
    return await asyncio.gather(*(offload(work, n) for n in requests))
## plain => async def
def answer(requests, work, offload):
    return []
## 5 => not a function
answer = 5
"""
