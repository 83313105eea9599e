"""Answers to exercise 06-xevent, right and wrong."""

# Why this works: `add` sets the event that the waiting tasks have, and puts a new one
# in its place. Each task looks at the count again, and waits for the new event if it
# was not enough. An event that stayed set would make that `while` spin.
SOLUTION = """
class Progress:
    def __init__(self):
        self.count, self.changed = 0, asyncio.Event()

    def add(self, n):
        self.count += n
        self.changed.set()
        self.changed = asyncio.Event()

    async def at_least(self, n):
        while self.count < n:
            await self.changed.wait()
"""

STUB = "a task that looks again and again polls"

RIGHT = """
## a condition in Progress
class Progress:
    def __init__(self):
        self.count, self.waiting = 0, []
    def add(self, n):
        self.count += n
        for number, future in self.waiting:
            if self.count >= number and not future.done():
                future.set_result(None)
    async def at_least(self, n):
        if self.count < n:
            future = asyncio.get_running_loop().create_future()
            self.waiting.append((n, future))
            await future
"""

WRONG = """
## it looks once => 'while', not 'if'
-        while self.count < n:
+        if self.count < n:
## the event stays set => it holds the loop for ever
-        self.changed = asyncio.Event()
## a poll in other clothes => a task that looks again and again polls
-            await self.changed.wait()
+            await asyncio.sleep(0.1)
## told at the first number only => must not be missed
-        self.changed.set()
+        self.first()
@
             await self.changed.wait()
+    def first(self):
+        if self.count >= 9:
+            self.changed.set()
## add is async => make it a plain one
-    def add(self, n):
+    async def add(self, n):
"""
