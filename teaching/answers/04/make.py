"""Answers to exercise 04-make, right and wrong."""

STUB = "collect the results and return the list"

RIGHT = """
## map with the job queue
async def map_bounded(fn, items, limit):
    async with JobQueue(workers=limit, maxsize=1) as jobs:
        for item in items:
            await jobs.put(fn, item)
    return jobs.results
## map by hand
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
"""

WRONG = """
## a tuple => return a list of results
@@ map with the job queue
-    return jobs.results
+    return tuple(jobs.results)
## begins no more, and leaves what it has begun => one call raised, and it left
async def map_bounded(fn, items, limit):
    numbered, results, failed = enumerate(items), {}, []
    async def worker():
        for number, item in numbered:
            if failed:
                return
            try:
                results[number] = await fn(item)
            except BaseException as error:
                failed.append(error)
                raise
    await asyncio.gather(*(worker() for _ in range(limit)))
    return [results[number] for number in sorted(results)]
## takes a minute to let go => was cancelled and went on
@@ map with the job queue
-    async with JobQueue(workers=limit, maxsize=1) as jobs:
-        for item in items:
-            await jobs.put(fn, item)
+    try:
+        async with JobQueue(workers=limit, maxsize=1) as jobs:
+            for item in items:
+                await jobs.put(fn, item)
+    except asyncio.CancelledError:
+        await asyncio.sleep(60)
+        raise
## results by item => wait for every call and keep what it returns
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
## sorts the results => remember the position of each item and put its result there
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
## batches => that is not backpressure
async def map_bounded(fn, items, limit):
    items, results = list(items), []
    for start in range(0, len(items), limit):
        batch = items[start:start + limit]
        results += await asyncio.gather(*(fn(item) for item in batch))
    return results
## takes all items before it begins => that is not backpressure
@@ map with the job queue
-    async with JobQueue(workers=limit, maxsize=1) as jobs:
+    items = list(items)
+    async with JobQueue(limit) as jobs:
## hides the error => as if nothing had happened
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
## results in the order in which calls end => order in which calls ended
async def map_bounded(fn, items, limit):
    results = []
    async with JobQueue(limit) as jobs:
        async def call(item):
            results.append(await fn(item))
        for item in items:
            await jobs.put(call, item)
    return results
## one after the other => never more than 1 ran at once
async def map_bounded(fn, items, limit):
    return [await fn(item) for item in items]
## leaves its workers behind => cancel the workers at the end
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
## stub map => returned None
async def map_bounded(fn, items, limit):
    ...
## map gather => 12 calls ran at once
async def map_bounded(fn, items, limit):
    return await asyncio.gather(*(fn(item) for item in items))
## map invents => not called for every item
async def map_bounded(fn, items, limit):
    return [f'result {item}' for item in items]
## map calls twice => 1 item, limit 1: fn was called 2 times
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
## map fails late => 100 s later
@@ map with the job queue
-    async with JobQueue(workers=limit, maxsize=1) as jobs:
+    async with JobQueue(limit, fail_fast=False) as jobs:
## map loose workers => afterwards others were still started
async def map_bounded(fn, items, limit):
    iterator = enumerate(items)
    results = {}
    async def worker():
        for number, item in iterator:
            results[number] = await fn(item)
    await asyncio.gather(*(worker() for _ in range(limit)))
    return [results[number] for number in sorted(results)]
## map uncancellable => returned as if it had not been
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
## map abandons => its calls went on
async def map_with_the_job_queue(fn, items, limit):
    async with JobQueue(workers=limit, maxsize=1) as jobs:
        for item in items:
            await jobs.put(fn, item)
    return jobs.results
async def map_bounded(fn, items, limit):
    return await asyncio.shield(map_with_the_job_queue(fn, items, limit))
## map shared iterator => nothing yields between one call and the next
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
## lambda fn, items, limit: [] => async def
map_bounded = lambda fn, items, limit: []
## it looks each millisecond => sleeps and looks again polls
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
"""
