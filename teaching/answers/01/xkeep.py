"""Answers to exercise 01-xkeep, right and wrong."""

# Why this works: The loop holds its tasks only weakly. The set holds each strongly,
# and a done callback takes it out again, however it ended: no memory grows, and the
# length of the set is the answer.
SOLUTION = """
class Background:
    def __init__(self):
        self.tasks = set()

    def start(self, coroutine):
        task = asyncio.create_task(coroutine)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    def __len__(self):
        return len(self.tasks)
"""

STUB = "the loop keeps only weak references to tasks"

RIGHT = """
## keeps them in a TaskGroup's manner, by number
class Background:
    def __init__(self):
        self.running, self.count = {}, 0
    def start(self, coroutine):
        self.count += 1
        self.running[self.count] = asyncio.ensure_future(self.run(self.count, coroutine))
    async def run(self, number, coroutine):
        try:
            return await coroutine
        finally:
            del self.running[number]
    def __len__(self):
        return len(self.running)
"""

WRONG = """
## one that fails ends the others => one that fails must not touch the others
-        task.add_done_callback(self.tasks.discard)
+        task.add_done_callback(self.ended)
+    def ended(self, task):
+        self.tasks.discard(task)
+        if not task.cancelled() and task.exception():
+            for other in self.tasks:
+                other.cancel()
## returns 7 => count the tasks that you hold
-        return len(self.tasks)
+        return 7
## holds them for ever => 2 of the results are still held
class Background:
    def __init__(self):
        self.tasks = []
    def start(self, coroutine):
        self.tasks.append(asyncio.create_task(coroutine))
    def __len__(self):
        return sum(not task.done() for task in self.tasks)
## holds them weakly => 3 of three tasks are gone
import weakref
class Background:
    def __init__(self):
        self.tasks = weakref.WeakSet()
    def start(self, coroutine):
        self.tasks.add(asyncio.create_task(coroutine))
    def __len__(self):
        return len(self.tasks)
## counts and does not hold => of three tasks are gone
class Background:
    running = 0
    def start(self, coroutine):
        self.running += 1
        asyncio.create_task(coroutine).add_done_callback(self.end)
    def end(self, task):
        self.running -= 1
    def __len__(self):
        return self.running
## keeps the coroutines => 0 of them have begun
class Background:
    def __init__(self):
        self.coroutines = []
    def start(self, coroutine):
        self.coroutines.append(coroutine)
    def __len__(self):
        return len(self.coroutines)
"""
