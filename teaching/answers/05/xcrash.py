"""Answers to exercise 05-xcrash, right and wrong."""

# Why this works: The producer waits in `put` inside the task group. When the consumer
# raises, the group cancels the producer, in `put` or in the source, and raises the
# error. `consumer.cancel()` at the end is for the good day: the consumer never ends
# by itself.
SOLUTION = """
async def feed(source, handle):
    queue = asyncio.Queue(maxsize=1)

    async def consume():
        while True:
            item = await queue.get()
            await handle(item)
            queue.task_done()

    async with asyncio.TaskGroup() as tasks:
        consumer = tasks.create_task(consume())
        async for item in source:
            await queue.put(item)
        await queue.join()
        consumer.cancel()
"""

STUB = "the consumer has died"

RIGHT = """
## ends the consumer by an item of its own
async def feed(source, handle):
    queue, end = asyncio.Queue(maxsize=1), object()
    async def consume():
        while (item := await queue.get()) is not end:
            await handle(item)
    async def produce():
        async for item in source:
            await queue.put(item)
        await queue.put(end)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(consume())
        await tasks.create_task(produce())
"""

WRONG = """
## the error is swallowed => returned as if nothing had happened
-            await handle(item)
+            try:
+                await handle(item)
+            except Exception:
+                pass
## the consumer is never told to end => waits for ever
-        consumer.cancel()
+        consumer.done()
## nobody waits for the last items => had been handled, each once and in order, when feed() returned
-        await queue.join()
## no bound => a queue without a bound takes all that comes
-    queue = asyncio.Queue(maxsize=1)
+    queue = asyncio.Queue(maxsize=0)
## no queue => handle an item while the next one is awaited
async def feed(source, handle):
    async for item in source:
        await handle(item)
## the error waits for the source => has to stop the producer, wherever it waits
async def feed(source, handle):
    queue = asyncio.Queue(maxsize=1)
    async def consume():
        while True:
            await handle(await queue.get())
            queue.task_done()
    consumer = asyncio.create_task(consume())
    async for item in source:
        while queue.full() and not consumer.done():
            await asyncio.wait([consumer], timeout=0.1)
        if consumer.done():
            consumer.result()
        queue.put_nowait(item)
    joined = asyncio.create_task(queue.join())
    await asyncio.wait([consumer, joined], return_when="FIRST_COMPLETED")
    joined.cancel()
    if consumer.done():
        consumer.result()
    consumer.cancel()
## a clock that nobody stops => has to be cancelled
+    asyncio.create_task(asyncio.sleep(3600))
     queue = asyncio.Queue(maxsize=1)
## tries again later, in a task of its own => let a TaskGroup own it
-            await handle(item)
+            try:
+                await handle(item)
+            except OSError:
+                asyncio.create_task(asyncio.sleep(3600))
+                raise
"""
