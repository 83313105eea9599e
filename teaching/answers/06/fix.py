"""Answers to exercise 06-fix, right and wrong."""

STUB = "let get() wait for something that put() sets or fills"

RIGHT = """
## wakes only who waits
import threading
from collections import deque
class Inbox:
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.lock = threading.Lock()
        self.items, self.waiting = deque(), 0
        self.come = asyncio.Event()
    def put(self, item):
        with self.lock:
            self.items.append(item)
            if self.waiting:
                self.loop.call_soon_threadsafe(self.come.set)
    async def get(self):
        while True:
            with self.lock:
                if self.items:
                    return self.items.popleft()
                self.waiting += 1
                self.come.clear()
            try:
                await self.come.wait()
            finally:
                with self.lock:
                    self.waiting -= 1
## ByEvent
import queue
class Inbox:
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.items = queue.Queue()
        self.arrived = asyncio.Event()
    def put(self, item):
        self.items.put(item)
        self.loop.call_soon_threadsafe(self.arrived.set)
    async def get(self):
        while self.items.empty():
            self.arrived.clear()
            await self.arrived.wait()
        return self.items.get_nowait()
## ByCondition
from collections import deque
class Inbox:
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.items = deque()
        self.waiting = deque()
    def put(self, item):
        self.loop.call_soon_threadsafe(self.take, item)
    def take(self, item):
        self.items.append(item)
        while self.waiting:
            if not (future := self.waiting.popleft()).done():
                future.set_result(None)
                return
    async def get(self):
        while not self.items:
            future = self.loop.create_future()
            self.waiting.append(future)
            await future
        return self.items.popleft()
## ByQueue
class Inbox:
    def __init__(self):
        self.loop = asyncio.get_running_loop()
        self.items = asyncio.Queue()
    def put(self, item):
        self.loop.call_soon_threadsafe(self.items.put_nowait, item)
    async def get(self):
        return await self.items.get()
"""

WRONG = """
## wraps what comes => hand out what was put
@@ ByQueue
-        return await self.items.get()
+        return (await self.items.get(),)
## shields what was cancelled => a get() that is cancelled must take nothing
@@ ByQueue
-        return await self.items.get()
+        return await asyncio.shield(asyncio.create_task(self.items.get()))
## waits in a thread => a get() in a thread, once cancelled, takes an item
import queue
class Inbox:
    def __init__(self):
        self.items = queue.Queue()
        self.put = self.items.put
    async def get(self):
        return await asyncio.to_thread(self.items.get)
## asks for the running loop in put => no running event loop
-        self._loop = asyncio.get_running_loop()
@
-        self._loop.call_soon_threadsafe(self._items.put_nowait, item)
+        loop = asyncio.get_running_loop()
+        loop.call_soon_threadsafe(self._items.put_nowait, item)
## blocks the loop => blocks the thread of the loop
import queue
class Inbox:
    def __init__(self):
        self._items = queue.Queue()
    def put(self, item):
        self._items.put(item)
    async def get(self):
        return self._items.get()
## loses what came as it was cancelled => leave an item in the queue until get() really returns it
from collections import deque
class Inbox:
    def __init__(self):
        self._loop = asyncio.get_running_loop()
        self._items, self._waiters = deque(), deque()
    def put(self, item):
        self._loop.call_soon_threadsafe(self._deliver, item)
    def _deliver(self, item):
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                return waiter.set_result(item)
        self._items.append(item)
    async def get(self):
        if self._items:
            return self._items.popleft()
        mine = self._loop.create_future()
        self._waiters.append(mine)
        return await mine
## waits until it is put => holds up the thread
-        self._loop.call_soon_threadsafe(self._items.put_nowait, item)
+        asyncio.run_coroutine_threadsafe(
+            self._items.put(item), self._loop).result()
## last in, first out => None is an item like any other
-        self._items = asyncio.Queue()
+        self._items = asyncio.LifoQueue()
## None is taken for nothing => look for an await whose counterpart never comes
from collections import deque
class Inbox:
    def __init__(self):
        self._loop = asyncio.get_running_loop()
        self._items = deque()
        self._arrived = asyncio.Event()
    def put(self, item):
        self._items.append(item)
        self._loop.call_soon_threadsafe(self._arrived.set)
    async def get(self):
        while True:
            if self._items:
                item = self._items.popleft()
                if item is not None:
                    return item
            self._arrived.clear()
            await self._arrived.wait()
## a put that has to be awaited => make it a plain one
class Inbox:
    def __init__(self):
        self._items = asyncio.Queue()
    async def put(self, item):
        await self._items.put(item)
    async def get(self):
        return await self._items.get()
## a nap => let get() wait for something that put() sets or fills
import queue
class Inbox:
    def __init__(self):
        self._items = queue.Queue()
    def put(self, item):
        self._items.put(item)
    async def get(self):
        while self._items.empty():
            await asyncio.sleep(0.001)
        return self._items.get_nowait()
## touches the queue from the other thread => hand the call over
-        self._loop = asyncio.get_running_loop()
@
-        self._loop.call_soon_threadsafe(self._items.put_nowait, item)
+        self._items.put_nowait(item)
## not safe from a thread => hand the call over
-        self._loop.call_soon_threadsafe(self._items.put_nowait, item)
+        self._loop.call_soon(self._items.put_nowait, item)
## an event that is never cleared => it raised Empty
import queue
class Inbox:
    def __init__(self):
        self._loop = asyncio.get_running_loop()
        self._items = queue.Queue()
        self._arrived = asyncio.Event()
    def put(self, item):
        self._items.put(item)
        self._loop.call_soon_threadsafe(self._arrived.set)
    async def get(self):
        await self._arrived.wait()
        return self._items.get_nowait()
## ThreadQueue => did not tell the loop
@@ ByQueue
         return await self.items.get()
+class Inbox(Inbox):
+    def put(self, item):
+        ...
## AsyncPut => another thread cannot await it
@@ ByQueue
         return await self.items.get()
+class Inbox(Inbox):
+    async def put(self, item):
+        await self.items.put(item)
## Naps => callbacks in 0.3 s
@@ ByEvent
         return self.items.get_nowait()
+class Inbox(Inbox):
+    async def get(self):
+        while self.items.empty():
+            await asyncio.sleep(0.005)
+        return self.items.get_nowait()
## Nothing => before anything had been put
@@ ByQueue
         return await self.items.get()
+class Inbox(Inbox):
+    async def get(self):
+        return None
## NoGet => has no method get()
class Inbox:
    def put(self, item):
        ...
## PlainGet => cannot be awaited
@@ ByQueue
         return await self.items.get()
+class Inbox(Inbox):
+    def get(self):
+        return 1
## ByQueue.put => not a class
@@ ByQueue
-class Inbox:
+class ByQueue:
@
         return await self.items.get()
+Inbox = ByQueue.put
## lambda: None => not a class
Inbox = lambda: None
## 7 => not a class
Inbox = 7
## a bound that refuses => a queue with a bound refuses
@@ ByQueue
-        self.items = asyncio.Queue()
+        self.items = asyncio.Queue(1)
"""
