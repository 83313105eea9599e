"""Answers to exercise 05-xdrain, right and wrong."""

# Why this works: `under_way` is set in the step in which the message leaves the
# queue. So at each moment a message is in the queue, under way, or sent. `join` waits
# for the `task_done` of each, and what is left after the grace stands in order.
SOLUTION = """
class Outbox:
    def __init__(self, send):
        self.send, self.queue = send, asyncio.Queue(maxsize=10)
        self.open, self.under_way = True, []
        self.worker = asyncio.create_task(self.work())

    async def work(self):
        while True:
            self.under_way = [await self.queue.get()]
            await self.send(self.under_way[0])
            self.under_way = []
            self.queue.task_done()

    def accept(self, message):
        if not self.open:
            raise RuntimeError("the outbox is being closed")
        self.queue.put_nowait(message)

    async def stop(self, grace):
        self.open = False
        try:
            async with asyncio.timeout(grace):
                await self.queue.join()
        except TimeoutError:
            pass
        self.worker.cancel()
        await asyncio.gather(self.worker, return_exceptions=True)
        left = self.under_way
        while not self.queue.empty():
            left.append(self.queue.get_nowait())
        return left
"""

STUB = "raise RuntimeError once stop() has begun"

RIGHT = """
## a deque and an event
class Outbox:
    def __init__(self, send):
        self.send, self.left = send, []
        self.closing, self.come = False, asyncio.Event()
        self.worker = asyncio.create_task(self.work())
    async def work(self):
        while self.left or not self.closing:
            if self.left:
                await self.send(self.left[0])
                del self.left[0]
            else:
                self.come.clear()
                await self.come.wait()
    def accept(self, message):
        if self.closing:
            raise RuntimeError("closed")
        if len(self.left) > 10:
            raise asyncio.QueueFull
        self.left.append(message)
        self.come.set()
    async def stop(self, grace):
        self.closing = True
        self.come.set()
        await asyncio.wait([self.worker], timeout=grace)
        self.worker.cancel()
        await asyncio.wait([self.worker])
        return self.left
"""

WRONG = """
## without: return left => return the list of the rest
-        return left
+        pass
## without: while True: => the worker goes on until the grace is over
-        while True:
-            self.under_way = [await self.queue.get()]
-            await self.send(self.under_way[0])
-            self.under_way = []
-            self.queue.task_done()
+        pass
## it stays open => raise RuntimeError once stop() has begun
-        self.open = False
## what is under way is lost => the message that is under way is in no queue
-        left = self.under_way
+        left = []
## the whole grace => wait for the queue, and not for the whole grace
-                await self.queue.join()
+                await asyncio.sleep(grace + 1)
## what was sent is given back => none that was sent
-            self.under_way = []
## out of order => give the rest back in order
-        left = self.under_way
+        left = []
@
-        return left
+        return left + self.under_way
## the worker goes on => cancel it, and await it
-        self.worker.cancel()
-        await asyncio.gather(self.worker, return_exceptions=True)
+        pass
"""
