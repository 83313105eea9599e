"""Answers to exercise 05-xshed, right and wrong."""

# Why this works: `int(patience / service)` is how many services fit into the
# patience, this one's own among them. The count goes up before the first `await`, so
# two requests cannot take the same place, and `finally` gives it back whatever
# happens.
SOLUTION = """
import math

class Door:
    def __init__(self, service, patience):
        self.service = service
        self.places = int(patience / service)
        self.inside, self.turn = 0, asyncio.Lock()

    async def handle(self, work):
        if self.inside >= self.places:
            return 503, max(1, math.ceil(self.inside * self.service))
        self.inside += 1
        try:
            async with self.turn:
                return 200, await work()
        finally:
            self.inside -= 1
"""

STUB = "a refusal costs nothing when it comes at once"

RIGHT = """
## remembers when the work that was let in is done
class Door:
    def __init__(self, service, patience):
        self.service, self.patience = service, patience
        self.inside, self.turn = set(), asyncio.Semaphore(1)
    async def handle(self, work):
        ahead = len(self.inside)
        if (ahead + 1) * self.service > self.patience + 1e-9:
            return (503, max(1, -int(-ahead * self.service // 1)))
        place = object()
        self.inside.add(place)
        try:
            async with self.turn:
                result = await work()
        finally:
            self.inside.remove(place)
        return (200, result)
"""

WRONG = """
## True for self.inside >= self.places => a request that has left no longer counts as inside
-        if self.inside >= self.places:
+        if True:
## without: try: => result) or
-        try:
-            async with self.turn:
-                return 200, await work()
-        finally:
-            self.inside -= 1
+        pass
## a function => hand over Door itself
def Door(service, patience):
    return None
## one too many => was let in and answered after
-        if self.inside >= self.places:
+        if self.inside > self.places:
## rounded down => rounded up to a whole number
-            return 503, max(1, math.ceil(self.inside * self.service))
+            return 503, max(1, int(self.inside * self.service))
## whoever waits does not count => count who is inside
-        self.inside += 1
@
             async with self.turn:
+                self.inside += 1
## a failure keeps the place => give the place back in a finally
-        try:
+        if True:
@
-                return 200, await work()
-        finally:
-            self.inside -= 1
+                result = await work()
+        self.inside -= 1
+        return 200, result
## all at once => first come, first served
-            async with self.turn:
+            if True:
## works at once, answers in turn => an asyncio.Lock admits one
+        working = asyncio.ensure_future(work())
         try:
             async with self.turn:
-                return 200, await work()
+                await asyncio.sleep(self.service)
+                return 200, await working
## a failure keeps the lock => gives the lock back whatever happens
-            async with self.turn:
-                return 200, await work()
+            await self.turn.acquire()
+            result = await work()
+            self.turn.release()
+            return 200, result
## a failure is an answer => let it pass
                 return 200, await work()
+        except OSError:
+            return 500, None
"""
