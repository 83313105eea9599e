"""Answers to exercise 07-xlease, right and wrong."""

# Why this works: The lease has a task of its own, made at priority 3, so it waits for
# one computation and not for its turn among all. A third of the lease leaves room for
# that. The TaskGroup ends the work when renew raises; cancel ends the renewals.
SOLUTION = """
async def under_lease(steps, renew, lease):
    async def keep():
        while True:
            await asyncio.sleep(lease / 3)
            await renew()

    async with asyncio.TaskGroup() as tasks:
        with priority(3):
            keeper = tasks.create_task(keep())
        for step in steps:
            await step()
        keeper.cancel()
"""

STUB = "the lease waits in the queue with everybody else"

RIGHT = """
## a keeper that cancels the work
async def under_lease(steps, renew, lease):
    async def keep():
        while True:
            await asyncio.sleep(lease / 4)
            await renew()
    async def work():
        for step in steps:
            await step()
    with priority(3):
        keeper = asyncio.create_task(keep())
    working = asyncio.create_task(work())
    try:
        await asyncio.wait([keeper, working], return_when="FIRST_COMPLETED")
        if keeper.done():
            keeper.result()
        await working
    finally:
        keeper.cancel()
        working.cancel()
"""

WRONG = """
## without: working.cancel() => let a TaskGroup own it
@@ a keeper that cancels the work
-        working.cancel()
+        pass
## without: async with asyncio.TaskGroup() as tasks: => await each step in turn
async def under_lease(steps, renew, lease):
    async def keep():
        while True:
            await asyncio.sleep(lease / 3)
            await renew()
    pass
## a task, but not urgent => made inside 'with priority(3)'
-        with priority(3):
+        if True:
## everything is urgent => the steps ran at priority 3
-        for step in steps:
-            await step()
+            for step in steps:
+                await step()
## the later steps are urgent => the steps ran at priority 3
-        for step in steps:
-            await step()
+        for number, step in enumerate(steps):
+            with priority(3 if number > 9 else 2):
+                await step()
## nobody looks at the keeper => as if nothing had happened
async def under_lease(steps, renew, lease):
    async def keep():
        while True:
            await asyncio.sleep(lease / 3)
            await renew()
    with priority(3):
        keeper = asyncio.create_task(keep())
    for step in steps:
        await step()
    keeper.cancel()
    await asyncio.gather(keeper, return_exceptions=True)
## the keeper goes on => cancel the task that keeps it
-    async with asyncio.TaskGroup() as tasks:
+    if tasks := asyncio:
@
-        keeper.cancel()
+        return keeper
## far too often => each renewal is a call to the bus
-            await asyncio.sleep(lease / 3)
+            await asyncio.sleep(0.01)
## too seldom => nobody renewed
-            await asyncio.sleep(lease / 3)
+            await asyncio.sleep(lease)
## hears of the loss at the end => let its error end the work at once
-    async with asyncio.TaskGroup() as tasks:
-        with priority(3):
-            keeper = tasks.create_task(keep())
-        for step in steps:
-            await step()
-        keeper.cancel()
+    with priority(3):
+        keeper = asyncio.create_task(keep())
+    for step in steps:
+        await step()
+    keeper.cancel()
+    try:
+        await keeper
+    except asyncio.CancelledError:
+        pass
"""
