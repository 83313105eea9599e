"""Answers to exercise 07-make, right and wrong."""

STUB = "serve the highest priority that anybody waits with"

RIGHT = """
## Heap
class Levels:
    def __init__(self):
        self.waiting = []
        self.count = 0
        self.pumping = False
    async def turn(self, priority):
        loop = asyncio.get_running_loop()
        mine = loop.create_future()
        self.count += 1
        heappush(self.waiting, (-priority, self.count, mine))
        if not self.pumping:
            self.pumping = True
            loop.call_soon(self.pump, 4)
        await mine
    def pump(self, rest):
        loop = asyncio.get_running_loop()
        if rest:
            loop.call_soon(self.pump, rest - 1)
            return
        while self.waiting:
            mine = heappop(self.waiting)[2]
            if not mine.done():
                mine.set_result(None)
                loop.call_soon(self.pump, 4)
                return
        self.pumping = False
## Standing
class Levels:
    def __init__(self):
        self.queues = {3: [], 2: [], 1: []}
        self.somebody = asyncio.Event()
        self.task = None
    async def turn(self, priority):
        if self.task is None:
            self.task = asyncio.create_task(self.serve())
        mine = asyncio.get_running_loop().create_future()
        self.queues[priority].append(mine)
        self.somebody.set()
        await mine
    async def serve(self):
        while True:
            await self.somebody.wait()
            for _ in range(4):
                await asyncio.sleep(0)
            waiting = [one for queue in self.queues.values() for one in queue]
            alive = [one for one in waiting if not one.done()]
            for queue in self.queues.values():
                queue[:] = [one for one in queue if not one.done()]
            if alive:
                alive[0].set_result(None)
            else:
                self.somebody.clear()
## the gate of looplab
from looplab.priority import PriorityGate as Levels
"""

WRONG = """
## goes on when it is cancelled => the tasks 0, 2, 5, 1, 3, 4, 6 had a turn
@@ Heap
-        await mine
+        try:
+            await mine
+        except asyncio.CancelledError:
+            pass
## a heap that compares futures => TypeError
from heapq import heappush, heappop
class Levels:
    def __init__(self):
        self.heap = []
        self.processor = None
    async def turn(self, priority):
        mine = asyncio.get_running_loop().create_future()
        heappush(self.heap, (-priority, mine))
        if self.processor is None:
            self.processor = asyncio.create_task(self.serve())
        await mine
    async def serve(self):
        while self.heap:
            for _ in range(4):
                await asyncio.sleep(0)
            _, mine = heappop(self.heap)
            if not mine.done():
                mine.set_result(None)
        self.processor = None
## settles for two iterations => an urgent task waited
-            for _ in range(4):
+            for _ in range(2):
## one queue for all => serve the highest priority that anybody waits with
class Levels:
    def __init__(self):
        self.queue = deque()
        self.processor = None
    async def turn(self, priority):
        mine = asyncio.get_running_loop().create_future()
        self.queue.append(mine)
        if self.processor is None:
            self.processor = asyncio.create_task(self.serve())
        await mine
    async def serve(self):
        while self.queue:
            for _ in range(4):
                await asyncio.sleep(0)
            if not (mine := self.queue.popleft()).done():
                mine.set_result(None)
        self.processor = None
## a processor that never ends => start something only while somebody waits
class Levels:
    def __init__(self):
        self.queues = {3: deque(), 2: deque(), 1: deque()}
        self.processor = None
    async def turn(self, priority):
        mine = asyncio.get_running_loop().create_future()
        self.queues[priority].append(mine)
        if self.processor is None:
            self.processor = asyncio.create_task(self.serve())
        await mine
    async def serve(self):
        while True:
            await asyncio.sleep(0)
            queue = next(filter(None, self.queues.values()), None)
            if queue and not (mine := queue.popleft()).done():
                mine.set_result(None)
## a lock => serve the highest priority that anybody waits with
class Levels:
    def __init__(self):
        self.lock = asyncio.Lock()
    async def turn(self, priority):
        async with self.lock:
            for _ in range(4):
                await asyncio.sleep(0)
## does not settle => between two turns let some iterations pass
-            for _ in range(4):
-                await asyncio.sleep(0)
+            await asyncio.sleep(0)
## stumbles over a cancelled task => look for an await whose counterpart never comes
-            while queue and (mine := queue.popleft()).done():
-                pass
-            if not mine.done():
-                mine.set_result(None)
+            queue.popleft().set_result(None)
## last in, first out => among equals the first to come is the first to go
-            while queue and (mine := queue.popleft()).done():
+            while queue and (mine := queue.pop()).done():
## LastFirst => the first to come is the first to go
@@ Heap
                 return
         self.pumping = False
+class Levels(Levels):
+    async def turn(self, priority):
+        self.count -= 2
+        await super().turn(priority)
## lambda: PriorityProtocol(settle=2) => not a class
Levels = lambda: PriorityProtocol(settle=2)
## Polling => callbacks
@@ Heap
                 return
         self.pumping = False
+class Levels(Levels):
+    taken = False
+    async def turn(self, priority):
+        self.count += 1
+        mine = (-priority, self.count, None)
+        heappush(self.waiting, mine)
+        await asyncio.sleep(0)
+        while self.taken or self.waiting[0] is not mine:
+            await asyncio.sleep(0)
+        heappop(self.waiting)
+        self.taken = True
+        asyncio.get_running_loop().call_soon(self.free)
+    def free(self):
+        self.taken = False
## Restless => keeps the loop busy
@@ Standing
                 self.somebody.clear()
+class Levels(Levels):
+    async def serve(self):
+        while True:
+            await asyncio.sleep(0)
+            self.somebody.set()
+            for queue in self.queues.values():
+                if queue:
+                    for _ in range(4):
+                        await asyncio.sleep(0)
+                    mine = queue.pop(0)
+                    if not mine.done():
+                        mine.set_result(None)
+                    break
## Fragile => waits for ever
@@ Heap
                 return
         self.pumping = False
+class Levels(Levels):
+    def pump(self, rest):
+        loop = asyncio.get_running_loop()
+        if rest:
+            loop.call_soon(self.pump, rest - 1)
+        elif self.waiting:
+            heappop(self.waiting)[2].set_result(None)
+            loop.call_soon(self.pump, 4)
+        else:
+            self.pumping = False
## NotAsync => cannot be awaited
class Levels:
    def turn(self, priority):
        ...
## WithoutTurn => has no turn()
class Levels:
    pass
## Heap() => not a class
@@ Heap
-class Levels:
+class Heap:
@
                 return
         self.pumping = False
+Levels = Heap()
## 7 => not a class
Levels = 7
"""
