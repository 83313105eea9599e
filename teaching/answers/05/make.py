"""Answers to exercise 05-make, right and wrong."""

STUB = "collect the results and return the list"

RIGHT = """
## chain of channels
from looplab.channel import Channel
async def chain(items, *stages):
    links = [Channel() for _ in range(len(stages) + 1)]
    async def feed():
        for item in items:
            await links[0].put(item)
        links[0].close()
    async def work(place):
        async for item in links[place]:
            await links[place + 1].put(await stages[place](item))
        links[place + 1].close()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(feed())
        for place in range(len(stages)):
            tasks.create_task(work(place))
        return [item async for item in links[-1]]
"""

WRONG = """
## tasks that nobody owns => look for an await whose counterpart never comes
-    async with asyncio.TaskGroup() as tasks:
-        tasks.create_task(feed(queues[0]))
-        for n, stage in enumerate(stages):
-            tasks.create_task(work(stage, queues[n], queues[n + 1]))
-        while (item := await queues[-1].get()) is not END:
-            results.append(item)
+    tasks = [asyncio.create_task(feed(queues[0]))]
+    for n, stage in enumerate(stages):
+        tasks.append(asyncio.create_task(work(stage, queues[n], queues[n + 1])))
+    while (item := await queues[-1].get()) is not END:
+        results.append(item)
+    await asyncio.gather(*tasks)
## takes all items first => were under way at once
 async def chain(items, *stages):
+    items = list(items)
## a lock for each stage, a task for each item => a queue of size
async def chain(items, *stages):
    locks = [asyncio.Lock() for _ in stages]
    async def through(item):
        for lock, stage in zip(locks, stages):
            async with lock:
                item = await stage(item)
        return item
    return await asyncio.gather(*(through(item) for item in items))
## hides the error of a stage => let the stages work at the same time
async def chain(items, *stages):
    results = []
    for item in items:
        try:
            for stage in stages:
                item = await stage(item)
            results.append(item)
        except Exception:
            pass
    return results
## the results as they come out of the last stage, without the first => the result of one stage is the item of the next
async def chain(items, *stages):
    queue, results = asyncio.Queue(maxsize=1), []
    async def feed():
        for item in items:
            await queue.put(item)
        await queue.put(END)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(feed())
        while (item := await queue.get()) is not END:
            results.append(await stages[-1](item))
    return results
## one item after the other => the slowest stage needs
async def chain(items, *stages):
    results = []
    for item in items:
        for stage in stages:
            item = await stage(item)
        results.append(item)
    return results
## a task for each item => several items at the same time
async def chain(items, *stages):
    async def through(item):
        for stage in stages:
            item = await stage(item)
        return item
    return await asyncio.gather(*(through(item) for item in items))
## None for the end => look for an await whose counterpart never comes
-        await first.put(END)
+        await first.put(None)
@
-        while (item := await inbox.get()) is not END:
+        while (item := await inbox.get()) is not None:
@
-        await outbox.put(END)
+        await outbox.put(None)
@
-        while (item := await queues[-1].get()) is not END:
+        while (item := await queues[-1].get()) is not None:
## no list => returned ()
@@ chain of channels
-async def chain(items, *stages):
+async def chain_of_channels(items, *stages):
@
         return [item async for item in links[-1]]
+async def chain(items, *stages):
+    return tuple(await chain_of_channels(items, *stages))
## first stage only => those of all stages
@@ chain of channels
-async def chain(items, *stages):
+async def chain_of_channels(items, *stages):
@
         return [item async for item in links[-1]]
+async def chain(items, *stages):
+    return await chain_of_channels(items, stages[0])
## none is the end => 1, None, 2
@@ chain of channels
-async def chain(items, *stages):
+async def chain_of_channels(items, *stages):
@
         return [item async for item in links[-1]]
+async def chain(items, *stages):
+    found = await chain_of_channels(items, *stages)
+    return found[:found.index(None)] if None in found else found
## swallows errors => as if nothing had happened
@@ chain of channels
-async def chain(items, *stages):
+async def chain_of_channels(items, *stages):
@
         return [item async for item in links[-1]]
+async def chain(items, *stages):
+    try:
+        return await chain_of_channels(items, *stages)
+    except ExceptionGroup:
+        return []
## leaves tasks => left behind
@@ chain of channels
-async def chain(items, *stages):
+async def chain_of_channels(items, *stages):
@
         return [item async for item in links[-1]]
+async def chain(items, *stages):
+    running = asyncio.create_task(chain_of_channels(items, *stages))
+    try:
+        return await asyncio.shield(running)
+    except ExceptionGroup:
+        _ = asyncio.create_task(asyncio.sleep(60))
+        raise
## it looks each millisecond => sleeps and looks again polls
async def chain(items, *stages):
    places = [[] for _ in range(len(stages) + 1)]
    results = []
    async def put(place, item):
        while place:
            await asyncio.sleep(0.0001)
        place.append(item)
    async def get(place):
        while not place:
            await asyncio.sleep(0.0001)
        return place.pop()
    async def feed():
        for item in items:
            await put(places[0], item)
        await put(places[0], END)
    async def work(stage, inbox, outbox):
        while (item := await get(inbox)) is not END:
            await put(outbox, await stage(item))
        await put(outbox, END)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(feed())
        for n, stage in enumerate(stages):
            tasks.create_task(work(stage, places[n], places[n + 1]))
        while (item := await get(places[-1])) is not END:
            results.append(item)
    return results
## a clock that nobody stops => let each stage see the end
+    asyncio.create_task(asyncio.sleep(3600))
     results = []
## takes what is left once a stage has failed => take an item only when there is room for it
-    async with asyncio.TaskGroup() as tasks:
-        tasks.create_task(feed(queues[0]))
-        for n, stage in enumerate(stages):
-            tasks.create_task(work(stage, queues[n], queues[n + 1]))
-        while (item := await queues[-1].get()) is not END:
-            results.append(item)
+    try:
+        async with asyncio.TaskGroup() as tasks:
+            tasks.create_task(feed(queues[0]))
+            for n, stage in enumerate(stages):
+                tasks.create_task(work(stage, queues[n], queues[n + 1]))
+            while (item := await queues[-1].get()) is not END:
+                results.append(item)
+    finally:
+        list(items)
"""
