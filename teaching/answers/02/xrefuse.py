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

RIGHT = {}

WRONG = {
    "returns (await self.offload(work),)": (
        """
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
                return (await self.offload(work),)
        finally:
            self.places += 1
""",
        "what offload() returns or raises comes out of run",
    ),
    "refuses as soon as the workers are busy": (
        """
class Front:
    def __init__(self, offload, workers, places):
        self.offload, self.free = offload, asyncio.Semaphore(workers)
    async def run(self, work):
        if self.free.locked():
            raise BusyError
        async with self.free:
            return await self.offload(work)
""",
        "4 were refused at once",
    ),
    "gives no place back after an error": (
        """
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
""",
        "give the place back however a job ends",
    ),
    "never gives a place back": (
        """
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
""",
        "a job that has ended has left its place",
    ),
    "returns the error": (
        """
class Front:
    def __init__(self, offload, workers, places):
        self.offload, self.free = offload, asyncio.Semaphore(workers)
        self.places = workers + places
    async def run(self, work):
        if not self.places:
            return BusyError()
        self.places -= 1
        try:
            async with self.free:
                return await self.offload(work)
        finally:
            self.places += 1
""",
        "not with BusyError",
    ),
    "counts those that wait and lets all run": (
        """
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
""",
        "5 are with a worker",
    ),
}
