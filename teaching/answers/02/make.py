"""Answers to exercise 02-make, right and wrong."""

STUB = "one result for each item"

RIGHT = """
## spread out
async def spread_out(offload, work, items, workers):
    results = {}
    waiting = iter(enumerate(items))
    async def worker():
        for index, item in waiting:
            results[index] = await offload(work, item)
    async with asyncio.TaskGroup() as group:
        for _ in range(workers):
            group.create_task(worker())
    return [results[index] for index in range(len(items))]
"""

WRONG = """
## polls for a free worker => whether a worker is free
async def spread_out(offload, work, items, workers):
    busy = 0
    async def one(item):
        nonlocal busy
        try:
            return await offload(work, item)
        finally:
            busy -= 1
    tasks = []
    async with asyncio.TaskGroup() as group:
        for item in items:
            while busy >= workers:
                await asyncio.sleep(0.001)
            busy += 1
            tasks.append(group.create_task(one(item)))
    return [task.result() for task in tasks]
## cancels and does not wait => cancels the others and waits for them
async def spread_out(offload, work, items, workers):
    limit = asyncio.Semaphore(workers)
    async def one(item):
        async with limit:
            return await offload(work, item)
    tasks = [asyncio.create_task(one(item)) for item in items]
    try:
        return await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        raise
## each item once, however often it comes => each item needs a job of its own
-        tasks = [group.create_task(one(item)) for item in items]
-    return [task.result() for task in tasks]
+        tasks = {item: group.create_task(one(item)) for item in set(items)}
+    return [tasks[item].result() for item in items]
## an error that comes when all are done => others were still done
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
## sorts what comes as it ends => one result for each item
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
## takes the results from a set => one result for each item
async def spread_out(offload, work, items, workers):
    limit = asyncio.Semaphore(workers)
    async def one(item):
        async with limit:
            return await offload(work, item)
    async with asyncio.TaskGroup() as group:
        tasks = {group.create_task(one(item)) for item in items}
    return [task.result() for task in tasks]
## a share for each worker => as long as there are items
async def spread_out(offload, work, items, workers):
    async def share(first):
        return [await offload(work, i) for i in items[first::workers]]
    shares = await asyncio.gather(*(share(n) for n in range(workers)))
    return [shares[n % workers][n // workers] for n in range(len(items))]
## one worker fewer => as long as there are items
-    free = asyncio.Semaphore(workers)
+    free = asyncio.Semaphore(max(1, workers - 1))
## hides which job raised => let the error through
-            return await offload(work, item)
+            try:
+                return await offload(work, item)
+            except ValueError:
+                return None
## no limit => a semaphore held during the offload
async def spread_out(offload, work, items, workers):
    return await asyncio.gather(*(offload(work, item) for item in items))
## a semaphore that is not held => a semaphore held during the offload
async def spread_out(offload, work, items, workers):
    free = asyncio.Semaphore(workers)
    async def one(item):
        async with free:
            pass
        return await offload(work, item)
    return await asyncio.gather(*map(one, items))
## swallows the error => let the error through
-    async with asyncio.TaskGroup() as group:
-        tasks = [group.create_task(one(item)) for item in items]
-    return [task.result() for task in tasks]
+    return await asyncio.gather(*map(one, items), return_exceptions=True)
## goes on after an error => a TaskGroup cancels the others and waits for them
-    async with asyncio.TaskGroup() as group:
-        tasks = [group.create_task(one(item)) for item in items]
-    return [task.result() for task in tasks]
+    return await asyncio.gather(*map(one, items))
## goes on => tasks went on
async def limited(items, workers, offload, work, **options):
    limit = asyncio.Semaphore(workers)
    async def one(item):
        async with limit:
            return await offload(work, item)
    return await asyncio.gather(*map(one, items), **options)
async def spread_out(offload, work, items, workers):
    return await limited(items, workers, offload, work)
## nothing => returned None
async def spread_out(offload, work, items, workers):
    ...
## lambda *_: 3 => async def
spread_out = lambda *_: 3
## a clock that nobody stops => wait for all that you start
+    asyncio.create_task(asyncio.sleep(3600))
     free = asyncio.Semaphore(workers)
"""
