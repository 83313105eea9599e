"""Answers to exercise 05-xrelay, right and wrong."""

# Why this works: The time-out stands around `put` alone, so a slow source is not cut
# short. A `put` that is cancelled has not put, so the item is given up and in no
# queue.
SOLUTION = """
async def relay(source, queue, patience):
    given_up = []
    async for item in source:
        try:
            async with asyncio.timeout(patience):
                await queue.put(item)
        except TimeoutError:
            given_up.append(item)
    return given_up
"""

STUB = "an item is given up after its patience"

RIGHT = """
## a relay with wait_for
async def relay(source, queue, patience):
    given_up = []
    async for item in source:
        try:
            await asyncio.wait_for(queue.put(item), patience)
        except asyncio.TimeoutError:
            given_up.append(item)
    return given_up
"""

WRONG = """
## without: return given_up => return the list of what was given up
-    return given_up
+    pass
## without: async for item in source: => a time-out around anext(source) cancels the source itself
async def relay(source, queue, patience):
    given_up = []
    pass
    return given_up
## what is given up is forgotten => neither came through nor were given up
-            given_up.append(item)
+            pass
## no patience => an item is given up after its patience: not at once
-                await queue.put(item)
-        except TimeoutError:
+                queue.put_nowait(item)
+        except asyncio.QueueFull:
## a shield around put => came through and were given up too
-                await queue.put(item)
+                await asyncio.shield(queue.put(item))
## a poll => is polling
-                await queue.put(item)
+                while queue.full():
+                    await asyncio.sleep(0.001)
+                queue.put_nowait(item)
## a clock that nobody stops => it needs no task
+    asyncio.create_task(asyncio.sleep(3600))
     given_up = []
"""
