"""Answers to exercise 06-xlost, right and wrong."""

# Why this works: Several calls of `set()` before a reader runs are one. So a letter
# in the box is what counts, and not the event: look into the box first, and only wait
# if it is empty. For a letter that another thread puts in just then, `set()` runs on
# the loop later, after `clear()`, so it is not lost.
SOLUTION = """
from collections import deque

class Mailbox:
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.letters, self.come = deque(), asyncio.Event()

    def put(self, item):
        self.letters.append(item)
        self.loop.call_soon_threadsafe(self.come.set)

    async def get(self):
        while not self.letters:
            self.come.clear()
            await self.come.wait()
        return self.letters.popleft()
"""

STUB = "one wake-up can stand for several letters"

RIGHT = """
## a mailbox with a queue
class Mailbox:
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.letters = asyncio.Queue()
        self.get = self.letters.get
    def put(self, item):
        self.loop.call_soon_threadsafe(self.letters.put_nowait, item)
"""

WRONG = """
## the event stays set => it holds the loop for ever
-            self.come.clear()
## another thread sets it => from another thread
-        self.loop.call_soon_threadsafe(self.come.set)
+        self.come.set()
## a nap => a reader that looks again and again polls
-            await self.come.wait()
+            await asyncio.sleep(0.05)
## from the wrong end => each once, and in order
-        return self.letters.popleft()
+        return self.letters.pop()
## the letter stays => each once, and in order
-        return self.letters.popleft()
+        return self.letters[0]
## a nap before each letter => let put() wake the reader
             await self.come.wait()
+            await asyncio.sleep(0.05)
## knows one reader only => each letter has to wake a reader
from collections import deque
class Mailbox:
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.letters, self.waiter = deque(), None
    def put(self, item):
        self.letters.append(item)
        self.loop.call_soon_threadsafe(self.wake)
    def wake(self):
        if self.waiter and not self.waiter.done():
            self.waiter.set_result(None)
    async def get(self):
        while not self.letters:
            self.waiter = self.loop.create_future()
            await self.waiter
        return self.letters.popleft()
## takes the letter out later => take it out of the box
-        return self.letters.popleft()
+        letter = self.letters[0]
+        await asyncio.sleep(0)
+        self.letters.popleft()
+        return letter
"""
