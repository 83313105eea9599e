"""The extra exercises of chapter 2."""

from __future__ import annotations

from tests.ontime.check.bank.bank import Answers, Wrong
from tests.ontime.check.bank.mistakes import changed

WRONG: Wrong = {
    "02-xcontext": {
        "to_thread has no pool": (
            """
async def offload(pool, function, *args):
    return await asyncio.to_thread(function, *args)
""",
            "None is the pool that everybody shares",
        ),
        "the context of the definition": (
            """
context = contextvars.copy_context()
async def offload(pool, function, *args):
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(pool, context.run, function, *args)
""",
            "see ['nobody', 'nobody', 'nobody']",
        ),
        "runs it on the loop": (
            """
async def offload(pool, function, *args):
    return function(*args)
""",
            "the function ran on the loop",
        ),
        "calls it before it is handed over": (
            """
async def offload(pool, function, *args):
    context = contextvars.copy_context()
    said = context.run(function, *args)
    await asyncio.get_running_loop().run_in_executor(pool, lambda: None)
""",
            "see [None, None, None]",
        ),
    },
    "02-xstop": {
        "sets the event and does not wait": (
            """
async def compute(offload, work, seconds):
    stop = threading.Event()
    try:
        async with asyncio.timeout(seconds):
            return await offload(work, stop)
    finally:
        stop.set()
""",
            "TimeoutError at 1 s, and the thread works on",
        ),
        "waits for the thread and stops nothing": (
            """
async def compute(offload, work, seconds):
    running = asyncio.create_task(offload(work, threading.Event()))
    done, _ = await asyncio.wait([running], timeout=seconds)
    if not done:
        await running
        raise TimeoutError
    return running.result()
""",
            "set the event when you give up",
        ),
        "forgets that it may be cancelled itself": (
            """
async def compute(offload, work, seconds):
    stop = threading.Event()
    running = asyncio.create_task(offload(work, stop))
    done, _ = await asyncio.wait([running], timeout=seconds)
    if not done:
        stop.set()
        await asyncio.wait([running])
        raise TimeoutError
    return running.result()
""",
            "cancelled after 0.7 s: CancelledError at 0.7 s, and the thread works on",
        ),
        "shields and forgets": (
            """
async def compute(offload, work, seconds):
    stop = threading.Event()
    running = asyncio.create_task(offload(work, stop))
    async with asyncio.timeout(seconds):
        return await asyncio.shield(running)
""",
            "TimeoutError at 1 s, and the thread works on",
        ),
        "no error when the time is over": (
            """
async def compute(offload, work, seconds):
    stop = threading.Event()
    running = asyncio.create_task(offload(work, stop))
    await asyncio.wait([running], timeout=seconds)
    stop.set()
    return await running
""",
            "returned 'done' at 1.2 s. Wanted: TimeoutError",
        ),
    },
    "02-xslices": {
        "never pauses": (
            """
async def in_slices(items, work, budget):
    return [work(item) for item in items]
""",
            "held the loop for 200 ms at a stretch",
        ),
        "pauses after each": (
            """
async def in_slices(items, work, budget):
    results = []
    for item in items:
        results.append(work(item))
        await asyncio.sleep(0)
    return results
""",
            "pauses; 12 are enough",
        ),
        "does not begin anew after a pause": (
            """
async def in_slices(items, work, budget):
    loop = asyncio.get_running_loop()
    begun, results = loop.time(), []
    for item in items:
        results.append(work(item))
        if loop.time() - begun >= budget:
            await asyncio.sleep(0)
    return results
""",
            "a pause only when the budget is used up",
        ),
        "sleeps for a time": (
            changed("02-xslices", ("asyncio.sleep(0)", "asyncio.sleep(0.001)")),
            "sleep(0) is one iteration",
        ),
        "looks at the cost of one item": (
            """
async def in_slices(items, work, budget):
    loop = asyncio.get_running_loop()
    results = []
    for item in items:
        begun = loop.time()
        results.append(work(item))
        if loop.time() - begun >= budget:
            await asyncio.sleep(0)
    return results
""",
            "count from the last pause",
        ),
    },
    "02-xbatches": {
        "loses the last batch": (
            """
async def in_batches(offload, work, items, size):
    results = []
    for start in range(0, len(items) - size + 1, size):
        results += await offload(work, items[start:start + size])
    return results
""",
            "10 items in batches of 3: the result is",
        ),
        "one after the other": (
            """
async def in_batches(offload, work, items, size):
    results = []
    for start in range(0, len(items), size):
        results += await offload(work, items[start:start + size])
    return results
""",
            "1 batches were out at a time",
        ),
        "all at once": (
            """
async def in_batches(offload, work, items, size):
    batches = [items[i:i + size] for i in range(0, len(items), size)]
    parts = await asyncio.gather(*(offload(work, b) for b in batches))
    return [result for part in parts for result in part]
""",
            "4 batches were out at a time",
        ),
        "in the order in which they end": (
            """
async def in_batches(offload, work, items, size):
    workers, results = asyncio.Semaphore(2), []
    async def one(batch):
        async with workers:
            results.extend(await offload(work, batch))
    async with asyncio.TaskGroup() as group:
        for start in range(0, len(items), size):
            group.create_task(one(items[start:start + size]))
    return results
""",
            "in the order of the items",
        ),
        "a list of lists": (
            """
async def in_batches(offload, work, items, size):
    workers = asyncio.Semaphore(2)
    async def one(batch):
        async with workers:
            return await offload(work, batch)
    batches = [items[i:i + size] for i in range(0, len(items), size)]
    return await asyncio.gather(*map(one, batches))
""",
            "one flat list",
        ),
    },
    "02-xrefuse": {
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
    },
}


class TestAnswers(Answers):
    wrong = WRONG
