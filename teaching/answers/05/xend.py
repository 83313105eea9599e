"""Answers to exercise 05-xend, right and wrong."""

# Why this works: Each worker takes one `END` and leaves. So there must be as many as
# workers. They come last, so no worker leaves while an item is before it.
SOLUTION = """
END = object()

async def work_off(items, handle, workers):
    queue = asyncio.Queue(maxsize=1)

    async def worker():
        while (item := await queue.get()) is not END:
            await handle(item)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(workers):
            tasks.create_task(worker())
        for item in items:
            await queue.put(item)
        for _ in range(workers):
            await queue.put(END)
"""

STUB = "one end is taken by one worker"

RIGHT = """
## an end that is put back
END = object()
async def work_off(items, handle, workers):
    queue = asyncio.Queue(maxsize=1)
    async def worker():
        while (item := await queue.get()) is not END:
            await handle(item)
        queue.put_nowait(END)
    async with asyncio.TaskGroup() as tasks:
        for _ in range(workers):
            tasks.create_task(worker())
        for item in items:
            await queue.put(item)
        await queue.put(END)
"""

WRONG = """
## twice: tasks.create_task(worker()) => a worker handles one item at a time
@@ an end that is put back
             tasks.create_task(worker())
+            tasks.create_task(worker())
## without: async with asyncio.TaskGroup() as tasks: => items had been handled when work_off() returned
END = object()
async def work_off(items, handle, workers):
    queue = asyncio.Queue(maxsize=1)
    async def worker():
        while (item := (await queue.get())) is not END:
            await handle(item)
    pass
## None is the end => an object of its own
-END = object()
+END = None
## an item equals the end => compared with 'is'
-END = object()
+END = 0
@
-        while (item := await queue.get()) is not END:
+        while (item := await queue.get()) != END:
## no bound => keep the bound
-    queue = asyncio.Queue(maxsize=1)
+    queue = asyncio.Queue(maxsize=0)
## one worker too few => start all the workers
     async with asyncio.TaskGroup() as tasks:
-        for _ in range(workers):
+        for _ in range(max(1, workers - 1)):
## the error is swallowed => returned as if nothing had happened
-            await handle(item)
+            try:
+                await handle(item)
+            except OSError:
+                pass
## a clock that nobody stops => each worker has to end
+    asyncio.create_task(asyncio.sleep(3600))
     queue = asyncio.Queue(maxsize=1)
"""
