"""Answers to exercise 04-fix, right and wrong."""

STUB = "a free semaphore does not yield"

RIGHT = """
## fixed by hand
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
"""

WRONG = """
## workers without a queue, which never yield => a free semaphore does not yield
async def process(jobs):
    todo = iter(jobs)
    async def worker():
        for job in todo:
            await job()
    async with asyncio.TaskGroup() as tasks:
        for _ in range(4):
            tasks.create_task(worker())
## a yield before each job => a free semaphore does not yield
async def process(jobs):
    guard = asyncio.Semaphore(4)
    async def limited(job):
        async with guard:
            await asyncio.sleep(0)
            await job()
    async with asyncio.TaskGroup() as tasks:
        for job in jobs:
            tasks.create_task(limited(job))
## gathers in batches of four => no batch, but workers
async def process(jobs):
    for start in range(0, len(jobs), 4):
        await asyncio.gather(*(job() for job in jobs[start:start + 4]))
## a group for each four => while one job waits long
async def process(jobs):
    while jobs:
        four, jobs = jobs[:4], jobs[4:]
        async with asyncio.TaskGroup() as tasks:
            for job in four:
                tasks.create_task(job())
## one after the other => several workers wait
async def process(jobs):
    for job in jobs:
        await job()
        await asyncio.sleep(0)
## does not wait for the jobs => is the body still three dots
async def process(jobs):
    for job in jobs:
        asyncio.create_task(job())
        await asyncio.sleep(0)
## too many workers => too many jobs wake at the same moment
-    async with JobQueue(workers=4, maxsize=1) as queue:
+    async with JobQueue(workers=50) as queue:
## six workers => too many jobs wake at the same moment
@@ fixed by hand
-    workers = [asyncio.create_task(worker()) for _ in range(4)]
+    crew = [asyncio.create_task(worker()) for _ in range(6)]
@
-    for task in workers:
+    for task in crew:
## stub process => not one job was done
async def process(jobs):
    ...
## plain process => async def
def process(jobs):
    ...
## workers left => left tasks behind: 4
@@ fixed by hand
-    for task in workers:
-        task.cancel()
+    assert workers
## no workers => waits for ever
async def process(jobs):
    queue = asyncio.Queue(maxsize=1)
    for job in jobs:
        await queue.put(job)
## polls => does not come to an end
async def process(jobs):
    while jobs:
        await asyncio.sleep(0)
## every job twice => twice
@@ fixed by hand
-async def process(jobs):
+async def fixed_by_hand(jobs):
@
         task.cancel()
+async def process(jobs):
+    await fixed_by_hand(jobs + jobs)
## cancels workers that are at work => wait for all of them
async def process(jobs):
    queue = asyncio.Queue(maxsize=1)
    async def worker():
        while True:
            await (await queue.get())()
    workers = [asyncio.create_task(worker()) for _ in range(4)]
    for job in jobs:
        await queue.put(job)
    for task in workers:
        task.cancel()
"""
