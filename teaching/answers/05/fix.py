"""Answers to exercise 05-fix, right and wrong."""

STUB = "a queue without a bound takes whatever comes"

RIGHT = """
## over channels
from looplab.channel import Channel
async def pipeline(source, parse, store):
    parsed = Channel()
    async def read():
        async for item in source:
            await parsed.put(parse(item))
        parsed.close()
    async def save():
        async for text in parsed:
            await store(text)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(read())
        tasks.create_task(save())
## with three stages
END = object()
async def pipeline(source, parse, store):
    raw = asyncio.Queue(maxsize=1)
    parsed = asyncio.Queue(maxsize=1)
    async def read():
        async for item in source:
            await raw.put(item)
        await raw.put(END)
    async def turn():
        while (item := (await raw.get())) is not END:
            await parsed.put(parse(item))
        await parsed.put(END)
    async def save():
        while (text := (await parsed.get())) is not END:
            await store(text)
    async with asyncio.TaskGroup() as tasks:
        for stage in (read, turn, save):
            tasks.create_task(stage())
"""

WRONG = """
## parses four at once => the parser takes several items in one turn
async def pipeline(source, parse, store):
    batch = []
    async def save():
        texts = [parse(item) for item in batch]
        batch.clear()
        for text in texts:
            await store(text)
    async for item in source:
        batch.append(item)
        if len(batch) == 4:
            await save()
    await save()
## two who store => not stored once each and in their order
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)
    async def storer():
        while (text := await parsed.get()) is not END:
            await store(text)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(storer())
        tasks.create_task(storer())
        async for item in source:
            await parsed.put(parse(item))
        await parsed.put(END)
        await parsed.put(END)
## an empty text taken for the end => look for an await whose counterpart never comes
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)
    async def storer():
        while text := await parsed.get():
            await store(text)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(storer())
        async for item in source:
            await parsed.put(parse(item))
        await parsed.put(None)
## bounds of five => were under way at once
-    raw, parsed = asyncio.Queue(maxsize=1), asyncio.Queue(maxsize=1)
+    raw, parsed = asyncio.Queue(maxsize=5), asyncio.Queue(maxsize=5)
## one place too many => 6 items were under way at once
-    raw, parsed = asyncio.Queue(maxsize=1), asyncio.Queue(maxsize=1)
+    raw, parsed = asyncio.Queue(maxsize=1), asyncio.Queue(maxsize=2)
## a slow poll => a task that sleeps and looks again polls
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)
    async def storer():
        while True:
            while parsed.empty():
                await asyncio.sleep(0.001)
            if (text := parsed.get_nowait()) is END:
                return
            await store(text)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(storer())
        async for item in source:
            await parsed.put(parse(item))
        await parsed.put(END)
## a poll dressed as a time-out => one item can be parsed while the one before is being stored
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)
    async def storer():
        while True:
            try:
                text = await asyncio.wait_for(parsed.get(), 0.1)
            except TimeoutError:
                continue
            if text is END:
                return
            await store(text)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(storer())
        async for item in source:
            await parsed.put(parse(item))
        await parsed.put(END)
## a slow poll dressed as a time-out => a task that sleeps and looks again polls
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)
    async def storer():
        while True:
            try:
                async with asyncio.timeout(5):
                    text = await parsed.get()
            except TimeoutError:
                continue
            if text is END:
                return
            await store(text)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(storer())
        async for item in source:
            await parsed.put(parse(item))
        await parsed.put(END)
## a task for each store => one task per stage
async def pipeline(source, parse, store):
    async with asyncio.TaskGroup() as tasks:
        async for item in source:
            tasks.create_task(store(parse(item)))
            await asyncio.sleep(0)
## loses what is stored last => wait until the last stage has seen the end
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)
    async def storer():
        while True:
            await store(await parsed.get())
    storing = asyncio.create_task(storer())
    async for item in source:
        await parsed.put(parse(item))
    storing.cancel()
## bounded, and polls still => look for a loop that never stops
-        while (text := await parsed.get()) is not END:
+        while True:
+            while parsed.empty():
+                await asyncio.sleep(0)
+            if (text := parsed.get_nowait()) is END:
+                return
## waits, and is unbounded still => a queue without a bound takes whatever comes
-    raw, parsed = asyncio.Queue(maxsize=1), asyncio.Queue(maxsize=1)
+    raw, parsed = asyncio.Queue(), asyncio.Queue()
## one after the other => took 1.5
async def pipeline(source, parse, store):
    async for item in source:
        await store(parse(item))
## forgets an error of store => it cancels the others
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)
    async def storer():
        while (text := await parsed.get()) is not END:
            await store(text)
    storing = asyncio.create_task(storer())
    async for item in source:
        await parsed.put(parse(item))
    await parsed.put(END)
    await storing
## nothing => only 0 of 100
async def pipeline(source, parse, store):
    ...
## polls => does not come to an end
END = object()
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)
    async def save():
        while True:
            while parsed.empty():
                await asyncio.sleep(0)
            if (text := parsed.get_nowait()) is END:
                return
            await store(text)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(save())
        async for item in source:
            await parsed.put(parse(item))
        await parsed.put(END)
## leaves its consumer => left tasks behind: 1
async def pipeline(source, parse, store):
    parsed = asyncio.Queue(maxsize=1)
    async def save():
        while True:
            await store(await parsed.get())
            parsed.task_done()
    _ = asyncio.create_task(save())
    async for item in source:
        await parsed.put(parse(item))
    await parsed.join()
## swallows => as if nothing had happened
@@ with three stages
+import contextlib
 END = object()
@
-async def pipeline(source, parse, store):
+async def with_three_stages(source, parse, store):
@
             tasks.create_task(stage())
+async def pipeline(source, parse, store):
+
+    async def careless(text):
+        with contextlib.suppress(OSError):
+            await store(text)
+    await with_three_stages(source, parse, careless)
## lambda *_: None => plain function
pipeline = lambda *_: None
## gather leaves the other stages behind => let a TaskGroup own the stages: it cancels
-    async with asyncio.TaskGroup() as tasks:
-        for stage in reader, parser, storer:
-            tasks.create_task(stage())
+    await asyncio.gather(reader(), parser(), storer())
"""
