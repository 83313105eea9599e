"""Answers to exercise 02-xrefuse, right and wrong."""

# Why this works: A place is taken before the first `await`, so nobody can slip in
# between the question and the answer. The `finally` gives it back after an error and
# a cancellation too.
SOLUTION = """
class Front:
    def __init__(self, offload, workers, places):
        self.offload = offload
        self.free = asyncio.Semaphore(workers)
        self.places = workers + places

    async def run(self, work):
        if not self.places:
            raise BusyError
        self.places -= 1
        try:
            async with self.free:
                return await self.offload(work)
        finally:
            self.places += 1
"""

STUB = "count those that run and those that wait"

RIGHT = """
## workers' turns are handed on by hand
class Front:
    def __init__(self, offload, workers, places):
        self.offload, self.free, self.places = offload, workers, places
        self.waiting = []
    async def run(self, work):
        if not self.free:
            if len(self.waiting) >= self.places:
                raise BusyError
            turn = asyncio.get_running_loop().create_future()
            self.waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self.hand_on()
                else:
                    self.waiting.remove(turn)
                raise
        else:
            self.free -= 1
        try:
            return await self.offload(work)
        finally:
            self.hand_on()
    def hand_on(self):
        if self.waiting:
            self.waiting.pop(0).set_result(None)
        else:
            self.free += 1
"""

WRONG = """
## returns (await self.offload(work),) => what offload() returns or raises comes out of run
-                return await self.offload(work)
+                return (await self.offload(work),)
## refuses as soon as the workers are busy => 4 were refused at once
class Front:
    def __init__(self, offload, workers, places):
        self.offload, self.free = offload, asyncio.Semaphore(workers)
    async def run(self, work):
        if self.free.locked():
            raise BusyError
        async with self.free:
            return await self.offload(work)
## gives no place back after an error => give the place back however a job ends
class Front:
    def __init__(self, offload, workers, places):
        self.offload, self.free = offload, asyncio.Semaphore(workers)
        self.places = workers + places
    async def run(self, work):
        if not self.places:
            raise BusyError
        self.places -= 1
        async with self.free:
            value = await self.offload(work)
        self.places += 1
        return value
## never gives a place back => a job that has ended has left its place
class Front:
    def __init__(self, offload, workers, places):
        self.offload, self.free = offload, asyncio.Semaphore(workers)
        self.places = workers + places
    async def run(self, work):
        if not self.places:
            raise BusyError
        self.places -= 1
        async with self.free:
            return await self.offload(work)
## returns the error => not with BusyError
-        self.offload = offload
-        self.free = asyncio.Semaphore(workers)
+        self.offload, self.free = offload, asyncio.Semaphore(workers)
@
-            raise BusyError
+            return BusyError()
## counts those that wait and lets all run => 5 are with a worker
class Front:
    def __init__(self, offload, workers, places):
        self.offload, self.places = offload, workers + places
    async def run(self, work):
        if not self.places:
            raise BusyError
        self.places -= 1
        try:
            return await self.offload(work)
        finally:
            self.places += 1
## a failure frees two workers => a semaphore for the workers
-                return await self.offload(work)
+                try:
+                    return await self.offload(work)
+                except OSError:
+                    self.free.release()
+                    raise
"""
